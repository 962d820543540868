// Rates of the two traffic classes of I8.3 over time, and when they have settled.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "bench/trial/samples.h"

namespace plumbline::suite {

// Samples per rate.
inline constexpr std::int64_t kClassWindow = 10;
inline constexpr double kClassTolerance = 0.05;  // of the steady rate

// Payload received per second over all flows of a class [Gb/s]: entry i is over the kClassWindow
// samples up to the end of sample i, or over fewer at the beginning.
struct ClassRates {
  Picoseconds step;        // from one entry to the next
  std::vector<double> kv;  // flows from hosts with an even number
  std::vector<double> ep;  // the others
};
ClassRates classRates(const bench::Samples& samples);

struct ClassSettling {
  // Means over the last third of the time since the joining [Gb/s].
  double kv_gbps = 0;
  double ep_gbps = 0;
  // From the joining to the beginning of the first window after which both rates stay within the
  // tolerance of these; nothing if that is not before the last third.
  std::optional<Picoseconds> settled;
};
// Nothing where a rate of the last third is over time before the joining as well.
std::optional<ClassSettling> settlingOf(const ClassRates& rates, Picoseconds joining);

}  // namespace plumbline::suite
