// Which links the data of a queue pair crosses, and in what shares, without sending any: the
// packet level's own tables and hash choices.
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

// Why the routes of a trial depend on what happens in it; nothing if they do not.
std::optional<std::string> routesRefusal(const TrialSpec& spec);

// Of a fabric in which nothing fails. Where packets are spread, by a spraying switch or by a sender
// that gives each an entropy value of its own, every one of the equal paths has an equal share.
class FlowRoutes {
 public:
  // `spec` has no routesRefusal(), and `plan` is that of its fabric. Both outlive this object.
  FlowRoutes(const TrialSpec& spec, const fabric::FabricPlan& plan);

  // Of data from one host to another on their queue pair `flow`, ascending by link. Throws
  // Error(kTester) for hosts without a path.
  [[nodiscard]] std::vector<LinkUse> uses(std::uint32_t from, std::uint32_t to,
                                          std::uint32_t flow) const;

 private:
  // Adds what the switch does with a share of the packets.
  void spread(std::uint32_t node, double share, const fabric::Packet& packet,
              std::vector<LinkUse>& uses) const;

  const TrialSpec& spec_;
  const fabric::FabricPlan& plan_;
  TransportSpec transport_;
  bool sprays_ = false;  // sender or switches
};

}  // namespace plumbline::bench
