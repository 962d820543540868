// T7.4 PFC storm and deadlock (training draft, section 7.4).
//
// A fabric of its own, since a Clos that routes up and down has no cycle: two spines, four leaves
// of sixteen hosts, two of the eight uplinks down, so that flows between leaves 3 and 4 bounce at
// another leaf and four links wait for each other (spine 1 > leaf 1 > spine 2 > leaf 2 > spine 1).
// Hosts of leaf 1 and 2 send to each other, those of leaf 3 and 4 as well, one flow each, all in
// one lossless class, 84 % of a link from every leaf; then one host pauses its leaf for a while
// (the trigger). Without the trigger, with it, and with it and the PFC watchdog of either action.
// The switches are the scenario's, with ECMP, and so is the watchdog's timing; where the scenario
// has no watchdog, a timing of the test's own that is declared.
//
// Measured, from samples of what every flow receives: deadlock, that is no flow makes progress in
// the last quarter of the trial, after the trigger is gone; zero-throughput time, the longest
// stretch in which none does; recovery, from the trigger's end until the hosts together receive 90
// % of what they did before it (all three only where the pauses went around the cycle); PAUSE
// frames, watchdog events, packets that the watchdog dropped.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "bench/sim/route_probe.h"
#include "bench/sim/sim_hosts.h"
#include "fabric/engine/fabric.h"
#include "suite/framework/early_end.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/figures.h"
#include "suite/training/pfc_deadlock.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

constexpr Bytes kDeadlockFrame{1024};
constexpr Fraction kFlowLoad = Fraction::percent(42);  // of all chosen ones of a leaf
// The trigger; in trials shorter than 4 ms, as shares of the trial. It lasts longer where the
// scenario's xoff requires that (closingTime()).
constexpr Picoseconds kTriggerBegin = microseconds(400);
constexpr Picoseconds kTriggerLength = microseconds(200);
// The links that wait for each other. By leaf of the sender, the one that its flows must take.
constexpr std::array<const char*, kCycleLeaves> kCycleLinks{"leaf1-spine2", "leaf2-spine1",
                                                            "spine1-leaf1", "spine2-leaf2"};
constexpr Picoseconds kCycleDelay = nanoseconds(250);  // of these links
// Of samples, resp. of the rate that recovery is judged by.
constexpr Picoseconds kSampleInterval = microseconds(10);
constexpr std::int64_t kDeadlockSamples = 400;
constexpr std::int64_t kMaxDeadlockSamples = 20'000;
constexpr std::size_t kRecoveryWindow = 10;
// Duration of a trial in the profile `standard`: a hundred times the trigger's. A deadlock is
// permanent, and a watchdog acts in less than 1 ms.
constexpr Picoseconds kEnoughForDeadlock = milliseconds(20);
// Where the scenario has no watchdog.
constexpr Picoseconds kPoll = microseconds(100);
constexpr Picoseconds kDetection = microseconds(200);
constexpr Picoseconds kRestoration = microseconds(200);

enum class DeadlockCase { kNoTrigger, kTrigger, kDrop, kForward };

std::string caseName(DeadlockCase kind) {
  switch (kind) {
    case DeadlockCase::kNoTrigger:
      return "no trigger";
    case DeadlockCase::kTrigger:
      return "trigger, no watchdog";
    case DeadlockCase::kDrop:
      return "trigger, watchdog drops";
    case DeadlockCase::kForward:
      break;
  }
  return "trigger, watchdog forwards";
}

Picoseconds triggerBegin(Picoseconds duration) { return std::min(kTriggerBegin, duration / 10); }

// In the last quarter of a trial it is seen whether flows make progress.
Picoseconds lastQuarter(Picoseconds duration) { return duration / 4 * 3; }

