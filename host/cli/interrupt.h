// Ctrl-C (and SIGTERM): the first requests a stop after the current trial, the second ends the
// process at once.
#pragma once

namespace plumbline::cli {

// Handles the signals during its lifetime; at most one object at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] bool requested() const;
};

}  // namespace plumbline::cli
