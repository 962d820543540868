// The window on a screen of twice the density, as QT_SCALE_FACTOR=2 makes one.
#include <gtest/gtest.h>

#include <QTabWidget>

#include "gui/window/main_window.h"
#include "tests/gui/gui_app.h"
#include "tests/paths/paths.h"

namespace plumbline::gui {
namespace {

constexpr int kFactor = 2;

TEST(HighDpi, PicturesHaveTwiceTheSizeAndAllTheDetail) {
  const QTemporaryDir results;
  MainWindow window(QString::fromStdString(commandPath()), results.path());
  window.resize(900, 590);
  window.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
  EXPECT_EQ(window.devicePixelRatioF(), kFactor);
  for (int tab = 0; tab < window.tabs().count(); ++tab) {
    window.tabs().setCurrentIndex(tab);
    QTest::qWait(20);
    const QImage image = window.grab().toImage();
    EXPECT_EQ(image.size(), window.size() * kFactor);
    // Drawn finely, not enlarged: pixels of a pair differ in many places.
    int differing = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x + 1 < image.width(); x += 2) {
        if (image.pixel(x, y) != image.pixel(x + 1, y)) ++differing;
      }
    }
    EXPECT_GT(differing, 2000) << window.tabs().tabText(tab).toStdString();
  }
}

}  // namespace
}  // namespace plumbline::gui

int main(int argc, char** argv) {
  qputenv("QT_SCALE_FACTOR", QByteArray::number(plumbline::gui::kFactor));  // before Qt reads it
  const plumbline::gui::GuiApp app(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
