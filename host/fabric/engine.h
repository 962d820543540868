// The deterministic packet-level simulation of one graph.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/units.h"
#include "fabric/event_heap.h"
#include "fabric/fabric.h"
#include "fabric/impairment.h"
#include "fabric/output_port.h"
#include "fabric/ring.h"
#include "fabric/routing.h"
#include "fabric/topology.h"
#include "fabric/wire_clock.h"

namespace plumbline::fabric {

// Moves packets through a Topology. A packet-hop costs one event: the hand-over of a packet by a
// link to the node at its far end, at
//   first bit there                                  to a host,
//   first bit there + latency                        to a cut-through switch,
//   last bit there + latency                         to a store-and-forward switch.
// At a switch the packet is then routed and offered to the output port, which settles its departure
// at once (see OutputPort), so it goes straight into the ring of the next link. A cut-through
// switch that must send faster than it receives takes the store-and-forward time instead, because
// the outgoing frame would run dry.
//
// Order of events: (time, source, sequence); the sources are the links by id, then the impairment
// stages by host, then the held frames by line of the script.
class Engine {
 public:
  // `switches` and `impairments` must be valid (fabric_spec.h). Throws Error(kUsage) for a graph
  // that cannot be routed.
  Engine(Topology topology, const SwitchSpec& switches, const std::vector<Impairment>& impairments,
         std::uint64_t seed);

  // As in class Fabric.
  void onDeliver(Fabric::DeliverFn fn) { deliver_ = std::move(fn); }
  void onDrop(Fabric::DropFn fn) { drop_ = std::move(fn); }
  void send(HostId host, const Packet& packet, Picoseconds first_bit);
  void runUntil(Picoseconds time);
  [[nodiscard]] Picoseconds now() const { return now_; }
  [[nodiscard]] std::optional<Picoseconds> nextEvent() const;
  [[nodiscard]] std::vector<PortCounters> counters() const;

  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] const Routing& routing() const { return routing_; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  struct InFlight {
    Packet packet;
    Picoseconds handed_over;
  };

  // What a packet needs to know of the link it travels; topology_ has the rest.
  struct Lane {
    Ring<InFlight> flight;    // ordered by handed_over
    Picoseconds fixed_delay;  // propagation, plus latency of a switch at the far end
    WireClock wire;
    std::uint32_t node_index = 0;  // host or switch number of the far end
    std::uint32_t stage = kNone;   // in stages_
    bool to_host = false;
    bool stored = false;        // handed over with the last bit
    bool may_underrun = false;  // cut-through, and an output of the far end is faster
    bool head_stored = false;   // the front packet was put back to its last bit
  };

  // What waits behind an impairment stage for the wire.
  struct Stage {
    ImpairmentStage script;
    Ring<InFlight> waiting;
    LinkId link = 0;
  };
  // A packet that a script holds back.
  struct Held {
    Packet packet;
    std::uint32_t stage = 0;
    Picoseconds head_start;
  };

  void buildLanes(const SwitchSpec& switches);
  void buildStages(const std::vector<Impairment>& impairments);
  void checkSend(HostId host, const Packet& packet, Picoseconds first_bit) const;

  // Puts a packet on a link, its first bit leaving at `first_bit`.
  void launch(LinkId link, const Packet& packet, Picoseconds first_bit);
  void execute(const Event& event);
  void executeLink(LinkId link);
  void executeStage(std::uint32_t stage);
  void executeHeld(std::uint32_t held);
  void impair(std::uint32_t stage, const Packet& packet, Picoseconds head_start);
  void leaveStage(std::uint32_t stage, const Packet& packet, Picoseconds head_start);
  // The packet has arrived: at a host it is delivered, at a switch it goes to its output port.
  void handOver(const Lane& lane, const Packet& packet);
  // Removes the executed event of `source` and schedules what `ring` holds next.
  void popEvent(SourceId source, Ring<InFlight>& ring);
  void pushEvent(SourceId source, Ring<InFlight>& ring, const InFlight& item);
  void reportDrop(const Packet& packet, DropReason reason) const;

  [[nodiscard]] SourceId stageSource(std::uint32_t stage) const {
    return static_cast<SourceId>(lanes_.size()) + stage;
  }
  [[nodiscard]] SourceId heldSource(std::uint32_t held) const {
    return static_cast<SourceId>(lanes_.size() + stages_.size()) + held;
  }

  Topology topology_;
  Routing routing_;
  EventHeap events_;
  Picoseconds now_;
  bool running_ = false;
  std::vector<Lane> lanes_;             // by link
  std::vector<OutputPort> ports_;       // by link; those of hosts' links are not used
  std::vector<LinkId> host_links_;      // by host
  std::vector<Picoseconds> host_free_;  // by host: its wire is occupied until then
  std::vector<Stage> stages_;
  std::vector<Held> held_;
  Fabric::DeliverFn deliver_;
  Fabric::DropFn drop_;
};

}  // namespace plumbline::fabric