// The longest time until one host's pauses have closed the cycle, in whole microseconds. Five
// inputs fill up to xoff, one after the other: that of leaf 4, at worst from a single one of leaf
// 3's flows, and one of each of the four switches of the cycle, from all of a leaf's flows. Each
// then pauses the link before it.
Picoseconds closingTime(const TestConfig& config) {
  const fabric::PfcSpec& pfc = *config.scenario.switches.pfc;
  const BitRate rate = config.scenario.topology.link_rate;
  auto xoff = static_cast<double>(pfc.xoff.count());
  if (pfc.dynamic_alpha && config.scenario.switches.shared_buffer) {
    // A share of what is free beside the input itself.
    const double alpha = pfc.dynamic_alpha->toDouble();
    xoff = alpha / (1 + alpha) *
           static_cast<double>(config.scenario.switches.shared_buffer->total.count());
  }
  const Picoseconds slot = frameSlot(kDeadlockFrame, rate);
  const double frames = xoff / static_cast<double>(kDeadlockFrame.count());
  const double fills = kCycleHostsPerLeaf + kCycleLeaves;  // at the rate of all flows of a leaf
  const double filling = frames * fills * slot.toMicroseconds() / kFlowLoad.toDouble();
  // The frame that reaches xoff, and the one that the PAUSE frame waits for.
  const Picoseconds taking_effect =
      (kCycleDelay + slot * 2 + pfc.response) * (1 + std::int64_t{kCycleLeaves});
  return microseconds(
      static_cast<std::int64_t>(std::ceil(filling + taking_effect.toMicroseconds())));
}

Picoseconds triggerLength(const TestConfig& config, Picoseconds duration) {
  return std::max(std::min(kTriggerLength, duration / 20), closingTime(config));
}

// What the report needs to know again.
struct Deadlock {
  Picoseconds duration;
  Picoseconds trigger_end;
  Picoseconds closing;             // closingTime()
  bool watchdog_too_late = false;  // perhaps, to act before the trial's last quarter
};

Picoseconds deadlockSampling(Picoseconds duration) {
  return std::min(duration / kDeadlockSamples,
                  std::max(kSampleInterval, duration / kMaxDeadlockSamples));
}

// The lossless priority that the test's flows use.
std::uint8_t losslessPriority(const TestConfig& config) {
  return static_cast<std::uint8_t>(
      std::countr_zero(std::uint32_t{config.scenario.switches.pfc->priorities}));
}

fabric::WatchdogSpec watchdogOf(const TestConfig& config) {
  if (const auto& own = config.scenario.switches.pfc->watchdog) return *own;
  return {.poll = kPoll, .detection = kDetection, .restoration = kRestoration};
}

fabric::TopologySpec cyclicTopology(BitRate rate, std::uint32_t own_hosts) {
  fabric::TopologySpec topology;
  topology.kind = fabric::TopologyKind::kGraph;
  topology.link_rate = rate;
  fabric::GraphSpec& graph = topology.graph;
  graph.switches = {"spine1", "spine2", "leaf1", "leaf2", "leaf3", "leaf4"};
  for (std::uint32_t leaf = 1; leaf <= kCycleLeaves; ++leaf) {
    const std::string name = fmt::format("leaf{}", leaf);
    for (std::uint32_t i = 0; i < kCycleHostsPerLeaf; ++i) {
      graph.hosts.push_back(fmt::format("host{}", graph.hosts.size()));
      graph.cables.push_back({graph.hosts.back(), name, rate, nanoseconds(50)});
    }
    graph.cables.push_back({"spine1", name, rate, kCycleDelay});
    graph.cables.push_back({"spine2", name, rate, kCycleDelay});
  }
  for (std::uint32_t i = 0; i < kCycleLeaves * own_hosts; ++i) {
    graph.hosts.push_back(fmt::format("host{}", graph.hosts.size()));
    graph.cables.push_back(
        {graph.hosts.back(), fmt::format("leaf{}", i / own_hosts + 1), rate, nanoseconds(50)});
  }
  return topology;
}

// One flow from every host, 1 % of its link.
std::vector<bench::StreamSpec> allFlows(std::uint8_t priority) {
  std::vector<bench::StreamSpec> flows;
  for (std::uint32_t from = 0; from < kCycleHosts; ++from) {
    bench::StreamSpec stream;
    stream.from = from;
    stream.to = (from / kCycleHostsPerLeaf ^ 1U) * kCycleHostsPerLeaf + from % kCycleHostsPerLeaf;
    stream.name = fmt::format("host{} to host{}", stream.from, stream.to);
    stream.format.priority = priority;
    stream.format.dscp = static_cast<std::uint8_t>(priority << 3);
    stream.frame = kDeadlockFrame;
    stream.load = bench::ConstantLoad{Fraction::percent(1)};
    flows.push_back(std::move(stream));
  }
  return flows;
}

