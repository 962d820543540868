// Timestamps against the true wire: every departure in a test tag, every arrival in a capture
// descriptor, and the latency histogram they make.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "range.h"
#include "sim/wire.h"
#include "stats/histogram.h"
#include "test_card.h"
#include "wire/test_tag.h"

namespace plumbline::hw_test {
namespace {

constexpr std::array<std::uint32_t, 32> kLengths{
    64,  65,  66,  67,  71,   80,   127,  128,  129,  191,  192,  193,  255,  256,  257,  300,
    511, 512, 513, 700, 1000, 1024, 1280, 1500, 1518, 2000, 3000, 4095, 4096, 4097, 9000, 9216};

// What a run of mixed traffic shows over all ports.
struct TimestampErrors {
  Range departure_tag;      // tag - true first bit on the wire
  Range departure_capture;  // capture descriptor of sent frames - the same
  Range arrival;            // capture descriptor of received frames - true first bit
  Range latency;            // group minimum and maximum - delay of the wire

  void add(const TimestampErrors& other) {
    for (const auto& [to, from] :
         {std::pair{&departure_tag, &other.departure_tag},
          std::pair{&departure_capture, &other.departure_capture},
          std::pair{&arrival, &other.arrival}, std::pair{&latency, &other.latency}}) {
      to->low = std::min(to->low, from->low);
      to->high = std::max(to->high, from->high);
      to->count += from->count;
    }
  }
};

// Compares what the ports captured with the wire; the lists of true frames lose what was compared.
class CaptureCheck {
 public:
  CaptureCheck(TestCard& card, TimestampErrors& errors)
      : card_(card), errors_(errors), sent_(card.ports), seen_(card.ports) {}

  void sent(const WireFrame& frame) { sent_[frame.port].push_back(frame); }

  void operator()() {
    for (const card::CapturedFrame& captured : card_.sim.readCaptured()) {
      std::size_t& seen = seen_[captured.port][captured.sent ? 1 : 0];
      const std::vector<WireFrame>& truth =
          captured.sent ? sent_[captured.port] : card_.wire.arrivals(captured.port);
      ASSERT_LT(seen, truth.size());
      const WireFrame& frame = truth[seen++];
      ASSERT_EQ(captured.bytes, *frame.bytes);
      ASSERT_TRUE(captured.fcs_ok);
      const std::int64_t error = captured.timestamp.count() - frame.first_bit.count();
      (captured.sent ? errors_.departure_capture : errors_.arrival).add(error);
    }
  }

  [[nodiscard]] bool sawEverything() const {
    for (std::uint32_t port = 0; port < card_.ports; ++port) {
      if (seen_[port][0] != card_.wire.arrivals(port).size() ||
          seen_[port][1] != sent_[port].size()) {
        return false;
      }
    }
    return true;
  }

