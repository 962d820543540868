// Longest time of a trial.
#pragma once

#include <optional>
#include <string>

#include "bench/trial/trial.h"

namespace plumbline::bench {

// Why the trial would last longer than kLatestTime; nothing when it has a duration or its jobs are
// short enough.
std::optional<std::string> timeRefusalOf(const TrialSpec& spec);

}  // namespace plumbline::bench
