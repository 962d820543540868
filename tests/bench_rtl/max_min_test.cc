#include "bench/flow/max_min.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace plumbline::bench {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(MaxMin, AFlowAloneTakesItsSlowestLink) {
  MaxMin rates({10, 4, 7});
  const auto flow = rates.add(std::vector<LinkUse>{{0}, {1}, {2}});
  EXPECT_EQ(rates.rate(flow), 0);
  rates.start(flow);
  EXPECT_THAT(rates.settle(), UnorderedElementsAre(flow));
  EXPECT_DOUBLE_EQ(rates.rate(flow), 4);
  rates.stop(flow);
  EXPECT_THAT(rates.settle(), IsEmpty());
  EXPECT_EQ(rates.rate(flow), 0);
}

// Bertsekas and Gallager's kind of example: the long flow is limited by the shared narrow link; its
// unused share on the others goes to the flows that are alone there.
TEST(MaxMin, WhatOneCannotTakeGoesToOthers) {
  MaxMin rates({1, 3, 10});
  const auto through = rates.add(std::vector<LinkUse>{{0}, {1}, {2}});
  const auto first = rates.add(std::vector<LinkUse>{{0}});
  const auto second = rates.add(std::vector<LinkUse>{{1}});
  const auto third = rates.add(std::vector<LinkUse>{{2}});
  for (const auto flow : {through, first, second, third}) rates.start(flow);
  rates.settle();
  EXPECT_DOUBLE_EQ(rates.rate(through), 0.5);
  EXPECT_DOUBLE_EQ(rates.rate(first), 0.5);
  EXPECT_DOUBLE_EQ(rates.rate(second), 2.5);
  EXPECT_DOUBLE_EQ(rates.rate(third), 9.5);
  rates.stop(first);
  EXPECT_THAT(rates.settle(), UnorderedElementsAre(through, second, third));
  EXPECT_DOUBLE_EQ(rates.rate(through), 1);
  EXPECT_DOUBLE_EQ(rates.rate(second), 2);
  EXPECT_DOUBLE_EQ(rates.rate(third), 9);
}

// A flow over both halves of a pair of links takes half its rate of each.
TEST(MaxMin, SharesCountByTheirSize) {
  MaxMin rates({100, 30, 30});
  const auto sprayed = rates.add(std::vector<LinkUse>{{0, 1}, {1, 0.5}, {2, 0.5}});
  const auto single = rates.add(std::vector<LinkUse>{{1}});
  rates.start(sprayed);
  rates.settle();
  EXPECT_DOUBLE_EQ(rates.rate(sprayed), 60);
  rates.start(single);
  rates.settle();
  EXPECT_DOUBLE_EQ(rates.rate(sprayed), 20);  // 0.5 r + r = 30
  EXPECT_DOUBLE_EQ(rates.rate(single), 20);
}

TEST(MaxMin, LeavesFlowsAloneThatNothingConnects) {
  MaxMin rates({8, 8, 100});
  const auto a = rates.add(std::vector<LinkUse>{{0}, {2}});
  const auto b = rates.add(std::vector<LinkUse>{{1}, {2}});
  const auto c = rates.add(std::vector<LinkUse>{{1}});
  rates.start(a);
  rates.start(b);
  rates.settle();
  rates.start(c);
  // Link 2 has room for the maximum of a and b: a is not affected.
  EXPECT_THAT(rates.settle(), UnorderedElementsAre(b, c));
  EXPECT_DOUBLE_EQ(rates.rate(a), 8);
  EXPECT_DOUBLE_EQ(rates.rate(b), 4);
  // Stopped and started again between two calls: no other rate has changed.
  rates.stop(b);
  rates.start(b);
  EXPECT_THAT(rates.settle(), UnorderedElementsAre(b));
}

