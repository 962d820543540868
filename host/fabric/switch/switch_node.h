// A switch: inputs, routing, shared buffer, priority queues on every output.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/paged_memory.h"
#include "fabric/balancing/load_balancer.h"
#include "fabric/engine/bits.h"
#include "fabric/engine/node.h"
#include "fabric/engine/schedule.h"
#include "fabric/link/credits.h"
#include "fabric/link/ingress_port.h"
#include "fabric/link/transmitter.h"
#include "fabric/spec/fabric_spec.h"
#include "fabric/switch/class_queue.h"
#include "fabric/switch/scheduler.h"
#include "fabric/switch/switch_buffer.h"
#include "fabric/switch/window_order.h"
#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// Work is put off as long as nothing can tell: an output's frames start, and give their buffer
// back, when a packet is offered to that output or the window ends. That is exact for everything
// that depends on the output alone. What depends on the whole switch (shared buffer, xoff) is first
// asked with the frames that have left still counted in, which can only err towards "no"; then
// everything is brought up to date and asked again. Only while an input is pausing its sender, or
// with CBFC, is the time of every departure of interest to others: then outputs move in strict
// order of time.
//
// For the same reason the outputs of a window are dealt with one after the other, and not in the
// order of time, when it is certain beforehand that nothing in it depends on the whole switch.
class SwitchNode final : public NodeModel, private QueueDepths {
 public:
  struct Setup {
    std::uint32_t number = 0;  // among the switches
    const SwitchSpec* spec = nullptr;
    const RoutingSchedule* routing = nullptr;
    std::uint64_t seed = 1;
    std::vector<Transmitter::Setup> transmitters;  // by port
    std::vector<PropagationQueue*> outputs;        // by port
    std::vector<PropagationQueue*> inputs;         // by port: the other direction of the same cable
    const std::vector<Link>* links = nullptr;      // of the topology
    std::vector<bool> host_ports;                  // by port: a host hangs on it
  };

  explicit SwitchNode(Setup setup);

  Picoseconds run(Picoseconds begin, Picoseconds end) override;

  [[nodiscard]] bool settled(Picoseconds now) override;
  [[nodiscard]] PriorityMask pausedOn(std::uint32_t port, Picoseconds now) override {
    return outputs_[port].transmitter.pausedAt(now);
  }
  [[nodiscard]] PriorityMask pausing(std::uint32_t port) const override;

  // Scripted impairments act on what comes in by `port`.
  void setScript(std::uint32_t port, std::unique_ptr<ImpairmentStage> stage);

  // Counters of the output `port`, up to date at `now`.
  [[nodiscard]] LinkCounters counters(std::uint32_t port, Picoseconds now);
  // As Fabric::read(), of the output `port`.
  [[nodiscard]] LinkReading read(std::uint32_t port, Picoseconds now);
  [[nodiscard]] Onwards onwards(std::uint32_t port, Picoseconds now) const {
    return outputs_[port].transmitter.onwards(now);
  }
  // Bytes in the switch, and frames: what conservation needs.
  [[nodiscard]] std::uint64_t framesInside() const;

 private:
  // A frame whose bits are leaving; its bytes count until the last one has left.
  struct Leaving {
    std::uint16_t length = 0;
    std::uint16_t input = 0;
    std::uint8_t priority = 0;
    Charge charge = Charge::kOutput;
    bool active = false;
  };
  // PFC watchdog of one queue.
  struct Guard {
    bool acting = false;
    Picoseconds began{};  // to act
  };
  // One priority of an output: a cache line.
  struct alignas(64) Class {
    std::int64_t queued = 0;  // bytes, the leaving frame included
    ClassQueue queue;
    // When its last frame began to leave, or the first of those that wait came, whichever is later:
    // kept where a watchdog may ask.
    Picoseconds moved{};
  };
  static_assert(sizeof(Class) == 64);
  struct alignas(64) Output {  // NOLINT(clang-analyzer-optin.performance.Padding): by use
    Output(std::uint16_t number, Transmitter::Setup setup, PropagationQueue& queue,
           Recorder& recorder, const SwitchSpec& spec, std::uint32_t inputs);

