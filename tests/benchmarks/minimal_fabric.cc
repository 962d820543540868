#include "tests/benchmarks/minimal_fabric.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

namespace plumbline::minimal {
namespace {

constexpr std::uint32_t kLeaves = kHosts / kHostsPerLeaf;
constexpr std::uint32_t kSpines = 16;
constexpr std::int64_t kWindow = 1'000'000;       // [ps], the delay of every link
constexpr std::int64_t kSwitchLatency = 600'000;  // [ps]
constexpr std::int64_t kByteTime = 20;            // [ps], 400 Gb/s
constexpr std::uint16_t kDataBytes = 4218;        // with headers, preamble and gap
constexpr std::uint16_t kControlBytes = 84;

constexpr std::uint64_t kNothing = ~std::uint64_t{0};

constexpr double kBdp = 600'000;  // [bytes], 12 us
constexpr double kRedMin = 0.2 * kBdp;
constexpr double kRedMax = 0.8 * kBdp;
constexpr std::int64_t kTrimAbove = 600'000;
constexpr double kBaseRtt = 12e6;            // [ps]
constexpr double kTarget = 0.75 * kBaseRtt;  // of queueing delay
constexpr double kMaxWindow = 1.5 * kBdp;
constexpr double kAlpha = 4 * kDataBytes * (kBdp / 150'000) * (kTarget / 12e6) / kTarget;
constexpr double kDelayGain = 0.0125;

enum class Kind : std::uint8_t { kData, kTrimmed, kAck, kNack };

struct Packet {
  std::int64_t time;  // [ps], at the far end of its link
  std::uint32_t message;
  std::uint32_t sequence;
  std::uint32_t sent;  // [ps], modulo 2^32
  std::uint16_t to;
  std::uint16_t bytes;
  Kind kind;
  bool marked;
};
static_assert(sizeof(Packet) == 32);

class Ring {
 public:
  [[nodiscard]] bool empty() const { return head_ == tail_; }
  [[nodiscard]] const Packet& front() const { return slots_[head_ & mask_]; }

  void push(const Packet& packet) {
    if (tail_ - head_ == slots_.size()) grow();
    slots_[tail_++ & mask_] = packet;
  }
  Packet pop() { return slots_[head_++ & mask_]; }

 private:
  void grow() {
    std::vector<Packet> larger(std::max<std::size_t>(8, 2 * slots_.size()));
    for (std::size_t i = head_; i != tail_; ++i) {
      larger[i & (larger.size() - 1)] = slots_[i & mask_];
    }
    slots_ = std::move(larger);
    mask_ = slots_.size() - 1;
  }

  std::vector<Packet> slots_;
  std::size_t mask_ = 0;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

// One direction of a cable and the port before it.
struct Link {
  Ring wire;     // on their way, in the order of arrival
  Ring control;  // waiting, before all data
  Ring data;
  std::int64_t data_bytes = 0;
  std::int64_t free_at = 0;  // no departure before
  std::int64_t delay = kWindow;
};

struct Flow {
  std::uint32_t next = 0;  // first packet never sent
  std::uint32_t acknowledged = 0;
  double window = kMaxWindow;
  double inflight = 0;
  double base_rtt = kBaseRtt;
  double average_delay = 0;
  std::int64_t last_decrease = 0;
  std::vector<std::uint32_t> again;  // trimmed
};

struct Host {
  std::vector<std::uint32_t> messages;  // not yet begun, the next one last
  std::vector<std::uint32_t> open;
  std::size_t turn = 0;  // of `open`
};

// Links in this order: host to leaf, leaf to host, leaf to spine, spine to leaf.
constexpr std::uint32_t kDown = kHosts;
constexpr std::uint32_t kUp = 2 * kHosts;
constexpr std::uint32_t kBack = kUp + kLeaves * kSpines;
constexpr std::uint32_t kLinks = kBack + kSpines * kLeaves;

class Network {
 public:
  Network(const std::vector<Message>& messages, std::uint32_t at_once)
      : messages_(messages), flows_(messages.size()), links_(kLinks), hosts_(kHosts) {
    for (std::size_t i = messages.size(); i-- > 0;) {
      hosts_[messages[i].from].messages.push_back(static_cast<std::uint32_t>(i));
    }
    for (Host& host : hosts_) {
      for (std::uint32_t i = 0; i < at_once && !host.messages.empty(); ++i) open(host);
    }
    for (std::uint32_t id = 0; id < kLinks; ++id) {
      if (id < kDown || id >= kUp) links_[id].delay += kSwitchLatency;
    }
  }

  Outcome run() {
    std::uint64_t before = 0;
    std::int64_t idle_since = 0;
    // Ends after a round trip in which no packet crosses a link.
    for (; unfinished_ > 0 && begin_ - idle_since < 20 * kWindow; begin_ += kWindow) {
      end_ = begin_ + kWindow;
      for (std::uint32_t host = 0; host < kHosts; ++host) runHost(host);
      for (std::uint32_t leaf = 0; leaf < kLeaves; ++leaf) runLeaf(leaf);
      for (std::uint32_t spine = 0; spine < kSpines; ++spine) runSpine(spine);
      if (outcome_.hops != before) idle_since = begin_;
      before = outcome_.hops;
    }
    outcome_.finished = unfinished_ == 0;
    return outcome_;
  }

 private:
  void open(Host& host) {
    host.open.push_back(host.messages.back());
    host.messages.pop_back();
  }

  // --- Switches ---

  void runLeaf(std::uint32_t leaf) {
    heads_.clear();
    for (std::uint32_t i = 0; i < kHostsPerLeaf; ++i) collect(leaf * kHostsPerLeaf + i);
    for (std::uint32_t spine = 0; spine < kSpines; ++spine) collect(kBack + spine * kLeaves + leaf);
    forward([&](const Packet& packet) -> Link& {
      if (packet.to / kHostsPerLeaf == leaf) return links_[kDown + packet.to];
      // Any spine: a hash of the packet.
      const std::uint32_t hash = (packet.message * 40'503U + packet.sequence) * 2'654'435'769U;
      return links_[kUp + leaf * kSpines + (hash >> 28)];
    });
    for (std::uint32_t i = 0; i < kHostsPerLeaf; ++i) {
      serve(links_[kDown + leaf * kHostsPerLeaf + i], end_);
    }
    for (std::uint32_t i = 0; i < kSpines; ++i) serve(links_[kUp + leaf * kSpines + i], end_);
  }

  void runSpine(std::uint32_t spine) {
    heads_.clear();
    for (std::uint32_t leaf = 0; leaf < kLeaves; ++leaf) collect(kUp + leaf * kSpines + spine);
    const std::uint32_t first = kBack + spine * kLeaves;
    forward(
        [&](const Packet& packet) -> Link& { return links_[first + packet.to / kHostsPerLeaf]; });
    for (std::uint32_t i = 0; i < kLeaves; ++i) serve(links_[first + i], end_);
  }

  // When the first packet of this window is due on a link, and the link; kNothing without one.
  [[nodiscard]] std::uint64_t headOf(std::uint32_t id) const {
    const Ring& wire = links_[id].wire;
    if (wire.empty() || wire.front().time >= end_) return kNothing;
    return static_cast<std::uint64_t>(wire.front().time - begin_) << 16 | id;
  }

  void collect(std::uint32_t id) {
    if (const std::uint64_t head = headOf(id); head != kNothing) heads_.push_back(head);
  }

  // Merges the arrivals, link by link in order already, and queues each packet where `route` says.
  template <typename Route>
  void forward(const Route& route) {
    std::make_heap(heads_.begin(), heads_.end(), std::greater<>());
    while (!heads_.empty()) {
      const auto from = static_cast<std::uint32_t>(heads_.front() & 0xFFFF);
      Packet packet = links_[from].wire.pop();
      replaceFirst(headOf(from));
      Link& out = route(packet);
      serve(out, packet.time);
      admit(out, packet);
    }
  }

  // Puts the link's next head in the place of the one just taken.
  void replaceFirst(std::uint64_t head) {
    if (head == kNothing) {
      head = heads_.back();
      heads_.pop_back();
      if (heads_.empty()) return;
    }
    std::size_t hole = 0;
    for (std::size_t child = 1; child < heads_.size(); child = 2 * hole + 1) {
      if (child + 1 < heads_.size() && heads_[child + 1] < heads_[child]) ++child;
      if (heads_[child] >= head) break;
      heads_[hole] = heads_[child];
      hole = child;
    }
    heads_[hole] = head;
  }

  void admit(Link& out, Packet& packet) {
    out.free_at = std::max(out.free_at, packet.time);
    if (packet.kind == Kind::kData && out.data_bytes > kTrimAbove) {
      packet.kind = Kind::kTrimmed;
      packet.bytes = kControlBytes;
      ++outcome_.trimmed;
    }
    if (packet.kind != Kind::kData) {
      out.control.push(packet);
      return;
    }
    const double ramp = (static_cast<double>(out.data_bytes) - kRedMin) / (kRedMax - kRedMin);
    if (!packet.marked && ramp > 0 && ramp > random()) {
      packet.marked = true;
      ++outcome_.marked;
    }
    out.data_bytes += packet.bytes;
    out.data.push(packet);
  }

  // Sends what leaves before `until`.
  void serve(Link& link, std::int64_t until) {
    while (link.free_at < until) {
      if (!link.control.empty()) {
        send(link, link.control.pop());
      } else if (!link.data.empty()) {
        send(link, link.data.pop());
        link.data_bytes -= kDataBytes;
      } else {
        return;
      }
    }
  }

  void send(Link& link, Packet packet) {
    link.free_at += packet.bytes * kByteTime;
    packet.time = link.free_at + link.delay;
    link.wire.push(packet);
    ++outcome_.hops;
  }

  // [0, 1)
  double random() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return std::ldexp(static_cast<double>(state_ >> 11), -53);
  }

  // --- Hosts ---

  void runHost(std::uint32_t id) {
    Host& host = hosts_[id];
    Ring& in = links_[kDown + id].wire;
    Link& out = links_[id];
    while (!in.empty() && in.front().time < end_) {
      const Packet packet = in.pop();
      transmit(host, out, packet.time);
      out.free_at = std::max(out.free_at, packet.time);
      if (packet.kind == Kind::kData || packet.kind == Kind::kTrimmed) {
        answer(out, packet);
      } else {
        learn(host, packet);
      }
    }
    transmit(host, out, end_);
  }

  void answer(Link& out, Packet packet) {
    if (packet.kind == Kind::kData) {
      ++outcome_.delivered;
      outcome_.sequence_sum += packet.sequence;
    }
    packet.kind = packet.kind == Kind::kData ? Kind::kAck : Kind::kNack;
    packet.to = messages_[packet.message].from;
    packet.bytes = kControlBytes;
    out.control.push(packet);
  }

  void learn(Host& host, const Packet& packet) {
    ++outcome_.answers;
    Flow& flow = flows_[packet.message];
    flow.inflight -= kDataBytes;
    if (packet.kind == Kind::kNack) {
      flow.window = std::max<double>(flow.window - kDataBytes, kDataBytes);
      flow.again.push_back(packet.sequence);
      return;
    }
    const double rtt = static_cast<std::uint32_t>(packet.time) - packet.sent;
    adjust(flow, rtt, packet.marked, packet.time);
    if (++flow.acknowledged < messages_[packet.message].packets) return;
    outcome_.end_ps = packet.time;
    --unfinished_;
    std::erase(host.open, packet.message);
    if (!host.messages.empty()) open(host);
  }

  // The window grows with the distance of the delay below the target, and shrinks by a share of the
  // excess, if the switches mark too.
  static void adjust(Flow& flow, double rtt, bool marked, std::int64_t now) {
    flow.base_rtt = std::min(flow.base_rtt, rtt);
    const double delay = rtt - flow.base_rtt;
    flow.average_delay += kDelayGain * (delay - flow.average_delay);
    if (!marked) {
      flow.window += kAlpha * kDataBytes * std::max(kTarget - delay, 0.0) / flow.window;
    } else if (delay >= kTarget && flow.average_delay > kTarget &&
               static_cast<double>(now - flow.last_decrease) > flow.base_rtt) {
      flow.window *= std::max(1 - 0.8 * (flow.average_delay - kTarget) / flow.average_delay, 0.5);
      flow.last_decrease = now;
    }
    flow.window = std::clamp<double>(flow.window, kDataBytes, kMaxWindow);
  }

  // Sends answers, and then data of the open messages in turn, until `until`.
  void transmit(Host& host, Link& out, std::int64_t until) {
    while (out.free_at < until) {
      if (!out.control.empty()) {
        send(out, out.control.pop());
      } else if (!sendData(host, out)) {
        return;
      }
    }
  }

  bool sendData(Host& host, Link& out) {
    for (std::size_t i = 0; i < host.open.size(); ++i) {
      if (++host.turn >= host.open.size()) host.turn = 0;
      const std::uint32_t number = host.open[host.turn];
      Flow& flow = flows_[number];
      const Message& message = messages_[number];
      const bool more = !flow.again.empty() || flow.next < message.packets;
      if (!more || flow.inflight + kDataBytes > flow.window) continue;
      std::uint32_t sequence = flow.next;
      if (flow.again.empty()) {
        ++flow.next;
      } else {
        sequence = flow.again.back();
        flow.again.pop_back();
      }
      flow.inflight += kDataBytes;
      ++outcome_.data_sent;
      send(out, {0, number, sequence, static_cast<std::uint32_t>(out.free_at), message.to,
                 kDataBytes, Kind::kData, false});
      return true;
    }
    return false;
  }

  const std::vector<Message>& messages_;
  std::vector<Flow> flows_;
  std::vector<Link> links_;
  std::vector<Host> hosts_;
  std::vector<std::uint64_t> heads_;  // of a switch's links: smallest first, as a heap
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  std::size_t unfinished_ = messages_.size();
  std::uint64_t state_ = 0x9E3779B97F4A7C15;
  Outcome outcome_;
};

Message message(std::uint32_t from, std::uint32_t to, std::uint32_t packets) {
  return {static_cast<std::uint16_t>(from), static_cast<std::uint16_t>(to % kHosts), packets};
}

}  // namespace

Outcome run(const std::vector<Message>& messages, std::uint32_t at_once) {
  return Network(messages, at_once).run();
}

std::vector<Message> incast(std::uint32_t senders, std::uint32_t packets) {
  std::vector<Message> messages;
  for (std::uint32_t i = 1; i <= senders; ++i) {
    messages.push_back(message(i % kLeaves * kHostsPerLeaf + i / kLeaves, 0, packets));
  }
  return messages;
}

std::vector<Message> permutation(std::uint32_t packets) {
  std::vector<Message> messages;
  for (std::uint32_t host = 0; host < kHosts; ++host) {
    messages.push_back(message(host, host + kHostsPerLeaf, packets));
  }
  return messages;
}

std::vector<Message> allToAll(std::uint32_t packets) {
  std::vector<Message> messages;
  for (std::uint32_t host = 0; host < kHosts; ++host) {
    for (std::uint32_t shift = 1; shift < kHosts; ++shift) {
      messages.push_back(message(host, host + shift, packets));
    }
  }
  return messages;
}

}  // namespace plumbline::minimal
