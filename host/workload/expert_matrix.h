// Which experts the tokens of each rank select, as CSV text.
#pragma once

#include <cstdint>
#include <istream>
#include <string_view>
#include <variant>
#include <vector>

#include "workload/trace.h"

namespace plumbline::workload {

// Limits of a matrix. `ranks` is the largest number if it is unknown.
struct MatrixRules {
  std::uint32_t ranks = 1;
  std::uint32_t experts = 1;
  std::uint32_t tokens = 1;  // of a rank
  std::uint32_t top_k = 1;   // selections of a token at most
};

// Rank by rank, `experts` numbers each; or the first mistake. A line is a rank, a field the number
// of its tokens that select an expert: a decimal integer up to `tokens`, a line's sum at most
// tokens x top_k. There are as many lines as ranks. base/text_fields.h defines what is skipped.
// Never throws for any text (except for lack of memory). Sets `extent`, if given.
std::variant<std::vector<std::uint32_t>, TraceError> parseExpertMatrix(
    std::istream& text, const MatrixRules& rules, TextExtent* extent = nullptr);
std::variant<std::vector<std::uint32_t>, TraceError> parseExpertMatrix(std::string_view text,
                                                                       const MatrixRules& rules);

}  // namespace plumbline::workload
