// Under any network behaviour, every message arrives exactly once (UUD: at most once), whole, and
// nothing is left open.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>

#include "base/random.h"
#include "tests/transport/uet_hosts.h"

namespace plumbline::transport_test {
namespace {

using transport::UetCongestionControl;
using transport::UetEntropyPolicy;
using transport::UetService;
using transport::UetSpec;
using transport::Verb;

struct Case {
  UetSpec spec;
  std::uint64_t percent = 5;  // of packets that suffer from each impairment
};

Case randomCase(RandomStream& random, UetService service) {
  Case c;
  c.spec.service = service;
  c.spec.congestion_control = static_cast<UetCongestionControl>(random.below(5));
  c.spec.entropy.policy = static_cast<UetEntropyPolicy>(random.below(6));
  c.spec.entropy.set_size = static_cast<std::uint16_t>(1U << random.below(9));
  c.spec.mtu_payload = random.below(2) == 0 ? 4096 : 256;
  c.spec.mp_range = static_cast<std::uint16_t>(1U << (3 + random.below(8)));
  c.spec.loss_gap = random.below(2) == 0 ? 0 : static_cast<std::uint16_t>(1 + random.below(40));
  c.spec.ack_on_ecn = random.below(2) == 0;
  c.spec.ack_per_packet = random.below(4) == 0;
  c.spec.rto = microseconds(50);
  c.spec.max_rto_retries = 15;
  c.spec.close_after = microseconds(20 + static_cast<std::int64_t>(random.below(200)));
  c.spec.no_pdc_retry = microseconds(10);
  c.spec.max_pdcs = random.below(3) == 0 ? 2 : 65535;
  c.percent = random.below(8);
  return c;
}

class UetProperty : public ::testing::TestWithParam<UetService> {};
INSTANTIATE_TEST_SUITE_P(Uet, UetProperty,
                         ::testing::Values(UetService::kRod, UetService::kRud, UetService::kRudi,
                                           UetService::kUud));

TEST_P(UetProperty, EveryMessageArrivesExactlyOnce) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    RandomStream random(seed, "uet/property");
    const Case c = randomCase(random, GetParam());
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::uint32_t hosts_count = 2 + static_cast<std::uint32_t>(random.below(3));
    UetHosts hosts(c.spec, hosts_count, seed);

    std::uint32_t tag = 0;
    // (from, to, tag) → bytes; reads are listed as arriving at their poster
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint64_t> expected;
    for (std::uint32_t host = 0; host < hosts_count; ++host) {
      Picoseconds time{0};
      const std::uint64_t messages = 1 + random.below(25);
      for (std::uint64_t i = 0; i < messages; ++i) {
        if (random.below(3) == 0)
          time += nanoseconds(static_cast<std::int64_t>(random.below(300'000)));
        const auto to =
            static_cast<std::uint32_t>((host + 1 + random.below(hosts_count - 1)) % hosts_count);
        const std::uint64_t bytes = 1 + random.below(random.below(3) == 0 ? 100'000 : 5'000);
        const bool read = (GetParam() == UetService::kRod || GetParam() == UetService::kRud) &&
                          random.below(5) == 0;
        hosts.applications[host].postAt(time, {to, static_cast<std::uint32_t>(random.below(3)),
                                               read ? Verb::kRead : Verb::kWrite, bytes, tag});
        expected[read ? std::make_tuple(to, host, tag) : std::make_tuple(host, to, tag)] = bytes;
        ++tag;
      }
    }
    hosts.network->setHook([&](fabric::Packet& packet, Picoseconds, Picoseconds& extra) {
      extra = nanoseconds(static_cast<std::int64_t>(random.below(8'000)));
      const std::uint64_t dice = random.below(100) / (c.percent == 0 ? 100 : 1);
      if (c.percent == 0) return Action::kDeliver;
      if (dice < c.percent) return Action::kDrop;
      if (dice < 2 * c.percent) return Action::kDuplicate;
      if (dice < 3 * c.percent) return Action::kDelay;
      if (dice < 4 * c.percent && packet.ect) packet.ce = true;
      if (dice >= 4 * c.percent && dice < 5 * c.percent && packet.trimmable) {
        packet.length = 64;
        packet.trimmed = true;
        packet.trimmed_last_hop = random.below(2) == 0;
      }
      return Action::kDeliver;
    });
    const Picoseconds end = hosts.network->run(seconds(20));
    ASSERT_LT(end, seconds(10));

    auto missing = expected;
    for (std::uint32_t host = 0; host < hosts_count; ++host) {
      for (const auto& [time, arrival] : hosts.applications[host].arrivals) {
        const auto key = std::make_tuple(arrival.from, host, arrival.tag);
        ASSERT_EQ(missing.count(key), 1U) << "tag " << arrival.tag << " twice or never sent";
        EXPECT_EQ(missing[key], arrival.bytes);
        missing.erase(key);
      }
      for (const auto& [time, completion] : hosts.applications[host].completions) {
        EXPECT_FALSE(completion.failed);
      }
      EXPECT_EQ(hosts.uet[host]->openPdcs(), 0U);
      EXPECT_EQ(hosts.uet[host]->openTargets(), 0U);
    }
    std::size_t completions = 0;
    for (const auto& application : hosts.applications)
      completions += application.completions.size();
    EXPECT_EQ(completions, expected.size());
    if (GetParam() != UetService::kUud || c.percent == 0) {
      EXPECT_TRUE(missing.empty()) << missing.size() << " of " << expected.size();
    }
  }
}

}  // namespace
}  // namespace plumbline::transport_test
