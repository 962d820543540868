// links: plumbline_workload
// Any text as a message trace. Parsing ends with entries inside their limits, which written out
// again parse to the same, or with a mistake inside the text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "workload/trace.h"

namespace {

using namespace plumbline::workload;  // NOLINT: a program of its own

constexpr std::uint32_t kRanks = 64;

void require(bool holds) {
  if (!holds) std::abort();
}

std::string written(const std::vector<TraceEntry>& entries) {
  std::string text;
  for (const TraceEntry& entry : entries) {
    std::string fraction = std::to_string(1000 + entry.time.count() % 1000);
    fraction[0] = '.';
    text += std::to_string(entry.time.count() / 1000) + fraction + ',' +
            std::to_string(entry.from) + ',' + std::to_string(entry.to) + ',' +
            std::to_string(entry.bytes) + ',' + std::to_string(entry.tag) + '\n';
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = parseTrace(text, kRanks);
  if (const auto* error = std::get_if<TraceError>(&parsed)) {
    require(error->line >= 1 && error->column >= 1 && error->column <= size + 1);
    require(!error->what.empty());
    return 0;
  }
  const auto& entries = std::get<std::vector<TraceEntry>>(parsed);
  for (const TraceEntry& entry : entries) {
    require(entry.from < kRanks && entry.to < kRanks && entry.from != entry.to);
    require(entry.bytes >= 1 && entry.bytes < std::uint64_t{1} << 40);
    require(entry.time >= plumbline::Picoseconds());
  }
  const auto again = parseTrace(written(entries), kRanks);
  const auto* copies = std::get_if<std::vector<TraceEntry>>(&again);
  require(copies != nullptr && copies->size() == entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const TraceEntry& a = entries[i];
    const TraceEntry& b = (*copies)[i];
    require(a.time == b.time && a.from == b.from && a.to == b.to && a.bytes == b.bytes &&
            a.tag == b.tag);
  }
  return 0;
}
