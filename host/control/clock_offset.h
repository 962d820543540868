// Offset of another machine's clock from this one's, from exchanges of messages, as in NTP. All
// times are nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace plumbline::control {

// One time request and its answer. The first and the last time are from this machine's clock, the
// other two from the other one's.
struct ClockExchange {
  std::int64_t sent_ns = 0;
  std::int64_t received_ns = 0;
  std::int64_t answered_ns = 0;
  std::int64_t returned_ns = 0;
};

// The other clock is ahead by `offset_ns`. The error is at most `uncertainty_ns`: half the round
// trip, however it is divided between both ways.
struct ClockEstimate {
  std::int64_t at_ns = 0;  // this machine's clock
  std::int64_t offset_ns = 0;
  std::int64_t uncertainty_ns = 0;
};

// From the exchange with the shortest round trip. Impossible exchanges (an answer before its
// request, times out of range) are ignored; nothing when none is left. Any input is allowed: the
// other side is not trusted.
std::optional<ClockEstimate> estimateClock(const std::vector<ClockExchange>& exchanges);

// Parts per million by which the other clock is faster, and the error bound.
struct ClockDrift {
  double ppm = 0;
  double uncertainty_ppm = 0;
};

// Estimates over time. Between two of them a clock is assumed to run evenly.
class ClockTrack {
 public:
  // Must be later than all before; otherwise it is ignored.
  void add(const ClockEstimate& estimate);

  [[nodiscard]] bool empty() const { return estimates_.empty(); }
  [[nodiscard]] const ClockEstimate& latest() const { return estimates_.back(); }

  // Interpolated between the estimates before and after `here_ns`; outside of all, the nearest one.
  // Only when not empty().
  [[nodiscard]] ClockEstimate at(std::int64_t here_ns) const;
  // Over the time from the first estimate to the last; nothing with fewer than two.
  [[nodiscard]] std::optional<ClockDrift> drift() const;
  // Largest distance of the estimates from the line between first and last, beyond their
  // uncertainties: above 0 the clock was set or did not run evenly.
  [[nodiscard]] std::int64_t strayedNs() const;

 private:
  std::vector<ClockEstimate> estimates_;
};

}  // namespace plumbline::control
