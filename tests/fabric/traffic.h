// What the fabric's tests share: specs in one line, random traffic, and a log of what came out.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "fabric/engine/fabric.h"
#include "fabric/spec/fabric_spec.h"

namespace plumbline::fabric::testing {

// At 100 Gb/s, the rate of every fabric in these tests: written out, not taken from the code.
inline constexpr std::int64_t kBytePs = 80;

// Duration of `bytes` at 100 Gb/s.
constexpr Picoseconds bytesTime(std::int64_t bytes) { return Picoseconds(bytes * kBytePs); }

// What a spec has if it does not say otherwise: the delay of a host's cable, and of a switch.
inline constexpr Picoseconds kHostDelay = nanoseconds(50);
inline constexpr Picoseconds kLatency = nanoseconds(600);

// The frame of most tests [bytes], its time on a wire, and the same with preamble and gap.
inline constexpr std::uint32_t kLength = 1'024;
inline constexpr Picoseconds kSerialization = bytesTime(kLength);
inline constexpr Picoseconds kSlot = bytesTime(kLength + 20);

FabricSpec linkSpec();
FabricSpec switchSpec(std::uint32_t hosts);
FabricSpec closSpec(std::uint32_t leaves, std::uint32_t spines, std::uint32_t hosts_per_leaf);

// A packet of `length` bytes to `to`, told apart by `cookie`; each (from, to) is a flow.
Packet packetTo(HostId from, HostId to, std::uint32_t length, std::uint64_t cookie = 0);

struct Sending {
  HostId from = 0;
  Packet packet;
  Picoseconds first_bit;
};

// Frames of random length (64 to 9216 bytes), destination and distance from `hosts` hosts, at
// `load_percent` of line rate on average (at least back to back), in order of time. Cookies number
// them from 0.
std::vector<Sending> randomTraffic(std::uint32_t hosts, std::uint32_t frames_per_host,
                                   std::uint32_t load_percent, std::uint64_t seed);

struct Delivery {
  HostId to = 0;
  std::uint64_t cookie = 0;
  std::uint32_t length = 0;
  Picoseconds time;

  friend bool operator==(const Delivery&, const Delivery&) = default;
};

struct Loss {
  std::uint64_t cookie = 0;
  std::uint32_t length = 0;
  Picoseconds time;
  DropReason reason = DropReason::kBufferFull;

  friend bool operator==(const Loss&, const Loss&) = default;
};

// Everything that came out of a fabric, in the order in which its observers were called.
struct Log {
  std::vector<Delivery> deliveries;
  std::vector<Loss> losses;

  // Observes `fabric`; the log must outlive it.
  void watch(Fabric& fabric);

  friend bool operator==(const Log&, const Log&) = default;
};

// Sends everything, runs until nothing moves, and returns the log.
Log runAll(const FabricSpec& spec, const std::vector<Sending>& traffic);
// The same on a fabric the test keeps.
Log runAll(Fabric& fabric, const std::vector<Sending>& traffic);
// Runs until nothing moves.
void drain(Fabric& fabric);

}  // namespace plumbline::fabric::testing
