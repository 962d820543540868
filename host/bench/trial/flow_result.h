// Results of a trial at flow level besides its serving system. Observation point: modelled.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/units.h"

namespace plumbline::bench {

// One direction of a cable that carried something.
struct FlowLink {
  std::string name;  // "leaf0-spine1"
  bool between_switches = false;
  double bytes = 0;  // payload of messages that have left
  // Share of the time [0, end] that these bytes take at the link's payload rate.
  double utilisation = 0;
};

// A job of messages. Times of single messages do not exist: see docs/model/flow-level.md.
struct FlowJob {
  std::string name;
  bool finished = false;
  std::uint64_t messages_completed = 0;
  std::uint64_t bytes_arrived = 0;  // payload of whole messages at their receivers
  Picoseconds active;               // from the first message posted to the last one complete
};

struct FlowLevelResult {
  // From the packet-level probe: payload rate over the rate of the slowest link of a path, and a
  // message's delay beyond its bytes and the idle latency of its path.
  double payload_share = 0;
  Picoseconds overhead;
  std::uint64_t probe_packet_hops = 0;
  std::uint64_t rate_changes = 0;  // of connections
  Picoseconds end;
  std::vector<FlowLink> links;
  std::vector<FlowJob> jobs;
};

nlohmann::json flowLevelToJson(const FlowLevelResult& result);
// Throws nlohmann's exceptions for JSON that flowLevelToJson() did not write.
FlowLevelResult flowLevelFromJson(const nlohmann::json& json);

}  // namespace plumbline::bench
