// One trial: what to send through which DUT for how long (TrialSpec), and what was observed
// (TrialResult). Declarative and independent of benches: no registers here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/observation_point.h"
#include "base/units.h"
#include "bench/json/transport_json.h"
#include "bench/trial/card_parts.h"
#include "bench/trial/early_end.h"
#include "bench/trial/fabric_result.h"
#include "bench/trial/flow_result.h"
#include "bench/trial/samples.h"
#include "bench/trial/time_series.h"
#include "fabric/spec/fabric_spec.h"
#include "serving/program.h"
#include "serving/serving_result.h"
#include "stats/histogram.h"
#include "workload/workload_spec.h"

namespace plumbline::bench {

// What follows the UDP header. Every frame carries the card's test tag directly behind it.
enum class Transport {
  kUdp,        // plain UDP test frame: smallest tagged frame is 64 bytes
  kRoceSend,   // RoCEv2 RC SEND Only
  kRoceWrite,  // RoCEv2 RC RDMA WRITE Only (BTH + RETH)
  kUetRud,     // Ultra Ethernet over UDP, WRITE with the standard SES header: RUD,
  kUetRod,     // ROD,
  kUetRudi,    // RUDI, which has no contexts,
  kUetUud,     // or UUD, which has no packet numbers either
};

// Whether frames belong to queue pairs or to packet delivery contexts.
bool isRoce(Transport transport);
bool isUet(Transport transport);

// The UDP source port of a stream's frames: the entropy that switches spread by.
enum class Entropy {
  kPerQueuePair,  // a port of its own for each queue pair (packet delivery context)
  kFixed,         // one for all
  kRoundRobin,    // the next of `entropy_values` with every frame
  kRandom,        // a random one, drawn by the card
};

struct FrameFormat {
  Transport transport = Transport::kRoceWrite;
  bool ipv6 = false;
  std::optional<std::uint16_t> vlan_id;  // 802.1Q tag with PCP = priority
  std::uint8_t priority = 3;
  std::uint8_t dscp = 26;
  bool ect = true;
  std::uint32_t qps = 1;  // destination QPs, or packet delivery contexts, in round robin
  Entropy entropy = Entropy::kPerQueuePair;
  std::uint32_t entropy_values = 1;  // kRoundRobin, kRandom: consecutive source ports
};

// Use of a stream's queue pairs beyond one frame on each in turn.
struct QueuePairSpec {
  // Turns of queue pair i in every round; empty: one each.
  std::vector<std::uint32_t> weights;
  // Frames of a message: first, middle and last ones. A turn is a message.
  std::uint32_t message_frames = 1;
  bool counted = false;  // separately for each queue pair: StreamResult::queue_pairs
  // RoCE: bytes of a message. The first frame has the stream's length, the others the same payload
  // and the last one the remainder. Nothing: all frames have the stream's length.
  std::optional<Bytes> message{};
};

// Frames at a constant rate from the first to the end of the trial's duration.
struct ConstantLoad {
  Fraction rate;  // of the port's line rate, preamble and gap included (L1)
};

// `bursts` bursts of `frames` frames at minimum gap plus `extra_gap`, their starts `interval`
// apart.
struct BurstLoad {
  std::uint32_t frames = 1;
  Bytes extra_gap{0};
  std::uint32_t bursts = 1;
  Picoseconds interval{};
};

// Unequal gaps of a constant load (docs/card.md, "Patterns"): drawn from an exponential
// distribution with the load's period as mean, a Poisson stream; or listed, each used `repeat`
// times, cyclically, instead of the load's rate.
struct DrawnGaps {
  std::uint64_t seed = 1;
};
struct ListedGaps {
  std::vector<Picoseconds> gaps;  // from one frame's due time to the next one's
  std::uint32_t repeat = 1;
};
using GapPattern = std::variant<DrawnGaps, ListedGaps>;

struct StreamSpec {
  std::string name;
  std::uint32_t from = 0;  // tester port = host of the DUT
  std::uint32_t to = 0;
  FrameFormat format;
  Bytes frame{64};  // including FCS
  std::variant<ConstantLoad, BurstLoad> load;
  Picoseconds start{};      // after the common start of all ports
  std::uint32_t group = 0;  // latencies of streams of one group are counted together
  std::optional<QueuePairSpec> queue_pairs;
  std::optional<GapPattern> gaps;
};

// Permission to fast-forward a trial that has more packets than this (fast_forward.h).
struct FastForwardSpec {
  std::uint64_t packets = 250'000'000;  // of data, simulated at most
};

struct TrialSpec {
  fabric::FabricSpec dut;
  std::vector<StreamSpec> streams;
  Picoseconds duration{};  // during which constant loads send
  // Wait for residual frames afterwards. 0: for none, those left in the DUT are part of the result.
  Picoseconds drain = microseconds(20);
  std::optional<std::uint32_t> capture_port;  // capture every frame of this port, both directions
  std::optional<TransportSpec> transport;     // of simulated hosts
  std::optional<workload::WorkloadSpec> workload;  // of simulated hosts
  // A serving system on simulated hosts; beside a workload, which may share its hosts. The trial
  // ends with the system's measuring window (serving::WindowSpec), even if other traffic still
  // runs.
  std::optional<serving::ServingProgram> serving;
  // Further serving systems beside it, on separate hosts. All of them end together.
  std::vector<serving::ServingProgram> tenants;
  std::optional<FastForwardSpec> fast_forward;
  // Max-min fair flows that share links instead of packets (flow_trial.h).
  bool flow_level = false;
  // For simulated hosts. Ignored by a fast-forwarded trial.
  std::optional<EarlyEndSpec> early_end;
  // For a trial whose hosts are all simulated:
  std::optional<SamplingSpec> sampling;
  std::optional<TimeSeriesSpec> series;
  bool loss_times = false;   // FabricResult::loss_times
  bool first_mark = false;   // FabricResult::first_mark
  bool count_flows = false;  // on the links between switches: FabricResult::link_flow_mmr
  std::optional<Picoseconds> peak_interval{};  // FabricResult::peak_rate

