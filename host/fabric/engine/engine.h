// The deterministic packet-level simulation of one graph.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "fabric/engine/fabric.h"
#include "fabric/engine/host_node.h"
#include "fabric/engine/phases.h"
#include "fabric/engine/worker_pool.h"
#include "fabric/link/propagation_queue.h"
#include "fabric/spec/fabric_plan.h"
#include "fabric/switch/switch_node.h"
#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// Nodes joined by propagation queues, run window by window. Nodes affect each other only over
// links, so the two groups of nodes (phases.h) take turns, each up to the time at which the other
// group could affect it. Within a turn the nodes of a group are independent of each other: they run
// one after the other, or on several threads, with the same result. The driver of a tester's port
// may answer a delivery at once: both groups then advance together by the delay of the shortest
// link. The reference core is the same engine with windows of one picosecond: every instant of the
// whole fabric is simulated by itself, in order, and nothing can be deferred.
class Engine {
 public:
  // As FabricPlan.
  Engine(Topology topology, const FabricSpec& spec, const RunOptions& options);

  // As in class Fabric.
  void attach(HostId host, Endpoint& endpoint);
  void wakeEndpoint(HostId host);
  void observe(Observer& observer);
  void onDeliver(Fabric::DeliverFn fn) {
    deliver_ = std::move(fn);
    driven_ = true;
  }
  void onPause(Fabric::PauseFn fn) {
    pause_ = std::move(fn);
    driven_ = true;
  }
  void onDrop(Fabric::DropFn fn);
  void send(HostId host, const Packet& packet, Picoseconds first_bit);
  void sendPause(HostId host, PriorityMask enabled, PriorityMask xoff, std::uint16_t quanta,
                 Picoseconds first_bit);
  void runUntil(Picoseconds time);
  [[nodiscard]] Picoseconds now() const { return now_; }
  [[nodiscard]] std::optional<Picoseconds> nextEvent() const;
  [[nodiscard]] LinkCounters counters(LinkId link) const;
  [[nodiscard]] LinkReading read(LinkId link);
  [[nodiscard]] UnsentRest unsentRest(LinkId link) const;
  [[nodiscard]] Picoseconds lastPacketBitAt(LinkId link) const;
  [[nodiscard]] bool isDeadlocked();
  [[nodiscard]] std::uint64_t framesRetriedInVain() const;
  [[nodiscard]] std::uint64_t framesInside() const;
  void visitFrames(const std::function<void(const Packet&)>& visit) const;
  [[nodiscard]] std::uint64_t framesReceived(HostId host) const { return hosts_[host]->received(); }

  [[nodiscard]] const FabricPlan& plan() const { return plan_; }
  [[nodiscard]] const Topology& topology() const { return topology_; }

 private:
  void buildQueues();
  void buildNodes();
  [[nodiscard]] Transmitter::Setup transmitterSetup(LinkId link) const;
  void addScripts();
  void setReceivingEnd(LinkId link);
  [[nodiscard]] Picoseconds doneAtFarEnd(HostId host) const;
  void checkHost(HostId host, Picoseconds first_bit) const;
  void checkSend(HostId host, const Packet& packet, Picoseconds first_bit) const;
  // The nodes of a group that have events, a bit per node, and the time of the first event.
  struct Group {
    std::vector<std::uint64_t> awake;
    Picoseconds next = kNever;
  };
  void measureReach();
  [[nodiscard]] Picoseconds earliestEffect(LinkId link) const;
  // Whether both groups advance together, by `window_` at a time.
  [[nodiscard]] bool inStep() const { return reference_ || driven_; }
  // Time of the next event of any node.
  [[nodiscard]] Picoseconds upcoming() const { return earlier(groups_[0].next, groups_[1].next); }
  [[nodiscard]] Picoseconds next() const;
  void runTurns(Picoseconds limit);
  void runTurn(std::size_t phase, Picoseconds end);
  void prefetchAfter(std::size_t place) const;
  [[nodiscard]] Outbox& outboxOf(NodeId node) {
    return outboxes_.size() == 1 ? outboxes_.front() : outboxes_[node];
  }
  void announce(Outbox& outbox);
  void wake(NodeId node, Picoseconds time);
  void collect();
  void report();
  void setInterests();

  FabricPlan plan_;
  const Topology& topology_;  // of the plan
  const FabricSpec& spec_;    // of the plan
  Picoseconds window_;        // while the groups advance together
  bool reference_;
  bool driven_ = false;  // from outside: a tester's port is in use
  std::vector<std::unique_ptr<PropagationQueue>> queues_;  // by link
  std::vector<Outbox> outboxes_;        // by node, or one for all if there is one thread
  std::vector<Picoseconds> wakes_;      // by node: time of its next event
  std::vector<NodeId> turn_;            // room for all nodes
  std::span<const NodeId> runnable_;    // in this turn: the first of these
  std::vector<std::uint8_t> phase_of_;  // by node
  std::array<Group, kPhases> groups_;
  PhaseClock clock_;
  std::vector<NodeModel*> nodes_;  // by node
  std::vector<std::unique_ptr<HostNode>> hosts_;
  std::vector<std::unique_ptr<SwitchNode>> switches_;
  std::vector<std::uint8_t> tester_;  // by node: a host without an endpoint
  std::size_t testers_ = 0;           // how many there are
  Picoseconds now_;
  Picoseconds done_;  // everything before it has happened, and has been reported
  bool running_ = false;
  bool fetches_ahead_ = false;  // some endpoint does
  std::unique_ptr<WorkerPool> pool_;
  std::vector<Observer*> observers_;
  std::vector<Record> records_;
  std::vector<HostNode::Delivery> deliveries_;
  std::vector<HostNode::PauseDelivery> pauses_;
  Fabric::DeliverFn deliver_;
  Fabric::PauseFn pause_;
  Fabric::DropFn drop_;
};

}  // namespace plumbline::fabric
