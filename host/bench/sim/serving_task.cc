#include "bench/sim/serving_task.h"

#include <algorithm>

namespace plumbline::bench {
namespace {

constexpr std::uint32_t kStepBits = 16;

std::uint32_t numberOf(workload::Label label) { return label.sequence << kStepBits | label.step; }

workload::Label labelOf(std::uint32_t number) {
  return {number >> kStepBits, number & ((1U << kStepBits) - 1)};
}

}  // namespace

void ServingTask::schedule(const Post& post) {
  waiting_.push_back({post, given_++});
  std::push_heap(waiting_.begin(), waiting_.end());
  updateWake();
}

void ServingTask::take(std::vector<Event>& events) {
  events.insert(events.end(), events_.begin(), events_.end());
  events_.clear();
}

void ServingTask::arrived(workload::HostId /*from*/, workload::Label label, Picoseconds now) {
  events_.push_back({now, numberOf(label), Event::Kind::kArrived});
}

void ServingTask::completed(workload::HostId /*to*/, workload::Label label, Picoseconds now) {
  const std::uint64_t failed = port().counters().messages_failed;
  const bool gave_up = failed != failed_;
  failed_ = failed;
  events_.push_back(
      {now, numberOf(label), gave_up ? Event::Kind::kFailed : Event::Kind::kCompleted});
}

void ServingTask::wake(Picoseconds now) {
  while (!waiting_.empty() && waiting_.front().post.at <= now) {
    const Post post = waiting_.front().post;
    std::pop_heap(waiting_.begin(), waiting_.end());
    waiting_.pop_back();
    port().post(post.to, post.bytes, labelOf(post.label), turn_++, now);
  }
  updateWake();
}

void ServingTask::updateWake() {
  setWakeAt(waiting_.empty() ? transport::kNever : waiting_.front().post.at);
}

}  // namespace plumbline::bench
