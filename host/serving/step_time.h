// Time of one step (one forward pass of a batch): by roofline, or by a measured table.
//
// Roofline, of a worker of TP accelerators (N active parameters, p weight bytes):
//   T  = c0 + max(F / (TP * peak * eF), M / (TP * BW * eB)) + T_tp
//   F  = 2 N sum(n) + 2 head * sequences + 4 layers * heads * head_dim * sum(n (c + (n + 1) / 2))
//   M  = weights that sum(n) tokens read + KV bytes per token * sum(c + n)
//   T_tp = 2 layers (allreduce + 2 (TP-1)/TP * sum(n) * hidden * act / (NVLink * eN)), 0 for TP = 1
// over the sequences of the batch, n new tokens after c cached ones. Experts read by b tokens:
// experts * (1 - (1 - k/E)^b) of each MoE layer, routing uniform. Floating point: identical on
// machines with the same pow().
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "base/text_lines.h"
#include "base/units.h"
#include "serving/accelerator_profile.h"
#include "serving/model_profile.h"

namespace plumbline::serving {

// Work of a step, as sums over its sequences.
struct StepLoad {
  std::uint64_t sequences = 0;
  std::uint64_t tokens = 0;   // sum of n
  std::uint64_t context = 0;  // sum of c
  std::uint64_t pairs_2 = 0;  // twice the query-key pairs: sum of n (2 c + n + 1)

  // Adds `count` equal sequences.
  void add(std::uint64_t new_tokens, std::uint64_t cached, std::uint64_t alike = 1) {
    sequences += alike;
    tokens += alike * new_tokens;
    context += alike * cached;
    pairs_2 += alike * new_tokens * (2 * cached + new_tokens + 1);
  }
  [[nodiscard]] bool empty() const { return sequences == 0; }
};

// Time and components of a step [s]. The parts add up to the total except for rounding.
struct StepTime {
  Picoseconds total;
  double compute = 0;         // F / (TP * peak * eF); hidden behind `memory` if smaller
  double memory = 0;          // M / (TP * BW * eB); hidden behind `compute` if smaller
  double parallel = 0;        // T_tp
  bool extrapolated = false;  // more than 10 % outside a table
};

double stepFlops(const ModelProfile& model, const StepLoad& load);
double stepBytes(const ModelProfile& model, const StepLoad& load);

// Step times by the roofline. `tp` 1 or more; all profiles have passed check(). Throws
// Error(kUsage) for a step of more than 10^6 s.
StepTime rooflineStep(const ModelProfile& model, const AcceleratorProfile& accelerator,
                      const Efficiency& efficiency, std::uint32_t tp, const StepLoad& load);

// A decode step of one rank of an expert-parallel group: `ranks` accelerators, each of which has
// its own attention and all other parts except routed experts (data parallel), and its share of the
// experts. `load` is of one rank, equal on all ranks:
//   T = c0 + max(F / (peak * eF), M / (BW * eB)),
// F of the rank's tokens, M with the experts of the rank that the tokens of all ranks read, E /
// ranks * (1 - (1 - k/E)^(ranks * sum(n))) of each MoE layer. Without the messages between ranks.
// Throws as rooflineStep().
StepTime expertStep(const ModelProfile& model, const AcceleratorProfile& accelerator,
                    const Efficiency& efficiency, std::uint32_t ranks, const StepLoad& load);

// Bytes of weights that a rank of such a group has.
double expertRankBytes(const ModelProfile& model, std::uint32_t ranks);

// Measured step times of one worker, whatever its TP. Text, one measurement per line:
//   phase,batch,tokens,context,ms
//   prefill,1,512,0,54.1
//   decode,8,8,4096,16.2
// phase `prefill`: `tokens` new tokens in the step, `batch` is 1; phase `decode`: one new token for
// each of `batch` sequences, so `tokens` equals `batch`. `context` is the mean number of cached
// tokens per sequence. The lines of a phase fill a grid: every number of tokens with every context.
// Lines may be in any order; base/text_fields.h defines what is skipped.
class StepTable {
 public:
  // Throws Error(kUsage) with file:line:column for a bad line, and file:line for a bad grid.
  // Sets `extent`, if given.
  static StepTable parse(std::istream& text, const std::string& file, TextExtent* extent = nullptr);

  // Bilinear in tokens and mean context. Outside the grid the outermost cell is extrapolated, but
  // not below half of the nearest measurement; more than 10 % outside is marked as extrapolated. A
  // grid with one value along an axis is constant along it. A phase without lines: Error(kUsage).
  [[nodiscard]] StepTime prefill(const StepLoad& load) const {
    return of(prefill_, "prefill", load);
  }
  [[nodiscard]] StepTime decode(const StepLoad& load) const { return of(decode_, "decode", load); }
  // Of its contents: equal tables have equal hashes.
  [[nodiscard]] std::uint64_t hash() const;

 private:
  struct Grid {
    std::vector<double> tokens;   // ascending
    std::vector<double> context;  // ascending
    std::vector<double> ms;       // [tokens][context]
  };
  friend class StepTableParser;
  static StepTime of(const Grid& grid, const char* phase, const StepLoad& load);

  Grid prefill_;
  Grid decode_;
};

}  // namespace plumbline::serving
