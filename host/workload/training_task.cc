#include "workload/training_task.h"

#include <algorithm>
#include <utility>

#include "base/random.h"

namespace plumbline::workload {

TrainingTask::TrainingTask(MessagePort port, const TrainingProgram& program, const Members& members,
                           Rank rank, Picoseconds start, std::uint64_t seed)
    : Task(std::move(port)),
      program_(program),
      most_(program.iterations),
      members_(members),
      seed_(mix64(mix64(seed) ^ rank)) {
  for (const CollectiveSpec& spec : program.collectives) {
    schedules_.push_back(makeSchedule(spec, rank, members.count()));
  }
  if (program.barrier) barrier_ = makeBarrier(rank, members.count());
  setWakeAt(start);
}

// Arrivals are at most half the wrap away from the newest: a rank can be far ahead of a receiver
// only in chains of broadcasts, and then all its messages come from one parent, in order.
std::uint64_t TrainingTask::unwrap(std::uint32_t sequence) {
  constexpr std::uint64_t kWrap = 1U << kSequenceBits;
  const std::uint64_t base = newest_ + kWrap / 2;
  const std::uint64_t ahead = (base - sequence) % kWrap;
  const std::uint64_t collective = base >= ahead ? base - ahead : sequence;
  newest_ = std::max(newest_, collective);
  return collective;
}

void TrainingTask::arrived(HostId from, Label label, Picoseconds now) {
  const std::uint64_t collective = unwrap(label.sequence);
  const Rank rank = members_.rank(from);
  if (running_ == nullptr || collective != collective_) {
    early_.push_back({collective, rank, label.step});
    return;
  }
  now_ = now;
  running_->arrived(rank, label.step, *this);
  advance(now);
}

void TrainingTask::completed(HostId to, Label label, Picoseconds now) {
  const std::uint32_t parity = label.sequence & 1;
  --open_[parity];
  now_ = now;
  if (running_ != nullptr && (collective_ & 1) == parity) {
    running_->completed(members_.rank(to), label.step, *this);
  }
  advance(now);
}

void TrainingTask::wake(Picoseconds now) { advance(now); }

void TrainingTask::send(const Transfer& transfer) {
  ++open_[collective_ & 1];
  port().post(members_.host(transfer.to), transfer.range.bytes,
              {static_cast<std::uint32_t>(collective_), transfer.step}, collective_ + transfer.step,
              now_);
}

void TrainingTask::advance(Picoseconds now) {
  now_ = now;
  Picoseconds until = transport::kNever;
  while (leave(now, until)) {
  }
  setWakeAt(until);
}

Picoseconds TrainingTask::readyAt() const {
  const CollectiveSpec& spec = program_.collectives[next_];
  Picoseconds data = compute_end_;
  if (program_.overlap) {
    const auto buckets = static_cast<Int128>(program_.collectives.size());
    const auto share = (compute_end_ - compute_begin_).count() * (static_cast<Int128>(next_) + 1);
    data = compute_begin_ + Picoseconds(static_cast<std::int64_t>((share + buckets - 1) / buckets));
  }
  return std::max(data, free_at_) + spec.before;
}

void TrainingTask::begin(Picoseconds now) {
  iterations_.push_back({.start = now});
  compute_begin_ = now;
  compute_end_ = now + program_.compute;
  if (program_.compute_spread > Picoseconds()) {
    const auto choices = static_cast<std::uint64_t>(program_.compute_spread.count()) + 1;
    compute_end_ += Picoseconds(static_cast<std::int64_t>(mix64(seed_ + iteration_) % choices));
  }
  free_at_ = now;
  next_ = 0;
}

void TrainingTask::run(Schedule& schedule) {
  running_ = &schedule;
  newest_ = std::max(newest_, collective_);
  schedule.start(*this);
  // In the order of their arrival; no message is added meanwhile.
  const auto mine = [&](const Early& early) { return early.collective == collective_; };
  for (const Early& early : early_) {
    if (mine(early)) schedule.arrived(early.from, early.step, *this);
  }
  early_.erase(std::remove_if(early_.begin(), early_.end(), mine), early_.end());
}

void TrainingTask::countCollective() {
  running_ = nullptr;
  ++collective_;
}

bool TrainingTask::leave(Picoseconds now, Picoseconds& until) {
  switch (phase_) {
    case Phase::kBegin:
      if (now < wakeAt() && iteration_ == 0) {
        until = wakeAt();
        return false;
      }
      if (iteration_ >= most_) {
        phase_ = Phase::kDone;
        return true;
      }
      begin(now);
      phase_ = schedules_.empty() ? Phase::kComputing : Phase::kReady;
      return true;
    case Phase::kReady:
      if (now < readyAt()) {
        until = readyAt();
        return false;
      }
      if (open_[collective_ & 1] != 0) return false;
      run(*schedules_[next_]);
      phase_ = Phase::kRunning;
      return true;
    case Phase::kRunning:
      if (!running_->finished()) return false;
      countCollective();
      settled_at_ = now + program_.collectives[next_].after;
      phase_ = Phase::kSettling;
      return true;
    case Phase::kSettling:
      if (now < settled_at_) {
        until = settled_at_;
        return false;
      }
      free_at_ = now;
      phase_ = ++next_ == schedules_.size() ? Phase::kComputing : Phase::kReady;
      return true;
    case Phase::kComputing:
      if (now < compute_end_) {
        until = compute_end_;
        return false;
      }
      iterations_[iteration_].finish = now;
      ++iteration_;
      phase_ = barrier_ != nullptr && iteration_ < most_ ? Phase::kBarrier : Phase::kBegin;
      return true;
    case Phase::kBarrier:
      if (running_ == nullptr) {
        if (open_[collective_ & 1] != 0) return false;
        run(*barrier_);
      }
      if (!running_->finished()) return false;
      countCollective();
      phase_ = Phase::kBegin;
      return true;
    case Phase::kDone:
      return false;
  }
  return false;
}

}  // namespace plumbline::workload
