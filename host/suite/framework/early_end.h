// Trials of the profile `standard` on simulated hosts end when their main figure is stationary,
// instead of after the draft's duration (bench/trial/early_end.h). Each test selects the figure
// with its trials; the outcome is reported here, the same for all tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/trial/trial.h"
#include "suite/framework/fabric_procedure.h"
#include "suite/framework/reading.h"

namespace plumbline::suite {

// Whether trials may end early: in the profile `standard`, on a bench whose cost depends on
// packets, unless the scenario gives a duration or a number of iterations, which is then kept.
bool mayEndEarly(const TestConfig& config);

// The rule: within 0.5 % with 95 % confidence. `largest_quantile`: the largest reported quantile
// for which the draft's own duration has enough samples (10 / (1 - q)); 0: none.
bench::EarlyEndSpec earlyEnd(bench::WatchedFigure figure, double largest_quantile);

// Iterations of a job that `spec` is expected to run: its maximum, or the number after which it is
// expected to end early. `steady`: iterations hardly differ, so that the smallest number is enough.
std::uint32_t expectedIterations(const bench::TrialSpec& spec, bool steady);

// The smallest number of iterations of the first job over these trials; for a fast-forwarded trial,
// the number that it represents. At least one trial.
std::uint32_t minIterationsToEnd(const std::vector<Measured>& measured);

// A figure proportional, or inversely proportional, to the mean that the trial's early end watches,
// with the interval of its batch means: relative half-widths are equal. The value alone for a trial
// without an early end, or with equal batches.
Reading withBatches(const bench::TrialResult& trial, double value);

// Reports in `builder` the rule that ended the trials, the accuracy reached and the number of
// trials that missed it: one line of the configuration, and a deviation from the draft. Nothing
// without such trials.
void noteEarlyEnds(const std::vector<Measured>& measured, ResultBuilder& builder);

}  // namespace plumbline::suite
