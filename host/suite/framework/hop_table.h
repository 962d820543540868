// Retries hop by hop, measured and computed: of the links of a simulated fabric that have bit
// errors and LLR, and of a link of the card's own.
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

// One direction of a link, in all repetitions of a point together. Counts are doubles because they
// are only computed with.
struct Hop {
  std::string name;  // "leaf0-spine1"
  ObservationPoint observed = ObservationPoint::kModelled;
  double bit_error_rate = 0;  // errors per bit
  double frames = 0;          // sent, each once
  double bytes = 0;           // of these
  Bytes longest{};            // frame that it may carry
  std::uint64_t retries = 0;
  std::uint64_t nacks = 0;
  std::uint64_t nacks_lost = 0;
  double repeated = 0;         // frames sent again
  stats::Histogram latency{};  // of all retries
  stats::Histogram asked{};    // of those for which no NACK was lost
  // Of one attempt: at most with the frame that the sender may have in hand.
  bench::RetryTime computed{};
  Picoseconds wasted{};  // from a damaged frame to its repetition, with half of that frame
  Picoseconds slot{};    // of a frame of mean length
  double load = 0;       // share of the line that `frames` take

  // What chance makes of `frames` and errors, each frame being struck by itself. Frames of several
  // lengths are not known one by one: between all of mean length, which is too many, and all bits
  // in the longest ones, too few, expected() being the middle. Distance of the retries from there
  // in standard deviations, and the range of `confidence`.
  [[nodiscard]] double expected() const;
  [[nodiscard]] double sigma() const;
  [[nodiscard]] stats::Interval range(double confidence) const;
  // Distance [ns] of the retry that is furthest from the computed times, of those for which no NACK
  // was lost.
  [[nodiscard]] double misfit() const;
};

// A point and its hops.
struct PointHops {
  const SweepPoint& point;
  std::uint32_t repetitions = 1;
  std::vector<Hop> hops;
};

// The hops of the simulated fabric at a point, in the order of its links: those that have bit
// errors and retry. `longest`: frame that any of them carries. Observation point: modelled.
PointHops hopsOf(const Measured& measured, Bytes longest);

// Hops put together under a name; there must be one at least.
Hop together(const std::vector<Hop>& hops, std::string name);

// Adds the tables "hops", "hop_latency" and "hop_share", and KPIs by hop and point. Of each point
// all hops together, where there are several, and up to `most_rows` of them: those on which the
// most retries are expected.
void addHopTables(const Design& design, const std::vector<PointHops>& points, std::size_t most_rows,
                  ResultBuilder& builder);

// An anomaly for each hop whose number of retries chance does not explain: outside of the range in
// which those of all hops together are with 99 % confidence.
void checkRetryCounts(const std::vector<PointHops>& points, ResultBuilder& builder);

}  // namespace plumbline::suite
