// links: plumbline_workload
// Any text as a matrix of selections. Parsing ends with numbers inside their limits, which written
// out again parse to the same, or with a mistake inside the text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "workload/expert_matrix.h"

namespace {

using namespace plumbline::workload;  // NOLINT: a program of its own

constexpr MatrixRules kRules{4, 3, 100, 2};

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = parseExpertMatrix(text, kRules);
  if (const auto* error = std::get_if<TraceError>(&parsed)) {
    require(error->line >= 1 && error->column >= 1 && error->column <= size + 1);
    require(!error->what.empty());
    return 0;
  }
  const auto& matrix = std::get<std::vector<std::uint32_t>>(parsed);
  require(matrix.size() == std::size_t{kRules.ranks} * kRules.experts);
  std::string written;
  for (std::size_t i = 0; i < matrix.size(); i += kRules.experts) {
    std::uint32_t sum = 0;
    for (std::size_t e = 0; e < kRules.experts; ++e) {
      require(matrix[i + e] <= kRules.tokens);
      sum += matrix[i + e];
      written += std::to_string(matrix[i + e]);
      written += e + 1 == kRules.experts ? '\n' : ',';
    }
    require(sum <= kRules.tokens * kRules.top_k);
  }
  const auto again = parseExpertMatrix(written, kRules);
  const auto* copy = std::get_if<std::vector<std::uint32_t>>(&again);
  require(copy != nullptr && *copy == matrix);
  return 0;
}
