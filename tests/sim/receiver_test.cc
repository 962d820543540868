// Figures are taken where data arrive, and of a trial's own time alone: services without
// acknowledgements under loss, READs, and trials that end while frames are on the wire.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>

#include "bench/sim/sim_bench.h"
#include "tests/sim/stack.h"
#include "transport/roce/roce_spec.h"
#include "transport/uet/uet_spec.h"

namespace plumbline::sim::testing {
namespace {

using bench::FabricResult;
using bench::JobOutcome;
using bench::SimBench;
using bench::TrialResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TrialResult resultOf(const TrialSpec& spec) { return SimBench({}).run(spec, {}); }

bench::TransportSpec uc() {
  transport::RoceSpec roce;
  roce.service = transport::RoceService::kUc;
  return roce;
}

bench::TransportSpec uud() {
  transport::UetSpec uet;
  uet.service = transport::UetService::kUud;
  uet.congestion_control = transport::UetCongestionControl::kNone;
  return uet;
}

// 4 KiB messages of one frame, over links that damage about a quarter of the frames each.
TrialSpec lossyTrial(const bench::TransportSpec& transport, std::uint64_t bytes = 4'096) {
  TrialSpec spec;
  spec.dut = oneSwitch(2, gigabitsPerSecond(100), nanoseconds(500));
  spec.dut.bit_errors = {{"hosts", 1e-5}};
  spec.transport = transport;
  spec.workload.emplace();
  spec.workload->jobs = {messagesBetween({{0, 1}}, bytes, 2'000)};
  return spec;
}

TEST(Unacknowledged, GoodputIsWhatArrives) {
  for (const bench::TransportSpec& transport : {uc(), uud()}) {
    const TrialResult result = resultOf(lossyTrial(transport));
    EXPECT_THAT(result.faults, IsEmpty());
    const FabricResult& fabric = *result.fabric;
    const JobOutcome& job = fabric.jobs.at(0);
    EXPECT_TRUE(job.finished);
    EXPECT_EQ(fabric.frames_inside, 0U);
    // Every frame is a message; undamaged ones arrive.
    const std::uint64_t arrived = 2'000 - fabric.total.dropped();
    EXPECT_EQ(fabric.endpoints.payload_received, arrived * 4'096);
    EXPECT_EQ(job.messages_completed, arrived);
    EXPECT_EQ(job.messages_failed, fabric.total.dropped());
    EXPECT_EQ(job.messages_open, 0U);
    EXPECT_EQ(job.message_time.count(), arrived);
    EXPECT_EQ(job.bytes_arrived, arrived * 4'096);
    EXPECT_EQ(fabric.data_lost, fabric.total.dropped());
    // Two links in a row: (1 - 1e-5)^(8 L) of the frames pass each.
    EXPECT_NEAR(static_cast<double>(arrived) / 2'000, 0.51, 0.06);
    // One flow, whose time from the first frame on is the job's: all are posted at once.
    ASSERT_EQ(fabric.flows.flows, 1U);
    const double goodput =
        static_cast<double>(arrived) * 4'096 * 8 / job.completion.toSeconds() / 1e9;
    EXPECT_NEAR(*fabric.flows.goodput_mean_gbps, goodput, 0.01 * goodput);
    EXPECT_EQ(fabric.flows.goodput_min_gbps, fabric.flows.goodput_max_gbps);
  }
}

// Without a loss the time of a message is from its post to its arrival: a frame's way through a
// cut-through switch.
TEST(Unacknowledged, TimeEndsAtTheReceiver) {
  for (const bench::TransportSpec& transport : {uc(), uud()}) {
    TrialSpec spec = lossyTrial(transport);
    spec.dut.bit_errors.clear();
    std::get<workload::MessageProgram>(spec.workload->jobs[0].program).messages = 1;
    const TrialResult result = resultOf(spec);
    const JobOutcome& job = result.fabric->jobs.at(0);
    ASSERT_EQ(job.message_time.count(), 1U);
    const fabric::Fabric fabric(spec.dut);
    const auto frame = static_cast<std::int64_t>(result.fabric->links.at(0).bytes);
    const Picoseconds way = fabric.unloadedLatency(0, 1, Bytes(frame)) +
                            serializationTime(Bytes(frame), gigabitsPerSecond(100));
    EXPECT_EQ(static_cast<std::int64_t>(job.message_time.maximum()), way.count());
    EXPECT_EQ(job.completion, way);
  }
}

// A message of several frames is lost with any of them; so are split ones with any of their parts.
TEST(Unacknowledged, AMessageArrivesWholeOrNot) {
  for (const bench::TransportSpec& transport : {uc(), uud()}) {
    for (const bool split : {false, true}) {
      TrialSpec spec = lossyTrial(transport, 12'000);
      spec.dut.bit_errors = {{"hosts", 1e-6}};
      workload::JobSpec& job = spec.workload->jobs[0];
      std::get<workload::MessageProgram>(job.program).messages = 500;
      if (split) {
        job.flows = 3;
        job.flow_use = workload::FlowUse::kSplit;
      }
      const TrialResult result = resultOf(spec);
      const JobOutcome& outcome = result.fabric->jobs.at(0);
      EXPECT_EQ(outcome.messages_completed + outcome.messages_failed, 500U);
      EXPECT_EQ(outcome.message_time.count(), outcome.messages_completed);
      // Three frames through two links: 0.932^3.
      EXPECT_NEAR(static_cast<double>(outcome.messages_completed) / 500, 0.81, 0.06);
      EXPECT_GE(result.fabric->total.dropped(), outcome.messages_failed);
    }
  }
}

// A job that is at work for the whole trial keeps frames in the fabric. None of them is of the
// other job, whose last message was lost 4 ms before.
TEST(Unacknowledged, FramesOfOtherHostsDoNotKeepAMessageOpen) {
  for (const bench::TransportSpec& transport : {uc(), uud()}) {
    TrialSpec spec = lossyTrial(transport, 20'000);
    spec.dut = oneSwitch(4, gigabitsPerSecond(100), nanoseconds(500));
    spec.workload->jobs = {messagesBetween({{0, 1}}, 65'536, 1'000'000),
                           messagesBetween({{2, 3}}, 4'096, 1)};
    spec.workload->jobs[1].name = "lost";
    spec.dut.impairments = {{.kind = fabric::ImpairmentKind::kDrop, .host = 2, .frame = 0}};
    spec.duration = milliseconds(4);
    spec.drain = Picoseconds(0);
    const TrialResult result = resultOf(spec);
    ASSERT_GT(result.fabric->frames_inside, 0U);
    const JobOutcome& lost = result.fabric->jobs.at(1);
    EXPECT_EQ(lost.messages_failed, 1U);
    EXPECT_EQ(lost.messages_open, 0U);
    EXPECT_TRUE(lost.finished);
  }
}

TEST(Read, ItsGoodputIsThatOfTheDataThatCome) {
  for (const bool uet : {false, true}) {
    double goodput[2];
    for (const auto verb : {transport::Verb::kWrite, transport::Verb::kRead}) {
      TrialSpec spec;
      spec.dut = oneSwitch(2, gigabitsPerSecond(100), nanoseconds(500));
      if (uet) {
        spec.transport = transport::UetSpec{};
      } else {
        spec.transport = transport::RoceSpec{};
      }
      spec.workload.emplace();
      spec.workload->jobs = {messagesBetween({{0, 1}}, 1'000'000, 8)};
      spec.workload->jobs[0].verb = verb;
      const TrialResult result = resultOf(spec);
      EXPECT_THAT(result.faults, IsEmpty());
      const FabricResult& fabric = *result.fabric;
      ASSERT_EQ(fabric.flows.flows, 1U);
      goodput[verb == transport::Verb::kRead ? 1 : 0] = *fabric.flows.goodput_mean_gbps;
      const double job = 64e6 / fabric.jobs.at(0).completion.toSeconds() / 1e9;
      EXPECT_NEAR(*fabric.flows.goodput_mean_gbps, job, 0.05 * job);
      EXPECT_EQ(fabric.data_lost, 0U);
    }
    EXPECT_NEAR(goodput[1], goodput[0], 0.05 * goodput[0]);
  }
}

// One of two receivers is cut off: the other flow's goodput alone would be perfectly fair.
TEST(Fairness, AStarvedFlowCountsAsZero) {
  for (const bool uet : {false, true}) {
    for (const auto verb : {transport::Verb::kWrite, transport::Verb::kRead}) {
      TrialSpec spec;
      spec.dut = oneSwitch(4, gigabitsPerSecond(100), nanoseconds(500));
      spec.dut.failures.push_back({"host3-switch0", Picoseconds(0), {}});
      if (uet) {
        spec.transport = transport::UetSpec{};
      } else {
        spec.transport = transport::RoceSpec{};
      }
      spec.workload.emplace();
      spec.workload->jobs = {messagesBetween({{0, 1}, {2, 3}}, 1'000'000, 8)};
      spec.workload->jobs[0].verb = verb;
      const FabricResult fabric = *resultOf(spec).fabric;
      EXPECT_EQ(fabric.flows.flows, 2U);
      EXPECT_EQ(fabric.flows.jfi, 0.5);
      EXPECT_EQ(fabric.flows.goodput_min_gbps, 0);
      EXPECT_EQ(*fabric.flows.goodput_mean_gbps * 2, *fabric.flows.goodput_max_gbps);
      EXPECT_EQ(fabric.jobs.at(0).flow_jfi, 0.5);
    }
  }
}

// Of two like flows the second begins `before` the end: it counts if the first, which needs
// 8 x 85 us, had time for its payload.
TEST(Fairness, AFlowThatHasJustBegunDoesNotCount) {
  for (const auto& [before, flows] : {std::pair{nanoseconds(100), 1U}, {microseconds(800), 2U}}) {
    TrialSpec spec;
    spec.dut = oneSwitch(4, gigabitsPerSecond(100), nanoseconds(500));
    spec.dut.failures.push_back({"host3-switch0", Picoseconds(0), {}});
    spec.transport = transport::RoceSpec{};
    spec.duration = milliseconds(2);
    spec.drain = Picoseconds(0);
    spec.workload.emplace();
    spec.workload->jobs = {messagesBetween({{0, 1}}, 1'000'000, 8),
                           messagesBetween({{2, 3}}, 1'000'000, 8)};
    spec.workload->jobs[1].name = "late";
    spec.workload->jobs[1].start = spec.duration - before;
    const FabricResult fabric = *resultOf(spec).fabric;
    EXPECT_EQ(fabric.flows.flows, flows);
    EXPECT_EQ(fabric.flows.jfi, 1.0 / flows);
  }
}

// Two like pairs without an end, of which one is cut off at half of the time. Its goodput is that
// of half of the time, whatever it was before: the index of x and x / 2 is 0.9.
TEST(Fairness, AFlowThatStopsIsNoShorterFlow) {
  const bench::TransportSpec rc{transport::RoceSpec{}};
  const bench::TransportSpec rud{transport::UetSpec{}};
  using enum transport::Verb;
  for (const auto& [transport, verb] : {std::pair{rc, kWrite},
                                        {rc, kRead},
                                        {rud, kWrite},
                                        {rud, kRead},
                                        {uc(), kWrite},
                                        {uud(), kWrite}}) {
    TrialSpec spec;
    spec.dut = oneSwitch(4, gigabitsPerSecond(100), nanoseconds(500));
    spec.dut.failures.push_back({"host3-switch0", microseconds(500), {}});
    spec.transport = transport;
    spec.duration = milliseconds(1);
    spec.drain = Picoseconds(0);
    spec.workload.emplace();
    spec.workload->jobs = {
        messagesBetween({{0, 1}, {2, 3}}, 65'536, std::numeric_limits<std::uint64_t>::max())};
    spec.workload->jobs[0].verb = verb;
    std::get<workload::MessageProgram>(spec.workload->jobs[0].program).load =
        workload::ClosedLoop{4};
    const FabricResult fabric = *resultOf(spec).fabric;
    const JobOutcome& job = fabric.jobs.at(0);
    EXPECT_EQ(fabric.flows.flows, 2U);
    EXPECT_NEAR(*fabric.flows.goodput_min_gbps / *fabric.flows.goodput_max_gbps, 0.5, 0.01);
    EXPECT_NEAR(*fabric.flows.jfi, 0.9, 0.01);
    EXPECT_NEAR(*job.flow_jfi, 0.9, 0.01);
    ASSERT_TRUE(job.arrived);
    EXPECT_EQ(job.arrived->time, milliseconds(1));
  }
}

// Of two like flows of 8 MB one is cut off in the middle. The time of its goodput ends when its
// last message is given up, and so does the job.
TEST(Fairness, AFlowThatGivesUpLastsUntilThen) {
  const bench::TransportSpec rc{transport::RoceSpec{}};
  const bench::TransportSpec rud{transport::UetSpec{}};
  using enum transport::Verb;
  for (const auto& [transport, verb] : {std::pair{rc, kWrite}, {rc, kRead}, {rud, kWrite}}) {
    TrialSpec spec;
    spec.dut = oneSwitch(4, gigabitsPerSecond(100), nanoseconds(500));
    spec.dut.failures.push_back({"host3-switch0", microseconds(300), {}});
    spec.transport = transport;
    spec.workload.emplace();
    spec.workload->jobs = {messagesBetween({{0, 1}, {2, 3}}, 1'000'000, 8)};
    spec.workload->jobs[0].verb = verb;
    const FabricResult fabric = *resultOf(spec).fabric;
    const JobOutcome& job = fabric.jobs.at(0);
    ASSERT_TRUE(job.finished);
    ASSERT_GT(job.messages_failed, 0U);
    const auto arrived = static_cast<double>(fabric.endpoints.payload_received - 8'000'000);
    const double expected = 8e-9 * arrived / job.completion.toSeconds();
    EXPECT_NEAR(*fabric.flows.goodput_min_gbps, expected, 0.01 * expected);
    EXPECT_EQ(job.arrived->time, job.completion);
  }
}

// Retransmissions after a loss count once, as the data arrives once.
TEST(Goodput, RetransmissionsAreNoPayload) {
  TrialSpec spec = lossyTrial(transport::RoceSpec{});
  spec.dut.bit_errors = {{"hosts", 1e-7}};
  const TrialResult result = resultOf(spec);
  const FabricResult& fabric = *result.fabric;
  EXPECT_GT(fabric.endpoints.retransmitted, 0U);
  EXPECT_EQ(fabric.endpoints.payload_received, 2'000U * 4'096);
  EXPECT_EQ(fabric.jobs.at(0).messages_completed, 2'000U);
  EXPECT_EQ(fabric.data_lost, 0U);  // all were sent again
  EXPECT_GT(fabric.total.dropped(), 0U);
  const double max = 2'000 * 4'096 * 8 / fabric.jobs.at(0).completion.toSeconds() / 1e9;
  EXPECT_LE(*fabric.flows.goodput_mean_gbps, max * 1.01);
}

// One sender keeps its links busy from a known time on: whenever the trial is cut off, a link was
// taken for exactly the time since then.
TEST(Utilisation, CountsOfAFrameOnTheWireWhatHasLeft) {
  for (const BitRate rate : {gigabitsPerSecond(1), gigabitsPerSecond(10), gigabitsPerSecond(100)}) {
    for (const Picoseconds time :
         {microseconds(3), nanoseconds(7'777), microseconds(40), microseconds(333)}) {
      TrialSpec spec;
      spec.dut = oneSwitch(2, rate, nanoseconds(500));
      spec.workload.emplace();
      spec.workload->jobs = {messagesBetween({{0, 1}}, 50'000'000, 1)};
      transport::RoceSpec roce;
      roce.path_mtu = 4'096;
      spec.transport = roce;
      spec.duration = time;
      spec.drain = Picoseconds(0);
      const TrialResult result = resultOf(spec);
      const fabric::Fabric fabric(spec.dut);
      // The first frame, with a RETH, is at the switch's output when it would be at the receiver
      // but for the second cable.
      const Picoseconds second =
          fabric.unloadedLatency(0, 1, Bytes(4'096 + 78)) - spec.dut.topology.host_link_delay;
      for (const bench::LinkLoad& link : result.fabric->links) {
        const bool first = link.name == "host0-switch0";
        if (!first && link.name != "switch0-host1") continue;
        const double share = first ? 1 : 1 - second.toSeconds() / time.toSeconds();
        EXPECT_NEAR(link.utilisation, share, 1e-9) << link.name;
        EXPECT_LE(link.utilisation, 1);
      }
    }
  }
}

TEST(TimeSeries, NoIntervalCarriesMoreThanTheLine) {
  TrialSpec spec;
  spec.dut = oneSwitch(2, gigabitsPerSecond(1), nanoseconds(500));
  spec.workload.emplace();
  spec.workload->jobs = {messagesBetween({{0, 1}}, 50'000'000, 1)};
  spec.duration = microseconds(500);
  spec.drain = Picoseconds(0);
  spec.series.emplace();
  const TrialResult result = resultOf(spec);
  const bench::TimeSeries& series = *result.fabric->series;
  const double max = series.interval.toSeconds() * 1e9 / 8;
  ASSERT_GT(series.sent_bytes.size(), 50U);
  std::uint64_t sum = 0;
  for (const std::uint64_t bytes : series.sent_bytes) {
    EXPECT_LE(static_cast<double>(bytes), max);
    sum += bytes;
  }
  // 500 us at 1 Gb/s less preambles and gaps, of 20 in 4,178 bytes.
  EXPECT_NEAR(static_cast<double>(sum), 62'500 * 4'158.0 / 4'178, 62'500 * 0.003);
}

// A storm of 15 s holds up one message; then it ends.
TEST(Deadlock, IsNotWaitingForAStormToEnd) {
  TrialSpec spec;
  spec.dut = oneSwitch(2, gigabitsPerSecond(100), nanoseconds(50));
  spec.dut.storms = {{1, 0x08, Picoseconds(0), seconds(15)}};
  spec.workload.emplace();
  spec.workload->jobs = {messagesBetween({{0, 1}}, 65'536, 1)};
  spec.workload->jobs[0].start = milliseconds(1);
  transport::RoceSpec roce;
  roce.ack_timeout = roce.max_ack_timeout = seconds(60);
  spec.transport = roce;
  const TrialResult result = resultOf(spec);
  EXPECT_THAT(result.faults, IsEmpty());
  const JobOutcome& job = result.fabric->jobs.at(0);
  EXPECT_TRUE(job.finished);
  EXPECT_GT(job.completion, seconds(15) - milliseconds(1));
  EXPECT_LT(job.completion, seconds(15) - milliseconds(1) + microseconds(100));
}

// Open messages have the age that they have at the trial's end, one that is split over flows once.
TEST(CutOff, OpenMessagesHaveAnAge) {
  using enum transport::Verb;
  for (const bench::TransportSpec& transport :
       {bench::TransportSpec(transport::RoceSpec{}), bench::TransportSpec(transport::UetSpec{}),
        uc(), uud()}) {
    for (const auto verb : {kWrite, kRead}) {
      for (const bool split : {false, true}) {
        TrialSpec spec;
        spec.transport = transport;
        if (verb == kRead && !bench::acknowledgesMessages(spec)) continue;
        spec.dut = oneSwitch(3, gigabitsPerSecond(100), nanoseconds(500));
        spec.duration = microseconds(100);
        spec.drain = Picoseconds(0);
        spec.workload.emplace();
        // From 70 us on, three of 320 us each; from 20 us on, many of 5 us.
        spec.workload->jobs = {messagesBetween({{0, 1}}, 4'000'000, 3),
                               messagesBetween({{1, 2}}, 65'536, 1'000)};
        spec.workload->jobs[1].name = "short";
        const std::int64_t starts_us[] = {70, 20};
        for (std::size_t i = 0; i < 2; ++i) {
          workload::JobSpec& job = spec.workload->jobs[i];
          job.start = microseconds(starts_us[i]);
          job.verb = verb;
          std::get<workload::MessageProgram>(job.program).load = workload::ClosedLoop{3};
          if (!split) continue;
          job.flows = 4;
          job.first_flow = i == 0 ? 0 : 8;
          job.flow_use = workload::FlowUse::kSplit;
        }
        const FabricResult fabric = *resultOf(spec).fabric;
        const JobOutcome& longs = fabric.jobs.at(0);
        EXPECT_EQ(longs.messages_open, 3U);
        EXPECT_EQ(longs.open_age.count(), 3U);
        EXPECT_EQ(longs.open_age.minimum(), 30'000'000U);
        EXPECT_EQ(longs.open_age.maximum(), 30'000'000U);
        const JobOutcome& shorts = fabric.jobs.at(1);
        EXPECT_GT(shorts.messages_completed, 5U);
        EXPECT_EQ(shorts.open_age.count(), shorts.messages_open);
        EXPECT_LT(shorts.open_age.maximum(), 25'000'000U);
      }
    }
  }
}

// Messages of 1 MiB, of which each loses some packet: one in 100 us, which the link carries in 86.
// When the fourth one is arriving, the other three are lost.
TEST(CutOff, MessagesThatOthersHavePassedAreLost) {
  for (const bench::TransportSpec& transport : {uc(), uud()}) {
    for (const bool split : {false, true}) {
      TrialSpec spec = lossyTrial(transport, 1U << 20);
      workload::JobSpec& job = spec.workload->jobs[0];
      std::get<workload::MessageProgram>(job.program).load = workload::Arrivals{microseconds(100)};
      if (split) {
        job.flows = 4;
        job.flow_use = workload::FlowUse::kSplit;
      }
      spec.duration = microseconds(350);
      spec.drain = Picoseconds(0);
      const JobOutcome outcome = resultOf(spec).fabric->jobs.at(0);
      EXPECT_EQ(outcome.messages_completed, 0U);
      EXPECT_EQ(outcome.messages_failed, 3U);
      EXPECT_EQ(outcome.messages_open, 1U);
      EXPECT_EQ(outcome.open_age.maximum(), 50'000'000U);
    }
  }
}

// A cable is cut for good at 20 us, and without acknowledgements the sender goes on: what it sends
// is lost, but for what is on the wire when the trial ends.
TEST(CutOff, MessagesWithoutAFrameInTheFabricAreLost) {
  for (const bench::TransportSpec& transport : {uc(), uud()}) {
    TrialSpec spec;
    spec.dut = oneSwitch(2, gigabitsPerSecond(100), nanoseconds(500));
    spec.dut.failures.push_back({"host1-switch0", microseconds(20), {}});
    spec.transport = transport;
    spec.duration = microseconds(200);
    spec.drain = Picoseconds(0);
    spec.workload.emplace();
    spec.workload->jobs = {
        messagesBetween({{0, 1}}, 4'096, std::numeric_limits<std::uint64_t>::max())};
    std::get<workload::MessageProgram>(spec.workload->jobs[0].program).load =
        workload::ClosedLoop{2};
    const FabricResult fabric = *resultOf(spec).fabric;
    const JobOutcome& job = fabric.jobs.at(0);
    // Frames of 4,096 B and headers at 100 Gb/s: one in 335 to 345 ns, on the way for 2 us.
    EXPECT_NEAR(static_cast<double>(job.messages_completed), (20 - 2) / 0.34, 3);
    EXPECT_NEAR(static_cast<double>(job.messages_failed), 180 / 0.34, 12);
    EXPECT_GT(fabric.frames_inside, 0U);
    EXPECT_LE(job.messages_open, fabric.frames_inside + 2);
    EXPECT_EQ(job.open_age.count(), job.messages_open);
    EXPECT_EQ(job.messages_failed, fabric.total.dropped());
  }
}

// A trial that ends before its messages: none has a time.
TEST(CutOff, WhatIsNotDoneHasNoTime) {
  TrialSpec spec;
  spec.dut = oneSwitch(2, gigabitsPerSecond(100), nanoseconds(50));
  spec.workload.emplace();
  spec.workload->jobs = {messagesBetween({{0, 1}}, 10'000'000, 3)};
  spec.duration = microseconds(100);
  spec.drain = Picoseconds(0);
  for (const bench::TransportSpec& transport :
       {bench::TransportSpec(transport::RoceSpec{}), uc()}) {
    spec.transport = transport;
    const TrialResult result = resultOf(spec);
    const JobOutcome& job = result.fabric->jobs.at(0);
    EXPECT_FALSE(job.finished);
    EXPECT_EQ(job.messages_completed, 0U);
    EXPECT_EQ(job.messages_failed, 0U);
    EXPECT_EQ(job.messages_open, 1U);  // one at a time
    EXPECT_EQ(job.message_time.count(), 0U);
    EXPECT_EQ(result.fabric->data_lost, 0U);
    // Payload arrived, so there is a flow, but no completed message.
    EXPECT_EQ(result.fabric->flows.flows, 1U);
    EXPECT_EQ(job.bytes_arrived, 0U);
  }
  spec.transport.reset();
  spec.workload->jobs[0].start = seconds(1);
  const TrialResult empty = resultOf(spec);
  EXPECT_EQ(empty.fabric->flows.flows, 0U);
  EXPECT_EQ(empty.fabric->flows.goodput_mean_gbps, std::nullopt);
  EXPECT_EQ(empty.fabric->flows.jfi, std::nullopt);
}

}  // namespace
}  // namespace plumbline::sim::testing
