// The state of a running trial: one instant of trial time, and totals since the trial's beginning.
// Callers compute differences themselves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/observation_point.h"
#include "base/units.h"
#include "bench/trial/samples.h"
#include "bench/trial/trial.h"
#include "serving/serving_view.h"
#include "stats/histogram.h"

namespace plumbline::bench {

struct PortSnapshot {
  std::uint32_t port = 0;  // of the tester, or simulated host
  std::uint64_t tx_frames = 0;
  std::uint64_t tx_bytes = 0;
  std::uint64_t rx_frames = 0;  // of simulated hosts: put on the wire towards it
  std::uint64_t rx_bytes = 0;
  // Bytes of the above that have not passed yet: links, and the card's ports, count a frame whole
  // when it begins. 0 where only frames that have passed are counted.
  double tx_pending = 0;
  double rx_pending = 0;
  struct Pauses {
    std::uint64_t count = 0;  // that took effect, refreshes included
    Picoseconds time;
  };
  std::array<Pauses, 8> paused{};  // by priority
};

// A stream, or a QP or PDC, whose payload is counted.
struct FlowSnapshot {
  std::string name;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t sent_frames = 0;
  std::uint64_t received_frames = 0;  // 0 for a QP or PDC, which counts payload only
  std::uint64_t received_bytes = 0;
  // Nothing where the flow's kind, or the bench, has no such count.
  std::optional<std::uint64_t> retransmitted{};
  std::optional<std::uint64_t> lost{};  // known to be
  std::optional<std::uint64_t> out_of_order{};
  std::optional<std::uint64_t> ce{};
};

// One direction of a cable of the DUT. Observation point: modelled.
struct LinkSnapshot {
  std::string name;
  BitRate rate;
  bool between_switches = false;
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t dropped = 0;
  std::uint64_t marked = 0;
  std::uint64_t queue_bytes = 0;      // left behind the last departure
  std::uint64_t max_queue_bytes = 0;  // since the previous snapshot
  Picoseconds busy{};                 // time in which frames, preambles and gaps occupied its wire
};

struct PauseSnapshot {
  PauseSpan span;     // until the snapshot, if it is open
  bool open = false;  // not over yet
};

// Nothing for values that the bench cannot observe during the trial.
struct CongestionSnapshot {
  // By switches of a simulated DUT.
  std::optional<std::uint64_t> marked{};
  std::optional<std::uint64_t> dropped{};
  std::optional<std::uint64_t> trimmed{};
  // By a tester's ports and simulated hosts.
  std::optional<std::uint64_t> ce_received{};
  // By simulated hosts.
  std::optional<std::uint64_t> cnp_sent{};
  std::optional<std::uint64_t> cnp_received{};
  std::optional<std::uint64_t> retransmitted{};
  std::optional<std::uint64_t> timeouts{};
};

// A serving system of the trial. Observation point: modelled.
struct ServingSnapshot {
  std::string name;  // empty: the only one
  serving::ServingView view;
};

struct TrialSnapshot {
  std::string bench;                                      // its name
  ObservationPoint observed = ObservationPoint::kTester;  // of ports, flows and latency
  Picoseconds time;                                       // since the common start
  Picoseconds total;
  bool ended = false;
  std::vector<PortSnapshot> ports;
  std::vector<FlowSnapshot> flows;  // the first kMaxFlows
  std::uint64_t flow_count = 0;
  std::vector<LinkSnapshot> links;          // that have carried or dropped something
  std::uint64_t fabric_links = 0;           // between switches, all of them; 0: unknown
  std::vector<PauseSnapshot> pauses;        // ended since the previous snapshot, or still open
  std::uint64_t pause_count = 0;            // the first kMaxPauses of them are in `pauses`
  std::optional<stats::Histogram> latency;  // one-way [ps]; nothing = unknown while it runs
  CongestionSnapshot congestion;
  std::vector<ServingSnapshot> serving;

  static constexpr std::size_t kMaxFlows = 4096;
  static constexpr std::size_t kMaxPauses = 2000;
};

// Bytes of `frames` with `bytes` that a wire of `rate` cannot have carried within `time`, preambles
// and gaps included: for a port that is saturated from the beginning, the rest of its current
// frame.
double notYetPassed(std::uint64_t frames, std::uint64_t bytes, BitRate rate, Picoseconds time);

// The snapshot of an ended trial, from its result alone: no QPs and PDCs, no single pauses, and of
// queues only the maximum.
TrialSnapshot snapshotOf(const TrialSpec& spec, const TrialResult& result);

}  // namespace plumbline::bench
