// What a client sees of a running trial: intervals, pushed over the WebSocket as they happen. Plain
// data with a JSON form; links no server, no socket and nothing of the benches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stats/histogram.h"

namespace plumbline::control {

// The trial in hand, and where in its test it stands.
struct LiveTrial {
  std::string test;                 // "T5.2"
  std::string label;                // "64 B, 50 % load"
  std::uint32_t repetition = 0;     // from 0
  std::uint64_t number = 0;         // k, from 1
  std::uint64_t expected = 0;       // n of the plan; a search may need fewer or, rarely, more
  bool stored = false;              // answered from the results store, not measured now
  bool ended = false;               // the last interval of this trial: its totals are final
  std::int64_t time_ps = 0;         // card or simulated time since the common start
  std::int64_t total_ps = 0;        // at which it will end; equal to time_ps where nobody knows
  std::int64_t interval_ps = 0;     // since the previous interval of this trial; rates are over it
  std::vector<std::string> faults;  // of an ended trial: why it is not valid
};

// Pauses of one priority that a port obeyed. Totals since the trial began.
struct LivePriority {
  std::uint32_t priority = 0;
  std::uint64_t pauses_received = 0;  // that took effect, refreshes included
  std::int64_t paused_ps = 0;
};

// One port of the tester, or one simulated host. Totals since the trial began.
struct LivePort {
  std::uint32_t number = 0;
  std::string name;  // "host0"
  std::uint64_t tx_frames = 0;
  std::uint64_t tx_bytes = 0;
  std::uint64_t rx_frames = 0;
  std::uint64_t rx_bytes = 0;
  std::uint64_t pauses_received = 0;     // that took effect, refreshes included
  std::int64_t paused_ps = 0;            // summed over priorities
  std::vector<LivePriority> priorities;  // that were paused, ascending
  // Frame bits per second in the interval, without preamble. A port of a card counts whole frames.
  double tx_bps = 0;
  double rx_bps = 0;
};

// One stream, QP or PDC. Totals since the trial began; absent where its kind, or the bench, has no
// such count.
struct LiveFlow {
  std::string name;  // of the stream, or "host0>host5#2"
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t sent_frames = 0;
  std::uint64_t received_frames = 0;  // 0 for a QP or PDC: its ends count payload
  std::uint64_t received_bytes = 0;   // frames of a stream, payload of a QP or PDC
  std::optional<std::uint64_t> retransmitted;
  std::optional<std::uint64_t> lost;  // known to be, so far
  std::optional<std::uint64_t> out_of_order;
  std::optional<std::uint64_t> ce;
  double rx_bps = 0;  // of received_bytes, in the interval
};

// One direction of a cable of the DUT. Totals since the trial began.
struct LiveLink {
  std::string name;  // "leaf0-spine1"
  std::uint64_t rate_bps = 0;
  bool between_switches = false;
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t dropped = 0;
  std::uint64_t marked = 0;
  std::uint64_t queue_bytes = 0;      // left behind the last departure
  std::uint64_t queue_max_bytes = 0;  // the largest such depth within the interval
  double utilisation = 0;             // 0 to 1, of the interval, preambles and gaps included
};

// One port's sender stood still for one priority.
struct LivePause {
  std::string link;
  std::uint32_t priority = 0;
  std::int64_t from_ps = 0;   // trial time
  std::int64_t until_ps = 0;  // trial time of the interval while `open`
  bool open = false;          // goes on: it comes again, longer, in the next interval
};

// How latencies changed since the previous interval of this trial.
struct LiveLatency {
  std::uint64_t count = 0;   // frames since the trial began
  std::uint64_t min_ps = 0;  // exact, since the trial began
  std::uint64_t max_ps = 0;
  double sum_ps = 0;  // since the trial began
  // Frames by bucket of stats/histogram.h, ascending, in this interval alone.
  std::vector<stats::Histogram::Cell> delta;
};

// Congestion: totals since the trial began. Absent where the bench does not see it, or does not
// while the trial runs.
struct LiveCongestion {
  std::optional<std::uint64_t> marked;       // CE set by switches
  std::optional<std::uint64_t> ce_received;  // frames that arrived with CE
  std::optional<std::uint64_t> cnp_sent;
  std::optional<std::uint64_t> cnp_received;
  std::optional<std::uint64_t> dropped;
  std::optional<std::uint64_t> trimmed;
  std::optional<std::uint64_t> retransmitted;
  std::optional<std::uint64_t> timeouts;
};

struct LiveFairness {
  std::optional<double> flow_jfi;  // over the flows' rates in the interval
  std::optional<double> link_jfi;  // over bytes of the links between switches in the interval
  std::optional<double> link_mmr;  // of the same: largest over mean
};

// One interval: one instant of trial time. What a bench cannot tell while it runs is absent
// (nullopt or empty), never guessed.
struct LiveInterval {
  std::uint64_t sequence = 0;  // from 1 without gaps over all runs of one server process
  std::int64_t time_ms = 0;    // server's clock, milliseconds since 1970 UTC
  std::int64_t run = 0;
  double elapsed_s = 0;         // of the test, wall clock
  std::optional<double> eta_s;  // of the test; unknown until a trial has been measured
  std::string kpi;              // of the last trial that ended: "loss 0 ppm, P99 1.234 µs"
  std::string bench;            // that ran the trial: "rtl", "sim", …
  std::string observed;         // "tester", "modelled", …
  LiveTrial trial;
  std::vector<LivePort> ports;
  // The first kMostFlows; how many there are.
  std::vector<LiveFlow> flows;
  std::uint64_t flow_count = 0;
  std::vector<LiveLink> links;  // that have carried something; the first kMostLinks
  std::uint64_t link_count = 0;
  // Ended since the previous interval, or open; the first kMostPauses.
  std::vector<LivePause> pauses;
  std::uint64_t pause_count = 0;
  std::optional<LiveLatency> latency;
  LiveCongestion congestion;
  LiveFairness fairness;

  static constexpr std::size_t kMostFlows = 4096;
  static constexpr std::size_t kMostLinks = 4096;
  static constexpr std::size_t kMostPauses = 2000;

  // One line.
  [[nodiscard]] std::string toJson() const;
  // Nothing for text that is not an interval.
  static std::optional<LiveInterval> fromJson(std::string_view text);
};

// Adds the frames of `delta` to `counts`, which is one count per bucket of stats/histogram.h.
void addLatency(const LiveLatency& delta, std::vector<std::uint64_t>& counts);

}  // namespace plumbline::control
