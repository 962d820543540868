// Decode steps of an expert-parallel group as a job of the workload, for I10.2: each layer
// computes, dispatches, computes, combines. docs/methods/I10.2.md has the equations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "serving/step_time.h"
#include "suite/framework/fabric_procedure.h"

namespace plumbline::suite {

// Other load on the fabric beside the group.
struct DecodeLoad {
  const char* name;
  Fraction background;  // of a NIC's rate
  bool experts;         // of a second group
};
// The group, and the time of one step without the fabric.
struct DecodeGroup {
  serving::ModelProfile model;
  serving::AcceleratorProfile accelerator;
  serving::Efficiency efficiency;
  std::uint32_t ranks = 0;
  std::uint32_t batch = 0;   // sequences of a rank
  std::uint32_t layers = 0;  // MoE layers that are simulated
  std::uint32_t context = 0;
  Picoseconds step;   // T_step of all layers
  Picoseconds layer;  // T_layer = T_step / MoE layers
  std::uint64_t token_bytes = 0;

  // Of a simulated step: computation, and the overhead of its kernels.
  [[nodiscard]] Picoseconds compute() const { return layer * std::int64_t{layers}; }
};

// The group of the scenario, or the profile's. For a dense model only the model, ranks and batch.
DecodeGroup decodeGroup(const TestConfig& config, Numbers& numbers);
// Why it cannot generate answers of `tokens` tokens; nothing if it can.
std::optional<std::string> decodeGroupRefusal(const TestConfig& config, const DecodeGroup& group,
                                              std::uint32_t tokens);
// A trial whose job 0 is the group's steps for `tokens` tokens, with which it ends. The load beside
// it is background.
bench::TrialSpec decodeTrial(const TestConfig& config, const DecodeGroup& group,
                             std::uint32_t tokens, const DecodeLoad& load);
// Approximate number of packets that cross a link in it, with traffic as on an idle fabric.
double decodeHops(const TestConfig& config, const DecodeGroup& group, std::uint32_t tokens,
                  bench::TrialSpec spec);
// Gaps between tokens [s].
std::vector<double> tokenGaps(const DecodeGroup& group, const bench::TrialResult& trial);
// Tokens that came after the end of the background or of the second group's dispatches.
std::size_t tokensAfterLoad(const DecodeGroup& group, const bench::TrialSpec& spec,
                            const bench::TrialResult& trial);

}  // namespace plumbline::suite
