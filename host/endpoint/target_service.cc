#include "endpoint/target_service.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <exception>
#include <list>
#include <thread>
#include <utility>

#include "base/work.h"
#include "endpoint/buffer.h"
#include "endpoint/endpoint_bench.h"
#include "endpoint/peer_admission.h"
#include "endpoint/peer_message.h"

namespace plumbline::endpoint {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSessionPollInterval{200};
constexpr milliseconds kRequestTime{10'000};
constexpr std::size_t kMaxSessions = 64;
// Largest number of connections without a request. The oldest of more is closed: silent clients do
// not block others.
constexpr std::size_t kMaxSilentSessions = 64;
constexpr milliseconds kLastWordTime{2'000};

// When a target that must be served all the time looks for questions, which is a system call.
class RequestPoll {
 public:
  // After each call of serve(): whether it is time to look.
  bool due(std::size_t served) {
    if (served > 0) {
      active_ = true;
      if (++rounds_ % kRoundsPerClock != 0) return false;
    } else {
      std::this_thread::yield();
    }
    const Clock::time_point now = Clock::now();
    if (std::exchange(active_, false)) last_active_ = now;
    idle_ = now - last_active_ > kIdle;
    if (!idle_ && now < next_) return false;
    next_ = now + kPollInterval;
    return true;
  }
  // Timeout of the next query. A channel without messages and queries, which a bench sends
  // throughout a trial, leaves the processor to others.
  [[nodiscard]] milliseconds timeout() const { return idle_ ? kNap : milliseconds(0); }
  void asked() { active_ = true; }

 private:
  using Clock = std::chrono::steady_clock;
  // A bench sends twenty queries a second.
  static constexpr milliseconds kPollInterval{5};
  static constexpr milliseconds kIdle{2'000};
  static constexpr milliseconds kNap{1};
  // Rounds that serve a message, between two readings of the clock.
  static constexpr unsigned kRoundsPerClock = 64;

  Clock::time_point last_active_ = Clock::now();
  Clock::time_point next_{};
  unsigned rounds_ = 0;
  bool active_ = false;
  bool idle_ = false;
};

// The memory of a channel's messages, within the limit of all sessions.
class MessageMemory {
 public:
  // Throws Error(kUnsupported) when not enough is left.
  MessageMemory(std::atomic<std::uint64_t>& reserved, Bytes message)
      : reserved_(reserved), bytes_(static_cast<std::uint64_t>(message.count())) {
    const std::uint64_t all = reserved_.fetch_add(bytes_) + bytes_;
    const auto why =
        memoryRefusal(fmt::format("the target program, with a message of {} B more,", bytes_),
                      static_cast<double>(all));
    if (!why) return;
    reserved_.fetch_sub(bytes_);
    throw Error(ErrorKind::kUnsupported, *why, {},
                "smaller message_sizes, fewer benches at a time, or a higher --max-memory of the "
                "target program");
  }
  ~MessageMemory() { reserved_.fetch_sub(bytes_); }
  MessageMemory(const MessageMemory&) = delete;
  MessageMemory& operator=(const MessageMemory&) = delete;

 private:
  std::atomic<std::uint64_t>& reserved_;
  std::uint64_t bytes_;
};

PeerRequest requestOf(const std::optional<std::string>& line, const std::string& library) {
  std::string why = "nothing comes";
  auto request = line ? decodeRequest(*line, why) : std::nullopt;
  if (!request) {
    throw Error(ErrorKind::kUsage, "this is no request for a target: " + why, {},
                "a plumbline of the target program's version");
  }
  if (request->library != library) {
    throw Error(ErrorKind::kUsage, fmt::format("it serves benches over {}", library),
                "endpoint.peer", fmt::format("a plumbline-target --library {}", request->library));
  }
  return *std::move(request);
}

// Whether the bench has ended the connection, as it does after every trial.
bool hasClosed(PeerSocket& peer) {
  try {
    peer.receive(kSessionPollInterval);
    return false;
  } catch (const Error&) {
    return true;
  }
}

// The last word to a bench that may be gone.
void sendLast(PeerSocket& peer, const PeerAnswer& answer) {
  try {
    peer.send(encode(answer), kLastWordTime);
  } catch (const std::exception&) {
    return;  // the peer is gone, or the program ends
  }
}

// `told`: completions of the target's software, which the answer reports.
void answerQuestion(const std::string& line, std::uint64_t& told, PeerTarget& target,
                    PeerSocket& peer) {
  const auto question = decodeQuestion(line);
  if (!question) throw Error(ErrorKind::kUsage, "this is no question to a target");
  const std::span<std::uint8_t> memory = target.memory();
  PeerAnswer answer;
  if (*question == PeerQuestion::kIntact) {
    answer.intact = holdsPattern(memory.data(), memory.size());
  } else {
    if (*question == PeerQuestion::kForget) {
      std::memset(memory.data(), 0, memory.size());
      told = 0;
    }
    answer.told = told;
  }
  peer.send(encode(answer));
}

// Serves a target until the bench closes the connection or the program stops. Returns the number of
// its completions.
std::uint64_t serveTarget(PeerTarget& target, PeerSocket& peer, const std::atomic<bool>& stop) {
  const bool busy = target.needsServing();
  std::uint64_t told = 0;
  RequestPoll look;
  try {
    while (!stop.load(std::memory_order_relaxed)) {
      const std::size_t served = target.serve();
      told += served;
      if (busy && !look.due(served)) continue;
      if (const auto line = peer.receive(busy ? look.timeout() : kSessionPollInterval)) {
        answerQuestion(*line, told, target, peer);
        look.asked();
        checkWork();  // many messages may make the library take memory
      }
    }
  } catch (const Error&) {
    // The bench's end may show in its endpoints first.
    if (!hasClosed(peer)) throw;
  }
  return told;
}

}  // namespace

TargetService::TargetService(std::unique_ptr<TargetLibrary> library, std::string token,
                             std::function<void(const std::string&)> log)
    : library_(std::move(library)), token_(std::move(token)), log_(std::move(log)) {}

void TargetService::serve(PeerListener& listener, const std::atomic<bool>& stop) {
  struct Session {
    explicit Session(PeerSocket socket) : peer(std::move(socket)) {}
    PeerSocket peer;
    std::atomic<bool> asked{false};  // a request that can be served
    std::atomic<bool> ended{false};
    std::jthread thread;
  };
  std::list<Session> sessions;
  while (!stop.load(std::memory_order_relaxed)) {
    std::erase_if(sessions, [](const Session& session) { return session.ended.load(); });
    auto call = listener.accept(kSessionPollInterval);
    if (!call) continue;
    std::size_t silent = 0;
    Session* oldest = nullptr;
    for (Session& session : sessions) {
      if (session.asked.load()) continue;
      if (silent++ == 0) oldest = &session;
    }
    if (sessions.size() - silent >= kMaxSessions) {
      log_(call->peer() + " is one too many");
      continue;
    }
    if (silent >= kMaxSilentSessions) {
      oldest->peer.shutDown();
      oldest->thread.join();
      log_(oldest->peer.peer() + " is idle; its session is closed for a new one");
      sessions.remove_if([&](const Session& session) { return &session == oldest; });
    }
    Session& session = sessions.emplace_back(std::move(*call));
    session.thread = std::jthread([this, &session, &stop] {
      serveOne(session.peer, session.asked, stop);
      session.ended.store(true);
    });
  }
}

void TargetService::serveOne(PeerSocket& peer, std::atomic<bool>& asked,
                             const std::atomic<bool>& stop) {
  const auto end = [&](const Error& error) {
    log_(fmt::format("{}: {}", peer.peer(), error.what()));
    PeerAnswer fault;
    fault.fault = error;
    sendLast(peer, fault);
  };
  const WorkScope scope({[&stop] { return stop.load(std::memory_order_relaxed); }, {}, {}});
  try {
    admit(peer, token_);
    const PeerRequest request = requestOf(peer.receive(kRequestTime), library_->name());
    asked.store(true);
    if (request.channel) {
      const MessageMemory memory(reserved_, request.channel->message);
      const auto target = library_->open(*request.channel, request.end, peer.ownAddress());
      serveChannel(peer, *request.channel, *target, stop);
    } else {
      PeerAnswer answer;
      answer.configuration = library_->configuration(request.end);
      for (auto& entry : hostConfiguration()) answer.configuration->push_back(std::move(entry));
      peer.send(encode(answer));
    }
  } catch (const WorkStopped&) {
    return;  // the program ends
  } catch (const Error& error) {
    if (!hasClosed(peer)) end(error);
  } catch (const std::exception& error) {
    // One bench's fault, such as lack of memory, must not end the targets of others.
    end(Error(ErrorKind::kTester, faultText(error)));
  }
}

void TargetService::serveChannel(PeerSocket& peer, const ChannelSpec& channel, PeerTarget& target,
                                 const std::atomic<bool>& stop) {
  PeerAnswer word;
  word.end = target.address();
  peer.send(encode(word));
  word.end = target.meet();
  peer.send(encode(word));
  const std::string what =
      fmt::format("{}: {} of {} B over {} queue pairs", peer.peer(),
                  operationName(channel.operation), channel.message.count(), channel.queue_pairs);
  log_(what);
  const std::uint64_t told = serveTarget(target, peer, stop);
  log_(fmt::format("{}: ended, notified of {} messages", what, told));
}

}  // namespace plumbline::endpoint
