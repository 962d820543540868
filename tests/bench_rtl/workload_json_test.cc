#include "bench/json/workload_json.h"

#include <gtest/gtest.h>

#include <string>

#include "base/json.h"
#include "tests/bench_rtl/all_differ.h"

namespace plumbline::bench {
namespace {

using workload::MessageProgram;
using workload::PlacementRule;
using workload::TraceProgram;
using workload::TrainingProgram;
using workload::WorkloadSpec;

// These fail to compile when a struct gets a member, as a reminder to add its line below.
[[maybe_unused]] void membersAsOfThisTest(WorkloadSpec& s, TrainingProgram& t, MessageProgram& m,
                                          TraceProgram& r, workload::MoeProgram& x) {
  [[maybe_unused]] auto& [a1, a2] = s;
  [[maybe_unused]] auto& [b1, b2, b3, b4, b5, b6, b7, b8, b9] = s.jobs[0];
  [[maybe_unused]] auto& [c1, c2, c3, c4, c5, c6, c7] = s.jobs[0].placement;
  [[maybe_unused]] auto& [d1, d2, d3, d4, d5, d6] = t;
  [[maybe_unused]] auto& [e1, e2, e3, e4, e5, e6, e7, e8, e9] = t.collectives[0];
  [[maybe_unused]] auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11] = m;
  [[maybe_unused]] auto& [g1, g2] = *m.on_off;
  [[maybe_unused]] auto& [h1, h2] = std::get<workload::Arrivals>(m.load);
  [[maybe_unused]] auto& [i1] = std::get<workload::ClosedLoop>(m.load);
  [[maybe_unused]] auto& [j1] = r;
  [[maybe_unused]] auto& [x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16,
                          x17, x18, x19, x20, x21, x22, x23, x24] = x;
  [[maybe_unused]] auto& [k1, k2, k3, k4, k5] = r.entries[0];
}

// Every change must give a different text.
void expectDifferent(const WorkloadSpec& base,
                     std::initializer_list<void (*)(WorkloadSpec&)> changes) {
  expectAllDiffer(base, changes, [](const auto& spec) { return workloadToJson(spec).dump(); });
}

template <typename Program>
WorkloadSpec with(const Program& program) {
  WorkloadSpec spec;
  spec.jobs.emplace_back().program = program;
  return spec;
}

TEST(WorkloadJson, EveryFieldOfAJobShows) {
  using S = WorkloadSpec;
  expectDifferent(with(TrainingProgram()),
                  {[](S& s) { s.seed = 2; },
                   [](S& s) { s.jobs.clear(); },
                   [](S& s) { s.jobs.emplace_back(); },
                   [](S& s) { s.jobs[0].name = "x"; },
                   [](S& s) { s.jobs[0].start = seconds(1); },
                   [](S& s) { s.jobs[0].background = true; },
                   [](S& s) { s.jobs[0].flows = 2; },
                   [](S& s) { s.jobs[0].first_flow = 2; },
                   [](S& s) { s.jobs[0].flow_use = workload::FlowUse::kSplit; },
                   [](S& s) { s.jobs[0].verb = transport::Verb::kWriteImmediate; },
                   [](S& s) { s.jobs[0].verb = transport::Verb::kSend; },
                   [](S& s) { s.jobs[0].verb = transport::Verb::kRead; },
                   [](S& s) { s.jobs[0].placement.ranks = 3; },
                   [](S& s) { s.jobs[0].placement.first = 3; },
                   [](S& s) { s.jobs[0].placement.rule = PlacementRule::kStrided; },
                   [](S& s) { s.jobs[0].placement.rule = PlacementRule::kRandom; },
                   [](S& s) { s.jobs[0].placement.rule = PlacementRule::kInterleaved; },
                   [](S& s) { s.jobs[0].placement.rule = PlacementRule::kExplicit; },
                   [](S& s) {
                     s.jobs[0].placement.rule = PlacementRule::kExplicit;
                     s.jobs[0].placement.hosts = {1, 2};
                   },
                   [](S& s) {
                     s.jobs[0].placement.rule = PlacementRule::kStrided;
                     s.jobs[0].placement.stride = 2;
                   },
                   [](S& s) {
                     s.jobs[0].placement.rule = PlacementRule::kRandom;
                     s.jobs[0].placement.seed = 2;
                   },
                   [](S& s) {
                     s.jobs[0].placement.rule = PlacementRule::kInterleaved;
                     s.jobs[0].placement.hosts_per_leaf = 2;
                   },
                   [](S& s) { s.jobs[0].program = MessageProgram(); },
                   [](S& s) { s.jobs[0].program = TraceProgram(); }});
}

TrainingProgram& training(WorkloadSpec& spec) {
  return std::get<TrainingProgram>(spec.jobs[0].program);
}
workload::CollectiveSpec& collective(WorkloadSpec& spec) { return training(spec).collectives[0]; }

TEST(WorkloadJson, EveryFieldOfTrainingShows) {
  using S = WorkloadSpec;
  using workload::Algorithm;
  using workload::CollectiveKind;
  TrainingProgram program;
  program.collectives.emplace_back();
  expectDifferent(with(program),
                  {[](S& s) { training(s).iterations = 2; },
                   [](S& s) { training(s).compute = seconds(1); },
                   [](S& s) { training(s).compute_spread = seconds(1); },
                   [](S& s) { training(s).overlap = true; },
                   [](S& s) { training(s).barrier = true; },
                   [](S& s) { training(s).collectives.clear(); },
                   [](S& s) { collective(s).kind = CollectiveKind::kReduceScatter; },
                   [](S& s) { collective(s).kind = CollectiveKind::kAllGather; },
                   [](S& s) { collective(s).kind = CollectiveKind::kAllToAll; },
                   [](S& s) { collective(s).kind = CollectiveKind::kBroadcast; },
                   [](S& s) { collective(s).algorithm = Algorithm::kTree; },
                   [](S& s) { collective(s).algorithm = Algorithm::kDoubleTree; },
                   [](S& s) { collective(s).algorithm = Algorithm::kHalvingDoubling; },
                   [](S& s) { collective(s).algorithm = Algorithm::kHierarchical; },
                   [](S& s) { collective(s).algorithm = Algorithm::kLinearShift; },
                   [](S& s) { collective(s).algorithm = Algorithm::kXor; },
                   [](S& s) { collective(s).bytes = 1; },
                   [](S& s) { collective(s).element_bytes = 4; },
                   [](S& s) { collective(s).chunk_bytes = 1; },
                   [](S& s) { collective(s).window = 1; },
                   [](S& s) { collective(s).ranks_per_server = 2; },
                   [](S& s) { collective(s).before = seconds(1); },
                   [](S& s) { collective(s).after = seconds(1); }});
}

workload::MoeProgram& moe(WorkloadSpec& spec) {
  return std::get<workload::MoeProgram>(spec.jobs[0].program);
}

TEST(WorkloadJson, EveryFieldOfAMixtureOfExpertsShows) {
  using S = WorkloadSpec;
  using workload::MoeMode;
  using workload::MoeRouting;
  expectDifferent(with(workload::MoeProgram()),
                  {[](S& s) { moe(s).mode = MoeMode::kNormal; },
                   [](S& s) {
                     moe(s).mode = MoeMode::kNormal;
                     moe(s).chunk_tokens = 2;
                   },
                   [](S& s) { moe(s).messages = workload::MoeMessages::kPair; },
                   [](S& s) { moe(s).tokens = 2; },
                   [](S& s) { moe(s).experts = 2; },
                   [](S& s) { moe(s).top_k = 2; },
                   [](S& s) { moe(s).dispatch_bytes = 2; },
                   [](S& s) { moe(s).combine_bytes = 2; },
                   [](S& s) { moe(s).ranks_per_server = 2; },
                   [](S& s) { moe(s).intra_rate = gigabitsPerSecond(2); },
                   [](S& s) { moe(s).layers = 2; },
                   [](S& s) { moe(s).compute = seconds(1); },
                   [](S& s) { moe(s).between = seconds(1); },
                   [](S& s) { moe(s).period = seconds(1); },
                   [](S& s) { moe(s).routing = MoeRouting::kExpertChoice; },
                   [](S& s) { moe(s).routing = MoeRouting::kZipf; },
                   [](S& s) {
                     moe(s).routing = MoeRouting::kZipf;
                     moe(s).zipf_exponent = 2;
                   },
                   [](S& s) { moe(s).routing = MoeRouting::kLognormal; },
                   [](S& s) {
                     moe(s).routing = MoeRouting::kLognormal;
                     moe(s).lognormal_sigma = 2;
                   },
                   [](S& s) { moe(s).routing = MoeRouting::kHot; },
                   [](S& s) {
                     moe(s).routing = MoeRouting::kHot;
                     moe(s).hot_experts = 2;
                   },
                   [](S& s) {
                     moe(s).routing = MoeRouting::kHot;
                     moe(s).hot_share = Fraction::percent(2);
                   },
                   [](S& s) { moe(s).routing = MoeRouting::kAuxLoss; },
                   [](S& s) {
                     moe(s).routing = MoeRouting::kAuxLoss;
                     moe(s).load_cv = Fraction::percent(2);
                   },
                   [](S& s) { moe(s).routing = MoeRouting::kMatrix; },
                   [](S& s) {
                     moe(s).routing = MoeRouting::kMatrix;
                     moe(s).matrix = {1};
                   },
                   [](S& s) { moe(s).capacity = Fraction::percent(125); },
                   [](S& s) { moe(s).placement = workload::ExpertPlacement::kRandom; },
                   [](S& s) { moe(s).redundant = 2; }});
}

MessageProgram& messages(WorkloadSpec& spec) {
  return std::get<MessageProgram>(spec.jobs[0].program);
}

TEST(WorkloadJson, EveryFieldOfMessagesShows) {
  using S = WorkloadSpec;
  using workload::Arrivals;
  using workload::ClosedLoop;
  using workload::OnOff;
  using workload::Pattern;
  expectDifferent(
      with(MessageProgram()),
      {[](S& s) { messages(s).pattern = Pattern::kShift; },
       [](S& s) {
         messages(s).pattern = Pattern::kShift;
         messages(s).shift = 2;
       },
       [](S& s) { messages(s).pattern = Pattern::kRandomPermutation; },
       [](S& s) { messages(s).pattern = Pattern::kIncast; },
       [](S& s) { messages(s).pattern = Pattern::kExplicit; },
       [](S& s) {
         messages(s).pattern = Pattern::kExplicit;
         messages(s).pairs = {{0, 1}};
       },
       [](S& s) { messages(s).bidirectional = true; }, [](S& s) { messages(s).bytes = 1; },
       [](S& s) { messages(s).load = ClosedLoop{2}; }, [](S& s) { messages(s).load = Arrivals{}; },
       [](S& s) {
         messages(s).load = Arrivals{seconds(1), false};
       },
       [](S& s) {
         messages(s).load = Arrivals{seconds(1), true};
       },
       [](S& s) { messages(s).on_off = OnOff{}; },
       [](S& s) {
         messages(s).on_off = OnOff{seconds(1), {}};
       },
       [](S& s) {
         messages(s).on_off = OnOff{{}, seconds(1)};
       },
       [](S& s) { messages(s).phase = seconds(1); }, [](S& s) { messages(s).messages = 1; },
       [](S& s) { messages(s).until = seconds(1); },
       [](S& s) { messages(s).arrival_times = true; }});
}

workload::TraceEntry& entry(WorkloadSpec& spec) {
  return std::get<TraceProgram>(spec.jobs[0].program).entries[1];
}

TEST(WorkloadJson, EveryFieldOfTracesShows) {
  using S = WorkloadSpec;
  expectDifferent(with(TraceProgram{{{}, {}}}),
                  {[](S& s) { std::get<TraceProgram>(s.jobs[0].program).entries.pop_back(); },
                   [](S& s) { entry(s).time = seconds(1); }, [](S& s) { entry(s).from = 1; },
                   [](S& s) { entry(s).to = 1; }, [](S& s) { entry(s).bytes = 1; },
                   [](S& s) { entry(s).tag = 1; }});
}

// Fields that a rule or a pattern does not use must not make trials differ.
TEST(WorkloadJson, LeavesOutWhatHasNoEffect) {
  const WorkloadSpec base = with(MessageProgram());
  WorkloadSpec other = base;
  other.jobs[0].placement.stride = 7;
  other.jobs[0].placement.seed = 7;
  other.jobs[0].placement.hosts_per_leaf = 7;
  other.jobs[0].placement.hosts = {7};
  messages(other).shift = 7;
  messages(other).pairs = {{7, 8}};
  EXPECT_EQ(workloadToJson(other).dump(), workloadToJson(base).dump());
}

}  // namespace
}  // namespace plumbline::bench
