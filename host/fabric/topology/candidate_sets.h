// Numbers the sets of candidates that a switch meets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// Gives equal sets the same number, from 0 in the order of first appearance. The number depends
// only on the links of a set; the address of a span only makes a known set cheap to find.
class CandidateSets {
 public:
  // The memory behind `candidates` must not change as long as this object lives.
  std::uint32_t numberOf(std::span<const LinkId> candidates) {
    if (candidates.data() != last_data_ || candidates.size() != last_size_) find(candidates);
    return last_number_;
  }

 private:
  void find(std::span<const LinkId> candidates);

  const LinkId* last_data_ = nullptr;
  std::size_t last_size_ = 0;
  std::uint32_t last_number_ = 0;
  std::unordered_map<const LinkId*, std::pair<std::size_t, std::uint32_t>> by_address_;
  std::map<std::vector<LinkId>, std::uint32_t> by_content_;
};

}  // namespace plumbline::fabric
