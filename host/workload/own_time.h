// How long a job lasts by its own times.
#pragma once

#include <cstdint>

#include "workload/workload_spec.h"

namespace plumbline::workload {

// Whether it posts messages for as long as the trial lasts.
bool isEndless(const JobSpec& job);

// Time from a trial's beginning to the job's end [s] for what its program waits for: start, phases,
// intervals, computing; messages take no time. Infinite for a job without end. Of what is drawn at
// random more than it will ever be: ten times the mean of exponential intervals, the most of
// others.
double ownSeconds(const JobSpec& job);

}  // namespace plumbline::workload
