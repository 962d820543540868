// Drives the real window, on an X display, against a real server with the Verilated card: from the
// first click to the report, like a new user.
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QGuiApplication>
#include <QListWidget>
#include <QRegularExpression>
#include <QTabWidget>
#include <QTableWidget>
#include <QTreeView>
#include <algorithm>
#include <map>
#include <string>

#include "gui/pages/distribution_page.h"
#include "gui/pages/flows_page.h"
#include "gui/pages/scenario_editor.h"
#include "gui/pages/topology_page.h"
#include "tests/gui/window_fixture.h"

namespace plumbline::gui {
namespace {

// Columns of the window's percentiles.
constexpr int kName = 0;
constexpr int kP99 = 3;

// Nanoseconds of "12.3 µs"; a mark of few samples may follow it, or the number.
double nanoseconds(QString duration) {
  duration = duration.remove(QLatin1Char('*')).simplified();
  static const std::map<QString, double> kUnits = {{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  const QString number = duration.section(QLatin1Char(' '), 0, 0).remove(QLatin1Char(','));
  return number.toDouble() * kUnits.at(duration.section(QLatin1Char(' '), 1));
}

// Texts of the elements `tag` in `html`, without what is marked up in them.
QStringList elements(const QString& html, const QString& tag) {
  QStringList found;
  const QRegularExpression element(QStringLiteral("<%1[^>]*>(.*?)</%1>").arg(tag),
                                   QRegularExpression::DotMatchesEverythingOption);
  for (const auto& match : element.globalMatch(html)) {
    QString content = match.captured(1);
    content.remove(QRegularExpression(QStringLiteral("<[^>]*>")));
    // Thin spaces group digits.
    found << content.remove(QRegularExpression(QStringLiteral("&#?\\w+;|[\\x{2009}\\x{202f}]")))
                 .simplified();
  }
  return found;
}

// P99 in nanoseconds of each distribution, as the report's table prints them.
std::map<QString, double> reportedP99(const QString& report) {
  std::map<QString, double> all;
  const QRegularExpression table(QStringLiteral("<table[^>]*>(.*?)</table>"),
                                 QRegularExpression::DotMatchesEverythingOption);
  const QRegularExpression row(QStringLiteral("<tr>(.*?)</tr>"),
                               QRegularExpression::DotMatchesEverythingOption);
  for (const auto& one : table.globalMatch(report)) {
    const QStringList heads = elements(one.captured(1), QStringLiteral("th"));
    if (heads.value(0) != QStringLiteral("Distribution")) continue;
    int column = 0;
    while (column < heads.size() && !heads[column].startsWith(QStringLiteral("P99 ["))) ++column;
    const QString unit = heads.value(column).section(QLatin1Char('['), 1).chopped(1);
    for (const auto& line : row.globalMatch(one.captured(1))) {
      const QStringList cells = elements(line.captured(1), QStringLiteral("td"));
      if (cells.size() <= column) continue;
      all[cells[0]] = nanoseconds(cells[column] + QLatin1Char(' ') + unit);
    }
  }
  return all;
}

class CardWindowTest : public WindowTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(QGuiApplication::platformName(), "xcb") << "run it with tests/gui/with_display";
  }

  // A run of the card that lasts until it is stopped.
  void startLongRun() {
    connectToLocalServer();
    window_.scenarioPage().setScenario(
        "long", with(scenarioFile("quickstart.yaml"), "parameters.repetitions", "2000"));
    pressRun();
    ASSERT_TRUE(
        waitFor([this] { return running() && session().live().trials().size() > 2; }, kRunMs))
        << log();
    EXPECT_EQ(session().activeRun()->bench, "rtl");
  }

  // A row of the tree of ports, all columns; empty when there is none of that name.
  QStringList portRow(const QString& name) {
    auto* view = window_.findChild<QTreeView*>(QStringLiteral("portsTree"));
    const QAbstractItemModel& model = *view->model();
    for (int group = 0; group < model.rowCount(); ++group) {
      const QModelIndex parent = model.index(group, 0);
      for (int row = 0; row < model.rowCount(parent); ++row) {
        if (model.index(row, 0, parent).data().toString() != name) continue;
        QStringList cells;
        for (int column = 0; column < model.columnCount(parent); ++column) {
          cells << model.index(row, column, parent).data().toString();
        }
        return cells;
      }
    }
    return {};
  }
};

TEST_F(CardWindowTest, QuickstartFromTheFirstClickToTheP99OfTheReport) {
  // One click, without any server before.
  ASSERT_FALSE(connected());
  const QList<QPushButton*> buttons = window_.findChildren<QPushButton*>();
  const auto first = std::find_if(buttons.begin(), buttons.end(), [](const QPushButton* button) {
    return button->text() == QLatin1String("Run the &quickstart");
  });
  ASSERT_NE(first, buttons.end());
  press(*first);
  ASSERT_TRUE(waitFor([this] { return running(); })) << log();
  EXPECT_EQ(session().activeRun()->bench, "rtl");
  // Three hosts on one switch, as the scenario says.
  ASSERT_TRUE(
      waitFor([this] { return window_.topologyPage().view().layoutShown().nodes.size() == 4; }));
  EXPECT_TRUE(window_.showsLive());
  // Flows are live at once; the first latency opens its tab.
  EXPECT_EQ(window_.tabs().currentWidget(), &window_.flowsPage());
  ASSERT_TRUE(waitFor([this] { return window_.cdfPage().plot().pointCount() > 0; }, kRunMs));
  EXPECT_EQ(window_.tabs().currentWidget(), &window_.cdfPage());
  EXPECT_TRUE(running()) << "the CDF is to be seen while the run goes on";
  ASSERT_TRUE(waitFor([this] { return portRow("rtl/0").value(1) == "running"; }));
  EXPECT_TRUE(window_.strip().trialText().startsWith("T5."))
      << window_.strip().trialText().toStdString();
  ASSERT_TRUE(waitFor([this] { return !window_.showsLive(); }, kRunMs)) << log();
  ASSERT_EQ(window_.runList().shown().size(), 1U);
  const StoredRun& run = *window_.runList().shown()[0].run;
  EXPECT_EQ(run.status, "done");
  EXPECT_EQ(run.bench, "rtl");

  // The window's values of the stored run, and those of the report.
  const auto* table = window_.cdfPage().findChild<QTableWidget*>();
  ASSERT_GE(table->rowCount(), 4);
  QString report;
  session().client()->report(session().runs().front().id,
                             session().onGui<std::string>(&window_, [&report](const auto& outcome) {
                               report = outcome.ok() ? QString::fromStdString(outcome.value())
                                                     : QStringLiteral("refused");
                             }));
  ASSERT_TRUE(waitFor([&report] { return !report.isEmpty(); }));
  const std::map<QString, double> reported = reportedP99(report);
  for (int row = 0; row < table->rowCount(); ++row) {
    const QString name = table->item(row, kName)->text();
    ASSERT_TRUE(reported.contains(name)) << name.toStdString();
    // The window prints four digits, the report whole nanoseconds.
    const double shown = nanoseconds(table->item(row, kP99)->text());
    EXPECT_NEAR(shown, reported.at(name), 0.5 + 0.5e-3 * shown) << name.toStdString();
    // The marker on the curve is at the table's value.
    const PlotMarker& marker =
        window_.cdfPage().plot().markers()[4 * static_cast<std::size_t>(row) + 2];
    EXPECT_NEAR(marker.x, shown, 0.5e-3 * shown) << name.toStdString();
  }
}

TEST_F(CardWindowTest, ALostConnectionComesBackToTheRunningCardAndStopKeepsWhatIsFinished) {
  window_.findChild<QCheckBox*>(QStringLiteral("captureWanted"))->setChecked(true);  // of port 0
  startLongRun();
  const std::int64_t run = session().activeRun()->id;
  const control::ServerAddress address = session().client()->address();
  session().close();
  EXPECT_FALSE(connected());
  EXPECT_FALSE(window_.strip().stopButton()->isEnabled());

  window_.connectTo(address);
  ASSERT_TRUE(waitFor([this] { return connected() && running(); })) << log();
  EXPECT_EQ(session().activeRun()->id, run);
  // It continued without the window, and continues with it: intervals arrive again.
  const std::size_t seen = session().live().trials().size();
  ASSERT_TRUE(
      waitFor([this, seen] { return session().live().trials().size() > seen + 2; }, kRunMs));

  pressStop();
  ASSERT_TRUE(waitFor([this] { return !running(); }, kRunMs)) << log();
  const control::RunState stopped = session().runs().front();
  EXPECT_EQ(stopped.id, run);
  EXPECT_EQ(stopped.status, "aborted");
  EXPECT_GT(stopped.trials, 0U);
  EXPECT_FALSE(window_.strip().stopButton()->isEnabled());
  ASSERT_TRUE(waitFor([this] { return portRow("rtl/0").value(1) == "free"; }));

  // The capture so far is a pcapng file: a section header, in this machine's byte order.
  std::string capture;
  session().client()->capture(
      run, session().onGui<std::string>(&window_, [&capture](const auto& outcome) {
        capture = outcome.ok() ? outcome.value() : "refused";
      }));
  ASSERT_TRUE(waitFor([&capture] { return !capture.empty(); }));
  EXPECT_GT(capture.size(), 10'000U);
  EXPECT_EQ(capture.substr(0, 4), "\x0a\x0d\x0d\x0a");
  EXPECT_EQ(capture.substr(8, 4), "\x4d\x3c\x2b\x1a");
}

TEST_F(CardWindowTest, ABadScenarioShowsWhatTheCardCannotDo) {
  connectToLocalServer();
  ASSERT_TRUE(hasBench("rtl"));
  // A mistake in the text is where it is.
  QString bad = scenarioFile("quickstart.yaml");
  bad.replace("kind: switch", "kind: ring");
  window_.scenarioPage().setScenario("bad", bad);
  ASSERT_TRUE(waitFor([this] { return window_.scenarioPage().problems().count() > 0; }));
  ASSERT_FALSE(window_.scenarioPage().editor().underlined().empty());
  EXPECT_EQ(window_.scenarioPage().editor().underlined().front(), "ring");
  const qsizetype line = bad.left(bad.indexOf("ring")).count('\n') + 1;
  EXPECT_TRUE(window_.scenarioPage().problems().item(0)->text().startsWith(
      QStringLiteral("%1:").arg(line)));

  // Valid in itself, but with more hosts than the card has ports.
  std::uint32_t ports = 0;
  for (const auto& bench : session().capabilities()->benches) {
    if (bench.name == "rtl") ports = bench.max_ports;
  }
  QStringList pairs;
  for (std::uint32_t i = 0; i <= ports; ++i) {
    pairs << QStringLiteral("[%1, %2]").arg(i).arg(i + 1);
  }
  QString wide = scenarioFile("quickstart.yaml");
  wide.replace("hosts: 3", QStringLiteral("hosts: %1").arg(ports + 2));
  wide.replace("[[0, 2], [1, 2]]", QStringLiteral("[%1]").arg(pairs.join(QStringLiteral(", "))));
  window_.scenarioPage().setScenario("wide", wide);
  ASSERT_TRUE(waitFor([this] {
    const QListWidget& problems = window_.scenarioPage().problems();
    return problems.count() > 0 && problems.item(0)->text().contains("ports");
  }));
  pressRun();
  ASSERT_TRUE(waitFor([this] { return log().find(" ports") != std::string::npos; })) << log();
  EXPECT_FALSE(running());
}

}  // namespace
}  // namespace plumbline::gui
