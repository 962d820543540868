// Placement of a port's flows in its tables, and all their rows.
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

// Placement of one flow.
struct FlowPlace {
  std::uint32_t slot = 0;  // its number in the card; messages also take the next two
  // Entry of the queue pair list with the count of each of the flow's pairs; none for a pair
  // without turns.
  std::vector<std::optional<std::uint32_t>> pair_entries;
};

struct FlowPlan {
  std::vector<FlowPlace> places;  // in the order of the flows
  std::vector<PlannedRow> rows;   // in the order that the card requires
  bool patterns = false;          // needs a card with patterns
  bool messages = false;          // ... with messages
};

// Assigns slots, queue pairs and gap list entries to each flow. Throws Error(kUsage) when a flow
// exceeds the card's abilities, or all together need more than `slots` slots, kGapEntries gaps or
// kQueuePairEntries turns or pairs.
FlowPlan planFlows(std::span<const FlowConfig> flows, std::uint32_t slots);

}  // namespace plumbline::card