// A few frames of each flow show which ones take the cycle's links: leaf 1 by spine 2, leaf 2 by
// spine 1, leaf 3 bouncing at leaf 1, leaf 4 bouncing at leaf 2.
std::vector<bench::StreamSpec> flowsOfTheCycle(bench::TrialSpec spec, std::uint8_t priority) {
  spec.dut.storms.clear();
  spec.workload.reset();
  spec.sampling.reset();
  spec.streams = allFlows(priority);
  spec.duration = frameSlot(kDeadlockFrame, spec.dut.topology.link_rate) * 400;
  fabric::Fabric fabric(spec.dut);
  bench::RouteProbe probe;
  fabric.observe(probe);
  const bench::SimHosts hosts(spec, fabric);
  fabric.runUntil(spec.duration + microseconds(50));
  const auto routes = probe.routes();
  // All flows stay in the trial: a flow's source port, and so its path, depends on its index.
  std::vector<bool> chosen;
  std::array<std::int64_t, kCycleLeaves> count{};
  for (const bench::StreamSpec& flow : spec.streams) {
    const std::uint32_t leaf = flow.from / kCycleHostsPerLeaf;
    const fabric::LinkId wanted = *fabric.topology().findLink(kCycleLinks[leaf]);
    const auto route = routes.find({flow.from, flow.to});
    chosen.push_back(
        route != routes.end() &&
        std::any_of(route->second.begin(), route->second.end(),
                    [wanted](const bench::LinkUse& use) { return use.link == wanted; }));
    if (chosen.back()) ++count[leaf];
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    bench::StreamSpec& flow = spec.streams[i];
    if (chosen[i]) {
      flow.load = bench::ConstantLoad{Fraction::partsPerTrillion(
          kFlowLoad.partsPerTrillion() / count[flow.from / kCycleHostsPerLeaf])};
    } else {
      // One frame at the start of the trial. The delivery of a later one would pass for progress of
      // a deadlocked cycle.
      flow.load = bench::BurstLoad{};
    }
  }
  return std::move(spec.streams);
}

// Of leaf 4, where flows that bounce at leaf 1 end.
std::uint32_t triggerHost(const std::vector<bench::StreamSpec>& flows) {
  for (const bench::StreamSpec& flow : flows) {
    if (flow.from / kCycleHostsPerLeaf == 2 &&
        std::holds_alternative<bench::ConstantLoad>(flow.load)) {
      return flow.to;
    }
  }
  return kCycleHosts - 1;
}

bench::TrialSpec deadlockTrial(const TestConfig& config,
                               const std::vector<bench::StreamSpec>& flows, DeadlockCase kind,
                               const Deadlock& test, std::uint32_t own_hosts) {
  const BitRate rate = config.scenario.topology.link_rate;
  bench::TrialSpec spec = emptyTrial(config);
  spec.workload.reset();
  spec.dut.topology = cyclicTopology(rate, own_hosts);
  spec.dut.failures = {{"spine1-leaf4", Picoseconds(0), std::nullopt},
                       {"spine2-leaf3", Picoseconds(0), std::nullopt}};
  spec.dut.convergence = Picoseconds(0);
  fabric::SwitchSpec& switches = spec.dut.switches;
  // Flows must stay on the links of the cycle, and only PFC may hold them back.
  switches.load_balancing = fabric::LoadBalancingSpec();
  switches.cbfc.reset();
  switches.pfc->watchdog.reset();
  if (kind == DeadlockCase::kDrop || kind == DeadlockCase::kForward) {
    fabric::WatchdogSpec watchdog = watchdogOf(config);
    watchdog.action = kind == DeadlockCase::kDrop ? fabric::WatchdogSpec::Action::kDrop
                                                  : fabric::WatchdogSpec::Action::kForward;
    switches.pfc->watchdog = watchdog;
  }
  if (kind != DeadlockCase::kNoTrigger) {
    spec.dut.storms.push_back(
        {triggerHost(flows), static_cast<fabric::PriorityMask>(1U << losslessPriority(config)),
         triggerBegin(test.duration), test.trigger_end - triggerBegin(test.duration)});
  }
  spec.streams = flows;
  spec.duration = test.duration;
  spec.drain = Picoseconds(0);
  spec.sampling.emplace().interval = deadlockSampling(test.duration);
  return spec;
}

}  // namespace

