// Entropy policies, step by step.
#include "transport/uet/uet_entropy.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <vector>

namespace plumbline::transport_test {
namespace {

using transport::EntropySelector;
using transport::UetEntropyPolicy;
using transport::UetEntropySpec;

std::vector<std::uint16_t> take(EntropySelector& selector, int count,
                                Picoseconds now = Picoseconds(0)) {
  std::vector<std::uint16_t> values;
  values.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) values.push_back(selector.next(now));
  return values;
}

TEST(Entropy, ConstantKeepsItsValue) {
  const UetEntropySpec spec;
  EntropySelector selector(spec, UetEntropyPolicy::kConstant, 5);
  const auto values = take(selector, 100);
  EXPECT_EQ(std::set<std::uint16_t>(values.begin(), values.end()).size(), 1U);
  std::set<std::uint16_t> of_pdcs;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    of_pdcs.insert(EntropySelector(spec, UetEntropyPolicy::kConstant, seed * 977).next({}));
  }
  EXPECT_GT(of_pdcs.size(), 100U);
}

TEST(Entropy, ObliviousVisitsEveryValueOncePerPassInANewOrder) {
  UetEntropySpec spec;
  spec.set_size = 64;
  EntropySelector selector(spec, UetEntropyPolicy::kOblivious, 9);
  std::set<std::uint16_t> masks;
  for (int pass = 0; pass < 20; ++pass) {
    const auto values = take(selector, 64);
    EXPECT_EQ(std::set<std::uint16_t>(values.begin(), values.end()).size(), 64U);
    for (std::uint16_t i = 0; i < 64; ++i) EXPECT_EQ(values[i] ^ i, values[0]);
    masks.insert(values[0]);
  }
  EXPECT_GT(masks.size(), 10U);
}

TEST(Entropy, RoundRobinWalksOnAndRandomStaysInTheSet) {
  UetEntropySpec spec;
  spec.set_size = 16;
  EntropySelector walk(spec, UetEntropyPolicy::kRoundRobin, 3);
  const auto values = take(walk, 40);
  for (int i = 1; i < 40; ++i) EXPECT_EQ(values[i], (values[i - 1] + 1) % 16);
  EntropySelector random(spec, UetEntropyPolicy::kRandom, 3);
  std::vector<int> hits(16);
  for (const std::uint16_t value : take(random, 16'000)) {
    ASSERT_LT(value, 16);
    ++hits[value];
  }
  // 1000 each, standard deviation 31.
  for (const int count : hits) EXPECT_NEAR(count, 1000, 5 * 31);
}

TEST(Entropy, BitmapLeavesOutPenalisedValuesForAsManyRounds) {
  UetEntropySpec spec;
  spec.set_size = 4;
  EntropySelector selector(spec, UetEntropyPolicy::kBitmap, 1);
  const std::uint16_t first = selector.next({});
  const auto at = [&](int i) { return static_cast<std::uint16_t>((first + i) % 4); };
  EXPECT_EQ(take(selector, 3), (std::vector<std::uint16_t>{at(1), at(2), at(3)}));
  selector.onAck(at(1), true);   // 1
  selector.onAck(at(2), false);  // nothing
  EXPECT_EQ(take(selector, 3), (std::vector<std::uint16_t>{at(0), at(2), at(3)}));
  EXPECT_EQ(take(selector, 4), (std::vector<std::uint16_t>{at(0), at(1), at(2), at(3)}));
  selector.onNack(at(3));  // 4 rounds
  for (int round = 0; round < 4; ++round) {
    EXPECT_EQ(take(selector, 3), (std::vector<std::uint16_t>{at(0), at(1), at(2)}));
  }
  EXPECT_EQ(take(selector, 4), (std::vector<std::uint16_t>{at(0), at(1), at(2), at(3)}));
  selector.onNack(at(0));
  selector.onTimeout(at(0), {});  // to the limit, not above: 15 rounds
  for (int round = 0; round < 15; ++round) {
    EXPECT_EQ(take(selector, 3), (std::vector<std::uint16_t>{at(1), at(2), at(3)}));
  }
  EXPECT_EQ(selector.next({}), at(0));
}

TEST(Entropy, RepsReusesUnmarkedValuesOnceOldestFirst) {
  UetEntropySpec spec;
  spec.reps_explore = 0;
  spec.reps_buffer = 4;
  spec.set_size = 32768;
  EntropySelector selector(spec, UetEntropyPolicy::kReps, 7);
  selector.onAck(11, false);
  selector.onAck(12, true);  // marked: not kept
  selector.onAck(13, false);
  EXPECT_EQ(take(selector, 2), (std::vector<std::uint16_t>{11, 13}));
  // Nothing cached: a random value, most probably new every time.
  const auto random = take(selector, 50);
  EXPECT_GT(std::set<std::uint16_t>(random.begin(), random.end()).size(), 45U);
  // Six values into four places: the oldest two are overwritten.
  for (std::uint16_t value = 20; value < 26; ++value) selector.onAck(value, false);
  EXPECT_EQ(take(selector, 4), (std::vector<std::uint16_t>{22, 23, 24, 25}));
}

TEST(Entropy, RepsExploresFirstAndFreezesAfterATimeout) {
  UetEntropySpec spec;
  spec.reps_explore = 16;
  spec.reps_buffer = 2;
  spec.set_size = 32768;
  EntropySelector selector(spec, UetEntropyPolicy::kReps, 7);
  selector.onAck(40'000 % 32768, false);
  const auto exploring = take(selector, 16);
  for (const std::uint16_t value : exploring) EXPECT_NE(value, 40'000 % 32768);
  EXPECT_EQ(selector.next({}), 40'000 % 32768);
  selector.onAck(1, false);
  selector.onAck(2, false);
  selector.onTimeout(9, microseconds(100));
  EXPECT_TRUE(selector.freezing());
  // Only values that are known to work, again and again.
  for (const std::uint16_t value : take(selector, 100, microseconds(200))) {
    EXPECT_TRUE(value == 1 || value == 2) << value;
  }
  selector.onTimeout(9, milliseconds(5));  // does not prolong it
  EXPECT_TRUE(selector.freezing());
  const auto after = take(selector, 16, microseconds(10'100));
  EXPECT_FALSE(selector.freezing());
  EXPECT_GT(std::set<std::uint16_t>(after.begin(), after.end()).size(), 12U);
}

}  // namespace
}  // namespace plumbline::transport_test