    // What every frame touches comes first: this and the beginning of the wire are two cache lines.
    std::uint16_t port;
    bool plain = false;              // see settle()
    bool active = false;             // in active_
    PriorityMask waiting = 0;        // priorities with frames
    PriorityMask pause_enabled = 0;  // of a PAUSE frame that waits to be sent
    PriorityMask discarding = 0;     // watchdog: frames are dropped
    PriorityMask ignoring = 0;       // watchdog: pauses are not obeyed
    Picoseconds decision = kNever;   // when to look for a frame to send
    Leaving leaving;
    SwitchBuffer::Account account;
    Transmitter transmitter;
    std::array<Class, 8> classes;  // by priority
    PriorityMask pause_xoff = 0;
    Scheduler scheduler;
    std::uint64_t marks = 0;  // frames tested for a mark: the index of the random number
    std::uint64_t mark_seed = 0;
    std::array<SendingCredits, 8> credits{};  // by channel
    bool consumed_waiting = false;            // a CC_Update waits to be sent
    std::array<Guard, 8> guards{};
    std::int64_t earlier_peak = 0;  // of account.most, before read() began it anew
  };
  // What the window brings, in the order of the inputs: steering first, then packets.
  struct Steering {
    std::uint32_t port;
    LinkControl item;
  };
  struct Incoming {
    const Packet* packet;  // where its input keeps it
    std::uint16_t input;
    std::uint16_t output;    // kUnrouted while it is not known
    std::uint32_t behind{};  // the next one of its list (switch_plain.cc)
  };
  // Packets by their numbers in the window; the highest bit of each number is the owner's. `link`
  // is where that of the next one to come belongs: at `first` if there are none.
  struct List {
    List() : link(&first) {}
    List(const List&) = delete;
    List& operator=(const List&) = delete;

    [[nodiscard]] bool empty() const { return link == &first; }

    std::uint32_t first = 0;
    std::uint32_t* link;
  };
  // A packet that goes through an output: when it came (switch_calm.cc).
  struct Passing {
    Picoseconds at;
    const Packet* packet;
  };
  // All of it. It belongs to the thread that runs the switch: what one switch leaves in the cache
  // serves the next one.
  struct Workspace {
    WindowOrder order;
    std::vector<Steering> steering;
    std::vector<Incoming> incoming;
    std::array<List, 8> lists;  // by priority: those that wait for the output at work
    // Of the output at work: row_length places for each priority, and one that ends no row.
    std::vector<Passing> rows;
    std::size_t row_length = 0;
    std::vector<std::uint32_t> inputs;  // the first input_count: that hand something over
    std::uint32_t input_count = 0;
    Picoseconds others;  // when an input has anything that is not of this window
    bool bare = true;    // none of these inputs has anything but packets
  };
  class PlainOutput;  // switch_plain.cc
  class CalmGroup;    // switch_calm.cc
  static constexpr std::uint16_t kUnrouted = 0xFFFF;
  // How many packets ahead of the current one the places in queue and link are fetched.
  static constexpr std::uint32_t kNearAhead = 3;
  static constexpr unsigned kNoFrame = 8;  // instead of a priority
  // A priority's ECN rule, ready to use.
  struct Marking {
    std::int64_t kmin = 0;
    std::int64_t kmax = 0;
    std::int64_t pmax = 0;  // parts per 10^12
  };
  using Depths = std::array<std::int64_t, 8>;  // by priority
  // CBFC of one input and channel, receiver's side.
  struct Freed {
    ReceivingCredits credits;
    std::int64_t unreported = 0;  // bytes since the last CF_Update
    Picoseconds due = kNever;     // when they must be told
  };

