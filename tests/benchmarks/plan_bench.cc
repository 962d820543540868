// links: plumbline_suite plumbline_scenario plumbline_bench
// Accuracy of the costs that `plumbline plan` predicts: the tests of the training suite on
// simulated hosts, each alone, once. The quick profile is run whole, unless a file with its own
// parameters makes it longer than 500 million packet-hops. Of the standard profile, whose tests
// take hours to days, one trial of each point is run, the smallest first, within that limit, and
// compared with the plan for those points. Where no point fits, the duration (or the iterations) of
// its trials is cut, and the plan is made for that; tests that search are run whole, but with two
// pairs, shorter trials, a smaller buffer and fewer repetitions.
// Columns:
//   planned, made     packet-hops
//   hops_ratio        planned / made: exact, the same on any machine
//   ns_per_hop        processor time per packet-hop made, of all threads
//   slowness          of the machine, before and after the test (suite/framework/expected_time.h)
//   time_ratio        time that the plan predicts for a machine of this slowness / processor time
//   points            points that were run
//   cut               the smallest point's packet-hops in the profile / those run
// The exit code is 1 when a ratio, of packet-hops or of time, is above 1.5 or below 1 / 1.5. Other
// programs of the machine make times scatter: a test whose time is out of bounds is run a second
// and a third time, and below a tenth of a second it is not judged. `--room=2`: twice that bound
// for times, for machines that run other work as well, or that slowness describes less well. The
// limit of the standard profile is 10 million packet-hops a test; PLUMBLINE_LONG sets it ten times
// as high.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/sim/sim_bench.h"
#include "scenario/parse.h"
#include "suite/framework/expected_time.h"
#include "suite/procedure.h"
#include "tests/paths/paths.h"
#include "tests/suite/packet_hops.h"

namespace plumbline::suite {
namespace {

constexpr int kMaxAttempts = 3;
constexpr double kShortestJudged = 0.1;  // s
constexpr double kMostWholeHops = 5e8;
constexpr std::string_view kRoomOption = "--room=";
bool all_within = true;
double room = 1;  // of times

// A plan's prediction, and the actual cost.
struct Cost {
  double planned = 0;  // packet-hops
  double made = 0;
  double planned_seconds = 0;
  double seconds = 0;  // of processor time
  double slowdown = 1;
};

bool timeWithin(const Cost& cost) {
  return std::max(cost.seconds, cost.planned_seconds) < kShortestJudged ||
         within(cost.planned_seconds / cost.seconds, kWorstPlanRatio * room);
}

double mostHops() { return std::getenv("PLUMBLINE_LONG") != nullptr ? 1e8 : 1e7; }

// Counts packet-hops. As in a run, a repeated trial is not run again.
class CountingRunner final : public TrialRunner {
 public:
  explicit CountingRunner(bench::SimBench& bench) : bench_(bench) {}

  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string&) override {
    const auto [known, is_new] =
        known_.try_emplace({spec.toJson(), repetition}, bench::TrialResult());
    if (is_new) {
      known->second = bench_.run(spec, {});
      hops += hopsOf(known->second);
    }
    return known->second;
  }

  double hops = 0;

