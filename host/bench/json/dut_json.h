// The device under test as it stands in a trial's key.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "fabric/spec/fabric_spec.h"

namespace plumbline::bench {

// Canonical: equal objects mean equal devices. What a topology of this kind does not have is left
// out, and so is everything that was not modelled in earlier versions and is as it was then, so
// that results stored by them are still found.
nlohmann::json dutToJson(const fabric::FabricSpec& dut);

// The word of a load balancer, as scenarios have it: "ecmp", "spray-random".
std::string_view loadBalancingName(fabric::LoadBalancingKind kind);

}  // namespace plumbline::bench
