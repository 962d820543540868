// A bench and a target program that talk to each other over TCP, as on two hosts; rdma-core is
// stood in for.
#include "bench_verbs/remote_channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "base/error.h"
#include "bench_verbs/target_service.h"
#include "bench_verbs/verbs_carrier.h"
#include "endpoint/endpoint_bench.h"
#include "tests/base/error_of.h"
#include "tests/bench_verbs/fake_library.h"

namespace plumbline::bench_verbs {
namespace {

using bench::Operation;
using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr const char* kHere = "127.0.0.1";
constexpr milliseconds kPatience{10'000};

class RemoteChannelTest : public testing::Test {
 protected:
  RemoteChannelTest() : listener_(kHere, 0) {
    spec_.peer = kHere;
    spec_.peer_port = listener_.port();
  }
  ~RemoteChannelTest() override { stop(); }

  void serve() {
    service_ = std::jthread([this] {
      TargetService({}, std::make_unique<FakeLibrary>(script_), [](const std::string&) {
      }).serve(listener_, stop_);
    });
  }
  void stop() {
    stop_.store(true);
    if (service_.joinable()) service_.join();
  }
  std::unique_ptr<RemoteChannel> connect(Operation operation = Operation::kSend) {
    FakeLibrary library(script_);
    return std::make_unique<RemoteChannel>(spec_, library,
                                           endpoint::ChannelSpec{operation, Bytes(1000), 2, 4});
  }

  FakeScript script_;
  PeerListener listener_;
  bench::EndpointSpec spec_;
  std::atomic<bool> stop_{false};
  std::jthread service_;
};

TEST_F(RemoteChannelTest, BringsTheBytesAndTheTargetTellsOfThem) {
  serve();
  for (const Operation operation :
       {Operation::kWrite, Operation::kWriteImmediate, Operation::kSend, Operation::kRead}) {
    const auto channel = connect(operation);
    EXPECT_FALSE(channel->intact());
    std::size_t told = 0;
    for (int round = 0; round < 2; ++round) {
      for (std::uint32_t slot = 0; slot < 8; ++slot) ASSERT_TRUE(channel->post(slot / 4, slot));
      std::array<std::uint32_t, 16> done{};
      EXPECT_EQ(channel->poll(done), 8U);
      told += channel->serve();  // by then the target has posted its receives again
    }
    EXPECT_TRUE(channel->intact());
    EXPECT_EQ(told, endpoint::targetIsTold(operation) ? 16U : 0U);
  }
}

TEST_F(RemoteChannelTest, ATargetThatCannotSaysWhy) {
  script_.target_errno = ENOMEM;
  serve();
  const Error error = errorOf([&] { connect(); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("the target program at 127.0.0.1"));
  EXPECT_THAT(error.what(), HasSubstr("ibv_reg_mr: Cannot allocate memory"));
  EXPECT_THAT(error.what(), HasSubstr("ulimit -l unlimited"));
}

TEST_F(RemoteChannelTest, ATargetThatFailsLaterSaysWhy) {
  serve();
  const auto channel = connect();
  {
    const std::lock_guard lock(script_.mutex);
    script_.poll_error = EIO;  // of the target: this side does not poll
  }
  const Error error = errorOf([&] {
    for (int i = 0; i < 100; ++i) channel->serve();
  });
  EXPECT_EQ(error.kind(), ErrorKind::kTester);
  EXPECT_THAT(error.what(), HasSubstr("says: target: ibv_poll_cq"));
}

TEST_F(RemoteChannelTest, ATargetProgramThatEndsIsNoticed) {
  serve();
  const auto channel = connect();
  EXPECT_EQ(channel->serve(), 0U);
  stop();
  const Error error = errorOf([&] {
    for (int i = 0; i < 100; ++i) channel->serve();
  });
  EXPECT_EQ(error.kind(), ErrorKind::kTester);
  EXPECT_THAT(error.remedy(), HasSubstr("peer's process and link"));
}

TEST_F(RemoteChannelTest, AnotherProgramIsNoTarget) {
  const std::jthread other([this] {
    auto call = listener_.accept(kPatience);
    call->receive(kPatience);
    call->send("HTTP/1.1 400 Bad Request");
  });
  const Error error = errorOf([&] { connect(); });
  EXPECT_THAT(error.what(), HasSubstr("makes no sense: not JSON"));
  EXPECT_THAT(error.remedy(), HasSubstr("plumbline-verbs-target"));
}

TEST_F(RemoteChannelTest, ATargetProgramRefusesWhatIsNoRequest) {
  serve();
  for (const char* line : {"GET / HTTP/1.1", "{}"}) {
    PeerSocket peer = callPeer(kHere, spec_.peer_port);
    peer.send(line);
    const auto answer = peer.receive(kPatience);
    ASSERT_TRUE(answer);
    EXPECT_THAT(*answer, HasSubstr("this is no request for a target"));
    EXPECT_THROW(peer.receive(kPatience), Error) << "it hangs up";
  }
  connect();  // it serves on
}

TEST_F(RemoteChannelTest, ALineWithoutEndIsNotWaitedFor) {
  serve();
  PeerSocket peer = callPeer(kHere, spec_.peer_port);
  EXPECT_THROW(
      {
        for (int i = 0; i < 1000; ++i) peer.send(std::string(1000, 'x') + '\r');
        while (peer.receive(kPatience)) {
        }
      },
      Error);
}

TEST_F(RemoteChannelTest, ACarrierWithoutItsPeerSaysWhatToStart) {
  {
    const PeerListener closed(kHere, 0);
    spec_.peer_port = closed.port();
  }
  const Error error = errorOf([&] { VerbsCarrier(spec_, std::make_unique<FakeLibrary>(script_)); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("does not answer: Connection refused"));
  EXPECT_THAT(error.remedy(), HasSubstr("plumbline-verbs-target"));
}

TEST_F(RemoteChannelTest, AnAddressOfAnotherHostCannotBeWaitedAt) {
  const Error error = errorOf([] { PeerListener("198.18.77.77", 0); });
  EXPECT_EQ(error.kind(), ErrorKind::kUsage);
  EXPECT_THAT(error.what(), HasSubstr("198.18.77.77"));
}

class FakePeerBench final : public endpoint::EndpointBench {
 public:
  FakePeerBench(FakeScript& script, const bench::EndpointSpec& spec)
      : EndpointBench("verbs", "a fake", gigabitsPerSecond(100)) {
    open(spec, std::make_unique<VerbsCarrier>(spec, std::make_unique<FakeLibrary>(script)));
  }
};

// Of an unreliable service only what the target tells of has arrived.
TEST_F(RemoteChannelTest, ATrialTakesTheTargetsWord) {
  serve();
  spec_.service = bench::QueuePairService::kUnreliable;
  spec_.window = 64;
  FakePeerBench bench(script_, spec_);
  bench::TrialSpec trial;
  trial.dut.topology.kind = fabric::TopologyKind::kLink;
  bench::StreamSpec stream;
  stream.name = "host0 to host1";
  stream.to = 1;
  stream.format.transport = bench::Transport::kRoceSend;
  stream.frame = Bytes(1062);  // 1,000 bytes of message, one every 865.6 us at 1/10,000 of 100 Gb/s
  stream.load = bench::ConstantLoad{Fraction::partsPerTrillion(100'000'000)};
  trial.streams.push_back(stream);
  trial.duration = plumbline::milliseconds(20);
  trial.drain = seconds(5);
  const bench::TrialResult result = bench.run(trial, {});
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(result.streams[0].sent_frames, 24U);
  EXPECT_EQ(result.streams[0].received_frames, 24U);
}

}  // namespace
}  // namespace plumbline::bench_verbs
