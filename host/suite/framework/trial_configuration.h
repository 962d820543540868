// The trials' settings of switches and simulated NICs, as lines of a result's configuration: the
// values used, rather than those in the scenario.
#pragma once

#include <vector>

#include "suite/framework/fabric_procedure.h"
#include "suite/framework/switch_configuration.h"

namespace plumbline::suite {

// The NIC of a simulated host, one line for the transport and one for RoCEv2's congestion control:
// MTU, recovery, acknowledgement, timeouts, priorities.
void addNicConfiguration(const bench::TransportSpec& transport, ConfigurationLines& lines);

// Lines of addSwitchConfiguration() and addNicConfiguration() for all `points`. Where points differ
// their settings are listed; of more than four only the number. Names that `lines` already has are
// left as they are.
void addTrialConfiguration(const std::vector<SweepPoint>& points, ConfigurationLines& lines);

}  // namespace plumbline::suite
