// The numbers of a test: from the profile, replaced by what the scenario says. `standard` has those
// of the drafts; every number that differs from it is listed in the report.
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

// What one test sweeps and for how long. Members that a test does not use are empty or zero.
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

// What the scenario asks of `test`: its profile with the scenario's own numbers in place. Incast
// ratios of a profile are those that the DUT and the bench have ports for, and the largest of
// these.
Settings settingsFor(TestId test, const TestConfig& config);

// Where `settings` differ from the drafts' numbers, which are those of the standard profile, and
// what this tester does otherwise than the drafts whatever the profile.
std::vector<results::Deviation> deviations(TestId test, const Settings& settings,
                                           const TestConfig& config);

// A buffer hides an overload that a trial is too short to fill it with: what passes without loss
// may lie above what the DUT sustains. Says by how much when that is more than the throughput
// search resolves; nothing otherwise, and for a DUT whose buffer is not known.
std::optional<std::string> hiddenOverload(TestId test, const Settings& settings,
                                          const TestConfig& config);

// "60 s", "200 us": without rounding.
std::string durationText(Picoseconds duration);
// "50 %", without trailing zeros.
std::string percentText(Fraction fraction);
std::string directionText(scenario::Direction direction);

}  // namespace plumbline::suite
