// links: plumbline_serving
// Any text as the CSV traces of requests. Reading ends with requests inside their limits and in the
// order of their arrival, or with a mistake inside the text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>

#include "base/error.h"
#include "serving/trace_reader.h"

namespace {

using namespace plumbline::serving;  // NOLINT: a program of its own

void require(bool holds) {
  if (!holds) std::abort();
}

void readAll(TraceReader& reader) {
  plumbline::Picoseconds last;
  try {
    while (const auto request = reader.next()) {
      require(request->arrival >= last);
      require(request->prompt >= 1 && request->prompt <= kMaxTokens);
      require(request->output >= 1 && request->output <= kMaxTokens);
      last = request->arrival;
    }
  } catch (const plumbline::Error& error) {
    require(error.kind() == plumbline::ErrorKind::kUsage && error.where().starts_with("t:"));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::istringstream azure(text);
  readAll(*azureTrace(azure, "t"));
  std::istringstream burst(text);
  readAll(*burstGptTrace(burst, "t"));
  return 0;
}
