// Samples of a run: their sums, and an injected leak.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <numeric>

#include "base/error.h"
#include "tests/serving/serving_setup.h"

namespace plumbline::serving {
namespace {

// A request every 10 ms for a second, 32 tokens of prompt (3.2 ms of prefill, 2 pages) and 5 of the
// answer (10 ms of decode); sampled every 100 ms.
ServingResult sampledRun(double leak = 0, Picoseconds drain = kNever) {
  ServingSpec spec = plainSpec();
  spec.window = {Picoseconds(), seconds(1), drain, true, milliseconds(100)};
  spec.memory.leak = leak;
  WorkloadSpec workload = fixedWorkload(100, 32, 5, UINT64_MAX);
  workload.arrivals.kind = ArrivalKind::kConstant;
  return runServing(spec, workload);
}

TEST(ServingSamples, AddUpToTheRun) {
  const ServingResult result = sampledRun();
  ASSERT_EQ(result.samples.size(), 11U);  // and one of the end
  std::uint64_t tokens = 0;
  std::uint64_t gaps = 0;
  std::array<Int128, kStages> stages{};
  Int128 prefill_pages{};
  for (std::size_t i = 0; i < result.samples.size(); ++i) {
    const ServingSample& sample = result.samples[i];
    if (i < 10) {
      EXPECT_EQ(sample.time, milliseconds(100) * static_cast<std::int64_t>(i + 1));
    }
    tokens += sample.tokens;
    gaps += sample.gaps.count();
    for (std::size_t stage = 0; stage < kStages; ++stage) {
      stages[stage] += sample.stage_time[stage];
    }
    prefill_pages += sample.prefill.page_time;
    EXPECT_LE(sample.prefill.min, sample.prefill.used);
    EXPECT_LE(sample.prefill.used, sample.prefill.max);
    EXPECT_EQ(sample.prefill.total, 20'000U);
  }
  // No request after the window: every 10 ms, from 10 ms on, before 1 s.
  EXPECT_EQ(result.requests.size(), 99U);
  EXPECT_EQ(tokens, 99U * 5);
  EXPECT_EQ(gaps, 99U * 4);
  EXPECT_EQ(stages, result.stage_integral);
  EXPECT_EQ(prefill_pages, result.prefill.front().page_time);
  // 2 pages of each prompt, for the 3.2 ms of prefill: transfer takes no time here.
  EXPECT_EQ(prefill_pages,
            Int128{99} * 2 * milliseconds(3).count() + Int128{99} * 2 * microseconds(200).count());
}

// In each window of 100 ms ten requests arrive and 50 tokens come; all gaps are decode steps.
TEST(ServingSamples, AreOfTheirWindow) {
  const ServingResult result = sampledRun();
  for (std::size_t i = 1; i < 10; ++i) {
    EXPECT_EQ(result.samples[i].tokens, 50U) << i;
    EXPECT_EQ(result.samples[i].gaps.minimum(), 2'000'000'000U);
    EXPECT_EQ(result.samples[i].gaps.maximum(), 2'000'000'000U);
    // Little's law: 100 requests/s in the system for 3.2 + 10 ms each.
    const Int128 all = std::accumulate(result.samples[i].stage_time.begin(),
                                       result.samples[i].stage_time.end(), Int128{});
    EXPECT_EQ(all, Int128{10} * microseconds(13'200).count()) << i;
  }
}

TEST(ServingSamples, EndWithAnEmptySystem) {
  const ServingResult result = sampledRun();
  const ServingSample& end = result.samples.back();
  EXPECT_EQ(end.time, result.end);
  EXPECT_EQ(end.prefill.used, 0U);
  EXPECT_EQ(end.decode.used, 0U);
  EXPECT_EQ(end.pinned, 0U);
  EXPECT_EQ(end.messages_open, 0U);
  EXPECT_EQ(end.in_stage, (std::array<std::uint64_t, kStages>{}));
}

// Prompt and answer take 3 decode pages of 16 tokens, the prompt alone 2 of prefill.
TEST(ServingSamples, ALeakOfEveryPageLosesAllOfThem) {
  const ServingResult result = sampledRun(1);
  const ServingSample& end = result.samples.back();
  EXPECT_EQ(end.prefill.used, 99U * 2);
  EXPECT_EQ(end.decode.used, 99U * 3);
  for (std::size_t i = 1; i + 1 < result.samples.size(); ++i) {
    EXPECT_GT(result.samples[i].decode.min, result.samples[i - 1].decode.min);
  }
}

// A tenth of 495 released pages: 49.5 +- 6.7.
TEST(ServingSamples, ALeakLosesItsShare) {
  const ServingResult result = sampledRun(0.1);
  const ServingSample& end = result.samples.back();
  EXPECT_NEAR(static_cast<double>(end.prefill.used + end.decode.used), 49.5, 4 * 6.7);
  // Requests are not slowed down while there is room.
  const ServingResult clean = sampledRun();
  ASSERT_EQ(result.requests.size(), clean.requests.size());
  for (std::size_t i = 0; i < clean.requests.size(); ++i) {
    EXPECT_EQ(result.requests[i].done, clean.requests[i].done);
  }
}

// Sampling does not change the results.
TEST(ServingSamples, ChangeNothing) {
  ServingSpec spec = plainSpec();
  spec.window = {Picoseconds(), seconds(1), kNever, true, Picoseconds()};
  WorkloadSpec workload = fixedWorkload(100, 32, 5, UINT64_MAX);
  workload.arrivals.kind = ArrivalKind::kConstant;
  const ServingResult plain = runServing(spec, workload);
  const ServingResult sampled = sampledRun();
  EXPECT_TRUE(plain.samples.empty());
  ASSERT_EQ(plain.requests.size(), sampled.requests.size());
  for (std::size_t i = 0; i < plain.requests.size(); ++i) {
    EXPECT_EQ(plain.requests[i].done, sampled.requests[i].done);
  }
  EXPECT_EQ(plain.end, sampled.end);
}

TEST(ServingSamples, NeedAWindowThatEnds) {
  ServingSpec spec = plainSpec();
  spec.window.sample = seconds(1);
  EXPECT_THROW(check(spec), Error);
  spec.window = {Picoseconds(), kNever, kNever, true, Picoseconds()};
  EXPECT_THROW(check(spec), Error);
}

// Requests every 10 ms; worker 1 of two joins at 300 ms and leaves at 600 ms.
TEST(ScalingPool, OnlyThoseThatAreThereGetRequests) {
  for (const RouterPolicy policy :
       {RouterPolicy::kRoundRobin, RouterPolicy::kRandom, RouterPolicy::kPowerOfTwo,
        RouterPolicy::kLeastOutstanding, RouterPolicy::kLeastKv, RouterPolicy::kKvAware,
        RouterPolicy::kPrefixAware, RouterPolicy::kCongestionAware}) {
    ServingSpec spec = plainSpec();
    spec.servers.decode.workers = 2;
    spec.router.decode = policy;
    spec.window = {Picoseconds(), seconds(1), kNever, true, Picoseconds()};
    spec.scaling = {1, milliseconds(300), 1, milliseconds(600)};
    WorkloadSpec workload = fixedWorkload(100, 32, 5, UINT64_MAX);
    workload.arrivals.kind = ArrivalKind::kConstant;
    workload.prefix = {0.5, 16, 2, 0};
    const ServingResult result = runServing(spec, workload);
    std::uint64_t second = 0;
    for (const RequestRecord& record : result.requests) {
      const bool there = record.arrival >= milliseconds(300) && record.arrival < milliseconds(600);
      if (!there) {
        EXPECT_EQ(record.decode_worker, 0U) << record.arrival.count();
      }
      second += record.decode_worker;
      EXPECT_TRUE(record.finished());
    }
    EXPECT_GT(second, 0U);
    if (policy == RouterPolicy::kRoundRobin) {
      EXPECT_EQ(second, 15U);
    }
  }
}

TEST(ScalingPool, KeepsOneWorkerAtLeast) {
  ServingSpec spec = plainSpec();
  spec.scaling.joining = 1;
  EXPECT_THROW(check(spec), Error);
  spec.servers.decode.workers = 3;
  spec.scaling = {1, milliseconds(300), 1, milliseconds(200)};
  EXPECT_THROW(check(spec), Error);
}

}  // namespace
}  // namespace plumbline::serving
