// Trials of the profile `standard` on simulated hosts end when their main figure is stationary,
// instead of after the draft's duration (bench/trial/early_end.h). Which figure, a test says where
// it makes its trials; what came of it is told here, the same for all tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/trial/trial.h"
#include "suite/framework/fabric_procedure.h"
#include "suite/framework/reading.h"

namespace plumbline::suite {

// Whether trials may end early: in the profile `standard`, on a bench whose time goes by packets,
// unless the scenario gives a duration or a number of iterations, which is then kept.
bool mayEndEarly(const TestConfig& config);

// The rule: within 0.5 % with 95 % confidence. `largest_quantile`: of those that the test reports
// and that the draft's own duration has samples for (10 / (1 - q)); 0: none.
bench::EarlyEndSpec earlyEnd(bench::WatchedFigure figure, double largest_quantile);

// Iterations of a job that `spec` is expected to run: all that it may, or as many as its early end
// is expected after. `steady`: iterations hardly differ, so that the fewest are enough.
std::uint32_t expectedIterations(const bench::TrialSpec& spec, bool steady);

// The least iterations that the first job of any of these trials has; of a trial that was
// fast-forwarded, those that it stands for. At least one trial.
std::uint32_t fewestIterations(const std::vector<Measured>& measured);

// A figure in proportion, or inverse proportion, to the mean that the trial's early end watches,
// with the interval of its batch means: relative half-widths are equal. Just the value of a trial
// without one, and where all batches were equal.
Reading withBatches(const bench::TrialResult& trial, double value);

// Says in `builder` which rule ended the trials, what they reached and how many did not meet it:
// one line of the configuration, and a deviation from the draft. Nothing without such trials.
void noteEarlyEnds(const std::vector<Measured>& measured, ResultBuilder& builder);

}  // namespace plumbline::suite