std::vector<std::string> PfcDeadlockProcedure::kpis() const {
  return {"deadlock",  "zero_throughput_us", "recovery_us",
          "pfc_per_s", "watchdog_events",    "watchdog_drops"};
}

Picoseconds PfcDeadlockProcedure::durationOf(const TestConfig& config, Numbers& numbers) {
  // Twice the time of the trigger leaves room for what comes after it.
  const Picoseconds enough = (kTriggerBegin + closingTime(config)) * 2;
  return numbers.atLeast<Picoseconds>("Duration", seconds(300), std::max(milliseconds(4), enough),
                                      mayEndEarly(config) ? std::max(kEnoughForDeadlock, enough)
                                                          : config.scenario.parameters.duration);
}

// Other seeds lead to other paths: the flows of the cycle must be determined again.
bench::TrialSpec PfcDeadlockProcedure::repetitionOf(const SweepPoint& point,
                                                    std::uint32_t repetition) const {
  bench::TrialSpec spec = FabricProcedure::repetitionOf(point, repetition);
  if (repetition == 0) return spec;
  const std::uint8_t priority = spec.streams.front().format.priority;
  spec.streams = flowsOfTheCycle(spec, priority);
  // The trigger is the last storm; those before it are the scenario's.
  auto& storms = spec.dut.storms;
  if (!storms.empty() && storms.back().start == triggerBegin(spec.duration) &&
      storms.back().host == triggerHost(point.spec.streams)) {
    storms.back().host = triggerHost(spec.streams);
  }
  return spec;
}

Design PfcDeadlockProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Case", ""}};
  if (!config.scenario.switches.pfc || config.scenario.switches.pfc->priorities == 0) {
    design.refusals.emplace_back("the DUT has no PFC: dut.switch.pfc");
    return design;
  }
  Deadlock test;
  test.duration = durationOf(config, design.numbers);
  test.closing = closingTime(config);
  const Picoseconds begin = triggerBegin(test.duration);
  test.trigger_end = begin + triggerLength(config, test.duration);
  if (test.trigger_end > lastQuarter(test.duration)) {
    test.trigger_end = lastQuarter(test.duration);
    design.numbers.deviation(
        fmt::format("the trial of {} has no room for a trigger of {}, which xoff and the rate of "
                    "the links require; it lasts {}",
                    valueText(test.duration), valueText(triggerLength(config, test.duration)),
                    valueText(test.trigger_end - begin)));
  }
  design.numbers.configure("DUT of this test",
                           "2 spines, 4 leaves of 16 hosts, spine1-leaf4 and spine2-leaf3 down; "
                           "switches as the scenario has them, with ECMP");
  design.numbers.deviation(
      "the topology is the test's own, not the scenario's: routes of a Clos up and down have no "
      "cycle");
  const fabric::WatchdogSpec watchdog = watchdogOf(config);
  const std::string timing =
      fmt::format("poll {}, detection {}, restoration {}", valueText(watchdog.poll),
                  valueText(watchdog.detection), valueText(watchdog.restoration));
  design.numbers.configure("Watchdog", timing);
  if (!config.scenario.switches.pfc->watchdog) {
    design.numbers.deviation(
        "the scenario's switches have no PFC watchdog (dut.switch.pfc.watchdog); the cases with "
        "one have the test's own: " +
        timing);
  }
  // A look at the queues finds them stuck, and another one that they are after `detection`.
  const Picoseconds acted = begin + test.closing + watchdog.detection + watchdog.poll * 2;
  test.watchdog_too_late = acted > lastQuarter(test.duration);
  if (test.watchdog_too_late) {
    design.numbers.deviation(
        fmt::format("the last quarter of the trial of {} may begin before the watchdog acts, which "
                    "is after {} at the latest: {}",
                    valueText(test.duration), valueText(acted), timing));
  }
  const bench::TrialSpec bare =
      deadlockTrial(config, {}, DeadlockCase::kNoTrigger, test, ownHosts());
  try {
    fabric::validate(bare.dut);
  } catch (const Error& error) {
    // Faults of the scenario name links and hosts of its own topology.
    design.refusals.push_back(
        fmt::format("the topology is the test's own, not the scenario's: {}", error.what()));
    return design;
  }
  const std::vector<bench::StreamSpec> flows = flowsOfTheCycle(bare, losslessPriority(config));
  design.numbers.configure("Trigger", fmt::format("a host of leaf 4 pauses its leaf from {} to {}",
                                                  valueText(begin), valueText(test.trigger_end)));
  design.numbers.configure("Sample interval", valueText(deadlockSampling(test.duration)));
  describe(design.numbers);
  design.repetitions = design.numbers.repetitions(3, 2);
  design.hop_cost = 0.6;
  const double frames = test.duration.toSeconds() /
                        frameSlot(kDeadlockFrame, config.scenario.topology.link_rate).toSeconds() *
                        0.36;
  for (const auto kind : {DeadlockCase::kNoTrigger, DeadlockCase::kTrigger, DeadlockCase::kDrop,
                          DeadlockCase::kForward}) {
    bench::TrialSpec spec = deadlockTrial(config, flows, kind, test, ownHosts());
    addTraffic(config, test.duration, spec);
    design.add({caseName(kind)}, std::move(spec), 4 * 5 * frames);
  }
  design.carry(test);
  return design;
}

