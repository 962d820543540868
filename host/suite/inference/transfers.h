// Common parts of the tests of KV cache transfers between simulated hosts: pairs of hosts, transfer
// times, and the label of the DUT.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "suite/framework/fabric_procedure.h"
#include "suite/framework/figures.h"

namespace plumbline::suite {

inline constexpr std::int64_t kKibibyte = std::int64_t{1} << 10;
inline constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
inline constexpr std::int64_t kGibibyte = std::int64_t{1} << 30;

// Payload of a full packet (path MTU), and its frame without RETH over IPv4: its wire slot is 4,178
// B. The first frame of a message has 16 B of RETH more.
inline constexpr Bytes kPacketPayload{4096};
inline constexpr Bytes kPacketFrame{4158};
inline constexpr Bytes kReth{16};

std::int64_t packetsOf(Bytes message);
// A message's packets back to back, preambles and gaps included, at `rate`.
Picoseconds wireTimeOf(Bytes message, BitRate rate);
// Payload per second of full packets without pause, in GB/s (10^9 B): of RoCEv2 with a path MTU of
// 4096, 49.02 at 400 Gb/s.
double payloadCeiling(const bench::TransportSpec& transport, BitRate rate);

// The DUT by the names of the draft's Table 2. Each result has one.
enum class DutLabel { kFabric, kSwitch, kNic, kPath, kSystem };
// A line of the report's configuration.
void labelDut(DutLabel label, Numbers& numbers);

// A trial has the length `what` instead of the draft's `standard`: configuration and deviation.
void lengthOfTrial(const std::string& what, Picoseconds standard, Numbers& numbers);

// A host that sends and one that receives.
struct Transfer {
  workload::HostId from = 0;
  workload::HostId to = 0;
};
// Messages of one size in a closed loop for each of `transfers`; records every arrival time.
workload::JobSpec transferJob(std::string name, const std::vector<Transfer>& transfers,
                              Bytes message);
workload::MessageProgram& programOf(workload::JobSpec& job);
// `iterations` dispatches of experts, each a message of one size from every host to every other
// one; with queue pairs of their own beside a transferJob(), so as not to wait for its messages.
workload::JobSpec dispatchJob(std::vector<workload::HostId> hosts, Bytes message,
                              std::uint32_t iterations);
// Why a topology cannot have prefill and decode hosts on every leaf; nothing if it can.
std::optional<std::string> mixedLeavesRefusal(const fabric::TopologySpec& topology);

// Why transfers cannot be timed; nothing where the transport acknowledges: lost messages of another
// one would be in no figure.
std::optional<std::string> unacknowledgedRefusal(const TestConfig& config);

// Times of a transfer: posted to completely received, the draft's completion on the decode side.
const stats::Histogram& arrivalTimes(const bench::TrialResult& trial, std::size_t job);
// Minimum, mean, P50, P95, P99, P99.9, maximum and P99 - P50 of them, KPIs kv_transfer_*_us; P99 is
// primary. `job`: of the trial.
std::vector<Figure> kvTransferTimes(std::size_t job);
// P50 and P99 of the time from post to acknowledgement, KPIs kv_completion_*_us.
std::vector<Figure> completionTimes(std::size_t job);
std::vector<std::string> transferTimeKpis();

// Payload that arrived per second [GB/s], over all transfers; with the interval of the batches
// where the trial ended early.
Reading kvGigabytesPerSecond(const bench::TrialResult& trial);
// The same as share of the capacity of the senders' links [%].
double shareOfLinks(const TestConfig& config, const bench::TrialResult& trial,
                    std::uint32_t senders);
// Load of the busiest link to or from a host [%].
double hostLinkPercent(const bench::TrialResult& trial);

// Adds the distribution of the transfer times of every point, over all repetitions.
void addTransferDistributions(const Design& design, const std::vector<Measured>& measured,
                              std::size_t job, ResultBuilder& builder);

}  // namespace plumbline::suite
