// Pairs of hosts that talk over one service of UET or RoCEv2 (T6.1, T6.2).
#pragma once

#include <cstdint>
#include <string>

#include "bench/trial.h"
#include "suite/fabric_test.h"
#include "suite/figures.h"
#include "suite/training/balancing.h"

namespace plumbline::suite {

struct ServicePairs {
  std::string service;  // "RC", "UC", "ROD", "RUD", "RUDI", "UUD"
  Bytes message{std::int64_t{1} << 20};
  std::uint64_t messages = 1;  // of every pair and direction, one after the other
  std::uint32_t pairs = 1;     // host i to its counterpart half the fabric away
  std::uint32_t flows = 1;     // QPs or PDCs per pair; messages take them in turn
  std::uint32_t outstanding = 1;
  bool bidirectional = false;
};

// Services that deliver in order go by ECMP, others are sprayed.
bench::TrialSpec serviceTrial(const TestConfig& config, const ServicePairs& pairs);
double serviceHops(const TestConfig& config, const ServicePairs& pairs);

}  // namespace plumbline::suite
