// Link-level retry as part of a trial: two ports of the Verilated card on a bare link that damages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/card/retry_time.h"
#include "bench/card/rtl_bench.h"
#include "bench/sim/sim_bench.h"

namespace plumbline::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Picoseconds kDelay = nanoseconds(600);

// 80 % in both directions for 100 us.
TrialSpec retryTrial() {
  TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kLink;
  spec.dut.topology.host_link_delay = kDelay;
  for (std::uint32_t host = 0; host < 2; ++host) {
    StreamSpec stream;
    stream.name = host == 0 ? "there" : "back";
    stream.from = host;
    stream.to = 1 - host;
    stream.frame = Bytes(512);
    stream.load = ConstantLoad{Fraction::percent(80)};
    spec.streams.push_back(stream);
  }
  spec.duration = microseconds(100);
  spec.drain = microseconds(100);
  spec.link_retry = LinkRetrySpec{};
  spec.link_retry->config.replay_count_max = card::kLlrMaxReplays + 1;
  return spec;
}

TEST(RtlLinkRetry, WithoutErrorsATrialIsTheSameButForTheCounters) {
  RtlBench bench;
  const TrialSpec with = retryTrial();
  TrialSpec without = with;
  without.link_retry.reset();
  TrialResult on = bench.run(with, {});
  const TrialResult off = bench.run(without, {});
  ASSERT_THAT(on.faults, IsEmpty());
  ASSERT_THAT(off.faults, IsEmpty());
  for (PortResult& port : on.ports) {
    ASSERT_TRUE(port.link_retry);
    EXPECT_EQ(port.link_retry->counters.tx_ok, port.tx_frames);
    EXPECT_EQ(port.link_retry->counters.expected_good, port.rx_frames);
    EXPECT_EQ(port.link_retry->counters.tx_replay, 0U);
    EXPECT_EQ(port.link_retry->damaged.count() + port.link_retry->missing.count(), 0U);
    port.link_retry.reset();
  }
  for (std::size_t i = 0; i < on.streams.size(); ++i) {
    EXPECT_EQ(on.streams[i].received_frames, off.streams[i].received_frames);
    EXPECT_EQ(on.streams[i].lost, 0U);
  }
  ASSERT_EQ(on.latency.size(), off.latency.size());
  EXPECT_EQ(on.latency[0].histogram.count(), off.latency[0].histogram.count());
}

TEST(RtlLinkRetry, WhatIsDamagedComesAgain) {
  TrialSpec spec = retryTrial();
  spec.damage = {{0, card::DamageDirection::kSent, card::BitErrors{2e-6, 3}}};
  RtlBench bench;
  const TrialResult result = bench.run(spec, {});
  ASSERT_THAT(result.faults, IsEmpty());
  for (const StreamResult& stream : result.streams) {
    EXPECT_GT(stream.sent_frames, 1000U);
    EXPECT_EQ(stream.received_frames, stream.sent_frames);
    EXPECT_EQ(stream.lost + stream.duplicate + stream.out_of_order, 0U);
  }
  const LinkRetryOutcome& sender = *result.ports[0].link_retry;
  const LinkRetryOutcome& receiver = *result.ports[1].link_retry;
  ASSERT_TRUE(result.ports[0].damage_sent);
  EXPECT_GT(receiver.counters.rx_bad, 5U);
  EXPECT_EQ(receiver.counters.rx_bad, result.ports[0].damage_sent->counters.frames);
  EXPECT_EQ(receiver.counters.rx_replay, receiver.damaged.count());
  EXPECT_GT(sender.counters.tx_replay, 0U);
  EXPECT_EQ(sender.counters.rx_bad, 0U);
  // Twice the link and the MACs at both ends, at least, and less than the replay timer.
  EXPECT_GT(receiver.damaged.minimum(), static_cast<std::uint64_t>((2 * kDelay).count()));
  EXPECT_LT(receiver.damaged.maximum(), static_cast<std::uint64_t>(microseconds(10).count()));
  // The result survives the store, and a trial repeats.
  EXPECT_EQ(TrialResult::fromJson(result.toJson()).toJson(), result.toJson());
  const TrialResult again = bench.run(spec, {});
  EXPECT_EQ(again.ports[1].link_retry->counters.rx_bad, receiver.counters.rx_bad);
  EXPECT_EQ(again.ports[1].link_retry->damaged.maximum(), receiver.damaged.maximum());
}

