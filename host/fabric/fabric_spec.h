// What a simulated device under test is made of: plain data, filled from a scenario.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace plumbline::fabric {

enum class TopologyKind {
  kLink,          // two hosts, one bare link between them; no switch
  kSingleSwitch,  // `hosts` hosts on one switch
  kClos2,         // `leaves` × `spines`, `hosts_per_leaf` hosts on each leaf (topology A)
};

struct TopologySpec {
  TopologyKind kind = TopologyKind::kSingleSwitch;
  std::uint32_t hosts = 2;           // kSingleSwitch
  std::uint32_t leaves = 2;          // kClos2
  std::uint32_t spines = 2;          // kClos2
  std::uint32_t hosts_per_leaf = 2;  // kClos2
  BitRate link_rate = gigabitsPerSecond(100);
  Picoseconds host_link_delay = nanoseconds(50);     // propagation, > 0
  Picoseconds fabric_link_delay = nanoseconds(250);  // propagation, > 0

  // Number of host ports; at most 2^32 - 1, whatever the fields say.
  [[nodiscard]] std::uint32_t hostCount() const;
};

enum class Forwarding { kStoreAndForward, kCutThrough };

struct SwitchSpec {
  Bytes buffer_per_port{1'000'000};  // of each output queue; a frame that does not fit is dropped
  Picoseconds latency = nanoseconds(600);  // > 0; first bit in (cut-through) or last bit in (store
                                           // and forward) to first bit out of an idle switch
  Forwarding forwarding = Forwarding::kStoreAndForward;
};

enum class ImpairmentKind { kDrop, kDuplicate, kDelay };

// A scripted misbehaviour: acts on the `frame`-th frame (from 0) that is sent into the fabric by
// `host`; at most one per frame. Duplicate puts a copy right behind the frame, delay holds the
// frame back by `delay`, so that later ones overtake it. Used to prove the tester's own accounting.
struct Impairment {
  ImpairmentKind kind = ImpairmentKind::kDrop;
  std::uint32_t host = 0;
  std::uint64_t frame = 0;
  Picoseconds delay{};  // kDelay only, > 0
};

struct FabricSpec {
  TopologySpec topology;
  SwitchSpec switches;
  std::vector<Impairment> impairments;
  std::uint64_t seed = 1;

  // Number of host ports the topology has.
  [[nodiscard]] std::uint32_t hostCount() const;
};

// Most host ports a topology may have.
inline constexpr std::uint32_t kMaxHosts = 8192;
// Most switches on either tier of kClos2.
inline constexpr std::uint32_t kMaxSwitchesPerTier = 1024;

// Throws Error(kUsage) for the first field of `spec` that is out of its range; `where` is the
// field's name ("topology.leaves"), the remedy says what is allowed.
void validate(const FabricSpec& spec);

}  // namespace plumbline::fabric
