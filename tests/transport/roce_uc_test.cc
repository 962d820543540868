// Unreliable connections: whole messages or nothing, without notification of losses.
#include <gtest/gtest.h>

#include "tests/transport/roce_hosts.h"

namespace plumbline::transport_test {
namespace {

using transport::Message;
using transport::RoceService;
using transport::RoceSpec;
using transport::Verb;

RoceSpec ucSpec() {
  RoceSpec spec;
  spec.service = RoceService::kUc;
  spec.path_mtu = static_cast<std::uint32_t>(kMtu);
  return spec;
}

Message send(std::uint64_t bytes, std::uint32_t tag) {
  return {.to = 1, .verb = Verb::kSend, .bytes = bytes, .tag = tag};
}

auto withPsn(std::uint32_t psn) {
  return [psn](const fabric::Packet& packet) { return packet.psn == psn; };
}

// Three messages of four packets; one packet of the second is lost.
TEST(RoceUc, LossOfAnyPacketLosesItsMessageAlone) {
  for (std::uint32_t k = 4; k < 8; ++k) {
    SCOPED_TRACE(k);
    RoceHosts hosts(ucSpec());
    hosts.network->add({.matches = withPsn(k)});
    for (std::uint32_t i = 0; i < 3; ++i) {
      hosts.applications[0].postAt(Picoseconds{0}, send(4 * kMtu - i, i));
    }
    hosts.network->run();
    const auto& arrivals = hosts.applications[1].arrivals;
    ASSERT_EQ(arrivals.size(), 2U);
    EXPECT_EQ(arrivals[0].event.tag, 0U);
    EXPECT_EQ(arrivals[0].event.bytes, 4U * kMtu);
    EXPECT_EQ(arrivals[1].event.tag, 2U);
    EXPECT_EQ(arrivals[1].event.bytes, 4U * kMtu - 2);
    EXPECT_EQ(hosts.applications[0].completions.size(), 3U);  // it cannot know
    EXPECT_EQ(hosts.roce[0]->stats().data_sent, 12U);
    EXPECT_EQ(hosts.roce[0]->stats().retransmitted, 0U);
    EXPECT_EQ(hosts.roce[0]->stats().timeouts, 0U);
    EXPECT_EQ(hosts.roce[1]->stats().control_sent, 0U);
    EXPECT_EQ(hosts.roce[1]->stats().discarded, 7 - k);  // the rest of the message
  }
}

// The end of one message and the beginning of the next are lost: they must not become one.
TEST(RoceUc, RemainsOfTwoMessagesAreNotJoined) {
  RoceHosts hosts(ucSpec());
  hosts.network->add({.matches = withPsn(3)});
  hosts.network->add({.matches = withPsn(4)});
  for (std::uint32_t i = 0; i < 3; ++i)
    hosts.applications[0].postAt(Picoseconds{0}, send(4 * kMtu, i));
  hosts.network->run();
  ASSERT_EQ(hosts.applications[1].arrivals.size(), 1U);
  EXPECT_EQ(hosts.applications[1].arrivals[0].event.tag, 2U);
  EXPECT_EQ(hosts.applications[1].arrivals[0].event.bytes, 4U * kMtu);
}

TEST(RoceUc, LateAndRepeatedPacketsAreDiscarded) {
  RoceHosts hosts(ucSpec());
  hosts.network->add(
      {.matches = withPsn(1), .action = Action::kDuplicate, .extra = microseconds(3)});
  hosts.network->add({.matches = withPsn(5), .action = Action::kDelay, .extra = microseconds(3)});
  for (std::uint32_t i = 0; i < 3; ++i)
    hosts.applications[0].postAt(Picoseconds{0}, send(4 * kMtu, i));
  hosts.network->run();
  const auto& arrivals = hosts.applications[1].arrivals;
  ASSERT_EQ(arrivals.size(), 2U);
  EXPECT_EQ(arrivals[0].event.tag, 0U);
  EXPECT_EQ(arrivals[1].event.tag, 2U);
  EXPECT_EQ(hosts.roce[1]->stats().out_of_order, 2U);
  EXPECT_EQ(hosts.roce[1]->stats().discarded, 2U + 2U);
}

TEST(RoceUc, LongerThanTheSpaceOfPsns) {
  RoceSpec spec = ucSpec();
  spec.path_mtu = 256;
  spec.first_psn = 0xFFFFFF;
  RoceHosts hosts(spec);
  for (std::uint32_t i = 0; i < 3; ++i) hosts.applications[0].postAt(Picoseconds{0}, send(1000, i));
  hosts.network->run();
  EXPECT_EQ(hosts.applications[1].arrivals.size(), 3U);
  EXPECT_EQ(hosts.network->log()[1].packet.psn, 0U);
}

}  // namespace
}  // namespace plumbline::transport_test
