// Axes of plots: values, labels and positions of ticks.
#pragma once

#include <string>
#include <vector>

namespace plumbline::report {

struct Tick {
  double value = 0;
  std::string label;  // empty: a mark without text
};

struct Range {
  double low = 0;
  double high = 1;
};

// Multiples of a round step (1, 2 or 5 times a power of ten) within [low, high]: the step nearest
// to `count` intervals, so at most 1.6·count + 1 ticks. Needs low < high and count >= 1.
std::vector<double> roundTicks(double low, double high, int count);

// [low, high] widened to multiples of such a step, with a tick at every multiple. Equal bounds are
// widened too.
struct RoundRange {
  Range range;
  std::vector<double> ticks;
};
RoundRange roundRange(double low, double high, int count);

// Powers of ten within [low, high], at least one on either side of it or on it; every n-th if there
// would be more than `count`. Needs 0 < low <= high.
std::vector<double> decadeTicks(double low, double high, int count);

// The values as labels with the same number of decimals, just enough to distinguish them; from 10^7
// on and below 10^-4 as powers ("10⁻⁵", "2·10⁷").
std::vector<Tick> labelled(const std::vector<double>& values);

// Powers of ten as "0.01", "1", "100", or all as "10⁻⁵" when one of them is below 10^-4 or above
// 10^6.
std::vector<Tick> labelledDecades(const std::vector<double>& decades);

// A mapping of values to pixels.
class Axis {
 public:
  enum class Scale { kLinear, kLog };

  // Values `range.low` and `range.high` are at pixels `from` and `to`. kLog needs range.low > 0.
  Axis(Scale scale, Range range, std::vector<Tick> ticks, double from, double to);

  [[nodiscard]] double pixel(double value) const;
  [[nodiscard]] const std::vector<Tick>& ticks() const { return ticks_; }
  [[nodiscard]] const Range& range() const { return range_; }
  [[nodiscard]] double from() const { return from_; }
  [[nodiscard]] double to() const { return to_; }

  // Removes the labels of ticks that would be closer than `gap` pixels to the previous one;
  // `width_of` gives the pixels of a label along the axis.
  template <typename WidthOf>
  void thinLabels(double gap, WidthOf width_of);

 private:
  [[nodiscard]] double scaled(double value) const;

  Scale scale_;
  Range range_;
  std::vector<Tick> ticks_;
  double from_;
  double to_;
};

template <typename WidthOf>
void Axis::thinLabels(double gap, WidthOf width_of) {
  bool first = true;
  double taken_until = 0;
  for (Tick& tick : ticks_) {
    if (tick.label.empty()) continue;
    // Along the axis, in either direction.
    const double at = to_ >= from_ ? pixel(tick.value) - from_ : from_ - pixel(tick.value);
    const double half = width_of(tick.label) / 2;
    if (!first && at - half < taken_until + gap) {
      tick.label.clear();
      continue;
    }
    first = false;
    taken_until = at + half;
  }
}

}  // namespace plumbline::report
