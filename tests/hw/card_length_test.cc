// Every length of frame through the whole card, 64 to 9216 bytes: built, sent, received and
// accounted, one behind the other in random order, each once.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/random.h"
#include "flow_reloader.h"
#include "joined_card.h"
#include "sim/wire.h"
#include "test_card.h"
#include "tests/hw/long_run.h"

namespace plumbline::hw_test {
namespace {

constexpr std::uint32_t kShortest = 64;
constexpr std::uint32_t kLongest = 9216;

// Every `step`th length, in an order that puts short ones beside long ones.
std::vector<std::uint32_t> lengths(std::uint32_t step) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t length = kShortest; length <= kLongest; length += step) all.push_back(length);
  RandomStream random(1, "lengths");
  for (std::size_t i = all.size() - 1; i > 0; --i) std::swap(all[i], all[random.below(i + 1)]);
  return all;
}

// One frame of each length, one behind the other; RoCE with its ICRC where it has room for a tag.
std::vector<card::FlowConfig> flowsOf(std::uint32_t port,
                                      const std::vector<std::uint32_t>& lengths) {
  const std::uint32_t shortest_roce = minimumTaggedLength(roceStream(port, kShortest));
  std::vector<card::FlowConfig> flows;
  Picoseconds due;
  for (std::uint32_t row = 0; row < lengths.size(); ++row) {
    const std::uint32_t length = lengths[row];
    flows.push_back(
        makeFlow(length < shortest_roce ? udpStream(port, length) : roceStream(port, length), row));
    setConstantRate(flows.back(), Fraction::one(), 1, due);
    due += frameSlot(Bytes(length), sim::kLineRate);
  }
  return flows;
}

// Sends `lengths` by turns from ports 0 and 1 to each other, as many at a time as a port has flows.
class LengthRun {
 public:
  LengthRun(const std::vector<std::uint32_t>& lengths, const sim::CardSimOptions& options)
      : card_(2, options) {
    card_.wire.observe = [this](const WireFrame& frame, const wire::DecodedFrame& decoded) {
      seen_[frame.port].push_back(frame);
      // Check sequences are looked at with every frame; behind the tag octets count up from 0.
      ASSERT_TRUE(decoded.tag.has_value());
      const wire::ByteView payload = decoded.payload.subspan(wire::TestTag::kSize);
      for (std::size_t i = 0; i < payload.size(); ++i) {
        ASSERT_EQ(payload[i], i & 0xFF) << frame.bytes->size() << " bytes, at " << i;
      }
    };
    send(lengths);
    for (const std::uint32_t port : {0U, 1U}) expectCounted(port);
  }

  TestCard& card() { return card_; }
  // How far any frame was from its place behind the others of its set, on a line without gaps.
  [[nodiscard]] Picoseconds farthest() const { return farthest_; }

 private:
  // What was sent to one row of a receiver.
  struct Row {
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;
  };

  void send(const std::vector<std::uint32_t>& lengths) {
    const std::uint32_t slots = card_.driver.info().flows;
    std::vector<FlowReloader> reloaders{{card_.sim, 0, slots}, {card_.sim, 1, slots}};
    for (std::size_t next = 0; next < lengths.size();) {
      std::array<std::vector<std::uint32_t>, 2> set;
      for (; next < lengths.size() && set[next % 2].size() < slots; ++next) {
        set[next % 2].push_back(lengths[next]);
      }
      card_.driver.stop();
      for (std::uint32_t port = 0; port < 2; ++port) {
        seen_[port].clear();
        reloaders[port].load(flowsOf(port, set[port]));
      }
      card_.start();
      card_.finish();
      for (std::uint32_t port = 0; port < 2; ++port) expectSeen(port, set[port]);
    }
  }

  // By the receiver of the bench: each length once, in order.
  void expectSeen(std::uint32_t port, const std::vector<std::uint32_t>& lengths) {
    const std::vector<WireFrame>& seen = seen_[port];
    ASSERT_EQ(seen.size(), lengths.size());
    sent_[port].resize(std::max(sent_[port].size(), lengths.size()));
    Picoseconds due = seen.front().first_bit;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      ASSERT_EQ(seen[i].bytes->size(), lengths[i]);
      ++sent_[port][i].frames;
      sent_[port][i].bytes += lengths[i];
      const Picoseconds off = seen[i].first_bit - due;
      farthest_ = std::max(farthest_, std::max(off, Picoseconds() - off));
      due += frameSlot(Bytes(lengths[i]), sim::kLineRate);
    }
  }

  // By the card, over all sets: numbers begin anew with each, so they tell nothing.
  void expectCounted(std::uint32_t port) {
    SCOPED_TRACE(testing::Message() << "from port " << port);
    const std::uint32_t other = TestWire::otherEnd(port);
    const std::vector<card::RxFlow> rows =
        card_.driver.rxFlows(other, 0, static_cast<std::uint32_t>(sent_[port].size()));
    Row all;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ASSERT_EQ(rows[i].frames, sent_[port][i].frames) << "row " << i;
      ASSERT_EQ(rows[i].bytes, sent_[port][i].bytes) << "row " << i;
      ASSERT_EQ(rows[i].bad_icrc, 0U) << "row " << i;
      all.frames += rows[i].frames;
      all.bytes += rows[i].bytes;
    }
    const card::PortCounters received = card_.driver.counters(other);
    EXPECT_EQ(received.rx_frames, all.frames);
    EXPECT_EQ(received.rx_bytes, all.bytes);
    EXPECT_EQ(received.rx_fcs_errors + received.rx_icrc_errors + received.rx_runts +
                  received.rx_giants + received.rx_untagged + received.rx_unparsed,
              0U);
    EXPECT_EQ(card_.sim.wireStats(port).underruns, 0U);
  }

  TestCard card_;
  std::array<std::vector<WireFrame>, 2> seen_;  // of the set in hand
  std::array<std::vector<Row>, 2> sent_;        // by port and row
  Picoseconds farthest_;
};

TEST(CardLengths, EachAtLineRate) {
  LengthRun run(lengths(1), {});
  // Frame behind frame, to the columns of the line and what a gap may be shorter.
  EXPECT_LE(run.farthest(), sim::kByteTime * (sim::kColumnBytes.count() + 7));
  run.card().expectNoFaults();
  for (std::uint32_t port = 0; port < 2; ++port) {
    EXPECT_FALSE(run.card().driver.faults(port).tx_late) << "port " << port;
  }
}

// MACs that hold less than a frame stop the card in the middle of it, at any beat. The long form
// takes every length.
TEST(CardLengths, EachThroughMacsThatStall) {
  for (const std::int64_t fifo_bytes : {200, 600, 2000}) {
    SCOPED_TRACE(testing::Message() << fifo_bytes << " bytes");
    LengthRun run(lengths(longRun() ? 1 : 13), {.mac_fifo_bytes = fifo_bytes});
    for (std::uint32_t port = 0; port < 2; ++port) {
      EXPECT_TRUE(run.card().driver.faults(port).tx_stall) << "port " << port;
    }
  }
}

}  // namespace
}  // namespace plumbline::hw_test
