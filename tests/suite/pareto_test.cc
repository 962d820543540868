// Points that no other is better than.
#include "suite/inference/pareto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace plumbline::suite {
namespace {

using ::testing::ElementsAre;

TEST(ParetoSet, HasWhatNoOtherPointIsBetterThan) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  EXPECT_THAT(paretoSet({{100, {5, 2}},         // most tokens
                         {90, {4, 2}},          // less of both
                         {90, {4, 3}},          // beaten by the one above
                         {80, {4, 1}},          // least ITL
                         {70, {4, 1}},          // beaten by the one above
                         {100, {kNever, 2}}}),  // beaten by the first
              ElementsAre(0, 1, 3));
  EXPECT_THAT(paretoSet({{1, {1}}, {1, {1}}}), ElementsAre(0, 1)) << "equal points";
  EXPECT_THAT(paretoSet({}), ElementsAre());
}

}  // namespace
}  // namespace plumbline::suite
