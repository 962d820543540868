// Measures the points of a sweep as a Slurm job array: writes the batch script, submits it, and
// asks what has become of it. Nothing waits: the jobs go on when this process has ended.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "sweep/sweep_directory.h"

namespace plumbline::sweep {

// The batch script. The task number of the array is the number of the point; what a task prints
// goes to the point's log. A worker that is killed is started again, three times at most. Throws
// Error(kUsage) for a directory whose name Slurm would read as something else.
std::string slurmScript(const SweepDirectory& directory);

// "1-3,7" with at most `at_a_time` of them at a time, or as many as there is room for when it is 0:
// what sbatch takes as --array. `points` count from 0, ascending.
std::string slurmArray(const std::vector<std::size_t>& points, std::size_t at_a_time);

// Points that tasks of earlier submissions wait for or have in hand. Throws Error(kTester) when
// Slurm does not answer.
std::set<std::size_t> slurmPending(const SweepDirectory& directory);

struct SlurmSubmission {
  std::string job;                  // empty: there was nothing to submit
  std::vector<std::size_t> points;  // of the job
};

// Submits a job array for every point that is neither done nor pending, and notes the job in the
// directory. Throws Error(kTester) when Slurm refuses it, with what it said, and Error(kUsage) when
// there is no Slurm.
SlurmSubmission submitToSlurm(const SweepDirectory& directory, std::size_t at_a_time);

}  // namespace plumbline::sweep
