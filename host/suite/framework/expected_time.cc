#include "suite/framework/expected_time.h"

#include <algorithm>
#include <ctime>
#include <limits>

#include "bench/sim/sim_bench.h"

namespace plumbline::suite {
namespace {

// Cost of a packet-hop of the simulation below on the reference machine.
constexpr double kReferenceNs = 75;
constexpr int kRuns = 3;

// Every host sends 1 MiB to the host of the same place on the next leaf: this exercises most of the
// code of simulated hosts and switches, with as much memory as the suite's fabrics.
bench::TrialSpec permutation() {
  bench::TrialSpec spec;
  fabric::TopologySpec& topology = spec.dut.topology;
  topology.kind = fabric::TopologyKind::kClos2;
  topology.leaves = topology.spines = topology.hosts_per_leaf = 8;
  topology.link_rate = gigabitsPerSecond(400);
  spec.dut.switches.shared_buffer.emplace();
  spec.transport = transport::RoceSpec();
  workload::JobSpec job;
  job.name = "permutation";
  job.placement.ranks = topology.hostCount();
  workload::MessageProgram program;
  program.pattern = workload::Pattern::kShift;
  program.shift = topology.hosts_per_leaf;
  program.bytes = std::uint64_t{1} << 20;
  program.messages = 1;
  job.program = program;
  spec.workload.emplace().jobs.push_back(std::move(job));
  return spec;
}

// Of the calling thread, which simulates: the program's other threads do not count.
double processorSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

double measureSlowdown() {
  const bench::TrialSpec spec = permutation();
  bench::SimBench bench({.line_rate = spec.dut.topology.link_rate});
  double min = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) {
    const double begin = processorSeconds();
    const bench::TrialResult trial = bench.run(spec, {});
    const double taken = processorSeconds() - begin;
    min = std::min(min, taken * 1e9 / static_cast<double>(trial.fabric->packet_hops));
  }
  return min / kReferenceNs;
}

double machineSlowdown() {
  static const double slowdown = measureSlowdown();
  return slowdown;
}

double expectedSeconds(const Plan& plan, std::uint32_t hosts, const bench::Capabilities& bench,
                       double slowdown) {
  const double hosts_set_up = static_cast<double>(plan.trials_expected) * hosts;
  const double simulating = plan.port_time.toSeconds() * bench.wall_seconds_per_port_second +
                            plan.packet_hops * plan.hop_cost * bench.wall_ns_per_packet_hop / 1e9 +
                            hosts_set_up * bench.wall_us_per_host / 1e6;
  return plan.simulated_time.toSeconds() * bench.wall_seconds_per_second + simulating * slowdown;
}

}  // namespace plumbline::suite
