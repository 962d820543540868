// How evenly load balancing spreads a load over the uplinks of a leaf.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "stats/fairness.h"
#include "tests/sim/stack.h"
#include "transport/uet/uet_spec.h"

namespace plumbline::sim::testing {
namespace {

using fabric::LoadBalancingKind;

constexpr std::uint32_t kPairs = 16;
constexpr std::uint32_t kSpines = 8;

// Every host of leaf 0 sends to its counterpart on leaf 1.
TrialSpec pairsAcross(std::uint64_t seed) {
  TrialSpec spec;
  spec.dut = leafSpine(2, kSpines, kPairs, gigabitsPerSecond(400), nanoseconds(500));
  spec.dut.seed = seed;
  return spec;
}

bench::StreamSpec pairStream(std::uint32_t pair, std::uint32_t qps) {
  bench::StreamSpec stream;
  stream.name = "pair" + std::to_string(pair);
  stream.from = pair;
  stream.to = kPairs + pair;
  stream.format.qps = qps;
  stream.frame = Bytes(1'024);
  return stream;
}

std::vector<std::uint64_t> uplinkFrames(Stack& stack) {
  std::vector<std::uint64_t> frames;
  for (std::uint32_t spine = 0; spine < kSpines; ++spine) {
    const std::string name = "leaf0-spine" + std::to_string(spine);
    frames.push_back(
        stack.fabric().linkCounters(stack.fabric().topology().requireLink(name, "test")).packets);
  }
  return frames;
}

// MMR of the uplinks when every pair sends one frame on each of `qps` QPs.
double mmr(std::uint32_t qps, std::uint64_t seed, LoadBalancingKind kind) {
  TrialSpec spec = pairsAcross(seed);
  spec.dut.switches.load_balancing.kind = kind;
  spec.duration = microseconds(10);
  for (std::uint32_t pair = 0; pair < kPairs; ++pair) {
    spec.streams.push_back(pairStream(pair, qps));
    spec.streams.back().load = bench::BurstLoad{.frames = qps};
  }
  Stack stack(spec);
  stack.run(milliseconds(1));
  const std::vector<std::uint64_t> frames = uplinkFrames(stack);
  std::uint64_t sum = 0;
  for (const std::uint64_t one : frames) sum += one;
  EXPECT_EQ(sum, std::uint64_t{kPairs} * qps);
  return stats::fairness(frames)->mmr;
}

struct Moments {
  double mean = 0;
  double deviation = 0;
};

// Balls into bins by another generator: fullest bin / mean.
Moments ballsInBins(std::uint32_t balls, std::uint32_t runs) {
  std::mt19937_64 generator(20'240'607);  // NOLINT: the same numbers every time
  std::uniform_int_distribution<std::uint32_t> bin(0, kSpines - 1);
  double sum = 0;
  double squares = 0;
  for (std::uint32_t run = 0; run < runs; ++run) {
    std::vector<std::uint32_t> bins(kSpines, 0);
    for (std::uint32_t ball = 0; ball < balls; ++ball) ++bins[bin(generator)];
    const double value =
        static_cast<double>(*std::max_element(bins.begin(), bins.end())) * kSpines / balls;
    sum += value;
    squares += value * value;
  }
  const double mean = sum / runs;
  return {mean, std::sqrt(squares / runs - mean * mean)};
}

class EcmpBalls : public ::testing::TestWithParam<LoadBalancingKind> {};

TEST_P(EcmpBalls, QueuePairsFallLikeBallsIntoBins) {
  constexpr std::uint32_t kSeeds = 300;
  for (const std::uint32_t qps : {1U, 4U, 16U, 64U}) {
    const Moments expected = ballsInBins(kPairs * qps, 100'000);
    double sum = 0;
    double squares = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const double value = mmr(qps, seed, GetParam());
      sum += value;
      squares += value * value;
    }
    const double mean = sum / kSeeds;
    const double deviation = std::sqrt(squares / kSeeds - mean * mean);
    RecordProperty("mmr_milli_" + std::to_string(qps), static_cast<int>(mean * 1000));
    RecordProperty("expected_milli_" + std::to_string(qps), static_cast<int>(expected.mean * 1000));
    // 3.3 standard errors: wrong in one of a thousand runs, if the runs were not always the same.
    EXPECT_NEAR(mean, expected.mean, 3.3 * expected.deviation / std::sqrt(kSeeds)) << qps;
    EXPECT_NEAR(deviation, expected.deviation, 0.2 * expected.deviation) << qps;
  }
}

INSTANTIATE_TEST_SUITE_P(, EcmpBalls,
                         ::testing::Values(LoadBalancingKind::kEcmp, LoadBalancingKind::kEcmpQp),
                         [](const auto& info) {
                           return info.param == LoadBalancingKind::kEcmp ? "FiveTuple"
                                                                         : "QueuePair";
                         });

struct Spray {
  LoadBalancingKind kind;
  const char* name;
};

class Spraying : public ::testing::TestWithParam<Spray> {};

TEST_P(Spraying, LoadsAllUplinksAlike) {
  TrialSpec spec = pairsAcross(7);
  spec.dut.switches.load_balancing.kind = GetParam().kind;
  spec.duration = microseconds(100);
  for (std::uint32_t pair = 0; pair < kPairs; ++pair) {
    spec.streams.push_back(pairStream(pair, 1));
    spec.streams.back().load = bench::ConstantLoad{Fraction::percent(45)};
    spec.streams.back().start = nanoseconds(pair);
  }
  Stack stack(spec);
  const Account account = stack.run(milliseconds(1));
  EXPECT_EQ(account.dropped, 0U);
  const double jfi = stats::fairness(uplinkFrames(stack))->jfi;
  RecordProperty("jfi_ppm", static_cast<int>(jfi * 1e6));
  EXPECT_GE(jfi, 0.999);
}

INSTANTIATE_TEST_SUITE_P(, Spraying,
                         ::testing::Values(Spray{LoadBalancingKind::kSprayRandom, "Random"},
                                           Spray{LoadBalancingKind::kSprayRoundRobin, "RoundRobin"},
                                           Spray{LoadBalancingKind::kSprayLeastQueue,
                                                 "LeastQueue"}),
                         [](const auto& info) { return info.param.name; });

// Without spraying the same load is far from even.
TEST(SprayingBaseline, EcmpOfOneFlowPerPairIsUneven) {
  TrialSpec spec = pairsAcross(7);
  spec.duration = microseconds(100);
  for (std::uint32_t pair = 0; pair < kPairs; ++pair) {
    spec.streams.push_back(pairStream(pair, 1));
    spec.streams.back().load = bench::ConstantLoad{Fraction::percent(25)};
  }
  Stack stack(spec);
  stack.run(milliseconds(1));
  EXPECT_LT(stats::fairness(uplinkFrames(stack))->jfi, 0.95);
}

struct Entropy {
  transport::UetEntropyPolicy policy;
  const char* name;
};

class EntropySpraying : public ::testing::TestWithParam<Entropy> {};

// The switches hash; the sender's entropy values spread. Only the number of values matters: 16
// pairs of 256 are 4,096 balls in 8 bins, whose JFI is 0.998 in any order.
TEST_P(EntropySpraying, LoadsAllUplinksAlike) {
  TrialSpec spec = pairsAcross(7);
  spec.dut.switches.trim = fabric::TrimSpec{};
  transport::UetSpec uet;
  uet.congestion_control = transport::UetCongestionControl::kNscc;
  uet.base_rtt = microseconds(6);
  uet.entropy.policy = GetParam().policy;
  uet.entropy.set_size = 4'096;
  spec.transport = uet;
  spec.workload.emplace();
  std::vector<std::pair<HostId, HostId>> pairs;
  for (HostId host = 0; host < kPairs; ++host) pairs.emplace_back(host, kPairs + host);
  spec.workload->jobs = {messagesBetween(pairs, 8U << 20, 1)};
  Stack stack(spec);
  stack.run(milliseconds(20));
  stack.expectFinished();
  const double jfi = stats::fairness(uplinkFrames(stack))->jfi;
  RecordProperty("jfi_ppm", static_cast<int>(jfi * 1e6));
  EXPECT_GE(jfi, 0.999);
}

INSTANTIATE_TEST_SUITE_P(
    , EntropySpraying,
    ::testing::Values(Entropy{transport::UetEntropyPolicy::kOblivious, "Oblivious"},
                      Entropy{transport::UetEntropyPolicy::kRandom, "Random"},
                      Entropy{transport::UetEntropyPolicy::kRoundRobin, "RoundRobin"},
                      Entropy{transport::UetEntropyPolicy::kBitmap, "Bitmap"},
                      Entropy{transport::UetEntropyPolicy::kReps, "Reps"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace plumbline::sim::testing
