// The frames of a stream against the decoder: headers of every transport, messages, the list of
// queue pairs.
#include "bench/card/stream_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "wire/frame.h"

namespace plumbline::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

StreamSpec streamOf(Transport transport, std::int64_t frame = 256) {
  StreamSpec stream;
  stream.from = 1;
  stream.to = 2;
  stream.format.transport = transport;
  stream.frame = Bytes(frame);
  stream.load = ConstantLoad{Fraction::percent(50)};
  return stream;
}

// The head as a whole frame: zeros up to its length, and a right FCS.
wire::Buffer whole(const std::vector<std::uint8_t>& head, std::uint32_t length) {
  wire::Buffer frame(head.begin(), head.begin() + std::min<std::ptrdiff_t>(
                                                      static_cast<std::ptrdiff_t>(head.size()),
                                                      static_cast<std::ptrdiff_t>(length) - 4));
  frame.resize(length - 4);
  wire::appendFcs(frame);
  return frame;
}

TEST(StreamFrame, OfEveryUetServiceDecodes) {
  const std::map<Transport, wire::PdsType> types{{Transport::kUetRud, wire::PdsType::kRudRequest},
                                                 {Transport::kUetRod, wire::PdsType::kRodRequest},
                                                 {Transport::kUetRudi, wire::PdsType::kRudiRequest},
                                                 {Transport::kUetUud, wire::PdsType::kUudRequest}};
  for (const auto& [transport, type] : types) {
    for (const bool ipv6 : {false, true}) {
      StreamSpec stream = streamOf(transport);
      stream.format.ipv6 = ipv6;
      stream.format.vlan_id = ipv6 ? std::optional<std::uint16_t>(5) : std::nullopt;
      const card::FlowConfig flow = flowOf(stream, 3);
      const wire::Buffer bytes = whole(flow.head, flow.length);
      const wire::DecodedFrame frame = wire::decodeFrame(bytes);
      ASSERT_TRUE(frame.ok()) << static_cast<int>(type);
      ASSERT_NE(frame.uet(), nullptr);
      EXPECT_EQ(wire::pdsType(frame.uet()->pds), type);
      const auto& ses = std::get<wire::SesStandard>(frame.uet()->ses);
      EXPECT_TRUE(ses.flags.start_of_message && ses.flags.end_of_message);
      EXPECT_EQ(ses.request_length, frame.payload.size());
      EXPECT_EQ(flow.tag_offset, frame.offsets.payload);
      EXPECT_EQ(flow.payload_offset, frame.offsets.payload + 18);
      EXPECT_TRUE(flow.uet && !flow.roce && !flow.icrc);
      EXPECT_EQ(minimumFrame(stream, 3), frame.offsets.payload + 18 + 4);
    }
  }
}

