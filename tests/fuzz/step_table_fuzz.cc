// links: plumbline_serving
// Any text as a table of step times. Reading ends with a table whose times are above zero
// everywhere, or with a mistake inside the text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "base/error.h"
#include "serving/step_time.h"

namespace {

using namespace plumbline::serving;  // NOLINT: a program of its own

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const StepTable table = StepTable::parse(text, "t");
    for (const std::uint64_t tokens : {1, 100, 1'000'000}) {
      StepLoad load;
      load.add(tokens, 3 * tokens);
      try {
        require(table.prefill(load).total >= plumbline::Picoseconds());
        require(table.decode(load).total >= plumbline::Picoseconds());
      } catch (const plumbline::Error& error) {
        require(error.where() == "times");
      }
    }
  } catch (const plumbline::Error& error) {
    require(error.kind() == plumbline::ErrorKind::kUsage && error.where().starts_with("t:"));
  }
  return 0;
}
