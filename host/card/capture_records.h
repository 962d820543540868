// What the card's DMA writes of captured frames: records one after another, each a header of 64
// bytes and the frame, filled up to a multiple of 64 (docs/card.md, "DMA").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "card/register_bus.h"

namespace plumbline::card {

// Records and their headers begin on multiples of this.
inline constexpr std::size_t kCaptureUnit = 64;

// Reads the records of one capture from its beginning on. Nothing in them is trusted.
class CaptureRecords {
 public:
  // Of a card with so many ports.
  explicit CaptureRecords(std::uint32_t ports) : ports_(ports) {}

  // The frames in `bytes`: whole records, those behind the ones of the last call. A frame of which
  // the card could not keep all is left out: it is among those that the port counts as dropped, or
  // longer than 16 KiB. Throws Error(kTester) for anything else that is not such a record, and is
  // of no use afterwards.
  std::vector<CapturedFrame> read(std::span<const std::uint8_t> bytes);

 private:
  std::uint32_t ports_;
  std::uint32_t next_ = 0;  // number of the next record, modulo 2^32
};

}  // namespace plumbline::card
