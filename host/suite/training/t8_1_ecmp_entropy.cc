// T8.1 ECMP entropy (training draft, section 8.1).
//
// Swept: leaves × QPs per pair × hashing. Every host sends one message to its counterpart on the
// next leaf, in equal parts over its QPs. The QPs of a pair share one UDP source port, so one
// 5-tuple:
//   ECMP                 the 5-tuple alone: more QPs change nothing, a pair takes one path
//   ECMP, BTH-aware      the destination QP is hashed as well: more QPs are more balls in the bins
//   ECMP, a port per QP  the 5-tuple alone, but a source port for each QP, as NICs do it that give
//                        switches entropy: the same as BTH-aware, by other means
// With one QP per pair all of these are the same. Measured, over the links between switches:
// utilisation, MMR (most / mean load) of bytes and of flows, JFI. Beside it what a uniform hash is
// expected to come to (balls_in_bins.h): where the rows differ by less than their confidence
// interval from that, hashing explains them. None is given with failures of the scenario.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "suite/framework/balls_in_bins.h"
#include "suite/training/permutation.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

class EcmpEntropyProcedure final : public PermutationProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T8.1"; }
  [[nodiscard]] std::string title() const override { return "ECMP entropy"; }

 protected:
  [[nodiscard]] std::string section() const override { return "section 8.1"; }
  [[nodiscard]] PermutationTraffic traffic() const override {
    return PermutationTraffic::kOneMessage;
  }
  [[nodiscard]] std::vector<SweepAxis> axes() const override {
    return {{"Leaves", "leaves"}, {"QPs", "QPs"}, {"Balancing", ""}};
  }
  [[nodiscard]] std::string note(const TestConfig& /*config*/) const override {
    return "\"MMR expected\" is the mean over many draws of a uniform hash: of RoCEv2 with ECMP on "
           "a two-tier Clos with one cable from leaf to spine, without failures, and \"-\" for all "
           "else. With one QP per pair, "
           "all kinds of ECMP see the same entropy: what they differ by is chance.";
  }

  [[nodiscard]] std::vector<PermutationPoint> points(const TestConfig& config,
                                                     Numbers& numbers) const override {
    std::vector<PermutationPoint> points;
    const auto topologies = withLeaves(config, numbers, {8, 16, 32, 64}, {8});
    const auto qps = numbers.sweep<std::uint32_t>("QPs per pair", {1, 4, 8, 16, 32}, {1, 4, 16},
                                                  config.scenario.parameters.flows);
    const auto balancings =
        balancingSweep(config, numbers, {"ecmp", "ecmp-qp"}, {"ecmp", "ecmp-qp"});
    const auto add = [&](const fabric::TopologySpec& topology, std::uint32_t n, Variant variant,
                         bool shared) {
      PermutationPoint& point = points.emplace_back();
      point.values = {ofClos(topology, topology.leaves), std::to_string(n), variant.name};
      point.variant = std::move(variant);
      point.flows = n;
      point.topology = topology;
      point.shared_port = shared;
    };
    for (const fabric::TopologySpec& topology : topologies) {
      for (const std::uint32_t n : qps) {
        for (const Balancing& balancing : balancings) {
          const Variant variant = defaultVariant(config, balancing);
          const bool hashed = isEcmp(variant);
          add(topology, n, variant, hashed);
          const bool roce = std::holds_alternative<transport::RoceSpec>(variant.transport);
          if (balancing.word != "ecmp" || n == 1 || !roce) continue;
          Variant own = variant;
          own.name += ", a port per QP";
          add(topology, n, std::move(own), false);
        }
      }
    }
    return points;
  }

  [[nodiscard]] std::vector<Figure> figures(
      const TestConfig& config, const std::vector<PermutationPoint>& points) const override {
    // With the scenario's failures, leaves have fewer uplinks for some time.
    const bool whole = config.scenario.failures.empty();
    std::vector<std::optional<double>> expected;
    expected.reserve(points.size());
    for (const PermutationPoint& point : points) {
      expected.push_back(whole ? expectedMmr(point) : std::nullopt);
    }
    return {{.column = "MMR expected",
             .unit = "",
             .kpi = "",
             .of = [expected](std::size_t i, const bench::TrialResult&) { return expected[i]; },
             .absent = "-"}};
  }

  void charts(const Design& design, const std::vector<PermutationPoint>& points,
              const std::vector<Measured>& measured, ResultBuilder& builder) const override {
    addJfiBars(design, measured,
               {[&](std::size_t i) { return counted(points[i].flows, "QP"); },
                [&](std::size_t i) {
                  return fmt::format("{}, {} leaves", points[i].variant.name, points[i].values[0]);
                }},
               builder);
  }

 private:
  // Of a uniform hash; nothing for other balancing or topologies. With several cables to a spine,
  // hashes of leaves and of spines together decide.
  static std::optional<double> expectedMmr(const PermutationPoint& point) {
    const fabric::TopologySpec& topology = point.topology;
    const bool roce = std::holds_alternative<transport::RoceSpec>(point.variant.transport);
    if (!roce || !isEcmp(point.variant) || topology.kind != fabric::TopologyKind::kClos2 ||
        topology.uplinks > 1) {
      return std::nullopt;
    }
    // Flows of each leaf that the hash distinguishes.
    const bool one_path = point.shared_port && point.variant.balancing.word == "ecmp";
    const std::uint32_t flows = topology.hosts_per_leaf * (one_path ? 1 : point.flows);
    return expectedMaxMeanRatio(flows, topology.spines, topology.leaves);
  }
  static bool isEcmp(const Variant& variant) {
    return variant.balancing.word == "ecmp" || variant.balancing.word == "ecmp-qp";
  }
};

}  // namespace

const Procedure& ecmpEntropyProcedure() {
  static const EcmpEntropyProcedure test;
  return test;
}

}  // namespace plumbline::suite
