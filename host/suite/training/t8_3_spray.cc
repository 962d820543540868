// T8.3 Packet spray (training draft, section 8.3).
//
// Every packet takes the next path in turn; ECMP for comparison. RoCEv2 RC whose receiver keeps
// early packets (selective repeat; the reorder buffer's size is in the configuration), RC with
// go-back-N, which shows the cost of reordering without such a buffer, and UET RUD, for which order
// does not matter. Hosts send messages at random times, so that queues differ from path to path and
// packets overtake each other. Measured as in T8.1: JFI close to 1, packets out of order,
// retransmissions.
#include <fmt/format.h>

#include "suite/training/permutation.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

class SprayProcedure final : public PermutationProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T8.3"; }
  [[nodiscard]] std::string title() const override { return "Packet spray"; }

 protected:
  [[nodiscard]] std::string section() const override { return "section 8.3"; }
  [[nodiscard]] std::vector<SweepAxis> axes() const override { return {{"Carried by", ""}}; }

  [[nodiscard]] std::vector<PermutationPoint> points(const TestConfig& config,
                                                     Numbers& numbers) const override {
    const Balancing spray = balancingOf("spray");
    std::vector<PermutationPoint> points;
    const auto add = [&](Variant variant, bool go_back_n) {
      PermutationPoint& point = points.emplace_back();
      point.values = {variant.name};
      point.variant = std::move(variant);
      point.topology = config.scenario.topology;
      point.go_back_n = go_back_n;
    };
    const Variant rc = serviceVariant(config, "RC", spray);
    numbers.configure("Reorder buffer of RC",
                      fmt::format("{} packets per QP",
                                  std::get<transport::RoceSpec>(rc.transport).reorder_packets));
    add(serviceVariant(config, "RC", balancingOf("ecmp")), false);
    add(rc, false);
    Variant going_back = rc;
    going_back.name += ", go-back-N";
    add(std::move(going_back), true);
    add(serviceVariant(config, "RUD", spray), false);
    return points;
  }
};

}  // namespace

const Procedure& sprayProcedure() {
  static const SprayProcedure test;
  return test;
}

}  // namespace plumbline::suite
