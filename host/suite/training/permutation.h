// The tests of load balancing (T6.3, T8.1 to T8.4): every host sends to the host of the same place
// on the next leaf, so that every link between switches could be equally loaded.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "suite/framework/fabric_procedure.h"
#include "suite/framework/figures.h"
#include "suite/training/balancing.h"

namespace plumbline::suite {

// Traffic of every host.
enum class PermutationTraffic {
  // One message, split over all flows, at line rate until it is done. All flows are active at the
  // same time, like balls thrown once: this shows the effect of hashing alone.
  kOneMessage,
  // Messages at random times (Poisson), each on the next flow: kPermutationLoad of line rate on
  // average for as long as the one message would take. Flows pause, and queues differ from path to
  // path: otherwise balancers that use gaps or queues find no differences, and sprayed packets
  // never overtake each other.
  kMessagesAtRandom,
};
inline constexpr Fraction kPermutationLoad = Fraction::percent(80);
inline constexpr Bytes kPermutationMessage{32'768};

struct PermutationPoint {
  std::vector<std::string> values;  // of the test's axes
  Variant variant;
  std::uint32_t flows = 4;  // QPs or PDCs per pair; a message takes all of them, in equal parts
  fabric::TopologySpec topology;
  Picoseconds flowlet_gap = fabric::LoadBalancingSpec().flowlet_gap;
  // RoCE: all flows of a pair have one UDP source port, so one 5-tuple.
  bool shared_port = false;
  // RoCE: the receiver uses go-back-N although switches spray.
  bool go_back_n = false;
};

// A swept number of a two-tier Clos as a point's value; of any other topology "the DUT's".
std::string ofClos(const fabric::TopologySpec& topology, std::uint32_t number);

class PermutationProcedure : public FabricProcedure {
 public:
  [[nodiscard]] std::vector<std::string> kpis() const override;

 protected:
  [[nodiscard]] virtual std::vector<SweepAxis> axes() const = 0;
  [[nodiscard]] virtual std::vector<PermutationPoint> points(const TestConfig& config,
                                                             Numbers& numbers) const = 0;
  [[nodiscard]] virtual PermutationTraffic traffic() const {
    return PermutationTraffic::kMessagesAtRandom;
  }
  // Design::hop_cost of the test.
  [[nodiscard]] virtual double hopCost() const { return 1.75; }
  // Columns after MMR that only this test has.
  [[nodiscard]] virtual std::vector<Figure> figures(
      const TestConfig& /*config*/, const std::vector<PermutationPoint>& /*points*/) const {
    return {};
  }
  // A sentence for the table's note: which points must be equal, and why.
  [[nodiscard]] virtual std::string note(const TestConfig& /*config*/) const { return {}; }
  // Charts besides the table: by default a bar of JFI for each transport and balancing.
  virtual void charts(const Design& design, const std::vector<PermutationPoint>& points,
                      const std::vector<Measured>& measured, ResultBuilder& builder) const;

  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

  // Swept numbers of leaves, resp. spines, for the scenario's Clos: all of them for a two-tier
  // Clos, its own otherwise. When spines are swept, a leaf has one cable to each: so many paths.
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
