// Swift against its equations (docs/model/uet.md), recomputed here, and against its paper's claims:
// the delay is held at a target, which grows with the number of flows by the square root of their
// windows, and flows that began apart end with equal shares.
#include "transport/congestion/swift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "transport/congestion/congestion_window.h"

namespace plumbline::transport_test {
namespace {

using transport::CongestionWindow;
using transport::CongestionWindowRules;
using transport::makeCongestionWindowRules;
using transport::makeSwiftParameters;
using transport::Swift;
using transport::SwiftParameters;
using transport::SwiftSpec;
using transport::UetCongestionControl;
using transport::UetSpec;

constexpr std::uint32_t kMtu = 4000;
constexpr double kRtt = 12e6;  // ps

SwiftParameters usual(const SwiftSpec& spec = {}) {
  return makeSwiftParameters(spec, gigabitsPerSecond(100), microseconds(12), kMtu);
}

// 24 us with a large window. Flow scaling: 6 us in all; a / sqrt(w) + b with
// a = 6 us / (1 / sqrt(0.1) - 1 / sqrt(100)) = 1.9593 us, b = -a / 10.
TEST(Swift, TargetByHand) {
  const SwiftParameters parameters = usual();
  const Swift swift(parameters, Picoseconds(0));
  EXPECT_DOUBLE_EQ(swift.window(), 225'000);
  EXPECT_DOUBLE_EQ(swift.target(100 * kMtu), 24e6);
  EXPECT_DOUBLE_EQ(swift.target(400 * kMtu), 24e6);
  const double a = 6e6 / (std::sqrt(10.0) - 0.1);
  EXPECT_NEAR(swift.target(25 * kMtu), 24e6 + a / 5 - a / 10, 1);
  EXPECT_NEAR(swift.target(kMtu), 24e6 + a - a / 10, 1);
  EXPECT_DOUBLE_EQ(swift.target(0.05 * kMtu), 30e6);
}

TEST(Swift, StepsByHand) {
  SwiftSpec spec;
  spec.flow_range = 0;
  const SwiftParameters parameters = usual(spec);
  Swift swift(parameters, Picoseconds(0));
  // A third above the target of 24 us: 1 - 0.8 * 8 / 32 of the window.
  swift.onAck({microseconds(40), microseconds(32), false, 4000, 0});
  EXPECT_DOUBLE_EQ(swift.window(), 180'000);
  // Within the round trip of 32 us there is no second decrease.
  swift.onAck({microseconds(71), microseconds(32), false, 4000, 0});
  EXPECT_DOUBLE_EQ(swift.window(), 180'000);
  // Ten times the target gives a cut of 0.72; it is limited to half.
  swift.onAck({microseconds(400), microseconds(240), false, 4000, 0});
  EXPECT_DOUBLE_EQ(swift.window(), 90'000);
  // Below the target: one MTU for a whole window of acknowledged bytes.
  swift.onAck({microseconds(420), microseconds(20), true, 9000, 0});
  EXPECT_DOUBLE_EQ(swift.window(), 90'400);
  swift.onLoss({microseconds(500), 4000, 0});
  EXPECT_DOUBLE_EQ(swift.window(), 45'200);
  swift.onTrim({microseconds(600), 4000, 0}, false);  // left to receiver credit
  EXPECT_DOUBLE_EQ(swift.window(), 45'200);
  for (int i = 0; i < 20; ++i) swift.onTimeout({milliseconds(1 + i), 4000, 0});
  EXPECT_DOUBLE_EQ(swift.window(), kMtu);
}

// The equations, written down once more.
TEST(Swift, FollowsItsEquationsOnRandomFeedback) {
  const SwiftParameters parameters = usual();
  Swift swift(parameters, Picoseconds(0));
  double window = 1.5 * 150'000;
  double rtt = 2 * kRtt;
  double cut_at = -2 * kRtt;
  RandomStream random(7, "swift/feedback");
  Picoseconds now;
  double lowest = window;
  double highest = 0;
  for (int step = 0; step < 100'000; ++step) {
    now += nanoseconds(1 + static_cast<std::int64_t>(random.below(900)));
    const auto t = static_cast<double>(now.count());
    // Quiet and congested phases in turn.
    const bool congested = step / 5'000 % 2 == 0;
    if (random.below(500) == 0) {
      swift.onLoss({now, kMtu, 0});
      if (t - cut_at >= rtt) {
        window = std::fmax(window / 2, kMtu);
        cut_at = t;
      }
    } else {
      const auto bytes = static_cast<std::int64_t>(256 * random.below(64));
      const auto queue = static_cast<std::int64_t>(random.below(congested ? 60'000 : 14'000));
      std::optional<Picoseconds> sample;
      if (random.below(8) != 0) sample = microseconds(12) + nanoseconds(queue);
      swift.onAck({now, sample, false, bytes, 0});
      if (sample) rtt = static_cast<double>(sample->count());
      const double a = 0.5 * kRtt / (1 / std::sqrt(0.1) - 1 / std::sqrt(100));
      const double scaled = a / std::sqrt(window / kMtu) - a / std::sqrt(100);
      const double aim = 2 * kRtt + std::fmin(std::fmax(scaled, 0), 0.5 * kRtt);
      if (rtt < aim) {
        window += kMtu * static_cast<double>(bytes) / window;
      } else if (t - cut_at >= rtt) {
        window *= std::fmax(1 - 0.8 * (rtt - aim) / rtt, 0.5);
        cut_at = t;
      }
      window = std::fmin(std::fmax(window, kMtu), 225'000);
    }
    ASSERT_NEAR(swift.window() / window, 1, 1e-9) << step;
    lowest = std::fmin(lowest, window);
    highest = std::fmax(highest, window);
  }
  EXPECT_LT(lowest, 20'000);
  EXPECT_GT(highest, 200'000);
}

// `flows` sources of one link of 100 Gb/s and 12 us whose queue is first in, first out: the round
// trip is that of all bytes in flight. Mean round trip [ps] and windows of the second half.
struct Shared {
  double rtt = 0;
  std::vector<double> windows;
};
Shared sharedLink(std::size_t flows, const SwiftParameters& parameters) {
  std::vector<Swift> sources(flows, Swift(parameters, Picoseconds(0)));
  // One of them has almost no window, the others their maximum.
  for (int i = 0; i < 20; ++i) sources[0].onTimeout({milliseconds(1 + i), kMtu, 0});
  constexpr double kBytesPerPs = 12.5e-3;
  constexpr int kSteps = 200'000;
  const Picoseconds step = microseconds(1);
  Picoseconds now = milliseconds(100);
  Shared shared;
  shared.windows.assign(flows, 0);
  for (int i = 0; i < kSteps; ++i) {
    now += step;
    double under_way = 0;
    for (const Swift& source : sources) under_way += source.window();
    const double rtt = std::fmax(kRtt, under_way / kBytesPerPs);
    for (std::size_t flow = 0; flow < flows; ++flow) {
      // The part of its window that is acknowledged in this step.
      const double bytes = sources[flow].window() * static_cast<double>(step.count()) / rtt;
      sources[flow].onAck({now, Picoseconds(static_cast<std::int64_t>(rtt)), false,
                           static_cast<std::int64_t>(bytes), 0});
    }
    if (i < kSteps / 2) continue;
    shared.rtt += rtt / (kSteps / 2.0);
    for (std::size_t flow = 0; flow < flows; ++flow) {
      shared.windows[flow] += sources[flow].window() / (kSteps / 2.0);
    }
  }
  return shared;
}

TEST(Swift, HoldsTheDelayAtItsTargetAndSharesEqually) {
  const SwiftParameters parameters = usual();
  double before = 0;
  for (const std::size_t flows : {2U, 8U, 32U}) {
    const Shared shared = sharedLink(flows, parameters);
    // At the target the windows are the link's bytes in a round trip, shared by all.
    const double window = shared.rtt * 12.5e-3 / static_cast<double>(flows);
    const double target = Swift(parameters, Picoseconds(0)).target(window);
    EXPECT_NEAR(shared.rtt, target, 0.05 * target) << flows;
    EXPECT_GT(shared.rtt, before) << flows;
    before = shared.rtt;
    double sum = 0;
    double squares = 0;
    for (const double each : shared.windows) {
      sum += each;
      squares += each * each;
    }
    EXPECT_GT(sum * sum / (squares * static_cast<double>(flows)), 0.99) << flows;
  }
}

// Which algorithm moves the window is the specification's.
TEST(CongestionWindowTest, IsMovedByTheAlgorithmOfTheSpecification) {
  UetSpec spec;
  const auto windowAfterLoss = [&](UetCongestionControl control) {
    spec.congestion_control = control;
    const CongestionWindowRules rules =
        makeCongestionWindowRules(spec, gigabitsPerSecond(100), kMtu);
    CongestionWindow window(rules, Picoseconds(0));
    window.onLoss({microseconds(100), kMtu, 0});
    return window.bytes();
  };
  EXPECT_EQ(windowAfterLoss(UetCongestionControl::kNone), 225'000);
  EXPECT_EQ(windowAfterLoss(UetCongestionControl::kNscc), 225'000 - kMtu);
  EXPECT_EQ(windowAfterLoss(UetCongestionControl::kNsccRccc), 225'000 - kMtu);
  EXPECT_EQ(windowAfterLoss(UetCongestionControl::kSwift), 112'500);
  EXPECT_EQ(windowAfterLoss(UetCongestionControl::kRccc), CongestionWindowRules::kUnlimited);
  spec.service = transport::UetService::kRudi;  // no feedback: a fixed window
  EXPECT_EQ(windowAfterLoss(UetCongestionControl::kSwift), 225'000);
}

}  // namespace
}  // namespace plumbline::transport_test
