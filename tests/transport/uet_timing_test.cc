// Times of UET's retransmissions, to the picosecond: NACKs and timeouts for a packet at each place
// of a message, backoff, losses inferred from a gap, and delayed ACKs.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/transport/uet_hosts.h"

namespace plumbline::transport_test {
namespace {

using transport::NackCode;
using transport::UetService;
using transport::UetSpec;
using transport::Verb;

constexpr std::uint32_t kUnaskedPackets = 3;  // 12,288 bytes: below the ACK trigger of 16 KiB

Rule dataRule(std::uint64_t first, std::uint64_t count, Action action) {
  Rule rule;
  rule.matches = UetHosts::isData;
  rule.first = first;
  rule.count = count;
  rule.action = action;
  return rule;
}

// A message of kUnaskedPackets full packets from host 0 to host 1, one packet of which suffers.
struct OneMessage {
  OneMessage(const UetSpec& spec, const Rule& rule) : hosts(spec) {
    hosts.network->add(rule);
    hosts.applications[0].postAt(Picoseconds(0),
                                 {1, 0, Verb::kWrite, std::uint64_t{kUnaskedPackets} * 4096, 7});
    hosts.network->run();
    data = hosts.network->sent(UetHosts::isData);
    nacks = hosts.network->sent(UetHosts::isNack);
  }

  // From the first bit of data packet `index` to the last bit of its receiver's answer, if the
  // packet arrives with `arriving` bytes and the answer has `answer`.
  Picoseconds answered(std::size_t index, std::int64_t arriving, std::int64_t answer) const {
    return data[index].time + kWire + bytes(arriving) + kWire + bytes(answer);
  }
  Picoseconds wireFree() const {
    return data[kUnaskedPackets - 1].time + bytes(data[kUnaskedPackets - 1].packet.length + 20);
  }
  void expectSentAgain(std::uint32_t place, Picoseconds time) const {
    ASSERT_GT(data.size(), kUnaskedPackets);
    EXPECT_EQ(data[kUnaskedPackets].packet.psn, data[place].packet.psn);
    EXPECT_EQ(data[kUnaskedPackets].time, time);
    EXPECT_EQ(hosts.applications[1].arrivals.size(), 1U);
  }

  UetHosts hosts;
  std::vector<Sent> data;
  std::vector<Sent> nacks;
};

class EachPlace : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(UetTiming, EachPlace, ::testing::Range(0U, kUnaskedPackets));

TEST_P(EachPlace, TimeoutRunsFromTheLostPacketItself) {
  const std::uint32_t place = GetParam();
  for (const UetService service : {UetService::kRud, UetService::kRudi}) {
    const UetSpec spec = plain(service);
    const OneMessage run(spec, dataRule(place, 1, Action::kDrop));
    run.expectSentAgain(place, run.data[place].time + spec.rto);
    EXPECT_EQ(run.data.size(), kUnaskedPackets + 1);
  }
}

TEST_P(EachPlace, OrderedGapIsNackedByThePacketBehindIt) {
  const std::uint32_t place = GetParam();
  const UetSpec spec = plain(UetService::kRod);
  const OneMessage run(spec, dataRule(place, 1, Action::kDrop));
  if (place + 1 == kUnaskedPackets) {  // nothing behind it
    EXPECT_TRUE(run.nacks.empty());
    run.expectSentAgain(place, run.data[place].time + spec.rto);
    return;
  }
  ASSERT_EQ(run.nacks.size(), 1U);
  EXPECT_EQ(run.nacks[0].packet.aux, static_cast<std::uint32_t>(NackCode::kRodOutOfOrder));
  EXPECT_EQ(run.nacks[0].packet.psn, run.data[place].packet.psn);
  run.expectSentAgain(place, run.answered(place + 1, 4198, 64));
}

TEST_P(EachPlace, TrimmedPacketIsNackedAndSentAgainAtOnce) {
  const std::uint32_t place = GetParam();
  for (const UetService service : {UetService::kRud, UetService::kRudi, UetService::kRod}) {
    for (const bool last_hop : {false, true}) {
      Rule rule = dataRule(place, 1, Action::kTrim);
      rule.last_hop = last_hop;
      const OneMessage run(plain(service), rule);
      ASSERT_EQ(run.nacks.size(), 1U);
      // RUDI answers the previous packet with 66 bytes, which may still be in transmission.
      const bool answering = service == UetService::kRudi && place > 0;
      const Picoseconds answer_left =
          answering ? run.data[place - 1].time + kWire + bytes(4194 + 66 + 20) : Picoseconds(0);
      const Picoseconds nacked = std::max(run.data[place].time + kWire + bytes(64), answer_left);
      EXPECT_EQ(run.nacks[0].time, nacked);
      EXPECT_EQ(
          run.nacks[0].packet.aux,
          static_cast<std::uint32_t>(last_hop ? NackCode::kTrimmedLastHop : NackCode::kTrimmed));
      run.expectSentAgain(place, std::max(nacked + kWire + bytes(64), run.wireFree()));
    }
  }
}

TEST(UetTiming, UudAnswersNothing) {
  const OneMessage run(plain(UetService::kUud), dataRule(1, 1, Action::kTrim));
  EXPECT_EQ(run.data.size(), kUnaskedPackets);
  EXPECT_TRUE(run.nacks.empty());
  ASSERT_EQ(run.hosts.applications[0].completions.size(), 1U);
  EXPECT_EQ(run.hosts.applications[0].completions[0].time, run.data[kUnaskedPackets - 1].time);
}

// Five doublings, and the sixth timeout in a row fails; later messages are sent as usual.
TEST(UetTiming, DefaultBackoffEndsAfter63Timeouts) {
  for (const UetService service : {UetService::kRod, UetService::kRud, UetService::kRudi}) {
    const UetSpec spec = plain(service);
    UetHosts hosts(spec);
    hosts.network->add(dataRule(0, 6, Action::kDrop));
    hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 100, 7});
    hosts.applications[0].postAt(milliseconds(70), {1, 0, Verb::kWrite, 100, 8});
    hosts.network->run();
    const auto data = hosts.network->sent(UetHosts::isData);
    ASSERT_EQ(data.size(), 7U);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(data[i].time, spec.rto * ((1 << i) - 1)) << i;
    EXPECT_EQ(hosts.uet[0]->stats().timeouts, 6U);
    EXPECT_EQ(hosts.uet[0]->uetStats().pdcs_failed, 1U);
    const auto& completions = hosts.applications[0].completions;
    ASSERT_EQ(completions.size(), 2U);
    EXPECT_EQ(completions[0].time, spec.rto * 63);
    EXPECT_TRUE(completions[0].event.failed);
    EXPECT_FALSE(completions[1].event.failed);
    ASSERT_EQ(hosts.applications[1].arrivals.size(), 1U);
    EXPECT_EQ(hosts.applications[1].arrivals[0].event.tag, 8U);
  }
}

