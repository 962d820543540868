#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/decimal.h"
#include "base/error.h"
#include "base/random.h"
#include "base/text_fields.h"
#include "serving/step_time.h"
#include "serving/text_error.h"

namespace plumbline::serving {
namespace {

constexpr std::array<const char*, 5> kTableColumns{"phase", "batch", "tokens", "context", "ms"};
constexpr std::uint64_t kMaxTableTokens = 100'000'000;
constexpr double kMaxTableMs = 1e7;
constexpr double kMaxStepMs = 1e9;  // of an extrapolation, eleven days
// Margin outside the grid, relative to its outermost value, without a mark.
constexpr double kMargin = 0.1;

struct Place {
  std::size_t cell = 0;  // the lower index
  double share = 0;      // of the way to the next one; below 0 or above 1 outside
  bool outside = false;
};

Place placeOf(const std::vector<double>& axis, double value) {
  Place place;
  // A table measured at context 0 only does not cover 1,000: the margin is relative to the value.
  place.outside = value > axis.back() * (1 + kMargin) || value < axis.front() * (1 - kMargin);
  if (axis.size() == 1) return place;
  const auto above = std::upper_bound(axis.begin() + 1, axis.end() - 1, value);
  place.cell = static_cast<std::size_t>(above - axis.begin()) - 1;
  place.share = (value - axis[place.cell]) / (axis[place.cell + 1] - axis[place.cell]);
  return place;
}

}  // namespace

// One line at a time; throws at the first mistake.
class StepTableParser {
 public:
  StepTableParser(std::istream& text, const std::string& file) : table_(text), file_(file) {}

  StepTable parse() {
    bool header = true;
    while (table_.next()) {
      if (table_.lines().tooLong()) fail(1, "the line is longer than 65536 bytes");
      const auto fields = table_.fields();
      if (fields.size() != kTableColumns.size()) {
        fail(fields.back().column, fmt::format("{} fields instead of 5", fields.size()));
      }
      if (header) {
        parseHeader();
      } else {
        parseLine();
      }
      header = false;
    }
    if (prefill_.empty() && decode_.empty()) {
      throw textError("the table has no lines", file_, table_.lines().number() + 1, 1, kForm);
    }
    StepTable table;
    table.prefill_ = grid(prefill_, "prefill");
    table.decode_ = grid(decode_, "decode");
    return table;
  }

  [[nodiscard]] TextExtent extent() const { return table_.lines().extent(); }

 private:
  static constexpr const char* kForm =
      "phase,batch,tokens,context,ms and a line such as decode,8,8,4096,16.2";
  struct Entry {
    double ms = 0;
    std::size_t line = 0;
  };
  using Entries = std::map<std::pair<std::uint64_t, std::uint64_t>, Entry>;

  [[noreturn]] void fail(std::size_t column, const std::string& what) const {
    throw textError(what, file_, table_.lines().number(), column, kForm);
  }

  void parseHeader() const {
    for (std::size_t i = 0; i < kTableColumns.size(); ++i) {
      const TextField& field = table_.fields()[i];
      if (!sameColumn(field.text, kTableColumns[i])) {
        fail(field.column,
             fmt::format("the column \"{}\" is not {}", field.text, kTableColumns[i]));
      }
    }
  }

  [[nodiscard]] std::uint64_t number(std::size_t index, std::uint64_t min) const {
    const TextField& field = table_.fields()[index];
    const auto value = wholeDecimal(field.text, kMaxTableTokens);
    if (!value || *value < min) {
      fail(field.column, fmt::format("{} is no whole number from {} to {}", kTableColumns[index],
                                     min, kMaxTableTokens));
    }
    return *value;
  }

