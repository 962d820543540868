// Drives plumb_fc clock by clock: frames towards the receiver with their verdicts, a sender that
// takes control frames when its wire is free, and ordered sets both ways.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "wire/bytes.h"
#include "wire/ethernet.h"

class Vplumb_fc;
class VerilatedContext;

namespace plumbline::test {

// A control frame that was taken, without FCS, and the time at which it crosses the MAC boundary.
struct ControlFrame {
  wire::Buffer bytes;
  std::uint64_t cross = 0;
  std::uint64_t clock = 0;
};

struct TraceEntry {
  std::uint64_t time = 0;
  bool sent = false;
  std::uint8_t ends = 0;
  std::uint8_t starts = 0;

  bool operator==(const TraceEntry&) const = default;
};

class FcBench {
 public:
  // What lies between a decision and its crossing, in clocks; any number will do here.
  static constexpr std::uint64_t kLeadClocks = 40;
  // From a frame's last beat to its descriptor.
  static constexpr std::uint64_t kVerdictClocks = 11;

  FcBench();
  ~FcBench();

  Vplumb_fc& pins() { return *model_; }
  void clock();
  void clocks(std::uint64_t n);
  [[nodiscard]] std::uint64_t now() const { return clock_ * 102400 / 33; }
  [[nodiscard]] std::uint64_t cross() const { return (clock_ + kLeadClocks) * 102400 / 33; }
  [[nodiscard]] std::uint64_t clockNumber() const { return clock_; }

  // Puts a frame, with FCS, on the receiver's input, after those before it. `good`: the verdict.
  void receive(const wire::Buffer& frame, bool good = true);
  [[nodiscard]] std::size_t waiting() const { return beats_.size(); }
  // One clock of pause events from the receiver's timers.
  void receivedPause(std::uint8_t starts, std::uint8_t ends);
  void receiveOrderedSet(std::uint64_t set) { sets_in_.push_back(set); }
  // Fields of a vector pin of eight values.
  template <typename Pin>
  static void setField(Pin& pin, std::uint32_t width, std::uint32_t index, std::uint64_t value);
  template <typename Pin>
  static std::uint64_t field(const Pin& pin, std::uint32_t width, std::uint32_t index);

  // A pulse of one clock on a command pin.
  void pulse(std::uint8_t& pin);
  // Takes the oldest entry of the log; the test fails if there is none.
  TraceEntry popTrace();

  // Clocks that the sender's wire stays busy behind a control frame; and whether it is otherwise.
  std::uint64_t frame_clocks = 3;
  std::function<bool()> wire_free;
  std::function<bool()> ordered_set_ready;
  std::vector<ControlFrame> control;
  std::vector<std::uint64_t> ordered_sets;
  std::uint64_t storm_late_pulses = 0;
  std::uint64_t credit_errors = 0;

 private:
  struct Beat {
    std::array<std::uint8_t, 64> data{};
    bool last = false;
    std::uint16_t length = 0;  // of the frame, with its last beat
    bool good = false;
  };
  struct Verdict {
    std::uint64_t clock = 0;
    std::uint16_t length = 0;
    bool good = false;
  };

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vplumb_fc> model_;
  std::uint64_t clock_ = 0;
  std::uint64_t wire_busy_ = 0;
  std::deque<Beat> beats_;
  std::deque<Verdict> verdicts_;
  std::deque<std::uint64_t> sets_in_;
};

template <typename Pin>
void FcBench::setField(Pin& pin, std::uint32_t width, std::uint32_t index, std::uint64_t value) {
  for (std::uint32_t bit = 0; bit < width; ++bit) {
    const std::uint32_t at = width * index + bit;
    const std::uint32_t mask = 1U << at % 32;
    auto& word = pin[at / 32];
    word = (value >> bit & 1U) != 0 ? word | mask : word & ~mask;
  }
}

template <typename Pin>
std::uint64_t FcBench::field(const Pin& pin, std::uint32_t width, std::uint32_t index) {
  std::uint64_t value = 0;
  for (std::uint32_t bit = 0; bit < width; ++bit) {
    const std::uint32_t at = width * index + bit;
    value |= static_cast<std::uint64_t>(pin[at / 32] >> at % 32 & 1U) << bit;
  }
  return value;
}

// A frame of `length` bytes with FCS: tagged with the priority, or IP with its upper DSCP bits.
wire::Buffer taggedFrame(std::uint32_t priority, std::uint32_t length);
wire::Buffer ipFrame(std::uint32_t dscp, bool ipv6, std::uint32_t length);

}  // namespace plumbline::test
