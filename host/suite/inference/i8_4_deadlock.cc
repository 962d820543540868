// I8.4 PFC storm and deadlock resilience (inference draft, section 8.4).
//
// T7.4's fabric with a cycle, its flows and its trigger (training/t7_4_pfc_deadlock.cc), with
// additional KV transfers on all leaves, from four more hosts of every leaf to those of the peer
// leaf, in the same lossless class. Measured besides T7.4's figures: whether a storm occurred
// (links between switches were paused), how many hops pauses reached from the host of the trigger,
// and the longest time without progress of any KV transfer.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/trial/trial.h"
#include "fabric/topology/topology.h"
#include "suite/framework/figures.h"
#include "suite/framework/pause_hops.h"
#include "suite/inference/inference.h"
#include "suite/inference/transfers.h"
#include "suite/training/pfc_deadlock.h"

namespace plumbline::suite {
namespace {

// Of 16 packets: the queue that one makes stays below any usual xoff.
constexpr Bytes kCycleKvMessage{64 * kKibibyte};
constexpr Fraction kCycleKvLoad = Fraction::percent(2);  // of a sending host's link
constexpr std::uint32_t kCycleKvHosts = 4;               // of every leaf

double stormSeen(const bench::TrialResult& trial) {
  for (const bench::LinkLoad& link : trial.fabric->links) {
    if (link.between_switches && link.pauses > 0) return 1;
  }
  return 0;
}

class KvDeadlockProcedure final : public PfcDeadlockProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I8.4"; }
  [[nodiscard]] std::string title() const override {
    return "PFC storm and deadlock with KV transfers";
  }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(PfcDeadlockProcedure::kpis(), {"pfc_storm", "pause_hops", "kv_zero_throughput_us"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 8.4"; }

  [[nodiscard]] std::uint32_t ownHosts() const override { return kCycleKvHosts; }
  void describe(Numbers& numbers) const override {
    labelDut(DutLabel::kFabric, numbers);
    numbers.configure(
        "KV", fmt::format("messages of {} from {} more hosts of every leaf, {} of a host's "
                          "link each, evenly spaced",
                          valueText(kCycleKvMessage), kCycleKvHosts, valueText(kCycleKvLoad)));
  }

  void addTraffic(const TestConfig& config, Picoseconds duration,
                  bench::TrialSpec& spec) const override {
    std::vector<Transfer> transfers;
    for (std::uint32_t leaf = 0; leaf < kCycleLeaves; ++leaf) {
      for (std::uint32_t i = 0; i < kCycleKvHosts; ++i) {
        transfers.push_back({kCycleHosts + leaf * kCycleKvHosts + i,
                             kCycleHosts + (leaf ^ 1U) * kCycleKvHosts + i});
      }
    }
    workload::JobSpec job = transferJob("kv", transfers, kCycleKvMessage);
    workload::MessageProgram& program = programOf(job);
    const Picoseconds wire = wireTimeOf(kCycleKvMessage, config.scenario.topology.link_rate);
    const Picoseconds interval(
        std::llround(static_cast<double>(wire.count()) / kCycleKvLoad.toDouble()));
    program.load = workload::Arrivals{.interval = interval};
    program.phase = interval / static_cast<std::int64_t>(transfers.size());
    program.until = duration;
    program.arrival_times = false;
    transport::RoceSpec roce;
    roce.data_priority = spec.streams.front().format.priority;
    roce.ack_priority = roce.data_priority;
    spec.transport = roce;
    spec.workload.emplace().seed = config.scenario.seed;
    spec.workload->jobs.push_back(std::move(job));
  }

  [[nodiscard]] std::vector<Figure> ownFigures(const Design& design) const override {
    return {figure("Storm", "", "pfc_storm", stormSeen),
            {.column = "Pauses reach",
             .unit = "hops",
             .kpi = "pause_hops",
             // The trigger's host depends on where the seeds lead the flows.
             .paired = [this, &design](std::size_t i, std::size_t repetition,
                                       const bench::TrialResult& trial) -> std::optional<Reading> {
               const bench::TrialSpec spec =
                   repetitionOf(design.points[i], static_cast<std::uint32_t>(repetition));
               const std::uint32_t host =
                   spec.dut.storms.empty() ? 0 : spec.dut.storms.front().host;
               const fabric::Topology topology = fabric::buildTopology(spec.dut.topology);
               const auto hops = pauseHops(topology, *trial.fabric, host);
               return hops ? std::optional<Reading>(*hops) : std::nullopt;
             }},
            figure("KV zero throughput", "us", "kv_zero_throughput_us",
                   [](const bench::TrialResult& trial) {
                     return longestStandstillMicroseconds(trial, false);
                   })};
  }

  [[nodiscard]] std::string note() const override {
    return " These are of the flows of the cycle; KV zero throughput is the longest stretch in "
           "which "
           "no KV transfer made progress. Storm is 1 when links between switches were paused. Hops "
           "are from the host of the trigger.";
  }
};

}  // namespace

const Procedure& kvDeadlockProcedure() {
  static const KvDeadlockProcedure test;
  return test;
}

}  // namespace plumbline::suite
