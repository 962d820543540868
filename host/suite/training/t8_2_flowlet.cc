// T8.2 Flowlet DLB (training draft, section 8.2).
//
// Four QPs per pair, the gap after which a flow may take another path swept, ECMP beside it. Hosts
// send messages at random times, each on the next QP, so that a QP is silent for four mean times
// between messages: a gap below the time from packet to packet of a message moves packets, one up
// to that silence moves messages, and a longer one keeps a QP on its path as ECMP does. Measured as
// in T8.1, and packets out of order: a gap below the difference of the paths' delays reorders.
#include "suite/training/permutation.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

class FlowletProcedure final : public PermutationProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T8.2"; }
  [[nodiscard]] std::string title() const override { return "Flowlet load balancing"; }

 protected:
  [[nodiscard]] std::string section() const override { return "section 8.2"; }
  [[nodiscard]] std::vector<SweepAxis> axes() const override {
    return {{"Balancing", ""}, {"Gap", ""}};
  }
  [[nodiscard]] std::string note(const TestConfig& /*config*/) const override {
    return "The algorithm: a flow that has been silent for the gap goes on at the path whose queue "
           "drains first.";
  }

  [[nodiscard]] std::vector<PermutationPoint> points(const TestConfig& config,
                                                     Numbers& numbers) const override {
    const fabric::TopologySpec& topology = config.scenario.topology;
    const std::vector<Picoseconds> all{nanoseconds(100), nanoseconds(500), microseconds(1),
                                       microseconds(5), microseconds(20)};
    const std::vector<Picoseconds> some{nanoseconds(100), microseconds(1), microseconds(20)};
    const auto gaps = numbers.sweep<Picoseconds>("Flowlet gap", all, some, std::nullopt);
    std::vector<PermutationPoint> points{{.values = {"ECMP", "-"},
                                          .variant = defaultVariant(config, balancingOf("ecmp")),
                                          .topology = topology}};
    const Variant flowlet = defaultVariant(config, balancingOf("flowlet"));
    for (const Picoseconds gap : gaps) {
      points.push_back({.values = {flowlet.name, valueText(gap)},
                        .variant = flowlet,
                        .topology = topology,
                        .flowlet_gap = gap});
    }
    return points;
  }

  void charts(const Design& design, const std::vector<PermutationPoint>& points,
              const std::vector<Measured>& measured, ResultBuilder& builder) const override {
    addJfiBars(design, measured,
               {[&](std::size_t i) {
                  return points[i].variant.balancing.word == "ecmp"
                             ? points[i].variant.name
                             : "gap " + valueText(points[i].flowlet_gap);
                },
                [](std::size_t) { return std::string("JFI"); }},
               builder);
  }
};

}  // namespace

const Procedure& flowletProcedure() {
  static const FlowletProcedure test;
  return test;
}

}  // namespace plumbline::suite
