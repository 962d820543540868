// How far another machine's clock is from this one's, from exchanges of messages, as NTP does it.
// All times are nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace plumbline::control {

// One question for the time and its answer. The first and the last are this machine's clock, the
// other two the other one's.
struct ClockExchange {
  std::int64_t sent_ns = 0;
  std::int64_t received_ns = 0;
  std::int64_t answered_ns = 0;
  std::int64_t returned_ns = 0;
};

// The other clock shows `offset_ns` more than this one. The truth is at most `uncertainty_ns` away:
// however the round trip was divided between both ways, it is no longer than that twice.
struct ClockEstimate {
  std::int64_t at_ns = 0;  // this machine's clock
  std::int64_t offset_ns = 0;
  std::int64_t uncertainty_ns = 0;
};

// From the exchange of the shortest round trip. Exchanges that cannot have been (an answer before
// its question, times no clock shows) do not count; nothing when none is left. The times may be
// any: the other side is not trusted.
std::optional<ClockEstimate> estimateClock(const std::vector<ClockExchange>& exchanges);

// Parts per million by which the other clock is faster, and how far from it the truth may be.
struct ClockDrift {
  double ppm = 0;
  double uncertainty_ppm = 0;
};

// Estimates over time. Between two of them a clock is taken to run evenly.
class ClockTrack {
 public:
  // Later than those before it, or it is left out.
  void add(const ClockEstimate& estimate);

  [[nodiscard]] bool empty() const { return estimates_.empty(); }
  [[nodiscard]] const ClockEstimate& latest() const { return estimates_.back(); }

  // On the line between the estimates before and after `here_ns`; outside of all, the nearest one.
  // Only when not empty().
  [[nodiscard]] ClockEstimate at(std::int64_t here_ns) const;
  // Over the time from the first estimate to the last; nothing where there is no such time.
  [[nodiscard]] std::optional<ClockDrift> drift() const;
  // How far the estimates between first and last are off the line between those two, beyond what
  // their uncertainties allow: more than 0 means that the clock was set or did not run evenly.
  [[nodiscard]] std::int64_t strayedNs() const;

 private:
  std::vector<ClockEstimate> estimates_;
};

}  // namespace plumbline::control
