// The legs of a transfer between tiers of memory as a pipeline (I5.4): all but the fabric are
// modelled from a rate. No simulation; plain arithmetic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace plumbline::suite {

// A leg of the way: how long it takes for one chunk.
struct TierStage {
  std::string name;
  double chunk_us = 0;
};

// Between a GPU's memory and its NIC, or host memory and a NIC: 54 to 55 GB/s are measured of PCIe
// Gen5 x16 (INFERENCE notes, section 2.1). NVMe SSD, sequential: 7 GB/s written, by data sheets.
inline constexpr double kPcieGigabytes = 55;
inline constexpr double kNvmeWriteGigabytes = 7;

// `chunk` through a leg of so many GB/s (10^9 B/s).
double chunkMicroseconds(Bytes chunk, double gigabytes_per_second);

// Chunks follow each other through the stages, each stage one at a time: the first one's way, and
// the slowest stage for every other one. Stages and chunks: at least one.
double pipelineMicroseconds(const std::vector<TierStage>& stages, std::int64_t chunks);
// Payload per second when chunks follow without end [GB/s]: what the slowest stage does.
double pipelineGigabytes(const std::vector<TierStage>& stages, Bytes chunk);

}  // namespace plumbline::suite
