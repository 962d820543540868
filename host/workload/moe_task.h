// One rank of a MoeProgram.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/moe_plan.h"
#include "workload/task.h"

namespace plumbline::workload {

// When a rank began a dispatch or combine, and when it had received everything; kNever if not
// reached.
struct MoeSpan {
  Picoseconds start = transport::kNever;
  Picoseconds finish = transport::kNever;
  [[nodiscard]] Picoseconds duration() const { return finish - start; }
};

// A rank begins its dispatch as the program says, posts all its messages at once, peer by peer
// beginning after itself, and continues when all its messages have arrived. Arrivals for a phase
// that it has not begun are counted then.
class MoeTask final : public Task {
 public:
  // `program`, `plan` and `members` must outlive the task.
  MoeTask(MessagePort port, const MoeProgram& program, const MoePlan& plan, const Members& members,
          Rank rank, Picoseconds start);

  void arrived(HostId from, Label label, Picoseconds now) override;
  void completed(HostId to, Label label, Picoseconds now) override;
  void wake(Picoseconds now) override;
  [[nodiscard]] bool finished() const override { return phase_ == plan_.phases() && open_ == 0; }

  // By phase: dispatch and combine of each layer.
  [[nodiscard]] const std::vector<MoeSpan>& spans() const { return spans_; }

 private:
  void advance(Picoseconds now);
  // When the phase may begin.
  [[nodiscard]] Picoseconds due() const;
  void begin(Picoseconds now);

  const MoeProgram& program_;
  const MoePlan& plan_;
  const Members& members_;
  Rank rank_;
  Picoseconds start_;
  std::uint32_t phase_ = 0;
  bool running_ = false;
  Picoseconds free_at_{};               // time when the last phase was over
  std::uint64_t open_ = 0;              // own messages not completed
  std::vector<std::uint32_t> missing_;  // by phase
  std::vector<MoeSpan> spans_;
};

}  // namespace plumbline::workload
