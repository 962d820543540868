#include "bench/flow/fluid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "fabric/engine/packet.h"

namespace plumbline::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// Times at which messages leave, without further posts.
std::map<std::uint64_t, std::int64_t> runOut(Fluid& fluid) {
  std::map<std::uint64_t, std::int64_t> times;
  std::vector<Fluid::Departure> gone;
  while (fluid.next() != fabric::kNever) {
    const Picoseconds now = fluid.next();
    gone.clear();
    fluid.depart(now, gone);
    for (const auto& [connection, message] : gone) times[message] = now.count();
    fluid.settle(now);
  }
  return times;
}

// Links of 0.01 and 0.02 bytes/ps; A crosses both, B the first, C the second.
//   from 0:       A 0.005, B 0.005, C 0.015
//   from 100 ns:  B has sent its 500 bytes; A 0.01, C 0.01
//   from 150 ns:  A its 1,000; C has sent 2,000 of 3,000 and goes on alone at 0.02
TEST(Fluid, ThreeFlowsOnTwoLinks) {
  Fluid fluid({0.01, 0.02});
  const auto a = fluid.connect(std::vector<LinkUse>{{0}, {1}});
  const auto b = fluid.connect(std::vector<LinkUse>{{0}});
  const auto c = fluid.connect(std::vector<LinkUse>{{1}});
  fluid.post(a, 1, 1000, {});
  fluid.post(b, 2, 500, {});
  fluid.post(c, 3, 3000, {});
  fluid.settle({});
  EXPECT_THAT(runOut(fluid), ElementsAre(Pair(1, 150'000), Pair(2, 100'000), Pair(3, 200'000)));
  EXPECT_DOUBLE_EQ(fluid.carried(0), 1500);
  EXPECT_DOUBLE_EQ(fluid.carried(1), 4000);
}

// A parking lot: one flow along three links that have one, two and three flows of their own. The
// third link gives each flow a quarter; the rest is 3/4 on the first, 3/8 each on the second.
// Messages of these sizes therefore all end together.
TEST(Fluid, ParkingLot) {
  Fluid fluid({0.01, 0.01, 0.01});
  std::uint64_t id = 0;
  const auto post = [&](const std::vector<LinkUse>& uses, std::uint64_t bytes) {
    fluid.post(fluid.connect(uses), id++, bytes, {});
  };
  post({{0}, {1}, {2}}, 250'000);
  post({{0}}, 750'000);
  for (int i = 0; i < 2; ++i) post({{1}}, 375'000);
  for (int i = 0; i < 3; ++i) post({{2}}, 250'000);
  fluid.settle({});
  const auto times = runOut(fluid);
  EXPECT_EQ(times.size(), 7U);
  for (const auto& [message, time] : times) EXPECT_NEAR(static_cast<double>(time), 1e8, 1);
}

// One link, processor sharing by hand: A alone for 50 ns, with B up to 150 ns, when A's 1,000 bytes
// are gone and B has 500 left; C comes at 180 ns, when B has 200.
TEST(Fluid, StaggeredFlowsShareTheLink) {
  Fluid fluid({0.01});
  std::vector<std::uint32_t> connections;
  for (int i = 0; i < 3; ++i) connections.push_back(fluid.connect(std::vector<LinkUse>{{0}}));
  std::vector<Fluid::Departure> gone;
  std::map<std::uint64_t, std::int64_t> times;
  const auto postAt = [&](std::uint32_t which, std::int64_t at) {
    while (fluid.next().count() <= at) {
      const Picoseconds now = fluid.next();
      gone.clear();
      fluid.depart(now, gone);
      for (const auto& [connection, message] : gone) times[message] = now.count();
      fluid.settle(now);
    }
    fluid.post(connections[which], which, 1000, Picoseconds(at));
    fluid.settle(Picoseconds(at));
  };
  postAt(0, 0);
  postAt(1, 50'000);
  postAt(2, 180'000);
  times.merge(runOut(fluid));
  // B's last 200 bytes and 200 of C's take 40 ns; C's other 800 take 80 ns.
  EXPECT_THAT(times, ElementsAre(Pair(0, 150'000), Pair(1, 220'000), Pair(2, 300'000)));
}

TEST(Fluid, MessagesOfAConnectionFollowEachOther) {
  Fluid fluid({0.03});
  const auto one = fluid.connect(std::vector<LinkUse>{{0}});
  fluid.post(one, 1, 1001, {});
  fluid.post(one, 2, 600, {});
  fluid.settle({});
  // 33,366.7 ps, rounded up, then 20,000 ps.
  EXPECT_THAT(runOut(fluid), ElementsAre(Pair(1, 33'367), Pair(2, 53'367)));
}

// For any posts: every message leaves once, links carry exactly its bytes, by shares, and never
// more than their capacity.
TEST(Fluid, BytesAreConserved) {
  std::mt19937 random(5);
  constexpr std::uint32_t kHosts = 6;
  constexpr double kRate = 0.01;
  // Host h sends into link h and receives from link 6 + h; two links in between are shared equally.
  Fluid fluid(std::vector<double>(2 * kHosts + 2, kRate));
  std::vector<double> expected(2 * kHosts + 2, 0);
  std::map<std::uint64_t, int> left;
  std::vector<Fluid::Departure> gone;
  Picoseconds now;
  for (std::uint64_t message = 0; message < 3000; ++message) {
    const auto from = static_cast<std::uint32_t>(random() % kHosts);
    const auto to = static_cast<std::uint32_t>(random() % kHosts);
    const std::vector<LinkUse> uses{
        {from}, {kHosts + to}, {2 * kHosts, 0.25}, {2 * kHosts + 1, 0.25}};
    const std::uint64_t bytes = 1 + random() % 5000;
    const Picoseconds at = now + Picoseconds(static_cast<std::int64_t>(random() % 200'000));
    while (fluid.next() <= at) {
      now = fluid.next();
      gone.clear();
      fluid.depart(now, gone);
      for (const auto& departure : gone) ++left[departure.message];
      fluid.settle(now);
    }
    now = at;
    fluid.post(fluid.connect(uses), message, bytes, now);
    fluid.settle(now);
    for (const LinkUse& use : uses) {
      expected[use.link] += use.share * static_cast<double>(bytes);
    }
  }
  std::int64_t end = now.count();
  for (const auto& [message, time] : runOut(fluid)) {
    ++left[message];
    end = std::max(end, time);
  }
  EXPECT_EQ(left.size(), 3000U);
  for (const auto& [message, times] : left) EXPECT_EQ(times, 1);
  for (std::uint32_t link = 0; link < expected.size(); ++link) {
    EXPECT_DOUBLE_EQ(fluid.carried(link), expected[link]);
    EXPECT_LE(fluid.carried(link), kRate * static_cast<double>(end) * (1 + 1e-9));
  }
}

}  // namespace
}  // namespace plumbline::bench
