// The window and its own server, for tests that drive both like a user.
#pragma once

#include <gtest/gtest.h>

#include <QAction>
#include <QFile>
#include <QPushButton>
#include <QTemporaryDir>
#include <algorithm>

#include "gui/data/scenario_text.h"
#include "gui/pages/scenario_page.h"
#include "gui/window/docks.h"
#include "gui/window/main_window.h"
#include "gui/window/status_strip.h"
#include "tests/gui/gui_app.h"
#include "tests/paths/paths.h"

namespace plumbline::gui {

inline constexpr int kRunMs = 300'000;

inline QString scenarioFile(const char* name) {
  QFile file(QString::fromStdString(checkoutPath(std::string("scenarios/") + name)));
  EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << name;
  return QString::fromUtf8(file.readAll());
}

// `scenario` with another value of the parameter at `path`.
inline QString with(const QString& scenario, const char* path, const char* value) {
  return QString::fromStdString(setField(scenario.toStdString(), path, value).text);
}

class WindowTest : public testing::Test {
 protected:
  WindowTest() : window_(QString::fromStdString(commandPath()), results_.path()) {
    window_.resize(1280, 800);
    window_.show();
  }

  void connectToLocalServer() {
    QMetaObject::invokeMethod(&window_, [this] { triggerAction("Start a &local one"); });
    ASSERT_TRUE(waitFor([this] { return connected() && !session().scenarios().empty(); })) << log();
  }

  void triggerAction(const char* text) {
    const QList<QAction*> actions = window_.findChildren<QAction*>();
    const auto found = std::find_if(actions.begin(), actions.end(), [text](const QAction* action) {
      return action->text() == QLatin1String(text);
    });
    ASSERT_NE(found, actions.end()) << text;
    (*found)->trigger();
  }

  // The button with this text, including "&", within `parent`; the test fails if there is none.
  static QPushButton* button(const QWidget& parent, const char* text) {
    const QList<QPushButton*> buttons = parent.findChildren<QPushButton*>();
    const auto found = std::find_if(buttons.begin(), buttons.end(), [text](const QPushButton* one) {
      return one->text() == QString::fromUtf8(text);
    });
    EXPECT_NE(found, buttons.end()) << text;
    return found == buttons.end() ? nullptr : *found;
  }

  // The widget with the accessible name `name`, likewise.
  template <typename Widget>
  static Widget* named(const QWidget& parent, const char* name) {
    const QList<Widget*> all = parent.findChildren<Widget*>();
    const auto found = std::find_if(all.begin(), all.end(), [name](const Widget* one) {
      return one->accessibleName() == QString::fromUtf8(name);
    });
    EXPECT_NE(found, all.end()) << name;
    return found == all.end() ? nullptr : *found;
  }

  void press(QPushButton* button) { QTest::mouseClick(button, Qt::LeftButton); }
  void pressRun() { press(window_.strip().runButton()); }
  void pressStop() { press(window_.strip().stopButton()); }

  Session& session() { return window_.session(); }
  bool connected() { return session().state() == Session::State::kConnected; }
  bool running() { return session().activeRun() != nullptr; }
  std::string log() { return window_.log().contents().toStdString(); }

  bool hasBench(const char* name) {
    const auto& benches = session().capabilities()->benches;
    return std::any_of(benches.begin(), benches.end(),
                       [name](const auto& bench) { return bench.name == name; });
  }

  // A run on simulated hosts that lasts until it is stopped.
  void startEndlessRun() {
    window_.scenarioPage().setScenario("endless",
                                       with(with(scenarioFile("quickstart.yaml"), "bench", "sim"),
                                            "parameters.repetitions", "2000"));
    pressRun();
    ASSERT_TRUE(
        waitFor([this] { return running() && session().live().trials().size() > 2; }, kRunMs))
        << log();
  }

  void stopAndWait() {
    pressStop();
    ASSERT_TRUE(waitFor([this] { return !running(); }, kRunMs)) << log();
  }

  void runToItsEnd(const QString& name, const QString& scenario) {
    const std::size_t before = runsEnded();
    window_.scenarioPage().setScenario(name, scenario);
    pressRun();
    ASSERT_TRUE(waitFor([this, before] { return runsEnded() == before + 1; }, kRunMs)) << log();
  }

  std::size_t runsEnded() {
    return static_cast<std::size_t>(
        std::count_if(session().runs().begin(), session().runs().end(),
                      [](const auto& run) { return !run.active && run.status != "running"; }));
  }

  QTemporaryDir results_;
  MainWindow window_;
};

}  // namespace plumbline::gui
