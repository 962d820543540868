// The fields of a workload. How they act: docs/model/workloads.md.
#include "fabric/spec/fabric_spec.h"
#include "spec/declare.h"
#include "transport/application.h"
#include "workload/spec_fields.h"

namespace plumbline::workload {

Algorithm defaultAlgorithm(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kAllToAll:
      return Algorithm::kLinearShift;
    case CollectiveKind::kBroadcast:
      return Algorithm::kTree;
    case CollectiveKind::kAllReduce:
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllGather:
      break;
  }
  return Algorithm::kRing;
}

}  // namespace plumbline::workload

namespace plumbline::spec {
namespace {

using workload::Algorithm;
using workload::Arrivals;
using workload::ClosedLoop;
using workload::CollectiveKind;
using workload::CollectiveSpec;
using workload::FlowUse;
using workload::JobSpec;
using workload::MessageProgram;
using workload::OnOff;
using workload::Pattern;
using workload::Placement;
using workload::PlacementRule;
using workload::TraceEntry;
using workload::TrainingProgram;

template <PlacementRule kRule>
bool isBy(const Placement& placement) {
  return placement.rule == kRule;
}
bool isByRule(const Placement& placement) { return placement.rule != PlacementRule::kExplicit; }

bool isShift(const MessageProgram& messages) { return messages.pattern == Pattern::kShift; }
bool isExplicit(const MessageProgram& messages) { return messages.pattern == Pattern::kExplicit; }

Field pairs() {
  Field one = special("pairs", "Ranks that send, and to which", "list of `[from, to]`",
                      R"({"type": "array", "minItems": 1, "items": {"type": "array",
                          "minItems": 2, "maxItems": 2,
                          "items": {"type": "integer", "minimum": 0}}})");
  one.applies = [](const void* spec) {
    return isExplicit(*static_cast<const MessageProgram*>(spec));
  };
  one.applies_with = "kind: messages, where it is required";
  return one;
}

// A field of a part of a message program, read and stored with that part.
Field ofPart(const Fields& fields, const char* key, const char* usual) {
  Field one = fieldNamed(fields, key);
  one.get = {};
  one.set = {};
  one.stored.clear();
  one.absent = usual;
  one.required = false;
  return one;
}

}  // namespace

