// Single headers below the transports: fields at their places, checksums, address text.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "base/error.h"
#include "wire/addresses.h"
#include "wire/ethernet.h"
#include "wire/flow_control.h"
#include "wire/ip.h"
#include "wire/test_tag.h"
#include "wire/udp.h"
#include "worked_frames.h"

namespace plumbline::wire {
namespace {

template <typename Header>
Buffer encoded(const Header& header) {
  Buffer out;
  append(out, header);
  return out;
}

template <typename Header>
Header decoded(const Buffer& bytes) {
  return Header::decode(ByteView(bytes).first<Header::kSize>());
}

TEST(Ethernet, HeaderAndTag) {
  const EthernetHeader header{{{1, 2, 3, 4, 5, 6}}, {{7, 8, 9, 10, 11, 12}}, 0x8100};
  EXPECT_EQ(encoded(header), test::fromHex("0102030405060708090a0b0c8100"));
  EXPECT_EQ(decoded<EthernetHeader>(encoded(header)), header);
  const VlanTag tag{.pcp = 5, .dei = true, .vid = 0xABC, .ether_type = 0x86DD};
  EXPECT_EQ(encoded(tag), test::fromHex("babc86dd"));
  EXPECT_EQ(decoded<VlanTag>(encoded(tag)), tag);
  EXPECT_EQ(header.destination.toString(), "01:02:03:04:05:06");
}

TEST(Ip, Ipv4Fields) {
  Ipv4Header header{.dscp = 0x2E,
                    .ecn = Ecn::kCe,
                    .total_length = 0x1234,
                    .identification = 0x5678,
                    .dont_fragment = false,
                    .more_fragments = true,
                    .fragment_offset = 0x1ABC,
                    .ttl = 7,
                    .protocol = 0x99,
                    .checksum = 0xDEF0,
                    .source = {{10, 0, 0, 1}},
                    .destination = {{10, 0, 0, 2}}};
  EXPECT_EQ(encoded(header), test::fromHex("45bb123456783abc0799def00a0000010a000002"));
  EXPECT_EQ(decoded<Ipv4Header>(encoded(header)), header);
}

TEST(Ip, Ipv6Fields) {
  Ipv6Header header{.dscp = 0x2E,
                    .ecn = Ecn::kEct1,
                    .flow_label = 0xABCDE,
                    .payload_length = 0x1234,
                    .next_header = 0x99,
                    .hop_limit = 3,
                    .source = hostIpv6(0),
                    .destination = hostIpv6(1)};
  EXPECT_EQ(encoded(header), test::fromHex("6b9abcde12349903"
                                           "20010db8000000000000000000000001"
                                           "20010db8000000010000000000000001"));
  EXPECT_EQ(decoded<Ipv6Header>(encoded(header)), header);
}

TEST(Ip, ChecksumOfAKnownHeader) {
  // Header of a worked frame with its checksum cleared.
  const Buffer header = test::fromHex("456a007c0001400040110000c6120001c6120002");
  EXPECT_EQ(ipv4Checksum(ByteView(header).first<20>()), 0xADDE);
  const Buffer odd = test::fromHex("ffff01");
  EXPECT_EQ(internetSum(odd), 0x0100);  // 0xFFFF is zero in one's complement
}

TEST(Ip, AddressText) {
  EXPECT_EQ(hostIpv4(3).toString(), "198.18.3.1");
  const auto ipv6 = [](std::string_view hex) {
    Ipv6Address address;
    const Buffer bytes = test::fromHex(hex);
    std::copy(bytes.begin(), bytes.end(), address.octets.begin());
    return address.toString();
  };
  EXPECT_EQ(ipv6("00000000000000000000000000000000"), "::");
  EXPECT_EQ(ipv6("00000000000000000000000000000001"), "::1");
  EXPECT_EQ(ipv6("20010db8000000000000000000000000"), "2001:db8::");
  EXPECT_EQ(ipv6("20010db8000000010000000000000001"), "2001:db8:0:1::1");
  EXPECT_EQ(ipv6("20010db8000000000001000000000001"), "2001:db8::1:0:0:1");
  EXPECT_EQ(ipv6("20010db8000100020003000400050000"), "2001:db8:1:2:3:4:5:0");
  EXPECT_EQ(ipv6("fe80000000000000020000fffe000001"), "fe80::200:ff:fe00:1");
}

TEST(Addresses, AreDistinctAndInTheBenchmarkNetworks) {
  EXPECT_EQ(hostMac(0).toString(), "02:00:00:00:00:01");
  EXPECT_EQ(hostMac(255).toString(), "02:00:00:00:01:00");
  EXPECT_EQ(hostIpv4(0).toString(), "198.18.0.1");
  EXPECT_EQ(hostIpv4(kMaxHosts - 1).toString(), "198.19.255.1");
  EXPECT_EQ(hostIpv6(7).toString(), "2001:db8:0:7::1");
  EXPECT_THROW(hostIpv4(kMaxHosts), Error);
  EXPECT_THROW(hostIpv6(kMaxHosts), Error);
}

TEST(Udp, ChecksumMatchesAHandCalculation) {
  // 10.0.0.1 -> 10.0.0.2, ports 1 -> 2, one payload byte 0x80:
  // 0A00+0001+0A00+0002 + 0011+0009 + 0001+0002+0009+8000 = 9429, inverted 6BD6.
  const Buffer addresses = test::fromHex("0a0000010a000002");
  const Buffer datagram = test::fromHex("000100020009ffff80");
  EXPECT_EQ(udpChecksum(addresses, datagram), 0x6BD6);
}

TEST(Udp, AComputedZeroIsSentAsOnes) {
  // The payload word makes the sum 0xFFFF.
  const Buffer addresses(8, 0);
  Buffer datagram = test::fromHex("00000000000a00000000");
  store16(&datagram[8], static_cast<std::uint16_t>(0xFFFF - 17 - 10 - 10));
  EXPECT_EQ(udpChecksum(addresses, datagram), 0xFFFF);
}

TEST(FlowControl, EveryFieldRoundTrips) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    PfcHeader pfc;
    pfc.enabled = static_cast<std::uint8_t>(random());
    for (auto& quanta : pfc.quanta) quanta = static_cast<std::uint16_t>(random());
    EXPECT_EQ(decoded<PfcHeader>(encoded(pfc)), pfc);
    CcUpdate update;
    update.message_type = 2;
    for (auto& counter : update.consumed) counter = random() & 0xFFFFFU;
    EXPECT_EQ(decoded<CcUpdate>(encoded(update)), update);
  }
  const PauseHeader pause{0x1234};
  EXPECT_EQ(encoded(pause), test::fromHex("00011234"));
  EXPECT_EQ(decoded<PauseHeader>(encoded(pause)), pause);
}

