// T9.4 Bus bandwidth summary (training draft, section 9.4).
//
// AllReduce, AlltoAll and AllGather of one large buffer among two numbers of ranks, with ECMP,
// flowlets and spray: BusBW as in T9.1, and from the same trials MMR and JFI over the links between
// switches, packets out of order, retransmissions, goodput (payload that arrived during the trial,
// all hosts) and effective goodput, its share of the rate of the ranks' links.
#include <fmt/format.h>

#include <utility>

#include "suite/framework/fabric_metrics.h"
#include "suite/training/collective.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

using workload::CollectiveKind;

class BusBandwidthSummary final : public CollectiveProcedure {
 public:
  BusBandwidthSummary()
      : CollectiveProcedure(
            {{CollectiveKind::kAllReduce, CollectiveKind::kAllToAll, CollectiveKind::kAllGather},
             {Bytes(std::int64_t{1} << 30)},
             {Bytes(8 << 20)},
             {128, 512},
             {32}}) {}

  [[nodiscard]] std::string id() const override { return "T9.4"; }
  [[nodiscard]] std::string title() const override { return "Bus bandwidth summary"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(CollectiveProcedure::kpis(), {"effective_goodput_percent", "goodput_gbps",
                                              "retransmissions_per_s", "out_of_order_per_s"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 9.4"; }
  void reportMore(const TestConfig& config, const Design& design,
                  const std::vector<CollectivePoint>& points, const std::vector<Measured>& measured,
                  ResultBuilder& builder) const override {
    const Figure bandwidth =
        busBandwidthFigures(config, points, design.carried<CollectiveRuns>().iterations).front();
    addWideTable(design, measured, bandwidth, kCarriedBy, {algoFactorFigure(points)},
                 {"busbw_by_balancing",
                  "Mean bus bandwidth by load balancing [Gb/s per accelerator]",
                  "",
                  {},
                  {}},
                 builder);
    results::Chart bars;
    bars.id = "busbw_summary";
    bars.title = "Bus bandwidth of the collectives";
    bars.y_label = "BusBW [Gb/s]";
    addBars(design, measured, bandwidth,
            {[&](std::size_t i) {
               return fmt::format("{}, {} ranks", collectiveName(points[i].kind), points[i].ranks);
             },
             [&](std::size_t i) { return points[i].variant.name; }},
            std::move(bars), builder);
    const double line = config.scenario.topology.link_rate.toGigabitsPerSecond();
    const Figure effective{
        .column = "Effective goodput",
        .unit = "%",
        .kpi = "effective_goodput_percent",
        .of = [points, line](std::size_t i,
                             const bench::TrialResult& trial) -> std::optional<double> {
          if (trial.fabric->fast_forward) return std::nullopt;
          return 100 * goodputGbps(trial) / (line * points[i].ranks);
        }};
    addTable(
        design, measured,
        {algoFactorFigure(points), figure("MMR", "", "", linkMmr), figure("JFI", "", "", linkJfi),
         figure("Out of order", "packets/s", "out_of_order_per_s", outOfOrderPerSecond),
         figure("Retransmitted", "packets/s", "retransmissions_per_s", retransmissionsPerSecond),
         figure("Goodput, all ranks", "Gb/s", "goodput_gbps", goodputGbps), effective},
        {"summary",
         "Balance, order and goodput",
         "MMR and JFI are over the bytes of the links between switches. Effective goodput is the "
         "payload that arrived, over the rate of the ranks' links, while the collectives ran.",
         {},
         {}},
        builder);
  }
};

}  // namespace

const Procedure& busBandwidthSummaryProcedure() {
  static const BusBandwidthSummary test;
  return test;
}

}  // namespace plumbline::suite