// Both ends damage their sent frames, and each times the retries of its received ones.
TEST(RtlLinkRetry, BothDirectionsAtOnce) {
  TrialSpec spec = retryTrial();
  spec.damage = {{0, card::DamageDirection::kSent, card::BitErrors{2e-6, 3}},
                 {1, card::DamageDirection::kSent, card::BitErrors{2e-6, 4}}};
  const TrialResult result = RtlBench().run(spec, {});
  ASSERT_THAT(result.faults, IsEmpty());
  const RetryTime free = retryOnFreeLine(Bytes(512), kDelay);
  for (const StreamResult& stream : result.streams) {
    EXPECT_EQ(stream.received_frames, stream.sent_frames);
    EXPECT_EQ(stream.lost + stream.duplicate + stream.out_of_order, 0U);
  }
  for (std::size_t port = 0; port < 2; ++port) {
    SCOPED_TRACE(testing::Message() << "from port " << port);
    const LinkRetryOutcome& receiver = *result.ports[1 - port].link_retry;
    EXPECT_GT(receiver.damaged.count(), 5U);
    EXPECT_EQ(receiver.counters.rx_bad, result.ports[port].damage_sent->counters.frames);
    // Beside frames on the way back a NACK waits for a gap; the replay waits for the sender's
    // current frame.
    const Picoseconds slack = 7 * frameSlot(Bytes(512), gigabitsPerSecond(100));
    const auto min = static_cast<std::int64_t>(receiver.damaged.minimum());
    EXPECT_GE(min, free.min.count());
    EXPECT_LE(min, (free.max + slack).count());
  }
}

// Four hops between two ports of the card, three of them between switches with LLR: the first is
// the card's, and the switch at its end does not support a card's LLR. Errors on one hop at a time,
// so that the DUT's counters are those of the hop (modelled): each takes the computed time.
TEST(RtlLinkRetry, HopsOfTheFabricRepairEachTheirOwn) {
  TrialSpec spec = retryTrial();
  spec.link_retry.reset();
  spec.streams[1].group = 1;
  spec.dut.topology.kind = fabric::TopologyKind::kClos2;
  spec.dut.topology.leaves = 2;
  spec.dut.topology.spines = 1;
  spec.dut.topology.hosts_per_leaf = 1;
  spec.dut.topology.fabric_link_delay = nanoseconds(400);
  const fabric::LlrSpec llr{nanoseconds(50), nanoseconds(70)};
  spec.dut.switches.llr = llr;
  struct Hop {
    const char* link;
    std::size_t stream;
    Picoseconds delay;
  };
  for (const Hop& hop :
       {Hop{"leaf0-spine0", 0, nanoseconds(400)}, Hop{"spine0-leaf1", 0, nanoseconds(400)},
        Hop{"leaf1-host1", 0, kDelay}, Hop{"leaf1-spine0", 1, nanoseconds(400)},
        Hop{"spine0-leaf0", 1, nanoseconds(400)}, Hop{"leaf0-host0", 1, kDelay}}) {
    SCOPED_TRACE(hop.link);
    spec.dut.bit_errors = {{hop.link, 5e-6}};
    const TrialResult result = RtlBench().run(spec, {});
    ASSERT_THAT(result.faults, IsEmpty());
    for (const StreamResult& stream : result.streams) {
      EXPECT_EQ(stream.received_frames, stream.sent_frames);
      EXPECT_EQ(stream.lost + stream.duplicate + stream.out_of_order, 0U);
    }
    ASSERT_TRUE(result.fabric);
    const fabric::LinkCounters& total = result.fabric->total;
    ASSERT_GT(total.retries, 3U);
    // Round trip, both ends, the copy; and up to a frame that the sender is transmitting.
    const Picoseconds min = 2 * hop.delay + llr.receiver_processing + llr.sender_processing +
                            serializationTime(Bytes(512), gigabitsPerSecond(100));
    const Picoseconds slot = frameSlot(Bytes(512), gigabitsPerSecond(100));
    const Picoseconds mean = total.retry_total / static_cast<std::int64_t>(total.retries);
    EXPECT_GE(mean, min);
    EXPECT_LE(mean, min + slot + min / 10);  // now and then a copy is damaged as well
    EXPECT_GE(total.retry_max, mean);
    // Retries are reported for the hop with errors only.
    for (const LinkLoad& link : result.fabric->links) {
      ASSERT_EQ(link.retries.has_value(), link.name == hop.link) << link.name;
      if (!link.retries) continue;
      EXPECT_EQ(link.retries->latency.count(), total.retries);
      EXPECT_EQ(link.retries->latency.maximum(),
                static_cast<std::uint64_t>(total.retry_max.count()));
      EXPECT_GE(link.retries->latency.minimum(), static_cast<std::uint64_t>(min.count()));
      EXPECT_LT(link.retries->latency.minimum(), static_cast<std::uint64_t>((min + slot).count()));
      EXPECT_EQ(link.retries->computed.min, min);
      EXPECT_EQ(link.retries->computed.max, min);
    }
    // The retries show in the latency of the stream that crosses the hop, and of no other.
    const auto spread = [&](std::size_t stream) {
      const stats::Histogram& latency = result.latency.at(stream).histogram;
      return Picoseconds(static_cast<std::int64_t>(latency.maximum() - latency.minimum()));
    };
    EXPECT_GT(spread(hop.stream), min);
    EXPECT_LT(spread(1 - hop.stream), min / 2);
  }
}

