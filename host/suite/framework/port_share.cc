#include "suite/framework/port_share.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "card/rate.h"

namespace plumbline::suite {
namespace {

// Time for which the last frame of a constant load is on the wire after the end of the duration, if
// nothing delayed it; nothing for other loads, which end earlier.
Picoseconds overhang(const bench::StreamSpec& stream, Picoseconds duration, BitRate line) {
  const auto* constant = std::get_if<bench::ConstantLoad>(&stream.load);
  if (constant == nullptr || stream.gaps || stream.start >= duration) return {};
  const card::FinePeriod period = card::framePeriod(stream.frame, line, constant->rate);
  const std::uint64_t frames = card::framesWithin(duration - stream.start, period);
  if (frames == 0) return {};
  const double until_last = static_cast<double>(frames - 1) * static_cast<double>(period.raw()) /
                            std::exp2(card::FinePeriod::kFractionBits);
  const Picoseconds last = stream.start + Picoseconds(std::llround(until_last));
  return std::max(last + frameSlot(stream.frame, line) - duration, Picoseconds(0));
}

}  // namespace

double wireSharePercent(const bench::TrialSpec& spec, std::uint32_t port, bool to,
                        std::uint64_t frames, std::uint64_t bytes, BitRate line) {
  const double duration = spec.duration.toSeconds();
  const std::uint64_t on_wire =
      bytes + frames * static_cast<std::uint64_t>(kWireOverheadBytes.count());
  const double taken = static_cast<double>(on_wire) * 8 / static_cast<double>(line.bitsPerSecond());
  // One frame at a time is on the wire.
  Picoseconds behind{};
  for (const bench::StreamSpec& stream : spec.streams) {
    if ((to ? stream.to : stream.from) != port) continue;
    behind = std::max(behind, overhang(stream, spec.duration, line));
  }
  return 100 * std::clamp((taken - behind.toSeconds()) / duration, 0.0, 1.0);
}

}  // namespace plumbline::suite
