// JSON of link-level retry in a trial and its result (card_parts.h).
#pragma once

#include "base/json.h"
#include "bench/trial/card_parts.h"

namespace plumbline::bench {

nlohmann::json linkRetryJson(const LinkRetrySpec& spec);
nlohmann::json linkRetryResultJson(const LinkRetryOutcome& outcome);
// Throws nlohmann::json::exception or Error(kTester) for JSON that linkRetryResultJson() did not
// write.
LinkRetryOutcome linkRetryResultFromJson(const nlohmann::json& json);

}  // namespace plumbline::bench
