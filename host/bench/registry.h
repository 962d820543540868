// The benches of this build by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/units.h"
#include "bench/bench.h"

namespace plumbline::bench {

struct BenchOptions {
  std::string trace_fst;  // waveform of the card's simulation; empty = none
  // sim: rate of the hosts' links of the scenario, and threads of one simulation.
  BitRate line_rate = gigabitsPerSecond(100);
  unsigned threads = 1;
};

struct BenchInfo {
  std::string name;
  std::string description;  // one line
};

// Benches that makeBench() knows. The RTL bench is there when the build has PLUMBLINE_CARD_SIM.
const std::vector<BenchInfo>& benches();

// Makes a bench; nothing is simulated before its first trial. Throws Error(kUsage) for a name that
// no bench has, naming those there are.
std::unique_ptr<Bench> makeBench(const std::string& name, const BenchOptions& options);

}  // namespace plumbline::bench
