// Resources of PDCs: windows, refusals, expiry, wrapping PSNs, memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/random.h"
#include "tests/transport/uet_allocations.h"
#include "tests/transport/uet_hosts.h"

namespace plumbline::transport_test {
namespace {

using transport::DataFields;
using transport::UetCongestionControl;
using transport::UetService;
using transport::UetSpec;
using transport::Verb;

Rule ruleFor(bool (*matches)(const fabric::Packet&), std::uint64_t first, std::uint64_t count) {
  Rule rule;
  rule.matches = matches;
  rule.first = first;
  rule.count = count;
  return rule;
}

DataFields fieldsOf(const Sent& frame) { return transport::unpackData(frame.packet.extra, true); }

class WithPdc : public ::testing::TestWithParam<UetService> {};
INSTANTIATE_TEST_SUITE_P(UetPools, WithPdc, ::testing::Values(UetService::kRod, UetService::kRud));

TEST_P(WithPdc, SetupTimesAreFromTheFirstPacketToTheFirstAck) {
  UetHosts hosts(plain(GetParam()));
  hosts.applications[0].postAt(microseconds(3), {1, 0, Verb::kWrite, 100, 0});
  hosts.applications[0].postAt(microseconds(30), {1, 1, Verb::kWrite, 1100, 0});
  hosts.network->run();
  const Picoseconds first = kWire + bytes(202) + kWire + bytes(70);
  const transport::UetStats& stats = hosts.uet[0]->uetStats();
  EXPECT_EQ(stats.pdcs_established, 2U);
  EXPECT_EQ(stats.setup_max, first + bytes(1000));
  EXPECT_EQ(stats.setup_total, 2 * first + bytes(1000));
}

// The target derives Start_PSN from the first packet that arrives.
TEST(UetPools, AnyPacketOfTheFirstWindowOpensThePdc) {
  UetHosts hosts(plain(UetService::kRud));
  hosts.network->add(ruleFor(UetHosts::isData, 0, 2));
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, std::uint64_t{3} * 4096, 0});
  hosts.network->run();
  const auto data = hosts.network->sent(UetHosts::isData);
  const auto acks = hosts.network->sent(UetHosts::isAck);
  ASSERT_FALSE(acks.empty());
  EXPECT_EQ(acks[0].time, data[2].time + kWire + bytes(4198));
  EXPECT_EQ(acks[0].packet.psn, data[0].packet.psn - 1);  // CACK_PSN
  EXPECT_EQ(transport::ackOffset(acks[0].packet.aux), 3);
  EXPECT_EQ(acks[0].packet.stamp << transport::sackOffset(acks[0].packet.aux), 0b1000U);
  EXPECT_EQ(hosts.uet[0]->stats().retransmitted, 2U);
  EXPECT_EQ(hosts.applications[1].arrivals.size(), 1U);
  EXPECT_EQ(hosts.uet[1]->uetStats().targets_opened, 1U);
}

// A NACK that acknowledges packets proves that the target is open.
TEST(UetPools, OrderedNackBehindTheFirstPacketEndsTheSyn) {
  UetHosts hosts(plain(UetService::kRod));
  hosts.network->add(ruleFor(UetHosts::isData, 1, 1));
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, std::uint64_t{3} * 4096, 0});
  hosts.network->run();
  const auto data = hosts.network->sent(UetHosts::isData);
  ASSERT_EQ(data.size(), 5U);
  EXPECT_TRUE(fieldsOf(data[2]).syn);
  EXPECT_FALSE(fieldsOf(data[3]).syn);
}

TEST_P(WithPdc, CloseCommandTakesThePsnBehindTheData) {
  const UetSpec spec = plain(GetParam());
  UetHosts hosts(spec);
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 5000, 0});
  hosts.network->run();
  const auto data = hosts.network->sent(UetHosts::isData);
  const auto closes = hosts.network->sent(UetHosts::isClose);
  ASSERT_EQ(closes.size(), 1U);
  EXPECT_EQ(closes[0].time, hosts.applications[0].completions.at(0).time + spec.close_after);
  EXPECT_EQ(closes[0].packet.psn, data.back().packet.psn + 1);
  const auto acks = hosts.network->sent(UetHosts::isAck);
  EXPECT_EQ(acks.back().time, closes[0].time + kWire + bytes(64));
  EXPECT_EQ(acks.back().packet.psn, closes[0].packet.psn);
}