 private:
  bench::SimBench& bench_;
  std::map<std::pair<std::string, std::uint32_t>, bench::TrialResult> known_;
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

// Cost of `work` and slowness of the machine meanwhile; the plan is computed for that.
void measure(const scenario::Scenario& scenario, const bench::SimBench& bench, const Plan& plan,
             const std::function<void()>& work, Cost& cost) {
  const double before = measureSlowdown();
  const double begin = processorSeconds();
  work();
  cost.seconds = processorSeconds() - begin;
  cost.slowdown = std::sqrt(before * measureSlowdown());
  cost.planned = plan.packet_hops;
  cost.planned_seconds =
      expectedSeconds(plan, scenario.topology.hostCount(), bench.capabilities(), cost.slowdown);
}

// The first measurement whose time is as planned, or else the nearest one.
Cost bestOf(const std::function<Cost()>& attempt) {
  const auto distance = [](const Cost& cost) {
    return std::abs(std::log(cost.planned_seconds / cost.seconds));
  };
  Cost best = attempt();
  for (int i = 1; i < kMaxAttempts && !timeWithin(best); ++i) {
    const Cost again = attempt();
    if (distance(again) < distance(best)) best = again;
  }
  return best;
}

void report(const Cost& cost, benchmark::State& state) {
  const double ratio = cost.planned / cost.made;
  state.counters["planned"] = cost.planned;
  state.counters["made"] = cost.made;
  state.counters["hops_ratio"] = ratio;
  state.counters["ns_per_hop"] = cost.seconds * 1e9 / cost.made;
  state.counters["slowness"] = cost.slowdown;
  state.counters["time_ratio"] = cost.planned_seconds / cost.seconds;
  if (!within(ratio, kWorstPlanRatio) || !timeWithin(cost)) {
    all_within = false;
    state.SetLabel("planned and made are too far apart");
  }
}

Plan planOf(const scenario::Scenario& scenario) {
  const bench::SimBench bench({.line_rate = scenario.topology.link_rate});
  return procedure(scenario.tests.front()).plan({scenario, bench.capabilities()});
}

Cost wholeCost(const scenario::Scenario& scenario) {
  bench::SimBench bench({.line_rate = scenario.topology.link_rate});
  CountingRunner runner(bench);
  const auto work = [&] {
    benchmark::DoNotOptimize(
        procedure(scenario.tests.front()).run({scenario, bench.capabilities()}, runner));
  };
  Cost cost;
  measure(scenario, bench, planOf(scenario), work, cost);
  cost.made = runner.hops;
  return cost;
}

void runWhole(const scenario::Scenario& scenario, benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) {
    report(bestOf([&] { return wholeCost(scenario); }), state);
  }
}

// The points that a run within the limit reaches, the smallest first.
std::vector<std::size_t> smallestPoints(const Plan& plan) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < plan.samples.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return plan.samples[a].packet_hops < plan.samples[b].packet_hops;
  });
  double hops = 0;
  std::size_t reached = 0;
  while (reached < order.size()) {
    hops += plan.samples[order[reached]].packet_hops;
    if (hops > mostHops()) break;
    ++reached;
  }
  order.resize(reached);
  return order;
}

// The plan of these points alone, each once.
Plan planOfPoints(const Plan& whole, const std::vector<std::size_t>& points) {
  Plan plan;
  double work = 0;
  for (const std::size_t point : points) {
    const PlannedTrial& sample = whole.samples[point];
    plan.packet_hops += sample.packet_hops;
    work += sample.packet_hops * sample.hop_cost;
  }
  plan.hop_cost = work / plan.packet_hops;
  plan.trials_expected = points.size();
  return plan;
}

Cost pointsCost(const scenario::Scenario& scenario, const Plan& plan,
                const std::vector<std::size_t>& points) {
  bench::SimBench bench({.line_rate = scenario.topology.link_rate});
  Cost cost;
  const auto work = [&] {
    for (const std::size_t point : points)
      cost.made += hopsOf(bench.run(plan.samples[point].spec, {}));
  };
  measure(scenario, bench, planOfPoints(plan, points), work, cost);
  return cost;
}

void runPoints(const scenario::Scenario& scenario, double cut, benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) {
    const Plan plan = planOf(scenario);
    const std::vector<std::size_t> points = smallestPoints(plan);
    state.counters["points"] = static_cast<double>(points.size());
    state.counters["cut"] = cut;
    report(bestOf([&] { return pointsCost(scenario, plan, points); }), state);
  }
}

