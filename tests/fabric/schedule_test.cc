// Down times of links and the tables that follow from them.
#include "fabric/engine/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "base/error.h"
#include "tests/fabric/graphs.h"

namespace plumbline::fabric::testing {
namespace {

using Times = std::vector<std::pair<std::int64_t, std::int64_t>>;  // [us], -1 = never

Times timesOf(const std::vector<Outage>& outages) {
  Times times;
  for (const Outage& outage : outages) {
    times.emplace_back(outage.down.count() / 1'000'000,
                       outage.up == kNever ? -1 : outage.up.count() / 1'000'000);
  }
  return times;
}

class ScheduleTest : public ::testing::Test {
 protected:
  [[nodiscard]] LinkId link(const char* name) const { return *graph.findLink(name); }

  Topology graph = buildTopology(clos2(2, 2, 1));
};

TEST_F(ScheduleTest, ALinkFailsInBothDirectionsAndNoOther) {
  const auto outages = outagesOf(graph, {{"spine1-leaf0", microseconds(3), microseconds(7)}});
  for (LinkId id = 0; id < graph.links().size(); ++id) {
    const bool hit = id == link("leaf0-spine1") || id == link("spine1-leaf0");
    EXPECT_EQ(timesOf(outages[id]), hit ? Times({{3, 7}}) : Times()) << graph.linkName(id);
  }
}

TEST_F(ScheduleTest, OnlyTheNamedOneOfParallelCablesFails) {
  TopologySpec spec = clos2(2, 2, 1);
  spec.uplinks = 2;
  const Topology wide = buildTopology(spec);
  const auto outages = outagesOf(wide, {{"leaf0-spine1#1", microseconds(3), {}}});
  EXPECT_EQ(timesOf(outages[*wide.findLink("leaf0-spine1#1")]), Times({{3, -1}}));
  EXPECT_EQ(timesOf(outages[*wide.findLink("spine1-leaf0#1")]), Times({{3, -1}}));
  EXPECT_TRUE(outages[*wide.findLink("leaf0-spine1")].empty());
}

TEST_F(ScheduleTest, OverlapsOfSwitchAndLinkAreJoined) {
  const auto outages = outagesOf(graph, {{"leaf0-spine1", microseconds(20), microseconds(30)},
                                         {"leaf0-spine1", microseconds(3), microseconds(7)},
                                         {"spine1", microseconds(5), microseconds(20)},
                                         {"leaf0", microseconds(40), {}}});
  EXPECT_EQ(timesOf(outages[link("leaf0-spine1")]), Times({{3, 30}, {40, -1}}));
  EXPECT_EQ(timesOf(outages[link("spine1-leaf0")]), Times({{3, 30}, {40, -1}}));
  EXPECT_EQ(timesOf(outages[link("leaf1-spine1")]), Times({{5, 20}}));
  EXPECT_EQ(timesOf(outages[link("leaf0-host0")]), Times({{40, -1}}));
  EXPECT_EQ(timesOf(outages[link("leaf1-spine0")]), Times());
}

TEST_F(ScheduleTest, UnknownElementsAreNamedByPlace) {
  const auto whereOf = [&](const char* name) {
    try {
      outagesOf(graph, {{"spine0", microseconds(1), {}}, {name, microseconds(1), {}}});
    } catch (const Error& error) {
      return error.where() + ": " + error.remedy();
    }
    return std::string("no error");
  };
  EXPECT_EQ(whereOf("spine2"),
            "failures[1].element: allowed: names of the topology; near: spine0, spine1");
  EXPECT_EQ(whereOf("host1"),
            "failures[1].element: allowed: switches and links, here \"host1-leaf1\"");
  EXPECT_EQ(whereOf("leaf0-spine7"),
            "failures[1].element: allowed: names of the topology; near: spine0, spine1");
}

TEST_F(ScheduleTest, WithoutFailuresThereIsOneTable) {
  const RoutingSchedule schedule(graph, outagesOf(graph, {}), microseconds(100), 1);
  ASSERT_EQ(schedule.epochs().size(), 1U);
  EXPECT_EQ(schedule.epochs()[0].from.count(), INT64_MIN);
  EXPECT_EQ(schedule.epochs()[0].routing->candidates(0, 1).size(), 2U);
}

TEST_F(ScheduleTest, AFlapIsInTheTablesAfterConvergenceEvenWhenShorter) {
  std::vector<FailureSpec> flaps;
  for (std::int64_t i = 0; i < 5; ++i) {
    flaps.push_back({"leaf0-spine1", microseconds(10 * i), microseconds(10 * i + 2)});
  }
  const RoutingSchedule schedule(graph, outagesOf(graph, flaps), microseconds(100), 1);
  ASSERT_EQ(schedule.epochs().size(), 11U);
  std::set<const Routing*> tables;
  for (std::size_t e = 1; e < 11; ++e) {
    const std::int64_t flap = static_cast<std::int64_t>(e - 1) / 2;
    const bool down = e % 2 == 1;
    EXPECT_EQ(schedule.epochs()[e].from, microseconds(100 + 10 * flap + (down ? 0 : 2)));
    EXPECT_EQ(schedule.epochs()[e].routing->candidates(0, 1).size(), down ? 1U : 2U);
    tables.insert(schedule.epochs()[e].routing.get());
  }
  EXPECT_EQ(tables.size(), 2U) << "equal states share a table";
  EXPECT_EQ(schedule.epochs()[0].routing, schedule.epochs()[2].routing);
}

// Only the whole outage of a cable counts, and a switch's failure is never bridged.
TEST_F(ScheduleTest, BridgedOutagesAreNotInTheTables) {
  const Picoseconds limit = microseconds(10);
  const std::vector<FailureSpec> failures = {
      {"leaf0-spine0", microseconds(20), microseconds(30)},    // bridged
      {"leaf0-spine0", microseconds(100), microseconds(106)},  // too long together
      {"leaf0-spine0", microseconds(106), microseconds(112)},
      {"leaf1-spine1", microseconds(200), microseconds(205)},  // the switch fails within it
      {"spine1", microseconds(204), microseconds(206)},
      {"leaf1-spine0", microseconds(300), std::nullopt}};
  const auto outages = outagesOf(graph, failures, limit);
  EXPECT_EQ(timesOf(outages[link("spine0-leaf0")]), Times({{20, 30}, {100, 112}}));
  EXPECT_TRUE(outages[link("spine0-leaf0")][0].bridged);
  EXPECT_FALSE(outages[link("spine0-leaf0")][1].bridged);
  EXPECT_FALSE(outages[link("leaf1-spine1")][0].bridged);
  EXPECT_FALSE(outages[link("leaf1-spine0")][0].bridged);
  for (std::size_t i = 0; i < failures.size(); ++i) {
    EXPECT_EQ(isBridged(failures[i], graph, outages), i == 0) << i;
  }
  const RoutingSchedule schedule(graph, outages, microseconds(100), 1);
  std::vector<Picoseconds> times;
  for (const auto& epoch : schedule.epochs()) times.push_back(epoch.from);
  const std::vector<Picoseconds> expected = {
      times.front(),     microseconds(200), microseconds(212), microseconds(300),
      microseconds(304), microseconds(306), microseconds(400)};
  EXPECT_EQ(times, expected);
  // By a picosecond too short to wait.
  const auto shorter = outagesOf(graph, failures, limit - Picoseconds(1));
  EXPECT_FALSE(shorter[link("leaf0-spine0")][0].bridged);
  EXPECT_EQ(RoutingSchedule(graph, shorter, microseconds(100), 1).epochs().size(), 9U);
}

TEST_F(ScheduleTest, ACutOffHostHasNoCandidates) {
  const RoutingSchedule schedule(graph,
                                 outagesOf(graph, {{"leaf1", microseconds(1), microseconds(2)},
                                                   {"leaf0-host0", microseconds(3), {}}}),
                                 Picoseconds(0), 1);
  ASSERT_EQ(schedule.epochs().size(), 4U);
  EXPECT_TRUE(schedule.epochs()[1].routing->candidates(0, 1).empty());
  EXPECT_FALSE(schedule.epochs()[2].routing->candidates(0, 1).empty());
  EXPECT_TRUE(schedule.epochs()[3].routing->candidates(0, 0).empty());
}

// Tables at any time against the state that the failures themselves give for `convergence` before.
TEST(Schedule, TablesFollowTheStateOneConvergenceAgo) {
  std::mt19937_64 random(3);
  const Picoseconds convergence = microseconds(7);
  for (int i = 0; i < 100; ++i) {
    const Topology graph = buildTopology(randomGraph(random));
    std::vector<FailureSpec> failures;
    for (int f = 0; f < 6; ++f) {
      const bool whole_switch = random() % 3 == 0;
      const auto down = static_cast<std::int64_t>(random() % 30);
      FailureSpec failure;
      failure.element =
          whole_switch ? graph.nodes()[graph.switches()[random() % graph.switches().size()]].name
                       : graph.linkName(static_cast<LinkId>(random() % graph.links().size()));
      failure.down = microseconds(down);
      if (random() % 4 != 0) {
        failure.up = microseconds(down + 1 + static_cast<std::int64_t>(random() % 20));
      }
      failures.push_back(failure);
    }
    const RoutingSchedule schedule(graph, outagesOf(graph, failures), convergence, 1);
    EXPECT_TRUE(std::is_sorted(schedule.epochs().begin(), schedule.epochs().end(),
                               [](const auto& a, const auto& b) { return a.from <= b.from; }));
    for (std::int64_t t = 0; t < 70; ++t) {
      std::vector<bool> down(graph.links().size(), false);
      for (const FailureSpec& failure : failures) {
        const Picoseconds then = microseconds(t) - convergence;
        if (then < failure.down || (failure.up && then >= *failure.up)) continue;
        for (LinkId id = 0; id < down.size(); ++id) {
          const Link& one = graph.links()[id];
          if (graph.linkName(id) == failure.element ||
              graph.linkName(reverse(id)) == failure.element ||
              graph.nodes()[one.from].name == failure.element ||
              graph.nodes()[one.to].name == failure.element) {
            down[id] = true;
          }
        }
      }
      const Routing* table = nullptr;
      for (const auto& epoch : schedule.epochs()) {
        if (epoch.from <= microseconds(t)) table = epoch.routing.get();
      }
      const Distances distances = floydWarshall(graph, down);
      for (std::uint32_t host = 0; host < graph.hosts().size(); ++host) {
        const LinkId up = graph.nodes()[graph.hosts()[host]].out_links.front();
        const std::uint32_t edge = graph.nodes()[graph.links()[up].to].index;
        for (std::uint32_t from = 0; from < graph.switches().size(); ++from) {
          const auto links = table->candidates(from, host);
          const std::vector<LinkId> actual(links.begin(), links.end());
          const auto expected = from != edge
                                    ? shortestFirstLinks(graph, distances, from, edge, down)
                                : down[up + 1] ? std::vector<LinkId>{}
                                               : std::vector<LinkId>{up + 1};
          ASSERT_EQ(actual, expected) << "at " << t << " us";
        }
      }
    }
  }
}

}  // namespace
}  // namespace plumbline::fabric::testing
