#include "base/units.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace plumbline {
namespace {

TEST(Units, AByteIsAWholeNumberOfPicosecondsAtEveryLineRate) {
  struct Row {
    std::int64_t gigabits;
    std::int64_t byte_ps;
  };
  for (const Row row : {Row{100, 80}, Row{200, 40}, Row{400, 20}, Row{800, 10}}) {
    const BitRate rate = gigabitsPerSecond(row.gigabits);
    for (const std::int64_t bytes : {1, 2, 63, 64, 65, 1518, 9216, 1'000'000'007}) {
      EXPECT_EQ(serializationTime(Bytes(bytes), rate), Picoseconds(bytes * row.byte_ps))
          << bytes << " bytes at " << row.gigabits << " Gb/s";
    }
  }
}

TEST(Units, SerializationRoundsUpWhereTheRateDoesNotDivide) {
  // 8 bits at 3 bit/s last 2.666… s.
  EXPECT_EQ(serializationTime(Bytes(1), BitRate(3)), Picoseconds(2'666'666'666'667));
  EXPECT_EQ(serializationTime(Bytes(3), BitRate(3)), seconds(8));
  EXPECT_EQ(serializationTime(Bytes(0), BitRate(3)), Picoseconds(0));
}

// The table of FACTS I.1: slot in ns at 100 G and frames per second at the four rates.
struct SlotRow {
  std::int64_t frame;
  std::int64_t slot_ps_100g;
  std::array<std::int64_t, 4> frames_per_second;
};

class FrameSlots : public testing::TestWithParam<SlotRow> {};

INSTANTIATE_TEST_SUITE_P(
    FactsI1, FrameSlots,
    testing::Values(SlotRow{64, 6'720, {148'809'524, 297'619'048, 595'238'095, 1'190'476'190}},
                    SlotRow{128, 11'840, {84'459'459, 168'918'919, 337'837'838, 675'675'676}},
                    SlotRow{256, 22'080, {45'289'855, 90'579'710, 181'159'420, 362'318'841}},
                    SlotRow{512, 42'560, {23'496'241, 46'992'481, 93'984'962, 187'969'925}},
                    SlotRow{1024, 83'520, {11'973'180, 23'946'360, 47'892'720, 95'785'441}},
                    SlotRow{1280, 104'000, {9'615'385, 19'230'769, 38'461'538, 76'923'077}},
                    SlotRow{1518, 123'040, {8'127'438, 16'254'876, 32'509'753, 65'019'506}},
                    SlotRow{4096, 329'280, {3'036'929, 6'073'858, 12'147'716, 24'295'432}},
                    SlotRow{9216, 738'880, {1'353'400, 2'706'799, 5'413'599, 10'827'198}}),
    [](const auto& info) { return "Frame" + std::to_string(info.param.frame); });

TEST_P(FrameSlots, MatchTheTable) {
  EXPECT_EQ(frameSlot(Bytes(GetParam().frame), gigabitsPerSecond(100)),
            Picoseconds(GetParam().slot_ps_100g));
  std::int64_t gigabits = 100;
  for (const std::int64_t expected : GetParam().frames_per_second) {
    const std::int64_t slot =
        frameSlot(Bytes(GetParam().frame), gigabitsPerSecond(gigabits)).count();
    EXPECT_EQ((seconds(1).count() + slot / 2) / slot, expected) << gigabits << " Gb/s";
    gigabits *= 2;
  }
}

TEST(Units, TimeArithmeticIsExact) {
  EXPECT_EQ(nanoseconds(1), Picoseconds(1'000));
  EXPECT_EQ(microseconds(1), nanoseconds(1'000));
  EXPECT_EQ(milliseconds(1), microseconds(1'000));
  EXPECT_EQ(seconds(1), milliseconds(1'000));
  EXPECT_EQ(nanoseconds(7) - nanoseconds(9), -nanoseconds(2));
  EXPECT_EQ(3 * nanoseconds(5), nanoseconds(5) * 3);
  EXPECT_EQ(nanoseconds(7) / nanoseconds(2), 3);
  EXPECT_EQ(-nanoseconds(7) / nanoseconds(2), -3);
  EXPECT_LT(Picoseconds(-1), Picoseconds(0));
  // One picosecond stays visible after a hundred days.
  const Picoseconds long_run = seconds(8'640'000);
  EXPECT_EQ((long_run + Picoseconds(1) - long_run).count(), 1);
}

TEST(Units, FractionsAreExactPartsOfATrillion) {
  EXPECT_EQ(Fraction::percent(100), Fraction::one());
  EXPECT_EQ(Fraction::percent(1).partsPerTrillion(), 10'000'000'000);
  EXPECT_DOUBLE_EQ(Fraction::percent(25).toDouble(), 0.25);
}

}  // namespace
}  // namespace plumbline
