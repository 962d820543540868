#include "workload/formulas.h"

namespace plumbline::workload {
namespace {

double ratio(Picoseconds a, Picoseconds b) {
  return static_cast<double>(a.count()) / static_cast<double>(b.count());
}

}  // namespace

double algoFactor(CollectiveKind kind, std::uint32_t ranks) {
  const double others = static_cast<double>(ranks - 1) / ranks;
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return 2 * others;
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllGather:
    case CollectiveKind::kAllToAll:
      return others;
    case CollectiveKind::kBroadcast:
      break;
  }
  return 1;
}

double algorithmBandwidth(std::uint64_t bytes, Picoseconds time) {
  return 8 * static_cast<double>(bytes) / time.toSeconds();
}

double busBandwidth(CollectiveKind kind, std::uint32_t ranks, std::uint64_t bytes,
                    Picoseconds time) {
  return algorithmBandwidth(bytes, time) * algoFactor(kind, ranks);
}

double fabricBytes(const CollectiveSpec& spec, std::uint32_t ranks) {
  const std::uint32_t rails =
      spec.algorithm == Algorithm::kHierarchical ? spec.ranks_per_server : 1;
  return static_cast<double>(spec.bytes) / rails * algoFactor(spec.kind, ranks / rails);
}

double idealSeconds(CollectiveKind kind, std::uint32_t ranks, std::uint64_t bytes, BitRate rate) {
  return 8 * static_cast<double>(bytes) * algoFactor(kind, ranks) /
         static_cast<double>(rate.bitsPerSecond());
}

double rooflineSeconds(std::uint32_t iterations, Picoseconds compute, CollectiveKind kind,
                       std::uint32_t ranks, std::uint64_t bytes, BitRate accelerator_rate) {
  return iterations * (compute.toSeconds() + idealSeconds(kind, ranks, bytes, accelerator_rate));
}

double jctRatio(Picoseconds measured, double roofline_seconds) {
  return measured.toSeconds() / roofline_seconds;
}

double overlapFraction(Picoseconds jct, Picoseconds compute_total, Picoseconds communication) {
  return 1 - ratio(jct - compute_total, communication);
}

double interferenceFactor(Picoseconds contended, Picoseconds baseline) {
  return ratio(contended, baseline);
}

}  // namespace plumbline::workload
