// Drives the real window against a real server: `plumbline serve` as a process of its own, which
// the window starts itself. Tests that need no card, on simulated hosts; for the others see
// card_window_test.cc.
#include <gtest/gtest.h>

#include <QDockWidget>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QTabWidget>
#include <QTableWidget>
#include <algorithm>
#include <map>

#include "gui/data/scenario_text.h"
#include "gui/pages/flows_page.h"
#include "gui/pages/results_page.h"
#include "gui/pages/scenario_editor.h"
#include "gui/pages/topology_page.h"
#include "gui/pages/topology_view.h"
#include "gui/plots/plot.h"
#include "tests/gui/window_fixture.h"
#include "tests/paths/paths.h"

namespace plumbline::gui {
namespace {

TEST_F(WindowTest, StopKeepsWhatIsFinished) {
  connectToLocalServer();
  startEndlessRun();
  stopAndWait();
  const control::RunState stopped = session().runs().front();
  EXPECT_EQ(stopped.status, "aborted");
  EXPECT_GT(stopped.trials, 0U);
  EXPECT_FALSE(window_.strip().stopButton()->isEnabled());
}

TEST_F(WindowTest, ReconnectsAndListsTheRunsAgain) {
  connectToLocalServer();
  window_.scenarioPage().setScenario("incast32", scenarioFile("bench/incast32.yaml"));
  pressRun();
  ASSERT_TRUE(waitFor([this] { return runsEnded() == 1; }, kRunMs)) << log();
  const control::ServerAddress address = session().client()->address();
  session().close();
  EXPECT_FALSE(connected());
  EXPECT_TRUE(session().runs().empty());
  window_.connectTo(address);
  ASSERT_TRUE(waitFor([this] { return connected() && session().runs().size() == 1; }));
  EXPECT_EQ(session().runs().front().name, "incast32");
  // The server's stream repeats known states of the run, which changes nothing.
  QTest::qWait(300);
  EXPECT_EQ(session().runs().front().status, "done");
  EXPECT_FALSE(session().runs().front().active);
}

TEST_F(WindowTest, ABadScenarioShowsItsErrorWhereItIs) {
  connectToLocalServer();
  QString bad = scenarioFile("latency.yaml");
  bad.replace("kind: switch", "kind: ring");
  window_.scenarioPage().setScenario("bad", bad);
  ASSERT_TRUE(waitFor([this] { return window_.scenarioPage().problems().count() > 0; }));
  const ScenarioEditor& editor = window_.scenarioPage().editor();
  ASSERT_FALSE(editor.underlined().empty());
  EXPECT_EQ(editor.underlined().front(), "ring");
  const qsizetype line = bad.left(bad.indexOf("ring")).count('\n') + 1;
  const QString expected = QStringLiteral("%1:").arg(line);
  EXPECT_TRUE(window_.scenarioPage().problems().item(0)->text().startsWith(expected))
      << window_.scenarioPage().problems().item(0)->text().toStdString();
  // Run does not start it, and shows the reason.
  pressRun();
  ASSERT_TRUE(
      waitFor([this] { return window_.tabs().currentWidget() == &window_.scenarioPage(); }));
  EXPECT_EQ(session().activeRun(), nullptr);
}

// By keyboard: F5 starts it, Ctrl+PageDown switches the tabs.
TEST_F(WindowTest, EveryTabShowsAnIncast) {
  connectToLocalServer();
  window_.scenarioPage().setScenario("incast32", scenarioFile("bench/incast32.yaml"));
  window_.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&window_));
  QTest::keyClick(&window_, Qt::Key_F5);
  ASSERT_TRUE(waitFor([this] { return runsEnded() == 1; }, kRunMs)) << log();
  // The live data of the last trial stay after the run: 32 senders to one receiver.
  window_.showSource(true);
  ASSERT_TRUE(session().live().latest().has_value());
  EXPECT_EQ(session().live().latest()->flow_count, 32U);
  window_.tabs().setCurrentWidget(&window_.flowsPage());
  EXPECT_EQ(window_.flowsPage().model().rowCount(), 32);
  // Plots with contents.
  const std::map<QString, int> expected = {{"Latency CDF", 1}, {"Histogram", 1}, {"PFC", 2},
                                           {"ECN/CNP", 1},     {"JFI", 2},       {"Queues", 1}};
  int seen = 0;
  for (int i = 0; i < window_.tabs().count(); ++i) {
    const auto wanted = expected.find(window_.tabs().tabText(window_.tabs().currentIndex()));
    if (wanted != expected.end()) {
      const QList<Plot*> plots = window_.tabs().currentWidget()->findChildren<Plot*>();
      const auto filled = std::count_if(plots.begin(), plots.end(),
                                        [](const Plot* plot) { return plot->pointCount() > 0; });
      EXPECT_EQ(filled, wanted->second) << wanted->first.toStdString();
      ++seen;
    }
    QTest::keyClick(&window_, Qt::Key_PageDown, Qt::ControlModifier);
  }
  EXPECT_EQ(seen, 6);
}

