#include "fabric/impairment.h"

#include <algorithm>
#include <utility>

namespace plumbline::fabric {

ImpairmentStage::ImpairmentStage(std::vector<Line> script, WireClock wire)
    : script_(std::move(script)), wire_(wire) {
  std::sort(script_.begin(), script_.end(),
            [](const Line& a, const Line& b) { return a.what.frame < b.what.frame; });
}

const ImpairmentStage::Line* ImpairmentStage::nextFrame() {
  const std::uint64_t frame = frames_++;
  if (next_line_ == script_.size() || script_[next_line_].what.frame != frame) return nullptr;
  return &script_[next_line_++];
}

Picoseconds ImpairmentStage::place(std::uint32_t length, Picoseconds now, Picoseconds head_start) {
  Picoseconds first_bit = now - head_start;
  if (first_bit < occupied_until_) first_bit = next_slot_;
  occupied_until_ = first_bit + wire_.frameAndPreamble(length);
  next_slot_ = first_bit + wire_.slot(length);
  return first_bit + head_start;
}

}  // namespace plumbline::fabric
