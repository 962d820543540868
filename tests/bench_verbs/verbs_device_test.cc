// The verbs bench on a real device, with a real peer. Runs in a guest beside another one that runs
// plumbline-target (verbs_guests_test starts both):
//   verbs_device_test PEER OWN
// with the IPv4 addresses of both. Results stay on /dev/vda.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "bench_verbs/ibv_library.h"
#include "bench_verbs/ibv_pairs.h"
#include "bench_verbs/verbs_bench.h"
#include "bench_verbs/verbs_carrier.h"
#include "bench_verbs/verbs_side.h"
#include "endpoint/clock.h"
#include "endpoint/device_counters.h"
#include "endpoint/message_stream.h"
#include "endpoint/peer_socket.h"
#include "tests/base/error_of.h"
#include "tests/bench_verbs/guest_command.h"

namespace plumbline::bench_verbs {
namespace {

using bench::Connection;
using bench::Operation;
using bench::QueuePairService;
using testing::AllOf;
using testing::HasSubstr;

constexpr Bytes kKiB{1024};
constexpr std::chrono::seconds kPeerBoots{60};

bench::EndpointSpec peerSpec() {
  bench::EndpointSpec spec;
  spec.peer = peer_address;
  spec.address = own_address;
  return spec;
}

void waitForPeer() {
  const auto deadline = std::chrono::steady_clock::now() + kPeerBoots;
  for (;;) {
    try {
      endpoint::callPeer(peer_address, bench::EndpointSpec::kDefaultPeerPort);
      return;
    } catch (const Error&) {
      if (std::chrono::steady_clock::now() > deadline) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

// The first one: a device remains as long as a program has it open, and this one keeps what the
// connection manager has opened.
TEST(VerbsCommandAtFirst, EndsWithTwoWithoutADevice) {
  ASSERT_EQ(std::system("rdma link delete rxe0"), 0);
  const CommandOutcome outcome =
      runCommand({.tests = "T5.2",
                  .endpoint = "window: 16",
                  .parameters = "duration: 20ms, drain: 20ms, repetitions: 1"},
                 "none");
  EXPECT_EQ(std::system("rdma link add rxe0 type rxe netdev eth0"), 0);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("this machine has no RDMA device"),
                                  HasSubstr("rdma link add rxe0 type rxe netdev eth0")));
}

struct Case {
  const char* name;
  Operation operation;
  QueuePairService service;
  Connection connection;
  Bytes message;
  std::uint32_t queue_pairs;
  std::uint64_t messages;
  std::int64_t gap_us;       // between two of them
  std::uint32_t window = 4;  // of a queue pair
};

// Every message of a reliable connection completes, and the received bytes are the sent ones; the
// target's program returns its number of completions.
void sendTo(const Case& which) {
  bench::EndpointSpec spec = peerSpec();
  spec.service = which.service;
  spec.connection = which.connection;
  VerbsCarrier carrier(spec, std::make_unique<IbvLibrary>());
  const endpoint::ChannelSpec channel_spec{which.operation, which.message, which.queue_pairs,
                                           which.window};
  const auto counters = carrier.counters();
  const auto channel = carrier.connect(channel_spec);

  const Picoseconds gap = microseconds(which.gap_us);
  const endpoint::MessageSchedule schedule{gap, Fraction::one(), Picoseconds(),
                                           gap * static_cast<std::int64_t>(which.messages),
                                           seconds(30)};
  endpoint::StreamProgress progress;
  endpoint::TargetThread target(*channel);
  const endpoint::MessageOutcome outcome =
      endpoint::sendMessages(*channel, channel_spec, schedule, endpoint::monotonicNow(), progress);
  const std::uint64_t told = target.stop();

  EXPECT_EQ(outcome.due, which.messages);
  EXPECT_EQ(outcome.completed, which.messages);
  EXPECT_EQ(outcome.latency.count(), which.messages);
  EXPECT_TRUE(channel->intact());
  const bool reliable = which.service == QueuePairService::kReliable;
  EXPECT_EQ(told, endpoint::targetIsNotified(which.operation) ? which.messages : 0U);
  EXPECT_EQ(channel->confirmsDelivery(), reliable);
  // Round trip between two emulated machines: more than a microsecond, and less than the sum of a
  // retransmission timeout and the delays of a loaded machine.
  EXPECT_GT(outcome.latency.minimum(), reliable ? 1'000'000U : 0U);
  EXPECT_LT(outcome.latency.maximum(), 20'000'000'000'000U);

  // Counters of soft-RoCE: at least one packet of each message was sent, and none was given up.
  for (const bench::HostCounter& counter :
       endpoint::counterDifference(counters, carrier.counters())) {
    if (counter.name == "rxe0 port 1 sent_pkts") {
      EXPECT_GE(counter.value, which.messages);
    } else if (counter.name == "rxe0 port 1 retry_exceeded_err") {
      EXPECT_EQ(counter.value, 0U);
    }
  }
  std::cout << "LATENCY " << which.name << " least " << outcome.latency.minimum() / 1000
            << " ns, P50 " << outcome.latency.quantile(0.5) / 1000 << " ns\n";
}

constexpr auto kReliable = QueuePairService::kReliable;
constexpr auto kUnreliable = QueuePairService::kUnreliable;
constexpr auto kOutOfBand = Connection::kOutOfBand;
constexpr auto kManager = Connection::kConnectionManager;

// Unreliable sends have no flow control, so the target has a receive for each message from the
// beginning: a slow one that must repost them loses some.
constexpr std::array<Case, 13> kCases{
    {{"RcWrite", Operation::kWrite, kReliable, kOutOfBand, Bytes(64), 1, 200, 1000},
     {"RcWriteImmediate", Operation::kWriteImmediate, kReliable, kOutOfBand, Bytes(64), 4, 200,
      1000},
     {"RcSend", Operation::kSend, kReliable, kOutOfBand, 4 * kKiB, 4, 200, 1000},
     {"RcRead", Operation::kRead, kReliable, kOutOfBand, 64 * kKiB, 1, 20, 10'000},
     {"RcWriteManaged", Operation::kWrite, kReliable, kManager, 64 * kKiB, 4, 20, 10'000},
     {"RcSendManaged", Operation::kSend, kReliable, kManager, Bytes(64), 4, 200, 1000},
     {"RcReadManaged", Operation::kRead, kReliable, kManager, Bytes(64), 16, 200, 1000},
     {"RcWriteImmediateManaged", Operation::kWriteImmediate, kReliable, kManager, 1024 * kKiB, 1, 3,
      100'000},
     {"UcWrite", Operation::kWrite, kUnreliable, kOutOfBand, Bytes(64), 1, 200, 1000},
     {"UcWriteImmediate", Operation::kWriteImmediate, kUnreliable, kOutOfBand, 4 * kKiB, 1, 100,
      2000, 100},
     {"UcSend", Operation::kSend, kUnreliable, kOutOfBand, Bytes(64), 4, 200, 1000, 64},
     {"RcWrite4MiB", Operation::kWrite, kReliable, kOutOfBand, 4096 * kKiB, 1, 2, 200'000},
     {"RcSend256Pairs", Operation::kSend, kReliable, kOutOfBand, Bytes(256), 256, 512, 1000}}};

TEST(MessagesToAPeer, Arrive) {
  for (const Case& which : kCases) {
    SCOPED_TRACE(which.name);
    sendTo(which);
  }
}

// Injected faults of a device. Both ends on this device, as that needs no peer.
class VerbsFaultsOfADevice : public testing::Test {
 protected:
  static bench::EndpointSpec hereSpec() {
    bench::EndpointSpec spec;
    spec.device = "rxe0";
    spec.address = own_address;
    return spec;
  }
};

// Writes one message of 64 bytes by `key`, and again on the same queue pair; returns both faults.
std::vector<Error> faultsOfWrites(EndPair ends, const MemoryKey& key) {
  const endpoint::ChannelSpec channel{Operation::kWrite, Bytes(64), 1, 2};
  Initiator initiator(std::move(ends.initiator), channel);
  std::array<std::uint32_t, 2> done{};
  const auto fault = [&] {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    return errorOf([&] {
      ASSERT_TRUE(initiator.post(0, 0, key));
      while (std::chrono::steady_clock::now() < deadline) initiator.poll(done);
    });
  };
  std::vector<Error> faults{fault()};
  faults.push_back(fault());
  return faults;
}

TEST_F(VerbsFaultsOfADevice, AWrongKeyIsRefusedAndLeavesAQueuePairInError) {
  EndSpec target{"target", 1, 2, 64, endpoint::RemoteAccess::kWrite};
  EndPair ends = IbvLibrary().connect(hereSpec(), {"initiator", 1, 2, 64}, target);
  MemoryKey wrong = ends.target->key();
  wrong.rkey ^= 0x100;
  const std::vector<Error> faults = faultsOfWrites(std::move(ends), wrong);
  EXPECT_EQ(faults[0].kind(), ErrorKind::kTester);
  EXPECT_THAT(faults[0].what(), HasSubstr("the peer refused a message: remote access error"));
  EXPECT_THAT(faults[0].remedy(), HasSubstr("--resume"));
  EXPECT_THAT(faults[1].what(), HasSubstr("the queue pair is in error"));
}

// A target of SEND, or of reads, takes no write, by the right key either.
TEST_F(VerbsFaultsOfADevice, AccessThatTheOperationDoesNotNeedIsRefused) {
  for (const auto access : {endpoint::RemoteAccess::kNone, endpoint::RemoteAccess::kRead}) {
    EndPair ends =
        IbvLibrary().connect(hereSpec(), {"initiator", 1, 2, 64}, {"target", 1, 2, 64, access});
    const MemoryKey key = ends.target->key();
    const std::vector<Error> faults = faultsOfWrites(std::move(ends), key);
    EXPECT_THAT(faults[0].what(), HasSubstr("the peer refused a message: remote "));
  }
}

// Work requests of a queue pair in error complete at once: more of them than the queue holds.
TEST_F(VerbsFaultsOfADevice, ACompletionQueueOverruns) {
  constexpr std::uint32_t kPairs = 16;
  auto end = makeEnd(hereSpec(), {"end", 1, 1, 64});
  ibv_qp_init_attr attributes = end->attributes(kReliable);
  for (std::uint32_t i = 1; i < kPairs; ++i) {
    Ibv<ibv_qp> pair(ibv_create_qp(end->domain(), &attributes));
    ASSERT_TRUE(pair);
    ibv_qp_attr init{};
    init.qp_state = IBV_QPS_INIT;
    init.port_num = 1;
    ASSERT_EQ(ibv_modify_qp(pair.get(), &init,
                            IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
              0);
    end->add(std::move(pair));
  }
  for (std::uint32_t i = 0; i < kPairs; ++i) {
    ASSERT_EQ(end->postReceive(i, i), 0);
    ibv_qp_attr error{};
    error.qp_state = IBV_QPS_ERR;
    ASSERT_EQ(ibv_modify_qp(end->pair(i), &error, IBV_QP_STATE), 0);
  }
  DeviceEvent event = DeviceEvent::kNone;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (event == DeviceEvent::kNone && std::chrono::steady_clock::now() < deadline) {
    event = end->event();
  }
  EXPECT_EQ(event, DeviceEvent::kQueueOverrun);
}

TEST_F(VerbsFaultsOfADevice, TooLittleLockedMemoryIsNamed) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{65'536, 65'536};
    // Root may lock unlimited memory.
    if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0 || setgid(65'534) != 0 || setuid(65'534) != 0) {
      _exit(2);
    }
    try {
      VerbsCarrier(hereSpec(), std::make_unique<IbvLibrary>())
          .connect({Operation::kWrite, 1024 * kKiB, 1, 4});
    } catch (const Error& error) {
      std::cout << error.what() << std::endl;
      const bool good = error.kind() == ErrorKind::kUnsupported &&
                        std::string(error.what()).find("ibv_reg_mr") != std::string::npos &&
                        error.remedy().find("which is 64 KiB") != std::string::npos;
      _exit(good ? 0 : 1);
    }
    _exit(3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(VerbsFaultsOfADevice, TheConnectionManagerIsToldAnAddressOfTheDevice) {
  bench::EndpointSpec spec = hereSpec();
  spec.connection = kManager;
  EXPECT_NE(VerbsCarrier(spec, std::make_unique<IbvLibrary>()).connect({}), nullptr);
  spec.address = "198.18.77.77";
  const Error error =
      errorOf([&] { VerbsCarrier(spec, std::make_unique<IbvLibrary>()).connect({}); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("rdma_bind_addr"));
}

TEST_F(VerbsFaultsOfADevice, NoTargetProgramAnswers) {
  bench::EndpointSpec spec = peerSpec();
  spec.peer_port = 9;
  const Error error = errorOf([&] { VerbsCarrier(spec, std::make_unique<IbvLibrary>()); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("does not answer: Connection refused"));
  EXPECT_THAT(error.remedy(), HasSubstr("plumbline-target"));
}

}  // namespace
}  // namespace plumbline::bench_verbs

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 3) {
    std::cerr << "arguments: the peer's address, this machine's address\n";
    return 2;
  }
  plumbline::bench_verbs::peer_address = argv[1];
  plumbline::bench_verbs::own_address = argv[2];
  plumbline::bench_verbs::waitForPeer();
  return RUN_ALL_TESTS();
}
