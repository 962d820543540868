// Messages over a network without loss.
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "tests/transport/roce_hosts.h"

namespace plumbline::transport_test {
namespace {

using transport::AckKind;
using transport::DataInfo;
using transport::Message;
using transport::RoceService;
using transport::RoceSpec;
using transport::Verb;

constexpr std::uint64_t kDefaultMtu = 4096;

// Frame bytes over IPv4 without VLAN, written from the header sizes.
std::int64_t requestFrame(Verb verb, bool first, bool last, std::int64_t payload) {
  std::int64_t bytes = 14 + 20 + 8 + 12 + (payload + 3) / 4 * 4 + 4 + 4;
  if (verb != Verb::kSend && first) bytes += 16;
  if (verb == Verb::kWriteImmediate && last) bytes += 4;
  return std::max<std::int64_t>(64, bytes);
}

struct Shape {
  Verb verb;
  RoceService service;
  std::uint32_t mtu;
};

class RoceShapes : public testing::TestWithParam<Shape> {};

// Every size around the boundaries: departure of each frame, and arrival of the message.
TEST_P(RoceShapes, SegmentsAndTimes) {
  const auto [verb, service, mtu] = GetParam();
  const bool reliable = service == RoceService::kRc;
  const std::int64_t m = mtu;
  for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{2}, m - 1, m, m + 1, 2 * m - 1,
                                   2 * m, 2 * m + 1, 7 * m + 3}) {
    SCOPED_TRACE(bytes);
    RoceSpec spec;
    spec.service = service;
    spec.path_mtu = mtu;
    spec.first_psn = 77;
    RoceHosts hosts(spec);
    const auto size = static_cast<std::uint64_t>(bytes);
    const Picoseconds start = nanoseconds(10);
    hosts.applications[0].postAt(start,
                                 {.to = 1, .flow = 9, .verb = verb, .bytes = size, .tag = 4711});
    hosts.network->run();

    const std::vector<Sent> data = hosts.network->sent(RoceHosts::isData);
    const std::int64_t packets = (bytes + m - 1) / m;
    ASSERT_EQ(static_cast<std::int64_t>(data.size()), packets);
    std::int64_t leaves = start.count();
    std::int64_t last_bit = 0;
    for (std::int64_t i = 0; i < packets; ++i) {
      const fabric::Packet& packet = data[static_cast<std::size_t>(i)].packet;
      const bool first = i == 0;
      const bool last = i == packets - 1;
      const std::int64_t payload = last ? bytes - m * i : m;
      const std::int64_t frame = requestFrame(verb, first, last, payload);
      EXPECT_EQ(data[static_cast<std::size_t>(i)].time.count(), leaves);
      EXPECT_EQ(packet.length, frame);
      EXPECT_EQ(packet.psn, 77 + i);
      EXPECT_EQ(packet.source, 0);
      EXPECT_EQ(packet.destination, 1);
      EXPECT_EQ(packet.connection, 0U << 8 | 9U);
      EXPECT_EQ(packet.priority, 3);
      EXPECT_TRUE(packet.ect);
      EXPECT_EQ(transport::meaningOf(RoceHosts::code(packet)).first, first);
      EXPECT_EQ(transport::meaningOf(RoceHosts::code(packet)).last, last);
      EXPECT_EQ(transport::meaningOf(RoceHosts::code(packet)).uc, !reliable);
      EXPECT_EQ(DataInfo::unpack(packet.extra).payload, payload);
      EXPECT_EQ(DataInfo::unpack(packet.extra).ack_request, reliable && last);
      EXPECT_EQ(packet.flow_hash, data[0].packet.flow_hash);
      last_bit = leaves + kDelay.count() + frame * kByte;
      leaves += (frame + 20) * kByte;
    }

    const auto& arrivals = hosts.applications[1].arrivals;
    ASSERT_EQ(arrivals.size(), 1U);
    EXPECT_EQ(arrivals[0].time.count(), last_bit);
    EXPECT_EQ(arrivals[0].event.from, 0U);
    EXPECT_EQ(arrivals[0].event.flow, 9U);
    EXPECT_EQ(arrivals[0].event.verb, verb);
    EXPECT_EQ(arrivals[0].event.bytes, size);
    EXPECT_EQ(arrivals[0].event.tag, 4711U);
    const auto& completions = hosts.applications[0].completions;
    ASSERT_EQ(completions.size(), 1U);
    // RC: the ACK leaves at once and lasts 66 bytes; UC: when the last frame began to leave.
    EXPECT_EQ(completions[0].time.count(),
              reliable ? last_bit + kDelay.count() + 66 * kByte : data.back().time.count());
    EXPECT_EQ(completions[0].event.to, 1U);
    EXPECT_EQ(completions[0].event.bytes, size);
    EXPECT_EQ(completions[0].event.tag, 4711U);
    EXPECT_EQ(completions[0].event.posted, start);
    EXPECT_FALSE(completions[0].event.failed);
    EXPECT_EQ(hosts.roce[0]->stats().control_sent, 0U);
    EXPECT_EQ(hosts.roce[1]->stats().control_sent, reliable ? 1U : 0U);
    EXPECT_EQ(hosts.roce[1]->stats().payload_received, size);
    EXPECT_EQ(hosts.roce[0]->stats().retransmitted, 0U);
    EXPECT_EQ(hosts.roce[0]->stats().timeouts, 0U);
    EXPECT_EQ(hosts.roce[0]->openMessages(), 0U);
    EXPECT_EQ(hosts.nics[0]->wakeAt(), fabric::kNever);
  }
}

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const Verb verb : {Verb::kWrite, Verb::kWriteImmediate, Verb::kSend}) {
    for (const RoceService service : {RoceService::kRc, RoceService::kUc}) {
      for (const std::uint32_t mtu : {256U, 1024U, 4096U}) all.push_back({verb, service, mtu});
    }
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, RoceShapes, testing::ValuesIn(shapes()));

