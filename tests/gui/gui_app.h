// Common parts of the window's tests: an application without a screen, its own settings, and
// waiting for events.
#pragma once

#include <QApplication>
#include <QSettings>
#include <QStandardPaths>
#include <QStyleFactory>
#include <QTemporaryDir>
#include <QTest>
#include <functional>

namespace plumbline::gui {

// Makes the QApplication; without a display chosen by the user, on Qt's offscreen one.
class GuiApp {
 public:
  GuiApp(int& argc, char** argv) : app_(choosePlatform(argc), argv) {
    QStandardPaths::setTestModeEnabled(true);
    QApplication::setApplicationName(QStringLiteral("plumbline-gui-test"));
    QApplication::setOrganizationName(QStringLiteral("plumbline-test"));
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings_.path());
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  }

 private:
  static int& choosePlatform(int& argc) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    return argc;
  }

  QApplication app_;
  QTemporaryDir settings_;
};

// Handles events until `done`, for at most `ms`. Returns whether it is done.
inline bool waitFor(const std::function<bool()>& done, int ms = 30'000) {
  return QTest::qWaitFor(done, ms);
}

}  // namespace plumbline::gui