TEST_F(WindowTest, AClickOnALinkShowsItsCounters) {
  connectToLocalServer();
  window_.scenarioPage().setScenario("incast32", scenarioFile("bench/incast32.yaml"));
  pressRun();
  ASSERT_TRUE(waitFor([this] { return runsEnded() == 1; }, kRunMs)) << log();
  window_.tabs().setCurrentWidget(&window_.topologyPage());
  window_.showSource(true);
  auto* view = window_.topologyPage().findChild<TopologyView*>();
  // The receiver's link has carried everything.
  const TopologyLayout& layout = view->layoutShown();
  const auto place = [&](const char* name) {
    for (std::size_t i = 0; i < layout.nodes.size(); ++i) {
      if (layout.nodes[i].name == name) return view->nodePlace(i);
    }
    return QPointF();
  };
  const QPointF middle = (place("host0") + place("leaf0")) / 2;
  ASSERT_EQ(view->linkAt(middle), "leaf0-host0");
  QTest::mouseClick(view, Qt::LeftButton, {}, middle.toPoint());
  const QList<QLabel*> labels = window_.topologyPage().findChildren<QLabel*>();
  EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
    return label->text().startsWith("leaf0-host0, 400 Gb/s: ") &&
           label->text().contains("131,072 packets");
  }));
}

TEST_F(WindowTest, RemembersItsLayout) {
  auto* trials = window_.findChild<QDockWidget*>(QStringLiteral("trials"));
  trials->hide();
  window_.resize(1010, 710);
  window_.close();
  MainWindow again(QString::fromStdString(commandPath()), results_.path());
  again.show();
  EXPECT_EQ(again.size(), QSize(1010, 710));
  EXPECT_FALSE(again.findChild<QDockWidget*>(QStringLiteral("trials"))->isVisible());
  EXPECT_TRUE(again.findChild<QDockWidget*>(QStringLiteral("ports"))->isVisible());
  QSettings().clear();  // for later tests
}

TEST_F(WindowTest, StoredResultsOpenAndCompareWithoutAServer) {
  const QTemporaryDir dir;
  const auto write = [&dir](const char* name, double busbw, double retransmissions) {
    QString path = dir.filePath(QLatin1String(name));
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(
        QStringLiteral(
            R"({"run":1,"created":"","finished":"","status":"done","scenario_name":"%1",)"
            R"("scenario":"","bench":"sim","profile":"quick","tests":[{"id":"T9.1",)"
            R"("title":"AllReduce","summary":"","valid":true,"tables":[],"charts":[],)"
            R"("distributions":[],"anomalies":[{"what":"frames were lost","where":"p"}],)"
            R"("deviations":[{"what":"1 repetition","where":""}],)"
            R"("kpis":[{"name":"busbw_gbps","point":"p",)"
            R"("quantity":{"value":%2,"unit":"Gb/s","observed":"modelled","repetitions":5,)"
            R"("cv":0.01}},{"name":"retransmission_percent","point":"p",)"
            R"("quantity":{"value":%3,"unit":"%","observed":"modelled","repetitions":1}}]}]})")
            .arg(QLatin1String(name))
            .arg(busbw)
            .arg(retransmissions)
            .toUtf8());
    return path;
  };
  const QString first = write("a.json", 200, 0.5);
  const QString second = write("b.json", 150, 0.25);
  window_.openResults({first, second});
  EXPECT_EQ(window_.tabs().currentWidget(), &window_.resultsPage());
  const QTableWidget& figures = window_.resultsPage().figures();
  ASSERT_EQ(figures.rowCount(), 2);
  ASSERT_EQ(figures.columnCount(), 7);
  const auto* summary = window_.resultsPage().findChild<QLabel*>(QStringLiteral("summary"));
  ASSERT_NE(summary, nullptr);
  EXPECT_TRUE(summary->text().contains(QStringLiteral("Anomaly: p: frames were lost")));
  EXPECT_TRUE(summary->text().contains(QStringLiteral("1 deviation from the methodology")));
  EXPECT_EQ(figures.item(0, 3)->text(), "200 Gb/s");
  EXPECT_EQ(figures.item(0, 4)->text(), "150 Gb/s");
  EXPECT_EQ(figures.item(0, 5)->text(), "-25 %");
  EXPECT_EQ(figures.item(0, 6)->text(), "significant (p < 0.0001)");
  EXPECT_TRUE(figures.item(0, 6)->font().bold());
  EXPECT_EQ(figures.item(1, 5)->text(), "-50 %");
  EXPECT_EQ(figures.item(1, 6)->text(), "not testable");
  EXPECT_FALSE(figures.item(1, 6)->font().bold());
  EXPECT_FALSE(connected());

  // Several runs are selected, shown and taken away together.
  auto* list = named<QTreeView>(window_.resultsPage(), "Stored runs");
  const QModelIndex files = list->model()->index(list->model()->rowCount() - 1, 0);
  list->setCurrentIndex(list->model()->index(1, 0, files));
  press(button(window_.resultsPage(), "Re&move"));
  EXPECT_EQ(figures.columnCount(), 4);
  list->selectAll();
  press(button(window_.resultsPage(), "S&how"));
  EXPECT_EQ(figures.columnCount(), 7);
}

TEST_F(WindowTest, AServerThatCannotBeStartedIsSaidSo) {
  MainWindow window(QStringLiteral("/nonexistent/plumbline"), results_.path());
  window.runQuickstart();
  ASSERT_TRUE(
      waitFor([&window] { return window.log().contents().contains("could not be started"); }));
}

}  // namespace
}  // namespace plumbline::gui
