// Progress of a test's trials, and the remaining time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace plumbline::session {

class RemainingTime {
 public:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  RemainingTime() = default;
  // `expected`: trials of the plan; a search may need fewer.
  explicit RemainingTime(std::uint64_t expected) : expected_(expected) {}

  // Stored trials take no time and do not count in the estimate.
  void endTrial(bool stored) {
    ++done_;
    if (stored) ++stored_;
  }

  [[nodiscard]] std::uint64_t done() const { return done_; }
  [[nodiscard]] std::uint64_t stored() const { return stored_; }
  [[nodiscard]] std::uint64_t expected() const { return std::max(done_, expected_); }
  [[nodiscard]] Seconds elapsed() const { return Clock::now() - began_; }
  // Time until the test's end, when `share` of the current trial is done; unknown before a trial
  // has been measured, and when none is left.
  [[nodiscard]] std::optional<Seconds> left(double share) const {
    const double measured = static_cast<double>(done_ - stored_) + share;
    const double left = static_cast<double>(expected_ - std::min(done_, expected_)) - share;
    if (measured < 1 || left <= 0) return std::nullopt;
    return elapsed() / measured * left;
  }

 private:
  std::uint64_t expected_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t stored_ = 0;
  Clock::time_point began_ = Clock::now();
};

}  // namespace plumbline::session
