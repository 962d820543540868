// PFC storm and deadlock on a fabric with a cycle: T7.4, and I8.4 with KV transfers beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "suite/framework/fabric_procedure.h"
#include "suite/framework/figures.h"

namespace plumbline::suite {

// The cycle's fabric: leaf i, from 0, has hosts kCycleHostsPerLeaf * i on; behind all of them those
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

  // What a test adds to the flows of the cycle, and says of it. Its traffic has hosts of its own,
  // so many on every leaf, numbers kCycleHosts + leaf * ownHosts() on: the flows of the cycle leave
  // their hosts on time.
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

// Longest stretch of a trial in which none of the flows of the cycle, resp. none of the others,
// made progress [us], known to one sample. A stretch begins with a sample behind the first
// progress.
double longestStandstillMicroseconds(const bench::TrialResult& trial, bool of_cycle);

}  // namespace plumbline::suite
