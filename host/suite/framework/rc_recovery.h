// Which loss recovery RoCEv2 RC uses: one rule for every test on simulated hosts.
#pragma once

#include <string>

#include "bench/trial/trial.h"

namespace plumbline::suite {

// Switches that spray packets reorder every flow, and an RC receiver that discards what comes early
// (go-back-N) would send most of it again. A NIC for such a fabric keeps early packets. So where
// the switches of `spec` spray and its hosts speak RC with go-back-N, recovery becomes selective
// repeat with a reorder tolerance of half the packets that a receiver keeps. Everything else stays
// as it is: a scenario that asks for selective repeat keeps its own tolerance, flowlets and ECMP
// keep go-back-N. Calling it again changes nothing.
void chooseRecovery(bench::TrialSpec& spec);

// "go-back-N"; "selective repeat, reorder tolerance 512 packets".
std::string recoveryText(const transport::RoceSpec& roce);

}  // namespace plumbline::suite
