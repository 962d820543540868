// The tests of load balancing (T6.3, T8.1 to T8.4): every host sends one message to the host of the
// same place on the next leaf, so that every link between switches could be equally loaded.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "suite/fabric_test.h"
#include "suite/figures.h"
#include "suite/training/balancing.h"

namespace plumbline::suite {

struct PermutationPoint {
  std::vector<std::string> values;  // of the test's axes
  Variant variant;
  std::uint32_t flows = 4;  // QPs or PDCs per pair; a message takes all of them, in equal parts
  fabric::TopologySpec topology;
  Picoseconds flowlet_gap = fabric::LoadBalancingSpec().flowlet_gap;
};

class PermutationTest : public FabricTest {
 public:
  [[nodiscard]] std::vector<std::string> kpis() const override;

 protected:
  [[nodiscard]] virtual std::vector<SweepAxis> axes() const = 0;
  [[nodiscard]] virtual std::vector<PermutationPoint> points(const TestConfig& config,
                                                             Numbers& numbers) const = 0;
  // Of the test's packet-hops: Design::hop_cost.
  [[nodiscard]] virtual double hopCost() const { return 0.9; }
  // What a test shows besides its table: by default a bar of JFI for each way to carry the traffic.
  virtual void charts(const Design& design, const std::vector<PermutationPoint>& points,
                      const std::vector<Measured>& measured, ResultBuilder& builder) const;

  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

  // Swept numbers of leaves, resp. spines, that the scenario's Clos is given: all of them for a
  // two-tier Clos, its own otherwise.
  static std::vector<fabric::TopologySpec> withLeaves(const TestConfig& config, Numbers& numbers,
                                                      const std::vector<std::uint32_t>& standard,
                                                      const std::vector<std::uint32_t>& quick);
  static std::vector<fabric::TopologySpec> withSpines(const TestConfig& config, Numbers& numbers,
                                                      const std::vector<std::uint32_t>& standard,
                                                      const std::vector<std::uint32_t>& quick);
};

// JFI over the links between switches, as bars.
void addJfiBars(const Design& design, const std::vector<Measured>& measured, const BarAxes& axes,
                ResultBuilder& builder);

}  // namespace plumbline::suite
