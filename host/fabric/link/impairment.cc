#include "fabric/link/impairment.h"

#include <algorithm>
#include <utility>

namespace plumbline::fabric {

ImpairmentStage::ImpairmentStage(std::vector<Impairment> script, WireClock wire)
    : script_(std::move(script)), wire_(wire) {
  std::sort(script_.begin(), script_.end(),
            [](const Impairment& a, const Impairment& b) { return a.frame < b.frame; });
}

void ImpairmentStage::advance(Lane& lane, Picoseconds end) {
  for (;;) {
    const Picoseconds arrives = lane.flight.empty() ? kNever : lane.flight.front().at;
    const Picoseconds returns = held_.empty() ? kNever : held_.front().flight.at;
    if (std::min(arrives, returns) >= end) return;
    if (arrives <= returns) {
      const Flight flight = lane.flight.front();
      lane.flight.pop();
      take(flight, lane.stored);
    } else {
      const Flight flight = held_.front().flight;
      held_.erase(held_.begin());
      release(flight, lane.stored);
    }
  }
}

Picoseconds ImpairmentStage::next(const Lane& lane) const {
  const Picoseconds arrives = lane.flight.empty() ? kNever : lane.flight.front().at;
  const Picoseconds returns = held_.empty() ? kNever : held_.front().flight.at;
  return std::min(arrives, returns);
}

void ImpairmentStage::take(const Flight& flight, bool stored) {
  const std::uint64_t frame = frames_++;
  if (next_line_ == script_.size() || script_[next_line_].frame != frame) {
    release(flight, stored);
    return;
  }
  const Impairment& line = script_[next_line_++];
  switch (line.kind) {
    case ImpairmentKind::kDrop:
      dropped_.push_back(flight);
      break;
    case ImpairmentKind::kDuplicate:
      release(flight, stored);
      release(flight, stored);
      break;
    case ImpairmentKind::kDelay: {
      const Held held{{flight.at + line.delay, flight.packet}, frame};
      held_.insert(std::upper_bound(held_.begin(), held_.end(), held,
                                    [](const Held& a, const Held& b) {
                                      return std::pair(a.flight.at, a.order) <
                                             std::pair(b.flight.at, b.order);
                                    }),
                   held);
      break;
    }
  }
}

// The frame reserves the wire: it leaves at once unless another one is on it.
void ImpairmentStage::release(const Flight& flight, bool stored) {
  const Picoseconds head_start =
      stored ? wire_.serialization(flight.packet.length) : Picoseconds(0);
  Picoseconds first_bit = flight.at - head_start;
  if (first_bit < occupied_until_) first_bit = next_slot_;
  occupied_until_ = first_bit + wire_.frameAndPreamble(flight.packet.length);
  next_slot_ = first_bit + wire_.slot(flight.packet.length);
  output_.push({first_bit + head_start, flight.packet});
}

}  // namespace plumbline::fabric
