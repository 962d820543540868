// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QSaveFile>
#include <QSettings>
#include <QStandardPaths>
#include <QStatusBar>
#include <QTabWidget>
#include <QUrl>
#include <algorithm>
#include <utility>

#include "gui/data/scenario_text.h"
#include "gui/models/text.h"
#include "gui/pages/distribution_page.h"
#include "gui/pages/flows_page.h"
#include "gui/pages/results_page.h"
#include "gui/pages/scenario_page.h"
#include "gui/pages/topology_page.h"
#include "gui/window/connect_dialog.h"
#include "gui/window/docks.h"
#include "gui/window/start_page.h"
#include "gui/window/status_strip.h"

namespace plumbline::gui {
namespace {

constexpr int kStatusMs = 8000;
constexpr int kLayoutVersion = 1;  // a change makes Qt ignore the layout saved by an older window

enum Source { kLive, kStored };

}  // namespace

MainWindow::MainWindow(QString server_program, QString results, QWidget* parent)
    : QMainWindow(parent),
      server_program_(std::move(server_program)),
      results_(std::move(results)),
      theme_(lightTheme()) {
  setWindowTitle(tr("Plumbline"));
  setObjectName(QStringLiteral("main"));
  setDockNestingEnabled(true);
  makePages();
  makeDocks();
  makeMenus();
  makeConnections();
  resize(1320, 860);
  restoreLayout();
  setDark(QSettings().value(QStringLiteral("window/dark"), false).toBool());
}

MainWindow::~MainWindow() { session_.close(); }

void MainWindow::makeConnections() {
  connect(strip_, &StatusStrip::connectWanted, this, &MainWindow::showConnectDialog);
  connect(strip_, &StatusStrip::scenarioChosen, this, &MainWindow::chooseScenario);
  connect(strip_->runButton(), &QPushButton::clicked, this, &MainWindow::run);
  connect(strip_->stopButton(), &QPushButton::clicked, this, &MainWindow::stop);
  connect(start_page_, &StartPage::quickstartWanted, this, &MainWindow::runQuickstart);
  connect(start_page_, &StartPage::connectWanted, this, &MainWindow::showConnectDialog);
  connect(start_page_, &StartPage::openResultWanted, this, &MainWindow::chooseResultToOpen);
  connect(start_page_, &StartPage::editScenarioWanted, this,
          [this] { tabs_->setCurrentWidget(scenario_page_); });
  connect(scenario_page_, &ScenarioPage::nameChanged, this,
          [this] { strip_->setScenarioName(scenario_page_->name()); });
  connect(scenario_page_, &ScenarioPage::planned, this,
          [this](const control::PlanAnswer& plan) { topology_page_->setTopology(plan.topology); });
  connect(scenario_page_, &ScenarioPage::failed, this,
          [this](const QString& message) { report(message, true); });
  connect(results_page_, &ResultsPage::wanted, this, &MainWindow::showRun);
  connect(results_page_, &ResultsPage::reportWanted, this, &MainWindow::openReport);
  connect(results_page_, &ResultsPage::resumeWanted, this, &MainWindow::resumeRun);
  connect(results_page_, &ResultsPage::openFileWanted, this, &MainWindow::chooseResultToOpen);
  connect(captures_, &CapturesPanel::message, this, &MainWindow::report);

  connect(&session_, &Session::message, this, &MainWindow::report);
  connect(&session_, &Session::stateChanged, this, &MainWindow::sessionStateChanged);
  connect(&session_, &Session::runsChanged, this,
          [this] { results_page_->setServerRuns(session_.addressText(), session_.runs()); });
  connect(&session_, &Session::updated, this, [this] {
    showFirstLatency();
    if (showsLive()) refreshPage();
  });
  connect(&session_, &Session::runEnded, this, [this](const control::RunState& run) {
    report(tr("Run %1 ended: %2").arg(run.id).arg(text(run.status)), run.status == "failed");
    if (!run.error.empty()) report(text(run.error), true);
    if (run.status == "done") fetchResults(run.id, false);
  });
  connect(&run_list_, &RunList::changed, this, [this] {
    if (!showsLive()) refreshPage();
  });
  connect(&report_writer_, &ReportWriter::written, this, &MainWindow::showReport);
  connect(&report_writer_, &ReportWriter::failed, this,
          [this](const QString& message) { report(message, true); });
  connect(&local_server_, &LocalServer::ready, this, &MainWindow::connectTo);
  connect(&local_server_, &LocalServer::failed, this, [this](const QString& message) {
    when_connected_ = nullptr;
    report(message, true);
  });
  connect(&local_server_, &LocalServer::logged, this,
          [this](const QString& line) { log_->add(line, false); });
  connect(tabs_, &QTabWidget::currentChanged, this, &MainWindow::refreshPage);
  connect(source_, &QComboBox::currentIndexChanged, this, &MainWindow::refreshPage);
}

void MainWindow::restoreLayout() {
  const QSettings settings;
  restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
  restoreState(settings.value(QStringLiteral("window/state")).toByteArray(), kLayoutVersion);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!scenario_page_->saved() && !scenario_page_->isEmpty()) {
    const auto answer = QMessageBox::question(
        this, tr("Scenario not saved"), tr("The scenario has changes that are not saved."),
        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel);
    const bool kept = answer == QMessageBox::Save && scenario_page_->save();
    if (answer != QMessageBox::Discard && !kept) {
      event->ignore();
      return;
    }
  }
  QSettings settings;
  settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
  settings.setValue(QStringLiteral("window/state"), saveState(kLayoutVersion));
  event->accept();
}

