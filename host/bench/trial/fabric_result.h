// Results of a simulated fabric and its simulated hosts for one trial.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "bench/card/retry_time.h"
#include "bench/trial/samples.h"
#include "bench/trial/time_series.h"
#include "fabric/engine/counters.h"
#include "stats/histogram.h"
#include "transport/connection_stats.h"
#include "transport/endpoint_stats.h"
#include "workload/moe_result.h"

namespace plumbline::bench {

// Link-level retry on one direction of a cable: a hop. Observation point: modelled.
struct HopRetries {
  double bit_error_rate = 0;         // errors per bit, as in the DUT's spec
  std::uint64_t damaged = 0;         // frames with a bit error, whatever their outcome
  std::uint64_t nacks = 0;           // for damaged frames with the expected sequence number
  std::uint64_t nacks_lost = 0;      // NACKs lost on the way back
  std::uint64_t retries = 0;         // damaged frames that got through
  std::uint64_t given_up = 0;        // frames that LLR lost: replays used up, or too old
  std::uint64_t replayed = 0;        // frames sent again
  std::uint64_t replayed_bytes = 0;  // of these
  // For each of `retries` without a lost NACK [ps]: end of the damaged frame's first transmission
  // to end of its good one, both at the same end of the link.
  stats::Histogram latency;
  stats::Histogram timed_latency;  // of the others, which waited for the replay timer
  // Computed value of the former for one attempt on a free line (fabric::retryTime()), for the
  // shortest and the longest frame among `retries`; zero without any.
  RetryTime computed;
};

// One direction of a cable that carried something. Observation point: modelled.
struct LinkLoad {
  std::string name;  // "leaf0-spine1"
  BitRate rate;
  bool between_switches = false;
  std::uint64_t packets = 0;  // without MAC control and replays
  std::uint64_t bytes = 0;    // of these
  std::uint64_t dropped = 0;
  std::uint64_t headroom_dropped = 0;  // of these, because an input's PFC headroom was full
  std::uint64_t marked = 0;
  std::uint64_t max_queue_bytes = 0;
  std::uint64_t pauses = 0;  // of its sender, begun
  // PAUSE frames that took effect on its sender, refreshes included, each counted once for every
  // priority. Paused links in results of older programs have no such count.
  std::optional<std::uint64_t> pause_frames = 0;
  Picoseconds paused;  // summed over priorities
  std::array<Picoseconds, 8> paused_by_priority{};
  // Share of the time [0, load_end] in which frames of every kind (PAUSE, CC_Update and LLR replays
  // as well) occupied the wire, preambles and gaps included; a frame on the wire at sim_end counts
  // with the part that has left. PAUSE and CC_Update frames between load_end and sim_end are
  // among them.
  double utilisation = 0;
  std::optional<HopRetries> retries{};  // where the link has bit errors and LLR
};

struct PayloadArrived {
  std::uint64_t bytes = 0;
  Picoseconds time;  // from the first message posted
};

// Observation point: endpoint software (modelled).
struct JobOutcome {
  std::string name;
  bool finished = false;
  // Durations, in order: of iterations, of the layers of a mixture of experts; none for messages
  // and traces.
  std::vector<Picoseconds> iterations;
  // When they began, from the trial's beginning: ranks that are not kept together begin one before
  // others have finished the one before it. None of predicted times and in results of older
  // programs.
  std::vector<Picoseconds> iteration_starts;
  Picoseconds completion;  // first start to last finish; 0 unless finished
  // A posted message is complete when its poster has the acknowledgement (for a service without
  // acknowledgements: when it is at the receiver); or it was given up, or lost by a service without
  // acknowledgements; or it is in neither state at the trial's end.
  std::uint64_t messages_completed = 0;
  std::uint64_t messages_failed = 0;
  std::uint64_t messages_open = 0;
  std::uint64_t bytes_arrived = 0;  // payload of whole messages at their receivers, over all ranks
  // The same with the parts of open messages, each byte once, until the last of them; of an
  // unfinished job until the trial's end. Nothing if the job shares a pair of hosts with another
  // one, and in results of older programs.
  std::optional<PayloadArrived> arrived{};
  std::uint64_t bytes_per_rank = 0;  // S_fabric: payload that the busiest rank posted
  // For complete messages [ps]: posted to acknowledged, or to arrival for a service without
  // acknowledgements.
  stats::Histogram message_time;
  // Of the open messages [ps]: posted to the trial's end. In results of older programs they are as
  // old as can be.
  stats::Histogram open_age;
  // Posted to completely received [ps], where the job's program requests it
  // (MessageProgram::arrival_times).
  std::optional<stats::Histogram> arrival_time{};
  Picoseconds active;  // from the first message posted to the last one done; 0 without any
  // Over the goodputs of its flows, see FlowSummary; nothing if it has none, or shares a pair of
  // hosts with another job, because their messages travel in the same flows.
  std::optional<double> flow_jfi;
  std::optional<workload::MoeResult> moe{};  // of a mixture of experts
};

struct FlowSummary {
  std::uint64_t flows = 0;  // with a goodput
  // Goodput of a flow, measured at the receiver: its payload, each byte once, over the time from
  // the first data frame sent to the last payload arrived. The time ends later where more was to
  // arrive: with open messages at the trial's end; for a flow that gave up messages, and without
  // acknowledgements, at its last completion or frame sent. 0 for a starved flow: nothing arrived
  // in at least the time that the quickest flow needed. Without any arrival no flow has a goodput.
  std::optional<double> jfi{};
  std::optional<double> goodput_min_gbps{};
  std::optional<double> goodput_mean_gbps{};
  std::optional<double> goodput_max_gbps{};
};

// One size of a fast-forwarded job, at both levels; times of the first iteration.
struct FastForwardPoint {
  std::uint64_t message_bytes = 0;  // of its largest message
  Picoseconds flow_level;
  Picoseconds packet_level;
};

// How times without simulated packets were predicted.
struct FastForwardOutcome {
  // The runs at packet level, ascending. The result is calibrated on the last two.
  std::vector<FastForwardPoint> points;
  // The check: calibrated on the first two runs, the prediction of the last one has this relative
  // error (the largest over its iterations' times and its completion).
  double calibrated_error = 0;
  // Difference of the two calibrations at the job's own size, relative to the result.
  double calibration_spread = 0;
  std::uint64_t message_bytes = 0;  // of the job's largest message
  Picoseconds flow_level;           // the job's first iteration
  std::uint64_t packet_hops = 0;    // of all runs at packet level
};

// Times of a trial's first losses. kNever for an event that did not happen.
struct LossTimes {
  Picoseconds overflow = fabric::kNever;  // first packet that a switch trimmed or dropped
  Picoseconds nack = fabric::kNever;      // first NACK or NAK at a sender
  Picoseconds resent = fabric::kNever;    // first data packet sent again
};

// The first packet that a switch marked.
struct FirstMark {
  Picoseconds time = fabric::kNever;  // kNever: none was
  std::string link;                   // whose queue it was
  std::uint64_t queue_bytes = 0;      // the depth that decided
};

// The busiest of a trial's intervals [i * interval, (i + 1) * interval): data frames that left the
// fabric towards hosts, all hosts together.
struct PeakRate {
  Picoseconds interval;
  std::uint64_t bytes = 0;  // of whole frames
};

// Receiver credit, nominal bytes over all destinations.
struct CreditUse {
  std::uint64_t granted = 0;
  std::uint64_t arrived = 0;  // of data, each packet once
};

struct FabricResult {
  // A link carries a flow if it sends a packet with this much of its data: the payload of the
  // smallest MTU, far more than an acknowledgement.
  static constexpr Bytes kCountedFlowData{256};

