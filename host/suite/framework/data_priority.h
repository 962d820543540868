// What the switches of a DUT do for the priority that a trial's data has.
#pragma once

#include "bench/trial/trial.h"

namespace plumbline::suite {

unsigned dataPriority(const bench::TransportSpec& transport);

// Whether PFC or CBFC holds senders of the priority back before its packets are lost.
bool holdsSendersBack(const fabric::SwitchSpec& switches, unsigned priority);

// The ECN rule for packets of the priority; nullptr where they are not marked.
const fabric::EcnSpec* markingOf(const fabric::SwitchSpec& switches, unsigned priority);

}  // namespace plumbline::suite
