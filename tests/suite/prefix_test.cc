// I9.2 against its closed form: savings of a common prefix in prefill, and on the fabric.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "suite/inference/inference.h"
#include "suite/inference/steady_load.h"
#include "tests/suite/serving_system.h"

namespace plumbline::suite {
namespace {

using ::testing::AllOf;
using ::testing::Ne;

constexpr std::uint32_t kPrompt = 64;
constexpr std::uint32_t kPrefix = 40;  // two whole pages of 16 tokens
constexpr double kShared = 32;
constexpr double kTokenBytes = 131'072;

// One worker of each pool, so that one request of a prefix fills both caches. Prefill of 64 tokens
// takes 6.4 ms and decode 4 ms, and a request comes every 10 ms: none waits for another.
scenario::Scenario prefixes() {
  scenario::Scenario scenario = system(1, 1);
  auto& section = *scenario.serving;
  section.workload = serving::fixedWorkload(100, kPrompt, 2, UINT64_MAX);
  section.workload->arrivals.kind = serving::ArrivalKind::kConstant;
  section.workload->prefix.groups = 3;
  section.warmup = milliseconds(200);
  scenario.parameters.duration = milliseconds(300);
  scenario.parameters.prefix_shares = {Fraction::percent(50)};
  scenario.parameters.prefixes = {kPrefix};
  return scenario;
}

std::string pointOf(const char* condition) { return "50 %, 40 tokens, " + std::string(condition); }

// Share of the measured requests that have a prefix, from the workload alone.
double shareWithPrefix(const scenario::Scenario& scenario) {
  serving::WorkloadSpec spec = *scenario.serving->workload;
  spec.prefix.share = 0.5;
  spec.prefix.tokens = kPrefix;
  serving::Workload workload(spec, scenario.seed);
  double all = 0;
  double with = 0;
  for (auto request = workload.next(); request && request->arrival < milliseconds(500);
       request = workload.next()) {
    if (request->arrival < milliseconds(200)) continue;
    ++all;
    if (!request->prefix.empty()) ++with;
  }
  return with / all;
}

TEST(Prefixes, SaveTheirWholePagesOncePerCache) {
  const scenario::Scenario scenario = prefixes();
  const results::TestResult result = runTest(prefixProcedure(), scenario);
  EXPECT_TRUE(result.valid);
  const double share = shareWithPrefix(scenario);
  EXPECT_GT(share, 0.3);
  EXPECT_LT(share, 0.7);
  // All prefixes came in the warm-up.
  const double hit = 100 * share * kShared / kPrompt;
  const double full = kPrompt * kTokenBytes;
  struct Row {
    const char* condition;
    double hit, saved;
  };
  for (const Row& row :
       {Row{"no cache", 0, 0}, Row{"cache, round robin", hit, hit},
        Row{"cache, prefix-aware", hit, hit}, Row{"cache, prefix-aware, all pages sent", hit, 0}}) {
    const std::string point = pointOf(row.condition);
    EXPECT_NEAR(kpiValue(result, "prefix_hit_percent", point), row.hit, 1e-9) << point;
    EXPECT_NEAR(kpiValue(result, "kv_request_bytes", point), full * (1 - row.saved / 100), 1e-3);
    if (row.condition == std::string("no cache")) continue;  // what others are compared with
    EXPECT_NEAR(kpiValue(result, "kv_saved_percent", point), row.saved, 1e-9) << point;
    // A prompt token takes 0.1 ms of prefill, its KV cache the time of its bytes on the wire.
    const double prefill = row.hit / 100 * kPrompt * 0.1;
    const double wire = share * (wireMs(full, 0) - wireMs((kPrompt - kShared) * kTokenBytes, 0));
    EXPECT_NEAR(kpiValue(result, "ttft_reduction_ms", point), prefill + (row.saved > 0 ? wire : 0),
                1e-6)
        << point;
    // The load is the arrival rate: within capacity the output does not depend on the cache.
    EXPECT_NEAR(kpiValue(result, "output_gain_percent", point), 0, 5) << point;
  }
  for (const results::Kpi& one : result.kpis) {
    if (one.point != pointOf("no cache")) continue;
    EXPECT_THAT(one.name,
                AllOf(Ne("kv_saved_percent"), Ne("ttft_reduction_ms"), Ne("output_gain_percent")));
  }
}

TEST(Prefixes, TheCeilingIsThatOfThePrompts) {
  scenario::Scenario scenario = prefixes();
  scenario.parameters.prefix_shares = {Fraction::percent(90)};
  const results::TestResult result = runTest(prefixProcedure(), scenario);
  const results::Table& table = result.tables.front();
  const auto column =
      std::find(table.columns.begin(), table.columns.end(), "Ceiling of the hit share") -
      table.columns.begin();
  const auto ceiling = [&](std::size_t row) {
    return std::get<results::Quantity>(table.rows[row][static_cast<std::size_t>(column)]).value;
  };
  EXPECT_EQ(ceiling(0), 0);
  EXPECT_NEAR(ceiling(1), 100 * 0.9 * kShared / kPrompt, 1e-9);
}

// Half of the pages are not sent, which the plan accounts for.
TEST(Prefixes, ThePlanKnowsWhatIsNotSent) {
  scenario::Scenario scenario = prefixes();
  scenario.parameters.prefix_shares = {Fraction::percent(100)};
  SimRunner runner;
  const Plan plan = prefixProcedure().plan({scenario, runner.bench.capabilities()});
  ASSERT_EQ(plan.samples.size(), 4U);
  EXPECT_NEAR(plan.samples[3].packet_hops / plan.samples[0].packet_hops, 0.5, 1e-9);
  EXPECT_EQ(plan.samples[2].packet_hops, plan.samples[0].packet_hops);
}

// One prefix for all, and pages for two prompts on each worker: cached pages are evicted.
TEST(Prefixes, EvictionsAreCounted) {
  scenario::Scenario scenario = prefixes();
  scenario.serving->program.system.prefill_pages = 12;
  scenario.serving->program.system.scheduler.watermark = 0;
  scenario.serving->workload->prefix.groups = 100;
  const results::TestResult result = runTest(prefixProcedure(), scenario);
  EXPECT_EQ(kpiValue(result, "evictions_per_s", pointOf("no cache")), 0);
  EXPECT_GT(kpiValue(result, "evictions_per_s", pointOf("cache, round robin")), 10);
}

}  // namespace
}  // namespace plumbline::suite
