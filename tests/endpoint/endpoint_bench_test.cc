#include "endpoint/endpoint_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/error.h"
#include "base/work.h"
#include "bench/trial/message_refusals.h"
#include "suite/framework/frame_size.h"
#include "tests/endpoint/fake_channel.h"

namespace plumbline::endpoint {
namespace {

using testing::HasSubstr;

struct FakeCarrierState {
  FakeBehaviour behaviour;
  std::vector<ChannelSpec> connected;
  std::vector<bench::HostCounter> counters;
  std::vector<bench::Unobserved> uncounted;
};

class FakeCarrier final : public Carrier {
 public:
  explicit FakeCarrier(FakeCarrierState& state) : state_(state) {}
  std::unique_ptr<Channel> connect(const ChannelSpec& spec) override {
    state_.connected.push_back(spec);
    return std::make_unique<FakeChannel>(state_.behaviour);
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> configuration() const override {
    return {{"Carrier", "a fake"}};
  }
  // Seven more at every look.
  [[nodiscard]] std::vector<bench::HostCounter> counters() const override {
    for (bench::HostCounter& counter : state_.counters) counter.value += 7;
    return state_.counters;
  }
  [[nodiscard]] std::vector<bench::Unobserved> uncounted() const override {
    return state_.uncounted;
  }

 private:
  FakeCarrierState& state_;
};

class FakeBench final : public EndpointBench {
 public:
  FakeBench(FakeCarrierState& state, const bench::EndpointSpec& spec)
      : EndpointBench("fake", "a fake", gigabitsPerSecond(100)) {
    open(spec, std::make_unique<FakeCarrier>(state));
  }
};

bench::TrialSpec trial(bench::Transport transport) {
  bench::TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kLink;
  bench::StreamSpec stream;
  stream.name = "host0 to host1";
  stream.to = 1;
  stream.format.transport = transport;
  stream.format.qps = 4;
  stream.frame = suite::messagePoint(Bytes(4096), stream.format).frame;
  stream.load = bench::ConstantLoad{Fraction::percent(1)};
  spec.streams.push_back(stream);
  spec.duration = milliseconds(10);
  spec.drain = seconds(2);
  return spec;
}

TEST(EndpointBench, TakesOperationAndMessageFromTheTrial) {
  FakeCarrierState state;
  FakeBench bench(state, {});
  ASSERT_EQ(state.connected.size(), 1U);  // the calibration, of empty messages
  EXPECT_EQ(state.connected[0].message, Bytes(0));
  bench.run(trial(bench::Transport::kRoceWrite), {});
  bench.run(trial(bench::Transport::kRoceSend), {});
  ASSERT_EQ(state.connected.size(), 3U);
  EXPECT_EQ(state.connected[1].operation, bench::Operation::kWrite);
  EXPECT_EQ(state.connected[2].operation, bench::Operation::kSend);
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(state.connected[i].message, Bytes(4096));
    EXPECT_EQ(state.connected[i].queue_pairs, 4U);
    EXPECT_EQ(state.connected[i].window, 16U);
  }
  bench::EndpointSpec read;
  read.operation = bench::Operation::kRead;
  FakeBench(state, read).run(trial(bench::Transport::kRoceWrite), {});
  EXPECT_EQ(state.connected.back().operation, bench::Operation::kRead);
}

// The payload of a frame of the suite is the bench's message, whatever the headers.
TEST(EndpointBench, SendsTheMessagesOfTheSuite) {
  for (const bench::Transport transport :
       {bench::Transport::kRoceWrite, bench::Transport::kRoceSend}) {
    for (const bool ipv6 : {false, true}) {
      bench::StreamSpec stream;
      stream.format.transport = transport;
      stream.format.ipv6 = ipv6;
      if (ipv6) stream.format.vlan_id = 7;
      for (const std::int64_t size : {4, 64, 1'048'576}) {
        stream.frame = suite::messagePoint(Bytes(size), stream.format).frame;
        EXPECT_EQ(bench::messageBytes(stream), Bytes(size));
      }
    }
  }
}

// Frames of a message on the wire are one message here.
TEST(EndpointBench, SendsStreamsOfSeveralFramesAsTheirMessages) {
  FakeCarrierState state;
  FakeBench bench(state, {});
  bench::TrialSpec spec = trial(bench::Transport::kRoceWrite);
  bench::StreamSpec& stream = spec.streams[0];
  stream.queue_pairs = bench::QueuePairSpec{{}, 16, false, Bytes(65'536)};
  const auto result = bench.run(spec, {});
  EXPECT_EQ(state.connected.back().message, Bytes(65'536));
  // 10 ms at 1 % of 100 Gb/s: a message every 16 slots of 4,194 B.
  EXPECT_EQ(result.streams[0].sent_frames, 19U);
  EXPECT_EQ(result.streams[0].sent_bytes, 19U * (16 * 62 + 16 + 65'536));
  EXPECT_EQ(result.lost(), 0U);

  // All frames have the same length: those without RETH carry 16 B more payload.
  stream.queue_pairs = bench::QueuePairSpec{{}, 3, false, {}};
  bench.run(spec, {});
  EXPECT_EQ(state.connected.back().message, Bytes(3 * 4096 + 2 * 16));

  // A burst of one message's frames is the message.
  stream.load = bench::BurstLoad{3, Bytes(0), 5, microseconds(500)};
  const auto bursts = bench.run(spec, {});
  EXPECT_EQ(bursts.streams[0].sent_frames, 5U);
  EXPECT_EQ(bursts.latency.at(0).histogram.count(), 5U);
}

TEST(EndpointBench, RefusesWhatSoftwareCannotDoWithStreams) {
  FakeCarrierState state;
  const FakeBench bench(state, {});
  const auto refusal = [&](const bench::QueuePairSpec& pairs, const auto& load) {
    bench::TrialSpec spec = trial(bench::Transport::kRoceWrite);
    spec.streams[0].queue_pairs = pairs;
    spec.streams[0].load = load;
    const auto why = bench.refusals(spec);
    return why.empty() ? std::string() : why.front();
  };
  const bench::ConstantLoad constant{Fraction::percent(1)};
  EXPECT_EQ(refusal({{}, 2, false, {}}, constant), "");
  EXPECT_THAT(refusal({{}, 2, true, {}}, constant), HasSubstr("counts them together"));
  EXPECT_THAT(refusal({{1, 2, 3, 4}, 2, false, {}}, constant),
              HasSubstr("takes queue pairs in turn"));
  EXPECT_THAT(refusal({{}, 0, false, {}}, constant), HasSubstr("in 0 frames"));
  EXPECT_THAT(refusal({{}, 2, false, {}}, bench::BurstLoad{4, Bytes(0), 1, {}}),
              HasSubstr("bursts of several messages"));
  EXPECT_THAT(refusal({{}, 2, false, {}}, bench::BurstLoad{2, Bytes(0), 2, {}}),
              HasSubstr("several at once"));
}

TEST(EndpointBench, ReportsWhatTheCarrierCounts) {
  FakeCarrierState state;
  state.counters = {{"fake0 port 1 out_of_sequence", 100}};
  FakeBench bench(state, {});
  const auto result = bench.run(trial(bench::Transport::kRoceWrite), {});
  EXPECT_EQ(result.host_counters,
            (std::vector<bench::HostCounter>{{"fake0 port 1 out_of_sequence", 7}}));
  EXPECT_EQ(bench::TrialResult::fromJson(result.toJson()).host_counters, result.host_counters);
}

TEST(EndpointBench, SaysWhatTheCarrierDoesNotCount) {
  const auto uncounted = [](const FakeBench& bench) {
    std::string all;
    for (const bench::Unobserved& one : bench.capabilities().unobserved) {
      all += one.what + ": " + one.why + "\n";
    }
    return all;
  };
  FakeCarrierState state;
  EXPECT_THAT(uncounted(FakeBench(state, {})), testing::Not(HasSubstr("CNPs")));
  state.uncounted = {{"CNPs sent", "fake0 has no counter for them"}};
  EXPECT_THAT(uncounted(FakeBench(state, {})),
              HasSubstr("CNPs sent: fake0 has no counter for them\n"));
}

// Fixed parts of every latency are in the configuration: the clock's own cost, and the software's.
TEST(EndpointBench, StatesWhatItsClockAndItsSoftwareCost) {
  FakeCarrierState state;
  bench::EndpointSpec spec;
  spec.operation = bench::Operation::kRead;
  const FakeBench bench(state, spec);
  std::map<std::string, std::string> stated(bench.capabilities().configuration.begin(),
                                            bench.capabilities().configuration.end());
  EXPECT_THAT(stated["Clock"],
              testing::MatchesRegex("monotonic clock of the host, resolution [0-9]+ ns; a reading "
                                    "takes [0-9]+ ns .median; at least [0-9]+ ns., which is in "
                                    "every latency"));
  EXPECT_THAT(
      stated["Non-fabric overhead"],
      testing::MatchesRegex("read of 0 B between two endpoints of this host: least [0-9.e+-]+ us, "
                            "P50 [0-9.e+-]+ us, P99 [0-9.e+-]+ us .[0-9]+ messages.; not "
                            "subtracted"));
  EXPECT_EQ(state.connected.at(0).message, Bytes(0));
  EXPECT_EQ(state.connected.at(0).window, 1U);
}

TEST(EndpointBench, DoesNotTrustATrialOfSpoiltMessages) {
  FakeCarrierState state;
  FakeBench bench(state, {});
  state.behaviour.spoilt = true;
  const auto spoilt = bench.run(trial(bench::Transport::kRoceWrite), {});
  ASSERT_EQ(spoilt.faults.size(), 1U);
  EXPECT_THAT(spoilt.faults[0], HasSubstr("does not hold what was sent"));
  state.behaviour.max = 0;
  bench::TrialSpec spec = trial(bench::Transport::kRoceWrite);
  spec.drain = milliseconds(1);
  const auto none = bench.run(spec, {});
  EXPECT_TRUE(none.valid());
  EXPECT_EQ(none.lost(), none.streams[0].sent_frames);
  EXPECT_TRUE(none.latency.empty());
}

TEST(EndpointBench, PassesOnWhatAChannelThrows) {
  FakeCarrierState state;
  FakeBench bench(state, {});
  state.behaviour.fail_after = 10;
  EXPECT_THROW(bench.run(trial(bench::Transport::kRoceWrite), {}), std::runtime_error);
}

class CountingObserver final : public bench::TrialObserver {
 public:
  bool due() override { return true; }
  void onSnapshot(const bench::TrialSnapshot& snapshot) override { last = snapshot; }
  bench::TrialSnapshot last;
};

TEST(EndpointBench, ShowsWhatIsDoneWhileItRuns) {
  FakeCarrierState state;
  FakeBench bench(state, {});
  CountingObserver observer;
  bench::TrialProgress progress;
  const auto result =
      bench.run(trial(bench::Transport::kRoceWrite),
                {[&](const bench::TrialProgress& told) { progress = told; }, {}, &observer});
  EXPECT_TRUE(observer.last.ended);
  ASSERT_EQ(observer.last.flows.size(), 1U);
  EXPECT_EQ(observer.last.flows[0].received_frames, result.streams[0].received_frames);
  EXPECT_EQ(progress.frames_received, result.streams[0].received_frames);
}

TEST(EndpointBench, RefusesMessagesThatDoNotFitIntoMemory) {
  FakeCarrierState state;
  const FakeBench bench(state, {});
  bench::TrialSpec spec = trial(bench::Transport::kRoceWrite);
  spec.streams[0].frame =
      suite::messagePoint(Bytes(std::int64_t{8} << 30), spec.streams[0].format).frame;
  spec.streams.resize(64, spec.streams[0]);  // 2 * 64 * 8 GiB
  const auto why = bench.refusals(spec);
  ASSERT_EQ(why.size(), 1U);
  EXPECT_THAT(why[0], HasSubstr("the program may take"));
}

// A trial that does not fit into the program's memory limit is refused, whatever the machine has.
TEST(EndpointBench, TakesNoMoreThanTheProgramMay) {
  FakeCarrierState state;
  const FakeBench bench(state, {});
  bench::TrialSpec spec = trial(bench::Transport::kRoceWrite);
  setMemoryLimit(2 * 1023);
  spec.streams[0].frame = suite::messagePoint(Bytes(1024), spec.streams[0].format).frame;
  const auto refused = bench.refusals(spec);
  setMemoryLimit(2 * 1024);
  const auto taken = bench.refusals(spec);
  setMemoryLimit(0);
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_THAT(refused[0], HasSubstr("the memory of all messages needs about"));
  EXPECT_TRUE(taken.empty());
}

}  // namespace
}  // namespace plumbline::endpoint
