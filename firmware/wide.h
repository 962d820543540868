// Numbers of 64 bits in memory that the host reads as words, and groups of words that the host
// must see together.
#pragma once

#include "firmware/interface.h"

namespace plumbline::firmware {

inline void store(volatile Wide& place, uint64_t value) {
  place.low = static_cast<uint32_t>(value);
  place.high = static_cast<uint32_t>(value >> 32);
}

inline uint64_t load(const volatile Wide& place) { return uint64_t{place.high} << 32 | place.low; }

// While it lives, `sequence` is odd: the host reads again (interface.h, PortStatus).
class Update {
 public:
  explicit Update(volatile uint32_t& sequence) : sequence_(sequence) { sequence_ = sequence_ + 1; }
  ~Update() { sequence_ = sequence_ + 1; }
  Update(const Update&) = delete;
  Update& operator=(const Update&) = delete;

 private:
  volatile uint32_t& sequence_;
};

}  // namespace plumbline::firmware