TEST(StreamFrame, OnlyRudAndRodHaveContexts) {
  StreamSpec stream = streamOf(Transport::kUetRod);
  stream.format.qps = 3;
  const card::FlowConfig flow = flowOf(stream, 2);
  ASSERT_TRUE(flow.queue_pairs);
  ASSERT_EQ(flow.queue_pairs->pairs.size(), 3U);
  // Both ids of a context, the next ones for the next stream.
  EXPECT_EQ(flow.queue_pairs->pairs[0].number, 0x0106'0106U);
  EXPECT_EQ(flow.queue_pairs->pairs[2].number, 0x0108'0108U);
  EXPECT_TRUE(flow.modify_qp && flow.modify_psn);

  for (const Transport transport : {Transport::kUetRudi, Transport::kUetUud}) {
    StreamSpec without = streamOf(transport);
    EXPECT_FALSE(flowOf(without, 0).queue_pairs);
    EXPECT_FALSE(flowOf(without, 0).modify_qp);
    EXPECT_EQ(flowOf(without, 0).modify_psn, transport == Transport::kUetRudi);
    EXPECT_FALSE(headerRefusal(without, 0));
    without.format.qps = 2;
    EXPECT_THAT(headerRefusal(without, 0).value_or(""), HasSubstr("belong to none"));
  }
}

TEST(StreamFrame, QueuePairsOfPlainUdpAreSourcePorts) {
  StreamSpec stream = streamOf(Transport::kUdp);
  stream.format.qps = 4;
  EXPECT_FALSE(headerRefusal(stream, 0));
  EXPECT_EQ(flowOf(stream, 0).source_port_count, 4U);
  EXPECT_FALSE(flowOf(stream, 0).modify_qp);
}

TEST(StreamFrame, WriteMessagesAreFirstMiddleLast) {
  StreamSpec stream = streamOf(Transport::kRoceWrite, 254);
  stream.queue_pairs.emplace().message_frames = 5;
  ASSERT_FALSE(headerRefusal(stream, 0)) << *headerRefusal(stream, 0);
  const card::FlowConfig flow = flowOf(stream, 0);
  ASSERT_TRUE(flow.message);
  EXPECT_EQ(flow.message->frames, 5U);
  const wire::Buffer first = whole(flow.head, flow.length);
  const wire::Buffer middle = whole(flow.message->middle.head, flow.message->middle.length);
  const wire::Buffer last = whole(flow.message->last.head, flow.message->last.length);
  const wire::DecodedFrame a = wire::decodeFrame(first);
  const wire::DecodedFrame b = wire::decodeFrame(middle);
  const wire::DecodedFrame c = wire::decodeFrame(last);
  ASSERT_TRUE(a.ok() && b.ok() && c.ok());
  EXPECT_EQ(a.roce()->bth.opcode, 0x06);
  EXPECT_EQ(b.roce()->bth.opcode, 0x07);
  EXPECT_EQ(c.roce()->bth.opcode, 0x08);
  ASSERT_TRUE(a.roce()->reth);
  EXPECT_FALSE(b.roce()->reth || c.roce()->reth);
  EXPECT_EQ(a.roce()->reth->dma_length, a.payload.size() + 3 * b.payload.size() + c.payload.size());
  EXPECT_EQ(flow.message->middle.tag_offset + 16, flow.tag_offset);
}

// 10,000 bytes at a path MTU of 4,096: full frames and the remainder, as a NIC divides them.
TEST(StreamFrame, MessagesOfGivenBytesEndInAShorterFrame) {
  for (const Transport transport : {Transport::kRoceWrite, Transport::kRoceSend}) {
    const std::int64_t reth = transport == Transport::kRoceWrite ? 16 : 0;
    StreamSpec stream = streamOf(transport, 14 + 20 + 8 + 12 + reth + 4096 + 4 + 4);
    stream.queue_pairs = QueuePairSpec{{}, 3, false, Bytes(10'000)};
    ASSERT_FALSE(headerRefusal(stream, 0)) << *headerRefusal(stream, 0);
    const card::FlowConfig flow = flowOf(stream, 0);
    ASSERT_TRUE(flow.message);
    EXPECT_EQ(flow.length, 62U + 4096 + reth);
    EXPECT_EQ(flow.message->middle.length, 62U + 4096);
    EXPECT_EQ(flow.message->last.length, 62U + 10'000 - 2 * 4096);
    const wire::Buffer first = whole(flow.head, flow.length);
    const wire::Buffer last = whole(flow.message->last.head, flow.message->last.length);
    const wire::DecodedFrame a = wire::decodeFrame(first);
    const wire::DecodedFrame c = wire::decodeFrame(last);
    ASSERT_TRUE(a.ok() && c.ok());
    EXPECT_EQ(a.payload.size(), 4096U);
    EXPECT_EQ(c.payload.size(), 1808U);
    if (reth > 0) {
      EXPECT_EQ(a.roce()->reth->dma_length, 10'000U);
    }
    // Two messages, and one that lacks its last frame.
    const std::uint64_t message = std::int64_t{3} * 62 + reth + 10'000;
    EXPECT_EQ(bytesSent(stream, 8), 3 * message - (62 + 1808));
    EXPECT_EQ(bytesSent(stream, 1), 62U + 4096 + reth);
  }
}

TEST(StreamFrame, RefusesMessagesThatTheirFramesCannotHold) {
  StreamSpec stream = streamOf(Transport::kRoceSend, 62 + 4096);
  const auto refusal = [&](std::uint32_t frames, std::int64_t bytes) {
    stream.queue_pairs = QueuePairSpec{{}, frames, false, Bytes(bytes)};
    return headerRefusal(stream, 0).value_or("");
  };
  EXPECT_EQ(refusal(2, 8192), "");
  EXPECT_THAT(refusal(2, 8196), HasSubstr("messages of 8196 B in 2 frames"));
  EXPECT_THAT(refusal(2, 4096), HasSubstr("messages of 4096 B in 2 frames"));
  EXPECT_THAT(refusal(2, 4096 + 16), HasSubstr("the test tag does not fit"));
  EXPECT_EQ(refusal(2, 4096 + 20), "");
  EXPECT_THAT(refusal(2, 8190), HasSubstr("no multiple of four bytes"));
  stream.format.transport = Transport::kUetRud;
  EXPECT_THAT(refusal(2, 8192), HasSubstr("RoCE alone"));
}

TEST(StreamFrame, SendMessagesAreFirstMiddleLast) {
  StreamSpec stream = streamOf(Transport::kRoceSend, 254);
  stream.queue_pairs.emplace().message_frames = 2;
  const card::FlowConfig flow = flowOf(stream, 0);
  EXPECT_EQ(flow.head[42], 0x00);
  EXPECT_EQ(flow.message->middle.head[42], 0x01);
  EXPECT_EQ(flow.message->last.head[42], 0x02);
  stream.queue_pairs->message_frames = 1;
  EXPECT_EQ(flowOf(stream, 0).head[42], 0x04);
  EXPECT_FALSE(flowOf(stream, 0).message);
}

TEST(StreamFrame, UetMessagesSayWhereTheyBeginAndEnd) {
  StreamSpec stream = streamOf(Transport::kUetRud, 200);
  stream.queue_pairs.emplace().message_frames = 3;
  const card::FlowConfig flow = flowOf(stream, 0);
  const auto ses = [](const std::vector<std::uint8_t>& head, std::uint32_t length) {
    const wire::Buffer bytes = whole(head, length);
    return std::get<wire::SesStandard>(wire::decodeFrame(bytes).uet()->ses);
  };
  const auto first = ses(flow.head, flow.length);
  const auto middle = ses(flow.message->middle.head, flow.message->middle.length);
  const auto last = ses(flow.message->last.head, flow.message->last.length);
  EXPECT_TRUE(first.flags.start_of_message && !first.flags.end_of_message);
  EXPECT_TRUE(!middle.flags.start_of_message && !middle.flags.end_of_message);
  EXPECT_TRUE(!last.flags.start_of_message && last.flags.end_of_message);
  EXPECT_EQ(first.request_length, 3U * (200 - 98 - 4));
}

TEST(StreamFrame, WeightedTurnsAreSpreadOut) {
  StreamSpec stream = streamOf(Transport::kRoceWrite);
  stream.format.qps = 3;
  stream.queue_pairs.emplace().weights = {4, 2, 1};
  EXPECT_THAT(flowOf(stream, 0).queue_pairs->turns, ElementsAre(0, 0, 1, 0, 0, 1, 2));
  stream.queue_pairs->weights.clear();
  EXPECT_TRUE(flowOf(stream, 0).queue_pairs->turns.empty());
}

TEST(StreamFrame, EntropyIsTheSourcePort) {
  StreamSpec stream = streamOf(Transport::kRoceWrite);
  stream.format.qps = 8;
  EXPECT_EQ(flowOf(stream, 0).source_port_mode, card::SourcePortMode::kFollowsQp);
  EXPECT_EQ(flowOf(stream, 0).source_port_count, 8U);
  stream.format.entropy_values = 32;
  const std::map<Entropy, std::pair<card::SourcePortMode, std::uint32_t>> modes{
      {Entropy::kFixed, {card::SourcePortMode::kTemplate, 1}},
      {Entropy::kRoundRobin, {card::SourcePortMode::kPerFrame, 32}},
      {Entropy::kRandom, {card::SourcePortMode::kRandom, 32}}};
  for (const auto& [entropy, expected] : modes) {
    stream.format.entropy = entropy;
    EXPECT_EQ(flowOf(stream, 0).source_port_mode, expected.first);
    EXPECT_EQ(flowOf(stream, 0).source_port_count, expected.second);
    EXPECT_GE(flowOf(stream, 0).source_port_base, 0xC000U);
  }
}

TEST(StreamFrame, WhatCannotBeIsNamed) {
  const auto refusal = [](void (*change)(StreamSpec&)) {
    StreamSpec stream = streamOf(Transport::kRoceWrite);
    stream.format.qps = 2;
    stream.queue_pairs.emplace();
    change(stream);
    return headerRefusal(stream, 0).value_or("");
  };
  EXPECT_EQ(refusal([](StreamSpec&) {}), "");
  EXPECT_THAT(refusal([](StreamSpec& s) { s.queue_pairs->weights = {1}; }),
              HasSubstr("1 weights for 2 queue pairs"));
  EXPECT_THAT(refusal([](StreamSpec& s) {
                s.queue_pairs->weights = {1, 0};
              }),
              HasSubstr("weight 0"));
  EXPECT_THAT(refusal([](StreamSpec& s) {
                s.queue_pairs->weights = {4000, 97};
              }),
              HasSubstr("4097 turns"));
  EXPECT_THAT(refusal([](StreamSpec& s) { s.queue_pairs->message_frames = 0; }),
              HasSubstr("messages of 0 frames"));
  EXPECT_THAT(refusal([](StreamSpec& s) {
                s.queue_pairs->message_frames = 2;
                s.frame = Bytes(255);
              }),
              HasSubstr("multiple of four"));
  EXPECT_THAT(refusal([](StreamSpec& s) { s.format.entropy_values = 0; }),
              HasSubstr("0 values of entropy"));
  EXPECT_THAT(refusal([](StreamSpec& s) {
                s.format.transport = Transport::kUdp;
                s.format.qps = 1;
              }),
              HasSubstr("belong to none"));
}

}  // namespace
}  // namespace plumbline::bench
