// A client's view of a running trial: intervals, pushed over the WebSocket. Plain data with a JSON
// form, independent of server, sockets and benches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stats/histogram.h"

namespace plumbline::control {

// The current trial, and its position in its test.
struct LiveTrial {
  std::string test;                 // "T5.2"
  std::string label;                // "64 B, 50 % load"
  std::uint32_t repetition = 0;     // from 0
  std::uint64_t number = 0;         // k, from 1
  std::uint64_t expected = 0;       // number in the plan; a search may need fewer or, rarely, more
  bool stored = false;              // from the results store, not measured now
  bool ended = false;               // the last interval of this trial: its totals are final
  std::int64_t time_ps = 0;         // card or simulated time since the common start
  std::int64_t total_ps = 0;        // expected end; equal to time_ps where it is unknown
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
  std::uint64_t received_frames = 0;  // 0 for a QP or PDC, which counts payload only
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
  std::uint64_t queue_max_bytes = 0;  // largest queue within the interval
  double utilisation = 0;             // 0 to 1, of the interval, preambles and gaps included
};

// A pause of one port's sender for one priority.
struct LivePause {
  std::string link;
  std::uint32_t priority = 0;
  std::int64_t from_ps = 0;   // trial time
  std::int64_t until_ps = 0;  // trial time of the interval while `open`
  bool open = false;          // not over: the next interval has it again, longer
};

// Change of the latencies since the previous interval of this trial.
struct LiveLatency {
  std::uint64_t count = 0;   // frames since the trial began
  std::uint64_t min_ps = 0;  // exact, since the trial began
  std::uint64_t max_ps = 0;
  double sum_ps = 0;  // since the trial began
  // Frames by bucket of stats/histogram.h, ascending, in this interval alone.
  std::vector<stats::Histogram::Cell> delta;
};

// Congestion: totals since the trial began. Absent where the bench cannot observe it, or not during
// a trial.
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

// Requests whose first token arrived, and their mean TTFT in its parts, which add up to it.
// Modelled.
struct LiveTtft {
  std::uint64_t count = 0;  // at least 1
  double mean_s = 0;
  double router_s = 0;
  double queue_s = 0;  // of the prefill worker
  double prefill_s = 0;
  double transfer_s = 0;     // of KV cache: the part not hidden by prefill
  double decode_init_s = 0;  // from the last byte to the end of the first decode step
};

// A worker of a serving system. Absent: unknown for a stored trial.
struct LiveServingWorker {
  std::optional<std::uint64_t> waiting;     // requests in its queue
  std::optional<std::uint64_t> running;     // and those that it computes
  std::optional<std::uint64_t> pages_used;  // of its KV cache
  std::uint64_t pages = 0;
};

// A pool: sums over all of its workers, and the first kMaxServingWorkers of them, by number.
struct LiveServingPool {
  std::uint64_t worker_count = 0;
  LiveServingWorker all;
  std::vector<LiveServingWorker> workers;
};

// Requests that arrived in the measuring window, so far. While the trial runs percentiles are over
// completed ones; when it has ended, unfinished ones count as longer than any. Absent: not reached.
struct LiveMeasured {
  std::uint64_t arrived = 0;
  std::uint64_t done = 0;
  std::uint64_t within_limits = 0;  // of those that are done
  std::optional<LiveTtft> ttft;
  std::optional<double> ttft_p50_s;
  std::optional<double> ttft_p95_s;
  std::optional<double> ttft_p99_s;
  std::optional<double> itl_p50_s;
  std::optional<double> itl_p95_s;
  std::optional<double> itl_p99_s;
};

// A serving system of the trial: modelled, except for KV cache, which crosses the simulated fabric.
struct LiveServing {
  std::string name;  // "tenant 2"; empty: the only one
  // Totals since the trial began, of all requests, those of the warm-up included.
  std::uint64_t arrived = 0;
  std::uint64_t done = 0;
  std::uint64_t rejected = 0;
  std::uint64_t failed = 0;
  std::uint64_t tokens = 0;                // that came
  std::uint64_t within_limits = 0;         // done, and kept the limits
  std::uint64_t tokens_within_limits = 0;  // of their answers
  // Now: on the way to a prefill worker, and with incomplete KV cache.
  std::optional<std::uint64_t> routing;
  std::optional<std::uint64_t> transferring;
  // Of the interval. Absent: none in it, or unknown.
  std::optional<LiveTtft> ttft;
  std::optional<double> itl_p50_s;
  std::optional<double> itl_p99_s;
  LiveMeasured measured;
  LiveServingPool prefill;
  LiveServingPool decode;
};

// One interval: one instant of trial time. Values that a bench cannot observe during a trial are
// absent (nullopt or empty), never guessed.
struct LiveInterval {
  std::uint64_t sequence = 0;  // from 1 without gaps over all runs of one server process
  std::int64_t time_ms = 0;    // server's clock, milliseconds since 1970 UTC
  std::int64_t run = 0;
  double elapsed_s = 0;         // of the test, wall clock
  std::optional<double> eta_s;  // of the test; unknown until a trial has been measured
  std::string kpi;              // of the last completed trial: "loss 0 ppm, P99 1.234 µs"
  std::string bench;            // bench of the trial: "rtl", "sim", …
  std::string observed;         // "tester", "modelled", …
  LiveTrial trial;
  std::vector<LivePort> ports;
  // The first kMaxFlows, and the total number.
  std::vector<LiveFlow> flows;
  std::uint64_t flow_count = 0;
  std::vector<LiveLink> links;  // that have carried something; the first kMaxLinks
  std::uint64_t link_count = 0;
  // Ended since the previous interval, or open; the first kMaxPauses.
  std::vector<LivePause> pauses;
  std::uint64_t pause_count = 0;
  std::optional<LiveLatency> latency;
  LiveCongestion congestion;
  LiveFairness fairness;
  std::vector<LiveServing> serving;

  static constexpr std::size_t kMaxFlows = 4096;
  static constexpr std::size_t kMaxLinks = 4096;
  static constexpr std::size_t kMaxPauses = 2000;
  static constexpr std::size_t kMaxServingWorkers = 256;  // of a pool

  // One line.
  [[nodiscard]] std::string toJson() const;
  // Nothing for text that is not an interval.
  static std::optional<LiveInterval> fromJson(std::string_view text);
};

// Adds the frames of `delta` to `counts`, which is one count per bucket of stats/histogram.h.
void addLatency(const LiveLatency& delta, std::vector<std::uint64_t>& counts);

}  // namespace plumbline::control
