// A bench and a target program that communicate over TCP, as on two hosts; the messages' carrier is
// replaced by a fake.
#include "endpoint/peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

#include "base/work.h"
#include "endpoint/buffer.h"
#include "endpoint/peer_admission.h"
#include "endpoint/remote_channel.h"
#include "endpoint/target_service.h"
#include "tests/base/error_of.h"
#include "tests/results/temp_directory.h"

namespace plumbline::endpoint {
namespace {

using bench::Operation;
using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr const char* kHere = "127.0.0.1";
constexpr milliseconds kPatience{10'000};
constexpr std::size_t kMessage = 1000;

// Data between the ends, in one memory; the two are used by two threads.
struct FakeWire {
  std::mutex mutex;
  std::vector<std::uint8_t> target = std::vector<std::uint8_t>(kMessage);
  std::size_t told = 0;
  bool target_fails = false;
  unsigned targets = 0;  // that were made: the last one is at the wire
};

class FakeTarget final : public PeerTarget {
 public:
  FakeTarget(FakeWire& wire, Operation operation) : wire_(wire), operation_(operation) {
    const std::lock_guard lock(wire_.mutex);
    number_ = ++wire_.targets;
    if (operation == Operation::kRead) fillPattern(wire_.target.data(), kMessage);
  }
  [[nodiscard]] std::string address() const override { return R"({"who":"target"})"; }
  std::string meet() override { return "{}"; }
  std::size_t serve() override {
    const std::lock_guard lock(wire_.mutex);
    if (wire_.target_fails) throw Error(ErrorKind::kTester, "the fake fails", "target");
    return number_ == wire_.targets ? std::exchange(wire_.told, 0) : 0;
  }
  [[nodiscard]] bool needsServing() const override { return targetIsNotified(operation_); }
  [[nodiscard]] std::span<std::uint8_t> memory() override { return wire_.target; }

 private:
  FakeWire& wire_;
  Operation operation_;
  unsigned number_;
};

class FakeTargets final : public TargetLibrary {
 public:
  explicit FakeTargets(FakeWire& wire) : wire_(wire) {}
  [[nodiscard]] std::string name() const override { return "fake"; }
  [[nodiscard]] std::string description() const override { return "a fake"; }
  [[nodiscard]] Configuration configuration(const std::string& end) const override {
    return {{"Asked with", end}};
  }
  [[nodiscard]] std::unique_ptr<PeerTarget> open(const ChannelSpec& channel,
                                                 const std::string& /*end*/,
                                                 const std::string& own_address) override {
    EXPECT_EQ(own_address, kHere);
    if (channel.window == 99) throw Error(ErrorKind::kUnsupported, "no room", "target", "less");
    return std::make_unique<FakeTarget>(wire_, channel.operation);
  }

 private:
  FakeWire& wire_;
};

class FakeInitiator final : public PeerInitiator {
 public:
  FakeInitiator(FakeWire& wire, Operation operation)
      : wire_(wire), operation_(operation), memory_(kMessage) {
    if (operation != Operation::kRead) fillPattern(memory_.data(), kMessage);
  }
  [[nodiscard]] std::string address() const override { return R"({"who":"initiator"})"; }
  void meet(const std::string& target) override { EXPECT_EQ(target, R"({"who":"target"})"); }
  void begin(const std::string& target) override { EXPECT_EQ(target, "{}"); }
  [[nodiscard]] bool connectsByMessages() const override { return true; }
  bool post(std::uint32_t /*queue_pair*/, std::uint32_t slot) override {
    const std::lock_guard lock(wire_.mutex);
    if (operation_ == Operation::kRead) {
      std::memcpy(memory_.data(), wire_.target.data(), kMessage);
    } else {
      std::memcpy(wire_.target.data(), memory_.data(), kMessage);
    }
    if (targetIsNotified(operation_)) ++wire_.told;
    done_.push_back(slot);
    return true;
  }
  std::size_t poll(std::span<std::uint32_t> slots) override {
    std::size_t count = 0;
    while (count < slots.size() && !done_.empty()) {
      slots[count++] = done_.front();
      done_.pop_front();
    }
    return count;
  }
  [[nodiscard]] bool confirmsDelivery() const override { return true; }
  [[nodiscard]] std::span<std::uint8_t> memory() override { return memory_; }

 private:
  FakeWire& wire_;
  Operation operation_;
  std::vector<std::uint8_t> memory_;
  std::deque<std::uint32_t> done_;
};

class PeerTest : public testing::Test {
 protected:
  PeerTest() : listener_(kHere, 0) {
    spec_.peer = kHere;
    spec_.peer_port = listener_.port();
  }
  ~PeerTest() override { stop(); }

  void serve(const std::string& token = {}) {
    service_ = std::jthread([this, token] {
      TargetService(std::make_unique<FakeTargets>(wire_), token, [this](const std::string& line) {
        const std::lock_guard lock(wire_.mutex);
        log_ += line + "\n";
      }).serve(listener_, stop_);
    });
  }
  void stop() {
    stop_.store(true);
    if (service_.joinable()) service_.join();
  }
  void knowToken(const std::string& token) {
    spec_.token_file = (scratch_.path() / "token").string();
    std::ofstream(spec_.token_file) << token << "\n";
  }
  Peer peer() const { return Peer(spec_, "fake", R"({"a":1})"); }
  std::unique_ptr<RemoteChannel> connect(Operation operation, std::uint32_t window = 4) {
    return std::make_unique<RemoteChannel>(peer(),
                                           ChannelSpec{operation, Bytes(kMessage), 2, window},
                                           std::make_unique<FakeInitiator>(wire_, operation));
  }
  void carryMessages() {
    for (const Operation operation :
         {Operation::kWrite, Operation::kWriteImmediate, Operation::kSend, Operation::kRead}) {
      const auto channel = connect(operation);
      EXPECT_FALSE(channel->intact()) << "nothing is left of the messages that connect";
      std::size_t told = 0;
      for (int round = 0; round < 2; ++round) {
        for (std::uint32_t slot = 0; slot < 8; ++slot) ASSERT_TRUE(channel->post(slot / 4, slot));
        std::array<std::uint32_t, 16> done{};
        EXPECT_EQ(channel->poll(done), 8U);
        told += channel->serve();
      }
      EXPECT_TRUE(channel->intact());
      EXPECT_EQ(told, targetIsNotified(operation) ? 16U : 0U);
    }
  }

  TempDirectory scratch_;
  FakeWire wire_;
  std::string log_;
  PeerListener listener_;
  bench::EndpointSpec spec_;
  std::atomic<bool> stop_{false};
  std::jthread service_;
};

TEST_F(PeerTest, BringsTheBytesAndTheTargetTellsOfThem) {
  serve();
  carryMessages();
}

TEST_F(PeerTest, BringsThemToAPeerWithTheSameToken) {
  serve("secret");
  knowToken("secret");
  carryMessages();
}

// Too many to wait together: the oldest of them is closed.
TEST_F(PeerTest, SilentConnectionsKeepNobodyOut) {
  serve("secret");
  knowToken("secret");
  std::vector<PeerSocket> silent;
  silent.reserve(150);
  for (int i = 0; i < 150; ++i) silent.push_back(callPeer(kHere, listener_.port()));
  EXPECT_EQ(peer().ownAddress(), kHere);
}

TEST_F(PeerTest, ATargetThatAnswersInDeepNestingIsRefused) {
  const std::jthread target([this] {
    try {
      auto bench = listener_.accept(kPatience);
      bench->send(R"({"plumbline_target":1})");
      bench->receive(kPatience);
      bench->send(R"({"end":{"a":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}}");
      bench->receive(kPatience);
    } catch (const Error&) {
      // The bench has closed.
    }
  });
  EXPECT_THAT([this] { peer(); }, testing::ThrowsMessage<Error>(HasSubstr("nested too deeply")));
}

// The client may cancel, or be stopped, while a target is silent.
TEST_F(PeerTest, WaitingForATargetEndsWithTheWork) {
  std::atomic<bool> stop{false};
  const std::jthread target([&] {
    auto bench = listener_.accept(std::chrono::seconds(10));
    ASSERT_TRUE(bench);
    bench->send(R"({"plumbline_target":1})");
    stop.store(true);
    try {
      while (true) bench->receive(std::chrono::seconds(10));
    } catch (const Error&) {
      // The bench has closed.
    }
  });
  const WorkScope scope({[&] { return stop.load(); }, {}, {}});
  const auto began = std::chrono::steady_clock::now();
  EXPECT_THROW(peer(), WorkStopped);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
}

// Sends until it fails.
Error sendsUntilItFails(PeerSocket& socket, milliseconds time) {
  const std::string line(100'000, 'x');
  return errorOf([&] {
    for (int i = 0; i < 1000; ++i) socket.send(line, time);  // 100 MB
  });
}

TEST_F(PeerTest, ALineThatNobodyReadsIsGivenUp) {
  PeerSocket bench = callPeer(kHere, listener_.port());
  auto target = listener_.accept(kPatience);
  ASSERT_TRUE(target);
  const Error error = sendsUntilItFails(*target, milliseconds(100));
  EXPECT_EQ(error.kind(), ErrorKind::kTester);
  EXPECT_THAT(error.what(), HasSubstr("does not read"));
}

TEST_F(PeerTest, SendingEndsWithTheWork) {
  PeerSocket bench = callPeer(kHere, listener_.port());
  auto target = listener_.accept(kPatience);
  ASSERT_TRUE(target);
  sendsUntilItFails(*target, milliseconds(10));  // from here on the buffers are full
  std::atomic<bool> stop{false};
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(milliseconds(50));
    stop.store(true);
  });
  const WorkScope scope({[&] { return stop.load(); }, {}, {}});
  const auto began = std::chrono::steady_clock::now();
  EXPECT_THROW(target->send(std::string(std::size_t{32} << 20, 'x')), WorkStopped);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
}

// It sends queries and never reads: the answers fill the connection, and its session must not delay
// the program's end.
TEST_F(PeerTest, ABenchThatDoesNotReadDoesNotHoldUpTheEnd) {
  serve();
  PeerSocket bench = callPeer(kHere, spec_.peer_port);
  ASSERT_TRUE(bench.receive(kPatience));
  bench.send(
      encode(PeerRequest{"fake", ChannelSpec{Operation::kWrite, Bytes(kMessage), 1, 1}, "{}"}));
  // Many at a time: they fill the connection before the target program's patience ends.
  std::string questions = encode(PeerQuestion::kIntact);
  for (int i = 0; i < 1000; ++i) questions += '\n' + encode(PeerQuestion::kIntact);
  const Error full = errorOf([&] {
    for (;;) bench.send(questions, milliseconds(500));
  });
  EXPECT_THAT(full.what(), HasSubstr("does not read"));  // as the target program does not any more
  const auto began = std::chrono::steady_clock::now();
  stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
}

// Nor must a connection without a request.
TEST_F(PeerTest, SilentConnectionsDoNotHoldUpTheEnd) {
  serve();
  PeerSocket bench = callPeer(kHere, spec_.peer_port);
  ASSERT_TRUE(bench.receive(kPatience));
  const auto began = std::chrono::steady_clock::now();
  stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
}

// The sum over all benches counts.
TEST_F(PeerTest, TakesNoMoreMemoryThanTheProgramMay) {
  setMemoryLimit(std::uint64_t{1} << 40U);
  serve();
  const auto ask = [&](PeerSocket& bench, std::int64_t bytes) {
    EXPECT_TRUE(bench.receive(kPatience));
    bench.send(
        encode(PeerRequest{"fake", ChannelSpec{Operation::kWrite, Bytes(bytes), 1, 1}, "{}"}));
    return bench.receive(kPatience).value_or("nothing");
  };
  // A bit more than half each: the fake allocates no memory for them.
  setMemoryLimit(10'000'000'000);
  PeerSocket first = callPeer(kHere, spec_.peer_port);
  EXPECT_THAT(ask(first, 5'100'000'000), HasSubstr(R"("who":"target")"));
  PeerSocket second = callPeer(kHere, spec_.peer_port);
  const std::string refused = ask(second, 5'100'000'000);
  EXPECT_THAT(refused, HasSubstr("needs about 10.2 GB of memory"));
  EXPECT_THAT(refused, HasSubstr("may take 10 GB"));
  PeerSocket third = callPeer(kHere, spec_.peer_port);
  EXPECT_THAT(ask(third, 4'800'000'000), HasSubstr(R"("who":"target")"));
  setMemoryLimit(0);
}

TEST_F(PeerTest, TellsWhatItsHostIs) {
  serve();
  const Peer peer = this->peer();
  EXPECT_EQ(peer.ownAddress(), kHere);
  EXPECT_THAT(peer.configuration(), testing::Contains(testing::Pair("Asked with", R"({"a":1})")));
  EXPECT_THAT(peer.configuration(), testing::Contains(testing::Pair("Kernel", HasSubstr("Linux"))));
}

TEST_F(PeerTest, AWrongTokenIsRefused) {
  serve("secret");
  knowToken("secre");
  const Error wrong = errorOf([&] { peer(); });
  EXPECT_EQ(wrong.kind(), ErrorKind::kUsage);
  EXPECT_THAT(wrong.what(), HasSubstr("the token is wrong"));
  EXPECT_THAT(wrong.what(), HasSubstr("--token-file"));
  spec_.token_file.clear();
  const Error none = errorOf([&] { peer(); });
  EXPECT_EQ(none.kind(), ErrorKind::kUsage);
  EXPECT_THAT(none.what(), HasSubstr("asks for a token"));
}

// A client without the token is refused, whatever it sends first.
TEST_F(PeerTest, ARequestIsNoToken) {
  serve("secret");
  PeerSocket stranger = callPeer(kHere, spec_.peer_port);
  ASSERT_TRUE(stranger.receive(kPatience));
  stranger.send(encode(PeerRequest{"fake", ChannelSpec{}, "{}"}));
  const auto answer = stranger.receive(kPatience);
  ASSERT_TRUE(answer);
  EXPECT_THAT(*answer, HasSubstr("a token is needed"));
  EXPECT_THROW(stranger.receive(kPatience), Error) << "it hangs up";
}

// An impostor of the target program does not have the token either.
TEST_F(PeerTest, ATargetWithoutTheTokenIsNotBelieved) {
  serve();
  knowToken("secret");
  const Error error = errorOf([&] { peer(); });
  EXPECT_EQ(error.kind(), ErrorKind::kUsage);
  EXPECT_THAT(error.what(), HasSubstr("has no token"));
}

TEST_F(PeerTest, AProofOfAnotherConnectionIsNone) {
  const std::jthread impostor([this] {
    auto call = listener_.accept(kPatience);
    call->send(encode(PeerGreeting{"00"}));
    call->receive(kPatience);
    const PeerNonces nonces{"00", "another one's"};
    call->send(encode(PeerProof{{}, proofOf("secret", PeerRole::kTarget, nonces)}));
    EXPECT_THROW(call->receive(kPatience), Error) << "the bench hangs up";
  });
  knowToken("secret");
  EXPECT_THAT(errorOf([&] { peer(); }).what(), HasSubstr("the token is wrong"));
}

// Every line after the authentication needs its seal (MAC).
TEST_F(PeerTest, AnotherOnesLineIsFound) {
  const std::jthread target([this] {
    auto call = listener_.accept(kPatience);
    admit(*call, "secret");
    EXPECT_THAT(errorOf([&] { call->receive(kPatience); }).what(), HasSubstr("without its seal"));
  });
  PeerSocket bench = callPeer(kHere, spec_.peer_port);
  const std::string nonce = decodeGreeting(*bench.receive(kPatience), log_)->nonce;
  bench.send(encode(PeerProof{"1", proofOf("secret", PeerRole::kBench, {nonce, "1"})}));
  ASSERT_TRUE(bench.receive(kPatience));
  bench.send(encode(PeerRequest{"fake", {}, "{}"}));
}

TEST_F(PeerTest, ATargetThatCannotSaysWhy) {
  serve();
  const Error error = errorOf([&] { connect(Operation::kWrite, 99); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("the target program at 127.0.0.1"));
  EXPECT_THAT(error.what(), HasSubstr("says: target: no room (less)"));
}

TEST_F(PeerTest, AnotherLibraryIsRefused) {
  serve();
  const Error error = errorOf([&] { Peer(spec_, "verbs", "{}"); });
  EXPECT_EQ(error.kind(), ErrorKind::kUsage);
  EXPECT_THAT(error.what(), HasSubstr("serves benches over fake"));
  EXPECT_THAT(error.what(), HasSubstr("plumbline-target --library verbs"));
}

TEST_F(PeerTest, ATargetThatFailsLaterSaysWhy) {
  serve();
  const auto channel = connect(Operation::kSend);
  {
    const std::lock_guard lock(wire_.mutex);
    wire_.target_fails = true;
  }
  const Error error = errorOf([&] {
    for (int i = 0; i < 100; ++i) channel->serve();
  });
  EXPECT_EQ(error.kind(), ErrorKind::kTester);
  EXPECT_THAT(error.what(), HasSubstr("says: target: the fake fails"));
}

// The posting thread notices it as well: the trial need not continue to its end.
TEST_F(PeerTest, ATargetProgramThatEndsIsNoticed) {
  serve();
  const auto channel = connect(Operation::kWrite);
  EXPECT_EQ(channel->serve(), 0U);
  std::array<std::uint32_t, 4> done{};
  EXPECT_EQ(channel->poll(done), 0U);
  stop();
  const Error error = errorOf([&] {
    for (int i = 0; i < 100; ++i) channel->serve();
  });
  EXPECT_EQ(error.kind(), ErrorKind::kTester);
  EXPECT_THAT(error.remedy(), HasSubstr("peer's process and link"));
  EXPECT_STREQ(errorOf([&] { channel->poll(done); }).what(), error.what());
}

TEST_F(PeerTest, AnotherProgramIsNoTarget) {
  const std::jthread other([this] {
    auto call = listener_.accept(kPatience);
    call->send("220 mail.example ESMTP");
    EXPECT_THROW(call->receive(kPatience), Error) << "the bench hangs up";
  });
  const Error error = errorOf([&] { peer(); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("sent a malformed answer: not JSON"));
  EXPECT_THAT(error.remedy(), HasSubstr("plumbline-target"));
}

TEST_F(PeerTest, ATargetProgramRefusesWhatIsNoRequest) {
  serve();
  for (const char* line : {"GET / HTTP/1.1", "{}"}) {
    PeerSocket stranger = callPeer(kHere, spec_.peer_port);
    ASSERT_TRUE(stranger.receive(kPatience));
    stranger.send(line);
    const auto answer = stranger.receive(kPatience);
    ASSERT_TRUE(answer);
    EXPECT_THAT(*answer, HasSubstr("this is no request for a target"));
    EXPECT_THROW(stranger.receive(kPatience), Error) << "it hangs up";
  }
  connect(Operation::kWrite);  // it serves on
}

TEST_F(PeerTest, ALineWithoutEndIsNotWaitedFor) {
  serve();
  PeerSocket stranger = callPeer(kHere, spec_.peer_port);
  EXPECT_THROW(
      {
        for (int i = 0; i < 1000; ++i) stranger.send(std::string(1000, 'x') + '\r');
        while (stranger.receive(kPatience)) {
        }
      },
      Error);
}

TEST_F(PeerTest, WithoutItsPeerABenchSaysWhatToStart) {
  {
    const PeerListener closed(kHere, 0);
    spec_.peer_port = closed.port();
  }
  const Error error = errorOf([&] { peer(); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("does not answer: Connection refused"));
  EXPECT_THAT(error.remedy(), HasSubstr("plumbline-target --library fake"));
}

TEST(PeerListener, CannotWaitAtAnAddressOfAnotherHost) {
  const Error error = errorOf([] { PeerListener("198.18.77.77", 0); });
  EXPECT_EQ(error.kind(), ErrorKind::kUsage);
  EXPECT_THAT(error.what(), HasSubstr("198.18.77.77"));
}

TEST(OwnPeer, IsThatOfAnAddressOfThisHost) {
  bench::EndpointSpec spec;
  EXPECT_EQ(chooseOwnPeer(spec), spec);
  spec.peers = {{"198.18.77.77", "198.18.77.78"}, {kHere, "198.18.77.77"}};
  const bench::EndpointSpec own = chooseOwnPeer(spec);
  EXPECT_EQ(own.address, kHere);
  EXPECT_EQ(own.peer, "198.18.77.77");
  spec.peers.pop_back();
  const Error error = errorOf([&] { chooseOwnPeer(spec); });
  EXPECT_EQ(error.where(), "endpoint.peers");
  EXPECT_THAT(error.remedy(), HasSubstr(kHere));
}

}  // namespace
}  // namespace plumbline::endpoint
