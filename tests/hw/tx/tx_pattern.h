// What a flow does beyond a constant period and one template, written from docs/card.md: its row of
// the pattern table, and the gaps, turns and random ports that follow from it. The reference that
// plumb_tx is compared with.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace plumbline::test {

// One row of a table, least significant word first.
using Row = std::array<std::uint32_t, 16>;

// Writes `value` to bits [low + width - 1 : low] of the row; reads them.
void setBits(Row& row, std::uint32_t low, std::uint32_t width, std::uint64_t value);
std::uint64_t getBits(const Row& row, std::uint32_t low, std::uint32_t width);

struct PatternConfig {
  std::uint32_t gap_mode = 0;  // 1 exponential, 2 list
  bool interleave = false;
  bool count_per_qp = false;
  std::uint32_t list_count = 0;  // of the queue pair list; 0 = none
  std::uint32_t list_base = 0;
  std::uint32_t message_frames = 0;
  std::uint32_t middle_length = 0;
  std::uint32_t last_length = 0;
  std::uint32_t port_seed = 0;
  std::uint32_t gap_count = 0;
  std::uint32_t gap_base = 0;
  std::uint32_t gap_repeat = 0;
  std::uint64_t gap_mean = 0;  // Q43.16 ps
  std::uint64_t gap_seed = 0;

  bool operator==(const PatternConfig&) const = default;
  [[nodiscard]] Row row() const;
};

// An entry of the queue pair list.
struct QpEntry {
  std::uint32_t pair = 0;
  std::uint32_t context = 0;
  std::uint32_t psn_base = 0;

  [[nodiscard]] Row row() const;
};

// The gaps of a flow in order, Q48.16 ps; none for a constant period.
class GapSource {
 public:
  GapSource(const PatternConfig& pattern, const std::vector<std::uint64_t>* gap_list)
      : pattern_(pattern), gap_list_(gap_list), random_(pattern.gap_seed) {}
  std::uint64_t next();

 private:
  PatternConfig pattern_;
  const std::vector<std::uint64_t>* gap_list_;
  std::uint64_t random_;
  std::uint64_t taken_ = 0;
};

// Where frame `number` of a flow stands: which entry of the queue pair list, which part of the
// message (0 first, 1 middle, 2 last).
struct Turn {
  std::uint32_t entry = 0;
  std::uint32_t part = 0;
};
Turn turnOf(const PatternConfig& pattern, std::uint64_t number);

// UDP source ports beyond the first, in order.
class RandomPorts {
 public:
  RandomPorts(std::uint32_t seed, std::uint32_t count) : state_(seed), count_(count) {}
  std::uint32_t next();

 private:
  std::uint32_t state_;
  std::uint64_t count_;
};

}  // namespace plumbline::test