// Max-min fairness is characterised by its bottlenecks: no link is overloaded, and every flow has a
// full link on which it is the fastest. For any starts and stops.
TEST(MaxMin, EveryFlowHasABottleneck) {
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 60; ++round) {
    const std::uint32_t links = 2 + below(8);
    std::vector<double> capacities;
    for (std::uint32_t i = 0; i < links; ++i) capacities.push_back(1 + below(20));
    MaxMin rates(capacities);
    std::vector<std::vector<LinkUse>> uses;
    std::vector<bool> active;
    for (std::uint32_t flow = 0; flow < 25; ++flow) {
      std::vector<LinkUse> of_flow;
      for (std::uint32_t link = 0; link < links; ++link) {
        if (below(3) == 0) of_flow.push_back({link, below(2) == 0 ? 1 : 0.125 * (1 + below(7))});
      }
      if (of_flow.empty()) of_flow.push_back({below(links)});
      EXPECT_EQ(rates.add(of_flow), flow);
      uses.push_back(of_flow);
      active.push_back(false);
    }
    for (int step = 0; step < 40; ++step) {
      for (std::uint32_t changes = 1 + below(3); changes > 0; --changes) {
        const std::uint32_t flow = below(25);
        if (active[flow]) {
          rates.stop(flow);
        } else {
          rates.start(flow);
        }
        active[flow] = !active[flow];
      }
      rates.settle();
      std::vector<double> load(links);
      std::vector<double> fastest(links);
      for (std::uint32_t flow = 0; flow < 25; ++flow) {
        for (const LinkUse& use : uses[flow]) {
          load[use.link] += use.share * rates.rate(flow);
          fastest[use.link] = std::max(fastest[use.link], rates.rate(flow));
        }
      }
      for (std::uint32_t link = 0; link < links; ++link) {
        EXPECT_LE(load[link], capacities[link] * (1 + 1e-9));
      }
      for (std::uint32_t flow = 0; flow < 25; ++flow) {
        if (!active[flow]) {
          EXPECT_EQ(rates.rate(flow), 0);
          continue;
        }
        EXPECT_TRUE(std::any_of(uses[flow].begin(), uses[flow].end(),
                                [&](const LinkUse& use) {
                                  return load[use.link] >= capacities[use.link] * (1 - 1e-9) &&
                                         rates.rate(flow) >= fastest[use.link] * (1 - 1e-9);
                                }))
            << "round " << round << ", step " << step << ", flow " << flow;
      }
    }
  }
}

// The local recomputation must equal a full one: max-min fair rates are unique.
TEST(MaxMin, LocalIsAsEverythingAnew) {
  std::mt19937 random(11);
  constexpr std::uint32_t kLinks = 24;
  constexpr std::uint32_t kFlows = 80;
  std::vector<double> capacities;
  for (std::uint32_t i = 0; i < kLinks; ++i) capacities.push_back(1 + random() % 9);
  std::vector<std::vector<LinkUse>> uses;
  MaxMin local(capacities);
  for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
    std::vector<LinkUse> own{{flow % kLinks}};
    const auto other = static_cast<std::uint32_t>(random() % kLinks);
    if (other != own.front().link) own.push_back({other, random() % 2 == 0 ? 1 : 0.25});
    local.add(own);
    uses.push_back(own);
  }
  std::vector<bool> active(kFlows);
  for (int step = 0; step < 500; ++step) {
    for (std::uint32_t changes = 1 + random() % 2; changes > 0; --changes) {
      const auto flow = static_cast<std::uint32_t>(random() % kFlows);
      if (active[flow]) {
        local.stop(flow);
      } else {
        local.start(flow);
      }
      active[flow] = !active[flow];
    }
    local.settle();
    MaxMin anew(capacities);
    for (const auto& own : uses) anew.add(own);
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
      if (active[flow]) anew.start(flow);
    }
    anew.settle();
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
      EXPECT_NEAR(local.rate(flow), anew.rate(flow), 1e-9 * anew.rate(flow)) << step << ' ' << flow;
    }
  }
}

}  // namespace
}  // namespace plumbline::bench
