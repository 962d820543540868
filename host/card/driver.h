// Typed driver of one card over any register bus. It reads back all table writes, and refuses a
// foreign card or one with another register map.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "card/damage_control.h"
#include "card/flow.h"
#include "card/flow_control.h"
#include "card/flow_plan.h"
#include "card/link_retry.h"
#include "card/mac.h"
#include "card/register_bus.h"
#include "card/registers.h"
#include "stats/histogram.h"

namespace plumbline::card {

// Size and abilities of a card, from its capability registers.
struct CardInfo {
  std::uint32_t ports = 0;
  std::uint32_t data_bytes = 0;  // per beat of the datapath
  std::uint32_t flows = 0;       // per port
  std::uint32_t rows = 0;        // of the receive flow table, per port
  std::uint32_t groups = 0;      // latency groups, per port
  bool icrc = false;
  bool pfc_react = false;
  bool capture = false;
  bool damage = false;
  bool rx_tracking = false;
  bool pfc_send = false;  // and virtual buffer, log of pauses, waiting frames
  bool cbfc = false;
  bool llr = false;
  bool patterns = false;               // drawn and listed gaps, random source ports
  bool messages = false;               // queue pair lists and messages of several frames
  bool core = false;                   // a control processor (control_core.h)
  bool dma = false;                    // a path to memory shared with the host
  bool macs = false;                   // MACs of its own, one for each port (mac.h)
  std::uint32_t clock_period_num = 0;  // clock period in ps as a fraction
  std::uint32_t clock_period_den = 1;
};

// Per port: offsets of a port's timestamps to its reference point, and the threshold for late
// frames.
struct PortTiming {
  Picoseconds byte_time{80};
  Picoseconds tx_offset;  // added to departure times
  Picoseconds rx_offset;  // added to arrival times
  Picoseconds late_threshold = nanoseconds(10);
};

// All 64-bit counters of a port, latched at one clock edge.
struct PortCounters {
  std::uint64_t tx_frames = 0;
  std::uint64_t tx_bytes = 0;
  std::uint64_t tx_late = 0;
  std::uint64_t tx_late_max_ps = 0;
  std::uint64_t tx_pfc_skipped = 0;
  std::uint64_t tx_stall_clocks = 0;
  std::uint64_t tx_displaced =
      0;  // frames that crossed to the MAC after the departure in their tag
  std::uint64_t tx_displaced_max_ps = 0;
  std::uint64_t rx_frames = 0;
  std::uint64_t rx_bytes = 0;
  std::uint64_t rx_fcs_errors = 0;
  std::uint64_t rx_icrc_errors = 0;
  std::uint64_t rx_runts = 0;
  std::uint64_t rx_giants = 0;
  std::uint64_t rx_untagged = 0;
  std::uint64_t rx_unparsed = 0;
  std::uint64_t rx_latency_negative = 0;
  std::uint64_t rx_event_overflow = 0;
  std::uint64_t rx_pause_frames = 0;
  std::uint64_t rx_mac_control_other = 0;
  std::uint64_t rx_bad_row = 0;
  std::uint64_t rx_trimmed = 0;       // trimmed packets, of any remaining length
  std::uint64_t rx_trimmed_bare = 0;  // of these, without their whole test tag
  std::uint64_t capture_dropped = 0;
  std::uint64_t pause_events_lost = 0;
  std::uint64_t tx_credit_skipped = 0;
  std::uint64_t tx_waited = 0;
  std::uint64_t rx_buffer_dropped = 0;
  std::uint64_t credits_recovered = 0;
  std::uint64_t cf_sent = 0;
  std::uint64_t cf_received = 0;
  std::uint64_t cc_sent = 0;
  std::uint64_t cc_received = 0;
  std::array<std::uint64_t, 8> rx_xoff{};  // per priority
  std::array<std::uint64_t, 8> rx_xon{};
  std::array<std::uint64_t, 8> paused_ps{};
  std::array<std::uint64_t, 8> tx_xoff{};
  std::array<std::uint64_t, 8> tx_xon{};

  bool operator==(const PortCounters&) const = default;
};

// How a receiver reads test tags and recognises packets that a switch trimmed (docs/card.md, "RX").
struct RxTracking {
  bool wide_rows = false;  // 12 bits of row and 4 of group in the tag, not 11 and 5
  std::optional<std::uint8_t> trim_dscp = {};  // trimmed: has this DSCP, 0 to 63
  bool trim_by_length = false;                 // trimmed: the UDP length exceeds the IP packet
};

// Sticky faults of a port.
struct PortFaults {
  bool tx_late = false;
  bool tx_stall = false;
  bool rx_event_overflow = false;
  bool capture_overflow = false;
};

// Not thread-safe. Every method may throw Error(kTester) when the bus fails or the card does not
// answer in time; rows, flows and ports outside the card throw Error(kUsage).
class Driver {
 public:
  // Opens the card behind `bus`, which must outlive the driver. Throws Error(kUnsupported) for
  // anything that is not a Plumbline card, for a register map of another major version, lower minor
  // version or other hash; Error(kTester) when the bus loses bits (scratch register).
  explicit Driver(RegisterBus& bus);

  [[nodiscard]] const CardInfo& info() const { return info_; }

  // Stops sending, empties schedules, zeroes all state, counters, histograms and sticky faults of
  // all ports and removes them from the common start.
  void reset();

