// Random traffic over a network that loses, repeats, marks and reorders at random: every message is
// delivered and completed exactly once, with all its bytes, in the order of its QP.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "base/random.h"
#include "tests/transport/roce_hosts.h"

namespace plumbline::transport_test {
namespace {

using transport::DcqcnSpec;
using transport::HostId;
using transport::Message;
using transport::RoceRecovery;
using transport::RoceService;
using transport::RoceSpec;
using transport::Verb;

constexpr std::uint32_t kHosts = 3;

// Per mille of packets.
struct Weather {
  std::uint64_t lost = 0;
  std::uint64_t repeated = 0;
  std::uint64_t late = 0;
  std::uint64_t marked = 0;
};

void setWeather(RoceHosts& hosts, const Weather& weather, std::uint64_t seed) {
  auto random = std::make_shared<RandomStream>(seed, "weather");
  hosts.network->setHook(
      [random, weather](fabric::Packet& packet, Picoseconds, Picoseconds& extra) {
        packet.ce = packet.ect && random->below(1000) < weather.marked;
        extra = Picoseconds{static_cast<std::int64_t>(random->below(3'000'000))};
        std::uint64_t dice = random->below(1000);
        if (dice < weather.lost) return Action::kDrop;
        dice -= weather.lost;
        if (dice < weather.repeated) return Action::kDuplicate;
        dice -= weather.repeated;
        if (dice < weather.late) return Action::kDelay;
        return packet.ce ? Action::kMark : Action::kDeliver;
      });
}

struct Plan {
  HostId from;
  Picoseconds time;
  Message message;
};

std::vector<Plan> randomPlan(std::uint64_t seed, std::uint32_t mtu, bool reads) {
  RandomStream random(seed, "plan");
  std::vector<Plan> plans;
  std::int64_t time = 0;
  for (std::uint32_t i = 0; i < 150; ++i) {
    time += static_cast<std::int64_t>(random.below(4'000'000));
    const auto from = static_cast<HostId>(random.below(kHosts));
    const auto to = static_cast<HostId>((from + 1 + random.below(kHosts - 1)) % kHosts);
    const auto verb = static_cast<Verb>(random.below(reads ? 4 : 3));
    const std::uint64_t max =
        random.below(3) == 0 ? std::uint64_t{60} * mtu : std::uint64_t{3} * mtu;
    plans.push_back({from,
                     Picoseconds{time},
                     {.to = to,
                      .flow = static_cast<std::uint32_t>(random.below(2) * 255),
                      .verb = verb,
                      .bytes = 1 + random.below(max),
                      .tag = i}});
  }
  return plans;
}

using Key = std::tuple<HostId, HostId, std::uint32_t>;  // poster, peer, flow

// Expected notifications of the application on either side, per QP and in order: (verb, bytes,
// tag).
using Story = std::map<Key, std::vector<std::tuple<Verb, std::uint64_t, std::uint32_t>>>;

struct Outcome {
  Story arrivals;
  Story reads;
  Story completions;
  std::vector<Sent> log;
};

Outcome runPlan(const RoceSpec& spec, const std::vector<Plan>& plans, const Weather& weather,
                std::uint64_t seed) {
  RoceHosts hosts(spec, kHosts);
  setWeather(hosts, weather, seed);
  for (const Plan& plan : plans) hosts.applications[plan.from].postAt(plan.time, plan.message);
  hosts.network->run();
  Outcome outcome;
  for (HostId host = 0; host < kHosts; ++host) {
    for (const auto& [time, event] : hosts.applications[host].arrivals) {
      const auto what = std::make_tuple(event.verb, event.bytes, event.tag);
      if (event.verb == Verb::kRead) {
        outcome.reads[{host, event.from, event.flow}].push_back(what);
      } else {
        outcome.arrivals[{event.from, host, event.flow}].push_back(what);
      }
    }
    for (const auto& [time, event] : hosts.applications[host].completions) {
      EXPECT_FALSE(event.failed);
      outcome.completions[{host, event.to, event.flow}].emplace_back(event.verb, event.bytes,
                                                                     event.tag);
    }
    EXPECT_EQ(hosts.roce[host]->openMessages(), 0U);
    EXPECT_EQ(hosts.roce[host]->openReorderBuffers(), 0U);
    EXPECT_EQ(hosts.nics[host]->wakeAt(), fabric::kNever);
  }
  std::uint64_t bytes = 0;
  std::uint64_t received = 0;
  for (const Plan& plan : plans) bytes += plan.message.bytes;
  for (const auto* roce : hosts.roce) received += roce->stats().payload_received;
  EXPECT_TRUE(spec.service == RoceService::kUc || received == bytes);
  outcome.log = hosts.network->log();
  return outcome;
}

void expectEverything(const std::vector<Plan>& plans, const Outcome& outcome) {
  Story arrivals;
  Story reads;
  Story completions;
  for (const auto& [from, time, message] : plans) {
    const Key key{from, message.to, message.flow};
    const auto what = std::make_tuple(message.verb, message.bytes, message.tag);
    (message.verb == Verb::kRead ? reads : arrivals)[key].push_back(what);
    completions[key].push_back(what);
  }
  EXPECT_EQ(outcome.arrivals, arrivals);
  EXPECT_EQ(outcome.reads, reads);
  EXPECT_EQ(outcome.completions, completions);
}

class RoceRandom : public testing::TestWithParam<RoceRecovery> {};

TEST_P(RoceRandom, EveryMessageExactlyOnce) {
  const std::vector<Weather> weathers = {
      {.lost = 5},   {.lost = 100},   {.repeated = 100},
      {.late = 200}, {.marked = 300}, {.lost = 30, .repeated = 30, .late = 50, .marked = 100}};
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, "spec");
    RoceSpec spec;
    spec.recovery = GetParam();
    spec.path_mtu = 256U << random.below(5);
    spec.ack_every = static_cast<std::uint32_t>(random.below(3) * 8);
    spec.window_packets = static_cast<std::uint32_t>(random.below(2) * (1 + random.below(40)));
    spec.first_psn = static_cast<std::uint32_t>(0xFFFFFF - random.below(300));
    spec.reorder_packets = 64;
    spec.reorder_tolerance = static_cast<std::uint32_t>(random.below(2) * 6);
    spec.spray = random.below(2) == 0;
    spec.retry_count = 1000;
    spec.ack_timeout = microseconds(50);
    spec.max_ack_timeout = microseconds(400);
    if (random.below(2) == 0) {
      spec.dcqcn = DcqcnSpec::nvidia();
      spec.dcqcn.min_rate = gigabitsPerSecond(1);
    }
    const std::vector<Plan> plans = randomPlan(seed, spec.path_mtu, true);
    expectEverything(plans, runPlan(spec, plans, weathers[seed % weathers.size()], seed));
  }
}

