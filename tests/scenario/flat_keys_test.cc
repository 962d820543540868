// A scenario as a list of its keys.
#include "scenario/flat_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumbline::scenario {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAreArray;

TEST(FlatKeys, HaveTheirPlaceAndTheirText) {
  EXPECT_THAT(flatKeys("name: a\ndut:\n  switch: {ecn: {kmin: 200KB}, pfc: {}}\n"),
              ElementsAre(Pair("name", "a"), Pair("dut.switch.ecn.kmin", "200KB"),
                          Pair("dut.switch.pfc", "{}")));
}

TEST(FlatKeys, DoNotDependOnOrderCommentsAndLayout) {
  const auto keys =
      flatKeys("# a\nseed: 1\ndut:\n  switch:\n    latency: 1us  # b\n    voq: true\n");
  EXPECT_THAT(flatKeys("{dut: {switch: {voq: true, latency: 1us}}, seed: 1}"),
              UnorderedElementsAreArray(keys));
}

TEST(FlatKeys, NameTheItemsOfLists) {
  EXPECT_THAT(flatKeys("workload: [{name: a, size: 1MB}, {size: 2MB}]"),
              ElementsAre(Pair("workload[a].name", "a"), Pair("workload[a].size", "1MB"),
                          Pair("workload[1].size", "2MB")));
  EXPECT_THAT(flatKeys("workload: [{name: a, size: 1MB}, {name: b}, {name: a, size: 2MB}]"),
              ElementsAre(Pair("workload[0].name", "a"), Pair("workload[0].size", "1MB"),
                          Pair("workload[b].name", "b"), Pair("workload[2].name", "a"),
                          Pair("workload[2].size", "2MB")));
  EXPECT_THAT(flatKeys("ecn: [{kmin: 1KB}]"), ElementsAre(Pair("ecn.kmin", "1KB")));
  EXPECT_THAT(flatKeys("{a: [1, 2], b: [3], c: [[0, 1], [2, 3]], d: []}"),
              ElementsAre(Pair("a", "[1, 2]"), Pair("b", "3"), Pair("c", "[[0, 1], [2, 3]]"),
                          Pair("d", "[]")));
}

TEST(FlatKeys, OfNoScenarioAreNone) {
  EXPECT_THAT(flatKeys(""), IsEmpty());
  EXPECT_THAT(flatKeys("text"), IsEmpty());
  EXPECT_THAT(flatKeys("{a: [}"), IsEmpty());
}

}  // namespace
}  // namespace plumbline::scenario
