// Outcome of a request, in model time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/units.h"
#include "serving/transfer_network.h"

namespace plumbline::serving {

// Stage of a request. It is in one stage at a time, so that the times in the stages up to an event
// add up to the time from its arrival to that event.
enum class Stage : std::uint8_t {
  kRouter,        // on its way to the prefill worker
  kPrefillQueue,  // waits for a step, or for pages
  kPrefill,       // its prompt is computed
  kTransfer,      // from the end of prefill to the last byte: the part not hidden by prefill
  kDecodeQueue,   // its KV cache has arrived (or is lost), and it is in no step
  kDecode,        // in the batch
};
inline constexpr std::size_t kStages = 6;
using StageTimes = std::array<Picoseconds, kStages>;

enum class Outcome : std::uint8_t {
  kUnfinished,  // the run ended before
  kDone,
  kRejected,  // its prompt never fits: refused on arrival
  kFailed,    // its prompt and answer so far never fit, or its KV cache was lost
};

// Times count from the start of the run; kNever if not reached.
struct RequestRecord {
  std::uint32_t prompt = 0;     // tokens
  std::uint32_t output = 0;     // requested tokens
  std::uint32_t generated = 0;  // tokens that came
  std::uint32_t cached = 0;     // prompt tokens found in the prefill worker's cache
  Outcome outcome = Outcome::kUnfinished;
  bool measured = false;  // arrived in the measuring window
  std::uint32_t prefill_worker = 0;
  std::uint32_t prefill_group = 0;
  std::uint32_t decode_worker = 0;
  std::uint32_t decode_group = 0;
  std::uint32_t preemptions = 0;
  std::uint64_t bytes = 0;   // of KV cache posted the first time
  std::uint64_t resent = 0;  // and again after preemptions
  Picoseconds arrival;
  Picoseconds routed = kNever;
  Picoseconds prefill_start = kNever;
  Picoseconds prefill_end = kNever;   // the first time
  Picoseconds first_post = kNever;    // of KV cache
  Picoseconds last_arrival = kNever;  // of KV cache, the first time
  Picoseconds decode_start = kNever;
  Picoseconds first_token = kNever;         // as the user sees it
  Picoseconds first_decode_token = kNever;  // whoever emits the first one
  Picoseconds last_token = kNever;
  Picoseconds done = kNever;
  Picoseconds longest_gap;    // between two tokens
  StageTimes stages{};        // until its end, or the end of the run
  StageTimes first_stages{};  // up to first_token

  [[nodiscard]] bool finished() const { return outcome == Outcome::kDone; }
};

}  // namespace plumbline::serving
