// One direction of a cable as the receiving node sees it: the packets and control messages in
// flight.
#pragma once

#include <cstdint>
#include <vector>

#include "base/paged_memory.h"
#include "base/units.h"
#include "fabric/engine/packet.h"
#include "fabric/engine/spsc_ring.h"

namespace plumbline::fabric {

// A packet in flight; `at` is when the receiving node handles it (see PropagationQueue).
struct InFlightPacket {
  Picoseconds at;
  Packet packet;
};

// What the ends of a link tell each other about its use. It takes effect at `at`.
struct LinkControl {
  enum class Kind : std::uint8_t {
    kPause,     // PFC
    kFreed,     // CBFC: CF_Update, from receiver to sender
    kConsumed,  // CBFC: one channel of a CC_Update, from sender to receiver
  };

  Picoseconds at;
  PriorityMask enabled = 0;  // priorities (PFC) or channel (CBFC) that the message is about
  PriorityMask xoff = 0;     // PFC: of these, the ones to pause
  Kind kind = Kind::kPause;
  std::uint32_t value = 0;  // PFC: quanta; CBFC: credits freed or consumed so far (credits.h)
};

// What nodes report to the engine about the messages they sent in a window: something arrives at
// `port` of `node` and takes effect at `time` or later. With one thread all nodes share one outbox;
// with several threads each node has its own.
struct Outbox {
  struct Note {
    std::uint32_t node;
    std::uint16_t port;
    bool control;  // not a packet
    Picoseconds time;
  };

  std::vector<Note> notes;
  std::uint64_t round = 1;  // number of times the outbox was emptied, plus one
};

// Packets are handed over to the receiving node
//   with the first bit                 : a tester's port,
//   with the last bit                  : an endpoint,
//   latency after the first bit        : a cut-through switch,
//   latency after the last bit         : a store-and-forward switch.
// A cut-through switch stores frames from a link that is slower than one of its outputs, because
// transmission of such a frame could underrun. All packets of one link are treated alike, so they
// stay in order.
//
// The sender notes the first packet of a window in its outbox. The engine tells the receiving node
// between windows, when no thread runs a node.
//
// The first cache line holds what the sender needs for a packet, the second what the receiver
// needs.
struct PropagationQueue : PagedObject {
  Outbox* outbox = nullptr;     // of the sender
  Picoseconds hand_over_delay;  // from the first (or last) bit sent to the hand-over
  // The receiving end: node and port.
  std::uint32_t to_node = 0;
  std::uint16_t to_port = 0;
  bool from_last_bit = false;  // hand_over_delay counts from the last bit

 private:
  std::uint64_t noted_round_ = 0;  // round of the last note about a packet

 public:
  SpscRing<InFlightPacket> packets;
  Picoseconds propagation;    // of the link
  Picoseconds control_delay;  // from the first bit of a PAUSE frame sent to its effect
  SpscRing<LinkControl> control;

  // When the receiving node handles a frame.
  [[nodiscard]] Picoseconds handOverTime(Picoseconds first_bit, Picoseconds last_bit) const {
    return (from_last_bit ? last_bit : first_bit) + hand_over_delay;
  }

  void send(const Packet& packet, Picoseconds first_bit, Picoseconds last_bit) {
    slot() = packet;
    commit(first_bit, last_bit);
  }
  // The same in two steps: the packet is written to its slot, then sent. A packet that is assembled
  // elsewhere from small fields and copied afterwards stalls on store forwarding.
  [[nodiscard]] Packet& slot() { return packets.slot().packet; }
  [[nodiscard]] const Packet& filledSlot() { return packets.opened().packet; }
  void commit(Picoseconds first_bit, Picoseconds last_bit) {
    const Picoseconds at = handOverTime(first_bit, last_bit);
    packets.opened().at = at;
    packets.publish();
    notePacket(at);
  }
  // To be called after packets were put into `packets` directly: the first of them is handled at
  // `at`. They are handed over in the order in which they were sent.
  void notePacket(Picoseconds at) {
    if (noted_round_ == outbox->round) return;
    noted_round_ = outbox->round;
    outbox->notes.push_back({to_node, to_port, false, at});
  }
  void sendControl(const LinkControl& item) {
    control.push(item);
    outbox->notes.push_back({to_node, to_port, true, item.at});
  }

  // Fetches what the two ends need before they look at a packet.
  void prefetchReceiver() const { packets.prefetchConsumer(); }
  void prefetchSender() const { packets.prefetchProducer(); }
};

}  // namespace plumbline::fabric
