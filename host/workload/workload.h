// Builds the applications of a workload's hosts, and collects their results.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workload/host_application.h"
#include "workload/iteration_result.h"
#include "workload/message_task.h"
#include "workload/moe_plan.h"
#include "workload/moe_result.h"
#include "workload/moe_task.h"
#include "workload/trace_task.h"
#include "workload/training_task.h"
#include "workload/unacknowledged.h"
#include "workload/workload_spec.h"

namespace plumbline::workload {

// Observation point: endpoint software (modelled).
struct JobResult {
  std::string name;
  bool finished = false;  // all posted messages completed, all iterations ended
  PortCounters total;     // of all ranks; message_time over all messages that are acknowledged
  Unacknowledged unacknowledged;            // for a service without acknowledgements
  std::vector<std::uint64_t> bytes_posted;  // S_fabric, by rank
  // TrainingProgram, MoeProgram (its layers): those that every rank finished.
  std::vector<IterationResult> iterations;
  std::vector<ConnectionResult> connections;  // MessageProgram, in the pattern's order
  // MessageProgram with arrival_times, see arrival_times.h.
  std::optional<stats::Histogram> arrival_time;
  std::vector<Picoseconds> trace_completed;  // TraceProgram: by entry; kNever if not completed
  std::optional<MoeResult> moe;              // MoeProgram
  // Of iterations, when finished: from the first start to the last finish. JCT.
  [[nodiscard]] Picoseconds completionTime() const;
};

// Hosts share only constant plans, so they may run on any threads.
class Workload {
 public:
  // For a fabric of `hosts` hosts. Throws Error(kUsage), naming the job, for an invalid workload:
  // see placeJobs(), makeSchedule() and the comments of workload_spec.h.
  Workload(const WorkloadSpec& spec, std::uint32_t hosts);

  // The application of `host`; null without one. Lives as long as this object.
  [[nodiscard]] transport::Application* application(HostId host) const {
    return hosts_[host].get();
  }
  [[nodiscard]] const WorkloadSpec& spec() const { return spec_; }
  // Hosts of the jobs, rank by rank.
  [[nodiscard]] const std::vector<std::vector<HostId>>& placement() const { return placement_; }

  // Adds a task that belongs to no job and is driven from outside. `number` is in the tags of its
  // messages: at least the number of jobs, below kMaxJobs; one task of a number on a host. Before
  // applications are attached.
  void add(HostId host, std::uint32_t number, std::unique_ptr<Task> task);
  // Makes the application of `host` read its tasks' wakeAt() again.
  void taskChanged(HostId host) { hosts_[host]->taskChanged(); }

  // Not while the fabric is running.
  // Whether all jobs that are no background are finished.
  [[nodiscard]] bool finished() const;
  // `passed`: of services without acknowledgements.
  [[nodiscard]] std::vector<JobResult> results(const PassedMessages& passed = {}) const;
  // JobResult::iterations of one job alone: those that every rank has finished.
  [[nodiscard]] std::vector<IterationResult> iterationsOf(std::uint32_t job) const;
  // Ends a job of a TrainingProgram after the current iteration of its foremost rank, with the same
  // number for all ranks. Other jobs are not affected.
  void endIterations(std::uint32_t job);

 private:
  void buildJob(std::uint32_t job);
  void addTask(std::uint32_t job, Rank rank, std::unique_ptr<Task> task);
  void buildTraining(std::uint32_t job, const TrainingProgram& program);
  void buildMessages(std::uint32_t job, const MessageProgram& program);
  void buildTrace(std::uint32_t job, const TraceProgram& program);
  void buildMoe(std::uint32_t job, const MoeProgram& program);
  [[nodiscard]] JobResult resultOf(std::uint32_t job, const PassedMessages& passed) const;

  WorkloadSpec spec_;
  std::vector<std::vector<HostId>> placement_;
  std::vector<std::unique_ptr<Members>> members_;    // by job
  std::vector<std::unique_ptr<MoePlan>> moe_plans_;  // by job; null for other programs
  std::vector<std::unique_ptr<HostApplication>> hosts_;
  std::vector<std::vector<Task*>> tasks_;  // by job, by rank
};

}  // namespace plumbline::workload
