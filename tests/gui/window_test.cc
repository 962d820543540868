// Drives the real window against a real server: `plumbline serve` as a process of its own, which
// the window starts itself. Where the build has the Verilated card the quickstart runs on it, else
// on simulated hosts.
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QFile>
#include <QListWidget>
#include <QPushButton>
#include <QTabWidget>
#include <QTableWidget>
#include <QTemporaryDir>
#include <algorithm>
#include <cmath>

#include "gui/data/scenario_text.h"
#include "gui/models/text.h"
#include "gui/pages/distribution_page.h"
#include "gui/pages/flows_page.h"
#include "gui/pages/results_page.h"
#include "gui/pages/scenario_editor.h"
#include "gui/pages/scenario_page.h"
#include "gui/pages/topology_page.h"
#include "gui/window/docks.h"
#include "gui/window/main_window.h"
#include "gui/window/status_strip.h"
#include "tests/gui/gui_app.h"

namespace plumbline::gui {
namespace {

constexpr int kRunMs = 300'000;

QString read(const QString& path) {
  QFile file(path);
  EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path.toStdString();
  return QString::fromUtf8(file.readAll());
}

QString scenarioFile(const char* name) {
  return read(QStringLiteral(PLUMBLINE_SOURCE_DIR "/scenarios/%1").arg(QLatin1String(name)));
}

class WindowTest : public testing::Test {
 protected:
  WindowTest() : window_(QStringLiteral(PLUMBLINE_PROGRAM), results_.path()) {
    window_.resize(1280, 800);
    window_.show();
  }

  void connectToLocalServer() {
    if (connected()) return;
    QMetaObject::invokeMethod(&window_, [this] { triggerAction("Start a &local one"); });
    ASSERT_TRUE(waitFor([this] { return connected() && !session().scenarios().empty(); }))
        << window_.log().contents().toStdString();
  }

  void triggerAction(const char* text) {
    const QList<QAction*> actions = window_.findChildren<QAction*>();
    const auto found = std::find_if(actions.begin(), actions.end(), [text](const QAction* action) {
      return action->text() == QLatin1String(text);
    });
    ASSERT_NE(found, actions.end()) << text;
    (*found)->trigger();
  }

  Session& session() { return window_.session(); }
  bool connected() { return session().state() == Session::State::kConnected; }

  bool hasCard() {
    const auto& benches = session().capabilities()->benches;
    return std::any_of(benches.begin(), benches.end(),
                       [](const auto& bench) { return bench.name == "rtl"; });
  }

  // The quickstart on the card, or on simulated hosts in a build without one.
  QString quickstart() {
    const QString text = scenarioFile("quickstart.yaml");
    if (hasCard()) return text;
    return QString::fromStdString(setField(text.toStdString(), "bench", "sim").text);
  }

  std::size_t runsEnded() {
    return static_cast<std::size_t>(
        std::count_if(session().runs().begin(), session().runs().end(),
                      [](const auto& run) { return !run.active && run.status != "running"; }));
  }

  void click(QPushButton* button) { QTest::mouseClick(button, Qt::LeftButton); }

