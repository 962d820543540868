// A switch: ingress ports, routing, shared buffer, egress ports.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/paged_memory.h"
#include "fabric/balancing/load_balancer.h"
#include "fabric/engine/bits.h"
#include "fabric/engine/node.h"
#include "fabric/engine/schedule.h"
#include "fabric/link/ingress_port.h"
#include "fabric/link/transmitter.h"
#include "fabric/spec/fabric_spec.h"
#include "fabric/switch/arrival_batch.h"
#include "fabric/switch/egress_port.h"
#include "fabric/switch/egress_rules.h"
#include "fabric/switch/path_choice.h"
#include "fabric/switch/pause_refresh.h"
#include "fabric/switch/pfc_watchdog.h"
#include "fabric/switch/step_order.h"
#include "fabric/switch/switch_buffer.h"
#include "fabric/switch/switch_credits.h"
#include "fabric/switch/window_order.h"
#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// Work is deferred as long as the result is the same. The frames of an egress port start, and
// release their buffer, when a packet is offered to that port or the window ends. That is exact for
// everything that depends on the port alone. What depends on the whole switch (shared buffer, xoff)
// is first tested while frames that have left are still counted, which can only err towards "no";
// on "no", all ports are advanced and the test is repeated. While an ingress port is pausing its
// sender, and with CBFC, the time of each departure matters to other ports: egress ports then
// advance in strict order of time.
//
// For the same reason the egress ports are handled one after the other, each with all its arrivals
// of the window, if nothing in the window can depend on the whole switch. Otherwise all arrivals
// are handled in order of time. docs/notes/switch-model.md has the argument.
//
// The rules are in objects of their own, as docs/model/switch.md describes them: PathChoice,
// EgressRules, SwitchBuffer, Scheduler, PauseRefresh, PfcWatchdog, SwitchCredits. This class has
// the state that they act on, and the order in time in which they do.
class SwitchNode final : public NodeModel, private QueueDepths {
 public:
  struct Setup {
    std::uint32_t number = 0;  // among the switches
    const SwitchSpec* spec = nullptr;
    const RoutingSchedule* routing = nullptr;
    std::uint64_t seed = 1;                        // of hashes
    std::uint64_t draw_seed = 1;                   // of what is random in time
    std::vector<Transmitter::Setup> transmitters;  // by port
    std::vector<PropagationQueue*> outputs;        // by port
    std::vector<PropagationQueue*> inputs;         // by port: the other direction of the cable
    const std::vector<Link>* links = nullptr;      // of the topology
    std::vector<bool> host_ports;                  // by port: it leads to a host
  };

  explicit SwitchNode(Setup setup);

  Picoseconds run(Picoseconds begin, Picoseconds end) override;

  [[nodiscard]] bool settled(Picoseconds now) override;
  [[nodiscard]] std::uint64_t retriedInVain() const override;
  [[nodiscard]] PriorityMask pausedOn(std::uint32_t port, Picoseconds now) override {
    return egress_[port].transmitter.pausedAt(now);
  }
  [[nodiscard]] PriorityMask pausing(std::uint32_t port) const override;

  // Scripted impairments act on the frames that arrive at `port`.
  void setScript(std::uint32_t port, std::unique_ptr<ImpairmentStage> stage);

  // Counters of the egress port, up to date at `now`.
  [[nodiscard]] LinkCounters counters(std::uint32_t port, Picoseconds now);
  // As Fabric::read(), of the egress port.
  [[nodiscard]] LinkReading read(std::uint32_t port, Picoseconds now);
  [[nodiscard]] UnsentRest unsentRest(std::uint32_t port, Picoseconds now) const {
    return egress_[port].transmitter.unsentRest(now);
  }
  [[nodiscard]] Picoseconds lastPacketBitAt(std::uint32_t port) const {
    return egress_[port].transmitter.lastPacketBitAt();
  }
  // Frames in the switch.
  [[nodiscard]] std::uint64_t framesInside() const;
  // Of these, those in its queues.
  void visitFrames(const std::function<void(const Packet&)>& visit) const;

 private:
  // egress_drain.h
  template <typename State>
  class EgressDrain;
  class StoredState;
  class RegisterState;

  // Packets ahead of the current one for which places in queue and link are fetched.
  static constexpr std::uint32_t kNearAhead = 3;
  // Frames ahead of the current one that an egress port fetches from its queue, and for its link.
  static constexpr std::size_t kFetchedAhead = 3;
  static constexpr unsigned kNoFrame = 8;  // instead of a priority

  // --- switch_node.cc: time
  void advanceEverything(Picoseconds time);
  void runTimersBefore(Picoseconds time);
  [[nodiscard]] Picoseconds finish(Picoseconds end);
  Picoseconds releaseIngress();
  // To be called when the next step of the port has changed.
  void setStep(EgressPort& egress) {
    if (!egress.active) {
      egress.active = true;
      active_.insert(egress.number);
    }
    if (order_.enabled()) order_.note(egress);
  }
  [[nodiscard]] bool anyStepBefore(Picoseconds time) const {
    return order_.anyBefore(time) || timer_ < time;
  }
  void updateRestrictions(EgressPort& egress) const {
    egress.updateRestrictions(unweighted_ && credited_ == 0);
  }

