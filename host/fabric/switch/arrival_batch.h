// What a switch is handed in one window: control messages and packets, gathered port by port and
// then sorted.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/paged_memory.h"
#include "base/units.h"
#include "fabric/engine/bits.h"
#include "fabric/engine/packet.h"
#include "fabric/link/ingress_port.h"
#include "fabric/switch/window_order.h"

namespace plumbline::fabric {

// A thread has one batch for all switches that it runs, so that its memory stays in the cache.
// Packets stay in the propagation queues until the end of the window. The batch refers to them.
class ArrivalBatch {
 public:
  // Egress port of a packet that is routed when it is forwarded.
  static constexpr std::uint16_t kUnrouted = 0xFFFF;

  struct Control {
    std::uint32_t port;  // that it arrived at
    LinkControl message;
  };
  struct Arrival {
    const Packet* packet;
    std::uint16_t ingress;
    std::uint16_t egress;    // or kUnrouted
    std::uint32_t next = 0;  // of its Chain: index and bits of EgressDrain
  };
  // Arrivals that wait at an egress port, linked by Arrival::next. `end` is the place of the index
  // of the next one.
  struct Chain {
    Chain() : end(&first) {}
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;

    [[nodiscard]] bool empty() const { return end == &first; }

    std::uint32_t first = 0;
    std::uint32_t* end;
  };
  // The bytes taken from an ingress port, and when it hands over its next packet (kNever if no such
  // packet is known).
  struct Gathered {
    std::int64_t bytes;
    Picoseconds next;
  };
  class Gatherer;

  // The batch of this thread.
  static ArrivalBatch& ofThread();

  // Starts the batch of a window [begin, end) in which arrivals are sorted by group first; groups
  // are below `groups`.
  void start(Picoseconds begin, Picoseconds end, std::uint32_t groups) {
    order_.start(begin, end, groups);
    controls_.clear();
    packets_only_ = true;
  }
  // Finds the ports of `busy` that hand something over before `end`, of at most `ports`. `due`: by
  // port.
  void findPorts(const NumberSet& busy, const PagedVector<Picoseconds>& due, std::uint32_t ports,
                 Picoseconds end);
  // These ports, ascending; and the time when the first of the others hands something over.
  [[nodiscard]] std::span<const std::uint32_t> ports() const {
    return std::span(ports_).first(port_count_);
  }
  [[nodiscard]] Picoseconds nextDue() const { return next_due_; }
  // A port hands something over at `time`, after this window.
  void noteDue(Picoseconds time) { next_due_ = earlier(next_due_, time); }

  // After the Gatherer's end(): brings the arrivals into order, by group and time, or by time
  // alone.
  void sort(bool by_group) {
    if (!by_group) order_.ungroup();
    order_.sort();
  }
  [[nodiscard]] bool grouped() const { return order_.grouped(); }
  [[nodiscard]] std::uint32_t size() const { return order_.size(); }
  // The sorted arrivals: an item of the second kind is arrivals()[number], of the first kind
  // controls()[number].
  [[nodiscard]] WindowOrder::View order() const { return WindowOrder::View(order_); }
  [[nodiscard]] Arrival* arrivals() { return arrivals_.data(); }
  [[nodiscard]] const Arrival& arrival(std::uint32_t number) const { return arrivals_[number]; }
  [[nodiscard]] const std::vector<Control>& controls() const { return controls_; }
  // None of the ports has control messages or a script.
  [[nodiscard]] bool packetsOnly() const { return packets_only_; }
  // Empty between two uses of EgressDrain; by priority.
  [[nodiscard]] std::array<Chain, 8>& chains() { return chains_; }

 private:
  WindowOrder order_;
  std::vector<Control> controls_;
  std::vector<Arrival> arrivals_;
  std::array<Chain, 8> chains_;
  std::vector<std::uint32_t> ports_;  // the first port_count_ of them
  std::uint32_t port_count_ = 0;
  Picoseconds next_due_ = kNever;
  bool packets_only_ = true;
};

// Adds arrivals to a batch. Its address is not passed on, so that its members stay in registers.
class ArrivalBatch::Gatherer {
 public:
  // `unrouted_group`: the group of packets with kUnrouted.
  Gatherer(ArrivalBatch& batch, Picoseconds end, std::uint32_t unrouted_group)
      : batch_(&batch), adder_(batch.order_), end_(end), unrouted_group_(unrouted_group) {}

  // The packets of `port` that are handed over before the end of the window. `egressOf`: their
  // egress port, or kUnrouted.
  template <typename EgressOf>
  Gathered gatherPackets(std::uint32_t port, IngressPort& ingress, EgressOf&& egressOf) {
    const SpscRing<InFlightPacket>& packets = ingress.packets();
    const std::size_t visible = packets.visible();
    adder_.expect(batch_->order_, visible);
    std::vector<Arrival>& arrivals = batch_->arrivals_;
    if (count_ + visible > arrivals.size()) {
      arrivals.resize(std::max(count_ + visible, 2 * arrivals.size()));
    }
    Arrival* next = arrivals.data() + count_;
    Gathered taken{0, kNever};
    const std::size_t count = packets.visit([&](const InFlightPacket& in_flight) {
      if (in_flight.at >= end_) {
        taken.next = in_flight.at;
        return false;
      }
      const std::uint32_t egress = egressOf(in_flight.packet);
      adder_.addSecond(egress == kUnrouted ? unrouted_group_ : egress, in_flight.at, count_++);
      *next++ = {&in_flight.packet, static_cast<std::uint16_t>(port),
                 static_cast<std::uint16_t>(egress)};
      taken.bytes += in_flight.packet.length;
      return true;
    });
    ingress.reserve(count);
    return taken;
  }
  // The control messages of `port` that take effect before the end of the window.
  void gatherControl(std::uint32_t port, IngressPort& ingress) {
    batch_->packets_only_ = false;
    Ring<LinkControl>& control = ingress.control();
    for (; !control.empty() && control.front().at < end_; control.pop()) {
      adder_.expect(batch_->order_, 1);
      adder_.addFirst(port, control.front().at,
                      static_cast<std::uint32_t>(batch_->controls_.size()));
      batch_->controls_.push_back({port, control.front()});
    }
  }
  void end() { adder_.end(batch_->order_); }

 private:
  ArrivalBatch* batch_;
  WindowOrder::Adder adder_;
  Picoseconds end_;
  std::uint32_t unrouted_group_;
  std::uint32_t count_ = 0;  // packets
};

}  // namespace plumbline::fabric
