// One rank of a TraceProgram.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/task.h"

namespace plumbline::workload {

// Posts every message at its time, whatever the state of earlier ones; messages of a rank take the
// flows in turn.
class TraceTask final : public Task {
 public:
  static constexpr std::size_t kMaxEntries = std::size_t{1} << 23;

  // One of the job's entries, by its index there.
  struct Item {
    std::uint32_t entry = 0;
    Picoseconds completed = transport::kNever;
  };

  // `program` and `members` must outlive the task. `entries`: this rank's, ascending in time; at
  // most kMaxEntries.
  TraceTask(MessagePort port, const TraceProgram& program, const Members& members,
            const std::vector<std::uint32_t>& entries, Picoseconds start);

  void arrived(HostId from, Label label, Picoseconds now) override;
  void completed(HostId to, Label label, Picoseconds now) override;
  void wake(Picoseconds now) override;
  [[nodiscard]] bool finished() const override { return completed_ == items_.size(); }

  [[nodiscard]] const std::vector<Item>& items() const { return items_; }

 private:
  void updateWake();

  const TraceProgram& program_;
  const Members& members_;
  Picoseconds start_;
  std::vector<Item> items_;
  std::size_t next_ = 0;
  std::size_t completed_ = 0;
};

}  // namespace plumbline::workload
