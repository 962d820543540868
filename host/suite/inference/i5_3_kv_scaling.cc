// I5.3 Concurrent KV cache transfer scaling (inference draft, section 5.3).
//
// N prefill-decode pairs, host i of the first half to host i of the second half, each with one
// message after the other: the next one is posted when the previous one is acknowledged. Swept: N ×
// load balancing. Measured: aggregate payload per second, median and P99 of the transfer time over
// all pairs, Jain index over the pairs' goodputs and over the uplinks of the senders' leaves,
// busiest link. Closed form: on a fabric without oversubscription and with spray each pair
// transfers its message in n slots and a round trip; with ECMP the Jain index of the uplinks is
// about 1 / (1 + (U - 1) / flows) for `flows` equal flows of a leaf on U uplinks.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "fabric/topology/topology.h"
#include "stats/summary.h"
#include "suite/framework/early_end.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/inference/inference.h"
#include "suite/inference/transfers.h"
#include "suite/training/balancing.h"

namespace plumbline::suite {
namespace {

constexpr std::uint64_t kQuickPairMessages = 4;
constexpr Picoseconds kExpectedScalingTime =
    milliseconds(20);  // until a rate is known within 0.5 %

struct ScalingCell {
  std::uint32_t pairs = 1;
  Variant variant;
};

class KvScalingProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I5.3"; }
  [[nodiscard]] std::string title() const override { return "Concurrent KV cache transfers"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"kv_transfer_p50_us",
            "kv_transfer_p99_us",
            "kv_gigabytes_per_s",
            "goodput_percent",
            "flow_jfi",
            "uplink_jfi",
            "busiest_link_percent",
            "ecn_percent",
            "pfc_per_s",
            "drop_ppm"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 5.3"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<ScalingCell> cellsOf(const TestConfig& config, Numbers& numbers);
};

std::vector<ScalingCell> KvScalingProcedure::cellsOf(const TestConfig& config, Numbers& numbers) {
  const scenario::Parameters& own = config.scenario.parameters;
  const std::uint32_t half = config.scenario.topology.hostCount() / 2;
  const auto counts =
      numbers.sweep<std::uint32_t>("Pairs", {1, 2, 4, 8, 16, 32, 64, 128}, {1, 8, 32}, own.flows,
                                   [half](std::uint32_t n) { return n <= half; });
  std::vector<ScalingCell> cells;
  for (const Balancing& balancing :
       balancingSweep(config, numbers, {"ecmp", "spray"}, {"ecmp", "spray"})) {
    for (const std::uint32_t pairs : counts) {
      cells.push_back({pairs, defaultVariant(config, balancing)});
    }
  }
  return cells;
}

Design KvScalingProcedure::design(const TestConfig& config) const {
  const scenario::Parameters& own = config.scenario.parameters;
  Design design(config);
  design.axes = {{"Pairs", "pairs"}, {"Load balancing", ""}};
  labelDut(DutLabel::kFabric, design.numbers);
  if (auto why = unacknowledgedRefusal(config)) {
    design.refusals.push_back(*std::move(why));
    return design;
  }
  const std::vector<ScalingCell> cells = cellsOf(config, design.numbers);
  const Bytes message = design.numbers.sweep<Bytes>("Message", {Bytes(16 * kMebibyte)},
                                                    {Bytes(16 * kMebibyte)}, own.sizes)[0];
  const bool by_time = design.numbers.isStandard() || own.duration;
  const Picoseconds duration = own.duration.value_or(seconds(60));
  const std::uint64_t messages = own.iterations.value_or(kQuickPairMessages);
  if (by_time) {
    design.numbers.atLeast<Picoseconds>("Duration", seconds(60), seconds(60), own.duration);
  } else {
    lengthOfTrial(counted(messages, "message") + " of each pair", seconds(60), design.numbers);
  }
  design.repetitions = design.numbers.repetitions(20, 3);
  const std::uint32_t half = config.scenario.topology.hostCount() / 2;
  for (const ScalingCell& cell : cells) {
    if (cell.pairs > half) {
      design.refusals.push_back(fmt::format("{} pairs need {} hosts; the fabric has {}", cell.pairs,
                                            2 * cell.pairs, config.scenario.topology.hostCount()));
      return design;
    }
    bench::TrialSpec spec = emptyTrial(config);
    applyVariant(cell.variant, spec);
    std::vector<Transfer> pairs;
    for (std::uint32_t i = 0; i < cell.pairs; ++i) pairs.push_back({i, half + i});
    workload::JobSpec job = transferJob("kv", pairs, message);
    workload::MessageProgram& program = programOf(job);
    double bytes = static_cast<double>(message.count()) * static_cast<double>(messages);
    if (by_time) {
      program.until = duration;
      const Picoseconds expected = mayEndEarly(config) ? kExpectedScalingTime : duration;
      bytes = payloadCeiling(*spec.transport, config.scenario.topology.link_rate) * 1e9 *
              expected.toSeconds();
      if (mayEndEarly(config)) {
        spec.early_end = earlyEnd(bench::WatchedFigure::kMessageTime, 0.99);
      }
    } else {
      program.messages = messages;
    }
    spec.workload->jobs.push_back(std::move(job));
    design.add({std::to_string(cell.pairs), cell.variant.balancing.name}, std::move(spec),
               payloadHops(config, bytes * cell.pairs));
  }
  return design;
}

// Jain index over the bytes of the uplinks of all leaves with a sender, which are the first `pairs`
// hosts, idle uplinks included; nothing in a topology without links between switches.
std::optional<double> uplinkJfi(const TestConfig& config, std::uint32_t pairs,
                                const bench::TrialResult& trial) {
  const fabric::Topology topology = fabric::buildTopology(config.scenario.topology);
  std::set<fabric::NodeId> leaves;
  for (std::size_t host = 0; host < pairs; ++host) leaves.insert(topology.links()[2 * host].to);
  std::map<std::string, double, std::less<>> loads;  // of links with traffic
  for (const bench::LinkLoad& link : trial.fabric->links) {
    if (link.between_switches) loads[link.name] = static_cast<double>(link.bytes);
  }
  std::vector<double> bytes;
  for (fabric::LinkId id = 0; id < topology.links().size(); ++id) {
    if (!leaves.contains(topology.links()[id].from) || !topology.joinsSwitches(id)) continue;
    const auto load = loads.find(topology.linkName(id));
    bytes.push_back(load == loads.end() ? 0 : load->second);
  }
  if (bytes.empty()) return std::nullopt;
  return stats::jainIndex(bytes);
}

void KvScalingProcedure::report(const TestConfig& config, const Design& design,
                                const std::vector<Measured>& measured,
                                ResultBuilder& builder) const {
  Numbers unused(config);
  const std::vector<ScalingCell> cells = cellsOf(config, unused);
  Figure aggregate{.column = "Aggregate",
                   .unit = "GB/s",
                   .kpi = "kv_gigabytes_per_s",
                   .of = [](std::size_t, const bench::TrialResult& trial) {
                     return kvGigabytesPerSecond(trial);
                   }};
  aggregate.primary = true;
  const std::vector<Figure> times = kvTransferTimes(0);
  Figure p50 = times[2];
  const Figure& p99 = times[4];
  p50.primary = false;
  const Figure fairness{
      .column = "JFI of pairs",
      .unit = "",
      .kpi = "flow_jfi",
      .of = [](std::size_t, const bench::TrialResult& trial) -> std::optional<double> {
        return trial.fabric->flows.jfi;
      }};
  std::vector<Figure> figures{
      aggregate,
      {.column = "Of line rate",
       .unit = "%",
       .kpi = "goodput_percent",
       .of =
           [&](std::size_t i, const bench::TrialResult& trial) {
             return shareOfLinks(config, trial, cells[i].pairs);
           }},
      p50,
      p99,
      fairness,
      {.column = "JFI of uplinks",
       .unit = "",
       .kpi = "uplink_jfi",
       .of =
           [&](std::size_t i, const bench::TrialResult& trial) {
             return uplinkJfi(config, cells[i].pairs, trial);
           }},
      figure("Busiest link", "%", "busiest_link_percent", busiestLinkPercent),
      figure("ECN marked", "%", "ecn_percent", ecnPercent),
      figure("PAUSE", "/s", "pfc_per_s", pausesPerSecond),
      figure("Lost end to end", "ppm", "drop_ppm", dropPpm)};
  addTable(design, measured, figures,
           {"kv_scaling",
            "Scaling over concurrent pairs",
            "Aggregate payload per second of all pairs until the last one is done. Times are from "
            "the post to the last byte at the receiver, over the transfers of all pairs. JFI of "
            "pairs is over their goodputs, that of uplinks over the bytes on the uplinks of all "
            "leaves that send. Busiest link is between switches.",
            {},
            {}},
           builder);
  const ChartAxes axes{[&](std::size_t i) { return static_cast<double>(cells[i].pairs); },
                       [&](std::size_t i) { return cells[i].variant.balancing.name; }};
  results::Chart chart;
  chart.id = "kv_scaling_throughput";
  chart.title = "Aggregate throughput and P99 of a transfer over pairs";
  chart.x_label = "Pairs";
  chart.y_label = "Aggregate [GB/s]";
  chart.right_label = "P99 [us]";
  chart.log_x = true;
  results::Chart jfi = chart;
  addSeries(design, measured, aggregate, axes, false, chart);
  addSeries(design, measured, p99, axes, true, chart);
  builder.result().charts.push_back(std::move(chart));
  jfi.id = "kv_scaling_jfi";
  jfi.title = "Fairness of the pairs";
  jfi.y_label = "JFI";
  jfi.right_label.clear();
  addChart(design, measured, fairness, axes, std::move(jfi), builder);
  if (measured.empty()) {
    builder.result().summary = "No point gave a valid result.";
    return;
  }
  const Measured& last = measured.back();
  const results::Quantity value = *meanOf(design, last, aggregate);
  builder.primary("aggregate throughput, " + last.point.label, value);
  builder.result().summary = fmt::format("{}: {:.4g} GB/s.", last.point.label, value.value);
}

}  // namespace

const Procedure& kvScalingProcedure() {
  static const KvScalingProcedure test;
  return test;
}

}  // namespace plumbline::suite
