#include <algorithm>
#include <utility>

#include "serving/serving_sampler.h"
#include "serving/serving_state.h"

namespace plumbline::serving {

void PoolWatch::count(Picoseconds now) {
  pages_.page_time += static_cast<Int128>(pages_.used) * (now - since_).count();
  since_ = now;
}

void PoolWatch::changed(std::uint64_t before, std::uint64_t after, Picoseconds now) {
  count(now);
  pages_.used = pages_.used - before + after;
  pages_.min = std::min(pages_.min, pages_.used);
  pages_.max = std::max(pages_.max, pages_.used);
}

PoolPages PoolWatch::take(Picoseconds now) {
  count(now);
  const PoolPages taken = pages_;
  pages_.min = pages_.max = pages_.used;
  pages_.page_time = 0;
  return taken;
}

ServingSample ServingSampler::take(Picoseconds now, const std::array<Int128, kStages>& stages) {
  ServingSample sample = std::exchange(next_, {});
  sample.time = now;
  sample.prefill = prefill_.take(now);
  sample.decode = decode_.take(now);
  for (std::size_t i = 0; i < kStages; ++i) sample.stage_time[i] = stages[i] - stages_[i];
  stages_ = stages;
  return sample;
}

void ServingModel::addSample() {
  countTime();
  ServingSample sample = samples_->take(now_, result_.stage_integral);
  const auto addCaches = [](std::span<const KvCache> caches, PoolPages& pages) {
    for (const KvCache& cache : caches) {
      pages.total += cache.total();
      pages.cached += cache.cachedPages();
    }
  };
  for (const PrefillState& state : prefill_) addCaches(state.worker.caches(), sample.prefill);
  for (const DecodeState& state : decode_) addCaches(state.worker.caches(), sample.decode);
  for (const auto& live : live_) {
    if (!live->open) continue;
    if (live->prefilled) sample.pinned += live->sequence.prefill_pages.size();
    for (const FlowState& flow : live->flows) sample.messages_open += flow.in_flight;
  }
  sample.in_stage = in_stage_;
  result_.samples.push_back(std::move(sample));
  const Picoseconds next = now_ + spec_.window.sample;
  if (next <= window_end_) at(next, Kind::kSample, 0);
}

void ServingModel::watch(const SloSpec& slo) { watch_.emplace(slo); }

// Workers of a pool, with the requests that are open at each.
std::vector<WorkerView> ServingModel::workersOf(bool decode) const {
  const std::vector<WorkerUse>& uses = decode ? result_.decode : result_.prefill;
  std::vector<WorkerView> workers(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    workers[i] = {0, 0,
                  usedPages(decode ? decode_[i].worker.caches() : prefill_[i].worker.caches()),
                  uses[i].pages};
  }
  for (const auto& live : live_) {
    if (!live->open) continue;
    WorkerView& worker = workers[decode ? live->decode_worker : live->prefill_worker];
    if (live->stage == (decode ? Stage::kDecodeQueue : Stage::kPrefillQueue)) ++*worker.waiting;
    if (live->stage == (decode ? Stage::kDecode : Stage::kPrefill)) ++*worker.running;
  }
  return workers;
}

ServingView ServingModel::view() {
  if (last_view_) return *last_view_;
  ServingView view = watch_->look(result_.requests);
  view.measured.gaps = result_.gaps;
  view.in_stage = in_stage_;
  view.prefill = workersOf(false);
  view.decode = workersOf(true);
  return view;
}

}  // namespace plumbline::serving
