// Peers that send unrequested messages, to either end of a channel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <array>
#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "bench_ofi/ofi_message.h"
#include "bench_ofi/ofi_peer.h"
#include "bench_ofi/ofi_side.h"
#include "endpoint/clock.h"
#include "endpoint/peer_message.h"
#include "endpoint/target_service.h"

namespace plumbline::bench_ofi {
namespace {

using bench::Operation;
using testing::HasSubstr;

constexpr const char* kLocalAddress = "127.0.0.1";
constexpr const char* kTcpProvider = "tcp;ofi_rxm";
constexpr std::int64_t kStrangerTime_ns = 20'000'000'000;

Info tcpInfo() {
  bench::EndpointSpec spec;
  spec.provider = kTcpProvider;
  spec.address = kLocalAddress;
  return findProvider(spec, Reach::kOtherHosts);
}

// An endpoint that posts arbitrary operations.
class Stranger {
 public:
  explicit Stranger(fi_info& info) : host_(info, "stranger", 1, 64, 4096, FI_WRITE | FI_SEND) {}

  OfiHost& host() { return host_; }

  // Writes with immediate data. True when the write has completed, false when it was refused or its
  // connection has ended. `drive`: called repeatedly, drives the other end.
  bool write(const OfiMemory& memory, const std::function<void()>& drive) {
    bool posted = false;
    const std::int64_t end_ns = endpoint::monotonicNow() + kStrangerTime_ns;
    while (endpoint::monotonicNow() < end_ns) {
      drive();
      if (!posted) {
        const ssize_t code =
            fi_writedata(host_.endpoint(0), host_.memory(), 16, host_.descriptor(), 0xBAD,
                         host_.peer(0), memory.address, memory.key, &context_);
        if (code != 0 && code != -FI_EAGAIN) return false;
        posted = code == 0;
      }
      fi_cq_msg_entry entry{};
      const ssize_t count = fi_cq_read(host_.queue(), &entry, 1);
      if (count == -FI_EAVAIL) return false;
      if (count == 1) return true;
    }
    ADD_FAILURE() << "nothing comes of the write";
    return false;
  }

 private:
  fi_context2 context_{};
  OfiHost host_;
};

// The exception of `drive` within a while, after a write that has completed.
std::optional<Error> faultOf(Stranger& stranger, const OfiMemory& memory,
                             const std::function<void()>& drive) {
  try {
    if (!stranger.write(memory, drive)) return std::nullopt;
    const std::int64_t end_ns = endpoint::monotonicNow() + kStrangerTime_ns;
    while (endpoint::monotonicNow() < end_ns) drive();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "the write was taken";
  return std::nullopt;
}

class OfiStranger : public testing::TestWithParam<Operation> {};

// A write with immediate data has no context at its target. It is refused, or ends the channel; it
// is never counted as a message.
TEST_P(OfiStranger, DoesNotWriteToATargetThatAskedForAnotherOperation) {
  const Info info = tcpInfo();
  OfiTarget target(*info, {GetParam(), Bytes(64), 1, 4});
  Stranger stranger(*info);
  target.host().meet(stranger.host().names());
  stranger.host().meet(target.host().names());
  target.begin();
  std::size_t told = 0;
  const auto fault = faultOf(stranger, target.remote(), [&] { told += target.serve(); });
  if (fault) {
    EXPECT_EQ(fault->kind(), ErrorKind::kTester);
    EXPECT_THAT(fault->what(), HasSubstr("the peer sent a message that was not requested"));
  }
  EXPECT_EQ(told, 0U);
}

TEST_P(OfiStranger, DoesNotWriteToAnInitiator) {
  const Info info = tcpInfo();
  OfiInitiator initiator(*info, {GetParam(), Bytes(64), 1, 4});
  Stranger stranger(*info);
  initiator.host().meet(stranger.host().names());
  stranger.host().meet(initiator.host().names());
  const std::vector<std::uint8_t> before(initiator.memory().begin(), initiator.memory().end());
  std::size_t completed = 0;
  std::array<std::uint32_t, 4> slots{};
  // A peer with the secret key.
  const OfiMemory memory{initiator.host().remoteAddress(), initiator.host().key()};
  const auto fault = faultOf(stranger, memory, [&] { completed += initiator.poll(slots); });
  if (fault) {
    EXPECT_EQ(fault->kind(), ErrorKind::kTester);
    EXPECT_THAT(fault->what(), HasSubstr("the peer sent a message that was not requested"));
  } else {
    EXPECT_EQ(std::vector<std::uint8_t>(initiator.memory().begin(), initiator.memory().end()),
              before);
  }
  EXPECT_EQ(completed, 0U);
}

INSTANTIATE_TEST_SUITE_P(Operations, OfiStranger,
                         testing::Values(Operation::kWrite, Operation::kSend, Operation::kRead));

TEST(OfiKeys, AreNotGuessed) {
  const Info info = tcpInfo();
  std::set<std::uint64_t> keys;
  for (int i = 0; i < 3; ++i) {
    const OfiTarget target(*info, {Operation::kWrite, Bytes(64), 1, 1});
    keys.insert(target.remote().key);
  }
  EXPECT_EQ(keys.size(), 3U);
  // 64 bits at random: that one of three is below 2^32 happens once in 10^9 times.
  EXPECT_GT(*keys.begin(), std::uint64_t{1} << 32U);
}

// An admitted bench that requests one operation and executes another one ends its own session only.
TEST(OfiTargets, ServeOthersAfterAHostileBench) {
  endpoint::PeerListener listener(kLocalAddress, 0);
  std::atomic<bool> stop{false};
  std::jthread service([&] {
    endpoint::TargetService(std::make_unique<OfiTargetLibrary>(bench::EndpointSpec{}), "",
                            [](const std::string&) {})
        .serve(listener, stop);
  });
  const Info info = tcpInfo();
  for (const Operation operation : {Operation::kSend, Operation::kWrite, Operation::kRead}) {
    Stranger stranger(*info);
    endpoint::PeerSocket bench = endpoint::callPeer(kLocalAddress, listener.port());
    ASSERT_TRUE(bench.receive(std::chrono::seconds(10)));
    bench.send(
        encode(endpoint::PeerRequest{kLibfabric, endpoint::ChannelSpec{operation, Bytes(64), 1, 2},
                                     encode(OfiRequest{kTcpProvider, stranger.host().names()})}));
    std::string why;
    const auto line = bench.receive(std::chrono::seconds(10));
    ASSERT_TRUE(line);
    const auto answer = endpoint::decodeAnswer(*line, why);
    ASSERT_TRUE(answer && answer->end) << *line;
    const auto address = decodeOfiAddress(*answer->end, why);
    ASSERT_TRUE(address) << why;
    stranger.host().meet(address->names);
    ASSERT_TRUE(bench.receive(std::chrono::seconds(10)));
    stranger.write(address->memory, [] {});
    // With an error or without: it answers or closes the connection.
    try {
      bench.send(encode(endpoint::PeerQuestion::kTold));
      const auto told = bench.receive(std::chrono::seconds(10));
      ASSERT_TRUE(told);
      EXPECT_THAT(*told, testing::AnyOf(HasSubstr("not requested"), HasSubstr("\"told\":0")));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kTester);
    }
  }
  bench::EndpointSpec spec;
  spec.provider = kTcpProvider;
  spec.peer = kLocalAddress;
  spec.peer_port = listener.port();
  EXPECT_NO_THROW(endpoint::Peer(spec, kLibfabric, encode(OfiRequest{kTcpProvider, {}})));
  stop.store(true);
}

}  // namespace
}  // namespace plumbline::bench_ofi