TEST_P(WithPdc, NeverClosedPdcOutlivesTheExpiryOfItsTarget) {
  UetSpec spec = plain(GetParam());
  spec.close_after = fabric::kNever;
  spec.target_expiry = milliseconds(1);
  UetHosts hosts(spec);
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 100, 0});
  hosts.applications[0].postAt(seconds(1), {1, 0, Verb::kWrite, 100, 1});
  hosts.network->run();
  EXPECT_EQ(hosts.applications[1].arrivals.size(), 2U);
  EXPECT_EQ(hosts.uet[1]->openTargets(), 1U);
  EXPECT_EQ(hosts.uet[1]->uetStats().targets_opened, 1U);
}

// The source gives up; its target expires `close_after` and `target_expiry` after the last packet.
TEST_P(WithPdc, TargetOfASilentSourceExpires) {
  UetSpec spec = plain(GetParam());
  spec.max_rto_retries = 0;
  spec.target_expiry = milliseconds(3);
  UetHosts hosts(spec);
  hosts.network->add(ruleFor(UetHosts::isAck, 0, 1000));
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 100, 0});
  const Picoseconds expiry = kWire + bytes(202) + spec.close_after + spec.target_expiry;
  hosts.network->run(expiry - Picoseconds(1));
  EXPECT_EQ(hosts.uet[1]->openTargets(), 1U);
  EXPECT_EQ(hosts.network->run(), expiry);
  EXPECT_EQ(hosts.uet[1]->openTargets(), 0U);
}

TEST_P(WithPdc, RefusedPdcTriesAgainAtItsPeriod) {
  UetSpec spec = plain(GetParam());
  spec.max_pdcs = 1;
  UetHosts hosts(spec, 3);
  hosts.applications[0].postAt(Picoseconds(0), {2, 0, Verb::kWrite, 100, 0});
  hosts.applications[1].postAt(microseconds(1), {2, 0, Verb::kWrite, 100, 1});
  hosts.network->run();
  const auto second = hosts.network->sent(
      [](const fabric::Packet& p) { return UetHosts::isData(p) && p.source == 1; });
  const std::uint64_t refused = hosts.uet[2]->uetStats().targets_refused;
  EXPECT_GT(refused, 0U);
  ASSERT_EQ(second.size(), refused + 1);
  // A packet of 202 bytes there, a NACK of 64 back, and the wait.
  const Picoseconds period = kWire + bytes(202) + kWire + bytes(64) + spec.no_pdc_retry;
  for (std::size_t i = 0; i < second.size(); ++i) {
    EXPECT_EQ(second[i].time, microseconds(1) + static_cast<std::int64_t>(i) * period);
  }
  EXPECT_EQ(hosts.applications[2].arrivals.size(), 2U);
  EXPECT_EQ(hosts.uet[2]->uetStats().max_open_targets, 1U);
  EXPECT_EQ(hosts.uet[1]->stats().timeouts, 0U);
}

TEST(UetPools, NoPacketLeavesTheWindowOfPsns) {
  UetSpec spec = plain(UetService::kRud);
  spec.mp_range = 8;
  UetHosts hosts(spec);
  hosts.network->add(ruleFor(UetHosts::isData, 0, 1));
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, std::uint64_t{20} * 4096, 0});
  hosts.network->run(spec.rto - Picoseconds(1));
  // All but the first have arrived, and the window still begins before it.
  EXPECT_EQ(hosts.network->sent(UetHosts::isData).size(), 8U);
  hosts.network->run();
  EXPECT_EQ(hosts.network->sent(UetHosts::isData).size(), 21U);
  EXPECT_EQ(hosts.applications[1].arrivals.size(), 1U);
  EXPECT_EQ(hosts.uet[1]->uetStats().nacks_sent, 0U);
}

class WrappingPsns : public ::testing::TestWithParam<UetService> {};
INSTANTIATE_TEST_SUITE_P(UetPools, WrappingPsns,
                         ::testing::Values(UetService::kRod, UetService::kRud, UetService::kRudi,
                                           UetService::kUud));