TEST(UetTiming, RudiForgetsWhatItsSourceGaveUp) {
  UetSpec spec = plain(UetService::kRudi);
  spec.mp_range = 8;
  spec.rto = microseconds(20);
  UetHosts hosts(spec);
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, std::uint64_t{3} * 4096, 1});
  hosts.applications[0].postAt(milliseconds(10), {1, 0, Verb::kWrite, std::uint64_t{40} * 4096, 2});
  Rule rule = dataRule(0, 6, Action::kDrop);
  rule.matches = [](const fabric::Packet& p) {
    return UetHosts::isData(p) && transport::unpackData(p.extra, false).index == 1;
  };
  hosts.network->add(rule);
  hosts.network->run();
  ASSERT_EQ(hosts.applications[0].completions.size(), 2U);
  EXPECT_TRUE(hosts.applications[0].completions[0].event.failed);
  EXPECT_FALSE(hosts.applications[0].completions[1].event.failed);
  ASSERT_EQ(hosts.applications[1].arrivals.size(), 1U);
  EXPECT_EQ(hosts.applications[1].arrivals[0].event.bytes, 40U * 4096);
  EXPECT_EQ(hosts.uet[1]->uetStats().nacks_sent, 0U);
}

// Every packet is acknowledged by itself. The first is lost; it was transmission 1, so that the ACK
// of transmission 1 + 4 shows it. Its retransmission takes the next place on the wire.
TEST(UetTiming, GapOfTransmissionsInfersALoss) {
  UetSpec spec = plain(UetService::kRud);
  spec.loss_gap = 4;
  spec.ack_per_packet = true;
  UetHosts hosts(spec);
  hosts.network->add(dataRule(0, 1, Action::kDrop));
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, std::uint64_t{20} * 4096, 7});
  hosts.network->run();
  const Picoseconds slot = bytes(4198 + 20);
  // Fifth packet there; an ACK with a SACK bitmap, 78 bytes, back.
  const Picoseconds known = 4 * slot + kWire + bytes(4198) + kWire + bytes(78);
  const auto place = static_cast<std::size_t>((known + slot - Picoseconds(1)) / slot);
  const auto data = hosts.network->sent(UetHosts::isData);
  ASSERT_EQ(data.size(), 21U);
  for (std::size_t i = 1; i < data.size(); ++i) {
    EXPECT_EQ(data[i].packet.psn == data[0].packet.psn, i == place) << i;
  }
  EXPECT_EQ(hosts.uet[0]->uetStats().gap_losses, 1U);
  EXPECT_EQ(hosts.uet[0]->stats().timeouts, 0U);
}