  void setTiming(std::uint32_t port, const PortTiming& timing);
  // Priorities (bit p = priority p) whose received PFC the port obeys.
  void setPfcReaction(std::uint32_t port, std::uint8_t priorities);
  // Flow control that the port sends. Must not outlive the driver's bus.
  [[nodiscard]] FlowControl flowControl(std::uint32_t port);
  // Damage on purpose at the port. Must not outlive the driver's bus. Throws Error(kUnsupported)
  // for a card without it.
  [[nodiscard]] DamageControl damage(std::uint32_t port);
  // Link-level retry of a port. Must not outlive the driver's bus. Throws Error(kUnsupported) for a
  // card without it.
  [[nodiscard]] LinkRetry linkRetry(std::uint32_t port);
  // The MAC of a port; only some cards have one (Mac::present()). Must not outlive the driver's
  // bus.
  [[nodiscard]] Mac mac(std::uint32_t port);
  // Copies frames of this port to the capture stream, which readCaptured() of the bus returns.
  // Throws Error(kUnsupported) for a card without it; the bus may throw as its startCapture().
  void setCapture(std::uint32_t port, bool received, bool sent);

  // Writes templates, configuration, lists and schedule of the flows of a port whose schedule is
  // empty (reset()), reads every row back, and adds the port to the common start. Throws
  // Error(kTester) naming port, table and row when a row does not read back; Error(kUnsupported)
  // when the card lacks a feature that a flow needs.
  void loadFlows(std::uint32_t port, std::span<const FlowConfig> flows);
  // Slot of a loaded flow: its number within the card.
  [[nodiscard]] std::uint32_t slot(std::uint32_t port, std::uint32_t flow) const;

  [[nodiscard]] Picoseconds cardTime();
  // Earliest start time for which arming is still possible, from the measured speed of the bus.
  [[nodiscard]] Picoseconds earliestStart();
  // Starts all loaded ports together when the card time reaches `start`.
  void arm(Picoseconds start);
  // True before the start, and while a port still has frames to send.
  [[nodiscard]] bool sending();
  void stop();

  [[nodiscard]] bool lateStart();  // armed too late for the start time
  [[nodiscard]] PortFaults faults(std::uint32_t port);
  [[nodiscard]] PortCounters counters(std::uint32_t port);
  // The same in two steps, for counters of several ports at one instant: all are latched, one write
  // each, before the first is read.
  void latchCounters(std::uint32_t port);
  [[nodiscard]] PortCounters latchedCounters(std::uint32_t port);
  [[nodiscard]] TxState txState(std::uint32_t port, std::uint32_t flow);
  // Frames sent on each of the flow's queue pairs.
  [[nodiscard]] std::vector<std::uint64_t> queuePairsSent(std::uint32_t port, std::uint32_t flow);
  [[nodiscard]] RxFlow rxFlow(std::uint32_t port, std::uint32_t row);
  // `count` rows from `first` on, each at its own time. An empty row costs two reads. The card's
  // status is not polled: reading TBL_DATA waits for the row.
  [[nodiscard]] std::vector<RxFlow> rxFlows(std::uint32_t port, std::uint32_t first,
                                            std::uint32_t count);
  // Before frames arrive: senders and receivers must agree on the tag. Throws Error(kUnsupported)
  // when the card lacks the feature.
  void setRxTracking(std::uint32_t port, const RxTracking& tracking);
  // Latencies in ps of a group at a port; empty without frames. Reads the occupied part of the
  // histogram only, and throws Error(kTester) when cells and summary contradict each other.
  [[nodiscard]] stats::Histogram latency(std::uint32_t port, std::uint32_t group);
  // Times in ps that retries took at a receiving port: from the end of the frame that revealed the
  // fault to the end of the good copy. Empty without retries; throws as latency() does.
  [[nodiscard]] stats::Histogram retryLatency(std::uint32_t port, RetryCause cause);

 private:
  using Address = std::uint32_t;

  [[nodiscard]] Address portAddress(std::uint32_t port, std::uint32_t offset) const;
  void checkIdentity();
  void checkScratch();
  void readInfo();
  // Adds the reads to `list` and returns the latched counters.
  [[nodiscard]] PortCounters readCounters(std::uint32_t port, std::vector<RegisterAccess> list);
  void setPortField(std::uint32_t port, regs::Field field, std::uint32_t value);
  [[nodiscard]] std::uint64_t read64(Address low);
  void write64(std::uint32_t low_offset, std::uint64_t value);
  [[nodiscard]] stats::Histogram histogram(std::uint32_t port, std::uint32_t row,
                                           std::uint32_t address);
  // Waits until `field` of the register at `address` is zero.
  void waitClear(Address address, regs::Field field, Picoseconds limit, const std::string& what);
  void addReadRow(std::vector<RegisterAccess>& list, std::uint32_t port, std::uint32_t table,
                  std::uint32_t row) const;
  [[nodiscard]] regs::TableRow readRow(std::uint32_t port, std::uint32_t table, std::uint32_t row);
  // Writes every row, then reads every row back.
  void loadRows(std::uint32_t port, std::span<const PlannedRow> rows);
  void verifyRow(std::uint32_t port, const PlannedRow& row, const regs::TableRow& actual) const;

  RegisterBus& bus_;
  CardInfo info_;
  std::vector<std::vector<FlowPlace>> places_;  // per port, of the flows loaded last
  bool capturing_ = false;                      // since the last reset
};

}  // namespace plumbline::card
