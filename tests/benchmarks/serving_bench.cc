// links: plumbline_bench plumbline_serving
// Speed of the serving model without packets: a trace of 10^6 requests, in the format of the Azure
// traces and with the means of the conversation trace (1,155 and 211 tokens), read line by line,
// through three prefill and nine decode servers of eight H100 with CFG A. One thread.
// trace: on NICs that share their rate, without snapshots and with ten a second. flowLevel: on the
// links of a two-tier fabric with ECMP, as max-min fair flows (docs/model/flow-level.md). The limit
// is two minutes for each. Columns: requests and tokens per second of processor time, messages of
// KV cache, simulated seconds per second, the P99 of the TTFT in ms, which shows that the system
// was not overloaded, and the time of a snapshot.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/exponential.h"
#include "bench/flow/flow_routes.h"
#include "bench/flow/flow_serving_network.h"
#include "serving/metrics.h"
#include "serving/serving_model.h"

namespace plumbline::serving {
namespace {

std::string traceText(int requests) {
  LengthSpec prompts{LengthKind::kLognormal, 1, 16'000, 1, 1155, 1};
  LengthSpec outputs{LengthKind::kLognormal, 1, 4000, 1, 211, 0.9};
  LengthSampler prompt(prompts);
  LengthSampler output(outputs);
  RandomStream random(1, "serving_bench");
  std::string text = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
  Picoseconds now;
  for (int i = 0; i < requests; ++i) {
    now += exponentialGap(random, milliseconds(40));  // 25 a second
    const std::int64_t microsecond = now.count() / 1'000'000;
    const std::int64_t second = microsecond / 1'000'000;
    fmt::format_to(std::back_inserter(text), "2023-11-{:02} {:02}:{:02}:{:02}.{:06},{},{}\n",
                   1 + second / 86'400, second / 3600 % 24, second / 60 % 60, second % 60,
                   microsecond % 1'000'000, prompt.next(random), output.next(random));
  }
  return text;
}

// Looks at the model ten times a second of the wall clock, as the live stream does.
class WatchedNetwork : public SharedRateNetwork {
 public:
  using SharedRateNetwork::SharedRateNetwork;
  ServingModel* model = nullptr;
  std::uint64_t looks = 0;
  double looking = 0;  // [s]
  void runUntil(Picoseconds time, std::vector<Arrival>& arrivals) override {
    using Clock = std::chrono::steady_clock;
    if (model != nullptr && Clock::now() >= next_) {
      const Clock::time_point since = Clock::now();
      benchmark::DoNotOptimize(model->view());
      looking += std::chrono::duration<double>(Clock::now() - since).count();
      ++looks;
      next_ = Clock::now() + std::chrono::milliseconds(100);
    }
    SharedRateNetwork::runUntil(time, arrivals);
  }

 private:
  std::chrono::steady_clock::time_point next_;
};

ServingSpec servers() {
  ServingSpec spec;
  spec.model = *builtInModel("cfg-a");
  spec.accelerator = *builtInAccelerator("h100");
  spec.servers.prefill = {3, 8, 1};
  spec.servers.decode = {9, 8, 1};
  spec.transfer.unit = TransferUnit::kRequest;
  spec.router.prefill = RouterPolicy::kLeastOutstanding;
  spec.router.decode = RouterPolicy::kLeastKv;
  return spec;
}

// `network()` makes one for each run.
template <typename MakeNetwork>
void serveTrace(benchmark::State& state, const MakeNetwork& network) {
  const std::string text = traceText(static_cast<int>(state.range(0)));
  const ServingSpec spec = servers();
  WorkloadSpec workload;
  workload.arrivals.kind = ArrivalKind::kTrace;
  workload.prompt.kind = workload.output.kind = LengthKind::kTrace;
  for (auto _ : state) {
    std::istringstream stream(text);
    auto links = network();
    ServingModel model(spec, Workload(workload, 1, azureTrace(stream, "trace.csv")), links);
    if constexpr (requires { links.model; }) {
      if (state.range(1) != 0) {
        model.watch({});
        links.model = &model;
      }
    }
    const ServingResult result = model.run();
    const ServingMetrics metrics = metricsOf(result, {});
    using benchmark::Counter;
    state.counters["requests"] =
        Counter(static_cast<double>(result.requests.size()), Counter::kIsRate);
    state.counters["tokens"] = Counter(static_cast<double>(result.window_tokens), Counter::kIsRate);
    state.counters["messages"] = static_cast<double>(result.messages);
    state.counters["simulated_s"] = Counter(result.end.toSeconds(), Counter::kIsRate);
    if constexpr (requires { links.looks; }) {
      if (links.looks > 0) {
        state.counters["look_us"] = links.looking / static_cast<double>(links.looks) * 1e6;
      }
    }
    state.counters["ttft_p99_ms"] = metrics.ttft.p99.value.value_or(std::nan("")) * 1e3;
  }
}

// range(1): whether snapshots of the model are taken.
void trace(benchmark::State& state) {
  serveTrace(state, [] { return WatchedNetwork(96, gigabitsPerSecond(392), microseconds(2)); });
}

// Twelve leaves with the eight NICs of a server each, eight spines, 400 Gb/s.
void flowLevel(benchmark::State& state) {
  bench::TrialSpec trial;
  trial.dut.topology.kind = fabric::TopologyKind::kClos2;
  trial.dut.topology.leaves = 12;
  trial.dut.topology.hosts_per_leaf = trial.dut.topology.spines = 8;
  trial.dut.topology.link_rate = gigabitsPerSecond(400);
  const fabric::FabricPlan plan(trial.dut);
  bench::FlowRoutes routes(trial, plan);
  constexpr double kPayload = 4096.0 / 4178;
  const std::vector<double> capacities(plan.topology().links().size(), 0.05 * kPayload);
  serveTrace(state, [&] {
    return bench::FlowServingNetwork(
        capacities, {96, 4, false}, [&](std::uint32_t from, std::uint32_t to, std::uint32_t flow) {
          return bench::FlowPath{routes.uses(from, to, flow), microseconds(2), {}};
        });
  });
}

BENCHMARK(flowLevel)->Arg(1'000'000)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(trace)
    ->Args({1'000'000, 0})
    ->Args({1'000'000, 1})
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace plumbline::serving
