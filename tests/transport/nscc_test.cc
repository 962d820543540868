// NSCC against its equations (docs/model/uet.md), recomputed here from the table of parameters and
// the table of actions, on long random feedback.
#include "transport/congestion/nscc.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace plumbline::transport_test {
namespace {

using transport::makeNsccParameters;
using transport::Nscc;
using transport::NsccParameters;
using transport::NsccSpec;

// The equations, transcribed independently: one function per kind of feedback, parameters by
// formula from rate, base RTT and MTU. Bytes and picoseconds, so that times compare exactly.
struct Equations {
  double mtu, bdp, rtt0, target, a, b;
  double cwnd, base, avg = 0, inc = 0, received = 0, calm = 0, achieved = 0, ignore_left = 0;
  double t_adjust, t_eta, t_md, window_end = -1;
  bool trouble = false;

  Equations(double gbps, double rtt, double mtu_bytes, bool trimming, double t)
      : mtu(mtu_bytes), bdp(gbps * rtt / 8e3), rtt0(rtt) {
    target = trimming ? 0.75 * rtt : rtt;
    a = bdp / 150e3;
    b = target / 12e6;
    cwnd = 1.5 * bdp;
    base = rtt;
    t_adjust = t_eta = t;
    t_md = t - rtt;
  }
  void limit() { cwnd = std::fmin(std::fmax(cwnd, mtu), 1.5 * bdp); }
  bool quick(double t, bool lost, double q, double inflight) {
    const bool running = window_end >= 0;
    if (running && t < window_end) return false;
    bool acted = false;
    if (running && (trouble || lost || q > 4 * target) && achieved < 1.5 * bdp / 8) {
      cwnd = achieved > mtu ? achieved : mtu;
      ignore_left = inflight;
      inc = received = calm = 0;
      acted = true;
    }
    trouble = false;
    achieved = 0;
    window_end = t + base + target;
    return acted;
  }
  void ack(double t, bool has_rtt, double rtt, bool mark, double bytes, double inflight) {
    double q = avg;
    if (has_rtt) {
      if (rtt < base) base = rtt;
      q = rtt - base;
      avg = 0.9875 * avg + 0.0125 * q;
    }
    achieved += bytes;
    if (ignore_left > 0) {
      ignore_left -= bytes;
      return;
    }
    if (quick(t, false, q, inflight)) return;
    received += bytes;
    bool fast = false;
    if (!mark && q <= 1e6) {
      calm += bytes;
      if (calm > cwnd) {
        fast = true;
        cwnd += bytes * 0.25 * a;
      }
    } else {
      calm = 0;
    }
    if (!mark && q < target && !fast) inc += 4 * mtu * a * b / target * bytes * (target - q);
    if (!mark && q >= target) inc += 5 * mtu * a * bytes;
    if (mark && q >= target && avg > target && t - t_md >= base) {
      const double factor = 1 - 0.8 * (avg - target) / avg;
      cwnd *= factor > 0.5 ? factor : 0.5;
      t_md = t;
    }
    limit();
    if (t - t_adjust >= rtt0 || received > 8 * mtu) {
      cwnd += inc / cwnd;
      if (t - t_eta >= rtt0) {
        cwnd += 0.15 * mtu * a;
        t_eta = t;
      }
      inc = received = 0;
      t_adjust = t;
      limit();
    }
  }
  void gone(double t, double bytes, double inflight, bool trim, bool adjust) {
    if (trim) avg = 0.9875 * avg + 0.0125 * rtt0;
    trouble = true;
    if (ignore_left > 0) {
      ignore_left -= bytes;
      return;
    }
    if (quick(t, true, trim ? rtt0 : 0, inflight)) return;
    if (adjust) cwnd -= bytes;
    limit();
  }
  void penalty(double pend, double bytes, double inflight) {
    if (inflight < cwnd) cwnd = inflight;
    cwnd -= std::floor(pend * bytes / 128);
    limit();
  }
};

void compare(std::uint64_t seed) {
  RandomStream random(seed, "nscc/feedback");
  const std::int64_t gbps[] = {100, 200, 400, 800};
  const std::int64_t rate = gbps[random.below(4)];
  const std::int64_t base_us = 4 + static_cast<std::int64_t>(random.below(20));
  const std::uint32_t mtu = random.below(2) == 0 ? 4200 : 1128;
  const bool trimming = random.below(2) == 0;
  const NsccParameters parameters =
      makeNsccParameters(NsccSpec{}, gigabitsPerSecond(rate), microseconds(base_us), mtu, trimming);
  Picoseconds now = microseconds(5);
  Nscc nscc(parameters, now);
  Equations oracle(static_cast<double>(rate), static_cast<double>(base_us) * 1e6, mtu, trimming,
                   5e6);
  // Moods, so that long quiet, long marked and lossy phases all occur.
  std::uint64_t mood = 0;
  double lowest = nscc.window();
  for (int step = 0; step < 20'000; ++step) {
    if (random.below(200) == 0) mood = random.below(5);
    now += nanoseconds(1 + static_cast<std::int64_t>(random.below(800)));
    const double t = static_cast<double>(now.count());
    const auto bytes = static_cast<std::int64_t>(256 * random.below(66));
    const auto inflight = static_cast<std::int64_t>(random.below(1'000'000));
    const std::uint64_t dice = random.below(1000);
    if (mood >= 3 && dice < (mood == 3 ? 30 : 300)) {
      const bool trim = random.below(2) == 0;
      const bool adjust = random.below(4) != 0;
      if (trim) {
        nscc.onTrim({now, mtu, inflight}, adjust);
      } else {
        nscc.onLoss({now, mtu, inflight});
      }
      oracle.gone(t, mtu, static_cast<double>(inflight), trim, adjust || !trim);
    } else {
      const auto pend =
          dice == 999 ? static_cast<std::uint8_t>(1 + random.below(127)) : std::uint8_t{0};
      const std::int64_t queue_ns =
          mood == 0 ? static_cast<std::int64_t>(random.below(1'000))
                    : static_cast<std::int64_t>(random.below(
                          mood == 1 ? 20'000 : static_cast<std::uint64_t>(base_us) * 3'000));
      const bool mark = mood >= 2 && random.below(3) != 0;
      std::optional<Picoseconds> rtt;
      if (random.below(10) != 0) rtt = microseconds(base_us) + nanoseconds(queue_ns - 20);
      nscc.onAck({now, rtt, mark, bytes, inflight, pend});
      oracle.ack(t, rtt.has_value(), rtt ? static_cast<double>(rtt->count()) : 0, mark,
                 static_cast<double>(bytes), static_cast<double>(inflight));
      if (pend > 0) {
        oracle.penalty(pend, static_cast<double>(bytes), static_cast<double>(inflight));
      }
    }
    ASSERT_NEAR(nscc.window() / oracle.cwnd, 1.0, 1e-9) << "seed " << seed << " step " << step;
    ASSERT_NEAR(nscc.averageDelay(), oracle.avg, 1e-9 * (1e6 + oracle.avg));
    ASSERT_EQ(nscc.baseRtt(), oracle.base);
    lowest = std::fmin(lowest, nscc.window());
  }
  EXPECT_LT(lowest, parameters.max_window / 4);  // the sequence did exercise decreases
}

TEST(Nscc, FollowsItsEquationsOnRandomFeedback) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) compare(seed);
}

// 100 Gb/s, 12 µs: the reference network itself, so both scale factors are 1.
TEST(Nscc, ParametersOfTheReferenceNetwork) {
  const NsccParameters p =
      makeNsccParameters(NsccSpec{}, gigabitsPerSecond(100), microseconds(12), 4000, true);
  EXPECT_DOUBLE_EQ(p.target, 9e6);
  EXPECT_NEAR(p.alpha, 4 * 4000 * 0.75 / 9e6, 1e-12);
  EXPECT_DOUBLE_EQ(p.fair_increase, 20'000);
  EXPECT_DOUBLE_EQ(p.eta, 600);
  EXPECT_DOUBLE_EQ(p.fast_increase, 0.25);
  EXPECT_DOUBLE_EQ(p.max_window, 225'000);
  EXPECT_DOUBLE_EQ(p.qa_limit, 28'125);
  EXPECT_DOUBLE_EQ(p.qa_threshold, 36e6);
  EXPECT_DOUBLE_EQ(p.adjust_bytes, 32'000);
  EXPECT_DOUBLE_EQ(p.adjust_period, 12e6);
  const NsccParameters no_trim =
      makeNsccParameters(NsccSpec{}, gigabitsPerSecond(100), microseconds(12), 4000, false);
  EXPECT_DOUBLE_EQ(no_trim.target, 12e6);
}

TEST(Nscc, NeverLeavesItsBounds) {
  const NsccParameters p =
      makeNsccParameters(NsccSpec{}, gigabitsPerSecond(100), microseconds(12), 4000, true);
  Nscc nscc(p, Picoseconds(0));
  EXPECT_DOUBLE_EQ(nscc.window(), 225'000);
  for (int i = 0; i < 1000; ++i) nscc.onLoss({nanoseconds(i), 4000, 0});
  EXPECT_DOUBLE_EQ(nscc.window(), 4000);
  for (int i = 0; i < 100'000; ++i) {
    nscc.onAck({microseconds(100) + nanoseconds(100L * i), microseconds(12), false, 16'384, 0});
  }
  EXPECT_DOUBLE_EQ(nscc.window(), 225'000);
}

// One decrease per base RTT, by hand: average and sample at 4 × target would give less than half,
// which max_md_jump limits.
TEST(Nscc, DecreasesAtMostOncePerRttAndAtMostByHalf) {
  NsccSpec spec;
  spec.delay_gain = 1;  // the average is the last sample
  spec.gamma = 1;
  spec.qa_threshold = 1e9;  // no quick adapt
  const NsccParameters p =
      makeNsccParameters(spec, gigabitsPerSecond(100), microseconds(12), 4000, true);
  Nscc nscc(p, Picoseconds(0));
  nscc.onAck({microseconds(1), microseconds(12 + 36), true, 4096, 0});
  EXPECT_DOUBLE_EQ(nscc.window(), 112'500);
  nscc.onAck({microseconds(12), microseconds(12 + 36), true, 4096, 0});  // 11 µs later: too soon
  EXPECT_LE(nscc.window(), 112'500 + p.eta);
  EXPECT_GE(nscc.window(), 112'500);
  const double before = nscc.window();
  nscc.onAck({microseconds(13), microseconds(12 + 12), true, 4096, 0});
  EXPECT_NEAR(nscc.window(), before * (1 - 3.0 / 12), 1e-6);
}

}  // namespace
}  // namespace plumbline::transport_test
