#include "transport/nic.h"

#include <algorithm>
#include <utility>

namespace plumbline::transport {

Nic::Nic(Application* application, std::vector<std::unique_ptr<Protocol>> protocols)
    : application_(application), protocols_(std::move(protocols)) {
  if (application_ != nullptr) application_->attach(*this);
  updateWake();
}

void Nic::post(const Message& message, Picoseconds now) { protocols_.front()->post(message, now); }

void Nic::receive(const fabric::Packet& packet, Picoseconds now) {
  const ProtocolId id = protocolOf(packet.opcode);
  for (const auto& protocol : protocols_) {
    if (protocol->id() == id) {
      protocol->receive(packet, now);
      break;
    }
  }
  updateWake();
}

bool Nic::transmit(Picoseconds now, fabric::PriorityMask paused, fabric::Packet& packet) {
  bool sent = false;
  for (std::size_t tried = 0; tried < protocols_.size() && !sent; ++tried) {
    Protocol& protocol = *protocols_[turn_];
    turn_ = turn_ + 1 == protocols_.size() ? 0 : turn_ + 1;
    sent = protocol.transmit(now, paused, packet);
  }
  updateWake();
  return sent;
}

void Nic::wake(Picoseconds now) {
  if (application_ != nullptr && application_->wakeAt() <= now) application_->wake(now);
  for (const auto& protocol : protocols_) {
    if (protocol->wakeAt() <= now) protocol->wake(now);
  }
  updateWake();
}

void Nic::updateWake() {
  Picoseconds at = application_ != nullptr ? application_->wakeAt() : kNever;
  for (const auto& protocol : protocols_) at = std::min(at, protocol->wakeAt());
  setWakeAt(at);
}

}  // namespace plumbline::transport
