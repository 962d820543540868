// One NIC of a serving system on a simulated host: posts messages of KV cache at their times and
// records arrivals. The serving model itself is outside the fabric.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/task.h"

namespace plumbline::bench {

class ServingTask final : public workload::Task {
 public:
  // A message to post here. With RDMA Read the receiver of the bytes posts it.
  struct Post {
    Picoseconds at;
    std::uint32_t to = 0;  // host of the other end
    std::uint64_t bytes = 0;
    std::uint32_t label = 0;  // unique among open messages, below 2^23
  };
  struct Event {
    enum class Kind : std::uint8_t {
      kArrived,    // all of it is at the receiving host
      kCompleted,  // the posting host has its completion
      kFailed,     // its poster has given up
    };
    Picoseconds time;
    std::uint32_t label = 0;
    Kind kind = Kind::kArrived;
  };
  static constexpr std::uint32_t kLabels = std::uint32_t{1} << 23;

  explicit ServingTask(workload::MessagePort port) : Task(std::move(port)) {}

  // Adds a message. Not while the fabric is running. wakeAt() may be earlier afterwards.
  void schedule(const Post& post);
  // Appends events since the last call to `events`, in the order of time.
  void take(std::vector<Event>& events);
  [[nodiscard]] bool hasEvents() const { return !events_.empty(); }

  void arrived(workload::HostId from, workload::Label label, Picoseconds now) override;
  void completed(workload::HostId to, workload::Label label, Picoseconds now) override;
  void wake(Picoseconds now) override;
  // The serving model decides when the trial is over.
  [[nodiscard]] bool finished() const override { return true; }

 private:
  struct Waiting {
    Post post;
    std::uint64_t sequence = 0;
    // For a heap with the earliest message on top.
    bool operator<(const Waiting& other) const {
      return post.at != other.post.at ? post.at > other.post.at : sequence > other.sequence;
    }
  };

  void updateWake();

  std::vector<Waiting> waiting_;  // heap
  std::vector<Event> events_;
  std::uint64_t given_ = 0;
  std::uint64_t turn_ = 0;  // of queue pairs
  std::uint64_t failed_ = 0;
};

}  // namespace plumbline::bench