void MainWindow::setDark(bool dark) {
  theme_ = dark ? darkTheme() : lightTheme();
  QApplication::setPalette(paletteOf(theme_));
  qApp->setStyleSheet(styleSheetOf(theme_));
  strip_->setTheme(theme_);
  scenario_page_->setTheme(theme_);
  ports_->setTheme(theme_);
  trials_->setTheme(theme_);
  log_->setTheme(theme_);
  for (Page* page : pages_) page->setTheme(theme_);
}

void MainWindow::report(const QString& message, bool failure) {
  log_->add(message, failure);
  statusBar()->showMessage(message, kStatusMs);
}

void MainWindow::connectTo(const control::ServerAddress& address) { session_.open(address); }

void MainWindow::showConnectDialog() {
  ConnectDialog dialog(this);
  if (dialog.exec() == QDialog::Accepted) connectTo(dialog.address());
}

void MainWindow::withServer(std::function<void()> action) {
  if (session_.state() == Session::State::kConnected) {
    action();
    return;
  }
  when_connected_ = std::move(action);
  if (session_.state() == Session::State::kConnecting) return;
  if (!local_server_.isRunning()) {
    local_server_.start(server_program_, results_);
  } else if (local_server_.address()) {
    connectTo(*local_server_.address());  // it was left, and is still there
  }
}

void MainWindow::sessionStateChanged() {
  if (session_.state() != Session::State::kConnected) return;
  if (const auto action = std::exchange(when_connected_, nullptr)) action();
}

void MainWindow::chooseScenario(const QString& name) {
  if (session_.client() == nullptr) return;
  if (!scenario_page_->saved() &&
      QMessageBox::question(this, tr("Scenario not saved"),
                            tr("Replace the scenario, which has changes that are not saved?")) !=
          QMessageBox::Yes) {
    strip_->setScenarioName(scenario_page_->name());
    return;
  }
  session_.client()->scenario(
      name.toStdString(), session_.onGui<control::ScenarioText>(this, [this](const auto& outcome) {
        if (outcome.ok()) {
          scenario_page_->setScenario(text(outcome.value().name), text(outcome.value().text));
        } else {
          report(Session::refusalText(outcome.refusal()), true);
        }
      }));
}

void MainWindow::runQuickstart() {
  withServer([this] {
    session_.client()->capabilities(
        session_.onGui<control::ServerCapabilities>(this, [this](const auto& outcome) {
          if (outcome.ok()) {
            fetchQuickstart(outcome.value());
          } else {
            report(Session::refusalText(outcome.refusal()), true);
          }
        }));
  });
}

