#include "bench/trial/trial_footprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <set>
#include <utility>
#include <variant>

#include "base/work.h"
#include "fabric/engine/fabric.h"
#include "fabric/engine/footprint.h"
#include "serving/kv_cache.h"
#include "serving/mapping.h"
#include "workload/placement.h"

namespace plumbline::bench {
namespace {

// docs/simulation-speed.md, "Memory": where the numbers come from.
constexpr double kConnectionBytes = 800;  // both ends
constexpr double kWaitingBytes = 100;     // a message in a host's queue
constexpr double kSampleBytes = 8;        // a flow at an instant
constexpr double kSampleHead = 64;        // an instant
constexpr double kStreamBytes = 2'000;

// Pairs of ranks, in one direction, that a collective sends between.
double pairsOfCollective(const workload::CollectiveSpec& spec, double ranks) {
  using workload::Algorithm;
  if (spec.kind == workload::CollectiveKind::kAllToAll) return ranks * (ranks - 1);
  switch (spec.algorithm) {
    case Algorithm::kTree:
      return 2 * ranks;
    case Algorithm::kDoubleTree:
      return 4 * ranks;
    case Algorithm::kHalvingDoubling:
      return ranks * static_cast<double>(std::bit_width(static_cast<std::uint64_t>(ranks)));
    default:
      return ranks;
  }
}

double pairsOf(const workload::JobSpec& job, double ranks) {
  if (const auto* training = std::get_if<workload::TrainingProgram>(&job.program)) {
    // The same pairs serve all collectives of a kind.
    std::set<std::pair<workload::CollectiveKind, workload::Algorithm>> kinds;
    double pairs = 0;
    for (const workload::CollectiveSpec& spec : training->collectives) {
      if (kinds.emplace(spec.kind, spec.algorithm).second) pairs += pairsOfCollective(spec, ranks);
    }
    return pairs;
  }
  if (const auto* messages = std::get_if<workload::MessageProgram>(&job.program)) {
    const double pairs = messages->pattern == workload::Pattern::kExplicit
                             ? static_cast<double>(messages->pairs.size())
                             : ranks;
    return messages->bidirectional ? 2 * pairs : pairs;
  }
  if (const auto* moe = std::get_if<workload::MoeProgram>(&job.program)) {
    const double server = std::min<double>(moe->ranks_per_server, ranks);
    const bool rails = moe->mode == workload::MoeMode::kNormal;
    const double peers = rails ? ranks / server - 1 : ranks - server;
    // Of all layers together, which select anew; results go back the other way.
    const double selections = static_cast<double>(moe->tokens) * moe->top_k * moe->layers *
                              (moe->combine_bytes > 0 ? 2 : 1);
    return ranks * std::min(peers, selections);
  }
  const auto entries =
      static_cast<double>(std::get<workload::TraceProgram>(job.program).entries.size());
  return std::min(entries, ranks * ranks);
}

// Messages of a dispatch or combine, all of which wait in hosts' queues at once.
double waitingOf(const workload::MoeProgram& moe, double ranks) {
  const double server = std::min<double>(moe.ranks_per_server, ranks);
  const double selections = static_cast<double>(moe.tokens) * moe.top_k;
  if (moe.mode == workload::MoeMode::kNormal) {
    const double servers = ranks / server;
    const double copies = moe.tokens * std::min<double>(moe.top_k, servers - 1);
    return ranks * std::max(copies / moe.chunk_tokens, std::min(copies, servers - 1));
  }
  if (moe.messages == workload::MoeMessages::kPair) {
    return ranks * std::min(ranks - server, selections);
  }
  return ranks * selections * (1 - server / ranks);
}

// Copies and numbers of messages between all pairs of ranks (workload/moe_plan.h).
double planBytes(const workload::MoeProgram& moe, double ranks) {
  constexpr double kCellBytes = 12;
  constexpr double kSelectionBytes = 16;  // while a layer is routed
  return kCellBytes * moe.layers * ranks * ranks + kSelectionBytes * moe.tokens * moe.top_k * ranks;
}

// Messages of a mixture of experts; or those that an open loop posts before the trial's end beyond
// the capacity of a host's link.
double waitingOf(const workload::JobSpec& job, double pairs, const TrialSpec& spec) {
  if (const auto* moe = std::get_if<workload::MoeProgram>(&job.program)) {
    return waitingOf(*moe, ranksOf(job.placement));
  }
  const auto* messages = std::get_if<workload::MessageProgram>(&job.program);
  if (messages == nullptr) return 0;
  const auto* arrivals = std::get_if<workload::Arrivals>(&messages->load);
  if (arrivals == nullptr || arrivals->interval <= Picoseconds()) return 0;
  const Picoseconds trial =
      spec.duration > Picoseconds() ? spec.duration + spec.drain : fabric::kNever;
  const Picoseconds until = std::min(messages->until, trial);
  const auto interval_ps = static_cast<double>(arrivals->interval.count());
  auto posted = static_cast<double>(messages->messages);
  double time_ps = posted * interval_ps;
  if (until != fabric::kNever && static_cast<double>(until.count()) < time_ps) {
    time_ps = static_cast<double>(until.count());
    posted = time_ps / interval_ps;
  }
  // Bits of a message, and that the link carries in the same time.
  const double bits = static_cast<double>(messages->bytes) * 8;
  const double carried =
      static_cast<double>(spec.dut.topology.link_rate.bitsPerSecond()) * time_ps / 1e12 / bits;
  const double behind = std::max(0.0, posted - carried);
  return behind * pairs;
}

// Pairs of NICs that exchange KV cache: flows between the same two share their queue pairs.
double servingPairs(const serving::ServingProgram& program) {
  const serving::Mapping mapping(program.system.servers, program.system.model);
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  // With MLA the ranks rotate with the requests: the pattern repeats after this many.
  const std::uint64_t requests =
      std::uint64_t{program.system.servers.prefill.tp} * program.system.servers.decode.tp;
  for (std::uint64_t request = 0; request < requests; ++request) {
    for (const serving::KvFlow& flow : mapping.flows({0, 0}, {0, 0}, request)) {
      pairs.emplace(flow.from_nic, flow.to_nic);
    }
    if (program.system.model.kv != serving::KvKind::kMla) break;
  }
  const auto groups = [](const serving::PoolShape& pool) {
    return static_cast<double>(pool.workers) * pool.dp_attention;
  };
  return static_cast<double>(pairs.size()) * groups(program.system.servers.prefill) *
         groups(program.system.servers.decode);
}

double samplesOf(const TrialSpec& spec) {
  if (!spec.sampling || spec.sampling->interval <= Picoseconds()) return 0;
  if (spec.duration <= Picoseconds()) return 0;
  return static_cast<double>((spec.duration + spec.drain).count()) /
         static_cast<double>(spec.sampling->interval.count());
}

}  // namespace

TrialFootprint footprintOf(const TrialSpec& spec) {
  TrialFootprint footprint;
  double plans = 0;  // of routing
  footprint.fabric = fabric::footprintOf(spec.dut.topology).bytes;
  if (spec.workload) {
    for (const workload::JobSpec& job : spec.workload->jobs) {
      const double pairs = pairsOf(job, ranksOf(job.placement));
      footprint.connections += pairs * job.flows;
      footprint.waiting += waitingOf(job, pairs, spec);
      if (const auto* moe = std::get_if<workload::MoeProgram>(&job.program)) {
        plans += planBytes(*moe, ranksOf(job.placement));
      }
    }
  }
  for (const serving::ServingProgram* program : spec.servingSystems()) {
    footprint.connections += servingPairs(*program) * program->queue_pairs;
    footprint.caches += serving::cacheBytes(program->system);
  }
  footprint.samples = samplesOf(spec);
  const auto streams = static_cast<double>(spec.streams.size());
  footprint.bytes =
      footprint.fabric + plans + footprint.caches + footprint.connections * kConnectionBytes +
      footprint.waiting * kWaitingBytes + streams * kStreamBytes +
      footprint.samples * (kSampleHead + kSampleBytes * (footprint.connections + streams));
  return footprint;
}

std::optional<std::string> memoryRefusalOf(const TrialSpec& spec) {
  const TrialFootprint footprint = footprintOf(spec);
  std::string what = fmt::format("simulating {} hosts", spec.dut.topology.hostCount());
  if (footprint.connections > 0) what += fmt::format(" with {:.3g} flows", footprint.connections);
  if (footprint.caches > 0) {
    what += fmt::format(", KV caches of {:.3g} pages",
                        footprint.caches / static_cast<double>(serving::KvCache::kBytesOfPage));
  }
  if (footprint.waiting > 0) what += fmt::format(", {:.3g} waiting messages", footprint.waiting);
  if (footprint.samples > 0) what += fmt::format(", {:.3g} samples", footprint.samples);
  return memoryRefusal(what, footprint.bytes);
}

}  // namespace plumbline::bench
