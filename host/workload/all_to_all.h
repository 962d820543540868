// AlltoAll: every rank sends a chunk of its own to each other rank.
#pragma once

#include "workload/schedule.h"

namespace plumbline::workload {

// Round s = 1, 2, …: rank r sends to r + s (linear shift) or r XOR s. The message of round s is
// posted when one of the previous `window` rounds is over: its message is acknowledged, and as many
// messages have arrived (a pairwise exchange, as with MPI's sendrecv). The receiver's chunk d of
// the sender's buffer travels to rank d; at the receiver it belongs to the sender's place.
class AllToAll final : public Schedule {
 public:
  struct Shape {
    Range buffer;
    std::uint32_t element_bytes = 1;
    std::uint32_t window = 0;  // 0: all at once
    std::uint32_t ranks = 1;
    bool exclusive_or = false;  // `ranks` is a power of two
  };

  AllToAll(const Shape& shape, Rank rank);

  void start(Sender& sender) override;
  void arrived(Rank from, std::uint32_t step, Sender& sender) override;
  void completed(Rank to, std::uint32_t step, Sender& sender) override;
  [[nodiscard]] bool finished() const override {
    return round_ == ranks_ && arrived_ == ranks_ - 1;
  }

 private:
  void advance(Sender& sender);

  Chunks chunks_;
  Rank rank_;
  std::uint32_t ranks_;
  std::uint32_t window_;
  bool exclusive_or_;
  bool receives_;                   // its chunk is not empty
  std::uint32_t round_ = 1;         // next to hand over
  std::uint32_t acknowledged_ = 0;  // rounds, empty ones included
  std::uint32_t arrived_ = 0;
};

}  // namespace plumbline::workload
