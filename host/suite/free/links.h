// Every link of a fabric, and every port that paused.
#pragma once

#include "bench/trial/trial.h"
#include "suite/framework/result_builder.h"

namespace plumbline::suite {

// Two tables of what `trial` on `dut` saw: all directions of all cables, busiest first, and the
// sending ports that were paused, longest first. A report shows the first of each; the result has
// them all.
void addLinks(const fabric::FabricSpec& dut, const bench::TrialResult& trial,
              ResultBuilder& builder);

}  // namespace plumbline::suite
