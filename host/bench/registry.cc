#include "bench/registry.h"

#include <fmt/format.h>

#include "base/error.h"
#include "bench/sim_bench.h"
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
      {{"sim", "simulated hosts and fabric, packet by packet"},
       [](const BenchOptions& options) -> std::unique_ptr<Bench> {
         return std::make_unique<SimBench>(
             SimBenchOptions{.line_rate = options.line_rate, .threads = options.threads});
       }},
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
  std::string remedy = fmt::format("one of: {}", fmt::join(names, ", "));
#ifndef PLUMBLINE_CARD_SIM
  if (name == "rtl") remedy += "; the rtl bench needs a build with PLUMBLINE_CARD_SIM";
#endif
  throw Error(ErrorKind::kUsage, fmt::format("there is no bench '{}'", name), {}, remedy);
}

}  // namespace plumbline::bench
