// The end of the card's capture streams: joins beats and descriptors into captured frames, as the
// DMA of a real card and its driver would.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "card/register_bus.h"
#include "sim/card_model.h"

namespace plumbline::sim {

class CaptureDma {
 public:
  // `pins` must outlive it.
  explicit CaptureDma(const std::vector<PortPins>& pins);

  // Samples the streams just before a clock edge. Throws Error(kTester) when beats and descriptors
  // do not match.
  void sample() {
    for (std::uint32_t port = 0; port < streams_.size(); ++port) {
      const PortPins& pins = pins_[port];
      if ((*pins.received.valid | *pins.received.descriptor_valid) != 0) {
        take(port, pins.received, streams_[port].received, false);
      }
      if ((*pins.sent.valid | *pins.sent.descriptor_valid) != 0) {
        take(port, pins.sent, streams_[port].sent, true);
      }
    }
  }

  // Frames completed since the last call, in the order of their descriptors.
  std::vector<card::CapturedFrame> takeFrames();

 private:
  using FrameData = std::vector<std::uint8_t>;

  struct Stream {
    FrameData arriving;              // of the current frame
    std::deque<FrameData> complete;  // waiting for their descriptors
  };
  struct PortStreams {
    Stream received;
    Stream sent;
  };

  void take(std::uint32_t port, const CapturePins& pins, Stream& stream, bool sent);
  void takeDescriptor(std::uint32_t port, const std::uint32_t* words, Stream& stream, bool sent);

  const std::vector<PortPins>& pins_;
  std::vector<PortStreams> streams_;
  std::vector<card::CapturedFrame> frames_;
};

}  // namespace plumbline::sim
