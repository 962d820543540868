// The PFC watchdog, and the deadlock of a cyclic buffer dependency that it is there for.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/fabric/graphs.h"
#include "tests/fabric/harness.h"

namespace plumbline::fabric::testing {
namespace {

WatchdogSpec watchdog(WatchdogSpec::Action action) {
  WatchdogSpec spec;
  spec.poll = microseconds(100);
  spec.detection = microseconds(300);
  spec.restoration = microseconds(400);
  spec.action = action;
  return spec;
}

// One sender, one receiver that storms, a bystander on another priority and one on another port.
struct StormRun {
  std::uint64_t lossless_arrived = 0;
  std::uint64_t dropped = 0;
  std::vector<Record> on;
  std::vector<Record> off;
  std::uint64_t departed_while_acting = 0;
};

constexpr Picoseconds kStorm = microseconds(550);
constexpr Picoseconds kStormLength = milliseconds(2);

StormRun runStorm(WatchdogSpec::Action action) {
  FabricSpec spec;
  spec.topology.hosts = 3;
  PfcSpec pfc;
  pfc.priorities = 1U << kLossless;
  pfc.watchdog = watchdog(action);
  spec.switches.pfc = pfc;
  spec.storms.push_back({1, 1U << kLossless, kStorm, kStormLength});
  ListFabric fabric(spec);
  for (int i = 0; i < 500; ++i) {
    const Picoseconds time = microseconds(10) * i;
    fabric.host(0).add(frame(0, 1, 1'024, kLossless), time);
    fabric.host(0).add(frame(0, 1, 256, 0), time);
    fabric.host(0).add(frame(0, 2, 256, 1), time);
  }
  fabric.drain();
  fabric.expectConserved();
  StormRun run;
  std::uint64_t others = 0;
  for (const auto& arrival : fabric.host(1).arrivals()) {
    ++(arrival.packet.priority == kLossless ? run.lossless_arrived : others);
  }
  EXPECT_EQ(others, 500U);
  EXPECT_EQ(fabric.host(2).arrivals().size(), 500U);
  run.dropped = totalCounters(*fabric).drops[static_cast<unsigned>(DropReason::kWatchdog)];
  EXPECT_EQ(run.dropped, totalCounters(*fabric).dropped());
  run.on = fabric.log().of(RecordKind::kWatchdogOn);
  run.off = fabric.log().of(RecordKind::kWatchdogOff);
  for (const Record& one : fabric.log().of(RecordKind::kDeparture, fabric.link("switch0-host1"))) {
    if (one.priority == kLossless && !run.on.empty() && one.time >= run.on[0].time &&
        one.time < kStorm + kStormLength) {
      ++run.departed_while_acting;
    }
  }
  return run;
}

TEST(PfcWatchdog, DetectsAndRestoresWithinAPollAndDropsMeanwhile) {
  const StormRun run = runStorm(WatchdogSpec::Action::kDrop);
  ASSERT_EQ(run.on.size(), 1U);
  ASSERT_EQ(run.off.size(), 1U);
  const WatchdogSpec spec = watchdog(WatchdogSpec::Action::kDrop);
  EXPECT_GE(run.on[0].time, kStorm + spec.detection - spec.poll);
  EXPECT_LE(run.on[0].time, kStorm + spec.detection + spec.poll);
  const Picoseconds end = kStorm + kStormLength;
  EXPECT_GE(run.off[0].time, end + spec.restoration - spec.poll);
  EXPECT_LE(run.off[0].time, end + spec.restoration + spec.poll);
  EXPECT_EQ(run.departed_while_acting, 0U);
  // Everything that came from the storm's beginning to the restoration: a frame per 10 us.
  EXPECT_NEAR(static_cast<double>(run.dropped), (run.off[0].time - kStorm).toMicroseconds() / 10,
              2);
  EXPECT_EQ(run.lossless_arrived + run.dropped, 500U);
}

// The polls are at multiples of `poll`. The watchdog acts at the first one at which the queue has
// stood still for `detection`, and ends that at the first one at which there has been no pause for
// `restoration`.
TEST(PfcWatchdog, ActsAtThePollThatItsTimesSay) {
  struct Case {
    std::int64_t poll_us, detection_us, restoration_us, storm_ns, length_us;
  };
  for (const Case& one : {Case{100, 300, 400, 550'000, 2'000}, Case{50, 120, 170, 333'333, 1'000},
                          Case{10, 10, 10, 1'009'999, 30}, Case{70, 200, 71, 70'000, 777}}) {
    for (const auto action : {WatchdogSpec::Action::kDrop, WatchdogSpec::Action::kForward}) {
      FabricSpec spec;
      spec.switches.pfc = PfcSpec{};
      WatchdogSpec watchdog;
      watchdog.poll = microseconds(one.poll_us);
      watchdog.detection = microseconds(one.detection_us);
      watchdog.restoration = microseconds(one.restoration_us);
      watchdog.action = action;
      spec.switches.pfc->watchdog = watchdog;
      const Picoseconds storm = nanoseconds(one.storm_ns);
      spec.storms.push_back({1, 1U << kLossless, storm, microseconds(one.length_us)});
      ListFabric fabric(spec);
      for (int i = 0; i < 2'000; ++i) {
        fabric.host(0).add(frame(0, 1, 1'024, kLossless), microseconds(2) * i);
      }
      fabric.drain();
      fabric.expectConserved();
      // The PAUSE frame and the cable lie between the storm and its effect.
      const Picoseconds paused = storm + nanoseconds(50) + Picoseconds(5'120);
      const Picoseconds resumed = paused + microseconds(one.length_us);
      // Frames sent at multiples of 2 us are in the queue a frame's way later: the queue stands
      // still from the first one behind the pause on.
      const Picoseconds way = nanoseconds(50) + spec.switches.latency;
      const Picoseconds spacing = microseconds(2);
      const Picoseconds stuck = way + spacing * ((paused - way).count() / spacing.count() + 1);
      const auto pollAtOrAfter = [&](Picoseconds time) {
        const std::int64_t poll = watchdog.poll.count();
        return Picoseconds((time.count() + poll - 1) / poll * poll);
      };
      const Picoseconds on = pollAtOrAfter(stuck + watchdog.detection);
      const Picoseconds off = pollAtOrAfter(resumed + watchdog.restoration);
      const auto begun = fabric.log().of(RecordKind::kWatchdogOn);
      const auto ended = fabric.log().of(RecordKind::kWatchdogOff);
      ASSERT_EQ(begun.size(), 1U) << one.poll_us;
      ASSERT_EQ(ended.size(), 1U) << one.poll_us;
      EXPECT_EQ(begun[0].time, on);
      EXPECT_EQ(ended[0].time, off);
      // Frames come two microseconds apart: those from the pause to the restoration are dropped,
      // or the queue goes on when the watchdog acts.
      const std::uint64_t dropped =
          totalCounters(*fabric).drops[static_cast<unsigned>(DropReason::kWatchdog)];
      if (action == WatchdogSpec::Action::kDrop) {
        EXPECT_NEAR(static_cast<double>(dropped), (off - paused).toMicroseconds() / 2, 1.5);
      } else {
        EXPECT_EQ(dropped, 0U);
        Picoseconds first = kNever;
        for (const Record& frame :
             fabric.log().of(RecordKind::kDeparture, fabric.link("switch0-host1"))) {
          if (frame.time >= paused) first = std::min(first, frame.time);
        }
        EXPECT_EQ(first, on);
      }
    }
  }
}

// Storms of a host at given times, against a queue that always has frames: how often the watchdog
// began to act. Poll, detection and restoration are 10, 20 and 25 us.
std::size_t eventsOf(const std::vector<std::pair<Picoseconds, Picoseconds>>& storms,
                     WatchdogSpec::Action action) {
  FabricSpec spec;
  spec.switches.pfc = PfcSpec{};
  WatchdogSpec& watchdog = spec.switches.pfc->watchdog.emplace();
  watchdog.poll = microseconds(10);
  watchdog.detection = microseconds(20);
  watchdog.restoration = microseconds(25);
  watchdog.action = action;
  for (const auto& [start, length] : storms) {
    spec.storms.push_back({1, 1U << kLossless, start, length});
  }
  ListFabric fabric(
      spec, Observer::bit(RecordKind::kWatchdogOn) | Observer::bit(RecordKind::kWatchdogOff));
  fabric.host(0).addMany(frame(0, 1, 1'024, kLossless), 1'600, Picoseconds(0), nanoseconds(100));
  fabric.drain();
  const Balance balance = fabric.expectConserved();
  const std::size_t events = fabric.log().of(RecordKind::kWatchdogOn).size();
  EXPECT_EQ(fabric.log().of(RecordKind::kWatchdogOff).size(), events);
  if (events == 0) {
    EXPECT_EQ(balance.dropped, 0U);
  }
  return events;
}

// Whatever the phase of a storm against the polls: below the detection time never, from detection
// and a poll on (and the 0.2 us until a frame waits) always, once.
TEST(PfcWatchdog, NoPhaseOfThePollsMakesAStormLongerOrShorter) {
  for (const auto action : {WatchdogSpec::Action::kDrop, WatchdogSpec::Action::kForward}) {
    for (std::int64_t phase = 0; phase <= 10'000; phase += 2'500) {
      SCOPED_TRACE(phase);
      const Picoseconds start = microseconds(30) + nanoseconds(phase);
      EXPECT_EQ(eventsOf({{start, nanoseconds(19'990)}}, action), 0U);
      EXPECT_EQ(eventsOf({{start, nanoseconds(2'000)}}, action), 0U);
      EXPECT_EQ(eventsOf({{start, nanoseconds(30'200)}}, action), 1U);
      // Pauses one after the other are no storm as long as all of them.
      EXPECT_EQ(eventsOf({{start, microseconds(15)},
                          {start + microseconds(18), microseconds(15)},
                          {start + microseconds(36), microseconds(15)}},
                         action),
                0U);
    }
  }
}

// The same of the restoration: a calm that is shorter does not end what the watchdog does.
TEST(PfcWatchdog, NoPhaseOfThePollsMakesACalmLongerOrShorter) {
  for (std::int64_t phase = 0; phase <= 10'000; phase += 2'500) {
    SCOPED_TRACE(phase);
    const Picoseconds first = microseconds(30) + nanoseconds(phase);
    const Picoseconds length = microseconds(40);
    const auto twice = [&](Picoseconds calm) {
      return eventsOf({{first, length}, {first + length + calm, length}},
                      WatchdogSpec::Action::kDrop);
    };
    EXPECT_EQ(twice(nanoseconds(24'990)), 1U);
    EXPECT_EQ(twice(nanoseconds(35'010)), 2U);
  }
}

TEST(PfcWatchdog, ForwardsInSpiteOfThePauseWhenToldTo) {
  const StormRun run = runStorm(WatchdogSpec::Action::kForward);
  ASSERT_EQ(run.on.size(), 1U);
  ASSERT_EQ(run.off.size(), 1U);
  EXPECT_EQ(run.dropped, 0U);
  EXPECT_EQ(run.lossless_arrived, 500U);
  EXPECT_GT(run.departed_while_acting, 100U);
}

TEST(PfcWatchdog, APauseShorterThanDetectionIsNoStorm) {
  FabricSpec spec;
  spec.switches.pfc = PfcSpec{};
  spec.switches.pfc->watchdog = watchdog(WatchdogSpec::Action::kDrop);
  spec.storms.push_back({1, 1U << kLossless, microseconds(150), microseconds(140)});
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, 1'024, kLossless), 50, microseconds(160));
  fabric.drain();
  EXPECT_TRUE(fabric.log().of(RecordKind::kWatchdogOn).empty());
  EXPECT_EQ(fabric.host(1).arrivals().size(), 50U);
  EXPECT_EQ(fabric.expectConserved().dropped, 0U);
}

// Two spines S1, S2 (s0, s1), leaves L1 to L4 (s2 to s5), a host on each leaf; S1-L4 and S2-L3 are
// down. Flow A from L3 to L4 bounces at L1, B from L4 to L3 at L2; C goes from L1 to L2 by S2, D
// from L2 to L1 by S1. So S1>L1>S2>L2>S1 wait for each other.
FabricSpec cyclicSpec() {
  GraphBuilder graph(4, 6);
  for (int leaf = 0; leaf < 4; ++leaf) {
    const std::string name = "s" + std::to_string(leaf + 2);
    graph.cable("h" + std::to_string(leaf), name, gigabitsPerSecond(100), nanoseconds(50));
    graph.cable("s0", name, gigabitsPerSecond(100), nanoseconds(250));
    graph.cable("s1", name, gigabitsPerSecond(100), nanoseconds(250));
  }
  FabricSpec spec = graph.spec();
  spec.failures = {{"s0-s5", Picoseconds(0), {}}, {"s1-s4", Picoseconds(0), {}}};
  spec.convergence = Picoseconds(0);
  PfcSpec pfc;
  pfc.priorities = 1U << kLossless;
  pfc.xoff = Bytes(40'000);
  pfc.xon = Bytes(5'000);
  pfc.headroom = Bytes(60'000);
  spec.switches.pfc = pfc;
  return spec;
}

constexpr PauseStormSpec kTrigger{3, 1U << kLossless, microseconds(300), microseconds(100)};

struct CycleRun {
  std::uint64_t late_departures = 0;  // on the links of the cycle, in the last part of the run
  std::uint64_t watchdog_drops = 0;
  Balance balance;
};

// With its flows, which end at `end`.
void addFlows(ListFabric& fabric, const FabricSpec& spec, Picoseconds end) {
  const Topology& topology = fabric->topology();
  std::vector<bool> down(topology.links().size(), false);
  for (const auto& failure : spec.failures) {
    const LinkId link = fabric.link(failure.element);
    down[link] = down[reverse(link)] = true;
  }
  const Routing routing(topology, spec.seed, down);
  // The flow whose hash makes switch `at` send it to `next`.
  const auto flow = [&](HostId from, HostId to, const std::string& at, const std::string& next) {
    const NodeId node = *topology.findNode(at);
    for (std::uint32_t hash = 0;; ++hash) {
      const LinkId link = ecmpLink(routing, topology.nodes()[node].index, to, hash * 0x9E3779B9U);
      if (topology.nodes()[topology.links()[link].to].name != next) continue;
      Packet packet = frame(from, to, 1'024, kLossless);
      packet.flow_hash = hash * 0x9E3779B9U;
      return packet;
    }
  };
  const std::array<Packet, 4> flows{flow(0, 1, "s2", "s1"), flow(1, 0, "s3", "s0"),
                                    flow(2, 3, "s0", "s2"), flow(3, 2, "s1", "s3")};
  // 42 % of line rate each, so that two of them fit on a link.
  for (HostId from = 0; from < 4; ++from) {
    for (Picoseconds time; time < end; time += nanoseconds(200)) {
      fabric.host(from).add(flows.at(from), time);
    }
  }
}

CycleRun runCycle(const FabricSpec& spec) {
  constexpr Picoseconds kEnd = milliseconds(4);
  ListFabric fabric(spec);
  addFlows(fabric, spec, kEnd);
  fabric->runUntil(kEnd);
  CycleRun run;
  run.balance = fabric.expectConserved();
  for (const std::string link : {"s0-s2", "s2-s1", "s1-s3", "s3-s0"}) {
    for (const Record& one : fabric.log().of(RecordKind::kDeparture, fabric.link(link))) {
      if (one.time >= milliseconds(3)) ++run.late_departures;
    }
  }
  run.watchdog_drops = totalCounters(*fabric).drops[static_cast<unsigned>(DropReason::kWatchdog)];
  EXPECT_EQ(run.watchdog_drops, run.balance.dropped);
  return run;
}

// A deadlock is known by what is pending, not by how long it lasts.
TEST(CyclicBufferDependency, StandsStillOnceNothingCanReleaseIt) {
  for (const bool has_watchdog : {false, true}) {
    FabricSpec spec = cyclicSpec();
    spec.storms.push_back(kTrigger);
    if (has_watchdog) spec.switches.pfc->watchdog = watchdog(WatchdogSpec::Action::kDrop);
    // Another storm may still change something, though it does not.
    spec.storms.push_back({1, 1U << kLossless, milliseconds(3), microseconds(1)});
    ListFabric cycle(spec);
    addFlows(cycle, spec, milliseconds(1));
    cycle->runUntil(milliseconds(2));
    EXPECT_FALSE(cycle->isDeadlocked()) << "a storm is to come";
    cycle->runUntil(milliseconds(4));
    EXPECT_EQ(cycle->isDeadlocked(), true);
    EXPECT_EQ(cycle->framesInside() > 0, !has_watchdog);
  }
}

// What waits for a storm that ends is no deadlock, however long it waits.
TEST(StandsStill, NotWhileAStormGoesOn) {
  FabricSpec spec;
  spec.switches.pfc = PfcSpec{};
  spec.storms.push_back({1, 1U << kLossless, Picoseconds(0), seconds(15)});
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, 1'024, kLossless), 1'000, microseconds(1));
  for (const Picoseconds time : {milliseconds(1), seconds(12), seconds(15) - microseconds(1)}) {
    fabric->runUntil(time);
    EXPECT_GT(fabric->framesInside(), 0U);
    EXPECT_FALSE(fabric->isDeadlocked());
  }
  fabric->runUntil(seconds(15) + milliseconds(2));
  EXPECT_EQ(fabric->framesInside(), 0U);
  EXPECT_TRUE(fabric->isDeadlocked());
  EXPECT_EQ(fabric.host(1).arrivals().size(), 1'000U);
}

// All four links of the cycle carry 84 % of a line; over a millisecond that is so many frames.
constexpr std::uint64_t kFullFlow = std::uint64_t{4} * 2 * 5'000;

TEST(CyclicBufferDependency, RunsAsLongAsNothingTriggersIt) {
  const CycleRun run = runCycle(cyclicSpec());
  EXPECT_NEAR(static_cast<double>(run.late_departures), kFullFlow, 40);
  EXPECT_EQ(run.balance.dropped, 0U);
}

TEST(CyclicBufferDependency, DeadlocksForeverWithoutWatchdog) {
  FabricSpec spec = cyclicSpec();
  spec.storms.push_back(kTrigger);
  const CycleRun run = runCycle(spec);
  // Over since 0.4 ms, and not a frame from 3 to 4 ms.
  EXPECT_EQ(run.late_departures, 0U);
  EXPECT_EQ(run.balance.dropped, 0U);
  EXPECT_GT(run.balance.inside, 100U);
}

TEST(CyclicBufferDependency, RecoversWithWatchdog) {
  FabricSpec spec = cyclicSpec();
  spec.storms.push_back(kTrigger);
  spec.switches.pfc->watchdog = watchdog(WatchdogSpec::Action::kDrop);
  const CycleRun run = runCycle(spec);
  EXPECT_GT(run.watchdog_drops, 0U);
  // Hosts catch up on what they could not send, so the links may carry more than before.
  EXPECT_GT(run.late_departures, kFullFlow * 8 / 10);
}

}  // namespace
}  // namespace plumbline::fabric::testing
