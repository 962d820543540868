#include "serving/serving_view.h"

#include "serving/metrics.h"

namespace plumbline::serving {

void FirstTokens::add(const RequestRecord& record) {
  ++count;
  for (std::size_t i = 0; i < kStages; ++i) stages[i] += record.first_stages[i].count();
}

// Counts the events of `record` that have not been counted; `begun`: its first token has.
void ServingWatch::count(const RequestRecord& record, bool& begun) {
  MeasuredView& measured = totals_.measured;
  if (!begun && record.first_token != kNever) {
    begun = true;
    totals_.first_tokens.add(record);
    if (record.measured) {
      measured.first_tokens.add(record);
      measured.ttft.record(
          static_cast<std::uint64_t>((record.first_token - record.arrival).count()));
    }
  }
  if (record.outcome == Outcome::kUnfinished) return;
  totals_.rejected += record.outcome == Outcome::kRejected ? 1 : 0;
  totals_.failed += record.outcome == Outcome::kFailed ? 1 : 0;
  if (!record.finished()) return;
  ++totals_.done;
  measured.done += record.measured ? 1 : 0;
  if (!keeps(slo_, record)) return;
  ++totals_.within_limits;
  totals_.tokens_within_limits += record.generated;
  measured.within_limits += record.measured ? 1 : 0;
}

ServingView ServingWatch::look(const std::vector<RequestRecord>& requests) {
  for (; seen_ < requests.size(); ++seen_) {
    open_.push_back({seen_, false});
    totals_.measured.arrived += requests[seen_].measured ? 1 : 0;
  }
  totals_.arrived = requests.size();
  std::uint64_t running = 0;
  std::size_t kept = 0;
  for (Open& one : open_) {
    const RequestRecord& record = requests[one.place];
    count(record, one.begun);
    const bool goes_on = record.outcome == Outcome::kUnfinished;
    // The gap of a failed request never ends.
    const bool open_gap = record.measured && one.begun && !record.finished();
    if (open_gap) ++(goes_on ? running : totals_.measured.open);
    if (goes_on) open_[kept++] = one;
  }
  open_.resize(kept);
  ServingView view = totals_;
  view.measured.open += running;
  // Every token but the first of a request ends a gap.
  view.tokens = view.first_tokens.count + gaps_.count();
  view.gaps = gaps_;
  return view;
}

ServingView viewOf(const ServingResult& result, const SloSpec& slo) {
  ServingView view = ServingWatch(slo).look(result.requests);
  view.tokens = 0;
  for (const RequestRecord& record : result.requests) view.tokens += record.generated;
  view.gaps.reset();
  view.measured.gaps = result.gaps;
  const auto addPool = [](const std::vector<WorkerUse>& uses, std::vector<WorkerView>& pool) {
    pool.reserve(uses.size());
    for (const WorkerUse& use : uses) pool.push_back({{}, {}, {}, use.pages});
  };
  addPool(result.prefill, view.prefill);
  addPool(result.decode, view.decode);
  return view;
}

}  // namespace plumbline::serving
