// The hosts' transport in a trial's key.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <variant>

#include "transport/roce/roce_spec.h"
#include "transport/uet/uet_spec.h"

namespace plumbline::bench {

// The transport of the simulated hosts.
using TransportSpec = std::variant<transport::RoceSpec, transport::UetSpec>;

// Canonical: equal objects mean equal transports. Parameters of a part that is switched off (DCQCN,
// NSCC, receiver credit) are left out.
nlohmann::json transportToJson(const TransportSpec& transport);

}  // namespace plumbline::bench