 private:
  TestCard& card_;
  TimestampErrors& errors_;
  std::vector<std::vector<WireFrame>> sent_;
  std::vector<std::array<std::size_t, 2>> seen_;
};

// All lengths at once on all ports, together `percent` of line rate.
TimestampErrors runMixed(std::uint32_t ports, std::int64_t percent, Picoseconds duration) {
  TimestampErrors errors;
  TestCard card(ports);
  card.wire.keep_arrivals = true;
  CaptureCheck check(card, errors);
  card.wire.observe = [&](const WireFrame& frame, const wire::DecodedFrame& decoded) {
    ASSERT_TRUE(decoded.tag.has_value());
    errors.departure_tag.add(static_cast<std::int64_t>(decoded.tag->departure) -
                             frame.first_bit.count());
    check.sent(frame);
  };

  std::uint64_t expected = 0;
  for (std::uint32_t port = 0; port < ports; ++port) {
    std::vector<card::FlowConfig> flows;
    for (std::uint32_t i = 0; i < kLengths.size(); ++i) {
      // A third of the flows that can carry it are RoCE.
      const bool roce = i % 3 == 2 && kLengths[i] >= 96;
      card::FlowConfig flow =
          makeFlow(roce ? roceStream(port, kLengths[i]) : udpStream(port, kLengths[i]), i, i % 4);
      const Fraction rate = Fraction::partsPerTrillion(
          Fraction::percent(percent).partsPerTrillion() / std::ssize(kLengths));
      const card::FinePeriod period = card::framePeriod(Bytes(kLengths[i]), sim::kLineRate, rate);
      const auto frames = static_cast<std::uint32_t>(
          std::max<std::uint64_t>(1, card::framesWithin(duration, period)));
      // Starts spread over a period, different on each port.
      const auto offset =
          static_cast<std::int64_t>(period.raw() >> card::FinePeriod::kFractionBits) *
          ((i * 7 + port * 3) % 32) / 32;
      setConstantRate(flow, rate, frames, Picoseconds(offset));
      expected += frames;
      flows.push_back(flow);
    }
    card.driver.loadFlows(port, flows);
    card.driver.setCapture(port, true, true);
  }
  card.start();
  card.finish(microseconds(5), microseconds(20), std::ref(check));
  card.expectNoFaults();
  EXPECT_TRUE(check.sawEverything());
  EXPECT_EQ(errors.departure_tag.count, expected);

  for (std::uint32_t port = 0; port < ports; ++port) {
    for (std::uint32_t group = 0; group < 4; ++group) {
      const stats::Histogram latency = card.driver.latency(port, group);
      errors.latency.add(static_cast<std::int64_t>(latency.minimum()) - kWireDelay.count());
      errors.latency.add(static_cast<std::int64_t>(latency.maximum()) - kWireDelay.count());
      errors.latency.count += latency.count() - 2;
    }
  }
  return errors;
}

void print(const std::string& title, const TimestampErrors& errors) {
  std::cout << title << " [ps]\n"
            << "  departure in the tag:  " << errors.departure_tag << "\n"
            << "  departure captured:    " << errors.departure_capture << "\n"
            << "  arrival captured:      " << errors.arrival << "\n"
            << "  one-way latency:       " << errors.latency << "\n";
}

void expectWithinOneClock(const TimestampErrors& errors) {
  constexpr std::int64_t kClock = 3103;  // floor(102400/33)
  EXPECT_LE(errors.departure_tag.worst(), kClock);
  EXPECT_LE(errors.departure_capture.worst(), kClock);
  EXPECT_LE(errors.arrival.worst(), kClock);
  EXPECT_LE(errors.latency.worst(), kClock);
}

TEST(CardTimestamps, TwoPortsAtEveryLoad) {
  TimestampErrors all;
  for (const auto& [percent, duration] :
       {std::pair{1, microseconds(1000)}, std::pair{5, microseconds(500)},
        std::pair{20, microseconds(500)}, std::pair{50, microseconds(500)},
        std::pair{80, microseconds(500)}, std::pair{95, microseconds(500)},
        std::pair{100, microseconds(1200)}}) {
    const TimestampErrors errors = runMixed(2, percent, duration);
    print("2 ports at " + std::to_string(percent) + " %", errors);
    expectWithinOneClock(errors);
    all.add(errors);
  }
  print("2 ports, all loads", all);
  EXPECT_GE(all.departure_tag.count, 100'000U);
  EXPECT_EQ(all.arrival.count, all.departure_tag.count);
}

TEST(CardTimestamps, FourPorts) {
  const TimestampErrors errors = runMixed(4, 100, microseconds(100));
  print("4 ports at 100 %", errors);
  expectWithinOneClock(errors);
}

// The histogram in the card is, cell for cell, the host's histogram of the captured timestamps.
TEST(CardTimestamps, HistogramIsThatOfTheTimestamps) {
  TestCard card(2);
  stats::Histogram expected;
  // A wire whose delay grows frame by frame, over two decades.
  std::int64_t extra = 0;
  card.wire.forward = [&](const WireFrame& frame) {
    extra += 1 + extra / 250;
    card.wire.put(1, frame.bytes, frame.first_bit + card.wire.delay() + Picoseconds(extra));
  };
  card::FlowConfig flow = makeFlow(udpStream(0, 64), 0, 3);
  setConstantRate(flow, Fraction::percent(30), 3000);
  card.driver.loadFlows(0, std::vector{flow});
  card.driver.setCapture(1, true, false);
  card.start();
  card.finish(microseconds(200));
  card.expectNoFaults();
  for (const card::CapturedFrame& captured : card.sim.readCaptured()) {
    const wire::DecodedFrame decoded = wire::decodeFrame(captured.bytes);
    ASSERT_TRUE(decoded.tag.has_value());
    expected.record(static_cast<std::uint64_t>(captured.timestamp.count()) -
                    decoded.tag->departure);
  }
  const stats::Histogram counted = card.driver.latency(1, 3);
  EXPECT_EQ(counted.count(), 3000U);
  EXPECT_GT(counted.maximum(), 10 * counted.minimum());
  EXPECT_EQ(counted.minimum(), expected.minimum());
  EXPECT_EQ(counted.maximum(), expected.maximum());
  EXPECT_EQ(counted.sumHigh(), expected.sumHigh());
  EXPECT_EQ(counted.sumLow(), expected.sumLow());
  const auto cells = counted.cells();
  const auto expected_cells = expected.cells();
  ASSERT_EQ(cells.size(), expected_cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    EXPECT_EQ(cells[i].bucket, expected_cells[i].bucket);
    EXPECT_EQ(cells[i].count, expected_cells[i].count) << "bucket " << cells[i].bucket;
  }
}

}  // namespace
}  // namespace plumbline::hw_test
