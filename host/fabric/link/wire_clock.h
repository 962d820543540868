// How long frames occupy a wire of one rate, and until when it is occupied.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace plumbline::fabric {

// The same times as base's serializationTime(), without its 128-bit division where a byte lasts a
// whole number of picoseconds (every Ethernet rate from 1 Gb/s to 800 Gb/s).
class WireClock {
 public:
  WireClock() = default;
  explicit WireClock(BitRate rate) : rate_(rate) {
    constexpr std::int64_t kBitsTimesPs = 8'000'000'000'000;
    if (kBitsTimesPs % rate.bitsPerSecond() == 0) byte_ps_ = kBitsTimesPs / rate.bitsPerSecond();
    overhead_ = Picoseconds(kWireOverheadBytes.count() * byte_ps_);
  }

  [[nodiscard]] BitRate rate() const { return rate_; }

  // Whether a byte lasts a whole number of picoseconds; if so, that number, and the duration of
  // preamble and gap.
  [[nodiscard]] bool exact() const { return byte_ps_ != 0; }
  [[nodiscard]] std::int64_t bytePs() const { return byte_ps_; }
  [[nodiscard]] Picoseconds overhead() const { return overhead_; }

  [[nodiscard]] Picoseconds serialization(std::int64_t bytes) const {
    if (byte_ps_ != 0) return Picoseconds(bytes * byte_ps_);
    return serializationTime(Bytes(bytes), rate_);
  }
  // A frame with its preamble: these must never overlap on a wire.
  [[nodiscard]] Picoseconds frameAndPreamble(std::int64_t bytes) const {
    return serialization(bytes + kPreambleBytes.count());
  }
  // A frame with preamble and gap: from start to start of back-to-back frames.
  [[nodiscard]] Picoseconds slot(std::int64_t bytes) const {
    return slotAfter(serialization(bytes), bytes);
  }
  // The same for a frame whose serialization() is known.
  [[nodiscard]] Picoseconds slotAfter(Picoseconds serialization, std::int64_t bytes) const {
    if (byte_ps_ != 0) return serialization + overhead_;
    return serializationTime(Bytes(bytes) + kWireOverheadBytes, rate_);
  }

 private:
  std::int64_t byte_ps_ = 0;  // 0 = not a whole number of picoseconds
  Picoseconds overhead_;      // of preamble and gap, if it is
  BitRate rate_{1};
};

// Until when the frames sent so far occupy a wire.
struct WireOccupancy {
  Picoseconds free_at{INT64_MIN};   // earliest first bit of the next frame
  Picoseconds last_bit{INT64_MIN};  // of the last frame

  // A frame of `length` bytes starts, not before free_at.
  void occupy(const WireClock& clock, std::int64_t length, Picoseconds first_bit) {
    const Picoseconds serialization = clock.serialization(length);
    last_bit = first_bit + serialization;
    free_at = first_bit + clock.slotAfter(serialization, length);
  }
};

}  // namespace plumbline::fabric
