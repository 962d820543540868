#include <fmt/format.h>

#include <numeric>
#include <string>

#include "base/error.h"
#include "serving/serving_state.h"

namespace plumbline::serving {
namespace {

void holds(bool condition, const std::string& what) {
  if (condition) return;
  throw Error(ErrorKind::kTester, what, "serving model", "this is a fault of the model");
}

// arrival <= routed <= prefill start <= end <= decode start <= first token <= done, and the last
// byte of KV cache before decode begins.
void checkOrder(const RequestRecord& record) {
  const Picoseconds times[] = {record.arrival,     record.routed,       record.prefill_start,
                               record.prefill_end, record.decode_start, record.first_decode_token};
  for (std::size_t i = 1; i < std::size(times); ++i) {
    holds(times[i - 1] <= times[i],
          fmt::format("step {} of the request of {} ps is before the one before it", i,
                      record.arrival.count()));
  }
  if (record.decode_start != kNever && record.last_arrival != kNever) {
    holds(record.last_arrival <= record.decode_start, "decode began before its KV cache was there");
  }
  if (record.first_token == kNever) return;
  holds(record.first_token >= record.prefill_end, "a token came before prefill was finished");
  const Picoseconds sum =
      std::accumulate(record.first_stages.begin(), record.first_stages.end(), Picoseconds());
  holds(sum == record.first_token - record.arrival,
        "the parts of a TTFT do not add up to the TTFT");
}

}  // namespace

void ServingModel::checkInvariants(bool at_end) const {
  const std::uint64_t in_stages =
      std::accumulate(in_stage_.begin(), in_stage_.end(), std::uint64_t{0});
  holds(in_stages == in_system_,
        fmt::format("{} requests are in stages and {} in the system", in_stages, in_system_));
  holds(result_.requests.size() == over_ + rejected_ + in_system_,
        fmt::format("{} requests came, {} are over, {} were refused, {} are in the system",
                    result_.requests.size(), over_, rejected_, in_system_));
  std::uint64_t under_way = 0;
  for (const auto& live : live_) {
    const bool complete = live->stage == Stage::kDecodeQueue || live->stage == Stage::kDecode;
    if (live->open && !complete) under_way += live->sent_bytes;
  }
  holds(result_.bytes == bytes_arrived_ + bytes_lost_ + under_way,
        fmt::format("{} bytes were posted, {} have arrived, {} are lost, {} are under way",
                    result_.bytes, bytes_arrived_, bytes_lost_, under_way));
  for (const PrefillState& state : prefill_) {
    for (const KvCache& cache : state.worker.caches()) cache.checkInvariants();
    const bool could = !state.busy && !state.kicked && state.worker.waiting() > 0;
    holds(!could || state.worker.blocked(), "an idle prefill worker has work that it could do");
  }
  for (const DecodeState& state : decode_) {
    for (const KvCache& cache : state.worker.caches()) cache.checkInvariants();
    holds(state.busy || state.kicked || state.worker.running() == 0,
          "an idle decode worker has a batch");
  }
  if (!at_end) return;
  std::array<Int128, kStages> sums{};
  for (const RequestRecord& record : result_.requests) {
    for (std::size_t i = 0; i < kStages; ++i) sums[i] += record.stages[i].count();
    if (record.outcome != Outcome::kRejected) checkOrder(record);
  }
  holds(sums == result_.stage_integral,
        "the requests' times in a stage are not the integral of its number of requests");
  if (in_system_ > 0) return;
  for (const PrefillState& state : prefill_) {
    holds(usedPages(state.worker.caches()) == leakedPages(state.worker.caches()),
          "a prefill worker without requests uses pages");
  }
  for (const DecodeState& state : decode_) {
    holds(usedPages(state.worker.caches()) == leakedPages(state.worker.caches()),
          "a decode worker without requests uses pages");
  }
}

}  // namespace plumbline::serving
