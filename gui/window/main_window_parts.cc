// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of the window: pages, panels and menus.
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>
#include <QTabWidget>
#include <QToolBar>

#include "gui/pages/collective_page.h"
#include "gui/pages/congestion_page.h"
#include "gui/pages/distribution_page.h"
#include "gui/pages/fairness_page.h"
#include "gui/pages/flows_page.h"
#include "gui/pages/pfc_page.h"
#include "gui/pages/queues_page.h"
#include "gui/pages/results_page.h"
#include "gui/pages/scenario_page.h"
#include "gui/pages/serving_page.h"
#include "gui/pages/topology_page.h"
#include "gui/window/docks.h"
#include "gui/window/main_window.h"
#include "gui/window/start_page.h"
#include "gui/window/status_strip.h"

namespace plumbline::gui {

void MainWindow::makePages() {
  strip_ = new StatusStrip(&session_);
  auto* bar = new QToolBar(tr("Run"));
  bar->setObjectName(QStringLiteral("strip"));
  bar->setMovable(false);
  bar->addWidget(strip_);
  bar->toggleViewAction()->setEnabled(false);
  addToolBar(bar);

  tabs_ = new QTabWidget;
  tabs_->setDocumentMode(true);
  tabs_->setUsesScrollButtons(true);
  setCentralWidget(tabs_);
  start_page_ = new StartPage;
  scenario_page_ = new ScenarioPage(&session_);
  flows_page_ = new FlowsPage;
  cdf_page_ = new DistributionPage(DistributionPage::Kind::kCdf);
  topology_page_ = new TopologyPage;
  results_page_ = new ResultsPage(&run_list_);
  tabs_->addTab(start_page_, tr("Start"));
  tabs_->addTab(scenario_page_, tr("Scenario"));
  const auto add = [this](Page* page, const QString& title) {
    tabs_->addTab(page, title);
    pages_.push_back(page);
  };
  add(flows_page_, tr("Flows"));
  add(cdf_page_, tr("Latency CDF"));
  add(new DistributionPage(DistributionPage::Kind::kHistogram), tr("Histogram"));
  add(new PfcPage, tr("PFC"));
  add(new CongestionPage, tr("ECN/CNP"));
  add(new FairnessPage, tr("JFI"));
  add(new QueuesPage, tr("Queues"));
  add(new CollectivePage, tr("Collective"));
  add(new ServingPage, tr("Serving"));
  add(topology_page_, tr("Topology"));
  add(results_page_, tr("Results"));

  source_ = new QComboBox;
  source_->addItem(tr("Show: live"));
  source_->addItem(tr("Show: stored runs"));
  source_->setAccessibleName(tr("What the tabs show"));
  source_->setToolTip(tr("Whether the tabs show the live run or stored ones"));
  tabs_->setCornerWidget(source_);
}

void MainWindow::makeDocks() {
  const auto dock = [this](QWidget* panel, const QString& title, const char* name,
                           Qt::DockWidgetArea area) {
    auto* out = new QDockWidget(title, this);
    out->setObjectName(QString::fromLatin1(name));
    out->setWidget(panel);
    addDockWidget(area, out);
    return out;
  };
  ports_ = new PortsPanel(&session_);
  trials_ = new TrialsPanel(&session_);
  counters_ = new CountersPanel(&session_);
  log_ = new LogPanel;
  captures_ = new CapturesPanel(&session_);
  QDockWidget* ports = dock(ports_, tr("Ports"), "ports", Qt::LeftDockWidgetArea);
  QDockWidget* trials = dock(trials_, tr("Trials"), "trials", Qt::LeftDockWidgetArea);
  QDockWidget* counters = dock(counters_, tr("Counters"), "counters", Qt::BottomDockWidgetArea);
  QDockWidget* log = dock(log_, tr("Log"), "log", Qt::BottomDockWidgetArea);
  QDockWidget* captures = dock(captures_, tr("Captures"), "captures", Qt::BottomDockWidgetArea);
  tabifyDockWidget(counters, log);
  tabifyDockWidget(log, captures);
  counters->raise();
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  resizeDocks({ports, trials}, {290, 290}, Qt::Horizontal);
  resizeDocks({ports, trials}, {260, 420}, Qt::Vertical);
  resizeDocks({counters}, {165}, Qt::Vertical);
}

void MainWindow::makeMenus() {
  QMenu* file = menuBar()->addMenu(tr("&File"));
  file->addAction(tr("&Open result …"), QKeySequence::Open, this, &MainWindow::chooseResultToOpen);
  file->addAction(tr("Open &scenario …"), this, [this] {
    tabs_->setCurrentWidget(scenario_page_);
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Open scenario"), {}, tr("Scenarios (*.yaml *.yml)"));
    if (!path.isEmpty()) scenario_page_->open(path);
  });
  file->addAction(tr("Sa&ve scenario"), QKeySequence::Save, this,
                  [this] { scenario_page_->save(); });
  file->addAction(tr("Save &plot …"), QKeySequence(Qt::CTRL | Qt::Key_E), this,
                  &MainWindow::exportPlot);
  file->addSeparator();
  file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);

  QMenu* test = menuBar()->addMenu(tr("&Test"));
  test->addAction(tr("&Run"), QKeySequence(Qt::Key_F5), this, &MainWindow::run);
  test->addAction(tr("&Stop after this trial"), QKeySequence(Qt::SHIFT | Qt::Key_F5), this,
                  &MainWindow::stop);
  test->addAction(tr("Run the &quickstart"), this, &MainWindow::runQuickstart);

  QMenu* server = menuBar()->addMenu(tr("Ser&ver"));
  server->addAction(tr("&Connect …"), QKeySequence(Qt::CTRL | Qt::Key_K), this,
                    &MainWindow::showConnectDialog);
  server->addAction(tr("Start a &local one"), this, [this] { withServer([] {}); });
  server->addAction(tr("&Disconnect"), this, [this] { session_.close(); });

  QMenu* view = menuBar()->addMenu(tr("Vie&w"));
  QAction* dark = view->addAction(tr("&Dark"), QKeySequence(Qt::CTRL | Qt::Key_D), this, [this] {
    setDark(!theme_.dark);
    QSettings().setValue(QStringLiteral("window/dark"), theme_.dark);
  });
  dark->setObjectName(QStringLiteral("dark"));
  view->addAction(tr("Next &tab"), QKeySequence(Qt::CTRL | Qt::Key_PageDown), this,
                  [this] { tabs_->setCurrentIndex((tabs_->currentIndex() + 1) % tabs_->count()); });
  view->addAction(tr("&Previous tab"), QKeySequence(Qt::CTRL | Qt::Key_PageUp), this, [this] {
    tabs_->setCurrentIndex((tabs_->currentIndex() + tabs_->count() - 1) % tabs_->count());
  });
  view->addSeparator();
  for (QDockWidget* dock : findChildren<QDockWidget*>()) view->addAction(dock->toggleViewAction());

  QMenu* help = menuBar()->addMenu(tr("&Help"));
  help->addAction(tr("&About"), this, [this] {
    QMessageBox::about(
        this, tr("Plumbline"),
        tr("<b>Plumbline %1</b><br>Precision tester for AI Ethernet fabrics.<br><br>"
           "This window is free software under the GNU General Public License, version 3 or later; "
           "it draws with QCustomPlot and Qt. The tester itself is under Apache-2.0.")
            .arg(QApplication::applicationVersion()));
  });
}

}  // namespace plumbline::gui
