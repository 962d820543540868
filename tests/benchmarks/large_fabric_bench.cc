// links: plumbline_session plumbline_scenario plumbline_bench
// Time and memory for checking and planning 8,192 hosts, and for running them compared with 1,024.
// Columns:
//   seconds      wall time of reading, checking and planning the scenario
//   ns_per_hop   wall time per packet-hop: 4 MiB from every host to the host at the same position
//                on the next leaf, UET with NSCC and trimming, time series and figures included
//   peak_MB      peak memory of the process during the run, program and libraries included
//   estimate_MB  estimate of bench/trial/trial_footprint.h before the run
// The exit code is 1 when checking takes more than 2 s or 300 MB, when a packet-hop takes more than
// 1.5 times as long as among 1,024 hosts, or when an estimate is more than twice or less than half
// of the memory used beyond the program itself. docs/simulation-speed.md has the figures.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

#include "base/paged_memory.h"
#include "bench/sim/sim_bench.h"
#include "bench/trial/trial_footprint.h"
#include "scenario/parse.h"
#include "session/planning.h"

namespace {

using namespace plumbline;  // NOLINT: a program of its own

constexpr double kMaxSeconds = 2;
constexpr double kMostMegabytes = 300;
constexpr double kMostSlowness = 1.5;
constexpr double kMostMistaken = 2;
constexpr double kProgramMegabytes = 20;  // without any fabric

bool all_well = true;

void demand(const std::string& what, double value, double min, double max) {
  if (value >= min && value <= max) return;
  all_well = false;
  fmt::print(stderr, "BEYOND: {} is {:.4g}, {:.4g} to {:.4g} are asked\n", what, value, min, max);
}

// Gives back what earlier runs left free and makes the process's peak what it uses now (Linux).
void resetPeakMemory() {
  trimPaged();
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

double peakMegabytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word != "VmHWM:") continue;
    double kibibytes = 0;
    status >> kibibytes;
    return kibibytes * 1024 / 1e6;
  }
  return 0;
}

scenario::Scenario scenarioOf(const std::string& topology) {
  const std::string text = fmt::format(
      "plumbline: 1\n"
      "name: large\n"
      "test: free\n"
      "dut:\n"
      "  topology: {{{}, link: 400G, host_delay: 1us, fabric_delay: 1us}}\n"
      "  switch:\n"
      "    buffer: 1MB\n"
      "    latency: 600ns\n"
      "    ecn: {{kmin: 120KB, kmax: 480KB, pmax: 100%}}\n"
      "    trim: {{threshold: 600KB, limit: 200KB}}\n"
      "transport: {{kind: uet, service: rud, mtu: 4KiB, cc: nscc, base_rtt: 12us}}\n"
      "workload: {{kind: permutation, shift: 32, size: 4MiB, messages: 1}}\n",
      topology);
  return scenario::parseScenario(text, "large.yaml", session::vocabulary()).scenario;
}

void plan(benchmark::State& state, const std::string& topology) {
  resetPeakMemory();
  double seconds = 0;
  for ([[maybe_unused]] auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    const scenario::Scenario scenario = scenarioOf(topology);
    const bench::SimBench bench({.line_rate = scenario.topology.link_rate});
    const session::Planning planning = session::tryPlanTests(scenario, bench);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!planning.refusals.empty()) state.SkipWithError(planning.refusals.front().c_str());
  }
  state.counters["seconds"] = seconds;
  state.counters["peak_MB"] = peakMegabytes();
  demand(topology + ": seconds of checking", seconds, 0, kMaxSeconds);
  demand(topology + ": MB of checking", peakMegabytes(), 0, kMostMegabytes);
}

void permutation(benchmark::State& state) {
  static double few_ns = 0;  // per packet-hop among 1,024 hosts
  const scenario::Scenario scenario = scenarioOf(
      fmt::format("kind: clos2, leaves: {}, spines: 32, hosts_per_leaf: 32", state.range(0) / 32));
  bench::TrialSpec spec;
  spec.dut = scenario.fabricSpec();
  spec.transport = scenario.transport;
  spec.workload = scenario.workloadSpec();
  spec.series.emplace();
  bench::SimBench bench({.line_rate = spec.dut.topology.link_rate});
  resetPeakMemory();
  double ns = 0;
  for ([[maybe_unused]] auto _ : state) {
    const bench::TrialResult result = bench.run(spec, {});
    ns = result.wall_seconds * 1e9 / static_cast<double>(result.fabric->packet_hops);
    if (!result.faults.empty()) state.SkipWithError(result.faults.front().c_str());
  }
  const double taken = peakMegabytes();
  const double estimate = bench::footprintOf(spec).bytes / 1e6;
  state.counters["ns_per_hop"] = ns;
  state.counters["peak_MB"] = taken;
  state.counters["estimate_MB"] = estimate;
  demand(fmt::format("{} hosts: the estimate of memory over what was taken", state.range(0)),
         estimate / (taken - kProgramMegabytes), 1 / kMostMistaken, kMostMistaken);
  if (few_ns == 0) few_ns = ns;
  demand(fmt::format("{} hosts: ns per packet-hop over those of 1,024", state.range(0)),
         ns / few_ns, 0, kMostSlowness);
}

BENCHMARK_CAPTURE(plan, clos2, "kind: clos2, leaves: 256, spines: 32, hosts_per_leaf: 32")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(plan, clos3,
                  "kind: clos3, pods: 16, leaves: 16, spines: 16, superspines: 16, "
                  "hosts_per_leaf: 32")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(plan, rail,
                  "kind: rail, servers: 1024, rails: 8, servers_per_leaf: 32, spines: 32")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK(permutation)->Arg(1'024)->Arg(8'192)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return all_well ? 0 : 1;
}
