// Drives plumb_rx clock by clock and reads everything it says.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/random.h"
#include "wire/bytes.h"

class Vplumb_rx;
class VerilatedContext;

namespace plumbline::test {

// Clocks from the last beat of a frame at the boundary to its descriptor.
inline constexpr std::uint64_t kDescriptorLatency = 11;

struct Descriptor {
  std::uint64_t cycle = 0;  // in which it came
  std::uint64_t timestamp = 0;
  std::uint32_t length = 0;
  bool fcs_ok = false;
  bool icrc_checked = false;
  bool icrc_ok = false;
};

// A row of table rx_flow.
struct FlowRow {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;
  std::uint64_t duplicate = 0;
  std::uint64_t out_of_order = 0;
  std::uint64_t stale = 0;
  std::uint64_t ce = 0;
  std::uint64_t bad_icrc = 0;
  std::uint64_t next_sequence = 0;
  std::uint64_t trimmed = 0;
  std::uint64_t reorder_depth = 0;

  bool operator==(const FlowRow&) const = default;
};
void PrintTo(const FlowRow& row, std::ostream* out);

// A row of table group.
struct GroupRow {
  std::uint64_t count = 0;
  std::uint64_t minimum = 0xFFFFFFFFFFFF;
  std::uint64_t maximum = 0;
  unsigned __int128 sum = 0;

  bool operator==(const GroupRow&) const = default;
};
void PrintTo(const GroupRow& row, std::ostream* out);

struct PortCounters {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
  std::uint64_t fcs_errors = 0;
  std::uint64_t icrc_errors = 0;
  std::uint64_t runts = 0;
  std::uint64_t giants = 0;
  std::uint64_t untagged = 0;
  std::uint64_t unparsed = 0;
  std::uint64_t latency_negative = 0;
  std::uint64_t event_overflow = 0;
  std::uint64_t pause_frames = 0;
  std::uint64_t mac_control_other = 0;
  std::uint64_t bad_row = 0;
  std::uint64_t trimmed = 0;
  std::uint64_t trimmed_bare = 0;

  bool operator==(const PortCounters&) const = default;
};
void PrintTo(const PortCounters& counters, std::ostream* out);

struct PriorityCounters {
  std::uint64_t xoff = 0;
  std::uint64_t xon = 0;
  std::uint64_t paused_ps = 0;

  bool operator==(const PriorityCounters&) const = default;
};
void PrintTo(const PriorityCounters& counters, std::ostream* out);

// An answer on the table bus.
struct TableAnswer {
  std::uint64_t requested = 0;  // cycles
  std::uint64_t answered = 0;
  std::array<std::uint32_t, 16> words{};
};
FlowRow decodeFlowRow(const std::array<std::uint32_t, 16>& words);
GroupRow decodeGroupRow(const std::array<std::uint32_t, 16>& words);

class RxBench {
 public:
  RxBench();  // reset is over and the tables are clear
  ~RxBench();

  // Card time of the cycle in hand.
  [[nodiscard]] std::uint64_t now() const { return timeOf(cycle_); }
  [[nodiscard]] std::uint64_t timeOf(std::uint64_t cycle) const {
    return time_base_ + cycle * 102400 / 33;
  }
  [[nodiscard]] std::uint64_t cycle() const { return cycle_; }
  // Sets the card time, like a write to SET_TIME.
  void jumpTo(std::uint64_t time);
  void setTimestampOffset(std::int32_t ps);
  void setByteTime(std::uint32_t ps);
  // Tag ids with 12 bits of row.
  void setWideRows(bool wide);
  // How trimmed packets are known.
  void setTrimming(std::optional<std::uint8_t> dscp, bool by_length);

  // Presents the frame from the cycle in hand on, one beat per clock; returns the cycle of its last
  // beat. `bubbles` of 16 clocks before every later beat are empty.
  std::uint64_t send(wire::ByteView frame);
  std::uint64_t send(wire::ByteView frame, RandomStream& random, std::uint64_t bubbles);
  void idle(std::uint64_t clocks);
  // Runs until everything sent so far is counted.
  void settle();
  // Pulse of clear_i in the cycle in hand; returns when clear_busy_o is low again.
  void clear();
  void pulseClear();
  [[nodiscard]] bool clearBusy();

  // Table bus; request and answer.
  FlowRow flowRow(std::uint32_t row);
  GroupRow groupRow(std::uint32_t row);
  std::uint64_t histogramCell(std::uint32_t group, std::uint32_t bucket);
  TableAnswer table(std::uint32_t table, std::uint32_t row, bool write = false);
  // The request only, in the cycle in hand; answers gather in `answers`.
  void requestTable(std::uint32_t table, std::uint32_t row, bool write = false);
  void requestHistogram(std::uint32_t group, std::uint32_t bucket);

  PortCounters counters();
  PriorityCounters priority(std::uint32_t priority);
  [[nodiscard]] std::uint8_t paused();

  std::deque<Descriptor> descriptors;
  std::deque<TableAnswer> answers;
  std::deque<std::uint64_t> histogram_answers;
  // paused_o of every cycle so far.
  std::vector<std::uint8_t> paused_log;
  std::uint64_t overflow_pulses = 0;

 private:
  void clock();
  void beat(wire::ByteView frame, std::size_t at);
  void garbage();

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vplumb_rx> model_;
  RandomStream garbage_;
  std::uint64_t cycle_ = 0;
  std::uint64_t time_base_ = 0;
  std::uint64_t request_cycle_ = 0;
};

}  // namespace plumbline::test
