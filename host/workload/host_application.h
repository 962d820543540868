// All jobs of one host behind one transport::Application.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "workload/task.h"

namespace plumbline::workload {

class HostApplication final : public transport::Application {
 public:
  // Task of job `job`; at most one per job.
  void add(std::uint32_t job, std::unique_ptr<Task> task);
  [[nodiscard]] const Task* task(std::uint32_t job) const;
  // To be called when a task's wakeAt() was changed from outside.
  void taskChanged() { updateWake(); }

  void attach(transport::Poster& poster) override;
  // Throw Error(kTester) for a message of a job without a task here.
  void onArrival(const transport::Arrival& arrival, Picoseconds now) override;
  void onCompletion(const transport::Completion& completion, Picoseconds now) override;
  void wake(Picoseconds now) override;

 private:
  struct Entry {
    std::uint32_t job = 0;
    std::unique_ptr<Task> task;
  };

  Task& taskOf(std::uint32_t tag);
  void updateWake();

  std::vector<Entry> tasks_;  // few
};

}  // namespace plumbline::workload
