// A serving system on one switch, for tests that compute by hand.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "tests/serving/serving_setup.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {

// Hosts on one switch at 400 Gb/s, 50 ns away each, lossless without marks; step times of
// serving_setup.h: 0.1 ms per prompt token, 2 ms per decode step.
inline scenario::Scenario system(std::uint32_t prefill, std::uint32_t decode) {
  scenario::Scenario scenario;
  scenario.bench = "sim";
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = prefill + decode;
  scenario.topology.link_rate = gigabitsPerSecond(400);
  scenario.switches.latency = nanoseconds(600);
  scenario.switches.forwarding = fabric::Forwarding::kCutThrough;
  scenario.switches.shared_buffer.emplace();
  scenario.switches.pfc.emplace();
  auto& program = scenario.serving.emplace().program;
  program.system = serving::plainSpec();
  program.system.check_every = 0;
  program.system.reaction = microseconds(5);
  program.system.servers.prefill.workers = prefill;
  program.system.servers.decode.workers = decode;
  scenario.parameters.repetitions = 1;
  return scenario;
}

inline double kpiValue(const results::TestResult& result, const std::string& name,
                       const std::string& point) {
  for (const results::Kpi& one : result.kpis) {
    if (one.name == name && one.point == point) return one.quantity.value;
  }
  ADD_FAILURE() << "no " << name << " at " << point;
  return std::nan("");
}

// A message of `bytes` on an idle path, `paths_ns` of propagation and switches: [ms].
inline double wireMs(double bytes, double paths_ns) {
  const double packets = std::ceil(bytes / 4096);
  // Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4; preamble and gap 20 between frames; RETH in
  // the first one, immediate in the last one.
  const double octets = bytes + packets * 62 + (packets - 1) * 20 + 16 + 4;
  return octets * 8 / 400e9 * 1e3 + paths_ns * 1e-6;
}

}  // namespace plumbline::suite
