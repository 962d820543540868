#include "workload/barrier.h"

#include <bit>

namespace plumbline::workload {

Barrier::Barrier(Rank rank, std::uint32_t ranks)
    : rank_(rank), ranks_(ranks), rounds_(static_cast<std::uint32_t>(std::bit_width(ranks - 1))) {}

void Barrier::send(Sender& sender) const {
  sender.send({(rank_ + (1U << round_)) % ranks_, round_, {0, kMessageBytes}, Operation::kCopy});
}

void Barrier::start(Sender& sender) {
  round_ = 0;
  arrived_ = 0;
  if (rounds_ != 0) send(sender);
}

void Barrier::arrived(Rank /*from*/, std::uint32_t step, Sender& sender) {
  arrived_ |= 1U << step;
  while (round_ < rounds_ && (arrived_ >> round_ & 1) != 0) {
    ++round_;
    if (round_ < rounds_) send(sender);
  }
}

void Barrier::completed(Rank /*to*/, std::uint32_t /*step*/, Sender& /*sender*/) {}

}  // namespace plumbline::workload
