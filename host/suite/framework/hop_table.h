// Retries hop by hop, measured and computed: for links of a simulated fabric that have bit errors
// and LLR, and for a link of the card's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/observation_point.h"
#include "base/units.h"
#include "bench/card/retry_time.h"
#include "stats/histogram.h"
#include "stats/summary.h"
#include "suite/framework/figures.h"
#include "suite/framework/result_builder.h"

namespace plumbline::suite {

// One direction of a link, over all repetitions of a point. Counts are doubles because they are
// used in formulas only.
struct Hop {
  std::string name;  // "leaf0-spine1"
  ObservationPoint observed = ObservationPoint::kModelled;
  double bit_error_rate = 0;  // errors per bit
  double frames = 0;          // sent, each once
  double bytes = 0;           // of these
  Bytes longest{};            // frame that it may carry
  std::uint64_t retries = 0;
  std::uint64_t given_up = 0;  // frames that LLR lost, see bench::HopRetries
  std::uint64_t nacks = 0;
  std::uint64_t nacks_lost = 0;
  double repeated = 0;         // frames sent again
  stats::Histogram latency{};  // of all retries
  stats::Histogram asked{};    // of those without a lost NACK
  // Of one attempt; the maximum includes the frame that the sender is transmitting.
  bench::RetryTime computed{};
  // Of one hop: from a damaged frame to its repetition, including half of that frame; and of a
  // frame of mean length.
  Picoseconds wasted{};
  Picoseconds slot{};
  // Share of the line that `frames` occupy until the end of the trials' load.
  double load = 0;
  // Frames that go-back-N sends again for `nacks`, at `load` and on a full line. They add up over
  // hops, while a closed form of mean times and loads holds for equal hops only.
  double repeated_at_load = 0;
  double repeated_on_full_line = 0;

  // Sets these two of one hop from the other values.
  void computeRepeated();
  // Number of retries expected by chance from `frames` and errors, each frame being damaged
  // independently. For frames of several lengths only bounds are known: all of mean length is too
  // many, all bits in the longest frames too few; expected() is the middle. Deviation of the
  // retries from it in standard deviations, and the range with `confidence`. They do not hold if
  // LLR gave frames up: these are no retries, and their number depends on what was behind them.
  [[nodiscard]] double expected() const;
  [[nodiscard]] double sigma() const;
  [[nodiscard]] stats::Interval range(double confidence) const;
  // Distance [ns] of the retry that is furthest from the computed times, among those without a lost
  // NACK.
  [[nodiscard]] double misfit() const;
};

// A point and its hops.
struct PointHops {
  const SweepPoint& point;
  std::uint32_t repetitions = 1;
  std::vector<Hop> hops;
};

// The hops of the simulated fabric at a point, in the order of its links: those with bit errors and
// LLR. `longest`: longest frame that any of them carries. Observation point: modelled.
PointHops hopsOf(const Measured& measured, Bytes longest);

// Hops merged under a name; at least one.
Hop together(const std::vector<Hop>& hops, std::string name);

// Adds the tables "hops", "hop_latency" and "hop_share", and KPIs by hop and point. For each point:
// all hops together, if there are several, and up to `max_rows` of them, those with the most
// expected retries.
void addHopTables(const Design& design, const std::vector<PointHops>& points, std::size_t max_rows,
                  ResultBuilder& builder);

// Adds an anomaly for each hop whose number of retries is not explained by chance: outside the
// range in which all hops together are with 99 % confidence. Hops on which LLR gave frames up are
// not compared, and are one anomaly for each point.
void checkRetryCounts(const std::vector<PointHops>& points, ResultBuilder& builder);

}  // namespace plumbline::suite
