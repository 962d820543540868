// T6.4 UET congestion control (training draft, section 6.4).
//
// N senders to one receiver; half of them begin, the other half joins later (2:1). UET RUD with
// network signals (NSCC) and with receiver credit, with PFC off; compared with RoCEv2 with DCQCN,
// with PFC as the scenario has it. Measured: goodput of the receiver's link while senders send;
// convergence, the time from the joining after which every flow's rate is within 10 % of the mean
// rate until the senders stop (convergence.h has the definition, incast.h the windows); longest
// queue; PAUSE frames; drops; failed messages. UET works without PFC if no message failed and the
// application lost no packets.
#include <fmt/format.h>

#include <algorithm>

#include "suite/framework/early_end.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/unprotected_data.h"
#include "suite/training/incast.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

struct CongestionPoint {
  Incast incast;
  std::string control;
};

constexpr std::uint32_t kDraftSenders = 64;
constexpr std::uint32_t kOtherHosts = 3;

class UetCongestionProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T6.4"; }
  [[nodiscard]] std::string title() const override { return "UET congestion control"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"credit_utilisation_percent",
            "goodput_percent",
            "drop_ppm",
            "fabric_drops_ppm",
            "trimmed_ppm",
            "queue_max_bytes",
            "convergence_us",
            "retransmission_percent",
            "pfc_per_s",
            "failed_messages"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 6.4"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<CongestionPoint> pointsOf(const TestConfig& config, Numbers& numbers);
};

std::vector<CongestionPoint> UetCongestionProcedure::pointsOf(const TestConfig& config,
                                                              Numbers& numbers) {
  const Picoseconds duration = numbers.atLeast<Picoseconds>(
      "Duration", seconds(300), milliseconds(2), sharingDuration(config));
  std::vector<CongestionPoint> points;
  for (const std::uint32_t n : senderSweep(config, numbers, {2, 4, 8, 16, 32, 64}, {2, 8, 32})) {
    const auto add = [&](const char* control, Variant variant) {
      Incast incast{std::move(variant), n};
      incast.until = duration;
      incast.early = std::max(n / 2, 1U);
      incast.join_at = joiningTime(config, duration);
      points.push_back({std::move(incast), control});
    };
    Variant nscc = serviceVariant(config, "RUD", balancingOf("spray"));
    Variant credit = nscc;
    std::get<transport::UetSpec>(nscc.transport).congestion_control =
        transport::UetCongestionControl::kNscc;
    std::get<transport::UetSpec>(credit.transport).congestion_control =
        transport::UetCongestionControl::kRccc;
    add("UET, NSCC", std::move(nscc));
    add("UET, receiver credit", std::move(credit));
    Variant dcqcn = serviceVariant(config, "RC", balancingOf("ecmp"));
    std::get<transport::RoceSpec>(dcqcn.transport).dcqcn.enabled = true;
    add("RoCEv2, DCQCN", std::move(dcqcn));
  }
  if (points.empty()) return points;  // too few hosts for any
  if (auto why = idleDcqcn(config.scenario.switches,
                           std::get<transport::RoceSpec>(points.back().incast.variant.transport))) {
    numbers.deviation(*std::move(why));
  }
  return points;
}

Design UetCongestionProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Senders", "senders"}, {"Congestion control", ""}};
  design.numbers.configure("PFC", "off with UET; with RoCEv2 as the DUT has it");
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  if (!config.scenario.parameters.incast_ratios && hosts < kDraftSenders + kOtherHosts) {
    design.numbers.deviation(fmt::format(
        "{} senders need {} hosts (with a receiver and two hosts that stay idle), and there are "
        "{}",
        kDraftSenders, kDraftSenders + kOtherHosts, hosts));
  }
  design.repetitions = design.numbers.repetitions(20, 2);
  design.hop_cost = 1.1;
  const std::vector<CongestionPoint> points = pointsOf(config, design.numbers);
  if (points.empty() && !config.scenario.parameters.incast_ratios) {
    design.refusals.push_back(fmt::format(
        "2 senders need {} hosts (with a receiver and two hosts that stay idle), and there are {}; "
        "the senders of parameters.incast_ratios need no idle hosts",
        2 + kOtherHosts, hosts));
  }
  for (const CongestionPoint& point : points) {
    if (auto why = incastRefusal(config, point.incast)) {
      design.refusals.push_back(*std::move(why));
      return design;
    }
    bench::TrialSpec spec = incastTrial(config, point.incast);
    if (std::holds_alternative<transport::UetSpec>(*spec.transport)) spec.dut.switches.pfc.reset();
    spec.sampling.emplace().interval = sharingSampling(config, point.incast);
    endSharingEarly(config, point.incast, spec);
    design.add({std::to_string(point.incast.senders), point.control}, std::move(spec),
               sharingHops(config, point.incast));
  }
  design.carry(points);
  return design;
}

