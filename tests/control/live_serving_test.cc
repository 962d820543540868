// Serving systems in live intervals: parts, percentiles and sums against hand calculations; those
// of a trial on the simulated fabric against its result, and that observing does not change the
// result.
#include "control/live_serving.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "bench/sim/sim_bench.h"
#include "control/live_watcher.h"
#include "serving/metrics.h"
#include "tests/control/openapi.h"
#include "tests/serving/serving_setup.h"
#include "transport/roce/roce_spec.h"

namespace plumbline::control {
namespace {

using bench::TrialResult;
using bench::TrialSnapshot;
using bench::TrialSpec;
using serving::Stage;
using testing::IsEmpty;

constexpr std::uint64_t kMs = 1'000'000'000;  // ps

Int128& stageOf(serving::FirstTokens& tokens, Stage stage) {
  return tokens.stages[static_cast<std::size_t>(stage)];
}

// Two first tokens after 3 ms in the queue, 10 ms of prefill, 1 ms of transfer and 6 ms of a decode
// step each; 99 gaps of 2 ms, and one of 8 ms.
TrialSnapshot earlyServing() {
  TrialSnapshot snapshot;
  snapshot.time = milliseconds(100);
  serving::ServingView& view = snapshot.serving.emplace_back().view;
  view.arrived = 5;
  view.done = 1;
  view.tokens = 102;
  view.first_tokens.count = 2;
  stageOf(view.first_tokens, Stage::kPrefillQueue) = 2 * 3 * kMs;
  stageOf(view.first_tokens, Stage::kPrefill) = 2 * 10 * kMs;
  stageOf(view.first_tokens, Stage::kTransfer) = 2 * 1 * kMs;
  stageOf(view.first_tokens, Stage::kDecode) = 2 * 6 * kMs;
  view.gaps.emplace();
  view.gaps->record(2 * kMs, 99);
  view.gaps->record(8 * kMs);
  view.in_stage = {1, 0, 1, 1, 0, 1};
  view.prefill = {{1, 0, 5, 100}, {2, 1, 30, 100}};
  view.decode = {{0, 1, 7, 200}};
  return snapshot;
}

// One more first token: 0.5 ms to the worker, 4 ms of prefill, 1.5 ms of waiting for decode and a
// decode step of 2 ms. Four more gaps of 4 ms.
TrialSnapshot lateServing() {
  TrialSnapshot snapshot = earlyServing();
  snapshot.time = milliseconds(110);
  serving::ServingView& view = snapshot.serving[0].view;
  view.first_tokens.count = 3;
  stageOf(view.first_tokens, Stage::kRouter) += kMs / 2;
  stageOf(view.first_tokens, Stage::kPrefill) += 4 * kMs;
  stageOf(view.first_tokens, Stage::kDecodeQueue) += 3 * kMs / 2;
  stageOf(view.first_tokens, Stage::kDecode) += 2 * kMs;
  view.gaps->record(4 * kMs, 4);
  return snapshot;
}

TEST(LiveServing, TakesWhatChangedSinceTheSnapshotBefore) {
  const LiveInterval first = intervalOf(earlyServing(), std::nullopt);
  ASSERT_EQ(first.serving.size(), 1U);
  const LiveServing& one = first.serving[0];
  EXPECT_EQ(one.name, "");
  EXPECT_EQ(one.arrived, 5U);
  EXPECT_EQ(one.ttft->count, 2U);
  EXPECT_NEAR(one.ttft->mean_s, 0.020, 1e-12);
  EXPECT_NEAR(one.ttft->queue_s, 0.003, 1e-12);
  EXPECT_NEAR(one.ttft->decode_init_s, 0.006, 1e-12);
  // The 99th of 100 gaps.
  EXPECT_NEAR(*one.itl_p50_s, 0.002, 0.002 * 0.004);
  EXPECT_NEAR(*one.itl_p99_s, 0.002, 0.002 * 0.004);

  const LiveServing two = intervalOf(lateServing(), earlyServing()).serving.at(0);
  EXPECT_EQ(two.ttft->count, 1U);
  EXPECT_NEAR(two.ttft->mean_s, 0.008, 1e-12);
  EXPECT_NEAR(two.ttft->router_s, 0.0005, 1e-12);
  EXPECT_EQ(two.ttft->queue_s, 0);
  EXPECT_NEAR(two.ttft->prefill_s, 0.004, 1e-12);
  EXPECT_EQ(two.ttft->transfer_s, 0);
  EXPECT_NEAR(two.ttft->decode_init_s, 0.0035, 1e-12);
  EXPECT_NEAR(*two.itl_p50_s, 0.004, 0.004 * 0.004);

  // No events: no parts and no percentiles, instead of zeros.
  const LiveServing same = intervalOf(lateServing(), lateServing()).serving.at(0);
  EXPECT_FALSE(same.ttft.has_value());
  EXPECT_FALSE(same.itl_p50_s.has_value());
  EXPECT_EQ(same.tokens, 102U);
}

TEST(LiveServing, PoolsAreTheSumOfAllWorkersAndListTheFirst) {
  TrialSnapshot snapshot = earlyServing();
  const LiveServing few = intervalOf(snapshot, std::nullopt).serving.at(0);
  EXPECT_EQ(few.prefill.worker_count, 2U);
  EXPECT_EQ(few.prefill.all.waiting, 3U);
  EXPECT_EQ(few.prefill.all.running, 1U);
  EXPECT_EQ(few.prefill.all.pages_used, 35U);
  EXPECT_EQ(few.prefill.all.pages, 200U);
  EXPECT_EQ(few.prefill.workers.at(1).waiting, 2U);
  EXPECT_EQ(few.routing, 1U);
  EXPECT_EQ(few.transferring, 1U);

  snapshot.serving[0].view.decode.assign(1'000, {1, 2, 3, 4});
  const LiveInterval live = intervalOf(snapshot, std::nullopt);
  const LiveServing& many = live.serving.at(0);
  EXPECT_EQ(many.decode.worker_count, 1'000U);
  EXPECT_EQ(many.decode.workers.size(), LiveInterval::kMaxServingWorkers);
  EXPECT_EQ(many.decode.all.pages_used, 3'000U);
  EXPECT_LT(live.toJson().size(), 40'000U);
}

// 60 of 100 measured requests have a first token, after 10 ms each. While the trial runs that is
// their P99; at its end 40 have none, so that only the median is reached.
TEST(LiveServing, WhatNeverCameCountsWhenTheTrialHasEnded) {
  TrialSnapshot snapshot = earlyServing();
  serving::MeasuredView& measured = snapshot.serving[0].view.measured;
  measured.arrived = 100;
  measured.first_tokens.count = 60;
  measured.ttft.record(10 * kMs, 60);
  measured.gaps.record(2 * kMs, 990);
  measured.open = 20;
  const LiveMeasured running = intervalOf(snapshot, std::nullopt).serving.at(0).measured;
  EXPECT_NEAR(*running.ttft_p99_s, 0.010, 1e-9);
  EXPECT_NEAR(*running.itl_p99_s, 0.002, 1e-9);
  snapshot.ended = true;
  const LiveMeasured ended = intervalOf(snapshot, std::nullopt).serving.at(0).measured;
  EXPECT_NEAR(*ended.ttft_p50_s, 0.010, 1e-9);
  EXPECT_FALSE(ended.ttft_p95_s.has_value());
  EXPECT_FALSE(ended.ttft_p99_s.has_value());
  EXPECT_NEAR(*ended.itl_p95_s, 0.002, 1e-9);
  EXPECT_FALSE(ended.itl_p99_s.has_value());  // 20 of 1,010
}

// --- On the simulated fabric ---

// Two systems, of a prefill and a decode worker each, on one switch.
TrialSpec twoTenants() {
  TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kSingleSwitch;
  spec.dut.topology.hosts = 4;
  spec.transport = transport::RoceSpec{};
  serving::ServingProgram program;
  program.system = serving::plainSpec();
  program.system.reaction = microseconds(5);
  program.system.window = {milliseconds(20), milliseconds(120), milliseconds(10), false, {}};
  program.workload = serving::fixedWorkload(200, 40, 6, UINT64_MAX);
  program.slo.ttft = milliseconds(12);
  program.hosts = {0, 1};
  spec.serving = program;
  program.system.seed = 2;
  program.hosts = {2, 3};
  spec.tenants = {program};
  return spec;
}

class ServingOnlooker final : public bench::TrialObserver {
 public:
  bool due() override { return ++asked_ % 5 == 0; }
  void onSnapshot(const TrialSnapshot& snapshot) override { seen.push_back(snapshot); }
  std::vector<TrialSnapshot> seen;

 private:
  int asked_ = 0;
};

TrialResult runTrial(const TrialSpec& spec, bench::TrialObserver* observer) {
  bench::SimBench bench({.line_rate = gigabitsPerSecond(400)});
  bench::TrialHooks hooks;
  hooks.observer = observer;
  return bench.run(spec, hooks);
}

std::string reproducibleServing(const TrialResult& result) {
  nlohmann::json json = nlohmann::json::parse(result.toJson());
  json.erase("wall_seconds");
  json.at("fabric").erase("peak_rss_bytes");
  return json.dump();
}

TEST(LiveServing, LookingAtASystemChangesNothing) {
  const TrialSpec spec = twoTenants();
  ServingOnlooker onlooker;
  const std::string seen = reproducibleServing(runTrial(spec, &onlooker));
  EXPECT_EQ(reproducibleServing(runTrial(spec, nullptr)), seen);
  EXPECT_GE(onlooker.seen.size(), 10U);
}

// The limits do not affect the simulation: no trial is measured again for them.
TEST(LiveServing, LimitsAreNotPartOfATrialsKey) {
  TrialSpec spec = twoTenants();
  const std::string key = spec.toJson();
  spec.serving->slo.ttft = seconds(7);
  EXPECT_EQ(spec.toJson(), key);
}

TEST(LiveServing, TheLastIntervalAgreesWithTheResult) {
  const TrialSpec spec = twoTenants();
  ServingOnlooker onlooker;
  const TrialResult result = runTrial(spec, &onlooker);
  const LiveInterval watched = intervalOf(onlooker.seen.back(), std::nullopt);
  // A stored trial is shown from its result alone.
  const LiveInterval stored =
      intervalOf(bench::snapshotOf(spec, TrialResult::fromJson(result.toJson())), std::nullopt);
  for (const LiveInterval* live : {&watched, &stored}) {
    ASSERT_EQ(live->serving.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
      const LiveServing& system = live->serving[i];
      const serving::ServingResult& of = i == 0 ? *result.serving : result.tenants.at(0);
      const serving::ServingMetrics metrics = serving::metricsOf(of, spec.serving->slo);
      EXPECT_EQ(system.name, i == 0 ? "tenant 1" : "tenant 2");
      EXPECT_EQ(system.arrived, of.requests.size());
      EXPECT_EQ(system.measured.arrived, metrics.measured);
      EXPECT_EQ(system.measured.done, metrics.done);
      EXPECT_EQ(system.measured.within_limits, metrics.within_slo);
      EXPECT_GT(metrics.within_slo, 5U);
      EXPECT_NEAR(system.measured.ttft->transfer_s,
                  *metrics.ttft_parts[static_cast<std::size_t>(Stage::kTransfer)], 1e-12);
      const auto expectNear = [](const std::optional<double>& live_s,
                                 const serving::Percentile& stated) {
        ASSERT_EQ(live_s.has_value(), stated.value.has_value());
        if (!live_s) return;
        EXPECT_NEAR(*live_s, *stated.value, *stated.value * 0.004);
      };
      expectNear(system.measured.ttft_p50_s, metrics.ttft.p50);
      expectNear(system.measured.ttft_p99_s, metrics.ttft.p99);
      expectNear(system.measured.itl_p50_s, metrics.itl.p50);
      expectNear(system.measured.itl_p99_s, metrics.itl.p99);
      EXPECT_EQ(system.decode.all.pages_used.has_value(), live == &watched);
      EXPECT_EQ(system.decode.all.pages, 20'000U);
    }
    const auto json = nlohmann::json::parse(live->toJson());
    EXPECT_THAT(openApiFaults("LiveServing", json.at("serving").at(0).dump()), IsEmpty());
  }
}

// In every snapshot the requests in the system are those that arrived and are not over, and totals
// only grow. QPs that carry KV cache are among the flows.
TEST(LiveServing, EveryRequestIsSomewhere) {
  ServingOnlooker onlooker;
  runTrial(twoTenants(), &onlooker);
  std::uint64_t tokens = 0;
  std::uint64_t pages = 0;
  for (const TrialSnapshot& snapshot : onlooker.seen) {
    const LiveInterval live = intervalOf(snapshot, std::nullopt);
    const LiveServing& system = live.serving.at(0);
    EXPECT_EQ(*system.routing + *system.prefill.all.waiting + *system.prefill.all.running +
                  *system.transferring + *system.decode.all.waiting + *system.decode.all.running,
              system.arrived - system.done - system.rejected - system.failed);
    EXPECT_GE(system.tokens, tokens);
    tokens = system.tokens;
    pages = std::max(pages, *system.decode.all.pages_used);
  }
  EXPECT_GT(tokens, 100U);
  EXPECT_GE(pages, 3U);
  const TrialSnapshot& last = onlooker.seen.back();
  EXPECT_GT(last.flow_count, 0U);
  std::uint64_t payload = 0;
  for (const bench::FlowSnapshot& flow : last.flows) payload += flow.received_bytes;
  EXPECT_GT(payload, 0U);
}

}  // namespace
}  // namespace plumbline::control