  // --- switch_node.cc: time
  void bringUp(Picoseconds time);
  void runTimersBefore(Picoseconds time);
  [[nodiscard]] Picoseconds finish(Picoseconds end);
  // An output's next step: a last bit that leaves, or a decision; of both at one instant the former
  // is the earlier. `before(t)` is the bound up to which all is done that happens before t.
  [[nodiscard]] static std::int64_t before(Picoseconds time) { return time.count() * 2; }
  // To be called when the output has got something to do, or something else to do next.
  void setStep(Output& out) {
    if (!out.active) {
      out.active = true;
      active_.insert(out.port);
    }
    if (strict_) noteStep(out);
  }
  [[nodiscard]] static std::int64_t stepOf(const Output& out) {
    if (out.leaving.active) return before(out.transmitter.lastBitAt());
    return out.decision == kNever ? kNever.count() : before(out.decision) + 1;
  }
  // Whether, while strict, what the output does has to wait for its place in the order of time: a
  // lossless frame that leaves may let an input go on; others are put off as if not strict.
  [[nodiscard]] bool isOrdered(const Output& out) const {
    return all_ordered_ || out.account.bytes != out.account.lossy;
  }
  void noteStep(const Output& out) {
    const std::int64_t step = isOrdered(out) ? stepOf(out) : kNever.count();
    step_[out.port] = step;
    others_ = least(others_, out.port == leader_ ? kNever.count() : step);
  }
  [[nodiscard]] bool anyStepBefore(Picoseconds time) const {
    return least(step_[leader_], others_) <= before(time) || timer_ < time;
  }
  // std::min() without references, which would be followed by a branch that nobody can predict.
  [[nodiscard]] static constexpr std::int64_t least(std::int64_t a, std::int64_t b) {
    return a < b ? a : b;
  }
  void findLeader();
  void becomeStrict();
  // To be called when something changed that has a say in what the output sends next.
  void settle(Output& out) const {
    out.plain = all_strict_ && credited_ == 0 && out.pause_enabled == 0 && out.transmitter.ideal();
  }

  // --- switch_path.cc: what every packet goes through
  static Workspace& workspace();
  struct Gathering;
  void gather(Picoseconds begin, Picoseconds end);
  void findInputs(Picoseconds end);
  WindowOrder::Adder takeControl(std::uint32_t port, Picoseconds end, WindowOrder::Adder adder);
  std::int64_t takeFlights(std::uint32_t port, Gathering& gathering);
  void await(std::uint32_t port, Picoseconds time);
  Picoseconds dismissInputs();
  [[nodiscard]] bool outputsAreIndependent(std::int64_t arriving, std::int64_t fullest) const;
  void runByOutput(Picoseconds end);
  struct Passage;
  bool passOn(const WindowOrder::View& order, std::uint32_t place, const Passage& passage);
  [[nodiscard]] bool isPlain(const WindowOrder::Item& item) const;
  void runGroup(const WindowOrder::View& order, std::uint32_t place, std::uint32_t end);
  void runByTime();
  void prefetchOutput(const WindowOrder::Item& item) const;
  void prefetchPlaces(const WindowOrder::Item& item) const;
  [[nodiscard]] static std::uint32_t hashedPort(const Packet& packet,
                                                std::span<const std::uint16_t> ports,
                                                std::uint64_t seed, bool by_qp);
  template <typename AdvanceTo>
  void arrive(const Incoming& incoming, Picoseconds now, AdvanceTo&& advanceTo);
  void offer(Output& out, std::uint32_t input, const Packet& packet, Picoseconds now);
  void enqueue(Output& out, const Packet& packet, std::uint32_t input, Charge charge,
               std::int64_t depth, Picoseconds now);
  // A last bit has left by `time`, or a decision is due before. No branch, for nobody could predict
  // which it is.
  [[nodiscard]] static bool hasStepBefore(const Output& out, Picoseconds time) {
    const std::int64_t last_bit = out.transmitter.lastBitAt().count();
    const std::int64_t decision = out.decision.count();
    const auto leaves = static_cast<std::int64_t>(out.leaving.active);
    return (decision ^ ((decision ^ last_bit) & -leaves)) < time.count() + leaves;
  }
  void advance(Output& out, Picoseconds time) {
    if (hasStepBefore(out, time)) {
      catchUp(out, time, time);
      if (strict_) noteStep(out);
    }
  }
  template <typename Releases, typename Decides>
  void goOn(Output& out, Releases&& releases, Decides&& decides);
  void catchUp(Output& out, Picoseconds released, Picoseconds decided);
  void advanceAll(Picoseconds time);
  void advanceInOrder(Picoseconds time);
  [[nodiscard]] unsigned choose(Output& out, Picoseconds now);
  [[nodiscard]] PriorityMask eligible(Output& out, Picoseconds now);
  void depart(Output& out, unsigned priority, Picoseconds now);
  void release(Output& out, Picoseconds now);

