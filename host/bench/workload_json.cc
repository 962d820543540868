#include "bench/workload_json.h"

#include "base/json.h"
#include "bench/json_names.h"

namespace plumbline::bench {
namespace {

using transport::Verb;
using workload::Algorithm;
using workload::CollectiveKind;
using workload::FlowUse;
using workload::Pattern;
using workload::PlacementRule;
using Json = nlohmann::json;

constexpr Names<PlacementRule, 5> kRuleNames{{{PlacementRule::kContiguous, "contiguous"},
                                              {PlacementRule::kStrided, "strided"},
                                              {PlacementRule::kRandom, "random"},
                                              {PlacementRule::kInterleaved, "interleaved"},
                                              {PlacementRule::kExplicit, "explicit"}}};
constexpr Names<CollectiveKind, 5> kCollectiveNames{
    {{CollectiveKind::kAllReduce, "allreduce"},
     {CollectiveKind::kReduceScatter, "reduce-scatter"},
     {CollectiveKind::kAllGather, "allgather"},
     {CollectiveKind::kAllToAll, "alltoall"},
     {CollectiveKind::kBroadcast, "broadcast"}}};
constexpr Names<Algorithm, 7> kAlgorithmNames{{{Algorithm::kRing, "ring"},
                                               {Algorithm::kTree, "tree"},
                                               {Algorithm::kDoubleTree, "double-tree"},
                                               {Algorithm::kHalvingDoubling, "halving-doubling"},
                                               {Algorithm::kHierarchical, "hierarchical"},
                                               {Algorithm::kLinearShift, "linear-shift"},
                                               {Algorithm::kXor, "xor"}}};
constexpr Names<Pattern, 5> kPatternNames{{{Pattern::kPairs, "pairs"},
                                           {Pattern::kShift, "shift"},
                                           {Pattern::kRandomPermutation, "random-permutation"},
                                           {Pattern::kIncast, "incast"},
                                           {Pattern::kExplicit, "explicit"}}};
constexpr Names<FlowUse, 2> kFlowUseNames{
    {{FlowUse::kRoundRobin, "round-robin"}, {FlowUse::kSplit, "split"}}};
constexpr Names<Verb, 4> kVerbNames{{{Verb::kWrite, "write"},
                                     {Verb::kWriteImmediate, "write-immediate"},
                                     {Verb::kSend, "send"},
                                     {Verb::kRead, "read"}}};

Json placementToJson(const workload::Placement& placement) {
  Json json{{"rule", nameOf(kRuleNames, placement.rule)}};
  if (placement.rule == PlacementRule::kExplicit) {
    json["hosts"] = placement.hosts;
    return json;
  }
  json["ranks"] = placement.ranks;
  json["first"] = placement.first;
  if (placement.rule == PlacementRule::kStrided) json["stride"] = placement.stride;
  if (placement.rule == PlacementRule::kRandom) json["seed"] = placement.seed;
  if (placement.rule == PlacementRule::kInterleaved) {
    json["hosts_per_leaf"] = placement.hosts_per_leaf;
  }
  return json;
}

Json toJsonValue(const workload::TrainingProgram& training) {
  Json collectives = Json::array();
  for (const auto& collective : training.collectives) {
    collectives.push_back({{"kind", nameOf(kCollectiveNames, collective.kind)},
                           {"algorithm", nameOf(kAlgorithmNames, collective.algorithm)},
                           {"bytes", collective.bytes},
                           {"element_bytes", collective.element_bytes},
                           {"chunk_bytes", collective.chunk_bytes},
                           {"window", collective.window},
                           {"ranks_per_server", collective.ranks_per_server},
                           {"before_ps", collective.before.count()},
                           {"after_ps", collective.after.count()}});
  }
  return {{"kind", "training"},
          {"iterations", training.iterations},
          {"compute_ps", training.compute.count()},
          {"compute_spread_ps", training.compute_spread.count()},
          {"overlap", training.overlap},
          {"barrier", training.barrier},
          {"collectives", collectives}};
}

Json toJsonValue(const workload::MessageProgram& messages) {
  Json json{{"kind", "messages"},
            {"pattern", nameOf(kPatternNames, messages.pattern)},
            {"bidirectional", messages.bidirectional},
            {"bytes", messages.bytes},
            {"phase_ps", messages.phase.count()},
            {"messages", messages.messages},
            {"until_ps", messages.until.count()}};
  if (messages.pattern == Pattern::kShift) json["shift"] = messages.shift;
  if (messages.pattern == Pattern::kExplicit) json["pairs"] = messages.pairs;
  if (const auto* arrivals = std::get_if<workload::Arrivals>(&messages.load)) {
    json["arrivals"] = {{"interval_ps", arrivals->interval.count()},
                        {"poisson", arrivals->poisson}};
  } else {
    json["outstanding"] = std::get<workload::ClosedLoop>(messages.load).outstanding;
  }
  if (const auto& on_off = messages.on_off) {
    json["on_off"] = {{"on_ps", on_off->on.count()}, {"off_ps", on_off->off.count()}};
  }
  return json;
}

Json toJsonValue(const workload::TraceProgram& trace) {
  Json entries = Json::array();
  for (const auto& entry : trace.entries) {
    entries.push_back({{"time_ps", entry.time.count()},
                       {"from", entry.from},
                       {"to", entry.to},
                       {"bytes", entry.bytes},
                       {"tag", entry.tag}});
  }
  return {{"kind", "trace"}, {"entries", entries}};
}

}  // namespace

Json workloadToJson(const workload::WorkloadSpec& workload) {
  Json jobs = Json::array();
  for (const auto& job : workload.jobs) {
    jobs.push_back({{"name", job.name},
                    {"placement", placementToJson(job.placement)},
                    {"start_ps", job.start.count()},
                    {"flows", job.flows},
                    {"flow_use", nameOf(kFlowUseNames, job.flow_use)},
                    {"verb", nameOf(kVerbNames, job.verb)},
                    {"program", std::visit([](const auto& program) { return toJsonValue(program); },
                                           job.program)}});
  }
  return {{"seed", workload.seed}, {"jobs", jobs}};
}

}  // namespace plumbline::bench
