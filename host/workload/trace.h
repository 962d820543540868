// Message traces as CSV text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/text_lines.h"
#include "workload/workload_spec.h"

namespace plumbline::workload {

// A mistake in a trace, with its position; line and column count from 1, in bytes.
struct TraceError {
  std::size_t line = 0;
  std::size_t column = 0;
  std::string what;
};

// Texts of mistakes that any trace can have.
inline constexpr const char* kLineTooLong = "the line is longer than 65536 bytes: this is no trace";
// Appended to a mistake in the last line of a file that may be truncated.
inline constexpr const char* kTornLine = " (the file ends in this line, without a newline)";

// Entries, or the first mistake. One message per line:
//   time_ns,from,to,bytes[,tag]
// with decimal digits; the time may have a fraction of up to three digits, all other fields are
// integers. `from` and `to` are different ranks below `ranks`, bytes 1 to 2^40 - 1, the time at
// most 10^15 ns, the tag 32 bits. Also allowed are whatever base/text_fields.h skips (a byte order
// mark, blanks, empty lines, comments, quotes) and a first line "time_ns,from,to,bytes[,tag]" in
// any case. Lines may be in any order. Never throws for any text (except for lack of memory). Sets
// `extent`, if given.
std::variant<std::vector<TraceEntry>, TraceError> parseTrace(std::istream& text,
                                                             std::uint32_t ranks,
                                                             TextExtent* extent = nullptr);
std::variant<std::vector<TraceEntry>, TraceError> parseTrace(std::string_view text,
                                                             std::uint32_t ranks);

}  // namespace plumbline::workload
