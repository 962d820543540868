// Loss accounting against a scripted wire: what it drops, duplicates, holds back, marks and damages
// must be what the card's counters say, exactly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/random.h"
#include "test_card.h"
#include "wire/crc.h"

namespace plumbline::hw_test {
namespace {

constexpr std::uint32_t kScriptedFrames = 20'000;
constexpr std::uint64_t kWindow = 128;  // sequence numbers that the receiver remembers

// What the script did to the frames of one flow.
struct Script {
  std::uint64_t dropped = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t held_back = 0;  // arrived after later ones, within the window
  std::uint64_t very_late = 0;  // arrived behind the window
  std::uint64_t marked = 0;     // CE
  std::uint64_t bad_icrc = 0;
  std::uint64_t bad_fcs = 0;  // as good as dropped for the flow
};

sim::FrameBytes changed(const sim::FrameBytes& frame, std::size_t at, std::uint8_t flip,
                        bool repair_fcs) {
  std::vector<std::uint8_t> bytes = *frame;
  bytes[at] ^= flip;
  if (repair_fcs) {
    bytes.resize(bytes.size() - wire::kFcsSize);
    wire::appendFcs(bytes);
  }
  return std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
}

// Applies one action at most to each frame, by chance, and keeps count.
class ScriptedWire {
 public:
  ScriptedWire(TestWire& wire, std::uint64_t seed) : wire_(wire), random_(seed, "card_loss_test") {}

  void operator()(const WireFrame& frame) {
    const wire::DecodedFrame decoded = wire::decodeFrame(*frame.bytes);
    ASSERT_TRUE(decoded.tag.has_value());
    const std::uint32_t row = decoded.tag->row();
    const std::uint64_t sequence = decoded.tag->sequence;
    Script& script = scripts[row];
    // The first frame and those at the end pass: losses before the first and behind the last
    // arrival are not for the receiver to see, and what is held must come before the end.
    const bool passes = sequence == 0 || sequence + 2 * kWindow + 20 > kScriptedFrames;
    const std::uint64_t dice = passes ? 1000 : random_.below(200);
    if (dice < 4) {
      ++script.dropped;
    } else if (dice < 8) {
      ++script.duplicated;
      send(frame, frame.bytes);
      sendGood(frame, frame.bytes, row, sequence);
    } else if (dice < 12) {
      // Behind the frame 1 to 100 later: still within the window.
      ++script.held_back;
      held_[row].emplace(sequence + 1 + random_.below(100), frame);
    } else if (dice < 13) {
      ++script.very_late;
      held_[row].emplace(sequence + kWindow + random_.below(100), frame);
    } else if (dice < 20) {
      ++script.marked;
      sendGood(frame, mark(frame, decoded), row, sequence);
    } else if (dice < 23 && decoded.icrc) {
      ++script.bad_icrc;
      sendGood(frame, changed(frame.bytes, decoded.bytes.size() - 5, 0x10, true), row, sequence);
    } else if (dice < 26) {
      ++script.bad_fcs;
      const std::size_t at = random_.below(frame.bytes->size());
      const auto flip = static_cast<std::uint8_t>(1U << random_.below(8));
      send(frame, changed(frame.bytes, at, flip, false));
    } else {
      sendGood(frame, frame.bytes, row, sequence);
    }
    // Held frames follow the one that takes the receiver to their sequence number.
    auto& held = held_[row];
    while (!held.empty() && held.begin()->first <= highest_[row]) {
      send(frame, held.begin()->second.bytes);
      held.erase(held.begin());
    }
  }

  [[nodiscard]] bool holdsNothing() const {
    return std::all_of(held_.begin(), held_.end(),
                       [](const auto& held) { return held.second.empty(); });
  }

  std::map<std::uint32_t, Script> scripts;  // by row

 private:
  // As send(); the receiver will have seen this sequence number.
  void sendGood(const WireFrame& now, const sim::FrameBytes& bytes, std::uint32_t row,
                std::uint64_t sequence) {
    highest_[row] = std::max(highest_[row], sequence);
    send(now, bytes);
  }

  // In the place of the frame that the card has just sent.
  void send(const WireFrame& now, const sim::FrameBytes& bytes) {
    wire_.put(TestWire::otherEnd(now.port), bytes, now.first_bit + wire_.delay());
  }

  // Sets ECN = CE as a switch does: new IP header checksum, new FCS.
  static sim::FrameBytes mark(const WireFrame& frame, const wire::DecodedFrame& decoded) {
    std::vector<std::uint8_t> bytes = *frame.bytes;
    std::uint8_t* header = bytes.data() + decoded.offsets.network;
    header[1] |= 3;
    wire::store16(header + 10, wire::ipv4Checksum(wire::FixedView<wire::Ipv4Header::kSize>(
                                   header, wire::Ipv4Header::kSize)));
    bytes.resize(bytes.size() - wire::kFcsSize);
    wire::appendFcs(bytes);
    return std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
  }

