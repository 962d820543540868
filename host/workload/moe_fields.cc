// The fields of a mixture of experts. How they act: docs/model/moe.md.
#include "spec/declare.h"
#include "workload/spec_fields.h"

namespace plumbline::spec {
namespace {

using workload::ExpertPlacement;
using workload::MoeMessages;
using workload::MoeMode;
using workload::MoeProgram;
using workload::MoeRouting;

constexpr std::uint32_t kMaxExperts = 4'096;
constexpr std::uint32_t kMaxTokens = 1U << 20;
constexpr std::uint32_t kMaxLayers = 100'000;
constexpr std::uint64_t kMaxTokenBytes = 1U << 30;
constexpr const char* kDeepEp = "DeepEP, docs/legacy.md and tests/legacy";

template <MoeRouting kRouting>
bool isRouted(const MoeProgram& moe) {
  return moe.routing == kRouting;
}
bool isNormal(const MoeProgram& moe) { return moe.mode == MoeMode::kNormal; }
bool isLowLatency(const MoeProgram& moe) { return !isNormal(moe); }

}  // namespace

template <>
const Fields& fieldsOf<MoeProgram>() {
  using M = MoeProgram;
  static const Fields kFields{
      field<&M::mode>("mode",
                      "`normal`: a copy of a token to each other server, to the rank of the same "
                      "rail; `low-latency`: one for each selection, straight to its expert's rank")
          .word("low-latency", MoeMode::kLowLatency)
          .word("normal", MoeMode::kNormal)
          .selecting()
          .from(kDeepEp),
      field<&M::messages>("messages", "One for each token and expert, or for each pair of ranks")
          .word("token", MoeMessages::kToken)
          .word("pair", MoeMessages::kPair)
          .onlyIf("mode: low-latency", isLowLatency),
      field<&M::chunk_tokens>("chunk_tokens", "Maximum number of token copies in a message")
          .in(1, kMaxTokens)
          .onlyIf("mode: normal", isNormal)
          .from(kDeepEp),
      field<&M::tokens>("tokens", "Tokens of a rank in every layer (B)")
          .in(1, kMaxTokens)
          .from("inference draft, 7.1"),
      field<&M::experts>("experts", "E; at least one for each rank, replicas included")
          .in(1, kMaxExperts)
          .from("inference draft, 7.1"),
      field<&M::top_k>("top_k", "Experts that a token selects: k")
          .in(1, kMaxExperts)
          .from("inference draft, 7.1"),
      field<&M::dispatch_bytes>("dispatch", "Bytes of a token to an expert")
          .as("dispatch_bytes")
          .size()
          .storedAs("dispatch_bytes")
          .in(1, kMaxTokenBytes)
          .from(kDeepEp),
      field<&M::combine_bytes>("combine", "Bytes of an expert's result; 0: no combine")
          .as("combine_bytes")
          .size()
          .storedAs("combine_bytes")
          .in(0, kMaxTokenBytes)
          .from(kDeepEp),
      field<&M::ranks_per_server>(
          "ranks_per_server",
          "Number of consecutive ranks of a server; they send each other nothing over the fabric")
          .in(1, kMaxExperts),
      field<&M::intra_rate>(
          "intra_rate",
          "Rate of a rank inside its server, one way; gives the modelled time inside servers")
          .atLeast(BitRate(1'000'000)),
      field<&M::layers>("layers", "Of dispatch, `compute` and combine").in(1, kMaxLayers),
      field<&M::compute>("compute", "Of a rank, between its dispatch and its combine"),
      field<&M::between>("between", "Of a rank, between its combine and its next dispatch"),
      field<&M::period>("period", "Minimum time between the scheduled begins of two layers"),
      field<&M::routing>("routing", "How tokens select experts")
          .word("uniform", MoeRouting::kUniform)
          .word("zipf", MoeRouting::kZipf)
          .word("lognormal", MoeRouting::kLognormal)
          .word("k-hot", MoeRouting::kHot)
          .word("expert-choice", MoeRouting::kExpertChoice)
          .word("aux-loss", MoeRouting::kAuxLoss)
          .word("matrix", MoeRouting::kMatrix)
          .selecting()
          .from("inference draft, table 8"),
      field<&M::zipf_exponent>("zipf_exponent", "Expert e has weight (e + 1)^-exponent")
          .in(0, 10)
          .onlyIf("routing: zipf", isRouted<MoeRouting::kZipf>),
      field<&M::lognormal_sigma>("lognormal_sigma",
                                 "Groups of experts, as many as ranks, have lognormal weights")
          .in(0, 5)
          .onlyIf("routing: lognormal", isRouted<MoeRouting::kLognormal>)
          .from("DeepEP, pull request 393"),
      field<&M::hot_experts>("hot_experts", "The first ones")
          .in(1, kMaxExperts)
          .onlyIf("routing: k-hot", isRouted<MoeRouting::kHot>),
      field<&M::hot_share>("hot_share",
                           "Share of the total weight that all hot experts have together")
          .in(Fraction::percent(1), Fraction::percent(99))
          .onlyIf("routing: k-hot", isRouted<MoeRouting::kHot>),
      field<&M::load_cv>("load_cv", "Coefficient of variation of the experts' loads at most")
          .in(Fraction(), Fraction::percent(100))
          .onlyIf("routing: aux-loss", isRouted<MoeRouting::kAuxLoss>),
      field<&M::matrix>("", "Selections by rank and expert")
          .as("matrix")
          .repeatable()
          .storedIf(isRouted<MoeRouting::kMatrix>),
      field<&M::capacity>("capacity",
                          "Capacity of an expert, in multiples of the mean number of selections; "
                          "further selections are dropped; 0: no limit")
          .factor()
          .in(Fraction(), Fraction::percent(100'000))
          .from("inference draft, table 8"),
      field<&M::placement>("expert_placement",
                           "Placement of experts on ranks: in order, or at random")
          .word("contiguous", ExpertPlacement::kContiguous)
          .word("random", ExpertPlacement::kRandom),
      field<&M::redundant>("redundant", "Replicas of the experts with the most weight")
          .in(0, kMaxExperts),
  };
  return kFields;
}

}  // namespace plumbline::spec

namespace plumbline::workload {

std::string moeRoutingName(MoeRouting routing) {
  const auto value = static_cast<Int128>(static_cast<std::int64_t>(routing));
  return spec::wordOf(spec::fieldNamed(spec::fieldsOf<MoeProgram>(), "routing"), value)->name;
}

}  // namespace plumbline::workload
