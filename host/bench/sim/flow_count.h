// Number of flows on each link between switches, for the ratio of the largest to the mean number
// (training draft, "ECMP Imbalance (MMR)").
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "fabric/engine/fabric.h"
#include "fabric/engine/observer.h"

namespace plumbline::bench {

// A flow is a destination QP (PDC) of a pair of hosts. A link carries it when one of its data
// packets left into the link with FabricResult::kCountedFlowData or more; a sprayed flow counts on
// every link it used.
class FlowCount final : public fabric::Observer {
 public:
  // Attaches itself to `fabric`, which has not run and must outlive the object.
  explicit FlowCount(fabric::Fabric& fabric);

  [[nodiscard]] std::uint32_t interests() const override {
    return bit(fabric::RecordKind::kDeparture);
  }
  void onRecord(const fabric::Record& record) override;

  // Most flows on a link between switches over their mean number, idle links included; nothing
  // where no such link carried one. Not while the fabric runs.
  [[nodiscard]] std::optional<double> mmr() const;

 private:
  struct Flows {
    bool between_switches = false;
    std::uint64_t latest = ~std::uint64_t{0};
    std::unordered_set<std::uint64_t> all;
  };

  std::vector<Flows> links_;
};

}  // namespace plumbline::bench
