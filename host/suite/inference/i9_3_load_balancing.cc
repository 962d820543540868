// I9.3 ECMP and dynamic load balancing under inference traffic (inference draft, section 9.3).
//
// On a two-tier Clos every leaf has prefill hosts (those with an even number) and decode hosts.
// Swept: traffic × load balancing.
//   KV      every prefill host sends one message to a decode host of the next leaf
//   EP      AlltoAll among all hosts, small messages
//   mixed   both at once
// Measured: Jain index, max-mean ratio, busiest and idlest link between switches, and the
// oversubscription: time that the busiest link between switches needs for its bytes, over that of
// the busiest link of a host. Above 1 the balancing, and not the hosts, is the limit.
// Closed form: spray makes all links equal (JFI 1); ECMP throws m equal flows of a leaf on U
// uplinks, JFI about 1 / (1 + (U - 1) / m).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "suite/framework/fabric_metrics.h"
#include "suite/framework/figures.h"
#include "suite/inference/inference.h"
#include "suite/inference/transfers.h"
#include "suite/training/balancing.h"

namespace plumbline::suite {
namespace {

enum class Mix { kKv, kEp, kBoth };
constexpr std::array<std::pair<Mix, const char*>, 3> kMixes{
    {{Mix::kKv, "KV"}, {Mix::kEp, "EP"}, {Mix::kBoth, "mixed"}}};

constexpr Bytes kKvMessage{16 * kMebibyte};
// Message of a rank of the AlltoAll to another one: the draft's small flows are below 1 MB.
constexpr Bytes kEpMessage{64 * kKibibyte};

struct MixCell {
  Mix mix = Mix::kKv;
  std::string name;
  Variant variant;
};

class InferenceBalancingProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I9.3"; }
  [[nodiscard]] std::string title() const override {
    return "Load balancing under inference traffic";
  }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"link_jfi",         "link_mmr",     "busiest_link_percent", "idlest_link_percent",
            "oversubscription", "goodput_gbps", "ecn_percent",          "pfc_per_s",
            "drop_ppm"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 9.3"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<MixCell> cellsOf(const TestConfig& config, Numbers& numbers);
};

std::vector<MixCell> InferenceBalancingProcedure::cellsOf(const TestConfig& config,
                                                          Numbers& numbers) {
  const std::vector<std::string> all(scenario::kBalancingWords.begin(),
                                     scenario::kBalancingWords.end());
  const std::vector<Balancing> balancings = balancingSweep(config, numbers, all, all);
  std::vector<MixCell> cells;
  for (const auto& mix : kMixes) {
    for (const Balancing& balancing : balancings) {
      cells.push_back({mix.first, mix.second, defaultVariant(config, balancing)});
    }
  }
  return cells;
}

workload::JobSpec kvJob(const fabric::TopologySpec& topology, std::uint64_t messages) {
  const std::uint32_t hosts = topology.hostCount();
  std::vector<Transfer> transfers;
  for (std::uint32_t host = 0; host < hosts; host += 2) {
    transfers.push_back({host, (host + topology.hosts_per_leaf + 1) % hosts});
  }
  workload::JobSpec job = transferJob("kv", transfers, kKvMessage);
  programOf(job).messages = messages;
  return job;
}

workload::JobSpec epJob(std::uint32_t ranks, std::uint32_t iterations) {
  std::vector<workload::HostId> hosts(ranks);
  std::iota(hosts.begin(), hosts.end(), 0);
  return dispatchJob(std::move(hosts), kEpMessage, iterations);
}

Design InferenceBalancingProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Traffic", ""}, {"Load balancing", ""}};
  labelDut(DutLabel::kFabric, design.numbers);
  const fabric::TopologySpec& topology = config.scenario.topology;
  if (auto why = mixedLeavesRefusal(topology)) {
    design.refusals.push_back(*std::move(why));
    return design;
  }
  if (auto why = onePathRefusal(topology)) {
    design.refusals.push_back(*std::move(why));
    return design;
  }
  const std::vector<MixCell> cells = cellsOf(config, design.numbers);
  const auto rounds = design.numbers.atLeast<std::uint32_t>(
      "Messages of a pair, dispatches of a rank", 16, 2, config.scenario.parameters.iterations);
  design.numbers.configure(
      "KV", fmt::format("messages of {} from every prefill host, one after the other",
                        valueText(kKvMessage)));
  design.numbers.configure("EP", fmt::format("AlltoAll of all {} hosts, {} for each other one",
                                             topology.hostCount(), valueText(kEpMessage)));
  design.repetitions = design.numbers.repetitions(20, 3);
  design.hop_cost = 1.5;
  const std::uint32_t hosts = topology.hostCount();
  for (const MixCell& cell : cells) {
    bench::TrialSpec spec = emptyTrial(config);
    applyVariant(cell.variant, spec);
    double bytes = 0;
    if (cell.mix != Mix::kEp) {
      spec.workload->jobs.push_back(kvJob(topology, rounds));
      bytes += static_cast<double>(kKvMessage.count()) * rounds * hosts / 2;
    }
    if (cell.mix != Mix::kKv) {
      spec.workload->jobs.push_back(epJob(hosts, rounds));
      bytes += static_cast<double>(kEpMessage.count()) * rounds * hosts * (hosts - 1);
    }
    design.add({cell.name, cell.variant.balancing.name}, std::move(spec),
               payloadHops(config, bytes));
  }
  return design;
}

