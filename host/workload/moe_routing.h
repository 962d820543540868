// Selection of experts by the tokens of a layer, and placement of experts. Deterministic by seed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "workload/moe_spec.h"

namespace plumbline::workload {

// Throws Error(kUsage) for a program that is invalid on `ranks` ranks, with the allowed values.
void checkMoe(const MoeProgram& program, std::uint32_t ranks);

// Placement of experts: `experts` + `redundant` slots in an order, divided equally among ranks, the
// first ones having one more if the division has a remainder.
class ExpertMap {
 public:
  // Throws as checkMoe(). `name`: of the job.
  ExpertMap(const MoeProgram& program, std::uint32_t ranks, std::uint64_t seed,
            const std::string& name);

  // The rank that computes `expert` for a token; replicas take tokens in turn.
  [[nodiscard]] std::uint32_t rankOf(std::uint32_t expert, std::uint32_t token) const {
    const std::uint32_t first = first_[expert];
    return ranks_[first + token % (first_[expert + 1] - first)];
  }
  // Ranks with a replica of it.
  [[nodiscard]] std::span<const std::uint32_t> ranksOf(std::uint32_t expert) const {
    return std::span(ranks_).subspan(first_[expert], first_[expert + 1] - first_[expert]);
  }

 private:
  std::vector<std::uint32_t> first_;  // by expert, into ranks_
  std::vector<std::uint32_t> ranks_;
};

// The selections of one layer. Token t of rank r is token r * tokens + t.
struct LayerRouting {
  // By token, index into `experts`; one more after the last token.
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> experts;  // of each token, all different
  std::uint64_t dropped = 0;           // selections beyond the experts' capacity

  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t token) const {
    return std::span(experts).subspan(first[token], first[token + 1] - first[token]);
  }
};

// Of a program that checkMoe() accepts.
LayerRouting routeLayer(const MoeProgram& program, std::uint32_t ranks, std::uint64_t seed,
                        const std::string& name, std::uint32_t layer);

// Most selections of an expert: floor(capacity * tokens * ranks * k / E), at least 1.
std::uint64_t expertCapacity(const MoeProgram& program, std::uint32_t ranks);

}  // namespace plumbline::workload
