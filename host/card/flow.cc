#include "card/flow.h"

#include <fmt/format.h>

#include <string_view>
#include <variant>

#include "base/error.h"

namespace plumbline::card {
namespace {

void require(bool right, std::string_view what, std::uint64_t value, std::string_view allowed) {
  if (right) return;
  throw Error(ErrorKind::kUsage, fmt::format("the card cannot send a flow with {} {}", what, value),
              {}, std::string(allowed));
}

void checkGaps(const FlowConfig& flow) {
  if (const auto* drawn = std::get_if<ExponentialGaps>(&flow.gaps)) {
    require(drawn->mean.raw() >> 59 == 0, "a mean gap of 2^-16 ps times", drawn->mean.raw(),
            "less than 8.7 s");
  }
  if (const auto* list = std::get_if<GapList>(&flow.gaps)) {
    require(!list->gaps.empty() && list->gaps.size() <= kGapEntries, "listed gaps",
            list->gaps.size(), "1 to 4096");
    require(list->repeat >= 1 && list->repeat <= 65535, "repetitions of each gap", list->repeat,
            "1 to 65535");
  }
}

void checkQueuePairs(const FlowConfig& flow, const QueuePairs& pairs) {
  if (!flow.roce && !flow.uet) {
    throw Error(ErrorKind::kUsage, "only RoCEv2 and UET flows have queue pairs");
  }
  require(!pairs.pairs.empty() && pairs.pairs.size() <= kQueuePairEntries, "queue pairs",
          pairs.pairs.size(), "1 to 4096");
  require(pairs.turns.size() <= kQueuePairEntries, "turns", pairs.turns.size(), "at most 4096");
  for (const QueuePair& pair : pairs.pairs) {
    require(!flow.roce || pair.number < 1U << 24, "queue pair", pair.number, "24 bits");
  }
  std::vector<bool> had(pairs.pairs.size());
  for (const std::uint32_t turn : pairs.turns) {
    require(turn < pairs.pairs.size(), "a turn of pair", turn, "a pair of the flow");
    if (had[turn] && pairs.by_frame && flow.message) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("the card cannot give pair {} several turns by frames: its messages "
                              "would be torn",
                              turn),
                  {}, "turns by messages");
    }
    had[turn] = true;
  }
  if (pairs.row_per_pair) {
    const std::uint32_t rows = flow.wide_row ? 4096 : 2048;
    require(flow.row + pairs.pairs.size() <= rows, "receive rows for its queue pairs up to",
            flow.row + pairs.pairs.size() - 1, fmt::format("below {}", rows));
  }
}

}  // namespace

void checkFlow(const FlowConfig& flow) {
  require(flow.head.size() <= kTemplateBytes, "template bytes", flow.head.size(), "at most 256");
  require(flow.length >= 64 && flow.length <= kMaxFrameBytes, "frame length", flow.length,
          "64 to 16383");
  require(flow.payload_offset <= kTemplateBytes, "payload offset", flow.payload_offset,
          "at most 256");
  require(!flow.tagged || flow.tag_offset + 18 <= kTemplateBytes, "tag offset", flow.tag_offset,
          "at most 238");
  if (flow.wide_row) {
    require(flow.group < 16, "latency group", flow.group, "0 to 15 beside 12 bits of row");
    require(flow.row < 4096, "receive row", flow.row, "0 to 4095");
  } else {
    require(flow.group < 32, "latency group", flow.group, "0 to 31");
    require(flow.row < 2048, "receive row", flow.row, "0 to 2047");
  }
  require(flow.qp_count >= 1 && flow.qp_count <= 4096, "queue pairs", flow.qp_count, "1 to 4096");
  require(flow.qp_base < 1U << 24, "first queue pair", flow.qp_base, "24 bits");
  require(flow.source_port_base < 1U << 16, "first source port", flow.source_port_base, "16 bits");
  require(flow.source_port_count >= 1 && flow.source_port_count <= 65536, "source ports",
          flow.source_port_count, "1 to 65536");
  require(flow.address_count >= 1 && flow.address_base + flow.address_count <= 65536, "addresses",
          flow.address_count, "1 to 65536, not wrapping over the low 16 bits");
  require(flow.checksum_base < 1U << 16, "checksum base", flow.checksum_base, "16 bits");
  require(flow.priority < 8, "priority", flow.priority, "0 to 7");
  require(flow.burst_frames >= 1 && flow.burst_frames <= kMaxBurstFrames, "frames per burst",
          flow.burst_frames, "1 to 2^24");
  require(flow.bursts >= 1, "bursts", flow.bursts, "at least 1");
  checkGaps(flow);
  if (flow.queue_pairs) checkQueuePairs(flow, *flow.queue_pairs);
  if (flow.message) {
    if (!flow.queue_pairs) {
      throw Error(ErrorKind::kUsage, "the card sends messages on queue pairs only", {},
                  "a list of at least one queue pair");
    }
    require(flow.message->frames >= 2 && flow.message->frames <= 65535, "frames per message",
            flow.message->frames, "2 to 65535");
  }
}

