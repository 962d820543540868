// Recursive halving-doubling AllReduce for 2^k ranks.
#pragma once

#include "workload/schedule.h"

namespace plumbline::workload {

// Step i = 0 to k-1: exchanges with r XOR 2^(k-1-i) the halves of the current range, each keeps the
// half that its own bit selects, and reduces. Steps k to 2k-1 mirror them, copying. Early arrivals
// are buffered until their step. Both sides skip empty ranges.
class HalvingDoubling final : public Schedule {
 public:
  // `ranks` is a power of two.
  HalvingDoubling(Range buffer, std::uint32_t element_bytes, Rank rank, std::uint32_t ranks);

  void start(Sender& sender) override;
  void arrived(Rank from, std::uint32_t step, Sender& sender) override;
  void completed(Rank to, std::uint32_t step, Sender& sender) override;
  [[nodiscard]] bool finished() const override { return step_ == steps_; }

 private:
  [[nodiscard]] Rank partner(std::uint32_t step) const;
  [[nodiscard]] Range sentBy(Rank rank, std::uint32_t step) const;
  void send(std::uint32_t step, Sender& sender) const;
  void advance(Sender& sender);

  Chunks chunks_;
  Rank rank_;
  std::uint32_t levels_ = 0;   // k
  std::uint32_t steps_ = 0;    // 2k
  std::uint32_t step_ = 0;     // sent, waiting for its arrival
  std::uint64_t arrived_ = 0;  // a bit per step
};

}  // namespace plumbline::workload
