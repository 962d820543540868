// Ctrl-C (and SIGTERM): the first asks to stop after the trial in hand, the second ends the process
// at once.
#pragma once

namespace plumbline::cli {

// Handles the signals while it lives; at most one at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] bool requested() const;
};

}  // namespace plumbline::cli
