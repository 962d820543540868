// How long bytes last on a wire of one rate.
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

  // Whether a byte lasts a whole number of picoseconds: this one; and what preamble and gap last.
  [[nodiscard]] bool exact() const { return byte_ps_ != 0; }
  [[nodiscard]] std::int64_t bytePs() const { return byte_ps_; }
  [[nodiscard]] Picoseconds overhead() const { return overhead_; }

  [[nodiscard]] Picoseconds serialization(std::int64_t bytes) const {
    if (byte_ps_ != 0) return Picoseconds(bytes * byte_ps_);
    return serializationTime(Bytes(bytes), rate_);
  }
  // A frame with its preamble: what must never overlap on a wire.
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

}  // namespace plumbline::fabric
