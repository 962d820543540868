// Retries of the links of a running fabric, link by link.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "bench/sim/sim_hosts.h"
#include "bench/trial/fabric_result.h"
#include "fabric/engine/fabric.h"
#include "fabric/engine/observer.h"

namespace plumbline::bench {

// Observes retries alone, and only where the DUT can have any: a fabric without LLR, or without bit
// errors, gets no observer.
class HopWatch final : public fabric::Observer {
 public:
  // `fabric` was built from `spec`, has `hosts` on it, must outlive the object and has not run; the
  // constructor attaches the object. A tester's port does not retry what it sends into the fabric,
  // so that link is no hop.
  HopWatch(fabric::Fabric& fabric, const fabric::FabricSpec& spec, const SimHosts& hosts);

  [[nodiscard]] std::uint32_t interests() const override;
  void onRecord(const fabric::Record& record) override;

  // Retries of a link until now; nothing for a link without bit errors or LLR. Not while the fabric
  // runs.
  [[nodiscard]] std::optional<HopRetries> of(fabric::LinkId link) const;

 private:
  struct Hop {
    stats::Histogram latency;
    stats::Histogram timed_latency;
    Bytes shortest;  // frame that was repaired
    Bytes longest;
  };

  const fabric::Fabric& fabric_;
  std::optional<fabric::LlrSpec> llr_;
  std::vector<std::optional<Hop>> hops_;  // by link
};

}  // namespace plumbline::bench