template <>
const Fields& fieldsOf<Placement>() {
  static const Fields kFields{
      field<&Placement::rule>("rule",
                              "Hosts in their order; every `stride`-th; drawn with `seed`; one of "
                              "every leaf in turn (rails and graphs without `hosts_per_leaf`: in "
                              "their order)")
          .word("contiguous", PlacementRule::kContiguous)
          .word("strided", PlacementRule::kStrided)
          .word("random", PlacementRule::kRandom)
          .word("interleaved", PlacementRule::kInterleaved)
          .word("", PlacementRule::kExplicit, "explicit"),
      field<&Placement::first>("first", "Host to begin with").storedIf(isByRule),
      field<&Placement::stride>("stride", "Of `strided`").storedIf(isBy<PlacementRule::kStrided>),
      field<&Placement::hosts_per_leaf>("hosts_per_leaf", "Of `interleaved`")
          .otherwise("the topology's")
          .storedIf(isBy<PlacementRule::kInterleaved>),
      field<&Placement::seed>("seed", "Of `random`").storedIf(isBy<PlacementRule::kRandom>),
      field<&Placement::ranks>("", "Number of ranks").as("ranks").storedIf(isByRule),
      field<&Placement::hosts>("", "Host of every rank")
          .as("hosts")
          .storedIf(isBy<PlacementRule::kExplicit>),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<CollectiveSpec>() {
  static const Fields kFields{
      field<&CollectiveSpec::kind>("kind", "The collective")
          .word("allreduce", CollectiveKind::kAllReduce)
          .word("reduce-scatter", CollectiveKind::kReduceScatter)
          .word("allgather", CollectiveKind::kAllGather)
          .word("alltoall", CollectiveKind::kAllToAll)
          .word("broadcast", CollectiveKind::kBroadcast)
          .need()
          .then([](CollectiveSpec& one) { one.algorithm = workload::defaultAlgorithm(one.kind); }),
      field<&CollectiveSpec::algorithm>("algorithm", "`hierarchical`: a ring per rail")
          .word("ring", Algorithm::kRing)
          .word("tree", Algorithm::kTree)
          .word("double-tree", Algorithm::kDoubleTree)
          .word("halving-doubling", Algorithm::kHalvingDoubling)
          .word("hierarchical", Algorithm::kHierarchical)
          .word("linear-shift", Algorithm::kLinearShift)
          .word("xor", Algorithm::kXor)
          .otherwise("`ring`; `linear-shift` for `alltoall`, `tree` for `broadcast`"),
      field<&CollectiveSpec::bytes>("size",
                                    "Buffer of a rank; of an allgather the gathered one, of an "
                                    "alltoall all that a rank has for others and itself")
          .as("bytes")
          .size()
          .storedAs("bytes"),
      field<&CollectiveSpec::element_bytes>("element", "Buffers are cut at multiples of this")
          .as("element_bytes")
          .size(),
      field<&CollectiveSpec::chunk_bytes>(
          "chunk", "Rings: largest message; trees: largest chunk of the pipeline; 0: uncut")
          .as("chunk_bytes")
          .size(),
      field<&CollectiveSpec::window>(
          "window",
          "`alltoall`: peers at a time, 0 for all; trees: chunks under way per edge, 0 for 8"),
      field<&CollectiveSpec::ranks_per_server>("ranks_per_server",
                                               "`hierarchical`: accelerators of a server"),
      field<&CollectiveSpec::before>("before", "`hierarchical`: time inside the server before"),
      field<&CollectiveSpec::after>("after", "`hierarchical`: time inside the server after"),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<TrainingProgram>() {
  static const Fields kFields{
      field<&TrainingProgram::iterations>("iterations", "Of computing and communicating")
          .in(1, workload::kMaxJobIterations),
      field<&TrainingProgram::compute>("compute", "Compute phase of an iteration"),
      field<&TrainingProgram::compute_spread>("compute_spread",
                                              "Maximum extra compute time of a straggler"),
      field<&TrainingProgram::overlap>(
          "overlap", "Collectives start while computing goes on, like gradient buckets"),
      field<&TrainingProgram::barrier>("barrier", "Between iterations"),
      items<&TrainingProgram::collectives>("collectives", "One after the other")
          .need()
          .storedIf([](const TrainingProgram&) { return true; }),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<ClosedLoop>() {
  static const Fields kFields{
      field<&ClosedLoop::outstanding>("outstanding",
                                      "The next message is posted when one of these is done")
          .atLeast(1),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<Arrivals>() {
  static const Fields kFields{
      field<&Arrivals::interval>("interval", "Instead of `outstanding`: one message in this time"),
      field<&Arrivals::poisson>(
          "poisson", "With `interval` or `load`: exponentially distributed with that mean"),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<OnOff>() {
  static const Fields kFields{
      field<&OnOff::on>("on", "Time for which a rank sends, with `off`").need(),
      field<&OnOff::off>("off", "Time for which it then sends nothing").need(),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<MessageProgram>() {
  static const Fields kFields{
      field<&MessageProgram::pattern>("", "Who sends to whom")
          .as("pattern")
          .word("pairs", Pattern::kPairs)
          .word("permutation", Pattern::kShift, "shift")
          .word("random-permutation", Pattern::kRandomPermutation)
          .word("incast", Pattern::kIncast)
          .word("messages", Pattern::kExplicit, "explicit"),
      field<&MessageProgram::shift>("shift", "Distance, in ranks, from a sender to its receiver")
          .onlyIf("kind: permutation", isShift),
      pairs(),
      field<&MessageProgram::bidirectional>("bidirectional",
                                            "Every pair also sends in the other direction"),
      field<&MessageProgram::bytes>("size", "Of a message")
          .as("bytes")
          .size()
          .in(1, transport::kMaxMessage)
          .storedAs("bytes"),
      field<&MessageProgram::messages>(
          "messages", "Per pair and direction; without, `until` or a duration must end the run")
          .atLeast(1)
          .otherwise("without end"),
      ofPart(fieldsOf<ClosedLoop>(), "outstanding", "`1`"),
      ofPart(fieldsOf<Arrivals>(), "interval", "none"),
      ofPart(fieldsOf<Arrivals>(), "poisson", "`false`"),
      special("load", "Instead of `interval`: the payload takes this share of a host's `link`",
              "a share, above 0% to 100%", R"({"type": "string", "pattern": "^[0-9.]+ ?%$"})"),
      ofPart(fieldsOf<OnOff>(), "on", "always on"),
      ofPart(fieldsOf<OnOff>(), "off", "always on"),
      field<&MessageProgram::phase>("phase",
                                    "Each pair starts this much later than the one before"),
      field<&MessageProgram::until>("until", "No message is posted from this time on")
          .atMost(transport::kNever)
          .otherwise("without end"),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<TraceEntry>() {
  static const Fields kFields{
      field<&TraceEntry::time>("time", "After the job's start"),
      field<&TraceEntry::from>("from", "Rank that sends").need(),
      field<&TraceEntry::to>("to", "Rank that receives").need(),
      field<&TraceEntry::bytes>("size", "Of the message")
          .as("bytes")
          .size()
          .in(1, transport::kMaxMessage)
          .storedAs("bytes")
          .need(),
      field<&TraceEntry::tag>("tag", "Carried into the results"),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<JobSpec>() {
  static const Fields kFields{
      field<&JobSpec::name>("name", "For results").otherwise("kind and number"),
      within<&JobSpec::placement>(
          field<&Placement::ranks>("ranks",
                                   "On the hosts that no earlier job uses, in ascending order")
              .otherwise("all hosts")),
      within<&JobSpec::placement>(
          field<&Placement::hosts>(
              "hosts",
              "Instead of `ranks` and `placement`: the host of every rank; may "
              "be hosts of other jobs")
              .upTo(fabric::kMaxHosts)
              .otherwise("by `placement`")
              .then([](Placement& one) { one.rule = PlacementRule::kExplicit; })),
      block<&JobSpec::placement>("placement", "Where ranks sit"),
      field<&JobSpec::start>("start", "Of the job"),
      field<&JobSpec::flows>("flows", "QPs or PDCs per pair of hosts")
          .in(1, workload::kMaxJobFlows),
      field<&JobSpec::first_flow>("first_flow",
                                  "Number of the first of them: jobs with a pair of hosts in "
                                  "common share flows of the same number")
          .in(0, workload::kMaxJobFlows - 1)
          .storedIfChanged(),
      field<&JobSpec::flow_use>("flow_use",
                                "`split`: every message in as many parts as there are flows")
          .word("round-robin", FlowUse::kRoundRobin)
          .word("split", FlowUse::kSplit),
      field<&JobSpec::verb>("verb", "How messages are sent; `read`: messages only")
          .word("write", transport::Verb::kWrite)
          .word("write-immediate", transport::Verb::kWriteImmediate)
          .word("send", transport::Verb::kSend)
          .word("read", transport::Verb::kRead),
      field<&JobSpec::background>("", "The workload is finished without it")
          .as("background")
          .storedIfChanged(),
  };
  return kFields;
}

}  // namespace plumbline::spec
