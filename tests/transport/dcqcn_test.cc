#include "transport/congestion/dcqcn.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "tests/transport/dcqcn_reference.h"

namespace plumbline::transport_test {
namespace {

using transport::DcqcnRules;
using transport::DcqcnSpec;
using transport::DcqcnState;

constexpr BitRate kLine = gigabitsPerSecond(40);

// The paper's parameters, by hand: two CNPs, then the steps of fast recovery and additive increase.
TEST(Dcqcn, StepsByHand) {
  const DcqcnRules rules(DcqcnSpec::paper(), kLine);
  DcqcnState state = rules.firstCnp(Picoseconds{0});
  EXPECT_DOUBLE_EQ(state.current, 20e9);
  EXPECT_DOUBLE_EQ(state.target, 40e9);
  EXPECT_DOUBLE_EQ(state.alpha, 1.0);
  rules.onCnp(state, microseconds(49));  // within the decrease interval
  EXPECT_DOUBLE_EQ(state.current, 20e9);
  rules.onCnp(state, microseconds(50));
  EXPECT_DOUBLE_EQ(state.current, 10e9);
  EXPECT_DOUBLE_EQ(state.target, 20e9);
  const std::vector<double> rates = {15e9, 17.5e9, 18.75e9, 19.375e9, (20.04e9 + 19.375e9) / 2};
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const Picoseconds expiry = microseconds(50 + 55 * (static_cast<std::int64_t>(i) + 1));
    rules.advance(state, expiry - Picoseconds{1});
    EXPECT_DOUBLE_EQ(state.current, i == 0 ? 10e9 : rates[i - 1]);
    rules.advance(state, expiry);
    EXPECT_DOUBLE_EQ(state.current, rates[i]);
  }
  EXPECT_DOUBLE_EQ(state.target, 20.04e9);
  double alpha = 1;
  for (int i = 0; i < 5; ++i) alpha *= 255.0 / 256;
  EXPECT_DOUBLE_EQ(state.alpha, alpha);
}

TEST(Dcqcn, ByteCounterRaisesAndBothTogetherRaiseFaster) {
  DcqcnSpec spec = DcqcnSpec::paper();
  spec.increase_bytes = 1000;
  spec.fast_recovery_steps = 1;
  const DcqcnRules rules(spec, kLine);
  DcqcnState state = rules.firstCnp(Picoseconds{0});
  rules.onSent(state, 999, microseconds(1));
  EXPECT_DOUBLE_EQ(state.current, 20e9);
  rules.onSent(state, 1, microseconds(2));  // i_B = 1 = F: additive, but Rt is at line rate
  EXPECT_DOUBLE_EQ(state.current, 30e9);
  rules.onCnp(state, microseconds(50));
  EXPECT_DOUBLE_EQ(state.target, 30e9);
  rules.onSent(state, 2000, microseconds(51));  // i_B = 1, 2
  EXPECT_DOUBLE_EQ(state.target, 30.08e9);
  rules.advance(state, microseconds(105));  // i_T = 1: additive still
  EXPECT_DOUBLE_EQ(state.target, 30.12e9);
  rules.advance(state, microseconds(160));  // i_T = 2, i_B = 2: hyper
  EXPECT_DOUBLE_EQ(state.target, 30.32e9);
}

// Nothing but the first CNP changes the state that a QP with a max_rate below the line begins with.
TEST(Dcqcn, AQpWithAMaxRateBeginsWithIt) {
  DcqcnSpec spec = DcqcnSpec::paper();
  spec.enabled = true;
  spec.increase_bytes = 1000;
  EXPECT_FALSE(DcqcnRules(spec, kLine).startsBelowLine());
  spec.max_rate = kLine;
  EXPECT_FALSE(DcqcnRules(spec, kLine).startsBelowLine());
  spec.max_rate = gigabitsPerSecond(10);
  const DcqcnRules rules(spec, kLine);
  EXPECT_TRUE(rules.startsBelowLine());
  DcqcnState state = rules.initial();
  EXPECT_EQ(rules.paidAt(state, microseconds(3), 1250), microseconds(4));
  rules.onSent(state, 5000, microseconds(3));
  rules.advance(state, seconds(1));
  EXPECT_EQ(state.current, 10e9);
  rules.onCnp(state, seconds(2));
  const DcqcnState first = rules.firstCnp(seconds(2));
  EXPECT_EQ(state.current, 5e9);
  EXPECT_EQ(state.target, 10e9);
  EXPECT_EQ(state.alpha, first.alpha);
  EXPECT_EQ(state.bytes, 0);
  EXPECT_EQ(state.byte_stage, 0U);
  EXPECT_EQ(state.increase_at, first.increase_at);
  spec.enabled = false;
  EXPECT_FALSE(DcqcnRules(spec, kLine).startsBelowLine());
}

struct Case {
  const char* name;
  DcqcnSpec spec;
};

std::vector<Case> cases() {
  std::vector<Case> all = {
      {"paper", DcqcnSpec::paper()}, {"nvidia", DcqcnSpec::nvidia()}, {"hpcc", DcqcnSpec::hpcc()}};
  DcqcnSpec spec = DcqcnSpec::paper();
  spec.scaled_hyper_increase = true;
  spec.increase_bytes = 100'000;
  spec.increase_period = microseconds(20);
  spec.fast_recovery_steps = 2;
  spec.first_cnp_rate = gigabitsPerSecond(1);
  spec.min_alpha = 0.01;
  spec.max_rate = gigabitsPerSecond(30);
  spec.clamp_target = false;
  spec.clamp_target_after_timer = false;
  all.push_back({"everything different", spec});
  spec.cut_weight = 1.0;
  spec.min_cut_factor = 0.75;
  spec.min_rate = gigabitsPerSecond(1);
  spec.fast_recovery_steps = 0;
  all.push_back({"steep", spec});
  return all;
}

// Long random sequences of CNPs, bytes and pauses.
TEST(Dcqcn, AgreesWithEventByEventComputation) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    RandomStream random(7, c.name);
    const DcqcnRules rules(c.spec, kLine);
    DcqcnReference reference(c.spec, 40e9);
    std::int64_t now = 12'345;
    DcqcnState state = rules.firstCnp(Picoseconds{now});
    reference.cnp(now);
    for (int step = 0; step < 20'000; ++step) {
      const std::uint64_t kind = random.below(100);
      // Mostly short steps; at times longer ones, and multiples of 1 us to hit timers exactly.
      now += static_cast<std::int64_t>(kind < 2    ? random.below(20'000'000'000)
                                       : kind < 20 ? random.below(100) * 1'000'000
                                                   : random.below(10'000'000));
      if (random.below(4) == 0) {
        rules.onCnp(state, Picoseconds{now});
        reference.cnp(now);
      } else {
        const auto bytes = static_cast<std::int64_t>(64 + random.below(200'000));
        rules.onSent(state, bytes, Picoseconds{now});
        reference.sent(bytes, now);
      }
      ASSERT_NEAR(state.current, reference.rc, 1e-7 * reference.rc) << step;
      ASSERT_NEAR(state.target, reference.rt, 1e-7 * reference.rt) << step;
      ASSERT_NEAR(state.alpha, reference.alpha, 1e-9) << step;
      ASSERT_EQ(state.bytes, reference.counter);
      ASSERT_EQ(state.byte_stage, static_cast<std::uint32_t>(reference.i_b));
      ASSERT_EQ(state.time_stage, static_cast<std::uint32_t>(reference.i_t));
    }
  }
}

// The next frame may leave at the first instant at which the rate permits it, even if the timer is
// much faster than the frame.
TEST(Dcqcn, PaidAtSeesTimersAhead) {
  DcqcnSpec spec = DcqcnSpec::paper();
  spec.min_rate = BitRate(1'000'000);
  spec.increase_period = microseconds(55);
  const DcqcnRules rules(spec, kLine);
  DcqcnReference reference(spec, 40e9);
  DcqcnState state = rules.firstCnp(Picoseconds{0});
  reference.cnp(0);
  std::int64_t now = 0;
  int crossed = 0;
  for (int cut = 0; cut < 16; ++cut) {
    now += 50'000'000;
    rules.onCnp(state, Picoseconds{now});
    reference.cnp(now);
    const std::int64_t need = reference.gap(4178);
    // Expected: step through the timer's expiries until the rate of the interval suffices.
    DcqcnReference ahead = reference;
    std::int64_t from = now;
    std::int64_t paid = 0;
    for (;;) {
      paid = std::max(from, now + ahead.gap(4178));
      if (paid <= ahead.increase_timer) break;
      from = ahead.increase_timer;
      ahead.runUntil(from);
    }
    crossed += paid < now + need ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(rules.paidAt(state, Picoseconds{now}, 4178).count()),
                static_cast<double>(paid), 2.0);
  }
  EXPECT_GE(crossed, 3);
}

TEST(Dcqcn, LongRestCostsNothingAndEndsAtLineRate) {
  const DcqcnRules rules(DcqcnSpec::hpcc(), kLine);
  DcqcnState state = rules.firstCnp(Picoseconds{0});
  rules.advance(state, seconds(1'000'000));
  EXPECT_EQ(state.current, 40e9);
  EXPECT_EQ(state.target, 40e9);
  EXPECT_LT(state.alpha, 1e-100);
}

TEST(Dcqcn, ImpossibleParametersAreRefused) {
  const auto refused = [](auto change) {
    DcqcnSpec spec = DcqcnSpec::paper();
    change(spec);
    EXPECT_THROW(transport::validate(spec), Error);
  };
  EXPECT_NO_THROW(transport::validate(DcqcnSpec::paper()));
  EXPECT_NO_THROW(transport::validate(DcqcnSpec::nvidia()));
  EXPECT_NO_THROW(transport::validate(DcqcnSpec::hpcc()));
  refused([](DcqcnSpec& s) { s.g = 0; });
  refused([](DcqcnSpec& s) { s.initial_alpha = 1.5; });
  refused([](DcqcnSpec& s) { s.min_alpha = -0.1; });
  refused([](DcqcnSpec& s) { s.alpha_period = Picoseconds{0}; });
  refused([](DcqcnSpec& s) { s.increase_period = Picoseconds{-1}; });
  refused([](DcqcnSpec& s) { s.cnp_interval = Picoseconds{-1}; });
  refused([](DcqcnSpec& s) { s.cut_weight = 0; });
  refused([](DcqcnSpec& s) { s.min_cut_factor = 1; });
  refused([](DcqcnSpec& s) { s.increase_bytes = -1; });
  refused([](DcqcnSpec& s) { s.min_rate = BitRate{}; });
  refused([](DcqcnSpec& s) { s.max_rate = BitRate{1}; });
}

}  // namespace
}  // namespace plumbline::transport_test
