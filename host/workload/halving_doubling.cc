#include "workload/halving_doubling.h"

#include <bit>

namespace plumbline::workload {

HalvingDoubling::HalvingDoubling(Range buffer, std::uint32_t element_bytes, Rank rank,
                                 std::uint32_t ranks)
    : chunks_(buffer, ranks, element_bytes),
      rank_(rank),
      levels_(static_cast<std::uint32_t>(std::countr_zero(ranks))),
      steps_(2 * levels_) {}

// Step k + j mirrors step k - 1 - j.
Rank HalvingDoubling::partner(std::uint32_t step) const {
  const std::uint32_t bit = step < levels_ ? levels_ - 1 - step : step - levels_;
  return rank_ ^ 1U << bit;
}

Range HalvingDoubling::sentBy(Rank rank, std::uint32_t step) const {
  // Halving: the half of the current chunks that the partner keeps. Doubling: all current chunks.
  const std::uint32_t held = step < levels_ ? levels_ - 1 - step : step - levels_;
  const Rank owner = step < levels_ ? rank ^ 1U << held : rank;
  const std::uint32_t first = owner >> held << held;
  return chunks_.span(first, first + (1U << held));
}

void HalvingDoubling::send(std::uint32_t step, Sender& sender) const {
  const Range range = sentBy(rank_, step);
  if (range.bytes == 0) return;
  sender.send({partner(step), step, range, step < levels_ ? Operation::kReduce : Operation::kCopy});
}

void HalvingDoubling::start(Sender& sender) {
  step_ = 0;
  arrived_ = 0;
  for (std::uint32_t step = 0; step < steps_; ++step) {
    if (sentBy(partner(step), step).bytes == 0) arrived_ |= std::uint64_t{1} << step;
  }
  if (steps_ == 0) return;
  send(0, sender);
  advance(sender);
}

void HalvingDoubling::arrived(Rank /*from*/, std::uint32_t step, Sender& sender) {
  arrived_ |= std::uint64_t{1} << step;
  advance(sender);
}

void HalvingDoubling::advance(Sender& sender) {
  while (step_ < steps_ && (arrived_ >> step_ & 1) != 0) {
    ++step_;
    if (step_ < steps_) send(step_, sender);
  }
}

void HalvingDoubling::completed(Rank /*to*/, std::uint32_t /*step*/, Sender& /*sender*/) {}

}  // namespace plumbline::workload