TEST_P(WrappingPsns, SurviveLosses) {
  UetSpec spec = plain(GetParam());
  spec.mtu_payload = 256;
  spec.start_psn = 0xFFFFFFFF - 500;
  UetHosts hosts(spec);
  if (GetParam() != UetService::kUud) {
    hosts.network->setHook([](fabric::Packet& p, Picoseconds, Picoseconds&) {
      const bool lost = UetHosts::isData(p) && p.psn % 97 == 0 && mix64(p.stamp) % 2 == 0;
      return lost ? Action::kDrop : Action::kDeliver;
    });
  }
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, std::uint64_t{1500} * 256, 0});
  hosts.network->run();
  ASSERT_EQ(hosts.applications[1].arrivals.size(), 1U);
  EXPECT_EQ(hosts.applications[1].arrivals[0].event.bytes, 1500U * 256);
  ASSERT_EQ(hosts.applications[0].completions.size(), 1U);
  EXPECT_FALSE(hosts.applications[0].completions[0].event.failed);
  EXPECT_EQ(hosts.uet[1]->openTargets(), 0U);
  EXPECT_EQ(hosts.uet[0]->stats().retransmitted > 0, GetParam() != UetService::kUud);
}

// Two endpoints without a network around them: frames take 1 µs, nothing is recorded.
class Pair {
 public:
  explicit Pair(const UetSpec& spec) : zero_(spec, context(0)), one_(spec, context(1)) {}

  transport::UetProtocol& source() { return zero_; }
  transport::UetProtocol& target() { return one_; }
  [[nodiscard]] Picoseconds now() const { return now_; }

  // Runs until nothing is open or in flight.
  void settle() {
    for (;;) {
      const std::size_t forth = collect(zero_, frames_[0]);
      const std::size_t back = collect(one_, frames_[1]);
      if (forth + back > 0) {
        now_ += kWire;
        for (std::size_t i = 0; i < forth; ++i) one_.receive(frames_[0][i], now_);
        for (std::size_t i = 0; i < back; ++i) zero_.receive(frames_[1][i], now_);
      } else if (zero_.openPdcs() == 0 && one_.openTargets() == 0) {
        return;
      } else {
        now_ = std::min(zero_.wakeAt(), one_.wakeAt());
      }
    }
  }

 private:
  using Frames = std::array<fabric::Packet, 64>;

  static transport::HostContext context(std::uint32_t self) {
    return {.self = self, .rate = gigabitsPerSecond(100), .seed = 1, .application = nullptr};
  }
  std::size_t collect(transport::UetProtocol& host, Frames& frames) {
    if (host.wakeAt() <= now_) host.wake(now_);
    std::size_t count = 0;
    while (count < frames.size() && host.transmit(now_, 0, frames[count])) ++count;
    return count;
  }

  transport::UetProtocol zero_;
  transport::UetProtocol one_;
  std::array<Frames, 2> frames_;
  Picoseconds now_{};
};

TEST_P(WithPdc, TenThousandInTurnNeedNoMoreMemoryThanAThousand) {
  for (const UetCongestionControl control :
       {UetCongestionControl::kNscc, UetCongestionControl::kNsccRccc}) {
    UetSpec spec = plain(GetParam());
    spec.congestion_control = control;
    Pair pair(spec);
    std::uint64_t before = 0;
    for (int i = 0; i < 10'000; ++i) {
      if (i == 1'000) before = allocations();
      pair.source().post({1, 0, Verb::kWrite, 10'000, 0}, pair.now());
      pair.settle();
    }
    EXPECT_EQ(allocations(), before);
    EXPECT_EQ(pair.source().uetStats().pdcs_closed, 10'000U);
    EXPECT_EQ(pair.source().uetStats().max_open, 1U);
    EXPECT_EQ(pair.target().uetStats().targets_opened, 10'000U);
    EXPECT_EQ(pair.target().uetStats().max_open_targets, 1U);
    EXPECT_EQ(pair.target().stats().payload_received, 100'000'000U);
  }
}

}  // namespace
}  // namespace plumbline::transport_test
