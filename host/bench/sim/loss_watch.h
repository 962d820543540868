// Times of the first losses on a running fabric.
#pragma once

#include <cstdint>

#include "bench/trial/fabric_result.h"
#include "fabric/engine/fabric.h"
#include "fabric/engine/observer.h"

namespace plumbline::bench {

// Observes trimmed and dropped packets.
class LossWatch final : public fabric::Observer {
 public:
  // `fabric` must outlive the object and has not run; the constructor attaches the object.
  explicit LossWatch(fabric::Fabric& fabric) { fabric.observe(*this); }

  [[nodiscard]] std::uint32_t interests() const override {
    return bit(fabric::RecordKind::kTrim) | bit(fabric::RecordKind::kDrop);
  }
  void onRecord(const fabric::Record& record) override {
    if (record.time < first_) first_ = record.time;
  }

  // Combines them with the counters of the trial's endpoints.
  [[nodiscard]] LossTimes times(const transport::EndpointStats& endpoints) const {
    return {first_, endpoints.first_nack, endpoints.first_resent};
  }

 private:
  Picoseconds first_ = fabric::kNever;
};

}  // namespace plumbline::bench
