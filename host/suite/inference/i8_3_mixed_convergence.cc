// I8.3 Congestion control convergence for mixed traffic (inference draft, section 8.3).
//
// On a fabric whose leaves have prefill hosts (even numbers) and decode hosts, two classes share
// links: KV, every prefill host to a decode host of the next leaf, 80 % of its link; EP, AlltoAll
// among the decode hosts without end. One is active from the start, the other one joins. Swept: the
// joining class × transport (RoCEv2 with DCQCN and ECMP, UET RUD with NSCC and spray). Measured,
// from samples of every flow's received bytes: time from the joining until the rate of each class
// stays within 5 % of its steady one (its mean over the last third of the time since the joining);
// steady rates, Jain index over the two; packets lost, marks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/figures.h"
#include "suite/framework/unprotected_data.h"
#include "suite/inference/class_rates.h"
#include "suite/inference/inference.h"
#include "suite/inference/transfers.h"
#include "suite/training/balancing.h"

namespace plumbline::suite {
namespace {

constexpr Bytes kMixedKvMessage{kMebibyte};
constexpr Bytes kMixedEpMessage{64 * kKibibyte};
constexpr Fraction kMixedKvLoad = Fraction::percent(80);
// Interval of samples; a rate is a mean over ten of them.
constexpr Picoseconds kMixedSampling = microseconds(20);
constexpr std::int64_t kMaxMixedSamples = 5000;

struct MixedCell {
  bool ep_joins = true;
  Variant variant;

