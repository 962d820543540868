// Computed times of retries against sums by hand, from the constants in docs/card.md.
#include "bench/card/retry_time.h"

#include <gtest/gtest.h>

namespace plumbline::bench {
namespace {

constexpr double kClock = 102'400.0 / 33;  // ps
constexpr double kColumn = 640;            // 8 bytes at 100 Gb/s

// A frame of 64 bytes over 500 ns, beginning at edge 0. The NACK crosses at edge 12 (37'236 ps) and
// is 100 ns in the MAC: 137'236, next column 137'600. 500 ns of link and 100 ns of MAC: 737'600,
// edge 238 (738'521). The copy crosses at edge 248 (769'551), column 869'760 after the MAC; its 64
// bytes take 5'120: link and MAC make it 1'474'880, which is edge 476 (1'477'042).
TEST(RetryTime, IsWhatAHandAddsUp) {
  const RetryTime time = retryOnFreeLine(Bytes(64), nanoseconds(500));
  EXPECT_EQ(time.min, Picoseconds(1'477'042));
  // Always 476 clocks (1'477'042.4), between edges that are cut to whole picoseconds.
  EXPECT_EQ(time.max, Picoseconds(1'477'043));
}

TEST(RetryTime, IsTheSumOfItsPartsAndLessThanTwoRoundingsMore) {
  for (const std::int64_t bytes : {64, 128, 512, 1024, 4096, 9216}) {
    for (const std::int64_t delay_ns : {0, 50, 500, 1234, 5000}) {
      const RetryTime time = retryOnFreeLine(Bytes(bytes), nanoseconds(delay_ns));
      // 12 and 10 clocks, link and both MACs twice, the frame.
      const double parts = 22 * kClock + 2 * (1000.0 * static_cast<double>(delay_ns) + 200'000) +
                           80.0 * static_cast<double>(bytes);
      EXPECT_GE(static_cast<double>(time.min.count()), parts - 1) << bytes << " " << delay_ns;
      // Each way ends at a column and at a clock edge.
      EXPECT_LE(static_cast<double>(time.max.count()), parts + 2 * (kColumn + kClock) + 1);
      EXPECT_LE((time.max - time.min).count(), 3104);
    }
  }
}

// A beat with a single byte arrives with the next clock, not after its own 80 ps.
TEST(RetryTime, AShortLastBeatWaitsForTheOneBeforeIt) {
  const RetryTime whole = retryOnFreeLine(Bytes(64), nanoseconds(500));
  const RetryTime more = retryOnFreeLine(Bytes(65), nanoseconds(500));
  EXPECT_NEAR(static_cast<double>((more.min - whole.min).count()), kClock, 2);
}

TEST(GoBackNShare, IsTheClosedForm) {
  EXPECT_EQ(goBackNShare(0, nanoseconds(10), nanoseconds(1000)), 1);
  // Every fourth frame costs three slots: 1 / (1 + 0.75).
  EXPECT_DOUBLE_EQ(goBackNShare(0.25, nanoseconds(10), nanoseconds(30)), 4.0 / 7);
}

}  // namespace
}  // namespace plumbline::bench
