#include "fabric/link/impairment.h"

#include <algorithm>
#include <utility>

namespace plumbline::fabric {

ImpairmentStage::ImpairmentStage(std::vector<Impairment> script, WireClock wire)
    : script_(std::move(script)), wire_(wire) {
  std::sort(script_.begin(), script_.end(),
            [](const Impairment& a, const Impairment& b) { return a.frame < b.frame; });
}

void ImpairmentStage::advance(PropagationQueue& queue, Picoseconds end) {
  for (;;) {
    const Picoseconds arrives = queue.packets.empty() ? kNever : queue.packets.front().at;
    const Picoseconds returns = delayed_.empty() ? kNever : delayed_.front().frame.at;
    if (std::min(arrives, returns) >= end) return;
    if (arrives <= returns) {
      const InFlightPacket frame = queue.packets.front();
      queue.packets.pop();
      take(frame, queue.from_last_bit);
    } else {
      const InFlightPacket frame = delayed_.front().frame;
      delayed_.erase(delayed_.begin());
      release(frame, queue.from_last_bit);
    }
  }
}

Picoseconds ImpairmentStage::next(const PropagationQueue& queue) const {
  const Picoseconds arrives = queue.packets.empty() ? kNever : queue.packets.front().at;
  const Picoseconds returns = delayed_.empty() ? kNever : delayed_.front().frame.at;
  return std::min(arrives, returns);
}

void ImpairmentStage::take(const InFlightPacket& frame, bool from_last_bit) {
  const std::uint64_t number = frames_++;
  if (next_line_ == script_.size() || script_[next_line_].frame != number) {
    release(frame, from_last_bit);
    return;
  }
  const Impairment& line = script_[next_line_++];
  switch (line.kind) {
    case ImpairmentKind::kDrop:
      dropped_.push_back(frame);
      break;
    case ImpairmentKind::kDuplicate:
      release(frame, from_last_bit);
      release(frame, from_last_bit);
      break;
    case ImpairmentKind::kDelay: {
      const DelayedFrame held{{frame.at + line.delay, frame.packet}, number};
      delayed_.insert(std::upper_bound(delayed_.begin(), delayed_.end(), held,
                                       [](const DelayedFrame& a, const DelayedFrame& b) {
                                         return std::pair(a.frame.at, a.order) <
                                                std::pair(b.frame.at, b.order);
                                       }),
                      held);
      break;
    }
  }
}

// The frame leaves at once, or as soon as the wire is free.
void ImpairmentStage::release(const InFlightPacket& frame, bool from_last_bit) {
  const Picoseconds head_start =
      from_last_bit ? wire_.serialization(frame.packet.length) : Picoseconds(0);
  Picoseconds first_bit = frame.at - head_start;
  if (first_bit < occupied_until_) first_bit = next_slot_;
  occupied_until_ = first_bit + wire_.frameAndPreamble(frame.packet.length);
  next_slot_ = first_bit + wire_.slot(frame.packet.length);
  output_.push({first_bit + head_start, frame.packet});
}

}  // namespace plumbline::fabric
