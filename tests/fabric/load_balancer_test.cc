// Each balancing algorithm against what its definition says about choices and shares.
#include "fabric/balancing/load_balancer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "base/error.h"
#include "fabric/balancing/flowlet.h"
#include "fabric/topology/path_hash.h"

namespace plumbline::fabric::testing {
namespace {

class FakeDepths : public QueueDepths {
 public:
  std::int64_t queuedBytes(LinkId link) override { return bytes[link]; }
  std::map<LinkId, std::int64_t> bytes;
};

std::vector<LinkId> firstLinks(LinkId count) {
  std::vector<LinkId> links(count);
  std::iota(links.begin(), links.end(), LinkId{0});
  return links;
}

class BalancerTest : public ::testing::Test {
 protected:
  BalancerTest() : links(64) {
    for (Link& link : links) link.rate = gigabitsPerSecond(400);
  }

  std::unique_ptr<LoadBalancer> make(LoadBalancingKind kind, std::uint64_t seed = 77) {
    return makeLoadBalancer({kind, gap}, seed, links);
  }

  static Packet packetOf(std::uint32_t flow_hash, std::uint16_t destination = 1) {
    Packet packet;
    packet.flow_hash = flow_hash;
    packet.destination = destination;
    return packet;
  }

  LinkId choose(LoadBalancer& balancer, const Packet& packet, std::span<const LinkId> candidates,
                Picoseconds now = Picoseconds(0)) {
    return balancer.choose(packet, candidates, now, depths);
  }

  std::vector<double> shares(LoadBalancer& balancer, std::span<const LinkId> candidates,
                             std::uint32_t packets) {
    std::vector<double> counts(links.size(), 0);
    for (std::uint32_t i = 0; i < packets; ++i) ++counts[choose(balancer, packetOf(i), candidates)];
    counts.resize(candidates.size());
    return counts;
  }

  static double jfi(const std::vector<double>& x) {
    const double sum = std::accumulate(x.begin(), x.end(), 0.0);
    const double squares = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
    return sum * sum / (static_cast<double>(x.size()) * squares);
  }

