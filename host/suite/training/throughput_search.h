// The zero-loss throughput of one point: the result of T5.1 and the load of T5.2. Both use the same
// trials, so that a run of both measures them once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suite/framework/profile.h"
#include "suite/framework/result_builder.h"
#include "suite/framework/trials.h"
#include "suite/procedure.h"

namespace plumbline::suite {

struct ThroughputPoint {
  SizePoint size;
  std::uint32_t qps = 1;
  scenario::Direction direction = scenario::Direction::kUnidirectional;

  [[nodiscard]] std::string label() const;  // "1024 B, 4 QPs, bidirectional"
};

// What limited a search.
enum class ThroughputLimit {
  kNone,  // line rate passed
  kLoss,  // frames were lost
  kHeld,  // no loss, but PFC held senders back, so that the rate was not offered
};

struct ThroughputOutcome {
  // Highest step (of Settings::rate_steps) without loss, one per valid repetition; 0 when frames
  // were lost at every rate.
  std::vector<std::uint64_t> steps;
  // Whether every repetition found a result.
  bool valid = true;
  // Per repetition that found a rate: the trial at it.
  std::vector<bench::TrialResult> trials;
  // For the first repetition: why the step above the found one failed, and the share of its frames
  // that the slowest sender sent in time at that step (1 unless kHeld).
  ThroughputLimit limit = ThroughputLimit::kNone;
  double sent_in_time = 1;
};

// The trial of one step.
bench::TrialSpec throughputTrial(const TestConfig& config, const Settings& settings,
                                 const ThroughputPoint& point, std::uint64_t step,
                                 std::uint32_t repetition);

// Share of its frames that a sender may lack in a trial that passes: the accuracy of the frame rate
// that the training draft requires of a generator ("Minimum Measurement Accuracy Requirements").
inline constexpr double kRateTolerance = 0.001;

// Searches `repetitions` times (RFC 2544 section 26.1). A step passes when no frame is lost and
// every sender sent its frames in time, within kRateTolerance. The first search begins at line rate
// and bisects; the others begin where the first ended. Invalid trials are noted in `builder` and
// end their repetition without a result.
ThroughputOutcome findThroughput(const TestConfig& config, const Settings& settings,
                                 const ThroughputPoint& point, std::uint32_t repetitions,
                                 TrialRunner& runner, ResultBuilder& builder);

// The rate of a step that passed [% of line rate], although it may be lower by the share
// `tolerance`, caused by `tolerance_of` ("offered rate"). The true rate is between that and the
// next step; at line rate there is no next step.
Reading percentOfStep(std::uint64_t step, std::uint32_t steps, double tolerance,
                      const std::string& tolerance_of);

// Expected cost and result of such a search.
struct ThroughputForecast {
  std::uint64_t trials = 0;  // as Plan::trials_expected counts them
  double at_line_rate = 0;   // frames of all of them, in trials at line rate
  double share = 1;          // expected result, share of line rate
};

// For a simulated DUT by its capacity, otherwise the maximum that a search can need.
ThroughputForecast forecastThroughput(const TestConfig& config, const Settings& settings,
                                      const ThroughputPoint& point, std::uint32_t repetitions);

}  // namespace plumbline::suite
