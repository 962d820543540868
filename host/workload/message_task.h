// One rank of a MessageProgram: its connections.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/random.h"
#include "workload/task.h"

namespace plumbline::workload {

// Counters of one pair of ranks in one direction, at its sender.
struct ConnectionResult {
  std::uint32_t number = 0;  // in the pattern's order
  Rank from = 0;
  Rank to = 0;
  std::uint64_t posted = 0;
  std::uint64_t completed = 0;
  Picoseconds first_posted = transport::kNever;
  Picoseconds last_completed{};
};

class MessageTask final : public Task {
 public:
  // A whole message that has arrived, with the sender's label: `step` is its connection.
  struct ArrivedMessage {
    HostId from = 0;
    Label label;
    Picoseconds time;
  };

  // A connection of this rank, `number` in the pattern's order; it begins at `start`.
  struct Opening {
    Rank to = 0;
    std::uint32_t number = 0;
    Picoseconds start{};
  };

  // `program` and `members` must outlive the task. At most 65,536 connections. Poisson arrivals of
  // connection i are drawn from the stream "<name>/<i>".
  MessageTask(MessagePort port, const MessageProgram& program, const Members& members, Rank rank,
              const std::vector<Opening>& openings, std::uint64_t seed, const std::string& name);

  void arrived(HostId from, Label label, Picoseconds now) override;
  void completed(HostId to, Label label, Picoseconds now) override;
  void wake(Picoseconds now) override;
  [[nodiscard]] bool finished() const override { return unfinished_ == 0; }

  [[nodiscard]] std::vector<ConnectionResult> results() const;

  // Where the program requests arrival times: when the messages of connection `index` were posted,
  // and arrivals from others, in the order of time.
  [[nodiscard]] const std::vector<Picoseconds>& postTimes(std::uint32_t index) const {
    return connections_[index].post_times;
  }
  [[nodiscard]] const std::vector<ArrivedMessage>& arrivedMessages() const {
    return arrived_messages_;
  }

 private:
  struct Connection {
    std::uint32_t number = 0;
    Rank to = 0;
    Picoseconds start;
    Picoseconds elapsed{};  // open loop: elapsed time of the on phases, up to the next message
    std::uint64_t posted = 0;
    std::uint64_t completed = 0;
    Picoseconds first_posted = transport::kNever;
    Picoseconds last_completed{};
    std::optional<RandomStream> random;
    bool waiting = false;    // in wakes_
    bool exhausted = false;  // will not post again
    bool finished = false;   // and everything is acknowledged
    std::vector<Picoseconds> post_times{};
  };
  struct Wake {
    Picoseconds time;
    std::uint32_t connection = 0;
    // For a heap with the earliest on top; equal times by number.
    bool operator<(const Wake& other) const {
      return time != other.time ? time > other.time : connection > other.connection;
    }
  };

  void advance(std::uint32_t index, Picoseconds now);
  // When the connection may post its next message: not after `now` if at once, kNever if a
  // completion must come first.
  [[nodiscard]] Picoseconds nextPost(const Connection& connection, Picoseconds now) const;
  void post(std::uint32_t index, Picoseconds now);
  void drawGap(Connection& connection) const;
  void updateWake();

  const MessageProgram& program_;
  const Members& members_;
  Rank rank_;
  std::vector<Connection> connections_;
  std::vector<ArrivedMessage> arrived_messages_;
  std::vector<Wake> wakes_;  // heap
  std::size_t unfinished_;
};

}  // namespace plumbline::workload
