// One stream of a trial over one channel: messages at their due times, and the time each took.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/units.h"
#include "endpoint/channel.h"
#include "stats/histogram.h"

namespace plumbline::endpoint {

// When messages are due: number k at start + k * slot / rate, as long as that is below `duration`.
struct MessageSchedule {
  Picoseconds slot;  // of a message at line rate
  Fraction rate;     // of line rate
  Picoseconds start{};
  Picoseconds duration{};
  Picoseconds drain{};  // messages that are late by then are not waited for

  // Messages that are due in all.
  [[nodiscard]] std::uint64_t count() const;
  // When number `k` is due, after the common start.
  [[nodiscard]] Picoseconds due(std::uint64_t k) const;
};

// What others may read while the stream runs.
struct StreamProgress {
  std::atomic<std::uint64_t> posted{0};
  std::atomic<std::uint64_t> completed{0};
  std::atomic<bool> given_up{false};  // set by others: the stream ends at once
};

struct MessageOutcome {
  std::uint64_t due = 0;
  std::uint64_t posted = 0;
  std::uint64_t completed = 0;  // until the end of the drain
  std::uint64_t delivered = 0;  // of those, known to have arrived; RunningStream::finish() knows
  // From before the call that posts a message to after the call that tells of its completion [ps].
  // The clock is read once in between.
  stats::Histogram latency;
};

// Sends the schedule's messages over the channel's queue pairs in turn, each with at most
// `spec.window` under way; returns when all have completed, at the
// end of the drain, or when it is given up. A message
// that finds its queue pair's window full is posted late, not left out. `start_ns`: the common
// start, on monotonicNow(). Throws what the channel throws, and unaskedFault() for a completion of
// no message that is under way.
MessageOutcome sendMessages(Channel& channel, const ChannelSpec& spec,
                            const MessageSchedule& schedule, std::int64_t start_ns,
                            StreamProgress& progress);

// Sends `messages` one at a time, each when the one before has completed: the latency without any
// load. Fewer, but one at least, when they take longer than `time`. Serves the target on a thread
// of its own. Throws Error(kTester) when nothing completes for 10 s.
stats::Histogram sendOneByOne(Channel& channel, std::uint64_t messages, Picoseconds time);

// Drives a channel's target on a thread of its own until it is stopped, which the destructor does
// as well.
class TargetThread {
 public:
  explicit TargetThread(Channel& channel);
  ~TargetThread();
  TargetThread(const TargetThread&) = delete;
  TargetThread& operator=(const TargetThread&) = delete;

  // Messages that the target's software was told of. Throws what the channel threw.
  std::uint64_t stop();
  // Asks it to end, which may take it a while; ended() tells.
  void askToStop();
  [[nodiscard]] bool ended() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plumbline::endpoint
