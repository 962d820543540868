// T8.1 ECMP entropy (training draft, section 8.1).
//
// Swept: leaves × QPs per pair × hash of the 5-tuple, and of the destination QP as well. Every host
// sends one message to its counterpart on the next leaf, in equal parts over its QPs. Measured,
// over the links between switches: utilisation, MMR (most / mean load), JFI. More QPs are more
// balls in the same bins: MMR falls.
#include <fmt/format.h>

#include "suite/training/permutation.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

class EcmpEntropyTest final : public PermutationTest {
 public:
  [[nodiscard]] std::string id() const override { return "T8.1"; }
  [[nodiscard]] std::string title() const override { return "ECMP entropy"; }

 protected:
  [[nodiscard]] std::string section() const override { return "section 8.1"; }
  [[nodiscard]] std::vector<SweepAxis> axes() const override {
    return {{"Leaves", "leaves"}, {"QPs", "QPs"}, {"Balancing", ""}};
  }

  [[nodiscard]] std::vector<PermutationPoint> points(const TestConfig& config,
                                                     Numbers& numbers) const override {
    std::vector<PermutationPoint> points;
    const auto topologies = withLeaves(config, numbers, {8, 16, 32, 64}, {8});
    const auto qps = numbers.sweep<std::uint32_t>("QPs per pair", {1, 4, 8, 16, 32}, {1, 4, 16},
                                                  config.scenario.parameters.flows);
    const auto balancings =
        balancingSweep(config, numbers, {"ecmp", "ecmp-qp"}, {"ecmp", "ecmp-qp"});
    for (const fabric::TopologySpec& topology : topologies) {
      for (const std::uint32_t n : qps) {
        for (const Balancing& balancing : balancings) {
          points.push_back(
              {.values = {std::to_string(topology.leaves), std::to_string(n), balancing.name},
               .variant = usualVariant(config, balancing),
               .flows = n,
               .topology = topology});
        }
      }
    }
    return points;
  }

  void charts(const Design& design, const std::vector<PermutationPoint>& points,
              const std::vector<Measured>& measured, ResultBuilder& builder) const override {
    addJfiBars(design, measured,
               {[&](std::size_t i) { return fmt::format("{} QPs", points[i].flows); },
                [&](std::size_t i) {
                  return fmt::format("{}, {} leaves", points[i].variant.name,
                                     points[i].topology.leaves);
                }},
               builder);
  }
};

}  // namespace

const Procedure& ecmpEntropyTest() {
  static const EcmpEntropyTest test;
  return test;
}

}  // namespace plumbline::suite
