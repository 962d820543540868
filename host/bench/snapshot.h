// What can be seen of a trial while it runs. Totals since its beginning; who wants differences
// takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "bench/samples.h"
#include "bench/trial.h"
#include "stats/histogram.h"

namespace plumbline::bench {

struct PortSnapshot {
  std::uint32_t port = 0;  // of the tester, or simulated host
  std::uint64_t tx_frames = 0;
  std::uint64_t tx_bytes = 0;
  std::uint64_t rx_frames = 0;  // of simulated hosts: put on the wire towards it
  std::uint64_t rx_bytes = 0;
  std::uint64_t pauses = 0;  // that took effect, refreshes included
  Picoseconds paused;        // summed over priorities
};

// A stream, or a QP or PDC, of which payload is counted.
struct FlowSnapshot {
  std::string name;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t sent_frames = 0;
  std::uint64_t received_frames = 0;  // 0 for a QP or PDC: its ends count payload
  std::uint64_t received_bytes = 0;
  std::uint64_t retransmitted = 0;
  std::uint64_t lost = 0;  // known to be
  std::uint64_t out_of_order = 0;
  std::uint64_t ce = 0;
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
};

struct PauseSnapshot {
  PauseSpan span;     // until the snapshot, if it is open
  bool open = false;  // not over yet
};

struct CongestionSnapshot {
  std::uint64_t marked = 0;
  std::uint64_t ce_received = 0;
  std::uint64_t cnp_sent = 0;
  std::uint64_t cnp_received = 0;
  std::uint64_t dropped = 0;
  std::uint64_t trimmed = 0;
  std::uint64_t retransmitted = 0;
  std::uint64_t timeouts = 0;
};

struct TrialSnapshot {
  ObservationPoint observed = ObservationPoint::kTester;  // of ports, flows and latency
  Picoseconds time;                                       // since the common start
  Picoseconds total;
  bool ended = false;
  std::vector<PortSnapshot> ports;
  std::vector<FlowSnapshot> flows;  // the first kMostFlows
  std::uint64_t flow_count = 0;
  std::vector<LinkSnapshot> links;          // that have carried or dropped something
  std::vector<PauseSnapshot> pauses;        // ended since the previous snapshot, or open
  std::uint64_t pause_count = 0;            // the first kMostPauses of them are in `pauses`
  std::optional<stats::Histogram> latency;  // one-way [ps]; nothing = not known while it runs
  CongestionSnapshot congestion;

  static constexpr std::size_t kMostFlows = 4096;
  static constexpr std::size_t kMostPauses = 2000;
};

// What is known of an ended trial from its result alone: no QPs and PDCs, no pauses one by one, and
// of queues only the deepest.
TrialSnapshot snapshotOf(const TrialSpec& spec, const TrialResult& result);

}  // namespace plumbline::bench
