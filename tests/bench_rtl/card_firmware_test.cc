// Cards whose firmware keeps a common time: when times of two cards may be subtracted, and how far
// they may be apart.
#include "bench/card/card_firmware.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"

namespace plumbline::bench {
namespace {

using ::testing::HasSubstr;

card::CardClock master() {
  card::CardClock clock;
  clock.present = true;
  clock.role = firmware::kPtpMaster;
  clock.state = firmware::kPtpSends;
  return clock;
}

card::CardClock slave(Picoseconds uncertainty, std::string of = "02-00-00-ff-fe-00-00-01 port 1") {
  card::CardClock clock;
  clock.present = true;
  clock.role = firmware::kPtpSlave;
  clock.state = firmware::kPtpLocked;
  clock.master = std::move(of);
  clock.uncertainty = uncertainty;
  return clock;
}

std::string refusal(const std::vector<card::CardClock>& clocks) {
  try {
    static_cast<void>(commonTimeBound(clocks));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kTester);
    EXPECT_FALSE(error.remedy().empty());
    return error.where() + ": " + error.what();
  }
  return "accepted";
}

TEST(CommonTime, IsThreeCombinedUncertaintiesOfTheWorstPair) {
  // A master and a slave: the slave's alone.
  EXPECT_EQ(commonTimeBound(std::vector{master(), slave(nanoseconds(4))}), nanoseconds(12));
  // 3 * sqrt(3^2 + 4^2) = 15, whatever the order, and however good the others are.
  EXPECT_EQ(commonTimeBound(std::vector{slave(nanoseconds(3)), master(), slave(nanoseconds(4))}),
            nanoseconds(15));
  EXPECT_EQ(commonTimeBound(std::vector{slave(nanoseconds(4)), slave(nanoseconds(1)),
                                        slave(nanoseconds(3)), slave(nanoseconds(2))}),
            nanoseconds(15));
}

TEST(CommonTime, NeedsOneMasterThatAllFollow) {
  EXPECT_THAT(refusal({master(), master()}), HasSubstr("card 1: "));
  EXPECT_THAT(refusal({slave(nanoseconds(1)), slave(nanoseconds(1), "another port 1")}),
              HasSubstr("card 1: the card has no common time with the others: it follows another "
                        "master"));
  card::CardClock pulse = slave(nanoseconds(1));
  pulse.role = firmware::kPtpPps;
  EXPECT_THAT(refusal({slave(nanoseconds(1)), pulse}), HasSubstr("it follows another master"));
  card::CardClock free = slave(nanoseconds(1));
  free.role = firmware::kPtpOff;
  EXPECT_THAT(refusal({master(), free}), HasSubstr("card 1"));
}

TEST(CommonTime, NeedsEveryClockLocked) {
  for (const std::uint32_t state : {firmware::kPtpListening, firmware::kPtpMeasuring,
                                    firmware::kPtpTracking, firmware::kPtpHoldover}) {
    card::CardClock clock = slave(nanoseconds(1));
    clock.state = state;
    EXPECT_THAT(refusal({master(), clock}), HasSubstr("the state of its clock is"));
  }
}

}  // namespace
}  // namespace plumbline::bench
