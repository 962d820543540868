// Measures the points of a sweep as a Slurm job array: writes the batch script, submits it, and
// queries its state. Nothing blocks: the jobs continue after this process has ended.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "sweep/sweep_directory.h"

namespace plumbline::sweep {

// The batch script. The task number of the array is the number of the point; a task's output goes
// to the point's log. A killed worker is restarted, three times at most. Throws Error(kUsage) for a
// directory whose name Slurm would interpret.
std::string slurmScript(const SweepDirectory& directory);

// "1-3,7" with at most `at_a_time` of them at a time, or without a limit when it is 0: the value of
// sbatch's --array. `points` count from 0, ascending.
std::string slurmArray(const std::vector<std::size_t>& points, std::size_t at_a_time);

// Points of pending or running tasks of earlier submissions. Throws Error(kTester) when Slurm does
// not answer.
std::set<std::size_t> slurmPending(const SweepDirectory& directory);

struct SlurmSubmission {
  std::string job;                  // empty: nothing to submit
  std::vector<std::size_t> points;  // of the job
};

// Submits a job array for every point that is neither done nor pending, and records the job in the
// directory. Throws Error(kTester) with Slurm's message when it refuses, and Error(kUsage) without
// Slurm.
SlurmSubmission submitToSlurm(const SweepDirectory& directory, std::size_t at_a_time);

}  // namespace plumbline::sweep
