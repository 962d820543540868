#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "serving/serving_state.h"

namespace plumbline::serving {
namespace {

constexpr std::uint32_t kFlowBits = 16;  // of a transfer's id; the slot is above

}  // namespace

Picoseconds ServingModel::prefillTime(const StepLoad& load) {
  const StepTime time = spec_.times ? spec_.times->prefill(load)
                                    : rooflineStep(spec_.model, spec_.accelerator, spec_.efficiency,
                                                   spec_.servers.prefill.tp, load);
  if (time.extrapolated) ++result_.extrapolated_steps;
  return time.total;
}

void ServingModel::kickPrefill(std::uint32_t worker) {
  PrefillState& state = prefill_[worker];
  if (state.busy || state.kicked || state.worker.waiting() == 0) return;
  state.kicked = true;
  at(now_, Kind::kPrefillKick, worker);
}

void ServingModel::formPrefill(std::uint32_t worker) {
  PrefillState& state = prefill_[worker];
  state.kicked = false;
  if (state.busy) return;
  state.step = state.worker.form();
  if (state.step.empty()) {
    if (state.worker.blocked()) state.stalled_since = std::min(state.stalled_since, now_);
    return;
  }
  if (state.stalled_since != kNever) {
    result_.prefill_stalled += now_ - state.stalled_since;
    state.stalled_since = kNever;
  }
  StepLoad load;
  for (const PrefillWorker::Item& item : state.step) load.add(item.tokens, item.cached);
  const Picoseconds end = now_ + prefillTime(load);
  ++result_.prefill_steps;
  result_.prefill[worker].busy += end - now_;
  countPages(state.worker.caches(), state.pages, result_.prefill[worker]);
  state.busy = true;
  at(end, Kind::kPrefillEnd, worker);
  for (const PrefillWorker::Item& item : state.step) {
    Live& live = liveOf(*item.sequence);
    if (item.first) {
      enter(live, Stage::kPrefill);
      RequestRecord& record = result_.requests[live.record];
      record.prefill_group = live.sequence.prefill_group;
      if (record.prefill_start == kNever) {
        record.prefill_start = now_;
        record.cached = item.cached;
      }
      // Pages from the cache are ready at once.
      if (item.cached > 0) live.chunks.push_back({now_, now_, item.cached});
    }
    live.chunks.push_back({now_, end, item.tokens});
    live.computed = item.last;
    if (item.first && spec_.transfer.verb == TransferVerb::kWriteImmediate) requestPages(live);
    if (live.granted) postReady(live);
  }
}

void ServingModel::endPrefill(std::uint32_t worker) {
  PrefillState& state = prefill_[worker];
  state.busy = false;
  state.worker.finish(state.step);
  for (const PrefillWorker::Item& item : state.step) {
    if (!item.last) continue;
    Live& live = liveOf(*item.sequence);
    RequestRecord& record = result_.requests[live.record];
    --state.outstanding;
    live.prefilled = true;
    record.prefill_end = std::min(record.prefill_end, now_);
    if (spec_.first_token == FirstToken::kPrefill && live.sequence.generated == 0) {
      token(live, now_);
    }
    enter(live, Stage::kTransfer);
    if (!live.asked) requestPages(live);
    transferred(live);
  }
  kickPrefill(worker);
}

void ServingModel::requestPages(Live& live) {
  live.asked = true;
  decode_[live.decode_worker].worker.requestPages(live.sequence);
  grant(live.decode_worker);
}

void ServingModel::grant(std::uint32_t worker) {
  DecodeState& state = decode_[worker];
  for (const Sequence* sequence : state.worker.grant()) granted(liveOf(*sequence));
  countPages(state.worker.caches(), state.pages, result_.decode[worker]);
}

// The decode worker has pages for this request: its flows begin.
void ServingModel::granted(Live& live) {
  const Sequence& sequence = live.sequence;
  live.granted = true;
  live.granted_at = now_ + spec_.transfer.control;
  if (spec_.transfer.missing_only) {
    live.skip = std::min(sequence.decode_pages.shared * spec_.scheduler.page, sequence.target);
  }
  live.sending = sequence.target - live.skip;
  result_.requests[live.record].decode_group = sequence.decode_group;
  const auto flows = mapping_.flows({live.prefill_worker, sequence.prefill_group},
                                    {live.decode_worker, sequence.decode_group}, sequence.number);
  live.flows.clear();
  live.flows.reserve(flows.size());
  for (const KvFlow& flow : flows) live.flows.push_back({flow, {}, 0, 0, {}});
  postReady(live);
}

// Passes KV cache that is computed, or will be at the end of this step, to the flows.
void ServingModel::postReady(Live& live) {
  const bool whole =
      spec_.transfer.unit == TransferUnit::kRequest || spec_.transfer.unit == TransferUnit::kBlock;
  if (whole && !live.computed) return;
  for (std::size_t i = 0; i < live.chunks.size(); ++i) {
    PrefillChunk chunk = live.chunks[i];
    const bool last = live.computed && i + 1 == live.chunks.size();
    const auto skipped =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(live.skip, chunk.tokens));
    live.skip -= skipped;
    chunk.tokens -= skipped;
    for (FlowState& flow : live.flows) {
      const auto messages = kvMessages(spec_.transfer, spec_.model, flow.flow, chunk, last,
                                       live.sending, spec_.scheduler.page);
      flow.messages.insert(flow.messages.end(), messages.begin(), messages.end());
      live.messages_left += messages.size();
    }
  }
  live.chunks.clear();
  for (std::uint32_t flow = 0; flow < live.flows.size(); ++flow) postFlow(live, flow);
}

