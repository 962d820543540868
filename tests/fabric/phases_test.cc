// Which nodes take turns, and how far each turn goes.
#include "fabric/engine/phases.h"

#include <gtest/gtest.h>

#include "fabric/topology/topology.h"

namespace plumbline::fabric::testing {
namespace {

TEST(Phases, EveryCableOfATreeJoinsBoth) {
  for (const TopologyKind kind :
       {TopologyKind::kLink, TopologyKind::kSingleSwitch, TopologyKind::kClos2,
        TopologyKind::kClos3, TopologyKind::kRail, TopologyKind::kPools}) {
    TopologySpec spec;
    spec.kind = kind;
    const Topology topology = buildTopology(spec);
    const std::vector<std::uint8_t> phases = phasesOf(topology);
    ASSERT_EQ(phases.size(), topology.nodes().size());
    for (const Link& link : topology.links()) {
      EXPECT_NE(phases[link.from], phases[link.to]) << static_cast<int>(kind);
    }
  }
}

TEST(Phases, AnOddCycleLeavesHostsAndSwitches) {
  TopologySpec spec;
  spec.kind = TopologyKind::kGraph;
  spec.graph.switches = {"a", "b", "c"};
  spec.graph.hosts = {"h0", "h1"};
  const BitRate rate = gigabitsPerSecond(100);
  spec.graph.cables = {{"a", "b", rate, nanoseconds(100)},
                       {"b", "c", rate, nanoseconds(100)},
                       {"c", "a", rate, nanoseconds(100)},
                       {"a", "h0", rate, nanoseconds(100)},
                       {"b", "h1", rate, nanoseconds(100)}};
  const Topology topology = buildTopology(spec);
  const std::vector<std::uint8_t> phases = phasesOf(topology);
  for (const NodeId host : topology.hosts()) EXPECT_EQ(phases[host], phases[topology.hosts()[0]]);
  for (const NodeId node : topology.switches()) {
    EXPECT_NE(phases[node], phases[topology.hosts()[0]]);
  }
}

// Hosts and spines are reached 1.0 us after a leaf has done something, leaves 1.6 us after they
// have: turns of 2.6 us, the way there and back, and each group ahead of the other by turns.
TEST(Phases, TurnsAreAsLongAsTheWayThereAndBack) {
  PhaseClock clock;
  clock.limit(0, 1, nanoseconds(1'000));
  clock.limit(1, 0, nanoseconds(1'600));
  clock.limit(1, 0, nanoseconds(1'900));  // a longer link is no limit
  Picoseconds last_0;
  Picoseconds last_1;
  for (int turn = 0; turn < 10; ++turn) {
    ASSERT_EQ(clock.horizon(0), clock.done(1) + nanoseconds(1'600));
    clock.setDone(0, clock.horizon(0));
    ASSERT_EQ(clock.horizon(1), clock.done(0) + nanoseconds(1'000));
    clock.setDone(1, clock.horizon(1));
    if (turn > 0) {
      EXPECT_EQ(clock.done(0) - last_0, nanoseconds(2'600));
      EXPECT_EQ(clock.done(1) - last_1, nanoseconds(2'600));
    }
    last_0 = clock.done(0);
    last_1 = clock.done(1);
    EXPECT_EQ(clock.done(), last_0);
  }
  clock.skipTo(last_0 + nanoseconds(1));
  EXPECT_EQ(clock.done(0), last_0 + nanoseconds(1));
  EXPECT_EQ(clock.done(1), last_1);
}

TEST(Phases, AGroupThatReachesItselfGoesNoFurther) {
  PhaseClock clock;
  clock.limit(0, 0, nanoseconds(500));
  clock.limit(1, 0, nanoseconds(1'600));
  EXPECT_EQ(clock.horizon(0), nanoseconds(500));
  EXPECT_EQ(clock.horizon(1), kNever);  // nobody reaches it
}

}  // namespace
}  // namespace plumbline::fabric::testing
