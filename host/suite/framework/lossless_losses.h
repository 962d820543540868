// Losses where PFC or CBFC guarantee none: an anomaly of any test's result.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "bench/trial/trial.h"
#include "results/test_result.h"

namespace plumbline::suite {

// Collects them over the trials of a test.
class LosslessLosses {
 public:
  // For a trial on a simulated DUT, counts packets that were dropped because an input's headroom
  // was full; packets that a PFC watchdog dropped, unless the trial injects a pause storm; and
  // timeouts of endpoints with lossless data, unless the trial itself injects losses or pauses or
  // packets were dropped for other reasons. Losses by failed links, bit errors and scripts are not
  // counted, as PFC cannot prevent them. `where` names the trial.
  void add(const bench::TrialSpec& spec, const bench::TrialResult& trial, const std::string& where);

  // Number, place and likely reason of the losses; nothing without any.
  [[nodiscard]] std::optional<results::Anomaly> anomaly() const;

 private:
  std::uint64_t headroom_full_ = 0;  // packets
  std::uint64_t watchdog_ = 0;       // packets
  std::uint64_t timeouts_ = 0;
  std::uint64_t trials_ = 0;                    // with any of these
  std::map<std::string, std::uint64_t> links_;  // packets without headroom, by egress link
  std::string first_;                           // trial
  std::string reason_;                          // of the first with a full headroom
};

}  // namespace plumbline::suite
