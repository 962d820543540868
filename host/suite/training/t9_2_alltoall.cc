// T9.2 AlltoAll (training draft, section 9.2).
//
// Swept and measured as T9.1. In addition: the mean time of an iteration, and its ratio to the one
// with ECMP on the same buffer size and ranks (below 1: faster than ECMP).
#include <map>
#include <utility>

#include "suite/framework/fabric_metrics.h"
#include "suite/training/collective.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

class AllToAllProcedure final : public CollectiveProcedure {
 public:
  AllToAllProcedure() : CollectiveProcedure(fullSweep({workload::CollectiveKind::kAllToAll})) {}

  [[nodiscard]] std::string id() const override { return "T9.2"; }
  [[nodiscard]] std::string title() const override { return "AlltoAll bus bandwidth"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(CollectiveProcedure::kpis(), {"iteration_us", "time_vs_ecmp"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 9.2"; }
  void reportMore(const TestConfig&, const Design& design,
                  const std::vector<CollectivePoint>& points, const std::vector<Measured>& measured,
                  ResultBuilder& builder) const override;
};

void AllToAllProcedure::reportMore(const TestConfig&, const Design& design,
                                   const std::vector<CollectivePoint>& points,
                                   const std::vector<Measured>& measured,
                                   ResultBuilder& builder) const {
  const auto is_ecmp = [](const CollectivePoint& point) {
    return point.variant.balancing.word == "ecmp";
  };
  const Figure time = iterationTimeFigure();
  std::map<std::pair<std::int64_t, std::uint32_t>, const Measured*> ecmp;  // by size and ranks
  for (const Measured& one : measured) {
    const CollectivePoint& point = points[placeOf(design, one)];
    if (is_ecmp(point)) ecmp[{point.size.count(), point.ranks}] = &one;
  }
  // With the same repetition of ECMP, which has the same seeds.
  const Figure ratio{.column = "Of the time with ECMP",
                     .unit = "",
                     .kpi = "time_vs_ecmp",
                     .of = time.of,
                     .baseline = [&](std::size_t i) { return is_ecmp(points[i]); },
                     .over = [&](std::size_t i) -> const Measured* {
                       const auto base = ecmp.find({points[i].size.count(), points[i].ranks});
                       return base == ecmp.end() ? nullptr : base->second;
                     }};
  addTable(design, measured, {algoFactorFigure(points), time, ratio},
           {"iteration_time",
            "Time of an iteration",
            "From the first rank's start to the last one's finish, mean over the iterations.",
            {},
            {}},
           builder);
}

}  // namespace

const Procedure& allToAllProcedure() {
  static const AllToAllProcedure test;
  return test;
}

}  // namespace plumbline::suite
