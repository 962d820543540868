// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/data/stretches.h"

#include <algorithm>
#include <cmath>

namespace plumbline::gui {

Stretches::Stretches(double until, std::size_t max) {
  if (!(until > 0) || !std::isfinite(until) || max == 0) return;
  const double min = until / static_cast<double>(max);
  const double power = std::pow(10, std::floor(std::log10(min)));
  length = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= min * (1 - 1e-9)) length = factor * power;
  }
  for (std::size_t i = 0; begin(i) < until * (1 - 1e-9); ++i) {
    const double left = std::min(length, until - begin(i));
    if (i == 0 || left >= length / 2) covered.push_back(left);
  }
}

std::size_t Stretches::placeOf(double time) const {
  if (!(time >= 0) || length <= 0) return size();
  const double place = std::floor(time / length);
  return place < static_cast<double>(size()) ? static_cast<std::size_t>(place) : size();
}

std::vector<double> growthOf(const TimeSeries& total, const Stretches& stretches) {
  std::vector<double> growth(stretches.size(), 0.0);
  double before = 0;  // time
  double reached = 0;
  for (std::size_t i = 0; i < total.times().size(); ++i) {
    const double time = total.times()[i];
    const double grown = total.values()[i] - reached;
    if (time > before && grown > 0) {
      for (std::size_t k = stretches.placeOf(before); k < stretches.size(); ++k) {
        const double from = std::max(before, stretches.begin(k));
        const double to = std::min(time, stretches.begin(k) + stretches.length);
        if (from >= time) break;
        growth[k] += grown * (to - from) / (time - before);
      }
    }
    before = time;
    reached = total.values()[i];
  }
  return growth;
}

}  // namespace plumbline::gui
