// Batching, admission and preemption of workers.
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"

namespace plumbline::serving {

enum class Batching {
  kContinuous,  // requests join and leave at every step
  // A batch begins when the previous one has ended completely; shorter answers are padded.
  kStatic,
};
// Room that a decode worker reserves when it admits a request.
enum class Reserve {
  kPrompt,     // the prompt and one token; further pages are taken one by one
  kPromptMax,  // the prompt and `max_output` tokens: never preempted
};
enum class Preemption {
  kRecomputeDecode,  // the decode worker computes the KV cache again
  // The request goes through the prefill pool again, and its KV cache is sent again.
  kRecomputePrefill,
  kSwap,  // to the host's memory over PCIe and back
};

struct SchedulerSpec {
  std::uint32_t page = 16;          // tokens
  std::uint32_t max_tokens = 8192;  // new tokens of a prefill step
  std::uint32_t chunk = 0;          // most new tokens of one prompt in a step; 0: whole prompts
  std::uint32_t max_prefill_batch = 64;  // prompts of a prefill step
  std::uint32_t max_batch = 64;          // sequences of a decode step
  double watermark = 0.01;               // share of pages kept free when a request is admitted
  bool prefix_cache = true;
  Batching batching = Batching::kContinuous;
  Reserve reserve = Reserve::kPrompt;
  std::uint32_t max_output = 0;  // an answer ends here at the latest; 0: no limit
  // Absent: the test's; without one kRecomputeDecode.
  std::optional<Preemption> preemption;
};

// Throws Error(kUsage): counts of 1 or more, a page of 1 to 512 tokens, and a limit of the answers
// wherever room for it is reserved. Static batches reserve that room.
void check(const SchedulerSpec& spec);

}  // namespace plumbline::serving