  void parseLine() {
    const auto fields = table_.fields();
    const bool prefill = fields[0].text == "prefill";
    if (!prefill && fields[0].text != "decode") {
      fail(fields[0].column,
           fmt::format("the phase \"{}\" is neither prefill nor decode", fields[0].text));
    }
    const std::uint64_t batch = number(1, 1);
    const std::uint64_t tokens = number(2, 1);
    const std::uint64_t context = number(3, 0);
    if (prefill && batch != 1) fail(fields[1].column, "a prefill line has batch 1");
    if (!prefill && batch != tokens) {
      fail(fields[2].column, "a decode line has as many tokens as its batch");
    }
    const auto ms = parseDecimal(fields[4].text).value;
    if (!ms || *ms <= 0 || *ms > kMaxTableMs) {
      fail(fields[4].column,
           fmt::format("ms is no decimal number above 0, at most {}", kMaxTableMs));
    }
    Entries& entries = prefill ? prefill_ : decode_;
    const auto [entry, fresh] =
        entries.try_emplace({tokens, context}, Entry{*ms, table_.lines().number()});
    if (!fresh) {
      fail(1, fmt::format("the same tokens and context are in line {}", entry->second.line));
    }
  }

  StepTable::Grid grid(const Entries& entries, const char* phase) const {
    StepTable::Grid grid;
    std::vector<double>& tokens = grid.tokens;
    std::vector<double>& context = grid.context;
    for (const auto& [key, entry] : entries) {
      if (tokens.empty() || tokens.back() != static_cast<double>(key.first)) {
        tokens.push_back(static_cast<double>(key.first));
      }
      context.push_back(static_cast<double>(key.second));
      grid.ms.push_back(entry.ms);
    }
    std::sort(context.begin(), context.end());
    context.erase(std::unique(context.begin(), context.end()), context.end());
    if (entries.size() == tokens.size() * context.size()) return grid;
    // Name the first hole: the entries are in the order of the grid.
    auto entry = entries.begin();
    for (const double t : tokens) {
      for (const double c : context) {
        if (entry != entries.end() && static_cast<double>(entry->first.first) == t &&
            static_cast<double>(entry->first.second) == c) {
          ++entry;
          continue;
        }
        throw textError(
            fmt::format("the {} grid has no line with {} tokens and context {}", phase, t, c),
            file_, table_.lines().number(), 1, "every number of tokens with every context");
      }
    }
    return grid;
  }

  TextTable table_;
  std::string file_;
  Entries prefill_;
  Entries decode_;
};

StepTable StepTable::parse(std::istream& text, const std::string& file, TextExtent* extent) {
  StepTableParser parser(text, file);
  StepTable table = parser.parse();
  if (extent != nullptr) *extent = parser.extent();
  return table;
}

StepTime StepTable::of(const Grid& grid, const char* phase, const StepLoad& load) {
  if (grid.ms.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("the table of step times has no {} lines", phase),
                "times", "a table with lines of both phases");
  }
  const double tokens = static_cast<double>(load.tokens);
  const double mean_context =
      static_cast<double>(load.context) / static_cast<double>(load.sequences);
  const Place row = placeOf(grid.tokens, tokens);
  const Place column = placeOf(grid.context, mean_context);
  const auto at = [&](std::size_t r, std::size_t c) {
    return grid.ms[std::min(r, grid.tokens.size() - 1) * grid.context.size() +
                   std::min(c, grid.context.size() - 1)];
  };
  const auto along = [&](std::size_t r) {
    return at(r, column.cell) * (1 - column.share) + at(r, column.cell + 1) * column.share;
  };
  const double ms = along(row.cell) * (1 - row.share) + along(row.cell + 1) * row.share;
  // The nearest corner of the cell keeps an extrapolation from going through zero.
  const double nearest =
      at(row.cell + (row.share >= 0.5 ? 1 : 0), column.cell + (column.share >= 0.5 ? 1 : 0));
  StepTime time;
  time.total = Picoseconds(std::llround(std::clamp(ms, nearest / 2, kMaxStepMs) * 1e9));
  time.extrapolated = row.outside || column.outside;
  return time;
}

std::uint64_t StepTable::hash() const {
  std::string text;
  for (const Grid* grid : {&prefill_, &decode_}) {
    text += fmt::format("{};{};{};", fmt::join(grid->tokens, ","), fmt::join(grid->context, ","),
                        fmt::join(grid->ms, ","));
  }
  return hash64(text);
}

}  // namespace plumbline::serving
