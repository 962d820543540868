// The clocks of a bench as a source of systematic uncertainty.
#pragma once

#include <optional>
#include <vector>

#include "base/units.h"
#include "bench/trial/bench.h"
#include "kpi/kpi.h"
#include "results/test_result.h"

namespace plumbline::suite {

class BenchClock {
 public:
  explicit BenchClock(const bench::Capabilities& bench) : bench_(bench) {}

  // Uncertainty of a figure from the clocks. None for counts. For a time: the resolution of both
  // its timestamps; for endpoint software also the time of reading the clock; across clocks and
  // from port to port also the difference of the two ports' clocks. For a rate or a ratio of times:
  // the same relative to `window`, the time over which it is computed. Times and rates also have
  // the deviation of the clock's rate. Absent where it is unknown: for the DUT's own figures, and
  // for a rate without a window.
  [[nodiscard]] std::optional<std::vector<results::SystematicPart>> partsOf(
      const results::Quantity& quantity, kpi::Basis basis, std::optional<Picoseconds> window) const;

 private:
  [[nodiscard]] Picoseconds offsetOf(kpi::Basis basis) const;

  const bench::Capabilities& bench_;
};

}  // namespace plumbline::suite
