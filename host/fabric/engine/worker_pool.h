// Threads that share the nodes of a window.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "fabric/engine/phases.h"

namespace plumbline::fabric {

// run() distributes the indices [0, count) over the calling thread and the workers and returns when
// all are done. Waiting is blocking: spinning barriers cost more than they save on a machine with
// other load. A round that is too short to wake workers runs on the calling thread alone; the
// duration of rounds is measured for each kind.
class WorkerPool {
 public:
  // `threads` in all, the caller included; at least 1. `share_always`: also rounds that are not
  // worth it, index by index.
  explicit WorkerPool(unsigned threads, bool share_always = false);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // `kind`: of kKinds, one for each group of nodes (phases.h).
  void run(std::size_t kind, std::size_t count, const std::function<void(std::size_t)>& work);

  static constexpr std::size_t kKinds = kPhases;

 private:
  void loop();
  void share();

  const bool share_always_;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable begin_;
  std::condition_variable end_;
  std::uint64_t round_ = 0;  // guarded by mutex_
  unsigned busy_ = 0;        // guarded by mutex_: workers in the current round
  bool stop_ = false;        // guarded by mutex_
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t count_ = 0;
  std::size_t chunk_ = 1;  // indices that a thread takes at once
  std::atomic<std::size_t> next_{0};
  std::array<std::int64_t, kKinds> work_ns_{};  // of all threads together, in the last round
};

}  // namespace plumbline::fabric
