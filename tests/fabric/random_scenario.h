// Random small scenarios that touch every model of the fabric, and everything that comes out of
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/engine/fabric.h"
#include "fabric/spec/fabric_spec.h"
#include "tests/fabric/harness.h"

namespace plumbline::fabric::testing {

// Plain data: the same scenario can be run any number of times.
struct Scenario {
  enum class HostKind { kTester, kEndpoint };
  struct Send {
    HostId host;
    Packet packet;
    Picoseconds first_bit;
  };
  struct Pause {
    HostId host;
    PriorityMask enabled;
    PriorityMask xoff;
    std::uint16_t quanta;
    Picoseconds first_bit;
  };

  FabricSpec spec;
  std::vector<HostKind> hosts;
  std::vector<Send> sends;    // of testers' ports, by host in order of time
  std::vector<Pause> pauses;  // of testers' ports that send no frames
  std::uint64_t endpoint_seed = 0;
  std::uint32_t frames_each = 0;  // of an endpoint
  // Endpoints send most of their frames to host 0, at one of these priorities, if any; what host 0
  // sends is as otherwise.
  PriorityMask incast = 0;
  // Endpoints send at these priorities only, if any, and so many frames at a time, if not 0.
  PriorityMask only = 0;
  std::uint32_t window = 0;
  Picoseconds until;
};

Scenario randomScenario(std::uint64_t seed);

// The same with links so long, credits and PAUSE frames repeated and watchdogs polling so often,
// that within one window a departure or a pause sets a timer going which is due in that window.
Scenario randomScenarioOfLongLinks(std::uint64_t seed);

// The same with PFC and more frames for host 0 than it can take, in switches that often have room
// for all that is not lossless.
Scenario randomIncast(std::uint64_t seed);

// The same with so many frames under way that a window brings an output a group of them, mostly of
// two priorities, in switches where nothing hinders them but their buffers and thresholds, which
// many of them never meet.
Scenario randomCrowd(std::uint64_t seed);

// What a run showed. Deliveries at testers' ports, PAUSE frames there and arrivals at endpoints are
// kept as records as well (node = host, value = what tells them apart).
struct Outcome {
  std::vector<Record> records;
  std::vector<Record> deliveries;
  std::vector<Record> pauses;
  std::vector<Record> arrivals;
  std::vector<std::uint64_t> counters;
};

// Nothing if they are the same, else the first difference.
std::string difference(const Outcome& a, const Outcome& b);

// Also checks conservation. `steps` is in how many parts time is advanced, `interests` what records
// are asked for.
Outcome runScenario(const Scenario& scenario, const RunOptions& options, int steps = 1,
                    std::uint32_t interests = kEveryKind);

}  // namespace plumbline::fabric::testing