  // For a bench with a tester card; see cardPartRefusals().
  std::vector<DamageSpec> damage;
  std::vector<PfcStormSpec> storms;
  std::optional<LinkRetrySpec> link_retry;
  // Priorities (bit p = priority p) whose pauses the tester obeys; nothing: the DUT's lossless
  // ones.
  std::optional<std::uint8_t> obey_pfc;
  // Frames that are due during a pause leave after it, at most 2 ms late; if false, their slots are
  // given up.
  bool paused_frames_wait = false;
  // Departures are recorded for so many first frames of each stream.
  std::uint32_t departures = 0;

  // Whether it requests records of a simulated fabric, see above: samples, a series, single
  // figures.
  [[nodiscard]] bool recordsFabric() const;

  // `serving` and the tenants, in their order.
  [[nodiscard]] std::vector<const serving::ServingProgram*> servingSystems() const;

  // Canonical JSON of everything above: equal text means equal trial. Used as the key under which
  // a result is stored and found again on resume.
  [[nodiscard]] std::string toJson() const;
};

struct StreamResult {
  std::string name;
  std::uint64_t sent_frames = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_frames = 0;  // duplicates included
  std::uint64_t received_bytes = 0;
  // Sent and never received, from sequence numbers: exact but for `stale`.
  std::uint64_t lost = 0;
  std::uint64_t duplicate = 0;
  std::uint64_t out_of_order = 0;
  // Arrived further behind than the receiver's window covers, so that it cannot say whether they
  // came before. They count as arrived, and have a latency.
  std::uint64_t stale = 0;
  std::uint64_t ce = 0;
  std::uint64_t bad_icrc = 0;
  std::uint64_t misdelivered = 0;  // received at a port other than `to`
  // Simulated hosts: slots that were given up because the stream's priority was paused. As many
  // frames fewer were sent; those of bursts left later instead. A card counts them by port. With
  // link-level retry also the slots of a constant load that its replays left no time for.
  std::uint64_t held_back = 0;
  // Largest distance behind the highest frame number, of the stream or of its queue pairs.
  std::uint32_t reorder_depth = 0;
  std::vector<QueuePairResult> queue_pairs{};  // if the trial counts them
  // Of the first frames at the tester's port, after the due time of a frame at the common start.
  std::vector<Picoseconds> departures{};
};

struct PriorityCounters {
  std::uint64_t rx_xoff = 0;
  std::uint64_t rx_xon = 0;
  Picoseconds paused;
  std::uint64_t tx_xoff = 0;
};

struct PortResult {
  std::uint64_t tx_frames = 0;
  std::uint64_t tx_bytes = 0;
  std::uint64_t tx_late = 0;
  Picoseconds tx_late_max;
  std::uint64_t rx_frames = 0;
  std::uint64_t rx_bytes = 0;
  std::uint64_t fcs_errors = 0;
  std::uint64_t icrc_errors = 0;
  std::uint64_t untagged = 0;
  std::uint64_t runts = 0;
  std::uint64_t giants = 0;
  std::uint64_t tx_given_up = 0;    // slots, because of pauses
  std::uint64_t tx_waited = 0;      // frames that pauses held up
  std::uint64_t dut_discarded = 0;  // damaged frames of this port that a simulated DUT discarded
  std::array<PriorityCounters, 8> priority{};
  // For ports at which the trial damages frames.
  std::optional<DamageOutcome> damage_sent{};
  std::optional<DamageOutcome> damage_received{};
  // For a trial with link-level retry.
  std::optional<LinkRetryOutcome> link_retry{};
  // For a card with MACs of its own.
  std::optional<LinkHealth> link{};
  // For a trial with storms: pauses sent and received, times after the common start.
  std::vector<card::PauseEvent> pauses{};
  std::uint64_t pauses_unlogged = 0;  // later events, for which the log had no room
};

struct GroupLatency {
  std::uint32_t group = 0;
  stats::Histogram histogram;  // one-way, first bit to first bit, ps
};

// Counters of the DUT itself. On a simulated DUT their observation point is kModelled.
struct DutPort {
  std::string name;  // "leaf0 port 2"
  std::uint64_t packets = 0;
  std::uint64_t drops = 0;
  Bytes max_queue;
};

// A NIC's own counter during a trial. Its observation point is that of the NIC's host.
struct HostCounter {
  std::string name;  // "mlx5_0 port 1 out_of_sequence"
  std::uint64_t value = 0;

