// links: plumbline_bench
// Any text as a stored trial. Accepted text is stable when written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "base/json.h"
#include "bench/trial/trial.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using plumbline::bench::TrialResult;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    if (plumbline::jsonDepth(text) > plumbline::kMaxJsonDepth) {
      TrialResult::fromJson(text);
      std::abort();  // it must have thrown
    }
    const std::string written = TrialResult::fromJson(text).toJson();
    if (TrialResult::fromJson(written).toJson() != written) std::abort();
  } catch (const plumbline::Error&) {
    // No trial.
  }
  return 0;
}