void ServingModel::postFlow(Live& live, std::uint32_t index) {
  FlowState& flow = live.flows[index];
  RequestRecord& record = result_.requests[live.record];
  while (flow.next < flow.messages.size() && flow.in_flight < spec_.transfer.outstanding) {
    KvMessage& message = flow.messages[flow.next++];
    const Picoseconds ready = std::max({message.ready, live.granted_at, now_, flow.posted});
    flow.posted = ready + spec_.transfer.post * message.descriptors;
    const Picoseconds posted = flow.posted + spec_.reaction;
    const std::uint64_t id = std::uint64_t{live.sequence.slot} << kFlowBits | index;
    network_.post({id, first_nic_ + flow.flow.from_nic, first_nic_ + flow.flow.to_nic,
                   message.bytes, posted});
    ++flow.in_flight;
    ++result_.messages;
    result_.bytes += message.bytes;
    live.sent_bytes += message.bytes;
    (live.resend ? record.resent : record.bytes) += message.bytes;
    if (live.resend) result_.resent_bytes += message.bytes;
    live.first_post = std::min(live.first_post, posted);
    record.first_post = std::min(record.first_post, posted);
    message.ready = posted;
  }
}

void ServingModel::delivered(std::uint64_t id, bool lost) {
  Live& live = *live_[id >> kFlowBits];
  const auto flow = static_cast<std::uint32_t>(id & ((1U << kFlowBits) - 1));
  --live.flows[flow].in_flight;
  --live.messages_left;
  if (lost) {
    live.lost = true;
    ++result_.lost_messages;
  } else {
    live.last_arrival = now_;
  }
  postFlow(live, flow);
  transferred(live);
}

// Continues if prefill is over and all KV cache has arrived.
void ServingModel::transferred(Live& live) {
  if (!live.prefilled || !live.granted || live.messages_left > 0) return;
  Sequence& sequence = live.sequence;
  std::uint64_t planned = 0;
  for (const FlowState& flow : live.flows) {
    planned += flowBytes(flow.flow, kv_per_token_, live.sending);
  }
  if (planned != live.sent_bytes) {
    throw Error(ErrorKind::kTester,
                fmt::format("{} bytes of KV cache were sent for {} tokens instead of {}",
                            live.sent_bytes, live.sending, planned),
                "serving model", "this is a fault of the model");
  }
  (live.lost ? bytes_lost_ : bytes_arrived_) += live.sent_bytes;
  if (live.sent_bytes > 0 && !live.lost) {
    router_.measured(live.prefill_worker, live.decode_worker, live.last_arrival - live.first_post,
                     live.sent_bytes, now_);
    RequestRecord& record = result_.requests[live.record];
    record.last_arrival = std::min(record.last_arrival, live.last_arrival);
  }
  PrefillState& sender = prefill_[live.prefill_worker];
  sender.worker.release(sequence);
  countPages(sender.worker.caches(), sender.pages, result_.prefill[live.prefill_worker]);
  kickPrefill(live.prefill_worker);
  enter(live, Stage::kDecodeQueue);
  DecodeWorker& worker = decode_[live.decode_worker].worker;
  // Without its KV cache a request fails; or prefill generated the only token of its answer.
  if (live.lost || sequence.generated >= limitOf(live)) {
    worker.drop(sequence);
    const std::uint32_t decode_worker = live.decode_worker;
    end(live, live.lost ? Outcome::kFailed : Outcome::kDone);
    grant(decode_worker);
    return;
  }
  worker.ready(sequence);
  kickDecode(live.decode_worker);
}

}  // namespace plumbline::serving
