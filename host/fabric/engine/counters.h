// Counters of one end of a link.
#pragma once

#include <array>
#include <cstdint>

#include "base/units.h"
#include "fabric/engine/packet.h"

namespace plumbline::fabric {

// A MAC control frame (PAUSE, CC_Update) on the wire [bytes].
inline constexpr std::int64_t kControlFrameBytes = 64;

// Of one sending port: an egress port of a switch, or a host. Observation point: modelled.
struct LinkCounters {
  std::uint64_t packets = 0;  // put on the wire, MAC control and LLR replays not included
  std::uint64_t bytes = 0;    // of these
  std::uint64_t control = 0;  // PAUSE frames put on the wire
  std::array<std::uint64_t, kDropReasons> drops{};  // by DropReason
  std::uint64_t marked = 0;                         // frames that got CE here
  std::uint64_t trimmed = 0;
  std::uint64_t max_queue_bytes = 0;    // all priorities, the frame in transmission included
  std::uint64_t xoff_received = 0;      // pauses that took effect, refreshes included
  std::uint64_t pauses = 0;             // begun
  std::array<Picoseconds, 8> paused{};  // time, by priority
  std::uint64_t xoff_sent = 0;          // towards the far end of this link, refreshes included
  std::uint64_t watchdog_events = 0;
  std::uint64_t damaged = 0;         // frames sent with a bit error
  std::uint64_t replayed = 0;        // frames sent again by LLR
  std::uint64_t replayed_bytes = 0;  // of these
  std::uint64_t retries = 0;         // damaged frames that LLR got through
  Picoseconds retry_total;           // sum and maximum of their retry latencies
  Picoseconds retry_max;
  std::uint64_t nacks = 0;             // sent because of damaged frames; LLR only
  std::uint64_t nacks_lost = 0;        // of these, on their way back
  std::uint64_t inits = 0;             // sent because LLR gave frames up, repetitions included
  std::uint64_t consumed_updates = 0;  // CC_Update frames put on the wire
  std::int64_t credits_in_use = 0;     // CBFC, all channels, at this moment

  // Put on the wire, LLR replays not included.
  [[nodiscard]] std::uint64_t frames() const { return packets + control + consumed_updates; }
  // Everything sent on the wire: frames of every kind, replays included, each with preamble and
  // gap. (CF_Updates replace idles and occupy no time.) A frame counts completely from its first
  // bit on: see Onwards.
  [[nodiscard]] std::uint64_t wireBytes() const {
    return bytes + replayed_bytes +
           (control + consumed_updates) * static_cast<std::uint64_t>(kControlFrameBytes) +
           (frames() + replayed) * static_cast<std::uint64_t>(kWireOverheadBytes.count());
  }
  [[nodiscard]] std::uint64_t dropped() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : drops) sum += count;
    return sum;
  }
  [[nodiscard]] std::uint64_t dropsBy(DropReason reason) const {
    return drops[static_cast<std::size_t>(reason)];
  }
};

// The part of a link's counters that has not been sent yet at the time of a reading: the rest of
// the frame in transmission.
struct UnsentRest {
  Picoseconds wire;         // for which the wire is still occupied, preamble and gap included
  std::uint64_t bytes = 0;  // of LinkCounters::bytes that have not left yet
};

// Time for which the frames of `counters` occupied the wire, up to the reading.
inline double wireSeconds(const LinkCounters& counters, const UnsentRest& unsentRest,
                          BitRate rate) {
  return static_cast<double>(counters.wireBytes()) * 8 / static_cast<double>(rate.bitsPerSecond()) -
         unsentRest.wire.toSeconds();
}

// Counters of the sending end of a link.
struct LinkReading {
  // As Fabric::linkCounters(), but for max_queue_bytes and credits_in_use; valid until the fabric
  // runs.
  const LinkCounters& counters;
  // The longest queue [bytes] since the last reading, the present one included; 0 for a host.
  std::uint64_t queue_peak = 0;
  UnsentRest unsentRest;
};

}  // namespace plumbline::fabric