// Comes after the fifth packet and before the sixth.
TEST(UetTiming, OvertakingWithinTheGapIsNoLoss) {
  for (const std::uint16_t gap : {4, 5, 30}) {
    UetSpec spec = plain(UetService::kRud);
    spec.loss_gap = gap;
    spec.ack_per_packet = true;
    UetHosts hosts(spec);
    Rule rule = dataRule(0, 1, Action::kDelay);
    rule.extra = bytes(4218) * 9 / 2;
    hosts.network->add(rule);
    hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, std::uint64_t{20} * 4096, 7});
    hosts.network->run();
    EXPECT_EQ(hosts.uet[0]->uetStats().gap_losses, gap == 4 ? 1U : 0U) << gap;
    EXPECT_EQ(hosts.uet[1]->stats().duplicates, gap == 4 ? 1U : 0U) << gap;
    EXPECT_EQ(hosts.applications[1].arrivals.size(), 1U);
  }
}

// ---- Late ACKs ----

// Of two packets, both marked, the second is lost, which requests an ACK.
void sendHalf(UetHosts& hosts) {
  hosts.network->setHook([](fabric::Packet& p, Picoseconds, Picoseconds&) {
    if (!UetHosts::isData(p)) return Action::kDeliver;
    if (transport::unpackData(p.extra, true).last) return Action::kDrop;
    p.ce = true;
    return Action::kDeliver;
  });
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, std::uint64_t{2} * 4096, 7});
  hosts.network->run(microseconds(500));
}

UetSpec congestionSpec() {
  UetSpec spec;
  spec.ack_on_ecn = false;
  // Round trip of a full packet and its ACK; 0.75 of it are the target delay.
  spec.base_rtt = kWire + bytes(4198) + kWire + bytes(78);
  spec.nscc.delay_gain = 1;
  return spec;
}
// 1.5 × 100 Gb/s × base RTT.
double fullWindow(const UetSpec& spec) { return 1.5 * 12.5e9 * spec.base_rtt.toSeconds(); }

TEST(UetLateAck, LeavesAckDelayAfterTheDataArrived) {
  const UetSpec spec = congestionSpec();
  UetHosts hosts(spec);
  sendHalf(hosts);
  const auto acks = hosts.network->sent(UetHosts::isAck);
  ASSERT_EQ(acks.size(), 1U);
  EXPECT_EQ(acks[0].time, kWire + bytes(4198) + spec.ack_delay);
  const transport::NsccState state = transport::NsccState::fromBits(acks[0].packet.extra);
  EXPECT_EQ(state.service_time, 31);  // ⌊4 µs / 128 ns⌋
  EXPECT_EQ(state.rcvd_bytes, 17U);   // ⌈4200 / 256⌉
  EXPECT_NE(acks[0].packet.opcode & transport::kFlagMarked, 0);
}

// Were the 4 µs of waiting part of the sample, the mark would shrink the window.
TEST(UetLateAck, WaitingIsNotPartOfTheRttSample) {
  const UetSpec spec = congestionSpec();
  UetHosts waiting(spec);
  sendHalf(waiting);
  EXPECT_NEAR(waiting.uet[0]->congestion(1).window, fullWindow(spec), 1);

  // The same 4 µs spent in the network do: × (1 - 0.8·(4 µs - target) / 4 µs), and eta, which is
  // 0.15 nominal packets of 4200 bytes × BDP / 150,000 bytes.
  UetHosts queueing(spec);
  queueing.network->setHook([](fabric::Packet& p, Picoseconds, Picoseconds& extra) {
    if (!UetHosts::isData(p)) return Action::kDeliver;
    p.ce = true;
    extra = microseconds(4);
    return Action::kDelay;
  });
  queueing.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 4096, 7});
  queueing.network->run(microseconds(50));
  const double target = 0.75 * static_cast<double>(spec.base_rtt.count());
  EXPECT_NEAR(queueing.uet[0]->congestion(1).window,
              fullWindow(spec) * (1 - 0.8 * (4e6 - target) / 4e6) +
                  0.15 * 4200 * fullWindow(spec) / 1.5 / 150'000,
              1);
}

TEST(UetLateAck, NoneForDataThatIsAcknowledgedAlready) {
  UetHosts hosts(plain(UetService::kRud));
  hosts.network->add(dataRule(4, 1, Action::kDrop));
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, std::uint64_t{5} * 4096, 7});
  hosts.network->run(microseconds(500));
  // The fourth packet completes 16 KiB.
  const auto acks = hosts.network->sent(UetHosts::isAck);
  ASSERT_EQ(acks.size(), 1U);
  EXPECT_EQ(acks[0].time, 3 * bytes(4218) + kWire + bytes(4198));
}

TEST(UetLateAck, NeverIfSwitchedOff) {
  UetSpec spec = congestionSpec();
  spec.ack_delay = Picoseconds(0);
  UetHosts hosts(spec);
  sendHalf(hosts);
  EXPECT_TRUE(hosts.network->sent(UetHosts::isAck).empty());
}

}  // namespace
}  // namespace plumbline::transport_test
