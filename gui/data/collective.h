// SPDX-License-Identifier: GPL-3.0-or-later
// Bandwidths of collectives over buffer size, read from the tables of stored results (T6.6, T9).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/data/stored_run.h"

namespace plumbline::gui {

struct CollectivePoint {
  std::string collective;  // "AllReduce"
  std::string buffer;      // "8 MiB", as written
  std::uint64_t bytes = 0;
  std::uint32_t ranks = 0;
  std::string carried_by;  // "RC, ECMP"
  double busbw_gbps = 0;   // mean
  // Share of a host's link, and bytes of the buffer over time: bus bandwidth divided by 2(n − 1)/n
  // for AllReduce and by (n − 1)/n for AllGather, ReduceScatter and AlltoAll. Nothing if the table
  // lacks the value, or the collective has no such factor.
  std::optional<double> ideal_percent;
  std::optional<double> algbw_gbps;
};

// All rows of `test` with a bus bandwidth of a collective, in their order.
std::vector<CollectivePoint> collectivePoints(const StoredTest& test);

// Bytes of "8 MiB", "64 KB" or "512 B"; nothing for other texts.
std::optional<std::uint64_t> parseSize(std::string_view text);

}  // namespace plumbline::gui
