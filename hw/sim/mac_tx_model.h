// The sending half of a port's MAC: takes beats of the card's AXI4-Stream, outputs frames at exact
// times on the wire.
//
// The line is divided into columns of 8 bytes and every frame begins in a new one: the preamble is
// one column long, so the first bit after the SFD lies on a column boundary too. Alignment makes
// the gap differ from 12 bytes; a deficit idle count of 0 to 7 records how many idle bytes have
// been removed, so that under full load the gap averages 12 bytes and is never below 5 (FACTS I.3).
//
// An ordered set takes a whole column of idle between two frames and delays none: it is sent in the
// first such column after it was handed over, which on a full line occurs in every second gap or
// sooner. Frames may overtake it until then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/units.h"
#include "sim/wire.h"

namespace plumbline::sim {

class MacTxModel {
 public:
  // A frame whose last beat has crossed the MAC boundary.
  struct Sent {
    FrameBytes frame;
    Picoseconds first_bit;  // exact time of its first bit after the SFD on the wire
    Preamble preamble;
  };
  // An ordered set and when its column begins on the wire.
  struct SentSet {
    OrderedSet set;
    Picoseconds begin;
  };

  // `fifo_bytes`: bytes that may wait for the wire before the MAC stalls the card.
  explicit MacTxModel(std::int64_t fifo_bytes) : fifo_time_(kByteTime * fifo_bytes) {}
  ~MacTxModel() = default;
  MacTxModel(MacTxModel&&) = default;
  MacTxModel& operator=(MacTxModel&&) = default;
  MacTxModel(const MacTxModel&) = delete;
  MacTxModel& operator=(const MacTxModel&) = delete;

  // Level of tready after the clock edge at `edge`. A beat is never refused once ready was given:
  // the FIFO has room for one more beat beyond its limit.
  [[nodiscard]] bool ready(Picoseconds edge) const {
    return next_byte_ - kMacTxLatency - edge <= fifo_time_;
  }

  // A beat of `bytes` bytes (1 to 64; 64 unless `last`) crosses the MAC boundary at the clock edge
  // at `edge`; `preamble` counts with the first beat of a frame. Returns the frame when it was the
  // last beat.
  std::optional<Sent> beat(Picoseconds edge, const std::uint8_t* data, std::size_t bytes, bool last,
                           Preamble preamble = kOrdinaryPreamble);

  // Ready for an ordered set: the previous one has its column.
  [[nodiscard]] bool setReady() const { return !waiting_; }
  // An ordered set crosses the MAC boundary at the clock edge at `edge`; setReady() must be true.
  void set(Picoseconds edge, OrderedSet set);
  // The waiting set once it has a column. To be called at every edge while a set waits, after the
  // beat of that edge.
  std::optional<SentSet> placeSet(Picoseconds edge);

  [[nodiscard]] const WireStats& stats() const { return stats_; }

 private:
  static constexpr std::int64_t kNowhere = -1;

  struct Waiting {
    OrderedSet set;
    std::int64_t earliest;  // wire position [byte times]
  };

  using Buffer = std::shared_ptr<std::vector<std::uint8_t>>;

  void startFrame(Picoseconds earliest);
  FrameBytes handOut();
  void findColumn(std::int64_t begin, std::int64_t end);

  Picoseconds fifo_time_;
  WireStats stats_;
  // The current frame, empty between frames, and frames handed out, whose memory is reused: a ring.
  Buffer frame_ = std::make_shared<std::vector<std::uint8_t>>();
  std::vector<Buffer> handed_out_;
  std::size_t oldest_ = 0;
  Picoseconds first_bit_;                  // of the current frame
  Picoseconds next_byte_;                  // when the byte after the last accepted one is sent
  bool starved_ = false;                   // the current frame had an underrun
  std::int64_t frame_end_bytes_ = 0;       // wire position after the previous frame, in byte times
  std::int64_t deficit_ = 0;               // deficit idle count
  Preamble preamble_ = kOrdinaryPreamble;  // of the current frame
  std::optional<Waiting> waiting_;
  std::int64_t set_column_ = kNowhere;  // where the waiting set goes
  std::int64_t idle_from_ = 0;          // first wire position where an ordered set can begin
};

}  // namespace plumbline::sim
