#include "suite/framework/rc_recovery.h"

#include <fmt/format.h>

#include <variant>

#include "fabric/spec/load_balancing.h"
#include "fabric/topology/several_paths.h"
#include "fabric/topology/topology.h"

namespace plumbline::suite {

void chooseRecovery(bench::TrialSpec& spec) {
  if (!spec.transport || !fabric::spraysPackets(spec.dut.switches.load_balancing.kind)) return;
  auto* roce = std::get_if<transport::RoceSpec>(&*spec.transport);
  if (roce == nullptr || roce->service != transport::RoceService::kRc ||
      roce->recovery != transport::RoceRecovery::kGoBackN) {
    return;
  }
  // Packets cannot overtake each other on one path.
  if (!fabric::hasSeveralPaths(fabric::buildTopology(spec.dut.topology))) return;
  roce->recovery = transport::RoceRecovery::kSelectiveRepeat;
  roce->reorder_tolerance = roce->reorder_packets / 2;
}

std::string recoveryText(const transport::RoceSpec& roce) {
  if (roce.recovery == transport::RoceRecovery::kGoBackN) return "go-back-N";
  return fmt::format("selective repeat, reorder tolerance {} packets", roce.reorder_tolerance);
}

}  // namespace plumbline::suite
