#include "sim/mac_rx_model.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"

namespace plumbline::sim {

void MacRxModel::deliver(FrameBytes frame, Picoseconds first_bit, Preamble preamble) {
  if (frame == nullptr || frame->empty()) {
    throw Error(ErrorKind::kTester, "an empty frame was put on the wire towards the card");
  }
  constexpr Picoseconds kPreamble = serializationTime(kPreambleBytes, kLineRate);
  if (first_bit - kPreamble < line_free_) {
    throw Error(ErrorKind::kTester, "frames overlap on the wire towards the card",
                "first bit at " + std::to_string(first_bit.count()) + " ps",
                "not before " + std::to_string((line_free_ + kPreamble).count()) + " ps");
  }
  line_free_ = first_bit + kByteTime * static_cast<std::int64_t>(frame->size());
  queue_.push_back({std::move(frame), first_bit, preamble});
  if (queue_.size() == 1) {
    scheduleBeat();
  }
}

void MacRxModel::deliverSet(OrderedSet set, Picoseconds begin) {
  const Picoseconds due = begin + serializationTime(kColumnBytes, kLineRate) + kMacRxLatency;
  if (!sets_.empty() && due < sets_.back().due) {
    throw Error(ErrorKind::kTester, "ordered sets on the wire towards the card are out of order",
                "at " + std::to_string(begin.count()) + " ps");
  }
  sets_.push_back({set, due});
  next_set_ = sets_.front().due;
}

OrderedSet MacRxModel::takeSet() {
  const OrderedSet set = sets_.front().set;
  sets_.pop_front();
  next_set_ = sets_.empty() ? kNever : sets_.front().due;
  return set;
}

void MacRxModel::scheduleBeat() {
  if (queue_.empty()) {
    next_beat_ = kNever;
    return;
  }
  const Arriving& front = queue_.front();
  const auto length = static_cast<std::int64_t>(front.frame->size());
  const auto end = std::min(static_cast<std::int64_t>(offset_) + kBeatBytes, length);
  next_beat_ = front.first_bit + kByteTime * end + kMacRxLatency;
}

MacRxModel::Beat MacRxModel::takeBeat() {
  const std::vector<std::uint8_t>& bytes = *queue_.front().frame;
  const std::size_t count = std::min<std::size_t>(kBeatBytes, bytes.size() - offset_);
  const Beat beat{bytes.data() + offset_, count, offset_ + count == bytes.size(),
                  queue_.front().preamble};
  offset_ += count;
  if (beat.last) {
    presented_ = std::move(queue_.front().frame);
    queue_.pop_front();
    offset_ = 0;
  }
  scheduleBeat();
  return beat;
}

}  // namespace plumbline::sim
