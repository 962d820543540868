// The simulated hosts of a trial: what runs on them, how they speak, and what they saw. Shared by
// every bench whose DUT is the simulated fabric.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "bench/sim/serving_task.h"
#include "bench/trial/samples.h"
#include "bench/trial/trial.h"
#include "fabric/engine/fabric.h"
#include "fabric/spec/fabric_plan.h"
#include "transport/endpoint_stats.h"
#include "transport/nic.h"
#include "transport/stream/stream_protocol.h"
#include "workload/workload.h"

namespace plumbline::bench {

// A host is simulated if it is no tester's port and the trial's workload has a rank on it, its
// serving system a NIC, or one of the trial's streams begins or ends there. It then has a NIC with
// the trial's transport (RoCE with its defaults when the trial names none) where the workload runs,
// and plain streams where streams begin or end. Streams that begin at a tester's port are the
// tester's own.
//
// Times are the fabric's: the common start of all streams is its time zero.
class SimHosts {
 public:
  // Attaches a NIC to every simulated host; before the fabric runs. The fabric must not run any
  // more when this object is gone. Throws Error(kUsage) for a workload, a transport or streams that
  // cannot be.
  SimHosts(const TrialSpec& spec, fabric::Fabric& fabric,
           const std::set<fabric::HostId>& tester_ports = {});
  SimHosts(const SimHosts&) = delete;
  SimHosts& operator=(const SimHosts&) = delete;

  // Hosts that are simulated, ascending.
  [[nodiscard]] const std::vector<fabric::HostId>& hosts() const { return hosts_; }
  [[nodiscard]] bool simulated(fabric::HostId host) const { return nics_.at(host) != nullptr; }

  // --- Not while the fabric is running ---

  // Of all protocols of `host` together; all zero if it is not simulated.
  [[nodiscard]] transport::EndpointStats statsOf(fabric::HostId host) const;
  // Of the hosts' transports alone, without plain streams.
  [[nodiscard]] transport::EndpointStats transportStats() const;
  // Of these, what recovery from loss counts.
  [[nodiscard]] RecoveryCounts recoveryCounts() const;
  // Whether that transport tells a poster that its messages have arrived.
  [[nodiscard]] bool acknowledges() const { return acknowledges_; }
  // Over all hosts; nothing where setting up connections has no cost.
  [[nodiscard]] std::optional<transport::ConnectionStats> connections() const;
  // Of every flow (QP, PDC, stream) that was ever open at `host`.
  [[nodiscard]] std::vector<transport::FlowStats> flowsOf(fabric::HostId host) const;

  // True when the workload has nothing left to do, or there is none.
  [[nodiscard]] bool workloadFinished() const;
  // Hosts of the jobs, rank by rank; none without a workload.
  [[nodiscard]] const std::vector<std::vector<fabric::HostId>>& placement() const;
  // Payload that has arrived at all of them, each byte once: goodput.
  [[nodiscard]] std::uint64_t payloadReceived() const;
  // Of the first job; none unless it is of collectives.
  [[nodiscard]] std::vector<workload::IterationResult> iterations() const;
  // See workload::Workload: of the first job.
  void endIterations();
  // By job; none without a workload.
  [[nodiscard]] std::vector<workload::JobResult> jobResults() const;

  // NICs of the trial's serving systems, one system's after the other's: none without one. What was
  // given to a task is known to its host after servingTaskChanged(), and to the fabric after
  // Fabric::wake().
  [[nodiscard]] std::uint32_t servingNics() const {
    return static_cast<std::uint32_t>(serving_tasks_.size());
  }
  [[nodiscard]] fabric::HostId servingHost(std::uint32_t nic) const { return serving_hosts_[nic]; }
  [[nodiscard]] ServingTask& servingTask(std::uint32_t nic) { return *serving_tasks_[nic]; }
  void servingTaskChanged(std::uint32_t nic);

  // The trial's streams that simulated hosts send, by their number in the trial, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& streams() const { return streams_; }
  // What became of them, in the same order. What a tester's port received is not in it.
  [[nodiscard]] std::vector<transport::StreamOutcome> streamOutcomes() const;
  // Of their groups, ascending; first bit to first bit [ps].
  [[nodiscard]] std::vector<GroupLatency> streamLatency() const;

 private:
  void buildHost(const TrialSpec& spec, fabric::Fabric& fabric, fabric::HostId host);

  std::unique_ptr<workload::Workload> workload_;
  std::vector<ServingTask*> serving_tasks_;            // by NIC
  std::vector<fabric::HostId> serving_hosts_;          // by NIC
  std::shared_ptr<const transport::StreamPlan> plan_;  // of the streams in streams_
  std::vector<std::uint32_t> streams_;
  std::vector<bool> streaming_;                        // by host: a stream begins or ends there
  std::vector<std::unique_ptr<transport::Nic>> nics_;  // by host
  std::vector<fabric::HostId> hosts_;
  std::vector<const transport::StreamProtocol*> stream_ends_;
  bool acknowledges_ = true;
};

// Whether the trial's transport tells a poster that its messages have arrived.
bool acknowledgesMessages(const TrialSpec& spec);

// Throws what the constructor of SimHosts would, without building a host: of what all hosts have
// alike, one is made of each kind.
void checkSimHosts(const TrialSpec& spec, const fabric::FabricPlan& plan,
                   const std::set<fabric::HostId>& tester_ports = {});

}  // namespace plumbline::bench
