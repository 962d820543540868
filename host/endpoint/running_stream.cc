#include "endpoint/running_stream.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/work.h"
#include "bench/card/stream_frame.h"
#include "bench/trial/message_refusals.h"
#include "endpoint/clock.h"

namespace plumbline::endpoint {
namespace {

// Interval of the hooks, and largest delay in detecting a trial's end.
constexpr std::chrono::milliseconds kStreamPollInterval{5};
constexpr std::chrono::milliseconds kFinishPollInterval{1};

bench::TrialSnapshot snapshotOf(const std::vector<std::unique_ptr<RunningStream>>& streams,
                                const bench::TrialSpec& spec) {
  bench::TrialSnapshot snapshot;
  snapshot.observed = ObservationPoint::kEndpointSoftware;
  snapshot.flow_count = streams.size();
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const bench::StreamSpec& stream = spec.streams[i];
    bench::FlowSnapshot flow;
    flow.name = stream.name;
    flow.from = stream.from;
    flow.to = stream.to;
    flow.sent_frames = streams[i]->progress().posted.load(std::memory_order_relaxed);
    flow.received_frames = streams[i]->progress().completed.load(std::memory_order_relaxed);
    flow.received_bytes =
        flow.received_frames * bench::bytesSent(stream, bench::messageFrames(stream));
    snapshot.flows.push_back(std::move(flow));
  }
  return snapshot;
}

}  // namespace

RunningStream::RunningStream(std::unique_ptr<Channel> channel, ChannelSpec spec,
                             MessageSchedule schedule)
    : channel_(std::move(channel)), spec_(spec), schedule_(schedule) {}

RunningStream::~RunningStream() {
  progress_.given_up.store(true);
  channel_->giveUp();
  if (initiator_.joinable()) initiator_.join();
}

void RunningStream::start(std::int64_t start_ns) {
  target_.emplace(*channel_);
  initiator_ = std::thread([this, start_ns] {
    try {
      outcome_ = sendMessages(*channel_, spec_, schedule_, start_ns, progress_);
    } catch (...) {
      failure_ = std::current_exception();
    }
    ended_.store(true, std::memory_order_release);
  });
}

MessageOutcome RunningStream::finish() {
  initiator_.join();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  target_->requestStop();
  // A target on another host may have stopped answering.
  while (!target_->ended()) {
    std::this_thread::sleep_for(kFinishPollInterval);
    checkWork();
  }
  const std::uint64_t told = target_->stop();
  const bool ask_target = !channel_->confirmsDelivery() && targetIsNotified(spec_.operation);
  outcome_.delivered = ask_target ? std::min(told, outcome_.completed) : outcome_.completed;
  return std::move(outcome_);
}

void watchStreams(const std::vector<std::unique_ptr<RunningStream>>& streams,
                  const bench::TrialSpec& spec, const std::string& bench, std::int64_t start_ns,
                  const bench::TrialHooks& hooks) {
  const Picoseconds total = spec.duration + spec.drain;
  const auto look = [&](bool ended) {
    const Picoseconds passed =
        std::clamp(nanoseconds(monotonicNow() - start_ns), Picoseconds(), total);
    bench::TrialSnapshot snapshot = snapshotOf(streams, spec);
    snapshot.bench = bench;
    snapshot.time = passed;
    snapshot.total = ended ? passed : total;
    snapshot.ended = ended;
    if (hooks.progress) {
      bench::TrialProgress progress{passed, total};
      for (const bench::FlowSnapshot& flow : snapshot.flows) {
        progress.frames_sent += flow.sent_frames;
        progress.frames_received += flow.received_frames;
      }
      hooks.progress(progress);
    }
    if (hooks.observer != nullptr && (ended || hooks.observer->due())) {
      hooks.observer->onSnapshot(snapshot);
    }
  };
  const auto running = [](const auto& stream) { return !stream->ended(); };
  while (std::any_of(streams.begin(), streams.end(), running)) {
    std::this_thread::sleep_for(kStreamPollInterval);
    checkWork();
    look(false);
  }
  look(true);
}

}  // namespace plumbline::endpoint
