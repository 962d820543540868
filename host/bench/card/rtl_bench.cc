#include "bench/card/rtl_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <variant>

#include "base/error.h"
#include "bench/card/card_capabilities.h"
#include "bench/card/card_group.h"
#include "bench/card/rtl_trial.h"
#include "bench/sim/sim_hosts.h"
#include "bench/trial/calibration.h"
#include "bench/trial/trial_footprint.h"
#include "sim/wire.h"
#include "workload/pattern.h"

namespace plumbline::bench {
namespace {

// Ports of the card models. The smallest sufficient one is used, since each port costs time in
// every clock. More hosts than the largest model has ports get several cards.
constexpr std::array<std::uint32_t, 3> kCardSizes{2, 3, 4};
// Side by side, of the largest size.
constexpr std::uint32_t kMaxCards = 4;

// Beats of a frame after its first; the card hands them over one per clock.
std::int64_t laterBeats(Bytes frame) {
  return (frame.count() + sim::kBeatBytes - 1) / sim::kBeatBytes - 1;
}

// The DUT gets a frame only after it has left the card completely: nothing that follows from its
// first bit may happen before. Slack of a few clocks for a pause of the card within a frame.
constexpr std::int64_t kSlackClocks = 8;

Picoseconds leadNeeded(Bytes frame) {
  return (laterBeats(frame) + kSlackClocks) * sim::kClockPeriodMax - sim::kMacTxLatency;
}

// Time from a frame's first bit at the card to the first event in the DUT that follows from it.
// Store and forward waits for the last bit, which is always late enough.
Picoseconds firstEvent(const fabric::FabricSpec& dut) {
  const bool link = dut.topology.kind == fabric::TopologyKind::kLink;
  return dut.topology.host_link_delay + (link ? Picoseconds() : dut.switches.latency);
}

bool actsOnFirstBit(const fabric::FabricSpec& dut) {
  return dut.topology.kind == fabric::TopologyKind::kLink ||
         dut.switches.forwarding == fabric::Forwarding::kCutThrough;
}

// Why `job`, with ranks on `hosts`, cannot have a rank on a port of the tester. The card sends its
// streams only, and does not answer.
const char* refusalOnPort(const TrialSpec& spec, const workload::JobSpec& job,
                          const std::vector<fabric::HostId>& hosts, fabric::HostId port) {
  const auto* roce = spec.transport ? std::get_if<transport::RoceSpec>(&*spec.transport) : nullptr;
  const auto* messages = std::get_if<workload::MessageProgram>(&job.program);
  if (roce == nullptr || roce->service != transport::RoceService::kUc || messages == nullptr) {
    return "the card answers no messages, so only messages over RoCE UC can go there";
  }
  const auto ranks = static_cast<std::uint32_t>(hosts.size());
  for (const auto& pair : pairsOf(*messages, ranks, spec.workload->seed, job.name)) {
    if (hosts[pair.first] == port) return "the card sends no messages";
  }
  return nullptr;
}

void refuseRanksOnPorts(const TrialSpec& spec, const workload::Workload& workload,
                        std::vector<std::string>& refusals) {
  const std::vector<std::uint32_t> ports = usedHosts(spec);
  for (std::size_t i = 0; i < workload.placement().size(); ++i) {
    const workload::JobSpec& job = spec.workload->jobs[i];
    const std::vector<fabric::HostId>& hosts = workload.placement()[i];
    for (const fabric::HostId host : hosts) {
      if (!std::binary_search(ports.begin(), ports.end(), host)) continue;
      if (const char* why = refusalOnPort(spec, job, hosts, host)) {
        refusals.push_back(fmt::format("job '{}' has a rank on host {}, a port of the tester: {}",
                                       job.name, host, why));
      }
    }
  }
}

}  // namespace

RtlBench::RtlBench(RtlBenchOptions options)
    : options_(std::move(options)),
      capabilities_(cardCapabilities(sim::kLineRate, sim::kClockPeriodMax)) {
  capabilities_.name = "rtl";
  capabilities_.max_ports = kMaxCards * kCardSizes.back();
  capabilities_.description =
      fmt::format("the Verilated tester card, {} x 100G, up to {} of them, before a simulated DUT",
                  kCardSizes.back(), kMaxCards);
  capabilities_.simulated_dut = true;
  capabilities_.link_retry = true;
  capabilities_.departures = true;
  capabilities_.trial_overhead = microseconds(75);
  capabilities_.wall_seconds_per_second = 0;
  capabilities_.wall_seconds_per_port_second = 450;
  capabilities_.card_ports.assign(kCardSizes.begin(), kCardSizes.end());
}

RtlBench::~RtlBench() = default;

std::vector<std::string> RtlBench::refusals(const TrialSpec& spec) const {
  if (auto why = memoryRefusalOf(spec)) return {*std::move(why)};
  std::vector<std::string> refusals = planRefusals(spec, capabilities_);
  if (actsOnFirstBit(spec.dut)) {
    Bytes longest;
    for (const StreamSpec& stream : spec.streams) longest = std::max(longest, stream.frame);
    if (firstEvent(spec.dut) < leadNeeded(longest)) {
      refusals.push_back(fmt::format(
          "frames of {} B need {} ns to leave the simulated card, but the DUT would act on their "
          "first bit after {} ns: a longer link delay{}, or shorter frames",
          longest.count(), leadNeeded(longest).toNanoseconds(),
          firstEvent(spec.dut).toNanoseconds(),
          spec.dut.topology.kind == fabric::TopologyKind::kLink
              ? ""
              : ", a higher latency, store-and-forward switches"));
    }
  }
  if (spec.dut.topology.kind == fabric::TopologyKind::kLink &&
      spec.dut.topology.host_link_delay < sim::kClockPeriodMax) {
    refusals.push_back(fmt::format("a link delay of {} ps is below the resolution of {} ps",
                                   spec.dut.topology.host_link_delay.count(),
                                   sim::kClockPeriodMax.count()));
  }
  if (spec.recordsFabric()) {
    refusals.emplace_back("only the sim bench samples a trial as it runs");
  }
  try {
    const fabric::FabricPlan possible(spec.dut);
    const std::vector<std::uint32_t> ports = usedHosts(spec);
    checkSimHosts(spec, possible, {ports.begin(), ports.end()});
    if (spec.workload) {
      refuseRanksOnPorts(spec, workload::Workload(*spec.workload, possible.hostCount()), refusals);
    }
  } catch (const Error& error) {
    refusals.emplace_back(error.what());
  }
  return refusals;
}

CardGroup& RtlBench::cardsFor(std::size_t hosts) {
  const auto one = std::lower_bound(kCardSizes.begin(), kCardSizes.end(), hosts);
  const std::uint32_t size = one == kCardSizes.end() ? kCardSizes.back() : *one;
  const auto cards = static_cast<std::uint32_t>((hosts + size - 1) / size);
  std::unique_ptr<CardGroup>& group = groups_[cards * size];
  if (options_.fresh_card) group.reset();
  if (!group) {
    std::string trace = options_.trace_fst;
    if (!trace.empty() && traced_) trace += fmt::format(".{}ports", cards * size);
    traced_ = true;
    group = std::make_unique<CardGroup>(cards, size, trace);
  }
  return *group;
}

TrialResult RtlBench::run(const TrialSpec& spec, const TrialHooks& hooks) {
  if (const auto reasons = refusals(spec); !reasons.empty()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the rtl bench cannot run this trial: {}", fmt::join(reasons, "; ")));
  }
  const auto started = std::chrono::steady_clock::now();
  TrialResult result;
  try {
    result = RtlTrial(cardsFor(usedHosts(spec).size()), spec, capabilities_, hooks).run();
  } catch (...) {
    // The cards are in an undefined state: the next trial creates new ones.
    groups_.clear();
    throw;
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
  result.bench = capabilities_.name;
  result.observed = capabilities_.observed;
  result.wall_seconds = wall.count();
  return result;
}

}  // namespace plumbline::bench
