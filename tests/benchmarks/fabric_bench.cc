// links: plumbline_bench plumbline_scenario plumbline_minimal_fabric
// Cost of the simulated fabric, hosts and transports included: wall time per packet-hop (one
// packet, data or control, crossing one link), beside a fixed loop of the same elementary work and
// a minimal simulator on the same workloads, so that figures of different machines compare.
// docs/simulation-speed.md says how to read it. The exit code is 1 when a figure exceeds its limit;
// `--room=1.5`: 1.5 times its limit, for machines that run other work as well.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/paged_memory.h"
#include "base/random.h"
#include "base/units.h"
#include "bench/sim/sim_hosts.h"
#include "bench/trial/trial.h"
#include "fabric/engine/fabric.h"
#include "scenario/parse.h"
#include "tests/benchmarks/minimal_fabric.h"
#include "tests/paths/paths.h"
#include "transport/roce/roce_spec.h"
#include "transport/uet/uet_spec.h"

namespace {

using namespace plumbline;  // NOLINT: a program of its own
using Clock = std::chrono::steady_clock;

double nanosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

// --- The calibration loop ------------------------------------------------------------------------

// The minimal work of a packet simulator: a record of 48 bytes is taken from the ring whose head is
// due first, and put into another ring, due later. 512 rings of 64 records, a binary heap of ring
// heads, 1.6 MB in all; nothing is allocated and no branch depends on the machine.
class CalibrationLoop {
 public:
  CalibrationLoop() : rings_(kRings) {
    for (std::uint32_t r = 0; r < kRings; ++r) {
      for (std::uint32_t i = 0; i < kFilled; ++i) {
        push(r, {mix64((std::uint64_t{r} << 32) | i) % kSpread + i * kSpread, {}});
      }
      heap_.push_back({rings_[r].records[0].due, r});
    }
    std::make_heap(heap_.begin(), heap_.end(), later);
  }

  // Moves `count` records; returns something that depends on all of them.
  std::uint64_t run(std::uint64_t count) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      const std::uint32_t from = heap_.back().ring;
      Ring& source = rings_[from];
      Record record = source.records[source.first++ % kCapacity];
      sum += record.due;
      // Never into a full ring: the next one with room, beginning at an index that the record
      // determines.
      auto to = static_cast<std::uint32_t>(mix64(record.due + i) % kRings);
      while (rings_[to].last - rings_[to].first == kCapacity) to = (to + 1) % kRings;
      Ring& target = rings_[to];
      const bool was_empty = target.first == target.last;
      const std::uint64_t tail =
          was_empty ? record.due : target.records[(target.last - 1) % kCapacity].due;
      record.due = std::max(tail, record.due) + kSpread;
      ++record.fields[i % record.fields.size()];
      push(to, record);
      // The source returns to the heap with its next record, unless it is empty now.
      heap_.pop_back();
      if (source.first != source.last) enter(from);
      if (was_empty && to != from) enter(to);
    }
    return sum;
  }

 private:
  static constexpr std::uint32_t kRings = 512;
  static constexpr std::uint32_t kCapacity = 64;
  static constexpr std::uint32_t kFilled = 16;
  static constexpr std::uint64_t kSpread = 4096;

  struct Record {
    std::uint64_t due;
    std::array<std::uint64_t, 5> fields;
  };
  static_assert(sizeof(Record) == 48);
  struct Ring {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::array<Record, kCapacity> records{};
  };
  struct Head {
    std::uint64_t due;
    std::uint32_t ring;
  };

  static bool later(const Head& a, const Head& b) {
    return a.due != b.due ? a.due > b.due : a.ring > b.ring;
  }

  void push(std::uint32_t ring, const Record& record) {
    rings_[ring].records[rings_[ring].last++ % kCapacity] = record;
  }

  void enter(std::uint32_t ring) {
    heap_.push_back({rings_[ring].records[rings_[ring].first % kCapacity].due, ring});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  std::vector<Ring> rings_;
  std::vector<Head> heap_;
};

// ns per record, the minimum of three passes of about 0.1 s; repeated around every measurement,
// because a machine's speed changes with its other load.
double calibrate() {
  constexpr std::uint64_t kRecords = 1'000'000;
  double min = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < 3; ++pass) {
    CalibrationLoop loop;
    const auto start = Clock::now();
    benchmark::DoNotOptimize(loop.run(kRecords));
    min = std::min(min, nanosecondsSince(start) / kRecords);
  }
  return min;
}