void MainWindow::fetchQuickstart(const control::ServerCapabilities& capabilities) {
  const bool card =
      std::any_of(capabilities.benches.begin(), capabilities.benches.end(),
                  [](const control::BenchDescription& bench) { return bench.name == "rtl"; });
  session_.client()->scenario(
      "quickstart", session_.onGui<control::ScenarioText>(this, [this, card](const auto& outcome) {
        if (!outcome.ok()) {
          report(Session::refusalText(outcome.refusal()), true);
          return;
        }
        QString scenario = text(outcome.value().text);
        if (!card) {
          report(tr("This server has no tester card: the quickstart runs on simulated hosts."),
                 false);
          scenario = text(setField(outcome.value().text, "bench", "sim").text);
        }
        scenario_page_->setScenario(text(outcome.value().name), scenario);
        startRun();
      }));
}

void MainWindow::run() {
  if (scenario_page_->isEmpty()) {
    report(tr("Choose a scenario first, or write one in the tab Scenario."), true);
    return;
  }
  withServer([this] { startRun(); });
}

void MainWindow::startRun() {
  // So that the topology tab draws the running scenario, even if the text was written before a
  // server was connected, or has changed since.
  if (!scenario_page_->isPlanned()) scenario_page_->plan();
  control::RunRequest request;
  request.scenario = scenario_page_->request();
  request.owner = "desktop";
  request.capture_port = captures_->port();
  session_.client()->start(request,
                           session_.onGui<control::RunState>(
                               this, [this](const auto& outcome) { runStarted(outcome); }));
}

void MainWindow::runStarted(const control::Outcome<control::RunState>& outcome) {
  if (!outcome.ok()) {
    report(Session::refusalText(outcome.refusal()), true);
    if (!outcome.refusal().problems.empty()) {
      scenario_page_->validate();
      tabs_->setCurrentWidget(scenario_page_);
    }
    return;
  }
  report(tr("Run %1 of %2 started").arg(outcome.value().id).arg(text(outcome.value().name)), false);
  showSource(true);
  if (tabs_->currentWidget() == start_page_ || tabs_->currentWidget() == scenario_page_) {
    tabs_->setCurrentWidget(flows_page_);
    awaits_latency_ = true;
  }
}

// Flows change from the first interval on. Latencies may come many trials later; their tab is
// opened then, unless the user has chosen another one meanwhile.
void MainWindow::showFirstLatency() {
  if (!awaits_latency_) return;
  if (tabs_->currentWidget() != flows_page_) {
    awaits_latency_ = false;
  } else if (session_.live().latency().count() > 0) {
    awaits_latency_ = false;
    tabs_->setCurrentWidget(cdf_page_);
  }
}

void MainWindow::stop() {
  const control::RunState* active = session_.activeRun();
  if (active == nullptr || session_.client() == nullptr) return;
  report(tr("Run %1 stops after the trial in hand").arg(active->id), false);
  session_.client()->stop(active->id,
                          session_.onGui<control::RunState>(this, [this](const auto& outcome) {
                            if (!outcome.ok())
                              report(Session::refusalText(outcome.refusal()), true);
                          }));
}

void MainWindow::resumeRun(qint64 run) {
  if (session_.client() == nullptr) return;
  session_.client()->resume(run, session_.onGui<control::RunState>(
                                     this, [this](const auto& outcome) { runStarted(outcome); }));
}

void MainWindow::chooseResultToOpen() {
  openResults(QFileDialog::getOpenFileNames(this, tr("Open results"), {}, tr("Results (*.json)")));
}

// A database is read by a server: the window's own, which must not be in use for another one.
void MainWindow::openDirectory(const QString& path) {
  if (!QDir(path).exists(QStringLiteral("plumbline.db"))) {  // a server would make one
    report(tr("%1 holds no results: there is no plumbline.db in it.").arg(path), true);
    return;
  }
  if (session_.state() != Session::State::kDisconnected || local_server_.isRunning()) {
    report(tr("%1 is a directory: open it in a window of its own.").arg(path), true);
    return;
  }
  results_ = path;
  withServer([this] {
    showSource(false);
    tabs_->setCurrentWidget(results_page_);
  });
}