  bool operator==(const HostCounter&) const = default;
};

struct TrialResult {
  std::string bench;  // "rtl", …
  ObservationPoint observed = ObservationPoint::kTester;
  std::vector<StreamResult> streams;  // in the order of the spec
  std::vector<PortResult> ports;
  std::vector<GroupLatency> latency;  // ascending groups that saw frames
  ObservationPoint dut_observed = ObservationPoint::kModelled;
  std::vector<DutPort> dut;
  // Results of the simulated fabric and hosts, for benches whose DUT is simulated.
  std::optional<FabricResult> fabric;
  // For a trial at flow level, which has no `fabric`.
  std::optional<FlowLevelResult> flow_level{};
  // For a trial with a serving system.
  std::optional<serving::ServingResult> serving{};
  std::vector<serving::ServingResult> tenants{};
  // For a simulated trial that may end early: what is known of its main figure.
  std::optional<EarlyEndOutcome> early_end{};
  std::vector<HostCounter> host_counters{};  // of the NIC of a bench on ordinary hosts
  std::vector<std::string>
      faults;               // why the trial is not valid (late start, overflow, …); empty = valid
  Picoseconds card_time;    // card time that passed
  double wall_seconds = 0;  // duration of the run; not part of reproducible output

  [[nodiscard]] bool valid() const { return faults.empty(); }
  [[nodiscard]] std::uint64_t lost() const;  // over all streams

  [[nodiscard]] std::string toJson() const;
  // Throws Error(kTester) for text that toJson() did not write.
  static TrialResult fromJson(const std::string& text);
};

}  // namespace plumbline::bench
