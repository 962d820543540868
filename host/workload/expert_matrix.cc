#include "workload/expert_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>

#include "base/text_fields.h"
#include "base/whole_number.h"

namespace plumbline::workload {
namespace {

// One line at a time; the first mistake ends it.
class ExpertMatrixParser {
 public:
  explicit ExpertMatrixParser(const MatrixRules& rules) : rules_(rules) {}

  std::variant<std::vector<std::uint32_t>, TraceError> parse(std::istream& text,
                                                             TextExtent* extent) {
    TextTable table(text);
    while (!error_ && table.next()) {
      line_ = table.lines().number();
      if (table.lines().tooLong()) {
        fail(1, "the line is longer than 65536 bytes");
      } else if (rows_ == rules_.ranks) {
        fail(1, fmt::format("the job has {} ranks: there is a line too many", rules_.ranks));
      } else {
        parseRow(table.fields(), table.endColumn());
      }
      if (error_ && table.lines().torn()) error_->what += kTornLine;
    }
    if (extent != nullptr) *extent = table.lines().extent();
    const bool known = rules_.ranks != std::numeric_limits<std::uint32_t>::max();
    if (known && rows_ < rules_.ranks) {
      line_ = std::max<std::size_t>(line_, 1);
      fail(1, fmt::format("the job has {} ranks: the file ends after {} lines with numbers",
                          rules_.ranks, rows_));
    }
    if (error_) return *error_;
    return std::move(matrix_);
  }

 private:
  void fail(std::size_t column, std::string what) {
    if (!error_) error_ = TraceError{line_, column, std::move(what)};
  }

  void parseRow(std::span<const TextField> fields, std::size_t end_column) {
    if (fields.size() < rules_.experts) {
      fail(end_column, fmt::format("{} fields, of {} experts", fields.size(), rules_.experts));
      return;
    }
    if (fields.size() > rules_.experts) {
      fail(fields[rules_.experts].column,
           fmt::format("more fields than {} experts", rules_.experts));
      return;
    }
    const std::uint64_t max = std::uint64_t{rules_.tokens} * rules_.top_k;
    std::uint64_t sum = 0;
    for (const TextField& field : fields) {
      const auto count = wholeNumberUpTo(field.text, rules_.tokens);
      if (!count) {
        fail(field.column,
             fmt::format("a decimal number of tokens is needed here, 0 to {}", rules_.tokens));
        return;
      }
      sum += *count;
      if (sum > max) {
        fail(field.column, fmt::format("more selections than tokens x top_k = {}", max));
        return;
      }
      matrix_.push_back(static_cast<std::uint32_t>(*count));
    }
    ++rows_;
  }

  MatrixRules rules_;
  std::size_t line_ = 0;
  std::uint32_t rows_ = 0;
  std::optional<TraceError> error_;
  std::vector<std::uint32_t> matrix_;
};

}  // namespace

std::variant<std::vector<std::uint32_t>, TraceError> parseExpertMatrix(std::istream& text,
                                                                       const MatrixRules& rules,
                                                                       TextExtent* extent) {
  return ExpertMatrixParser(rules).parse(text, extent);
}

std::variant<std::vector<std::uint32_t>, TraceError> parseExpertMatrix(std::string_view text,
                                                                       const MatrixRules& rules) {
  std::istringstream stream{std::string(text)};
  return parseExpertMatrix(stream, rules);
}

}  // namespace plumbline::workload
