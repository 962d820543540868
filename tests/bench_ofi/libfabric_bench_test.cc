#include "bench_ofi/libfabric_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace plumbline::bench_ofi {
namespace {

using bench::TrialResult;
using bench::TrialSpec;
using testing::HasSubstr;

// For the last message, on a machine that does other work as well.
constexpr Picoseconds kLongestWait = seconds(60);

// `bytes` of message in a WRITE frame over IPv4.
bench::StreamSpec stream(std::uint32_t from, std::uint32_t to, std::int64_t bytes, Fraction rate) {
  constexpr std::int64_t kHeaders = 14 + 20 + 8 + 12 + 16 + 4 + 4;
  bench::StreamSpec stream;
  stream.name = "host" + std::to_string(from) + " to host" + std::to_string(to);
  stream.from = from;
  stream.to = to;
  stream.format.transport = bench::Transport::kRoceWrite;
  stream.format.qps = 2;
  stream.frame = Bytes(bytes + kHeaders);
  stream.load = bench::ConstantLoad{rate};
  stream.group = from;
  return stream;
}

TrialSpec trial(std::int64_t bytes, Fraction rate) {
  TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kLink;
  spec.streams.push_back(stream(0, 1, bytes, rate));
  spec.duration = milliseconds(50);
  spec.drain = kLongestWait;
  return spec;
}

class LibfabricBenchOver : public testing::TestWithParam<const char*> {
 protected:
  LibfabricBench open() {
    bench::EndpointSpec spec;
    spec.provider = GetParam();
    return LibfabricBench(spec, gigabitsPerSecond(100));
  }
};

TEST_P(LibfabricBenchOver, DeliversALightLoadBothWays) {
  LibfabricBench bench = open();
  // 1 Gb/s of 1,000-byte messages: a frame of 1,078 B every 8,784 ns, so 5,693 in 50 ms.
  TrialSpec spec = trial(1000, Fraction::percent(1));
  spec.streams.push_back(stream(1, 0, 1000, Fraction::percent(1)));
  ASSERT_TRUE(bench.refusals(spec).empty());
  const TrialResult result = bench.run(spec, {});
  EXPECT_TRUE(result.valid()) << result.faults.front();
  EXPECT_EQ(result.bench, "libfabric");
  EXPECT_EQ(result.observed, ObservationPoint::kEndpointSoftware);
  ASSERT_EQ(result.streams.size(), 2U);
  for (const bench::StreamResult& one : result.streams) {
    EXPECT_EQ(one.sent_frames, 5693U);
    EXPECT_EQ(one.received_frames, 5693U);
    EXPECT_EQ(one.lost, 0U);
  }
  ASSERT_EQ(result.latency.size(), 2U);
  for (const bench::GroupLatency& group : result.latency) {
    EXPECT_EQ(group.histogram.count(), 5693U);
    // No message passes between two threads in 100 ns.
    EXPECT_GT(group.histogram.minimum(), 100'000U);
    EXPECT_LT(group.histogram.maximum(),
              static_cast<std::uint64_t>((spec.duration + kLongestWait).count()));
  }
  EXPECT_TRUE(result.ports.empty());  // not observed, and so not there
  EXPECT_TRUE(result.host_counters.empty());
}

// First, Middle and Last frames of the card are one message here, by every operation.
TEST_P(LibfabricBenchOver, SendsMessagesOfSeveralFrames) {
  for (const bench::Operation operation :
       {bench::Operation::kWrite, bench::Operation::kWriteImmediate, bench::Operation::kSend,
        bench::Operation::kRead}) {
    SCOPED_TRACE(endpoint::operationName(operation));
    bench::EndpointSpec endpoint;
    endpoint.provider = GetParam();
    endpoint.operation = operation;
    LibfabricBench bench(endpoint, gigabitsPerSecond(100));
    TrialSpec spec = trial(4096, Fraction::percent(1));
    bench::StreamSpec& stream = spec.streams[0];
    stream.queue_pairs = bench::QueuePairSpec{{}, 25, false, Bytes(100'000)};
    stream.load = bench::BurstLoad{25, Bytes(0), 20, milliseconds(1)};
    ASSERT_EQ(bench.refusals(spec), std::vector<std::string>{});
    const TrialResult result = bench.run(spec, {});
    EXPECT_TRUE(result.valid()) << result.faults.front();
    EXPECT_EQ(result.streams[0].sent_frames, 20U);
    EXPECT_EQ(result.streams[0].lost, 0U);
    // 25 frames of 62 B around the payload, 16 B more in the first one.
    EXPECT_EQ(result.streams[0].received_bytes, 20U * (25 * 62 + 16 + 100'000));
    ASSERT_EQ(result.latency.size(), 1U);
    EXPECT_EQ(result.latency[0].histogram.count(), 20U);
  }
}

INSTANTIATE_TEST_SUITE_P(Loopback, LibfabricBenchOver,
                         testing::Values("tcp;ofi_rxm", "shm", "udp;ofi_rxd"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase_if(name, [](char c) { return c == ';' || c == '_'; });
                           return name;
                         });

// No software on one machine posts 100 Gb/s of 64-byte messages: undelivered messages count as
// lost, and the trial ends in time.
TEST(LibfabricBench, CountsWhatItCannotDeliverAsLost) {
  bench::EndpointSpec endpoint;
  endpoint.provider = "tcp;ofi_rxm";
  LibfabricBench bench(endpoint, gigabitsPerSecond(100));
  TrialSpec spec = trial(64, Fraction::one());
  spec.drain = milliseconds(1);
  const TrialResult result = bench.run(spec, {});
  ASSERT_TRUE(result.valid()) << result.faults.front();
  // A frame of 142 B and its gap take 12,960 ps.
  EXPECT_EQ(result.streams[0].sent_frames, static_cast<std::uint64_t>(std::ceil(50e9 / 12'960.0)));
  EXPECT_GT(result.streams[0].received_frames, 0U);
  EXPECT_EQ(result.streams[0].lost,
            result.streams[0].sent_frames - result.streams[0].received_frames);
  EXPECT_GT(result.streams[0].lost, 0U);
  EXPECT_LT(result.wall_seconds, 10.0);
}

TEST(LibfabricBench, TellsWhatItRunsOnAndWhatItCannotSee) {
  bench::EndpointSpec endpoint;
  endpoint.provider = "shm";
  const LibfabricBench bench(endpoint, gigabitsPerSecond(100));
  std::string names;
  for (const auto& [name, value] : bench.capabilities().configuration) {
    names += name + "\n";
    EXPECT_FALSE(value.empty()) << name;
  }
  for (const char* name : {"libfabric provider", "Kernel", "Frequency governor", "NUMA nodes",
                           "Clock", "Non-fabric overhead"}) {
    EXPECT_THAT(names, HasSubstr(name));
  }
  std::string unobserved;
  for (const bench::Unobserved& one : bench.capabilities().unobserved) {
    unobserved += one.what + "\n";
    EXPECT_FALSE(one.why.empty()) << one.what;
  }
  EXPECT_THAT(unobserved, HasSubstr("one-way latency"));
  EXPECT_THAT(unobserved, HasSubstr("utilisation of ports"));
  EXPECT_THAT(unobserved, HasSubstr("retransmissions"));
}

TEST(LibfabricBench, WithoutEndpointsSaysWhatItIsAndRunsNothing) {
  LibfabricBench bench(std::nullopt, gigabitsPerSecond(100));
  EXPECT_EQ(bench.capabilities().name, "libfabric");
  EXPECT_THROW(bench.run(trial(64, Fraction::percent(1)), {}), Error);
}

TEST(LibfabricBench, RefusesWhatSoftwareCannotDo) {
  const LibfabricBench bench(std::nullopt, gigabitsPerSecond(100));
  const auto refused = [&](const TrialSpec& spec) {
    const auto why = bench.refusals(spec);
    return why.empty() ? std::string() : why.front();
  };
  EXPECT_EQ(refused(trial(64, Fraction::percent(1))), "");
  TrialSpec spec = trial(64, Fraction::percent(1));
  spec.streams[0].load = bench::BurstLoad{};  // of one frame: a message
  EXPECT_EQ(refused(spec), "");
  spec.streams[0].load = bench::BurstLoad{2, Bytes(0), 1, {}};
  EXPECT_THAT(refused(spec), HasSubstr("the rtl bench can"));
  spec = trial(64, Fraction::percent(1));
  spec.streams[0].format.transport = bench::Transport::kUetRud;
  EXPECT_THAT(refused(spec), HasSubstr("rocev2-write or rocev2-send"));
  spec = trial(64, Fraction::percent(1));
  spec.streams[0].format.qps = 257;
  EXPECT_THAT(refused(spec), HasSubstr("257 queue pairs"));
  spec = trial(64, Fraction::percent(1));
  spec.capture_port = 0;
  EXPECT_THAT(refused(spec), HasSubstr("rtl captures"));
  spec = trial(std::int64_t{9} << 30, Fraction::percent(1));
  EXPECT_THAT(refused(spec), HasSubstr("a message of 9663676416 B"));
  spec = trial(64, Fraction::percent(1));
  spec.streams[0].start = spec.duration;
  EXPECT_THAT(refused(spec), HasSubstr("nothing to send"));
}

}  // namespace
}  // namespace plumbline::bench_ofi
