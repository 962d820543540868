// A trial over time: counters of flows and ports at equal intervals, and the pauses of ports.
// Observation point: modelled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace plumbline::bench {

// What a trial samples.
struct SamplingSpec {
  Picoseconds interval = microseconds(10);
  Picoseconds losses_from{};  // of Samples::losses
};

struct SampledFlow {
  std::uint32_t from = 0;  // hosts
  std::uint32_t to = 0;
  std::uint32_t flow = 0;  // number within the pair

  bool operator==(const SampledFlow&) const = default;
};

// Of the transports of all simulated hosts.
struct RecoveryCounts {
  std::uint64_t resent = 0;    // data packets sent again
  std::uint64_t timeouts = 0;  // of senders
  std::uint64_t failed = 0;    // messages that were given up

  bool operator==(const RecoveryCounts&) const = default;
};

// Totals since the trial began.
struct Sample {
  std::vector<std::uint64_t> received;  // payload [B] by flow; flows first seen later are left out
  std::uint64_t dropped = 0;            // in the whole fabric
  std::uint64_t marked = 0;
  std::uint64_t pauses = 0;                  // PAUSE frames that took effect, refreshes included
  Picoseconds paused;                        // summed over ports and priorities
  std::optional<RecoveryCounts> recovery{};  // results of older programs have none

  bool operator==(const Sample&) const = default;
};

// A pause of one port's sender for one priority.
struct PauseSpan {
  std::string link;
  std::uint8_t priority = 0;
  Picoseconds from;
  Picoseconds until;  // the end of the trial, if still paused then

  bool operator==(const PauseSpan&) const = default;
};

struct Samples {
  Picoseconds interval;
  std::vector<SampledFlow> flows;  // in the order of their first appearance
  std::vector<Sample> samples;     // number i at (i + 1) * interval
  // In the order of their ends: the first kMaxSpans, and the total number.
  std::vector<PauseSpan> spans;
  std::uint64_t span_count = 0;
  // Drops at or after SamplingSpec::losses_from, by the time of the frame's first bit. The first
  // and the last of them; 0 if there was none.
  std::uint64_t losses = 0;
  Picoseconds first_drop;
  Picoseconds last_drop;

  static constexpr std::size_t kMaxSpans = 10'000;

  bool operator==(const Samples&) const = default;
};

}  // namespace plumbline::bench
