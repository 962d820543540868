// Message sizes at which a fast-forwarded trial is simulated.
#pragma once

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "bench/trial/trial.h"
#include "fabric/spec/fabric_plan.h"

namespace plumbline::bench {

// Ratio of the message sizes of the three runs at packet level.
inline constexpr std::array<std::uint64_t, 3> kRunRatio{1, 2, 4};
// Simulated iterations: of the runs that calibrate, and of the last run, which checks.
inline constexpr std::uint32_t kCalibratedIterations = 2;
inline constexpr std::uint32_t kCheckedIterations = 3;

// How a collective cuts its buffer: n equal chunks of equal messages.
struct CollectiveCut {
  std::uint64_t slices = 1;
  std::uint64_t message = 0;   // bytes of the largest
  std::uint64_t messages = 0;  // of all ranks
};

// The program of the workload's first job, which must be of collectives. `spec` must outlive the
// result.
inline const workload::TrainingProgram& programOf(const TrialSpec& spec) {
  return std::get<workload::TrainingProgram>(spec.workload->jobs.front().program);
}

// A trial with a single job of collectives (rings, hierarchical ones, an AllToAll) and shorter
// messages: as many messages, all shortened in proportion to the largest one.
class MessageScaling {
 public:
  // `spec` must outlive this object.
  explicit MessageScaling(const TrialSpec& spec);

  [[nodiscard]] std::uint64_t largest() const { return largest_; }    // of the trial's own [bytes]
  [[nodiscard]] std::uint64_t messages() const { return messages_; }  // of an iteration
  [[nodiscard]] std::uint64_t mtu() const { return mtu_; }            // of the transport, payload

  [[nodiscard]] const std::vector<std::uint32_t>& hosts() const { return hosts_; }  // by rank

  // Data packets of an iteration when the largest message has `message` bytes.
  [[nodiscard]] std::uint64_t packets(std::uint64_t message) const;
  // The trial with that largest message, and with at most `iterations` iterations.
  [[nodiscard]] TrialSpec at(std::uint64_t message, std::uint32_t iterations) const;

  // The largest message of the last run: as large as spec.fast_forward allows for all three runs,
  // up to the useful size; a multiple of four MTUs, or the trial's own. 0 when the limit is too
  // low: then `needed` is the number of packets that would be enough. `fabric`: of the trial.
  [[nodiscard]] std::uint64_t ofLastRun(const fabric::FabricPlan& fabric,
                                        std::uint64_t& needed) const;

 private:
  [[nodiscard]] std::uint64_t bytesOf(std::size_t collective, std::uint64_t message) const;
  [[nodiscard]] std::uint64_t packetsOfRuns(std::uint64_t message) const;
  [[nodiscard]] std::uint64_t bandwidthDelay(const fabric::FabricPlan& fabric) const;

  const TrialSpec& spec_;
  std::uint64_t mtu_;
  std::vector<std::uint32_t> hosts_;  // by rank
  std::vector<CollectiveCut> cuts_;   // by collective
  std::uint64_t largest_ = 0;
  std::uint64_t messages_ = 0;
};

}  // namespace plumbline::bench
