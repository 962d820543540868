// FCS, ICRC, length and timestamp of plumb_rx.
#include <gtest/gtest.h>

#include <string_view>

#include "tests/hw/rx/rx_bench.h"
#include "tests/hw/rx/rx_frames.h"

namespace plumbline::test {
namespace {

// Clocks after which a frame has its descriptor.
constexpr std::uint64_t kAnswered = kDescriptorLatency + 2;

// FACTS C.6, in its order.
constexpr std::string_view kWriteIpv4 =
    "0200000000020200000000010800456a007c000140004011addec6120001c6120002c12312b7006800000a40ff"
    "ff000000128000010000000000123450000000abcd00000040000102030405060708090a0b0c0d0e0f10111213"
    "1415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f81"
    "f847b85f7b1dc6";
constexpr std::string_view kWriteVlan =
    "020000000002020000000001810060640800456a007c000140004011addec6120001c6120002c12312b7006800"
    "000a40ffff000000128000010000000000123450000000abcd00000040000102030405060708090a0b0c0d0e0f"
    "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c"
    "3d3e3f81f847b821d117bd";
constexpr std::string_view kWriteIpv6 =
    "02000000000202000000000186dd66a12345006811402001000200000000000000000000000120010002000000"
    "000000000000000002c12312b7006800000a40ffff000000128000010000000000123450000000abcd00000040"
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c"
    "2d2e2f303132333435363738393a3b3c3d3e3ff5e2f71e912526c6";
constexpr std::string_view kWriteIpv6Checksum =
    "02000000000202000000000186dd66a12345006811402001000200000000000000000000000120010002000000"
    "000000000000000002c12312b7006880a00a40ffff000000128000010000000000123450000000abcd00000040"
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c"
    "2d2e2f303132333435363738393a3b3c3d3e3ff5e2f71ef0a2fb13";
constexpr std::string_view kWriteRoutedCe =
    "0200000000020200000000010800456b007c000140003f11aeddc6120001c6120002c12312b7006800000a40ff"
    "ff000000128000010000000000123450000000abcd00000040000102030405060708090a0b0c0d0e0f10111213"
    "1415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f81"
    "f847b86a7e2cb6";
constexpr std::string_view kCnp =
    "020000000001020000000002080045c0003c000240004011adc7c6120002c6120001c12312b7002800008140ff"
    "ff4000003400000000000000000000000000000000000000006e6417001aa919df";
constexpr std::string_view kAck =
    "0200000000010200000000020800456a0030000340004011ae28c6120002c6120001c12312b7001c00001140ff"
    "ff00000034000001001f0000014e04d08e8c5cb7bb";
constexpr std::string_view kWritePadded =
    "0200000000020200000000010800456a0044000140004011ae16c6120001c6120002c12312b7003000000a70ff"
    "ff000000128000010100000000123450000000abcd000000050001020304000000036774f0e6d4f7c9";

wire::Buffer fromHex(std::string_view hex) {
  const auto nibble = [](char c) {
    return static_cast<std::uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  };
  wire::Buffer bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(nibble(hex[i]) << 4 | nibble(hex[i + 1])));
  }
  return bytes;
}

// Sends one frame and returns its descriptor.
Descriptor deliver(RxBench& bench, const wire::Buffer& frame) {
  bench.descriptors.clear();
  bench.send(frame);
  bench.idle(kAnswered);
  if (bench.descriptors.size() != 1) {
    ADD_FAILURE() << bench.descriptors.size() << " descriptors";
    return {};
  }
  return bench.descriptors.front();
}

