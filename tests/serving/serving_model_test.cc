#include "serving/serving_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <sstream>
#include <vector>

#include "base/error.h"
#include "serving/metrics.h"
#include "tests/serving/serving_setup.h"

namespace plumbline::serving {
namespace {

// 3P9D of eight H100 each, CFG B, by the roofline, on NICs that share.
ServingSpec clusterSpec() {
  ServingSpec spec;
  spec.model = *builtInModel("cfg-b");
  spec.accelerator = *builtInAccelerator("h100");
  spec.servers.prefill = {3, 8, 1};
  spec.servers.decode = {9, 8, 1};
  spec.router.prefill = RouterPolicy::kLeastOutstanding;
  spec.router.decode = RouterPolicy::kKvAware;
  spec.check_every = 20'011;
  return spec;
}

WorkloadSpec clusterWorkload(std::uint64_t requests) {
  WorkloadSpec spec;
  spec.arrivals.rate = 20;
  spec.prompt = {LengthKind::kZipfValue, 128, 8192, 1, 1, 1};
  spec.output = {LengthKind::kLognormal, 1, 2000, 1, 100, 1};
  spec.requests = requests;
  return spec;
}

std::vector<std::int64_t> timesOf(const ServingResult& result) {
  std::vector<std::int64_t> times;
  for (const RequestRecord& record : result.requests) {
    times.push_back(record.prefill_start.count());
    times.push_back(record.last_arrival.count());
    times.push_back(record.done.count());
  }
  return times;
}

TEST(ServingModel, SameSeedSameTimes) {
  ServingSpec spec = clusterSpec();
  const auto run = [&] {
    SharedRateNetwork network(96, gigabitsPerSecond(392), microseconds(2));
    return timesOf(runServing(spec, clusterWorkload(120), network));
  };
  const auto first = run();
  EXPECT_EQ(run(), first);
  spec.seed = 2;
  EXPECT_NE(run(), first);
}

// A network with an early estimate of its next event, like a simulated fabric whose next event is a
// packet's hop and no arrival: it is run in other steps, with the same result.
class RoughNetwork : public TransferNetwork {
 public:
  RoughNetwork() : network_(96, gigabitsPerSecond(392), microseconds(2)) {}
  void post(const Transfer& transfer) override { network_.post(transfer); }
  [[nodiscard]] Picoseconds nextEvent() const override {
    const Picoseconds next = network_.nextEvent();
    if (next == kNever) return kNever;
    return std::max(now_, next - Picoseconds(next.count() % microseconds(7).count()));
  }
  void runUntil(Picoseconds time, std::vector<Arrival>& arrivals) override {
    network_.runUntil(time, arrivals);
    now_ = std::max(now_, time);
    ++steps_;
  }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  SharedRateNetwork network_;
  Picoseconds now_;
  std::uint64_t steps_ = 0;
};

TEST(ServingModel, StepsOfTheNetworkDoNotMatter) {
  const ServingSpec spec = clusterSpec();
  SharedRateNetwork exact(96, gigabitsPerSecond(392), microseconds(2));
  RoughNetwork rough;
  EXPECT_EQ(timesOf(runServing(spec, clusterWorkload(60), rough)),
            timesOf(runServing(spec, clusterWorkload(60), exact)));
  EXPECT_GT(rough.steps(), 1000U);
}

// Every byte of every request, once: 327,680 per token.
TEST(ServingModel, BytesAreThoseOfTheTokens) {
  for (const TransferUnit unit :
       {TransferUnit::kRequest, TransferUnit::kLayer, TransferUnit::kBlock, TransferUnit::kPage}) {
    ServingSpec spec = clusterSpec();
    spec.transfer.unit = unit;
    spec.scheduler.chunk = 1024;
    SharedRateNetwork network(96, gigabitsPerSecond(392), microseconds(2));
    const auto result = runServing(spec, clusterWorkload(40), network);
    std::uint64_t received = 0;
    for (std::uint32_t nic = 24; nic < 96; ++nic) received += network.received(nic);
    std::uint64_t expected = 0;
    for (const RequestRecord& record : result.requests) {
      EXPECT_TRUE(record.finished());
      EXPECT_EQ(record.bytes, record.prompt * std::uint64_t{327'680});
      expected += record.bytes;
    }
    EXPECT_EQ(received, expected);
    EXPECT_EQ(result.bytes, expected);
    EXPECT_EQ(result.resent_bytes, 0U);
  }
}

// Two answers of 200 tokens in 20 pages of 16: the later one is preempted, and all finish.
ServingSpec tightSpec(Preemption preemption) {
  ServingSpec spec = plainSpec();
  spec.scheduler.preemption = preemption;
  spec.scheduler.watermark = 0;
  spec.decode_pages = 20;
  spec.check_every = 1;
  return spec;
}

ServingResult tightRun(Preemption preemption) {
  SharedRateNetwork network(2, gigabitsPerSecond(400), {});
  return runServing(tightSpec(preemption), fixedWorkload(100, 64, 200, 4), network);
}

TEST(Preemption, RecomputesOnDecode) {
  const auto result = tightRun(Preemption::kRecomputeDecode);
  std::uint32_t preemptions = 0;
  for (const RequestRecord& record : result.requests) {
    EXPECT_EQ(record.outcome, Outcome::kDone);
    EXPECT_EQ(record.generated, 200U);
    preemptions += record.preemptions;
  }
  EXPECT_GT(preemptions, 0U);
  EXPECT_EQ(result.requests[0].preemptions, 0U);  // the earliest never gives way
  EXPECT_GT(result.recomputed_tokens, 0U);
  EXPECT_EQ(result.resent_bytes, 0U);
  EXPECT_EQ(result.bytes, 4U * 64 * 131'072);
}

TEST(Preemption, BackToPrefillSendsAgain) {
  const auto result = tightRun(Preemption::kRecomputePrefill);
  std::uint64_t resent = 0;
  for (const RequestRecord& record : result.requests) {
    EXPECT_EQ(record.generated, 200U);
    EXPECT_EQ(record.bytes, 64U * 131'072);
    EXPECT_EQ(record.resent > 0, record.preemptions > 0);
    resent += record.resent;
  }
  EXPECT_GT(resent, 0U);
  EXPECT_EQ(result.resent_bytes, resent);
  EXPECT_EQ(result.bytes, 4U * 64 * 131'072 + resent);
  EXPECT_EQ(result.recomputed_tokens, 0U);
}

TEST(Preemption, SwapsOverPcie) {
  const auto result = tightRun(Preemption::kSwap);
  for (const RequestRecord& record : result.requests) EXPECT_EQ(record.generated, 200U);
  EXPECT_GT(result.swapped_tokens, 0U);
  EXPECT_EQ(result.swapped_tokens % 2, 0U);  // out, and in again
  EXPECT_EQ(result.recomputed_tokens, 0U);
  EXPECT_EQ(result.resent_bytes, 0U);
}

TEST(Preemption, NeverWithRoomForTheLongestAnswer) {
  ServingSpec spec = tightSpec(Preemption::kRecomputeDecode);
  spec.scheduler.reserve = Reserve::kPromptMax;
  spec.scheduler.max_output = 200;
  const auto result = runServing(spec, fixedWorkload(100, 64, 200, 4));
  for (const RequestRecord& record : result.requests) {
    EXPECT_EQ(record.preemptions, 0U);
    EXPECT_TRUE(record.finished());
  }
  // 17 pages each: one after the other.
  EXPECT_EQ(result.decode.front().peak_pages, 17U);
}

// 100 tokens are 7 pages: of prefill for its 10 ms, of decode, which requests them when prefill
// begins, from then on for two steps of 2 ms more.
TEST(WorkerUse, CountsStepsAndPages) {
  const ServingSpec spec = plainSpec();
  const auto result = runServing(spec, fixedWorkload(1, 100, 2, 1));
  ASSERT_EQ(result.prefill.size(), 1U);
  ASSERT_EQ(result.decode.size(), 1U);
  const WorkerUse& prefill = result.prefill.front();
  const WorkerUse& decode = result.decode.front();
  EXPECT_EQ(prefill.busy, milliseconds(10));
  EXPECT_EQ(decode.busy, milliseconds(4));
  EXPECT_EQ(prefill.page_time, Int128{7} * milliseconds(10).count());
  EXPECT_EQ(decode.page_time, Int128{7} * milliseconds(14).count());
  EXPECT_EQ(prefill.peak_pages, 7U);
  EXPECT_EQ(prefill.pages, 20'000U);
  EXPECT_DOUBLE_EQ(decode.utilisation(milliseconds(14)), 7.0 / 20'000);
}

TEST(Admission, WhatNeverFitsIsRefusedOrFails) {
  ServingSpec spec = tightSpec(Preemption::kRecomputeDecode);
  // 20 pages are 320 tokens.
  const auto refused = runServing(spec, fixedWorkload(10, 320, 1, 3));
  for (const RequestRecord& record : refused.requests) {
    EXPECT_EQ(record.outcome, Outcome::kRejected);
  }
  // The length of the answer is unknown until it is too long.
  const auto failed = runServing(spec, fixedWorkload(10, 300, 100, 3));
  for (const RequestRecord& record : failed.requests) {
    EXPECT_EQ(record.outcome, Outcome::kFailed);
    EXPECT_EQ(record.generated, 20U);
  }
  const ServingMetrics metrics = metricsOf(failed, {});
  EXPECT_EQ(metrics.failed, 3U);
  EXPECT_FALSE(metrics.e2e.p50.value);
}

// Two requests at a time: a static batch of 3 and 9 tokens takes 9 steps, and the next begins
// after it; in continuous batches the third joins after the third step.
TEST(Batching, StaticAndContinuous) {
  const std::string text = "Timestamp,Request tokens,Response tokens\n0,1,3\n0,1,9\n0,1,3\n0,1,9\n";
  for (const bool continuous : {true, false}) {
    ServingSpec spec = plainSpec();
    spec.scheduler.max_batch = 2;
    spec.scheduler.reserve = Reserve::kPromptMax;
    spec.scheduler.max_output = 9;
    spec.scheduler.batching = continuous ? Batching::kContinuous : Batching::kStatic;
    WorkloadSpec workload;
    workload.arrivals.kind = ArrivalKind::kTrace;
    workload.prompt.kind = workload.output.kind = LengthKind::kTrace;
    std::istringstream stream(text);
    InfiniteNetwork network;
    ServingModel model(spec, Workload(workload, 1, burstGptTrace(stream, "t")), network);
    const auto result = model.run();
    // Continuous: steps 1-3 and 1-9, then 4-6, then 7-15.
    EXPECT_EQ(result.decode_steps, continuous ? 15U : 18U);
    EXPECT_EQ(result.requests[2].decode_start - result.requests[0].decode_start,
              milliseconds(continuous ? 6 : 18));
  }
}

TEST(Batching, AnswersEndAtTheirLimit) {
  ServingSpec spec = plainSpec();
  spec.scheduler.max_output = 10;
  const auto result = runServing(spec, fixedWorkload(10, 10, 50, 3));
  for (const RequestRecord& record : result.requests) EXPECT_EQ(record.generated, 10U);
}

// Chunks of 100 of 350 tokens: 4 steps of the same time in all as one (0.1 ms a token).
TEST(Prefill, ChunksAddUp) {
  ServingSpec spec = plainSpec();
  spec.scheduler.chunk = 100;
  const auto result = runServing(spec, fixedWorkload(1, 350, 1, 1));
  EXPECT_EQ(result.prefill_steps, 4U);
  EXPECT_EQ(stageTime(result.requests[0], Stage::kPrefill), milliseconds(35));
}

TEST(Prefill, TokenBudgetLimitsAStep) {
  ServingSpec spec = plainSpec();
  spec.scheduler.max_tokens = 250;
  WorkloadSpec workload = fixedWorkload(1, 100, 1, 5);
  workload.arrivals.kind = ArrivalKind::kClosed;
  workload.arrivals.concurrency = 5;
  const auto result = runServing(spec, workload);
  EXPECT_EQ(result.prefill_steps, 3U);  // 2, 2, 1 prompts
}

// Pages stay with prefill until they are sent: a slow network stalls it, and prefill works at the
// rate of the wire. 10 pages hold one prompt of 150 tokens.
TEST(Prefill, WaitsForASlowNetwork) {
  ServingSpec spec = plainSpec();
  spec.prefill_pages = 10;
  spec.scheduler.watermark = 0;
  WorkloadSpec workload = fixedWorkload(1, 150, 1, 8);
  workload.arrivals.kind = ArrivalKind::kClosed;
  workload.arrivals.concurrency = 8;
  // 150 * 131,072 bytes at 1 Gb/s: 157.2864 ms.
  SharedRateNetwork network(2, gigabitsPerSecond(1), {});
  const auto result = runServing(spec, workload, network);
  const Picoseconds wire(150LL * 131'072 * 8000);
  EXPECT_EQ(result.end, (milliseconds(15) + wire) * 8 + milliseconds(2));
  EXPECT_EQ(result.prefill_stalled, wire * 7);
}

// Half of the requests begin with one of two prefixes of 160 tokens, all have 320 tokens: hit share
// of tokens P * floor(L / 16) * 16 / prompt = 0.25. `missing` saves as much on the fabric.
TEST(PrefixCache, SavesComputingAndMissingPagesSaveBytes) {
  for (const bool missing : {false, true}) {
    ServingSpec spec = plainSpec();
    spec.transfer.missing_only = missing;
    WorkloadSpec workload = fixedWorkload(10, 320, 2, 2000);
    workload.prefix = {0.5, 165, 2, 0};
    const auto result = runServing(spec, workload);
    std::uint64_t cached = 0;
    for (const RequestRecord& record : result.requests) cached += record.cached;
    EXPECT_NEAR(static_cast<double>(cached) / (2000.0 * 320), 0.25, 0.02);
    const std::uint64_t all = std::uint64_t{2000} * 320 * 131'072;
    if (missing) {
      EXPECT_NEAR(static_cast<double>(result.bytes) / static_cast<double>(all), 0.75, 0.02);
    } else {
      EXPECT_EQ(result.bytes, all);
    }
    spec.scheduler.prefix_cache = false;
    for (const RequestRecord& record : runServing(spec, workload).requests) {
      EXPECT_EQ(record.cached, 0U);
    }
  }
}

// All policies finish all requests under all kinds of load, with every invariant checked after
// every event in each fourth system, and after every 17th in the others.
TEST(ServingModel, InvariantsHoldUnderStrain) {
  RandomStream random(1, "strain");
  for (int round = 0; round < 40; ++round) {
    ServingSpec spec = plainSpec();
    spec.servers.gpus = spec.servers.nics = 8;
    spec.servers.prefill = {2, 4, random.below(2) == 0 ? 1U : 2U};
    spec.servers.decode = {3, 4, random.below(2) == 0 ? 1U : 2U};
    spec.prefill_pages = 30 + random.below(40);
    spec.decode_pages = 30 + random.below(40);
    spec.scheduler.max_tokens = 400;
    spec.scheduler.chunk = random.below(2) == 0 ? 0 : 50;
    spec.scheduler.max_batch = 6;
    spec.scheduler.preemption = static_cast<Preemption>(random.below(3));
    if (random.below(3) == 0) {
      spec.scheduler.reserve = Reserve::kPromptMax;
      spec.scheduler.max_output = 120;
      if (random.below(2) == 0) spec.scheduler.batching = Batching::kStatic;
    }
    spec.transfer.unit = static_cast<TransferUnit>(random.below(4));
    const bool whole =
        spec.transfer.unit == TransferUnit::kRequest || spec.transfer.unit == TransferUnit::kBlock;
    if (whole && random.below(2) == 0) spec.transfer.verb = TransferVerb::kRead;
    spec.transfer.outstanding = 1 + static_cast<std::uint32_t>(random.below(4));
    spec.transfer.missing_only = random.below(2) == 0;
    spec.transfer.control = microseconds(static_cast<std::int64_t>(random.below(100)));
    spec.router.prefill = static_cast<RouterPolicy>(random.below(7));
    spec.router.decode = static_cast<RouterPolicy>(random.below(8));
    if (random.below(2) == 0) spec.router.signal_interval = milliseconds(20);
    spec.first_token = random.below(2) == 0 ? FirstToken::kDecode : FirstToken::kPrefill;
    spec.reaction = microseconds(static_cast<std::int64_t>(random.below(10)));
    spec.check_every = round % 4 == 0 ? 1 : 17;
    spec.seed = static_cast<std::uint64_t>(round);
    WorkloadSpec workload;
    workload.arrivals.rate = 60;
    workload.prompt = {LengthKind::kUniform, 1, 300};
    workload.output = {LengthKind::kUniform, 1, 150};
    workload.prefix = {0.5, 100, 3, 1};
    workload.requests = 60;
    SharedRateNetwork network(24, gigabitsPerSecond(20), microseconds(2));
    const auto result = runServing(spec, workload, network);
    ASSERT_EQ(result.requests.size(), 60U) << round;
    for (const RequestRecord& record : result.requests) {
      const bool over = record.finished() || record.outcome == Outcome::kFailed ||
                        record.outcome == Outcome::kRejected;
      ASSERT_TRUE(over) << round;
      if (!record.finished()) continue;
      const std::uint32_t max = spec.scheduler.max_output;
      ASSERT_EQ(record.generated, max == 0 ? record.output : std::min(record.output, max));
    }
  }
}

// A round of equal requests over three workers.
TEST(Routing, RoundRobinIsEven) {
  ServingSpec spec = clusterSpec();
  std::vector<int> decode(9);
  std::set<std::uint32_t> prefill;
  spec.router.decode = RouterPolicy::kRoundRobin;
  for (const RequestRecord& record : runServing(spec, clusterWorkload(90)).requests) {
    ++decode[record.decode_worker];
    prefill.insert(record.prefill_worker);
  }
  for (const int count : decode) EXPECT_EQ(count, 10);
  EXPECT_EQ(prefill.size(), 3U);
}

// Between two reports the router sees the same loads: the worker with the highest load in the last
// one gets nothing until the next.
TEST(Routing, StaleSignalsHerd) {
  for (const bool stale : {false, true}) {
    ServingSpec spec = plainSpec();
    spec.servers.decode.workers = 3;
    spec.router.decode = RouterPolicy::kLeastOutstanding;
    if (stale) spec.router.signal_interval = seconds(1);
    // An arrival every 50 ms; the second report is at the 20th, the third at the 40th. No request
    // is done before that.
    WorkloadSpec workload = fixedWorkload(20, 10, 2000, 39);
    workload.arrivals.kind = ArrivalKind::kConstant;
    const auto result = runServing(spec, workload);
    std::vector<int> counts(3);
    for (const RequestRecord& record : result.requests) ++counts[record.decode_worker];
    // 19 equal choices take turns: 7, 6, 6.
    if (stale) {
      EXPECT_EQ(counts[0], 7);
    } else {
      EXPECT_EQ(counts, (std::vector<int>{13, 13, 13}));
    }
  }
}

// Ten requests a second: those of seconds 1 and 2 are measured, and the load continues after them
// until the last of them is done, 1 s after its arrival.
TEST(Window, MeasuresByArrival) {
  ServingSpec spec = plainSpec();
  spec.window.warmup = seconds(1);
  spec.window.measure = seconds(2);
  WorkloadSpec workload = fixedWorkload(10, 10, 500, UINT64_MAX);
  workload.arrivals.kind = ArrivalKind::kConstant;
  const auto result = runServing(spec, workload);
  const ServingMetrics metrics = metricsOf(result, {});
  EXPECT_EQ(metrics.measured, 20U);
  EXPECT_EQ(metrics.done, 20U);
  EXPECT_DOUBLE_EQ(metrics.window, 2);
  EXPECT_DOUBLE_EQ(metrics.offered, 10);
  EXPECT_NEAR(result.end.toSeconds(), 3.9, 0.05);  // the last one arrived at 2.9 s
  EXPECT_EQ(result.requests.size(), 39U);
  // About ten answers at a time, a token every 2 ms.
  EXPECT_NEAR(metrics.tokens_per_second, 5000, 60);
  for (const RequestRecord& record : result.requests) {
    EXPECT_EQ(record.measured, record.arrival >= seconds(1) && record.arrival < seconds(3));
  }
}

// A run that ends in the middle of a prefill: 16 of 32 layers have been posted by then.
TEST(Window, WhatWasToBePostedLaterWasNotPosted) {
  ServingSpec spec = plainSpec();
  spec.transfer.unit = TransferUnit::kLayer;
  spec.window.measure = milliseconds(1165);
  spec.window.drain = Picoseconds();
  WorkloadSpec workload = fixedWorkload(1, 3200, 1, 1);
  workload.arrivals.kind = ArrivalKind::kConstant;  // at 1 s; a layer every 10 ms
  SharedRateNetwork network(2, gigabitsPerSecond(400), {});
  const auto result = runServing(spec, workload, network);
  ASSERT_EQ(result.end, milliseconds(1165));
  EXPECT_EQ(result.messages, 16U);
  EXPECT_EQ(result.bytes, 16U * 3200 * 4096);
  EXPECT_EQ(result.requests[0].bytes, result.bytes);
  EXPECT_EQ(result.requests[0].first_post, milliseconds(1010));
}

TEST(ServingModel, ImpossibleSpecificationsAreRefused) {
  InfiniteNetwork network;
  const auto refuses = [&](const ServingSpec& spec) {
    try {
      runServing(spec, fixedWorkload(1, 1, 1, 1), network);
    } catch (const Error& error) {
      return error.kind() == ErrorKind::kUsage;
    }
    return false;
  };
  ServingSpec spec = plainSpec();
  EXPECT_FALSE(refuses(spec));
  spec.model.layers = 0;
  EXPECT_TRUE(refuses(spec));
  spec = plainSpec();
  spec.decode_pages = 0;
  EXPECT_TRUE(refuses(spec));
  spec = clusterSpec();
  spec.servers.prefill.tp = 1;  // 141 GB of weights on one GPU
  EXPECT_TRUE(refuses(spec));
  spec = plainSpec();
  spec.scheduler.batching = Batching::kStatic;
  EXPECT_TRUE(refuses(spec));
  spec = plainSpec();
  spec.window.measure = Picoseconds();
  EXPECT_TRUE(refuses(spec));
  spec = plainSpec();
  spec.reaction = Picoseconds(-1);
  EXPECT_TRUE(refuses(spec));
}

}  // namespace
}  // namespace plumbline::serving
