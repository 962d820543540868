// Readers of public traces of requests to language models, one line at a time: a file of any size
// takes the memory of a line.
//
// Each refuses a bad line by Error(kUsage) with file:line:column. Times must not decrease: an
// unsorted trace must be sorted first, because it is read in one pass.
#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/calendar_time.h"
#include "base/text_fields.h"
#include "base/text_lines.h"
#include "serving/request.h"

namespace plumbline::serving {

class TraceReader {
 public:
  virtual ~TraceReader() = default;
  // The next request; nothing at the end. Arrivals count from the first request of the file.
  virtual std::optional<Request> next() = 0;
  // Lines that were skipped on purpose so far: failed requests.
  [[nodiscard]] virtual std::uint64_t dropped() const { return 0; }
  // The part of the text that was read so far.
  [[nodiscard]] virtual TextExtent extent() const { return {}; }
};

// The most tokens of a prompt or an answer, here and in every workload: squares of them still fit
// (step_time.h).
inline constexpr std::uint64_t kMaxTokens = std::uint64_t{1} << 26;

// Azure LLM inference traces of 2023 and 2024: TIMESTAMP, ContextTokens, GeneratedTokens, by the
// names of the first line, in any order, with or without other columns. Requests without generated
// tokens are failed ones: skipped and counted.
std::unique_ptr<TraceReader> azureTrace(std::istream& text, std::string file);

// BurstGPT: Timestamp [s], Request tokens, Response tokens by name, with other columns in any
// order. Failures have Response tokens 0: skipped and counted.
std::unique_ptr<TraceReader> burstGptTrace(std::istream& text, std::string file);

// Mooncake (FAST '25), one JSON object per line: timestamp [ms], input_length, output_length, and
// hash_ids, one per `span` tokens of the prompt, equal where the prompts are equal from the start.
// `spread`: requests with one timestamp, whose clock ticks in seconds, are spread evenly until the
// next timestamp instead of arriving at once.
struct MooncakeRules {
  std::uint32_t span = 512;
  bool spread = false;
};
std::unique_ptr<TraceReader> mooncakeTrace(std::istream& text, std::string file,
                                           const MooncakeRules& rules = {});

}  // namespace plumbline::serving
