#include "fabric/engine/worker_pool.h"

#include <algorithm>
#include <chrono>

namespace plumbline::fabric {
namespace {

// Most indices that a thread takes at once, and the number of times that each thread should be able
// to take some.
constexpr std::size_t kMaxChunk = 4;
constexpr std::size_t kTurns = 4;
// Work of a round below which waking a thread costs more than it saves.
constexpr std::int64_t kMinSharedWork_ns = 150'000;

std::int64_t nowNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

WorkerPool::WorkerPool(unsigned threads, bool share_always) : share_always_(share_always) {
  for (unsigned i = 1; i < threads; ++i) workers_.emplace_back([this] { loop(); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  begin_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void WorkerPool::run(std::size_t kind, std::size_t count,
                     const std::function<void(std::size_t)>& work) {
  const std::int64_t started = nowNanoseconds();
  const bool worth_it = work_ns_[kind] > kMinSharedWork_ns && count > 1;
  const bool shared = !workers_.empty() && (worth_it || share_always_);
  work_ = &work;
  count_ = count;
  const std::size_t turns = (workers_.size() + 1) * kTurns;
  chunk_ = share_always_ ? 1 : std::clamp<std::size_t>(count / turns, 1, kMaxChunk);
  next_.store(0, std::memory_order_relaxed);
  if (shared) {
    {
      const std::lock_guard lock(mutex_);
      ++round_;
      busy_ = static_cast<unsigned>(workers_.size());
    }
    begin_.notify_all();
  }
  share();
  if (shared) {
    std::unique_lock lock(mutex_);
    end_.wait(lock, [this] { return busy_ == 0; });
  }
  work_ns_[kind] = nowNanoseconds() - started;
  if (shared) work_ns_[kind] *= static_cast<std::int64_t>(workers_.size() + 1);
}

void WorkerPool::loop() {
  std::uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      begin_.wait(lock, [&] { return stop_ || round_ != seen; });
      if (stop_) return;
      seen = round_;
    }
    share();
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) end_.notify_one();
  }
}

void WorkerPool::share() {
  const std::size_t chunk = chunk_;
  for (;;) {
    const std::size_t first = next_.fetch_add(chunk, std::memory_order_relaxed);
    if (first >= count_) return;
    const std::size_t last = first + chunk < count_ ? first + chunk : count_;
    for (std::size_t i = first; i < last; ++i) (*work_)(i);
  }
}

}  // namespace plumbline::fabric
