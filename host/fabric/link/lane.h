// One direction of a cable as the receiving node sees it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/paged_memory.h"
#include "base/units.h"
#include "fabric/engine/packet.h"
#include "fabric/engine/spsc_ring.h"

namespace plumbline::fabric {

// A packet under way; `at` is when the receiving node deals with it (see Lane).
struct Flight {
  Picoseconds at;
  Packet packet;
};

// What the ends of a link tell each other about its use, taking effect at `at`.
struct ControlFlight {
  enum class Kind : std::uint8_t {
    kPause,     // PFC
    kFreed,     // CBFC: CF_Update, from receiver to sender
    kConsumed,  // CBFC: one channel of a CC_Update, from sender to receiver
  };

  Picoseconds at;
  PriorityMask enabled = 0;  // priorities (PFC) or channel (CBFC) it speaks of
  PriorityMask xoff = 0;     // PFC: of these, the ones to pause
  Kind kind = Kind::kPause;
  std::uint32_t value = 0;  // PFC: quanta; CBFC: credits freed or consumed so far (credits.h)
};

// What nodes tell the engine about what they sent in a window: that something arrives at `port` of
// `node` and takes effect at `time`, if not before. With one thread all nodes share one, with
// several each has its own.
struct Outbox {
  struct Note {
    std::uint32_t node;
    std::uint16_t port;
    bool control;  // not a packet
    Picoseconds time;
  };

  std::vector<Note> notes;
  std::uint64_t round = 1;  // counts how often it was emptied
};

// Packets are handed to the node
//   with the first bit                 : a tester's port,
//   with the last bit                  : an endpoint,
//   latency after the first bit        : a cut-through switch,
//   latency after the last bit         : a store-and-forward switch.
// A cut-through switch stores frames from a link that is slower than one of its outputs, since such
// a frame could run dry in the middle. So all packets of one link are treated alike and stay in
// order.
//
// The sender announces in its outbox what is the first thing on a lane since the last window; the
// engine tells the receiving node between windows, when no thread is at work.
//
// All that the sender needs for a packet is on the first cache line, what the receiver keeps on the
// second.
struct Lane : PagedObject {
  Outbox* outbox = nullptr;  // of the sender
  Picoseconds fixed_delay;   // first (or last) bit sent to handed over
  // The receiving end: node and port.
  std::uint32_t to = 0;
  std::uint16_t to_port = 0;
  bool stored = false;  // fixed_delay counts from the last bit

 private:
  std::uint64_t told_ = 0;  // round of the last announcement of a packet

 public:
  SpscRing<Flight> flight;
  Picoseconds propagation;    // of the link
  Picoseconds control_delay;  // first bit of a PAUSE frame sent to its effect
  SpscRing<ControlFlight> control;

  // When the node deals with a frame.
  [[nodiscard]] Picoseconds handedOver(Picoseconds first_bit, Picoseconds last_bit) const {
    return (stored ? last_bit : first_bit) + fixed_delay;
  }

  void send(const Packet& packet, Picoseconds first_bit, Picoseconds last_bit) {
    place() = packet;
    sendPlaced(first_bit, last_bit);
  }
  // The same in two steps: the packet is filled in where it will travel, then sent. What is put
  // together elsewhere in small pieces and then copied stalls on its own stores.
  [[nodiscard]] Packet& place() { return flight.slot().packet; }
  [[nodiscard]] const Packet& placed() { return flight.opened().packet; }
  void sendPlaced(Picoseconds first_bit, Picoseconds last_bit) {
    const Picoseconds at = handedOver(first_bit, last_bit);
    flight.opened().at = at;
    flight.publish();
    announcePacket(at);
  }
  // To be called when packets were put into `flight` that the lane was not told of: the first of
  // them is dealt with at `at`. They come in the order in which they were sent.
  void announcePacket(Picoseconds at) {
    if (told_ == outbox->round) return;
    told_ = outbox->round;
    outbox->notes.push_back({to, to_port, false, at});
  }
  void steer(const ControlFlight& item) {
    control.push(item);
    outbox->notes.push_back({to, to_port, true, item.at});
  }

  // Fetches what the two ends need before they look at a packet.
  void prefetchReceiver() const { flight.prefetchConsumer(); }
  void prefetchSender() const { flight.prefetchProducer(); }
};

}  // namespace plumbline::fabric
