// Evenness of a load over links or flows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace plumbline::stats {

// Fairness over `loads` (bytes, packets or flows per link; links without load count).
struct Fairness {
  // Jain's fairness index (sum x)^2 / (N * sum x^2): 1/N when one takes all, 1 when all are equal.
  double jfi = 1;
  // Max-mean ratio, largest load / mean load: 1 when all are equal, N when one takes all.
  double mmr = 1;
};

// Nothing without loads or if all are zero, for which fairness is undefined.
std::optional<Fairness> fairness(std::span<const std::uint64_t> loads);

}  // namespace plumbline::stats
