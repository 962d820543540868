// Runs trials on the bench of simulated hosts, and counts them.
#pragma once

#include <cstdint>
#include <string>

#include "bench/sim/sim_bench.h"
#include "scenario/scenario.h"
#include "suite/procedure.h"

namespace plumbline::suite {

class SimRunner final : public TrialRunner {
 public:
  explicit SimRunner(BitRate line_rate = gigabitsPerSecond(400)) : bench(makeBench(line_rate)) {}

  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t, const std::string&) override {
    ++trials;
    return bench.run(spec, {});
  }

  bench::SimBench bench;
  std::uint64_t trials = 0;

 private:
  static bench::SimBench makeBench(BitRate line_rate) {
    bench::SimBenchOptions options;
    options.line_rate = line_rate;
    return bench::SimBench(options);
  }
};

// The result of `test` on that bench.
inline results::TestResult runTest(const Procedure& test, const scenario::Scenario& scenario) {
  SimRunner runner;
  return test.run({scenario, runner.bench.capabilities()}, runner);
}

// A two-tier Clos of 4 leaves with 4 hosts and 4 spines at 400 Gb/s; ECN and PFC for RoCEv2 in
// class 3, trimming for UET in class 0.
inline scenario::Scenario smallFabric() {
  scenario::Scenario scenario;
  scenario.bench = "sim";
  scenario.profile = scenario::Profile::kQuick;
  scenario.topology.kind = fabric::TopologyKind::kClos2;
  scenario.topology.leaves = 4;
  scenario.topology.spines = 4;
  scenario.topology.hosts_per_leaf = 4;
  scenario.topology.link_rate = gigabitsPerSecond(400);
  scenario.switches.shared_buffer.emplace();
  scenario.switches.ecn.push_back({.priorities = 0x09,
                                   .kmin = Bytes(200'000),
                                   .kmax = Bytes(800'000),
                                   .pmax = Fraction::percent(20)});
  scenario.switches.pfc.emplace();
  scenario.switches.trim.emplace();
  scenario.switches.trim->threshold = Bytes(800'000);
  scenario.seed = 3;
  return scenario;
}

}  // namespace plumbline::suite