TEST(RoceMessage, QpKeepsOrderAndPsnsRunOn) {
  RoceHosts hosts(RoceSpec{});
  hosts.applications[0].postAt(Picoseconds{0}, write(5000, 0, 1));
  hosts.applications[0].postAt(Picoseconds{0}, write(1, 0, 2));
  hosts.applications[0].postAt(microseconds(100), write(9000, 0, 3));
  hosts.network->run();
  const auto data = hosts.network->sent(RoceHosts::isData);
  ASSERT_EQ(data.size(), 2U + 1U + 3U);
  for (std::uint32_t i = 0; i < data.size(); ++i) EXPECT_EQ(data[i].packet.psn, i);
  ASSERT_EQ(hosts.applications[0].completions.size(), 3U);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(hosts.applications[1].arrivals[i].event.tag, i + 1);
    EXPECT_EQ(hosts.applications[0].completions[i].event.tag, i + 1);
  }
}

TEST(RoceMessage, ReadyQpsTakeTurnsFrameByFrame) {
  RoceHosts hosts(RoceSpec{});
  for (std::uint32_t flow = 0; flow < 3; ++flow) {
    hosts.applications[0].postAt(Picoseconds{0}, write(4 * kDefaultMtu, flow));
  }
  hosts.network->run();
  const auto data = hosts.network->sent(RoceHosts::isData);
  ASSERT_EQ(data.size(), 12U);
  for (std::uint32_t i = 0; i < 12; ++i) {
    EXPECT_EQ(data[i].packet.connection & 0xFFU, i % 3);
    EXPECT_EQ(data[i].packet.psn, i / 3);
  }
}

// An ACK for every n-th packet of the QP, the last of a message, and one that closes the window.
TEST(RoceMessage, AcksAreCoalesced) {
  struct Expectation {
    std::uint32_t every;
    std::uint32_t window;
    std::uint64_t acks;
  };
  // 100 packets: 6 times 16 and the last; the last; 10 windows; every 7th (14) and the last; all.
  for (const auto& [every, window, acks] : std::vector<Expectation>{
           {16, 0, 7}, {0, 0, 1}, {0, 10, 10}, {7, 0, 15}, {1, 0, 100}, {100, 0, 1}}) {
    SCOPED_TRACE(testing::Message() << every << " " << window);
    RoceSpec spec;
    spec.ack_every = every;
    spec.window_packets = window;
    RoceHosts hosts(spec);
    hosts.applications[0].postAt(Picoseconds{0}, write(100 * kDefaultMtu));
    hosts.network->run();
    EXPECT_EQ(hosts.network->sent(RoceHosts::isAck).size(), acks);
    EXPECT_EQ(hosts.network->sent(RoceHosts::isData).size(), 100U);
    EXPECT_EQ(hosts.applications[0].completions.size(), 1U);
    EXPECT_EQ(hosts.roce[0]->stats().timeouts, 0U);
  }
}

// One packet at a time: each leaves when the ACK of the previous one has arrived.
TEST(RoceMessage, WindowOfOneIsStopAndWait) {
  RoceSpec spec;
  spec.window_packets = 1;
  spec.path_mtu = 1024;
  RoceHosts hosts(spec);
  hosts.applications[0].postAt(Picoseconds{0}, write(3072));
  hosts.network->run();
  const auto data = hosts.network->sent(RoceHosts::isData);
  ASSERT_EQ(data.size(), 3U);
  const std::int64_t back = 2 * kDelay.count() + 66 * kByte;
  EXPECT_EQ(data[1].time.count(), (1024 + 78) * kByte + back);
  EXPECT_EQ(data[2].time.count(), (2 * 1024 + 78 + 62) * kByte + 2 * back);
}

