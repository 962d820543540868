#include "bench_verbs/remote_channel.h"

#include <thread>
#include <utility>

#include "endpoint/fault.h"

namespace plumbline::bench_verbs {
namespace {

// The questions may share a link with more messages than it carries.
constexpr std::chrono::milliseconds kPatience{60'000};
constexpr std::chrono::milliseconds kAnswerLook{200};
constexpr std::chrono::milliseconds kBetweenQuestions{50};
// So many equal answers, and what has not arrived by then is not going to.
constexpr unsigned kSettled = 4;

Error senseless(const PeerSocket& peer, const std::string& why) {
  return Error(ErrorKind::kTester, peer.peer() + " answers what makes no sense: " + why,
               "endpoint.peer", "a plumbline-verbs-target of this version");
}

}  // namespace

RemoteChannel::RemoteChannel(const bench::EndpointSpec& spec, VerbsLibrary& library,
                             const endpoint::ChannelSpec& channel)
    : spec_(channel), reliable_(isReliable(spec)), peer_(callPeer(spec.peer, spec.peer_port)) {
  const EndSpec end_spec{"initiator", channel.queue_pairs, channel.window,
                         static_cast<std::size_t>(channel.message.count())};
  const auto open = library.open(spec, end_spec, Role::kInitiator);
  peer_.send(encode(PeerRequest{channel, spec.service, spec.connection, open->address()}));
  const PeerAnswer where = answer();
  if (!where.address) throw senseless(peer_, "no address");
  const bool managed = spec.connection == bench::Connection::kConnectionManager;
  if (managed == where.address->manager_address.empty() ||
      (!managed && where.address->pairs.size() != channel.queue_pairs)) {
    throw senseless(peer_, "an address of another kind of connection");
  }
  initiator_ = std::make_unique<Initiator>(open->meet(*where.address), channel);
  const PeerAnswer ready = answer();
  if (!ready.key) throw senseless(peer_, "no key of its memory");
  key_ = *ready.key;
}

template <typename Act>
auto RemoteChannel::orGiveUp(const Act& act) {
  try {
    return act();
  } catch (const Error&) {
    given_up_.store(true);
    throw;
  }
}

bool RemoteChannel::post(std::uint32_t queue_pair, std::uint32_t slot) {
  return orGiveUp([&] { return initiator_->post(queue_pair, slot, key_); });
}

std::size_t RemoteChannel::serve() {
  const std::uint64_t before = told_;
  unsigned same = 0;
  do {
    std::this_thread::sleep_for(kBetweenQuestions);
    const PeerAnswer state = ask(PeerQuestion::kTold);
    if (!state.told || *state.told < told_) throw senseless(peer_, "no count of messages");
    same = *state.told == told_ ? same + 1 : 0;
    told_ = *state.told;
  } while (endpoint::targetIsTold(spec_.operation) && told_ < completed_.load() && same < kSettled);
  return static_cast<std::size_t>(told_ - before);
}

std::size_t RemoteChannel::poll(std::span<std::uint32_t> slots) {
  const std::size_t count = orGiveUp([&] { return initiator_->poll(slots); });
  if (count > 0) completed_.fetch_add(count, std::memory_order_relaxed);
  return count;
}

bool RemoteChannel::intact() const {
  if (spec_.operation == bench::Operation::kRead) return initiator_->intact();
  const PeerAnswer state = ask(PeerQuestion::kIntact);
  if (!state.intact) throw senseless(peer_, "nothing about its memory");
  return *state.intact;
}

PeerAnswer RemoteChannel::ask(PeerQuestion question) const {
  peer_.send(encode(question));
  return answer();
}

PeerAnswer RemoteChannel::answer() const {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  auto line = peer_.receive(kAnswerLook);
  while (!line && !given_up_.load() && std::chrono::steady_clock::now() < deadline) {
    line = peer_.receive(kAnswerLook);
  }
  if (!line) {
    throw endpoint::fault(endpoint::FaultKind::kPeerGone,
                          peer_.peer() + " does not answer any more", {});
  }
  std::string why;
  auto answer = decodeAnswer(*line, why);
  if (!answer) throw senseless(peer_, why);
  if (answer->fault) {
    throw Error(answer->fault->kind(), peer_.peer() + " says: " + answer->fault->what());
  }
  return *answer;
}

}  // namespace plumbline::bench_verbs
