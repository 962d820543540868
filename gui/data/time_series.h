// SPDX-License-Identifier: GPL-3.0-or-later
// A quantity over time, in bounded memory.
#pragma once

#include <cstddef>
#include <vector>

namespace plumbline::gui {

// When it is full, every second point is dropped: the resolution halves, the span stays.
class TimeSeries {
 public:
  static constexpr std::size_t kMaxPoints = 16'384;

  void add(double time, double value);
  void clear();
  [[nodiscard]] const std::vector<double>& times() const { return times_; }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }

 private:
  std::vector<double> times_;
  std::vector<double> values_;
  std::size_t stride_ = 1;  // one in this many points is kept
  std::size_t skipped_ = 0;
};

}  // namespace plumbline::gui
