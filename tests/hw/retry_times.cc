#include "retry_times.h"

#include <algorithm>

#include "llr_ledger.h"
#include "sim/wire.h"
#include "wire/crc.h"

namespace plumbline::hw_test {
namespace {

constexpr std::int64_t kByte = sim::kByteTime.count();

std::int64_t timeOf(std::int64_t edge) { return sim::edgeTime(edge).count(); }

// First clock edge at or after `time`.
std::int64_t edgeAt(std::int64_t time) {
  std::int64_t edge = time * sim::kClockPeriodDen / sim::kClockPeriodNum;
  while (timeOf(edge) < time) ++edge;
  return edge;
}

// First column of an idle line that the MAC can use for what crosses its boundary at `edge`, and
// that begins `lead` bytes before it.
std::int64_t columnAfter(std::int64_t edge, std::int64_t lead) {
  constexpr std::int64_t kColumn = sim::kColumnBytes.count();
  const std::int64_t earliest = timeOf(edge) + sim::kMacTxLatency.count();
  const std::int64_t position = (earliest + kByte - 1) / kByte - lead;
  return (position + kColumn - 1) / kColumn * kColumn * kByte;
}

constexpr std::uint32_t kNumbers = 1U << 20;

}  // namespace

std::int64_t lastBeat(std::int64_t first_bit, std::int64_t length, Picoseconds delay) {
  std::int64_t beat = 0;
  for (std::int64_t end = std::min<std::int64_t>(64, length);;
       end = std::min<std::int64_t>(end + 64, length)) {
    const std::int64_t due = first_bit + delay.count() + kByte * end + sim::kMacRxLatency.count();
    beat = std::max(edgeAt(due), beat + 1);
    if (end == length) return timeOf(beat);
  }
}

std::int64_t expectedRetry(std::int64_t first_bit, std::int64_t length, Picoseconds delay,
                           std::int64_t beat_to_nack) {
  const std::int64_t failed = lastBeat(first_bit, length, delay);
  const std::int64_t set = columnAfter(edgeAt(failed) + beat_to_nack + 1, 8);
  const std::int64_t nack_edge =
      edgeAt(set + 8 * kByte + delay.count() + sim::kMacRxLatency.count());
  const std::int64_t again = columnAfter(nack_edge + kNackToReplay + 1, 0);
  return lastBeat(again, length, delay) - failed;
}

void RetryWitness::see(const sim::BareLink::Frame& frame) {
  const std::uint32_t number = numberIn(frame.preamble);
  const bool good = wire::fcsOk(frame.bytes);
  const bool behind = (number - expected_) % kNumbers >= kNumbers / 2;
  if (good ? number != expected_ : behind || (waits_ && number != expected_)) return;
  const std::int64_t first_bit = frame.first_bit.count();
  const auto length = static_cast<std::int64_t>(frame.bytes.size());
  const std::int64_t came = lastBeat(first_bit, length, delay_);
  if (waits_) {
    const std::int64_t took = came - failed_;
    ++attempts;
    too_short += took < computed_ - sim::kClockPeriodMax.count() ? 1 : 0;
    too_long += took > computed_ + (slack_ + sim::kClockPeriodMax).count() ? 1 : 0;
  }
  if (!good) {
    if (!waits_) fault_ = came;
    waits_ = true;
    failed_ = came;
    computed_ = expectedRetry(first_bit, length, delay_);
    return;
  }
  expected_ = (expected_ + 1) % kNumbers;
  if (!waits_) return;
  waits_ = false;
  const std::int64_t took = came - fault_;
  shortest = retries == 0 ? took : std::min(shortest, took);
  longest = std::max(longest, took);
  sum += took;
  ++retries;
}

}  // namespace plumbline::hw_test
