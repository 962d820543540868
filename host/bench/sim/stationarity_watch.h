// Watches the main figure of a trial while it runs, and says when it is stationary.
#pragma once

#include <cstdint>

#include "bench/sim/sim_hosts.h"
#include "bench/trial/early_end.h"
#include "stats/stationarity.h"

namespace plumbline::bench {

// Looks at the simulated hosts between two steps of the fabric, at instants of simulated time that
// depend on nothing but what was seen before: so the trial ends at the same picosecond with any
// number of threads and any windows. Goodput and message times are read where a cell of the series
// ends, which grows with the trial; iterations at least every 64th of the time that has passed.
class StationarityWatch {
 public:
  // `hosts` must outlive it; they have not run yet.
  StationarityWatch(const EarlyEndSpec& spec, SimHosts& hosts);

  // When to look next.
  [[nodiscard]] Picoseconds due() const { return due_; }
  // The fabric has run until due(). True when the trial is to end here; a job of iterations is told
  // to end by itself instead.
  bool take();
  // The trial ended at `end`.
  [[nodiscard]] EarlyEndOutcome finish(Picoseconds end) const;

  // Length of an observation of time.
  static constexpr Picoseconds kInterval = microseconds(20);

 private:
  void readTime();
  void readIterations();
  // Sum and number of all samples so far.
  struct Total {
    double sum = 0;
    std::uint64_t count = 0;
  };
  [[nodiscard]] Total messages() const;

  EarlyEndSpec spec_;
  SimHosts& hosts_;
  stats::StationaryMean series_;
  Picoseconds due_;
  std::uint64_t payload_ = 0;  // at the last look
  Total messages_;
  std::size_t iterations_ = 0;
  bool stationary_ = false;
  stats::BatchMeans means_;  // where it became so
};

}  // namespace plumbline::bench
