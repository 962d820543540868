// The numbers of a test: from the profile, replaced by the scenario's. `standard` has those of the
// drafts; the report lists every number that differs from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "results/test_result.h"
#include "scenario/scenario.h"
#include "suite/framework/frame_size.h"
#include "suite/procedure.h"

namespace plumbline::suite {

enum class TestId { kThroughput, kLatency, kBurst };

// Sweeps and durations of one test. Members that a test does not use are empty or zero.
struct Settings {
  std::vector<SizePoint> sizes;
  bool message_sizes = true;  // the sizes are messages, not frames
  std::vector<std::uint32_t> qps;
  std::vector<scenario::Direction> directions;
  std::uint32_t repetitions = 1;
  Picoseconds duration;                      // of one trial at a constant load
  Picoseconds drain;                         // wait for residual frames, at most
  std::uint32_t rate_steps = 0;              // throughput search: line rate / resolution
  std::vector<Fraction> loads;               // latency under load, besides the throughput rate
  std::vector<std::uint32_t> incast_ratios;  // burst
  std::uint32_t max_burst = 0;               // burst: longest tried [frames]
};

// The settings of `test`: its profile with the scenario's own numbers. Incast ratios of a profile
// are those for which the DUT and the bench have ports, and the largest such ratio.
Settings settingsFor(TestId test, const TestConfig& config);

// Differences of `settings` from the drafts' numbers, which are those of the standard profile, and
// deviations of this tester that do not depend on the profile.
std::vector<results::Deviation> deviations(TestId test, const Settings& settings,
                                           const TestConfig& config);

// A buffer hides an overload that cannot fill it within a short trial: the rate without loss may
// exceed the DUT's sustained rate by as much.
struct HiddenOverload {
  double share = 0;  // of line rate, at most
  std::string text;  // for the report
};

// That of `test` if it exceeds the resolution of the throughput search; nothing otherwise, and for
// a DUT of unknown buffer size.
std::optional<HiddenOverload> hiddenOverload(TestId test, const Settings& settings,
                                             const TestConfig& config);

// Whether frames belong to queue pairs or to packet delivery contexts, which a test can have many
// of; plain UDP frames, RUDI and UUD do not.
bool hasQueuePairs(bench::Transport transport);

// Steps of a search over line rate that this resolution asks for.
std::uint32_t rateSteps(Fraction resolution);

// "60 s", "200 us": without rounding.
std::string durationText(Picoseconds duration);
// "10.49 us": rounded to four digits, for times that nobody configured.
std::string roundedTimeText(Picoseconds time);
// "50 %", without trailing zeros.
std::string percentText(Fraction fraction);
std::string directionText(scenario::Direction direction);

}  // namespace plumbline::suite
