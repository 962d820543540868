// Dissemination barrier.
#pragma once

#include "workload/schedule.h"

namespace plumbline::workload {

// Round j = 0 to ceil(log2 n) - 1: an 8-byte message to rank r + 2^j, then waits for the one from r
// - 2^j. No rank finishes before all have begun.
class Barrier final : public Schedule {
 public:
  static constexpr std::uint64_t kMessageBytes = 8;

  Barrier(Rank rank, std::uint32_t ranks);

  void start(Sender& sender) override;
  void arrived(Rank from, std::uint32_t step, Sender& sender) override;
  void completed(Rank to, std::uint32_t step, Sender& sender) override;
  [[nodiscard]] bool finished() const override { return round_ == rounds_; }

 private:
  void send(Sender& sender) const;

  Rank rank_;
  std::uint32_t ranks_;
  std::uint32_t rounds_;
  std::uint32_t round_ = 0;
  std::uint32_t arrived_ = 0;  // a bit per round
};

}  // namespace plumbline::workload