  // --- switch_plain.cc
  // How a plain output stands at the end of a group, all of its frames being lossy.
  struct Standing {
    std::int64_t leaving = 0;        // bytes of the frame whose last bit has not left, if any
    unsigned priority = 0;           // of the last frame that began to leave
    std::int64_t waiting_bytes = 0;  // without that frame
    std::int64_t most_bytes = 0;     // with it, ever
    unsigned waiting = 0;            // priorities
    Picoseconds decision;
  };
  void stand(Output& out, const Standing& standing);
  // Puts a packet that came in into the queue, as it will be on its next link.
  static void keep(Ring<Queued>& queue, const Packet& packet, bool marked);
  void runPlainGroup(const WindowOrder::View& order, std::uint32_t place, std::uint32_t end,
                     Picoseconds window_end);

  // --- switch_calm.cc
  // The same if it has a shorter way for them; false if not.
  bool runCalmGroup(const WindowOrder::View& order, std::uint32_t place, std::uint32_t end,
                    Picoseconds window_end);

  // --- switch_admission.cc: what some packets go through
  void useTablesOf(Picoseconds now);
  std::int64_t queuedBytes(LinkId link) override;
  void dropUnrouted(const Incoming& incoming, Picoseconds now);
  void offerWithRules(Output& out, std::uint32_t input, const Packet& packet, Picoseconds now);
  void offerLossless(Output& out, std::uint32_t input, const Packet& packet, Picoseconds now);
  // A lossless frame that seems to lift its input above xoff: asks for a pause if it does. Returns
  // whether the frame is for the headroom already.
  bool needsHeadroom(std::uint32_t input, unsigned priority, std::int64_t length, Picoseconds now);
  void trim(Output& out, std::uint32_t input, Packet packet, std::int64_t depth, Picoseconds now);
  [[nodiscard]] bool fits(const Output& out, unsigned priority, std::int64_t length,
                          Picoseconds now);
  void markByDepth(Output& out, Packet& packet, std::int64_t depth, Picoseconds now);
  // Whether a frame that finds so many bytes, more than kmin, is to be marked; not to be asked
  // twice.
  [[nodiscard]] bool drawMark(Output& out, unsigned priority, std::int64_t depth) const;
  // A packet is marked that has found `depth` bytes. `marked` returns it as it is then: asked for
  // only if somebody wants to know, for what has just been written cannot be read at once.
  template <typename Marked>
  void noteMark(Output& out, std::int64_t depth, Picoseconds now, Marked&& marked) {
    ++out.transmitter.counters().marked;
    if (recorder().wants(RecordKind::kMark)) recordMark(out, marked(), depth, now);
  }
  void recordMark(const Output& out, const Packet& packet, std::int64_t depth, Picoseconds now);
  [[nodiscard]] static bool isUrgent(const Output& out, Picoseconds now) {
    return out.pause_enabled != 0 || out.transmitter.replayAt() <= now || mayTellConsumed(out);
  }
  void sendUrgent(Output& out, Picoseconds now);
  [[nodiscard]] PriorityMask withCredits(const Output& out, PriorityMask candidates) const;
  // Returns the buffer of a frame whose last bit has left, or that was discarded.
  void giveBack(Output& out, const Leaving& frame, Picoseconds now);
  void giveBackCredits(const Leaving& frame, Picoseconds now);