namespace {

// A flow of the cycle, or of a test's own traffic beside it.
bool isOfCycle(const bench::SampledFlow& flow) { return flow.from < kCycleHosts; }

// Payload that the flows of the cycle, resp. the others, had received by sample `i`.
std::uint64_t total(const bench::Samples& samples, std::size_t i, bool of_cycle = true) {
  std::uint64_t sum = 0;
  const auto& received = samples.samples[i].received;
  for (std::size_t flow = 0; flow < received.size(); ++flow) {
    if (isOfCycle(samples.flows[flow]) == of_cycle) sum += received[flow];
  }
  return sum;
}

bool deadlocked(const bench::TrialResult& trial) {
  const bench::Samples& samples = *trial.fabric->samples;
  const std::size_t last = samples.samples.size() - 1;
  return total(samples, last) == total(samples, last * 3 / 4);
}

// Whether flows of the cycle arrived in the second half of the time before the trigger, which is at
// most a fifth of the last quarter: where some do, none is silent for so long by itself.
bool flowed(const bench::TrialResult& trial, Picoseconds duration) {
  const bench::Samples& samples = *trial.fabric->samples;
  const auto begin = static_cast<std::size_t>(triggerBegin(duration) / samples.interval);
  return begin > 1 && begin <= samples.samples.size() &&
         total(samples, begin - 1) > total(samples, begin / 2);
}

// The links of the cycle that were not paused: "leaf1-spine2, leaf2-spine1".
std::string openLinks(const bench::TrialResult& trial) {
  std::vector<std::string> open;
  for (const char* name : kCycleLinks) {
    const auto& links = trial.fabric->links;
    if (std::none_of(links.begin(), links.end(), [name](const bench::LinkLoad& link) {
          return link.name == name && link.pauses > 0;
        })) {
      open.emplace_back(name);
    }
  }
  return listText(open);
}

// Why the trial of a repetition does not show whether there is a deadlock; empty: it does.
// `triggered`: the same repetition with the trigger and without a watchdog, for points with the
// trigger. Where pauses did not go around the cycle there, no deadlock could come.
std::string whyUnknown(const bench::TrialResult& trial, const bench::TrialResult* triggered,
                       const Deadlock& test) {
  if (!flowed(trial, test.duration)) {
    return fmt::format(
        "no flow made progress before the trigger at {}: the trial of {} is too short, or the DUT "
        "carried nothing, as in a PAUSE storm of the scenario",
        valueText(triggerBegin(test.duration)), valueText(test.duration));
  }
  if (triggered == nullptr) return {};
  if (const std::string open = openLinks(*triggered); !open.empty()) {
    const Picoseconds length = test.trigger_end - triggerBegin(test.duration);
    return fmt::format(
        "the trigger did not close the cycle: {} not paused. It lasts {}, {}", open,
        valueText(length),
        length < test.closing
            ? fmt::format("and xoff and the rate of the links require up to {}: lengthen "
                          "parameters.duration",
                          valueText(test.closing))
            : std::string("which is long enough for xoff at the rate of the links"));
  }
  // Pauses behind the trigger reach all four links before the queues of the cycle itself are full.
  if (const Picoseconds length = test.trigger_end - triggerBegin(test.duration);
      length < test.closing && !deadlocked(*triggered)) {
    return fmt::format(
        "the trigger may not have closed the cycle: it lasts {}, and xoff and the rate of the "
        "links "
        "require up to {}: lengthen parameters.duration",
        valueText(length), valueText(test.closing));
  }
  if (test.watchdog_too_late && deadlocked(trial) && triggered != &trial) {
    return "the watchdog may not have acted before the last quarter of the trial: lengthen "
           "parameters.duration";
  }
  return {};
}

// Nothing where the hosts' rate never came back, or a deadlock ended it.
std::optional<double> recoveryMicroseconds(const bench::TrialResult& trial, const Deadlock& test) {
  if (deadlocked(trial)) return std::nullopt;
  const bench::Samples& samples = *trial.fabric->samples;
  const auto begin = static_cast<std::size_t>(triggerBegin(test.duration) / samples.interval);
  const auto end = static_cast<std::size_t>(test.trigger_end / samples.interval);
  const std::size_t half = begin / 2;
  const double before = static_cast<double>(total(samples, begin - 1) - total(samples, half)) /
                        static_cast<double>(begin - 1 - half);
  for (std::size_t i = end + kRecoveryWindow; i < samples.samples.size(); ++i) {
    const double rate =
        static_cast<double>(total(samples, i) - total(samples, i - kRecoveryWindow)) /
        kRecoveryWindow;
    if (rate < 0.9 * before) continue;
    return (samples.interval * static_cast<std::int64_t>(i - kRecoveryWindow - end))
        .toMicroseconds();
  }
  return std::nullopt;
}

// A time that begins and ends between two samples [us].
Reading ofSamples(const bench::TrialResult& trial, double microseconds) {
  return within(microseconds, 2 * trial.fabric->samples->interval.toMicroseconds(),
                "a sample interval at either end:");
}

}  // namespace

