#include "control/clock_offset.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace plumbline::control {
namespace {

// The year 2116. No sum or difference of times up to here, or of offsets between them, overflows.
constexpr std::int64_t kLatest = 1LL << 62U;

bool isTime(std::int64_t time_ns) { return time_ns >= 0 && time_ns <= kLatest; }

bool canHaveBeen(const ClockExchange& e) {
  return isTime(e.sent_ns) && isTime(e.received_ns) && isTime(e.answered_ns) &&
         isTime(e.returned_ns) && e.sent_ns <= e.returned_ns && e.received_ns <= e.answered_ns &&
         std::abs(e.received_ns - e.sent_ns) <= kLatest / 2 &&
         e.answered_ns - e.received_ns <= e.returned_ns - e.sent_ns;
}

std::int64_t roundTrip(const ClockExchange& e) {
  return (e.returned_ns - e.sent_ns) - (e.answered_ns - e.received_ns);
}

ClockEstimate onLine(const ClockEstimate& a, const ClockEstimate& b, std::int64_t at_ns) {
  const double share =
      static_cast<double>(at_ns - a.at_ns) / static_cast<double>(b.at_ns - a.at_ns);
  const auto between = [share](std::int64_t from, std::int64_t until) {
    return from + std::llround(static_cast<double>(until - from) * share);
  };
  return {at_ns, between(a.offset_ns, b.offset_ns),
          between(a.uncertainty_ns, b.uncertainty_ns) + 1};  // 1: both were rounded
}

}  // namespace

std::optional<ClockEstimate> estimateClock(const std::vector<ClockExchange>& exchanges) {
  const ClockExchange* best = nullptr;
  for (const ClockExchange& exchange : exchanges) {
    if (!canHaveBeen(exchange)) continue;
    if (best == nullptr || roundTrip(exchange) < roundTrip(*best)) best = &exchange;
  }
  if (best == nullptr) return std::nullopt;
  // Halves are rounded: 1 ns more covers both.
  return ClockEstimate{
      best->sent_ns + (best->returned_ns - best->sent_ns) / 2,
      (best->received_ns - best->sent_ns) / 2 + (best->answered_ns - best->returned_ns) / 2,
      roundTrip(*best) / 2 + 2};
}

void ClockTrack::add(const ClockEstimate& estimate) {
  if (empty() || estimate.at_ns > latest().at_ns) estimates_.push_back(estimate);
}

ClockEstimate ClockTrack::at(std::int64_t here_ns) const {
  const auto after =
      std::find_if(estimates_.begin(), estimates_.end(),
                   [here_ns](const ClockEstimate& one) { return one.at_ns >= here_ns; });
  if (after == estimates_.end()) return estimates_.back();
  if (after == estimates_.begin() || after->at_ns == here_ns) return *after;
  return onLine(*(after - 1), *after, here_ns);
}

std::optional<ClockDrift> ClockTrack::drift() const {
  if (estimates_.size() < 2) return std::nullopt;
  const ClockEstimate& a = estimates_.front();
  const ClockEstimate& b = estimates_.back();
  const double millionths = static_cast<double>(b.at_ns - a.at_ns) / 1e6;
  return ClockDrift{static_cast<double>(b.offset_ns - a.offset_ns) / millionths,
                    static_cast<double>(a.uncertainty_ns + b.uncertainty_ns) / millionths};
}

std::int64_t ClockTrack::strayedNs() const {
  std::int64_t strayed = 0;
  for (const ClockEstimate& one : estimates_) {
    if (one.at_ns == estimates_.front().at_ns || one.at_ns == estimates_.back().at_ns) continue;
    const ClockEstimate line = onLine(estimates_.front(), estimates_.back(), one.at_ns);
    strayed = std::max(strayed, std::abs(one.offset_ns - line.offset_ns) - one.uncertainty_ns -
                                    line.uncertainty_ns);
  }
  return strayed;
}

}  // namespace plumbline::control
