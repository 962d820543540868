// Whether the current trial has begun to measure.
#pragma once

namespace plumbline::bench {

// Exists on the trial's thread while a bench prepares a trial and waits for other hosts: a stop
// request then ends the trial at once, since there is no result to keep yet.
class TrialBeginning {
 public:
  TrialBeginning();
  ~TrialBeginning();
  TrialBeginning(const TrialBeginning&) = delete;
  TrialBeginning& operator=(const TrialBeginning&) = delete;

  // Whether this thread has such an object.
  [[nodiscard]] static bool lasts();
};

}  // namespace plumbline::bench
