// Scripted misbehaviour does exactly what the script says, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/fabric/traffic.h"

namespace plumbline::fabric::testing {
namespace {

constexpr std::uint32_t kStreamLength = 512;
constexpr Picoseconds kStreamSlot = bytesTime(kStreamLength + 20);

// `frames` frames of kStreamLength from host 0 to host 1, `distance` apart.
std::vector<Sending> stream(std::uint64_t frames, Picoseconds distance) {
  std::vector<Sending> traffic;
  for (std::uint64_t i = 0; i < frames; ++i) {
    traffic.push_back({0, packetTo(0, 1, kStreamLength, i),
                       microseconds(1) + static_cast<std::int64_t>(i) * distance});
  }
  return traffic;
}

struct ImpairmentCase {
  const char* name;
  FabricSpec spec;
  Forwarding mode;
};

// All tests hold for a bare link and for a switch in either mode.
class Impairments : public ::testing::TestWithParam<ImpairmentCase> {
 protected:
  FabricSpec specWith(std::vector<Impairment> script) const {
    FabricSpec spec = GetParam().spec;
    spec.switches.forwarding = GetParam().mode;
    spec.impairments = std::move(script);
    return spec;
  }
  Picoseconds latency() const {
    return Fabric(specWith({})).unloadedLatency(0, 1, Bytes(kStreamLength));
  }
};

TEST_P(Impairments, DropTakesExactlyTheFramesOfTheScript) {
  const auto traffic = stream(100, 3 * kStreamSlot);
  const Log log = runAll(specWith({{ImpairmentKind::kDrop, 0, 99, {}},
                                   {ImpairmentKind::kDrop, 0, 0, {}},
                                   {ImpairmentKind::kDrop, 0, 41, {}},
                                   {ImpairmentKind::kDrop, 1, 5, {}}}),  // host 1 sends nothing
                         traffic);
  std::set<std::uint64_t> lost;
  for (const Loss& one : log.losses) {
    EXPECT_EQ(one.reason, DropReason::kScripted);
    lost.insert(one.cookie);
  }
  EXPECT_EQ(lost, (std::set<std::uint64_t>{0, 41, 99}));
  ASSERT_EQ(log.deliveries.size(), 97U);
  for (const Delivery& one : log.deliveries) {
    EXPECT_EQ(lost.count(one.cookie), 0U);
    EXPECT_EQ(one.time, traffic[one.cookie].first_bit + latency());
  }
}

TEST_P(Impairments, DuplicateFollowsRightBehind) {
  const auto traffic = stream(10, 3 * kStreamSlot);
  const Log log = runAll(specWith({{ImpairmentKind::kDuplicate, 0, 4, {}}}), traffic);
  ASSERT_EQ(log.deliveries.size(), 11U);
  EXPECT_TRUE(log.losses.empty());
  EXPECT_EQ(log.deliveries[4].cookie, 4U);
  EXPECT_EQ(log.deliveries[5].cookie, 4U);
  EXPECT_EQ(log.deliveries[5].length, kStreamLength);
  EXPECT_EQ(log.deliveries[5].time, log.deliveries[4].time + kStreamSlot);
  for (std::size_t i = 0; i < 11; ++i) {
    if (i == 5) continue;
    EXPECT_EQ(log.deliveries[i].time, traffic[log.deliveries[i].cookie].first_bit + latency());
  }
}

TEST_P(Impairments, DuplicateInABackToBackStreamPushesTheRest) {
  const auto traffic = stream(10, kStreamSlot);
  const Log log = runAll(specWith({{ImpairmentKind::kDuplicate, 0, 4, {}}}), traffic);
  ASSERT_EQ(log.deliveries.size(), 11U);
  for (std::size_t i = 0; i < 11; ++i) {
    const std::size_t sent = i <= 4 ? i : i - 1;
    EXPECT_EQ(log.deliveries[i].cookie, sent);
    EXPECT_EQ(log.deliveries[i].time,
              microseconds(1) + static_cast<std::int64_t>(i) * kStreamSlot + latency());
  }
}

TEST_P(Impairments, APauseInTheStreamAbsorbsTheCopy) {
  auto traffic = stream(10, kStreamSlot);
  for (std::size_t i = 7; i < 10; ++i) traffic[i].first_bit += 5 * kStreamSlot;
  const Log log = runAll(specWith({{ImpairmentKind::kDuplicate, 0, 4, {}}}), traffic);
  ASSERT_EQ(log.deliveries.size(), 11U);
  EXPECT_EQ(log.deliveries[7].time, traffic[6].first_bit + kStreamSlot + latency());
  for (std::size_t i = 8; i < 11; ++i) {
    EXPECT_EQ(log.deliveries[i].time, traffic[i - 1].first_bit + latency());
  }
}

TEST_P(Impairments, DelayedFrameIsOvertakenAndLateByTheDelay) {
  const auto traffic = stream(20, 4 * kStreamSlot);
  // Between the 9th and the 10th frame, with room for a slot on both sides.
  const Picoseconds delay = 6 * (4 * kStreamSlot) + 2 * kStreamSlot;
  const Log log = runAll(specWith({{ImpairmentKind::kDelay, 0, 3, delay}}), traffic);
  ASSERT_EQ(log.deliveries.size(), 20U);
  std::vector<std::uint64_t> order;
  for (const Delivery& one : log.deliveries) {
    order.push_back(one.cookie);
    EXPECT_EQ(one.time, traffic[one.cookie].first_bit + latency() +
                            (one.cookie == 3 ? delay : Picoseconds(0)));
  }
  EXPECT_EQ(order, (std::vector<std::uint64_t>{0,  1,  2,  4,  5,  6,  7,  8,  9,  3,
                                               10, 11, 12, 13, 14, 15, 16, 17, 18, 19}));
}

TEST_P(Impairments, DelayedFrameTakesASlotOfItsOwn) {
  const auto traffic = stream(20, kStreamSlot);  // no room at all
  const Log log = runAll(
      specWith({{ImpairmentKind::kDelay, 0, 3, 6 * kStreamSlot + kStreamSlot / 2}}), traffic);
  ASSERT_EQ(log.deliveries.size(), 20U);
  // The slot it left stays empty. It returns in the middle of frame 9's slot, waits for its end,
  // and everything behind moves by one slot.
  std::vector<std::uint64_t> order;
  for (const Delivery& one : log.deliveries) {
    order.push_back(one.cookie);
    std::int64_t slot = static_cast<std::int64_t>(one.cookie);
    if (one.cookie == 3) slot = 10;
    if (one.cookie >= 10) slot += 1;
    EXPECT_EQ(one.time, microseconds(1) + slot * kStreamSlot + latency()) << one.cookie;
  }
  EXPECT_EQ(order, (std::vector<std::uint64_t>{0,  1,  2,  4,  5,  6,  7,  8,  9,  3,
                                               10, 11, 12, 13, 14, 15, 16, 17, 18, 19}));
}

TEST_P(Impairments, DelayShorterThanTheGapReordersNothing) {
  const auto traffic = stream(5, 10 * kStreamSlot);
  const Log log = runAll(specWith({{ImpairmentKind::kDelay, 0, 2, Picoseconds(1)}}), traffic);
  ASSERT_EQ(log.deliveries.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(log.deliveries[i].cookie, i);
    EXPECT_EQ(log.deliveries[i].time,
              traffic[i].first_bit + latency() + Picoseconds(i == 2 ? 1 : 0));
  }
}

// Random frames, everything at once: the accounts must agree, whatever the timing.
TEST_P(Impairments, ALongScriptIsCarriedOutToTheFrame) {
  std::vector<Impairment> script;
  std::set<std::uint64_t> dropped;
  std::set<std::uint64_t> doubled;
  for (std::uint64_t frame = 0; frame < 2000; frame += 3) {
    switch (frame % 4) {
      case 0:
        script.push_back({ImpairmentKind::kDrop, 0, frame, {}});
        dropped.insert(frame);
        break;
      case 1:
        script.push_back({ImpairmentKind::kDuplicate, 0, frame, {}});
        doubled.insert(frame);
        break;
      default:
        script.push_back({ImpairmentKind::kDelay, 0, frame,
                          nanoseconds(1 + static_cast<std::int64_t>(frame % 977))});
    }
  }
  std::vector<Sending> traffic;
  for (Sending& one : randomTraffic(2, 2000, 70, 12)) {
    if (one.from != 0) continue;
    one.packet.extra = traffic.size();
    traffic.push_back(one);
  }
  const Log log = runAll(specWith(script), traffic);
  std::vector<int> times(2000, 0);
  Picoseconds free;
  for (const Delivery& one : log.deliveries) {
    ++times.at(one.cookie);
    EXPECT_GE(one.time, free);
    free = one.time + bytesTime(one.length + 8);
  }
  for (std::uint64_t frame = 0; frame < 2000; ++frame) {
    const int expected = dropped.count(frame) != 0 ? 0 : doubled.count(frame) != 0 ? 2 : 1;
    EXPECT_EQ(times[frame], expected) << frame;
  }
  EXPECT_EQ(log.losses.size(), dropped.size());
}

// Hosts with a script whose frames nothing disturbs behave as if there were none, also at the
// smallest gaps a MAC may leave (5 bytes).
TEST_P(Impairments, UndisturbedFramesPassUntouched) {
  auto traffic = stream(200, bytesTime(kStreamLength + 8 + 5));
  const Log with = runAll(specWith({{ImpairmentKind::kDrop, 0, 1'000'000, {}}}), traffic);
  const Log without = runAll(specWith({}), traffic);
  EXPECT_EQ(with, without);
  EXPECT_EQ(with.deliveries.size(), 200U);
}

INSTANTIATE_TEST_SUITE_P(
    Fabrics, Impairments,
    ::testing::Values(ImpairmentCase{"BareLink", linkSpec(), Forwarding::kStoreAndForward},
                      ImpairmentCase{"StoreAndForward", switchSpec(2),
                                     Forwarding::kStoreAndForward},
                      ImpairmentCase{"CutThrough", switchSpec(2), Forwarding::kCutThrough},
                      ImpairmentCase{"Clos", closSpec(2, 2, 1), Forwarding::kStoreAndForward}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace plumbline::fabric::testing
