// The share of a trial in which a port's wire was taken, against times computed by hand.
#include "suite/framework/port_share.h"

#include <gtest/gtest.h>

namespace plumbline::suite {
namespace {

// 9,216 B with preamble and gap take 738.88 ns of 100 Gb/s.
constexpr double kSlotNs = 738.88;

bench::TrialSpec trialAt(std::int64_t percent) {
  bench::TrialSpec spec;
  bench::StreamSpec& stream = spec.streams.emplace_back();
  stream.from = 0;
  stream.to = 1;
  stream.frame = Bytes(9'216);
  stream.load = bench::ConstantLoad{Fraction::percent(percent)};
  spec.duration = microseconds(10);
  return spec;
}

double shareOf(const bench::TrialSpec& spec, bool to, std::uint64_t frames) {
  return wireSharePercent(spec, to ? 1 : 0, to, frames, frames * 9'216, gigabitsPerSecond(100));
}

// 14 frames begin within 10 us, 13.5 of which are sent in it.
TEST(PortShare, AFullPortIsFullAndNotMore) {
  for (const bool to : {false, true}) EXPECT_DOUBLE_EQ(shareOf(trialAt(100), to, 14), 100);
}

// At 70 % frames begin every 1,055.54 ns: the tenth at 9,499.9 ns, and 500.1 ns of it count.
TEST(PortShare, TheLastFrameCountsWithThePartInside) {
  const double tenth = 9 * kSlotNs / 0.7;
  const double inside = 9 * kSlotNs + (10'000 - tenth);
  for (const bool to : {false, true}) {
    EXPECT_NEAR(shareOf(trialAt(70), to, 10), inside / 100, 1e-3);
  }
}

// At 50 % the seventh frame ends before the trial does.
TEST(PortShare, FramesInsideCountWhole) {
  EXPECT_NEAR(shareOf(trialAt(50), false, 7), 7 * kSlotNs / 100, 1e-9);
}

// Frames of other ports do not count.
TEST(PortShare, IsOfTheStreamsOfThatPort) {
  EXPECT_NEAR(wireSharePercent(trialAt(70), 0, true, 1, 9'216, gigabitsPerSecond(100)),
              kSlotNs / 100, 1e-9);
}

}  // namespace
}  // namespace plumbline::suite
