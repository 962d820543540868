// Pairs of hosts that communicate over one service of UET or RoCEv2 (T6.1, T6.2, T6.7).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/trial/trial.h"
#include "suite/framework/fabric_procedure.h"
#include "suite/framework/figures.h"
#include "suite/training/balancing.h"

namespace plumbline::suite {

// Largest number of QPs or PDCs of a pair of hosts in the model.
inline constexpr std::uint32_t kMaxFlowsPerPair = 256;

struct ServicePairs {
  std::string service;  // "RC", "UC", "ROD", "RUD", "RUDI", "UUD"
  Bytes message{std::int64_t{1} << 20};
  std::uint64_t messages = 1;  // of every pair and direction, one after the other
  std::uint32_t pairs = 1;     // from host i to its counterpart half the fabric away
  std::uint32_t flows = 1;     // QPs or PDCs per pair
  workload::FlowUse flow_use = workload::FlowUse::kRoundRobin;
  std::uint32_t outstanding = 1;
  // Interval of messages instead of a number of outstanding ones; 0: none.
  Picoseconds interval{};
  bool bidirectional = false;
  bool sets_up = false;  // QPs and PDCs are set up during the trial, at the cost of withSetup()
};

// The transport with QPs or PDCs that are set up when their first message is posted: as the
// scenario has it, or else RoCEv2's connection management and UET's PDC contexts with their
// defaults.
bench::TransportSpec withSetup(const TestConfig& config, bench::TransportSpec transport);
// The cost of setting up in words, of a transport of withSetup(): "REQ, REP, RTU over the fabric,
// 500 us a step".
std::string setupText(const bench::TransportSpec& transport);
// QPs or PDCs that a host may have at a time, of a transport of withSetup().
struct ConnectionLimit {
  std::uint32_t connections = 0;
  const char* key = "";  // of the scenario
  bool waits = false;    // one beyond waits until another is closed; otherwise it is rejected
};
ConnectionLimit connectionLimit(const bench::TransportSpec& transport);
// Largest number of connections per second that a host can open at this cost; nothing without a
// limit.
std::optional<double> setupLimitPerSecond(const bench::TransportSpec& transport);

// Adds a deviation where the hosts are no even number: hosts of one half send to those of the
// other.
void noteHostWithoutPartner(const TestConfig& config, Numbers& numbers);

// Services that deliver in order use ECMP, others are sprayed.
bench::TrialSpec serviceTrial(const TestConfig& config, const ServicePairs& pairs);
double serviceHops(const TestConfig& config, const ServicePairs& pairs);

}  // namespace plumbline::suite
