// State of a serving system's run at one time, for observers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "serving/request_record.h"
#include "serving/serving_result.h"
#include "serving/slo.h"
#include "stats/histogram.h"

namespace plumbline::serving {

// Requests with a first token, and the sum of their times in each stage until then [ps]: summed
// over the stages it is that of their TTFT.
struct FirstTokens {
  std::uint64_t count = 0;
  std::array<Int128, kStages> stages{};

  void add(const RequestRecord& record);
};

// Absent: unknown for a finished run that was not watched.
struct WorkerView {
  std::optional<std::uint64_t> waiting{};  // requests in the stage kPrefillQueue or kDecodeQueue
  std::optional<std::uint64_t> running{};  // in kPrefill or kDecode
  std::optional<std::uint64_t> used{};     // pages of KV cache
  std::uint64_t pages = 0;                 // total of its attention groups
};

// For requests that arrived in the measuring window.
struct MeasuredView {
  std::uint64_t arrived = 0;
  std::uint64_t done = 0;
  std::uint64_t within_limits = 0;  // of those that are done
  FirstTokens first_tokens;
  stats::Histogram ttft;   // of those [ps]
  stats::Histogram gaps;   // completed gaps between two tokens [ps]
  std::uint64_t open = 0;  // unfinished, with a first token: their current gap is open
};

// Totals since the run began, of all requests, including the warm-up.
struct ServingView {
  std::uint64_t arrived = 0;
  std::uint64_t done = 0;
  std::uint64_t rejected = 0;
  std::uint64_t failed = 0;
  std::uint64_t tokens = 0;                // that came
  std::uint64_t within_limits = 0;         // finished requests that met the limits
  std::uint64_t tokens_within_limits = 0;  // of their answers
  FirstTokens first_tokens;
  // Between two tokens of a request [ps]; absent: known for measured requests only.
  std::optional<stats::Histogram> gaps;
  // Requests in each stage now; absent as in WorkerView.
  std::optional<std::array<std::uint64_t, kStages>> in_stage;
  MeasuredView measured;
  std::vector<WorkerView> prefill;
  std::vector<WorkerView> decode;
};

// For a finished run, from its result alone.
ServingView viewOf(const ServingResult& result, const SloSpec& slo);

// Accumulates the events of requests of a running model. A look costs time for the requests that
// arrived since the last look and for unfinished ones; between looks only gaps are counted.
class ServingWatch {
 public:
  explicit ServingWatch(const SloSpec& slo) : slo_(slo) {}

  void gap(Picoseconds gap) { gaps_.record(static_cast<std::uint64_t>(gap.count())); }
  // Totals of `requests`, all that have arrived so far, in the order of arrival; without values
  // that only the model has: stages, workers and the gaps of measured requests.
  ServingView look(const std::vector<RequestRecord>& requests);

 private:
  struct Open {
    std::size_t place = 0;  // of its record
    bool begun = false;     // its first token is counted
  };

  void count(const RequestRecord& record, bool& begun);

  SloSpec slo_;
  ServingView totals_;
  stats::Histogram gaps_;
  std::vector<Open> open_;
  std::size_t seen_ = 0;  // records
};

}  // namespace plumbline::serving
