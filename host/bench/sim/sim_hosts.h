// The simulated hosts of a trial: their applications, transports and observations. Shared by all
// benches whose DUT is the simulated fabric.
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

// A host is simulated if it is no tester port and has a rank of the trial's workload, a NIC of its
// serving system, or the beginning or end of a stream. It then has a NIC with the trial's transport
// (default: RoCE) for the workload, and plain streams for the trial's streams. The tester itself
// sends streams that begin at its ports.
//
// Times are the fabric's: its time zero is the common start of all streams.
class SimHosts {
 public:
  // Attaches a NIC to every simulated host; before the fabric runs. The fabric must not run after
  // the object's destruction. Throws Error(kUsage) for an invalid workload, transport or stream.
  SimHosts(const TrialSpec& spec, fabric::Fabric& fabric,
           const std::set<fabric::HostId>& tester_ports = {});
  SimHosts(const SimHosts&) = delete;
  SimHosts& operator=(const SimHosts&) = delete;

  // Hosts that are simulated, ascending.
  [[nodiscard]] const std::vector<fabric::HostId>& hosts() const { return hosts_; }
  [[nodiscard]] bool simulated(fabric::HostId host) const { return nics_.at(host) != nullptr; }

  // --- Not while the fabric is running ---

  // All protocols of `host` together; all zero if it is not simulated.
  [[nodiscard]] transport::EndpointStats statsOf(fabric::HostId host) const;
  // The hosts' transports alone, without plain streams.
  [[nodiscard]] transport::EndpointStats transportStats() const;
  // The counters of loss recovery among these.
  [[nodiscard]] RecoveryCounts recoveryCounts() const;
  // Whether that transport reports the arrival of messages to the poster.
  [[nodiscard]] bool acknowledges() const { return acknowledges_; }
  // Sum over all hosts; nothing where connection setup has no cost.
  [[nodiscard]] std::optional<transport::ConnectionStats> connections() const;
  // Every flow (QP, PDC, stream) that was ever open at `host`.
  [[nodiscard]] std::vector<transport::FlowStats> flowsOf(fabric::HostId host) const;

  // Messages posted at `host` without a completion, those of serving systems included.
  [[nodiscard]] std::vector<transport::PendingMessage> pendingOf(fabric::HostId host) const;

  // True when the workload has nothing left to do, or there is none.
  [[nodiscard]] bool workloadFinished() const;
  // The workload, and the hosts of its jobs in the order of ranks; without jobs if there is none.
  [[nodiscard]] const workload::WorkloadSpec& workload() const;
  [[nodiscard]] const std::vector<std::vector<fabric::HostId>>& placement() const;
  // Payload that has arrived at all hosts, each byte once: goodput.
  [[nodiscard]] std::uint64_t payloadReceived() const;
  // Of the first job; empty unless it is of collectives.
  [[nodiscard]] std::vector<workload::IterationResult> iterations() const;
  // As workload::Workload, for the first job.
  void endIterations();
  // By job; empty without a workload.
  [[nodiscard]] std::vector<workload::JobResult> jobResults() const;

  // NICs of the trial's serving systems, one system after the other; 0 without one. Messages given
  // to a task take effect after servingTaskChanged(), and in the fabric after Fabric::wake().
  [[nodiscard]] std::uint32_t servingNics() const {
    return static_cast<std::uint32_t>(serving_tasks_.size());
  }
  [[nodiscard]] fabric::HostId servingHost(std::uint32_t nic) const { return serving_hosts_[nic]; }
  [[nodiscard]] ServingTask& servingTask(std::uint32_t nic) { return *serving_tasks_[nic]; }
  void servingTaskChanged(std::uint32_t nic);

  // Numbers of the trial's streams that simulated hosts send, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& streams() const { return streams_; }
  // Outcomes in the same order, without frames that a tester port received.
  [[nodiscard]] std::vector<transport::StreamOutcome> streamOutcomes() const;
  // Latency by stream group, ascending; first bit to first bit [ps].
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

// Whether the trial's transport reports the arrival of messages to the poster.
bool acknowledgesMessages(const TrialSpec& spec);

// Throws what the constructor of SimHosts would throw, and builds one host of each kind only.
void checkSimHosts(const TrialSpec& spec, const fabric::FabricPlan& plan,
                   const std::set<fabric::HostId>& tester_ports = {});

}  // namespace plumbline::bench
