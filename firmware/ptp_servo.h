// From pairs of timestamps to a rate of the card's time, in whole numbers.
//
// Three phases. First the rate between the two clocks is measured, as the median of differences
// between Syncs that lie half the window apart; then the path's delay, as the median of exchanges;
// then time is stepped, if it is off by more than kStepPs, and the rate follows the offset by a
// proportional and integral controller (critically damped, natural frequency 4 rad/s from 16 Syncs
// a second on, a quarter of a radian for each Sync below). From there on time never steps.
//
// Offset: own time less the master's, which a symmetric path is assumed for; half of an asymmetry
// is an error that nothing here can see.
#pragma once

#include <stdint.h>

namespace plumbline::firmware::ptp {

// What is to be done after a Sync.
struct Action {
  bool set_rate = false;
  int64_t step_ps = 0;  // 0: none
};

inline int64_t magnitude(int64_t value) { return value < 0 ? -value : value; }

// Times 2^shift, rounded down.
inline int64_t scaled(int64_t value, int32_t shift) {
  return shift < 0 ? value >> -shift : value * (int64_t{1} << shift);
}

// Of `count` values, which it sorts.
inline int64_t median(int64_t* values, uint32_t count) {
  for (uint32_t i = 1; i < count; ++i) {
    const int64_t value = values[i];
    uint32_t place = i;
    for (; place > 0 && values[place - 1] > value; --place) values[place] = values[place - 1];
    values[place] = value;
  }
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

inline uint32_t squareRoot(uint64_t value) {
  uint64_t root = 0;
  for (uint64_t bit = uint64_t{1} << 31; bit != 0; bit >>= 1) {
    if ((root | bit) * (root | bit) <= value) root |= bit;
  }
  return static_cast<uint32_t>(root);
}

class Servo {
 public:
  enum class Phase : uint8_t { kRate, kDelay, kTrack };

  static constexpr int32_t kMinLog = -7;  // of Sync intervals, log2 of seconds
  static constexpr int32_t kMaxLog = 4;
  static constexpr int64_t kMaxRate = 500'000'000;  // 1e-12
  static constexpr int64_t kStepPs = 1'000'000;

  // Begins anew. The present rate is kept: it is where the measuring starts from. `has_delay`: the
  // path's delay is measured, else it is zero (pulse per second).
  void start(int32_t log_interval, bool has_delay) {
    log_ = log_interval < kMinLog ? kMinLog : log_interval > kMaxLog ? kMaxLog : log_interval;
    has_delay_ = has_delay;
    delay_ps_ = 0;
    delay_variance_ = 0;
    beginPhase(Phase::kRate);
  }

  // Own time `own` [ps] when the master's was `master`, the path's delay included in it.
  Action sync(uint64_t master, uint64_t own) {
    const auto difference = static_cast<int64_t>(own - master);
    last_difference_ = difference;
    switch (phase_) {
      case Phase::kRate:
        return measureRate(master, difference);
      case Phase::kDelay:
        keep(difference);
        return {};
      default:
        return track(difference);
    }
  }

  // The other way: the master's time `master` when own time was `own` at the start of the path.
  Action delay(uint64_t own, uint64_t master) {
    if (phase_ == Phase::kRate || !has_delay_) return {};
    const int64_t sample = (last_difference_ + static_cast<int64_t>(master - own)) / 2;
    delays_[delay_count_ % kDelays] = sample;
    ++delay_count_;
    const uint32_t count = delay_count_ < kDelays ? delay_count_ : kDelays;
    int64_t sorted[kDelays];
    for (uint32_t i = 0; i < count; ++i) sorted[i] = delays_[i];
    delay_ps_ = median(sorted, count);
    average(delay_variance_, square(sample - delay_ps_), kDelayShare);
    if (phase_ == Phase::kDelay && delay_count_ >= kFirstDelays) return beginTracking();
    return {};
  }

  // The master is gone: the rate without the last offset's share, to be set.
  void hold() {
    if (phase_ == Phase::kTrack) rate_ = bounded(scaled(integral_, -kIntegralBits));
  }

  [[nodiscard]] Phase phase() const { return phase_; }
  // The rate to be set, in 1e-12; negative: own time is slowed down.
  [[nodiscard]] int32_t rate() const { return static_cast<int32_t>(rate_); }
  // Mean of the offset lately.
  [[nodiscard]] int64_t offsetPs() const { return mean_ >> kMeanBits; }
  [[nodiscard]] int64_t delayPs() const { return delay_ps_; }
  [[nodiscard]] uint32_t outliers() const { return outliers_; }
  // It tracks for long enough, and offsets are small.
  [[nodiscard]] bool locked() const {
    return phase_ == Phase::kTrack && tracked_ >= kLockSyncs && deviation_ < kLockPs;
  }
  // Standard uncertainty of the offset from the spread of what is measured, an asymmetric path not
  // included: noise that the controller lets through, that of the delay, and the mean offset.
  [[nodiscard]] uint32_t uncertaintyPs() const {
    const uint64_t passed = (variance_ * 5) >> (log_ <= kFastLog ? -log_ : -kFastLog);
    const uint32_t kept = delay_count_ < kDelays ? delay_count_ : kDelays;
    // The variance of a median is that of the mean times pi/2.
    const uint64_t of_delay = kept == 0 ? 0 : delay_variance_ * 11 / 7 / kept;
    return squareRoot(passed + of_delay + square(offsetPs()));
  }

 private:
  static constexpr uint32_t kWindow = 32;
  static constexpr uint32_t kMinWindow = 8;
  static constexpr uint32_t kDelays = 16;
  static constexpr uint32_t kFirstDelays = 8;
  static constexpr uint32_t kRecent = 8;
  static constexpr int32_t kFastLog = -4;
  static constexpr int32_t kIntegralBits = 8;
  static constexpr int32_t kMeanBits = 8;
  static constexpr int32_t kShare = 5;       // averages take 1/32 of a new value
  static constexpr int32_t kDelayShare = 4;  // 1/16
  static constexpr int64_t kFirstDeviation = 50'000;
  static constexpr uint32_t kMaxOutliers = 16;
  static constexpr uint32_t kLockSyncs = 32;
  static constexpr int64_t kLockPs = 200'000;

  static uint64_t square(int64_t value) {
    constexpr int64_t kMost = 1'000'000'000;  // a ms
    const int64_t bounded = magnitude(value) < kMost ? magnitude(value) : kMost;
    return static_cast<uint64_t>(bounded * bounded);
  }
  static void average(uint64_t& mean, uint64_t value, int32_t share) {
    mean = mean - (mean >> share) + (value >> share);
  }

  void beginPhase(Phase phase) {
    phase_ = phase;
    count_ = 0;
    delay_count_ = 0;
    tracked_ = 0;
    rejected_ = 0;
    mean_ = 0;
    deviation_ = kFirstDeviation;
    variance_ = 0;
  }

  void keep(int64_t difference) {
    differences_[count_ % kRecent] = difference;
    ++count_;
  }

  [[nodiscard]] uint32_t window() const {
    if (log_ <= -6) return kWindow;
    return log_ == -5 ? kWindow / 2 : kMinWindow;
  }

  Action measureRate(uint64_t master, int64_t difference) {
    masters_[count_] = master;
    differences_[count_] = difference;
    ++count_;
    if (count_ < window()) return {};
    const uint32_t half = window() / 2;
    int64_t slopes[kWindow / 2];
    for (uint32_t i = 0; i < half; ++i) {
      const auto us = static_cast<int64_t>(masters_[i + half] - masters_[i]) / 1'000'000;
      if (us <= 0) return restart();
      const int64_t gained = differences_[i + half] - differences_[i];
      // Faster or slower by more than all oscillators are: a master that was stepped.
      if (magnitude(gained) / us > kMaxRate / 1'000'000) return restart();
      slopes[i] = gained * 1'000'000 / us;
    }
    rate_ = bounded(rate_ - median(slopes, half));
    integral_ = scaled(rate_, kIntegralBits);
    beginPhase(Phase::kDelay);
    Action action{.set_rate = true};
    if (!has_delay_) {
      keep(difference);
      action.step_ps = beginTracking().step_ps;
    }
    return action;
  }

  Action restart() {
    beginPhase(Phase::kRate);
    return {};
  }

  Action beginTracking() {
    const uint32_t count = count_ < kRecent ? count_ : kRecent;
    if (count == 0) return {};
    const int64_t offset = median(differences_, count) - delay_ps_;
    const uint32_t delays = delay_count_;
    beginPhase(Phase::kTrack);
    delay_count_ = delays;
    Action action;
    if (magnitude(offset) > kStepPs) {
      action.step_ps = -offset;
      last_difference_ -= offset;
    } else {
      deviation_ += magnitude(offset) / 4;  // none of it is an outlier
    }
    return action;
  }

  Action track(int64_t difference) {
    const int64_t offset = difference - delay_ps_;
    if (magnitude(offset) > 5 * deviation_ + kFirstDeviation) {
      ++outliers_;
      if (++rejected_ < kMaxOutliers) return {};
      return restart();
    }
    rejected_ = 0;
    if (tracked_ < kLockSyncs) ++tracked_;
    deviation_ += (magnitude(offset) - deviation_) / (1 << kShare);
    mean_ += (scaled(offset, kMeanBits) - mean_) / (1 << kShare);
    average(variance_, square(offset - offsetPs()), kShare);
    control(offset);
    return {.set_rate = true};
  }

  // With w the natural frequency and T the interval: rate = -2 w offset - sum of w^2 T offset, in
  // ps for a second, which are 1e-12.
  void control(int64_t offset) {
    const int32_t proportional = log_ <= kFastLog ? 3 : -1 - log_;
    const int32_t integral = log_ <= kFastLog ? 4 + log_ : -4 - log_;
    integral_ -= scaled(offset, kIntegralBits + integral);
    const int64_t most = scaled(kMaxRate, kIntegralBits);
    integral_ = integral_ > most ? most : integral_ < -most ? -most : integral_;
    rate_ = bounded(scaled(integral_, -kIntegralBits) - scaled(offset, proportional));
  }

  static int64_t bounded(int64_t rate) {
    return rate > kMaxRate ? kMaxRate : rate < -kMaxRate ? -kMaxRate : rate;
  }

  int32_t log_ = 0;
  bool has_delay_ = true;
  Phase phase_ = Phase::kRate;
  uint32_t count_ = 0;
  uint64_t masters_[kWindow] = {};
  int64_t differences_[kWindow] = {};
  int64_t last_difference_ = 0;
  int64_t delays_[kDelays] = {};
  uint32_t delay_count_ = 0;
  int64_t delay_ps_ = 0;
  uint64_t delay_variance_ = 0;
  int64_t rate_ = 0;
  int64_t integral_ = 0;   // 2^-8 of 1e-12
  int64_t mean_ = 0;       // of offsets, 2^-8 ps
  int64_t deviation_ = 0;  // mean magnitude of offsets
  uint64_t variance_ = 0;
  uint32_t tracked_ = 0;
  uint32_t rejected_ = 0;
  uint32_t outliers_ = 0;
};

}  // namespace plumbline::firmware::ptp
