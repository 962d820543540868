// T8.4 Fairness of all strategies (training draft, section 8.4).
//
// The same permutation with every kind of load balancing; JFI over the links between switches as a
// bar for each. Hosts send messages at random times, so that flowlets have gaps to use.
#include "suite/training/permutation.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

class FairnessProcedure final : public PermutationProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T8.4"; }
  [[nodiscard]] std::string title() const override { return "Fairness of load balancing"; }

 protected:
  [[nodiscard]] std::string section() const override { return "section 8.4"; }
  [[nodiscard]] std::vector<SweepAxis> axes() const override { return {{"Balancing", ""}}; }
  [[nodiscard]] std::string note(const TestConfig& /*config*/) const override {
    return "QPs have source ports of their own here, so that ECMP and BTH-aware ECMP see the same "
           "entropy and differ by chance only; T8.1 has QPs that share a port.";
  }

  [[nodiscard]] std::vector<PermutationPoint> points(const TestConfig& config,
                                                     Numbers& numbers) const override {
    const std::vector<std::string> all(scenario::kBalancingWords.begin(),
                                       scenario::kBalancingWords.end());
    std::vector<PermutationPoint> points;
    for (const Balancing& balancing : balancingSweep(config, numbers, all, all)) {
      points.push_back({.values = {balancing.name},
                        .variant = defaultVariant(config, balancing),
                        .topology = config.scenario.topology});
    }
    return points;
  }
};

}  // namespace

const Procedure& fairnessProcedure() {
  static const FairnessProcedure test;
  return test;
}

}  // namespace plumbline::suite