  [[nodiscard]] const char* order() const { return ep_joins ? "EP joins KV" : "KV joins EP"; }
};

class MixedConvergenceProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I8.3"; }
  [[nodiscard]] std::string title() const override { return "Convergence of mixed traffic"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"class_convergence_us", "kv_steady_gbps", "ep_steady_gbps", "class_jfi", "drop_ppm",
            "dropped_packets",      "ecn_percent",    "pfc_per_s"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 8.3"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static Picoseconds durationOf(const TestConfig& config, Numbers& numbers) {
    // The draft names no duration.
    const Picoseconds duration = config.scenario.parameters.duration.value_or(
        numbers.isStandard() ? milliseconds(100) : milliseconds(1));
    numbers.configure("Duration", valueText(duration));
    return duration;
  }
};

std::vector<MixedCell> mixedCells(const TestConfig& config) {
  std::vector<MixedCell> cells;
  for (const bool ep_joins : {true, false}) {
    Variant roce = serviceVariant(config, "RC", balancingOf("ecmp"));
    roce.name = "RoCEv2 RC, DCQCN";
    std::get<transport::RoceSpec>(roce.transport).dcqcn.enabled = true;
    cells.push_back({ep_joins, std::move(roce)});
    Variant uet = serviceVariant(config, "RUD", balancingOf("spray"));
    uet.name = "UET RUD, NSCC";
    std::get<transport::UetSpec>(uet.transport).congestion_control =
        transport::UetCongestionControl::kNscc;
    cells.push_back({ep_joins, std::move(uet)});
  }
  return cells;
}

Picoseconds mixedJoining(Picoseconds duration) { return duration / 4; }

workload::JobSpec mixedKv(const fabric::TopologySpec& topology, Picoseconds until) {
  const std::uint32_t hosts = topology.hostCount();
  std::vector<Transfer> transfers;
  for (std::uint32_t host = 0; host < hosts; host += 2) {
    transfers.push_back({host, (host + topology.hosts_per_leaf + 1) % hosts});
  }
  workload::JobSpec job = transferJob("kv", transfers, kMixedKvMessage);
  workload::MessageProgram& program = programOf(job);
  program.arrival_times = false;
  const auto wire = static_cast<double>(wireTimeOf(kMixedKvMessage, topology.link_rate).count());
  const Picoseconds interval(std::llround(wire / kMixedKvLoad.toDouble()));
  program.load = workload::Arrivals{.interval = interval};
  program.phase = interval / static_cast<std::int64_t>(transfers.size());
  program.until = until;
  return job;
}

// As many dispatches as fit into `duration` at line rate, which is more than there will be.
workload::JobSpec mixedEp(const fabric::TopologySpec& topology, Picoseconds duration) {
  const std::uint32_t hosts = topology.hostCount();
  std::vector<workload::HostId> ranks;
  for (std::uint32_t host = 1; host < hosts; host += 2) ranks.push_back(host);
  const Picoseconds min =
      wireTimeOf(kMixedEpMessage, topology.link_rate) * static_cast<std::int64_t>(ranks.size() - 1);
  return dispatchJob(std::move(ranks), kMixedEpMessage,
                     static_cast<std::uint32_t>(duration / min) + 1);
}

Design MixedConvergenceProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Order", ""}, {"Transport", ""}};
  labelDut(DutLabel::kFabric, design.numbers);
  const fabric::TopologySpec& topology = config.scenario.topology;
  if (auto why = mixedLeavesRefusal(topology)) {
    design.refusals.push_back(*std::move(why));
    return design;
  }
  if (auto why = idleDcqcn(config.scenario.switches,
                           std::get<transport::RoceSpec>(
                               serviceVariant(config, "RC", balancingOf("ecmp")).transport))) {
    design.numbers.deviation(*std::move(why));
  }
  const Picoseconds duration = durationOf(config, design.numbers);
  const Picoseconds joining = mixedJoining(duration);
  design.numbers.configure("KV", fmt::format("messages of {}, {} of the link of every prefill host",
                                             valueText(kMixedKvMessage), valueText(kMixedKvLoad)));
  design.numbers.configure("EP",
                           fmt::format("AlltoAll of the decode hosts without end, {} for each "
                                       "other one",
                                       valueText(kMixedEpMessage)));
  design.numbers.configure("Joining", valueText(joining));
  const Picoseconds sampling = std::max(kMixedSampling, duration / kMaxMixedSamples);
  design.numbers.configure("Rate window", valueText(sampling * kClassWindow));
  design.repetitions = design.numbers.repetitions(20, 2);
  design.hop_cost = 1.5;
  const std::uint32_t hosts = topology.hostCount();
  for (const MixedCell& cell : mixedCells(config)) {
    bench::TrialSpec spec = emptyTrial(config);
    applyVariant(cell.variant, spec);
    workload::JobSpec kv = mixedKv(topology, duration);
    workload::JobSpec ep = mixedEp(topology, duration);
    (cell.ep_joins ? ep : kv).start = joining;
    spec.workload->jobs = {std::move(kv), std::move(ep)};
    spec.duration = duration;
    spec.drain = Picoseconds(0);
    spec.sampling.emplace().interval = sampling;
    // Bytes on the links into the decode hosts.
    const double bytes = payloadCeiling(*spec.transport, topology.link_rate) * 1e9 *
                         duration.toSeconds() * hosts / 2;
    design.add({cell.order(), cell.variant.name}, std::move(spec), payloadHops(config, bytes));
  }
  design.carry(joining);
  return design;
}

void addClassRates(const Measured& one, ResultBuilder& builder) {
  const ClassRates rates = classRates(*one.trials.front().fabric->samples);
  results::Chart chart;
  chart.id = fmt::format("rates_{}", builder.result().charts.size());
  chart.title = "Rates of both classes: " + one.point.label;
  chart.kind = results::ChartKind::kTime;
  chart.x_label = "time [us]";
  chart.y_label = "rate [Gb/s]";
  results::Series kv{"KV", {}, {}};
  results::Series ep{"EP", {}, {}};
  for (std::size_t i = 0; i < rates.kv.size(); ++i) {
    const double time = (rates.step * static_cast<std::int64_t>(i + 1)).toMicroseconds();
    kv.x.push_back(time);
    ep.x.push_back(time);
    kv.y.push_back(rates.kv[i]);
    ep.y.push_back(rates.ep[i]);
  }
  chart.series = {std::move(kv), std::move(ep)};
  builder.result().charts.push_back(std::move(chart));
}

