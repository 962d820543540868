// Single pages of the window, each with data to show: collectives, failing links, the editor's
// buttons, the report.
#include <gtest/gtest.h>

#include <QComboBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QTabWidget>
#include <QTableWidget>
#include <QTimer>
#include <QTreeView>
#include <algorithm>
#include <atomic>
#include <set>

#include "gui/data/scenario_text.h"
#include "gui/pages/collective_page.h"
#include "gui/pages/results_page.h"
#include "gui/pages/scenario_editor.h"
#include "gui/pages/serving_page.h"
#include "gui/pages/topology_page.h"
#include "gui/plots/plot.h"
#include "tests/gui/browser.h"
#include "tests/gui/window_fixture.h"
#include "tests/paths/paths.h"

namespace plumbline::gui {
namespace {

class PagesTest : public WindowTest {
 protected:
  // The text beside the editor's buttons.
  QString verdict() { return window_.findChild<QLabel*>(QStringLiteral("verdict"))->text(); }

  void choose(QComboBox* box, const char* choice) {
    const int place = box->findText(QString::fromUtf8(choice));
    ASSERT_GE(place, 0) << choice;
    box->setCurrentIndex(place);
  }
};

TEST_F(PagesTest, CollectivesOverTheirSize) {
  connectToLocalServer();
  constexpr double kRanks = 8;
  constexpr double kLinkGbps = 400;
  QString scenario = with(scenarioFile("training/t9.1.yaml"), "parameters.ranks", "[8]");
  scenario = with(scenario, "parameters.sizes", "[1MiB, 4MiB]");
  runToItsEnd("t9.1", with(scenario, "parameters.repetitions", "2"));
  ASSERT_TRUE(waitFor([this] { return !window_.showsLive(); })) << log();
  auto* page = window_.findChild<CollectivePage*>();
  window_.tabs().setCurrentWidget(page);
  auto* figure = named<QComboBox>(*page, "Figure");
  const auto* plot = page->findChild<Plot*>();

  choose(figure, "Bus bandwidth");
  const std::vector<PlotSeries> bus = plot->series();
  ASSERT_FALSE(bus.empty());
  choose(figure, "Algorithm bandwidth");
  const std::vector<PlotSeries> algorithm = plot->series();
  choose(figure, "Share of the ideal");
  const std::vector<PlotSeries> ideal = plot->series();
  ASSERT_EQ(algorithm.size(), bus.size());
  ASSERT_EQ(ideal.size(), bus.size());
  for (std::size_t line = 0; line < bus.size(); ++line) {
    SCOPED_TRACE(bus[line].name.toStdString());
    EXPECT_EQ(bus[line].x, (std::vector<double>{1, 4}));
    for (std::size_t i = 0; i < bus[line].x.size(); ++i) {
      EXPECT_GT(bus[line].y[i], 0);
      EXPECT_LT(bus[line].y[i], kLinkGbps);
      // An AllReduce sends 2(n − 1)/n of its buffer over every link.
      EXPECT_NEAR(bus[line].y[i] / algorithm[line].y[i], 2 * (kRanks - 1) / kRanks, 1e-9);
      EXPECT_NEAR(ideal[line].y[i], 100 * bus[line].y[i] / kLinkGbps, 0.01);
    }
  }
}

// Text of an empty plot.
QString emptyText(const Plot& plot) { return plot.findChild<QLabel*>("hint")->text(); }

double largest(const Plot& plot) {
  double max = 0;
  for (const PlotSeries& one : plot.series()) {
    for (const double y : one.y) max = std::max(max, y);
  }
  return max;
}

// The current trial while it is watched, and the same requests from the stored result.
TEST_F(PagesTest, AServingSystemLiveAndStored) {
  connectToLocalServer();
  auto* page = window_.findChild<ServingPage*>();
  window_.tabs().setCurrentWidget(page);
  EXPECT_TRUE(emptyText(page->ttft()).startsWith("No trial with a serving system yet"));
  runToItsEnd("i9.4", scenarioFile("inference/i9.4.yaml"));
  ASSERT_TRUE(waitFor([this] { return !window_.showsLive(); })) << log();
  window_.tabs().setCurrentWidget(page);
  auto* of = named<QComboBox>(*page, "Figure of the workers");

  window_.showSource(true);
  ASSERT_FALSE(session().live().served().empty());
  const control::LiveServing& last = session().live().served()[0].latest();
  EXPECT_GT(last.arrived, 10U);
  EXPECT_TRUE(page->note().contains(" requests arrived, ")) << page->note().toStdString();
  EXPECT_TRUE(page->note().contains("Modelled: ")) << page->note().toStdString();
  EXPECT_GT(page->ttft().pointCount(), 0U);
  EXPECT_GT(page->goodput().pointCount(), 0U);
  ASSERT_EQ(page->figures().rowCount(), 1);
  // Eight decode workers and the prefill pool, each with its share of pages.
  choose(of, "KV cache of workers");
  window_.showSource(true);
  EXPECT_EQ(page->workers().pointCount(), last.prefill.worker_count + last.decode.worker_count);
  EXPECT_LE(largest(page->workers()), 100);

  window_.showSource(false);
  EXPECT_GT(page->ttft().pointCount(), 0U);
  EXPECT_GT(page->tokens().pointCount(), 0U);
  EXPECT_GT(page->goodput().pointCount(), 0U);
  EXPECT_GE(page->figures().rowCount(), 1);
  // Mean and most of each worker.
  EXPECT_EQ(page->workers().pointCount(),
            2 * (last.prefill.worker_count + last.decode.worker_count));
  EXPECT_GT(largest(page->workers()), 0);
  EXPECT_LE(largest(page->workers()), 100);
  choose(of, "Queues over time");
  EXPECT_GT(page->workers().pointCount(), 0U);
  choose(of, "KV cache over time");
  EXPECT_EQ(page->workers().pointCount(), 0U);
  EXPECT_TRUE(emptyText(page->workers()).contains("I13.2"));
}

TEST_F(PagesTest, ARunWithoutAServingSystemSaysSo) {
  connectToLocalServer();
  runToItsEnd("incast32", scenarioFile("bench/incast32.yaml"));
  ASSERT_TRUE(waitFor([this] { return !window_.showsLive(); })) << log();
  auto* page = window_.findChild<ServingPage*>();
  window_.tabs().setCurrentWidget(page);
  EXPECT_EQ(emptyText(page->ttft()), "This run has no serving system.");
  EXPECT_TRUE(page->note().isEmpty());
  window_.showSource(true);
  EXPECT_EQ(emptyText(page->ttft()), "This trial has no serving system.");
  EXPECT_FALSE(page->goodput().isVisible());  // said once
  EXPECT_EQ(page->goodput().pointCount(), 0U);
  EXPECT_FALSE(page->figures().isVisible());
}

// leaf0-spine1 is down from 20 µs on: the scenario's plan reports it, the drawing marks that cable.
TEST_F(PagesTest, FailingLinksAreDrawnSo) {
  connectToLocalServer();
  const QString scenario = QStringLiteral(
      "plumbline: 1\n"
      "name: failing\n"
      "test: free\n"
      "dut:\n"
      "  topology: {kind: clos2, leaves: 2, spines: 2, hosts_per_leaf: 2, link: 100G}\n"
      "  failures: [{element: leaf0-spine1, down: 20us}]\n"
      "transport: {kind: roce}\n"
      "workload: {kind: permutation, shift: 2, size: 1MiB, messages: 1}\n");
  const TopologyView& view = window_.topologyPage().view();
  // Pixels in the colour of failures near each cable, by its links.
  const auto marked = [&] {
    window_.tabs().setCurrentWidget(&window_.topologyPage());
    QTest::qWait(50);
    const QImage image = const_cast<TopologyView&>(view).grab().toImage();
    const TopologyLayout& layout = view.layoutShown();
    std::set<std::string> found;
    for (const PlacedCable& cable : layout.cables) {
      const QPointF from = view.nodePlace(cable.a);
      const QPointF to = view.nodePlace(cable.b);
      // Away from its ends, where others begin.
      for (int permille = 300; permille < 700; permille += 5) {
        const QPoint at = (from + permille / 1000.0 * (to - from)).toPoint();
        if (image.pixelColor(at) == lightTheme().failure) {
          found.insert(layout.nodes[cable.a].name + "-" + layout.nodes[cable.b].name);
        }
      }
    }
    return found;
  };
  window_.scenarioPage().setScenario("failing", scenario);
  ASSERT_TRUE(waitFor([&] { return view.layoutShown().nodes.size() == 8; })) << log();
  const std::set<std::string> only = {"leaf0-spine1"};
  EXPECT_EQ(marked(), only);
}

// Written without a server, hence not planned: Run starts one, and the fabric is drawn.
TEST_F(PagesTest, TheTopologyIsThatOfTheRun) {
  window_.scenarioPage().setScenario("incast32", scenarioFile("bench/incast32.yaml"));
  EXPECT_TRUE(window_.topologyPage().view().layoutShown().nodes.empty());
  pressRun();
  ASSERT_TRUE(waitFor([this] { return runsEnded() == 1; }, kRunMs)) << log();
  // 128 hosts, 8 leaves, 16 spines.
  EXPECT_TRUE(
      waitFor([this] { return window_.topologyPage().view().layoutShown().nodes.size() == 152; }));
}

TEST_F(PagesTest, PlanTellsTheTrialsTheRunThenHas) {
  connectToLocalServer();
  window_.scenarioPage().setScenario("incast32", scenarioFile("bench/incast32.yaml"));
  window_.tabs().setCurrentWidget(&window_.scenarioPage());
  auto* repetitions = named<QComboBox>(window_.scenarioPage(), "Repetitions");
  repetitions->setFocus();
  repetitions->lineEdit()->selectAll();
  QTest::keyClicks(repetitions, "3");
  QTest::keyClick(repetitions, Qt::Key_Return);
  // The scenario marks above xoff (docs/scenarios.md, "Warnings"): valid, with a warning in the
  // list.
  const QString valid = "Valid, see the warnings below the text.";
  ASSERT_TRUE(waitFor([&] { return verdict() == valid; })) << verdict().toStdString();
  ASSERT_EQ(window_.scenarioPage().problems().count(), 1);
  EXPECT_TRUE(
      window_.scenarioPage().problems().item(0)->text().contains(": warning: PFC acts before ECN"));
  press(button(window_.scenarioPage(), "&Plan"));
  ASSERT_TRUE(waitFor([this] { return verdict().startsWith("Plan: 3 trials on the sim bench, "); }))
      << verdict().toStdString();
  window_.scenarioPage().validate();  // as some time after every change
  QTest::qWait(500);
  EXPECT_TRUE(verdict().startsWith("Plan: ")) << verdict().toStdString();
  press(button(window_.scenarioPage(), "&Validate"));
  EXPECT_TRUE(waitFor([&] { return verdict() == valid; })) << verdict().toStdString();
  pressRun();
  ASSERT_TRUE(waitFor([this] { return runsEnded() == 1; }, kRunMs)) << log();
  EXPECT_EQ(session().runs().front().trials, 3U);
}

TEST_F(PagesTest, SaveWritesTheFileItWasOpenedFrom) {
  const QTemporaryDir dir;
  const QString path = dir.filePath("mine.yaml");
  {
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("plumbline: 1\nname: mine # kept\n");
  }
  const auto contents = [](const QString& of) {
    QFile file(of);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << of.toStdString();
    return file.readAll().toStdString();
  };
  ASSERT_TRUE(window_.scenarioPage().open(path));
  window_.tabs().setCurrentWidget(&window_.scenarioPage());
  // Typed into the form, so that the text changes with it.
  auto* seed = named<QComboBox>(window_.scenarioPage(), "Seed");
  seed->setFocus();
  QTest::keyClicks(seed, "42");
  QTest::keyClick(seed, Qt::Key_Return);
  EXPECT_FALSE(window_.scenarioPage().saved());
  press(button(window_.scenarioPage(), "&Save"));
  EXPECT_TRUE(window_.scenarioPage().saved());
  EXPECT_EQ(contents(path), "plumbline: 1\nname: mine # kept\nseed: 42\n");

  // A text without a file prompts for a name.
  const QString other = dir.filePath("other.yaml");
  window_.scenarioPage().setScenario("new", "plumbline: 1\n");
  bool asked = false;
  QTimer::singleShot(300, &window_, [&] {
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    asked = dialog != nullptr;
    if (!asked) return;
    dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(other);
    QMetaObject::invokeMethod(dialog, "accept");
  });
  press(button(window_.scenarioPage(), "&Save"));
  ASSERT_TRUE(asked);
  EXPECT_EQ(contents(other), "plumbline: 1\n");
  EXPECT_EQ(window_.scenarioPage().name(), "other.yaml");
}

TEST_F(PagesTest, EveryFieldOfTheFormIsExplainedBesideIt) {
  window_.tabs().setCurrentWidget(&window_.scenarioPage());
  std::set<QString> hints;
  for (const QLabel* label : window_.scenarioPage().findChildren<QLabel*>()) {
    if (label->isVisible() && label->objectName() == "hint") hints.insert(label->text());
  }
  std::size_t boxes = 0;
  for (const QComboBox* box : window_.scenarioPage().findChildren<QComboBox*>()) {
    ++boxes;
    const std::string name = box->accessibleName().toStdString();
    EXPECT_GT(box->accessibleDescription().size(), 5) << name;
    // The beginning is beside the field; the tool tip has all of it.
    EXPECT_TRUE(std::any_of(hints.begin(), hints.end(), [&](QString hint) {
      if (hint.endsWith(QChar(0x2026))) hint.chop(1);
      return hint.size() > 5 && box->accessibleDescription().startsWith(hint.trimmed());
    })) << name;
    EXPECT_TRUE(box->toolTip().contains(box->accessibleDescription().toHtmlEscaped())) << name;
  }
  EXPECT_EQ(boxes, scenarioFields().size());
}

TEST_F(PagesTest, TheReportOpensInTheBrowser) {
  const Browser browser;
  connectToLocalServer();
  runToItsEnd("incast32", scenarioFile("bench/incast32.yaml"));
  window_.tabs().setCurrentWidget(&window_.resultsPage());
  auto* list = named<QTreeView>(window_.resultsPage(), "Stored runs");
  QPushButton* open = button(window_.resultsPage(), "Open r&eport");
  EXPECT_FALSE(open->isEnabled()) << "no run is chosen yet";
  const QModelIndex server = list->model()->index(0, 0);
  list->setCurrentIndex(list->model()->index(0, 0, server));
  press(open);
  ASSERT_TRUE(waitFor([&] { return !browser.opened().isEmpty(); })) << log();
  QFile file(browser.opened().toLocalFile());
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QByteArray report = file.readAll();
  EXPECT_TRUE(report.startsWith("<!DOCTYPE html>")) << report.left(80).toStdString();
  EXPECT_TRUE(report.contains("incast32"));
  EXPECT_TRUE(report.trimmed().endsWith("</html>"));
}

// A run in a file needs no server: its report is the one beside it, if it belongs to this run, or
// else generated from the file.
TEST_F(PagesTest, TheReportOfAFileOpensWithoutAServer) {
  const Browser browser;
  connectToLocalServer();
  runToItsEnd("incast32", scenarioFile("bench/incast32.yaml"));
  const QTemporaryDir directory;
  const QString path = directory.filePath("incast.json");
  std::atomic<bool> stored = false;
  session().client()->results(session().runs().front().id, [&](const auto& outcome) {
    QFile file(path);
    stored = outcome.ok() && file.open(QIODevice::WriteOnly) &&
             file.write(QByteArray::fromStdString(outcome.value())) > 0;
  });
  ASSERT_TRUE(waitFor([&] { return stored.load(); }));
  triggerAction("&Disconnect");

  window_.openResults({path});
  window_.tabs().setCurrentWidget(&window_.resultsPage());
  auto* list = named<QTreeView>(window_.resultsPage(), "Stored runs");
  const auto press_open = [&] {
    const QModelIndex files = list->model()->index(list->model()->rowCount() - 1, 0);
    list->setCurrentIndex(list->model()->index(0, 0, files));
    press(button(window_.resultsPage(), "Open r&eport"));
  };
  const auto content = [&] {
    QFile file(browser.opened().toLocalFile());
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  };
  press_open();
  ASSERT_TRUE(waitFor([&] { return !browser.opened().isEmpty(); })) << log();
  const QByteArray report = content();
  EXPECT_TRUE(report.startsWith("<!DOCTYPE html>")) << report.left(80).toStdString();
  EXPECT_TRUE(report.contains("incast32"));
  EXPECT_TRUE(report.trimmed().endsWith("</html>"));
  const QUrl of_the_file = browser.opened();

  const auto place_beside = [&](const QByteArray& html) {
    QFile beside(directory.filePath("report.html"));
    ASSERT_TRUE(beside.open(QIODevice::WriteOnly));
    beside.write(html);
  };
  place_beside(report);
  press_open();
  EXPECT_EQ(browser.opened().toLocalFile(), directory.filePath("report.html"));
  place_beside("<!DOCTYPE html>of another run</html>");
  press_open();
  ASSERT_TRUE(waitFor([&] { return browser.opened() == of_the_file; })) << log();

  // A file that has been replaced by something else is reported.
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("{}");
  file.close();
  press_open();
  ASSERT_TRUE(waitFor([&] { return log().find("could not be written") != std::string::npos; }));
  EXPECT_NE(log().find("not a result of Plumbline"), std::string::npos) << log();
}

TEST_F(PagesTest, ADirectoryOpensWithAllItsRunsAndTheirReports) {
  const Browser browser;
  connectToLocalServer();
  runToItsEnd("incast32", scenarioFile("bench/incast32.yaml"));
  const QTemporaryDir elsewhere;
  MainWindow other(QString::fromStdString(commandPath()), elsewhere.path());
  other.openResults({elsewhere.path()});
  EXPECT_TRUE(other.log().contents().contains("holds no results"));
  other.openResults({results_.path()});
  ASSERT_TRUE(waitFor([&] { return other.session().runs().size() == 1; }));
  ASSERT_TRUE(waitFor([&] { return other.tabs().currentWidget() == &other.resultsPage(); }));
  auto* list = named<QTreeView>(other.resultsPage(), "Stored runs");
  list->setCurrentIndex(list->model()->index(0, 0, list->model()->index(0, 0)));
  press(button(other.resultsPage(), "Open r&eport"));
  ASSERT_TRUE(waitFor([&] { return !browser.opened().isEmpty(); }));
  QFile file(browser.opened().toLocalFile());
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_TRUE(file.readAll().contains("incast32"));
  // Its server serves that directory: another one would be mistaken for it.
  other.openResults({results_.path()});
  EXPECT_TRUE(other.log().contents().contains("is a directory"));
}

// In the small window, too, the list shows number, name, status and selection of every run without
// clipping, and the rest as tool tip.
TEST_F(PagesTest, TheRunListShowsWhatMattersAt900Pixels) {
  connectToLocalServer();
  runToItsEnd("incast32", scenarioFile("bench/incast32.yaml"));
  window_.tabs().setCurrentWidget(&window_.resultsPage());
  window_.resize(900, 620);
  QTest::qWait(50);
  const QTreeView& list = window_.resultsPage().runList();
  const QHeaderView& header = *list.header();
  const QAbstractItemModel& model = *list.model();
  const QModelIndex server = model.index(0, 0);
  for (int column = 0; column < 4; ++column) {
    const std::string name = model.headerData(column, Qt::Horizontal).toString().toStdString();
    EXPECT_GE(header.sectionSize(column),
              list.fontMetrics().horizontalAdvance(QString::fromStdString(name)))
        << name;
    EXPECT_LE(header.sectionViewportPosition(column) + header.sectionSize(column),
              list.viewport()->width())
        << name;
    const QModelIndex cell = model.index(0, column, server);
    EXPECT_LE(list.fontMetrics().horizontalAdvance(cell.data().toString()),
              list.visualRect(cell).width())
        << cell.data().toString().toStdString();
    for (const char* part : {"incast32", "sim", "done"}) {
      EXPECT_TRUE(cell.data(Qt::ToolTipRole).toString().contains(part)) << part;
    }
  }
}

// No tab makes the window wider than a small screen, whatever it shows.
TEST_F(PagesTest, AWindowOf900PixelsHasRoomForEveryTab) {
  connectToLocalServer();
  runToItsEnd("incast32", scenarioFile("bench/incast32.yaml"));
  for (const bool live : {true, false}) {
    window_.showSource(live);
    for (int tab = 0; tab < window_.tabs().count(); ++tab) {
      window_.tabs().setCurrentIndex(tab);
      window_.resize(900, 620);
      QTest::qWait(50);
      EXPECT_EQ(window_.size(), QSize(900, 620))
          << window_.tabs().tabText(tab).toStdString() << (live ? " live" : " stored");
      EXPECT_LE(window_.minimumSizeHint().width(), 900);
    }
  }
}

}  // namespace
}  // namespace plumbline::gui
