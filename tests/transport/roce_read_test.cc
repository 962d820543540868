// RDMA READ: requests, responses, and their place among other messages of the QP.
#include <gtest/gtest.h>

#include "tests/transport/roce_hosts.h"

namespace plumbline::transport_test {
namespace {

using transport::Message;
using transport::RoceKind;
using transport::RoceRecovery;
using transport::RoceSpec;
using transport::Verb;
namespace code = transport::roce_code;

RoceSpec readSpec() {
  RoceSpec spec;
  spec.path_mtu = static_cast<std::uint32_t>(kMtu);
  return spec;
}

Message read(std::uint64_t bytes, std::uint32_t tag = 0) {
  return {.to = 1, .flow = 2, .verb = Verb::kRead, .bytes = bytes, .tag = tag};
}

bool isRequest(const fabric::Packet& packet) {
  return RoceHosts::code(packet) == code::kReadRequest;
}
bool isResponse(const fabric::Packet& packet) {
  return transport::meaningOf(RoceHosts::code(packet)).kind == RoceKind::kReadResponse;
}
auto responseWithPsn(std::uint32_t psn) {
  return [psn](const fabric::Packet& packet) { return isResponse(packet) && packet.psn == psn; };
}

TEST(RoceRead, SegmentsAndTimes) {
  for (const std::uint64_t bytes : {1U, 1023U, 1024U, 1025U, 5000U}) {
    SCOPED_TRACE(bytes);
    RoceHosts hosts(readSpec());
    hosts.applications[0].postAt(Picoseconds{0}, read(bytes, 55));
    hosts.network->run();
    const auto requests = hosts.network->sent(isRequest);
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_EQ(requests[0].packet.length, 78);
    EXPECT_EQ(requests[0].packet.extra, bytes);
    const auto responses = hosts.network->sent(isResponse);
    const std::uint64_t packets = (bytes + kMtu - 1) / kMtu;
    ASSERT_EQ(responses.size(), packets);
    std::int64_t leaves = kDelay.count() + 78 * kByte;
    std::int64_t done = 0;
    for (std::uint64_t i = 0; i < packets; ++i) {
      const bool aeth = i == 0 || i + 1 == packets;
      const auto payload = static_cast<std::int64_t>(i + 1 == packets ? bytes - i * kMtu : kMtu);
      const std::int64_t frame = 62 + (aeth ? 4 : 0) + (payload + 3) / 4 * 4;
      EXPECT_EQ(responses[i].time.count(), leaves);
      EXPECT_EQ(responses[i].packet.length, frame);
      EXPECT_EQ(responses[i].packet.psn, i);
      EXPECT_EQ(responses[i].packet.destination, 0);
      done = leaves + kDelay.count() + frame * kByte;
      leaves += (frame + 20) * kByte;
    }
    ASSERT_EQ(hosts.applications[0].arrivals.size(), 1U);
    EXPECT_EQ(hosts.applications[0].arrivals[0].time.count(), done);
    EXPECT_EQ(hosts.applications[0].arrivals[0].event.bytes, bytes);
    EXPECT_EQ(hosts.applications[0].arrivals[0].event.from, 1U);
    EXPECT_EQ(hosts.applications[0].arrivals[0].event.tag, 55U);
    ASSERT_EQ(hosts.applications[0].completions.size(), 1U);
    EXPECT_EQ(hosts.applications[0].completions[0].time.count(), done);
    EXPECT_EQ(hosts.applications[0].completions[0].event.verb, Verb::kRead);
    EXPECT_TRUE(hosts.applications[1].arrivals.empty());
    EXPECT_TRUE(hosts.network->sent(RoceHosts::isAck).empty());
    EXPECT_EQ(hosts.roce[0]->stats().payload_received, bytes);
    EXPECT_EQ(hosts.roce[1]->stats().data_sent, packets);
    EXPECT_EQ(hosts.roce[0]->stats().timeouts, 0U);
  }
}

// The READ takes as many PSNs as it has responses; its neighbours take the others.
TEST(RoceRead, AmongWrites) {
  RoceHosts hosts(readSpec());
  const Message write = {.to = 1, .flow = 2, .verb = Verb::kWrite, .bytes = 3 * kMtu};
  hosts.applications[0].postAt(Picoseconds{0}, write);
  hosts.applications[0].postAt(Picoseconds{0}, read(4 * kMtu));
  hosts.applications[0].postAt(Picoseconds{0}, write);
  hosts.applications[0].postAt(Picoseconds{0}, read(2 * kMtu));
  hosts.network->run();
  const auto requests = hosts.network->sent(isRequest);
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].packet.psn, 3U);
  EXPECT_EQ(requests[1].packet.psn, 3U + 4U + 3U);
  const auto& completions = hosts.applications[0].completions;
  ASSERT_EQ(completions.size(), 4U);
  const std::vector<Verb> order = {Verb::kWrite, Verb::kRead, Verb::kWrite, Verb::kRead};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(completions[i].event.verb, order[i]);
  EXPECT_EQ(hosts.applications[1].arrivals.size(), 2U);
  EXPECT_EQ(hosts.roce[1]->stats().retransmitted, 0U);
  EXPECT_EQ(hosts.roce[0]->stats().retransmitted, 0U);
  // No ACK confirms a packet after a READ before the READ has been answered.
  const auto last_response = hosts.network->sent(responseWithPsn(6)).front().time;
  for (const Sent& ack : hosts.network->sent(RoceHosts::isAck)) {
    EXPECT_TRUE(ack.packet.psn <= 2 || ack.time > last_response);
  }
}

