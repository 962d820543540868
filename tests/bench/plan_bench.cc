// links: plumbline_suite plumbline_scenario plumbline_bench
// How well `plumbline plan` foretells what a test costs: the tests of the training suite on
// simulated hosts, each by itself, once; T5.1 to T5.3 from all.yaml, whose plans are upper bounds
// since searches may end early. Columns:
//   planned, made     packet-hops
//   hops_ratio        planned / made: exact, the same on any machine
//   ns_per_hop        processor time per packet-hop made, of all threads
//   time_ratio        what the plan says it takes / processor time
// Tests whose plan is above ten million packet-hops are left out; with PLUMBLINE_LONG set
// the limit is ten times as high and the standard profile is measured as well, as far as that
// reaches.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <set>
#include <string>

#include "bench/sim_bench.h"
#include "scenario/parse.h"
#include "suite/procedure.h"

namespace plumbline::suite {
namespace {

// Counts packet-hops.
class CountingRunner final : public TrialRunner {
 public:
  explicit CountingRunner(BitRate line_rate)
      : bench(bench::SimBenchOptions{.line_rate = line_rate}) {}

  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t, const std::string&) override {
    bench::TrialResult trial = bench.run(spec, {});
    const auto& predicted = trial.fabric->fast_forward;
    hops += static_cast<double>(predicted ? predicted->packet_hops : trial.fabric->packet_hops);
    return trial;
  }

  bench::SimBench bench;
  double hops = 0;
};

scenario::Vocabulary vocabulary() {
  scenario::Vocabulary words{{}, {"rtl", "sim"}, {}, {}};
  for (const Procedure* procedure : procedures()) {
    words.tests.push_back(procedure->id());
    if (procedure->onHosts()) words.on_hosts.push_back(procedure->id());
    if (procedure->runsWorkload()) words.with_workload.push_back(procedure->id());
  }
  return words;
}

double processorSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void plannedAndMade(benchmark::State& state, const scenario::Scenario& scenario,
                    const Procedure& test) {
  for (auto _ : state) {
    CountingRunner runner(scenario.topology.link_rate);
    const bench::Capabilities& bench = runner.bench.capabilities();
    const TestConfig config{scenario, bench};
    const double planned = test.plan(config).packet_hops;
    const double begin = processorSeconds();
    benchmark::DoNotOptimize(test.run(config, runner));
    const double seconds = processorSeconds() - begin;
    state.counters["planned"] = planned;
    state.counters["made"] = runner.hops;
    state.counters["hops_ratio"] = planned / runner.hops;
    state.counters["ns_per_hop"] = seconds * 1e9 / runner.hops;
    state.counters["time_ratio"] = planned * bench.wall_ns_per_packet_hop / 1e9 / seconds;
  }
}

void registerTest(scenario::Scenario scenario, scenario::Profile profile, double most_hops) {
  const Procedure& test = procedure(scenario.tests.front());
  scenario.profile = profile;
  const bench::SimBench bench({.line_rate = scenario.topology.link_rate});
  const Plan plan = test.plan({scenario, bench.capabilities()});
  if (!plan.refusals.empty() || plan.packet_hops <= 0 || plan.packet_hops > most_hops) return;
  const std::string name =
      "plan/" + scenario.name + "/" + std::string(scenario::profileName(profile));
  benchmark::RegisterBenchmark(
      name.c_str(),
      [scenario, &test](benchmark::State& state) { plannedAndMade(state, scenario, test); })
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

const bool kRegistered = [] {
  constexpr double kMostHops = 1e7;
  const bool all = std::getenv("PLUMBLINE_LONG") != nullptr;
  const std::filesystem::path folder = PLUMBLINE_SOURCE_DIR "/scenarios/training";
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.insert(entry.path());
  for (const auto& file : files) {
    const scenario::Scenario scenario = scenario::loadScenario(file, vocabulary());
    // The suite in one run has the tests that are no test of hosts alone.
    for (const std::string& test : scenario.tests) {
      scenario::Scenario one = scenario;
      one.tests = {test};
      const bool own = scenario.tests.size() == 1;
      if (!own && procedure(test).onHosts()) continue;
      one.name = own ? scenario.name : scenario.name + "/" + test;
      registerTest(one, scenario::Profile::kQuick, all ? 10 * kMostHops : kMostHops);
      if (all && own) registerTest(one, scenario::Profile::kStandard, 10 * kMostHops);
    }
  }
  return true;
}();

}  // namespace
}  // namespace plumbline::suite
