// The zero-loss throughput of one point: what T5.1 reports and T5.2 loads the DUT with. Both ask
// for the same trials, so that a run of both measures them once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suite/procedure.h"
#include "suite/profile.h"
#include "suite/result_builder.h"
#include "suite/trials.h"

namespace plumbline::suite {

struct ThroughputPoint {
  SizePoint size;
  std::uint32_t qps = 1;
  scenario::Direction direction = scenario::Direction::kUnidirectional;

  [[nodiscard]] std::string label() const;  // "1024 B, 4 QPs, bidirectional"
};

struct ThroughputOutcome {
  // Highest step (of Settings::rate_steps) without loss, one per valid repetition; 0 when frames
  // were lost at every rate.
  std::vector<std::uint64_t> steps;
  // Every repetition gave an answer.
  bool valid = true;
  // Per repetition that found a rate: the trial at it.
  std::vector<bench::TrialResult> trials;
};

// The trial of one step.
bench::TrialSpec throughputTrial(const TestConfig& config, const Settings& settings,
                                 const ThroughputPoint& point, std::uint64_t step,
                                 std::uint32_t repetition);

// Searches `repetitions` times (RFC 2544 section 26.1: no frame lost). The first search begins at
// line rate and bisects; the others begin where the first ended. Trials that are not valid are
// noted in `builder` and end their repetition without a result.
ThroughputOutcome findThroughput(const TestConfig& config, const Settings& settings,
                                 const ThroughputPoint& point, std::uint32_t repetitions,
                                 TrialRunner& runner, ResultBuilder& builder);

// What such a search is expected to come to.
struct ThroughputForecast {
  std::uint64_t trials = 0;  // as Plan::trials_expected counts them
  double at_line_rate = 0;   // the frames of all of them, in trials at line rate
  double share = 1;          // of line rate: what it finds
};

// Of a simulated DUT by what it carries, else the most that a search can need.
ThroughputForecast forecastThroughput(const TestConfig& config, const Settings& settings,
                                      const ThroughputPoint& point, std::uint32_t repetitions);

}  // namespace plumbline::suite
