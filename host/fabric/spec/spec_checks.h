// The parts of validate() beyond the ranges of single fields (spec_fields.h), and what they share.
// Every check throws Error(kUsage) with the field's name as its place and a remedy that begins with
// "allowed: ".
#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"
#include "fabric/spec/fabric_spec.h"
#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// Bounds that keep every time far from the end of its type; no real fabric is near them.
inline constexpr Picoseconds kMaxDelay = seconds(1);
inline constexpr Picoseconds kMaxTime = seconds(1'000'000);
inline constexpr Bytes kMinBuffer{64};
inline constexpr Bytes kMaxBuffer{std::int64_t{1} << 40};

[[noreturn]] void refuse(const std::string& what, const std::string& field,
                         const std::string& allowed);

void checkCount(std::int64_t value, std::int64_t low, std::int64_t high, const std::string& field);
void checkBytes(Bytes value, Bytes low, Bytes high, const std::string& field);
void checkTime(Picoseconds value, Picoseconds low, Picoseconds high, const std::string& field);

// topology_spec.cc: everything buildTopology() relies on.
void checkTopology(const TopologySpec& topology);
// switch_spec.cc; `max_ports` is that of the switch that has most.
void checkSwitches(const SwitchSpec& switches, std::uint32_t max_ports);

}  // namespace plumbline::fabric
