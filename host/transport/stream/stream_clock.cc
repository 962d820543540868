#include "transport/stream/stream_clock.h"

#include <fmt/format.h>

#include <limits>

#include "base/exponential.h"

namespace plumbline::transport {
namespace {

__extension__ using UInt128 = unsigned __int128;

constexpr FineTime kForever = std::numeric_limits<std::int64_t>::max() * (FineTime{1} << kFineBits);
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// Frames due in [0, duration) on the grid n * period.
std::uint64_t framesWithin(Picoseconds duration, FineTime period) {
  if (duration <= Picoseconds()) return 0;
  return static_cast<std::uint64_t>((fineTime(duration) + period - 1) / period);
}

}  // namespace

FineTime finePeriod(Bytes frame, BitRate line, Fraction rate) {
  constexpr UInt128 kPicosecondsPerSecond = 1'000'000'000'000;
  // Below 2^113 for every frame.
  const UInt128 numerator = (static_cast<UInt128>((frame + kWireOverheadBytes).count()) * 8 *
                             kPicosecondsPerSecond * Fraction::kOne)
                            << kFineBits;
  const UInt128 denominator =
      static_cast<UInt128>(line.bitsPerSecond()) * static_cast<UInt128>(rate.partsPerTrillion());
  return static_cast<FineTime>((numerator + denominator / 2) / denominator);
}

StreamClock::StreamClock(const PlainStream& stream, BitRate line, std::uint64_t seed,
                         std::uint32_t number)
    : due_(fineTime(stream.start)),
      burst_start_(due_),
      end_(fineTime(stream.end)),
      frames_(kNoLimit),
      bursts_(1) {
  if (const auto* constant = std::get_if<ConstantRate>(&stream.load)) {
    // A fixed number of frames, as on the card, and as there none behind the end: slots that were
    // given up are not made up for.
    period_ = finePeriod(stream.frame, line, constant->rate);
    frames_ = framesWithin(stream.end - stream.start, period_);
    pending_ = frames_ != 0;
  } else if (const auto* bursts = std::get_if<FrameBursts>(&stream.load)) {
    period_ = fineTime(frameSlot(stream.frame + bursts->extra_gap, line));
    interval_ = fineTime(bursts->interval);
    frames_ = bursts->frames;
    bursts_ = bursts->bursts;
    end_ = kForever;
  } else if (const auto* on_off = std::get_if<OnOffRate>(&stream.load)) {
    period_ = finePeriod(stream.frame, line, on_off->rate);
    interval_ = fineTime(on_off->on + on_off->off);
    frames_ = framesWithin(on_off->on, period_);
    bursts_ = kNoLimit;
    checkEnd();
  } else {
    period_ = finePeriod(stream.frame, line, std::get<PoissonRate>(stream.load).rate);
    random_.emplace(seed, fmt::format("stream{}", number));
    due_ += gap();
    checkEnd();
  }
}

FineTime StreamClock::gap() {
  if (!random_) return period_;
  return fineTime(exponentialGap(*random_, atOrAfter(period_)));
}

void StreamClock::checkEnd() { pending_ = pending_ && due_ < end_; }

void StreamClock::sent() {
  ++sent_in_burst_;
  if (sent_in_burst_ < frames_) {
    due_ += gap();
  } else {
    sent_in_burst_ = 0;
    ++bursts_sent_;
    burst_start_ += interval_;
    due_ = burst_start_;
    pending_ = bursts_sent_ < bursts_;
  }
  checkEnd();
}

void StreamClock::giveUp() {
  due_ += gap();
  checkEnd();
}

}  // namespace plumbline::transport
