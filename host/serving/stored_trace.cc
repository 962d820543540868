#include "serving/stored_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/random.h"

namespace plumbline::serving {
namespace {

class StoredReader final : public TraceReader {
 public:
  explicit StoredReader(std::shared_ptr<const StoredTrace> trace) : trace_(std::move(trace)) {}

  std::optional<Request> next() override {
    if (next_ == trace_->requests().size()) return std::nullopt;
    return trace_->requests()[next_++];
  }

 private:
  std::shared_ptr<const StoredTrace> trace_;
  std::size_t next_ = 0;
};

std::unique_ptr<TraceReader> open(std::istream& text, const std::string& file,
                                  const TraceRules& rules) {
  switch (rules.format) {
    case TraceFormat::kAzure:
      return azureTrace(text, file);
    case TraceFormat::kBurstGpt:
      return burstGptTrace(text, file);
    case TraceFormat::kMooncake:
      break;
  }
  return mooncakeTrace(text, file, rules.mooncake);
}

std::uint64_t hashOf(const std::vector<Request>& requests) {
  std::uint64_t hash = 0;
  const auto add = [&](std::uint64_t value) { hash = mix64(hash ^ mix64(value)); };
  for (const Request& request : requests) {
    add(static_cast<std::uint64_t>(request.arrival.count()));
    add(request.prompt);
    add(request.output);
    add(request.prefix_span);
    add(request.prefix.size());
    for (const std::uint64_t id : request.prefix) add(id);
  }
  return hash;
}

}  // namespace

StoredTrace::StoredTrace(std::vector<Request> requests) : requests_(std::move(requests)) {
  if (requests_.size() < 2) {
    throw Error(ErrorKind::kUsage, "a trace of " + counted(requests_.size(), "request"), "trace",
                "2 or more");
  }
  for (const Request& request : requests_) {
    mean_prompt_ += request.prompt;
    mean_output_ += request.output;
    max_output_ = std::max(max_output_, request.output);
  }
  mean_prompt_ /= static_cast<double>(requests_.size());
  mean_output_ /= static_cast<double>(requests_.size());
  hash_ = hashOf(requests_);
}

StoredTrace StoredTrace::read(std::istream& text, const std::string& file,
                              const TraceRules& rules) {
  const auto reader = open(text, file, rules);
  std::vector<Request> requests;
  while (requests.size() < rules.requests) {
    auto request = reader->next();
    if (!request) break;
    if (request->arrival < rules.skip) continue;
    request->arrival = request->arrival - rules.skip;
    requests.push_back(*std::move(request));
  }
  if (requests.size() < 2) {
    throw Error(ErrorKind::kUsage,
                fmt::format("requests {}: {}",
                            rules.skip > Picoseconds()
                                ? fmt::format("after the first {} s, which are skipped",
                                              rules.skip.toSeconds())
                                : std::string("in the trace"),
                            requests.size()),
                file, "2 or more");
  }
  StoredTrace trace(std::move(requests));
  trace.extent_ = reader->extent();
  return trace;
}

double StoredTrace::rate() const {
  const Picoseconds time = requests_.back().arrival - requests_.front().arrival;
  if (time <= Picoseconds()) return 0;
  return static_cast<double>(requests_.size() - 1) / time.toSeconds();
}

std::unique_ptr<TraceReader> readerOf(std::shared_ptr<const StoredTrace> trace) {
  return std::make_unique<StoredReader>(std::move(trace));
}

}  // namespace plumbline::serving