  // --- switch_path.cc: what every packet needs
  void gather(Picoseconds begin, Picoseconds end);
  ArrivalBatch::Gatherer gatherControl(std::uint32_t port, ArrivalBatch::Gatherer gatherer);
  void await(std::uint32_t port, Picoseconds time);
  [[nodiscard]] bool egressPortsAreIndependent(std::int64_t arriving, std::int64_t fullest) const;
  void runByPort(Picoseconds end);
  [[nodiscard]] EgressPort* unrestrictedPort(const WindowOrder::Item& packet);
  bool bypassQueue(const WindowOrder::View& order, std::uint32_t place, Picoseconds window_end);
  template <typename State>
  void drainGroup(EgressPort& egress, const WindowOrder::View& of_window, std::uint32_t place,
                  std::uint32_t end, Picoseconds window_end);
  void runGroup(const WindowOrder::View& order, std::uint32_t place, std::uint32_t end);
  void runInTimeOrder();
  void prefetchPort(const WindowOrder::Item& item) const;
  void prefetchPlaces(const WindowOrder::Item& item) const;
  [[nodiscard]] EgressPort* route(const ArrivalBatch::Arrival& arrival, Picoseconds now);
  void advance(EgressPort& egress, Picoseconds time) {
    if (egress.hasStepBefore(time)) {
      advance(egress, time, time);
      if (order_.enabled()) order_.note(egress);
    }
  }
  void advance(EgressPort& egress, Picoseconds released, Picoseconds decided);
  void advanceAll(Picoseconds time);
  void advanceInOrder(Picoseconds time);
  [[nodiscard]] unsigned choose(EgressPort& egress, Picoseconds now);
  [[nodiscard]] PriorityMask eligible(EgressPort& egress, Picoseconds now);
  void release(EgressPort& egress, Picoseconds now);
  [[nodiscard]] bool isLossless(const EgressPort& egress, unsigned priority) const {
    return ((lossless_ & ~egress.discarding) >> priority & 1U) != 0;
  }
  [[nodiscard]] bool isCreditedOrDiscarded(const EgressPort& egress, unsigned priority) const {
    return ((credited_ | egress.discarding) >> priority & 1U) != 0;
  }
  // Puts an admitted frame into its queue. `depth`: bytes in front of it.
  void enqueue(EgressPort& egress, const Packet& packet, std::uint32_t ingress, Charge charge,
               std::int64_t depth, Picoseconds now);
  static void fillQueued(QueuedFrame& frame, const Packet& packet, std::uint32_t ingress,
                         Charge charge);
  // A frame got a mark that had `depth` bytes in front of it, or behind it. `marked` returns it,
  // and is called only if marks are observed: what was just written cannot be read at once.
  template <typename Marked>
  void noteMark(EgressPort& egress, std::int64_t depth, Picoseconds now, Marked&& marked) {
    ++egress.transmitter.counters().marked;
    if (recorder().accepts(RecordKind::kMark)) recordMark(egress, marked(), depth, now);
  }

  // --- switch_admission.cc: what some packets need
  std::int64_t queuedBytes(LinkId link) override;
  void dropUnrouted(const ArrivalBatch::Arrival& arrival, Picoseconds now);
  void admitLossless(EgressPort& egress, std::uint32_t ingress, const Packet& packet,
                     Picoseconds now);
  void admitCreditedOrDiscard(EgressPort& egress, std::uint32_t ingress, const Packet& packet,
                              Picoseconds now);
  void admitOrRefuse(EgressPort& egress, std::uint32_t ingress, const Packet& packet,
                     Picoseconds now);
  // A lossless frame seems to lift its ingress port above xoff: requests a pause if it does.
  // Returns whether the frame is charged to the headroom.
  bool needsHeadroom(std::uint32_t ingress, unsigned priority, std::int64_t length,
                     Picoseconds now);
  void trim(EgressPort& egress, std::uint32_t ingress, Packet packet, Picoseconds now);
  void recordMark(const EgressPort& egress, const Packet& packet, std::int64_t depth,
                  Picoseconds now);
  void sendUrgent(EgressPort& egress, Picoseconds now);
  // Returns the buffer of a frame whose last bit has left, or that was discarded.
  void releaseBuffer(EgressPort& egress, const EgressPort::Sending& frame, Picoseconds now);

