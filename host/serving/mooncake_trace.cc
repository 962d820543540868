#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "base/counted.h"
#include "base/json.h"
#include "serving/text_error.h"
#include "serving/trace_reader.h"

namespace plumbline::serving {
namespace {

constexpr std::int64_t kMaxMilliseconds = 4'000'000'000;
constexpr const char* kMooncakeForm =
    R"(a line such as {"timestamp": 0, "input_length": 600, "output_length": 50, "hash_ids": [1, 2]})";

class MooncakeTrace : public TraceReader {
 public:
  MooncakeTrace(std::istream& text, std::string file, const MooncakeRules& rules)
      : lines_(text), file_(std::move(file)), rules_(rules) {
    if (rules.span < 1) {
      throw Error(ErrorKind::kUsage, "an id of hash_ids stands for no token", "span",
                  "1 token or more");
    }
  }

  std::optional<Request> next() override {
    if (!rules_.spread) return read();
    if (ready_.empty()) fill();
    if (ready_.empty()) return std::nullopt;
    Request request = std::move(ready_.front());
    ready_.pop_front();
    return request;
  }

  [[nodiscard]] std::uint64_t dropped() const override { return dropped_; }
  [[nodiscard]] TextExtent extent() const override { return lines_.extent(); }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw textError(what, file_, lines_.number(), 1, kMooncakeForm);
  }

  // Reads all requests of the next timestamp and spreads them until the one after it. Those of the
  // last timestamp use the previous interval, or are not spread if there was none.
  void fill() {
    if (!ahead_) ahead_ = read();
    if (!ahead_) return;
    const Picoseconds tick = ahead_->arrival;
    while (ahead_ && ahead_->arrival == tick) {
      ready_.push_back(std::move(*ahead_));
      ahead_ = read();
    }
    if (ahead_) gap_ = ahead_->arrival - tick;
    const auto count = static_cast<std::int64_t>(ready_.size());
    for (std::int64_t i = 0; i < count; ++i) {
      ready_[static_cast<std::size_t>(i)].arrival = tick + gap_ / count * i;
    }
  }

  std::optional<Request> read() {
    while (lines_.next()) {
      if (lines_.tooLong()) fail("the line is longer than 65536 bytes");
      if (lines_.line().find_first_not_of(" \t") == std::string_view::npos) continue;
      Request request = parse();
      if (request.arrival < last_) fail("this timestamp is before that of the line above");
      last_ = request.arrival;
      if (request.output == 0) {
        ++dropped_;
        continue;
      }
      return request;
    }
    return std::nullopt;
  }

  template <typename T>
  [[nodiscard]] T whole(const nlohmann::json& value, const char* name, T min, T max) const {
    if (!value.is_number() || !holds<T>(value) || value.get<T>() < min || value.get<T>() > max) {
      fail(fmt::format("{} is no whole number from {} to {}", name, min, max));
    }
    return value.get<T>();
  }

  [[nodiscard]] const nlohmann::json& field(const nlohmann::json& line, const char* name) const {
    const auto found = line.find(name);
    if (found == line.end()) fail(fmt::format("the line has no {}", name));
    return *found;
  }

  Request parse() {
    const auto line = parseJsonOrDiscard<>(lines_.line());
    if (!line.is_object()) fail("the line is no JSON object");
    const auto time =
        whole<std::int64_t>(field(line, "timestamp"), "timestamp", 0, kMaxMilliseconds);
    if (first_ < 0) first_ = time;
    Request request;
    request.arrival = milliseconds(time - first_);
    constexpr auto kMax = static_cast<std::uint32_t>(kMaxTokens);
    request.prompt = whole<std::uint32_t>(field(line, "input_length"), "input_length", 1, kMax);
    request.output = whole<std::uint32_t>(field(line, "output_length"), "output_length", 0, kMax);
    const nlohmann::json& ids = field(line, "hash_ids");
    if (!ids.is_array()) fail("hash_ids is no list");
    request.prefix.reserve(ids.size());
    for (const nlohmann::json& id : ids) {
      request.prefix.push_back(whole<std::uint64_t>(id, "an id of hash_ids", 0, UINT64_MAX));
    }
    // The last id may stand for a part of its tokens only.
    if (request.prefix.size() > (std::uint64_t{request.prompt} + rules_.span - 1) / rules_.span) {
      fail(fmt::format("{} hash_ids for {}, with one per {}", request.prefix.size(),
                       counted(request.prompt, "token"), rules_.span));
    }
    request.prefix_span = request.prefix.empty() ? 0 : rules_.span;
    return request;
  }

  TextLines lines_;
  std::string file_;
  MooncakeRules rules_;
  std::int64_t first_ = -1;
  Picoseconds last_;
  std::uint64_t dropped_ = 0;
  std::deque<Request> ready_;  // spread
  std::optional<Request> ahead_;
  Picoseconds gap_;
};

}  // namespace

std::unique_ptr<TraceReader> mooncakeTrace(std::istream& text, std::string file,
                                           const MooncakeRules& rules) {
  return std::make_unique<MooncakeTrace>(text, std::move(file), rules);
}

}  // namespace plumbline::serving
