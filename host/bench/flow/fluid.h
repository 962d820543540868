// Messages as a fluid: those of a connection leave one after the other, and connections share links
// max-min fairly.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <span>
#include <vector>

#include "base/units.h"
#include "bench/flow/max_min.h"

namespace plumbline::bench {

// The caller's loop drives it, instant by instant: depart() for messages that leave at this time,
// post() for new ones, settle(). Rates change when a connection gets its first message or has sent
// its last one. Deterministic: the same calls give the same times.
class Fluid {
 public:
  // The last byte of a message has left.
  struct Departure {
    std::uint32_t connection = 0;
    std::uint64_t message = 0;
  };

  // `capacities`: by link, above 0 [bytes/ps].
  explicit Fluid(std::vector<double> capacities);

  // Adds a connection over these links (see MaxMin::add()); returns its number, counted from 0.
  std::uint32_t connect(std::span<const LinkUse> uses);
  // Queues `bytes` (above 0) after the connection's earlier messages; `message` is the caller's
  // identifier.
  void post(std::uint32_t connection, std::uint64_t message, std::uint64_t bytes, Picoseconds now);
  // When the next message has left; kNever if there is none. Valid after settle().
  [[nodiscard]] Picoseconds next() const;
  // Appends the messages that leave at `now`, which is not after next().
  void depart(Picoseconds now, std::vector<Departure>& gone);
  // Recomputes rates; after all other calls for `now`.
  void settle(Picoseconds now);

  // Payload of messages that have left, weighted with the link's shares [bytes].
  [[nodiscard]] double carried(std::uint32_t link) const { return carried_[link]; }
  // Number of rate changes of connections so far.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }

 private:
  struct Message {
    std::uint64_t id = 0;
    std::uint64_t bytes = 0;
  };
  struct Connection {
    std::deque<Message> waiting;  // the first one is being sent
    double left = 0;              // bytes of it
    double rate = 0;              // bytes/ps; 0: not settled
    Picoseconds since;            // `left` as of this time
    std::uint32_t version = 0;    // of the end that counts
    bool active = false;
  };
  struct End {
    Picoseconds time;
    std::uint64_t sequence = 0;
    std::uint32_t connection = 0;
    std::uint32_t version = 0;
    bool operator>(const End& o) const {
      return time != o.time ? time > o.time : sequence > o.sequence;
    }
  };

  void begin(std::uint32_t number, Picoseconds now);
  void scheduleEnd(std::uint32_t number);
  void dropStale();

  MaxMin rates_;
  std::vector<Connection> connections_;
  std::vector<std::uint32_t> changed_;  // sent or got a message at this instant
  std::vector<double> carried_;         // by link
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::uint64_t sequence_ = 0;
  std::uint64_t changes_ = 0;
};

}  // namespace plumbline::bench
