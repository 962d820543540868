// T8.3 Packet spray (training draft, section 8.3).
//
// Every packet takes the next path in turn. RoCEv2 RC, whose receiver must keep what comes early
// (selective repeat; the reorder buffer's size is in the configuration), and UET RUD, for which
// order does not count. Measured as in T8.1: JFI close to 1, packets out of order, retransmissions.
#include <fmt/format.h>

#include "suite/training/permutation.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

class SprayTest final : public PermutationTest {
 public:
  [[nodiscard]] std::string id() const override { return "T8.3"; }
  [[nodiscard]] std::string title() const override { return "Packet spray"; }

 protected:
  [[nodiscard]] std::string section() const override { return "section 8.3"; }
  [[nodiscard]] double hopCost() const override { return 0.57; }
  [[nodiscard]] std::vector<SweepAxis> axes() const override { return {{"Carried by", ""}}; }

  [[nodiscard]] std::vector<PermutationPoint> points(const TestConfig& config,
                                                     Numbers& numbers) const override {
    const Balancing spray = balancingOf("spray");
    std::vector<PermutationPoint> points;
    for (const char* service : {"RC", "RUD"}) {
      const Variant variant = serviceVariant(config, service, spray);
      if (const auto* roce = std::get_if<transport::RoceSpec>(&variant.transport)) {
        numbers.configure("Reorder buffer of RC",
                          fmt::format("{} packets per QP", roce->reorder_packets));
      }
      points.push_back(
          {.values = {variant.name}, .variant = variant, .topology = config.scenario.topology});
    }
    return points;
  }
};

}  // namespace

const Procedure& sprayTest() {
  static const SprayTest test;
  return test;
}

}  // namespace plumbline::suite
