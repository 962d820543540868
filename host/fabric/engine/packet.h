// What travels the simulated fabric, and why it may end there.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace plumbline::fabric {

using HostId = std::uint32_t;

// What switches and endpoints need to know of a frame: 40 bytes, by value, no pointer. Switches
// read the first 12 bytes and write `length` (trimming), `ce`, `trimmed*`, `priority` (of a trimmed
// frame) and `hops`; everything else belongs to the endpoints, which agree on its meaning by
// `opcode`.
struct Packet {
  std::uint16_t destination = 0;  // host
  std::uint16_t source = 0;       // host
  // Hash of the fields that ECMP hashes (5-tuple, so also of the entropy value in the UDP source
  // port): packets of equal hash between two hosts take one path.
  std::uint32_t flow_hash = 0;
  std::uint16_t length = 0;  // frame bytes including FCS
  std::uint8_t priority : 3 = 0;
  bool ect : 1 = false;
  bool ce : 1 = false;
  bool trimmable : 1 = false;
  bool trimmed : 1 = false;           // its payload was cut off
  bool trimmed_last_hop : 1 = false;  // by the switch that the destination is connected to
  std::uint8_t opcode = 0;            // the endpoints' (transport/opcode.h)
  std::uint32_t connection : 24 = 0;  // destination QP or PDC
  std::uint32_t hops : 8 = 0;         // switches it was forwarded by
  std::uint32_t psn = 0;
  std::uint32_t aux = 0;
  std::uint64_t stamp = 0;
  std::uint64_t extra = 0;
};
static_assert(sizeof(Packet) == 40);

// Why a packet ended inside the fabric.
enum class DropReason : std::uint8_t {
  kBufferFull,    // no room in its output queue (static or dynamic threshold, or whole buffer)
  kHeadroomFull,  // lossless, and the headroom of its input was used up
  kTrimmedFull,   // trimmed, and no room in the queue of trimmed packets
  kScripted,      // an impairment said so
  kLinkDown,      // on a link (or towards a switch) that was down
  kNoRoute,       // no path to its destination
  kCorrupt,       // bit error on a link without retry: bad FCS
  kWatchdog,      // its queue was being discarded by the PFC watchdog
  kReplays,       // LLR gave it up after as many replays as it may make
  kAge,           // LLR gave it up because what it held was too old
};
inline constexpr std::uint32_t kDropReasons = 10;

// A bit per priority 0..7.
using PriorityMask = std::uint8_t;

// Later than all events.
inline constexpr Picoseconds kNever{INT64_MAX};

// By-value min and max for the per-packet path: the references that std::min() and std::max()
// return would force the times into memory.
constexpr Picoseconds earlier(Picoseconds a, Picoseconds b) {
  return Picoseconds(a.count() < b.count() ? a.count() : b.count());
}
constexpr Picoseconds later(Picoseconds a, Picoseconds b) {
  return Picoseconds(a.count() < b.count() ? b.count() : a.count());
}

}  // namespace plumbline::fabric
