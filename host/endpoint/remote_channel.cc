#include "endpoint/remote_channel.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/work.h"
#include "endpoint/buffer.h"
#include "endpoint/clock.h"
#include "endpoint/fault.h"
#include "endpoint/peer_answer.h"

namespace plumbline::endpoint {
namespace {

constexpr std::chrono::milliseconds kBetweenQuestions{50};
// After this many equal answers, missing messages are considered lost.
constexpr unsigned kSettled = 4;
constexpr std::int64_t kWarmUpTime_ns = 10'000'000'000;

}  // namespace

RemoteChannel::RemoteChannel(const Peer& peer, const ChannelSpec& channel,
                             std::unique_ptr<PeerInitiator> initiator)
    : spec_(channel), initiator_(std::move(initiator)), peer_(peer.call()) {
  peer_.send(encode(PeerRequest{peer.library(), channel, initiator_->address()}));
  const auto word = [&] {
    auto answer = nextAnswer(peer_, given_up_);
    if (!answer.end) throw malformedAnswer(peer_.peer(), "nothing of its end");
    return *std::move(answer.end);
  };
  initiator_->meet(word());
  initiator_->begin(word());
  if (initiator_->connectsByMessages()) warmUp();
}

// One message over each queue pair, whose effects are cleared afterwards. Many of them take their
// time; waiting long for a single one is a fault.
void RemoteChannel::warmUp() {
  std::int64_t end_ns = monotonicNow() + kWarmUpTime_ns;
  std::uint32_t posted = 0;
  std::size_t completed = 0;
  std::array<std::uint32_t, 64> slots{};
  const auto arrived = [&] {
    const bool all = !targetIsNotified(spec_.operation) ||
                     ask(PeerQuestion::kTold).told.value_or(0) >= spec_.queue_pairs;
    return all && intact();
  };
  while (completed < spec_.queue_pairs || !arrived()) {
    checkWork();
    while (posted < spec_.queue_pairs && initiator_->post(posted, posted * spec_.window)) ++posted;
    const std::size_t answered = initiator_->poll(slots);
    completed += answered;
    if (answered > 0) end_ns = monotonicNow() + kWarmUpTime_ns;
    if (monotonicNow() > end_ns) {
      throw fault(FaultKind::kPeerGone,
                  fmt::format("{} of {} queue pairs do not answer for 10 s",
                              spec_.queue_pairs - completed, spec_.queue_pairs),
                  peer_.peer());
    }
  }
  if (spec_.operation == bench::Operation::kRead) {
    const std::span<std::uint8_t> memory = initiator_->memory();
    std::memset(memory.data(), 0, memory.size());
  } else {
    ask(PeerQuestion::kForget);
  }
}

template <typename Act>
auto RemoteChannel::orFail(const Act& act) {
  try {
    return act();
  } catch (const Error&) {
    given_up_.store(true);
    throw;
  }
}

bool RemoteChannel::post(std::uint32_t queue_pair, std::uint32_t slot) {
  return orFail([&] { return initiator_->post(queue_pair, slot); });
}

std::size_t RemoteChannel::poll(std::span<std::uint32_t> slots) {
  if (lost_.load(std::memory_order_acquire)) throw Error(*loss_);
  const std::size_t count = orFail([&] { return initiator_->poll(slots); });
  if (count > 0) completed_.fetch_add(count, std::memory_order_relaxed);
  return count;
}

std::size_t RemoteChannel::serve() {
  try {
    return queryUntilCompleted();
  } catch (const Error& error) {
    loss_ = error;
    lost_.store(true, std::memory_order_release);
    throw;
  }
}

std::size_t RemoteChannel::queryUntilCompleted() {
  const std::uint64_t before = told_;
  unsigned same = 0;
  do {
    // At once the first time: a target without messages for long polls less often.
    const PeerAnswer state = ask(PeerQuestion::kTold);
    if (!state.told || *state.told < told_)
      throw malformedAnswer(peer_.peer(), "no count of messages");
    same = *state.told == told_ ? same + 1 : 0;
    told_ = *state.told;
    std::this_thread::sleep_for(kBetweenQuestions);
  } while (targetIsNotified(spec_.operation) && told_ < completed_.load() && same < kSettled);
  return static_cast<std::size_t>(told_ - before);
}

bool RemoteChannel::intact() const {
  if (spec_.operation == bench::Operation::kRead) {
    const std::span<const std::uint8_t> memory = initiator_->memory();
    return holdsPattern(memory.data(), memory.size());
  }
  const PeerAnswer state = ask(PeerQuestion::kIntact);
  if (!state.intact) throw malformedAnswer(peer_.peer(), "nothing about its memory");
  return *state.intact;
}

PeerAnswer RemoteChannel::ask(PeerQuestion question) const {
  peer_.send(encode(question));
  return nextAnswer(peer_, given_up_);
}

}  // namespace plumbline::endpoint