void add(const std::string& name, const std::function<void(benchmark::State&)>& run) {
  benchmark::RegisterBenchmark(("plan/" + name).c_str(), run)
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

void addQuick(scenario::Scenario scenario) {
  scenario.profile = scenario::Profile::kQuick;
  const Plan plan = planOf(scenario);
  if (!plan.refusals.empty() || plan.packet_hops <= 0) return;
  if (plan.packet_hops > kMostWholeHops) return;
  add(scenario.name + "/quick", [scenario](benchmark::State& state) { runWhole(scenario, state); });
}

double smallestPoint(const Plan& plan) {
  double hops = plan.samples.front().packet_hops;
  for (const PlannedTrial& sample : plan.samples) hops = std::min(hops, sample.packet_hops);
  return hops;
}

// The standard profile with trials so short that one of them is within the limit, as far as
// possible.
scenario::Scenario shortened(const scenario::Scenario& scenario) {
  const double wanted = mostHops() / 4;
  const double whole = smallestPoint(planOf(scenario));
  scenario::Scenario shorter = scenario;
  // Tests of steady states have a duration, and one of a second is representative; others repeat
  // something.
  shorter.parameters.duration = seconds(1);
  const double second = smallestPoint(planOf(shorter));
  if (second < whole) {
    shorter.parameters.duration = Picoseconds(static_cast<std::int64_t>(wanted / second * 1e12));
    return shorter;
  }
  shorter.parameters.duration.reset();
  shorter.parameters.iterations = 1;
  const double once = smallestPoint(planOf(shorter));
  shorter.parameters.iterations = static_cast<std::uint32_t>(std::max(1.0, wanted / once));
  if (once > mostHops()) shorter.parameters.sizes = {{Bytes(16 << 20)}};
  return shorter;
}

void addStandard(scenario::Scenario scenario) {
  scenario.profile = scenario::Profile::kStandard;
  const Plan plan = planOf(scenario);
  if (!plan.refusals.empty() || plan.packet_hops <= 0) return;
  double cut = 1;
  if (smallestPoints(plan).empty()) {
    scenario = shortened(scenario);
    const Plan shorter = planOf(scenario);
    if (smallestPoints(shorter).empty()) return;
    cut = smallestPoint(plan) / smallestPoint(shorter);
  }
  add(scenario.name + "/standard",
      [scenario, cut](benchmark::State& state) { runPoints(scenario, cut, state); });
}

// A search determines its trials itself: it is run whole, but with two pairs, fewer
// repetitions, and trials that are short, yet long compared with the buffers.
void addSearch(scenario::Scenario scenario) {
  scenario.profile = scenario::Profile::kStandard;
  scenario.traffic.pairs = {{{0, 8}, {1, 9}}};
  scenario.parameters.repetitions = 3;
  scenario.parameters.duration = milliseconds(1);
  scenario.switches.shared_buffer->total = Bytes(2'000'000);
  scenario.switches.pfc.reset();
  const Plan plan = planOf(scenario);
  if (!plan.refusals.empty() || plan.packet_hops <= 0) return;
  add(scenario.name + "/standard",
      [scenario](benchmark::State& state) { runWhole(scenario, state); });
}

void addTests() {
  const std::filesystem::path folder = checkoutPath("scenarios/training");
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
      addQuick(one);
      if (own) {
        addStandard(one);
      } else if (!procedure(test).onHosts() && test.starts_with("T5.")) {
        addSearch(one);
      }
    }
  }
}

}  // namespace
}  // namespace plumbline::suite

int main(int argc, char** argv) {
  using plumbline::suite::kRoomOption;
  benchmark::Initialize(&argc, argv);
  if (argc == 2 && std::string_view(argv[1]).starts_with(kRoomOption)) {
    plumbline::suite::room = std::strtod(argv[1] + kRoomOption.size(), nullptr);
    --argc;
  }
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (!(plumbline::suite::room >= 1)) {
    std::fprintf(stderr, "%s: --room is a number of 1 or more\n", argv[0]);
    return 2;
  }
  plumbline::suite::addTests();
  benchmark::RunSpecifiedBenchmarks();
  return plumbline::suite::all_within ? 0 : 1;
}
