// Definitions of the figures of collective and training tests. Pure functions; sizes in bytes,
// rates in bit/s, times in seconds.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "workload/workload_spec.h"

namespace plumbline::workload {

// algo_factor of the companion terminology draft, as nccl-tests: AllReduce 2(n-1)/n, AllGather,
// ReduceScatter and AlltoAll (n-1)/n, Broadcast 1. `ranks` >= 1.
double algoFactor(CollectiveKind kind, std::uint32_t ranks);

// S / t [bit/s] (nccl-tests' algbw, in bits). `time` above zero.
double algorithmBandwidth(std::uint64_t bytes, Picoseconds time);
// algbw * algo_factor [bit/s]: the rate at which a NIC would have to send in the best schedule.
double busBandwidth(CollectiveKind kind, std::uint32_t ranks, std::uint64_t bytes,
                    Picoseconds time);
// What a rank sends over the fabric [B]: S * algo_factor, and in a hierarchical collective the ring
// of its rail alone, S / ranks_per_server among the servers.
double fabricBytes(const CollectiveSpec& spec, std::uint32_t ranks);
// S * algo_factor at `rate`: t_ideal [s].
double idealSeconds(CollectiveKind kind, std::uint32_t ranks, std::uint64_t bytes, BitRate rate);

// The roofline of the terminology draft: iterations * (C + 8 S algo_factor / B) [s], B the sum of
// an accelerator's NIC rates.
double rooflineSeconds(std::uint32_t iterations, Picoseconds compute, CollectiveKind kind,
                       std::uint32_t ranks, std::uint64_t bytes, BitRate accelerator_rate);
// Measured / roofline. `roofline_seconds` above zero.
double jctRatio(Picoseconds measured, double roofline_seconds);
// 1 - (JCT - C_total) / communication time: 1 when all communication hides behind computing, 0 when
// none does. `communication` above zero.
double overlapFraction(Picoseconds jct, Picoseconds compute_total, Picoseconds communication);
// Contended / baseline JCT. `baseline` above zero.
double interferenceFactor(Picoseconds contended, Picoseconds baseline);

}  // namespace plumbline::workload
