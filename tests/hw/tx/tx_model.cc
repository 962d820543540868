#include "tests/hw/tx/tx_model.h"

#include <algorithm>

namespace plumbline::test {
namespace {

// Card time has no fraction of a picosecond: the time that the card computes for a later edge is
// the time of the edge `kLead` earlier plus the lead, both rounded down.
constexpr std::uint64_t kLead = 35;

std::uint64_t crossingTime(std::uint64_t edge) { return edgeTime(edge - kLead) + edgeTime(kLead); }

// Of frame `number` of the flow.
std::uint32_t lengthOf(const FlowConfig& config, std::uint64_t number) {
  if (config.pattern.list_count == 0) return config.length;
  const std::uint32_t part = turnOf(config.pattern, number).part;
  if (part == 0) return config.length;
  return part == 1 ? config.pattern.middle_length : config.pattern.last_length;
}

}  // namespace

TxModel::TxModel(std::vector<FlowConfig> configs, const std::vector<Entry>& schedule,
                 std::uint64_t start_time, std::uint64_t byte_time_ps, std::uint64_t first_edge,
                 std::vector<std::uint64_t> gap_list)
    : configs_(std::move(configs)),
      states_(configs_.size()),
      gap_list_(std::move(gap_list)),
      start_time_(start_time),
      byte_time_ps_(byte_time_ps),
      edge_(std::max(first_edge, kLead)) {
  for (const Entry& entry : schedule) order_.emplace(entry.due, entry.flow);
  for (const FlowConfig& config : configs_) gaps_.emplace_back(config.pattern, &gap_list_);
}

Departure TxModel::next() {
  const auto [due, flow] = *order_.begin();
  order_.erase(order_.begin());
  const FlowConfig& config = configs_.at(flow);
  FlowState& state = states_.at(flow);

  // The first edge with crossing >= due (any, when the wire is busy beyond that) and crossing +
  // 102400/33 ps > wire free. Start looking shortly before it.
  const auto due_card = static_cast<std::uint64_t>((due + 0xFFFF) >> 16) + start_time_;
  const std::uint64_t near = due_card * 33 / 102400;
  if (near > 4) edge_ = std::max(edge_, near - 4);
  while ((crossingTime(edge_) < due_card && wire_free_ < due_card) ||
         33 * crossingTime(edge_) + 102400 <= 33 * wire_free_) {
    ++edge_;
  }
  Departure out{.flow = flow,
                .number = state.sent,
                .due = due,
                .departure = std::max(crossingTime(edge_), wire_free_),
                .edge = edge_,
                .length = lengthOf(config, state.sent)};
  wire_free_ = out.departure + (out.length + 20) * byte_time_ps_;
  edge_ += std::max<std::uint64_t>(2, (out.length + 63) / 64);

  if (state.in_burst == 0) state.burst_start = due;
  ++state.sent;
  ++state.in_burst;
  Due next_due = due;
  if (config.burst_len != 0 && state.in_burst == config.burst_len) {
    state.in_burst = 0;
    ++state.bursts;
    next_due = state.burst_start + config.burst_interval;
  } else {
    next_due += config.pattern.gap_mode == 0 ? config.period : gaps_[flow].next();
  }
  if (config.burst_len == 0 || config.burst_count == 0 || state.bursts != config.burst_count) {
    order_.emplace(next_due, flow);
  }
  return out;
}

}  // namespace plumbline::test
