// A window of a host with an endpoint and an unrestricted link: no faults, pauses, credits, storms
// or control messages, and departures are not observed. The checks of host_node.cc for these are
// left out, and the state that every packet changes is in registers.
#include "fabric/engine/host_node.h"

namespace plumbline::fabric {

class HostNode::UnrestrictedWindow {
 public:
  explicit UnrestrictedWindow(HostNode& node)
      : node_(node),
        endpoint_(*node.endpoint_),
        burst_(node.transmitter_),
        decision_(node.decision_) {}

  // Wake-ups and transmissions before `until`. A wake-up that is overdue happens now.
  void advance(Picoseconds until) {
    for (;;) {
      const Picoseconds wakes = later(endpoint_.wakeAt(), last_);
      const Picoseconds now = earlier(wakes, decision_);
      if (now >= until) return;
      last_ = now;
      if (wakes == now) {
        endpoint_.wake(now);
        updateDecision();
      } else {
        transmit();
      }
    }
  }

  void receive(const Packet& packet, Picoseconds now) {
    last_ = now;
    endpoint_.receive(packet, now);
    updateDecision();
  }

  // Stores the state in the node.
  void end() {
    burst_.end();
    node_.decision_ = decision_;
  }

 private:
  void updateDecision() {
    decision_ = endpoint_.hasFrames() ? later(burst_.freeAt(), last_) : kNever;
  }

  void transmit() {
    if (endpoint_.hasFrames()) {
      Packet& packet = burst_.slot();
      if (endpoint_.transmit(last_, 0, packet)) {
        packet.source = static_cast<std::uint16_t>(node_.host_);
        burst_.commit(last_);
        updateDecision();
        return;
      }
    }
    decision_ = kNever;
  }

  HostNode& node_;
  Endpoint& endpoint_;
  Transmitter::Burst burst_;
  Picoseconds decision_;
  Picoseconds last_{INT64_MIN};  // time of the last event
};

// Whether only packets and the endpoint determine what happens before `end`.
bool HostNode::isUnrestrictedUntil(Picoseconds end) {
  return unrestricted() && storm_ >= end && ingress_.control().empty() &&
         !recorder().accepts(RecordKind::kDeparture);
}

void HostNode::runUnrestricted(Picoseconds end) {
  SpscRing<InFlightPacket>& packets = ingress_.packets();
  UnrestrictedWindow window(*this);
  const std::size_t taken = packets.visit([&](const InFlightPacket& in_flight) {
    if (in_flight.at >= end) return false;
    window.advance(in_flight.at);
    window.receive(in_flight.packet, in_flight.at);
    return true;
  });
  window.advance(end);
  window.end();
  packets.pop(taken);
  received_ += taken;
}

}  // namespace plumbline::fabric
