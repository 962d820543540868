// T9.1 AllReduce (training draft, section 9.1).
//
// Swept: buffer size S × ranks n × load balancing. A job of n ranks, neighbours in rank on
// different leaves, repeats the collective. Measured: the time t of every iteration, from the first
// rank's start to the last one's finish. Computed:
//   BusBW       S / t * algo_factor; of the mean time, and of the times that 50, 95 and 99 % of the
//               iterations do not exceed (P99 is the slow end)
//   efficiency  BusBW over the rate of a host's link
// and the fabric's counters meanwhile: ECN marks, PFC, drops, load of the links between switches.
#include "suite/training/collective.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

class AllReduceProcedure final : public CollectiveProcedure {
 public:
  AllReduceProcedure() : CollectiveProcedure(fullSweep({workload::CollectiveKind::kAllReduce})) {}

  [[nodiscard]] std::string id() const override { return "T9.1"; }
  [[nodiscard]] std::string title() const override { return "AllReduce bus bandwidth"; }

 protected:
  [[nodiscard]] std::string section() const override { return "section 9.1"; }
};

}  // namespace

const Procedure& allReduceProcedure() {
  static const AllReduceProcedure test;
  return test;
}

}  // namespace plumbline::suite
