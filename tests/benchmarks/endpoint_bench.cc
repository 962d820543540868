// links: plumbline_bench_ofi plumbline_endpoint plumbline_bench
// Overhead of the libfabric bench over the provider itself: throughput of 4 MiB writes and latency
// of 64-byte writes, each next to a minimal loop over the same provider without schedule, slots or
// histogram. The two alternate within a benchmark, so that other load of the machine affects both;
// `ratio` is the ratio of their medians, bench over loop.
#include <benchmark/benchmark.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench_ofi/ofi_carrier.h"
#include "bench_ofi/ofi_host.h"
#include "endpoint/clock.h"
#include "endpoint/message_stream.h"

namespace {

using namespace plumbline;

constexpr std::int64_t kLatencyBytes = 64;
constexpr std::int64_t kThroughputBytes = 4 << 20;
constexpr std::uint32_t kWindow = 16;
constexpr int kTurns = 9;

bench::EndpointSpec specOf(const std::string& provider) {
  bench::EndpointSpec spec;
  spec.provider = provider;
  return spec;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// Writes the given number of messages, at most `window` in flight, with the provider's own calls
// only; one thread at either end, as in the bench.
class MinimalLoop {
 public:
  MinimalLoop(const std::string& provider, std::int64_t bytes, std::uint32_t window)
      : info_(bench_ofi::findProvider(specOf(provider), bench_ofi::Reach::kThisHost)),
        bytes_(static_cast<std::size_t>(bytes)),
        window_(window),
        contexts_(window),
        initiator_(*info_, "initiator", 1, std::size_t{2} * window, bytes_, FI_WRITE),
        target_(*info_, "target", 1, std::size_t{2} * window, bytes_, FI_REMOTE_WRITE) {
    initiator_.meet(target_.names());
    target_.meet(initiator_.names());
    target_thread_ = std::thread([this] {
      fi_cq_msg_entry entry;
      while (!stop_.load(std::memory_order_relaxed)) {
        fi_cq_read(target_.queue(), &entry, 1);
        if (++polls_ % 100 == 0) std::this_thread::yield();
      }
    });
    run(kWindow);  // connects
  }
  ~MinimalLoop() {
    stop_.store(true);
    target_thread_.join();
  }
  MinimalLoop(const MinimalLoop&) = delete;
  MinimalLoop& operator=(const MinimalLoop&) = delete;

  // Seconds that `messages` take.
  double run(std::uint64_t messages) {
    const std::int64_t began = endpoint::monotonicNow();
    std::uint64_t posted = 0;
    std::uint64_t completed = 0;
    fi_cq_msg_entry entry;
    std::uint64_t idle = 0;
    while (completed < messages) {
      while (posted < messages && posted - completed < window_ &&
             fi_write(initiator_.endpoint(0), initiator_.memory(), bytes_, initiator_.descriptor(),
                      initiator_.peer(0), target_.remoteAddress(), target_.key(),
                      &contexts_[posted % window_]) == 0) {
        ++posted;
      }
      if (fi_cq_read(initiator_.queue(), &entry, 1) == 1) {
        ++completed;
      } else if (++idle % 100 == 0) {
        std::this_thread::yield();
      }
    }
    return static_cast<double>(endpoint::monotonicNow() - began) / 1e9;
  }

 private:
  bench_ofi::Info info_;
  std::size_t bytes_;
  std::uint32_t window_;
  std::vector<fi_context2> contexts_;
  bench_ofi::OfiHost initiator_;
  bench_ofi::OfiHost target_;
  std::atomic<bool> stop_{false};
  std::uint64_t polls_ = 0;
  std::thread target_thread_;
};

// Seconds that the bench's own engine takes for messages that are all due at once. As in the loop,
// the target's thread has been running for a while when the time begins: a new one may still share
// a processor with the initiator's.
double sendAtOnce(endpoint::Channel& channel, const endpoint::ChannelSpec& spec,
                  std::uint64_t messages) {
  const auto send = [&](std::uint64_t count) {
    endpoint::MessageSchedule schedule;
    schedule.slot = Picoseconds(1);
    schedule.rate = Fraction::one();
    schedule.duration = Picoseconds(static_cast<std::int64_t>(count));
    schedule.drain = seconds(60);
    endpoint::StreamProgress progress;
    const std::int64_t began = endpoint::monotonicNow();
    endpoint::sendMessages(channel, spec, schedule, began, progress);
    return static_cast<double>(endpoint::monotonicNow() - began) / 1e9;
  };
  endpoint::TargetThread target(channel);
  send(kWindow);
  const double time = send(messages);
  target.stop();
  return time;
}

void compare(benchmark::State& state, const std::string& provider, std::int64_t bytes,
             std::uint32_t window, std::uint64_t messages, bool throughput) {
  bench_ofi::OfiCarrier carrier(specOf(provider));
  const endpoint::ChannelSpec spec{bench::Operation::kWrite, Bytes(bytes), 1, window};
  std::vector<double> ours;
  std::vector<double> loops;
  for ([[maybe_unused]] auto _ : state) {
    for (int turn = 0; turn < kTurns; ++turn) {
      const auto channel = carrier.connect(spec);
      ours.push_back(sendAtOnce(*channel, spec, messages));
      MinimalLoop loop(provider, bytes, window);
      loops.push_back(loop.run(messages));
    }
  }
  const auto count = static_cast<double>(messages);
  if (throughput) {
    const double bits = count * static_cast<double>(bytes) * 8 / 1e9;
    state.counters["bench_gbps"] = bits / median(ours);
    state.counters["loop_gbps"] = bits / median(loops);
    state.counters["ratio"] = median(loops) / median(ours);
  } else {
    state.counters["bench_us"] = median(ours) / count * 1e6;
    state.counters["loop_us"] = median(loops) / count * 1e6;
    state.counters["clock_ns"] = static_cast<double>(endpoint::measureClock().median_ns);
    state.counters["ratio"] = median(ours) / median(loops);
  }
}

void throughput(benchmark::State& state, const std::string& provider) {
  compare(state, provider, kThroughputBytes, kWindow, 200, true);
}

void latency(benchmark::State& state, const std::string& provider) {
  compare(state, provider, kLatencyBytes, 1, 2000, false);
}

BENCHMARK_CAPTURE(throughput, tcp, "tcp;ofi_rxm")->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(throughput, shm, "shm")->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(latency, tcp, "tcp;ofi_rxm")->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(latency, shm, "shm")->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
