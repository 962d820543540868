// One stream of a trial over one channel: messages at their due times, and the latency of each.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/units.h"
#include "endpoint/channel.h"
#include "stats/histogram.h"

namespace plumbline::endpoint {

// Due times of messages: number k at start + k * slot / rate, as long as that is below `duration`.
struct MessageSchedule {
  Picoseconds slot;  // of a message at line rate
  Fraction rate;     // of line rate
  Picoseconds start{};
  Picoseconds duration{};
  Picoseconds drain{};  // end of waiting for late messages

  // Total number of messages.
  [[nodiscard]] std::uint64_t count() const;
  // Due time of number `k`, after the common start.
  [[nodiscard]] Picoseconds due(std::uint64_t k) const;
};

// State that other threads may read while the stream runs.
struct StreamProgress {
  std::atomic<std::uint64_t> posted{0};
  std::atomic<std::uint64_t> completed{0};
  std::atomic<bool> given_up{false};  // set by other threads: the stream ends at once
};

struct MessageOutcome {
  std::uint64_t due = 0;
  std::uint64_t posted = 0;
  std::uint64_t completed = 0;  // until the end of the drain
  std::uint64_t delivered = 0;  // of those, known to have arrived; set by RunningStream::finish()
  // From before the call that posts a message to after the call that returns its completion [ps].
  // Includes one reading of the clock.
  stats::Histogram latency;
};

// Sends the schedule's messages over the channel's queue pairs in turn, each with at most
// `spec.window` in flight; returns when all have completed, at the end of the drain, or when it is
// given up. A message that finds its queue pair's window full is posted late, not left out.
// `start_ns`: the common start, on monotonicNow(). Throws the channel's exceptions, and
// unexpectedCompletion() for a completion of no message in flight.
MessageOutcome sendMessages(Channel& channel, const ChannelSpec& spec,
                            const MessageSchedule& schedule, std::int64_t start_ns,
                            StreamProgress& progress);

// Sends `messages` one at a time, each when the previous one has completed: the latency without
// load. Fewer, but at least one, when they take longer than `time`. Serves the target on a thread
// of its own. Throws Error(kTester) without a completion for 10 s.
stats::Histogram sendOneByOne(Channel& channel, std::uint64_t messages, Picoseconds time);

// Drives a channel's target on a thread of its own until it is stopped, at the latest by the
// destructor.
class TargetThread {
 public:
  explicit TargetThread(Channel& channel);
  ~TargetThread();
  TargetThread(const TargetThread&) = delete;
  TargetThread& operator=(const TargetThread&) = delete;

  // Returns the number of completions of the target's software. Throws the channel's exceptions.
  std::uint64_t stop();
  // Requests its end, which may take a while; see ended().
  void requestStop();
  [[nodiscard]] bool ended() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plumbline::endpoint
