// The card's control processor as the host reaches it: reset, halt, its memory and its mailbox
// (docs/core.md). firmware.h knows what runs on it and what the words mean.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "card/register_bus.h"

namespace plumbline::card {

// Whether the processor executes its program.
enum class CoreState {
  kReset,   // held in reset, with its timer and mailbox
  kHalted,  // stopped by the debugger, as after power-up
  kAsleep,  // waits for an interrupt
  kRunning,
};

// Not thread-safe. Errors of the bus are passed on.
class ControlCore {
 public:
  // `bus` must outlive it. Throws Error(kUnsupported) for a card without a control processor,
  // Error(kTester) when the processor's block does not answer as one.
  explicit ControlCore(RegisterBus& bus);

  // Whether the card behind `bus`, which is a Plumbline card, has one.
  static bool isPresent(RegisterBus& bus);

  [[nodiscard]] std::uint32_t memoryBytes() const { return memory_bytes_; }
  // Frequency [Hz] of the processor's clock and timer; not 0.
  [[nodiscard]] std::uint32_t clockHz() const { return clock_hz_; }
  // Of the card's register map, as VERSION has it.
  [[nodiscard]] std::uint32_t mapVersion();
  [[nodiscard]] CoreState state();

  // Holds processor, timer and mailbox in reset. The memory stays as it is.
  void reset();
  // Lets it go: from reset it begins at the start of its memory.
  void run();

  // Words of its memory from `offset` [bytes, a multiple of 4] on, which work while it runs. Throws
  // Error(kUsage) for what does not lie in the memory.
  void write(std::uint32_t offset, std::span<const std::uint32_t> words);
  [[nodiscard]] std::vector<std::uint32_t> read(std::uint32_t offset, std::uint32_t count);

  // Puts a word into its mailbox. False, and nothing is done, while the last one has not been
  // taken.
  bool send(std::uint32_t word);
  // Takes the word that it has put, if there is one.
  std::optional<std::uint32_t> receive();

 private:
  std::uint32_t readRegister(std::uint32_t offset);
  void writeRegister(std::uint32_t offset, std::uint32_t value);
  void checkRange(std::uint32_t offset, std::size_t count) const;

  RegisterBus& bus_;
  std::uint32_t memory_bytes_ = 0;
  std::uint32_t clock_hz_ = 0;
};

}  // namespace plumbline::card
