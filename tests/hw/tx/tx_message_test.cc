// Messages, queue pairs, PDCs and source ports: every byte of every frame.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "base/random.h"
#include "tests/hw/tx/tx_follower.h"
#include "wire/frame.h"

namespace plumbline::test {
namespace {

// A flow with its three slots; without messages only the first counts.
struct Stream {
  std::array<FlowConfig, 3> parts;

  FlowConfig& flow() { return parts[0]; }
};

// Header bytes of each part at random, what is particular to a part from the caller.
Stream makeStream(RandomStream& random, bool uet, bool ipv6, bool vlan,
                  std::array<std::uint32_t, 3> lengths) {
  Stream stream;
  for (std::uint32_t p = 0; p < 3; ++p) {
    FlowConfig& part = stream.parts.at(p);
    part.vlan = vlan;
    part.ipv6 = ipv6;
    part.uet = uet;
    part.roce = !uet;
    part.icrc = !uet;
    part.length = lengths.at(p);
    part.psn_en = part.qp_en = part.tag_en = true;
    part.tag_id = 0x1800;
    part.tag_off = part.udp() + 20 + (p == 0 ? 16 : 0);
    part.pay_off = part.tag_off + 18;
    for (auto& byte : part.bytes) byte = static_cast<std::uint8_t>(random.next());
  }
  PatternConfig& pattern = stream.flow().pattern;
  pattern.middle_length = lengths[1];
  pattern.last_length = lengths[2];
  return stream;
}

// Runs streams, stream s in slots 3s to 3s + 2, and compares every frame.
class Checker {
 public:
  Checker(std::vector<Stream> streams, std::vector<QpEntry> list)
      : streams_(std::move(streams)), list_(std::move(list)) {
    for (const Stream& stream : streams_) {
      for (const FlowConfig& part : stream.parts) flows_.push_back(part);
      ports_.emplace_back(stream.parts[0].pattern.port_seed, stream.parts[0].sport_count);
    }
  }

  void run(std::uint64_t frames) {
    std::vector<Entry> schedule;
    for (std::uint32_t s = 0; s < streams_.size(); ++s)
      schedule.push_back({dueAt(std::uint64_t{1000} * s), 3 * s});
    Follower follower(flows_, schedule);
    for (std::uint32_t i = 0; i < list_.size(); ++i) {
      follower.bench.writeRow(7, i, list_[i].row());
    }
    follower.bench.keep_bytes = true;
    follower.observe = [&](const SentFrame& frame, const Departure& want) { check(frame, want); };
    follower.start();
    follower.runFrames(frames);
    follower.bench.setRunning(false);
    follower.bench.clocks(200);
    // The counts can be read back.
    for (std::uint32_t i = 0; i < list_.size();
         i += 1 + static_cast<std::uint32_t>(list_.size()) / 50) {
      Row row{};
      follower.bench.readRow(7, i, row);
      EXPECT_EQ(getBits(row, 96, 48), count(list_[i].context)) << "entry " << i;
      EXPECT_EQ(getBits(row, 0, 32), list_[i].pair);
    }
  }

  [[nodiscard]] std::uint64_t count(std::uint32_t context) const {
    const auto found = sent.find(context);
    return found == sent.end() ? 0 : found->second;
  }

  std::map<std::uint32_t, std::uint64_t> sent;  // by context
  std::vector<std::uint32_t> order;             // contexts in the order of their frames
  std::vector<std::uint32_t> order_of_parts;
  std::map<std::uint32_t, std::uint64_t> ports;

