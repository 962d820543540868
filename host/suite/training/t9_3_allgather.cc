// T9.3 AllGather (training draft, section 9.3).
//
// Swept and measured as T9.1, AllReduce at every point as well. In addition: the ratio of the two
// bus bandwidths, which is 1 if only serialisation matters: reducing takes no time in the model.
#include "suite/framework/fabric_metrics.h"
#include "suite/training/collective.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

using workload::CollectiveKind;

class AllGatherProcedure final : public CollectiveProcedure {
 public:
  AllGatherProcedure()
      : CollectiveProcedure(fullSweep({CollectiveKind::kAllGather, CollectiveKind::kAllReduce})) {}

  [[nodiscard]] std::string id() const override { return "T9.3"; }
  [[nodiscard]] std::string title() const override { return "AllGather bus bandwidth"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(CollectiveProcedure::kpis(), {"allgather_vs_allreduce", "iteration_us"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 9.3"; }
  void reportMore(const TestConfig&, const Design& design,
                  const std::vector<CollectivePoint>& points, const std::vector<Measured>& measured,
                  ResultBuilder& builder) const override;
};

void AllGatherProcedure::reportMore(const TestConfig&, const Design& design,
                                    const std::vector<CollectivePoint>& points,
                                    const std::vector<Measured>& measured,
                                    ResultBuilder& builder) const {
  const Figure bandwidth{.column = "BusBW",
                         .unit = "Gb/s",
                         .kpi = "",
                         .of = [points](std::size_t i, const bench::TrialResult& trial) {
                           return meanBusBandwidthGbps(trial, 0, points[i].kind, points[i].ranks,
                                                       points[i].size);
                         }};
  results::Table table{"allgather_vs_allreduce",
                       "AllGather over AllReduce",
                       "Ratio of the bus bandwidths at the same point, each with its own "
                       "algo_factor. Reducing takes no time in the model: the ratio shows what the "
                       "reduce phase costs the fabric, and nothing of what it costs accelerators. "
                       "Hops of the ring that cross different numbers of switches make it differ "
                       "from 1 as well.",
                       {"Buffer", "Ranks", "Carried by", "algo_factor of AllGather", "AllGather",
                        "algo_factor of AllReduce", "AllReduce", "Ratio"},
                       {}};
  const auto bandwidths = [&](const Measured& one) {  // by repetition
    std::vector<double> values;
    for (const bench::TrialResult& trial : one.trials) {
      values.push_back(bandwidth.of(placeOf(design, one), trial)->value);
    }
    return values;
  };
  // The two of a point follow each other.
  for (std::size_t i = 1; i < measured.size(); ++i) {
    const std::size_t place = placeOf(design, measured[i]);
    if (points[place].kind != CollectiveKind::kAllReduce ||
        placeOf(design, measured[i - 1]) + 1 != place) {
      continue;
    }
    const auto gather = meanOf(design, measured[i - 1], bandwidth);
    const auto reduce = meanOf(design, measured[i], bandwidth);
    if (!gather || !reduce) continue;  // a job that was not finished
    const results::Quantity ratio = builder.kpi(
        "allgather_vs_allreduce", measured[i - 1].point.label,
        ratioOf(bandwidths(measured[i - 1]), bandwidths(measured[i]), gather->observed));
    const Figure factor = algoFactorFigure(points);
    table.rows.push_back({valueText(points[place].size), std::to_string(points[place].ranks),
                          points[place].variant.name, *meanOf(design, measured[i - 1], factor),
                          *gather, *meanOf(design, measured[i], factor), *reduce, ratio});
  }
  builder.result().tables.push_back(std::move(table));
  addTable(design, measured, {algoFactorFigure(points), iterationTimeFigure()},
           {"iteration_time",
            "Time of an iteration",
            "From the first rank's start to the last one's finish, mean over the iterations.",
            {},
            {}},
           builder);
}

}  // namespace

const Procedure& allGatherProcedure() {
  static const AllGatherProcedure test;
  return test;
}

}  // namespace plumbline::suite