  QTemporaryDir results_;
  MainWindow window_;
};

TEST_F(WindowTest, QuickstartFromTheFirstClickToThePercentilesOfTheReport) {
  connectToLocalServer();
  window_.scenarioPage().setScenario("quickstart", quickstart());
  ASSERT_TRUE(
      waitFor([this] { return !window_.topologyPage().view().layoutShown().nodes.empty(); }));
  // Three hosts on one switch, as the scenario says.
  EXPECT_EQ(window_.topologyPage().view().layoutShown().nodes.size(), 4U);

  click(window_.strip().runButton());
  ASSERT_TRUE(waitFor([this] { return session().activeRun() != nullptr; }))
      << window_.log().contents().toStdString();
  EXPECT_TRUE(window_.showsLive());
  EXPECT_EQ(window_.tabs().currentWidget(), &window_.cdfPage());
  ASSERT_TRUE(waitFor([this] { return window_.cdfPage().plot().pointCount() > 0; }, kRunMs));
  EXPECT_NE(window_.strip().trialText(), "–");
  ASSERT_TRUE(waitFor([this] { return !window_.showsLive(); }, kRunMs))
      << window_.log().contents().toStdString();

  // Now the tabs show the stored run. Its figures come from the procedure, the window's percentiles
  // from the histograms.
  ASSERT_EQ(window_.shelf().shown().size(), 1U);
  const StoredRun& run = *window_.shelf().shown()[0].run;
  EXPECT_EQ(run.status, "done");
  const auto* table = window_.cdfPage().findChild<QTableWidget*>();
  ASSERT_GE(table->rowCount(), 4);
  int compared = 0;
  for (const StoredTest& test : run.tests) {
    for (const StoredKpi& kpi : test.kpis) {
      if (kpi.name != "latency_p99_ns") continue;
      for (int row = 0; row < table->rowCount(); ++row) {
        if (table->item(row, 0)->text() != text(kpi.point)) continue;
        // A figure is the mean over repetitions, the distribution their sum: the same but for the
        // width of a bucket.
        const double shown =
            window_.cdfPage().plot().markers()[static_cast<std::size_t>(4 * row + 2)].x;
        EXPECT_NEAR(shown, kpi.quantity.value, 0.008 * kpi.quantity.value) << kpi.point;
        EXPECT_EQ(table->item(row, 6)->text(), durationText(shown)) << kpi.point;
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 4);

  // And it is the number that the report prints.
  QString report;
  session().client()->report(session().runs().front().id,
                             session().onGui<std::string>(&window_, [&report](const auto& outcome) {
                               report = outcome.ok() ? text(outcome.value()) : QString("refused");
                             }));
  ASSERT_TRUE(waitFor([&report] { return !report.isEmpty(); }));
  const QString p99 = table->item(0, 6)->text();
  EXPECT_TRUE(report.contains(p99.section(QLatin1Char(' '), 0, 0))) << p99.toStdString();
}

TEST_F(WindowTest, StopKeepsWhatIsFinished) {
  connectToLocalServer();
  QString slow = QString::fromStdString(
      setField(quickstart().toStdString(), "parameters.repetitions", "2000").text);
  window_.scenarioPage().setScenario("slow", slow);
  click(window_.strip().runButton());
  ASSERT_TRUE(waitFor(
      [this] { return session().activeRun() != nullptr && session().live().trials().size() > 2; },
      kRunMs))
      << window_.log().contents().toStdString();
  click(window_.strip().stopButton());
  ASSERT_TRUE(waitFor([this] { return session().activeRun() == nullptr; }, kRunMs));
  const control::RunState stopped = session().runs().front();
  EXPECT_EQ(stopped.status, "aborted");
  EXPECT_GT(stopped.trials, 0U);
  EXPECT_FALSE(window_.strip().stopButton()->isEnabled());
}

TEST_F(WindowTest, ReconnectsAndListsTheRunsAgain) {
  connectToLocalServer();
  window_.scenarioPage().setScenario("incast32", scenarioFile("bench/incast32.yaml"));
  click(window_.strip().runButton());
  ASSERT_TRUE(waitFor([this] { return runsEnded() == 1; }, kRunMs))
      << window_.log().contents().toStdString();
  const control::ServerAddress address = session().client()->address();
  session().close();
  EXPECT_FALSE(connected());
  EXPECT_TRUE(session().runs().empty());
  window_.connectTo(address);
  ASSERT_TRUE(waitFor([this] { return connected() && session().runs().size() == 1; }));
  EXPECT_EQ(session().runs().front().name, "incast32");
  // What the server's stream repeats of the run is known already, and changes nothing.
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
  // Run does not start it, and says why.
  click(window_.strip().runButton());
  ASSERT_TRUE(
      waitFor([this] { return window_.tabs().currentWidget() == &window_.scenarioPage(); }));
  EXPECT_EQ(session().activeRun(), nullptr);
}

TEST_F(WindowTest, FlowsAndLinksOfARunningIncast) {
  connectToLocalServer();
  QString text = scenarioFile("bench/incast32.yaml");
  window_.scenarioPage().setScenario("incast32", text);
  window_.tabs().setCurrentWidget(&window_.flowsPage());
  click(window_.strip().runButton());
  ASSERT_TRUE(waitFor([this] { return runsEnded() == 1; }, kRunMs))
      << window_.log().contents().toStdString();
  // 32 senders to one receiver. The live data of the last trial stay after the run.
  ASSERT_TRUE(session().live().latest().has_value());
  EXPECT_EQ(session().live().latest()->flow_count, 32U);
  EXPECT_FALSE(session().live().latest()->links.empty());
  window_.showSource(true);
  EXPECT_EQ(window_.flowsPage().model().rowCount(), 32);
}

TEST_F(WindowTest, StoredResultsOpenAndCompareWithoutAServer) {
  const QTemporaryDir dir;
  const auto write = [&dir](const char* name, double busbw) {
    const QString path = dir.filePath(QLatin1String(name));
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QStringLiteral(
                   R"({"run":1,"created":"","finished":"","status":"done","scenario_name":"%1",)"
                   R"("scenario":"","bench":"sim","profile":"quick","tests":[{"id":"T9.1",)"
                   R"("title":"AllReduce","summary":"","valid":true,"tables":[],"charts":[],)"
                   R"("distributions":[],"anomalies":[],"kpis":[{"name":"busbw_gbps","point":"p",)"
                   R"("quantity":{"value":%2,"unit":"Gb/s","observed":"modelled",)"
                   R"("repetitions":1}}]}]})")
                   .arg(QLatin1String(name))
                   .arg(busbw)
                   .toUtf8());
    return path;
  };
  const QString first = write("a.json", 200);
  const QString second = write("b.json", 150);
  window_.openResult(first);
  EXPECT_EQ(window_.tabs().currentWidget(), &window_.resultsPage());
  EXPECT_EQ(window_.shelf().addFile(second), "");
  window_.shelf().compare(second, true);
  const QTableWidget& figures = window_.resultsPage().figures();
  ASSERT_EQ(figures.rowCount(), 1);
  ASSERT_EQ(figures.columnCount(), 6);
  EXPECT_EQ(figures.item(0, 3)->text(), "200 Gb/s");
  EXPECT_EQ(figures.item(0, 4)->text(), "150 Gb/s");
  EXPECT_EQ(figures.item(0, 5)->text(), "-25 %");
  EXPECT_FALSE(connected());
}

TEST_F(WindowTest, AServerThatCannotBeStartedIsSaidSo) {
  MainWindow window(QStringLiteral("/nonexistent/plumbline"), results_.path());
  window.runQuickstart();
  ASSERT_TRUE(
      waitFor([&window] { return window.log().contents().contains("could not be started"); }));
}

}  // namespace
}  // namespace plumbline::gui

int main(int argc, char** argv) {
  const plumbline::gui::GuiApp app(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
