#include "base/calendar_time.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

// Seconds since 1970 of 2023-11-16 18:17:03 UTC, as `date -u -d ... +%s` prints them.
TEST(CalendarTime, IsTheTimeOfTheCalendar) {
  const auto time = calendarTime("2023-11-16 18:17:03.9799600");
  ASSERT_TRUE(time);
  EXPECT_EQ(time->seconds, 1'700'158'623);
  EXPECT_EQ(time->fraction, 979'960'000'000);
  EXPECT_FALSE(time->with_offset);
  const auto east = calendarTime("2023-11-16T19:47:03+01:30");
  ASSERT_TRUE(east);
  EXPECT_EQ(east->seconds, 1'700'158'623);
  EXPECT_EQ(east->fraction, 0);
  EXPECT_TRUE(east->with_offset);
  EXPECT_EQ(between(*east, *time), Picoseconds(979'960'000'000));
  EXPECT_EQ(between(*time, *east), Picoseconds(-979'960'000'000));
}

TEST(CalendarTime, RefusesWhatIsNoTime) {
  for (const char* text : {"", "2023-11-16", "2023-02-29 00:00:00", "2023-11-16 24:00:00",
                           "2023-11-16 18:17:03.", "2023-11-16 18:17:03.1234567890123",
                           "2023-11-16 18:17:03 +1", "2023-11-16 18:17:03 +01:60"}) {
    EXPECT_FALSE(calendarTime(text)) << text;
  }
}

}  // namespace
}  // namespace plumbline
