#include "bench/flow_level.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <queue>
#include <tuple>

#include "base/error.h"

namespace plumbline::bench {
namespace {

using transport::HostId;

class FlowLevel {
 public:
  FlowLevel(const workload::WorkloadSpec& spec, std::uint32_t hosts, const FlowNetwork& network)
      : network_(network), workload_(spec, hosts), rates_(network.capacities), posters_(hosts) {
    wakes_.resize(hosts, transport::kNever);
    for (HostId host = 0; host < hosts; ++host) {
      posters_[host] = std::make_unique<Host>(*this, host);
      if (auto* application = workload_.application(host)) {
        application->attach(*posters_[host]);
        updateWake(host);
      }
    }
  }

  std::vector<workload::JobResult> run() {
    while (!events_.empty()) {
      now_ = events_.top().time;
      while (!events_.empty() && events_.top().time == now_) {
        const Event event = events_.top();
        events_.pop();
        handle(event);
      }
      settle();
    }
    return workload_.results();
  }

 private:
  enum class Kind : std::uint8_t { kSent, kArrived, kCompleted, kWake };
  struct Event {
    Picoseconds time;
    std::uint64_t sequence = 0;
    Kind kind = Kind::kWake;
    std::uint32_t subject = 0;  // connection, message or host
    std::uint32_t version = 0;  // kSent: of the connection's rate
    // The queue's top is the largest: the earliest.
    bool operator<(const Event& other) const {
      return std::tie(time, sequence) > std::tie(other.time, other.sequence);
    }
  };
  struct Message {
    transport::Message what;
    HostId from = 0;
    std::uint32_t connection = 0;
    Picoseconds posted;
  };
  struct Connection {
    const FlowPath* path = nullptr;
    std::deque<std::uint32_t> waiting;  // messages; the first one is being sent
    double left = 0;                    // bytes of it
    double rate = 0;                    // bytes/ps; 0: not settled
    Picoseconds since;                  // `left` as of this time
    std::uint32_t version = 0;
    bool active = false;
  };
  class Host final : public transport::Poster {
   public:
    Host(FlowLevel& level, HostId self) : level_(level), self_(self) {}
    void post(const transport::Message& message, Picoseconds) override {
      level_.post(self_, message);
    }

   private:
    FlowLevel& level_;
    HostId self_;
  };

  void push(Picoseconds time, Kind kind, std::uint32_t subject, std::uint32_t version = 0) {
    events_.push({time, sequence_++, kind, subject, version});
  }

  std::uint32_t connectionOf(HostId from, const transport::Message& message) {
    const auto [known, added] = numbers_.try_emplace(
        {from, message.to, message.flow}, static_cast<std::uint32_t>(connections_.size()));
    if (!added) return known->second;
    const auto path = network_.paths.find({from, message.to});
    if (path == network_.paths.end()) {
      throw Error(ErrorKind::kTester,
                  fmt::format("no path from host {} to host {}", from, message.to), "flow level");
    }
    connections_.emplace_back().path = &path->second;
    return rates_.add(path->second.uses);  // counts as connections_ does
  }

