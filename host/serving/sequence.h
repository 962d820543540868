// A request in the schedulers: without the length of its answer.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "serving/kv_cache.h"

namespace plumbline::serving {

struct Sequence {
  std::uint32_t slot = 0;  // of the model
  Picoseconds arrival;
  std::uint64_t number = 0;           // in the order of arrival
  std::uint32_t prompt = 0;           // tokens
  std::uint32_t generated = 0;        // tokens so far
  std::vector<std::uint64_t> hashes;  // of the prompt's pages that can be shared

  // Prefill.
  // Tokens to compute: the prompt; after a preemption including the answer.
  std::uint32_t target = 0;
  std::uint32_t computed = 0;  // of them, including those found in the cache
  std::uint32_t prefill_group = 0;
  KvCache::Pages prefill_pages;

  // Decode.
  std::uint32_t decode_group = 0;
  KvCache::Pages decode_pages;
  bool swapped = false;  // its KV cache is in the host's memory

  // Later arrivals are preempted first.
  [[nodiscard]] bool laterThan(const Sequence& other) const { return number > other.number; }
};

constexpr std::uint64_t pagesFor(std::uint64_t tokens, std::uint32_t page) {
  return (tokens + page - 1) / page;
}

}  // namespace plumbline::serving
