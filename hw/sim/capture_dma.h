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
  CaptureDma(const CapturePins& received, const CapturePins& sent, std::uint32_t ports);

  // Takes what the streams show just before a clock edge. Throws Error(kTester) when beats and
  // descriptors do not belong together.
  void sample() {
    if ((*received_.pins.valid | *received_.pins.descriptor_valid | *sent_.pins.valid |
         *sent_.pins.descriptor_valid) != 0) {
      take(received_);
      take(sent_);
    }
  }

  // Frames complete since the last call, in the order of their descriptors.
  std::vector<card::CapturedFrame> takeFrames();

 private:
  using FrameData = std::vector<std::uint8_t>;

  struct PortStream {
    FrameData arriving;              // of the frame whose beats are coming
    std::deque<FrameData> complete;  // waiting for their descriptors
  };
  struct Direction {
    CapturePins pins;
    bool sent;
    std::vector<PortStream> ports;
  };

  void take(Direction& direction);
  void takeDescriptor(Direction& direction, std::uint32_t port);

  Direction received_;
  Direction sent_;
  std::vector<card::CapturedFrame> frames_;
};

}  // namespace plumbline::sim
