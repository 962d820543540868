#include "bench_verbs/verbs_carrier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "base/error.h"
#include "bench_verbs/ibv_library.h"
#include "bench_verbs/verbs_bench.h"
#include "endpoint/endpoint_bench.h"
#include "tests/base/error_of.h"
#include "tests/bench_verbs/fake_library.h"

namespace plumbline::bench_verbs {
namespace {

using testing::HasSubstr;

class VerbsCarrierTest : public testing::Test {
 protected:
  VerbsCarrier open(const bench::EndpointSpec& spec = {}) {
    return VerbsCarrier(spec, std::make_unique<FakeLibrary>(script_));
  }
  FakeScript script_;
};

TEST_F(VerbsCarrierTest, SaysWhatToDoWithoutADevice) {
  script_.devices.clear();
  const Error error = errorOf([&] { open(); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);  // exit code 2
  EXPECT_THAT(error.what(), HasSubstr("this machine has no RDMA device"));
  EXPECT_THAT(error.remedy(), HasSubstr("rdma link add"));
}

// The peer has the access to the target's memory that its operation needs, and none to the
// initiator's.
TEST_F(VerbsCarrierTest, OpensMemoryToWhatItsOperationNeeds) {
  using bench::Operation;
  using endpoint::RemoteAccess;
  VerbsCarrier carrier = open();
  for (const auto& [operation, access] :
       {std::pair(Operation::kWrite, RemoteAccess::kWrite),
        std::pair(Operation::kWriteImmediate, RemoteAccess::kWrite),
        std::pair(Operation::kSend, RemoteAccess::kNone),
        std::pair(Operation::kRead, RemoteAccess::kRead)}) {
    script_.ends.clear();
    carrier.connect({operation, Bytes(64), 1, 1});
    ASSERT_EQ(script_.ends.size(), 2U);
    EXPECT_EQ(script_.ends[0].name, "initiator");
    EXPECT_EQ(script_.ends[0].remote, RemoteAccess::kNone);
    EXPECT_EQ(script_.ends[1].remote, access);
  }
}

TEST_F(VerbsCarrierTest, NamesTheDevicesThereAre) {
  script_.devices = {"mlx5_0", "rxe0"};
  bench::EndpointSpec spec;
  spec.device = "mlx5_1";
  EXPECT_THAT(errorOf([&] { open(spec); }).remedy(), HasSubstr("mlx5_0, rxe0"));
  open().connect({});
  EXPECT_EQ(script_.connected.device, "mlx5_0");
}

TEST_F(VerbsCarrierTest, APortThatIsDownIsNotWaitedFor) {
  script_.port_errno = ENETUNREACH;
  const Error error = errorOf([&] { open(); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);  // a matter of setting up
  EXPECT_EQ(error.where(), "endpoint.port");
  EXPECT_THAT(error.what(), HasSubstr("Network is unreachable"));
}

TEST_F(VerbsCarrierTest, SaysHowToLockMoreMemory) {
  script_.connect_errno = ENOMEM;
  VerbsCarrier carrier = open();
  const Error error = errorOf([&] { carrier.connect({}); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(error.remedy(), HasSubstr("ulimit -l unlimited"));
}

TEST_F(VerbsCarrierTest, RefusesWhatTheServiceDoesNotHave) {
  bench::EndpointSpec spec;
  spec.service = bench::QueuePairService::kUnreliable;
  VerbsCarrier carrier = open(spec);
  endpoint::ChannelSpec read;
  read.operation = bench::Operation::kRead;
  EXPECT_EQ(errorOf([&] { carrier.connect(read); }).kind(), ErrorKind::kUnsupported);
  spec.connection = bench::Connection::kConnectionManager;
  EXPECT_EQ(errorOf([&] { open(spec); }).where(), "endpoint.connection");
}

TEST_F(VerbsCarrierTest, RefusesMessagesThatTheDeviceCannotCarry) {
  script_.longest = Bytes(4096);
  VerbsCarrier carrier = open();
  endpoint::ChannelSpec spec;
  spec.message = Bytes(4097);
  EXPECT_THAT(errorOf([&] { carrier.connect(spec); }).what(), HasSubstr("4097 B"));
  spec.message = Bytes(4096);
  EXPECT_NE(carrier.connect(spec), nullptr);
}

// Opens the bench over the fake device.
class FakeBench final : public endpoint::EndpointBench {
 public:
  FakeBench(FakeScript& script, const bench::EndpointSpec& spec)
      : EndpointBench("verbs", "a fake", gigabitsPerSecond(100)) {
    open(spec, std::make_unique<VerbsCarrier>(spec, std::make_unique<FakeLibrary>(script)));
  }
};

bench::TrialSpec lightTrial() {
  bench::TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kLink;
  bench::StreamSpec stream;
  stream.name = "host0 to host1";
  stream.to = 1;
  stream.format.transport = bench::Transport::kRoceSend;
  stream.frame = Bytes(1062);  // 1,000 bytes of message
  stream.load = bench::ConstantLoad{Fraction::percent(1)};
  spec.streams.push_back(stream);
  spec.duration = milliseconds(10);
  spec.drain = seconds(60);
  return spec;
}

// For an unreliable service only messages with a completion at the target have arrived; for a
// reliable one all completed ones.
TEST_F(VerbsCarrierTest, UnreliableCompletionsAreNoDeliveries) {
  bench::EndpointSpec spec;
  FakeBench reliable(script_, spec);
  const bench::TrialResult whole = reliable.run(lightTrial(), {});
  EXPECT_TRUE(whole.valid());
  EXPECT_EQ(whole.lost(), 0U);
  // A frame of 1,062 B and its gap at 1 Gb/s: one every 8,656 ns.
  EXPECT_EQ(whole.streams[0].received_frames, 1156U);

  spec.service = bench::QueuePairService::kUnreliable;
  FakeBench unreliable(script_, spec);
  script_.lose_messages = true;
  const bench::TrialResult none = unreliable.run(lightTrial(), {});
  EXPECT_TRUE(none.valid());  // nothing arrived, hence nothing wrong
  EXPECT_EQ(none.streams[0].sent_frames, 1156U);
  EXPECT_EQ(none.streams[0].received_frames, 0U);
  EXPECT_EQ(none.lost(), 1156U);
}

// A fault in the middle of a trial ends it.
TEST_F(VerbsCarrierTest, AFaultEndsTheTrial) {
  FakeBench bench(script_, {});
  script_.status = WorkStatus::kPeerSilent;
  EXPECT_EQ(errorOf([&] { bench.run(lightTrial(), {}); }).kind(), ErrorKind::kTester);
}

TEST(IbvLibrary, HasNoDeviceOrOpensTheOneThereIs) {
  const std::vector<std::string> devices = IbvLibrary().devices();
  if (!devices.empty()) {
    EXPECT_NO_THROW(VerbsCarrier({}, std::make_unique<IbvLibrary>()));
    return;
  }
  try {
    const VerbsBench bench(bench::EndpointSpec{}, gigabitsPerSecond(100));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("this machine has no RDMA device"));
  }
}

}  // namespace
}  // namespace plumbline::bench_verbs
