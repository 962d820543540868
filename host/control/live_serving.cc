#include "control/live_serving.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>

#include "serving/metrics.h"

namespace plumbline::control {
namespace {

using serving::FirstTokens;
using serving::ServingView;
using serving::Stage;
using serving::WorkerView;

// For requests of `now` that are not among those of `before`; nothing without any.
std::optional<LiveTtft> ttftOf(const FirstTokens& now, const FirstTokens& before) {
  if (now.count <= before.count) return std::nullopt;
  LiveTtft ttft;
  ttft.count = now.count - before.count;
  std::array<double, serving::kStages> parts{};
  for (std::size_t i = 0; i < serving::kStages; ++i) {
    parts[i] = static_cast<double>(now.stages[i] - before.stages[i]) * 1e-12 /
               static_cast<double>(ttft.count);
  }
  const auto part = [&](Stage stage) { return parts[static_cast<std::size_t>(stage)]; };
  ttft.mean_s = std::accumulate(parts.begin(), parts.end(), 0.0);
  ttft.router_s = part(Stage::kRouter);
  ttft.queue_s = part(Stage::kPrefillQueue);
  ttft.prefill_s = part(Stage::kPrefill);
  ttft.transfer_s = part(Stage::kTransfer);
  ttft.decode_init_s = part(Stage::kDecodeQueue) + part(Stage::kDecode);
  return ttft;
}

// Values of `now` that are not in `before`, each as the middle of its bucket.
stats::Histogram difference(const stats::Histogram& now, const stats::Histogram* before) {
  std::map<std::uint32_t, std::uint64_t> earlier;
  if (before != nullptr) {
    for (const auto& cell : before->cells()) earlier[cell.bucket] = cell.count;
  }
  stats::Histogram grown;
  for (const auto& cell : now.cells()) {
    const std::uint64_t count = cell.count - std::min(earlier[cell.bucket], cell.count);
    if (count == 0) continue;
    const std::uint64_t low = stats::bucketLowerBound(cell.bucket);
    grown.record(low + (stats::bucketUpperBound(cell.bucket) - 1 - low) / 2, count);
  }
  return grown;
}

void add(const std::optional<std::uint64_t>& one, std::optional<std::uint64_t>& sum) {
  if (one) sum = sum.value_or(0) + *one;
}

LiveServingPool poolOf(const std::vector<WorkerView>& workers) {
  LiveServingPool pool;
  pool.worker_count = workers.size();
  pool.workers.reserve(std::min(workers.size(), LiveInterval::kMaxServingWorkers));
  for (const WorkerView& worker : workers) {
    add(worker.waiting, pool.all.waiting);
    add(worker.running, pool.all.running);
    add(worker.used, pool.all.pages_used);
    pool.all.pages += worker.pages;
    if (pool.workers.size() == LiveInterval::kMaxServingWorkers) continue;
    pool.workers.push_back({worker.waiting, worker.running, worker.used, worker.pages});
  }
  return pool;
}

LiveMeasured measuredOf(const serving::MeasuredView& view, bool ended) {
  LiveMeasured measured;
  measured.arrived = view.arrived;
  measured.done = view.done;
  measured.within_limits = view.within_limits;
  measured.ttft = ttftOf(view.first_tokens, {});
  // As in results (serving/metrics.h), once the unfinished requests are known.
  const std::uint64_t without = ended ? view.arrived - view.first_tokens.count : 0;
  const serving::Distribution ttft = serving::gapDistribution(view.ttft, without);
  const serving::Distribution itl = serving::gapDistribution(view.gaps, ended ? view.open : 0);
  measured.ttft_p50_s = ttft.p50.value;
  measured.ttft_p95_s = ttft.p95.value;
  measured.ttft_p99_s = ttft.p99.value;
  measured.itl_p50_s = itl.p50.value;
  measured.itl_p95_s = itl.p95.value;
  measured.itl_p99_s = itl.p99.value;
  return measured;
}

LiveServing systemOf(const bench::ServingSnapshot& now, const bench::ServingSnapshot* previous,
                     bool ended) {
  static const ServingView kNothing;
  const ServingView& view = now.view;
  const ServingView& before = previous == nullptr ? kNothing : previous->view;
  LiveServing live;
  live.name = now.name;
  live.arrived = view.arrived;
  live.done = view.done;
  live.rejected = view.rejected;
  live.failed = view.failed;
  live.tokens = view.tokens;
  live.within_limits = view.within_limits;
  live.tokens_within_limits = view.tokens_within_limits;
  if (view.in_stage) {
    live.routing = (*view.in_stage)[static_cast<std::size_t>(Stage::kRouter)];
    live.transferring = (*view.in_stage)[static_cast<std::size_t>(Stage::kTransfer)];
  }
  live.ttft = ttftOf(view.first_tokens, before.first_tokens);
  if (view.gaps) {
    const serving::Distribution itl =
        serving::gapDistribution(difference(*view.gaps, before.gaps ? &*before.gaps : nullptr), 0);
    live.itl_p50_s = itl.p50.value;
    live.itl_p99_s = itl.p99.value;
  }
  live.measured = measuredOf(view.measured, ended);
  live.prefill = poolOf(view.prefill);
  live.decode = poolOf(view.decode);
  return live;
}

}  // namespace

std::vector<LiveServing> liveServing(const bench::TrialSnapshot& now,
                                     const bench::TrialSnapshot* previous) {
  std::vector<LiveServing> live;
  live.reserve(now.serving.size());
  for (std::size_t i = 0; i < now.serving.size(); ++i) {
    const bool known = previous != nullptr && i < previous->serving.size();
    live.push_back(systemOf(now.serving[i], known ? &previous->serving[i] : nullptr, now.ended));
  }
  return live;
}

}  // namespace plumbline::control
