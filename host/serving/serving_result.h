// Result of a run of the serving model: a record of every request, and counts.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "serving/request_record.h"
#include "serving/serving_sample.h"
#include "stats/histogram.h"

namespace plumbline::serving {

// Work of one worker in a run.
struct WorkerUse {
  Picoseconds busy;              // in steps that began
  std::uint64_t pages = 0;       // total of its attention groups
  Int128 page_time{};            // integral of the pages in use [page ps]
  std::uint64_t peak_pages = 0;  // in use

  // Mean over `time` of the share of its pages in use.
  [[nodiscard]] double utilisation(Picoseconds time) const {
    const double all = static_cast<double>(pages) * static_cast<double>(time.count());
    return all > 0 ? static_cast<double>(page_time) / all : 0;
  }
};

struct ServingResult {
  std::vector<RequestRecord> requests;  // in the order of arrival
  bool closed_loop = false;
  Picoseconds window_start;
  Picoseconds window_end;  // of the measuring window, or of the run if that was earlier
  Picoseconds end;         // of the run

  // Gaps between two tokens of a measured request, in ps.
  stats::Histogram gaps;
  std::uint64_t window_tokens = 0;  // tokens generated in the measuring window, of any request

  // Sum over time of the number of requests in each stage [request ps], by the counts of the
  // stages; equal to the sum of the requests' own times.
  std::array<Int128, kStages> stage_integral{};

  std::uint64_t prefill_steps = 0;
  std::uint64_t decode_steps = 0;
  std::uint64_t recomputed_tokens = 0;   // on decode workers, after preemptions
  std::uint64_t swapped_tokens = 0;      // over PCIe, both ways
  std::uint64_t extrapolated_steps = 0;  // more than 10 % outside the table of step times
  std::uint64_t evictions = 0;           // cached pages given up
  std::uint64_t messages = 0;            // of KV cache
  std::uint64_t lost_messages = 0;       // of them: given up by the network
  std::uint64_t bytes = 0;               // of KV cache posted, resent ones included
  std::uint64_t resent_bytes = 0;
  Picoseconds prefill_stalled;     // sum over workers: idle although a prompt waits for pages
  std::vector<WorkerUse> prefill;  // by worker
  std::vector<WorkerUse> decode;
  std::uint64_t peak_requests = 0;  // in the system
  // WindowSpec::sample: number i at (i + 1) times that; with WindowSpec::quiet a last one at the
  // end of the run.
  std::vector<ServingSample> samples;
  bool stuck = false;  // ended because the network was deadlocked
};

}  // namespace plumbline::serving