std::uint32_t slotsOf(const FlowConfig& flow) { return flow.message ? 3 : 1; }

regs::TableRow flowRow(const FlowConfig& flow) {
  namespace table = regs::flow_table;
  checkFlow(flow);
  regs::TableRow row{};
  table::kLength.set(row, flow.length);
  table::kTagId.set(row, flow.group << (flow.wide_row ? 12U : 11U) | flow.row);
  table::kTagOff.set(row, flow.tag_offset);
  table::kPayOff.set(row, flow.payload_offset);
  table::kTagEn.set(row, flow.tagged);
  table::kIcrc.set(row, flow.icrc);
  table::kVlan.set(row, flow.vlan);
  table::kIpv6.set(row, flow.ipv6);
  table::kRoce.set(row, flow.roce);
  table::kUet.set(row, flow.uet);
  table::kPsnEn.set(row, flow.modify_psn);
  table::kQpEn.set(row, flow.modify_qp);
  table::kSportMode.set(row, static_cast<std::uint64_t>(flow.source_port_mode));
  table::kAddrMode.set(row, static_cast<std::uint64_t>(flow.address_mode));
  table::kPriority.set(row, flow.priority);
  table::kQpCount.set(row, flow.qp_count);
  table::kQpBase.set(row, flow.qp_base);
  table::kPsnBase.set(row, flow.psn_base);
  table::kSportBase.set(row, flow.source_port_base);
  table::kSportCount.set(row, flow.source_port_count);
  table::kAddrBase.set(row, flow.address_base);
  table::kAddrCount.set(row, flow.address_count);
  table::kCsumBase.set(row, flow.checksum_base);
  table::kPeriod.set(row, flow.period.raw());
  table::kBurstLen.set(row, flow.burst_frames);
  table::kBurstCount.set(row, flow.bursts);
  table::kBurstInterval.set(row, flow.burst_interval.raw());
  return row;
}

regs::TableRow templateRow(const FlowConfig& flow, std::uint32_t beat) {
  regs::TableRow row{};
  const std::size_t start = beat * sizeof(regs::TableRow);
  for (std::size_t i = 0; i < sizeof(regs::TableRow) && start + i < flow.head.size(); ++i) {
    row[i / 4] |= static_cast<std::uint32_t>(flow.head[start + i]) << (8 * (i % 4));
  }
  return row;
}

regs::TableRow scheduleRow(const FlowConfig& flow, std::uint32_t index) {
  namespace table = regs::schedule_table;
  if (flow.first_due < Picoseconds()) {
    throw Error(ErrorKind::kUsage, "the card cannot send a flow before the common start");
  }
  regs::TableRow row{};
  table::kDue.set(row, static_cast<std::uint64_t>(flow.first_due.count()));
  table::kFlow.set(row, index);
  table::kValid.set(row, 1);
  return row;
}

TxState txStateOf(const regs::TableRow& row) {
  namespace table = regs::tx_state_table;
  return {table::kSequence.get(row), static_cast<std::uint32_t>(table::kBursts.get(row)),
          static_cast<std::uint32_t>(table::kInBurst.get(row))};
}

RxFlow rxFlowOf(const regs::TableRow& row) {
  namespace table = regs::rx_flow_table;
  RxFlow flow;
  flow.frames = table::kFrames.get(row);
  flow.bytes = table::kBytes.get(row);
  flow.lost = table::kLost.get(row);
  flow.duplicate = table::kDuplicate.get(row);
  flow.out_of_order = table::kOutOfOrder.get(row);
  flow.stale = table::kStale.get(row);
  flow.ce = table::kCe.get(row);
  flow.bad_icrc = table::kBadIcrc.get(row);
  flow.next_sequence = table::kNextSequence.get(row);
  flow.trimmed = table::kTrimmed.get(row);
  flow.reorder_depth = static_cast<std::uint32_t>(table::kReorderDepth.get(row));
  return flow;
}

GroupSummary groupSummaryOf(const regs::TableRow& row) {
  namespace table = regs::group_table;
  GroupSummary group;
  group.count = table::kCount.get(row);
  group.minimum = table::kMinimum.get(row);
  group.maximum = table::kMaximum.get(row);
  group.sum_high = static_cast<std::uint32_t>(table::kSum.get(row, 1));
  group.sum_low = table::kSum.get(row, 0);
  return group;
}

}  // namespace plumbline::card