 private:
  void check(const SentFrame& frame, const Departure& want) {
    const Stream& stream = streams_.at(want.flow / 3);
    const FlowConfig& flow = stream.parts[0];
    FrameFields fields;
    fields.tag_id = flow.tag_id;
    fields.sequence = want.number;
    FlowConfig part = flow;
    if (flow.pattern.list_count > 0) {
      const Turn turn = turnOf(flow.pattern, want.number);
      const QpEntry& entry = list_.at(turn.entry);
      part = stream.parts.at(turn.part);
      fields.qp = entry.pair;
      fields.pdc = flow.uet;
      fields.psn = static_cast<std::uint32_t>(entry.psn_base + sent[entry.context]);
      fields.sport_index = entry.context;  // in mode 1
      if (flow.pattern.count_per_qp) {
        fields.tag_id = (flow.tag_id + entry.context) & 0xFFFF;
        fields.sequence = sent[entry.context];
      }
      ++sent[entry.context];
      order.push_back(entry.context);
      order_of_parts.push_back(turn.part);
    } else {
      fields.qp = static_cast<std::uint32_t>(flow.qp_base + want.number % flow.qp_count);
      fields.psn = static_cast<std::uint32_t>(
          flow.psn_base + (flow.uet ? want.number : want.number / flow.qp_count));
    }
    if (flow.sport_mode == 2) {
      fields.sport_index = static_cast<std::uint32_t>(want.number % flow.sport_count);
    }
    if (flow.sport_mode == 3) {
      fields.sport_index = ports_.at(want.flow / 3).next();
      ++ports[fields.sport_index];
    }
    fields.addr_index = static_cast<std::uint32_t>(want.number % flow.addr_count);
    const wire::Buffer expected = makeFrame(part, fields, frame.departure);
    ASSERT_EQ(frame.bytes.size(), expected.size()) << "frame " << want.number;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(frame.bytes[i], expected[i])
          << "frame " << want.number << " of flow " << want.flow << ", byte " << i;
    }
    // What goes beside a frame is the flow's own, whatever the tag counts.
    EXPECT_EQ(frame.user.flow, want.flow);
    EXPECT_EQ(frame.user.number, want.number);
    EXPECT_EQ(frame.user.length, expected.size());
  }

