#include "sim/capture_dma.h"

#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.h"
#include "sim/wire.h"

namespace plumbline::sim {
namespace {

// Calls `use` for every bit that is set in `mask`.
template <typename Use>
void forEachBit(std::uint32_t mask, Use use) {
  for (; mask != 0; mask &= mask - 1) {
    use(static_cast<std::uint32_t>(std::countr_zero(mask)));
  }
}

}  // namespace

CaptureDma::CaptureDma(const CapturePins& received, const CapturePins& sent, std::uint32_t ports)
    : received_{received, false, std::vector<PortStream>(ports)},
      sent_{sent, true, std::vector<PortStream>(ports)} {}

std::vector<card::CapturedFrame> CaptureDma::takeFrames() { return std::exchange(frames_, {}); }

void CaptureDma::take(Direction& direction) {
  const CapturePins& pins = direction.pins;
  forEachBit(*pins.valid, [&](std::uint32_t port) {
    PortStream& stream = direction.ports[port];
    std::uint64_t keep = 0;
    std::memcpy(&keep, pins.keep + kKeepWords * port, sizeof keep);
    const auto* data = reinterpret_cast<const std::uint8_t*>(pins.data + kDataWords * port);
    stream.arriving.insert(stream.arriving.end(), data, data + std::popcount(keep));
    if (((*pins.last >> port) & 1U) != 0) {
      stream.complete.push_back(std::move(stream.arriving));
      stream.arriving = {};
    }
  });
  forEachBit(*pins.descriptor_valid, [&](std::uint32_t port) { takeDescriptor(direction, port); });
}

void CaptureDma::takeDescriptor(Direction& direction, std::uint32_t port) {
  const std::uint32_t* words = direction.pins.descriptor + kDescriptorWords * port;
  const std::uint32_t length = words[2] & 0xFFFF;
  const auto flag = [&](unsigned bit) { return ((words[2] >> (bit - 64)) & 1U) != 0; };
  std::deque<FrameData>& complete = direction.ports[port].complete;
  // The DMA takes every beat at once, so no frame is cut short (bit 83) or lost.
  if (complete.empty() || complete.front().size() != length || flag(83) ||
      flag(84) != direction.sent) {
    throw Error(ErrorKind::kTester, "a capture descriptor does not match its frame",
                "port " + std::to_string(port) + (direction.sent ? ", sent" : ", received"));
  }
  card::CapturedFrame& frame = frames_.emplace_back();
  frame.port = port;
  frame.sent = direction.sent;
  frame.timestamp =
      Picoseconds(static_cast<std::int64_t>(words[0] | static_cast<std::uint64_t>(words[1]) << 32));
  frame.fcs_ok = flag(80);
  frame.icrc_checked = flag(81);
  frame.icrc_ok = flag(82);
  frame.bytes = std::move(complete.front());
  complete.pop_front();
}

}  // namespace plumbline::sim
