// The serving model's network at flow level, against hand-computed times and closed forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "base/error.h"
#include "base/exponential.h"
#include "bench/flow/flow_serving_network.h"
#include "tests/serving/serving_setup.h"

namespace plumbline::bench {
namespace {

using serving::Arrival;

constexpr double kNicRate = 0.05;  // bytes/ps: 400 Gb/s
constexpr Picoseconds kNicPath = microseconds(2);

// NIC n sends into link n and receives from link nics + n; no further links.
FlowServingNetwork starNetwork(std::uint32_t nics, std::uint32_t queue_pairs, bool reads = false) {
  return {std::vector<double>(2 * std::size_t{nics}, kNicRate),
          {nics, queue_pairs, reads},
          [nics](std::uint32_t from, std::uint32_t to, std::uint32_t) {
            return FlowPath{{{from}, {nics + to}}, kNicPath, {}};
          }};
}

std::vector<Arrival> allOf(serving::TransferNetwork& network) {
  std::vector<Arrival> arrivals;
  while (network.nextEvent() != serving::kNever) network.runUntil(network.nextEvent(), arrivals);
  return arrivals;
}

TEST(FlowServing, AloneIsExact) {
  FlowServingNetwork network = starNetwork(2, 1);
  network.post({7, 0, 1, std::uint64_t{16} << 20, microseconds(3)});
  EXPECT_EQ(network.nextEvent(), microseconds(3));
  const auto arrivals = allOf(network);
  ASSERT_EQ(arrivals.size(), 1U);
  // 16,777,216 / 0.05 ps
  EXPECT_EQ(arrivals[0].time, microseconds(3) + Picoseconds(335'544'320) + kNicPath);
  EXPECT_EQ(arrivals[0].id, 7U);
  EXPECT_EQ(arrivals[0].nic, 1U);
  EXPECT_FALSE(arrivals[0].lost);
}

// Of three messages on two queue pairs the third waits for the first.
TEST(FlowServing, QueuePairsAreTakenInTurn) {
  FlowServingNetwork one = starNetwork(2, 1);
  for (std::uint64_t id = 0; id < 2; ++id) one.post({id, 0, 1, 1'000'000, {}});
  auto arrivals = allOf(one);
  ASSERT_EQ(arrivals.size(), 2U);
  EXPECT_EQ(arrivals[0].time, Picoseconds(20'000'000) + kNicPath);
  EXPECT_EQ(arrivals[1].time, Picoseconds(40'000'000) + kNicPath);

  FlowServingNetwork two = starNetwork(2, 2);
  for (std::uint64_t id = 0; id < 3; ++id) two.post({id, 0, 1, 1'000'000, {}});
  arrivals = allOf(two);
  ASSERT_EQ(arrivals.size(), 3U);
  // The first two share the link up to 40 us and end together, the third goes on alone.
  EXPECT_EQ(arrivals[0].time, Picoseconds(40'000'000) + kNicPath);
  EXPECT_EQ(arrivals[1].time, Picoseconds(40'000'000) + kNicPath);
  EXPECT_EQ(arrivals[2].time, Picoseconds(60'000'000) + kNicPath);
  EXPECT_EQ(arrivals[2].id, 2U);
}

// With RDMA Read the receiver serves its queue pairs in turn, over all its reads.
TEST(FlowServing, ReaderTakesQueuePairsInTurn) {
  FlowServingNetwork network = starNetwork(3, 2, true);
  network.post({0, 0, 2, 1'000'000, {}});
  network.post({1, 1, 2, 1'000'000, {}});
  network.post({2, 0, 2, 1'000'000, {}});  // on the same queue pair as the first
  const auto arrivals = allOf(network);
  ASSERT_EQ(arrivals.size(), 3U);
  EXPECT_EQ(arrivals[0].time, Picoseconds(40'000'000) + kNicPath);
  EXPECT_EQ(arrivals[1].time, Picoseconds(40'000'000) + kNicPath);
  EXPECT_EQ(arrivals[2].time, Picoseconds(60'000'000) + kNicPath);
}

TEST(FlowServing, RefusesWhatTheModelMustNotDo) {
  FlowServingNetwork network = starNetwork(2, 1);
  EXPECT_THROW(network.post({0, 0, 1, 0, {}}), Error);
  EXPECT_THROW(network.post({0, 0, 2, 1, {}}), Error);
  std::vector<Arrival> arrivals;
  network.runUntil(microseconds(1), arrivals);
  EXPECT_THROW(network.post({0, 0, 1, 1, {}}), Error);
}

// With many senders and one receiver the receiver is the bottleneck of all: the same times as those
// of the network of shared NICs, which is a separate implementation.
TEST(FlowServing, IncastIsAsThatOfSharedNics) {
  constexpr std::uint32_t kSenders = 40;
  std::mt19937 random(3);
  FlowServingNetwork flows = starNetwork(kSenders + 1, 1);
  serving::SharedRateNetwork nics(kSenders + 1, gigabitsPerSecond(400), kNicPath);
  for (std::uint32_t sender = 0; sender < kSenders; ++sender) {
    const serving::Transfer transfer{
        sender, sender, kSenders, 1 + random() % 1'000'000,
        Picoseconds(static_cast<std::int64_t>(random() % 100'000'000))};
    flows.post(transfer);
    nics.post(transfer);
  }
  const auto a = allOf(flows);
  const auto b = allOf(nics);
  ASSERT_EQ(a.size(), kSenders);
  ASSERT_EQ(b.size(), kSenders);
  for (std::uint32_t i = 0; i < kSenders; ++i) {
    EXPECT_EQ(a[i].id, b[i].id);
    EXPECT_NEAR(static_cast<double>(a[i].time.count()), static_cast<double>(b[i].time.count()),
                200);  // each rounding is a picosecond of everyone's
  }
}

// M/G/1-PS: E[T] = S / (1 - rho), and the mean number under way is lambda E[T].
TEST(FlowServing, PoissonMessagesAreProcessorSharing) {
  constexpr int kMessages = 40'000;
  constexpr double kLoad = 0.6;
  constexpr std::uint64_t kBytes = 1'000'000;  // 20 us alone
  FlowServingNetwork network = starNetwork(2, 1U << 16);
  RandomStream random(1, "flow-serving-test");
  Picoseconds now;
  double posted = 0;
  for (int i = 0; i < kMessages; ++i) {
    now += exponentialGap(random, Picoseconds(static_cast<std::int64_t>(20e6 / kLoad)));
    network.post({0, 0, 1, kBytes, now});
    posted += now.toSeconds();
  }
  double arrived = 0;
  const auto arrivals = allOf(network);
  ASSERT_EQ(arrivals.size(), static_cast<std::size_t>(kMessages));
  for (const Arrival& arrival : arrivals) arrived += (arrival.time - kNicPath).toSeconds();
  const double mean = (arrived - posted) / kMessages;
  EXPECT_NEAR(mean, 20e-6 / (1 - kLoad), 0.05 * 20e-6 / (1 - kLoad));
}

// The model above it: Little's identity in every stage, bytes, and the same bytes twice.
TEST(FlowServing, LittleHoldsInEveryStage) {
  serving::ServingSpec spec = serving::plainSpec();
  spec.servers.prefill.workers = 4;
  spec.servers.decode.workers = 2;
  spec.prefill_pages = spec.decode_pages = 2000;
  const auto workload = serving::fixedWorkload(60, 400, 20, 400);
  const auto run = [&] {
    FlowServingNetwork network = starNetwork(6, 2);
    serving::ServingResult result = serving::runServing(spec, workload, network);
    double received = 0;
    for (std::uint32_t nic = 4; nic < 6; ++nic) received += network.fluid().carried(6 + nic);
    EXPECT_EQ(received, 400.0 * 400 * 131'072);
    return result;
  };
  const serving::ServingResult result = run();
  std::array<Int128, serving::kStages> sums{};
  for (const serving::RequestRecord& record : result.requests) {
    EXPECT_EQ(record.outcome, serving::Outcome::kDone);
    for (std::size_t stage = 0; stage < serving::kStages; ++stage) {
      sums[stage] += record.stages[stage].count();
    }
  }
  EXPECT_TRUE(sums == result.stage_integral);
  const serving::ServingResult again = run();
  EXPECT_EQ(result.end, again.end);
  ASSERT_EQ(result.requests.size(), again.requests.size());
  for (std::size_t i = 0; i < result.requests.size(); ++i) {
    EXPECT_EQ(result.requests[i].last_arrival, again.requests[i].last_arrival);
  }
}

// One request without load: prefill, its bytes over the rate and the path, one step.
TEST(FlowServing, OneRequestToThePicosecond) {
  const serving::ServingSpec spec = serving::plainSpec();
  FlowServingNetwork network = starNetwork(2, 4);
  const auto result = serving::runServing(spec, serving::fixedWorkload(1, 1000, 3, 1), network);
  const serving::RequestRecord& record = result.requests.at(0);
  const Picoseconds wire(1000LL * 131'072 * 20);  // / 0.05
  EXPECT_EQ(record.last_arrival - record.first_post, wire + kNicPath);
  EXPECT_EQ(record.first_token - record.arrival,
            milliseconds(100) + wire + kNicPath + milliseconds(2));
}

}  // namespace
}  // namespace plumbline::bench
