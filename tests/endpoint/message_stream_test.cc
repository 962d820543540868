#include "endpoint/message_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "endpoint/clock.h"
#include "tests/base/error_of.h"
#include "tests/endpoint/fake_channel.h"

namespace plumbline::endpoint {
namespace {

MessageSchedule schedule(std::int64_t slot_ps, Fraction rate, Picoseconds duration) {
  return {Picoseconds(slot_ps), rate, Picoseconds(0), duration, milliseconds(200)};
}

// A message every slot / rate from the start on, as long as that is before the end.
TEST(MessageSchedule, HasAMessagePerPeriod) {
  // 1,000 ps at a quarter of line rate: one every 4 ns.
  MessageSchedule quarter = schedule(1000, Fraction::percent(25), nanoseconds(40));
  EXPECT_EQ(quarter.count(), 10U);
  EXPECT_EQ(quarter.due(0), Picoseconds(0));
  EXPECT_EQ(quarter.due(9), nanoseconds(36));
  quarter.duration += Picoseconds(1);  // the eleventh is due at 40 ns
  EXPECT_EQ(quarter.count(), 11U);
  quarter.start = Picoseconds(1);
  EXPECT_EQ(quarter.count(), 10U);
  EXPECT_EQ(quarter.due(9), Picoseconds(36'001));
  quarter.start = quarter.duration;
  EXPECT_EQ(quarter.count(), 0U);
}

TEST(MessageSchedule, KeepsItsRateOverADay) {
  // A third of line rate is not exact; the 10^12th message is still due within 1 ps of 3 * 10^12
  // slots, minus the rounding of 1/3 as a fraction of 10^12.
  const MessageSchedule third =
      schedule(100, Fraction::partsPerTrillion(333'333'333'333), seconds(86'400));
  EXPECT_NEAR(static_cast<double>(third.due(100'000'000'000).count()), 3e13, 31);
}

TEST(MessageStream, SendsAllMessagesOverTheQueuePairsInTurn) {
  FakeBehaviour behaviour;
  FakeChannel channel(behaviour);
  const ChannelSpec spec{bench::Operation::kWrite, Bytes(64), 3, 2};
  StreamProgress progress;
  // One every 10 us for 3 ms.
  const MessageOutcome outcome =
      sendMessages(channel, spec, schedule(10'000'000, Fraction::one(), milliseconds(3)),
                   monotonicNow(), progress);
  EXPECT_EQ(outcome.due, 300U);
  EXPECT_EQ(outcome.posted, 300U);
  EXPECT_EQ(outcome.completed, 300U);
  EXPECT_EQ(outcome.latency.count(), 300U);
  EXPECT_EQ(progress.completed.load(), 300U);
  ASSERT_EQ(behaviour.pairs.size(), 300U);
  for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(behaviour.pairs[i], i % 3);
}

TEST(MessageStream, HasNoMoreUnderWayThanTheWindow) {
  FakeBehaviour behaviour;
  behaviour.polls = 100;
  FakeChannel channel(behaviour);
  const ChannelSpec spec{bench::Operation::kWrite, Bytes(64), 2, 4};
  StreamProgress progress;
  // All due at once.
  const MessageOutcome outcome = sendMessages(
      channel, spec, schedule(1000, Fraction::one(), nanoseconds(500)), monotonicNow(), progress);
  EXPECT_EQ(outcome.completed, 500U);
  EXPECT_EQ(behaviour.most_under_way, 8U);
}

TEST(MessageStream, WaitsForAQueueThatIsFull) {
  FakeBehaviour behaviour;
  behaviour.room = 1;
  FakeChannel channel(behaviour);
  const ChannelSpec spec{bench::Operation::kWrite, Bytes(64), 2, 4};
  StreamProgress progress;
  const MessageOutcome outcome = sendMessages(
      channel, spec, schedule(1000, Fraction::one(), nanoseconds(100)), monotonicNow(), progress);
  EXPECT_EQ(outcome.completed, 100U);
  EXPECT_EQ(behaviour.most_under_way, 1U);
}

TEST(MessageStream, EndsWithItsDrain) {
  FakeBehaviour behaviour;
  behaviour.max = 5;
  FakeChannel channel(behaviour);
  const ChannelSpec spec{bench::Operation::kWrite, Bytes(64), 1, 16};
  MessageSchedule ten = schedule(1000, Fraction::one(), nanoseconds(10));
  ten.drain = milliseconds(20);
  StreamProgress progress;
  const std::int64_t began = monotonicNow();
  const MessageOutcome outcome = sendMessages(channel, spec, ten, began, progress);
  EXPECT_EQ(outcome.due, 10U);
  EXPECT_EQ(outcome.posted, 10U);
  EXPECT_EQ(outcome.completed, 5U);
  EXPECT_GE(monotonicNow() - began, 20'000'000);
}

// Completions of no message that is under way: of another channel's slot, and of a free one.
TEST(MessageStream, EndsWithACompletionThatNobodyAskedFor) {
  const ChannelSpec spec{bench::Operation::kWrite, Bytes(64), 2, 4};
  for (const std::uint32_t slot : {0U, 8U, 0xFFFF'FFFFU}) {
    FakeBehaviour behaviour;
    behaviour.max = 0;
    behaviour.astray = {slot};
    FakeChannel channel(behaviour);
    StreamProgress progress;
    MessageSchedule one = schedule(1000, Fraction::one(), nanoseconds(1));
    one.drain = seconds(20);
    const Error error =
        errorOf([&] { sendMessages(channel, spec, one, monotonicNow() + 1'000'000, progress); });
    EXPECT_EQ(error.kind(), ErrorKind::kTester);
    EXPECT_THAT(error.what(), testing::HasSubstr("the peer sent a message that was not requested"));
    EXPECT_EQ(progress.completed.load(), 0U);
  }
}

// The latency is from post to completion, not from when the message was due.
TEST(MessageStream, BeginsAtTheCommonStart) {
  FakeBehaviour behaviour;
  FakeChannel channel(behaviour);
  const ChannelSpec spec{bench::Operation::kWrite, Bytes(64), 1, 1};
  StreamProgress progress;
  const std::int64_t start = monotonicNow() + 20'000'000;
  const MessageOutcome outcome =
      sendMessages(channel, spec, schedule(1000, Fraction::one(), nanoseconds(1)), start, progress);
  EXPECT_GE(monotonicNow(), start);
  ASSERT_EQ(outcome.latency.count(), 1U);
  EXPECT_LE(outcome.latency.maximum(), static_cast<std::uint64_t>(monotonicNow() - start) * 1000);
}

TEST(SendOneByOne, WaitsForEachAndServesTheTarget) {
  FakeBehaviour behaviour;
  behaviour.polls = 3;
  FakeChannel channel(behaviour);
  EXPECT_EQ(sendOneByOne(channel, 50, seconds(60)).count(), 50U);
  EXPECT_EQ(behaviour.most_under_way, 1U);
  EXPECT_GT(behaviour.served.load(), 0U);
  EXPECT_EQ(sendOneByOne(channel, 50, Picoseconds(0)).count(), 1U);  // no time for more
}

}  // namespace
}  // namespace plumbline::endpoint
