// The schedule heap against std::priority_queue.
#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <array>
#include <compare>
#include <memory>
#include <queue>
#include <set>
#include <vector>

#include "Vplumb_tx_heap.h"
#include "base/random.h"

namespace plumbline::test {
namespace {

constexpr std::uint32_t kRows = 256;

// An entry as the heap orders it.
struct Entry {
  bool invalid = true;
  unsigned __int128 due = 0;  // 80 bits
  std::uint32_t flow = 0;

  // As one number: the order of the heap.
  [[nodiscard]] unsigned __int128 word() const {
    return static_cast<unsigned __int128>(invalid) << 88 | due << 8 | flow;
  }
  bool operator==(const Entry& other) const { return word() == other.word(); }
  std::strong_ordering operator<=>(const Entry& other) const { return word() <=> other.word(); }
};

std::array<std::uint32_t, 3> pack(const Entry& entry) {
  const unsigned __int128 word = entry.word();
  return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32),
          static_cast<std::uint32_t>(word >> 64)};
}

template <typename Words>
Entry unpack(const Words& words) {
  const unsigned __int128 word = static_cast<unsigned __int128>(words[2]) << 64 |
                                 static_cast<unsigned __int128>(words[1]) << 32 | words[0];
  return {.invalid = (word >> 88 & 1) != 0,
          .due = word >> 8 & ((static_cast<unsigned __int128>(1) << 80) - 1),
          .flow = static_cast<std::uint32_t>(word & 0xFF)};
}

class TxHeap : public testing::Test {
 protected:
  TxHeap() {
    heap_->rst_ni = 1;
    heap_->eval();
    heap_->rst_ni = 0;
    clock();
    heap_->rst_ni = 1;
    sweep();
  }
  ~TxHeap() override { heap_->final(); }

  void clock() {
    heap_->clk_i = 0;
    heap_->eval();
    heap_->clk_i = 1;
    heap_->eval();
  }

  void sweep() {
    heap_->sweep_i = 1;
    for (std::uint32_t quad = 0; quad < kRows / 4; ++quad) {
      heap_->sweep_quad_i = quad;
      clock();
    }
    heap_->sweep_i = 0;
  }

  void write(std::uint32_t row, const Entry& entry) {
    heap_->tbl_we_i = 1;
    heap_->tbl_row_i = row;
    std::ranges::copy(pack(entry), heap_->tbl_entry_i.data());
    clock();
    heap_->tbl_we_i = 0;
  }

  Entry read(std::uint32_t row) {
    heap_->tbl_re_i = 1;
    heap_->tbl_row_i = row;
    clock();
    heap_->tbl_re_i = 0;
    heap_->eval();
    return unpack(heap_->tbl_entry_o);
  }

  Entry root() { return unpack(heap_->root_o); }

  // Replaces the root. Follows which flow stands at the root and its children by what the heap
  // says, and leaves one clock after the replacement.
  void replace(const Entry& entry) {
    heap_->replace_i = 1;
    std::ranges::copy(pack(entry), heap_->entry_i.data());
    heap_->clk_i = 0;
    heap_->eval();
    EXPECT_FALSE(heap_->take_left_o && heap_->take_right_o);
    const bool left = heap_->take_left_o != 0;
    const bool right = heap_->take_right_o != 0;
    top_[0] = left ? top_[1] : right ? top_[2] : entry.flow;
    heap_->clk_i = 1;
    heap_->eval();
    heap_->replace_i = 0;
    heap_->eval();
    EXPECT_EQ(heap_->refill_o != 0, left || right);
    if (heap_->refill_o != 0) {
      EXPECT_EQ(heap_->refill_right_o != 0, right);
      top_[right ? 2 : 1] = heap_->refill_flow_o;
    }
    clock();
  }

  void settle() {
    for (int i = 0; i < 20 && heap_->busy_o != 0; ++i) clock();
    ASSERT_EQ(heap_->busy_o, 0);
  }

  // The rows must hold exactly `entries`, in heap order.
  void expectRows(const std::multiset<Entry>& entries) {
    settle();
    std::vector<Entry> rows;
    for (std::uint32_t row = 0; row < kRows; ++row) rows.push_back(read(row));
    for (std::uint32_t row = 1; row < kRows; ++row) {
      ASSERT_LE(rows[(row - 1) / 2], rows[row]) << "row " << row;
    }
    std::multiset<Entry> valid;
    for (const Entry& entry : rows) {
      if (!entry.invalid) valid.insert(entry);
    }
    ASSERT_EQ(valid, entries);
    for (std::uint32_t row = 0; row < 3; ++row) {
      if (rows[row].invalid) continue;
      ASSERT_EQ(rows[row].flow, top_.at(row)) << row;
    }
  }

