// The window of packets in flight against one that keeps every packet separately.
#include "transport/uet/uet_tx_window.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>

#include "base/random.h"

namespace plumbline::transport_test {
namespace {

using transport::TxWindow;

struct Expected {
  std::uint32_t order = 0;
  bool acknowledged = false;
  bool lost = false;
  bool resent = false;
};

class TxWindowTest : public testing::Test {
 protected:
  void restart(std::uint64_t first) {
    window_.restart(first);
    expected_.clear();
    first_ = end_ = first;
  }

  void push() {
    window_.push(Picoseconds(order_), order_ + 1, 0, room_);
    ++order_;
    EXPECT_EQ(window_[end_].nacks, 0);
    window_[end_].nacks = 1;
    expected_[end_++] = {.order = order_};
  }

  // As an acknowledgement with any 64 bits does it.
  void acknowledge(std::uint64_t index, std::uint64_t bits) {
    std::uint64_t pending = 0;
    std::uint64_t special = 0;
    for (unsigned b = 0; b < 64; ++b) {
      const auto packet = expected_.find(index * 64 + b);
      if ((bits >> b & 1) == 0 || packet == expected_.end() || packet->second.acknowledged) {
        continue;
      }
      pending |= std::uint64_t{1} << b;
      if (packet->second.lost || packet->second.resent) special |= std::uint64_t{1} << b;
      packet->second.acknowledged = true;
      packet->second.lost = false;
    }
    ASSERT_EQ(window_.pending(index, bits), pending);
    if (pending == 0) return;
    ASSERT_EQ(window_.special(index, pending), special);
    window_.acknowledge(index, pending);
  }

  void advance() {
    while (!expected_.empty() && expected_.begin()->second.acknowledged) {
      expected_.erase(expected_.begin());
      ++first_;
    }
    ASSERT_EQ(window_.firstPending(), first_);
    window_.popTo(first_);
  }

  void compare() {
    ASSERT_EQ(window_.first(), first_);
    ASSERT_EQ(window_.end(), end_);
    for (const auto& [psn, packet] : expected_) {
      ASSERT_EQ(window_[psn].order, packet.order);
      ASSERT_EQ(window_.acknowledged(psn), packet.acknowledged);
      ASSERT_EQ(window_.lost(psn), packet.lost);
      ASSERT_EQ(window_.resent(psn), packet.resent);
      ASSERT_EQ(window_.inFlight(psn), !packet.acknowledged && !packet.lost);
    }
  }

  TxWindow window_;
  std::map<std::uint64_t, Expected> expected_;
  std::uint64_t first_ = 0;
  std::uint64_t end_ = 0;
  std::uint32_t order_ = 0;
  std::size_t room_ = 8;
};

TEST_F(TxWindowTest, AgreesWithAMapWhateverHappens) {
  RandomStream random(1, "window");
  for (int life = 0; life < 60; ++life) {
    // The same window again and again, from any place in a word.
    restart((std::uint64_t{1} << 32) + random.below(1000));
    const std::uint64_t max = 1 + random.below(400);
    room_ = std::size_t{1} << random.below(8);
    for (int i = 0; i < 400; ++i) {
      for (std::uint64_t n = random.below(20); n > 0 && end_ - first_ < max; --n) push();
      if (end_ != first_) {
        const std::uint64_t psn = first_ + random.below(end_ - first_);
        if (random.below(3) == 0 && expected_[psn].lost) {
          window_.markResent(psn);
          expected_[psn].lost = false;
          expected_[psn].resent = true;
        } else if (random.below(2) == 0 && window_.inFlight(psn)) {
          window_.markLost(psn);
          expected_[psn].lost = true;
        }
      }
      // Words beyond either end as well, and mostly from the first packet on.
      const std::uint64_t index = (first_ >> 6) + random.below(9) - 2;
      acknowledge(index, random.next() & random.next());
      acknowledge(first_ >> 6, (std::uint64_t{2} << random.below(64)) - 1);
      advance();
      compare();
      if (HasFatalFailure()) return;
      if (first_ == end_ && random.below(2) == 0) window_.rest(random.below(9));
    }
  }
}

TEST_F(TxWindowTest, AnEmptyWindowHasNothingPending) {
  for (const std::uint64_t first : {std::uint64_t{128}, std::uint64_t{200}, std::uint64_t{255}}) {
    restart(first);
    for (std::uint64_t index = 0; index < 8; ++index) {
      EXPECT_EQ(window_.pending(index, ~std::uint64_t{0}), 0U);
    }
    EXPECT_EQ(window_.firstPending(), first);
  }
}

TEST_F(TxWindowTest, AtRestItTellsWhatRoomThereWasAndHearsLateAnswers) {
  room_ = 32;
  restart(150);
  EXPECT_EQ(window_.rest(8), 0U);
  for (int i = 0; i < 33; ++i) push();
  acknowledge(2, ~std::uint64_t{0});
  advance();
  EXPECT_EQ(window_.rest(8), 64U);
  EXPECT_EQ(window_.rest(8), 0U);
  for (std::uint64_t index = 0; index < 8; ++index) acknowledge(index, ~std::uint64_t{0});
  push();
  compare();
  EXPECT_EQ(window_.pending(2, ~std::uint64_t{0}), std::uint64_t{1} << (183 - 128));
}

TEST_F(TxWindowTest, AWordThatIsUsedAgainBeginsClean) {
  restart(64);
  for (int i = 0; i < 64; ++i) push();
  acknowledge(1, ~std::uint64_t{0});
  advance();
  EXPECT_EQ(first_, 128U);
  // Four words later the slot of the first one is reused, whatever the capacity.
  for (int i = 0; i < 256; ++i) {
    push();
    EXPECT_TRUE(window_.inFlight(end_ - 1));
    EXPECT_FALSE(window_.resent(end_ - 1));
    acknowledge((end_ - 1) >> 6, ~std::uint64_t{0});
    advance();
  }
}

}  // namespace
}  // namespace plumbline::transport_test
