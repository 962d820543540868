// T6.3 Spray efficacy (training draft, section 6.3).
//
// UET RUD and ROD and RoCEv2 RC with packet spray, RC with ECMP, RUD with flowlets, over a swept
// number of equal paths (spines). Hosts send messages at random times at 80 % of line rate: with
// too few paths for that, the fabric is full; with more, services differ in their handling of
// packets out of order. Measured as in T8.1: MMR and JFI over the links between switches, packets
// out of order on the wire, retransmissions, goodput. Reordering and the application: RUD delivers
// whole messages and needs no order on the wire.
#include <fmt/format.h>

#include "suite/training/permutation.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

class SprayEfficacyProcedure final : public PermutationProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T6.3"; }
  [[nodiscard]] std::string title() const override { return "Spray efficacy"; }

 protected:
  [[nodiscard]] std::string section() const override { return "section 6.3"; }
  [[nodiscard]] double hopCost() const override { return 2.3; }
  [[nodiscard]] std::string note(const TestConfig& config) const override {
    if (!config.scenario.bit_errors.empty() || !config.scenario.failures.empty()) {
      return "Sprayed services may differ with any number of paths here, by how they repair "
             "losses: the DUT has bit errors or failures (dut.bit_errors, dut.failures).";
    }
    return "Where the uplinks of a leaf have at least twice the rate of its hosts' links, sprayed "
           "packets hardly ever queue and do not overtake each other: sprayed services then differ "
           "in windows and congestion control only, not by how they treat packets out of order.";
  }
  [[nodiscard]] std::vector<SweepAxis> axes() const override {
    return {{"Paths", "paths"}, {"Carried by", ""}};
  }

  [[nodiscard]] std::vector<PermutationPoint> points(const TestConfig& config,
                                                     Numbers& numbers) const override {
    const Balancing spray = balancingOf("spray");
    const std::vector<Variant> variants{
        serviceVariant(config, "RUD", spray), serviceVariant(config, "ROD", spray),
        serviceVariant(config, "RC", spray), serviceVariant(config, "RC", balancingOf("ecmp")),
        serviceVariant(config, "RUD", balancingOf("flowlet"))};
    std::vector<PermutationPoint> points;
    for (const auto& topology : withSpines(config, numbers, {4, 8, 16, 32}, {4, 8})) {
      for (const Variant& variant : variants) {
        points.push_back({.values = {ofClos(topology, topology.spines), variant.name},
                          .variant = variant,
                          .topology = topology});
      }
    }
    return points;
  }

  void charts(const Design& design, const std::vector<PermutationPoint>& points,
              const std::vector<Measured>& measured, ResultBuilder& builder) const override {
    addJfiBars(design, measured,
               {[&](std::size_t i) { return points[i].values[0] + " paths"; },
                [&](std::size_t i) { return points[i].variant.name; }},
               builder);
  }
};

}  // namespace

const Procedure& sprayEfficacyProcedure() {
  static const SprayEfficacyProcedure test;
  return test;
}

}  // namespace plumbline::suite
