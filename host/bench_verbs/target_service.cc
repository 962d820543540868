#include "bench_verbs/target_service.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <list>
#include <thread>
#include <utility>

#include "bench_verbs/device_choice.h"
#include "bench_verbs/verbs_side.h"
#include "endpoint/endpoint_bench.h"

namespace plumbline::bench_verbs {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSessionLook{200};
constexpr milliseconds kRequestTime{10'000};
constexpr std::size_t kMostSessions = 64;
// A target that is told of messages looks for questions now and then: that is a system call.
constexpr unsigned kRoundsPerLook = 256;

Bytes availableMemory() {
  return Bytes(static_cast<std::int64_t>(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGESIZE));
}

PeerRequest requestOf(const std::optional<std::string>& line) {
  std::string why = "nothing comes";
  auto request = line ? decodeRequest(*line, why) : std::nullopt;
  if (!request) {
    throw Error(ErrorKind::kUsage, "this is no request for a target: " + why, {},
                "a plumbline of the target program's version");
  }
  if (request->channel.message > availableMemory()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("messages of {} B are more than the target's memory",
                            request->channel.message.count()),
                {}, "smaller message_sizes");
  }
  return *request;
}

// Whether the bench has ended the connection, as it does after every trial.
bool hasClosed(PeerSocket& peer) {
  try {
    peer.receive(kSessionLook);
    return false;
  } catch (const Error&) {
    return true;
  }
}

// The last word to a bench that may be gone.
void sendLast(PeerSocket& peer, const PeerAnswer& answer) {
  try {
    peer.send(encode(answer));
  } catch (const Error&) {
    return;  // nobody is left to be told
  }
}

void answerQuestion(const std::string& line, std::uint64_t told, const Target& target,
                    PeerSocket& peer) {
  const auto question = decodeQuestion(line);
  if (!question) throw Error(ErrorKind::kUsage, "this is no question to a target");
  PeerAnswer answer;
  if (*question == PeerQuestion::kTold) {
    answer.told = told;
  } else {
    answer.intact = target.intact();
  }
  peer.send(encode(answer));
}

// Serves a target that stands until the bench closes the connection or the program stops. Returns
// how many messages it was told of.
std::uint64_t serveTarget(Target& target, const endpoint::ChannelSpec& spec, PeerSocket& peer,
                          const std::atomic<bool>& stop) {
  const bool busy = endpoint::targetIsTold(spec.operation);
  std::uint64_t told = 0;
  unsigned rounds = 0;
  try {
    while (!stop.load(std::memory_order_relaxed)) {
      const std::size_t served = target.serve();
      told += served;
      if (busy && ++rounds % kRoundsPerLook != 0) {
        if (served == 0) std::this_thread::yield();
        continue;
      }
      if (const auto line = peer.receive(busy ? milliseconds(0) : kSessionLook)) {
        answerQuestion(*line, told, target, peer);
      }
    }
  } catch (const Error&) {
    // The bench's end may show in its queue pairs first.
    if (!hasClosed(peer)) throw;
  }
  return told;
}

}  // namespace

TargetService::TargetService(bench::EndpointSpec spec, std::unique_ptr<VerbsLibrary> library,
                             std::function<void(const std::string&)> log)
    : spec_(std::move(spec)), library_(std::move(library)), log_(std::move(log)) {
  spec_.device = chooseDevice(*library_, spec_.device);
}

void TargetService::serve(PeerListener& listener, const std::atomic<bool>& stop) {
  struct Session {
    explicit Session(PeerSocket socket) : peer(std::move(socket)) {}
    PeerSocket peer;
    std::atomic<bool> ended{false};
    std::jthread thread;
  };
  std::list<Session> sessions;
  while (!stop.load(std::memory_order_relaxed)) {
    std::erase_if(sessions, [](const Session& session) { return session.ended.load(); });
    auto call = listener.accept(kSessionLook);
    if (!call) continue;
    if (sessions.size() == kMostSessions) {
      log_(call->peer() + " is one too many");
      continue;
    }
    Session& session = sessions.emplace_back(std::move(*call));
    session.thread = std::jthread([this, &session, &stop] {
      serveOne(session.peer, stop);
      session.ended.store(true);
    });
  }
}

void TargetService::serveOne(PeerSocket& peer, const std::atomic<bool>& stop) {
  const auto end = [&](const Error& error) {
    log_(fmt::format("{}: {}", peer.peer(), error.what()));
    PeerAnswer fault;
    fault.fault = error;
    sendLast(peer, fault);
  };
  try {
    const auto line = peer.receive(kRequestTime);
    const PeerRequest request = requestOf(line);
    const endpoint::ChannelSpec& channel = request.channel;
    bench::EndpointSpec spec = spec_;
    spec.service = request.service;
    spec.connection = request.connection;
    const EndSpec end_spec{"target", channel.queue_pairs, channel.window,
                           static_cast<std::size_t>(channel.message.count())};
    const auto open = library_->open(spec, end_spec, Role::kTarget);
    PeerAnswer where;
    where.address = open->address();
    peer.send(encode(where));
    Target target(open->meet(request.address), channel);
    PeerAnswer ready;
    ready.key = target.key();
    peer.send(encode(ready));
    const std::string what = fmt::format("{}: {} of {} B over {} queue pairs", peer.peer(),
                                         endpoint::operationName(channel.operation),
                                         channel.message.count(), channel.queue_pairs);
    log_(what);
    const std::uint64_t told = serveTarget(target, channel, peer, stop);
    log_(fmt::format("{}: ended, told of {} messages", what, told));
  } catch (const Error& error) {
    if (!hasClosed(peer)) end(error);
  } catch (const std::exception& error) {
    // One bench's fault, such as memory that is not there, must not end the others' targets.
    end(Error(ErrorKind::kTester, error.what()));
  }
}

}  // namespace plumbline::bench_verbs
