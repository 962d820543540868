// One iteration of a job.
#pragma once

#include "base/units.h"

namespace plumbline::workload {

// One iteration over all ranks: from the first rank's start to the last one's finish.
struct IterationResult {
  Picoseconds start;
  Picoseconds finish;
  [[nodiscard]] Picoseconds duration() const { return finish - start; }
};

}  // namespace plumbline::workload
