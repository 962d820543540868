#include <gtest/gtest.h>

#include <iterator>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "transport/stream/stream_protocol.h"

namespace plumbline::transport {
namespace {

// The card's rule with a set of all numbers ever seen.
struct Oracle {
  std::uint64_t window;
  std::set<std::uint64_t> seen;
  StreamReceived counts;

  void add(std::uint64_t sequence) {
    if (sequence >= counts.next_sequence) {
      counts.lost += sequence - counts.next_sequence;
      counts.next_sequence = sequence + 1;
    } else if (sequence + window < counts.next_sequence) {
      ++counts.stale;
      return;
    } else if (seen.count(sequence) != 0) {
      ++counts.duplicate;
    } else {
      ++counts.out_of_order;
      --counts.lost;
    }
    seen.insert(sequence);
  }
};

class WindowOfSize : public testing::TestWithParam<std::uint32_t> {};

TEST_P(WindowOfSize, CountsAsTheSetOfAllNumbersDoes) {
  RandomStream random(GetParam(), "window");
  SequenceWindow window(GetParam());
  StreamReceived counts;
  Oracle oracle{GetParam(), {}, {}};
  std::uint64_t next = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::uint64_t sequence = next;
    const std::uint64_t what = random.below(20);
    if (what < 10) {
      ++next;
    } else if (what < 13) {
      next += random.below(6) + 1;
      sequence = next - 1;
    } else if (what == 13 && random.below(50) == 0) {
      next += random.below(4UL * GetParam()) + 1;
      sequence = next - 1;
    } else {
      sequence -= std::min(sequence, random.below(2UL * GetParam()));
    }
    next = std::max(next, sequence + 1);
    window.add(sequence, counts);
    oracle.add(sequence);
    ASSERT_EQ(counts.lost, oracle.counts.lost) << i;
    ASSERT_EQ(counts.duplicate, oracle.counts.duplicate) << i;
  }
  EXPECT_EQ(counts.next_sequence, oracle.counts.next_sequence);
  EXPECT_EQ(counts.stale, oracle.counts.stale);
  EXPECT_EQ(counts.out_of_order, oracle.counts.out_of_order);
  EXPECT_GT(counts.stale, 0U);
  EXPECT_GT(counts.duplicate, 0U);
  EXPECT_GT(counts.out_of_order, 0U);
}

INSTANTIATE_TEST_SUITE_P(Sizes, WindowOfSize, testing::Values(64, 128, 1024));

TEST(SequenceWindow, OnlyTheLast128NumbersAreToldApart) {
  SequenceWindow window(128);
  StreamReceived counts;
  window.add(200, counts);
  EXPECT_EQ(window.add(201 - 128, counts), SequenceWindow::Verdict::kOutOfOrder);
  EXPECT_EQ(window.add(201 - 129, counts), SequenceWindow::Verdict::kStale);
  EXPECT_EQ(window.add(201 - 128, counts), SequenceWindow::Verdict::kDuplicate);
  EXPECT_EQ(counts.lost, 199U);
}

// A window that grows classifies as one without an end does, as long as nothing is missing for
// longer than its largest size.
TEST(SequenceWindow, GrowsBeforeAMissingNumberLeavesIt) {
  constexpr std::uint32_t kLargest = 4096;
  constexpr std::uint32_t kOldest = 3072;  // and what is skipped at a time beyond
  RandomStream random(5, "window");
  SequenceWindow window(64, kLargest);
  StreamReceived counts;
  Oracle oracle{std::uint64_t{1} << 62U, {}, {}};
  std::set<std::uint64_t> missing;
  std::uint64_t next = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::uint64_t sequence = next;
    const std::uint64_t what = random.below(20);
    // What has been missing for too long arrives now, and with it a duplicate of any age.
    const bool due = !missing.empty() && next - *missing.begin() > kOldest;
    if (due || (what < 6 && !missing.empty())) {
      auto place = missing.begin();
      if (!due) std::advance(place, random.below(missing.size()));
      sequence = *place;
      missing.erase(place);
    } else if (what == 19) {
      sequence = next - std::min(next, random.below(kOldest) + 1);
      missing.erase(sequence);
    } else {
      if (what > 15) {
        const std::uint64_t skipped = random.below(random.below(100) == 0 ? 300 : 5);
        for (std::uint64_t k = 0; k < skipped; ++k) missing.insert(next + k);
        sequence = next + skipped;
      }
      next = sequence + 1;
    }
    window.add(sequence, counts);
    oracle.add(sequence);
    ASSERT_EQ(counts.lost, oracle.counts.lost) << i;
    ASSERT_EQ(counts.duplicate, oracle.counts.duplicate) << i;
    ASSERT_EQ(counts.out_of_order, oracle.counts.out_of_order) << i;
  }
  EXPECT_EQ(counts.stale, 0U);
  EXPECT_GT(counts.duplicate, 1'000U);
  EXPECT_GT(counts.out_of_order, 1'000U);
}

// The first number is 5,000 ahead, the window's largest size 128: the rest is left out.
TEST(SequenceWindow, EndsAtItsLargestSize) {
  SequenceWindow window(64, 128);
  StreamReceived counts;
  window.add(5'000, counts);
  EXPECT_EQ(window.add(5'001 - 128, counts), SequenceWindow::Verdict::kOutOfOrder);
  EXPECT_EQ(window.add(5'001 - 129, counts), SequenceWindow::Verdict::kStale);
  EXPECT_EQ(counts.lost, 4'999U);
  EXPECT_EQ(counts.lostForGood(), 4'998U);
}

TEST(SequenceWindow, RefusesOtherSizes) {
  EXPECT_THROW(SequenceWindow(0), Error);
  EXPECT_THROW(SequenceWindow(96), Error);
  EXPECT_THROW(SequenceWindow(32), Error);
  EXPECT_THROW(SequenceWindow(128, 64), Error);
  EXPECT_THROW(SequenceWindow(128, 192), Error);
}

}  // namespace
}  // namespace plumbline::transport
