// An RDMA device's own counters: read from /sys.
#pragma once

#include <string>
#include <vector>

#include "bench/trial/bench.h"
#include "bench/trial/trial.h"

namespace plumbline::endpoint {

// All counters of a port of an RDMA device ("mlx5_0 port 1 out_of_sequence") and those of the whole
// device ("mana_0 sent_cnps"), sorted by name; empty without any. Files without a number are left
// out.
std::vector<bench::HostCounter> deviceCounters(const std::string& device, unsigned port,
                                               const std::string& root = "/");

// `after` minus `before`, counter by counter. A counter that has decreased was reset and is left
// out.
std::vector<bench::HostCounter> counterDifference(const std::vector<bench::HostCounter>& before,
                                                  const std::vector<bench::HostCounter>& after);

// Figures of bench/sim/nic_figures.h without any of these counters, each with the reason. `driver`
// as in driverOf().
std::vector<bench::Unobserved> uncountedFigures(const std::string& device,
                                                const std::string& driver,
                                                const std::vector<bench::HostCounter>& counters);

}  // namespace plumbline::endpoint
