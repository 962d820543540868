// Checks of the tester itself: known traffic over a bare link and over one that drops, duplicates
// and delays by script. Every counter has one correct value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/trial/bench.h"

namespace plumbline::cli {

struct Check {
  std::string what;
  std::string expected;
  std::string found;
  bool passed = false;
};

// Two ports at line rate with the smallest frames, in both directions: no loss, no late frames,
// latency that of the link within one timestamp step.
std::vector<Check> checkLoopback(bench::Bench& bench);

// One frame dropped, one duplicated, one delayed: each counted exactly.
std::vector<Check> checkAccounting(bench::Bench& bench);

// True when all passed and there was at least one.
bool allPassed(const std::vector<Check>& checks);

}  // namespace plumbline::cli
