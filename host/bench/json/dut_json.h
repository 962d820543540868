// The device under test in a trial's key.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "fabric/spec/fabric_spec.h"

namespace plumbline::bench {

// Canonical: equal objects mean equal devices. Fields that the kind of topology does not have are
// left out, and so are fields that earlier versions did not model, while they have their defaults:
// results stored by earlier versions are still found.
nlohmann::json dutToJson(const fabric::FabricSpec& dut);

// The word of a load balancer in scenarios: "ecmp", "spray-random".
std::string_view loadBalancingName(fabric::LoadBalancingKind kind);

}  // namespace plumbline::bench
