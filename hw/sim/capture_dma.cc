#include "sim/capture_dma.h"

#include <bit>
#include <string>
#include <utility>

#include "base/error.h"
#include "sim/wire.h"

namespace plumbline::sim {

CaptureDma::CaptureDma(const std::vector<PortPins>& pins) : pins_(pins), streams_(pins.size()) {}

std::vector<card::CapturedFrame> CaptureDma::takeFrames() { return std::exchange(frames_, {}); }

void CaptureDma::take(std::uint32_t port, const CapturePins& pins, Stream& stream, bool sent) {
  if (*pins.valid != 0) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(pins.data);
    stream.arriving.insert(stream.arriving.end(), data, data + std::popcount(*pins.keep));
    if (*pins.last != 0) {
      stream.complete.push_back(std::move(stream.arriving));
      stream.arriving = {};
    }
  }
  if (*pins.descriptor_valid != 0) takeDescriptor(port, pins.descriptor, stream, sent);
}

void CaptureDma::takeDescriptor(std::uint32_t port, const std::uint32_t* words, Stream& stream,
                                bool sent) {
  const std::uint32_t length = words[2] & 0xFFFF;
  const auto flag = [&](unsigned bit) { return ((words[2] >> (bit - 64)) & 1U) != 0; };
  std::deque<FrameData>& complete = stream.complete;
  // The DMA accepts every beat at once, so no frame is cut short (bit 83) or lost.
  if (complete.empty() || complete.front().size() != length || flag(83) || flag(84) != sent) {
    throw Error(ErrorKind::kTester, "a capture descriptor does not match its frame",
                "port " + std::to_string(port) + (sent ? ", sent" : ", received"));
  }
  card::CapturedFrame& frame = frames_.emplace_back();
  frame.port = port;
  frame.sent = sent;
  frame.timestamp =
      Picoseconds(static_cast<std::int64_t>(words[0] | static_cast<std::uint64_t>(words[1]) << 32));
  frame.fcs_ok = flag(80);
  frame.icrc_checked = flag(81);
  frame.icrc_ok = flag(82);
  frame.bytes = std::move(complete.front());
  complete.pop_front();
}

}  // namespace plumbline::sim
