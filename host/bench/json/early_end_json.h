// JSON of early_end.h, for trial.cc.
#pragma once

#include "base/json.h"
#include "bench/trial/early_end.h"

namespace plumbline::bench {

nlohmann::json earlyEndToJson(const EarlyEndSpec& spec);
nlohmann::json earlyEndOutcomeToJson(const EarlyEndOutcome& outcome);
// Throws nlohmann::json::exception, or Error(kTester), for JSON that the function above did not
// write.
EarlyEndOutcome earlyEndOutcomeFromJson(const nlohmann::json& json);

}  // namespace plumbline::bench
