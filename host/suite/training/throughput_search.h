// The zero-loss throughput of one point: what T5.1 reports and T5.2 loads the DUT with. Both ask
// for the same trials, so that a run of both measures them once.
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

// What stops a search from going higher.
enum class ThroughputLimit {
  kNone,  // line rate passed
  kLoss,  // frames were lost
  kHeld,  // none was lost, but PFC held senders back: the rate was not offered
};

struct ThroughputOutcome {
  // Highest step (of Settings::rate_steps) without loss, one per valid repetition; 0 when frames
  // were lost at every rate.
  std::vector<std::uint64_t> steps;
  // Every repetition gave an answer.
  bool valid = true;
  // Per repetition that found a rate: the trial at it.
  std::vector<bench::TrialResult> trials;
  // Of the first repetition: why the step above the one found did not pass, and how much of what it
  // was to send the slowest sender sent in time at that step (1 unless kHeld).
  ThroughputLimit limit = ThroughputLimit::kNone;
  double sent_in_time = 1;
};

// The trial of one step.
bench::TrialSpec throughputTrial(const TestConfig& config, const Settings& settings,
                                 const ThroughputPoint& point, std::uint64_t step,
                                 std::uint32_t repetition);

// Frames that a sender may be short of in a trial that passes: the accuracy of the frame rate that
// the training draft asks of a generator ("Minimum Measurement Accuracy Requirements").
inline constexpr double kRateTolerance = 0.001;

// Frames that never arrived, of all streams. A receiver that follows sequence numbers takes a frame
// for lost until it comes, and one that comes later than its window reaches stays lost and is
// counted as stale: with several queue pairs on paths of different length that is reordering, not
// loss.
std::uint64_t framesLost(const bench::TrialResult& trial);

// Searches `repetitions` times (RFC 2544 section 26.1). A step passes when no frame is lost and
// every sender sent in time what it was to send, within kRateTolerance. The first search begins at
// line rate and bisects; the others begin where the first ended. Trials that are not valid are
// noted in `builder` and end their repetition without a result.
ThroughputOutcome findThroughput(const TestConfig& config, const Settings& settings,
                                 const ThroughputPoint& point, std::uint32_t repetitions,
                                 TrialRunner& runner, ResultBuilder& builder);

// The rate of a step that passed [% of line rate], of which senders may be short by the share
// `tolerance`. The true one is between it and the next step; at line rate there is none.
Reading percentOfStep(std::uint64_t step, std::uint32_t steps, double tolerance = 0);

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
