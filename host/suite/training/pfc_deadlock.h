// PFC storm and deadlock on a fabric with a cycle: T7.4, and I8.4 with additional KV transfers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "suite/framework/fabric_procedure.h"
#include "suite/framework/figures.h"
#include "suite/framework/reading.h"

namespace plumbline::suite {

// The cycle's fabric: leaf i, from 0, has hosts kCycleHostsPerLeaf * i on; after all of them those
// of a test's own traffic, see ownHosts().
inline constexpr std::uint32_t kCycleHostsPerLeaf = 16;
inline constexpr std::uint32_t kCycleLeaves = 4;
inline constexpr std::uint32_t kCycleHosts = kCycleHostsPerLeaf * kCycleLeaves;

// See t7_4_pfc_deadlock.cc.
class PfcDeadlockProcedure : public FabricProcedure {
 public:
  [[nodiscard]] std::vector<std::string> kpis() const override;

 protected:
  [[nodiscard]] Design design(const TestConfig& config) const override;
  [[nodiscard]] bench::TrialSpec repetitionOf(const SweepPoint& point,
                                              std::uint32_t repetition) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

  // Traffic and figures that a test adds to the cycle's flows. Its traffic has separate hosts,
  // ownHosts() on every leaf, numbers kCycleHosts + leaf * ownHosts() on, so that the cycle's flows
  // leave their hosts on time.
  [[nodiscard]] virtual std::uint32_t ownHosts() const { return 0; }
  virtual void addTraffic(const TestConfig& /*config*/, Picoseconds /*duration*/,
                          bench::TrialSpec& /*spec*/) const {}
  virtual void describe(Numbers& /*numbers*/) const {}
  [[nodiscard]] virtual std::vector<Figure> ownFigures(const Design& /*design*/) const {
    return {};
  }
  [[nodiscard]] virtual std::string note() const { return {}; }

  static Picoseconds durationOf(const TestConfig& config, Numbers& numbers);
};

// Longest time in a trial without progress of any flow of the cycle, resp. of any other flow [us],
// known to a sample at either end. It begins with a sample after the first progress.
Reading longestStandstillMicroseconds(const bench::TrialResult& trial, bool of_cycle);

}  // namespace plumbline::suite
