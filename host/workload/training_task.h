// One rank of a TrainingProgram.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "workload/schedule.h"
#include "workload/task.h"

namespace plumbline::workload {

// When a rank began an iteration (its compute phase) and finished its last collective and its
// computing; kNever if not reached.
struct RankIteration {
  Picoseconds start = transport::kNever;
  Picoseconds finish = transport::kNever;
};

// Collectives of a rank are numbered through all iterations (barriers included). A message for one
// that this rank has not begun is kept until then. A rank begins collective k only when all its own
// messages of k-2 are acknowledged, so at most two collectives have messages in flight.
class TrainingTask final : public Task, private Sender {
 public:
  // `program` and `members` must outlive the task. Throws as makeSchedule() does.
  TrainingTask(MessagePort port, const TrainingProgram& program, const Members& members, Rank rank,
               Picoseconds start, std::uint64_t seed);

  void arrived(HostId from, Label label, Picoseconds now) override;
  void completed(HostId to, Label label, Picoseconds now) override;
  void wake(Picoseconds now) override;
  [[nodiscard]] bool finished() const override {
    return phase_ == Phase::kDone && open_[0] == 0 && open_[1] == 0;
  }

  // Those that have begun.
  [[nodiscard]] const std::vector<RankIteration>& iterations() const { return iterations_; }
  // Iterations that this rank has begun, including the one that it begins next: it cannot end
  // earlier.
  [[nodiscard]] std::uint32_t minIterations() const { return iteration_ + 1; }
  // Ends after `iterations` if the program has more. The same number for all ranks of a job, at
  // least minIterations() of each. Not while the fabric is running.
  void endAfter(std::uint32_t iterations) { most_ = std::min(most_, iterations); }

 private:
  enum class Phase : std::uint8_t {
    kBegin,      // of an iteration
    kReady,      // the next collective waits for its data or for old acknowledgements
    kRunning,    // in a collective
    kSettling,   // its time after
    kComputing,  // all collectives done, compute phase perhaps not
    kBarrier,    // after the iteration
    kDone,
  };
  struct Early {
    std::uint64_t collective = 0;
    Rank from = 0;
    std::uint32_t step = 0;
  };

  void send(const Transfer& transfer) override;
  void advance(Picoseconds now);
  // The phase after this one, or none: `until` is then the next time to check (kNever: on a
  // message).
  bool leave(Picoseconds now, Picoseconds& until);
  void begin(Picoseconds now);
  void run(Schedule& schedule);
  void countCollective();
  [[nodiscard]] Picoseconds readyAt() const;
  [[nodiscard]] std::uint64_t unwrap(std::uint32_t sequence);

  const TrainingProgram& program_;
  std::uint32_t most_;  // iterations
  const Members& members_;
  std::uint64_t seed_;
  std::vector<std::unique_ptr<Schedule>> schedules_;  // of the program's collectives
  std::unique_ptr<Schedule> barrier_;
  Schedule* running_ = nullptr;

  Phase phase_ = Phase::kBegin;
  Picoseconds now_{};  // of the current call
  std::uint32_t iteration_ = 0;
  std::uint32_t next_ = 0;        // collective of this iteration
  std::uint64_t collective_ = 0;  // of all
  std::uint64_t newest_ = 0;      // highest collective seen, own or in a message
  Picoseconds compute_begin_{};
  Picoseconds compute_end_{};
  Picoseconds free_at_{};  // time when the last collective was over
  Picoseconds settled_at_{};
  std::array<std::uint64_t, 2> open_{};  // own messages not acknowledged, by parity of collective
  std::vector<Early> early_;
  std::vector<RankIteration> iterations_;
};

}  // namespace plumbline::workload
