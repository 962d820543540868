#include "workload/moe_task.h"

#include <algorithm>
#include <utility>

namespace plumbline::workload {
namespace {

// The two parts of the label together are the message's number.
Label moeLabel(std::uint32_t number) {
  return {number & ((1U << kSequenceBits) - 1), number >> kSequenceBits};
}
std::uint32_t moeNumber(Label label) { return label.step << kSequenceBits | label.sequence; }

}  // namespace

MoeTask::MoeTask(MessagePort port, const MoeProgram& program, const MoePlan& plan,
                 const Members& members, Rank rank, Picoseconds start)
    : Task(std::move(port)),
      program_(program),
      plan_(plan),
      members_(members),
      rank_(rank),
      start_(start),
      free_at_(start),
      spans_(plan.phases()) {
  missing_.reserve(plan.phases());
  for (std::uint32_t phase = 0; phase < plan.phases(); ++phase) {
    missing_.push_back(plan.expected(phase, rank));
  }
  setWakeAt(start);
}

void MoeTask::arrived(HostId from, Label label, Picoseconds now) {
  --missing_[plan_.phaseOf(members_.rank(from), rank_, moeNumber(label))];
  advance(now);
}

void MoeTask::completed(HostId /*to*/, Label /*label*/, Picoseconds /*now*/) { --open_; }

void MoeTask::wake(Picoseconds now) { advance(now); }

Picoseconds MoeTask::due() const {
  if (phase_ % 2 != 0) return free_at_ + program_.compute;
  const std::uint32_t layer = phase_ / 2;
  const Picoseconds ready = layer == 0 ? free_at_ : free_at_ + program_.between;
  return std::max(ready, start_ + program_.period * std::int64_t{layer});
}

void MoeTask::advance(Picoseconds now) {
  Picoseconds until = transport::kNever;
  while (phase_ < plan_.phases()) {
    if (!running_) {
      if (now < due()) {
        until = due();
        break;
      }
      begin(now);
    }
    if (missing_[phase_] != 0) break;
    spans_[phase_].finish = now;
    free_at_ = now;
    running_ = false;
    ++phase_;
    // Without a combine its phase is empty: the layer ends with the dispatch.
    if (phase_ % 2 != 0 && program_.combine_bytes == 0) ++phase_;
  }
  setWakeAt(until);
}

void MoeTask::begin(Picoseconds now) {
  running_ = true;
  spans_[phase_].start = now;
  struct Peer {
    Rank rank = 0;
    std::uint32_t first = 0;
    std::uint32_t end = 0;
  };
  std::vector<Peer> peers;
  const std::uint32_t ranks = plan_.ranks();
  for (std::uint32_t shift = 1; shift < ranks; ++shift) {
    const Rank to = (rank_ + shift) % ranks;
    const Peer peer{to, plan_.begin(phase_, rank_, to), plan_.end(phase_, rank_, to)};
    if (peer.first != peer.end) peers.push_back(peer);
  }
  for (std::uint32_t place = 0; !peers.empty(); ++place) {
    for (const Peer& peer : peers) {
      const std::uint32_t number = peer.first + place;
      ++open_;
      port().post(members_.host(peer.rank), plan_.bytesOf(phase_, rank_, peer.rank, place),
                  moeLabel(number), number, now);
    }
    std::erase_if(peers, [&](const Peer& peer) { return peer.first + place + 1 == peer.end; });
  }
}

}  // namespace plumbline::workload
