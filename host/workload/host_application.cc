#include "workload/host_application.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace plumbline::workload {

Members::Members(std::vector<HostId> hosts) : hosts_(std::move(hosts)) {
  const auto [lowest, highest] = std::minmax_element(hosts_.begin(), hosts_.end());
  lowest_ = *lowest;
  rank_of_.resize(*highest - *lowest + 1);
  for (Rank rank = 0; rank < count(); ++rank) rank_of_[hosts_[rank] - lowest_] = rank;
}

void HostApplication::add(std::uint32_t job, std::unique_ptr<Task> task) {
  tasks_.push_back({job, std::move(task)});
  updateWake();
}

const Task* HostApplication::task(std::uint32_t job) const {
  for (const Entry& entry : tasks_) {
    if (entry.job == job) return entry.task.get();
  }
  return nullptr;
}

void HostApplication::attach(transport::Poster& poster) {
  for (Entry& entry : tasks_) entry.task->port().attach(poster);
}

Task& HostApplication::taskOf(std::uint32_t tag) {
  const std::uint32_t job = MessagePort::jobOf(tag);
  for (Entry& entry : tasks_) {
    if (entry.job == job) return *entry.task;
  }
  throw Error(ErrorKind::kTester,
              fmt::format("received a message of job {}, which has no rank on this host", job));
}

void HostApplication::onArrival(const transport::Arrival& arrival, Picoseconds now) {
  Task& task = taskOf(arrival.tag);
  if (const auto label = task.port().arrived(arrival, now)) {
    task.arrived(arrival.from, *label, now);
    updateWake();
  }
}

void HostApplication::onCompletion(const transport::Completion& completion, Picoseconds now) {
  Task& task = taskOf(completion.tag);
  if (const auto label = task.port().completed(completion, now)) {
    task.completed(completion.to, *label, now);
    updateWake();
  }
}

void HostApplication::wake(Picoseconds now) {
  for (Entry& entry : tasks_) {
    if (entry.task->wakeAt() <= now) entry.task->wake(now);
  }
  updateWake();
}

void HostApplication::updateWake() {
  Picoseconds at = transport::kNever;
  for (const Entry& entry : tasks_) at = std::min(at, entry.task->wakeAt());
  setWakeAt(at);
}

}  // namespace plumbline::workload