void MixedConvergenceProcedure::report(const TestConfig& /*config*/, const Design& design,
                                       const std::vector<Measured>& measured,
                                       ResultBuilder& builder) const {
  const auto joining = design.carried<Picoseconds>();
  const auto shares = [joining](const bench::TrialResult& trial) {
    return settlingOf(classRates(*trial.fabric->samples), joining);
  };
  std::vector<bool> unseen(design.points.size());
  for (const Measured& one : measured) {
    if (shares(one.trials.front())) continue;
    unseen[placeOf(design, one)] = true;
    builder.anomaly(
        fmt::format("convergence and steady rates not observed: the last third of the {} since the "
                    "joining begins before a rate window of {} is over: lengthen "
                    "parameters.duration",
                    valueText(one.point.spec.duration - joining),
                    valueText(one.point.spec.sampling->interval * kClassWindow)),
        one.point.label);
  }
  const auto hidden = [&unseen](std::size_t point) { return unseen[point]; };
  Figure convergence{
      .column = "Convergence",
      .unit = "us",
      .kpi = "class_convergence_us",
      .of = [shares](std::size_t, const bench::TrialResult& trial) -> std::optional<Reading> {
        const auto settled = shares(trial)->settled;
        if (!settled) return std::nullopt;
        return within(settled->toMicroseconds(), trial.fabric->samples->interval.toMicroseconds(),
                      "sample interval:");
      },
      .absent = "never converged",
      .fails_limits = true,
      .hidden = hidden};
  const auto steady = [&](const char* column, const char* kpi, double ClassSettling::*member) {
    return Figure{
        .column = column,
        .unit = "Gb/s",
        .kpi = kpi,
        .of = [shares, member](std::size_t,
                               const bench::TrialResult& trial) { return *shares(trial).*member; },
        .hidden = hidden};
  };
  Figure kv = steady("KV, steady", "kv_steady_gbps", &ClassSettling::kv_gbps);
  kv.primary = true;
  addTable(
      design, measured,
      {convergence,
       kv,
       steady("EP, steady", "ep_steady_gbps", &ClassSettling::ep_gbps),
       {.column = "JFI of classes",
        .unit = "",
        .kpi = "class_jfi",
        .of = [shares](std::size_t, const bench::TrialResult& trial) -> std::optional<double> {
          const ClassSettling settling = *shares(trial);
          const double sum = settling.kv_gbps + settling.ep_gbps;
          if (sum <= 0) return std::nullopt;
          return sum * sum /
                 (2 * (settling.kv_gbps * settling.kv_gbps + settling.ep_gbps * settling.ep_gbps));
        },
        .hidden = hidden},
       figure("Dropped in the fabric", "packets", "dropped_packets",
              [](const bench::TrialResult& trial) {
                return static_cast<double>(trial.fabric->total.dropped());
              }),
       figure("Lost end to end", "ppm", "drop_ppm", dropPpm),
       figure("ECN marked", "%", "ecn_percent", ecnPercent),
       figure("PAUSE", "/s", "pfc_per_s", pausesPerSecond)},
      {"mixed",
       "Convergence of mixed traffic",
       "Convergence is the time from the joining until the rate of each class, summed over its "
       "hosts, stays within 5 % of its steady rate. The steady rate is the mean over the last "
       "third of the time since the joining. Dropped packets are those of the whole trial.",
       {},
       {}},
      builder);
  std::size_t converged = 0;
  for (const Measured& one : measured) {
    if (meanOf(design, one, convergence)) ++converged;
    addClassRates(one, builder);
  }
  builder.result().summary = fmt::format("{} of {} came to steady rates within the trial.",
                                         converged, counted(measured.size(), "point"));
  if (!measured.empty()) {
    if (const auto first = meanOf(design, measured.front(), kv)) {
      builder.primary("KV, steady, " + measured.front().point.label, *first);
    }
  }
}

}  // namespace

const Procedure& mixedConvergenceProcedure() {
  static const MixedConvergenceProcedure test;
  return test;
}

}  // namespace plumbline::suite