void MainWindow::openResults(const QStringList& paths) {
  bool first = true;
  for (const QString& path : paths) {
    if (QFileInfo(path).isDir()) {
      openDirectory(path);
      continue;
    }
    const QString error = run_list_.addFile(path);
    if (!error.isEmpty()) {
      report(error, true);
      continue;
    }
    first ? run_list_.showAlone(path) : run_list_.compare(path, true);
    first = false;
  }
  if (first) return;
  showSource(false);
  if (tabs_->currentWidget() == start_page_) tabs_->setCurrentWidget(results_page_);
}

void MainWindow::fetchResults(qint64 run, bool compare) {
  if (session_.client() == nullptr) return;
  const QString key = serverRunKey(session_.addressText(), run);
  const QString source = tr("run %1 of %2").arg(run).arg(session_.addressText());
  session_.client()->results(
      run, session_.onGui<std::string>(this, [this, key, source, compare](const auto& outcome) {
        if (!outcome.ok()) {
          report(Session::refusalText(outcome.refusal()), true);
          return;
        }
        const QString error =
            run_list_.add(key, source, QByteArray::fromStdString(outcome.value()));
        if (!error.isEmpty()) {
          report(error, true);
          return;
        }
        compare ? run_list_.compare(key, true) : run_list_.showAlone(key);
        showSource(false);
      }));
}

void MainWindow::showRun(const QString& key, qint64 server_run, bool compare) {
  if (server_run > 0) {
    fetchResults(server_run, compare);
  } else {
    compare ? run_list_.compare(key, true) : run_list_.showAlone(key);
    showSource(false);
  }
}

void MainWindow::openReport(const QString& key, qint64 server_run) {
  if (server_run > 0) {
    fetchReport(server_run);
  } else if (const auto found = run_list_.all().find(key); found != run_list_.all().end()) {
    report_writer_.write(server_program_, key, *found->second.run);
  }
}

void MainWindow::showReport(const QString& html) {
  report(tr("Report in %1").arg(html), false);
  QDesktopServices::openUrl(QUrl::fromLocalFile(html));
}

void MainWindow::fetchReport(qint64 run) {
  if (session_.client() == nullptr) return;
  session_.client()->report(
      run, session_.onGui<std::string>(this, [this, run](const auto& outcome) {
        if (!outcome.ok()) {
          report(Session::refusalText(outcome.refusal()), true);
          return;
        }
        const QDir cache(QStandardPaths::writableLocation(QStandardPaths::CacheLocation));
        const QString path = cache.filePath(QStringLiteral("report-run-%1.html").arg(run));
        QSaveFile file(path);
        const std::string& bytes = outcome.value();
        const auto size = static_cast<qint64>(bytes.size());
        if (!cache.mkpath(QStringLiteral(".")) || !file.open(QIODevice::WriteOnly) ||
            file.write(bytes.data(), size) != size || !file.commit()) {
          report(tr("%1 could not be written: %2").arg(path, file.errorString()), true);
          return;
        }
        showReport(path);
      }));
}

bool MainWindow::showsLive() const { return source_->currentIndex() == kLive; }

void MainWindow::showSource(bool live) {
  const int wanted = live ? kLive : kStored;
  if (source_->currentIndex() == wanted) {
    refreshPage();
  } else {
    source_->setCurrentIndex(wanted);  // refreshes
  }
}

void MainWindow::refreshPage() {
  auto* page = qobject_cast<Page*>(tabs_->currentWidget());
  if (page == nullptr) return;
  PageInput input;
  if (showsLive()) {
    input.live = &session_.live();
  } else {
    input.runs = run_list_.shown();
  }
  page->show(input);
}

void MainWindow::exportPlot() {
  QWidget* page = tabs_->currentWidget();
  Plot* plot = nullptr;
  for (Plot* one : page->findChildren<Plot*>()) {
    if (one->pointCount() > 0 && (plot == nullptr || one->hasFocus())) plot = one;
  }
  if (plot == nullptr) {
    report(tr("There is no plot with data in this tab."), true);
    return;
  }
  const QString path = QFileDialog::getSaveFileName(this, tr("Save plot"), {},
                                                    tr("Pictures and data (*.png *.svg *.csv)"));
  if (path.isEmpty()) return;
  const QString error = plot->exportTo(path);
  report(error.isEmpty() ? tr("Saved %1").arg(path) : error, !error.isEmpty());
}

}  // namespace plumbline::gui