  // --- switch_flow_control.cc: PFC, watchdog, CBFC
  void obey(std::uint32_t port, const LinkControl& item, Picoseconds now);
  void askToPause(std::uint32_t input, unsigned priority, bool xoff, Picoseconds now);
  void sendPause(std::uint32_t port, PriorityMask enabled, PriorityMask xoff, Picoseconds now);
  void consume(Output& out, unsigned priority, std::int64_t length, Picoseconds now);
  [[nodiscard]] static bool mayTellConsumed(const Output& out) {
    return out.consumed_waiting && out.transmitter.retrying() == 0;
  }
  void queueConsumed(std::uint32_t port, Picoseconds now);
  void tellConsumed(Output& out, Picoseconds now);
  void setConsumedTimer(std::uint32_t port, Picoseconds now);
  void learnConsumed(std::uint32_t input, const LinkControl& item, Picoseconds now);
  void free(std::uint32_t input, unsigned channel, std::int32_t credits, std::int64_t bytes,
            Picoseconds now);
  void tellFreed(std::uint32_t input, unsigned channel, Picoseconds now);
  void runTimer(Picoseconds now);
  void refreshPauses(Picoseconds now);
  void startPolling(Picoseconds now);
  void pollWatchdog(Picoseconds now);
  [[nodiscard]] bool watchdogActs(Picoseconds now);
  [[nodiscard]] bool isStuck(Output& out, unsigned priority, Picoseconds now) const;
  [[nodiscard]] bool isRestored(Output& out, unsigned priority, Picoseconds now) const;
  void beginActing(Output& out, unsigned priority, Picoseconds now);
  void discardQueue(Output& out, unsigned priority, Picoseconds now);
  void updateTimer();

  // What every window touches comes first, on few cache lines.
  const SwitchSpec& spec_;
  Workspace* work_ = nullptr;               // of the window that is run
  const Routing* table_ = nullptr;          // that holds
  Picoseconds next_epoch_ = kNever;         // when another one does
  Picoseconds timer_ = kNever;              // earliest of all timers
  std::unique_ptr<LoadBalancer> balancer_;  // none for the plain hashes
  LoadBalancingKind balancing_;
  std::uint32_t number_;
  std::uint32_t ports_;
  std::uint32_t arrivals_ = 0;  // in the last window, steering included
  std::uint32_t pausing_ = 0;   // inputs and priorities that were told to pause
  PriorityMask lossless_ = 0;
  PriorityMask credited_ = 0;
  bool all_strict_ = true;  // no priority is weighted
  bool plain_ = false;      // traffic is, at outputs that nothing hinders
  bool strict_ = false;     // outputs move in the order of time, see isOrdered()
  const bool all_ordered_;  // what lossy frames leave free may let an input go on too
  PagedVector<Output> outputs_;
  PagedVector<IngressPort> inputs_;
  std::int64_t longest_ = 0;                 // bytes of the longest frame that came so far
  std::int64_t trim_threshold_ = INT64_MAX;  // depth above which trimmable frames are trimmed
  NumberSet active_;                         // outputs that may have something to do
  NumberSet may_pause_;                      // outputs that may have pauses to forget
  SwitchBuffer buffer_;

  std::int64_t calm_below_ = 0;  // an output with so many bytes neither trims nor marks
  // Depths that may mean a mark: kmin at enqueue or at dequeue; the other is never reached.
  Depths arriving_above_{};
  Depths leaving_above_{};
  std::array<Marking, 8> marking_{};
  PagedVector<std::int64_t> step_;        // by output, while strict; kNever if none, or not ordered
  std::uint32_t leader_ = 0;              // the output whose step was the earliest
  std::int64_t others_ = kNever.count();  // no step of another output is earlier
  Picoseconds now_;

  const RoutingSchedule& routing_;
  const std::vector<Link>& links_;
  std::size_t epoch_ = 0;
  std::uint64_t seed_;
  VirtualChannels channels_;
  std::vector<bool> host_ports_;
  PagedVector<Picoseconds> refresh_;       // [input][priority]: when to repeat the PAUSE
  PagedVector<std::uint64_t> refreshing_;  // bit per one of these that holds
  PagedVector<Freed> freed_;               // [input][channel]
  PagedVector<Picoseconds> consumed_due_;  // by output: when to tell what was consumed; kNever: not
  Picoseconds poll_ = kNever;              // next watchdog poll
};

