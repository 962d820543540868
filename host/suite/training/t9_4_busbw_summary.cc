// T9.4 Bus bandwidth summary (training draft, section 9.4).
//
// AllReduce, AlltoAll and AllGather of one large buffer among two numbers of ranks, with ECMP,
// flowlets and spray: BusBW as in T9.1, and beside it, of the same trials, MMR and JFI over the
// links between switches, packets out of order, retransmissions, and goodput (payload that arrived
// in the time that the trial took, all hosts).
#include <fmt/format.h>

#include <utility>

#include "suite/fabric_metrics.h"
#include "suite/training/collective.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

using workload::CollectiveKind;

class BusBandwidthSummary final : public CollectiveTest {
 public:
  BusBandwidthSummary()
      : CollectiveTest(
            {{CollectiveKind::kAllReduce, CollectiveKind::kAllToAll, CollectiveKind::kAllGather},
             {Bytes(std::int64_t{1} << 30)},
             {Bytes(8 << 20)},
             {128, 512},
             {32}}) {}

  [[nodiscard]] std::string id() const override { return "T9.4"; }
  [[nodiscard]] std::string title() const override { return "Bus bandwidth summary"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(CollectiveTest::kpis(),
                {"goodput_gbps", "retransmissions_per_s", "out_of_order_per_s"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 9.4"; }
  void reportMore(const TestConfig& config, const Design& design,
                  const std::vector<CollectivePoint>& points, const std::vector<Measured>& measured,
                  ResultBuilder& builder) const override {
    results::Chart bars;
    bars.id = "busbw_summary";
    bars.title = "Bus bandwidth of the collectives";
    bars.y_label = "BusBW [Gb/s]";
    addBars(design, measured, busBandwidthFigures(config, points).front(),
            {[&](std::size_t i) {
               return fmt::format("{}, {} ranks", collectiveName(points[i].kind), points[i].ranks);
             },
             [&](std::size_t i) { return points[i].variant.name; }},
            std::move(bars), builder);
    addTable(
        design, measured,
        {figure("MMR", "", "", linkMmr), figure("JFI", "", "", linkJfi),
         figure("Out of order", "packets/s", "out_of_order_per_s", outOfOrderPerSecond),
         figure("Retransmitted", "packets/s", "retransmissions_per_s", retransmissionsPerSecond),
         figure("Goodput", "Gb/s", "goodput_gbps", goodputGbps)},
        {"summary",
         "Balance, order and goodput",
         "MMR and JFI are over the bytes of the links between switches.",
         {},
         {}},
        builder);
  }
};

}  // namespace

const Procedure& busBandwidthSummaryTest() {
  static const BusBandwidthSummary test;
  return test;
}

}  // namespace plumbline::suite
