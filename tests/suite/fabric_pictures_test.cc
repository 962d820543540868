// Pictures of a trial on the simulated fabric: the right value in the right place.
#include "suite/framework/fabric_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumbline::suite {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

bench::LinkLoad load(const std::string& name, double utilisation, bool between_switches = true) {
  bench::LinkLoad load;
  load.name = name;
  load.between_switches = between_switches;
  load.utilisation = utilisation;
  return load;
}

TEST(LinkHeatMaps, AMapForEachDirectionInTheOrderOfNumbers) {
  const auto maps =
      linkHeatMaps({load("leaf10-spine0", 0.5), load("leaf2-spine0", 0.25), load("leaf2-spine1", 1),
                    load("spine1-leaf10", 0.75), load("host0-leaf2", 0.9, false)},
                   "links", "Spray");
  ASSERT_THAT(maps, SizeIs(2));
  EXPECT_EQ(maps[0].id, "links");
  EXPECT_EQ(maps[0].title, "Spray: leaf to spine");
  EXPECT_THAT(maps[0].rows, ElementsAre("leaf2", "leaf10"));
  EXPECT_THAT(maps[0].columns, ElementsAre("spine0", "spine1"));
  EXPECT_EQ(maps[0].values[0][0], 25);
  EXPECT_EQ(maps[0].values[0][1], 100);
  EXPECT_EQ(maps[0].values[1][0], 50);
  EXPECT_EQ(maps[0].values[1][1], std::nullopt);  // carried nothing
  EXPECT_EQ(maps[0].full_scale, 100);
  EXPECT_EQ(maps[1].id, "links_2");
  EXPECT_EQ(maps[1].title, "Spray: spine to leaf");
  EXPECT_EQ(maps[1].values[0][0], 75);
}

TEST(LinkHeatMaps, ParallelCablesShareACell) {
  const auto maps =
      linkHeatMaps({load("a0-b0", 0.2), load("a0-b0#1", 0.6), load("a0-b0#2", 0.1)}, "l", "L");
  ASSERT_THAT(maps, SizeIs(1));
  EXPECT_NEAR(*maps[0].values[0][0], 30, 1e-12);
}

TEST(LinkHeatMaps, PodsAreOneMap) {
  const auto maps = linkHeatMaps(
      {load("pod0.leaf0-pod0.spine0", 0.1), load("pod1.leaf0-pod1.spine0", 0.2)}, "l", "L");
  ASSERT_THAT(maps, SizeIs(1));
  EXPECT_EQ(maps[0].title, "L: leaf to spine");
  EXPECT_THAT(maps[0].rows, ElementsAre("pod0.leaf0", "pod1.leaf0"));
}

TEST(LinkHeatMaps, NothingBetweenSwitchesIsNoMap) {
  EXPECT_THAT(linkHeatMaps({load("host0-switch0", 1, false)}, "l", "L"), IsEmpty());
}

bench::PauseSpan span(const std::string& link, int priority, int from_us, int until_us) {
  return {link, static_cast<std::uint8_t>(priority), microseconds(from_us), microseconds(until_us)};
}

TEST(PauseTimeline, ALaneForEachPortAndPriority) {
  bench::Samples samples;
  // In the order of their ends, as the bench gives them.
  samples.spans = {span("host10-leaf1", 3, 4, 6), span("host2-leaf0", 3, 1, 9),
                   span("host2-leaf0", 4, 2, 10), span("host10-leaf1", 3, 8, 20)};
  samples.span_count = 4;
  const results::Timeline timeline = pauseTimeline(samples, microseconds(30), "pauses", "Pauses");
  ASSERT_THAT(timeline.lanes, SizeIs(3));
  EXPECT_EQ(timeline.lanes[0].name, "host2-leaf0 p3");
  EXPECT_EQ(timeline.lanes[1].name, "host2-leaf0 p4");
  EXPECT_EQ(timeline.lanes[2].name, "host10-leaf1 p3");
  ASSERT_THAT(timeline.lanes[2].spans, SizeIs(2));
  EXPECT_EQ(timeline.lanes[2].spans[0].from, 4);
  EXPECT_EQ(timeline.lanes[2].spans[1].until, 20);
  EXPECT_EQ(timeline.until, 30);
  EXPECT_EQ(timeline.note, "");
}

TEST(PauseTimeline, OfTooManyTheLongestStay) {
  bench::Samples samples;
  for (int host = 0; host < 6; ++host) {
    // Hosts 1 and 4 pause for long, the others equally short.
    const int length = host == 1 || host == 4 ? 50 : 5;
    samples.spans.push_back(span("host" + std::to_string(host) + "-leaf0", 3, 0, length));
  }
  samples.span_count = 9;
  const results::Timeline timeline = pauseTimeline(samples, microseconds(60), "p", "P", 3);
  ASSERT_THAT(timeline.lanes, SizeIs(3));
  EXPECT_EQ(timeline.lanes[0].name, "host0-leaf0 p3");
  EXPECT_EQ(timeline.lanes[1].name, "host1-leaf0 p3");
  EXPECT_EQ(timeline.lanes[2].name, "host4-leaf0 p3");
  EXPECT_EQ(timeline.note,
            "The 3 of 6 ports and priorities that paused longest. The first 6 of 9 pauses.");
}

}  // namespace
}  // namespace plumbline::suite