TEST(RxCheck, EveryLengthHasItsDescriptorTimeAndVerdict) {
  RxBench bench;
  RandomStream random(1, "check");
  bench.setTimestampOffset(-5120 - 1551);
  std::uint64_t bytes = 0;
  std::uint64_t frames = 0;
  for (std::uint32_t length = 64; length <= 9216; ++length) {
    FrameOptions options{.kind = allKinds()[length % allKinds().size()],
                         .vlan = length / 19 % 2 == 1,
                         .ipv6 = length / 38 % 2 == 1,
                         .length = length};
    while (minimumLength(options) > length) {
      options.kind = Kind::kUdp;
      options.ipv6 = false;
      options.vlan = false;
    }
    const wire::Buffer frame = makeFrame(options, random);
    const std::uint64_t start = bench.now();
    const std::uint64_t last =
        length % 3 == 0 ? bench.send(frame, random, random.below(6)) : bench.send(frame);
    bench.idle(random.below(4));
    bytes += length;
    ++frames;
    while (bench.descriptors.empty()) {
      bench.idle(1);
    }
    const Descriptor seen = bench.descriptors.front();
    bench.descriptors.pop_front();
    ASSERT_EQ(seen.cycle, last + kDescriptorLatency) << length;
    ASSERT_EQ(seen.timestamp, start - 5120 - 1551) << length;
    ASSERT_EQ(seen.length, length);
    ASSERT_TRUE(seen.fcs_ok) << length;
    ASSERT_EQ(seen.icrc_checked, isRoce(options.kind)) << length;
    ASSERT_EQ(seen.icrc_ok, isRoce(options.kind)) << length;
  }
  bench.settle();
  EXPECT_EQ(bench.counters(), (PortCounters{.frames = frames, .bytes = bytes}));
  EXPECT_EQ(bench.flowRow(0).frames, frames);
  EXPECT_EQ(bench.flowRow(0).bytes, bytes);
}

