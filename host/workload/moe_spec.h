// Dispatch and combine of a mixture of experts among the ranks of one job, as plain data.
// Equations and sources: docs/model/moe.md.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace plumbline::workload {

// How tokens select experts.
enum class MoeRouting : std::uint8_t {
  kUniform,       // `top_k` different experts, all equally likely
  kZipf,          // as kUniform, expert e with weight (e + 1)^-exponent
  kLognormal,     // as kUniform, groups of experts with lognormal weights
  kHot,           // as kUniform, the first `hot_experts` have `hot_share` of the weight
  kExpertChoice,  // every expert selects the same number of tokens
  kAuxLoss,       // kUniform, balanced until the load's CV is at most `load_cv`
  kMatrix,        // `matrix`: selections by rank and expert
};

// Paths of tokens.
enum class MoeMode : std::uint8_t {
  kNormal,      // a copy to each other server, to the rank of the same rail there, in chunks
  kLowLatency,  // a copy for each selection, straight to the rank that has the expert
};

// Messages of MoeMode::kLowLatency.
enum class MoeMessages : std::uint8_t {
  kToken,  // one for each token and expert
  kPair,   // one for each pair of ranks
};

enum class ExpertPlacement : std::uint8_t {
  kContiguous,  // in their order, equally many on each rank
  kRandom,      // in an order drawn with the workload's seed
};

// `layers` times: dispatch, compute, combine. Ranks r with the same r / ranks_per_server are in one
// server; messages between them do not cross the fabric.
struct MoeProgram {
  MoeMode mode = MoeMode::kLowLatency;
  MoeMessages messages = MoeMessages::kToken;
  std::uint32_t chunk_tokens = 32;      // kNormal: most copies in a message
  std::uint32_t tokens = 128;           // of a rank, in every layer
  std::uint32_t experts = 256;          // E
  std::uint32_t top_k = 8;              // k
  std::uint64_t dispatch_bytes = 7408;  // of a copy of a token: FP8 of 7168, scales, index
  std::uint64_t combine_bytes = 14336;  // of a result: BF16 of 7168; 0: no combine
  std::uint32_t ranks_per_server = 8;
  BitRate intra_rate = gigabitsPerSecond(3600);  // of a rank inside its server, one way

  std::uint32_t layers = 1;
  Picoseconds compute{};  // of a rank, between its dispatch and its combine
  Picoseconds between{};  // of a rank, between its combine and its next dispatch
  // Layer l begins `period` * l after the job's start, or when the rank is ready, if that is later.
  Picoseconds period{};

  MoeRouting routing = MoeRouting::kUniform;
  double zipf_exponent = 1;                    // kZipf
  double lognormal_sigma = 1;                  // kLognormal
  std::uint32_t hot_experts = 32;              // kHot
  Fraction hot_share = Fraction::percent(90);  // kHot
  Fraction load_cv = Fraction::percent(5);     // kAuxLoss
  std::vector<std::uint32_t> matrix;           // kMatrix: rank by rank, `experts` numbers each
  // An expert takes at most capacity * tokens * ranks * k / E selections of a layer, the rest is
  // dropped; 0: no limit.
  Fraction capacity;

  ExpertPlacement placement = ExpertPlacement::kContiguous;
  std::uint32_t redundant = 0;  // additional replicas; each expert also has its own place
};

}  // namespace plumbline::workload
