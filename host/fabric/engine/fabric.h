// The simulated device under test: links and switches between hosts' ports.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "fabric/engine/counters.h"
#include "fabric/engine/endpoint.h"
#include "fabric/engine/observer.h"
#include "fabric/engine/packet.h"
#include "fabric/spec/fabric_spec.h"
#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// Counters of one output port of one switch. Observation point: modelled.
struct PortCounters : LinkCounters {
  std::uint32_t node = 0;  // switch number, in the order of Topology::switches()
  std::uint32_t port = 0;  // in the order of Node::out_links
  LinkId link = 0;
};

enum class Core {
  kWindowed,   // as fast as possible
  kReference,  // instant by instant, for comparison
};

// How to run, without influence on any result.
struct RunOptions {
  Core core = Core::kWindowed;
  unsigned threads = 1;
  // For tests: threads share every window, also those with too little work for it to pay.
  bool share_always = false;
};

// Deterministic packet-level simulation in integer picoseconds. Events are executed in (time, link,
// sequence) order. The result depends only on the spec and the packets sent, not on how far ahead
// they are sent or on the steps in which time is advanced. The models are described in
// docs/fabric-model.md.
class Fabric {
 public:
  // Throws Error(kUsage) for an impossible spec (zero delay, no hosts, …).
  explicit Fabric(const FabricSpec& spec, const RunOptions& options = {});
  ~Fabric();
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  // Attaches `endpoint` to a host's port; before the first runUntil(). It must outlive the last
  // runUntil(). A host without an endpoint is a tester's port, with send() and onDeliver(). Throws
  // Error(kTester) for an unknown host.
  void attach(HostId host, Endpoint& endpoint);
  // Reports records to `observer` from now on; it must outlive the last runUntil().
  void observe(Observer& observer);

  // Called when a packet's first bit (after the SFD) reaches a tester's port; in time order, and
  // before runUntil() returns. `first_bit` is the exact arrival time.
  using DeliverFn = std::function<void(HostId, const Packet&, Picoseconds first_bit)>;
  void onDeliver(DeliverFn fn);
  // The same for a PAUSE frame, time of its first bit after the SFD.
  using PauseFn = std::function<void(HostId, PriorityMask enabled, PriorityMask xoff,
                                     std::uint16_t quanta, Picoseconds first_bit)>;
  void onPause(PauseFn fn);
  // Called for every packet that ends inside the fabric. Observers see now() as the time of what
  // they observe and may send(), but not runUntil().
  using DropFn = std::function<void(const Packet&, Picoseconds, DropReason)>;
  void onDrop(DropFn fn);

  // `host` sends a packet whose first bit (after the SFD) leaves at `first_bit`. Per host, calls
  // must be in time order and packets (8 bytes preamble and the frame) must not overlap on the
  // wire. `first_bit` may be before now() if its first effect is not: the time at which the next
  // node handles the frame (first bit + delay at a host; plus latency, and plus the serialisation
  // if the switch stores the frame) must be after now(), up to which everything has been
  // simulated. Within a callback, `first_bit` must not be before now(), and the fabric must know
  // beforehand that frames are sent from outside: by onDeliver(), onPause(), onDrop() or an earlier
  // send(). With observers alone, nodes may be ahead of now(). Throws Error(kTester) otherwise, and
  // for a length of 0, an unknown host, or the sender itself as destination; nothing is changed
  // then.
  void send(HostId host, const Packet& packet, Picoseconds first_bit);

  // The same for a PAUSE frame of a tester's port: for the priorities in `enabled`, those in `xoff`
  // pause for `quanta` × 512 bit times and the others resume.
  void sendPause(HostId host, PriorityMask enabled, PriorityMask xoff, std::uint16_t quanta,
                 Picoseconds first_bit);

  // To be called when the wakeAt() of the endpoint of `host` has become earlier between two calls
  // of runUntil(), because it was given work from outside. Throws Error(kTester) for an unknown
  // host, one without an endpoint, and a wakeAt() that is not after now() once the fabric has run.
  void wake(HostId host);

  // Executes every event up to and including `time`; now() becomes `time`. Throws Error(kTester)
  // for a time before now().
  void runUntil(Picoseconds time);
  [[nodiscard]] Picoseconds now() const;
  // Time of the next event, if any is scheduled.
  [[nodiscard]] std::optional<Picoseconds> nextEvent() const;

  [[nodiscard]] std::uint32_t hostCount() const;
  // Of every switch port, by switch and port number.
  [[nodiscard]] std::vector<PortCounters> counters() const;
  // Of the sending end of any link, hosts' links included.
  [[nodiscard]] LinkCounters linkCounters(LinkId link) const;
  // The same at low cost, for frequent readings: read() changes neither counters nor the simulation
  // itself.
  [[nodiscard]] LinkReading read(LinkId link);
  // The part of linkCounters(link) that has not left yet.
  [[nodiscard]] UnsentRest unsentRest(LinkId link) const;
  // Last bit of the last frame on a link that is neither PAUSE nor CC_Update, later than now()
  // where it is still leaving; before 0 without any.
  [[nodiscard]] Picoseconds lastPacketBitAt(LinkId link) const;
  // Deadlock or end: the only future events are repetitions of PAUSE frames by switches whose
  // frames wait for each other. Switches, links, scripts, watchdogs and endpoints have no other
  // events. What a tester's port may send is not known here.
  [[nodiscard]] bool isDeadlocked();
  // Frames that LLR repeats for ever, as far as isDeadlocked() takes it for that.
  [[nodiscard]] std::uint64_t framesRetriedInVain() const;
  // Errors per bit of a link, 0 to 1e-3, by the rules of the spec.
  [[nodiscard]] double bitErrorRate(LinkId link) const;
  [[nodiscard]] const Topology& topology() const;
  // Frames in queues, on links and held by LLR: sent, and neither delivered nor dropped so far.
  // Conservation tests compare with it. Also those that stand at a host because their channel can
  // never have the credits for them.
  [[nodiscard]] std::uint64_t framesInside() const;
  // Calls `visit` for those in queues and on links: for all but those that LLR holds, or that stand
  // at a host.
  void visitFrames(const std::function<void(const Packet&)>& visit) const;
  // Frames that arrived at a host, endpoint or tester's port.
  [[nodiscard]] std::uint64_t framesReceived(HostId host) const;
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