TEST(RxCheck, EverySingleBitErrorIsAnFcsErrorAndNothingElse) {
  RxBench bench;
  RandomStream random(2, "check");
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
  for (const FrameOptions& options :
       {FrameOptions{.length = 64}, FrameOptions{.kind = Kind::kRoceWrite, .length = 131},
        FrameOptions{.kind = Kind::kUetRudStandard, .vlan = true, .ipv6 = true, .length = 200}}) {
    const wire::Buffer good = makeFrame(options, random);
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
      wire::Buffer bad = good;
      bad[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
      bench.send(bad);
      ++frames;
      bytes += bad.size();
    }
  }
  const wire::Buffer pfc = makePfc(0xFF, {1, 2, 3, 4, 5, 6, 7, 8});
  for (std::size_t bit = 0; bit < 8 * pfc.size(); ++bit) {
    wire::Buffer bad = pfc;
    bad[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    bench.send(bad);
    ++frames;
    bytes += bad.size();
  }
  bench.settle();
  EXPECT_EQ(bench.counters(),
            (PortCounters{.frames = frames, .bytes = bytes, .fcs_errors = frames}));
  EXPECT_EQ(bench.flowRow(0), FlowRow{});
  EXPECT_EQ(bench.groupRow(0), GroupRow{});
  EXPECT_EQ(bench.priority(0), PriorityCounters{});
  for (const Descriptor& seen : bench.descriptors) {
    ASSERT_FALSE(seen.fcs_ok);
    ASSERT_FALSE(seen.icrc_checked);
  }
}

// A RoCE frame with the bits of `where` turned over and a new FCS.
wire::Buffer damaged(const wire::Buffer& good, std::size_t byte, std::uint8_t mask) {
  wire::Buffer bad = good;
  bad[byte] ^= mask;
  refreshFcs(bad);
  return bad;
}

TEST(RxCheck, IcrcDamageIsFoundEverywhereItCounts) {
  RxBench bench;
  RandomStream random(3, "check");
  for (const bool vlan : {false, true}) {
    for (const bool ipv6 : {false, true}) {
      for (std::uint32_t extra = 0; extra < 66; ++extra) {
        FrameOptions options{.kind = extra % 2 == 0 ? Kind::kRoceSend : Kind::kRoceWrite,
                             .vlan = vlan,
                             .ipv6 = ipv6};
        options.length = minimumLength(options) + extra;
        const wire::Buffer good = makeFrame(options, random);
        const std::size_t ip = vlan ? 18 : 14;
        const std::size_t udp = ip + (ipv6 ? 40 : 20);
        // Both addresses, UDP source port and length, BTH behind its reserved byte, payload.
        std::vector<std::size_t> covered = {udp,      udp + 1,  udp + 4, udp + 5,
                                            udp + 13, udp + 16, udp + 19};
        for (std::size_t at = ip + (ipv6 ? 8 : 12); at < udp; ++at) covered.push_back(at);
        for (std::size_t at = tagOffset(options) + 18; at < good.size() - 4; ++at) {
          covered.push_back(at);
        }
        for (const std::size_t at : covered) {
          const auto mask = static_cast<std::uint8_t>(1U << random.below(8));
          const Descriptor seen = deliver(bench, damaged(good, at, mask));
          ASSERT_TRUE(seen.fcs_ok && seen.icrc_checked);
          ASSERT_FALSE(seen.icrc_ok) << "byte " << at << " of " << good.size();
        }
        // What routers and switches may change.
        std::vector<std::pair<std::size_t, std::uint8_t>> free = {
            {0, 0xFF}, {6, 0xFF}, {udp + 6, 0xFF}, {udp + 7, 0xFF}, {udp + 12, 0xFF}};
        if (vlan) free.emplace_back(15, 0xFF);
        if (ipv6) {
          free.insert(free.end(),
                      {{ip, 0x0F}, {ip + 1, 0xFF}, {ip + 2, 0xFF}, {ip + 3, 0xFF}, {ip + 7, 0xFF}});
        } else {
          free.insert(free.end(),
                      {{ip + 1, 0xFF}, {ip + 8, 0xFF}, {ip + 10, 0xFF}, {ip + 11, 0xFF}});
        }
        for (const auto& [at, mask] : free) {
          ASSERT_TRUE(deliver(bench, damaged(good, at, mask)).icrc_ok) << "byte " << at;
        }
      }
    }
  }
}

TEST(RxCheck, IcrcDamageCountsAsBadIcrcOnly) {
  RxBench bench;
  RandomStream random(4, "check");
  FlowRow expected;
  for (std::uint64_t sequence = 0; sequence < 200; ++sequence) {
    FrameOptions options{.kind = Kind::kRoceWrite, .ipv6 = sequence % 2 == 1};
    options.length = minimumLength(options) + static_cast<std::uint32_t>(random.below(200));
    options.tag = wire::TestTag{.id = 7, .sequence = sequence};
    wire::Buffer frame = makeFrame(options, random);
    if (sequence % 3 == 0) {
      const std::size_t behind_tag = tagOffset(options) + wire::TestTag::kSize;
      frame = damaged(frame, behind_tag + random.below(frame.size() - 4 - behind_tag), 0x10);
      ++expected.bad_icrc;
    }
    bench.send(frame);
    ++expected.frames;
    expected.bytes += frame.size();
  }
  expected.next_sequence = 200;
  bench.settle();
  EXPECT_EQ(bench.flowRow(7), expected);
  EXPECT_EQ(bench.counters(), (PortCounters{.frames = expected.frames,
                                            .bytes = expected.bytes,
                                            .icrc_errors = expected.bad_icrc}));
}

TEST(RxCheck, WorkedFramesOfTheFactSheet) {
  RxBench bench;
  static constexpr std::string_view kFrames[] = {
      kWriteIpv4,     kWriteVlan, kWriteIpv6, kWriteIpv6Checksum,
      kWriteRoutedCe, kCnp,       kAck,       kWritePadded};
  for (const std::string_view hex : kFrames) {
    const wire::Buffer frame = fromHex(hex);
    const Descriptor seen = deliver(bench, frame);
    EXPECT_EQ(seen.length, frame.size());
    EXPECT_TRUE(seen.fcs_ok && seen.icrc_checked && seen.icrc_ok) << hex;
  }
  bench.settle();
  EXPECT_EQ(bench.counters().untagged, std::size(kFrames));
}

TEST(RxCheck, IcrcLiesAtTheEndOfTheIpPacketNotOfThePaddedFrame) {
  RxBench bench;
  RandomStream random(5, "check");
  // A SEND without payload is 62 bytes: every NIC pads it.
  FrameOptions options{.kind = Kind::kRoceSend, .length = 62, .tag = {}};
  wire::FrameSpec spec;
  spec.network = wire::Ipv4Header{};
  spec.udp = wire::UdpHeader{.source_port = 0xC000, .destination_port = wire::udp_port::kRoce};
  spec.transport = wire::RoceLayer{.bth = {.opcode = wire::roce_opcode::kRcSendOnly}};
  const wire::Buffer small = wire::encodeFrame(spec);
  ASSERT_EQ(small.size(), 64U);
  EXPECT_TRUE(deliver(bench, small).icrc_ok);
  EXPECT_FALSE(deliver(bench, damaged(small, 44, 1)).icrc_ok);
  EXPECT_TRUE(deliver(bench, damaged(small, 59, 0xFF)).icrc_ok) << "padding does not count";

  options = {.kind = Kind::kRoceWrite, .length = 200};
  const wire::Buffer frame = makeFrame(options, random);
  for (std::size_t length = 201; length < 400; ++length) {
    wire::Buffer padded = frame;
    padded.resize(frame.size() - wire::kFcsSize);
    padded.resize(length - wire::kFcsSize, 0xEE);
    wire::appendFcs(padded);
    const Descriptor seen = deliver(bench, padded);
    ASSERT_TRUE(seen.icrc_checked && seen.icrc_ok) << length;
  }
}

TEST(RxCheck, TrimmedRoceFrameHasABadIcrcAndStillItsTag) {
  RxBench bench;
  RandomStream random(6, "check");
  const wire::Buffer whole = makeFrame({.kind = Kind::kRoceSend, .length = 1024}, random);
  std::uint64_t frames = 0;
  for (std::size_t length = 80; length < 1024; length += 1 + random.below(5)) {
    // The right register of a frame before must not serve for this one.
    EXPECT_TRUE(deliver(bench, whole).icrc_ok);
    wire::Buffer cut = whole;
    resizeFrame(cut, length);
    const Descriptor seen = deliver(bench, cut);
    ASSERT_TRUE(seen.fcs_ok && seen.icrc_checked) << length;
    ASSERT_FALSE(seen.icrc_ok) << length;
    ++frames;
  }
  bench.settle();
  const FlowRow row = bench.flowRow(0);
  EXPECT_EQ(row.frames, 2 * frames);
  EXPECT_EQ(row.bad_icrc, frames);
}

TEST(RxCheck, RuntsOfEveryLength) {
  RxBench bench;
  RandomStream random(7, "check");
  const wire::Buffer whole = makeFrame({.length = 64}, random);
  std::uint64_t bytes = 0;
  for (std::size_t length = 1; length < 64; ++length) {
    wire::Buffer runt = whole;
    if (length > 4) {
      resizeFrame(runt, length);
    } else {
      runt.resize(length);
    }
    const Descriptor seen = deliver(bench, runt);
    ASSERT_EQ(seen.length, length);
    ASSERT_EQ(seen.fcs_ok, length > 4) << length;
    bytes += length;
  }
  // What leaves the residue without being a frame.
  const wire::Buffer residue = {0x00, 0x00, 0x00, 0x00};
  for (std::size_t length = 1; length <= 4; ++length) {
    for (int i = 0; i < 200; ++i) {
      wire::Buffer bytes_only(length);
      for (auto& byte : bytes_only) byte = static_cast<std::uint8_t>(random.next());
      ASSERT_FALSE(deliver(bench, bytes_only).fcs_ok);
      bytes += length;
    }
  }
  ASSERT_FALSE(deliver(bench, residue).fcs_ok);
  bytes += 4;
  bench.settle();
  EXPECT_EQ(bench.counters(),
            (PortCounters{.frames = 63 + 801, .bytes = bytes, .runts = 63 + 801}));
  EXPECT_EQ(bench.flowRow(0), FlowRow{});
}

TEST(RxCheck, GiantsOfAnyLengthCountOnceAndWithAllTheirBytes) {
  RxBench bench;
  RandomStream random(8, "check");
  const wire::Buffer largest = makeFrame({.length = 9216}, random);
  std::uint64_t bytes = 0;
  std::uint64_t giants = 0;
  for (const std::size_t length : {std::size_t{9217}, std::size_t{9280}, std::size_t{65535},
                                   std::size_t{65536}, std::size_t{65600}, std::size_t{131072 + 64},
                                   std::size_t{2048 * 64 + 1}, std::size_t{3000001}}) {
    wire::Buffer giant = largest;
    giant.resize(length - wire::kFcsSize, 0x55);
    wire::appendFcs(giant);
    const Descriptor seen = deliver(bench, giant);
    EXPECT_EQ(seen.length, std::min<std::size_t>(length, 65535));
    EXPECT_TRUE(seen.fcs_ok) << length;
    giant[giant.size() - 1] ^= 1;
    EXPECT_FALSE(deliver(bench, giant).fcs_ok) << length;
    bytes += 2 * length;
    giants += 2;
    ASSERT_TRUE(deliver(bench, largest).fcs_ok);
  }
  bench.settle();
  EXPECT_EQ(bench.counters(), (PortCounters{.frames = giants + giants / 2,
                                            .bytes = bytes + giants / 2 * 9216,
                                            .giants = giants}));
  EXPECT_EQ(bench.flowRow(0).frames, giants / 2);
}

TEST(RxCheck, RandomTrafficInAnyOrderAndSpacing) {
  RxBench bench;
  RandomStream random(9, "check");
  struct Expected {
    std::uint64_t timestamp;
    std::size_t length;
    bool fcs_ok;
    bool icrc_checked;
    bool icrc_ok;
  };
  std::vector<Expected> expected;
  PortCounters counters;
  FlowRow row;
  for (int i = 0; i < 4000; ++i) {
    FrameOptions options{.kind = allKinds()[random.below(allKinds().size())],
                         .vlan = random.below(2) != 0,
                         .ipv6 = random.below(2) != 0,
                         .ecn = static_cast<wire::Ecn>(random.below(4)),
                         .udp_checksum = random.below(2) != 0};
    options.length = minimumLength(options) +
                     static_cast<std::uint32_t>(random.below(random.below(4) == 0 ? 600 : 70));
    options.tag = wire::TestTag{.id = 0, .sequence = row.next_sequence};
    wire::Buffer frame = makeFrame(options, random);
    const std::uint64_t fate = random.below(8);
    bool fcs_ok = true;
    bool icrc_ok = isRoce(options.kind);
    const std::size_t behind_tag = tagOffset(options) + wire::TestTag::kSize;
    if (fate == 0) {
      // An error of one bit, every third time in the last beat's last byte.
      const std::size_t at = random.below(3) == 0 ? frame.size() - 1 : random.below(frame.size());
      frame[at] ^= static_cast<std::uint8_t>(1U << random.below(8));
      fcs_ok = false;
    } else if (fate == 1 && isRoce(options.kind)) {
      frame = damaged(frame, behind_tag + random.below(frame.size() - 4 - behind_tag), 0x80);
      icrc_ok = false;
    }
    counters.frames += 1;
    counters.bytes += frame.size();
    counters.fcs_errors += fcs_ok ? 0 : 1;
    if (fcs_ok) {
      counters.icrc_errors += isRoce(options.kind) && !icrc_ok ? 1 : 0;
      row.frames += 1;
      row.bytes += frame.size();
      row.ce += options.ecn == wire::Ecn::kCe ? 1 : 0;
      row.bad_icrc += isRoce(options.kind) && !icrc_ok ? 1 : 0;
      row.next_sequence += 1;
    }
    expected.push_back({.timestamp = bench.now(),
                        .length = frame.size(),
                        .fcs_ok = fcs_ok,
                        .icrc_checked = fcs_ok && isRoce(options.kind),
                        .icrc_ok = fcs_ok && icrc_ok});
    bench.send(frame, random, random.below(3) * 4);
    if (random.below(2) == 0) bench.idle(random.below(6));
  }
  bench.settle();
  EXPECT_EQ(bench.counters(), counters);
  EXPECT_EQ(bench.flowRow(0), row);
  ASSERT_EQ(bench.descriptors.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Descriptor& seen = bench.descriptors[i];
    ASSERT_EQ(seen.timestamp, expected[i].timestamp) << i;
    ASSERT_EQ(seen.length, expected[i].length) << i;
    ASSERT_EQ(seen.fcs_ok, expected[i].fcs_ok) << i;
    ASSERT_EQ(seen.icrc_checked, expected[i].icrc_checked) << i;
    ASSERT_EQ(seen.icrc_ok, expected[i].icrc_ok) << i;
  }
}

}  // namespace
}  // namespace plumbline::test
