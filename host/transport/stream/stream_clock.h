// When the frames of one plain stream are due: the grid of the tester card's scheduler.
#pragma once

#include <cstdint>
#include <optional>

#include "base/random.h"
#include "base/units.h"
#include "transport/stream/stream_spec.h"

namespace plumbline::transport {

// Time in units of 2^-16 ps (the card's Q64.16).
using FineTime = Int128;
inline constexpr int kFineBits = 16;

constexpr FineTime fineTime(Picoseconds time) {
  return static_cast<FineTime>(time.count()) << kFineBits;
}
// The first whole picosecond not before `time`.
constexpr Picoseconds atOrAfter(FineTime time) {
  constexpr FineTime kMask = (FineTime{1} << kFineBits) - 1;
  return Picoseconds(static_cast<std::int64_t>((time + kMask) >> kFineBits));
}

// From one frame's start to the next at `rate` of `line`, rounded to the nearest 2^-16 ps:
// (frame + 20) * 8 / (line * rate). The same integers as the card driver's.
FineTime finePeriod(Bytes frame, BitRate line, Fraction rate);

// Due times as the card computes them: due + period within a burst, start of the burst + interval
// from burst to burst, hence without accumulated error. Poisson gaps are drawn when needed, rounded
// down to a picosecond.
class StreamClock {
 public:
  // Draws Poisson gaps from the stream "stream<number>" of `seed`.
  StreamClock(const PlainStream& stream, BitRate line, std::uint64_t seed, std::uint32_t number);

  // There is another frame; its due time is due().
  [[nodiscard]] bool pending() const { return pending_; }
  [[nodiscard]] FineTime due() const { return due_; }
  // The frame was sent: advances to the next one.
  void sent();
  // The frame could not be sent (its priority is paused) and its slot is given up: it is due one
  // period later.
  void giveUp();

 private:
  [[nodiscard]] FineTime gap();
  void checkEnd();

  FineTime due_;
  FineTime burst_start_;
  FineTime period_ = 0;
  FineTime interval_ = 0;
  FineTime end_;
  std::uint64_t frames_;  // of a burst
  std::uint64_t bursts_;
  std::uint64_t sent_in_burst_ = 0;
  std::uint64_t bursts_sent_ = 0;
  std::optional<RandomStream> random_;
  bool pending_ = true;
};

}  // namespace plumbline::transport
