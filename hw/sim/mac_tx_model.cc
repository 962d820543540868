#include "sim/mac_tx_model.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace plumbline::sim {
namespace {

constexpr std::int64_t kColumn = kColumnBytes.count();
constexpr std::int64_t kMaxDeficit = 7;
constexpr std::int64_t kAverageGap = kMinGapBytes.count();
constexpr std::int64_t kPreamble = kPreambleBytes.count();
// Most frames in flight whose memory is kept: 150 of 64 bytes are on a wire of 1 us.
constexpr std::size_t kMaxKeptFrames = 1024;

constexpr std::int64_t roundUp(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

// Assigns the waiting set a whole column within [begin, end), wire positions of idle.
void MacTxModel::findColumn(std::int64_t begin, std::int64_t end) {
  if (!waiting_ || set_column_ != kNowhere) {
    return;
  }
  const std::int64_t column = roundUp(std::max(begin, waiting_->earliest), kColumn);
  if (column + kColumn <= end) {
    set_column_ = column;
  }
}

void MacTxModel::startFrame(Picoseconds earliest) {
  std::int64_t position =
      roundUp(roundUp(earliest.count(), kByteTime.count()) / kByteTime.count(), kColumn);
  if (stats_.tx_frames > 0) {
    const std::int64_t min_gap = kAverageGap - (kMaxDeficit - deficit_);
    position = std::max(position, roundUp(frame_end_bytes_ + min_gap + kPreamble, kColumn));
    const std::int64_t gap = position - kPreamble - frame_end_bytes_;
    deficit_ = std::clamp<std::int64_t>(deficit_ + kAverageGap - gap, 0, kMaxDeficit);
    stats_.min_gap_bytes = stats_.tx_frames == 1 ? gap : std::min(stats_.min_gap_bytes, gap);
  }
  findColumn(idle_from_, position - kPreamble);
  first_bit_ = kByteTime * position;
  next_byte_ = first_bit_;
  starved_ = false;
}

std::optional<MacTxModel::Sent> MacTxModel::beat(Picoseconds edge, const std::uint8_t* data,
                                                 std::size_t bytes, bool last, Preamble preamble) {
  if (frame_->empty()) {
    startFrame(edge + kMacTxLatency);
    preamble_ = preamble;
  } else if (edge + kMacTxLatency > next_byte_ && !starved_) {
    starved_ = true;
    ++stats_.underruns;
  }
  frame_->insert(frame_->end(), data, data + bytes);
  next_byte_ += kByteTime * static_cast<std::int64_t>(bytes);
  if (!last) {
    return std::nullopt;
  }
  frame_end_bytes_ = next_byte_ / kByteTime;
  // The byte after the frame marks its end: no ordered set can begin there.
  idle_from_ = frame_end_bytes_ + 1;
  ++stats_.tx_frames;
  return Sent{handOut(), first_bit_, preamble_};
}

// The completed frame. Its memory is that of the oldest frame handed out, if no reference to that
// remains: otherwise each frame would take two allocations.
FrameBytes MacTxModel::handOut() {
  FrameBytes sent = frame_;
  const bool all_held = handed_out_.empty() || handed_out_[oldest_].use_count() > 1;
  if (all_held && handed_out_.size() < kMaxKeptFrames) {
    handed_out_.insert(handed_out_.begin() + static_cast<std::ptrdiff_t>(oldest_), nullptr);
  }
  std::swap(frame_, handed_out_[oldest_]);
  oldest_ = oldest_ + 1 == handed_out_.size() ? 0 : oldest_ + 1;
  if (frame_ != nullptr && frame_.use_count() == 1) {
    // The last reference may have been released on another thread.
    std::atomic_thread_fence(std::memory_order_acquire);
    frame_->clear();
  } else {
    frame_ = std::make_shared<std::vector<std::uint8_t>>();
  }
  return sent;
}

void MacTxModel::set(Picoseconds edge, OrderedSet set) {
  // As for a frame, whose preamble is a column before its first bit.
  const Picoseconds earliest = edge + kMacTxLatency;
  waiting_ = {set, roundUp(earliest.count(), kByteTime.count()) / kByteTime.count() - kPreamble};
}

std::optional<MacTxModel::SentSet> MacTxModel::placeSet(Picoseconds edge) {
  if (!waiting_) {
    return std::nullopt;
  }
  if (frame_->empty()) {
    // The preamble of a frame cannot be earlier than that of a frame beginning at the next edge.
    findColumn(idle_from_, (edge + kClockPeriodMin + kMacTxLatency) / kByteTime - kPreamble);
  }
  if (set_column_ == kNowhere) {
    return std::nullopt;
  }
  const SentSet sent{waiting_->set, kByteTime * set_column_};
  idle_from_ = std::max(idle_from_, set_column_ + kColumn);
  waiting_.reset();
  set_column_ = kNowhere;
  ++stats_.tx_sets;
  return sent;
}

}  // namespace plumbline::sim
