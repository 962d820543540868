#include "gui/data/comparison.h"

#include <gtest/gtest.h>

namespace plumbline::gui {
namespace {

StoredQuantity quantity(double value, std::uint32_t repetitions, std::optional<double> cv) {
  StoredQuantity one;
  one.value = value;
  one.unit = "Gb/s";
  one.repetitions = repetitions;
  one.cv = cv;
  return one;
}

// Ten repetitions of 100 ± 2 each (standard deviation): the means are significantly apart at 5 %
// from 2.101 standard errors on (t of 18 degrees of freedom), each of sqrt(2 * 4 / 10) = 0.894.
TEST(Comparison, IsSignificantBeyondTheScatterOfTheRepetitions) {
  const StoredQuantity before = quantity(100, 10, 0.02);
  const auto after = [](double value) { return quantity(value, 10, 2 / value); };
  EXPECT_FALSE(changeOf(before, after(101.87)).significant);
  EXPECT_TRUE(changeOf(before, after(101.89)).significant);
  EXPECT_TRUE(changeOf(before, after(98.11)).significant);
  EXPECT_EQ(changeOf(before, after(98)).change, "-2 %");
  EXPECT_TRUE(changeOf(before, after(98)).significance.starts_with("significant (p = 0.0"));
  EXPECT_TRUE(changeOf(before, after(101)).significance.starts_with("not significant (p = 0.2"));
}

TEST(Comparison, OfSingleMeasurementsIsNotTestable) {
  const FigureChange change = changeOf(quantity(0, 1, {}), quantity(7, 1, {}));
  EXPECT_EQ(change.change, "from zero");
  EXPECT_EQ(change.significance, "not testable");
  EXPECT_FALSE(change.significant);
  EXPECT_EQ(changeOf(quantity(7, 1, {}), quantity(7, 1, {})).change, "same");
}

}  // namespace
}  // namespace plumbline::gui
