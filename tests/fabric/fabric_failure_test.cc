// Links and switches that fail: who is lost, and when traffic goes another way.
#include <gtest/gtest.h>

#include <set>

#include "tests/fabric/harness.h"
#include "tests/fabric/traffic.h"

namespace plumbline::fabric::testing {
namespace {

constexpr Picoseconds kSpacing = nanoseconds(137);
constexpr Picoseconds kSpineDelay = nanoseconds(250);

// Frames that a sender at the first switch puts on a link one by one, none waiting for another.
std::vector<Picoseconds> startTimes(std::uint32_t frames) {
  std::vector<Picoseconds> times;
  for (std::uint32_t i = 0; i < frames; ++i) {
    times.push_back(kSpacing * i + kHostDelay + kSerialization + kLatency);
  }
  return times;
}

std::set<std::uint32_t> arrived(ListFabric& fabric, HostId host) {
  std::set<std::uint32_t> frames;
  for (const auto& one : fabric.host(host).arrivals()) frames.insert(one.packet.psn);
  return frames;
}

TEST(LinkFailure, LosesExactlyWhatIsOnTheWireOrSentWhileItIsDown) {
  const Picoseconds delay = nanoseconds(700);
  FabricSpec spec = chainSpec(delay);
  spec.convergence = seconds(1);  // nobody learns of it
  const std::vector<std::pair<Picoseconds, Picoseconds>> outages{
      {microseconds(20), microseconds(31)},
      {microseconds(40), Picoseconds(40'000'001)},
      {microseconds(60), microseconds(61)}};  // a flap
  for (const auto& [down, up] : outages) spec.failures.push_back({"s0-s1", down, up});
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, kLength), 1'000, Picoseconds(0), kSpacing);
  fabric.drain();
  const Balance balance = fabric.expectConserved();
  EXPECT_EQ(balance.inside, 0U);

  const std::set<std::uint32_t> delivered = arrived(fabric, 1);
  std::uint64_t lost = 0;
  const auto starts = startTimes(1'000);
  for (std::uint32_t i = 0; i < starts.size(); ++i) {
    bool expected = true;
    for (const auto& [down, up] : outages) {
      const Picoseconds last_bit_arrives = starts[i] + kSerialization + delay;
      if (starts[i] < up && last_bit_arrives >= down) expected = false;
    }
    EXPECT_EQ(delivered.count(i) == 1, expected) << "frame " << i;
    if (!expected) ++lost;
  }
  EXPECT_GT(lost, 80U);
  EXPECT_EQ(fabric.counters("s0-s1").drops[static_cast<unsigned>(DropReason::kLinkDown)], lost);
}

FabricSpec twoSpines(Picoseconds convergence) {
  FabricSpec spec;
  spec.topology.kind = TopologyKind::kClos2;
  spec.topology.leaves = 2;
  spec.topology.spines = 2;
  spec.topology.hosts_per_leaf = 1;
  spec.convergence = convergence;
  return spec;
}

// The spine that the flow from host 0 to host 1 takes while both are up.
std::string usedSpine() {
  ListFabric fabric(twoSpines(Picoseconds(0)));
  fabric.host(0).add(frame(0, 1, kLength), Picoseconds(0));
  fabric.drain();
  return fabric.counters("leaf0-spine0").packets == 1 ? "spine0" : "spine1";
}

// Frames are routed when they are handed over at leaf 0, at startTimes().
void checkReroute(const std::string& element, Picoseconds down, Picoseconds up,
                  Picoseconds convergence, bool whole_switch) {
  FabricSpec spec = twoSpines(convergence);
  spec.failures.push_back({element, down, up});
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, kLength), 1'000, Picoseconds(0), kSpacing);
  fabric.drain();
  EXPECT_EQ(fabric.expectConserved().inside, 0U);
  const std::string used = usedSpine();
  const std::string other = used == "spine0" ? "spine1" : "spine0";
  const auto starts = startTimes(1'000);
  std::set<Picoseconds> on_other;
  for (const Record& one : fabric.log().of(RecordKind::kDeparture, fabric.link("leaf0-" + other))) {
    on_other.insert(one.time);
  }
  const std::set<std::uint32_t> delivered = arrived(fabric, 1);
  for (std::uint32_t i = 0; i < starts.size(); ++i) {
    // Exactly from the change + convergence on the tables are new.
    const bool rerouted = starts[i] >= down + convergence && starts[i] < up + convergence;
    EXPECT_EQ(on_other.count(starts[i]) == 1, rerouted) << "frame " << i;
    const auto onWire = [&](Picoseconds start) {
      return start < up && start + kSerialization + kSpineDelay >= down;
    };
    // A failed link is down in both directions, but only one is used; a failed spine has two.
    const bool lost =
        !rerouted &&
        (onWire(starts[i]) ||
         (whole_switch && onWire(starts[i] + kSerialization + kSpineDelay + kLatency)));
    EXPECT_EQ(delivered.count(i) == 1, !lost) << "frame " << i;
  }
  EXPECT_GT(on_other.size(), 50U);
}

TEST(LinkFailure, TrafficGoesAnotherWayExactlyAfterConvergence) {
  checkReroute("leaf0-" + usedSpine(), microseconds(30), microseconds(60), microseconds(7), false);
}

TEST(LinkFailure, NobodyIsLostIfTablesChangeAtOnceAndWiresAreEmpty) {
  FabricSpec spec = twoSpines(Picoseconds(0));
  spec.failures.push_back({"leaf0-" + usedSpine(), Picoseconds(1), {}});
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, kLength), 500, Picoseconds(0), kSpacing);
  fabric.drain();
  EXPECT_EQ(fabric.expectConserved().dropped, 0U);
  EXPECT_EQ(fabric.host(1).arrivals().size(), 500U);
}

TEST(SwitchFailure, TakesAllItsLinksAndComesBack) {
  checkReroute(usedSpine(), microseconds(30), microseconds(60), microseconds(7), true);
}

TEST(SwitchFailure, WithoutAnotherWayThereIsNoRoute) {
  FabricSpec spec = twoSpines(microseconds(5));
  spec.failures.push_back({"spine0", microseconds(20), {}});
  spec.failures.push_back({"spine1", microseconds(20), {}});
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, kLength), 500, Picoseconds(0), kSpacing);
  fabric.drain();
  fabric.expectConserved();
  const LinkCounters total = totalCounters(*fabric);
  std::uint64_t no_route = 0;
  for (const Picoseconds start : startTimes(500)) {
    if (start >= microseconds(25)) ++no_route;
  }
  EXPECT_EQ(total.drops[static_cast<unsigned>(DropReason::kNoRoute)], no_route);
  EXPECT_EQ(total.dropped() + fabric.host(1).arrivals().size(), 500U);
}

}  // namespace
}  // namespace plumbline::fabric::testing
