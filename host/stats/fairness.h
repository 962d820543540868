// How evenly links, or flows, share a load.
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

// Nothing when there are no loads or all are zero: no load is neither shared fairly nor unfairly.
std::optional<Fairness> fairness(std::span<const std::uint64_t> loads);

}  // namespace plumbline::stats
