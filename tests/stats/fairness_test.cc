// JFI and MMR against their definitions.
#include "stats/fairness.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace plumbline::stats {
namespace {

std::optional<Fairness> of(const std::vector<std::uint64_t>& loads) { return fairness(loads); }

TEST(Fairness, NothingToShareIsNeitherFairNorUnfair) {
  EXPECT_FALSE(of({}));
  EXPECT_FALSE(of({0}));
  EXPECT_FALSE(of({0, 0, 0}));
}

TEST(Fairness, Extremes) {
  for (const std::uint64_t load : {std::uint64_t{1}, std::uint64_t{7}, UINT64_MAX}) {
    EXPECT_DOUBLE_EQ(of({load, load, load, load})->jfi, 1);
    EXPECT_DOUBLE_EQ(of({load, load, load, load})->mmr, 1);
    EXPECT_DOUBLE_EQ(of({0, load, 0, 0, 0})->jfi, 0.2);
    EXPECT_DOUBLE_EQ(of({0, load, 0, 0, 0})->mmr, 5);
  }
  EXPECT_DOUBLE_EQ(of({9})->jfi, 1);
  EXPECT_DOUBLE_EQ(of({9})->mmr, 1);
}

TEST(Fairness, WorkedExample) {
  // Sum 10, sum of squares 30.
  const auto result = of({1, 2, 3, 4});
  ASSERT_TRUE(result);
  EXPECT_DOUBLE_EQ(result->jfi, 100.0 / (4 * 30));
  EXPECT_DOUBLE_EQ(result->mmr, 4 / 2.5);
}

TEST(Fairness, ExactIntegersAgree) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::uint64_t> loads(1 + random() % 40);
    for (auto& load : loads) load = random() % 1'000'000 + 1;
    std::uint64_t sum = 0;
    std::uint64_t squares = 0;
    std::uint64_t max = 0;
    for (const std::uint64_t load : loads) {
      sum += load;
      squares += load * load;
      max = load > max ? load : max;
    }
    const auto n = static_cast<long double>(loads.size());
    const auto result = of(loads);
    ASSERT_TRUE(result);
    EXPECT_NEAR(result->jfi,
                static_cast<double>(static_cast<long double>(sum) * sum / (n * squares)), 1e-12);
    EXPECT_NEAR(result->mmr, static_cast<double>(max * n / sum), 1e-12);
  }
}

}  // namespace
}  // namespace plumbline::stats
