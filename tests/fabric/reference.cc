#include "tests/fabric/reference.h"

#include <list>
#include <map>
#include <set>
#include <tuple>

namespace plumbline::fabric::testing {
namespace {

// Nodes are numbered hosts first, then leaves (or the switch), then the spine: this is also how
// frames that reach a queue at the same instant are ordered, by where they come from.
using NodeNumber = std::uint32_t;

// What can happen, in the order in which simultaneous things happen.
enum class Step { kLastBitLeft, kWireFree, kArrive };

struct Queue {
  std::list<std::size_t> frames;  // waiting or in transmission, oldest first
  std::int64_t bytes = 0;
  bool wire_busy = false;
  std::size_t started = 0;  // frames at the head of the list that have been started
};

class Reference {
 public:
  Reference(const FabricSpec& spec, const std::vector<Sending>& traffic)
      : spec_(spec), traffic_(traffic) {}

  Log run() {
    for (std::size_t i = 0; i < traffic_.size(); ++i) {
      travel(traffic_[i].from, firstSwitch(traffic_[i].from), i, traffic_[i].first_bit);
    }
    while (!events_.empty()) {
      const Happening next = *events_.begin();
      events_.erase(events_.begin());
      happen(next);
    }
    return log_;
  }

 private:
  // time, step, node it comes from, node where it happens, frame
  using Happening = std::tuple<Picoseconds, Step, NodeNumber, NodeNumber, std::size_t>;
  using QueueKey = std::pair<NodeNumber, NodeNumber>;  // at a node, towards a node

  [[nodiscard]] std::uint32_t hosts() const { return spec_.hostCount(); }
  [[nodiscard]] bool clos() const { return spec_.topology.kind == TopologyKind::kClos2; }
  [[nodiscard]] NodeNumber firstSwitch(NodeNumber host) const {
    return clos() ? hosts() + host / spec_.topology.hosts_per_leaf : hosts();
  }
  [[nodiscard]] NodeNumber nextNode(NodeNumber at, HostId destination) const {
    const NodeNumber last = firstSwitch(destination);
    if (at == last) return destination;
    const NodeNumber spine = hosts() + spec_.topology.leaves;
    return at == spine ? last : spine;
  }

  // A frame starts on the wire from `from` to `to`.
  void travel(NodeNumber from, NodeNumber to, std::size_t frame, Picoseconds first_bit) {
    const bool host_link = from < hosts() || to < hosts();
    Picoseconds arrival =
        first_bit + (host_link ? spec_.topology.host_link_delay : spec_.topology.fabric_link_delay);
    if (to >= hosts()) {
      arrival += spec_.switches.latency;
      if (spec_.switches.forwarding == Forwarding::kStoreAndForward) {
        arrival += bytesTime(traffic_[frame].packet.length);
      }
    }
    events_.emplace(arrival, Step::kArrive, from, to, frame);
  }

  void happen(const Happening& event) {
    const auto& [time, step, from, at, frame] = event;
    const Packet& packet = traffic_[frame].packet;
    if (at < hosts()) {
      log_.deliveries.push_back({at, packet.extra, packet.length, time});
      return;
    }
    const NodeNumber towards = nextNode(at, packet.destination);
    Queue& queue = queues_[{at, towards}];
    switch (step) {
      case Step::kArrive:
        if (queue.bytes + packet.length > spec_.switches.buffer_per_port.count()) {
          log_.losses.push_back({packet.extra, packet.length, time, DropReason::kBufferFull});
          return;
        }
        queue.frames.push_back(frame);
        queue.bytes += packet.length;
        break;
      case Step::kLastBitLeft:
        queue.frames.remove(frame);
        queue.bytes -= packet.length;
        --queue.started;
        break;
      case Step::kWireFree:
        queue.wire_busy = false;
        break;
    }
    if (!queue.wire_busy && queue.started < queue.frames.size()) {
      auto oldest = queue.frames.begin();
      std::advance(oldest, queue.started);
      const std::int64_t length = traffic_[*oldest].packet.length;
      queue.wire_busy = true;
      ++queue.started;
      events_.emplace(time + bytesTime(length), Step::kLastBitLeft, at, at, *oldest);
      events_.emplace(time + bytesTime(length + 20), Step::kWireFree, at, at, *oldest);
      travel(at, towards, *oldest, time);
    }
  }

  const FabricSpec& spec_;
  const std::vector<Sending>& traffic_;
  std::set<Happening> events_;
  std::map<QueueKey, Queue> queues_;
  Log log_;
};

}  // namespace

Log referenceRun(const FabricSpec& spec, const std::vector<Sending>& traffic) {
  return Reference(spec, traffic).run();
}

}  // namespace plumbline::fabric::testing
