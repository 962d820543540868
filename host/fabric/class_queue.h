// The queue of one priority at one output of a switch.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "fabric/packet.h"
#include "fabric/ring.h"

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
  explicit ClassQueue(std::uint32_t inputs = 0) : voqs_(inputs), waiting_((inputs + 63) / 64) {}

  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::size_t size() const { return count_; }

  // A new last frame of `input`, to be filled in.
  Queued& append(std::uint16_t input) {
    ++count_;
    if (voqs_.empty()) return fifo_.append();
    waiting_[input / 64] |= std::uint64_t{1} << (input % 64);
    if (count_ == 1) turn_ = input;
    return voqs_[input].append();
  }

  // The frame that is next; the queue must not be empty.
  [[nodiscard]] Queued& front() { return voqs_.empty() ? fifo_.front() : voqs_[turn_].front(); }
  [[nodiscard]] const Queued& front() const {
    return voqs_.empty() ? fifo_.front() : voqs_[turn_].front();
  }

  // Fetches the memory that the next pop() or push() needs, where that is known.
  void prefetchFront() const {
    if (voqs_.empty()) fifo_.prefetchFront();
  }
  void prefetchPush() const {
    if (voqs_.empty()) fifo_.prefetchPush();
  }

  void pop() {
    --count_;
    if (voqs_.empty()) {
      fifo_.pop();
      return;
    }
    voqs_[turn_].pop();
    if (voqs_[turn_].empty()) waiting_[turn_ / 64] &= ~(std::uint64_t{1} << (turn_ % 64));
    if (count_ > 0) turn_ = nextAfter(turn_);
  }

 private:
  // The next input with frames behind `input`, cyclically.
  [[nodiscard]] std::uint32_t nextAfter(std::uint32_t input) const {
    const auto words = static_cast<std::uint32_t>(waiting_.size());
    std::uint32_t word = input / 64;
    const std::uint32_t bit = input % 64;
    std::uint64_t bits = bit == 63 ? 0 : waiting_[word] & (~std::uint64_t{0} << (bit + 1));
    while (bits == 0) {
      word = word + 1 == words ? 0 : word + 1;
      bits = waiting_[word];
    }
    return word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
  }

  Ring<Queued> fifo_;
  std::size_t count_ = 0;
  std::uint32_t turn_ = 0;  // input that is next
  std::vector<Ring<Queued>> voqs_;
  std::vector<std::uint64_t> waiting_;  // bit per input with frames
};

}  // namespace plumbline::fabric
