#include "bench/flow/flow_level.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <queue>
#include <tuple>

#include "base/error.h"
#include "bench/flow/fluid.h"

namespace plumbline::bench {
namespace {

using transport::HostId;

class FlowLevel {
 public:
  FlowLevel(const workload::WorkloadSpec& spec, std::uint32_t hosts, const FlowNetwork& network)
      : network_(network), workload_(spec, hosts), fluid_(network.capacities), posters_(hosts) {
    wakes_.resize(hosts, transport::kNever);
    for (HostId host = 0; host < hosts; ++host) {
      posters_[host] = std::make_unique<Host>(*this, host);
      if (auto* application = workload_.application(host)) {
        application->attach(*posters_[host]);
        updateWake(host);
      }
    }
  }

  FlowRun run() {
    std::vector<Fluid::Departure> gone;
    for (;;) {
      Picoseconds next = fluid_.next();
      if (!events_.empty()) next = std::min(next, events_.top().time);
      if (next == transport::kNever) break;
      now_ = next;
      gone.clear();
      fluid_.depart(now_, gone);
      for (const auto& [connection, message] : gone) {
        push(now_ + paths_[connection]->there, Kind::kArrived, static_cast<std::uint32_t>(message));
      }
      while (!events_.empty() && events_.top().time == now_) {
        const Event event = events_.top();
        events_.pop();
        handle(event);
      }
      fluid_.settle(now_);
    }
    FlowRun run{workload_.results(), now_, {}, fluid_.changes()};
    for (std::uint32_t link = 0; link < network_.capacities.size(); ++link) {
      run.carried.push_back(fluid_.carried(link));
    }
    return run;
  }

 private:
  enum class Kind : std::uint8_t { kArrived, kCompleted, kWake };
  struct Event {
    Picoseconds time;
    std::uint64_t sequence = 0;
    Kind kind = Kind::kWake;
    std::uint32_t subject = 0;  // message or host
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

  void push(Picoseconds time, Kind kind, std::uint32_t subject) {
    events_.push({time, sequence_++, kind, subject});
  }

  std::uint32_t connectionOf(HostId from, const transport::Message& message) {
    const auto [known, added] = numbers_.try_emplace({from, message.to, message.flow},
                                                     static_cast<std::uint32_t>(paths_.size()));
    if (!added) return known->second;
    const auto path = network_.paths.find({from, message.to});
    if (path == network_.paths.end()) {
      throw Error(ErrorKind::kTester,
                  fmt::format("no path from host {} to host {}", from, message.to), "flow level");
    }
    paths_.push_back(&path->second);
    return fluid_.connect(path->second.uses);  // counts as paths_ does
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
    fluid_.post(number, slot, message.bytes, now_);
  }

  void handle(const Event& event) {
    switch (event.kind) {
      case Kind::kArrived: {
        const Message message = messages_[event.subject];
        push(now_ + paths_[message.connection]->acknowledgement, Kind::kCompleted, event.subject);
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

  void updateWake(HostId host) {
    const Picoseconds at = std::max(workload_.application(host)->wakeAt(), now_);
    if (at == transport::kNever || at >= wakes_[host]) return;
    wakes_[host] = at;
    push(at, Kind::kWake, host);
  }

  const FlowNetwork& network_;
  workload::Workload workload_;
  Fluid fluid_;
  std::vector<std::unique_ptr<Host>> posters_;
  std::vector<Picoseconds> wakes_;  // by host: the earliest wake in events_
  std::map<std::tuple<HostId, HostId, std::uint32_t>, std::uint32_t> numbers_;
  std::vector<const FlowPath*> paths_;  // by connection
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_;  // of messages_
  std::priority_queue<Event> events_;
  std::uint64_t sequence_ = 0;
  Picoseconds now_{};
};

}  // namespace

FlowRun runFlowLevel(const workload::WorkloadSpec& spec, std::uint32_t hosts,
                     const FlowNetwork& network) {
  return FlowLevel(spec, hosts, network).run();
}

}  // namespace plumbline::bench
