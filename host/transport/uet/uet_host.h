// What the sending and the receiving half of a UET endpoint share: parameters, counters, timers and
// the queue of control packets.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/paged_memory.h"
#include "base/random.h"
#include "base/units.h"
#include "fabric/engine/packet.h"
#include "fabric/engine/ring.h"
#include "transport/endpoint_stats.h"
#include "transport/latency_counts.h"
#include "transport/protocol.h"
#include "transport/uet/uet_spec.h"
#include "transport/uet/uet_wire.h"

namespace plumbline::transport {

// Counters of a UET endpoint beyond EndpointStats. Observation point: endpoint software (modelled).
struct UetStats {
  std::uint64_t pdcs_opened = 0;       // as initiator
  std::uint64_t pdcs_established = 0;  // of these, answered by their target
  std::uint64_t pdcs_closed = 0;       // by CLOSE_CMD and its ACK
  std::uint64_t pdcs_failed = 0;
  std::uint64_t max_open = 0;  // as initiator, at a time
  std::uint64_t targets_opened = 0;
  std::uint64_t max_open_targets = 0;
  std::uint64_t targets_refused = 0;  // NACK NO_PDC_AVAIL sent
  Picoseconds setup_total{};          // first packet sent to first ACK, over pdcs_established
  Picoseconds setup_max{};
  std::uint64_t acks_sent = 0;  // ACK, ACK_CC and RUDI responses
  std::uint64_t nacks_sent = 0;
  std::uint64_t credits_sent = 0;  // CREDIT control packets
  std::uint64_t gap_losses = 0;    // packets inferred lost from later acknowledgements
};

enum class UetTimer : std::uint8_t {
  kRetransmission,  // of a PDC
  kNoPdcRetry,      // of a PDC
  kStart,           // of a PDC that waits for an id
  kCredit,          // of a congestion control context
  kTargetExpiry,    // of a target
};

// Timers are never cancelled: the handler checks whether an expired timer still applies.
struct UetTimerEntry {
  Picoseconds time;
  std::uint64_t sequence = 0;  // breaks ties
  UetTimer kind = UetTimer::kRetransmission;
  std::uint32_t index = 0;
  std::uint32_t generation = 0;  // of the slot `index`

  // std::push_heap keeps the greatest on top, so the earliest compares as the greatest.
  bool operator<(const UetTimerEntry& other) const {
    return time != other.time ? time > other.time : sequence > other.sequence;
  }
};

class UetHost {
 public:
  // `spec` must be valid and outlive the object.
  UetHost(const UetSpec& spec, const HostContext& context);

  [[nodiscard]] const UetSpec& spec() const { return spec_; }
  [[nodiscard]] const HostContext& context() const { return context_; }
  [[nodiscard]] EndpointStats& stats() { return stats_; }
  // With all latencies counted.
  [[nodiscard]] const EndpointStats& settledStats() const {
    latencies_.moveTo(stats_.latency);
    return stats_;
  }
  [[nodiscard]] UetStats& uetStats() { return uet_stats_; }
  [[nodiscard]] const UetStats& uetStats() const { return uet_stats_; }

  // nullptr: opening a PDC costs nothing.
  [[nodiscard]] ConnectionStats* connections() { return connections_.get(); }
  [[nodiscard]] const ConnectionStats* connections() const { return connections_.get(); }

  // Queues a control packet to `peer` without flags. The caller must fill in the fields of its type
  // and the hash of its path at once; they are zero.
  fabric::Packet& queueControl(HostId peer, PdsType type, std::uint16_t ses_bytes,
                               Picoseconds now) {
    Control& control = control_queue_.append();
    control.since = now;
    const unsigned frame = unsigned{control_frames_[static_cast<std::size_t>(type)]} + ses_bytes;
    control.packet = {.destination = static_cast<std::uint16_t>(peer),
                      .source = static_cast<std::uint16_t>(context_.self),
                      .length = static_cast<std::uint16_t>(frame < kMinFrame ? kMinFrame : frame),
                      .priority = control_priority_,
                      .opcode = uetOpcode(type)};
    return control.packet;
  }
  [[nodiscard]] bool hasControl() const { return !control_queue_.empty(); }
  // The next control packet; false if there is none.
  bool transmitControl(Picoseconds now, fabric::Packet& packet) {
    if (control_queue_.empty()) return false;
    takeControl(now, packet);
    return true;
  }

  // First bit to first bit, of a packet whose last bit has arrived.
  void recordLatency(const fabric::Packet& packet, Picoseconds now) {
    const std::int64_t serialization =
        ps_per_byte_ != 0 ? packet.length * ps_per_byte_ : serializationOf(packet.length);
    const std::int64_t latency =
        now.count() - serialization - static_cast<std::int64_t>(packet.stamp);
    latencies_.record(static_cast<std::uint64_t>(latency), stats_.latency);
  }

  void setTimer(Picoseconds time, UetTimer kind, std::uint32_t index, std::uint32_t generation);
  [[nodiscard]] Picoseconds nextTimer() const { return next_timer_; }
  UetTimerEntry popTimer();

 private:
  struct Control {
    fabric::Packet packet;
    Picoseconds since;
  };

  // Frame bytes of a control packet of each PDS type, before SES and padding.
  using ControlFrames = std::array<std::uint16_t, 16>;

  static ControlFrames controlFrames(const UetSpec& spec);
  void takeControl(Picoseconds now, fabric::Packet& packet);
  [[nodiscard]] std::int64_t serializationOf(std::uint16_t length) const;

  // In the order of use: first what every packet needs.
  fabric::Ring<Control> control_queue_;
  std::int64_t ps_per_byte_;         // 0: not an integer
  Picoseconds next_timer_ = kNever;  // of timers_
  mutable LatencyCounts latencies_;
  mutable EndpointStats stats_;  // except `latencies_`
  UetStats uet_stats_;
  const UetSpec& spec_;
  HostContext context_;
  std::uint8_t control_priority_;
  ControlFrames control_frames_;
  PagedVector<UetTimerEntry> timers_;  // heap
  std::uint64_t timer_sequence_ = 0;
  std::unique_ptr<ConnectionStats> connections_;
};

// Key of a flow in maps.
inline std::uint32_t flowKey(HostId peer, std::uint32_t flow) { return flow << 16 | peer; }

// Packets of one path have one hash: (source, destination, entropy value).
inline std::uint32_t uetFlowHash(HostId source, HostId destination, std::uint32_t entropy) {
  const std::uint64_t path =
      std::uint64_t{source} << 48 | std::uint64_t{destination} << 32 | entropy;
  return static_cast<std::uint32_t>(mix64(path) >> 32);
}

}  // namespace plumbline::transport
