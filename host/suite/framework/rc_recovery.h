// Selects the loss recovery of RoCEv2 RC: one rule for every test on simulated hosts.
#pragma once

#include <string>

#include "bench/trial/trial.h"

namespace plumbline::suite {

// Switches that spray packets reorder every flow, and an RC receiver that discards early packets
// (go-back-N) would cause most of it to be retransmitted. NICs for such fabrics keep early packets.
// So where the switches of `spec` spray and its hosts use RC with go-back-N, recovery becomes
// selective repeat with a reorder tolerance of half the packets that a receiver keeps. All else is
// unchanged: a scenario with selective repeat keeps its own tolerance; flowlets and ECMP keep
// go-back-N, as do fabrics with one path between any two hosts. Idempotent.
void chooseRecovery(bench::TrialSpec& spec);

// "go-back-N"; "selective repeat, reorder tolerance 512 packets".
std::string recoveryText(const transport::RoceSpec& roce);

}  // namespace plumbline::suite
