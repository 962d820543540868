// What a row of table rx_flow must hold, by the definition of its fields. The set of arrived
// sequence numbers is complete; the window only decides what is stale.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>

#include "tests/hw/rx/rx_bench.h"

namespace plumbline::test {

class ReferenceRow {
 public:
  void receive(std::uint64_t sequence, std::uint32_t length, bool ce, bool trimmed = false) {
    constexpr std::uint64_t kWindow = 128;
    constexpr std::uint64_t kLostMask = 0xFFFFFFFFFFFF;
    ++row_.frames;
    row_.bytes += length;
    row_.ce += ce ? 1 : 0;
    row_.trimmed += trimmed ? 1 : 0;
    if (sequence >= row_.next_sequence) {
      row_.lost = (row_.lost + (sequence - row_.next_sequence)) & kLostMask;
      row_.next_sequence = sequence + 1;
      arrived_.insert(sequence);
    } else if (row_.next_sequence - sequence > kWindow) {
      ++row_.stale;
    } else if (!arrived_.insert(sequence).second) {
      ++row_.duplicate;
    } else {
      ++row_.out_of_order;
      row_.lost = (row_.lost - 1) & kLostMask;
      row_.reorder_depth = std::max(row_.reorder_depth, *arrived_.rbegin() - sequence);
    }
  }
  [[nodiscard]] const FlowRow& row() const { return row_; }

 private:
  FlowRow row_;
  std::set<std::uint64_t> arrived_;
};

}  // namespace plumbline::test
