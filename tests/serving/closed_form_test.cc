// The serving model in cases with a known answer: queueing theory, and sums by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "serving/metrics.h"
#include "stats/summary.h"
#include "tests/serving/serving_setup.h"

namespace plumbline::serving {
namespace {

// One request alone: TTFT = router + prefill + visible part of the transfer + one step.
TEST(ZeroLoad, OneRequestToThePicosecond) {
  ServingSpec spec = plainSpec();
  spec.router.delay = microseconds(50);
  spec.transfer.control = microseconds(30);
  spec.transfer.post = nanoseconds(200);
  spec.reaction = microseconds(5);
  SharedRateNetwork network(2, gigabitsPerSecond(400), nanoseconds(900));
  const auto result = runServing(spec, fixedWorkload(1, 1000, 5, 1), network);
  ASSERT_EQ(result.requests.size(), 1U);
  const RequestRecord& record = result.requests[0];
  // 1,000 tokens: 100 ms of prefill, which hides the control message; 131,072,000 bytes at 20 ps.
  const Picoseconds transfer =
      nanoseconds(200) + microseconds(5) + Picoseconds(131'072'000LL * 20) + nanoseconds(900);
  EXPECT_EQ(stageTime(record, Stage::kRouter), microseconds(50));
  EXPECT_EQ(stageTime(record, Stage::kPrefillQueue), Picoseconds());
  EXPECT_EQ(stageTime(record, Stage::kPrefill), milliseconds(100));
  EXPECT_EQ(stageTime(record, Stage::kTransfer), transfer);
  EXPECT_EQ(stageTime(record, Stage::kDecodeQueue), Picoseconds());
  EXPECT_EQ(stageTime(record, Stage::kDecode), milliseconds(2));
  EXPECT_EQ(record.first_token - record.arrival,
            microseconds(50) + milliseconds(100) + transfer + milliseconds(2));
  EXPECT_EQ(record.done - record.first_token, milliseconds(4 * 2));
  EXPECT_EQ(record.bytes, 131'072'000U);
  EXPECT_EQ(record.last_arrival - record.prefill_end, transfer);
  EXPECT_EQ(result.gaps.count(), 4U);
  EXPECT_EQ(result.gaps.minimum(), static_cast<std::uint64_t>(milliseconds(2).count()));
}

// Layer by layer: exposed = max(t, L t - (L - 1) T / L) + path, with T = 320 ms, L = 32 layers of
// 3,200 * 4,096 bytes, so that T / L = 10 ms.
TEST(ZeroLoad, LayerwiseExposure) {
  for (const std::int64_t ps_per_byte : {20, 500, 2000}) {
    ServingSpec spec = plainSpec();
    spec.transfer.unit = TransferUnit::kLayer;
    SharedRateNetwork network(2, BitRate(8'000'000'000'000 / ps_per_byte), microseconds(2));
    const auto result = runServing(spec, fixedWorkload(1, 3200, 1, 1), network);
    const Picoseconds wire(3200LL * 4096 * ps_per_byte);
    const Picoseconds prefill = milliseconds(320);
    // By hand, not by the library's function: messages leave one after the other.
    Picoseconds sent;
    for (int layer = 1; layer <= 32; ++layer) {
      sent = std::max(sent, milliseconds(10) * layer) + wire;
    }
    const Picoseconds exposed = stageTime(result.requests[0], Stage::kTransfer);
    // Messages share the NIC instead, which does not change the last one's time.
    EXPECT_NEAR(static_cast<double>(exposed.count()),
                static_cast<double>((sent - prefill + microseconds(2)).count()), 40)
        << ps_per_byte;
    EXPECT_EQ(sent - prefill, layerwiseExposure(prefill, wire, 32)) << ps_per_byte;
    EXPECT_EQ(result.messages, 32U);
  }
}

// Posting costs time for each descriptor: 200 pages of 32 layers, keys and values apart, 1 us each,
// are more than the wire's time.
TEST(ZeroLoad, PostingBoundsSmallPages) {
  ServingSpec spec = plainSpec();
  spec.transfer.unit = TransferUnit::kPage;
  spec.transfer.post = microseconds(100);
  InfiniteNetwork network;
  const auto result = runServing(spec, fixedWorkload(1, 3200, 1, 1), network);
  // The first layer is ready after 10 ms, and 400 descriptors of 100 us take 40 ms a layer.
  EXPECT_EQ(stageTime(result.requests[0], Stage::kTransfer),
            milliseconds(10 + 32 * 40) - milliseconds(320));
}

// Few outstanding messages: the next one waits for the previous one. 3 layers of 32 at a time.
TEST(ZeroLoad, OutstandingBoundsTheFlow) {
  ServingSpec spec = plainSpec();
  spec.transfer.unit = TransferUnit::kLayer;
  spec.transfer.outstanding = 1;
  SharedRateNetwork network(2, gigabitsPerSecond(400), milliseconds(30));
  const auto result = runServing(spec, fixedWorkload(1, 3200, 1, 1), network);
  // Each takes the wire's time and 30 ms of path, more than the 10 ms between two layers.
  const Picoseconds each = Picoseconds(3200LL * 4096 * 20) + milliseconds(30);
  EXPECT_EQ(stageTime(result.requests[0], Stage::kTransfer),
            milliseconds(10) + each * 32 - milliseconds(320));
}

TEST(ZeroLoad, FirstTokenFromPrefill) {
  ServingSpec spec = plainSpec();
  spec.first_token = FirstToken::kPrefill;
  SharedRateNetwork network(2, gigabitsPerSecond(400), {});
  const auto result = runServing(spec, fixedWorkload(1, 1000, 3, 1), network);
  const RequestRecord& record = result.requests[0];
  const Picoseconds transfer(131'072'000LL * 20);
  EXPECT_EQ(record.first_token - record.arrival, milliseconds(100));
  EXPECT_EQ(record.first_decode_token - record.first_token, transfer + milliseconds(2));
  EXPECT_EQ(record.longest_gap, transfer + milliseconds(2));
  EXPECT_EQ(record.done - record.first_decode_token, milliseconds(2));
  EXPECT_EQ(record.generated, 3U);
  // An answer of one token ends before its KV cache has been sent.
  SharedRateNetwork again(2, gigabitsPerSecond(400), {});
  const auto one = runServing(spec, fixedWorkload(1, 1000, 1, 1), again);
  EXPECT_EQ(one.requests[0].done - one.requests[0].arrival, milliseconds(100));
  EXPECT_EQ(one.requests[0].outcome, Outcome::kDone);
}

// Mooncake's published table (vLLM 1P1D, Qwen3-8B with TP 8, 8 x 200G RoCE, one request at a time):
// transfer = 0.5 ms + 1.26 x the wire's time at 98 % of 200 GB/s, within 15 % from 512 tokens on.
// Its KV cache is a page larger than the prompt's.
TEST(ZeroLoad, PublishedTransferTimes) {
  struct Row {
    std::uint32_t prompt;
    double ms;
  };
  for (const Row row : {Row{512, 0.92}, Row{1024, 1.50}, Row{2048, 2.51}, Row{4096, 4.75},
                        Row{8192, 8.84}, Row{16'384, 16.43}, Row{32'768, 31.65}}) {
    ServingSpec spec = plainSpec();
    spec.model = *builtInModel("qwen3-8b");
    spec.servers.gpus = spec.servers.nics = 8;
    spec.servers.prefill = spec.servers.decode = {1, 8, 1};
    spec.transfer.verb = TransferVerb::kRead;
    spec.transfer.control = microseconds(500);
    SharedRateNetwork network(16, BitRate(static_cast<std::int64_t>(200e9 * 0.98 / 1.26)), {});
    const auto result = runServing(spec, fixedWorkload(1, row.prompt + 16, 1, 1), network);
    EXPECT_EQ(result.messages, 8U);
    const Picoseconds transfer = stageTime(result.requests[0], Stage::kTransfer);
    EXPECT_NEAR(transfer.toSeconds() * 1e3, row.ms, 0.15 * row.ms) << row.prompt;
  }
}

// Eight prefill ranks into four decode ranks: two flows into each NIC, twice the time of 8 to 8.
TEST(ZeroLoad, IncastOfUnequalTpTakesTwice) {
  for (const std::uint32_t decode_tp : {8U, 4U}) {
    ServingSpec spec = plainSpec();
    spec.servers.gpus = spec.servers.nics = 8;
    spec.servers.prefill = {1, 8, 1};
    spec.servers.decode = {1, decode_tp, 1};
    SharedRateNetwork network(16, gigabitsPerSecond(400), {});
    const auto result = runServing(spec, fixedWorkload(1, 1000, 1, 1), network);
    EXPECT_EQ(stageTime(result.requests[0], Stage::kTransfer),
              Picoseconds(131'072'000LL / decode_tp * 20));
    EXPECT_EQ(result.messages, 8U);
  }
}

struct Waits {
  std::vector<double> all;  // in service times
  stats::Interval mean;     // 95 %, by batch means
  double of_mean = 0;
};

Waits prefillWaits(double load, std::uint64_t requests) {
  ServingSpec spec = plainSpec();
  spec.scheduler.max_prefill_batch = 1;
  spec.scheduler.max_batch = 100'000;
  spec.seed = 17;
  // 100 tokens take 10 ms.
  const auto result = runServing(spec, fixedWorkload(load * 100, 100, 1, requests));
  Waits waits;
  for (const RequestRecord& record : result.requests) {
    waits.all.push_back(stageTime(record, Stage::kPrefillQueue).toSeconds() / 0.01);
  }
  std::vector<double> batches;
  const std::size_t batch = waits.all.size() / 40;
  for (std::size_t first = batch; first + batch <= waits.all.size(); first += batch) {
    double sum = 0;
    for (std::size_t i = first; i < first + batch; ++i) sum += waits.all[i];
    batches.push_back(sum / static_cast<double>(batch));
  }
  const auto summary = stats::summarize(batches);
  waits.mean = *summary.ci95;
  waits.of_mean = summary.mean;
  return waits;
}

// One prefill worker with one prompt at a time is an M/D/1 queue: mean wait rho / (2 (1 - rho)),
// no wait with 1 - rho, and the P99 of Crommelin's formula, in service times.
TEST(Queueing, OnePrefillWorkerIsMD1) {
  struct Row {
    double load, mean, p99;
    std::uint64_t requests;
  };
  for (const Row row : {Row{0.3, 0.214, 1.89, 40'000}, Row{0.5, 0.5, 3.34, 40'000},
                        Row{0.8, 2.0, 10.36, 100'000}}) {
    Waits waits = prefillWaits(row.load, row.requests);
    const double width = waits.mean.high - waits.mean.low;
    EXPECT_GT(row.mean, waits.mean.low) << row.load;
    EXPECT_LT(row.mean, waits.mean.high) << row.load;
    EXPECT_LT(width, 0.25 * row.mean) << row.load;
    const auto none = std::count(waits.all.begin(), waits.all.end(), 0.0);
    EXPECT_NEAR(static_cast<double>(none) / static_cast<double>(row.requests), 1 - row.load, 0.01)
        << row.load;
    // P99 of ten parts of the run, which hardly depend on each other.
    std::vector<double> parts;
    const auto part = static_cast<std::ptrdiff_t>(waits.all.size() / 10);
    for (auto first = waits.all.begin(); first != waits.all.end(); first += part) {
      std::sort(first, first + part);
      parts.push_back(first[part * 99 / 100]);
    }
    const auto p99 = stats::summarize(parts);
    EXPECT_GT(row.p99, p99.ci95->low) << row.load;
    EXPECT_LT(row.p99, p99.ci95->high) << row.load;
    EXPECT_LT(p99.ci95->high - p99.ci95->low, 0.3 * row.p99) << row.load;
  }
}

// Transfers over one NIC: M/G/1-PS, mean time S / (1 - rho). Prefill takes next to no time.
TEST(Queueing, TransfersShareTheNic) {
  ServingSpec spec = plainSpec();
  spec.times = stepTable("prefill,1,1,0,0.000001\ndecode,1,1,0,0.000001\n");
  spec.check_every = 0;
  spec.scheduler.max_prefill_batch = 1;
  spec.scheduler.max_batch = 100'000;
  spec.seed = 3;
  // 131,072,000 bytes at 400 Gb/s: 2.62 ms; 229 requests per second are 0.6 of it.
  const double service = 131'072'000 * 20e-12;
  SharedRateNetwork network(2, gigabitsPerSecond(400), {});
  const auto result = runServing(spec, fixedWorkload(0.6 / service, 1000, 1, 60'000), network);
  double sum = 0;
  for (const RequestRecord& record : result.requests) {
    sum += (record.last_arrival - record.first_post).toSeconds();
  }
  EXPECT_NEAR(sum / 60'000, service / (1 - 0.6), 0.05 * service / 0.4);
}

// Prompts of random lengths, one after the other (Lindley's recursion): the times of every request
// to the picosecond. Prefill gives the first token, so the TTFT has no other parts.
TEST(Queueing, TtftIsThatOfTheQueueAlone) {
  ServingSpec spec = plainSpec();
  spec.first_token = FirstToken::kPrefill;
  spec.scheduler.max_prefill_batch = 1;
  WorkloadSpec workload = fixedWorkload(8, 1, 3, 3000);
  workload.prompt = {LengthKind::kZipfValue, 128, 8192, 1, 1, 1};
  workload.arrivals.rate = 4;
  Workload again(workload, spec.seed);
  Picoseconds free;
  for (const RequestRecord& record : runServing(spec, workload).requests) {
    const Request request = *again.next();
    ASSERT_EQ(record.arrival, request.arrival);
    free = std::max(free, request.arrival) + microseconds(100) * request.prompt;
    ASSERT_EQ(record.first_token, free);
    ASSERT_EQ(stageTime(record, Stage::kPrefillQueue),
              free - microseconds(100) * request.prompt - request.arrival);
  }
}

// The same requests without a network: TTFT is prefill's queue and a decode step, to the ps.
TEST(Queueing, InfiniteNetworkIsNoTransfer) {
  ServingSpec spec = plainSpec();
  spec.transfer.unit = TransferUnit::kLayer;
  const auto result = runServing(spec, fixedWorkload(8, 1000, 1, 500));
  for (const RequestRecord& record : result.requests) {
    EXPECT_EQ(stageTime(record, Stage::kTransfer), Picoseconds());
  }
}

// At 200 % of the capacity of prefill, half of the requests of the window are unfinished when it
// ends: P50 is just about reached, P99 is not, and has no substitute.
TEST(Overload, UnfinishedRequestsCount) {
  ServingSpec spec = plainSpec();
  spec.scheduler.max_prefill_batch = 1;
  spec.window.measure = seconds(40);
  spec.window.drain = Picoseconds();
  const auto result = runServing(spec, fixedWorkload(200, 100, 1, UINT64_MAX));
  const ServingMetrics metrics = metricsOf(result, {});
  EXPECT_NEAR(static_cast<double>(metrics.measured), 8000, 400);
  EXPECT_NEAR(static_cast<double>(metrics.unfinished), 4000, 400);
  EXPECT_EQ(metrics.done + metrics.unfinished, metrics.measured);
  EXPECT_FALSE(metrics.ttft.p99.value);
  EXPECT_FALSE(metrics.ttft.mean);
  EXPECT_EQ(metrics.ttft.not_reached, metrics.unfinished);
  EXPECT_LT(*metrics.goodput_share, 0.1);
  EXPECT_NEAR(metrics.in_stage[1], 2000, 200);  // queue grows to 4,000
}

// The result for finished requests alone. FIFO at load rho: requests finished by the time T arrived
// before T / rho, so each of their percentiles is 1 / rho of the one with all requests finished.
TEST(Overload, SurvivorsAloneAreWrongByMoreThanTwo) {
  ServingSpec spec = plainSpec();
  spec.scheduler.max_prefill_batch = 1;
  spec.window.measure = seconds(20);
  const WorkloadSpec workload = fixedWorkload(250, 100, 1, UINT64_MAX);
  const auto whole = metricsOf(runServing(spec, workload), {});
  spec.window.drain = Picoseconds();
  const auto cut = runServing(spec, workload);
  std::vector<double> survivors;
  for (const RequestRecord& record : cut.requests) {
    if (record.finished()) survivors.push_back((record.first_token - record.arrival).toSeconds());
  }
  const Distribution alone = distribution(survivors, 0);
  EXPECT_EQ(whole.ttft.not_reached, 0U);
  EXPECT_GT(*whole.ttft.p99.value, 2 * *alone.p99.value);
  EXPECT_NEAR(*whole.ttft.p99.value / *alone.p99.value, 2.5, 0.25);
  EXPECT_FALSE(metricsOf(cut, {}).ttft.p99.value);
}

// Little's law over the run, per stage: counted in the stages, and from the requests' own times.
TEST(Little, HoldsPerStage) {
  ServingSpec spec = plainSpec();
  spec.scheduler.max_prefill_batch = 1;
  SharedRateNetwork network(2, gigabitsPerSecond(100), microseconds(3));
  const auto metrics = metricsOf(runServing(spec, fixedWorkload(7, 1000, 50, 2000), network), {});
  for (std::size_t i = 0; i < kStages; ++i) {
    EXPECT_NEAR(metrics.in_stage[i], metrics.in_stage_by_law[i], 1e-6) << i;
  }
  EXPECT_GT(metrics.in_stage[static_cast<std::size_t>(Stage::kTransfer)], 0.05);
  // Prefill is busy 0.7 of the time.
  EXPECT_NEAR(metrics.in_stage[static_cast<std::size_t>(Stage::kPrefill)], 0.7, 0.15);
}

// A closed loop of one client: each request begins when the previous one is done.
TEST(ClosedLoop, OneClientWaitsForItself) {
  ServingSpec spec = plainSpec();
  WorkloadSpec workload = fixedWorkload(1, 100, 5, 10);
  workload.arrivals.kind = ArrivalKind::kClosed;
  const auto result = runServing(spec, workload);
  ASSERT_EQ(result.requests.size(), 10U);
  EXPECT_TRUE(result.closed_loop);
  EXPECT_EQ(result.end, milliseconds(10 * (10 + 5 * 2)));
  EXPECT_EQ(result.peak_requests, 1U);
}

}  // namespace
}  // namespace plumbline::serving
