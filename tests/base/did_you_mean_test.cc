#include "base/did_you_mean.h"

#include <gtest/gtest.h>

#include <vector>

namespace plumbline {
namespace {

const std::vector<std::string> kWords{"run", "results", "report", "validate"};

TEST(DidYouMean, OneMistakeOrTwoNeighboursSwapped) {
  EXPECT_EQ(didYouMean("reuslts", kWords), "results");
  EXPECT_EQ(didYouMean("result", kWords), "results");
  EXPECT_EQ(didYouMean("reports", kWords), "report");
  EXPECT_EQ(didYouMean("rn", kWords), "run");
  EXPECT_EQ(didYouMean("VALIDATE", kWords), "validate");
}

TEST(DidYouMean, AThirdOfTheLettersAtMost) {
  EXPECT_EQ(didYouMean("vaXiXate", kWords), "validate");    // 2 of 8
  EXPECT_EQ(didYouMean("vXXXdate", kWords), std::nullopt);  // 3 of 8
  EXPECT_EQ(didYouMean("towels", kWords), std::nullopt);
}

TEST(DidYouMean, NothingForASingleLetterOrAnEndlessWord) {
  EXPECT_EQ(didYouMean("r", kWords), std::nullopt);
  EXPECT_EQ(didYouMean("", kWords), std::nullopt);
  EXPECT_EQ(didYouMean(std::string(65, 'r'), kWords), std::nullopt);
  EXPECT_EQ(didYouMean("run", {}), std::nullopt);
}

}  // namespace
}  // namespace plumbline
