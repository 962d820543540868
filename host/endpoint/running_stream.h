// A running stream: its channel, a thread at either end, and its visible progress.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "bench/trial/bench.h"
#include "endpoint/message_stream.h"

namespace plumbline::endpoint {

class RunningStream {
 public:
  RunningStream(std::unique_ptr<Channel> channel, ChannelSpec spec, MessageSchedule schedule);
  ~RunningStream();
  RunningStream(const RunningStream&) = delete;
  RunningStream& operator=(const RunningStream&) = delete;

  // Starts both threads; messages are due from `start_ns` of monotonicNow() on.
  void start(std::int64_t start_ns);
  [[nodiscard]] bool ended() const { return ended_.load(std::memory_order_acquire); }
  [[nodiscard]] const StreamProgress& progress() const { return progress_; }
  // Waits for the stream's end. Throws the exceptions of its threads, the initiator's first, and as
  // checkWork().
  MessageOutcome finish();
  // After finish(): Channel::intact().
  [[nodiscard]] bool intact() const { return channel_->intact(); }

 private:
  std::unique_ptr<Channel> channel_;
  ChannelSpec spec_;
  MessageSchedule schedule_;
  StreamProgress progress_;
  std::atomic<bool> ended_{false};
  MessageOutcome outcome_;
  std::exception_ptr failure_;
  std::optional<TargetThread> target_;
  std::thread initiator_;
};

// Returns when all streams have ended; reports their progress to the hooks until then.
void watchStreams(const std::vector<std::unique_ptr<RunningStream>>& streams,
                  const bench::TrialSpec& spec, const std::string& bench, std::int64_t start_ns,
                  const bench::TrialHooks& hooks);

}  // namespace plumbline::endpoint
