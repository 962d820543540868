// Queueing where theory or plain arithmetic knows the answer.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/random.h"
#include "tests/fabric/harness.h"
#include "tests/fabric/traffic.h"

namespace plumbline::fabric::testing {
namespace {

// First bit sent to first bit received through one idle switch with default delays.
constexpr Picoseconds kUnloadedFirstBit = nanoseconds(50 + 600 + 50) + bytesTime(kLength);

// Mean waiting time of `frames` frames of kLength that reach one output queue of a switch as a
// Poisson stream with load `rho`. Each arrival comes from whichever of 32 hosts has its own wire
// free, so that the input links never shape the stream.
double meanWaitOfPoissonStream(double rho, std::size_t frames, std::uint64_t seed) {
  constexpr std::uint32_t kSenders = 32;
  FabricSpec spec = switchSpec(kSenders + 1);
  spec.switches.buffer_per_port = Bytes(std::int64_t{1} << 30);
  RandomStream random(seed, "poisson");
  std::vector<Picoseconds> wire_free(kSenders);
  std::vector<Sending> traffic;
  const double mean_gap = static_cast<double>(kSlot.count()) / rho;
  double clock = 0;
  while (traffic.size() < frames) {
    const double uniform = (static_cast<double>(random.next() >> 11) + 0.5) * 0x1.0p-53;
    clock += -std::log(uniform) * mean_gap;
    const Picoseconds time(std::llround(clock));
    HostId from = 0;
    while (from < kSenders && wire_free[from] > time) ++from;
    if (from == kSenders) ADD_FAILURE() << "not enough senders for a Poisson stream";
    wire_free[from] = time + kSlot;
    traffic.push_back({from, packetTo(from, kSenders, kLength, traffic.size()), time});
  }
  const Log log = runAll(spec, traffic);
  EXPECT_EQ(log.deliveries.size(), frames);
  double total = 0;
  for (const Delivery& one : log.deliveries) {
    total +=
        static_cast<double>((one.time - traffic[one.cookie].first_bit - kUnloadedFirstBit).count());
  }
  return total / static_cast<double>(frames);
}

TEST(Queueing, PoissonArrivalsWaitAsMD1Predicts) {
  constexpr int kReplications = 30;
  for (const double rho : {0.3, 0.6, 0.8}) {
    std::vector<double> means;
    means.reserve(kReplications);
    for (int i = 0; i < kReplications; ++i) {
      means.push_back(meanWaitOfPoissonStream(rho, 20'000, 1000 + static_cast<std::uint64_t>(i)));
    }
    const double mean = std::accumulate(means.begin(), means.end(), 0.0) / kReplications;
    double squares = 0;
    for (const double one : means) squares += (one - mean) * (one - mean);
    // 99.9 % interval, Student's t with 29 degrees of freedom.
    const double half_width = 3.659 * std::sqrt(squares / (kReplications - 1) / kReplications);
    const double theory = rho / (2 * (1 - rho)) * static_cast<double>(kSlot.count());
    EXPECT_NEAR(mean, theory, half_width) << "load " << rho;
    EXPECT_LT(half_width, 0.04 * theory) << "the test would not notice an error";
  }
}

TEST(Queueing, PeriodicArrivalsBelowLineRateNeverWait) {
  std::vector<Sending> traffic;
  // Four senders of a quarter of the line each, one slot apart: D/D/1 at 100 %.
  for (std::int64_t i = 0; i < 4000; ++i) {
    const auto from = static_cast<HostId>(i % 4);
    traffic.push_back({from, packetTo(from, 4, kLength, static_cast<std::uint64_t>(i)), i * kSlot});
  }
  Fabric fabric(switchSpec(5));
  const Log log = runAll(fabric, traffic);
  ASSERT_EQ(log.deliveries.size(), traffic.size());
  for (const Delivery& one : log.deliveries) {
    EXPECT_EQ(one.time - traffic[one.cookie].first_bit, kUnloadedFirstBit);
  }
  for (const PortCounters& port : fabric.counters()) {
    EXPECT_EQ(port.max_queue_bytes, port.port == 4 ? kLength : 0U);
  }
}

// A frame that gets ready just when the last bit of another one leaves finds the queue empty,
// whoever observes, and whether both come in one window or not.
TEST(Queueing, ALastBitLeavesBeforeWhatComesAtThatInstant) {
  for (const Picoseconds delay : {nanoseconds(50), microseconds(1)}) {
    for (const std::uint32_t interests : {0U, kEveryKind}) {
      for (const std::int64_t later_ps : {-1, 0, 1}) {
        GraphBuilder graph(3, 1);
        for (const char* host : {"h0", "h1", "h2"}) {
          graph.cable(host, "s0", gigabitsPerSecond(100), delay);
        }
        ListFabric fabric(graph.spec(), interests);
        fabric.host(0).add(frame(0, 2, kLength), Picoseconds(0));
        fabric.host(1).add(frame(1, 2, kLength), bytesTime(kLength) + Picoseconds(later_ps));
        fabric.drain();
        ASSERT_EQ(fabric.host(2).arrivals().size(), 2U);
        EXPECT_EQ(fabric.counters("s0-h2").max_queue_bytes, later_ps < 0 ? 2 * kLength : kLength)
            << later_ps << " ps later, links of " << delay.count() << " ps";
      }
    }
  }
}

// N senders put bursts of B frames on their wires at the same time, all to one receiver. While they
// arrive, N frames come per slot and one leaves.
struct Incast {
  std::uint32_t senders;
  std::uint32_t burst;
  std::int64_t buffer_frames;
};

class IncastTest : public ::testing::TestWithParam<Incast> {};

TEST_P(IncastTest, LossAndLastDepartureFollowFromArithmetic) {
  const auto [senders, burst, buffer_frames] = GetParam();
  FabricSpec spec = switchSpec(senders + 1);
  spec.switches.buffer_per_port = Bytes(buffer_frames * kLength);
  std::vector<Sending> traffic;
  for (std::uint32_t i = 0; i < burst; ++i) {
    for (HostId from = 0; from < senders; ++from) {
      traffic.push_back({from, packetTo(from, senders, kLength, traffic.size()), i * kSlot});
    }
  }
  Fabric fabric(spec);
  const Log log = runAll(fabric, traffic);

  // At the k-th arrival instant (k = 0 ..) exactly k frames have left if the queue never ran dry:
  // the wire is busy from the first arrival on, and a frame's last bit has left (20 byte times
  // before the end of its slot) when the next group arrives. So the k-th group finds
  // buffer + k − accepted frames of room.
  std::int64_t accepted = 0;
  for (std::int64_t k = 0; k < burst; ++k) {
    const std::int64_t room = buffer_frames + std::min(k, accepted) - accepted;
    accepted += std::min<std::int64_t>(room, senders);
  }
  const std::int64_t sent = std::int64_t{senders} * burst;
  EXPECT_EQ(static_cast<std::int64_t>(log.deliveries.size()), accepted);
  EXPECT_EQ(static_cast<std::int64_t>(log.losses.size()), sent - accepted);
  EXPECT_EQ(log.deliveries.front().time, kUnloadedFirstBit);
  EXPECT_EQ(log.deliveries.back().time, kUnloadedFirstBit + (accepted - 1) * kSlot);

  const PortCounters port = fabric.counters().at(senders);
  EXPECT_EQ(port.dropped(), static_cast<std::uint64_t>(sent - accepted));
  EXPECT_EQ(port.packets, static_cast<std::uint64_t>(accepted));
  EXPECT_EQ(port.bytes, static_cast<std::uint64_t>(accepted) * kLength);
  const std::int64_t peak = std::min(buffer_frames, sent - (burst - 1));
  EXPECT_EQ(port.max_queue_bytes, static_cast<std::uint64_t>(peak) * kLength);
}

INSTANTIATE_TEST_SUITE_P(Bursts, IncastTest,
                         ::testing::Values(Incast{2, 100, 200}, Incast{2, 100, 101},
                                           Incast{2, 100, 100}, Incast{2, 100, 10},
                                           Incast{7, 33, 64}, Incast{16, 1000, 976},
                                           Incast{32, 50, 1}));

// Frames of `first` bytes, then one of `second`, from different hosts at the same instant into a
// buffer of `buffer` bytes; true if both arrive.
bool bothFit(std::uint32_t first, std::uint32_t second, std::int64_t buffer) {
  FabricSpec spec = switchSpec(3);
  spec.switches.buffer_per_port = Bytes(buffer);
  spec.switches.forwarding = Forwarding::kCutThrough;
  const Log log = runAll(spec, {{0, packetTo(0, 2, first, 0), nanoseconds(1)},
                                {1, packetTo(1, 2, second, 1), nanoseconds(1)}});
  EXPECT_EQ(log.deliveries.size() + log.losses.size(), 2U);
  return log.losses.empty();
}

TEST(BufferBoundary, ExactFitIsTakenOneByteMoreIsDropped) {
  EXPECT_TRUE(bothFit(700, 300, 1000));
  EXPECT_FALSE(bothFit(700, 301, 1000));
  EXPECT_TRUE(bothFit(64, 9216, 9280));
  EXPECT_FALSE(bothFit(64, 9216, 9279));
}

TEST(BufferBoundary, AFrameLargerThanTheBufferIsDroppedByAnIdleSwitch) {
  FabricSpec spec = switchSpec(2);
  spec.switches.buffer_per_port = Bytes(1023);
  const Log log = runAll(spec, {{0, packetTo(0, 1, 1024), nanoseconds(1)}});
  ASSERT_EQ(log.losses.size(), 1U);
  // It is found out when the frame is ready for the queue.
  EXPECT_EQ(log.losses[0].time, nanoseconds(1 + 50 + 600) + bytesTime(1024));
  EXPECT_TRUE(log.deliveries.empty());
}

TEST(BufferBoundary, TheFrameInTransmissionCountsUntilItsLastBitHasLeft) {
  FabricSpec spec = switchSpec(3);
  spec.switches.buffer_per_port = Bytes(1000);
  spec.switches.forwarding = Forwarding::kCutThrough;
  const Picoseconds start = nanoseconds(10);
  const auto lossesWhenSecondIsLateBy = [&](Picoseconds late) {
    return runAll(spec,
                  {{0, packetTo(0, 2, 1000, 0), start}, {1, packetTo(1, 2, 1000, 1), start + late}})
        .losses.size();
  };
  EXPECT_EQ(lossesWhenSecondIsLateBy(bytesTime(1000) - Picoseconds(1)), 1U);
  EXPECT_EQ(lossesWhenSecondIsLateBy(bytesTime(1000)), 0U);
}

TEST(BufferBoundary, ASwitchPortDoesNotTakeRoomFromAnother) {
  FabricSpec spec = switchSpec(4);
  spec.switches.buffer_per_port = Bytes(2000);
  std::vector<Sending> traffic;
  for (std::int64_t i = 0; i < 200; ++i) {
    for (const HostId from : {0U, 1U}) {
      traffic.push_back({from, packetTo(from, 2, 1000, traffic.size()), i * bytesTime(1020)});
    }
    if (i == 100) traffic.push_back({2, packetTo(2, 3, 1000, traffic.size()), i * bytesTime(1020)});
  }
  Fabric fabric(spec);
  const Log log = runAll(fabric, traffic);
  EXPECT_GT(log.losses.size(), 150U);
  EXPECT_EQ(fabric.counters()[3].packets, 1U);
  EXPECT_EQ(fabric.counters()[3].dropped(), 0U);
}

}  // namespace
}  // namespace plumbline::fabric::testing
