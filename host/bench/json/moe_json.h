// The results of mixtures of experts as JSON.
#pragma once

#include "base/json.h"
#include "workload/moe_result.h"

namespace plumbline::bench {

nlohmann::json moeToJson(const workload::MoeResult& moe);
// Throws nlohmann's exceptions for any other JSON.
workload::MoeResult moeFromJson(const nlohmann::json& json);

}  // namespace plumbline::bench
