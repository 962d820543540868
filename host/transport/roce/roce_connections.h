// Connection management of one RoCEv2 host: which of its QPs may be used, and the exchange of REQ,
// REP, RTU and REJ that establishes them. Model: docs/model/roce.md, "Connection management".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/engine/ring.h"
#include "transport/application.h"
#include "transport/connection_stats.h"
#include "transport/roce/roce_pool.h"
#include "transport/roce/roce_spec.h"

namespace plumbline::transport {

// QPs are identified by their index in the host's pool. Every call may add events.
class RoceConnections {
 public:
  RoceConnections(const RoceCmSpec& spec, HostId self) : spec_(spec), self_(self) {}

  // What the owner has to handle.
  struct Event {
    std::uint32_t qp = 0;
    bool connected = false;  // may send from now on; false: setup has failed
  };
  // A packet of the connection manager to send to the peer of `qp`.
  struct Outgoing {
    std::uint32_t qp = 0;
    std::uint8_t code = 0;  // of roce_code
  };

  [[nodiscard]] bool isOpen(std::uint32_t qp) const { return stateOf(qp) == State::kOpen; }
  // The QP has something to send. Begins its setup unless that has begun or ended already.
  void open(std::uint32_t qp, Picoseconds now);
  // A packet of the connection manager with this code has arrived from `peer`.
  void onPacket(std::uint32_t qp, HostId peer, std::uint8_t code, Picoseconds now);
  // A request has arrived on the QP, which implies an RTU.
  void onRequest(std::uint32_t qp) {
    if (stateOf(qp) == State::kReplied) connect(qp);
  }

  void wake(Picoseconds now);
  [[nodiscard]] Picoseconds wakeAt() const;
  [[nodiscard]] bool hasPacket() const { return !outgoing_.empty(); }
  Outgoing receivePacket() {
    const Outgoing next = outgoing_.front();
    outgoing_.pop();
    return next;
  }
  [[nodiscard]] std::uint8_t priority() const { return spec_.priority; }

  // Since this was last cleared, in order.
  [[nodiscard]] std::vector<Event>& events() { return events_; }
  [[nodiscard]] const ConnectionStats& stats() const { return stats_; }

 private:
  enum class State : std::uint8_t {
    kNone,
    kCreating,   // active: before its REQ
    kRequested,  // active: REQ sent
    kFinishing,  // active: REP has come
    kAccepting,  // passive: REQ has come
    kReplied,    // passive: REP sent
    kOpen,
    kFailed,
  };
  struct Connection {
    State state = State::kNone;
    std::uint8_t attempts = 0;  // REQs sent
    Picoseconds wanted{};       // active: first message
    Picoseconds deadline = kNever;
  };
  // A step of connection setup that the host executes or has queued.
  struct Step {
    Picoseconds done;
    std::uint32_t qp = 0;
    State of = State::kNone;  // the only state in which it applies
  };

  [[nodiscard]] State stateOf(std::uint32_t qp) const {
    return qp < connections_.size() ? connections_[qp].state : State::kNone;
  }
  Connection& at(std::uint32_t qp) {
    if (qp >= connections_.size()) connections_.resize(qp + std::size_t{1});
    return connections_[qp];
  }
  void work(std::uint32_t qp, State state, Picoseconds now);
  void finish(const Step& step);
  void request(std::uint32_t qp, Picoseconds now);
  void onTimeout(std::uint32_t qp, Picoseconds now);
  bool acquireQp();
  void connect(std::uint32_t qp);
  void fail(std::uint32_t qp);

  RoceCmSpec spec_;
  HostId self_;
  std::vector<Connection> connections_;
  fabric::Ring<Step> steps_;  // in order of their ends
  Picoseconds busy_until_{};
  fabric::Ring<Outgoing> outgoing_;
  TimerHeap timeouts_;  // of REQs; entries may be stale
  std::vector<Event> events_;
  std::uint32_t in_use_ = 0;  // QPs
  ConnectionStats stats_;
};

}  // namespace plumbline::transport