// --- Peak memory ---------------------------------------------------------------------------------

// Releases the free memory of earlier runs and resets the process's peak to its present use (Linux;
// without effect where it is not permitted).
void resetPeakMemory() {
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

// --- Bars ----------------------------------------------------------------------------------------

constexpr std::string_view kRoomOption = "--room=";
double room = 1;  // factor by which times may exceed their limits
bool all_well = true;

void fail(benchmark::State& state, const char* why) {
  all_well = false;
  state.SkipWithError(why);
}

void demand(const std::string& what, double value, double limit) {
  if (value <= limit) return;
  all_well = false;
  fmt::print(stderr, "BEYOND: {} is {:.4g}, at most {:.4g} may be\n", what, value, limit);
}

// Limits apply to a machine on which the calibration loop takes this many ns per record; on a
// slower one times may be longer in proportion. `calibration`: the time here.
double slowdown(double calibration) {
  constexpr double kDefault = 64;
  return std::max(1.0, calibration / kDefault);
}

// Other programs only slow a run down, for seconds at a time. So a run above its limit is repeated
// for up to this long, until one is below.
constexpr double kPatience_ns = 60e9;

// --- Trials --------------------------------------------------------------------------------------

struct Outcome {
  double wall_ns = 0;
  std::uint64_t packet_hops = 0;
  Picoseconds end;  // when the last message was done
  bool finished = false;
};

Outcome simulate(const bench::TrialSpec& spec, unsigned threads) {
  fabric::Fabric fabric(spec.dut, {fabric::Core::kWindowed, threads});
  const bench::SimHosts hosts(spec, fabric);
  Outcome outcome;
  const auto start = Clock::now();
  while (!hosts.workloadFinished()) {
    const auto next = fabric.nextEvent();
    if (!next) break;
    fabric.runUntil(std::max(*next, fabric.now()) + microseconds(20));
  }
  outcome.wall_ns = nanosecondsSince(start);
  outcome.finished = hosts.workloadFinished();
  for (const workload::JobResult& job : hosts.jobResults()) {
    outcome.finished = outcome.finished && job.total.messages_failed == 0;
    outcome.end = std::max(outcome.end, job.total.last_done);
  }
  for (fabric::LinkId link = 0; link < fabric.topology().links().size(); ++link) {
    outcome.packet_hops += fabric.linkCounters(link).frames();
  }
  return outcome;
}

// The same workload on the minimal simulator, and the required speed of the full model on a machine
// on which that one needs `minimal_ns` per packet-hop.
struct Comparison {
  std::string name;
  std::vector<minimal::Message> messages;
  std::uint32_t at_once = 1;
  double asked_ns = 0;
  double minimal_ns = 0;
};

// The minimal simulator's outcome, and its minimum of ns per packet-hop: a run before each of the
// full model's, so that both run under about the same conditions.
class MinimalRuns {
 public:
  explicit MinimalRuns(const Comparison& comparison) : comparison_(comparison) {}

  [[nodiscard]] bool any() const { return !comparison_.messages.empty(); }

  void once() {
    const auto start = Clock::now();
    outcome_ = minimal::run(comparison_.messages, comparison_.at_once);
    least_ns_ = std::min(least_ns_, nanosecondsSince(start));
  }

  // `wall_ns`: total time of the full model, `per_hop` its time per packet-hop.
  void report(benchmark::State& state, double wall_ns, double per_hop) const {
    if (!outcome_.finished) fail(state, "the minimal simulator did not finish");
    const double minimal_per_hop = least_ns_ / static_cast<double>(outcome_.hops);
    state.counters["experiment_ns"] = minimal_per_hop;
    state.counters["vs_experiment"] = per_hop / minimal_per_hop;
    state.counters["time_vs_experiment"] = wall_ns / least_ns_;
    state.counters["asked_ns"] = comparison_.asked_ns;
    state.counters["bar_ns"] = comparison_.asked_ns / comparison_.minimal_ns * minimal_per_hop;
    state.counters["experiment_hops"] = static_cast<double>(outcome_.hops);
    state.counters["experiment_us"] = static_cast<double>(outcome_.end_ps) / 1e6;
  }

 private:
  const Comparison& comparison_;
  minimal::Outcome outcome_;
  double least_ns_ = std::numeric_limits<double>::infinity();
};

// The allowed ns per packet-hop where the calibration loop takes its usual time.
struct Demand {
  std::string what;
  double ns = std::numeric_limits<double>::infinity();
};

struct Figures {
  double usual_ns = 0;  // per packet-hop, where the calibration loop takes its usual time
  double peak_mb = 0;
};

// Runs `spec` once per iteration; reports the fastest.
Figures measure(benchmark::State& state, const bench::TrialSpec& spec, unsigned threads,
                const Demand& asked, const Comparison& comparison = {}) {
  MinimalRuns minimal(comparison);
  double calibration = std::min(calibrate(), calibrate());
  double min = std::numeric_limits<double>::infinity();
  double peak = 0;
  int runs = 0;
  Outcome outcome;
  const auto once = [&] {
    if (minimal.any()) minimal.once();
    resetPeakMemory();
    outcome = simulate(spec, threads);
    min = std::min(min, outcome.wall_ns);
    peak = std::max(peak, peakMegabytes());
    ++runs;
  };
  trimPaged();  // memory of other benchmarks must not be reused
  for ([[maybe_unused]] auto _ : state) {
    once();
    state.SetIterationTime(outcome.wall_ns / 1e9);
  }
  calibration = std::min(calibration, calibrate());
  const auto usual = [&] {
    return min / static_cast<double>(outcome.packet_hops) / slowdown(calibration);
  };
  const auto start = Clock::now();
  while (usual() > asked.ns * room && nanosecondsSince(start) < kPatience_ns) {
    once();
    calibration = std::min(calibration, calibrate());
  }
  demand(asked.what, usual(), asked.ns * room);
  if (!outcome.finished) fail(state, "the workload did not finish");
  const double per_hop = min / static_cast<double>(outcome.packet_hops);
  state.counters["ns_per_hop"] = per_hop;
  state.counters["ratio"] = per_hop / calibration;
  state.counters["calib_ns"] = calibration;
  state.counters["hops"] = static_cast<double>(outcome.packet_hops);
  state.counters["peak_MB"] = peak;
  state.counters["runs"] = runs;
  state.counters["sim_us"] = outcome.end.toMicroseconds();
  if (minimal.any()) minimal.report(state, min, per_hop);
  return {usual(), peak};
}

// One of scenarios/bench/.
bench::TrialSpec shipped(const std::string& name) {
  const std::string free(scenario::kFreeProcedure);
  const scenario::Scenario scenario = scenario::loadScenario(
      checkoutPath("scenarios/bench/" + std::string(name) + ".yaml"),
      {.tests = {free}, .benches = {"rtl", "sim"}, .on_hosts = {free}, .with_workload = {free}});
  bench::TrialSpec spec;
  spec.dut = scenario.fabricSpec();
  spec.transport = scenario.transport;
  spec.workload = scenario.workloadSpec();
  return spec;
}

void allReduce128(benchmark::State& state) {
  const Figures figures =
      measure(state, shipped("allreduce128"), 1, {"allreduce128: ns per packet-hop", 60});
  demand("allreduce128: peak memory in MB", figures.peak_mb, 100);
}

// The three that the minimal simulator runs as well, the incast once with PFC and once with NSCC,
// which is closer to the minimal simulator: the full model's limits are 80, 60 and 60 ns where that
// one needs 79, 40 and 38. There every packet is acknowledged, so that half of the hops are those
// of short frames; the full model's are such hops, too, if it is `ack_each`.
enum class Acks { kAsShipped, kEach };

bench::TrialSpec compared(const std::string& name, Acks acks) {
  bench::TrialSpec spec = shipped(name);
  if (acks == Acks::kAsShipped) return spec;
  if (auto* roce = std::get_if<transport::RoceSpec>(&*spec.transport)) {
    roce->ack_every = 1;
  } else {
    std::get<transport::UetSpec>(*spec.transport).ack_per_packet = true;
  }
  return spec;
}

// Runs `spec` beside the minimal simulator, within the time limit of that comparison.
void measureBeside(benchmark::State& state, const bench::TrialSpec& spec,
                   const Comparison& comparison) {
  measure(state, spec, 1, {comparison.name + ": ns per packet-hop", comparison.asked_ns},
          comparison);
}

void incast32(benchmark::State& state, const std::string& name, Acks acks) {
  measureBeside(state, compared(name, acks), {name, minimal::incast(32, 4096), 1, 80, 79});
}

void permutation128(benchmark::State& state, Acks acks) {
  const std::string name = "permutation128";
  measureBeside(state, compared(name, acks), {name, minimal::permutation(4096), 1, 60, 40});
}

void alltoall128(benchmark::State& state, Acks acks) {
  const std::string name = "alltoall128";
  measureBeside(state, compared(name, acks), {name, minimal::allToAll(64), 8, 60, 38});
}

// The permutation of permutation128 with messages of 16 KiB, the next when the previous one is
// done, each on another of 256 PDCs of its pair; idle PDCs close after 10 us, so that nearly every
// message opens one. Closed PDCs must not slow down open ones.
void flowsEverOpened(benchmark::State& state) {
  bench::TrialSpec spec = shipped("permutation128");
  auto& uet = std::get<transport::UetSpec>(*spec.transport);
  uet.close_after = microseconds(10);
  uet.linger = microseconds(100);
  workload::JobSpec& job = spec.workload->jobs.at(0);
  job.flows = 256;
  auto& program = std::get<workload::MessageProgram>(job.program);
  program.bytes = 16'384;
  program.messages = static_cast<std::uint64_t>(state.range(0));
  static Demand asked;  // of as many, by the time for the fewest
  const double ns = measure(state, spec, 1, asked).usual_ns;
  asked = {"ns per packet-hop with ten times as many flows ever opened", 1.2 * ns};
}

// The switches of `spec` replaced by 32 leaves with 32 hosts each and 32 spines.
void enlarge(bench::TrialSpec& spec) {
  spec.dut.topology.leaves = 32;
  spec.dut.topology.spines = 32;
  spec.dut.topology.hosts_per_leaf = 32;
  spec.workload->jobs.at(0).placement.ranks = spec.dut.topology.hostCount();
}

// allreduce128 with 1,024 ranks: 2,046 rounds of 64 KiB from each.
void allReduce1024(benchmark::State& state) {
  bench::TrialSpec spec = shipped("allreduce128");
  enlarge(spec);
  measure(state, spec, 1, {});
}

// 1,024 hosts; 4 MiB from each to the host of the same place on the next
// leaf.
void threads(benchmark::State& state) {
  bench::TrialSpec spec = shipped("permutation128");
  enlarge(spec);
  auto& program = std::get<workload::MessageProgram>(spec.workload->jobs.at(0).program);
  program.shift = 32;
  program.bytes = 4U << 20;
  static double alone = std::numeric_limits<double>::infinity();  // ns per packet-hop
  const auto threads = static_cast<unsigned>(state.range(0));
  Demand asked;
  if (threads > 1 && threads <= std::thread::hardware_concurrency()) {
    asked = {fmt::format("{} threads: ns per packet-hop", threads),
             alone * (threads < 4 ? 1.05 : 1 / 1.8)};
  }
  const double ns = measure(state, spec, threads, asked).usual_ns;
  if (threads == 1) alone = ns;
}

void calibration(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(calibrate());
  state.counters["calib_ns"] = calibrate();
}

constexpr int kRuns = 5;

BENCHMARK(calibration)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(incast32, as_shipped, "incast32", Acks::kAsShipped)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(kRuns);
BENCHMARK_CAPTURE(incast32, ack_each, "incast32", Acks::kEach)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(kRuns);
BENCHMARK_CAPTURE(incast32, nscc_as_shipped, "incast32-nscc", Acks::kAsShipped)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(kRuns);
BENCHMARK_CAPTURE(incast32, nscc_ack_each, "incast32-nscc", Acks::kEach)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(kRuns);
BENCHMARK_CAPTURE(permutation128, as_shipped, Acks::kAsShipped)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(kRuns);
BENCHMARK_CAPTURE(permutation128, ack_each, Acks::kEach)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(kRuns);
BENCHMARK_CAPTURE(alltoall128, as_shipped, Acks::kAsShipped)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(kRuns);
BENCHMARK_CAPTURE(alltoall128, ack_each, Acks::kEach)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(kRuns);
BENCHMARK(allReduce128)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(kRuns);
BENCHMARK(flowsEverOpened)
    ->ArgName("messages")
    ->Arg(100)
    ->Arg(1'000)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(kRuns);
BENCHMARK(allReduce1024)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(1);
BENCHMARK(threads)
    ->Arg(1)
    ->Arg(2)
    ->Arg(4)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(kRuns);

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc == 2 && std::string_view(argv[1]).starts_with(kRoomOption)) {
    room = std::strtod(argv[1] + kRoomOption.size(), nullptr);
    --argc;
  }
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (room < 1) {
    fmt::print(stderr, "fabric_bench: {} takes a number, 1 or more\n", kRoomOption);
    return 2;
  }
  benchmark::RunSpecifiedBenchmarks();
  return all_well ? 0 : 1;
}
