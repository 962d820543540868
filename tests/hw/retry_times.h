// What a retry on a link between two simulated ports takes, from the definitions of MACs, link and
// blocks, and from what went over the link: next to what the card measures.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "sim/bare_link.h"

namespace plumbline::hw_test {

// In clocks: the last beat of a damaged frame at the receiver to the NACK on its pins; the ordered
// set on the sender's pins to the first replayed beat on them, on a free line (docs/card.md).
inline constexpr std::int64_t kBeatToNack = 11;
inline constexpr std::int64_t kNackToReplay = 9;

// Times in ps. Clock in which a receiver has the last beat of a frame that left at `first_bit` and
// did not come right behind another: each beat comes with its last byte, one a clock.
std::int64_t lastBeat(std::int64_t first_bit, std::int64_t length, Picoseconds delay);

// From the end of a damaged frame at the receiver to the end of its good copy, on an idle link.
std::int64_t expectedRetry(std::int64_t first_bit, std::int64_t length, Picoseconds delay,
                           std::int64_t beat_to_nack = kBeatToNack);

// One direction of a link: what its receiver makes of the frames that it sees, which begin with the
// number 0, none of them lost.
class RetryWitness {
 public:
  // `slack`: how much longer than on an idle link an attempt may take that did not wait for the
  // replay timer.
  RetryWitness(Picoseconds delay, Picoseconds slack) : delay_(delay), slack_(slack) {}

  void see(const sim::BareLink::Frame& frame);

  // Retries that came to their end: times from the first fault to the good copy.
  std::uint64_t retries = 0;
  std::int64_t shortest = 0;
  std::int64_t longest = 0;
  std::int64_t sum = 0;
  // Attempts of which a retry consists, and those that took less than computed or more than that
  // and the slack.
  std::uint64_t attempts = 0;
  std::uint64_t too_short = 0;
  std::uint64_t too_long = 0;

 private:
  Picoseconds delay_;
  Picoseconds slack_;
  std::uint32_t expected_ = 0;  // number of the next frame to be accepted
  bool waits_ = false;          // for a good copy
  std::int64_t fault_ = 0;      // when the first fault of this retry was there
  std::int64_t failed_ = 0;     // ... the last one, from which the attempt counts
  std::int64_t computed_ = 0;   // on an idle link
};

}  // namespace plumbline::hw_test
