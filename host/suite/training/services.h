// Pairs of hosts that talk over one service of UET or RoCEv2 (T6.1, T6.2, T6.7).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/trial/trial.h"
#include "suite/framework/fabric_procedure.h"
#include "suite/framework/figures.h"
#include "suite/training/balancing.h"

namespace plumbline::suite {

// QPs or PDCs of a pair of hosts that the model has at most.
inline constexpr std::uint32_t kMostFlowsPerPair = 256;

struct ServicePairs {
  std::string service;  // "RC", "UC", "ROD", "RUD", "RUDI", "UUD"
  Bytes message{std::int64_t{1} << 20};
  std::uint64_t messages = 1;  // of every pair and direction, one after the other
  std::uint32_t pairs = 1;     // host i to its counterpart half the fabric away
  std::uint32_t flows = 1;     // QPs or PDCs per pair
  workload::FlowUse flow_use = workload::FlowUse::kRoundRobin;
  std::uint32_t outstanding = 1;
  // A message every so long instead of so many outstanding; 0: not.
  Picoseconds interval{};
  bool bidirectional = false;
  bool sets_up = false;  // QPs and PDCs are set up in the trial, at the cost of withSetup()
};

// The transport with QPs or PDCs that are set up when their first message is posted: as the
// scenario has it, or else RoCEv2's connection management and UET's PDC contexts with their
// defaults.
bench::TransportSpec withSetup(bench::TransportSpec transport);
// What withSetup() makes of it, in words: "REQ, REP, RTU over the fabric, 500 us a step".
std::string setupText(const bench::TransportSpec& transport);
// Connections that a host can open per second at most by that; nothing where nothing limits it.
std::optional<double> setupLimitPerSecond(const bench::TransportSpec& transport);

// What a message of this size takes on the sender's link: frames of all packets with preamble and
// gap [B]. Acknowledgements are not among it.
std::int64_t wireBytesOf(const bench::TransportSpec& transport, Bytes message);

// Services that deliver in order go by ECMP, others are sprayed.
bench::TrialSpec serviceTrial(const TestConfig& config, const ServicePairs& pairs);
double serviceHops(const TestConfig& config, const ServicePairs& pairs);

}  // namespace plumbline::suite
