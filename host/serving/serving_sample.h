// The state of a serving system at one time, and events since the previous sample.
#pragma once

#include <array>
#include <cstdint>

#include "base/units.h"
#include "serving/request_record.h"
#include "stats/histogram.h"

namespace plumbline::serving {

// Pages of KV cache of all workers of a pool.
struct PoolPages {
  std::uint64_t total = 0;
  std::uint64_t used = 0;    // at the time of the sample
  std::uint64_t cached = 0;  // with content that another request could share, used or not
  // Since the previous sample: fewest and most in use, and the integral of those in use [page ps].
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  Int128 page_time{};
};

struct ServingSample {
  Picoseconds time;
  PoolPages prefill;
  PoolPages decode;
  // Pages that prefill workers keep after prefill until all KV cache is sent.
  std::uint64_t pinned = 0;
  std::uint64_t messages_open = 0;                // handed to the network, not yet arrived or lost
  std::array<std::uint64_t, kStages> in_stage{};  // requests
  // Since the previous sample.
  std::uint64_t tokens = 0;                  // that came, of any request
  stats::Histogram gaps;                     // completed gaps between two tokens of a request [ps]
  std::array<Int128, kStages> stage_time{};  // integral of the requests in a stage [request ps]
};

}  // namespace plumbline::serving
