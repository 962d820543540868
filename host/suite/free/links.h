// Every link of a fabric, and every port that paused.
#pragma once

#include "bench/trial/trial.h"
#include "suite/framework/result_builder.h"

namespace plumbline::suite {

// Adds two tables of `trial` on `dut`: all directions of all cables, busiest first, and the paused
// sending ports, longest pause first. A report shows the first rows; the result has them all.
void addLinks(const fabric::FabricSpec& dut, const bench::TrialResult& trial,
              ResultBuilder& builder);

}  // namespace plumbline::suite
