// The shared buffer where its equations have a closed solution: dynamic thresholds, reserves, and
// PFC thresholds that follow what is free.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/fabric/harness.h"

namespace plumbline::fabric::testing {
namespace {

constexpr unsigned kLossy = 0;
constexpr Picoseconds kSlotOf1000{81'600};  // 1,020 bytes at 100 Gb/s

// ---- Dynamic threshold of lossy queues

struct Congestion {
  std::int64_t outputs;  // that are congested
  std::int64_t alpha_eighths;
};

class DynamicThreshold : public ::testing::TestWithParam<Congestion> {};

// k queues that are offered more than they can send stand where none may grow:
// q = alpha (Z - k q), so q = alpha Z / (1 + k alpha).
TEST_P(DynamicThreshold, CongestedQueuesStandAtTheFixedPoint) {
  constexpr std::uint32_t kSenders = 3;  // per output
  constexpr std::int64_t kLength = 1'000;
  constexpr std::int64_t kShared = 400'000;
  const auto outputs = static_cast<std::uint32_t>(GetParam().outputs);
  const std::int64_t alpha_eighths = GetParam().alpha_eighths;
  FabricSpec spec;
  spec.topology.hosts = outputs * (kSenders + 1);
  SharedBufferSpec buffer;
  buffer.total = Bytes(kShared);
  buffer.alpha = Fraction::partsPerTrillion(Fraction::kOne * alpha_eighths / 8);
  spec.switches.shared_buffer = buffer;
  ListFabric fabric(spec, Observer::bit(RecordKind::kDeparture));
  for (HostId to = 0; to < outputs; ++to) {
    for (std::uint32_t i = 0; i < kSenders; ++i) {
      const HostId from = outputs + to * kSenders + i;
      // Spread over a slot, so that no two frames of two outputs come at one instant.
      const Picoseconds start =
          kSlotOf1000 * (std::int64_t{i} * outputs + to) / (std::int64_t{kSenders} * outputs);
      fabric.host(from).addMany(frame(from, to, kLength), 1'500, start);
    }
  }
  // The queues are full after 400 frames of each sender at the latest.
  const Picoseconds steady = kSlotOf1000 * 500;
  const Picoseconds end = kSlotOf1000 * 1'400;
  fabric->runUntil(end);
  EXPECT_EQ(fabric.expectConserved().dropped,
            totalCounters(*fabric).drops[static_cast<unsigned>(DropReason::kBufferFull)]);

  const double alpha = static_cast<double>(alpha_eighths) / 8;
  const double fixed_point = alpha * kShared / (1 + outputs * alpha);
  std::size_t seen = 0;
  for (const Record& one : fabric.log().all()) {
    if (one.packet.hops == 0 || one.time < steady) continue;
    // What stood in the queue when the frame began to leave it.
    EXPECT_NEAR(static_cast<double>(one.value + kLength), fixed_point, kLength)
        << one.time.count() << " ps";
    ++seen;
  }
  EXPECT_GE(seen, outputs * 890U);
}

INSTANTIATE_TEST_SUITE_P(Ports, DynamicThreshold,
                         ::testing::Values(Congestion{1, 1}, Congestion{1, 4}, Congestion{1, 8},
                                           Congestion{1, 64}, Congestion{2, 4}, Congestion{2, 8},
                                           Congestion{3, 8}, Congestion{4, 4}, Congestion{4, 8},
                                           Congestion{4, 16}, Congestion{8, 8}));

TEST(SharedBuffer, PrioritiesOfOnePortHaveQueuesOfTheirOwn) {
  // Two priorities of one output count as two queues: alpha Z / (1 + 2 alpha) each.
  constexpr std::int64_t kLength = 1'000;
  FabricSpec spec;
  spec.topology.hosts = 7;
  spec.switches.shared_buffer = SharedBufferSpec{.total = Bytes(300'000)};
  spec.switches.weights = {1, 1};
  ListFabric fabric(spec, Observer::bit(RecordKind::kDeparture));
  for (HostId from = 1; from < 7; ++from) {
    fabric.host(from).addMany(frame(from, 0, kLength, from % 2), 1'000, kSlotOf1000 * from / 6);
  }
  fabric->runUntil(kSlotOf1000 * 900);
  std::size_t seen = 0;
  for (const Record& one : fabric.log().all()) {
    if (one.packet.hops == 0 || one.time < kSlotOf1000 * 500) continue;
    EXPECT_NEAR(static_cast<double>(one.value + kLength), 100'000, kLength);
    ++seen;
  }
  EXPECT_GE(seen, 390U);
}

// ---- Reserve of a port

// One output takes all that is shared; then `burst` frames for another come at one instant.
struct ReserveRun {
  std::uint64_t taken = 0;        // of the burst
  std::uint64_t greedy_most = 0;  // bytes that the first output ever had
};

constexpr std::int64_t kSmall = 100;
constexpr std::int64_t kLarge = 1'500;
constexpr std::int64_t kFree = 200'000;  // shared, whatever the reserves

ReserveRun runReserve(std::int64_t reserve, std::uint32_t burst) {
  constexpr std::uint32_t kGreedy = 3;  // senders to the first output
  FabricSpec spec;
  spec.topology.hosts = 2 + kGreedy + burst;
  SharedBufferSpec buffer;
  buffer.total = Bytes(kFree + reserve * spec.topology.hosts);
  buffer.alpha = Fraction::partsPerTrillion(1'024 * Fraction::kOne);
  buffer.reserve_per_port = Bytes(reserve);
  spec.switches.shared_buffer = buffer;
  ListFabric fabric(spec, 0);
  constexpr Picoseconds slot{9'600};  // 120 bytes at 100 Gb/s
  for (HostId from = 2; from < 2 + kGreedy; ++from) {
    fabric.host(from).addMany(frame(from, 0, kSmall), 4'000);
  }
  for (HostId from = 2 + kGreedy; from < spec.topology.hosts; ++from) {
    fabric.host(from).add(frame(from, 1, kLarge), slot * 3'000);
  }
  fabric.drain();
  fabric.expectConserved();
  return {fabric.host(1).arrivals().size(), fabric.counters("switch0-host0").max_queue_bytes};
}

TEST(SharedBuffer, EachPortHasItsReserveAndNobodyElse) {
  constexpr std::uint32_t kBurst = 12;
  for (const std::int64_t reserve : {0, 1'200, 1'500, 2'700, 3'000, 15'000, 30'000}) {
    const ReserveRun run = runReserve(reserve, kBurst);
    // Small frames leave no room for the part of a large one that is above the reserve, so the
    // burst has the reserve alone ...
    EXPECT_EQ(run.taken,
              std::min<std::uint64_t>(static_cast<std::uint64_t>(reserve / kLarge), kBurst))
        << reserve;
    // ... which the other output did not touch: it had all that is shared, and its own reserve.
    EXPECT_LE(run.greedy_most, static_cast<std::uint64_t>(kFree + reserve));
    EXPECT_GT(run.greedy_most, static_cast<std::uint64_t>(kFree + reserve - 4 * kSmall));
  }
}

// ---- Dynamic thresholds of PFC

constexpr std::int64_t kFrame = 1'000;
constexpr std::int64_t kHeadroom = 50'000;
constexpr std::int64_t kPfcShared = 600'000;
constexpr std::int64_t kHysteresis = 10'000;

// Receiver 1 lets nothing through until kRelease, and receiver 2 until `lossy_release`; `filling`
// bytes of lossy frames wait for host 2. Then host 0 sends lossless frames to host 1 one after the
// other.
struct XoffRun {
  std::size_t entered = 0;  // lossless frames in the switch when it asked for the pause
  std::size_t max = 0;      // of them ever
  std::size_t left = 0;     // frames that had left when it let the sender go on
};

constexpr Picoseconds kBegin = microseconds(200);
constexpr Picoseconds kRelease = microseconds(400);

XoffRun runXoff(std::int64_t alpha_percent, std::int64_t filling,
                Picoseconds lossy_release = milliseconds(2)) {
  FabricSpec spec;
  spec.topology.hosts = 4;
  SharedBufferSpec buffer;
  buffer.alpha = Fraction::partsPerTrillion(8 * Fraction::kOne);
  buffer.total = Bytes(kPfcShared + kHeadroom * 4);
  spec.switches.shared_buffer = buffer;
  PfcSpec pfc;
  pfc.priorities = 1U << kLossless;
  pfc.xoff = Bytes(100'000);
  pfc.xon = Bytes(100'000 - kHysteresis);
  pfc.headroom = Bytes(kHeadroom);
  pfc.dynamic_alpha = Fraction::percent(alpha_percent);
  spec.switches.pfc = pfc;
  spec.storms = {{1, 1U << kLossless, Picoseconds(0), kRelease},
                 {2, 1U << kLossy, Picoseconds(0), lossy_release}};
  ListFabric fabric(spec);
  fabric.host(3).addMany(frame(3, 2, kFrame, kLossy), static_cast<std::uint32_t>(filling / kFrame),
                         microseconds(1));
  fabric.host(0).addMany(frame(0, 1, kFrame, kLossless), 2'000, kBegin);
  fabric->runUntil(milliseconds(1));
  EXPECT_EQ(fabric.expectConserved().dropped, 0U);

  XoffRun run;
  const auto xoff = fabric.log().of(RecordKind::kXoff, fabric.link("switch0-host0"));
  const auto xon = fabric.log().of(RecordKind::kXon, fabric.link("switch0-host0"));
  if (xoff.empty() || xon.empty()) {
    ADD_FAILURE() << xoff.size() << " xoff, " << xon.size() << " xon";
    return run;
  }
  // The frame that is too many is handed over a cable and the switch's latency behind its last bit.
  const Picoseconds first = kBegin + Picoseconds(80'000) + nanoseconds(50 + 600);
  EXPECT_EQ((xoff.front().time - first).count() % kSlotOf1000.count(), 0);
  run.entered = static_cast<std::size_t>((xoff.front().time - first) / kSlotOf1000);
  run.max = fabric.counters("switch0-host1").max_queue_bytes / kFrame;
  for (const Record& one : fabric.log().of(RecordKind::kDeparture, fabric.link("switch0-host1"))) {
    // Its last bit left by then.
    if (one.time + Picoseconds(80'000) <= xon.front().time) ++run.left;
  }
  return run;
}

TEST(DynamicXoff, FollowsWhatIsFree) {
  for (const std::int64_t percent : {25, 100, 200}) {
    for (const std::int64_t filling : {0, 150'000, 300'000, 450'000}) {
      const double alpha = static_cast<double>(percent) / 100;
      const XoffRun run = runXoff(percent, filling);
      // A frame on top of m is too many when m + 1 > alpha (Z - filling - m), in frames.
      std::int64_t entered = 0;
      const auto threshold = [&](std::int64_t frames) {
        return alpha * static_cast<double>(kPfcShared - filling - frames * kFrame);
      };
      while (static_cast<double>((entered + 1) * kFrame) <= threshold(entered)) ++entered;
      EXPECT_EQ(static_cast<std::int64_t>(run.entered), entered)
          << "alpha " << alpha << ", " << filling << " bytes in use";
      // The frame that asked stays in the shared part; those behind it go to the headroom. Frames
      // give the headroom back first, and then the shared part until it is `hysteresis` below the
      // threshold, which rises meanwhile.
      std::int64_t shared = entered + 1;
      while (static_cast<double>(shared * kFrame) > threshold(shared) - kHysteresis) --shared;
      const auto left = static_cast<std::int64_t>(run.left);
      const std::int64_t from_shared = entered + 1 - shared;
      EXPECT_GT(left, from_shared);  // some went to the headroom
      // Those were under way when the sender was told: a PAUSE frame, two cables, the latency and
      // the frames it met on either side.
      EXPECT_LE(left, from_shared + 14);
    }
  }
}

// What lossy frames leave free while the pause lasts raises the threshold for the input that waits.
TEST(DynamicXoff, RisesWithEveryLossyFrameThatLeaves) {
  constexpr std::int64_t kFilling = 450'000;
  for (std::int64_t percent = 20; percent <= 200; percent += 9) {
    const double alpha = static_cast<double>(percent) / 100;
    // Half a frame ahead: when the last bit of a lossless frame leaves, as many lossy ones have.
    const XoffRun run = runXoff(percent, kFilling, kRelease - kSlotOf1000 / 2);
    const auto asked = static_cast<std::int64_t>(run.entered) + 1;  // in the shared part
    const std::int64_t headroom = static_cast<std::int64_t>(run.max) - asked;
    EXPECT_GT(headroom, 0);
    std::int64_t left = headroom;
    const auto belowXon = [&] {
      const std::int64_t shared = (asked + headroom - left) * kFrame;
      const std::int64_t lossy = kFilling - left * kFrame;
      return static_cast<double>(shared + kHysteresis) <=
             alpha * static_cast<double>(kPfcShared - lossy - shared);
    };
    while (!belowXon()) ++left;
    EXPECT_EQ(static_cast<std::int64_t>(run.left), left) << "alpha " << alpha;
  }
}

}  // namespace
}  // namespace plumbline::fabric::testing