  VerilatedContext context_;
  std::unique_ptr<Vplumb_tx_heap> heap_ = std::make_unique<Vplumb_tx_heap>(&context_);
  std::array<std::uint32_t, 3> top_{};
};

TEST_F(TxHeap, RowsAreWrittenReadAndSwept) {
  for (std::uint32_t row = 0; row < kRows; ++row) EXPECT_TRUE(read(row).invalid) << row;
  RandomStream random(1, "rows");
  std::vector<Entry> entries;
  for (std::uint32_t row = 0; row < kRows; ++row) {
    const unsigned __int128 due =
        static_cast<unsigned __int128>(random.below(1U << 16)) << 64 | random.next();
    entries.push_back({false, due, static_cast<std::uint32_t>(random.below(256))});
  }
  for (std::uint32_t row = kRows; row-- > 0;) write(row, entries[row]);
  for (std::uint32_t row = 0; row < kRows; ++row) EXPECT_EQ(read(row), entries[row]) << row;
  EXPECT_EQ(root(), entries[0]);
  sweep();
  for (std::uint32_t row = 0; row < kRows; ++row) EXPECT_TRUE(read(row).invalid) << row;
  EXPECT_TRUE(root().invalid);
}

// How the new due times are drawn.
struct Load {
  const char* name;
  std::uint32_t flows;
  std::uint64_t period;  // at most
  std::uint64_t grain;   // due times are multiples of it: large grains make equal times
  std::uint64_t gap;     // idle clocks between replacements, at most
  std::uint64_t finish;  // one in this many replacements ends its flow; 0 = none
};

class TxHeapLoad : public TxHeap, public testing::WithParamInterface<Load> {};

TEST_P(TxHeapLoad, ComesOutInOrder) {
  const Load& load = GetParam();
  RandomStream random(2, load.name);
  std::vector<Entry> entries;
  for (std::uint32_t flow = 0; flow < load.flows; ++flow) {
    entries.push_back(
        {false, static_cast<unsigned __int128>(random.below(load.period)) * load.grain, flow});
  }
  std::ranges::sort(entries);
  for (std::uint32_t row = 0; row < entries.size(); ++row) write(row, entries[row]);
  for (std::uint32_t row = 0; row < 3 && row < entries.size(); ++row) top_[row] = entries[row].flow;

  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> model(entries.begin(),
                                                                       entries.end());
  std::uint64_t replacements = 0;
  for (; replacements < 20'000 && !model.empty(); ++replacements) {
    ASSERT_EQ(root(), model.top()) << "replacement " << replacements;
    Entry next = model.top();
    model.pop();
    next.due += static_cast<unsigned __int128>(random.below(load.period)) * load.grain;
    next.invalid = load.finish != 0 && random.below(load.finish) == 0;
    replace(next);
    if (!next.invalid) model.push(next);
    for (std::uint64_t n = random.below(load.gap + 1); n > 0; --n) clock();
    if (replacements % 4000 == 3999) {
      auto copy = model;
      std::multiset<Entry> left;
      for (; !copy.empty(); copy.pop()) left.insert(copy.top());
      expectRows(left);
      if (HasFatalFailure()) return;
    }
  }
  if (load.finish != 0) {
    EXPECT_TRUE(model.empty());
    EXPECT_TRUE(root().invalid);
    EXPECT_GE(replacements, load.flows);
  } else {
    EXPECT_EQ(replacements, 20'000U);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Loads, TxHeapLoad,
    testing::Values(Load{"full", 256, 1'000'000, 1, 0, 0}, Load{"one", 1, 1000, 1, 0, 0},
                    Load{"two", 2, 1000, 1, 0, 0}, Load{"three", 3, 1000, 1, 0, 0},
                    Load{"equal", 256, 3, 1U << 20, 0, 0}, Load{"gaps", 200, 100'000, 7, 5, 0},
                    Load{"wide", 255, 1ULL << 40, 1ULL << 22, 1, 0},
                    Load{"finishing", 256, 5000, 1, 0, 40}, Load{"dying", 256, 5000, 1, 2, 1}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace plumbline::test
