#include "workload/all_to_all.h"

#include <algorithm>

namespace plumbline::workload {

AllToAll::AllToAll(const Shape& shape, Rank rank)
    : chunks_(shape.buffer, shape.ranks, shape.element_bytes),
      rank_(rank),
      ranks_(shape.ranks),
      window_(shape.window == 0 ? shape.ranks : shape.window),
      exclusive_or_(shape.exclusive_or),
      receives_(chunks_.at(rank).bytes != 0) {}

void AllToAll::start(Sender& sender) {
  round_ = 1;
  acknowledged_ = 0;
  // A rank that receives nothing does not wait for arrivals.
  arrived_ = receives_ ? 0 : ranks_ - 1;
  advance(sender);
}

void AllToAll::arrived(Rank /*from*/, std::uint32_t /*step*/, Sender& sender) {
  ++arrived_;
  advance(sender);
}

void AllToAll::completed(Rank /*to*/, std::uint32_t /*step*/, Sender& sender) {
  ++acknowledged_;
  advance(sender);
}

void AllToAll::advance(Sender& sender) {
  while (round_ < ranks_ && round_ - 1 < window_ + std::min(acknowledged_, arrived_)) {
    const std::uint32_t round = round_++;
    const Rank to = exclusive_or_ ? rank_ ^ round : (rank_ + round) % ranks_;
    const Range range = chunks_.at(to);
    if (range.bytes == 0) {
      ++acknowledged_;
      continue;
    }
    sender.send({to, round, range, Operation::kCopy});
  }
}

}  // namespace plumbline::workload
