// A bench and a target program that communicate over TCP, as on two hosts; rdma-core is replaced by
// a fake.
#include "bench_verbs/verbs_peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "base/error.h"
#include "bench_verbs/verbs_carrier.h"
#include "endpoint/endpoint_bench.h"
#include "endpoint/target_service.h"
#include "tests/base/error_of.h"
#include "tests/bench_verbs/fake_library.h"

namespace plumbline::bench_verbs {
namespace {

using bench::Operation;
using testing::HasSubstr;

constexpr const char* kHere = "127.0.0.1";

class VerbsPeerTest : public testing::Test {
 protected:
  VerbsPeerTest() : listener_(kHere, 0) {
    spec_.peer = kHere;
    spec_.peer_port = listener_.port();
  }
  ~VerbsPeerTest() override { stop(); }

  void serve() {
    service_ = std::jthread([this] {
      endpoint::TargetService(std::make_unique<VerbsTargetLibrary>(
                                  bench::EndpointSpec{}, std::make_unique<FakeLibrary>(script_)),
                              "", [](const std::string&) {})
          .serve(listener_, stop_);
    });
  }
  void stop() {
    stop_.store(true);
    if (service_.joinable()) service_.join();
  }
  std::unique_ptr<endpoint::Channel> connect(Operation operation = Operation::kSend) {
    return VerbsCarrier(spec_, std::make_unique<FakeLibrary>(script_))
        .connect({operation, Bytes(1000), 2, 4});
  }

  FakeScript script_;
  endpoint::PeerListener listener_;
  bench::EndpointSpec spec_;
  std::atomic<bool> stop_{false};
  std::jthread service_;
};

TEST_F(VerbsPeerTest, BringsTheBytesAndTheTargetTellsOfThem) {
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
    EXPECT_EQ(told, endpoint::targetIsNotified(operation) ? 16U : 0U);
  }
}

TEST_F(VerbsPeerTest, ATargetThatCannotSaysWhy) {
  script_.target_errno = ENOMEM;
  serve();
  const Error error = errorOf([&] { connect(); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("the target program at 127.0.0.1"));
  EXPECT_THAT(error.what(), HasSubstr("ibv_reg_mr: Cannot allocate memory"));
  EXPECT_THAT(error.what(), HasSubstr("ulimit -l unlimited"));
}

TEST_F(VerbsPeerTest, ATargetThatFailsLaterSaysWhy) {
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

TEST_F(VerbsPeerTest, ACarrierWithoutItsPeerSaysWhatToStart) {
  {
    const endpoint::PeerListener closed(kHere, 0);
    spec_.peer_port = closed.port();
  }
  const Error error = errorOf([&] { VerbsCarrier(spec_, std::make_unique<FakeLibrary>(script_)); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("does not answer: Connection refused"));
  EXPECT_THAT(error.remedy(), HasSubstr("plumbline-target --library verbs"));
}

class FakePeerBench final : public endpoint::EndpointBench {
 public:
  FakePeerBench(FakeScript& script, const bench::EndpointSpec& spec)
      : EndpointBench("verbs", "a fake", gigabitsPerSecond(100)) {
    open(spec, std::make_unique<VerbsCarrier>(spec, std::make_unique<FakeLibrary>(script)));
  }
};

// For an unreliable service only messages that the target reports have arrived.
TEST_F(VerbsPeerTest, ATrialTakesTheTargetsWord) {
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
  trial.duration = milliseconds(20);
  trial.drain = seconds(60);
  const bench::TrialResult result = bench.run(trial, {});
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(result.streams[0].sent_frames, 24U);
  EXPECT_EQ(result.streams[0].received_frames, 24U);
}

}  // namespace
}  // namespace plumbline::bench_verbs
