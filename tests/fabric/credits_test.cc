// The totals that the two ends of a link keep for a channel, against sums that never wrap.
#include "fabric/link/credits.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace plumbline::fabric::testing {
namespace {

TEST(Credits, AFrameNeedsCreditsForEveryByteBegun) {
  CbfcSpec spec;
  EXPECT_EQ(creditsOf(spec, 1), 1);
  EXPECT_EQ(creditsOf(spec, 128), 1);
  EXPECT_EQ(creditsOf(spec, 129), 2);
  spec.packet_overhead = -16;
  EXPECT_EQ(creditsOf(spec, 144), 1);
  EXPECT_EQ(creditsOf(spec, 145), 2);
  spec.packet_overhead = 127;
  spec.credit_size = Bytes(32);
  EXPECT_EQ(creditsOf(spec, 1), 4);
  EXPECT_EQ(creditsOf(spec, 2), 5);
}

TEST(Credits, AFrameMayTakeAllThatAreLeftAndNotMore) {
  SendingCredits sender;
  EXPECT_TRUE(sender.cover(10, 10));
  EXPECT_FALSE(sender.cover(11, 10));
  sender.consume(7);
  EXPECT_TRUE(sender.cover(3, 10));
  EXPECT_FALSE(sender.cover(4, 10));
  sender.learnFreed(2);
  EXPECT_TRUE(sender.cover(5, 10));
}

TEST(Credits, TotalsWrapAtTwentyAndFifteenBits) {
  SendingCredits sender;
  ReceivingCredits receiver;
  RandomStream random(1, "credits");
  std::int64_t consumed = 0;
  std::int64_t freed = 0;
  std::int64_t kept = 0;  // at the receiver
  for (int i = 0; i < 40'000; ++i) {
    const auto credits = static_cast<std::int32_t>(1 + random.next() % 300);
    const bool lost = random.next() % 4 == 0;
    sender.consume(credits);
    consumed += credits;
    if (!lost) {
      receiver.arrive(credits);
      kept += credits;
    }
    if (random.next() % 8 == 0) {
      receiver.free(static_cast<std::int32_t>(kept));
      freed += kept;
      kept = 0;
      sender.learnFreed(receiver.reportFreed());
      ASSERT_EQ(receiver.unreported(), 0);
    }
    ASSERT_EQ(sender.consumed(), consumed % (1 << 20));
    ASSERT_EQ(sender.inUse(), consumed - freed);
    if (random.next() % 16 == 0) {
      const std::int32_t missing = receiver.learnConsumed(sender.consumed());
      ASSERT_EQ(missing, consumed - freed - kept);
      receiver.free(missing);
      freed += missing;
      sender.learnFreed(receiver.reportFreed());
      ASSERT_EQ(sender.inUse(), kept);
    }
  }
  EXPECT_GT(consumed, std::int64_t{4} << 20);
}

TEST(Credits, ManyFreedAtOnceAreToldInSteps) {
  for (const std::int32_t many : {16'383, 16'384, 32'768, 500'000}) {
    SendingCredits sender;
    ReceivingCredits receiver;
    sender.consume(many);
    receiver.free(receiver.learnConsumed(sender.consumed()));
    int updates = 0;
    for (; receiver.unreported() != 0; ++updates) sender.learnFreed(receiver.reportFreed());
    EXPECT_EQ(updates, (many + 16'382) / 16'383);
    EXPECT_EQ(sender.inUse(), 0) << many;
  }
}

TEST(Credits, WhatArrivedTwiceIsTakenBack) {
  SendingCredits sender;
  ReceivingCredits receiver;
  sender.consume(9);
  for (int copy = 0; copy < 2; ++copy) {
    receiver.arrive(9);
    receiver.free(9);
  }
  sender.learnFreed(receiver.reportFreed());
  EXPECT_EQ(sender.inUse(), -9);
  EXPECT_EQ(receiver.learnConsumed(sender.consumed()), -9);
  receiver.free(-9);
  sender.learnFreed(receiver.reportFreed());
  EXPECT_EQ(sender.inUse(), 0);
  EXPECT_EQ(receiver.learnConsumed(sender.consumed()), 0);
}

}  // namespace
}  // namespace plumbline::fabric::testing
