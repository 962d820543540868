// Which links the data of a queue pair crosses, and in what shares, without sending any: from the
// packet level's own tables and hash functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/flow/max_min.h"
#include "bench/json/transport_json.h"
#include "bench/trial/trial.h"
#include "fabric/engine/packet.h"
#include "fabric/spec/fabric_plan.h"

namespace plumbline::bench {

// Why the routes of a trial depend on its traffic; nothing if they do not.
std::optional<std::string> routesRefusal(const TrialSpec& spec);

// For a fabric without failures. Where packets are sprayed, by a switch or by a sender with an
// entropy value per packet, all equal paths have equal shares.
class FlowRoutes {
 public:
  // `spec` has no routesRefusal(), and `plan` belongs to its fabric. Both outlive this object.
  FlowRoutes(const TrialSpec& spec, const fabric::FabricPlan& plan);

  // Links of data from one host to another on their queue pair `flow`, ascending. Throws
  // Error(kTester) for hosts without a path.
  [[nodiscard]] std::vector<LinkUse> uses(std::uint32_t from, std::uint32_t to,
                                          std::uint32_t flow) const;

 private:
  // Adds the links over which the switch sends a share of the packets.
  void spread(std::uint32_t node, double share, const fabric::Packet& packet,
              std::vector<LinkUse>& uses) const;

  const TrialSpec& spec_;
  const fabric::FabricPlan& plan_;
  TransportSpec transport_;
  bool sprays_ = false;  // sender or switches
};

}  // namespace plumbline::bench
