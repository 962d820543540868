// Where plumb_rx looks for the test tag, and what it does not understand.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/hw/rx/rx_bench.h"
#include "tests/hw/rx/rx_frames.h"

namespace plumbline::test {
namespace {

// Sends the frame alone and returns the change of the port counters, frames and bytes left out.
PortCounters effect(RxBench& bench, const wire::Buffer& frame) {
  const PortCounters before = bench.counters();
  bench.send(frame);
  bench.idle(40);
  const PortCounters after = bench.counters();
  EXPECT_EQ(after.frames, before.frames + 1);
  EXPECT_EQ(after.bytes, before.bytes + frame.size());
  return {.fcs_errors = after.fcs_errors - before.fcs_errors,
          .icrc_errors = after.icrc_errors - before.icrc_errors,
          .runts = after.runts - before.runts,
          .giants = after.giants - before.giants,
          .untagged = after.untagged - before.untagged,
          .unparsed = after.unparsed - before.unparsed,
          .latency_negative = after.latency_negative - before.latency_negative,
          .event_overflow = after.event_overflow - before.event_overflow,
          .pause_frames = after.pause_frames - before.pause_frames,
          .mac_control_other = after.mac_control_other - before.mac_control_other,
          .bad_row = after.bad_row - before.bad_row};
}

const PortCounters kUnparsed{.unparsed = 1};
const PortCounters kUntagged{.untagged = 1};

// Whether the frame, with a tag for row 9, reached that row.
bool reachesRow(RxBench& bench, const wire::Buffer& frame) {
  const std::uint64_t before = bench.flowRow(9).frames;
  EXPECT_EQ(effect(bench, frame), PortCounters{});
  return bench.flowRow(9).frames == before + 1;
}

TEST(RxParse, FindsTheTagBehindEveryTransportAtEveryLength) {
  RxBench bench;
  RandomStream random(1, "parse");
  std::uint32_t row = 0;
  for (const Kind kind : allKinds()) {
    for (const bool vlan : {false, true}) {
      for (const bool ipv6 : {false, true}) {
        FrameOptions options{.kind = kind, .vlan = vlan, .ipv6 = ipv6};
        const std::uint32_t minimum = minimumLength(options);
        FlowRow expected;
        for (std::uint32_t length = minimum; length < minimum + 70; ++length) {
          options.length = length;
          options.udp_checksum = length % 2 == 1;
          options.tag = wire::TestTag{.id = wire::TestTag::makeId(3, row),
                                      .sequence = expected.next_sequence};
          bench.send(makeFrame(options, random), random, length % 5);
          ++expected.frames;
          expected.bytes += length;
          ++expected.next_sequence;
        }
        bench.settle();
        EXPECT_EQ(bench.flowRow(row), expected)
            << kindName(kind) << (vlan ? " VLAN" : "") << (ipv6 ? " IPv6" : " IPv4");
        ++row;
      }
    }
  }
  const PortCounters counters = bench.counters();
  EXPECT_EQ(counters, (PortCounters{.frames = counters.frames, .bytes = counters.bytes}));
  EXPECT_EQ(counters.frames, 70U * row);
}

TEST(RxParse, SequenceIdAndDepartureBitByBit) {
  RxBench bench;
  RandomStream random(2, "parse");
  for (int i = 0; i < 300; ++i) {
    const std::uint32_t row = static_cast<std::uint32_t>(random.below(2048));
    const std::uint32_t group = static_cast<std::uint32_t>(random.below(16));
    const std::uint64_t sequence = random.next() >> random.below(64);
    const std::uint64_t latency = random.below(1ULL << 47);
    FrameOptions options{.kind = allKinds()[random.below(allKinds().size())],
                         .vlan = random.below(2) != 0,
                         .ipv6 = random.below(2) != 0};
    options.length = minimumLength(options) + static_cast<std::uint32_t>(random.below(64));
    bench.clear();
    options.tag = wire::TestTag{.id = wire::TestTag::makeId(group, row),
                                .sequence = sequence,
                                .departure = (bench.now() - latency) & 0xFFFFFFFFFFFF};
    bench.send(makeFrame(options, random));
    bench.idle(60);
    ASSERT_EQ(bench.flowRow(row), (FlowRow{.frames = 1,
                                           .bytes = options.length,
                                           .lost = sequence & 0xFFFFFFFFFFFF,
                                           .next_sequence = sequence + 1}));
    ASSERT_EQ(bench.groupRow(group),
              (GroupRow{.count = 1, .minimum = latency, .maximum = latency, .sum = latency}));
  }
}

TEST(RxParse, EveryBthOpcode) {
  RxBench bench;
  RandomStream random(3, "parse");
  // FACTS C.2: bytes of extension headers per opcode.
  std::map<int, std::size_t> known;
  for (const int base : {0x00, 0x20}) {
    for (const int op : {0x0, 0x1, 0x2, 0x4, 0x7, 0x8}) known[base + op] = 0;
    for (const int op : {0x3, 0x5, 0x9}) known[base + op] = 4;
    for (const int op : {0x6, 0xA}) known[base + op] = 16;
    known[base + 0xB] = 20;
  }
  for (const int op : {0x0D, 0x0F, 0x10, 0x11, 0x16, 0x17}) known[op] = 4;
  known[0x0C] = 16;
  known[0x0E] = 0;
  known[0x12] = 12;
  known[0x13] = known[0x14] = 28;
  known[0x64] = 8;
  known[0x65] = 12;
  known[0x81] = 16;
  for (const bool deep : {false, true}) {
    FrameOptions options{
        .kind = Kind::kRoceSend, .vlan = deep, .ipv6 = deep, .length = 260, .tag = {}};
    const std::size_t bth = tagOffset(options) - 12;
    const std::size_t ip = deep ? 18 : 14;
    for (int opcode = 0; opcode < 256; ++opcode) {
      wire::Buffer frame = makeFrame(options, random);
      std::fill(frame.begin() + static_cast<std::ptrdiff_t>(bth) + 12, frame.end() - 8,
                std::uint8_t{0});
      frame[bth] = static_cast<std::uint8_t>(opcode);
      const auto entry = known.find(opcode);
      const std::size_t tag_at = bth + 12 + (entry == known.end() ? 0 : entry->second);
      wire::TestTag{.id = 9}.encode(wire::FixedSpan<18>(&frame[tag_at], 18));
      const std::size_t icrc = frame.size() - 8;
      wire::store32Le(&frame[icrc],
                      wire::roceIcrc(wire::ByteView(frame).subspan(ip, icrc - ip), deep));
      refreshFcs(frame);
      if (entry == known.end()) {
        ASSERT_EQ(effect(bench, frame), kUnparsed) << "opcode " << opcode;
      } else {
        ASSERT_TRUE(reachesRow(bench, frame)) << "opcode " << opcode;
      }
    }
  }
}

TEST(RxParse, EveryPdsTypeAndNextHeader) {
  RxBench bench;
  RandomStream random(4, "parse");
  const std::map<int, std::size_t> pds = {{2, 12},  {3, 12},  {4, 8},  {5, 8},   {6, 4},
                                          {7, 12},  {8, 32},  {9, 40}, {10, 16}, {11, 16},
                                          {12, 32}, {13, 16}, {14, 16}};
  const std::map<int, std::size_t> ses = {{0, 0},  {1, 20}, {2, 32}, {3, 44},
                                          {4, 12}, {5, 20}, {6, 12}};
  for (const bool deep : {false, true}) {
    FrameOptions options{
        .kind = Kind::kUetUud, .vlan = deep, .ipv6 = deep, .length = 260, .tag = {}};
    const std::size_t at = tagOffset(options) - 48;
    for (int type = 0; type < 32; ++type) {
      for (int next = 0; next < 16; ++next) {
        wire::Buffer frame = makeFrame(options, random);
        std::fill(frame.begin() + static_cast<std::ptrdiff_t>(at), frame.end() - 4,
                  std::uint8_t{0});
        wire::store16(&frame[at], static_cast<std::uint16_t>(type << 11 | next << 7 |
                                                             static_cast<int>(random.below(128))));
        const bool control = type == 11;
        const bool known = pds.contains(type) && (control || ses.contains(next));
        const std::size_t header = known ? pds.at(type) + (control ? 0 : ses.at(next)) : 4;
        wire::TestTag{.id = 9}.encode(wire::FixedSpan<18>(&frame[at + header], 18));
        refreshFcs(frame);
        if (known) {
          ASSERT_TRUE(reachesRow(bench, frame)) << type << " " << next;
        } else {
          ASSERT_EQ(effect(bench, frame), kUnparsed) << type << " " << next;
        }
      }
    }
  }
}

TEST(RxParse, CongestionMarks) {
  RxBench bench;
  RandomStream random(5, "parse");
  std::uint64_t sequence = 0;
  for (const bool vlan : {false, true}) {
    for (const bool ipv6 : {false, true}) {
      for (const wire::Ecn ecn :
           {wire::Ecn::kNotEct, wire::Ecn::kEct0, wire::Ecn::kEct1, wire::Ecn::kCe}) {
        FrameOptions options{.vlan = vlan, .ipv6 = ipv6, .ecn = ecn, .length = 100};
        options.tag = wire::TestTag{.id = 9, .sequence = sequence++};
        const std::uint64_t before = bench.flowRow(9).ce;
        ASSERT_TRUE(reachesRow(bench, makeFrame(options, random)));
        EXPECT_EQ(bench.flowRow(9).ce - before, ecn == wire::Ecn::kCe ? 1U : 0U);
      }
    }
  }
}

TEST(RxParse, NotUnderstood) {
  RxBench bench;
  RandomStream random(6, "parse");
  const wire::Buffer v4 = makeFrame({.length = 128, .tag = wire::TestTag{.id = 9}}, random);
  const wire::Buffer v6 =
      makeFrame({.ipv6 = true, .length = 128, .tag = wire::TestTag{.id = 9}}, random);
  ASSERT_TRUE(reachesRow(bench, v4));
  ASSERT_TRUE(reachesRow(bench, v6));
  struct Change {
    const wire::Buffer* frame;
    std::size_t byte;
    std::uint8_t value;
    const char* what;
  };
  for (const Change& change : {
           Change{&v4, 14, 0x46, "IPv4 options"},
           Change{&v4, 14, 0x44, "IPv4 header too short"},
           Change{&v4, 14, 0x65, "version 6 in an IPv4 EtherType"},
           Change{&v4, 20, 0x20, "more fragments"},
           Change{&v4, 21, 0x01, "fragment offset"},
           Change{&v4, 20, 0x1F, "high fragment offset"},
           Change{&v4, 23, 6, "TCP"},
           Change{&v4, 12, 0x09, "unknown EtherType"},
           Change{&v4, 13, 0x06, "ARP"},
           Change{&v4, 12, 0x88, "EtherType 0x8800"},
           Change{&v6, 14, 0x45, "version 4 in an IPv6 EtherType"},
           Change{&v6, 20, 0, "hop-by-hop options"},
           Change{&v6, 20, 44, "IPv6 fragment"},
       }) {
    wire::Buffer frame = *change.frame;
    frame[change.byte] = change.value;
    refreshFcs(frame);
    EXPECT_EQ(effect(bench, frame), kUnparsed) << change.what;
  }
  // "Don't fragment" and the reserved flag are no fragments.
  for (const std::uint8_t flags : {0x00, 0x40, 0x80, 0xC0}) {
    wire::Buffer frame = v4;
    frame[20] = flags;
    refreshFcs(frame);
    EXPECT_TRUE(reachesRow(bench, frame)) << int{flags};
  }
  // Two tags.
  wire::Buffer stacked = v4;
  const std::uint8_t tags[] = {0x81, 0x00, 0x00, 0x01, 0x81, 0x00, 0x00, 0x02};
  stacked.insert(stacked.begin() + 12, std::begin(tags), std::end(tags));
  refreshFcs(stacked);
  EXPECT_EQ(effect(bench, stacked), kUnparsed);
}

TEST(RxParse, FramesShorterThanTheirHeaders) {
  RxBench bench;
  RandomStream random(7, "parse");
  for (const Kind kind : allKinds()) {
    for (const bool deep : {false, true}) {
      FrameOptions options{.kind = kind, .vlan = deep, .ipv6 = deep};
      options.length = minimumLength(options) + 20;
      options.tag = wire::TestTag{.id = 9};
      const wire::Buffer whole = makeFrame(options, random);
      const std::size_t headers = tagOffset(options) + wire::kFcsSize;
      for (std::size_t length = 64; length < whole.size(); ++length) {
        wire::Buffer cut = whole;
        resizeFrame(cut, length);
        // The ICRC is gone with the rest; it is missed as long as the UDP port says RoCE.
        const std::size_t udp_data = deep ? 66 : 42;
        const bool roce = isRoce(kind) && length >= udp_data + wire::kFcsSize;
        PortCounters expected{.icrc_errors = roce ? 1U : 0U};
        if (length < headers) {
          expected.unparsed = 1;
        } else if (length < headers + wire::TestTag::kSize) {
          expected.untagged = 1;
        }
        ASSERT_EQ(effect(bench, cut), expected)
            << kindName(kind) << (deep ? " deep" : "") << " cut to " << length;
      }
    }
  }
}

TEST(RxParse, IpLengthWithoutRoomForTheHeaders) {
  RxBench bench;
  RandomStream random(8, "parse");
  for (const Kind kind : {Kind::kUdp, Kind::kRoceWrite, Kind::kUetRudStandard}) {
    FrameOptions options{.kind = kind, .length = 200, .tag = wire::TestTag{.id = 9}};
    const wire::Buffer whole = makeFrame(options, random);
    const std::size_t min = tagOffset(options) - 14 + (isRoce(kind) ? 4 : 0);
    for (const std::size_t ip_length : {std::size_t{0}, std::size_t{20}, min - 1, min}) {
      wire::Buffer frame = whole;
      wire::store16(&frame[16], static_cast<std::uint16_t>(ip_length));
      refreshFcs(frame);
      const PortCounters seen = effect(bench, frame);
      EXPECT_EQ(seen.unparsed, ip_length < min ? 1U : 0U) << kindName(kind) << " " << ip_length;
      // An ICRC is looked for only where a BTH and an ICRC can be.
      EXPECT_EQ(seen.icrc_errors, isRoce(kind) && ip_length >= 44 ? 1U : 0U) << ip_length;
    }
  }
}

TEST(RxParse, WithoutTheMagicAFrameIsUntagged) {
  RxBench bench;
  RandomStream random(9, "parse");
  for (const Kind kind : allKinds()) {
    FrameOptions options{.kind = kind, .length = 300, .tag = {}};
    EXPECT_EQ(effect(bench, makeFrame(options, random)), kUntagged) << kindName(kind);
    options.tag = wire::TestTag{};
    const wire::Buffer tagged = makeFrame(options, random);
    // UDP only: elsewhere the ICRC would notice as well.
    if (kind == Kind::kUdp) {
      for (int bit = 0; bit < 16; ++bit) {
        wire::Buffer frame = tagged;
        frame[tagOffset(options) + static_cast<std::size_t>(bit) / 8] ^=
            static_cast<std::uint8_t>(1U << (bit % 8));
        refreshFcs(frame);
        EXPECT_EQ(effect(bench, frame), kUntagged) << bit;
      }
    }
  }
}

TEST(RxParse, GroupsThatTheCardDoesNotHaveAreCounted) {
  RxBench bench;
  RandomStream random(10, "parse");
  for (std::uint32_t group = 0; group < 32; ++group) {
    FrameOptions options{.length = 64};
    options.tag = wire::TestTag{.id = wire::TestTag::makeId(group, 2047), .sequence = group};
    EXPECT_EQ(effect(bench, makeFrame(options, random)),
              (PortCounters{.bad_row = group >= 16 ? 1U : 0U}));
  }
  EXPECT_EQ(bench.flowRow(2047).frames, 16U);
}

TEST(RxParse, MacControl) {
  RxBench bench;
  RandomStream random(11, "parse");
  wire::FrameSpec spec;
  spec.destination = wire::kMacControlAddress;
  spec.network = wire::PauseHeader{.quanta = 100};
  const wire::Buffer pause = wire::encodeFrame(spec);
  EXPECT_EQ(effect(bench, pause), (PortCounters{.pause_frames = 1}));
  spec.network = wire::CcUpdate{};
  EXPECT_EQ(effect(bench, wire::encodeFrame(spec)), (PortCounters{.mac_control_other = 1}));
  // PFC is only what is sent to its own address.
  wire::Buffer pfc = makePfc(0xFF, {1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(effect(bench, pfc), PortCounters{});
  pfc[5] = 2;
  refreshFcs(pfc);
  EXPECT_EQ(effect(bench, pfc), (PortCounters{.mac_control_other = 1}));
  // Behind an 802.1Q tag it is no MAC control frame.
  wire::Buffer stacked = pause;
  const std::uint8_t tag[] = {0x81, 0x00, 0x00, 0x01};
  stacked.insert(stacked.begin() + 12, std::begin(tag), std::end(tag));
  refreshFcs(stacked);
  EXPECT_EQ(effect(bench, stacked), kUnparsed);
  EXPECT_EQ(bench.priority(0).xoff, 1U);
}

}  // namespace
}  // namespace plumbline::test