// Ten responses, one of which is lost: those from it on are requested and sent again.
TEST(RoceRead, LostResponseAtEachPosition) {
  for (const RoceRecovery recovery : {RoceRecovery::kGoBackN, RoceRecovery::kSelectiveRepeat}) {
    for (std::uint32_t k = 0; k < 10; ++k) {
      SCOPED_TRACE(k);
      RoceSpec spec = readSpec();
      spec.recovery = recovery;
      RoceHosts hosts(spec);
      hosts.network->add({.matches = responseWithPsn(k)});
      hosts.applications[0].postAt(Picoseconds{0}, read(10 * kMtu - 3));
      hosts.network->run();
      ASSERT_EQ(hosts.applications[0].arrivals.size(), 1U);
      EXPECT_EQ(hosts.applications[0].arrivals[0].event.bytes, 10 * kMtu - 3);
      EXPECT_EQ(hosts.applications[0].completions.size(), 1U);
      const auto requests = hosts.network->sent(isRequest);
      ASSERT_EQ(requests.size(), 2U);
      EXPECT_EQ(requests[1].packet.psn, k);
      EXPECT_EQ(requests[1].packet.extra, (10 - k) * kMtu - 3);
      EXPECT_EQ(hosts.roce[1]->stats().retransmitted, 10 - k);
      EXPECT_EQ(hosts.roce[0]->stats().discarded, 9 - k);
      EXPECT_EQ(hosts.roce[0]->stats().timeouts, k == 9 ? 1U : 0U);
      EXPECT_EQ(hosts.roce[0]->stats().payload_received, 10 * kMtu - 3);
    }
  }
}

TEST(RoceRead, LostRequestIsSentAgainAfterTheTimeout) {
  RoceHosts hosts(readSpec());
  hosts.network->add({.matches = isRequest});
  hosts.applications[0].postAt(microseconds(3), read(5 * kMtu));
  hosts.network->run();
  const auto requests = hosts.network->sent(isRequest);
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[1].time, microseconds(3) + RoceSpec{}.ack_timeout);
  EXPECT_EQ(hosts.applications[0].arrivals.size(), 1U);
}

// A lost request followed by a write: the responder's NAK brings it back without a timeout.
TEST(RoceRead, LostRequestIsMissedByWhatFollows) {
  for (const RoceRecovery recovery : {RoceRecovery::kGoBackN, RoceRecovery::kSelectiveRepeat}) {
    RoceSpec spec = readSpec();
    spec.recovery = recovery;
    RoceHosts hosts(spec);
    hosts.network->add({.matches = isRequest});
    hosts.applications[0].postAt(Picoseconds{0}, read(5 * kMtu));
    hosts.applications[0].postAt(Picoseconds{0},
                                 {.to = 1, .flow = 2, .verb = Verb::kSend, .bytes = 100});
    hosts.network->run();
    EXPECT_EQ(hosts.applications[0].completions.size(), 2U);
    EXPECT_EQ(hosts.applications[1].arrivals.size(), 1U);
    EXPECT_EQ(hosts.roce[0]->stats().timeouts, 0U);
    EXPECT_EQ(hosts.network->sent(isRequest).size(), 2U);
  }
}

TEST(RoceRead, RequestRepeatedByTheNetworkIsAnsweredOnceToTheApplication) {
  RoceHosts hosts(readSpec());
  hosts.network->add(
      {.matches = isRequest, .action = Action::kDuplicate, .extra = microseconds(5)});
  hosts.applications[0].postAt(Picoseconds{0}, read(3 * kMtu));
  hosts.network->run();
  EXPECT_EQ(hosts.applications[0].arrivals.size(), 1U);
  EXPECT_EQ(hosts.roce[0]->stats().payload_received, 3U * kMtu);
  EXPECT_EQ(hosts.roce[0]->stats().duplicates, 3U);
}

// A READ with more responses than distinguishable PSNs is requested in parts of 2^20.
TEST(RoceRead, LongReadsAreAskedForInParts) {
  RoceSpec spec;
  spec.path_mtu = 256;
  transport::RoceProtocol roce(spec, {.self = 0, .rate = kRate});
  const std::uint64_t part = std::uint64_t{256} << 20;
  roce.post({.to = 1, .verb = Verb::kRead, .bytes = 6 * part + 5}, Picoseconds{0});
  fabric::Packet packet;
  // Four parts fill the window of 2^22.
  for (std::uint32_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(roce.transmit(nanoseconds(10) * i, 0, packet));
    EXPECT_EQ(packet.psn, i << 20);
    EXPECT_EQ(packet.extra, part);
  }
  EXPECT_FALSE(roce.transmit(nanoseconds(40), 0, packet));
}

// Both hosts read from and write to each other over the same QP.
TEST(RoceRead, BothDirectionsOfOneQp) {
  RoceHosts hosts(readSpec());
  for (std::uint32_t host = 0; host < 2; ++host) {
    for (std::uint32_t i = 0; i < 20; ++i) {
      const Verb verb = i % 2 == 0 ? Verb::kRead : Verb::kWrite;
      hosts.applications[host].postAt(
          Picoseconds{0}, {.to = 1 - host, .flow = 7, .verb = verb, .bytes = 9000, .tag = i});
    }
  }
  hosts.network->run();
  for (std::uint32_t host = 0; host < 2; ++host) {
    EXPECT_EQ(hosts.applications[host].completions.size(), 20U);
    EXPECT_EQ(hosts.applications[host].arrivals.size(), 20U);
    EXPECT_EQ(hosts.roce[host]->stats().payload_received, 20U * 9000);
    EXPECT_EQ(hosts.roce[host]->stats().retransmitted, 0U);
    EXPECT_EQ(hosts.roce[host]->stats().timeouts, 0U);
  }
}

}  // namespace
}  // namespace plumbline::transport_test
