// A tiny network for tests of endpoints: every pair of hosts is joined by a wire of its own with a
// fixed delay, and a script decides the fate of each packet. No queues, no contention.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/units.h"
#include "fabric/engine/endpoint.h"
#include "fabric/engine/packet.h"

namespace plumbline::transport_test {

// What the network does to a packet.
enum class Action : std::uint8_t {
  kDeliver,
  kDrop,
  kMark,       // sets CE
  kTrim,       // cuts it to Rule::trimmed_length, as the last hop if Rule::last_hop
  kDuplicate,  // delivers it a second time, Rule::extra later
  kDelay,      // delivers it Rule::extra later, possibly after its successors
};

// Picks packets `first` to `first + count - 1` (from 0) of those that `matches` and that no earlier
// rule has picked.
struct Rule {
  std::function<bool(const fabric::Packet&)> matches;
  std::uint64_t first = 0;
  std::uint64_t count = 1;
  Action action = Action::kDrop;
  Picoseconds extra{};  // kDuplicate, kDelay
  std::uint16_t trimmed_length = 64;
  bool last_hop = false;

  std::uint64_t seen = 0;  // packets that matched so far; the network's
};

// One frame as it left its host.
struct Sent {
  Picoseconds time;
  fabric::HostId host = 0;  // whose wire
  fabric::Packet packet;
  Action action = Action::kDeliver;  // its fate
};

// Joins `endpoints` (host i is endpoints[i]; not owned) and calls them in the order that
// fabric/engine/endpoint.h documents. Deterministic: within an instant hosts are served by number
// and packets arrive in the order they were sent.
class TestNetwork {
 public:
  // A packet whose first bit leaves at t has its first bit at t + delay at the other end, its last
  // bit one serialisation time at the receiver's rate later. `rates` has one entry per host.
  TestNetwork(const std::vector<fabric::Endpoint*>& endpoints, const std::vector<BitRate>& rates,
              Picoseconds delay);
  // All wires of one rate.
  TestNetwork(const std::vector<fabric::Endpoint*>& endpoints, BitRate rate, Picoseconds delay);

  void add(Rule rule) { rules_.push_back(std::move(rule)); }
  // Decides for every packet that no rule picked; may alter it (marking by chance and the like).
  // Returns the action; `extra` is then its delay.
  using Hook = std::function<Action(fabric::Packet& packet, Picoseconds now, Picoseconds& extra)>;
  void setHook(Hook hook) { hook_ = std::move(hook); }

  // From `time` on, `host` must not send the priorities of `mask`. Times must not decrease.
  void pause(Picoseconds time, fabric::HostId host, fabric::PriorityMask mask);

  // Runs until no events are left or the next one is later than `until`. Throws std::runtime_error
  // when an endpoint repeatedly requests to be woken at one instant, or sends a paused priority.
  // Returns the time of the last event.
  Picoseconds run(Picoseconds until = seconds(1000));

  [[nodiscard]] const std::vector<Sent>& log() const { return log_; }
  // Frames of the log that `matches`.
  [[nodiscard]] std::vector<Sent> sent(
      const std::function<bool(const fabric::Packet&)>& matches) const;

 private:
  struct Host {
    fabric::Endpoint* endpoint = nullptr;
    BitRate rate;
    Picoseconds wire_free{};
    bool ask = false;  // there was an event since transmit() returned false
    fabric::PriorityMask paused = 0;
  };
  struct InFlight {
    Picoseconds time;
    std::uint64_t sequence = 0;
    fabric::Packet packet;
    // std::push_heap keeps the greatest on top, so the earliest compares as the greatest.
    bool operator<(const InFlight& other) const {
      return time != other.time ? time > other.time : sequence > other.sequence;
    }
  };
  struct Pause {
    Picoseconds time;
    fabric::HostId host = 0;
    fabric::PriorityMask mask = 0;
  };

  [[nodiscard]] Picoseconds nextTime() const;
  void step(Picoseconds now);
  void send(fabric::HostId host, const fabric::Packet& packet, Picoseconds now);
  Action decide(fabric::Packet& packet, Picoseconds now, Picoseconds& extra);
  void deliver(const fabric::Packet& packet, Picoseconds first_bit);

  std::vector<Host> hosts_;
  Picoseconds delay_;
  std::vector<Rule> rules_;
  Hook hook_;
  std::vector<InFlight> in_flight_;  // heap
  std::vector<Pause> pauses_;
  std::size_t next_pause_ = 0;
  std::uint64_t sequence_ = 0;
  std::vector<Sent> log_;
};

}  // namespace plumbline::transport_test
