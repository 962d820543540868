// A trace of requests in memory, shared by the trials of a run.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "base/text_lines.h"
#include "base/units.h"
#include "serving/request.h"
#include "serving/trace_reader.h"

namespace plumbline::serving {

inline constexpr std::uint64_t kMaxStoredRequests = 1'000'000;

enum class TraceFormat { kAzure, kBurstGpt, kMooncake };

struct TraceRules {
  TraceFormat format = TraceFormat::kAzure;
  MooncakeRules mooncake;
  // Earlier arrivals are left out; times count from there.
  Picoseconds skip;
  // Number of remaining requests at most, from the first on; 1 to kMaxStoredRequests.
  std::uint64_t requests = kMaxStoredRequests;
};

class StoredTrace {
 public:
  // Reads the part given by `rules`. Throws as the readers of trace_reader.h, and Error(kUsage)
  // that names `file` if that part has fewer than two requests.
  static StoredTrace read(std::istream& text, const std::string& file, const TraceRules& rules);
  // Two requests or more, in the order of their arrival. Throws Error(kUsage) for fewer.
  explicit StoredTrace(std::vector<Request> requests);

  [[nodiscard]] const std::vector<Request>& requests() const { return requests_; }
  // Arrival of the last request.
  [[nodiscard]] Picoseconds length() const { return requests_.back().arrival; }
  // Requests per second: all except the first in the time from the first to the last. 0 if all
  // arrive at one time.
  [[nodiscard]] double rate() const;
  [[nodiscard]] double meanPrompt() const { return mean_prompt_; }
  [[nodiscard]] double meanOutput() const { return mean_output_; }
  [[nodiscard]] std::uint32_t maxOutput() const { return max_output_; }
  // The part of the file that was read; empty for a trace from another source.
  [[nodiscard]] TextExtent extent() const { return extent_; }
  // Of the requests: equal traces have equal hashes.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  std::vector<Request> requests_;
  double mean_prompt_ = 0;
  double mean_output_ = 0;
  std::uint32_t max_output_ = 0;
  std::uint64_t hash_ = 0;
  TextExtent extent_;
};

// Reads it from its beginning. The readers share ownership of the trace.
std::unique_ptr<TraceReader> readerOf(std::shared_ptr<const StoredTrace> trace);

}  // namespace plumbline::serving