  Picoseconds sim_end;
  // When the last job was done, the streams had ended and the last frame but for PAUSE and
  // CC_Update had left. sim_end where a job was not done, with neither jobs nor streams, and where
  // frames were still inside in a trial with streams. The simulation itself ends up to one of its
  // steps later, and after timers that are pending.
  Picoseconds load_end;
  std::uint64_t packet_hops = 0;    // packets, data or control, crossing one link
  fabric::LinkCounters total;       // summed over all links; maxima for members that are maxima
  std::uint64_t frames_inside = 0;  // when the trial ended
  std::optional<double> link_jfi;   // over the bytes of links between switches
  std::optional<double> link_mmr;
  // Over the number of flows on these links; if the trial requests it (FlowCount).
  std::optional<double> link_flow_mmr{};
  std::vector<LinkLoad> links;  // those with traffic
  // Links between switches, both directions, with traffic or without. Results of older programs
  // have no such count.
  std::optional<std::uint64_t> fabric_links{};
  transport::EndpointStats endpoints;  // of all simulated hosts
  // Data packets that were lost end to end and are not retransmitted: all losses of plain streams
  // and of services without acknowledgements, for other services those of messages that were given
  // up. Without packets still in flight at the trial's end. Results of older programs have no such
  // count.
  std::optional<std::uint64_t> data_lost{};
  // Where connection setup has a cost.
  std::optional<transport::ConnectionStats> connections{};
  std::optional<LossTimes> loss_times{};  // if the trial requests them
  std::optional<FirstMark> first_mark{};  // if the trial requests it
  std::optional<PeakRate> peak_rate{};    // if the trial requests it
  std::optional<CreditUse> credit{};      // where destinations gave any
  FlowSummary flows;
  std::vector<JobOutcome> jobs;
  std::optional<Samples> samples;  // if the trial requests them
  std::optional<TimeSeries> series;
  // Of the process so far; not part of reproducible output; 0: unknown.
  std::uint64_t peak_rss_bytes = 0;
  // When set, the times in sim_end and jobs (name, finished, iterations, completion) are predicted,
  // and none of the other members was observed: toJson() leaves them out.
  std::optional<FastForwardOutcome> fast_forward;

  // One line of JSON, and back. fromJson() throws Error(kTester) for text that toJson() did not
  // write.
  [[nodiscard]] std::string toJson() const;
  static FabricResult fromJson(const std::string& text);
};

}  // namespace plumbline::bench
