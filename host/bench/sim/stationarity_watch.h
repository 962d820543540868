// Watches the main figure of a running trial and decides when it is stationary.
#pragma once

#include <cstdint>

#include "bench/sim/sim_hosts.h"
#include "bench/trial/early_end.h"
#include "stats/stationarity.h"

namespace plumbline::bench {

// Reads the simulated hosts between two steps of the fabric, at simulated times that depend on
// earlier readings only: the trial ends at the same picosecond with any number of threads and any
// window length. Goodput and message times are read at the end of each cell of the series, which
// grows with the trial; iterations at least every 64th of the elapsed time.
class StationarityWatch {
 public:
  // `hosts` must outlive it; they have not run yet.
  StationarityWatch(const EarlyEndSpec& spec, SimHosts& hosts);

  // Time of the next reading.
  [[nodiscard]] Picoseconds due() const { return due_; }
  // The fabric has run until due(). True when the trial is to end here; a job of iterations is
  // stopped after its current iteration instead.
  bool take();
  // The trial ended at `end`.
  [[nodiscard]] EarlyEndOutcome finish(Picoseconds end) const;

  // Length of an observation in time.
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
