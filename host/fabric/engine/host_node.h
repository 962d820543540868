// A host's port: with an endpoint model, or open for a tester's port.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "fabric/engine/endpoint.h"
#include "fabric/engine/node.h"
#include "fabric/link/credits.h"
#include "fabric/link/ingress_port.h"
#include "fabric/link/transmitter.h"
#include "fabric/spec/fabric_spec.h"

namespace plumbline::fabric {

// With an endpoint, the endpoint is asked for a frame whenever the wire is free and its state may
// have changed. PAUSE frames of scripted storms go before its frames. Arriving frames need no
// buffer: a slow host is modelled by a script that sends PAUSE. As a receiver of CBFC it frees
// credits at once, also those of frames that a CC_Update shows to be lost.
//
// Without an endpoint, the caller sends frames at any time with send(), and arriving frames are
// kept for the engine to report. LLR and the sender's side of CBFC are then the caller's task: a
// frame that is damaged on its way into the fabric is lost.
class HostNode final : public NodeModel {
 public:
  struct Setup {
    HostId host = 0;
    const SwitchSpec* spec = nullptr;
    Transmitter::Setup transmitter;
    PropagationQueue* output = nullptr;
    PropagationQueue* input = nullptr;
    std::vector<PauseStormSpec> storms;
  };
  // What arrived at a tester's port.
  struct Delivery {
    Picoseconds first_bit;
    HostId host = 0;
    Packet packet;
  };
  struct PauseDelivery {
    Picoseconds first_bit;
    HostId host = 0;
    LinkControl pause;
  };

  explicit HostNode(Setup setup);

  // Attaches `endpoint`, before anything runs. It must outlive the node.
  void attach(Endpoint& endpoint);
  [[nodiscard]] bool attached() const { return endpoint_ != nullptr; }
  [[nodiscard]] Picoseconds endpointWakesAt() const { return endpoint_->wakeAt(); }

  void setScript(std::unique_ptr<ImpairmentStage> stage) { ingress_.setScript(std::move(stage)); }
  Picoseconds run(Picoseconds begin, Picoseconds end) override;
  void prefetch() const override;
  [[nodiscard]] bool settled(Picoseconds now) override;
  [[nodiscard]] std::uint64_t retriedInVain() const override {
    return transmitter_.retriesInVain() ? transmitter_.retrying() : 0;
  }
  [[nodiscard]] PriorityMask pausedOn(std::uint32_t /*port*/, Picoseconds now) override {
    return transmitter_.pausedAt(now);
  }
  [[nodiscard]] PriorityMask pausing(std::uint32_t /*port*/) const override { return 0; }
  // Time of its first event that no packet causes.
  [[nodiscard]] Picoseconds first() const { return std::min(storm_, decision_); }

  // Tester's port: sends a frame, or a PAUSE frame.
  void send(const Packet& packet, Picoseconds first_bit) {
    transmitter_.send(packet, first_bit);
    transmitter_.waiveGap(packet.length, first_bit);
  }
  void sendPause(const LinkControl& pause, Picoseconds first_bit) {
    transmitter_.sendPause(pause, first_bit);
    transmitter_.waiveGap(kControlFrameBytes, first_bit);
  }
  [[nodiscard]] Transmitter& transmitter() { return transmitter_; }
  [[nodiscard]] const PropagationQueue& input() const { return incoming_queue_; }

  [[nodiscard]] std::vector<Delivery>& deliveries() { return deliveries_; }
  [[nodiscard]] std::vector<PauseDelivery>& pauses() { return pause_deliveries_; }
  [[nodiscard]] std::uint64_t received() const { return received_; }
  [[nodiscard]] LinkCounters counters(Picoseconds now);
  // Without credits_in_use.
  [[nodiscard]] const LinkCounters& read(Picoseconds now);
  [[nodiscard]] UnsentRest unsentRest(Picoseconds now) const {
    return transmitter_.unsentRest(now);
  }
  [[nodiscard]] Picoseconds lastPacketBitAt() const { return transmitter_.lastPacketBitAt(); }
  [[nodiscard]] std::uint64_t framesInside() const {
    return transmitter_.retrying() + ingress_.heldFrames() +
           static_cast<std::uint64_t>(std::popcount(standing_));
  }

 private:
  struct Storm {
    PauseStormSpec spec;
    Picoseconds next;  // PAUSE frame; kNever when it is over
  };

  class UnrestrictedWindow;  // host_unrestricted.cc

  void runEndpoint(Picoseconds end);
  void announceArrivals(Picoseconds end) const;
  void deliverAll(Picoseconds end);
  void receiveControl(Picoseconds now);
  void receivePacket(Picoseconds now);
  // To be called after the endpoint was called: whether it has frames may have changed.
  void updateDecision(Picoseconds now) {
    decision_ =
        endpoint_->hasFrames() || !unrestricted() ? later(transmitter_.freeAt(), now) : kNever;
  }
  void useWire(Picoseconds now);
  bool takeCredits(const Packet& packet, Picoseconds now);
  bool sendUrgent(Picoseconds now);
  void runStorms(Picoseconds now);
  void freeArrived(const Packet& packet, Picoseconds now);
  void freeLost(const LinkControl& item, Picoseconds now);
  void sendFreed(unsigned channel, Picoseconds now);
  void setConsumedTimer(Picoseconds now);
  void runTimers(Picoseconds now);
  [[nodiscard]] PriorityMask blocked(Picoseconds now);
  // Only the endpoint determines what is sent: no faults, pauses, credits or PAUSE frames.
  [[nodiscard]] bool unrestricted() const {
    return pause_enabled_ == 0 && credited_ == 0 && transmitter_.ideal();
  }

  // host_unrestricted.cc
  bool isUnrestrictedUntil(Picoseconds end);
  void runUnrestricted(Picoseconds end);

  HostId host_;
  const SwitchSpec& spec_;
  Transmitter transmitter_;
  PropagationQueue& incoming_queue_;
  IngressPort ingress_;
  Endpoint* endpoint_ = nullptr;
  Picoseconds decision_ = kNever;  // when to offer the wire
  PriorityMask credited_ = 0;
  PriorityMask standing_ = 0;  // channels with a frame that never gets its credits
  VirtualChannels channels_;
  std::array<SendingCredits, 8> sending_{};      // by channel
  std::array<ReceivingCredits, 8> receiving_{};  // by channel
  Picoseconds consumed_due_ = kNever;            // when to tell what was consumed
  bool consumed_waiting_ = false;                // a CC_Update waits to be sent
  std::vector<Storm> storms_;
  Picoseconds storm_ = kNever;  // earliest of them
  PriorityMask pause_enabled_ = 0;
  PriorityMask pause_xoff_ = 0;
  std::uint64_t received_ = 0;
  std::vector<Delivery> deliveries_;
  std::vector<PauseDelivery> pause_deliveries_;
};

}  // namespace plumbline::fabric
