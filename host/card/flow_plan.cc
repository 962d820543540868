#include "card/flow_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "base/error.h"
#include "base/random.h"

namespace plumbline::card {
namespace {

namespace pattern_table = regs::pattern_table;

void requireRoom(std::uint64_t wanted, std::uint64_t room, std::string_view what) {
  if (wanted <= room) return;
  throw Error(ErrorKind::kUsage, fmt::format("the flows of a port take {} {}", wanted, what), {},
              fmt::format("at most {}", room));
}

// Seeds of the card's generators are mixed, so that 1 and 2 give unrelated sequences; never 0.
std::uint64_t seed64(std::uint64_t seed) {
  const std::uint64_t mixed = mix64(seed);
  return mixed != 0 ? mixed : 1;
}
std::uint32_t seed32(std::uint64_t seed) {
  const auto mixed = static_cast<std::uint32_t>(mix64(seed) >> 32);
  return mixed != 0 ? mixed : 1;
}

class Planner {
 public:
  explicit Planner(std::uint32_t slots) : slots_(slots) {}

  FlowPlan plan(std::span<const FlowConfig> flows) {
    for (const FlowConfig& flow : flows) checkFlow(flow);
    std::uint64_t wanted = 0;
    for (const FlowConfig& flow : flows) wanted += slotsOf(flow);
    requireRoom(wanted, slots_, "slots (a flow with messages takes three)");
    for (const FlowConfig& flow : flows) place(flow);
    schedule(flows);
    return std::move(plan_);
  }

 private:
  void add(std::uint32_t table, std::uint32_t row, const regs::TableRow& data) {
    plan_.rows.push_back({table, row, data});
  }

  void place(const FlowConfig& flow) {
    FlowPlace place;
    place.slot = next_slot_;
    regs::TableRow row{};
    FlowConfig first = flow;
    tag_shift_ = 0;
    bool beyond = planGaps(flow, row);
    if (flow.queue_pairs) {
      planPairs(*flow.queue_pairs, first, row, place);
      beyond = true;
    }
    if (flow.source_port_mode == SourcePortMode::kRandom) {
      pattern_table::kPortSeed.set(row, seed32(flow.source_port_seed));
      plan_.patterns = beyond = true;
    }
    addSlot(first);
    if (flow.message) {
      pattern_table::kMessageFrames.set(row, flow.message->frames);
      pattern_table::kMiddleLength.set(row, flow.message->middle.length);
      pattern_table::kLastLength.set(row, flow.message->last.length);
      addSlot(withPart(first, flow.message->middle));
      addSlot(withPart(first, flow.message->last));
    }
    if (beyond) add(pattern_table::kNumber, place.slot, row);
    plan_.places.push_back(std::move(place));
  }

  static FlowConfig withPart(const FlowConfig& first, const MessagePart& part) {
    FlowConfig flow = first;
    flow.head = part.head;
    flow.length = part.length;
    flow.payload_offset = part.payload_offset;
    flow.tag_offset = part.tag_offset;
    return flow;
  }

  void addSlot(const FlowConfig& flow) {
    for (std::uint32_t beat = 0; beat < kTemplateRows; ++beat) {
      add(regs::template_table::kNumber, next_slot_ * kTemplateRows + beat,
          templateRow(flow, beat));
    }
    regs::TableRow row = flowRow(flow);
    regs::flow_table::kTagId.set(row, (regs::flow_table::kTagId.get(row) - tag_shift_) & 0xFFFF);
    add(regs::flow_table::kNumber, next_slot_, row);
    ++next_slot_;
  }

  // True if the flow's gaps are not its period.
  bool planGaps(const FlowConfig& flow, regs::TableRow& row) {
    if (const auto* drawn = std::get_if<ExponentialGaps>(&flow.gaps)) {
      pattern_table::kGapMode.set(row, 1);
      pattern_table::kGapMean.set(row, drawn->mean.raw());
      pattern_table::kGapSeed.set(row, seed64(drawn->seed));
      return plan_.patterns = true;
    }
    if (const auto* list = std::get_if<GapList>(&flow.gaps)) {
      requireRoom(next_gap_ + list->gaps.size(), kGapEntries, "entries of the gap list");
      pattern_table::kGapMode.set(row, 2);
      pattern_table::kGapBase.set(row, next_gap_);
      pattern_table::kGapCount.set(row, list->gaps.size());
      pattern_table::kGapRepeat.set(row, list->repeat);
      for (const FinePeriod gap : list->gaps) {
        regs::TableRow entry{};
        regs::gap_table::kGap.set(entry, gap.raw());
        add(regs::gap_table::kNumber, next_gap_++, entry);
      }
      return plan_.patterns = true;
    }
    return false;
  }

  // Entries for the turns, contexts for the pairs; fields that follow a pair by its context are
  // counted from the flow's first one.
  void planPairs(const QueuePairs& pairs, FlowConfig& first, regs::TableRow& row,
                 FlowPlace& place) {
    std::vector<std::uint32_t> turns = pairs.turns;
    if (turns.empty()) {
      turns.resize(pairs.pairs.size());
      std::iota(turns.begin(), turns.end(), 0U);
    }
    requireRoom(next_context_ + pairs.pairs.size(), kQueuePairEntries, "queue pairs");
    requireRoom(next_entry_ + turns.size(), kQueuePairEntries, "turns of the queue pair list");
    plan_.messages = true;
    pattern_table::kListCount.set(row, turns.size());
    pattern_table::kListBase.set(row, next_entry_);
    pattern_table::kInterleave.set(row, pairs.by_frame);
    pattern_table::kCountPerQp.set(row, pairs.row_per_pair);
    place.pair_entries.resize(pairs.pairs.size());
    for (const std::uint32_t turn : turns) {
      const QueuePair& pair = pairs.pairs.at(turn);
      regs::TableRow entry{};
      regs::qp_table::kPair.set(entry, pair.number);
      regs::qp_table::kContext.set(entry, next_context_ + turn);
      regs::qp_table::kPsnBase.set(entry, pair.first_psn);
      place.pair_entries[turn] = next_entry_;
      add(regs::qp_table::kNumber, next_entry_++, entry);
    }
    // Modulo 2^16, as the card adds the context.
    if (first.source_port_mode == SourcePortMode::kFollowsQp) {
      first.source_port_base = (first.source_port_base - next_context_) & 0xFFFF;
    }
    if (pairs.row_per_pair) tag_shift_ = next_context_;
    next_context_ += static_cast<std::uint32_t>(pairs.pairs.size());
  }

  // A sorted array is a heap; equal times in the order of the flows. Written last, as the card
  // draws the first gaps of a flow with its entry.
  void schedule(std::span<const FlowConfig> flows) {
    std::vector<std::uint32_t> order(flows.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return flows[a].first_due < flows[b].first_due;
    });
    for (std::uint32_t position = 0; position < order.size(); ++position) {
      const std::uint32_t flow = order[position];
      add(regs::schedule_table::kNumber, position,
          scheduleRow(flows[flow], plan_.places[flow].slot));
    }
  }

  std::uint32_t slots_;
  FlowPlan plan_;
  std::uint32_t next_slot_ = 0;
  std::uint32_t next_gap_ = 0;
  std::uint32_t next_entry_ = 0;
  std::uint32_t next_context_ = 0;
  std::uint32_t tag_shift_ = 0;  // of the flow being placed: added by the card to its tag id first
};

}  // namespace

FlowPlan planFlows(std::span<const FlowConfig> flows, std::uint32_t slots) {
  return Planner(slots).plan(flows);
}

}  // namespace plumbline::card
