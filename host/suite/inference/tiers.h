// Transfer between tiers of memory as a pipeline (I5.4): all legs except the fabric are modelled
// from a rate. Plain arithmetic, no simulation.
#pragma once

#include <string>
#include <vector>

#include "base/units.h"

namespace plumbline::suite {

// A leg of the path: its time for one chunk.
struct TierStage {
  std::string name;
  double chunk_us = 0;
};

// Between a GPU's memory and its NIC, or host memory and a NIC: 54 to 55 GB/s are measured for PCIe
// Gen5 x16 (INFERENCE notes, section 2.1). NVMe SSD, sequential: 7 GB/s written, by data sheets.
inline constexpr double kPcieGigabytes = 55;
inline constexpr double kNvmeWriteGigabytes = 7;

// Time of `chunk` through a leg with this rate in GB/s (10^9 B/s).
double chunkMicroseconds(Bytes chunk, double gigabytes_per_second);

// Chunks follow each other through the stages, each stage handling one at a time. A last part of a
// chunk takes that part of each stage's time. Stages: at least one; chunks: at least 1.
double pipelineMicroseconds(const std::vector<TierStage>& stages, double chunks);
// Payload per second of an endless sequence of chunks [GB/s]: the rate of the slowest stage.
double pipelineGigabytes(const std::vector<TierStage>& stages, Bytes chunk);

}  // namespace plumbline::suite
