// The queue of one priority at one output of a switch.
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

// On whose account a frame's buffer goes.
enum class Charge : std::uint8_t {
  kOutput,  // lossy
  kInput,   // lossless by PFC
  kCredit,  // lossless by CBFC
};

// A frame that waits, with what the switch must remember to give its buffer back.
struct Queued {
  Packet packet;
  std::uint16_t input = 0;  // port it came in by
  Charge charge = Charge::kOutput;
};

// First come, first served; or, with virtual output queues, a queue per input served in turn, frame
// by frame, from the input after the one served last.
class ClassQueue {
 public:
  // `inputs` > 0 makes virtual output queues.
  explicit ClassQueue(std::uint32_t inputs = 0) {
    if (inputs > 0) virtual_ = std::make_unique<VirtualQueues>(inputs);
  }

  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::size_t size() const { return virtual_ ? virtual_->count : fifo_.size(); }

  // The one queue that it is without virtual ones.
  [[nodiscard]] Ring<Queued>& plain() { return fifo_; }

  // A new last frame of `input`, to be filled in.
  Queued& append(std::uint16_t input) {
    return virtual_ ? virtual_->append(input) : fifo_.append();
  }

  // The frame that is next; the queue must not be empty.
  [[nodiscard]] Queued& front() { return virtual_ ? virtual_->front() : fifo_.front(); }
  [[nodiscard]] const Queued& front() const { return virtual_ ? virtual_->front() : fifo_.front(); }

  // Fetches the memory that the next append() needs, where that is known.
  void prefetchAppend() const {
    if (!virtual_) fifo_.prefetchPush();
  }

  // The same of the frame that is the next but `ahead`.
  void prefetchFront(std::size_t ahead) const {
    if (!virtual_) fifo_.prefetchFront(ahead);
  }

  // Returns whether that was the last one.
  bool pop() { return virtual_ ? virtual_->pop() : fifo_.pop(); }

 private:
  struct VirtualQueues {
    explicit VirtualQueues(std::uint32_t inputs) : queues(inputs), waiting((inputs + 63) / 64) {}

    [[nodiscard]] Queued& front() { return queues[turn].front(); }
    [[nodiscard]] const Queued& front() const { return queues[turn].front(); }

    Queued& append(std::uint16_t input) {
      setBit(waiting, input);
      if (++count == 1) turn = input;
      return queues[input].append();
    }

    bool pop() {
      --count;
      queues[turn].pop();
      if (queues[turn].empty()) clearBit(waiting, turn);
      if (count > 0) turn = nextAfter(turn);
      return count == 0;
    }

    // The next input with frames behind `input`, cyclically.
    [[nodiscard]] std::uint32_t nextAfter(std::uint32_t input) const {
      const auto words = static_cast<std::uint32_t>(waiting.size());
      std::uint32_t word = input / 64;
      const std::uint32_t bit = input % 64;
      std::uint64_t bits = bit == 63 ? 0 : waiting[word] & (~std::uint64_t{0} << (bit + 1));
      while (bits == 0) {
        word = word + 1 == words ? 0 : word + 1;
        bits = waiting[word];
      }
      return word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
    }

    std::size_t count = 0;
    std::uint32_t turn = 0;  // input that is next
    std::vector<Ring<Queued>> queues;
    std::vector<std::uint64_t> waiting;  // bit per input with frames
  };

  Ring<Queued> fifo_;
  std::unique_ptr<VirtualQueues> virtual_;
};

}  // namespace plumbline::fabric
