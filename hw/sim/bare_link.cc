#include "sim/bare_link.h"

#include <memory>
#include <string>
#include <utility>

#include "base/error.h"

namespace plumbline::sim {

BareLink::BareLink(CardSim& card, std::uint32_t left, std::uint32_t right, Picoseconds delay)
    : card_(card), ports_{left, right}, delay_(delay) {
  if (left == right) {
    throw Error(ErrorKind::kUsage, "a link needs two ports", "port " + std::to_string(left));
  }
  if (delay < minimumDelay()) {
    throw Error(ErrorKind::kUsage, "the delay of a bare link is too short",
                std::to_string(delay.count()) + " ps",
                "at least " + std::to_string(minimumDelay().count()) + " ps");
  }
  card_.connect(this);
}

BareLink::~BareLink() { card_.connect(nullptr); }

void BareLink::setUp(bool up) {
  up_ = up;
  for (const std::uint32_t port : ports_) {
    card_.setLink(port, up);
  }
}

void BareLink::onFrameFromCard(std::uint32_t port, FrameBytes frame, Picoseconds first_bit) {
  onFrameFromCard(port, std::move(frame), first_bit, kOrdinaryPreamble);
}

void BareLink::onFrameFromCard(std::uint32_t port, FrameBytes frame, Picoseconds first_bit,
                               Preamble preamble) {
  if (!up_ || (port != ports_[0] && port != ports_[1])) {
    return;
  }
  if (on_frame) {
    Frame script{*frame, preamble, first_bit};
    if (!on_frame(port, script)) {
      return;
    }
    preamble = script.preamble;
    frame = std::make_shared<const std::vector<std::uint8_t>>(std::move(script.bytes));
  }
  card_.deliver(other(port), std::move(frame), first_bit + delay_, preamble);
}

void BareLink::onSetFromCard(std::uint32_t port, OrderedSet set, Picoseconds begin) {
  if (!up_ || (port != ports_[0] && port != ports_[1])) {
    return;
  }
  if (!on_set || on_set(port, set)) {
    card_.deliverSet(other(port), set, begin + delay_);
  }
}

std::uint32_t BareLink::other(std::uint32_t port) const {
  return port == ports_[0] ? ports_[1] : ports_[0];
}

}  // namespace plumbline::sim
