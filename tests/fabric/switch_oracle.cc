#include "tests/fabric/switch_oracle.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>

namespace plumbline::fabric::testing {
namespace {

// Simultaneous things happen in this order.
enum class What {
  kPauseTakesEffect,
  kLastBitLeft,
  kFrameHandedOver,
  kRefresh,
  kPauseOver,
  kFrameReady,
  kWireFree,
  kTryToSend,
};

struct Event {
  std::int64_t time = 0;
  What what = What::kTryToSend;
  std::size_t port = 0;  // where it happens; hosts' ports for the hosts
  bool at_host = false;
  std::uint64_t order = 0;   // first come, first served among equals
  std::size_t frame = 0;     // kLastBitLeft, kFrameHandedOver
  std::uint8_t enabled = 0;  // kPauseTakesEffect
  std::uint8_t xoff = 0;
  unsigned priority = 0;  // kRefresh

  bool operator<(const Event& o) const {
    return std::tie(time, what, port, at_host, order) <
           std::tie(o.time, o.what, o.port, o.at_host, o.order);
  }
};

// One end of a cable that sends.
struct Sender {
  std::map<unsigned, std::deque<std::size_t>> queues;  // by priority
  std::int64_t paused_until[8] = {};
  std::int64_t wire_free = 0;
  std::uint8_t pause_enabled = 0;  // PAUSE frame that waits
  std::uint8_t pause_xoff = 0;
  // DWRR
  std::int64_t credit[8] = {};
  unsigned turn = 0;
  bool credited = false;
};

struct SwitchPort {
  std::int64_t lossy = 0;         // bytes of lossy frames in its queues or leaving
  std::int64_t queued[8] = {};    // bytes by priority, the leaving frame included
  std::int64_t arrived[8] = {};   // lossless bytes that came in here and are still in the switch
  std::int64_t headroom[8] = {};  // of these, in the headroom
  bool pausing[8] = {};
  std::int64_t refresh[8] = {};  // when to repeat the pause
};

class Oracle {
 public:
  Oracle(const FabricSpec& spec, const std::vector<OracleFrame>& frames)
      : spec_(spec.switches),
        frames_(frames),
        rate_(spec.topology.link_rate.bitsPerSecond()),
        delay_(spec.topology.host_link_delay.count()),
        hosts_(spec.topology.hosts),
        senders_(spec.topology.hosts),
        ports_(spec.topology.hosts) {}

  OracleResult run() {
    result_.fates.resize(frames_.size());
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      add({.time = frames_[i].ready_ps,
           .what = What::kFrameReady,
           .port = frames_[i].from,
           .at_host = true,
           .frame = i});
    }
    while (!events_.empty()) {
      const Event event = *events_.begin();
      events_.erase(events_.begin());
      now_ = event.time;
      happen(event);
    }
    return result_;
  }

 private:
  void add(Event event) {
    event.order = order_++;
    events_.insert(event);
  }
  [[nodiscard]] std::int64_t bits(std::int64_t bytes) const {
    return bytes * 8 * 1'000'000'000'000 / rate_;
  }
  [[nodiscard]] bool lossless(unsigned priority) const {
    return spec_.pfc && (spec_.pfc->priorities >> priority & 1U) != 0;
  }
  Sender& sender(const Event& event) {
    return event.at_host ? hosts_[event.port] : senders_[event.port];
  }

  void happen(const Event& event) {
    switch (event.what) {
      case What::kPauseTakesEffect:
        pause(event);
        break;
      case What::kLastBitLeft:
        lastBitLeft(event.port, event.frame);
        break;
      case What::kFrameHandedOver:
        handOver(event.frame);
        break;
      case What::kRefresh:
        if (ports_[event.port].pausing[event.priority] &&
            ports_[event.port].refresh[event.priority] == now_) {
          askToPause(event.port, event.priority, true);
        }
        break;
      case What::kFrameReady:
        hosts_[event.port].queues[frames_[event.frame].priority].push_back(event.frame);
        tryLater(event.port, true);
        break;
      case What::kPauseOver:
      case What::kWireFree:
        tryLater(event.port, event.at_host);
        break;
      case What::kTryToSend:
        trySend(event.port, event.at_host);
        break;
    }
  }

  void tryLater(std::size_t port, bool at_host) {
    add({.time = now_, .what = What::kTryToSend, .port = port, .at_host = at_host});
  }

  void pause(const Event& event) {
    for (unsigned p = 0; p < 8; ++p) {
      if ((event.enabled >> p & 1U) == 0) continue;
      const bool off = (event.xoff >> p & 1U) != 0;
      sender(event).paused_until[p] = off ? now_ + bits(64) * spec_.pfc->quanta : now_;
      add({.time = sender(event).paused_until[p],
           .what = What::kPauseOver,
           .port = event.port,
           .at_host = event.at_host});
    }
    tryLater(event.port, event.at_host);
  }

  void lastBitLeft(std::size_t port, std::size_t index) {
    const OracleFrame& frame = frames_[index];
    ports_[port].queued[frame.priority] -= frame.length;
    if (!lossless(frame.priority)) {
      ports_[port].lossy -= frame.length;
      return;
    }
    SwitchPort& in = ports_[frame.from];
    in.arrived[frame.priority] -= frame.length;
    in.headroom[frame.priority] -= std::min(in.headroom[frame.priority], frame.length);
    if (in.pausing[frame.priority] && in.headroom[frame.priority] == 0 &&
        in.arrived[frame.priority] <= spec_.pfc->xon.count()) {
      askToPause(frame.from, frame.priority, false);
    }
  }

