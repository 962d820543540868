#include "suite/inference/tiers.h"

#include <algorithm>
#include <cmath>

namespace plumbline::suite {
namespace {

double slowestChunk(const std::vector<TierStage>& stages) {
  double max = 0;
  for (const TierStage& stage : stages) max = std::max(max, stage.chunk_us);
  return max;
}

}  // namespace

double chunkMicroseconds(Bytes chunk, double gigabytes_per_second) {
  return static_cast<double>(chunk.count()) / gigabytes_per_second / 1e3;
}

double pipelineMicroseconds(const std::vector<TierStage>& stages, double chunks) {
  const double before_last = std::ceil(chunks) - 1;
  const double last = chunks - before_last;
  double first_done = 0;  // of the first chunk, at the stage
  double last_done = 0;
  double slowest = 0;  // so far
  for (const TierStage& stage : stages) {
    first_done += stage.chunk_us;
    slowest = std::max(slowest, stage.chunk_us);
    const double free = before_last > 0 ? first_done + (before_last - 1) * slowest : 0;
    last_done = std::max(last_done, free) + last * stage.chunk_us;
  }
  return last_done;
}

double pipelineGigabytes(const std::vector<TierStage>& stages, Bytes chunk) {
  return static_cast<double>(chunk.count()) / slowestChunk(stages) / 1e3;
}

}  // namespace plumbline::suite
