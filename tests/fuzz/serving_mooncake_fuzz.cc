// links: plumbline_serving
// Any text as a Mooncake trace, as it is and with its ticks spread. Reading ends with requests
// inside their limits and in the order of their arrival, or with a mistake inside the text; their
// pages have hashes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "base/error.h"
#include "serving/trace_reader.h"

namespace {

using namespace plumbline::serving;  // NOLINT: a program of its own

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const bool spread : {false, true}) {
    std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
    const auto reader = mooncakeTrace(text, "t", {512, spread});
    plumbline::Picoseconds last;
    try {
      while (const auto request = reader->next()) {
        require(request->arrival >= last && request->prompt >= 1 && request->output >= 1);
        last = request->arrival;
        for (const std::uint64_t hash : pageHashes(*request, 16)) require(hash != 0);
      }
    } catch (const plumbline::Error& error) {
      require(error.kind() == plumbline::ErrorKind::kUsage && error.where().starts_with("t:"));
    }
  }
  return 0;
}
