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

  // What the clocks make of a figure: nothing of counts; of a time the resolution of both its
  // timestamps, of endpoint software also what reading the clock adds, and of a time across clocks
  // how far those of two ports differ; of a rate or a ratio of times the same in proportion to
  // `window`, the time that it is over. Absent where it is not known: of the DUT's own figures, and
  // of a rate without a window.
  [[nodiscard]] std::optional<std::vector<results::SystematicPart>> partsOf(
      const results::Quantity& quantity, kpi::Basis basis, std::optional<Picoseconds> window) const;

 private:
  const bench::Capabilities& bench_;
};

}  // namespace plumbline::suite
