// What the trials of a sweep set on switches and on simulated NICs, as lines of a result's
// configuration: what was used, rather than what the scenario says.
#pragma once

#include <vector>

#include "suite/framework/fabric_procedure.h"
#include "suite/framework/switch_configuration.h"

namespace plumbline::suite {

// The NIC of a simulated host, one line for the transport and one for RoCEv2's congestion control:
// MTU, recovery, acknowledgement, timeouts, priorities.
void addNicConfiguration(const bench::TransportSpec& transport, ConfigurationLines& lines);

// Lines of addSwitchConfiguration() and addNicConfiguration() for all `points`. Where points differ
// the settings follow each other; of more than four, only their number is told. Names that `lines`
// has already are left as they are.
void addTrialConfiguration(const std::vector<SweepPoint>& points, ConfigurationLines& lines);

}  // namespace plumbline::suite
