// A trial on the simulated fabric over time: queues, pauses and rates in a bounded number of equal
// intervals. Observation point: modelled.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace plumbline::bench {

// What a trial records.
struct TimeSeriesSpec {
  std::uint32_t intervals = 250;  // at most; a long trial has at least half as many
};

// One direction of a cable, by interval.
struct PortSeries {
  std::string link;
  std::vector<std::uint64_t> bytes;            // of the frames that left in the interval
  std::vector<std::uint64_t> max_queue_bytes;  // largest queue within the interval
  std::vector<Picoseconds> paused;             // in it, summed over priorities

  bool operator==(const PortSeries&) const = default;
};

// Interval i is the time from i * interval to (i + 1) * interval, the last one until the trial's
// end. Intervals leave no gaps: a queue's peak is in one of them.
struct TimeSeries {
  Picoseconds interval;
  Picoseconds end;
  // Of all links that hosts send into, and of all links that hosts receive from.
  std::vector<std::uint64_t> sent_bytes;
  std::vector<std::uint64_t> received_bytes;
  // Of the whole fabric.
  std::vector<std::uint64_t> max_queue_bytes;  // the longest queue of any port
  std::vector<std::uint64_t> marked;           // packets
  std::vector<std::uint64_t> dropped;
  std::vector<std::uint64_t> pauses;  // begun
  // Summed over ports; empty for a priority that never paused.
  std::array<std::vector<Picoseconds>, 8> paused;
  // The ports with the longest queues, the longest pauses and the most bytes, kPorts of each, in
  // the order of the topology.
  std::vector<PortSeries> ports;

  static constexpr std::size_t kPorts = 4;

  bool operator==(const TimeSeries&) const = default;
};

}  // namespace plumbline::bench
