// Queues and schedulers where theory knows the answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "base/random.h"
#include "tests/fabric/harness.h"
#include "tests/fabric/traffic.h"

namespace plumbline::fabric::testing {
namespace {

constexpr std::int64_t kOverhead = 20;

double uniform(RandomStream& random) {
  return (static_cast<double>(random.next() >> 11) + 0.5) * 0x1.0p-53;
}

// A frame's wire slot in bytes: preamble and gap included.
using SlotBytes = std::int64_t (*)(RandomStream&);

std::int64_t fixedSlot(RandomStream& /*random*/) { return 1'044; }

// Exponential with a mean of 2000 bytes, rounded up to whole bytes, at least 21 (a frame of one
// byte). Rounding adds half a byte to the mean and the minimum a tenth: 0.03 % of it.
constexpr double kMeanSlot = 2'000;
std::int64_t exponentialSlot(RandomStream& random) {
  const auto bytes = static_cast<std::int64_t>(std::ceil(-std::log(uniform(random)) * kMeanSlot));
  return std::clamp<std::int64_t>(bytes, 21, 65'000);
}

struct Estimate {
  double mean = 0;
  double half_width = 0;  // 99 %
};

// Mean wait [ps] in the output queue of a switch that frames reach as a Poisson stream, one long
// run cut into batches. Cut-through, so that the length does not shift the arrivals; each comes
// from whichever host has its wire free, so that the inputs do not shape them.
Estimate meanWait(double load, double mean_slot, SlotBytes slot, std::uint64_t seed) {
  constexpr HostId kSenders = 48;
  constexpr std::size_t kBatches = 40;
  constexpr std::size_t kBatch = 10'000;
  constexpr std::size_t kWarmUp = 20'000;
  FabricSpec spec;
  spec.topology.hosts = kSenders + 1;
  spec.switches.forwarding = Forwarding::kCutThrough;
  spec.switches.buffer_per_port = Bytes(std::int64_t{1} << 32);
  const Picoseconds unloaded = nanoseconds(50 + 600 + 50);
  Fabric fabric(spec);
  std::vector<double> waits;
  fabric.onDeliver([&](HostId, const Packet& packet, Picoseconds time) {
    waits.push_back(
        static_cast<double>((time - unloaded).count() - static_cast<std::int64_t>(packet.stamp)));
  });
  RandomStream random(seed, "poisson");
  std::vector<Picoseconds> wire_free(kSenders);
  const double gap = mean_slot * static_cast<double>(kBytePs) / load;
  double clock = 0;
  for (std::size_t i = 0; i < kWarmUp + kBatches * kBatch; ++i) {
    clock += -std::log(uniform(random)) * gap;
    const Picoseconds time(std::llround(clock));
    const std::int64_t bytes = slot(random);
    HostId from = 0;
    while (from < kSenders && wire_free[from] > time) ++from;
    if (from == kSenders) ADD_FAILURE() << "not enough senders for a Poisson stream";
    wire_free[from] = time + Picoseconds(bytes * kBytePs);
    Packet packet = frame(from, kSenders, static_cast<std::uint32_t>(bytes - kOverhead));
    packet.stamp = static_cast<std::uint64_t>(time.count());
    fabric.send(from, packet, time);
    if (i % 1'000 == 0) fabric.runUntil(time);
  }
  fabric.runUntil(fabric.now() + seconds(1));
  EXPECT_EQ(waits.size(), kWarmUp + kBatches * kBatch);
  EXPECT_EQ(fabric.framesInside(), 0U);
  std::vector<double> means;
  for (std::size_t b = 0; b < kBatches; ++b) {
    const auto begin = waits.begin() + static_cast<std::ptrdiff_t>(kWarmUp + b * kBatch);
    means.push_back(std::accumulate(begin, begin + kBatch, 0.0) / kBatch);
  }
  Estimate estimate;
  estimate.mean = std::accumulate(means.begin(), means.end(), 0.0) / kBatches;
  double squares = 0;
  for (const double one : means) squares += (one - estimate.mean) * (one - estimate.mean);
  constexpr double kStudent39 = 2.708;
  estimate.half_width = kStudent39 * std::sqrt(squares / (kBatches - 1) / kBatches);
  return estimate;
}

TEST(QueueingTheory, MD1) {
  for (const double load : {0.5, 0.7}) {
    const Estimate wait = meanWait(load, 1'044, fixedSlot, 11);
    const double theory = load / (2 * (1 - load)) * 1'044 * kBytePs;
    EXPECT_NEAR(wait.mean, theory, wait.half_width) << "load " << load;
    EXPECT_LT(wait.half_width, 0.04 * theory) << "the test would not notice an error";
  }
}

TEST(QueueingTheory, MM1) {
  for (const double load : {0.5, 0.7}) {
    const Estimate wait = meanWait(load, kMeanSlot, exponentialSlot, 12);
    const double theory = load / (1 - load) * kMeanSlot * kBytePs;
    EXPECT_NEAR(wait.mean, theory, wait.half_width) << "load " << load;
    EXPECT_LT(wait.half_width, 0.06 * theory) << "the test would not notice an error";
  }
}

// N senders at line rate into one port: the queue grows by N - 1 lines' worth of bytes.
TEST(Fluid, IncastQueueGrowsExactlyToAFrame) {
  constexpr std::int64_t kLength = 1'024;
  for (const std::uint32_t senders : {2U, 5U, 16U}) {
    FabricSpec spec;
    spec.topology.hosts = senders + 1;
    spec.switches.buffer_per_port = Bytes(100'000'000);
    constexpr std::uint32_t kEach = 400;
    ListFabric fabric(spec);
    for (HostId from = 0; from < senders; ++from) {
      fabric.host(from).addMany(frame(from, senders, kLength), kEach);
    }
    fabric.drain();
    fabric.expectConserved();
    const std::uint64_t peak = totalCounters(*fabric).max_queue_bytes;
    const double fluid = double{kLength} * kEach * (senders - 1);
    EXPECT_NEAR(static_cast<double>(peak), fluid, kLength) << senders << " senders";
  }
}

TEST(Dwrr, SharesFollowTheWeights) {
  FabricSpec spec;
  spec.topology.hosts = 4;
  spec.switches.buffer_per_port = Bytes(100'000'000);
  const std::array<std::uint16_t, 3> weights{1, 2, 5};
  const std::array<std::uint32_t, 3> lengths{1'500, 300, 9'000};
  for (unsigned p = 0; p < 3; ++p) spec.switches.weights.at(p) = weights.at(p);
  ListFabric fabric(spec);
  for (unsigned p = 0; p < 3; ++p) {
    const std::uint32_t frames = 40'000'000 / lengths.at(p) / 4;
    fabric.host(p).addMany(frame(p, 3, lengths.at(p), p), frames);
  }
  fabric->runUntil(microseconds(800));
  fabric.expectConserved();
  // All three are backlogged from 10 us on; a share may be off by a quantum and a frame.
  std::array<std::int64_t, 3> bytes{};
  std::int64_t total = 0;
  for (const Record& one : fabric.log().of(RecordKind::kDeparture, fabric.link("switch0-host3"))) {
    if (one.time < microseconds(10) || one.time > microseconds(700)) continue;
    bytes.at(one.priority) += one.packet.length;
    total += one.packet.length;
  }
  EXPECT_GT(total, 8'000'000);
  for (unsigned p = 0; p < 3; ++p) {
    const double share = static_cast<double>(total) * weights.at(p) / 8;
    const double slack = 8 * 1'600 + 9'000;
    EXPECT_NEAR(static_cast<double>(bytes.at(p)), share, slack) << "priority " << p;
  }
}

// After any number of rounds among backlogged priorities each has sent what its weight gives it,
// but for less than a frame that it could not afford (Shreedhar and Varghese).
TEST(Dwrr, EveryRoundIsExactWithinAFrame) {
  constexpr std::int64_t kQuantum = 2'000;
  const std::array<std::int64_t, 4> weights{1, 3, 2, 7};
  const std::array<std::int64_t, 4> lengths{1'500, 900, 3'999, 9'216};
  FabricSpec spec;
  spec.topology.hosts = 5;
  spec.switches.buffer_per_port = Bytes(1'000'000'000);
  spec.switches.dwrr_quantum = Bytes(kQuantum);
  for (std::size_t p = 0; p < 4; ++p) {
    spec.switches.weights.at(p) = static_cast<std::uint16_t>(weights.at(p));
  }
  ListFabric fabric(spec, Observer::bit(RecordKind::kDeparture));
  for (HostId p = 0; p < 4; ++p) {
    const auto length = static_cast<std::uint32_t>(lengths.at(p));
    fabric.host(p).addMany(frame(p, 4, length, p), 16'000'000 / length);
  }
  fabric->runUntil(milliseconds(1));
  fabric.expectConserved();
  // A quantum covers a frame of each, so a visit of a priority is a run of its frames.
  std::array<std::int64_t, 4> bytes{};
  std::int64_t rounds = -1;
  unsigned last = 0;
  for (const Record& one : fabric.log().of(RecordKind::kDeparture, fabric.link("switch0-host4"))) {
    if (one.time < microseconds(20)) continue;
    if (one.priority < last) {  // a round is over
      if (++rounds == 0) bytes = {};
      for (std::size_t p = 0; p < 4; ++p) {
        EXPECT_LT(std::abs(bytes.at(p) - rounds * weights.at(p) * kQuantum), lengths.at(p))
            << "priority " << p << " after " << rounds << " rounds";
      }
    }
    last = one.priority;
    bytes.at(one.priority) += one.packet.length;
  }
  EXPECT_GT(rounds, 400);
}

TEST(StrictPriority, WaitsForNoMoreThanTheFrameInTransmission) {
  FabricSpec spec;
  spec.topology.hosts = 4;
  spec.switches.buffer_per_port = Bytes(100'000'000);
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 3, 9'216, 1), 300);
  fabric.host(1).addMany(frame(1, 3, 9'216, 1), 300);
  for (int i = 0; i < 1'000; ++i) {
    Packet packet = frame(2, 3, 200, 6);
    packet.stamp = 377'000ULL * static_cast<unsigned>(i);
    fabric.host(2).add(packet, Picoseconds(static_cast<std::int64_t>(packet.stamp)));
  }
  fabric.drain();
  fabric.expectConserved();
  const Picoseconds unloaded = nanoseconds(50 + 600 + 50) + Picoseconds(400 * kBytePs);
  const Picoseconds slot(9'236 * kBytePs);
  Picoseconds worst;
  std::size_t seen = 0;
  for (const auto& arrival : fabric.host(3).arrivals()) {
    if (arrival.packet.priority != 6) continue;
    const Picoseconds wait =
        arrival.time - Picoseconds(static_cast<std::int64_t>(arrival.packet.stamp)) - unloaded;
    worst = std::max(worst, wait);
    ++seen;
  }
  EXPECT_EQ(seen, 1'000U);
  EXPECT_LE(worst, slot);
  EXPECT_GT(worst, slot / 2);  // it was really in somebody's way
}

}  // namespace
}  // namespace plumbline::fabric::testing
