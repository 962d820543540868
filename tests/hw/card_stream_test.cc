// RoCEv2 messages and UET packets at full load: headers as a receiver wants them, every queue pair
// and PDC counted by itself, the wire never idle.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include "sim/wire.h"
#include "test_card.h"
#include "wire/frame.h"

namespace plumbline::hw_test {
namespace {

// What all frames of a port looked like.
struct Seen {
  std::vector<Picoseconds> first_bits;
  std::map<std::uint32_t, std::vector<std::uint32_t>> psns;    // by queue pair or PDC
  std::map<std::uint32_t, std::vector<std::uint8_t>> opcodes;  // RoCE, by queue pair
  std::set<std::uint16_t> source_ports;
};

// Full load on all ports; every frame decodes, its check sequences are right (TestWire), and the
// wire carries frame behind frame. Prints what of the line rate each port has sent, and what of it
// has been received and found good at the other end.
template <std::size_t Ports>
void fullLoad(TestCard& card, const std::array<card::FlowConfig, Ports>& configs,
              std::uint32_t frames, std::array<Seen, Ports>& seen) {
  card.wire.observe = [&](const WireFrame& frame, const wire::DecodedFrame& decoded) {
    Seen& port = seen[frame.port];
    port.first_bits.push_back(frame.first_bit);
    ASSERT_TRUE(decoded.udp.has_value());
    port.source_ports.insert(decoded.udp->source_port);
    if (const wire::RoceLayer* roce = decoded.roce()) {
      port.psns[roce->bth.dest_qp].push_back(roce->bth.psn);
      port.opcodes[roce->bth.dest_qp].push_back(roce->bth.opcode);
    } else {
      ASSERT_NE(decoded.uet(), nullptr);
      const auto& request = std::get<wire::PdsRequest>(decoded.uet()->pds);
      port.psns[static_cast<std::uint32_t>(request.spdcid) << 16 | request.target.dpdcid].push_back(
          request.psn);
    }
  };
  for (std::uint32_t port = 0; port < Ports; ++port) {
    card::FlowConfig flow = configs.at(port);
    flow.period = card::framePeriod(Bytes(flow.length), sim::kLineRate, Fraction::one());
    flow.burst_frames = frames;
    card.driver.loadFlows(port, std::vector{flow});
  }
  card.start();
  card.finish(microseconds(5));
  card.expectNoFaults();
  for (std::uint32_t port = 0; port < Ports; ++port) {
    SCOPED_TRACE(testing::Message() << "port " << port);
    const std::uint32_t other = TestWire::otherEnd(port);
    const card::FlowConfig& flow = configs.at(port);
    const std::vector<Picoseconds>& times = seen[port].first_bits;
    EXPECT_EQ(times.size(), frames);
    // Achieved / theoretical, to the columns of the line that idle bytes come in.
    const Picoseconds ideal = frameSlot(Bytes(flow.length), sim::kLineRate) * (frames - 1);
    const Picoseconds taken = times.back() - times.front();
    EXPECT_LE(std::abs((taken - ideal).count()), 7 * 80 + 640);
    const card::PortCounters counters = card.driver.counters(port);
    const card::PortCounters far = card.driver.counters(other);
    const double sent_share =
        static_cast<double>(ideal.count()) / static_cast<double>(taken.count());
    const double received_share = sent_share *
                                  static_cast<double>(far.rx_frames - far.rx_fcs_errors) /
                                  static_cast<double>(counters.tx_frames);
    std::printf("%4u bytes %s, port %u of %zu: sent %.4f %%, received %.4f %% of line rate\n",
                flow.length, flow.uet ? "UET (has no ICRC)" : "RoCE with ICRC   ", port, Ports,
                100 * sent_share, 100 * received_share);
    EXPECT_EQ(flow.icrc, !flow.uet);
    EXPECT_GE(sent_share, 0.9999);
    EXPECT_GE(received_share, 0.9999);
    EXPECT_EQ(counters.tx_late, 0U);
    EXPECT_EQ(counters.tx_stall_clocks, 0U);
    EXPECT_EQ(counters.rx_frames, frames);
    EXPECT_EQ(counters.rx_fcs_errors, 0U);
    EXPECT_EQ(counters.rx_icrc_errors, 0U);
    EXPECT_EQ(counters.rx_unparsed, 0U);
    EXPECT_EQ(counters.rx_untagged, configs.at(other).tagged ? 0U : frames);
    // PSNs of each queue pair and PDC are consecutive from its own first one.
    const std::uint32_t mask = flow.uet ? 0xFFFFFFFF : 0xFFFFFF;
    for (const card::QueuePair& pair : flow.queue_pairs->pairs) {
      const std::vector<std::uint32_t>& psns = seen[port].psns[pair.number];
      for (std::size_t i = 0; i < psns.size(); ++i) {
        ASSERT_EQ(psns[i], (pair.first_psn + i) & mask) << "queue pair " << pair.number;
      }
    }
    EXPECT_EQ(seen[port].psns.size(), flow.queue_pairs->pairs.size());
    // The receiver has a row for each, and nothing is missing in any.
    const std::vector<std::uint64_t> sent = card.driver.queuePairsSent(port, 0);
    std::uint64_t all = 0;
    for (std::uint32_t i = 0; i < sent.size(); ++i) {
      EXPECT_EQ(sent[i], seen[port].psns[flow.queue_pairs->pairs[i].number].size());
      all += sent[i];
      if (!flow.queue_pairs->row_per_pair) continue;
      const card::RxFlow row = card.driver.rxFlow(other, flow.row + i);
      ASSERT_EQ(row.frames, sent[i]) << "queue pair " << i;
      ASSERT_EQ(row.next_sequence, sent[i]);
      ASSERT_EQ(row.lost + row.duplicate + row.out_of_order + row.stale, 0U);
    }
    EXPECT_EQ(all, frames);
  }
}

// In both directions of every link, on all ports at once: RoCE against UET, each way round. RoCE
// has its ICRC, made and checked by the card and checked again on the wire; UET over UDP has none.
TEST(CardStreams, RoceAndUetAtLineRate) {
  for (const std::uint32_t length : {64U, 65U, 128U, 1024U, 4096U}) {
    for (const bool swapped : {false, true}) {
      SCOPED_TRACE(testing::Message() << length << " bytes");
      TestCard card(4);
      std::array<Seen, 4> seen;
      std::array<card::FlowConfig, 4> flows;
      for (std::uint32_t port = 0; port < flows.size(); ++port) {
        const bool roce = (port == 0 || port == 3) != swapped;
        flows.at(port) = roce ? roceFlow(port, length) : uetFlow(port, length, 16);
      }
      fullLoad(card, flows, length > 1000 ? 1000 : 6000, seen);
    }
  }
}

TEST(CardStreams, WriteMessagesAreWhole) {
  TestCard card(2);
  card::FlowConfig by_message = writeFlow(0, 256, 5, 7);
  card::FlowConfig by_frame = writeFlow(1, 256, 5, 7);
  by_frame.queue_pairs->by_frame = true;
  by_frame.row = 100;
  std::array<Seen, 2> seen;
  fullLoad(card, {by_message, by_frame}, 5 * 7 * 20, seen);
  for (const Seen& port : seen) {
    for (const auto& [pair, opcodes] : port.opcodes) {
      ASSERT_EQ(opcodes.size(), 7U * 20);
      for (std::size_t i = 0; i < opcodes.size(); ++i) {
        const std::uint8_t expected = i % 7 == 0   ? wire::roce_opcode::kRcWriteFirst
                                      : i % 7 == 6 ? kRcWriteLast
                                                   : kRcWriteMiddle;
        ASSERT_EQ(opcodes[i], expected) << "queue pair " << pair << " frame " << i;
      }
    }
  }
}

// As many queue pairs as a port has, each with a row of its own at the receiver.
TEST(CardStreams, ThousandsOfQueuePairs) {
  TestCard card(2);
  std::array<card::FlowConfig, 2> flows{writeFlow(0, 128, 4096, 1), uetFlow(1, 128, 512)};
  for (std::uint32_t port = 0; port < 2; ++port) {
    flows.at(port).wide_row = true;
    card::RxTracking tracking;
    tracking.wide_rows = true;
    card.driver.setRxTracking(port, tracking);
  }
  std::array<Seen, 2> seen;
  fullLoad(card, flows, 3 * 4096, seen);
}

// All queue pairs of a port with 1 to 16 turns each: a flow for each weight, whose rate is the
// share of its queue pairs together. At line rate, and each queue pair has its share at any moment.
TEST(CardStreams, ThousandsOfQueuePairsOfUnequalWeights) {
  constexpr std::uint32_t kWeights = 16;
  constexpr std::uint32_t kPairs = card::kQueuePairEntries / kWeights;  // of each weight
  constexpr std::uint32_t kRound = kWeights * (kWeights + 1) / 2;       // turns of one of each
  constexpr std::size_t kTurns = std::size_t{kPairs} * kRound;          // ... of all
  constexpr std::uint32_t kRounds = 2;
  TestCard card(2);
  card::RxTracking tracking;
  tracking.wide_rows = true;
  card.driver.setRxTracking(1, tracking);
  std::vector<card::FlowConfig> flows;
  for (std::uint32_t weight = 1; weight <= kWeights; ++weight) {
    card::FlowConfig flow = writeFlow(0, 128, kPairs, 1);
    flow.wide_row = true;
    flow.row = (weight - 1) * kPairs;
    for (std::uint32_t i = 0; i < kPairs; ++i) {
      flow.queue_pairs->pairs[i].number = weight << 16 | i;
    }
    setConstantRate(flow, Fraction::partsPerTrillion(weight * Fraction::kOne / kRound),
                    kRounds * kPairs * weight);
    flows.push_back(std::move(flow));
  }
  card.driver.loadFlows(0, flows);
  std::map<std::uint32_t, std::vector<std::uint32_t>> psns;  // by queue pair
  std::vector<Picoseconds> times;
  std::int64_t farthest = 0;  // from the share of the weight, in turns
  card.wire.observe = [&](const WireFrame& frame, const wire::DecodedFrame& decoded) {
    times.push_back(frame.first_bit);
    ASSERT_NE(decoded.roce(), nullptr);
    psns[decoded.roce()->bth.dest_qp].push_back(decoded.roce()->bth.psn);
    if (times.size() % (kTurns / 8) != 0) return;  // eighths of a round
    for (std::uint32_t pair = 0; pair < kWeights * kPairs; ++pair) {
      const std::uint32_t weight = pair / kPairs + 1;
      const auto found = psns.find(weight << 16 | pair % kPairs);
      const std::size_t turns = found == psns.end() ? 0 : found->second.size();
      const std::size_t due = times.size() * weight / kTurns;
      farthest = std::max(
          farthest, std::abs(static_cast<std::int64_t>(turns) - static_cast<std::int64_t>(due)));
    }
  };
  card.start();
  card.finish();
  card.expectNoFaults();
  constexpr std::size_t kFrames = kRounds * kTurns;
  ASSERT_EQ(times.size(), kFrames);
  const Picoseconds ideal =
      frameSlot(Bytes(128), sim::kLineRate) * static_cast<std::int64_t>(kFrames - 1);
  EXPECT_GE(static_cast<double>(ideal.count()) /
                static_cast<double>((times.back() - times.front()).count()),
            0.9999);
  EXPECT_LE(farthest, 1);
  ASSERT_EQ(psns.size(), kWeights * kPairs);
  const std::vector<card::RxFlow> rows = card.driver.rxFlows(1, 0, kWeights * kPairs);
  for (std::uint32_t pair = 0; pair < kWeights * kPairs; ++pair) {
    const std::uint32_t weight = pair / kPairs + 1;
    const std::vector<std::uint32_t>& seen = psns.at(weight << 16 | pair % kPairs);
    ASSERT_EQ(seen.size(), kRounds * weight);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      ASSERT_EQ(seen[i], (0xFFFF00 + pair % kPairs + i) & 0xFFFFFF);
    }
    ASSERT_EQ(rows[pair].frames, seen.size()) << "row " << pair;
    ASSERT_EQ(rows[pair].next_sequence, seen.size());
    ASSERT_EQ(rows[pair].lost + rows[pair].duplicate + rows[pair].out_of_order, 0U);
  }
}

// Entropy per packet, per PDC, and in turn.
TEST(CardStreams, Entropy) {
  for (const card::SourcePortMode mode :
       {card::SourcePortMode::kRandom, card::SourcePortMode::kFollowsQp,
        card::SourcePortMode::kPerFrame}) {
    TestCard card(2);
    std::array<card::FlowConfig, 2> flows{uetFlow(0, 256, 8), uetFlow(1, 256, 8)};
    for (card::FlowConfig& flow : flows) {
      flow.source_port_mode = mode;
      flow.source_port_base = 0xFFFC;
      flow.source_port_count = 32;
      flow.source_port_seed = 5;
    }
    std::array<Seen, 2> seen;
    fullLoad(card, flows, 2000, seen);
    for (const Seen& port : seen) {
      EXPECT_EQ(port.source_ports.size(), mode == card::SourcePortMode::kFollowsQp ? 8U : 32U);
      EXPECT_TRUE(port.source_ports.contains(0xFFFC));
      EXPECT_TRUE(port.source_ports.contains(0x0003)) << "ports wrap";
      EXPECT_EQ(port.source_ports.contains(0x0004), mode != card::SourcePortMode::kFollowsQp);
    }
  }
}

}  // namespace
}  // namespace plumbline::hw_test