void UetCongestionProcedure::report(const TestConfig& config, const Design& design,
                                    const std::vector<Measured>& measured,
                                    ResultBuilder& builder) const {
  const auto& points = design.carried<std::vector<CongestionPoint>>();
  const Figure goodput{.column = "Goodput",
                       .unit = "%",
                       .kpi = "goodput_percent",
                       .of =
                           [&](std::size_t i, const bench::TrialResult& trial) {
                             return withBatches(
                                 trial, incastGoodputPercent(config, points[i].incast, trial));
                           },
                       .observed = ObservationPoint::kModelled,
                       .primary = true};
  std::vector<Incast> incasts;
  incasts.reserve(points.size());
  for (const CongestionPoint& point : points) incasts.push_back(point.incast);
  std::vector<Figure> figures = convergenceFigures(config, design, std::move(incasts), builder);
  figures.insert(figures.begin(), goodput);
  figures.push_back(
      {.column = "Receiver credit used",
       .unit = "%",
       .kpi = "credit_utilisation_percent",
       .of = [](std::size_t, const bench::TrialResult& trial) -> std::optional<double> {
         const auto& credit = trial.fabric->credit;
         if (!credit) return std::nullopt;
         return 100 * static_cast<double>(credit->arrived) / static_cast<double>(credit->granted);
       }});
  figures.insert(
      figures.end(),
      {figure("Longest queue", "B", "queue_max_bytes", longestQueueBytes),
       figure("PAUSE", "/s", "pfc_per_s", pausesPerSecond),
       figure("Lost end to end", "ppm", "drop_ppm", dropPpm),
       figure("Dropped in the fabric", "ppm", "fabric_drops_ppm", fabricDropsPpm),
       figure("Trimmed", "ppm", "trimmed_ppm", trimmedPpm),
       figure("Retransmitted", "%", "retransmission_percent", retransmissionPercent),
       figure("Failed messages", "", "failed_messages", [](const bench::TrialResult& trial) {
         return static_cast<double>(trial.fabric->endpoints.messages_failed);
       })});
  addTable(
      design, measured, figures,
      {"congestion",
       "Incast, the second half of the senders joining",
       std::string("Senders send messages of 1 MiB, one after the other. Goodput is of the "
                   "receiver's link while they do. ") +
           kConvergenceNote +
           " Receiver credit used is the nominal size of the data that arrived over the credit "
           "granted; senders begin with credit of their own, so it may exceed 100 %.",
       {},
       {}},
      builder);
  results::Chart chart;
  chart.id = "goodput_vs_senders";
  chart.title = "Goodput of the receiver's link over senders";
  chart.x_label = "Senders";
  chart.y_label = "Goodput [%]";
  chart.log_x = true;
  addChart(design, measured, goodput,
           {[&](std::size_t i) { return static_cast<double>(points[i].incast.senders); },
            [&](std::size_t i) { return points[i].control; }},
           std::move(chart), builder);
  double lost = 0;
  for (const Measured& one : measured) {
    if (points[placeOf(design, one)].control == "RoCEv2, DCQCN") continue;
    for (const bench::TrialResult& trial : one.trials) {
      lost += static_cast<double>(trial.fabric->endpoints.messages_failed);
    }
  }
  if (measured.empty()) return;
  builder.result().configuration.emplace_back("Zero application loss of UET without PFC",
                                              lost == 0 ? "yes" : "no");
  builder.primary("goodput, " + measured.front().point.label,
                  *meanOf(design, measured.front(), goodput));
  builder.result().summary =
      fmt::format("Without PFC, UET {} messages to the application over all points.",
                  lost == 0 ? std::string("lost no") : fmt::format("lost {}", lost));
}

}  // namespace

const Procedure& uetCongestionProcedure() {
  static const UetCongestionProcedure test;
  return test;
}

}  // namespace plumbline::suite
