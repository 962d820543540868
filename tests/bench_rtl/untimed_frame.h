// Captured frames of trials with different start times, in a comparable form.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "base/units.h"
#include "card/register_bus.h"
#include "wire/frame.h"

namespace plumbline::bench {

struct UntimedFrame {
  bool sent = false;
  std::uint32_t port = 0;
  std::int64_t at = 0;        // [ps] after the first frame of its trial
  std::int64_t departed = 0;  // [ps] likewise, by its test tag
  bool intact = false;        // FCS and ICRC are right
  // Without the tag's time, and so without ICRC and FCS.
  std::vector<std::uint8_t> bytes;

  bool operator==(const UntimedFrame&) const = default;
};

// RoCEv2 frames with a test tag. Sorted by direction, port and time: the order between directions
// and ports depends on the capture.
inline std::vector<UntimedFrame> untimed(const std::vector<card::CapturedFrame>& frames) {
  constexpr std::size_t kTimeInTag = 12;
  constexpr std::size_t kChecks = 8;
  std::vector<UntimedFrame> all;
  if (frames.empty()) return all;
  const auto earlier = [](const card::CapturedFrame& a, const card::CapturedFrame& b) {
    return a.timestamp < b.timestamp;
  };
  const Picoseconds begin = std::min_element(frames.begin(), frames.end(), earlier)->timestamp;
  for (const card::CapturedFrame& frame : frames) {
    const wire::DecodedFrame decoded = wire::decodeFrame(frame.bytes);
    UntimedFrame& one = all.emplace_back();
    one.sent = frame.sent;
    one.port = frame.port;
    one.at = (frame.timestamp - begin).count();
    one.bytes = frame.bytes;
    if (!decoded.tag) continue;
    one.departed = static_cast<std::int64_t>(decoded.tag->departure) - begin.count();
    one.intact = decoded.fcs && decoded.fcs->ok() && decoded.icrc && decoded.icrc->ok();
    const auto time = one.bytes.begin() + static_cast<long>(decoded.offsets.payload + kTimeInTag);
    std::fill(time, time + (wire::TestTag::kSize - kTimeInTag), std::uint8_t{0});
    std::fill(one.bytes.end() - kChecks, one.bytes.end(), std::uint8_t{0});
  }
  std::stable_sort(all.begin(), all.end(), [](const UntimedFrame& a, const UntimedFrame& b) {
    return std::tie(a.sent, a.port, a.at) < std::tie(b.sent, b.port, b.at);
  });
  return all;
}

}  // namespace plumbline::bench