// The tester's own frames are lost where they are damaged: that link is no hop.
TEST(RtlLinkRetry, TheTestersLinkIntoTheFabricDoesNotRetry) {
  TrialSpec spec = retryTrial();
  spec.link_retry.reset();
  spec.streams.resize(1);
  spec.dut.topology.kind = fabric::TopologyKind::kSingleSwitch;
  spec.dut.topology.hosts = 2;
  spec.dut.switches.llr.emplace();
  spec.dut.bit_errors = {{"*", 5e-6}};
  const TrialResult result = RtlBench().run(spec, {});
  ASSERT_TRUE(result.fabric);
  EXPECT_GT(result.lost(), 5U);
  std::size_t hops = 0;
  for (const LinkLoad& link : result.fabric->links) {
    EXPECT_EQ(link.retries.has_value(), link.name == "switch0-host1") << link.name;
    hops += link.retries ? 1 : 0;
  }
  EXPECT_EQ(hops, 1U);
}

TEST(RtlLinkRetry, OnlyABareLinkHasAPeerForIt) {
  TrialSpec spec = retryTrial();
  spec.dut.topology.kind = fabric::TopologyKind::kSingleSwitch;
  spec.dut.topology.hosts = 2;
  EXPECT_THAT(RtlBench().refusals(spec), ElementsAre(HasSubstr("a bare link")));
  EXPECT_THAT(SimBench({}).refusals(retryTrial()), ElementsAre(HasSubstr("link-level retry")));
}

TEST(RtlLinkRetry, IsPartOfWhatATrialIs) {
  const TrialSpec spec = retryTrial();
  TrialSpec other = spec;
  other.link_retry->config.replay_timer += nanoseconds(1);
  EXPECT_NE(spec.toJson(), other.toJson());
  other = spec;
  other.link_retry.reset();
  EXPECT_THAT(spec.toJson(), HasSubstr("link_retry"));
  EXPECT_THAT(other.toJson(), testing::Not(HasSubstr("link_retry")));
}

}  // namespace
}  // namespace plumbline::bench
