#include <algorithm>
#include <cmath>

#include "serving/serving_sampler.h"
#include "serving/serving_state.h"

namespace plumbline::serving {

Picoseconds ServingModel::decodeTime(const DecodeWorker::Step& step) {
  Picoseconds time;
  if (spec_.times) {
    const auto add = [&](const StepTime& part) {
      time += part.total;
      if (part.extrapolated) ++result_.extrapolated_steps;
    };
    if (!step.decode.empty()) add(spec_.times->decode(step.decode));
    if (!step.recompute.empty()) add(spec_.times->prefill(step.recompute));
  } else {
    StepLoad load = step.decode;
    load.sequences += step.recompute.sequences;
    load.tokens += step.recompute.tokens;
    load.context += step.recompute.context;
    load.pairs_2 += step.recompute.pairs_2;
    time = rooflineStep(spec_.model, spec_.accelerator, spec_.efficiency, spec_.servers.decode.tp,
                        load)
               .total;
  }
  if (step.swapped_tokens > 0) {
    const double bytes =
        static_cast<double>(step.swapped_tokens) * static_cast<double>(kv_per_token_);
    const double rate = spec_.accelerator.pcie * spec_.servers.decode.tp;
    time += Picoseconds(std::llround(bytes / rate * 1e12));
  }
  return time;
}

std::uint32_t ServingModel::limitOf(const Live& live) const {
  const std::uint32_t max = spec_.scheduler.max_output;
  return max == 0 ? live.output : std::min(live.output, max);
}

void ServingModel::kickDecode(std::uint32_t worker) {
  DecodeState& state = decode_[worker];
  if (state.busy || state.kicked || !state.worker.hasWork()) return;
  state.kicked = true;
  at(now_, Kind::kDecodeKick, worker);
}

void ServingModel::formDecode(std::uint32_t worker) {
  DecodeState& state = decode_[worker];
  state.kicked = false;
  if (state.busy) return;
  DecodeWorker::Preempted displaced;
  const DecodeWorker::Step& step = state.worker.form(displaced);
  if (!step.empty()) {
    for (const Sequence* sequence : step.sequences) {
      Live& live = liveOf(*sequence);
      if (live.stage == Stage::kDecode) continue;
      enter(live, Stage::kDecode);
      RequestRecord& record = result_.requests[live.record];
      record.decode_start = std::min(record.decode_start, now_);
    }
    state.busy = true;
    state.step_start = now_;
    ++result_.decode_steps;
    result_.recomputed_tokens += step.recompute.tokens;
    result_.swapped_tokens += step.swapped_tokens;
    const Picoseconds time = decodeTime(step);
    result_.decode[worker].busy += time;
    at(now_ + time, Kind::kDecodeEnd, worker);
  }
  countPages(state.worker.caches(), state.pages, result_.decode[worker]);
  preempted(displaced);
  if (!displaced.all.empty()) grant(worker);
}

void ServingModel::preempted(const DecodeWorker::Preempted& sequences) {
  for (const Sequence* sequence : sequences.all) {
    Live& live = liveOf(*sequence);
    ++result_.requests[live.record].preemptions;
    // A sequence that was preempted and readmitted in the same step continues.
    if (sequence->decode_pages.empty()) enter(live, Stage::kDecodeQueue);
  }
  for (const Sequence* sequence : sequences.failed) end(liveOf(*sequence), Outcome::kFailed);
  for (const Sequence* sequence : sequences.returned) again(liveOf(*sequence));
}

// Sends it through the prefill pool once more, with its answer so far as part of the prompt.
void ServingModel::again(Live& live) {
  Sequence& sequence = live.sequence;
  const std::uint32_t ahead = spec_.first_token == FirstToken::kPrefill ? 1 : 0;
  sequence.target = sequence.prompt + sequence.generated - ahead;
  sequence.computed = 0;
  if (!prefill_.front().worker.canEverFit(sequence.target)) {
    end(live, Outcome::kFailed);
    return;
  }
  --decode_[live.decode_worker].outstanding;
  live.asked = live.granted = live.computed = live.prefilled = false;
  live.resend = true;
  live.skip = 0;
  live.sent_bytes = 0;
  live.first_post = kNever;
  route(live);
}

// `live` has its next token now, at the end of a step that began at `step_start`.
void ServingModel::token(Live& live, Picoseconds step_start) {
  RequestRecord& record = result_.requests[live.record];
  ++live.sequence.generated;
  if (now_ >= spec_.window.warmup && now_ < window_end_) ++result_.window_tokens;
  if (samples_) samples_->token();
  const bool from_decode = live.stage == Stage::kDecode;
  if (from_decode) record.first_decode_token = std::min(record.first_decode_token, now_);
  if (record.first_token == kNever) {
    record.first_token = now_;
    record.first_stages = record.stages;
    record.first_stages[static_cast<std::size_t>(live.stage)] += now_ - live.since;
  } else {
    const Picoseconds gap = now_ - record.last_token;
    record.longest_gap = std::max(record.longest_gap, gap);
    if (samples_) samples_->gap(gap);
    if (watch_) watch_->gap(gap);
    // Most gaps are a step: endDecode() counts those together.
    if (record.measured && record.last_token != step_start) {
      result_.gaps.record(static_cast<std::uint64_t>(gap.count()));
    }
  }
  record.last_token = now_;
}

void ServingModel::endDecode(std::uint32_t worker) {
  DecodeState& state = decode_[worker];
  state.busy = false;
  std::uint64_t steps = 0;
  for (Sequence* sequence : state.worker.step().sequences) {
    Live& live = liveOf(*sequence);
    const RequestRecord& record = result_.requests[live.record];
    if (record.measured && record.last_token == state.step_start) ++steps;
    token(live, state.step_start);
    if (sequence->generated < limitOf(live)) continue;
    state.worker.finish(*sequence);
    end(live, Outcome::kDone);
  }
  const Picoseconds step = now_ - state.step_start;
  if (steps > 0) result_.gaps.record(static_cast<std::uint64_t>(step.count()), steps);
  state.worker.endStep();
  grant(worker);
  kickDecode(worker);
}

}  // namespace plumbline::serving
