#include "endpoint/message_stream.h"

#include <array>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "base/work.h"
#include "endpoint/clock.h"
#include "endpoint/fault.h"

namespace plumbline::endpoint {
namespace {

// Polls without a result before yielding the processor to other threads: those of the other end, on
// a machine with few processors.
constexpr unsigned kIdlePolls = 100;

// Yields the processor after many polls without a result.
class IdleBackoff {
 public:
  void polled(bool found) {
    if (found) {
      idle_ = 0;
    } else if (++idle_ == kIdlePolls) {
      idle_ = 0;
      std::this_thread::yield();
    }
  }

 private:
  unsigned idle_ = 0;
};

// The slots of each queue pair that no message is under way in.
class FreeSlots {
 public:
  explicit FreeSlots(const ChannelSpec& spec) : window_(spec.window), free_(spec.queue_pairs) {
    for (std::uint32_t pair = 0; pair < spec.queue_pairs; ++pair) {
      for (std::uint32_t i = 0; i < window_; ++i) free_[pair].push_back(pair * window_ + i);
    }
  }

  [[nodiscard]] bool any(std::uint32_t pair) const { return !free_[pair].empty(); }
  [[nodiscard]] std::uint32_t next(std::uint32_t pair) const { return free_[pair].back(); }
  void take(std::uint32_t pair) { free_[pair].pop_back(); }
  void putBack(std::uint32_t slot) { free_[slot / window_].push_back(slot); }

 private:
  std::uint32_t window_;
  std::vector<std::vector<std::uint32_t>> free_;
};

// Of a slot that no message is under way in.
constexpr std::int64_t kNotPosted = -1;

std::int64_t toNs(Picoseconds time) { return time.count() / 1000; }

}  // namespace

std::uint64_t MessageSchedule::count() const {
  if (start >= duration || rate.partsPerTrillion() <= 0) return 0;
  const Int128 room = Int128{(duration - start).count()} * rate.partsPerTrillion();
  const Int128 period = Int128{slot.count()} * Fraction::kOne;
  return static_cast<std::uint64_t>((room + period - 1) / period);
}

Picoseconds MessageSchedule::due(std::uint64_t k) const {
  const Int128 wire = Int128{slot.count()} * Fraction::kOne * static_cast<std::int64_t>(k);
  return start + Picoseconds(static_cast<std::int64_t>(wire / rate.partsPerTrillion()));
}

MessageOutcome sendMessages(Channel& channel, const ChannelSpec& spec,
                            const MessageSchedule& schedule, std::int64_t start_ns,
                            StreamProgress& progress) {
  MessageOutcome outcome;
  outcome.due = schedule.count();
  const std::int64_t end_ns = start_ns + toNs(schedule.duration + schedule.drain);
  FreeSlots free(spec);
  std::vector<std::int64_t> posted_ns(std::size_t{spec.queue_pairs} * spec.window, kNotPosted);
  // One completion at a time: the next message is posted before another completion is taken. Taking
  // whole batches lets the transport run dry, which costs a tenth of TCP's throughput at 4 MiB.
  std::array<std::uint32_t, 1> done{};
  std::uint32_t pair = 0;
  std::int64_t due_ns = start_ns + toNs(schedule.due(0));
  IdleBackoff backoff;
  while (outcome.completed < outcome.due) {
    std::int64_t now = monotonicNow();
    if (now >= end_ns || progress.given_up.load(std::memory_order_relaxed)) break;
    while (outcome.posted < outcome.due && now >= due_ns && free.any(pair)) {
      const std::uint32_t slot = free.next(pair);
      if (!channel.post(pair, slot)) break;
      posted_ns[slot] = now;
      free.take(pair);
      pair = pair + 1 == spec.queue_pairs ? 0 : pair + 1;
      due_ns = start_ns + toNs(schedule.due(++outcome.posted));
      if (now >= due_ns) now = monotonicNow();
    }
    const bool completed = channel.poll(done) > 0;
    if (completed) {
      now = monotonicNow();
      const std::uint32_t slot = done[0];
      if (slot >= posted_ns.size() || posted_ns[slot] == kNotPosted)
        throw unexpectedCompletion("initiator");
      outcome.latency.record(static_cast<std::uint64_t>(now - posted_ns[slot]) * 1000);
      posted_ns[slot] = kNotPosted;
      free.putBack(slot);
      progress.completed.store(++outcome.completed, std::memory_order_relaxed);
    }
    progress.posted.store(outcome.posted, std::memory_order_relaxed);
    backoff.polled(completed || now < start_ns);
  }
  return outcome;
}

stats::Histogram sendOneByOne(Channel& channel, std::uint64_t messages, Picoseconds time) {
  constexpr std::int64_t kGiveUp_ns = 10'000'000'000;
  constexpr std::uint64_t kMessagesPerCheck = 64;
  const std::int64_t end_ns = monotonicNow() + toNs(time);
  stats::Histogram latency;
  TargetThread target(channel);
  std::array<std::uint32_t, 1> done{};
  for (std::uint64_t i = 0; i < messages; ++i) {
    const std::int64_t before = monotonicNow();
    if (i > 0 && before >= end_ns) break;
    IdleBackoff backoff;
    if (i % kMessagesPerCheck == 0) checkWork();
    const auto wait = [&](bool found) {
      backoff.polled(found);
      if (!found && monotonicNow() - before > kGiveUp_ns) {
        throw fault(FaultKind::kPeerGone, "no message completes for 10 s", {});
      }
      return !found;
    };
    while (wait(channel.post(0, 0))) channel.poll({});
    while (wait(channel.poll(done) > 0)) {
    }
    latency.record(static_cast<std::uint64_t>(monotonicNow() - before) * 1000);
  }
  target.stop();
  return latency;
}

struct TargetThread::State {
  std::atomic<bool> stop{false};
  std::atomic<bool> ended{false};
  std::uint64_t messages = 0;
  std::exception_ptr failure;
  std::thread thread;
};

TargetThread::TargetThread(Channel& channel) : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.thread = std::thread([&state, &channel] {
    IdleBackoff backoff;
    try {
      while (!state.stop.load(std::memory_order_relaxed)) {
        const std::size_t served = channel.serve();
        state.messages += served;
        backoff.polled(served > 0);
      }
      state.messages += channel.serve();
    } catch (...) {
      state.failure = std::current_exception();
    }
    state.ended.store(true);
  });
}

TargetThread::~TargetThread() {
  state_->stop.store(true);
  if (state_->thread.joinable()) state_->thread.join();
}

void TargetThread::requestStop() { state_->stop.store(true); }

bool TargetThread::ended() const { return state_->ended.load(); }

std::uint64_t TargetThread::stop() {
  state_->stop.store(true);
  if (state_->thread.joinable()) state_->thread.join();
  if (state_->failure) std::rethrow_exception(std::exchange(state_->failure, nullptr));
  return state_->messages;
}

}  // namespace plumbline::endpoint