  // --- switch_flow_control.cc: PFC, watchdog, CBFC
  void receiveControl(const ArrivalBatch::Control& control, Picoseconds now);
  void requestPause(std::uint32_t ingress, unsigned priority, bool xoff, Picoseconds now);
  void sendPause(std::uint32_t port, PriorityMask enabled, PriorityMask xoff, Picoseconds now);
  void consume(EgressPort& egress, unsigned priority, std::int64_t length, Picoseconds now);
  void queueConsumed(std::uint32_t port, Picoseconds now);
  void sendConsumed(EgressPort& egress, Picoseconds now);
  void receiveConsumed(std::uint32_t ingress, const LinkControl& item, Picoseconds now);
  void freeCredits(std::uint32_t ingress, unsigned channel, std::int32_t credits,
                   std::int64_t bytes, Picoseconds now);
  void sendFreed(std::uint32_t ingress, unsigned channel, Picoseconds now);
  void runTimer(Picoseconds now);
  void pollWatchdog(Picoseconds now);
  void beginActing(EgressPort& egress, unsigned priority, Picoseconds now);
  void discardQueue(EgressPort& egress, unsigned priority, Picoseconds now);
  void updateTimer();

  // What every window needs comes first, on few cache lines.
  const SwitchSpec& spec_;
  ArrivalBatch* batch_ = nullptr;  // of the window that is run
  Picoseconds timer_ = kNever;     // earliest of all timers
  PathChoice paths_;
  std::uint32_t ports_;
  std::uint32_t arrivals_ = 0;         // in the last window, control messages included
  std::uint32_t pausing_ = 0;          // ingress ports and priorities that were paused
  PriorityMask lossless_ = 0;          // by PFC
  PriorityMask credited_ = 0;          // lossless by CBFC
  bool unweighted_ = true;             // strict priority among all priorities
  bool lossy_and_unweighted_ = false;  // all priorities, without virtual output queues
  PagedVector<EgressPort> egress_;
  PagedVector<IngressPort> ingress_;
  NumberSet active_;        // egress ports with a next step
  NumberSet maybe_paused_;  // egress ports that may have pauses to end
  SwitchBuffer buffer_;
  EgressRules rules_;
  StepOrder order_;  // in force while departures may act on other ports
  Picoseconds now_;

  const std::vector<Link>& links_;
  std::vector<bool> host_ports_;
  PauseRefresh refresh_;
  PfcWatchdog watchdog_;
  SwitchCredits credits_;
};

inline void SwitchNode::fillQueued(QueuedFrame& frame, const Packet& packet, std::uint32_t ingress,
                                   Charge charge) {
  frame.packet = packet;
  // From the arrival, not from the copy: a load right after the wide store would stall.
  frame.packet.hops = packet.hops + 1U;
  frame.ingress = static_cast<std::uint16_t>(ingress);
  frame.charge = charge;
}

inline void SwitchNode::enqueue(EgressPort& egress, const Packet& packet, std::uint32_t ingress,
                                Charge charge, std::int64_t depth, Picoseconds now) {
  const unsigned priority = packet.priority;
  EgressPort::Queue& queue = egress.queues[priority];
  queue.bytes += packet.length;
  QueuedFrame& frame = queue.frames.append(static_cast<std::uint16_t>(ingress));
  fillQueued(frame, packet, ingress, charge);
  if (rules_.testsAtEnqueue(packet, depth) && egress.marks(rules_, priority, depth)) {
    frame.packet.ce = true;
    noteMark(egress, depth, now, [&frame] { return frame.packet; });
  }
  // A frame behind others of its priority does not change what is sent next.
  if ((egress.waiting >> priority & 1U) != 0) return;
  egress.waiting |= static_cast<PriorityMask>(1U << priority);
  queue.progress_at = now;
  egress.decision = earlier(egress.decision, later(egress.transmitter.freeAt(), now));
  setStep(egress);
}

inline void SwitchNode::admitLossless(EgressPort& egress, std::uint32_t ingress,
                                      const Packet& packet, Picoseconds now) {
  const unsigned priority = packet.priority;
  const std::int64_t length = packet.length;
  bool headroom = buffer_.pausing(ingress, priority);
  if (!headroom && buffer_.overXoff(ingress, priority, length)) {
    headroom = needsHeadroom(ingress, priority, length, now);
  }
  if (!buffer_.chargeIngress(ingress, priority, length, headroom)) {
    egress.transmitter.drop(packet, DropReason::kHeadroomFull, now);
    return;
  }
  SwitchBuffer::chargeAlways(egress.account, length);
  enqueue(egress, packet, ingress, Charge::kIngress, egress.queues[priority].bytes, now);
}

inline void SwitchNode::releaseBuffer(EgressPort& egress, const EgressPort::Sending& frame,
                                      Picoseconds now) {
  const unsigned priority = frame.priority;
  egress.queues[priority].bytes -= frame.length;
  if (frame.charge == Charge::kEgress) {
    buffer_.releaseEgress(egress.account, frame.length);
    return;
  }
  SwitchBuffer::releaseAlways(egress.account, frame.length);
  if (frame.charge == Charge::kCredit) {
    freeCredits(frame.ingress, credits_.channelOf(priority), credits_.creditsFor(frame.length),
                frame.length, now);
    return;
  }
  buffer_.releaseIngress(frame.ingress, priority, frame.length);
  if (buffer_.pausing(frame.ingress, priority) && buffer_.belowXon(frame.ingress, priority)) {
    requestPause(frame.ingress, priority, false, now);
  }
}

}  // namespace plumbline::fabric