  void handOver(std::size_t index) {
    const OracleFrame& frame = frames_[index];
    OracleFate& fate = result_.fates[index];
    SwitchPort& out = ports_[frame.to];
    SwitchPort& in = ports_[frame.from];
    const unsigned p = frame.priority;
    if (lossless(p)) {
      if (!in.pausing[p]) {
        if (in.arrived[p] + frame.length > spec_.pfc->xoff.count()) askToPause(frame.from, p, true);
      } else {
        if (in.headroom[p] + frame.length > spec_.pfc->headroom.count()) {
          fate.drop_ps = now_;
          return;
        }
        in.headroom[p] += frame.length;
      }
      in.arrived[p] += frame.length;
    } else {
      if (out.lossy + frame.length > spec_.buffer_per_port.count()) {
        fate.drop_ps = now_;
        return;
      }
      out.lossy += frame.length;
    }
    markIfDeep(index, out.queued[p], false);
    out.queued[p] += frame.length;
    senders_[frame.to].queues[p].push_back(index);
    tryLater(frame.to, false);
  }

  // Steps only: kmin = kmax, or a ramp of probability 0.
  void markIfDeep(std::size_t index, std::int64_t depth, bool at_dequeue) {
    const OracleFrame& frame = frames_[index];
    for (const EcnSpec& ecn : spec_.ecn) {
      if ((ecn.priorities >> frame.priority & 1U) == 0) continue;
      if (frame.ect && ecn.at_dequeue == at_dequeue && depth > ecn.kmax.count()) {
        result_.fates[index].marked = true;
      }
      return;
    }
  }

  void askToPause(std::size_t port, unsigned priority, bool off) {
    ports_[port].pausing[priority] = off;
    ++(off ? result_.xoffs : result_.xons);
    const auto bit = static_cast<std::uint8_t>(1U << priority);
    Sender& wire = senders_[port];
    wire.pause_enabled |= bit;
    wire.pause_xoff =
        static_cast<std::uint8_t>(off ? wire.pause_xoff | bit : wire.pause_xoff & ~bit);
    if (off) {
      ports_[port].refresh[priority] = now_ + bits(64) * spec_.pfc->quanta / 2;
      add({.time = ports_[port].refresh[priority],
           .what = What::kRefresh,
           .port = port,
           .priority = priority});
    }
    tryLater(port, false);
  }

  void trySend(std::size_t port, bool at_host) {
    Sender& from = at_host ? hosts_[port] : senders_[port];
    if (now_ < from.wire_free) return;
    if (from.pause_enabled != 0) {
      add({.time = now_ + bits(64) + delay_ + spec_.pfc->response.count(),
           .what = What::kPauseTakesEffect,
           .port = port,
           .at_host = true,
           .enabled = from.pause_enabled,
           .xoff = from.pause_xoff});
      from.pause_enabled = 0;
      from.pause_xoff = 0;
      occupy(from, port, at_host, 64);
      return;
    }
    const int priority = pick(from, at_host);
    if (priority < 0) return;
    auto& queue = from.queues[static_cast<unsigned>(priority)];
    const std::size_t index = queue.front();
    queue.pop_front();
    const OracleFrame& frame = frames_[index];
    occupy(from, port, at_host, frame.length);
    if (at_host) {
      result_.fates[index].host_departure_ps = now_;
      const std::int64_t stored =
          spec_.forwarding == Forwarding::kStoreAndForward ? bits(frame.length) : 0;
      add({.time = now_ + delay_ + stored + spec_.latency.count(),
           .what = What::kFrameHandedOver,
           .port = port,
           .frame = index});
      return;
    }
    result_.fates[index].switch_departure_ps = now_;
    markIfDeep(index, ports_[port].queued[frame.priority] - frame.length, true);
    add({.time = now_ + bits(frame.length),
         .what = What::kLastBitLeft,
         .port = port,
         .frame = index});
  }

  void occupy(Sender& from, std::size_t port, bool at_host, std::int64_t length) {
    from.wire_free = now_ + bits(length + 20);
    add({.time = from.wire_free, .what = What::kWireFree, .port = port, .at_host = at_host});
  }

  // Hosts: the highest priority. Switch: strict ones, then deficit round robin.
  int pick(Sender& from, bool at_host) {
    const auto waits = [&](unsigned p) { return !from.queues[p].empty(); };
    const auto maySend = [&](unsigned p) { return waits(p) && from.paused_until[p] <= now_; };
    bool weighted = false;
    for (unsigned p = 8; p-- > 0;) {
      if (!maySend(p)) continue;
      if (at_host || spec_.weights.at(p) == 0) return static_cast<int>(p);
      weighted = true;
    }
    if (!weighted) return -1;
    for (;; from.turn = (from.turn + 1) % 8, from.credited = false) {
      const unsigned p = from.turn;
      if (!waits(p)) from.credit[p] = 0;
      if (spec_.weights.at(p) == 0 || !maySend(p)) continue;
      if (!from.credited) from.credit[p] += spec_.weights.at(p) * spec_.dwrr_quantum.count();
      from.credited = true;
      const std::int64_t length = frames_[from.queues[p].front()].length;
      if (from.credit[p] < length) continue;
      from.credit[p] -= length;
      return static_cast<int>(p);
    }
  }

  const SwitchSpec& spec_;
  const std::vector<OracleFrame>& frames_;
  std::int64_t rate_;
  std::int64_t delay_;
  std::vector<Sender> hosts_;
  std::vector<Sender> senders_;  // of the switch
  std::vector<SwitchPort> ports_;
  std::set<Event> events_;
  std::uint64_t order_ = 0;
  std::int64_t now_ = 0;
  OracleResult result_;
};

}  // namespace

OracleResult oracleRun(const FabricSpec& spec, const std::vector<OracleFrame>& frames) {
  return Oracle(spec, frames).run();
}

}  // namespace plumbline::fabric::testing
