// The tests, and the worker that their engines start: `sweep --point N --dir DIR`, as the command
// does it, but without its progress lines.
#include <gtest/gtest.h>

#include <cstdio>
#include <exception>
#include <string_view>

#include "scenario/quantity.h"
#include "session/run_watcher.h"
#include "sweep/point.h"

namespace {

int measure(std::string_view point, const char* directory) {
  const auto number = plumbline::scenario::parseInteger(point).value;
  if (!number || *number == 0) return 2;
  try {
    plumbline::session::RunWatcher nobody;
    plumbline::sweep::measurePoint(plumbline::sweep::SweepDirectory::open(directory), *number - 1,
                                   nobody);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 3;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 6 && std::string_view(argv[1]) == "sweep" && std::string_view(argv[2]) == "--point" &&
      std::string_view(argv[4]) == "--dir") {
    return measure(argv[3], argv[5]);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
