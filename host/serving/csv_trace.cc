#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/decimal.h"
#include "serving/text_error.h"
#include "serving/trace_reader.h"

namespace plumbline::serving {
namespace {

constexpr std::int64_t kMaxTraceSeconds = 4'000'000;  // times of a run fit into 63 bits of ps

// "1234.5" seconds to the nearest picosecond; nothing if it is no such number.
std::optional<Picoseconds> decimalSeconds(std::string_view text) {
  const auto decimal = parseReal(text);
  if (!decimal.value) return std::nullopt;
  const auto number = scaled(*decimal.value, seconds(1).count());
  if (!number || number->value > seconds(kMaxTraceSeconds).count()) return std::nullopt;
  return Picoseconds(number->value);
}

// A table whose first line names the columns; three of them matter: time, prompt, output.
class CsvTrace : public TraceReader {
 public:
  CsvTrace(std::istream& text, std::string file, const std::array<const char*, 3>& columns)
      : table_(text), file_(std::move(file)), columns_(columns) {}

  std::optional<Request> next() override {
    if (!header_) parseHeader();
    while (table_.next()) {
      refuseLongLine();
      const auto fields = table_.fields();
      if (fields.size() != width_) {
        fail(fields.size() < width_ ? table_.endColumn() : fields[width_].column,
             fmt::format("{} fields, but the first line names {}", fields.size(), width_));
      }
      const Picoseconds time = timeOf(fields[place_[0]]);
      const std::uint64_t output = number(fields[place_[2]], 0, columns_[2]);
      const std::uint64_t prompt = number(fields[place_[1]], output == 0 ? 0 : 1, columns_[1]);
      if (time < last_)
        fail(fields[place_[0]].column, "this time is before that of the line above");
      last_ = time;
      if (output == 0) {
        ++dropped_;
        continue;
      }
      Request request;
      request.arrival = time;
      request.prompt = static_cast<std::uint32_t>(prompt);
      request.output = static_cast<std::uint32_t>(output);
      return request;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::uint64_t dropped() const override { return dropped_; }
  [[nodiscard]] TextExtent extent() const override { return table_.lines().extent(); }

 protected:
  // From the first line of the trace on.
  virtual Picoseconds timeOf(const TextField& field) = 0;

  [[noreturn]] void fail(std::size_t column, const std::string& what) const {
    throw textError(what, file_, std::max<std::size_t>(table_.lines().number(), 1), column,
                    fmt::format("each line has the columns that the first line names: {}, {}, {}",
                                columns_[0], columns_[1], columns_[2]));
  }

 private:
  void refuseLongLine() const {
    if (table_.lines().tooLong()) fail(1, "the line is longer than 65536 bytes: this is no trace");
  }

  void parseHeader() {
    header_ = true;
    if (!table_.next()) fail(1, "the file is empty");
    refuseLongLine();
    const auto fields = table_.fields();
    width_ = fields.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto matches = [&](const TextField& field) {
        return sameColumn(field.text, columns_[i]);
      };
      const auto found = std::find_if(fields.begin(), fields.end(), matches);
      if (found == fields.end()) {
        fail(1, fmt::format("the first line has no column {}", columns_[i]));
      }
      const auto again = std::find_if(found + 1, fields.end(), matches);
      if (again != fields.end()) {
        fail(again->column, fmt::format("the column {} appears twice", columns_[i]));
      }
      place_[i] = static_cast<std::size_t>(found - fields.begin());
    }
  }

  [[nodiscard]] std::uint64_t number(const TextField& field, std::uint64_t min,
                                     const char* name) const {
    const auto value = wholeDecimal(field.text, kMaxTokens);
    if (!value || *value < min) {
      fail(field.column, fmt::format("{} is no whole number from {} to {}", name, min, kMaxTokens));
    }
    return *value;
  }

  TextTable table_;
  std::string file_;
  std::array<const char*, 3> columns_;
  std::array<std::size_t, 3> place_{};
  std::size_t width_ = 0;
  bool header_ = false;
  Picoseconds last_;
  std::uint64_t dropped_ = 0;
};

class AzureTrace : public CsvTrace {
 public:
  AzureTrace(std::istream& text, std::string file)
      : CsvTrace(text, std::move(file), {"TIMESTAMP", "ContextTokens", "GeneratedTokens"}) {}

 protected:
  Picoseconds timeOf(const TextField& field) override {
    const auto time = calendarTime(field.text);
    if (!time) {
      fail(field.column,
           "this is no time such as 2023-11-16 18:17:03.9799600, with or without an "
           "offset such as +00:00");
    }
    if (!first_) first_ = time;
    if (first_->with_offset != time->with_offset) {
      fail(field.column, "some times have an offset from UTC, others have none");
    }
    const std::int64_t distance = time->seconds - first_->seconds;
    if (distance < -1) fail(field.column, "this time is before that of the first line");
    if (distance > kMaxTraceSeconds) {
      fail(field.column, fmt::format("more than {} s after the first line", kMaxTraceSeconds));
    }
    return between(*first_, *time);
  }

 private:
  std::optional<CalendarTime> first_;
};

class BurstGptTrace : public CsvTrace {
 public:
  BurstGptTrace(std::istream& text, std::string file)
      : CsvTrace(text, std::move(file), {"Timestamp", "Request tokens", "Response tokens"}) {}

 protected:
  Picoseconds timeOf(const TextField& field) override {
    const auto time = decimalSeconds(field.text);
    if (!time) {
      fail(field.column,
           fmt::format("the time is no number of seconds up to {}", kMaxTraceSeconds));
    }
    if (!first_) first_ = time;
    return *time - *first_;
  }

 private:
  std::optional<Picoseconds> first_;
};

}  // namespace

std::unique_ptr<TraceReader> azureTrace(std::istream& text, std::string file) {
  return std::make_unique<AzureTrace>(text, std::move(file));
}

std::unique_ptr<TraceReader> burstGptTrace(std::istream& text, std::string file) {
  return std::make_unique<BurstGptTrace>(text, std::move(file));
}

}  // namespace plumbline::serving
