// Whether the trial in hand has begun to measure.
#pragma once

namespace plumbline::bench {

// Lives while a bench prepares a trial for which it waits for others, on the trial's thread: a stop
// that is asked for then ends the trial at once, as there is nothing yet that could be kept.
class TrialBeginning {
 public:
  TrialBeginning();
  ~TrialBeginning();
  TrialBeginning(const TrialBeginning&) = delete;
  TrialBeginning& operator=(const TrialBeginning&) = delete;

  // Whether there is one on this thread.
  [[nodiscard]] static bool lasts();
};

}  // namespace plumbline::bench
