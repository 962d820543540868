// The frames of one priority that wait at an egress port.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fabric/engine/bits.h"
#include "fabric/engine/packet.h"
#include "fabric/engine/ring.h"

namespace plumbline::fabric {

// Which account a frame's buffer is charged to.
enum class Charge : std::uint8_t {
  kEgress,   // lossy
  kIngress,  // lossless by PFC
  kCredit,   // lossless by CBFC
};

// A waiting frame, with what the switch needs to release its buffer.
struct QueuedFrame {
  Packet packet;
  std::uint16_t ingress = 0;  // port that it arrived at
  Charge charge = Charge::kEgress;
};

// First in, first out; or, with virtual output queues, one queue per ingress port, served in turn
// frame by frame, from the port after the one served last.
class FrameQueue {
 public:
  // `ingress_ports` > 0 makes virtual output queues.
  explicit FrameQueue(std::uint32_t ingress_ports = 0) {
    if (ingress_ports > 0) virtual_ = std::make_unique<VirtualQueues>(ingress_ports);
  }

  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::size_t size() const { return virtual_ ? virtual_->count : fifo_.size(); }

  // All frames, in no order.
  template <typename Visit>
  void forEach(Visit&& visit) const {
    const auto each = [&](const Ring<QueuedFrame>& ring) {
      for (std::size_t i = 0; i < ring.size(); ++i) visit(ring.at(i));
    };
    if (!virtual_) return each(fifo_);
    for (const Ring<QueuedFrame>& ring : virtual_->queues) each(ring);
  }

  // The queue itself, if there are no virtual ones.
  [[nodiscard]] Ring<QueuedFrame>& fifo() { return fifo_; }

  // A new last frame of `ingress`, to be filled in.
  QueuedFrame& append(std::uint16_t ingress) {
    return virtual_ ? virtual_->append(ingress) : fifo_.append();
  }

  // The frame that is next; the queue must not be empty.
  [[nodiscard]] QueuedFrame& front() { return virtual_ ? virtual_->front() : fifo_.front(); }
  [[nodiscard]] const QueuedFrame& front() const {
    return virtual_ ? virtual_->front() : fifo_.front();
  }

  // Fetches the memory of the next append(), where it is known.
  void prefetchAppend() const {
    if (!virtual_) fifo_.prefetchPush();
  }

  // The same of the frame `ahead` places behind the first.
  void prefetchFront(std::size_t ahead) const {
    if (!virtual_) fifo_.prefetchFront(ahead);
  }

  // Returns whether that was the last frame.
  bool pop() { return virtual_ ? virtual_->pop() : fifo_.pop(); }

 private:
  struct VirtualQueues {
    explicit VirtualQueues(std::uint32_t ports) : queues(ports), waiting((ports + 63) / 64) {}

    [[nodiscard]] QueuedFrame& front() { return queues[turn].front(); }
    [[nodiscard]] const QueuedFrame& front() const { return queues[turn].front(); }

    QueuedFrame& append(std::uint16_t ingress) {
      setBit(waiting, ingress);
      if (++count == 1) turn = ingress;
      return queues[ingress].append();
    }

    bool pop() {
      --count;
      queues[turn].pop();
      if (queues[turn].empty()) clearBit(waiting, turn);
      if (count > 0) turn = nextAfter(turn);
      return count == 0;
    }

    // The next port with frames after `port`, cyclically.
    [[nodiscard]] std::uint32_t nextAfter(std::uint32_t port) const {
      const auto words = static_cast<std::uint32_t>(waiting.size());
      std::uint32_t word = port / 64;
      const std::uint32_t bit = port % 64;
      std::uint64_t bits = bit == 63 ? 0 : waiting[word] & (~std::uint64_t{0} << (bit + 1));
      while (bits == 0) {
        word = word + 1 == words ? 0 : word + 1;
        bits = waiting[word];
      }
      return word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
    }

    std::size_t count = 0;
    std::uint32_t turn = 0;  // ingress port that is served next
    std::vector<Ring<QueuedFrame>> queues;
    std::vector<std::uint64_t> waiting;  // bit per ingress port with frames
  };

  Ring<QueuedFrame> fifo_;
  std::unique_ptr<VirtualQueues> virtual_;
};

}  // namespace plumbline::fabric
