// Link-level retry as part of a trial: two ports of the Verilated card on a bare link that damages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/rtl_bench.h"
#include "bench/sim_bench.h"

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
