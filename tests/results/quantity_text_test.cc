// Quantities as people read them, against examples worked out by hand.
#include "results/quantity_text.h"

#include <gtest/gtest.h>

namespace plumbline::results {
namespace {

Quantity measured(double value, const char* unit) {
  return {value, unit, ObservationPoint::kTester, 1, {}, {}, {}};
}

Quantity measured(double value, const char* unit, double half) {
  return {value, unit, ObservationPoint::kTester, 5, 0.01, value - half, value + half};
}

TEST(QuantityText, TakesTheUnitThatFits) {
  EXPECT_EQ(quantityText(measured(2.15966e6, "us")), "2.16 s");
  EXPECT_EQ(quantityText(measured(8e6, "B")), "8 MB");
  EXPECT_EQ(quantityText(measured(7.71605e7, "frames/s")), "77.2 Mframes/s");
  EXPECT_EQ(quantityText(measured(15'432, "ns")), "15.43 µs");
  EXPECT_EQ(quantityText(measured(0.0216, "Gb/s")), "21.6 Mb/s");
  EXPECT_EQ(quantityText(measured(12'800, "Gb/s")), "12.8 Tb/s");
  EXPECT_EQ(quantityText(measured(0.25, "ms")), "250 µs");
}

TEST(QuantityText, KeepsTheUnitOverFourDecades) {
  EXPECT_EQ(quantityText(measured(9'216, "B")), "9,216 B");
  EXPECT_EQ(quantityText(measured(1'953, "ns")), "1,953 ns");
  EXPECT_EQ(quantityText(measured(2'345.67, "ns")), "2,346 ns");
  EXPECT_EQ(quantityText(measured(1'600, "Gb/s")), "1,600 Gb/s");
  EXPECT_EQ(quantityText(measured(42.5, "us")), "42.5 µs");
}

TEST(QuantityText, CountsAreExact) {
  EXPECT_EQ(quantityText(measured(12'345'678, "frames")), "12,345,678 frames");
  EXPECT_EQ(quantityText(measured(1, "burst")), "1 burst");
  EXPECT_EQ(quantityText(measured(0, "frames")), "0 frames");
  EXPECT_EQ(quantityText(measured(48'000, "")), "48,000");
  EXPECT_EQ(quantityText(measured(1'234.5, "frames")), "1,235 frames");  // a mean
}

TEST(QuantityText, BytesInPowersOfTwo) {
  EXPECT_EQ(quantityText(measured(1'048'576, "B")), "1 MiB");
  EXPECT_EQ(quantityText(measured(262'144, "B")), "256 KiB");
  EXPECT_EQ(quantityText(measured(64'000, "B")), "64 kB");
  // 6,000 KiB, but 6.144 MB is as short.
  EXPECT_EQ(quantityText(measured(6'144'000, "B")), "6.14 MB");
  EXPECT_EQ(quantityText(measured(1'048'577, "B")), "1.049 MB");
  // A mean is no power of two.
  EXPECT_EQ(quantityText(measured(1'048'576, "B", 20'000)), "1.05 MB");
}

TEST(QuantityText, TheIntervalDecidesThePlaces) {
  EXPECT_EQ(quantityWithSpread(measured(1'234.5678, "ns", 3)), "1,235 ± 3 ns");
  EXPECT_EQ(quantityWithSpread(measured(1'234.5678, "ns", 0.3)), "1,234.6 ± 0.3 ns");
  EXPECT_EQ(quantityWithSpread(measured(32.874, "us", 0.012)), "32.874 ± 0.012 µs");
  EXPECT_EQ(quantityWithSpread(measured(2.15966e6, "us", 30'000)), "2.16 ± 0.03 s");
  EXPECT_EQ(quantityWithSpread(measured(2.15966e6, "us", 400'000)), "2.2 ± 0.4 s");
  EXPECT_EQ(quantityWithSpread(measured(758'967, "/s", 389'606)), "760,000 ± 390,000 /s");
  EXPECT_EQ(quantityWithSpread(measured(12'345, "frames", 35)), "12,345 ± 35 frames");
  // At most two places beyond the usual ones; a smaller spread is left out.
  EXPECT_EQ(quantityWithSpread(measured(2.15966e6, "us", 60)), "2.1597 ± 0.0001 s");
  EXPECT_EQ(quantityWithSpread(measured(2.15966e6, "us", 0.5)), "2.16 s");
  EXPECT_EQ(quantityWithSpread(measured(5, "ns", 0)), "5 ns");
  EXPECT_EQ(quantityWithSpread(measured(5, "ns")), "5 ns");
  EXPECT_EQ(quantityText(measured(2.15966e6, "us", 30'000)), "2.16 s");
}

// Two digits stay, so that a figure does not become another one: a JFI of 0.75 is not 1.
TEST(QuantityText, SmallValuesInWideIntervals) {
  EXPECT_EQ(quantityWithSpread(measured(0.7506, "", 3.17)), "0.75 ± 3");
  EXPECT_EQ(quantityWithSpread(measured(-0.16, "%", 0.591)), "-0.16 ± 0.6 %");
}

TEST(QuantityText, IntervalsInTheUnitOfTheValue) {
  EXPECT_EQ(intervalText(measured(2.15966e6, "us", 30'000)), "2.13 to 2.19 s");
  EXPECT_EQ(intervalText(measured(5.3, "", 2)), "3.3 to 7.3");  // a bound keeps two digits
  EXPECT_EQ(intervalText(measured(5, "ns")), "");
  EXPECT_EQ(intervalText(measured(5, "ns", 0)), "");  // no width is no interval
}

TEST(QuantityText, NearlyAllIsNotAll) {
  EXPECT_EQ(quantityText(measured(100, "%")), "100 %");
  EXPECT_EQ(quantityText(measured(99.9987, "%")), "99.9987 %");
  EXPECT_EQ(quantityText(measured(99.61, "%")), "99.61 %");
  EXPECT_EQ(quantityText(measured(83.333, "%")), "83.3 %");
  EXPECT_EQ(quantityWithSpread(measured(99.994, "%", 0.2)), "100.0 ± 0.2 %");
}

TEST(QuantityText, SmallValuesAreNoZeros) {
  EXPECT_EQ(quantityText(measured(0.00012, "")), "0.00012");
  EXPECT_EQ(quantityText(measured(0, "us")), "0 µs");
}

Table tableOf(std::vector<std::string> columns, std::vector<std::vector<Cell>> rows) {
  return {"t", "T", "", std::move(columns), std::move(rows)};
}

std::string shownIn(const Table& table, std::size_t row, std::size_t column) {
  const auto formats = columnFormats(table);
  const auto& quantity = std::get<Quantity>(table.rows[row][column]);
  return cellParts(quantity, formats[column]).number;
}

TEST(ColumnFormat, ColumnsOfOneUnitShareMultipleAndPlaces) {
  const Table table =
      tableOf({"Size", "Min", "Max [ns]"},
              {{std::string("64 B"), measured(812, "ns"), measured(15'432.5, "ns")},
               {std::string("9 kB"), measured(2'345, "ns"), measured(91'000, "ns")}});
  const auto formats = columnFormats(table);
  EXPECT_FALSE(formats[0].numeric);
  EXPECT_EQ(columnHead("Min", formats[1]).unit, "µs");
  EXPECT_EQ(columnHead("Max [ns]", formats[2]).text, "Max");
  EXPECT_EQ(columnHead("Max [ns]", formats[2]).unit, "µs");
  EXPECT_EQ(columnHead("Size", formats[0]).unit, "");
  // 91.00 has four digits; so has every other number no more than two places.
  EXPECT_EQ(shownIn(table, 0, 1), "0.81");
  EXPECT_EQ(shownIn(table, 1, 1), "2.35");
  EXPECT_EQ(shownIn(table, 0, 2), "15.43");
  EXPECT_EQ(shownIn(table, 1, 2), "91.00");
}

// 0.04 and 0.27 would keep one and two of the three digits that the figures have.
TEST(ColumnFormat, AColumnOfSmallValuesKeepsThreeDigits) {
  const Table table =
      tableOf({"Input", "Output"}, {{measured(10'240, "tokens/s"), measured(40, "tokens/s")},
                                    {measured(102'400, "tokens/s"), measured(266.67, "tokens/s")}});
  EXPECT_EQ(columnFormats(table)[1].unit.unit, "ktokens/s");
  EXPECT_EQ(shownIn(table, 0, 1), "0.040");
  EXPECT_EQ(shownIn(table, 1, 1), "0.267");
  EXPECT_EQ(shownIn(table, 0, 0), "10.2");
}

TEST(ColumnFormat, FarApartColumnsHaveTheirOwn) {
  const Table table = tableOf({"Frame", "Queue"}, {{measured(64, "B"), measured(8e6, "B")},
                                                   {measured(9216, "B"), measured(2.5e6, "B")}});
  const auto formats = columnFormats(table);
  EXPECT_EQ(columnHead("Frame", formats[0]).unit, "B");
  EXPECT_EQ(columnHead("Queue", formats[1]).unit, "MB");
  EXPECT_EQ(shownIn(table, 1, 0), "9,216");
  EXPECT_EQ(shownIn(table, 0, 1), "8.0");
  EXPECT_EQ(shownIn(table, 1, 1), "2.5");
}

TEST(ColumnFormat, WholeNumbersOfFiveDigitsStayExact) {
  const Table table = tableOf({"Queue"}, {{measured(192, "B")}, {measured(27'648, "B")}});
  EXPECT_EQ(columnHead("Queue", columnFormats(table)[0]).unit, "B");
  EXPECT_EQ(shownIn(table, 1, 0), "27,648");
}

TEST(ColumnFormat, AMachineNameKeepsItsUnit) {
  const Table table = tableOf({"sim_end_ns"}, {{measured(1'147'000.25, "ns")}});
  EXPECT_EQ(columnHead("sim_end_ns", columnFormats(table)[0]).unit, "ns");
  EXPECT_EQ(shownIn(table, 0, 0), "1,147,000");
}

TEST(ColumnFormat, NoMultipleThatLosesTheSmallest) {
  const Table table = tableOf({"Time"}, {{measured(5, "ns")}, {measured(2e6, "ns")}});
  EXPECT_EQ(columnHead("Time", columnFormats(table)[0]).unit, "ns");
  EXPECT_EQ(shownIn(table, 0, 0), "5");
  EXPECT_EQ(shownIn(table, 1, 0), "2,000,000");
}

TEST(ColumnFormat, EachIntervalDecidesThePlaces) {
  const Table table =
      tableOf({"Mean"}, {{measured(32.874, "us", 4)}, {measured(2.4154, "us", 0.3)}});
  EXPECT_EQ(shownIn(table, 0, 0), "33");
  EXPECT_EQ(shownIn(table, 1, 0), "2.4");
  EXPECT_EQ(cellParts(std::get<Quantity>(table.rows[1][0]), columnFormats(table)[0]).spread,
            "± 0.3");
}

TEST(ColumnFormat, MixedUnitsStandInTheCells) {
  const Table table = tableOf({"Value"}, {{measured(5, "ns")}, {measured(8e6, "B")}});
  const auto formats = columnFormats(table);
  EXPECT_EQ(columnHead("Value", formats[0]).unit, "");
  const QuantityText text = cellParts(std::get<Quantity>(table.rows[1][0]), formats[0]);
  EXPECT_EQ(text.number, "8");
  EXPECT_EQ(text.unit, "MB");
}

TEST(ColumnFormat, MessageSizesStayPowersOfTwo) {
  const Table table = tableOf({"Size"}, {{measured(65'536, "B")}, {measured(1'048'576, "B")}});
  EXPECT_EQ(columnHead("Size", columnFormats(table)[0]).unit, "KiB");
  EXPECT_EQ(shownIn(table, 1, 0), "1,024");
}

TEST(ColumnFormat, RaggedAndEmptyTables) {
  EXPECT_TRUE(columnFormats(tableOf({}, {})).empty());
  EXPECT_EQ(columnFormats(tableOf({"A"}, {{std::string("x"), measured(1, "B")}})).size(), 2U);
}

}  // namespace
}  // namespace plumbline::results
