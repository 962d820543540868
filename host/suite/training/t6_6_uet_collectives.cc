// T6.6 Collectives over UET (training draft, section 6.6).
//
// The collectives of section 9 over RUD with packet spray and over ROD with ECMP, beside RoCEv2 RC
// with ECMP on the same fabric: same ranks, sizes and topology. Measured as in T9.1; besides, the
// difference of every UET service's BusBW to RC's. No group keys: UET's transport security stays
// off.
#include <algorithm>
#include <map>
#include <tuple>

#include "suite/fabric_metrics.h"
#include "suite/training/collective.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

using workload::CollectiveKind;

class UetCollectivesTest final : public CollectiveTest {
 public:
  UetCollectivesTest()
      : CollectiveTest(fullSweep(
            {CollectiveKind::kAllReduce, CollectiveKind::kAllToAll, CollectiveKind::kAllGather})) {}

  [[nodiscard]] std::string id() const override { return "T6.6"; }
  [[nodiscard]] std::string title() const override { return "Collectives over UET"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(CollectiveTest::kpis(), {"busbw_vs_roce_percent"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 6.6"; }
  [[nodiscard]] std::vector<Variant> variants(const TestConfig& config,
                                              Numbers& numbers) const override {
    numbers.configure("Group keys", "none: transport security is off");
    const Balancing ecmp = balancingOf("ecmp");
    return {serviceVariant(config, "RC", ecmp), serviceVariant(config, "ROD", ecmp),
            serviceVariant(config, "RUD", balancingOf("spray"))};
  }
  void reportMore(const TestConfig&, const Design& design,
                  const std::vector<CollectivePoint>& points, const std::vector<Measured>& measured,
                  ResultBuilder& builder) const override;
};

void UetCollectivesTest::reportMore(const TestConfig&, const Design& design,
                                    const std::vector<CollectivePoint>& points,
                                    const std::vector<Measured>& measured,
                                    ResultBuilder& builder) const {
  const auto bandwidth = [&points](std::size_t i, const bench::TrialResult& trial) {
    return meanBusBandwidthGbps(trial, 0, points[i].kind, points[i].ranks, points[i].size);
  };
  using Key = std::tuple<CollectiveKind, std::int64_t, std::uint32_t>;
  const auto key = [&points](std::size_t i) {
    return Key(points[i].kind, points[i].size.count(), points[i].ranks);
  };
  const Figure plain{.column = "BusBW", .unit = "Gb/s", .kpi = "", .of = bandwidth};
  std::map<Key, double> roce;
  for (const Measured& one : measured) {
    const std::size_t place = placeOf(design, one);
    if (std::holds_alternative<transport::RoceSpec>(points[place].variant.transport)) {
      roce[key(place)] = meanOf(design, one, plain)->value;
    }
  }
  const Figure difference{
      .column = "Against RC",
      .unit = "%",
      .kpi = "busbw_vs_roce_percent",
      .of = [&](std::size_t i, const bench::TrialResult& trial) -> std::optional<double> {
        const auto base = roce.find(key(i));
        if (base == roce.end()) return std::nullopt;
        return 100 * (bandwidth(i, trial) / base->second - 1);
      }};
  addTable(design, measured, {plain, difference},
           {"uet_vs_roce",
            "UET beside RoCEv2",
            "Difference of the mean bus bandwidth to RoCEv2 RC with ECMP at the same point.",
            {},
            {}},
           builder);
}

}  // namespace

const Procedure& uetCollectivesTest() {
  static const UetCollectivesTest test;
  return test;
}

}  // namespace plumbline::suite
