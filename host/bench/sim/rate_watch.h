// The busiest interval of a running fabric.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/trial/fabric_result.h"
#include "fabric/engine/fabric.h"
#include "fabric/engine/observer.h"

namespace plumbline::bench {

// Sums, for each interval, the data frames that leave the fabric towards hosts. A frame counts with
// its whole length in the interval in which its first bit leaves.
class RateWatch final : public fabric::Observer {
 public:
  // Attaches itself to `fabric`, which has not run and must outlive the object. `interval` above 0.
  RateWatch(Picoseconds interval, fabric::Fabric& fabric);

  [[nodiscard]] std::uint32_t interests() const override {
    return bit(fabric::RecordKind::kDeparture);
  }
  void onRecord(const fabric::Record& record) override;

  // Up to now. Not while the fabric runs.
  [[nodiscard]] PeakRate peak() const;

 private:
  std::vector<bool> to_host_;  // by link
  Picoseconds interval_;
  std::int64_t current_ = 0;  // interval
  std::uint64_t bytes_ = 0;   // in it
  std::uint64_t max_ = 0;     // of those before it
};

}  // namespace plumbline::bench
