#include "workload/moe_figures.h"

#include <algorithm>

namespace plumbline::workload {
namespace {

// Over all ranks.
MoeSpan spanOf(const std::vector<const MoeTask*>& ranks, std::uint32_t phase) {
  MoeSpan whole{transport::kNever, Picoseconds()};
  for (const MoeTask* rank : ranks) {
    whole.start = std::min(whole.start, rank->spans()[phase].start);
    whole.finish = std::max(whole.finish, rank->spans()[phase].finish);
  }
  return whole;
}

// Phases of a kind, 0 for dispatches and 1 for combines, of layers up to the first unfinished one.
MoePhaseResult phaseResult(const MoeProgram& program, const MoePlan& plan,
                           const std::vector<const MoeTask*>& ranks, std::uint32_t kind) {
  MoePhaseResult result;
  const std::uint64_t bytes = plan.copyBytes(kind);
  Int128 waited = 0;
  std::int64_t times = 0;
  Picoseconds intra;
  MoeTraffic sum;
  for (std::uint32_t layer = 0; layer < program.layers; ++layer) {
    const std::uint32_t phase = layer * 2 + kind;
    const MoeSpan whole = spanOf(ranks, phase);
    if (whole.finish == transport::kNever) break;
    result.durations.push_back(whole.duration());
    for (const MoeTask* rank : ranks) {
      const MoeSpan& own = rank->spans()[phase];
      result.rank_time.record(static_cast<std::uint64_t>(own.duration().count()));
      waited += (whole.finish - own.finish).count();
      ++times;
    }
    const MoeTraffic& traffic = plan.traffic(layer);
    sum.selections += traffic.selections;
    sum.fabric_copies += traffic.fabric_copies;
    sum.intra_copies += traffic.intra_copies;
    intra += intraTime(program, traffic, bytes);
  }
  if (times == 0) return result;
  const auto layers = static_cast<std::int64_t>(result.durations.size());
  const double each = static_cast<double>(bytes) / static_cast<double>(layers);
  result.wait = Picoseconds(static_cast<std::int64_t>(waited / times));
  result.logical_bytes = static_cast<double>(sum.selections) * each;
  result.fabric_bytes = static_cast<double>(sum.fabric_copies) * each;
  result.intra_bytes = static_cast<double>(sum.intra_copies) * each;
  result.intra = intra / layers;
  if (sum.fabric_copies == 0) {
    result.durations.clear();
    result.rank_time = {};
    result.wait = {};
  }
  return result;
}

}  // namespace

std::vector<IterationResult> moeLayers(const MoeProgram& program,
                                       const std::vector<const MoeTask*>& ranks) {
  std::vector<IterationResult> layers;
  for (std::uint32_t layer = 0; layer < program.layers; ++layer) {
    const MoeSpan dispatch = spanOf(ranks, layer * 2);
    const MoeSpan last = spanOf(ranks, layer * 2 + (program.combine_bytes == 0 ? 0 : 1));
    if (last.finish == transport::kNever) break;
    layers.push_back({dispatch.start, last.finish});
  }
  return layers;
}

MoeResult moeResult(const MoeProgram& program, const MoePlan& plan,
                    const std::vector<const MoeTask*>& ranks, Picoseconds start) {
  MoeResult result;
  result.ranks = plan.ranks();
  result.dispatch = phaseResult(program, plan, ranks, 0);
  if (program.combine_bytes > 0) result.combine = phaseResult(program, plan, ranks, 1);
  for (const IterationResult& layer : moeLayers(program, ranks)) {
    result.round_trips.push_back(layer.duration());
    result.ends.push_back(layer.finish - start);
  }
  double pair_cv = 0;
  bool scattered = true;
  for (std::uint32_t layer = 0; layer < program.layers; ++layer) {
    const MoeTraffic& traffic = plan.traffic(layer);
    result.selections += traffic.selections;
    result.dropped += traffic.dropped;
    result.busiest_over_mean += traffic.busiest_over_mean / program.layers;
    scattered = scattered && traffic.pair_cv.has_value();
    pair_cv += traffic.pair_cv.value_or(0) / program.layers;
    const Picoseconds due = start + program.period * std::int64_t{layer};
    for (const MoeTask* rank : ranks) {
      const Picoseconds began = rank->spans()[std::size_t{layer} * 2].start;
      if (began != transport::kNever) result.late = std::max(result.late, began - due);
    }
  }
  if (scattered) result.pair_cv = pair_cv;
  return result;
}

}  // namespace plumbline::workload
