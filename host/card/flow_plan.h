// Where the flows of a port go in its tables, and all rows that make them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "card/flow.h"
#include "card/registers.h"

namespace plumbline::card {

struct PlannedRow {
  std::uint32_t table = 0;
  std::uint32_t row = 0;
  regs::TableRow data{};
};

// Where one flow is.
struct FlowPlace {
  std::uint32_t slot = 0;  // its number in the card; messages take the two behind it too
  // Entry of the queue pair list that shows the count of each of the flow's pairs; none for a pair
  // that never has a turn.
  std::vector<std::optional<std::uint32_t>> pair_entries;
};

struct FlowPlan {
  std::vector<FlowPlace> places;  // in the order of the flows
  std::vector<PlannedRow> rows;   // in the order in which the card wants them
  bool patterns = false;          // needs a card with patterns
  bool messages = false;          // ... with messages
};

// Gives each flow its slots, queue pairs and gap list entries. Throws Error(kUsage) when a flow
// asks for what the card cannot do, or all together for more than `slots` slots, kGapEntries gaps
// or kQueuePairEntries turns or pairs.
FlowPlan planFlows(std::span<const FlowConfig> flows, std::uint32_t slots);

}  // namespace plumbline::card
