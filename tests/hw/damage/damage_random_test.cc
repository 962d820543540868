// Random bit errors: the card's against the host's arithmetic, and both against what random errors
// of independent bits are like.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "tests/hw/damage/damage_bench.h"

namespace plumbline::test {
namespace {

using card::BitErrors;
using card::bitErrorSetting;
using card::BitErrorSource;
using card::DamageDirection;

// A gap by the definition, from the random number that the source must have drawn.
class ExactGaps {
 public:
  explicit ExactGaps(const BitErrors& errors)
      : log_good_(std::log1p(-static_cast<long double>(errors.ratio))) {
    const auto setting = bitErrorSetting(errors);
    a_ = setting.seed[0];
    b_ = setting.seed[1];
  }
  // Real number whose floor is the gap.
  long double next() {
    const std::uint64_t random = a_ + b_;
    const std::uint64_t mixed = a_ ^ b_;
    a_ = (a_ << 24 | a_ >> 40) ^ mixed ^ mixed << 16;
    b_ = mixed << 37 | mixed >> 27;
    return std::log(std::ldexp(static_cast<long double>(random), -64)) / log_good_;
  }

 private:
  long double log_good_;
  std::uint64_t a_ = 0;
  std::uint64_t b_ = 0;
};

TEST(BitErrorSource, GapsAreThoseOfTheDefinition) {
  for (const double ratio : {1e-3, 3.3e-4, 1e-6, 1e-9, 1e-12, 1e-15}) {
    const BitErrors errors{.ratio = ratio, .seed = 5};
    BitErrorSource source(bitErrorSetting(errors));
    ExactGaps exact(errors);
    for (int i = 0; i < 100'000; ++i) {
      const auto gap = static_cast<long double>(source.nextGap());
      // The straight pieces are off by 2.8e-6 of an octave at most; a gap is a whole number.
      const long double tolerance = 1.0L + 3.0e-6L * std::log(2.0L) / ratio;
      ASSERT_NEAR(static_cast<double>(gap - exact.next()), -0.5, static_cast<double>(tolerance))
          << "ratio " << ratio << ", gap " << i;
    }
  }
}

// Mean and spread of many gaps: the bit error ratio itself, without a tolerance for the method
// beyond what docs/card.md states.
TEST(BitErrorSource, RatioIsKept) {
  for (const double ratio : {1e-3, 1e-5, 1e-10, 1e-15}) {
    BitErrorSource source(bitErrorSetting({.ratio = ratio, .seed = 99}));
    constexpr int kErrors = 4'000'000;
    long double sum = 0;
    long double squares = 0;
    for (int i = 0; i < kErrors; ++i) {
      const auto distance = static_cast<long double>(source.nextGap() + 1) * ratio;
      sum += distance;
      squares += distance * distance;
    }
    // Mean 1, variance 1 - p of an exponential-like distance in units of 1/p.
    const auto mean = static_cast<double>(sum / kErrors);
    EXPECT_NEAR(mean, 1.0, 4.5 / std::sqrt(kErrors)) << ratio;
    EXPECT_NEAR(static_cast<double>(squares / kErrors) - mean * mean, 1 - ratio,
                4.5 * std::sqrt(8.0 / kErrors))
        << ratio;
  }
}

// Chi-square over the gaps at the highest ratio: 64 classes of equal probability, 1 %.
TEST(BitErrorSource, GapsAreGeometric) {
  constexpr double kRatio = 1e-3;
  constexpr int kClasses = 64;
  constexpr int kErrors = 640'000;
  BitErrorSource source(bitErrorSetting({.ratio = kRatio, .seed = 123}));
  std::array<std::uint64_t, kClasses> bounds{};  // a class is the gaps below its bound
  std::array<double, kClasses> expected{};
  double below = 0;
  for (int i = 0; i < kClasses; ++i) {
    const double share = static_cast<double>(i + 1) / kClasses;
    bounds[i] = i + 1 == kClasses
                    ? ~std::uint64_t{0}
                    : static_cast<std::uint64_t>(std::log1p(-share) / std::log1p(-kRatio));
    const double up_to =
        i + 1 == kClasses ? 1.0 : -std::expm1(static_cast<double>(bounds[i]) * std::log1p(-kRatio));
    expected[i] = (up_to - below) * kErrors;
    below = up_to;
  }
  std::array<int, kClasses> seen{};
  for (int i = 0; i < kErrors; ++i) {
    const auto bound = std::upper_bound(bounds.begin(), bounds.end(), source.nextGap());
    ++seen[static_cast<std::size_t>(bound - bounds.begin())];
  }
  double chi_square = 0;
  for (int i = 0; i < kClasses; ++i) {
    chi_square += (seen[i] - expected[i]) * (seen[i] - expected[i]) / expected[i];
  }
  EXPECT_LT(chi_square, 92.0);  // 99 % of 63 degrees of freedom
}

TEST(BitErrorSource, RefusesOtherRatios) {
  EXPECT_THROW(bitErrorSetting({.ratio = 1.1e-3, .seed = 0}), Error);
  EXPECT_THROW(bitErrorSetting({.ratio = 0.9e-15, .seed = 0}), Error);
  EXPECT_THROW(bitErrorSetting({.ratio = 0, .seed = 0}), Error);
  EXPECT_THROW(bitErrorSetting({.ratio = std::nan(""), .seed = 0}), Error);
  EXPECT_NO_THROW(bitErrorSetting({.ratio = 1e-3, .seed = 0}));
  EXPECT_NO_THROW(bitErrorSetting({.ratio = 1e-15, .seed = 0}));
}

class RandomErrors : public testing::TestWithParam<std::tuple<DamageDirection, double>> {};

// Line rate and nothing but errors: every position is where the host says.
TEST_P(RandomErrors, FallWhereTheHostSays) {
  const auto [direction, ratio] = GetParam();
  DamageBench bench(direction);
  DamageReference reference(direction);
  RandomStream random(1, "random errors");
  const auto setting = bitErrorSetting({.ratio = ratio, .seed = 77});
  bench.setRandom(setting);
  reference.setRandom(setting);
  // 65-byte frames back to back: two beats of every 2.2 clocks.
  bench.offer = [&] { return random.below(10) < 9; };
  std::vector<DamageFrame> frames;
  const std::uint32_t length = ratio < 1e-5 ? 9216 : 65;
  for (std::uint32_t i = 0; i < 4000; ++i) {
    frames.push_back(makeDamageFrame(random, length));
    frames.back().number = i;
  }
  bench.run(frames);
  for (const DamageFrame& frame : frames) reference.pass(frame);
  EXPECT_EQ(bench.out.size(), reference.out.size());
  for (std::size_t i = 0; i < bench.out.size(); ++i) {
    ASSERT_EQ(bench.out[i].bytes, reference.out[i].bytes) << "frame " << i;
  }
  ASSERT_EQ(bench.log.size() + bench.counters.log_overflow, reference.log.size());
  for (std::size_t i = 0; i < bench.log.size(); ++i) {
    // Until events were lost.
    if (bench.counters.log_overflow > 0 && i == 1024) break;
    ASSERT_EQ(bench.log[i], reference.log[i]) << "event " << i;
  }
  EXPECT_EQ(bench.counters.random_bits, reference.counters.random_bits);
  EXPECT_EQ(bench.counters.random_frames, reference.counters.random_frames);
  EXPECT_EQ(bench.counters.frames, reference.counters.frames);
  EXPECT_EQ(bench.late, 0U);
  const double expected = 4000.0 * length * 8 * ratio;
  EXPECT_NEAR(static_cast<double>(reference.counters.random_bits), expected,
              5 * std::sqrt(expected) + 1);
}

INSTANTIATE_TEST_SUITE_P(Ratios, RandomErrors,
                         testing::Combine(testing::Values(DamageDirection::kSent,
                                                          DamageDirection::kReceived),
                                          testing::Values(1e-3, 1e-4, 1e-6)));

// The same seed gives the same errors again, at a new start too.
TEST(RandomErrors, BeginAnewFromTheSeed) {
  DamageBench bench(DamageDirection::kSent);
  RandomStream random(4, "anew");
  const auto setting = bitErrorSetting({.ratio = 1e-3, .seed = 3});
  const std::vector<DamageFrame> frames(100, makeDamageFrame(random, 200));
  bench.setRandom(setting);
  bench.run(frames);
  const std::vector<card::DamageEvent> first = std::move(bench.log);
  bench.log.clear();
  bench.setRandom(setting);
  bench.run(frames);
  EXPECT_GT(first.size(), 80U);
  EXPECT_EQ(bench.log, first);
  bench.setRandom(std::nullopt);
  bench.log.clear();
  bench.run(frames);
  EXPECT_TRUE(bench.log.empty());
}

// More errors than the source can make: beats pass whole and say so, and what was injected is still
// exactly what was counted.
TEST(RandomErrors, TooManyAreLateNeverWrong) {
  DamageBench bench(DamageDirection::kSent);
  RandomStream random(5, "too many");
  auto setting = bitErrorSetting({.ratio = 1e-3, .seed = 3});
  setting.shift += 5;  // 32 times as many
  bench.setRandom(setting);
  const std::vector<DamageFrame> frames(300, makeDamageFrame(random, 1500));
  bench.run(frames);
  EXPECT_GT(bench.late, 1000U);
  std::uint64_t flipped = 0;
  std::uint64_t damaged = 0;
  ASSERT_EQ(bench.out.size(), frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::uint64_t before = flipped;
    for (std::size_t byte = 0; byte < frames[i].bytes.size(); ++byte) {
      flipped += static_cast<std::uint64_t>(
          std::popcount(static_cast<unsigned>(bench.out[i].bytes[byte] ^ frames[i].bytes[byte])));
    }
    damaged += flipped > before ? 1 : 0;
  }
  EXPECT_EQ(bench.counters.random_bits, flipped);
  EXPECT_EQ(bench.counters.random_frames, damaged);
}

}  // namespace
}  // namespace plumbline::test