[[gnu::always_inline]] inline void SwitchNode::stand(Output& out, const Standing& standing) {
  out.classes[standing.priority].queued += standing.leaving;
  buffer_.settle(out.account, standing.waiting_bytes + standing.leaving, standing.most_bytes);
  out.leaving = {.length = static_cast<std::uint16_t>(standing.leaving),
                 .input = 0,  // whose account a lossy frame is not on
                 .priority = static_cast<std::uint8_t>(standing.priority),
                 .charge = Charge::kOutput,
                 .active = standing.leaving != 0};
  out.waiting = static_cast<PriorityMask>(standing.waiting);
  out.decision = standing.decision;
  if (standing.leaving != 0 || standing.decision != kNever) setStep(out);
}

[[gnu::always_inline]] inline void SwitchNode::keep(Ring<Queued>& queue, const Packet& packet,
                                                    bool marked) {
  Queued& item = queue.append();
  item.packet = packet;
  item.packet.hops = packet.hops + 1U;  // of what is at hand, see Transmitter::Burst
  if (marked) item.packet.ce = true;
  item.input = 0;  // whose account a lossy frame is not on
  item.charge = Charge::kOutput;
}

[[gnu::always_inline]] inline void SwitchNode::enqueue(Output& out, const Packet& packet,
                                                       std::uint32_t input, Charge charge,
                                                       std::int64_t depth, Picoseconds now) {
  const unsigned priority = packet.priority;
  out.classes[priority].queued += packet.length;
  Queued& item = out.classes[priority].queue.append(static_cast<std::uint16_t>(input));
  item.packet = packet;
  item.packet.hops = packet.hops + 1U;  // of what is at hand, not of what is on its way to memory
  item.input = static_cast<std::uint16_t>(input);
  item.charge = charge;
  if (depth > arriving_above_[priority] && packet.ect && !packet.ce) {
    markByDepth(out, item.packet, depth, now);
  }
  // One behind others of its priority changes nothing in what is to be sent next.
  if ((out.waiting >> priority & 1U) != 0) return;
  out.waiting |= static_cast<PriorityMask>(1U << priority);
  out.classes[priority].moved = now;
  out.decision = earlier(out.decision, later(out.transmitter.freeAt(), now));
  setStep(out);
}

[[gnu::always_inline]] inline void SwitchNode::offerLossless(Output& out, std::uint32_t input,
                                                             const Packet& packet,
                                                             Picoseconds now) {
  const unsigned priority = packet.priority;
  const std::int64_t length = packet.length;
  bool headroom = buffer_.pausing(input, priority);
  if (!headroom && buffer_.overXoff(input, priority, length)) {
    headroom = needsHeadroom(input, priority, length, now);
  }
  if (!buffer_.chargeInput(input, priority, length, headroom)) {
    out.transmitter.drop(packet, DropReason::kHeadroomFull, now);
    return;
  }
  SwitchBuffer::chargeAlways(out.account, length);
  enqueue(out, packet, input, Charge::kInput, out.classes[priority].queued, now);
}

[[gnu::always_inline]] inline void SwitchNode::giveBack(Output& out, const Leaving& frame,
                                                        Picoseconds now) {
  const unsigned priority = frame.priority;
  out.classes[priority].queued -= frame.length;
  if (frame.charge == Charge::kOutput) {
    buffer_.releaseOutput(out.account, frame.length);
    return;
  }
  SwitchBuffer::releaseAlways(out.account, frame.length);
  if (frame.charge == Charge::kCredit) {
    giveBackCredits(frame, now);
    return;
  }
  buffer_.releaseInput(frame.input, priority, frame.length);
  if (buffer_.pausing(frame.input, priority) && buffer_.belowXon(frame.input, priority)) {
    askToPause(frame.input, priority, false, now);
  }
}

}  // namespace plumbline::fabric