// Twice the same seed, twice the same frames at the same times.
TEST_P(RoceRandom, RunsAreRepeatable) {
  RoceSpec spec;
  spec.recovery = GetParam();
  spec.path_mtu = 1024;
  spec.retry_count = 1000;
  spec.dcqcn = DcqcnSpec::paper();
  const Weather weather{.lost = 20, .repeated = 20, .late = 20, .marked = 20};
  const std::vector<Plan> plans = randomPlan(99, spec.path_mtu, true);
  const Outcome first = runPlan(spec, plans, weather, 3);
  const Outcome second = runPlan(spec, plans, weather, 3);
  ASSERT_EQ(first.log.size(), second.log.size());
  for (std::size_t i = 0; i < first.log.size(); ++i) {
    ASSERT_EQ(first.log[i].time, second.log[i].time);
    ASSERT_EQ(first.log[i].packet.psn, second.log[i].packet.psn);
    ASSERT_EQ(first.log[i].packet.opcode, second.log[i].packet.opcode);
    ASSERT_EQ(first.log[i].packet.connection, second.log[i].packet.connection);
  }
}

INSTANTIATE_TEST_SUITE_P(Both, RoceRandom,
                         testing::Values(RoceRecovery::kGoBackN, RoceRecovery::kSelectiveRepeat));

// UC guarantees less: nothing twice, nothing short, nothing out of order.
TEST(RoceRandomUc, WhatArrivesIsWhole) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    RoceSpec spec;
    spec.service = RoceService::kUc;
    spec.path_mtu = 1024;
    const std::vector<Plan> plans = randomPlan(seed, spec.path_mtu, false);
    const Outcome outcome = runPlan(spec, plans, {.lost = 20, .repeated = 20, .late = 20}, seed);
    std::size_t delivered = 0;
    Story posted;
    for (const Plan& plan : plans) {
      posted[{plan.from, plan.message.to, plan.message.flow}].emplace_back(
          plan.message.verb, plan.message.bytes, plan.message.tag);
    }
    EXPECT_EQ(outcome.completions, posted);
    for (const auto& [key, arrived] : outcome.arrivals) {
      delivered += arrived.size();
      auto next = posted[key].begin();
      for (const auto& what : arrived) {
        next = std::find(next, posted[key].end(), what);
        ASSERT_NE(next, posted[key].end());
        ++next;
      }
    }
    EXPECT_LT(delivered, plans.size());
    EXPECT_GT(delivered, plans.size() / 3);
  }
}

}  // namespace
}  // namespace plumbline::transport_test
