// The window without a mouse, and in the dark.
#include <gtest/gtest.h>

#include <QComboBox>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>
#include <set>

#include "tests/gui/window_fixture.h"
#include "tests/paths/paths.h"

namespace plumbline::gui {
namespace {

class LookTest : public WindowTest {
 protected:
  static constexpr int kMostStops = 200;  // of a way through the window

  void SetUp() override {
    window_.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window_));
  }

  // Presses Tab until `wanted` has the focus. False when it never gets it.
  bool tabTo(const QWidget* wanted) {
    for (int i = 0; i < kMostStops; ++i) {
      if (QApplication::focusWidget() == wanted) return true;
      pressTab();
    }
    return false;
  }

  void pressTab() {
    QWidget* from = QApplication::focusWidget();
    QTest::keyClick(from != nullptr ? from : &window_, Qt::Key_Tab);
  }

  // All widgets that Tab reaches before it returns to its start; empty if it does not return.
  std::set<const QWidget*> tabRound() {
    std::set<const QWidget*> reached;
    if (!tabTo(window_.strip().runButton())) return {};
    for (int i = 0; i < kMostStops; ++i) {
      pressTab();
      const QWidget* at = QApplication::focusWidget();
      reached.insert(at);
      if (at == window_.strip().runButton()) return reached;
    }
    return {};
  }

  // Mean brightness of the screen, 0 to 255.
  double brightness() {
    const QImage image = window_.grab().toImage().convertToFormat(QImage::Format_Grayscale8);
    double sum = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) sum += qGray(image.pixel(x, y));
    }
    return sum / image.width() / image.height();
  }
};

TEST_F(LookTest, ARunIsStartedAndStoppedByTabAndSpace) {
  connectToLocalServer();
  window_.scenarioPage().setScenario("endless",
                                     with(with(scenarioFile("quickstart.yaml"), "bench", "sim"),
                                          "parameters.repetitions", "2000"));
  ASSERT_TRUE(tabTo(window_.strip().runButton()));
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
  ASSERT_TRUE(waitFor([this] { return running() && window_.strip().stopButton()->isEnabled(); }))
      << log();
  ASSERT_TRUE(tabTo(window_.strip().stopButton()));
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
  ASSERT_TRUE(waitFor([this] { return !running(); }, kRunMs)) << log();
  EXPECT_EQ(session().runs().front().status, "aborted");
}

// From every tab, also from tables with contents: Tab gets stuck in none.
TEST_F(LookTest, TabReachesAllPartsFromEveryTab) {
  connectToLocalServer();
  runToItsEnd("incast32", scenarioFile("bench/incast32.yaml"));
  const QWidget* bar = window_.tabs().tabBar();
  const QWidget* scenarios = named<QComboBox>(window_.strip(), "Scenario");
  const QWidget* connection = window_.strip().findChild<QToolButton*>();
  for (const bool live : {true, false}) {
    window_.showSource(live);
    for (int tab = 0; tab < window_.tabs().count(); ++tab) {
      window_.tabs().setCurrentIndex(tab);
      const std::string name = window_.tabs().tabText(tab).toStdString();
      const std::set<const QWidget*> reached = tabRound();
      ASSERT_FALSE(reached.empty()) << name << " keeps the focus";
      EXPECT_TRUE(reached.contains(bar)) << name;
      EXPECT_TRUE(reached.contains(scenarios)) << name;
      EXPECT_TRUE(reached.contains(connection)) << name;
      EXPECT_TRUE(reached.contains(named<QWidget>(window_, "Counters"))) << name;
      EXPECT_TRUE(reached.contains(named<QWidget>(window_, "Ports"))) << name;
    }
  }
  // On the tabs, arrows go from one to the next.
  window_.tabs().setCurrentIndex(2);
  ASSERT_TRUE(tabTo(bar));
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right);
  EXPECT_EQ(window_.tabs().currentIndex(), 3);
}

TEST_F(LookTest, DarkIsSwitchedByKeyAndRemembered) {
  EXPECT_GT(brightness(), 200);
  QTest::keyClick(&window_, Qt::Key_D, Qt::ControlModifier);
  QTest::qWait(50);
  for (int tab = 0; tab < window_.tabs().count(); ++tab) {
    window_.tabs().setCurrentIndex(tab);
    QTest::qWait(20);
    EXPECT_LT(brightness(), 60) << window_.tabs().tabText(tab).toStdString();
  }
  MainWindow again(QString::fromStdString(commandPath()), results_.path());
  EXPECT_EQ(again.palette().color(QPalette::Window), darkTheme().window);
  QTest::keyClick(&window_, Qt::Key_D, Qt::ControlModifier);
  QTest::qWait(50);
  EXPECT_GT(brightness(), 200);
  QSettings().clear();  // for later tests
}

}  // namespace
}  // namespace plumbline::gui
