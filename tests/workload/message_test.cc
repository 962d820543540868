#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/workload/rank_network.h"
#include "workload/workload.h"

namespace plumbline::workload {
namespace {

using workload_test::kNetwork;
using workload_test::Posted;
using workload_test::RankNetwork;

struct Outcome {
  JobResult result;
  std::vector<Posted> log;
  bool finished;
};

Outcome run(const MessageProgram& program, std::uint32_t ranks, std::uint32_t flows = 1,
            FlowUse use = FlowUse::kRoundRobin, Picoseconds until = transport::kNever) {
  WorkloadSpec spec;
  JobSpec& job = spec.jobs.emplace_back();
  job.name = "messages";
  job.placement.ranks = ranks;
  job.start = microseconds(5);
  job.flows = flows;
  job.flow_use = use;
  job.program = program;
  Workload workload(spec, ranks);
  RankNetwork network(workload, ranks, kNetwork);
  network.run(until);
  return {workload.results()[0], network.log(), workload.finished()};
}

MessageProgram base(Pattern pattern) {
  MessageProgram program;
  program.pattern = pattern;
  program.bytes = 12'500;
  program.messages = 10;
  return program;
}

TEST(Messages, ClosedLoopKeepsItsMessagesOutstanding) {
  const Outcome one = run(base(Pattern::kPairs), 2);
  ASSERT_EQ(one.log.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    // 1 us of wire, 1 us there, 1 us back.
    EXPECT_EQ(one.log[i].time, microseconds(5) + microseconds(3) * static_cast<std::int64_t>(i));
  }
  EXPECT_TRUE(one.finished);
  EXPECT_EQ(one.result.connections[0].completed, 10U);
  EXPECT_EQ(one.result.connections[0].last_completed, microseconds(35));

  MessageProgram three = base(Pattern::kPairs);
  three.load = ClosedLoop{3};
  const Outcome pipelined = run(three, 2);
  // The wire is never idle: the last of ten leaves at 15 us.
  EXPECT_EQ(pipelined.result.connections[0].last_completed, microseconds(5 + 10 + 2));
}

// 1 us of wire and 1 us of latency: the first three wait for each other, all later ones find an
// idle wire. There are more of them than a label can distinguish.
TEST(Messages, ArrivalTimesAreThoseToTheReceiver) {
  MessageProgram program = base(Pattern::kPairs);
  program.messages = 300;
  program.load = ClosedLoop{3};
  program.bidirectional = true;
  EXPECT_FALSE(run(program, 2).result.arrival_time);
  program.arrival_times = true;
  for (const auto use : {FlowUse::kRoundRobin, FlowUse::kSplit}) {
    const Outcome outcome = run(program, 2, use == FlowUse::kSplit ? 2 : 1, use);
    ASSERT_TRUE(outcome.result.arrival_time);
    const stats::Histogram& times = *outcome.result.arrival_time;
    EXPECT_EQ(times.count(), 600U);
    EXPECT_EQ(times.minimum(), 2'000'000U);
    EXPECT_EQ(times.maximum(), 4'000'000U);
    // Posted at the completion of the third before it, 1 us after that one's arrival.
    EXPECT_NEAR(times.mean(), 2e6 + 2 * (1e6 + 2e6) / 600, 1);
  }
}

TEST(Messages, UntilEndsTheClosedLoop) {
  MessageProgram program = base(Pattern::kPairs);
  program.messages = std::numeric_limits<std::uint64_t>::max();
  program.until = microseconds(14);
  const Outcome result = run(program, 2);
  EXPECT_EQ(result.log.size(), 3U);  // at 5, 8 and 11 us
  EXPECT_TRUE(result.finished);
}

TEST(Messages, IncastStartsWithItsPhases) {
  MessageProgram program = base(Pattern::kIncast);
  program.messages = 1;
  program.phase = nanoseconds(100);
  const Outcome result = run(program, 5);
  ASSERT_EQ(result.log.size(), 4U);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(result.log[i].from, i + 1);
    EXPECT_EQ(result.log[i].message.to, 0U);
    EXPECT_EQ(result.log[i].time, microseconds(5) + nanoseconds(100) * i);
  }
  ASSERT_EQ(result.result.connections.size(), 4U);
  EXPECT_EQ(result.result.connections[2].from, 3U);
}

TEST(Messages, BothDirectionsBeginTogether) {
  MessageProgram program = base(Pattern::kPairs);
  program.bidirectional = true;
  program.phase = microseconds(1);
  program.messages = 1;
  const Outcome result = run(program, 4);
  ASSERT_EQ(result.log.size(), 4U);
  EXPECT_EQ(result.log[0].time, microseconds(5));
  EXPECT_EQ(result.log[1].time, microseconds(5));
  EXPECT_EQ(result.log[2].time, microseconds(6));
  EXPECT_EQ(result.log[3].time, microseconds(6));
}

TEST(Messages, OpenLoopDoesNotWait) {
  MessageProgram program = base(Pattern::kPairs);
  program.load = Arrivals{nanoseconds(300), false};
  const Outcome result = run(program, 2);
  ASSERT_EQ(result.log.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(result.log[i].time,
              microseconds(5) + nanoseconds(300) * static_cast<std::int64_t>(i));
  }
  // Ten messages of 1 us each queue at the sender: the last is done after 10 + 2 us.
  EXPECT_EQ(result.result.total.message_time.maximum(), 12'000'000U - 9 * 300'000U);
}

TEST(Messages, PoissonHasItsMeanAndIsReproducible) {
  MessageProgram program = base(Pattern::kPairs);
  program.load = Arrivals{microseconds(2), true};
  program.messages = 20'000;
  const Outcome result = run(program, 2);
  ASSERT_EQ(result.log.size(), 20'000U);
  const double mean = (result.log.back().time - microseconds(5)).toMicroseconds() / 20'000;
  EXPECT_NEAR(mean, 2, 4 * 2 / std::sqrt(20'000));
  const Outcome again = run(program, 2);
  EXPECT_EQ(again.log.back().time, result.log.back().time);
}

// On 10 us, off 90 us: closed loop posts at 0, 3, 6, 9 of each window.
TEST(Messages, OnOffGatesAClosedLoop) {
  MessageProgram program = base(Pattern::kPairs);
  program.on_off = OnOff{microseconds(10), microseconds(90)};
  const Outcome result = run(program, 2);
  ASSERT_EQ(result.log.size(), 10U);
  const std::int64_t expected[] = {0, 3, 6, 9, 100, 103, 106, 109, 200, 203};
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(result.log[i].time, microseconds(5 + expected[i]));
  }
}

// The arrival process stops during off phases: every 4 us of on-time.
TEST(Messages, OnOffStopsTheClockOfAnOpenLoop) {
  MessageProgram program = base(Pattern::kPairs);
  program.on_off = OnOff{microseconds(10), microseconds(90)};
  program.load = Arrivals{microseconds(4), false};
  const Outcome result = run(program, 2);
  const std::int64_t expected[] = {0, 4, 8, 102, 106, 200, 204, 208, 302, 306};
  ASSERT_EQ(result.log.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(result.log[i].time, microseconds(5 + expected[i]));
  }
}

TEST(Messages, FlowsTakeTurnsOrShareEachMessage) {
  MessageProgram program = base(Pattern::kPairs);
  const Outcome turns = run(program, 2, 4);
  ASSERT_EQ(turns.log.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(turns.log[i].message.flow, i % 4);

  const Outcome split = run(program, 2, 3, FlowUse::kSplit);
  ASSERT_EQ(split.log.size(), 30U);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(split.log[i].message.flow, i % 3);
    EXPECT_EQ(split.log[i].message.bytes, i % 3 < 2 ? 4167U : 4166U);
  }
  EXPECT_EQ(split.result.total.messages_completed, 10U);
  EXPECT_EQ(split.result.total.messages_arrived, 10U);
  EXPECT_EQ(split.result.total.bytes_arrived, 125'000U);
  EXPECT_EQ(split.result.total.message_time.count(), 10U);
}

TEST(Messages, SmallerThanTheFlowsAreNotSplit) {
  MessageProgram program = base(Pattern::kPairs);
  program.bytes = 2;
  EXPECT_EQ(run(program, 2, 3, FlowUse::kSplit).log.size(), 10U);
}

TEST(Messages, EndlessOnesGoOnUntilTheSimulationStops) {
  MessageProgram program = base(Pattern::kShift);
  program.messages = std::numeric_limits<std::uint64_t>::max();
  const Outcome result = run(program, 3, 1, FlowUse::kRoundRobin, microseconds(100));
  EXPECT_FALSE(result.finished);
  EXPECT_EQ(result.log.size(), 3U * 32);  // 5, 8, …, 98
}

}  // namespace
}  // namespace plumbline::workload