  TestWire& wire_;
  RandomStream random_;
  std::map<std::uint32_t, std::uint64_t> highest_;  // by row
  // By row: frames to be sent once the receiver has seen the given sequence number.
  std::map<std::uint32_t, std::multimap<std::uint64_t, WireFrame>> held_;
};

TEST(CardLoss, EveryCounterEqualsTheScript) {
  TestCard card(2);
  ScriptedWire script(card.wire, 7);
  card.wire.forward = std::ref(script);
  // Rows 0, 2 from port 0 and 1, 3 from port 1; 40 % load leaves room for duplicates.
  for (std::uint32_t port = 0; port < 2; ++port) {
    std::vector<card::FlowConfig> flows{makeFlow(udpStream(port, 64), port),
                                        makeFlow(roceStream(port, 128), port + 2)};
    for (card::FlowConfig& flow : flows) {
      setConstantRate(flow, Fraction::percent(20), kScriptedFrames);
    }
    card.driver.loadFlows(port, flows);
  }
  card.start();
  card.finish(microseconds(20));
  card.expectNoFaults();
  ASSERT_TRUE(script.holdsNothing());
  ASSERT_EQ(script.scripts.size(), 4U);

  for (std::uint32_t port = 0; port < 2; ++port) {
    const std::uint32_t other = TestWire::otherEnd(port);
    std::uint64_t bad_fcs = 0;
    std::uint64_t bad_icrc = 0;
    for (const std::uint32_t row : {port, port + 2}) {
      SCOPED_TRACE(testing::Message() << "row " << row);
      const Script& done = script.scripts[row];
      const card::RxFlow counted = card.driver.rxFlow(other, row);
      EXPECT_GT(done.dropped, 100U);
      EXPECT_GT(done.very_late, 10U);
      EXPECT_EQ(counted.next_sequence, kScriptedFrames);
      EXPECT_EQ(counted.frames, kScriptedFrames - done.dropped - done.bad_fcs + done.duplicated);
      EXPECT_EQ(counted.bytes, counted.frames * (row < 2 ? 64 : 128));
      // Very late frames cannot be told from duplicates: they stay lost and count as stale.
      EXPECT_EQ(counted.lost, done.dropped + done.bad_fcs + done.very_late);
      EXPECT_EQ(counted.duplicate, done.duplicated);
      EXPECT_EQ(counted.out_of_order, done.held_back);
      EXPECT_EQ(counted.stale, done.very_late);
      EXPECT_EQ(counted.ce, done.marked);
      EXPECT_EQ(counted.bad_icrc, done.bad_icrc);
      bad_fcs += done.bad_fcs;
      bad_icrc += done.bad_icrc;
    }
    const card::PortCounters counters = card.driver.counters(other);
    EXPECT_EQ(counters.rx_fcs_errors, bad_fcs);
    EXPECT_EQ(counters.rx_icrc_errors, bad_icrc);
    EXPECT_EQ(counters.rx_untagged, 0U);
    EXPECT_EQ(counters.rx_unparsed, 0U);
    EXPECT_EQ(counters.rx_bad_row, 0U);
    // Each frame that is no duplicate has a latency.
    std::uint64_t expected = 0;
    for (const std::uint32_t row : {port, port + 2}) {
      const Script& done = script.scripts[row];
      expected += kScriptedFrames - done.dropped - done.bad_fcs;
    }
    EXPECT_EQ(card.driver.latency(other, 0).count() + counters.rx_latency_negative, expected);
    EXPECT_EQ(counters.rx_latency_negative, 0U);
  }
}

// Frames that do not belong to any flow are told apart and counted where they belong.
TEST(CardLoss, StrangeFramesAreCountedApart) {
  TestCard card(2);
  const auto make = [](std::size_t length) {
    std::vector<std::uint8_t> bytes(length - wire::kFcsSize, 0);
    bytes[12] = 0x88;  // an EtherType that the parser does not know
    bytes[13] = 0xB5;
    wire::appendFcs(bytes);
    return std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
  };
  // A frame of ours without its tag.
  const wire::StreamTemplate stream = makeStreamTemplate(udpStream(1, 64));
  std::vector<std::uint8_t> untagged(stream.bytes.begin(), stream.bytes.begin() + 60);
  wire::appendFcs(untagged);
  const auto untagged_frame = std::make_shared<const std::vector<std::uint8_t>>(untagged);

  const Picoseconds now = card.sim.now();
  for (int i = 0; i < 3; ++i) card.wire.put(0, make(1000), now);
  for (int i = 0; i < 4; ++i) card.wire.put(0, make(63), now);
  for (int i = 0; i < 2; ++i) card.wire.put(0, make(40), now);
  for (int i = 0; i < 5; ++i) card.wire.put(0, make(9217), now);
  for (int i = 0; i < 7; ++i) card.wire.put(0, untagged_frame, now);
  for (int i = 0; i < 8; ++i) card.wire.put(0, changed(make(64), 20, 1, false), now);
  card.sim.wait(microseconds(20));
  const card::PortCounters counters = card.driver.counters(0);
  EXPECT_EQ(counters.rx_unparsed, 3U);
  EXPECT_EQ(counters.rx_runts, 6U);
  EXPECT_EQ(counters.rx_giants, 5U);
  EXPECT_EQ(counters.rx_untagged, 7U);
  EXPECT_EQ(counters.rx_fcs_errors, 8U);
  EXPECT_EQ(card.driver.counters(1).rx_frames, 0U);
}

}  // namespace
}  // namespace plumbline::hw_test
