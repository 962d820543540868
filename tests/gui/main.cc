#include <gtest/gtest.h>

#include "tests/gui/gui_app.h"

int main(int argc, char** argv) {
  const plumbline::gui::GuiApp app(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
