#include "suite/framework/bench_clock.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "stats/uncertainty.h"
#include "suite/framework/profile.h"

namespace plumbline::suite {
namespace {

// Picoseconds of a unit of time.
double picosecondsOf(const std::string& unit) {
  if (unit == "ps") return 1;
  if (unit == "ns") return 1e3;
  if (unit == "us") return 1e6;
  return unit == "ms" ? 1e9 : 1e12;
}

struct ClockPart {
  std::string source;
  double standard_ps = 0;
};

}  // namespace

Picoseconds BenchClock::offsetOf(kpi::Basis basis) const {
  switch (basis) {
    case kpi::Basis::kTimeAcross:
      return bench_.clock_offset;
    case kpi::Basis::kTimeOneWay:
      return bench_.latency_offset;
    default:
      return {};
  }
}

std::optional<std::vector<results::SystematicPart>> BenchClock::partsOf(
    const results::Quantity& quantity, kpi::Basis basis, std::optional<Picoseconds> window) const {
  if (quantity.observed == ObservationPoint::kDutReported) return std::nullopt;
  std::vector<results::SystematicPart> parts;
  if (basis == kpi::Basis::kCounts) return parts;

  // A modelled figure has the simulation's clock, independent of the bench's own.
  const bool modelled = quantity.observed == ObservationPoint::kModelled;
  const Picoseconds resolution = modelled ? Picoseconds(1) : bench_.timestamp_resolution;
  const auto ps = [](Picoseconds time) { return static_cast<double>(time.count()); };
  std::vector<ClockPart> clock{
      {"timestamp resolution " + durationText(resolution), stats::ofTwoReadings(ps(resolution))}};
  if (!modelled && bench_.clock_reading > Picoseconds(0)) {
    clock.push_back({"reading the clock, up to " + durationText(bench_.clock_reading),
                     stats::ofBound(ps(bench_.clock_reading))});
  }
  const Picoseconds offset = offsetOf(basis);
  if (!modelled && offset > Picoseconds(0)) {
    clock.push_back(
        {"offset between clocks, up to " + durationText(offset), stats::ofBound(ps(offset))});
  }

  double per_picosecond = 1;  // of the quantity's unit
  std::string over;
  if (basis != kpi::Basis::kTimes) {
    per_picosecond = 1 / picosecondsOf(quantity.unit);
  } else {
    if (!window) return std::nullopt;
    // A difference from 100 % or from 1 has the uncertainty of the ratio itself, of two times.
    const double whole = quantity.unit == "%" ? 100 : quantity.unit.empty() ? 1 : 0;
    const double times = whole > 0 ? std::sqrt(2.0) : 1;
    per_picosecond = times * (std::abs(quantity.value) + whole) / ps(*window);
    over = " over " + roundedTimeText(*window) + " or more";
  }
  parts.reserve(clock.size() + 1);
  for (ClockPart& part : clock) {
    parts.push_back({part.source + over, part.standard_ps * per_picosecond});
  }
  // Percentages and ratios are of times or rates of one clock.
  const bool ratio = quantity.unit == "%" || quantity.unit.empty();
  if (!modelled && !ratio && bench_.clock_rate > 0) {
    parts.push_back({fmt::format("rate of the clock, within {:.6g} ppm", 1e6 * bench_.clock_rate),
                     stats::ofBound(std::abs(quantity.value) * bench_.clock_rate)});
  }
  return parts;
}

}  // namespace plumbline::suite
