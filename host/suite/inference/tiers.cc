#include "suite/inference/tiers.h"

#include <algorithm>

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

double pipelineMicroseconds(const std::vector<TierStage>& stages, std::int64_t chunks) {
  double first = 0;
  for (const TierStage& stage : stages) first += stage.chunk_us;
  return first + static_cast<double>(chunks - 1) * slowestChunk(stages);
}

double pipelineGigabytes(const std::vector<TierStage>& stages, Bytes chunk) {
  return static_cast<double>(chunk.count()) / slowestChunk(stages) / 1e3;
}

}  // namespace plumbline::suite
