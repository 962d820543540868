#include "transport/nic.h"

#include <algorithm>
#include <utility>

namespace plumbline::transport {

using fabric::earlier;

Nic::Nic(Application* application, std::vector<std::unique_ptr<Protocol>> protocols)
    : application_(application), protocols_(std::move(protocols)) {
  for (const auto& protocol : protocols_) {
    by_id_.at(static_cast<std::size_t>(protocol->id())) = protocol.get();
  }
  if (protocols_.size() == 1) only_ = protocols_.front().get();
  setFetchesAhead(only_ != nullptr && only_->fetchesAhead());
  if (application_ != nullptr) application_->attach(*this);
  updateWake();
}

void Nic::post(const Message& message, Picoseconds now) { protocols_.front()->post(message, now); }

void Nic::receive(const fabric::Packet& packet, Picoseconds now) {
  Protocol* const protocol = by_id_[static_cast<std::size_t>(protocolOf(packet.opcode))];
  if (protocol == nullptr) return;
  protocol->receive(packet, now);
  updateWake();
}

bool Nic::transmit(Picoseconds now, fabric::PriorityMask paused, fabric::Packet& packet) {
  const bool sent =
      only_ != nullptr ? only_->transmit(now, paused, packet) : transmitInTurn(now, paused, packet);
  updateWake();
  return sent;
}

// Not inlined, so that the usual case of a single protocol does not save the registers used here.
[[gnu::noinline]] bool Nic::transmitInTurn(Picoseconds now, fabric::PriorityMask paused,
                                           fabric::Packet& packet) {
  for (std::size_t tried = 0; tried < protocols_.size(); ++tried) {
    Protocol& protocol = *protocols_[turn_];
    if (++turn_ == protocols_.size()) turn_ = 0;
    if (protocol.transmit(now, paused, packet)) return true;
  }
  return false;
}

void Nic::wake(Picoseconds now) {
  if (application_ != nullptr && application_->wakeAt() <= now) application_->wake(now);
  if (only_ != nullptr) {
    if (only_->wakeAt() <= now) only_->wake(now);
  } else {
    for (const auto& protocol : protocols_) {
      if (protocol->wakeAt() <= now) protocol->wake(now);
    }
  }
  updateWake();
}

void Nic::expect(std::span<const fabric::Packet* const> packets) const { only_->expect(packets); }

void Nic::updateWake() {
  Picoseconds at = application_ != nullptr ? application_->wakeAt() : kNever;
  if (only_ != nullptr) {
    at = earlier(at, only_->wakeAt());
    setHasFrames(only_->hasFrames());
  } else {
    for (const auto& protocol : protocols_) at = std::min(at, protocol->wakeAt());
  }
  setWakeAt(at);
}

}  // namespace plumbline::transport
