// A bench over libfabric and a target program in one process, which find each other over TCP as on
// two hosts.
#include "bench_ofi/ofi_peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <set>
#include <thread>

#include "bench_ofi/libfabric_bench.h"
#include "bench_ofi/ofi_carrier.h"
#include "endpoint/clock.h"
#include "endpoint/target_service.h"
#include "tests/base/error_of.h"

namespace plumbline::bench_ofi {
namespace {

using bench::Operation;
using testing::HasSubstr;

constexpr const char* kHere = "127.0.0.1";
constexpr std::int64_t kPatience_ns = 20'000'000'000;

class OfiPeerTest : public testing::TestWithParam<const char*> {
 protected:
  OfiPeerTest() : listener_(kHere, 0) {
    spec_.peer = kHere;
    spec_.peer_port = listener_.port();
    service_ = std::jthread([this] {
      endpoint::TargetService(std::make_unique<OfiTargetLibrary>(bench::EndpointSpec{}), "",
                              [](const std::string&) {})
          .serve(listener_, stop_);
    });
  }
  ~OfiPeerTest() override { stop(); }

  void stop() {
    stop_.store(true);
    if (service_.joinable()) service_.join();
  }

  endpoint::PeerListener listener_;
  bench::EndpointSpec spec_;
  std::atomic<bool> stop_{false};
  std::jthread service_;
};

// Posts one message in every slot and waits for all of them.
void sendWindow(endpoint::Channel& channel, const endpoint::ChannelSpec& spec) {
  const std::int64_t end_ns = endpoint::monotonicNow() + kPatience_ns;
  std::set<std::uint32_t> under_way;
  std::array<std::uint32_t, 64> done{};
  const auto poll = [&] {
    const std::size_t count = channel.poll(done);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(under_way.erase(done[i]), 1U);
  };
  for (std::uint32_t slot = 0; slot < spec.queue_pairs * spec.window; ++slot) {
    while (!channel.post(slot / spec.window, slot)) {
      poll();
      ASSERT_LT(endpoint::monotonicNow(), end_ns);
    }
    EXPECT_TRUE(under_way.insert(slot).second);
  }
  while (!under_way.empty()) {
    poll();
    ASSERT_LT(endpoint::monotonicNow(), end_ns);
  }
}

TEST_P(OfiPeerTest, CarriesMessagesOfEveryOperation) {
  spec_.provider = GetParam();
  OfiCarrier carrier(spec_);
  for (const Operation operation :
       {Operation::kWrite, Operation::kWriteImmediate, Operation::kSend, Operation::kRead}) {
    for (const std::int64_t bytes : {4, 5000, 300'000}) {
      SCOPED_TRACE(endpoint::operationName(operation) + " of " + std::to_string(bytes));
      const endpoint::ChannelSpec channel_spec{operation, Bytes(bytes), 3, 4};
      const auto channel = carrier.connect(channel_spec);
      EXPECT_FALSE(channel->intact()) << "nothing is left of the messages that connect";
      sendWindow(*channel, channel_spec);
      sendWindow(*channel, channel_spec);
      EXPECT_EQ(channel->serve(), endpoint::targetIsNotified(operation) ? 24U : 0U);
      EXPECT_TRUE(channel->intact());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Loopback, OfiPeerTest, testing::Values("tcp;ofi_rxm", "udp;ofi_rxd"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase_if(name, [](char c) { return c == ';' || c == '_'; });
                           return name;
                         });

using OfiTcpPeerTest = OfiPeerTest;

TEST_F(OfiTcpPeerTest, HasAsManyQueuePairsAsAreAskedFor) {
  OfiCarrier carrier(spec_);
  for (const std::uint32_t pairs : {1U, 16U}) {
    const endpoint::ChannelSpec channel_spec{Operation::kSend, Bytes(64), pairs, 2};
    const auto channel = carrier.connect(channel_spec);
    sendWindow(*channel, channel_spec);
    EXPECT_EQ(channel->serve(), 2 * pairs);
    EXPECT_TRUE(channel->intact());
  }
}

TEST_F(OfiTcpPeerTest, AProviderOfOneHostAloneIsRefused) {
  spec_.provider = "shm";
  const Error error = errorOf([&] { OfiCarrier carrier(spec_); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(error.where(), "provider shm");
  EXPECT_THAT(error.what(), HasSubstr("no such endpoint that reaches other hosts"));
  EXPECT_THAT(error.remedy(), HasSubstr("tcp;ofi_rxm"));
  EXPECT_THAT(error.remedy(), testing::Not(HasSubstr("shm")));
}

// The target's host lacks the bench's provider.
TEST_F(OfiTcpPeerTest, AProviderThatThePeerDoesNotHaveIsItsWord) {
  const auto error =
      errorOf([&] { endpoint::Peer(spec_, kLibfabric, R"({"provider":"none","names":[]})"); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("the target program at 127.0.0.1"));
  EXPECT_THAT(error.what(), HasSubstr("provider none: libfabric has no such endpoint"));
}

// Names of the provider's own length are used, others are not passed to it.
TEST_F(OfiTcpPeerTest, ANameOfAnotherKindIsRefused) {
  const endpoint::Peer peer(spec_, kLibfabric, R"({"provider":"tcp;ofi_rxm","names":[]})");
  endpoint::PeerSocket bench = peer.call();
  bench.send(
      R"({"library":"libfabric","operation":"write","message":64,"queue_pairs":1,"window":1,)"
      R"("end":{"provider":"tcp;ofi_rxm","names":["0200"]}})");
  const auto address = bench.receive(std::chrono::seconds(10));
  ASSERT_TRUE(address);
  EXPECT_THAT(*address, HasSubstr("memory"));
  const auto fault = bench.receive(std::chrono::seconds(10));
  ASSERT_TRUE(fault);
  EXPECT_THAT(*fault, HasSubstr("the peer's name of an endpoint has 2 B"));
}

bench::TrialSpec lightTrial() {
  bench::TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kLink;
  bench::StreamSpec stream;
  stream.name = "host0 to host1";
  stream.to = 1;
  stream.format.transport = bench::Transport::kRoceWrite;
  stream.format.qps = 4;
  stream.frame = Bytes(1078);  // 1,000 bytes of message, one every 878.4 us at 1/10,000 of 100 Gb/s
  stream.load = bench::ConstantLoad{Fraction::partsPerTrillion(100'000'000)};
  spec.streams.push_back(stream);
  spec.duration = milliseconds(50);
  spec.drain = seconds(60);
  return spec;
}

TEST_F(OfiTcpPeerTest, ATrialIsMeasuredAndTheReportSaysWhereTheEndsAre) {
  LibfabricBench bench(spec_, gigabitsPerSecond(100));
  const bench::TrialResult result = bench.run(lightTrial(), {});
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(result.streams[0].sent_frames, 57U);
  EXPECT_EQ(result.streams[0].received_frames, 57U);
  const auto& configuration = bench.capabilities().configuration;
  EXPECT_THAT(configuration,
              testing::Contains(testing::Pair(
                  "Where the endpoints are",
                  "initiators on this host, 127.0.0.1, targets on the one at 127.0.0.1")));
  EXPECT_THAT(configuration, testing::Contains(testing::Pair("Target: Kernel", HasSubstr("Lin"))));
  EXPECT_THAT(configuration, testing::Contains(testing::Pair("Target: libfabric provider",
                                                             HasSubstr("tcp;ofi_rxm"))));
}

// The trial ends when the target program does, not with its last message's time.
TEST_F(OfiTcpPeerTest, ATargetProgramThatEndsEndsTheTrial) {
  LibfabricBench bench(spec_, gigabitsPerSecond(100));
  bench::TrialSpec spec = lightTrial();
  spec.duration = seconds(100);
  bench::TrialHooks hooks;
  hooks.progress = [&](const bench::TrialProgress& progress) {
    if (progress.frames_received > 10) stop_.store(true);
  };
  const Error error = errorOf([&] { bench.run(spec, hooks); });
  EXPECT_EQ(error.kind(), ErrorKind::kTester);
  EXPECT_THAT(error.remedy(), HasSubstr("--resume"));
}

}  // namespace
}  // namespace plumbline::bench_ofi
