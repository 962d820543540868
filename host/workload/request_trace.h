// Traces of requests to a language model as CSV text, as messages between prefill and decode hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string_view>
#include <variant>
#include <vector>

#include "workload/trace.h"

namespace plumbline::workload {

// Network messages of a request: when it arrives, the KV cache of its prompt goes from a prefill
// rank to a decode rank. Request i of the trace (from 0) goes from rank i mod `prefill` to rank
// `prefill` + i mod (`ranks` - `prefill`). The time of computing the prompt is not modelled, nor
// are the generated tokens, which stay on their host.
struct RequestRules {
  std::uint32_t ranks = 2;               // of the job
  std::uint32_t prefill = 1;             // 1 to ranks - 1
  std::uint64_t bytes_per_token = 1;     // of KV cache, 1 to 2^40 - 1
  std::size_t max = SIZE_MAX;            // requests, from the first on
  std::uint64_t max_bytes = UINT64_MAX;  // of text, counted in the lines that are read
};

// Entries, or the first mistake. The first line names the columns, TIMESTAMP, ContextTokens and
// GeneratedTokens as in the public traces of this kind, in any order and case, with or without
// others; one request per further line:
//   2023-11-16 18:17:03.9799600,4808,10
//   2024-05-10 00:00:00.009930+00:00,2162,5
// with up to twelve digits of a second, optional fraction, and 1 or more context tokens. A time may
// have an offset from UTC (ISO 8601: Z, +01, +0130, +01:30); either all have one or none. Times
// count from the earliest request in use; all are less than 10^15 ns later. The tag of an entry is
// the number of generated tokens. Lines may be in any order; base/text_fields.h defines what is
// skipped. Lines after the last request in use are not read. Throws Error(kUsage) for invalid
// rules, and never for any text (except for lack of memory). Sets `extent`, if given, to the lines
// that were read.
std::variant<std::vector<TraceEntry>, TraceError> parseRequestTrace(std::istream& text,
                                                                    const RequestRules& rules,
                                                                    TextExtent* extent = nullptr);
std::variant<std::vector<TraceEntry>, TraceError> parseRequestTrace(std::string_view text,
                                                                    const RequestRules& rules);

}  // namespace plumbline::workload
