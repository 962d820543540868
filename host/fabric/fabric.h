// The simulated device under test: hosts' ports on the outside, links and switches inside.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "fabric/fabric_spec.h"

namespace plumbline::fabric {

using HostId = std::uint32_t;

// What switches need to know of a frame, small and by value. The owner keeps bytes, if there are
// any, behind `cookie`; a duplicated packet carries the same cookie.
struct Packet {
  std::uint64_t cookie = 0;
  std::uint64_t flow_hash = 0;  // of the fields that ECMP hashes (5-tuple); equal for equal flows
  std::uint32_t length = 0;     // frame bytes including FCS
  HostId destination = 0;
  std::uint8_t priority = 0;
  bool ect = false;
  bool ce = false;
};

enum class DropReason { kBufferFull, kScripted };

// Counters of one output port of one switch. Observation point: modelled.
struct PortCounters {
  std::uint32_t node = 0;             // switch number; kClos2: leaves, then spines
  std::uint32_t port = 0;             // leaf: its hosts, then the spines; spine: the leaves
  std::uint64_t packets = 0;          // taken into the queue
  std::uint64_t bytes = 0;            // of these
  std::uint64_t drops = 0;            // for which the buffer had no room
  std::uint64_t max_queue_bytes = 0;  // the frame in transmission included
};

// Deterministic packet-level simulation in integer picoseconds. All events at or before a time are
// executed in (time, link, sequence) order; the result depends on nothing but the spec and what is
// sent, neither on how far ahead it is sent nor on the steps in which time is advanced. The models
// are described in docs/fabric-model.md.
class Fabric {
 public:
  // Throws Error(kUsage) for an impossible spec (zero delay, no hosts, …).
  explicit Fabric(const FabricSpec& spec);
  ~Fabric();
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  // Called when a packet's first bit (after the SFD) reaches a host; in time order, and before
  // runUntil() returns. `first_bit` is the exact arrival time.
  using DeliverFn = std::function<void(HostId, const Packet&, Picoseconds first_bit)>;
  void onDeliver(DeliverFn fn);
  // Called for every packet that ends inside the fabric. Observers see now() as the time of what
  // they observe and may send(), but not runUntil().
  using DropFn = std::function<void(const Packet&, Picoseconds, DropReason)>;
  void onDrop(DropFn fn);

  // `host` puts the first bit (after the SFD) of a packet on its link at `first_bit`. Per host,
  // calls must be in time order and packets (8 bytes preamble and the frame) must not overlap on
  // the wire. `first_bit` may lie before now() as long as what follows from it does not: a
  // store-and-forward hop needs the last bit's arrival, a cut-through hop first bit + delay +
  // latency, a bare link first bit + delay to lie after now(), up to which everything has happened.
  // Throws Error(kTester) otherwise, and for a length of 0 or above 65,535 bytes, an unknown host,
  // or the sender itself as destination; nothing has changed then.
  void send(HostId host, const Packet& packet, Picoseconds first_bit);

  // Executes every event up to and including `time`; now() becomes `time`. Throws Error(kTester)
  // for a time before now().
  void runUntil(Picoseconds time);
  [[nodiscard]] Picoseconds now() const;
  // Time of the next event, if any is scheduled.
  [[nodiscard]] std::optional<Picoseconds> nextEvent() const;

  [[nodiscard]] std::uint32_t hostCount() const;
  // Of every switch port, by switch and port number.
  [[nodiscard]] std::vector<PortCounters> counters() const;
  // "leaf0", "spine3", "switch0" for a switch number of PortCounters.
  [[nodiscard]] std::string switchName(std::uint32_t node) const;

  // Latency of an uncontended packet of `length` bytes from first bit sent to first bit received
  // along a shortest path, from the spec alone: the closed form that tests compare with.
  [[nodiscard]] Picoseconds unloadedLatency(HostId from, HostId to, Bytes length) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumbline::fabric
