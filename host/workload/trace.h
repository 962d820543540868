// Message traces as CSV text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "workload/workload_spec.h"

namespace plumbline::workload {

// What is wrong with a trace, and where; line and column count from 1, in bytes.
struct TraceError {
  std::size_t line = 0;
  std::size_t column = 0;
  std::string what;
};

// Entries, or the first mistake. One message per line:
//   time_ns,from,to,bytes[,tag]
// with decimal digits; the time may have a fraction of up to three digits, everything else is an
// integer. `from` and `to` are different ranks below `ranks`, bytes 1 to 2^40 - 1, the time at most
// 10^15 ns, the tag 32 bits. Blanks around fields, empty lines, comments from '#' to the line's
// end, a carriage return before the newline and a first line "time_ns,from,to,bytes[,tag]" are
// allowed. Lines may come in any order. Never throws for any text (but for memory).
std::variant<std::vector<TraceEntry>, TraceError> parseTrace(std::string_view text,
                                                             std::uint32_t ranks);

}  // namespace plumbline::workload
