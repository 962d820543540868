#include "serving/step_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace plumbline::serving {
namespace {

constexpr double kPicosecondsPerSecond = 1e12;
constexpr double kMaxSeconds = 1e6;  // of a step

// Weights that a step of `tokens` tokens reads, as parameters: on each of `ranks` that share the
// routed experts, and compute as many tokens each.
double parametersRead(const ModelProfile& model, double tokens, double ranks) {
  double read = model.params_dense + model.params_head;
  if (model.experts == 0) return read;
  const double miss = 1.0 - static_cast<double>(model.top_k) / model.experts;
  const double hit = model.experts / ranks * (1.0 - std::pow(miss, tokens * ranks));
  read += model.params_expert * model.moe_layers * (hit + model.shared_experts);
  return read;
}

double bytesRead(const ModelProfile& model, const StepLoad& load, double ranks) {
  const double weights =
      parametersRead(model, static_cast<double>(load.tokens), ranks) * model.weight_bits / 8;
  return weights + static_cast<double>(kvBytesPerToken(model)) *
                       static_cast<double>(load.context + load.tokens);
}

double peakOf(const ModelProfile& model, const AcceleratorProfile& accelerator) {
  return model.weight_bits <= 8 ? accelerator.flops_8 : accelerator.flops_16;
}

// Adds the parts to the total.
StepTime summed(StepTime time, const Efficiency& efficiency, const StepLoad& load) {
  const double sum = std::max(time.compute, time.memory) + time.parallel;
  if (!(sum <= kMaxSeconds)) {
    throw Error(ErrorKind::kUsage, fmt::format("a step of {} tokens takes {} s", load.tokens, sum),
                "model", fmt::format("at most {} s", kMaxSeconds));
  }
  time.total = efficiency.step + Picoseconds(std::llround(sum * kPicosecondsPerSecond));
  return time;
}

}  // namespace

double stepFlops(const ModelProfile& model, const StepLoad& load) {
  const double width = static_cast<double>(model.heads) * model.head_dim;
  return 2 * activeParameters(model) * static_cast<double>(load.tokens) +
         2 * model.params_head * static_cast<double>(load.sequences) +
         2.0 * model.layers * width * static_cast<double>(load.pairs_2);
}

double stepBytes(const ModelProfile& model, const StepLoad& load) {
  return bytesRead(model, load, 1);
}

StepTime rooflineStep(const ModelProfile& model, const AcceleratorProfile& accelerator,
                      const Efficiency& efficiency, std::uint32_t tp, const StepLoad& load) {
  StepTime time;
  time.compute = stepFlops(model, load) / (tp * peakOf(model, accelerator) * efficiency.flops);
  time.memory = stepBytes(model, load) / (tp * accelerator.memory_bw * efficiency.memory);
  if (tp > 1) {
    const double exchanged =
        2.0 * (tp - 1) / tp * static_cast<double>(load.tokens) * model.hidden * model.act_bits / 8;
    time.parallel =
        2.0 * model.layers *
        (efficiency.allreduce.toSeconds() + exchanged / (accelerator.nvlink * efficiency.link));
  }
  return summed(time, efficiency, load);
}

StepTime expertStep(const ModelProfile& model, const AcceleratorProfile& accelerator,
                    const Efficiency& efficiency, std::uint32_t ranks, const StepLoad& load) {
  StepTime time;
  time.compute = stepFlops(model, load) / (peakOf(model, accelerator) * efficiency.flops);
  time.memory = bytesRead(model, load, ranks) / (accelerator.memory_bw * efficiency.memory);
  return summed(time, efficiency, load);
}

double expertRankBytes(const ModelProfile& model, std::uint32_t ranks) {
  const double experts = static_cast<double>(model.experts) / ranks + model.shared_experts;
  return (model.params_dense + model.params_head + model.params_embedding +
          model.params_expert * model.moe_layers * experts) *
         model.weight_bits / 8;
}

}  // namespace plumbline::serving