TEST(RoceMessage, LatencyIsFirstBitToFirstBit) {
  RoceSpec spec;
  spec.path_mtu = 1024;
  RoceHosts hosts(spec);
  hosts.applications[0].postAt(Picoseconds{0}, write(10'000));
  hosts.network->run();
  const stats::Histogram& latency = hosts.roce[1]->stats().latency;
  EXPECT_EQ(latency.count(), 10U);
  EXPECT_EQ(latency.minimum(), static_cast<std::uint64_t>(kDelay.count()));
  EXPECT_EQ(latency.maximum(), static_cast<std::uint64_t>(kDelay.count()));
}

TEST(RoceMessage, SetUpDelaysOnlyTheFirst) {
  RoceSpec spec;
  spec.setup_time = microseconds(30);
  RoceHosts hosts(spec);
  hosts.applications[0].postAt(microseconds(5), write(100, 0));
  hosts.applications[0].postAt(microseconds(100), write(100, 0));
  hosts.applications[0].postAt(microseconds(200), write(100, 1));
  hosts.network->run();
  const auto data = hosts.network->sent(RoceHosts::isData);
  ASSERT_EQ(data.size(), 3U);
  EXPECT_EQ(data[0].time, microseconds(35));
  EXPECT_EQ(data[1].time, microseconds(100));
  EXPECT_EQ(data[2].time, microseconds(230));
}

TEST(RoceMessage, PausedPriorityWaits) {
  RoceSpec spec;
  spec.ack_priority = 5;
  RoceHosts hosts(spec);
  hosts.applications[0].postAt(microseconds(1), write(2 * kDefaultMtu));
  hosts.network->pause(Picoseconds{0}, 0, 1U << 3);
  hosts.network->pause(Picoseconds{0}, 1, 1U << 3);  // its ACKs are not concerned
  hosts.network->pause(microseconds(50), 0, 0);
  hosts.network->run();
  EXPECT_EQ(hosts.network->sent(RoceHosts::isData).front().time, microseconds(50));
  const auto acks = hosts.network->sent(RoceHosts::isAck);
  ASSERT_EQ(acks.size(), 1U);
  EXPECT_EQ(acks[0].packet.priority, 5);
  EXPECT_EQ(acks[0].packet.length, 66);
  EXPECT_EQ(acks[0].packet.aux, static_cast<std::uint32_t>(AckKind::kAck));
  EXPECT_EQ(hosts.applications[0].completions.size(), 1U);
}

TEST(RoceMessage, EntropyPerQpOrPerPacket) {
  const auto hashes = [](bool spray) {
    RoceSpec spec;
    spec.spray = spray;
    RoceHosts hosts(spec);
    for (std::uint32_t flow = 0; flow < 4; ++flow) {
      hosts.applications[0].postAt(Picoseconds{0}, write(50 * kDefaultMtu, flow));
    }
    hosts.network->run();
    std::set<std::uint32_t> distinct;
    for (const Sent& frame : hosts.network->sent(RoceHosts::isData)) {
      distinct.insert(frame.packet.flow_hash);
    }
    return distinct.size();
  };
  EXPECT_EQ(hashes(false), 4U);
  EXPECT_EQ(hashes(true), 200U);
}

TEST(RoceMessage, FlowStatisticsOfBothSides) {
  RoceHosts hosts(RoceSpec{});
  hosts.applications[0].postAt(microseconds(2), write(10'000, 3));
  hosts.applications[0].postAt(microseconds(2), write(20'000, 4));
  hosts.network->run();
  std::vector<transport::FlowStats> sender;
  std::vector<transport::FlowStats> receiver;
  hosts.roce[0]->appendFlows(sender);
  hosts.roce[1]->appendFlows(receiver);
  ASSERT_EQ(sender.size(), 2U);
  ASSERT_EQ(receiver.size(), 2U);
  EXPECT_EQ(sender[0].peer, 1U);
  EXPECT_EQ(sender[0].flow, 3U);
  EXPECT_EQ(sender[0].payload_acknowledged, 10'000U);
  EXPECT_EQ(sender[0].packets_sent, 3U);
  EXPECT_EQ(sender[0].payload_received, 0U);
  EXPECT_EQ(sender[0].first_sent, microseconds(2));
  EXPECT_EQ(sender[0].last_done, hosts.applications[0].completions[0].time);
  EXPECT_EQ(sender[1].payload_acknowledged, 20'000U);
  EXPECT_EQ(receiver[1].flow, 4U);
  EXPECT_EQ(receiver[1].payload_received, 20'000U);
  EXPECT_EQ(receiver[1].packets_sent, 0U);
  EXPECT_EQ(receiver[1].last_done, hosts.applications[1].arrivals[1].time);
  EXPECT_EQ(hosts.roce[0]->stats().data_sent, 8U);
  EXPECT_EQ(hosts.roce[0]->stats().bytes_sent, 30'000U + 8 * 62 + 2 * 16);
  EXPECT_EQ(hosts.roce[0]->stats().messages_completed, 2U);
}

// The acknowledged part of a long message counts before its end.
TEST(RoceMessage, FlowStatisticsSeeUnfinishedMessages) {
  RoceHosts hosts(RoceSpec{});
  hosts.applications[0].postAt(Picoseconds{0}, write(100 * kDefaultMtu));
  // The second ACK, of packet 31, has arrived; the third has not.
  hosts.network->run(Picoseconds{kByte * 32 * 4178 + kByte * 16 + 2 * kDelay.count() + kByte * 66});
  std::vector<transport::FlowStats> flows;
  hosts.roce[0]->appendFlows(flows);
  ASSERT_EQ(flows.size(), 1U);
  EXPECT_EQ(flows[0].payload_acknowledged, 32 * kDefaultMtu);
}

// A ping-pong: a message posted from within a completion leaves in the same instant.
TEST(RoceMessage, CompletionMayPost) {
  RoceHosts hosts(RoceSpec{});
  int left = 4;
  hosts.applications[0].onEachCompletion(
      [&left](transport::Poster& poster, const transport::Completion&, Picoseconds now) {
        if (left-- > 0) poster.post(write(100), now);
      });
  hosts.applications[0].postAt(Picoseconds{0}, write(100));
  hosts.network->run();
  const auto& completions = hosts.applications[0].completions;
  const auto data = hosts.network->sent(RoceHosts::isData);
  ASSERT_EQ(completions.size(), 5U);
  ASSERT_EQ(data.size(), 5U);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(data[i].time, completions[i - 1].time);
}

// RoCE ignores trimmed packets, and unexpected answers.
TEST(RoceMessage, TrimmedAndStrayPacketsAreIgnored) {
  transport::RoceProtocol roce(RoceSpec{}, {.self = 1, .rate = kRate});
  fabric::Packet packet{.destination = 1, .length = 64, .trimmed = true};
  packet.opcode =
      transport::opcodeOf(transport::ProtocolId::kRoce, transport::roce_code::kWriteOnly);
  roce.receive(packet, microseconds(1));
  EXPECT_EQ(roce.stats().trimmed_received, 1U);
  packet.trimmed = false;
  for (const std::uint8_t code : {transport::roce_code::kAcknowledge, transport::roce_code::kCnp,
                                  transport::roce_code::kReadResponseOnly, std::uint8_t{0x3E}}) {
    packet.opcode = transport::opcodeOf(transport::ProtocolId::kRoce, code);
    roce.receive(packet, microseconds(1));
  }
  EXPECT_EQ(roce.stats().data_received, 0U);
  EXPECT_FALSE(roce.transmit(microseconds(2), 0, packet));
  EXPECT_EQ(roce.wakeAt(), fabric::kNever);
  std::vector<transport::FlowStats> flows;
  roce.appendFlows(flows);
  EXPECT_TRUE(flows.empty());
}

TEST(RoceMessage, ImpossibleMessagesAreRefused) {
  RoceHosts hosts(RoceSpec{});
  const auto refused = [&hosts](const Message& message) {
    EXPECT_THROW(hosts.roce[0]->post(message, Picoseconds{0}), Error);
  };
  refused({.to = 0, .bytes = 1});
  refused({.to = 65536, .bytes = 1});
  refused({.to = 1, .flow = 256, .bytes = 1});
  refused({.to = 1, .bytes = 0});
  refused({.to = 1, .bytes = std::uint64_t{1} << 40});
  RoceSpec uc;
  uc.service = RoceService::kUc;
  RoceHosts unreliable(uc);
  EXPECT_THROW(unreliable.roce[0]->post({.to = 1, .verb = Verb::kRead, .bytes = 1}, Picoseconds{0}),
               Error);
  EXPECT_THROW(transport::RoceProtocol(RoceSpec{}, {.self = 65536, .rate = kRate}), Error);
}

}  // namespace
}  // namespace plumbline::transport_test
