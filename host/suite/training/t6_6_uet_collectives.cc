// T6.6 Collectives over UET (training draft, section 6.6).
//
// The collectives of section 9 over RUD with packet spray and over ROD with ECMP, compared with
// RoCEv2 RC with ECMP on the same fabric: same ranks, sizes and topology. Measured as in T9.1;
// besides, the difference of every UET service's BusBW to RC's, and the improvement of the time of
// an iteration. Group keying, the draft's word for reduction within the network, is inactive.
#include <map>
#include <tuple>

#include "suite/framework/fabric_metrics.h"
#include "suite/training/collective.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

using workload::CollectiveKind;

class UetCollectivesProcedure final : public CollectiveProcedure {
 public:
  UetCollectivesProcedure()
      : CollectiveProcedure(fullSweep(
            {CollectiveKind::kAllReduce, CollectiveKind::kAllToAll, CollectiveKind::kAllGather})) {}

  [[nodiscard]] std::string id() const override { return "T6.6"; }
  [[nodiscard]] std::string title() const override { return "Collectives over UET"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(CollectiveProcedure::kpis(),
                {"jct_improvement_percent", "iteration_us", "busbw_vs_roce_percent"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 6.6"; }
  [[nodiscard]] std::vector<Variant> variants(const TestConfig& config,
                                              Numbers& numbers) const override {
    // The draft's group keying is in-network reduction, for which algo_factor does not hold.
    numbers.configure(
        "Group keying (in-network reduction)",
        "inactive: switches and NICs reduce nothing, so algo_factor is the closed form");
    const Balancing ecmp = balancingOf("ecmp");
    return {serviceVariant(config, "RC", ecmp), serviceVariant(config, "ROD", ecmp),
            serviceVariant(config, "RUD", balancingOf("spray"))};
  }
  void reportMore(const TestConfig&, const Design& design,
                  const std::vector<CollectivePoint>& points, const std::vector<Measured>& measured,
                  ResultBuilder& builder) const override;
};

void UetCollectivesProcedure::reportMore(const TestConfig&, const Design& design,
                                         const std::vector<CollectivePoint>& points,
                                         const std::vector<Measured>& measured,
                                         ResultBuilder& builder) const {
  const auto bandwidth = [&points](std::size_t i, const bench::TrialResult& trial) {
    return meanBusBandwidthGbps(trial, 0, points[i].kind, points[i].ranks, points[i].size);
  };
  const auto completion = [](std::size_t, const bench::TrialResult& trial) {
    return meanIteration(trial.fabric->jobs.at(0)).toMicroseconds();
  };
  using Key = std::tuple<CollectiveKind, std::int64_t, std::uint32_t>;
  const auto key = [&points](std::size_t i) {
    return Key(points[i].kind, points[i].size.count(), points[i].ranks);
  };
  const auto is_roce = [&points](std::size_t i) {
    return std::holds_alternative<transport::RoceSpec>(points[i].variant.transport);
  };
  // By point: RC's trials, one for every repetition.
  std::map<Key, const std::vector<bench::TrialResult>*> roce;
  for (const Measured& one : measured) {
    const std::size_t place = placeOf(design, one);
    if (is_roce(place)) {
      roce[key(place)] = &one.trials;
    }
  }
  // RC's trial of the same point and repetition; nullptr where it is not valid.
  const auto pairOf = [&](std::size_t i, std::size_t repetition) {
    const auto base = roce.find(key(i));
    return base == roce.end() ? nullptr : &base->second->at(repetition);
  };
  const Figure plain{.column = "BusBW", .unit = "Gb/s", .kpi = "", .of = bandwidth};
  const Figure time{
      .column = "JCT per iteration", .unit = "us", .kpi = "iteration_us", .of = completion};
  const Figure difference{.column = "BusBW against RC",
                          .unit = "%",
                          .kpi = "busbw_vs_roce_percent",
                          .baseline = is_roce,
                          .paired = [&](std::size_t i, std::size_t repetition,
                                        const bench::TrialResult& trial) -> std::optional<double> {
                            const bench::TrialResult* base = pairOf(i, repetition);
                            if (base == nullptr) return std::nullopt;
                            return 100 * (bandwidth(i, trial) / bandwidth(i, *base) - 1);
                          }};
  const Figure shorter{.column = "JCT improvement over RC",
                       .unit = "%",
                       .kpi = "jct_improvement_percent",
                       .baseline = is_roce,
                       .paired = [&](std::size_t i, std::size_t repetition,
                                     const bench::TrialResult& trial) -> std::optional<double> {
                         const bench::TrialResult* base = pairOf(i, repetition);
                         if (base == nullptr) return std::nullopt;
                         return 100 * (1 - completion(i, trial) / completion(i, *base));
                       }};
  addWideTable(design, measured, plain, kCarriedBy, {algoFactorFigure(points)},
               {"busbw_by_service", "Mean bus bandwidth of an accelerator by service", "", {}, {}},
               builder);
  addTable(design, measured, {algoFactorFigure(points), plain, time, difference, shorter},
           {"uet_vs_roce",
            "UET beside RoCEv2",
            "Against RoCEv2 RC with ECMP at the same point and repetition. JCT is the mean time of "
            "an iteration; an improvement of 20 % is four fifths of RC's time.",
            {},
            {}},
           builder);
}

}  // namespace

const Procedure& uetCollectivesProcedure() {
  static const UetCollectivesProcedure test;
  return test;
}

}  // namespace plumbline::suite
