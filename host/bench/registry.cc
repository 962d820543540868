#include "bench/registry.h"

#include <fmt/format.h>

#include "base/error.h"
#ifdef PLUMBLINE_CARD_SIM
#include "bench/rtl_bench.h"
#endif

namespace plumbline::bench {
namespace {

struct Entry {
  BenchInfo info;
  std::unique_ptr<Bench> (*make)(const BenchOptions& options);
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{
#ifdef PLUMBLINE_CARD_SIM
      {{"rtl", "the Verilated tester card before a simulated DUT"},
       [](const BenchOptions& options) -> std::unique_ptr<Bench> {
         return std::make_unique<RtlBench>(RtlBenchOptions{.trace_fst = options.trace_fst});
       }},
#endif
  };
  return all;
}

}  // namespace

const std::vector<BenchInfo>& benches() {
  static const std::vector<BenchInfo> infos = [] {
    std::vector<BenchInfo> list;
    for (const Entry& entry : entries()) list.push_back(entry.info);
    return list;
  }();
  return infos;
}

std::unique_ptr<Bench> makeBench(const std::string& name, const BenchOptions& options) {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    if (entry.info.name == name) return entry.make(options);
    names.push_back(entry.info.name);
  }
  throw Error(ErrorKind::kUsage, fmt::format("there is no bench '{}'", name), {},
              names.empty() ? "this build has none: it was configured without PLUMBLINE_CARD_SIM"
                            : fmt::format("one of: {}", fmt::join(names, ", ")));
}

}  // namespace plumbline::bench