  std::vector<Stream> streams_;
  std::vector<QpEntry> list_;
  std::vector<FlowConfig> flows_;
  std::vector<RandomPorts> ports_;
};

std::vector<QpEntry> randomList(RandomStream& random, std::uint32_t entries) {
  std::vector<QpEntry> list;
  for (std::uint32_t i = 0; i < entries; ++i) {
    list.push_back(
        {static_cast<std::uint32_t>(random.next()), i, static_cast<std::uint32_t>(random.next())});
  }
  return list;
}

// First, middle, last at back-to-back rate, turns by messages and by frames, every header format,
// 1 frame per message to 7.
TEST(TxMessages, EveryFormatAndOrder) {
  RandomStream random(1, "messages");
  for (std::uint32_t variant = 0; variant < 16; ++variant) {
    const bool uet = (variant & 8) != 0;
    Stream stream =
        makeStream(random, uet, (variant & 1) != 0, (variant & 2) != 0, {256, 200 + variant, 160});
    FlowConfig& flow = stream.flow();
    flow.period = slot(210) * kPsFraction;
    flow.sport_mode = 1;
    flow.pattern.interleave = (variant & 4) != 0;
    flow.pattern.count_per_qp = variant % 3 == 0;
    flow.pattern.list_base = 3;
    flow.pattern.list_count = 1 + variant % 5;
    flow.pattern.message_frames = variant % 8;  // 0 is as good as 1
    for (FlowConfig& part : stream.parts) part.sport_mode = 1;
    Checker checker({stream}, randomList(random, 10));
    checker.run(600);
    if (HasFailure()) {
      ADD_FAILURE() << "variant " << variant;
      return;
    }
    EXPECT_EQ(checker.sent.size(), flow.pattern.list_count);
  }
}

// Shares of 4 : 2 : 1 by how often a queue pair is in the list, messages kept whole.
TEST(TxMessages, WeightedQueuePairs) {
  RandomStream random(2, "weights");
  Stream stream = makeStream(random, false, false, false, {300, 280, 90});
  FlowConfig& flow = stream.flow();
  flow.period = slot(250) * kPsFraction;
  flow.pattern.list_count = 7;
  flow.pattern.message_frames = 3;
  flow.burst_len = 7 * 3 * 40;
  flow.burst_count = 1;
  std::vector<QpEntry> list;
  for (const std::uint32_t qp : {0U, 1U, 0U, 2U, 0U, 1U, 0U}) {
    list.push_back({0x500 + qp, 40 + qp, 0xFFFFF0 + qp});
  }
  Checker checker({stream}, list);
  checker.run(std::uint64_t{7} * 3 * 40);
  EXPECT_EQ(checker.sent,
            (std::map<std::uint32_t, std::uint64_t>{{40, 480}, {41, 240}, {42, 120}}));
  for (std::size_t i = 0; i < checker.order.size(); ++i) {
    ASSERT_EQ(checker.order[i], checker.order[i / 3 * 3]) << "a message on two queue pairs";
    ASSERT_EQ(checker.order_of_parts[i], i % 3);
  }
}

// 64-byte frames of one queue pair and of two, back to back: the count of the frame two clocks
// before counts.
TEST(TxMessages, CountsAtTheHighestRate) {
  for (const std::uint32_t pairs : {1U, 2U, 3U}) {
    RandomStream random(3, "rate");
    Stream stream = makeStream(random, true, false, false, {72, 72, 72});
    for (FlowConfig& part : stream.parts) {
      part.tag_off = 54;
      part.pay_off = 72;
      part.tag_en = false;
      part.length = 64;
    }
    FlowConfig& flow = stream.flow();
    flow.pattern.middle_length = flow.pattern.last_length = 64;
    flow.pattern.list_count = pairs;
    flow.period = slot(64) * kPsFraction;
    Checker checker({stream}, randomList(random, pairs));
    checker.run(5000);
  }
}

// Counts are read while frames leave every other clock: never more than what was decided, never
// less than what left, and no frame is disturbed.
TEST(TxMessages, CountsReadWhileRunning) {
  RandomStream random(6, "reads");
  Stream stream = makeStream(random, true, false, false, {64, 64, 64});
  FlowConfig& flow = stream.flow();
  flow.tag_en = false;
  flow.pay_off = 54;
  flow.period = slot(64) * kPsFraction;
  flow.pattern.list_count = 1;
  TxBench bench;
  const QpEntry entry{0x12345678, 9, 100};
  bench.writeRow(7, 0, entry.row());
  bench.loadFlow(0, flow);
  bench.loadSchedule({{0, 0}});
  bench.keep_bytes = true;
  bench.setStartTime(bench.now() + 500'000);
  bench.setRunning(true);
  bench.clocks(300);
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t left = bench.sent.size();
    Row row{};
    EXPECT_LE(bench.readRow(7, 0, row), 7U);
    EXPECT_GE(getBits(row, 96, 48), left);
    EXPECT_LE(getBits(row, 96, 48), bench.sent.size() + 20);
    if (i % 3 == 0) bench.clock();
  }
  for (std::size_t k = 0; k < bench.sent.size(); ++k) {
    ASSERT_EQ(wire::load32(bench.sent[k].bytes.data() + 34 + 12), 100 + k);
    ASSERT_EQ(wire::load32(bench.sent[k].bytes.data() + 34 + 16), entry.pair);
  }
}

// 4096 queue pairs, and several flows that share the list's memory.
TEST(TxMessages, ManyQueuePairsAndFlows) {
  RandomStream random(4, "many");
  std::vector<Stream> streams;
  const std::array<std::uint32_t, 4> bases{0, 1000, 1001, 3000};
  const std::array<std::uint32_t, 4> counts{1000, 1, 1999, 1096};
  for (std::uint32_t s = 0; s < 4; ++s) {
    Stream stream = makeStream(random, s == 2, s == 1, s == 3, {140 + s, 130, 127 + s});
    FlowConfig& flow = stream.flow();
    flow.period = 4 * slot(144) * kPsFraction;
    flow.pattern.list_base = bases.at(s);
    flow.pattern.list_count = counts.at(s);
    flow.pattern.message_frames = 1 + s;
    flow.pattern.interleave = s % 2 == 0;
    flow.pattern.count_per_qp = s != 1;
    streams.push_back(stream);
  }
  // And one without a list beside them.
  Stream plain = makeStream(random, false, false, false, {100, 100, 100});
  plain.flow().period = 50 * slot(144) * kPsFraction;
  plain.flow().qp_count = 77;
  streams.push_back(plain);
  Checker checker(streams, randomList(random, 4096));
  checker.run(40'000);
  EXPECT_EQ(checker.sent.size(), 4096U);
}

// Random source ports: the reference's, each about as often as any other.
TEST(TxMessages, RandomPorts) {
  RandomStream random(5, "ports");
  std::vector<Stream> streams;
  for (std::uint32_t s = 0; s < 3; ++s) {
    Stream stream = makeStream(random, s == 1, false, false, {128, 128, 128});
    FlowConfig& flow = stream.flow();
    flow.sport_mode = 3;
    flow.sport_base = 0xFFF0;
    flow.sport_count = s == 0 ? 16 : s == 1 ? 1 : 65536;
    flow.pattern.port_seed = 0x1234567 * (s + 1);
    flow.period = (s == 0 ? 1 : 40) * slot(128) * kPsFraction;
    streams.push_back(stream);
  }
  Checker checker({streams[0]}, {});
  checker.run(16'000);
  ASSERT_EQ(checker.ports.size(), 16U);
  double chi2 = 0;
  for (const auto& [port, frames] : checker.ports) {
    chi2 += std::pow(static_cast<double>(frames) - 1000, 2) / 1000;
  }
  EXPECT_LT(chi2, 30.6);  // 1 % of 15 degrees of freedom
  EXPECT_GT(chi2, 5.2);   // 99 %: no round robin
  Checker mixed(streams, {});
  mixed.run(3000);
}

}  // namespace
}  // namespace plumbline::test
