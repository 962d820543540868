// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/data/time_series.h"

namespace plumbline::gui {

void TimeSeries::add(double time, double value) {
  if (++skipped_ < stride_) return;
  skipped_ = 0;
  if (times_.size() == kMaxPoints) {
    for (std::size_t i = 0; i < kMaxPoints / 2; ++i) {
      times_[i] = times_[2 * i + 1];
      values_[i] = values_[2 * i + 1];
    }
    times_.resize(kMaxPoints / 2);
    values_.resize(kMaxPoints / 2);
    stride_ *= 2;
  }
  times_.push_back(time);
  values_.push_back(value);
}

void TimeSeries::clear() { *this = TimeSeries(); }

}  // namespace plumbline::gui
