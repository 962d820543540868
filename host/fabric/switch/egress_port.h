// The sending side of a switch port: queues, buffer account, scheduler and transmitter.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "base/random.h"
#include "base/units.h"
#include "fabric/engine/packet.h"
#include "fabric/link/credits.h"
#include "fabric/link/transmitter.h"
#include "fabric/spec/fabric_spec.h"
#include "fabric/switch/egress_rules.h"
#include "fabric/switch/frame_queue.h"
#include "fabric/switch/scheduler.h"
#include "fabric/switch/switch_buffer.h"

namespace plumbline::fabric {

// The state of an egress port, and the rules that need nothing else. Rules that also need the rest
// of the switch are in SwitchNode; EgressDrain applies both.
struct alignas(64) EgressPort {  // NOLINT(clang-analyzer-optin.performance.Padding): by use
  // A frame in transmission. Its bytes count as queued until its last bit has left.
  struct Sending {
    std::uint16_t length = 0;
    std::uint16_t ingress = 0;
    std::uint8_t priority = 0;
    Charge charge = Charge::kEgress;
    bool active = false;
  };
  // One priority: a cache line.
  struct alignas(64) Queue {
    std::int64_t bytes = 0;  // waiting or in transmission
    FrameQueue frames;
    // When its last frame started, or its first waiting frame arrived, whichever is later. Kept
    // where a watchdog may ask for it.
    Picoseconds progress_at{};
  };
  static_assert(sizeof(Queue) == 64);
  // PFC watchdog of one priority.
  struct Watchdog {
    bool acting = false;
    Picoseconds began{};  // to act
  };

  EgressPort(std::uint16_t port, Transmitter::Setup setup, PropagationQueue& queue,
             Recorder& recorder, const SwitchSpec& spec, std::uint32_t ports);

  // What every frame needs comes first: this and the beginning of the transmitter are two cache
  // lines.
  std::uint16_t number;
  bool unrestricted = false;       // see updateRestrictions()
  bool active = false;             // in SwitchNode::active_
  PriorityMask waiting = 0;        // priorities with frames
  PriorityMask pause_enabled = 0;  // of a PAUSE frame that waits to be sent
  PriorityMask discarding = 0;     // watchdog: frames are dropped
  PriorityMask ignoring = 0;       // watchdog: pauses are not obeyed
  Picoseconds decision = kNever;   // when to look for a frame to send
  Sending sending;
  SwitchBuffer::Account account;
  Transmitter transmitter;
  std::array<Queue, 8> queues;  // by priority
  PriorityMask pause_xoff = 0;
  Scheduler scheduler;
  std::uint64_t mark_tests = 0;  // frames tested for a mark: the index of the random number
  std::uint64_t mark_seed = 0;
  std::array<SendingCredits, 8> credits{};  // by channel
  bool consumed_waiting = false;            // a CC_Update waits to be sent
  std::array<Watchdog, 8> watchdogs{};
  std::int64_t earlier_peak = 0;  // account.peak before SwitchNode::read() restarted it

  // Whether a frame that EgressRules tests gets a mark. To be asked once per frame.
  [[nodiscard]] bool marks(const EgressRules& rules, unsigned priority, std::int64_t depth) {
    return rules.marks(priority, depth, [this] { return mix64(mark_seed + ++mark_tests); });
  }
  // A last bit has left by `time`, or a decision is due before. Without a branch, because its
  // outcome is unpredictable.
  [[nodiscard]] bool hasStepBefore(Picoseconds time) const {
    const std::int64_t last_bit = transmitter.lastBitAt().count();
    const auto sends = static_cast<std::int64_t>(sending.active);
    return (decision.count() ^ ((decision.count() ^ last_bit) & -sends)) < time.count() + sends;
  }
  // To be called when a PAUSE frame arrived, expired, or is to be sent. Strict priority is the only
  // rule of the scheduler then if the spec says so (`unweighted`).
  void updateRestrictions(bool unweighted) {
    unrestricted = unweighted && pause_enabled == 0 && transmitter.ideal();
  }
  [[nodiscard]] bool mayReportConsumed() const {
    return consumed_waiting && transmitter.retrying() == 0;
  }
  // A PAUSE frame, a replay or a CC_Update has to be sent before all queued frames.
  [[nodiscard]] bool hasControlToSend(Picoseconds now) const {
    return pause_enabled != 0 || transmitter.replayAt() <= now || mayReportConsumed();
  }
};

// The highest of `priorities`, which are not 0: strict priority.
[[nodiscard]] constexpr unsigned highestPriority(unsigned priorities) {
  return static_cast<unsigned>(std::bit_width(priorities)) - 1;
}

}  // namespace plumbline::fabric