// The load of every link between switches [%], idle ones included.
std::vector<double> linkLoads(const bench::TrialResult& trial) {
  std::vector<double> loads;
  for (const bench::LinkLoad& link : trial.fabric->links) {
    if (link.between_switches) loads.push_back(100 * link.utilisation);
  }
  // Links without traffic are not listed.
  if (trial.fabric->fabric_links) loads.resize(*trial.fabric->fabric_links);
  return loads;
}

double idlestLink(const bench::TrialResult& trial) {
  const std::vector<double> loads = linkLoads(trial);
  return loads.empty() ? kNotMeasured : *std::min_element(loads.begin(), loads.end());
}
double busiestLink(const bench::TrialResult& trial) {
  const std::vector<double> loads = linkLoads(trial);
  return loads.empty() ? kNotMeasured : *std::max_element(loads.begin(), loads.end());
}

double linkOversubscription(const bench::TrialResult& trial) {
  double between = 0;
  double of_hosts = 0;
  for (const bench::LinkLoad& link : trial.fabric->links) {
    const double seconds =
        static_cast<double>(link.bytes) / static_cast<double>(link.rate.bitsPerSecond());
    double& max = link.between_switches ? between : of_hosts;
    max = std::max(max, seconds);
  }
  return of_hosts > 0 ? between / of_hosts : kNotMeasured;
}

void InferenceBalancingProcedure::report(const TestConfig& config, const Design& design,
                                         const std::vector<Measured>& measured,
                                         ResultBuilder& builder) const {
  Numbers unused(config);
  const std::vector<MixCell> cells = cellsOf(config, unused);
  Figure jfi = figure("JFI", "", "link_jfi", linkJfi);
  jfi.primary = true;
  addTable(design, measured,
           {jfi, figure("MMR", "", "link_mmr", linkMmr),
            figure("Busiest link", "%", "busiest_link_percent", busiestLink),
            figure("Idlest link", "%", "idlest_link_percent", idlestLink),
            figure("Oversubscription", "", "oversubscription", linkOversubscription),
            figure("Goodput", "Gb/s", "goodput_gbps", goodputGbps),
            figure("ECN marked", "%", "ecn_percent", ecnPercent),
            figure("PAUSE", "/s", "pfc_per_s", pausesPerSecond),
            figure("Lost end to end", "ppm", "drop_ppm", dropPpm)},
           {"balance",
            "Load balance under inference traffic",
            "JFI and MMR (maximum over mean) are over the bytes of all links between switches. "
            "Busiest and idlest link: their loads until all transfers were done. Oversubscription "
            "is the time that the busiest of them needs for its bytes, over the same time of the "
            "busiest link of a host.",
            {},
            {}},
           builder);
  results::Chart chart;
  chart.id = "jfi";
  chart.title = "Fairness over the links between switches";
  chart.y_label = "JFI";
  addBars(design, measured, figure("JFI", "", "", linkJfi),
          {[&](std::size_t i) { return cells[i].variant.balancing.name; },
           [&](std::size_t i) { return cells[i].name; }},
          std::move(chart), builder);
  if (measured.empty()) {
    builder.result().summary = "No point gave a valid result.";
    return;
  }
  addLinkMaps(
      design, measured,
      [&](std::size_t i) {
        return cells[i].mix == Mix::kBoth ? cells[i].variant.balancing.name : std::string();
      },
      builder);
  const Measured& last = measured.back();
  const results::Quantity value = *meanOf(design, last, jfi);
  builder.primary("JFI, " + last.point.label, value);
  builder.result().summary = fmt::format("{}: JFI {} over the links between switches.",
                                         last.point.label, builder.text(value));
}

}  // namespace

const Procedure& inferenceBalancingProcedure() {
  static const InferenceBalancingProcedure test;
  return test;
}

}  // namespace plumbline::suite
