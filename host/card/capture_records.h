// Captured frames as the card's DMA writes them: consecutive records, each a header of 64 bytes and
// the frame, padded to a multiple of 64 (docs/card.md, "DMA").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "card/register_bus.h"

namespace plumbline::card {

// Records and their headers begin on multiples of this.
inline constexpr std::size_t kCaptureUnit = 64;

// Reads the records of one capture from its beginning. Their contents are not trusted.
class CaptureRecords {
 public:
  // For a card with `ports` ports.
  explicit CaptureRecords(std::uint32_t ports) : ports_(ports) {}

  // The frames in `bytes`: whole records, which follow those of the last call. A frame that the
  // card could not keep completely is left out: the port counts it as dropped, or it is longer than
  // 16 KiB. Throws Error(kTester) for invalid records, after which the object is unusable.
  std::vector<CapturedFrame> read(std::span<const std::uint8_t> bytes);

 private:
  std::uint32_t ports_;
  std::uint32_t next_ = 0;  // number of the next record, modulo 2^32
};

}  // namespace plumbline::card