TEST(FlowControl, CcUpdateIsToldByCompanyAndType) {
  Buffer body = encoded(CcUpdate{});
  const auto matches = [&body] {
    return CcUpdate::matches(ByteView(body).first<CcUpdate::kSize>());
  };
  EXPECT_TRUE(matches());
  body[5] = 3;
  EXPECT_FALSE(matches());
  body[5] = 2;
  EXPECT_TRUE(matches());
  body[4] ^= 1;
  EXPECT_FALSE(matches());
}

TEST(TestTag, LayoutIsTheCards) {
  const TestTag tag{TestTag::makeId(5, 0x123), 0x0102030405060708ULL, 0xA1A2A3A4A5A6ULL};
  EXPECT_EQ(encoded(tag), test::fromHex("504c29230102030405060708a1a2a3a4a5a6"));
  EXPECT_EQ(tag.group(), 5U);
  EXPECT_EQ(tag.row(), 0x123U);
  Buffer bytes = encoded(tag);
  EXPECT_EQ(TestTag::decode(ByteView(bytes).first<TestTag::kSize>()), tag);
  bytes[1] ^= 1;
  EXPECT_FALSE(TestTag::decode(ByteView(bytes).first<TestTag::kSize>()).has_value());
}

}  // namespace
}  // namespace plumbline::wire
