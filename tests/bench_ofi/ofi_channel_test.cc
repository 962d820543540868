#include "bench_ofi/ofi_channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <set>
#include <string>

#include "base/error.h"
#include "bench_ofi/ofi_carrier.h"
#include "endpoint/clock.h"

namespace plumbline::bench_ofi {
namespace {

using bench::Operation;
using testing::Contains;
using testing::HasSubstr;

constexpr std::int64_t kTimeout_ns = 20'000'000'000;

bench::EndpointSpec specOf(const std::string& provider) {
  bench::EndpointSpec spec;
  spec.provider = provider;
  return spec;
}

struct Case {
  const char* provider;
  Operation operation;
};

// Crash handlers before libfabric was loaded.
using Handlers = std::array<void (*)(int), 5>;
Handlers crashHandlers() {
  constexpr std::array kCrashes{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  Handlers handlers{};
  for (std::size_t i = 0; i < kCrashes.size(); ++i) {
    struct sigaction action {};
    sigaction(kCrashes[i], nullptr, &action);
    handlers[i] = action.sa_handler;
  }
  return handlers;
}
const Handlers kHandlersAtStart = crashHandlers();

std::string nameOf(const testing::TestParamInfo<Case>& info) {
  constexpr std::array<const char*, 4> kNames{"Write", "WriteImmediate", "Send", "Read"};
  std::string name = info.param.provider;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name + kNames[static_cast<std::size_t>(info.param.operation)];
}

class OfiProvider : public testing::TestWithParam<Case> {};

// Every message completes once, in a slot that was posted; the target's software gets completions
// exactly for the operations with them; and the received data is the sent data.
TEST_P(OfiProvider, CarriesMessagesOverEveryQueuePair) {
  const Info info = findProvider(specOf(GetParam().provider), Reach::kThisHost);
  for (const std::int64_t bytes : {minMessage(*info).count(), std::int64_t{4}, std::int64_t{64},
                                   std::int64_t{5000}, std::int64_t{300'000}}) {
    SCOPED_TRACE(bytes);
    const endpoint::ChannelSpec spec{GetParam().operation, Bytes(bytes), 3, 4};
    OfiChannel channel(*info, spec);
    EXPECT_EQ(channel.intact(), bytes == 0);  // nothing has been sent yet
    std::set<std::uint32_t> under_way;
    std::size_t told = 0;
    std::size_t completed = 0;
    std::array<std::uint32_t, 5> done{};
    const std::int64_t end_ns = endpoint::monotonicNow() + kTimeout_ns;
    for (int round = 0; round < 5; ++round) {
      for (std::uint32_t slot = 0; slot < 12; ++slot) {
        while (!channel.post(slot / 4, slot)) {
          channel.poll({});
          told += channel.serve();
          ASSERT_LT(endpoint::monotonicNow(), end_ns);
        }
        EXPECT_TRUE(under_way.insert(slot).second);
      }
      while (!under_way.empty()) {
        ASSERT_LT(endpoint::monotonicNow(), end_ns);
        told += channel.serve();
        const std::size_t count = channel.poll(done);
        ASSERT_LE(count, done.size());
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(under_way.erase(done[i]), 1U);
        completed += count;
      }
    }
    EXPECT_EQ(completed, 60U);
    const bool tells = GetParam().operation == Operation::kSend ||
                       GetParam().operation == Operation::kWriteImmediate;
    while (tells && told < 60 && endpoint::monotonicNow() < end_ns) told += channel.serve();
    EXPECT_EQ(told, tells ? 60U : 0U);
    EXPECT_TRUE(channel.intact());
  }
}

constexpr std::array<Case, 12> kCases{{{"tcp;ofi_rxm", Operation::kWrite},
                                       {"tcp;ofi_rxm", Operation::kWriteImmediate},
                                       {"tcp;ofi_rxm", Operation::kSend},
                                       {"tcp;ofi_rxm", Operation::kRead},
                                       {"shm", Operation::kWrite},
                                       {"shm", Operation::kWriteImmediate},
                                       {"shm", Operation::kSend},
                                       {"shm", Operation::kRead},
                                       {"udp;ofi_rxd", Operation::kWrite},
                                       {"udp;ofi_rxd", Operation::kWriteImmediate},
                                       {"udp;ofi_rxd", Operation::kSend},
                                       {"udp;ofi_rxd", Operation::kRead}}};
INSTANTIATE_TEST_SUITE_P(Loopback, OfiProvider, testing::ValuesIn(kCases), nameOf);

// A crash ends the program by its signal: libraries of providers install handlers that end it with
// exit code 1.
TEST(OfiProviders, LeaveCrashesToTheProgram) {
  for (const char* provider : {"tcp;ofi_rxm", "shm"}) {
    const Info info = findProvider(specOf(provider), Reach::kThisHost);
    const OfiChannel channel(*info, {Operation::kWrite, Bytes(64), 1, 1});
    EXPECT_EQ(crashHandlers(), kHandlersAtStart) << provider;
  }
}

TEST(OfiProviders, AreThoseOfThisMachine) {
  EXPECT_THAT(providers(Reach::kThisHost), Contains("tcp;ofi_rxm"));
  EXPECT_THAT(providers(Reach::kThisHost), Contains("shm"));
}

TEST(OfiProviders, SayWhichThereAreWhenThereIsNoSuchOne) {
  try {
    findProvider(specOf("uet"), Reach::kThisHost);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_EQ(error.where(), "provider uet");
    EXPECT_THAT(error.remedy(), HasSubstr("tcp;ofi_rxm"));
  }
}

TEST(OfiProviders, OfOneHostAloneDoNotReachOthers) {
  EXPECT_THAT(providers(Reach::kOtherHosts), Contains("tcp;ofi_rxm"));
  EXPECT_THAT(providers(Reach::kOtherHosts), testing::Not(Contains("shm")));
}

TEST(OfiProviders, RefuseADomainThatIsNotThere) {
  bench::EndpointSpec spec = specOf("tcp;ofi_rxm");
  spec.device = "mlx5_99";
  EXPECT_THROW(findProvider(spec, Reach::kThisHost), Error);
}

// Drives both ends until one of them throws.
std::string faultOf(OfiChannel& channel, bool serve) {
  std::array<std::uint32_t, 4> done{};
  const std::int64_t end_ns = endpoint::monotonicNow() + kTimeout_ns;
  try {
    while (endpoint::monotonicNow() < end_ns) {
      channel.poll(done);
      if (serve) channel.serve();
    }
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kTester);
    return error.what();
  }
  return "none";
}

TEST(OfiChannel, SaysThatItsPeerIsGone) {
  const Info info = findProvider(specOf("tcp;ofi_rxm"), Reach::kThisHost);
  OfiChannel channel(*info, {Operation::kWrite, Bytes(4096), 1, 4});
  channel.closeTarget();
  std::string fault;
  try {
    channel.post(0, 0);
    fault = faultOf(channel, false);
  } catch (const Error& error) {
    fault = error.what();
  }
  EXPECT_THAT(fault, HasSubstr("initiator"));
  EXPECT_THAT(fault, HasSubstr("peer"));
}

TEST(OfiChannel, SaysThatAMessageFailed) {
  const Info info = findProvider(specOf("tcp;ofi_rxm"), Reach::kThisHost);
  OfiChannel channel(*info, {Operation::kWrite, Bytes(4096), 1, 4});
  channel.invalidateKey();
  ASSERT_TRUE(channel.post(0, 0));
  EXPECT_THAT(faultOf(channel, true), HasSubstr("a message failed"));
}

// A full queue is no fault: the message waits for completions.
TEST(OfiChannel, TakesNoMoreThanItsQueueHolds) {
  const Info info = findProvider(specOf("udp;ofi_rxd"), Reach::kThisHost);
  OfiChannel channel(*info, {Operation::kWrite, Bytes(64), 1, 65536});
  std::uint32_t posted = 0;
  while (posted < 65536 && channel.post(0, posted)) ++posted;
  ASSERT_LT(posted, 65536U);
  std::uint32_t completed = 0;
  std::array<std::uint32_t, 64> done{};
  const std::int64_t end_ns = endpoint::monotonicNow() + kTimeout_ns;
  while (completed < posted && endpoint::monotonicNow() < end_ns) {
    completed += static_cast<std::uint32_t>(channel.poll(done));
    channel.serve();
  }
  EXPECT_EQ(completed, posted);
  EXPECT_TRUE(channel.post(0, 0));
}

TEST(OfiCarrier, RefusesMessagesThatTheProviderCannotCarry) {
  OfiCarrier carrier(specOf("tcp;ofi_rxm"));
  for (const auto& [name, value] : carrier.configuration()) {
    EXPECT_FALSE(value.empty()) << name;
  }
  EXPECT_TRUE(carrier.counters().empty());
}

}  // namespace
}  // namespace plumbline::bench_ofi