Reading longestStandstillMicroseconds(const bench::TrialResult& trial, bool of_cycle) {
  const bench::Samples& samples = *trial.fabric->samples;
  std::int64_t longest = 0;
  std::int64_t here = 0;
  for (std::size_t i = 1; i < samples.samples.size(); ++i) {
    here = total(samples, i, of_cycle) == total(samples, i - 1, of_cycle) ? here + 1 : 0;
    longest = std::max(longest, here);
  }
  return ofSamples(trial, (samples.interval * longest).toMicroseconds());
}

namespace {

// The points, by index in the design, whose trials do not show whether there is a deadlock. The
// reasons are anomalies.
std::vector<bool> noteUnknown(const Design& design, const std::vector<Measured>& measured,
                              const Deadlock& test, ResultBuilder& builder) {
  const Measured* triggered = nullptr;
  for (const Measured& one : measured) {
    if (one.point.label == caseName(DeadlockCase::kTrigger)) triggered = &one;
  }
  std::vector<bool> unknown(design.points.size());
  for (const Measured& one : measured) {
    const bool has_trigger = one.point.label != caseName(DeadlockCase::kNoTrigger);
    std::vector<std::string> reasons;  // of the repetitions
    for (std::size_t i = 0; i < one.trials.size(); ++i) {
      const bench::TrialResult* with = nullptr;
      if (has_trigger) with = &(triggered != nullptr ? *triggered : one).trials.at(i);
      if (std::string why = whyUnknown(one.trials[i], with, test); !why.empty()) {
        reasons.push_back(std::move(why));
      }
    }
    if (reasons.empty()) continue;
    unknown[placeOf(design, one)] = true;
    builder.anomaly(fmt::format("deadlock, zero throughput and recovery not observed, in {} of {} "
                                "repetitions: {}",
                                reasons.size(), one.trials.size(), reasons.front()),
                    one.point.label);
  }
  return unknown;
}

}  // namespace

