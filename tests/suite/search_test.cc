#include "suite/search/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"

namespace plumbline::suite {
namespace {

// A trial that passes up to `limit`; it must be tried only within [low, high] and never twice.
class Oracle {
 public:
  Oracle(std::uint64_t low, std::uint64_t high, std::uint64_t limit)
      : low_(low), high_(high), limit_(limit) {}

  Verdict operator()(std::uint64_t value) {
    EXPECT_GE(value, low_);
    EXPECT_LE(value, high_);
    EXPECT_TRUE(asked_.insert(value).second) << value << " was tried twice";
    return value <= limit_ ? Verdict::kPass : Verdict::kFail;
  }

  [[nodiscard]] std::size_t count() const { return asked_.size(); }

 private:
  std::uint64_t low_;
  std::uint64_t high_;
  std::uint64_t limit_;
  std::set<std::uint64_t> asked_;
};

void expectFound(const SearchResult& result, std::uint64_t low, std::uint64_t high,
                 std::uint64_t limit) {
  EXPECT_TRUE(result.valid);
  if (limit < low) {
    EXPECT_FALSE(result.highest_passing);
  } else {
    ASSERT_TRUE(result.highest_passing);
    EXPECT_EQ(*result.highest_passing, std::min(limit, high));
  }
  EXPECT_EQ(result.reached_top, limit >= high);
}

// Every range up to 40 values wide, every limit in and around it.
TEST(SearchHighestPassing, FindsTheLimitWithinTheStatedNumberOfTrials) {
  for (std::uint64_t low : {0U, 1U, 5U}) {
    for (std::uint64_t high = low; high < low + 40; ++high) {
      std::size_t max = 0;
      for (std::uint64_t limit = low == 0 ? 0 : low - 1; limit <= high + 1; ++limit) {
        Oracle oracle(low, high, limit);
        const SearchResult result = searchHighestPassing(low, high, std::ref(oracle));
        expectFound(result, low, high, limit);
        EXPECT_EQ(result.steps.size(), oracle.count());
        max = std::max(max, oracle.count());
      }
      EXPECT_LE(max, searchTrials(low, high)) << low << ".." << high;
    }
  }
}

TEST(SearchHighestPassing, BeginsAtTheTopAndStopsThereWhenItPasses) {
  Oracle oracle(1, 1024, 1024);
  const SearchResult result = searchHighestPassing(1, 1024, std::ref(oracle));
  ASSERT_EQ(result.steps.size(), 1U);
  EXPECT_EQ(result.steps[0].value, 1024U);
  EXPECT_TRUE(result.reached_top);
}

// The terminology draft: 0.1 % within ten iterations after the first trial.
TEST(SearchHighestPassing, ResolvesOneInAThousandInTenIterations) {
  EXPECT_EQ(searchTrials(1, 1024), 11U);
  for (std::uint64_t limit = 1; limit < 1024; ++limit) {
    Oracle oracle(1, 1024, limit);
    expectFound(searchHighestPassing(1, 1024, std::ref(oracle)), 1, 1024, limit);
    EXPECT_LE(oracle.count(), 11U);
  }
}

TEST(SearchHighestPassing, RecordsStepsWithTheirVerdicts) {
  Oracle oracle(0, 8, 5);
  const SearchResult result = searchHighestPassing(0, 8, std::ref(oracle));
  for (const SearchStep& step : result.steps) {
    EXPECT_EQ(step.verdict, step.value <= 5 ? Verdict::kPass : Verdict::kFail);
  }
}

TEST(SearchHighestPassing, EndsAtAnInvalidTrial) {
  int asked = 0;
  const SearchResult result = searchHighestPassing(1, 100, [&](std::uint64_t value) {
    ++asked;
    return value == 100 ? Verdict::kFail : asked == 3 ? Verdict::kInvalid : Verdict::kPass;
  });
  EXPECT_EQ(asked, 3);
  EXPECT_FALSE(result.valid);
  EXPECT_FALSE(result.highest_passing);
  EXPECT_FALSE(result.reached_top);
}

TEST(SearchHighestPassing, RefusesAnEmptyRange) {
  EXPECT_THROW(searchHighestPassing(2, 1, [](std::uint64_t) { return Verdict::kPass; }), Error);
}

TEST(SearchAround, FindsTheLimitWhateverWasExpected) {
  for (std::uint64_t high : {1U, 2U, 7U, 33U}) {
    for (std::uint64_t limit = 0; limit <= high + 1; ++limit) {
      for (std::uint64_t expected = 0; expected <= high + 3; ++expected) {
        Oracle oracle(1, high, limit);
        expectFound(searchAround(1, high, expected, std::ref(oracle)), 1, high, limit);
      }
    }
  }
}

TEST(SearchAround, NeedsTwoTrialsWhenTheExpectationHolds) {
  Oracle oracle(1, 1U << 24, 15625);
  searchAround(1, 1U << 24, 15625, std::ref(oracle));
  EXPECT_EQ(oracle.count(), 2U);
  Oracle top(1, 64, 64);
  searchAround(1, 64, 64, std::ref(top));
  EXPECT_EQ(top.count(), 1U);
}

TEST(SearchAround, GrowsFromTheBottomInDoublingSteps) {
  Oracle oracle(1, 1U << 24, 15625);
  const SearchResult result = searchAround(1, 1U << 24, 1, std::ref(oracle));
  expectFound(result, 1, 1U << 24, 15625);
  EXPECT_LE(oracle.count(), 2U * 14 + 1);
  // No trial was much longer than needed: at most about twice the limit.
  for (const SearchStep& step : result.steps) EXPECT_LE(step.value, 2U * 15625 + 2);
}

TEST(SearchAround, EndsAtAnInvalidTrial) {
  for (const std::uint64_t bad : {50U, 51U, 53U}) {
    const SearchResult result = searchAround(1, 100, 50, [&](std::uint64_t value) {
      return value == bad ? Verdict::kInvalid : Verdict::kPass;
    });
    EXPECT_FALSE(result.valid);
    EXPECT_EQ(result.steps.back().value, bad);
  }
}

}  // namespace
}  // namespace plumbline::suite
