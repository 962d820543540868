// One flow of a port as users of the driver describe it, and its rows in the card's tables
// (docs/card.md, "TX"; docs/registers.md, tables 0 to 2).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "card/pattern.h"
#include "card/rate.h"
#include "card/registers.h"

namespace plumbline::card {

// Bytes of a frame's template, and the number of beats (rows of the template table).
inline constexpr std::size_t kTemplateBytes = 256;
inline constexpr std::uint32_t kTemplateRows = 4;
// Frames of one burst, bursts of one flow.
inline constexpr std::uint32_t kMaxBurstFrames = 1U << 24;

// Longest frame that the card can send; above 9216 bytes no receiver accepts it.
inline constexpr std::uint32_t kMaxFrameBytes = 16383;

// kFollowsQp: one port for each queue pair. kRandom: for each frame one of the flow's ports, drawn
// by the card from source_port_seed.
enum class SourcePortMode { kTemplate = 0, kFollowsQp = 1, kPerFrame = 2, kRandom = 3 };
enum class AddressMode { kTemplate = 0, kSource = 1, kDestination = 2 };

struct FlowConfig {
  std::vector<std::uint8_t> head;    // the frame's first bytes, at most kTemplateBytes
  std::uint32_t length = 64;         // of the frame, FCS included
  std::uint32_t payload_offset = 0;  // offset from which the payload is incrementing octets

  // Test tag: with it the receiver counts the frame in `row` and its latency in `group`.
  bool tagged = true;
  std::uint32_t tag_offset = 0;
  std::uint32_t group = 0;
  std::uint32_t row = 0;
  // The receiver reads 12 bits of row and 4 of group (RxTracking::wide_rows), not 11 and 5.
  bool wide_row = false;

  // Offsets of the fields that the card overwrites.
  bool vlan = false;
  bool ipv6 = false;
  bool roce = false;
  bool uet = false;

  bool icrc = false;
  bool modify_psn = false;
  std::uint32_t psn_base = 0;
  bool modify_qp = false;
  std::uint32_t qp_base = 0;
  std::uint32_t qp_count = 1;
  SourcePortMode source_port_mode = SourcePortMode::kTemplate;
  std::uint32_t source_port_base = 0;
  std::uint32_t source_port_count = 1;
  std::uint64_t source_port_seed = 0;
  AddressMode address_mode = AddressMode::kTemplate;
  std::uint32_t address_base = 0;
  std::uint32_t address_count = 1;
  std::uint32_t checksum_base = 0;  // IPv4 header sum without checksum and the modified word

  std::uint32_t priority = 0;

  // `bursts` bursts of `burst_frames` frames one `period` apart, their starts `burst_interval`
  // apart, the first frame due at `first_due` after the common start.
  Picoseconds first_due;
  FinePeriod period;
  std::uint32_t burst_frames = 1;  // 1 to kMaxBurstFrames
  std::uint32_t bursts = 1;        // at least 1
  FinePeriod burst_interval;

  // Times between the frames of a burst other than one `period`.
  Gaps gaps;
  // Queue pairs or PDCs by number, each with its own PSN; replaces qp_base, qp_count and psn_base.
  std::optional<QueuePairs> queue_pairs;
  // With queue_pairs: frames that differ by their position in a message. The flow itself is its
  // first frame.
  std::optional<Message> message;
};

// Throws Error(kUsage) for a value outside the card's range, naming it.
void checkFlow(const FlowConfig& flow);
// Slots that the flow takes in the card's tables: three with messages, else one.
std::uint32_t slotsOf(const FlowConfig& flow);

// The flow's row of the flow table. Throws as checkFlow().
regs::TableRow flowRow(const FlowConfig& flow);
// Row `beat` (0 to kTemplateRows-1) of its template.
regs::TableRow templateRow(const FlowConfig& flow, std::uint32_t beat);
// Its entry in the schedule.
regs::TableRow scheduleRow(const FlowConfig& flow, std::uint32_t index);

// Counters of a flow's sending side.
struct TxState {
  std::uint64_t frames = 0;
  std::uint32_t bursts = 0;    // complete ones
  std::uint32_t in_burst = 0;  // frames of the current burst
};

// Counters of a flow's receiving side, see docs/card.md ("Per row").
struct RxFlow {
  std::uint64_t frames = 0;  // duplicates and stale ones included
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;  // below next_sequence and not arrived
  std::uint64_t duplicate = 0;
  std::uint64_t out_of_order = 0;
  std::uint64_t stale = 0;
  std::uint64_t ce = 0;
  std::uint64_t bad_icrc = 0;
  std::uint64_t next_sequence = 0;
  std::uint64_t trimmed = 0;        // of frames: without their payload
  std::uint32_t reorder_depth = 0;  // largest distance behind the highest sequence number

  bool operator==(const RxFlow&) const = default;
};

// Latency of a group in ps without its histogram.
struct GroupSummary {
  std::uint64_t count = 0;
  std::uint64_t minimum = 0;
  std::uint64_t maximum = 0;
  std::uint32_t sum_high = 0;  // 96-bit sum
  std::uint64_t sum_low = 0;
};

TxState txStateOf(const regs::TableRow& row);
RxFlow rxFlowOf(const regs::TableRow& row);
GroupSummary groupSummaryOf(const regs::TableRow& row);

}  // namespace plumbline::card
