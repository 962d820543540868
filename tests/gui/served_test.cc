// Serving systems, live and stored, against hand calculations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "gui/data/live_run.h"
#include "gui/data/live_served.h"
#include "gui/data/stored_served.h"
#include "gui/data/stretches.h"

namespace plumbline::gui {
namespace {

using control::LiveServing;
using control::LiveTtft;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pointwise;

TEST(Stretches, HaveARoundLength) {
  const Stretches forty(2);  // 2 / 40
  EXPECT_DOUBLE_EQ(forty.length, 0.05);
  EXPECT_EQ(forty.size(), 40U);
  const Stretches thirty(3);  // 0.075 is no round number
  EXPECT_DOUBLE_EQ(thirty.length, 0.1);
  EXPECT_EQ(thirty.size(), 30U);
  EXPECT_DOUBLE_EQ(thirty.middle(2), 0.25);
  EXPECT_EQ(thirty.placeOf(0.25), 2U);
  EXPECT_EQ(thirty.placeOf(3), 30U);   // behind the last
  EXPECT_EQ(thirty.placeOf(-1), 30U);  // before the first
}

TEST(Stretches, OneOfLessThanHalfIsLeftOut) {
  const Stretches long_end(0.97, 10);
  ASSERT_EQ(long_end.size(), 10U);
  EXPECT_NEAR(long_end.covered.back(), 0.07, 1e-12);
  EXPECT_EQ(Stretches(0.93, 10).size(), 9U);
  EXPECT_EQ(Stretches(0, 10).size(), 0U);
  EXPECT_EQ(Stretches(-1, 10).size(), 0U);
  EXPECT_EQ(Stretches(0.3, 1).size(), 1U);
}

// 6 by 0.15, of which 0.1 are in the first stretch of 0.1, and 2 more by 0.4.
TEST(Stretches, GrowthIsSharedOutEvenly) {
  TimeSeries total;
  total.add(0.15, 6);
  total.add(0.25, 6);
  total.add(0.4, 8);
  const Stretches stretches(0.4, 4);
  EXPECT_THAT(growthOf(total, stretches),
              Pointwise(DoubleNear(1e-12), std::vector<double>{4, 2, 2.0 / 3, 4.0 / 3}));
}

LiveServing system(std::uint64_t tokens, std::uint64_t good_tokens, std::uint64_t good) {
  LiveServing one;
  one.tokens = tokens;
  one.tokens_within_limits = good_tokens;
  one.within_limits = good;
  return one;
}

// In the first second three first tokens of 40 ms, in the second one of 80 ms; 100 tokens in the
// first, 300 in the second, all good ones in the second.
TEST(LiveServed, MeansAndRatesOverTrialTime) {
  LiveServed served;
  LiveServing first = system(100, 0, 0);
  first.ttft = LiveTtft{3, 0.040, 0.001, 0.004, 0.020, 0.005, 0.010};
  first.itl_p50_s = 0.02;
  first.prefill.all = {2, 1, 50, 200};
  served.add(first, 1);
  LiveServing second = system(400, 150, 5);
  second.ttft = LiveTtft{1, 0.080, 0.001, 0.044, 0.020, 0.005, 0.010};
  second.prefill.all = {0, 1, 100, 200};
  served.add(second, 2);
  // The last interval of a trial repeats the previous time.
  second.done = 9;
  served.add(second, 2);
  EXPECT_EQ(served.latest().done, 9U);
  EXPECT_EQ(served.until(), 2);

  const auto parts = served.ttftParts();
  ASSERT_EQ(parts[1].y.size(), 40U);  // stretches of 50 ms
  EXPECT_NEAR(parts[1].y.front(), 4, 1e-9);
  EXPECT_NEAR(parts[1].y.back(), 44, 1e-9);
  EXPECT_NEAR(parts[2].y.back(), 20, 1e-9);
  double sum = 0;
  for (const ServedCurve& part : parts) sum += part.y.back();
  EXPECT_NEAR(sum, 80, 1e-9);
  EXPECT_NEAR(served.tokenRate().y.front(), 100, 1e-9);
  EXPECT_NEAR(served.tokenRate().y.back(), 300, 1e-9);
  EXPECT_EQ(served.goodTokenRate().y.front(), 0);
  EXPECT_NEAR(served.goodTokenRate().y.back(), 150, 1e-9);
  EXPECT_NEAR(served.goodRequestRate().y.back(), 5, 1e-9);
  // In the second interval no gap ended: there is no percentile, rather than zero.
  EXPECT_THAT(served.itlP50().values(), ElementsAre(20));
  EXPECT_THAT(served.itlP99().values(), IsEmpty());
  EXPECT_THAT(served.prefill().used.values(), ElementsAre(25, 50));
  EXPECT_THAT(served.prefill().waiting.values(), ElementsAre(2, 0));
  EXPECT_THAT(served.decode().used.values(), IsEmpty());  // not known
}

// No first token in a time without one.
TEST(LiveServed, AStretchWithoutFirstTokensHasNoMean) {
  LiveServed served;
  LiveServing one = system(1, 0, 0);
  one.ttft = LiveTtft{1, 0.010, 0, 0, 0.010, 0, 0};
  served.add(one, 1);
  served.add(system(1, 0, 0), 2);
  const auto parts = served.ttftParts();
  EXPECT_EQ(parts[2].x.size(), 20U);
  EXPECT_LT(parts[2].x.back(), 1);
}

TEST(LiveServed, OccupancyIsKnownOrNot) {
  EXPECT_EQ(occupancy({std::nullopt, std::nullopt, 25, 100}), 25);
  EXPECT_EQ(occupancy({std::nullopt, std::nullopt, std::nullopt, 100}), std::nullopt);
  EXPECT_EQ(occupancy({std::nullopt, std::nullopt, 0, 0}), std::nullopt);
}

TEST(LiveRun, FollowsTheSystemsOfTheTrialInHand) {
  LiveRun run;
  control::LiveInterval interval;
  interval.run = 1;
  interval.trial.number = 1;
  interval.trial.time_ps = 500'000'000'000;
  interval.trial.interval_ps = 500'000'000'000;
  interval.serving = {system(10, 0, 0), system(20, 0, 0)};
  run.add(interval);
  ASSERT_EQ(run.served().size(), 2U);
  EXPECT_EQ(run.served()[1].until(), 0.5);
  EXPECT_NEAR(run.served()[1].tokenRate().y.front(), 40, 1e-9);
  interval.trial.number = 2;
  interval.serving.clear();
  run.add(interval);
  EXPECT_TRUE(run.served().empty());
}

// --- Stored ---

constexpr const char* kHeader =
    "Rate,repetition,request,outcome,measured,prompt,output,generated,cached,arrival_us,routed_us,"
    "prefill_start_us,prefill_end_us,first_post_us,last_arrival_us,decode_start_us,first_token_us,"
    "first_decode_token_us,done_us,longest_gap_us,kv_bytes,resent_bytes,preemptions,"
    "prefill_worker,prefill_group,decode_worker,decode_group,ranks,prefill_nics,decode_nics,"
    "within_limits\n";

// Three requests of one point and one of another. The second waits 10 ms for its prefill and 5 ms
// for its decode step; the third waits for prefill until the end.
StoredTest servedTest() {
  StoredTest test;
  test.id = "I11.1";
  test.raw_data.push_back(
      {"requests",
       std::string(kHeader) +
           "10,0,0,done,0,32,5,5,0,100000,100050,100050,120050,110000,121000,121500,141500,141500,"
           "181500,10000,64,0,0,0,0,1,0,0>0,0,1,1\n"
           "10,0,1,done,1,32,3,3,0,110000,110050,120050,140050,130000,138000,145050,155050,155050,"
           "195050,20000,64,0,0,0,0,1,0,0>0,0,1,0\n"
           "10,0,2,unfinished,1,32,5,0,0,190000,190050,,,,,,,,,,0,0,0,1,0,0,0,,,,0\n"
           "20,0,0,rejected,1,32,5,0,0,5000,,,,,,,,,,,0,0,0,,,,,,,,0\n"
           "not a request\n"});
  return test;
}

TEST(StoredServed, RequestsOfEachPoint) {
  const std::vector<StoredTrialRequests> trials = storedRequests(servedTest());
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_EQ(trials[0].point, "Rate 10");
  EXPECT_EQ(trials[1].point, "Rate 20");
  ASSERT_EQ(trials[0].requests.size(), 3U);
  const StoredRequest& first = trials[0].requests[0];
  EXPECT_FALSE(first.measured);
  EXPECT_NEAR(first.arrival, 0.1, 1e-12);
  EXPECT_NEAR(first.done.value(), 0.1815, 1e-12);
  EXPECT_EQ(first.generated, 5U);
  EXPECT_EQ(first.decode_worker, 1U);
  EXPECT_EQ(first.within_limits, true);
  const StoredRequest& third = trials[0].requests[2];
  EXPECT_TRUE(third.measured);
  EXPECT_FALSE(third.prefill_start.has_value());
  EXPECT_FALSE(third.first_token.has_value());
  EXPECT_FALSE(trials[1].requests[0].prefill_worker.has_value());
}

TEST(StoredServed, PartsOfTheTtftAddUpToIt) {
  const std::vector<StoredRequest> requests = storedRequests(servedTest())[0].requests;
  // 50 us to the worker, no queue, 20 ms of prefill, 0.95 ms until the last byte, then 0.5 ms of
  // waiting and 20 ms of the step.
  const TtftParts first = ttftParts(requests[0]).value();
  EXPECT_NEAR(first[0], 50e-6, 1e-12);
  EXPECT_NEAR(first[1], 0, 1e-12);
  EXPECT_NEAR(first[2], 0.020, 1e-12);
  EXPECT_NEAR(first[3], 0.00095, 1e-12);
  EXPECT_NEAR(first[4], 0.0205, 1e-12);
  EXPECT_NEAR(std::accumulate(first.begin(), first.end(), 0.0), 0.0415, 1e-12);
  // Its last byte came before prefill was over.
  const TtftParts second = ttftParts(requests[1]).value();
  EXPECT_NEAR(second[1], 0.010, 1e-12);
  EXPECT_NEAR(second[3], 0, 1e-12);
  EXPECT_NEAR(second[4], 0.015, 1e-12);
  EXPECT_FALSE(ttftParts(requests[2]).has_value());
  // One whose first token comes from prefill: KV transfer follows it.
  StoredRequest early = requests[0];
  early.first_token = early.prefill_end;
  const TtftParts parts = ttftParts(early).value();
  EXPECT_NEAR(parts[2], 0.020, 1e-12);
  EXPECT_EQ(parts[3] + parts[4], 0);
}

// The trial's requests cover 195.05 ms: stretches of 5 ms.
TEST(StoredServed, OverTheTimeOfTheTrial) {
  const std::vector<StoredRequest> requests = storedRequests(servedTest())[0].requests;
  const auto parts = ttftParts(requests);
  ASSERT_THAT(parts[2].x, Pointwise(DoubleNear(1e-9), std::vector<double>{0.1425, 0.1575}));
  EXPECT_THAT(parts[1].y, Pointwise(DoubleNear(1e-9), std::vector<double>{0, 10}));
  // Answers of 5 and 3 tokens, 40 ms after their first: 10 ms and 20 ms a token.
  const StoredTpot tpot = timePerToken(requests);
  EXPECT_THAT(tpot.median.y, Pointwise(DoubleNear(1e-9), std::vector<double>{10}));
  EXPECT_NEAR(tpot.median.x.front(), 0.1825, 1e-9);
  const StoredRates rates = goodRates(requests);
  ASSERT_TRUE(rates.good_tokens.has_value());
  // Of the two that ended only the first kept the limits: 5 tokens in 5 ms.
  EXPECT_NEAR(std::accumulate(rates.good_tokens->y.begin(), rates.good_tokens->y.end(), 0.0), 1000,
              1e-6);
  EXPECT_NEAR(rates.good_requests->y[36], 200, 1e-6);
}

TEST(StoredServed, WithoutLimitsThereIsNoGoodput) {
  StoredTest test = servedTest();
  std::string& csv = test.raw_data[0].csv;
  csv = csv.replace(csv.find("within_limits"), 13, "something_else");
  EXPECT_FALSE(goodRates(storedRequests(test)[0].requests).good_tokens.has_value());
}

// Prefill worker 0: one waits from 110.05 to 120.05 ms; worker 1: one from 190.05 ms to the end at
// 195.05 ms. Decode worker 1: 0.5 ms, and from the end of prefill at 140.05 ms 5 ms.
TEST(StoredServed, QueuesOfWorkers) {
  const std::vector<StoredRequest> requests = storedRequests(servedTest())[0].requests;
  const std::vector<WorkerQueue> prefill = queuesOf(requests, false, false);
  ASSERT_EQ(prefill.size(), 2U);
  EXPECT_EQ(prefill[0].max, 1);
  EXPECT_NEAR(prefill[0].mean, 10 / 195.05, 1e-9);
  EXPECT_NEAR(prefill[1].mean, 5 / 195.05, 1e-9);
  EXPECT_EQ(prefill[1].y.back(), 1);
  const std::vector<WorkerQueue> pool = queuesOf(requests, false, true);
  ASSERT_EQ(pool.size(), 1U);
  EXPECT_NEAR(pool[0].mean, 15 / 195.05, 1e-9);
  const std::vector<WorkerQueue> decode = queuesOf(requests, true, false);
  // Worker 0 has a request that never got there.
  ASSERT_EQ(decode.size(), 2U);
  EXPECT_EQ(decode[0].max, 0);
  EXPECT_EQ(decode[1].worker, 1U);
  EXPECT_NEAR(decode[1].mean, 5.5 / 195.05, 1e-9);
}

// Quotes of RFC 4180, and cells that are no numbers.
TEST(StoredServed, OddTextIsNoRequest) {
  StoredTest test;
  test.raw_data = {{"requests",
                    "\"a, b\",repetition,arrival_us,within_limits\r\n"
                    "\"x\"\"y\",0,10,1\r\n"
                    "z,0,-5,1\r\nz,0,nan,1\r\nz,0,1e400,1\r\nz,0,12x,1\r\nz,0\r\n"},
                   {"others", std::string(kHeader) + "1\n"}};
  const std::vector<StoredTrialRequests> trials = storedRequests(test);
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_EQ(trials[0].point, "a, b x\"y");
  EXPECT_EQ(trials[0].requests.size(), 1U);
  test.raw_data = {{"requests", ""}, {"requests", "repetition"}, {"requests", "\"open"}};
  EXPECT_TRUE(storedRequests(test).empty());
}

TEST(StoredServed, FiguresPointByPoint) {
  StoredTest test;
  const auto add = [&test](const char* name, const char* point, double value) {
    StoredQuantity quantity;
    quantity.value = value;
    test.kpis.push_back({name, point, quantity});
  };
  add("ttft_p99_ms", "10 requests/s", 100);
  add("itl_p50_ms", "10 requests/s", 20);
  add("ttft_p99_ms", "20 requests/s", 300);
  add("queue_max_bytes", "20 requests/s", 5);
  const std::vector<ServedFigures> rows = servedFigures(test);
  ASSERT_EQ(rows.size(), 2U);
  std::size_t p99 = 0;
  while (std::string(servedFigureNames()[p99].kpi) != "ttft_p99_ms") ++p99;
  EXPECT_EQ(rows[0].values[p99]->value, 100);
  EXPECT_EQ(rows[1].point, "20 requests/s");
  EXPECT_EQ(rows[1].values[p99]->value, 300);
  EXPECT_EQ(std::count(rows[1].values.begin(), rows[1].values.end(), nullptr),
            static_cast<std::ptrdiff_t>(servedFigureNames().size()) - 1);
  EXPECT_TRUE(isServed(test));
  test.kpis.erase(test.kpis.begin(), test.kpis.begin() + 3);
  EXPECT_FALSE(isServed(test));
  EXPECT_TRUE(isServed(servedTest()));
}

TEST(StoredServed, KvCacheOfWorkers) {
  const auto percent = [](double value) {
    StoredQuantity quantity;
    quantity.value = value;
    return StoredCell{{}, quantity};
  };
  StoredTest test;
  StoredTable table;
  table.id = "workers";
  table.columns = {"Rate", "Worker", "In steps", "KV cache mean", "KV cache most", "Pages"};
  table.rows = {{{"10", {}}, {"prefill 0", {}}, percent(40), percent(5), percent(9), {"64", {}}},
                {{"10", {}}, {"decode 0", {}}, percent(90), percent(50), {"–", {}}, {"64", {}}}};
  test.tables = {table};
  const std::vector<StoredWorker> workers = storedWorkers(test);
  ASSERT_EQ(workers.size(), 2U);
  EXPECT_EQ(workers[0].point, "Rate 10");
  EXPECT_EQ(workers[0].worker, "prefill 0");
  EXPECT_EQ(workers[0].mean, 5);
  EXPECT_EQ(workers[1].max, std::nullopt);
}

}  // namespace
}  // namespace plumbline::gui