  Picoseconds gap = microseconds(1);
  std::vector<Link> links;
  FakeDepths depths;
};

TEST_F(BalancerTest, EcmpIsTheInlineChoice) {
  const auto candidates = firstLinks(7);
  auto ecmp = make(LoadBalancingKind::kEcmp);
  auto with_qp = make(LoadBalancingKind::kEcmpQp);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    Packet packet = packetOf(i * 2654435761U);
    packet.connection = i & 0xFFU;
    EXPECT_EQ(choose(*ecmp, packet, candidates), ecmpChoice(packet.flow_hash, 77, 7));
    EXPECT_EQ(choose(*with_qp, packet, candidates),
              ecmpChoice(qpFlowHash(packet.flow_hash, packet.connection), 77, 7));
  }
}

TEST_F(BalancerTest, OnlyQpAwareEcmpSpreadsQpsOfOneTuple) {
  const auto candidates = firstLinks(8);
  auto ecmp = make(LoadBalancingKind::kEcmp);
  auto with_qp = make(LoadBalancingKind::kEcmpQp);
  std::vector<double> spread(8, 0);
  Packet packet = packetOf(1234);
  const LinkId only = choose(*ecmp, packet, candidates);
  for (std::uint32_t qp = 0; qp < 8000; ++qp) {
    packet.connection = qp;
    EXPECT_EQ(choose(*ecmp, packet, candidates), only);
    ++spread[choose(*with_qp, packet, candidates)];
  }
  double chi_square = 0;
  for (const double n : spread) chi_square += (n - 1000) * (n - 1000) / 1000;
  EXPECT_LT(chi_square, 24.3);  // 99.9 %, 7 degrees of freedom
}

TEST_F(BalancerTest, SprayIsFair) {
  const auto candidates = firstLinks(16);
  for (const auto kind : {LoadBalancingKind::kSprayRandom, LoadBalancingKind::kSprayRoundRobin,
                          LoadBalancingKind::kSprayLeastQueue}) {
    auto balancer = make(kind);
    EXPECT_GE(jfi(shares(*balancer, candidates, 100'000)), 0.999);
  }
}

TEST_F(BalancerTest, RandomSprayIsRandom) {
  const auto candidates = firstLinks(16);
  auto balancer = make(LoadBalancingKind::kSprayRandom);
  double chi_square = 0;
  for (const double n : shares(*balancer, candidates, 160'000)) {
    chi_square += (n - 10'000) * (n - 10'000) / 10'000;
  }
  EXPECT_LT(chi_square, 37.7);  // 99.9 %, 15 degrees of freedom
  EXPECT_GT(chi_square, 3.5);
  // Neither does a packet depend on the one before: pairs fall on the diagonal once in 16.
  int repeats = 0;
  LinkId last = choose(*balancer, packetOf(0), candidates);
  for (int i = 0; i < 16'000; ++i) {
    const LinkId next = choose(*balancer, packetOf(0), candidates);
    repeats += next == last ? 1 : 0;
    last = next;
  }
  EXPECT_NEAR(repeats, 1000, 5 * 31);
  // And switches differ.
  auto other = make(LoadBalancingKind::kSprayRandom, 78);
  auto same = make(LoadBalancingKind::kSprayRandom, 78);
  int equal = 0;
  for (int i = 0; i < 1600; ++i) {
    const LinkId one = choose(*other, packetOf(0), candidates);
    EXPECT_EQ(one, choose(*same, packetOf(0), candidates));
    equal += one == choose(*balancer, packetOf(0), candidates) ? 1 : 0;
  }
  EXPECT_NEAR(equal, 100, 5 * 10);
}

TEST_F(BalancerTest, RoundRobinTakesTurnsPerSet) {
  const std::vector<LinkId> a{2, 5, 9};
  const std::vector<LinkId> b{2, 9};
  const std::vector<LinkId> a_again{2, 5, 9};  // the same set from another table
  auto balancer = make(LoadBalancingKind::kSprayRoundRobin);
  EXPECT_EQ(choose(*balancer, packetOf(0), a), 2U);
  EXPECT_EQ(choose(*balancer, packetOf(0), b), 2U);
  EXPECT_EQ(choose(*balancer, packetOf(0), a), 5U);
  EXPECT_EQ(choose(*balancer, packetOf(0), b), 9U);
  EXPECT_EQ(choose(*balancer, packetOf(0), a_again), 9U);
  EXPECT_EQ(choose(*balancer, packetOf(0), a), 2U);
  EXPECT_EQ(choose(*balancer, packetOf(0), b), 2U);
  // A part of a known set that begins at the same place is another set.
  EXPECT_EQ(choose(*balancer, packetOf(0), std::span(a).first(2)), 2U);
  EXPECT_EQ(choose(*balancer, packetOf(0), a), 5U);
}

TEST_F(BalancerTest, LeastQueueTakesTheShortestAndTurnsAmongEquals) {
  const auto candidates = firstLinks(4);
  auto balancer = make(LoadBalancingKind::kSprayLeastQueue);
  depths.bytes = {{0, 300}, {1, 100}, {2, 200}, {3, 100}};
  EXPECT_EQ(choose(*balancer, packetOf(0), candidates), 1U);
  EXPECT_EQ(choose(*balancer, packetOf(0), candidates), 3U);
  EXPECT_EQ(choose(*balancer, packetOf(0), candidates), 1U);
  depths.bytes[2] = 99;
  EXPECT_EQ(choose(*balancer, packetOf(0), candidates), 2U);
  EXPECT_EQ(choose(*balancer, packetOf(0), candidates), 2U);
  depths.bytes.clear();
  for (const LinkId expected : {3U, 0U, 1U, 2U, 3U}) {
    EXPECT_EQ(choose(*balancer, packetOf(0), candidates), expected);
  }
}

TEST_F(BalancerTest, WeightedSharesFollowRates) {
  const auto candidates = firstLinks(4);
  const double rates[] = {100, 200, 400, 800};
  for (LinkId id = 0; id < 4; ++id) {
    links[id].rate = gigabitsPerSecond(static_cast<std::int64_t>(rates[id]));
  }
  auto balancer = make(LoadBalancingKind::kWeighted);
  constexpr double kFlows = 150'000;
  const auto counts = shares(*balancer, candidates, static_cast<std::uint32_t>(kFlows));
  double chi_square = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double expected = kFlows * rates[i] / 1500;
    chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  EXPECT_LT(chi_square, 16.3);  // 99.9 %, 3 degrees of freedom
  // Sticky, and after a failure the shares of what is left.
  const LinkId path = choose(*balancer, packetOf(42), candidates);
  EXPECT_EQ(choose(*balancer, packetOf(42), candidates), path);
  const std::vector<LinkId> left{0, 1};
  double to_second = 0;
  for (std::uint32_t i = 0; i < 30'000; ++i) {
    to_second += choose(*balancer, packetOf(i), left) == 1 ? 1 : 0;
  }
  EXPECT_NEAR(to_second, 20'000, 5 * 82);  // binomial, p = 2/3
}

TEST_F(BalancerTest, FlowletMovesExactlyAtTheGap) {
  const auto candidates = firstLinks(4);
  auto balancer = make(LoadBalancingKind::kFlowlet);
  const Packet packet = packetOf(5);
  const LinkId start = choose(*balancer, packet, candidates, microseconds(10));
  EXPECT_EQ(start, ecmpChoice(5, 77, 4)) << "where ECMP would send it, all queues being empty";
  depths.bytes[start] = 1;  // any other path is better from now on
  Picoseconds now = microseconds(10) + gap - Picoseconds(1);
  EXPECT_EQ(choose(*balancer, packet, candidates, now), start);
  now += gap - Picoseconds(1);  // the gap counts from the last packet, not from the flowlet's start
  EXPECT_EQ(choose(*balancer, packet, candidates, now), start);
  now += gap;
  const LinkId next = choose(*balancer, packet, candidates, now);
  EXPECT_EQ(next, (start + 1) % 4);
  // Not strictly better elsewhere: it stays.
  depths.bytes.clear();
  EXPECT_EQ(choose(*balancer, packet, candidates, now + gap * 5), next);
}

TEST_F(BalancerTest, FlowletTakesThePathThatDrainsFirst) {
  const auto candidates = firstLinks(3);
  links[0].rate = gigabitsPerSecond(100);
  links[1].rate = gigabitsPerSecond(400);
  links[2].rate = gigabitsPerSecond(200);
  auto balancer = make(LoadBalancingKind::kFlowlet);
  depths.bytes = {{0, 1'000}, {1, 3'999}, {2, 2'000}};
  for (std::uint32_t flow = 0; flow < 50; ++flow) {
    EXPECT_EQ(choose(*balancer, packetOf(flow), candidates), 1U);
  }
  depths.bytes[1] = 4'001;
  EXPECT_NE(choose(*balancer, packetOf(0), candidates, microseconds(5)), 1U);
}

TEST_F(BalancerTest, FlowletLeavesAPathThatIsNoCandidateAnyMore) {
  const auto candidates = firstLinks(4);
  auto balancer = make(LoadBalancingKind::kFlowlet);
  for (std::uint32_t flow = 0; flow < 100; ++flow) {
    const LinkId before = choose(*balancer, packetOf(flow), candidates, nanoseconds(1));
    std::vector<LinkId> left = candidates;
    left.erase(left.begin() + before);
    const LinkId after = choose(*balancer, packetOf(flow), left, nanoseconds(2));
    EXPECT_NE(after, before);
    // Back in the set within the gap, the flow does not jump back.
    EXPECT_EQ(choose(*balancer, packetOf(flow), candidates, nanoseconds(3)), after);
  }
}

TEST_F(BalancerTest, FlowletsOfTheSameHashToTwoHostsAreApart) {
  const auto candidates = firstLinks(2);
  auto balancer = make(LoadBalancingKind::kFlowlet);
  const LinkId start = choose(*balancer, packetOf(9, 1), candidates, nanoseconds(1));
  depths.bytes[start] = 1;
  EXPECT_NE(choose(*balancer, packetOf(9, 2), candidates, nanoseconds(2)), start);
  EXPECT_EQ(choose(*balancer, packetOf(9, 1), candidates, nanoseconds(3)), start);
}

// Of n flows, the expected number that find their entry taken by an earlier one is
// n - k (1 - (1 - 1/k)^n): the balls-in-bins count of the table, and no more.
TEST_F(BalancerTest, FlowletCollisionsAreThoseOfTheTableSize) {
  const auto candidates = firstLinks(2);
  auto balancer = make(LoadBalancingKind::kFlowlet);
  constexpr int kFlows = 4'000;
  // The first flow of an entry takes the empty path; everybody who shares it is stuck to that one,
  // whereas a flow with an entry of its own now takes the other.
  depths.bytes = {{0, 0}, {1, 1}};
  for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
    EXPECT_EQ(choose(*balancer, packetOf(flow), candidates, nanoseconds(1)), 0U);
  }
  depths.bytes = {{0, 1}, {1, 0}};
  int shared = 0;
  for (std::uint32_t flow = kFlows; flow < 2 * kFlows; ++flow) {
    shared += choose(*balancer, packetOf(flow), candidates, nanoseconds(2)) == 0 ? 1 : 0;
  }
  const double k = FlowletBalancer::kEntries;
  const double occupied = 1 - std::pow(1 - 1 / k, kFlows);
  // Binomial but for entries that later flows have taken between themselves (they take path 1).
  EXPECT_NEAR(shared, kFlows * occupied, 5 * std::sqrt(kFlows * occupied));
}

TEST_F(BalancerTest, UnknownKindsAreRefused) {
  EXPECT_THROW(make(static_cast<LoadBalancingKind>(99)), Error);
}

}  // namespace
}  // namespace plumbline::fabric::testing
