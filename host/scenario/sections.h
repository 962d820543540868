// The parts of a scenario file, one reader each. They fill `scenario` with all valid values and
// report the others.
#pragma once

#include "scenario/reader.h"
#include "scenario/scenario.h"

namespace plumbline::scenario {

// Values that a key may list.
inline constexpr std::size_t kMaxListed = 64;

// A whole file without a `sweep` section.
void readScenario(const YamlNode& root, const Vocabulary& vocabulary, Scenario& scenario,
                  Problems& problems);

// A file with one: fills scenario.sweep, and the rest with the first point. Every value is checked,
// each with the first values of the other axes.
void readSweep(const YamlNode& root, const Vocabulary& vocabulary, Scenario& scenario,
               Problems& problems);
bool hasSweep(const YamlNode& root);

// `dut:` the device under test, checked by fabric::validate().
void readDut(const YamlNode& node, Scenario& scenario, Problems& problems);

// `endpoint:` what carries messages between ordinary hosts. Needs `bench`.
void readEndpoint(const YamlNode& node, Scenario& scenario, Problems& problems);

// `fpga:` the cards of the bench on tester cards in this host.
void readFpga(const YamlNode& node, Scenario& scenario, Problems& problems);

// `traffic:` Needs the topology for checking host numbers: read after readDut(), with
// `topology_known` = it was valid.
void readTraffic(const YamlNode& node, bool topology_known, Scenario& scenario, Problems& problems);

// `transport:` of the simulated hosts, checked by its validate().
void readTransport(const YamlNode& node, Scenario& scenario, Problems& problems);

// Derives the times of the transport that `node` does not give, from the topology and the placement
// of the jobs: base_rtt and rto of UET, ack_timeout of RC; bench::fitToPath(). After everything
// else, and only in a file without mistakes.
void derivePathTimes(const YamlNode& node, Scenario& scenario, Problems& problems);

// `workload:` of the simulated hosts, checked by its validate(). Needs the topology, as
// readTraffic().
void readWorkload(const YamlNode& node, bool topology_known, Scenario& scenario,
                  Problems& problems);

// `serving:` the serving system of inference tests. Needs the seed, and the topology as
// readTraffic().
void readServing(const YamlNode& node, bool topology_known, Scenario& scenario, Problems& problems);

// `parameters:` Needs topology and link rate, as readTraffic().
void readParameters(const YamlNode& node, bool topology_known, Scenario& scenario,
                    Problems& problems);

// `dut_metrics:` Needs `tests`.
void readDutMetrics(const YamlNode& node, Scenario& scenario, Problems& problems);

// `limits:` Needs `tests`; with an empty list, the tests of a limit are not checked.
void readLimits(const YamlNode& node, const Vocabulary& vocabulary, Scenario& scenario,
                Problems& problems);

}  // namespace plumbline::scenario
