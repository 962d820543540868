// Records the time series of a trial while it runs.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bench/trial/time_series.h"
#include "fabric/engine/fabric.h"

namespace plumbline::bench {

// Reads the counters of all links at the end of each interval, between two steps of the fabric,
// which does not change the run. Intervals begin short; when their number reaches the limit, pairs
// are merged and the interval doubles, so that the trial's length need not be known in advance.
class SeriesRecorder {
 public:
  // `fabric` must outlive it, and has not run yet. A large fabric has fewer intervals than `spec`
  // allows: kCells readings of links in all.
  SeriesRecorder(const TimeSeriesSpec& spec, fabric::Fabric& fabric);

  // When the current interval ends.
  [[nodiscard]] Picoseconds due() const { return begin_ + interval_; }
  // Ends the interval; the fabric has run until due().
  void take();
  // The recorded series; the trial has ended now.
  TimeSeries finish();

  static constexpr std::size_t kCells = std::size_t{1} << 21;
  static constexpr Picoseconds kFirstInterval = microseconds(4);

 private:
  // Of a link in an interval.
  struct Cell {
    std::uint64_t bytes = 0;
    std::uint64_t max_queue_bytes = 0;
    Picoseconds paused;
  };
  // All cells of an interval, by link. Bytes and pauses are separate: without pauses the latter are
  // empty.
  struct Row {
    std::vector<std::uint64_t> bytes;
    std::vector<std::uint64_t> max_queue_bytes;
    std::vector<Picoseconds> paused;  // empty: nothing was paused
  };
  // Of the whole fabric in an interval.
  struct Total {
    std::uint64_t marked = 0;
    std::uint64_t dropped = 0;
    std::uint64_t pauses = 0;
    std::array<Picoseconds, 8> paused{};
  };
  // Counters of a link at the end of the last interval.
  struct Last {
    std::uint64_t bytes = 0;
    std::uint64_t marked = 0;
    std::uint64_t dropped = 0;
    std::uint64_t pauses = 0;
    std::array<Picoseconds, 8> paused{};
  };

  void read();
  static void addTo(Row& row, const Row& next);
  void halve();
  [[nodiscard]] std::size_t count() const { return totals_.size(); }
  [[nodiscard]] Cell cell(std::size_t interval, fabric::LinkId link) const {
    const Row& row = rows_[interval];
    return {row.bytes[link], row.max_queue_bytes[link],
            row.paused.empty() ? Picoseconds() : row.paused[link]};
  }
  [[nodiscard]] std::vector<fabric::LinkId> chosenPorts() const;
  [[nodiscard]] PortSeries portSeries(fabric::LinkId link) const;

  fabric::Fabric& fabric_;
  std::size_t most_;  // intervals, even
  Picoseconds interval_ = kFirstInterval;
  Picoseconds begin_{};        // of the current interval
  std::vector<Last> last_;     // by link
  std::vector<Row> rows_;      // by interval
  std::vector<Total> totals_;  // the same
};

}  // namespace plumbline::bench