  void post(HostId from, const transport::Message& message) {
    const std::uint32_t number = connectionOf(from, message);
    std::uint32_t slot = static_cast<std::uint32_t>(messages_.size());
    if (free_.empty()) {
      messages_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    messages_[slot] = {message, from, number, now_};
    Connection& connection = connections_[number];
    connection.waiting.push_back(slot);
    if (connection.waiting.size() > 1) return;
    connection.left = static_cast<double>(message.bytes);
    connection.since = now_;
    if (!connection.active) idle_changes_.push_back(number);
  }

  // Flows that became idle or busy at this instant and are still so start or stop; then everyone's
  // next end is where the rates put it.
  void settle() {
    for (const std::uint32_t number : idle_changes_) {
      Connection& connection = connections_[number];
      const bool busy = !connection.waiting.empty();
      if (busy == connection.active) continue;
      connection.active = busy;
      if (busy) {
        rates_.start(number);
      } else {
        rates_.stop(number);
        connection.rate = 0;
      }
    }
    for (const std::uint32_t number : idle_changes_) {
      if (const Connection& connection = connections_[number];
          connection.active && connection.rate > 0 && connection.since == now_) {
        scheduleEnd(number);  // went on without a pause
      }
    }
    idle_changes_.clear();
    for (const std::uint32_t number : rates_.settle()) {
      Connection& connection = connections_[number];
      const auto passed = static_cast<double>((now_ - connection.since).count());
      connection.left = std::max(connection.left - passed * connection.rate, 0.0);
      connection.since = now_;
      connection.rate = rates_.rate(number);
      scheduleEnd(number);
    }
  }

  void scheduleEnd(std::uint32_t number) {
    Connection& connection = connections_[number];
    const double time = std::ceil(connection.left / connection.rate);
    push(connection.since + Picoseconds(static_cast<std::int64_t>(time)), Kind::kSent, number,
         ++connection.version);
  }

  void handle(const Event& event) {
    switch (event.kind) {
      case Kind::kSent:
        sent(event);
        return;
      case Kind::kArrived: {
        const Message message = messages_[event.subject];
        push(now_ + connections_[message.connection].path->acknowledgement, Kind::kCompleted,
             event.subject);
        const transport::Message& what = message.what;
        workload_.application(what.to)->onArrival(
            {message.from, what.flow, what.verb, what.bytes, what.tag}, now_);
        updateWake(what.to);
        return;
      }
      case Kind::kCompleted: {
        const Message message = messages_[event.subject];
        free_.push_back(event.subject);
        const transport::Message& what = message.what;
        workload_.application(message.from)
            ->onCompletion(
                {what.to, what.flow, what.verb, what.bytes, what.tag, message.posted, false}, now_);
        updateWake(message.from);
        return;
      }
      case Kind::kWake:
        wakes_[event.subject] = transport::kNever;
        if (auto* application = workload_.application(event.subject);
            application->wakeAt() <= now_) {
          application->wake(now_);
        }
        updateWake(event.subject);
        return;
    }
  }

  void sent(const Event& event) {
    Connection& connection = connections_[event.subject];
    if (event.version != connection.version) return;  // its rate has changed meanwhile
    const std::uint32_t message = connection.waiting.front();
    connection.waiting.pop_front();
    push(now_ + connection.path->there, Kind::kArrived, message);
    ++connection.version;
    connection.since = now_;
    connection.left = 0;
    if (!connection.waiting.empty()) {
      connection.left = static_cast<double>(messages_[connection.waiting.front()].what.bytes);
    }
    idle_changes_.push_back(event.subject);
  }

  void updateWake(HostId host) {
    const Picoseconds at = std::max(workload_.application(host)->wakeAt(), now_);
    if (at == transport::kNever || at >= wakes_[host]) return;
    wakes_[host] = at;
    push(at, Kind::kWake, host);
  }

  const FlowNetwork& network_;
  workload::Workload workload_;
  MaxMin rates_;
  std::vector<std::unique_ptr<Host>> posters_;
  std::vector<Picoseconds> wakes_;  // by host: the earliest wake in events_
  std::map<std::tuple<HostId, HostId, std::uint32_t>, std::uint32_t> numbers_;
  std::vector<Connection> connections_;
  std::vector<std::uint32_t> idle_changes_;  // connections that ended or began a message now
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_;  // of messages_
  std::priority_queue<Event> events_;
  std::uint64_t sequence_ = 0;
  Picoseconds now_{};
};

}  // namespace

std::vector<workload::JobResult> runFlowLevel(const workload::WorkloadSpec& spec,
                                              std::uint32_t hosts, const FlowNetwork& network) {
  return FlowLevel(spec, hosts, network).run();
}

}  // namespace plumbline::bench
