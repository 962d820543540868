// links: plumbline_workload
// Any text as a trace of requests. Parsing ends with messages inside their limits, of which the
// earliest is at time zero, or with a mistake inside the text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>
#include <vector>

#include "workload/request_trace.h"

namespace {

using namespace plumbline::workload;  // NOLINT: a program of its own

constexpr RequestRules kRules{.ranks = 5, .prefill = 2, .bytes_per_token = 4096, .max = 1000};

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = parseRequestTrace(text, kRules);
  if (const auto* error = std::get_if<TraceError>(&parsed)) {
    require(error->line >= 1 && error->column >= 1 && error->column <= size + 1);
    require(!error->what.empty());
    return 0;
  }
  const auto& entries = std::get<std::vector<TraceEntry>>(parsed);
  require(entries.size() <= kRules.max);
  auto earliest = plumbline::seconds(1'000'000);
  for (const TraceEntry& entry : entries) {
    require(entry.from < kRules.prefill && entry.to >= kRules.prefill && entry.to < kRules.ranks);
    require(entry.bytes >= kRules.bytes_per_token && entry.bytes < std::uint64_t{1} << 40);
    require(entry.time >= plumbline::Picoseconds() && entry.time < plumbline::seconds(1'000'000));
    earliest = std::min(earliest, entry.time);
  }
  require(entries.empty() || earliest == plumbline::Picoseconds());
  return 0;
}
