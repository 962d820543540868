// What host_node.cc does, for an endpoint whose link nothing hinders: the common case, without the
// questions that are answered beforehand. What every packet of a window changes stays in local
// variables from the first to the last.
#include "fabric/engine/host_node.h"

namespace plumbline::fabric {

// What goes on at such a host in a window. Inlined, by order, for otherwise its members would be in
// memory after all.
class HostNode::PlainWindow {
 public:
  [[gnu::always_inline]] explicit PlainWindow(HostNode& node)
      : node_(node),
        endpoint_(*node.endpoint_),
        burst_(node.transmitter_),
        decision_(node.decision_) {}

  // Does what the host does of its own accord before `until`. A wake-up for a time that is past
  // happens now.
  [[gnu::always_inline]] void advance(Picoseconds until) {
    for (;;) {
      const Picoseconds wakes = later(endpoint_.wakeAt(), last_);
      const Picoseconds now = earlier(wakes, decision_);
      if (now >= until) return;
      last_ = now;
      if (wakes == now) {
        endpoint_.wake(now);
        reconsider();
      } else {
        transmit();
      }
    }
  }

  [[gnu::always_inline]] void receive(const Packet& packet, Picoseconds now) {
    last_ = now;
    endpoint_.receive(packet, now);
    reconsider();
  }

  // Puts its state back to where others look for it.
  [[gnu::always_inline]] void give() {
    burst_.end();
    node_.decision_ = decision_;
  }

 private:
  [[gnu::always_inline]] void reconsider() {
    decision_ = endpoint_.hasFrames() ? later(burst_.freeAt(), last_) : kNever;
  }

  [[gnu::always_inline]] void transmit() {
    if (endpoint_.hasFrames()) {
      Packet& packet = burst_.slot();
      if (endpoint_.transmit(last_, 0, packet)) {
        packet.source = static_cast<std::uint16_t>(node_.host_);
        burst_.commit(last_);
        reconsider();
        return;
      }
    }
    decision_ = kNever;
  }

  HostNode& node_;
  Endpoint& endpoint_;
  Transmitter::Burst burst_;
  Picoseconds decision_;
  Picoseconds last_{INT64_MIN};  // when something happened last
};

// Up to `end` nothing has a say in what happens but packets and the endpoint.
bool HostNode::isPlain(Picoseconds end) {
  return plain() && storm_ >= end && ingress_.control().empty() &&
         !recorder().wants(RecordKind::kDeparture);
}

void HostNode::runPlain(Picoseconds end) {
  SpscRing<InFlightPacket>& packets = ingress_.packets();
  PlainWindow window(*this);
  const std::size_t taken = packets.visit([&](const InFlightPacket& in_flight) {
    if (in_flight.at >= end) return false;
    window.advance(in_flight.at);
    window.receive(in_flight.packet, in_flight.at);
    return true;
  });
  window.advance(end);
  window.give();
  packets.pop(taken);
  received_ += taken;
}

}  // namespace plumbline::fabric
