// Snapshots of a running system against hand calculations, and that taking them changes nothing.
#include "serving/serving_view.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <vector>

#include "serving/metrics.h"
#include "tests/serving/serving_setup.h"

namespace plumbline::serving {
namespace {

// KV cache arrives at once; `look` is called before the model advances.
class WatchedNetwork : public InfiniteNetwork {
 public:
  std::function<void(Picoseconds)> look;
  void runUntil(Picoseconds time, std::vector<Arrival>& arrivals) override {
    if (look) look(time);
    InfiniteNetwork::runUntil(time, arrivals);
  }
};

Int128 stageSum(const FirstTokens& tokens, Stage stage) {
  return tokens.stages[static_cast<std::size_t>(stage)];
}

// A request every 10 ms from 10 ms on: 32 tokens of prompt (2 pages, 3.2 ms of prefill), 5 of the
// answer (a decode step takes 2 ms). Measured from 25 ms to 95 ms.
ServingSpec spacedSpec() {
  ServingSpec spec = plainSpec();
  spec.window.warmup = milliseconds(25);
  spec.window.measure = milliseconds(70);
  return spec;
}
WorkloadSpec spacedLoad(double rate = 100) {
  WorkloadSpec workload = fixedWorkload(rate, 32, 5, UINT64_MAX);
  workload.arrivals.kind = ArrivalKind::kConstant;
  return workload;
}

// Requests arrived at 10, 20, 30 and 40 ms. The first three are done, at 23.2, 33.2 and 43.2 ms;
// the fourth is in the decode step from 43.2 to 45.2 ms.
TEST(ServingView, TellsHowARunningSystemStands) {
  WatchedNetwork network;
  ServingModel model(spacedSpec(), Workload(spacedLoad(), 1), network);
  model.watch({});
  std::optional<ServingView> seen;
  network.look = [&](Picoseconds time) {
    const ServingView view = model.view();
    if (time <= milliseconds(45)) return;
    if (!seen) seen = view;
  };
  model.run();
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->arrived, 4U);
  EXPECT_EQ(seen->done, 3U);
  EXPECT_EQ(seen->rejected + seen->failed, 0U);
  EXPECT_EQ(seen->tokens, 15U);
  EXPECT_EQ(seen->within_limits, 3U);
  EXPECT_EQ(seen->tokens_within_limits, 15U);
  EXPECT_EQ(seen->first_tokens.count, 3U);
  EXPECT_EQ(stageSum(seen->first_tokens, Stage::kPrefill), 3 * microseconds(3'200).count());
  EXPECT_EQ(stageSum(seen->first_tokens, Stage::kDecode), 3 * milliseconds(2).count());
  EXPECT_EQ(
      std::accumulate(seen->first_tokens.stages.begin(), seen->first_tokens.stages.end(), Int128{}),
      3 * microseconds(5'200).count());
  ASSERT_TRUE(seen->gaps.has_value());
  EXPECT_EQ(seen->gaps->count(), 12U);
  EXPECT_EQ(seen->gaps->minimum(), 2'000'000'000U);
  EXPECT_EQ(seen->gaps->maximum(), 2'000'000'000U);
  // Of the measured ones, one is done and one decodes.
  EXPECT_EQ(seen->measured.arrived, 2U);
  EXPECT_EQ(seen->measured.done, 1U);
  EXPECT_EQ(seen->measured.first_tokens.count, 1U);
  EXPECT_EQ(seen->measured.ttft.maximum(), 5'200'000'000U);
  EXPECT_EQ(seen->measured.gaps.count(), 4U);
  EXPECT_EQ(seen->measured.open, 0U);  // the one that decodes has no token yet
  ASSERT_TRUE(seen->in_stage.has_value());
  EXPECT_EQ((*seen->in_stage)[static_cast<std::size_t>(Stage::kDecode)], 1U);
  ASSERT_EQ(seen->prefill.size(), 1U);
  EXPECT_EQ(seen->prefill[0].running, 0U);
  EXPECT_EQ(seen->prefill[0].waiting, 0U);
  EXPECT_EQ(seen->prefill[0].used, 0U);
  EXPECT_EQ(seen->prefill[0].pages, 20'000U);
  EXPECT_EQ(seen->decode[0].running, 1U);
  EXPECT_EQ(seen->decode[0].waiting, 0U);
  EXPECT_GE(seen->decode[0].used, 2U);
  EXPECT_LE(seen->decode[0].used, 3U);  // with room for the answer
}

// 1,000 requests/s into prefill of 312.5: after 45 ms, 44 have arrived before the 45th, and 13 have
// been prefilled (1 + 3.2 k ms) or are the 14th; the others wait.
TEST(ServingView, QueuesStandAtTheirWorker) {
  ServingSpec spec = spacedSpec();
  spec.scheduler.max_prefill_batch = 1;
  WatchedNetwork network;
  ServingModel model(spec, Workload(spacedLoad(1'000), 1), network);
  model.watch({});
  std::optional<ServingView> seen;
  network.look = [&](Picoseconds time) {
    if (time >= milliseconds(45) && !seen) seen = model.view();
  };
  model.run();
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->arrived, 44U);
  // Prefills end at 1 + 3.2 k ms: 13 by 42.6 ms, the next at 45.8 ms.
  EXPECT_EQ(seen->prefill[0].running, 1U);
  EXPECT_EQ(seen->prefill[0].waiting, 44U - 14U);
  std::uint64_t everywhere = 0;
  for (const std::uint64_t count : *seen->in_stage) everywhere += count;
  EXPECT_EQ(everywhere, seen->arrived - seen->done);
}

// The limits affect the counts, not the run.
TEST(ServingView, CountsWhatKeepsTheLimits) {
  for (const auto& [limit, within] :
       {std::pair(microseconds(5'200), true), std::pair(microseconds(5'199), false)}) {
    WatchedNetwork network;
    ServingModel model(spacedSpec(), Workload(spacedLoad(), 1), network);
    SloSpec slo;
    slo.ttft = limit;
    model.watch(slo);
    model.run();
    const ServingView view = model.view();
    EXPECT_GT(view.done, 6U);
    EXPECT_EQ(view.within_limits, within ? view.done : 0);
    EXPECT_EQ(view.tokens_within_limits, 5 * view.within_limits);
  }
}

// Overload, cut off: at the end the view agrees with the result's metrics.
TEST(ServingView, AgreesWithTheMetricsAtTheEnd) {
  ServingSpec spec = spacedSpec();
  spec.scheduler.max_prefill_batch = 1;
  spec.window.drain = milliseconds(20);
  WatchedNetwork network;
  ServingModel model(spec, Workload(spacedLoad(1'000), 1), network);
  SloSpec slo;
  slo.ttft = milliseconds(70);
  model.watch(slo);
  network.look = [&](Picoseconds) { static_cast<void>(model.view()); };
  const ServingResult result = model.run();
  const ServingMetrics metrics = metricsOf(result, slo);
  ASSERT_GT(metrics.unfinished, 10U);
  ASSERT_GT(metrics.within_slo, 3U);
  ASSERT_LT(metrics.within_slo, metrics.done);
  for (const ServingView& view : {model.view(), viewOf(result, slo)}) {
    EXPECT_EQ(view.arrived, result.requests.size());
    EXPECT_EQ(view.measured.arrived, metrics.measured);
    EXPECT_EQ(view.measured.done, metrics.done);
    EXPECT_EQ(view.measured.within_limits, metrics.within_slo);
    EXPECT_EQ(view.measured.first_tokens.count, metrics.ttft.count - metrics.ttft.not_reached);
    EXPECT_EQ(view.measured.open, metrics.itl.not_reached);
    EXPECT_EQ(view.measured.gaps.count() + view.measured.open, metrics.itl.count);
    for (std::size_t stage = 0; stage < kStages; ++stage) {
      EXPECT_NEAR(static_cast<double>(view.measured.first_tokens.stages[stage]) * 1e-12 /
                      static_cast<double>(view.measured.first_tokens.count),
                  metrics.ttft_parts[stage].value(), 1e-12);
    }
    std::uint64_t tokens = 0;
    for (const RequestRecord& record : result.requests) tokens += record.generated;
    EXPECT_EQ(view.tokens, tokens);
  }
  EXPECT_FALSE(viewOf(result, slo).gaps.has_value());
  EXPECT_FALSE(viewOf(result, slo).in_stage.has_value());
  EXPECT_FALSE(viewOf(result, slo).decode.at(0).used.has_value());
  EXPECT_EQ(viewOf(result, slo).decode.at(0).pages, 20'000U);
}

}  // namespace
}  // namespace plumbline::serving
