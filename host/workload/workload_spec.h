// The workload of a fabric's hosts as plain data: jobs, the placement of their ranks, their
// programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/units.h"
#include "transport/application.h"
#include "workload/moe_spec.h"

namespace plumbline::workload {

// Jobs of a workload at most.
inline constexpr std::size_t kMaxJobs = 256;

using Rank = std::uint32_t;
using transport::HostId;

// --- Placement of ranks ------------------------------------------------------------------------

enum class PlacementRule : std::uint8_t {
  kContiguous,   // first, first + 1, …
  kStrided,      // first, first + stride, …, then first + 1, first + 1 + stride, …
  kRandom,       // drawn from all hosts with `seed`
  kInterleaved,  // one host of every leaf in turn, `hosts_per_leaf` hosts on a leaf
  kExplicit,     // `hosts`, rank by rank
};

// Every rule except kExplicit puts the hosts of the fabric into an order, cyclically, and takes the
// first ones without an earlier job. kExplicit may name hosts of other jobs.
struct Placement {
  PlacementRule rule = PlacementRule::kContiguous;
  std::uint32_t ranks = 2;  // kExplicit: ignored
  HostId first = 0;
  std::uint32_t stride = 1;
  std::uint32_t hosts_per_leaf = 1;
  std::uint64_t seed = 1;
  std::vector<HostId> hosts;
};

// --- Collectives -------------------------------------------------------------------------------

enum class CollectiveKind : std::uint8_t {
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kAllToAll,
  kBroadcast,  // from rank 0
};

enum class Algorithm : std::uint8_t {
  kRing,             // AllReduce, ReduceScatter, AllGather
  kTree,             // AllReduce, Broadcast: binary, pipelined in chunks
  kDoubleTree,       // AllReduce: two mirrored trees of half the buffer each
  kHalvingDoubling,  // AllReduce; a power of two of ranks
  kHierarchical,     // AllReduce: a ring per rail
  kLinearShift,      // AllToAll: round s sends to r + s
  kXor,              // AllToAll: round s exchanges with r XOR s; a power of two of ranks
};

// One collective. `bytes` is S as in nccl-tests: the buffer of a rank; for AllGather the gathered
// buffer, for AllToAll all of a rank's data, for others and itself.
struct CollectiveSpec {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  Algorithm algorithm = Algorithm::kRing;
  std::uint64_t bytes = 1U << 20;
  // Buffers are cut at multiples of this (a gradient's size); the last element may be shorter.
  std::uint32_t element_bytes = 1;
  // Rings: a chunk travels in ceil(chunk size / this) equal slices (0: as one message). Trees: size
  // of a pipelined chunk, likewise (0: the whole buffer).
  std::uint64_t chunk_bytes = 0;
  // AllToAll: peers in parallel (0: all at once). Trees: chunks in flight per edge (0: 8).
  std::uint32_t window = 0;
  // kHierarchical: accelerators of a server, neighbours in rank; rank r uses rail r mod this.
  std::uint32_t ranks_per_server = 1;
  // Time inside the server before and after the fabric's part (kHierarchical: reduce-scatter and
  // gather). Modelled as pure delay.
  Picoseconds before{};
  Picoseconds after{};
};

// `iterations` times: compute, then the collectives one after the other (a rank's communication
// stream). A rank begins its next iteration when it has finished its own previous one.
struct TrainingProgram {
  std::uint32_t iterations = 1;
  Picoseconds compute{};  // C
  // Stragglers: every rank's compute phase takes up to this longer, uniformly.
  Picoseconds compute_spread{};
  // The b-th of B collectives may start when (b+1)/B of the compute phase is over (gradient
  // buckets), instead of at its end.
  bool overlap = false;
  // A dissemination barrier of 8-byte messages over the fabric between iterations, not counted into
  // either.
  bool barrier = false;
  std::vector<CollectiveSpec> collectives;
};

// --- Messages ----------------------------------------------------------------------------------

enum class Pattern : std::uint8_t {
  kPairs,              // rank 2i to rank 2i + 1
  kShift,              // rank r to rank r + shift: a permutation
  kRandomPermutation,  // no rank to itself; drawn with the workload's seed
  kIncast,             // every other rank to rank 0
  kExplicit,           // `pairs` of ranks
};

// The next message is posted when one of `outstanding` is complete.
struct ClosedLoop {
  std::uint32_t outstanding = 1;
};
// Open loop: one message every `interval`, or exponentially distributed with that mean.
struct Arrivals {
  Picoseconds interval{};
  bool poisson = false;
};
// Sends for `on`, then is silent for `off`, repeatedly. Open loops: their clock stops during `off`.
// Messages posted in time may finish later.
struct OnOff {
  Picoseconds on{};
  Picoseconds off{};
};

struct MessageProgram {
  Pattern pattern = Pattern::kPairs;
  std::uint32_t shift = 1;
  std::vector<std::pair<Rank, Rank>> pairs;
  bool bidirectional = false;  // every pair in the other direction as well
  std::uint64_t bytes = 1U << 20;
  std::variant<ClosedLoop, Arrivals> load = ClosedLoop{};
  std::optional<OnOff> on_off;
  Picoseconds phase{};  // pair i (in the pattern's order) starts i * phase later
  std::uint64_t messages = std::numeric_limits<std::uint64_t>::max();  // per pair and direction
  Picoseconds until = transport::kNever;  // no message is posted from this time on
  // Whether to compute JobResult::arrival_time: 24 B for every message. Not for the verb read,
  // whose messages arrive at their poster.
  bool arrival_times = false;
};

// --- Traces ------------------------------------------------------------------------------------

struct TraceEntry {
  Picoseconds time;  // after the job's start
  Rank from = 0;
  Rank to = 0;
  std::uint64_t bytes = 0;
  std::uint32_t tag = 0;  // the trace's own; carried into the results only
};

struct TraceProgram {
  std::vector<TraceEntry> entries;  // in any order
};

// --- Jobs --------------------------------------------------------------------------------------

// Selects one of a pair's flows (QPs, PDCs) for a message.
enum class FlowUse : std::uint8_t {
  kRoundRobin,
  kSplit,  // every message in as many parts as there are flows, if it has that many bytes
};

// Limits of a job: flows per pair of hosts, iterations.
inline constexpr std::uint32_t kMaxJobFlows = 256;
inline constexpr std::uint32_t kMaxJobIterations = 10'000'000;

struct JobSpec {
  std::string name;
  Placement placement;
  Picoseconds start{};
  std::uint32_t flows = 1;  // 1 to 256 per pair of hosts
  // Number of the first of them. Jobs with a common pair of hosts share the flows of the same
  // numbers, and the order of messages in them; below 256 with `flows`.
  std::uint32_t first_flow = 0;
  FlowUse flow_use = FlowUse::kRoundRobin;
  transport::Verb verb = transport::Verb::kWrite;  // kRead: messages only
  bool background = false;  // the workload is finished without it, whatever it still has to do
  std::variant<TrainingProgram, MessageProgram, TraceProgram, MoeProgram> program =
      TrainingProgram{};
};

struct WorkloadSpec {
  std::uint64_t seed = 1;
  std::vector<JobSpec> jobs;  // at most 256
};

}  // namespace plumbline::workload
