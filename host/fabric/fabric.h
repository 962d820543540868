// The simulated device under test: hosts' ports on the outside, links and switches inside.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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
  std::uint32_t node = 0;  // switch index
  std::uint32_t port = 0;
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t drops = 0;
  std::uint64_t max_queue_bytes = 0;
};

// Deterministic packet-level simulation in integer picoseconds. All events at or before a time are
// executed in (time, link, sequence) order; the result depends on nothing but the spec and what is
// sent.
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
  // Called for every packet that ends inside the fabric.
  using DropFn = std::function<void(const Packet&, Picoseconds, DropReason)>;
  void onDrop(DropFn fn);

  // `host` puts the first bit (after the SFD) of a packet on its link at `first_bit`. Per host,
  // calls must be in time order and packets must not overlap on the wire. `first_bit` may lie
  // before now() as long as no event that follows from it does: a store-and-forward hop needs the
  // last bit's arrival, a cut-through hop first bit + delay + latency, a bare link first bit +
  // delay, not to be past. Throws Error(kTester) otherwise.
  void send(HostId host, const Packet& packet, Picoseconds first_bit);

  // Executes every event up to and including `time`; now() becomes `time`.
  void runUntil(Picoseconds time);
  [[nodiscard]] Picoseconds now() const;
  // Time of the next event, if any is scheduled.
  [[nodiscard]] std::optional<Picoseconds> nextEvent() const;

  [[nodiscard]] std::uint32_t hostCount() const;
  [[nodiscard]] std::vector<PortCounters> counters() const;

  // Latency of an uncontended packet of `length` bytes from first bit sent to first bit received
  // along a shortest path, from the spec alone: the closed form that tests compare with.
  [[nodiscard]] Picoseconds unloadedLatency(HostId from, HostId to, Bytes length) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumbline::fabric