void PfcDeadlockProcedure::report(const TestConfig& /*config*/, const Design& design,
                                  const std::vector<Measured>& measured,
                                  ResultBuilder& builder) const {
  const auto& test = design.carried<Deadlock>();
  const std::vector<bool> unknown = noteUnknown(design, measured, test, builder);
  const auto hidden = [&unknown](std::size_t point) { return unknown[point]; };
  Figure deadlock{
      .column = "Deadlock",
      .unit = "",
      .kpi = "deadlock",
      .of = [](std::size_t,
               const bench::TrialResult& trial) { return deadlocked(trial) ? 1.0 : 0.0; },
      .hidden = hidden};
  deadlock.primary = true;
  Figure standstill{.column = "Zero throughput",
                    .unit = "us",
                    .kpi = "zero_throughput_us",
                    .of =
                        [](std::size_t, const bench::TrialResult& trial) {
                          return longestStandstillMicroseconds(trial, true);
                        },
                    .hidden = hidden};
  standstill.primary = true;
  Figure recovery{
      .column = "Recovery",
      .unit = "us",
      .kpi = "recovery_us",
      .of = [&](std::size_t, const bench::TrialResult& trial) -> std::optional<Reading> {
        const auto time = recoveryMicroseconds(trial, test);
        return time ? std::optional(ofSamples(trial, *time)) : std::nullopt;
      },
      .fails_limits = true,
      .hidden = hidden,
      .baseline = [](std::size_t i) { return i == 0; }};  // without a trigger
  recovery.primary = true;
  recovery.absent = "none";
  std::vector<Figure> figures{
      deadlock,
      standstill,
      recovery,
      figure("PAUSE", "/s", "pfc_per_s", pausesPerSecond),
      figure("Watchdog", "events", "watchdog_events",
             [](const bench::TrialResult& trial) {
               return static_cast<double>(trial.fabric->total.watchdog_events);
             }),
      figure("Dropped by it", "packets", "watchdog_drops", [](const bench::TrialResult& trial) {
        return static_cast<double>(trial.fabric->total.dropped());
      })};
  for (Figure& own : ownFigures(design)) figures.push_back(std::move(own));
  addTable(design, measured, figures,
           {"deadlock",
            "Storm and deadlock",
            "Deadlock is 1 when no flow made progress in the last quarter of the trial. Zero "
            "throughput is the longest stretch in which none did. Recovery is from the trigger's "
            "end until the hosts receive 90 % of what they did before; no number where that never "
            "happened. Either end of both lies between two samples, see \"Sample interval\"." +
                note(),
            {},
            {}},
           builder);
  for (const Measured& one : measured) {
    const char* finding = unknown[placeOf(design, one)]    ? "not observed"
                          : deadlocked(one.trials.front()) ? "deadlock"
                                                           : "no deadlock";
    std::string& summary = builder.result().summary;
    summary += fmt::format("{}{}: {}.", summary.empty() ? "" : " ", one.point.label, finding);
  }
  if (measured.empty()) return;
  if (const auto last = meanOf(design, measured.back(), deadlock)) {
    builder.primary("deadlock, " + measured.back().point.label, *last);
  }
}

namespace {

class TrainingDeadlockProcedure final : public PfcDeadlockProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T7.4"; }
  [[nodiscard]] std::string title() const override { return "PFC storm and deadlock"; }

 protected:
  [[nodiscard]] std::string section() const override { return "section 7.4"; }
};

}  // namespace

const Procedure& pfcDeadlockProcedure() {
  static const TrainingDeadlockProcedure test;
  return test;
}

}  // namespace plumbline::suite
