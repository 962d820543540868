// The control processor in RTL held against the instruction-set simulator, instruction by
// instruction: place, instruction, register written, store, trap and its value. What comes from
// outside is random: answers of devices and how long they take, interrupts, and a debugger that
// halts and steps. Interrupts are taken when the RTL takes them, if the simulator agrees that one
// is due, and no instruction may retire while one has been due for long enough.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "Vcore_bench.h"
#include "base/random.h"
#include "sim/iss/processor.h"
#include "tests/hw/core/random_program.h"

namespace plumbline::hw_test {

// A device access that the RTL has made, for the simulator to make again.
struct DeviceAccess {
  bool write = false;
  std::uint32_t address = 0;
  std::uint32_t strobe = 0;
  std::uint32_t value = 0;
  bool error = false;
};

// Answers the simulator as the RTL has been answered.
class ReplayedBus : public iss::Bus {
 public:
  std::optional<std::uint32_t> read(std::uint32_t address) override;
  bool write(std::uint32_t address, std::uint32_t value, std::uint32_t strobe) override;

  std::deque<DeviceAccess> accesses;
  std::string difference;  // first one found
};

// What is around the processor, if it is not random: devices, and the two interrupt lines.
class Devices {
 public:
  virtual ~Devices() = default;
  // Carries out a device access: sets the value of a read, and whether it is refused.
  virtual void access(DeviceAccess& access) = 0;
  // A clock has passed.
  virtual void clock() = 0;
  [[nodiscard]] virtual bool timerInterrupt() const = 0;
  [[nodiscard]] virtual bool externalInterrupt() const = 0;
};

// How often things happen from outside: once in so many clocks on average; 0 for never.
struct Surroundings {
  std::uint64_t interrupts = 200;    // a line changes
  std::uint64_t halts = 500;         // the debugger halts, steps or lets go
  std::uint64_t slowest_device = 5;  // clocks that a device takes at most
};

class Lockstep {
 public:
  Lockstep(std::uint64_t seed, const Surroundings& surroundings);
  // With `devices`, which must outlive it, instead of random answers and interrupts.
  Lockstep(std::uint64_t seed, const Surroundings& surroundings, Devices& devices);
  ~Lockstep();

  // Resets both, puts `program` at the start of the memory and executes about `steps` instructions
  // and traps, or fewer if it sleeps for good or cannot leave a trap. Memory and registers are as
  // the last program left them. Throws std::runtime_error with both sides at the first difference.
  void run(const std::vector<std::uint32_t>& program, std::uint64_t steps);
  // Goes on with the program from where it is, likewise.
  void goOn(std::uint64_t steps);
  // Clocks alone, while the processor sleeps or until it does something.
  void wait(std::uint64_t clocks);

  // The memory of both, while the processor sleeps: a word as a host would write it, and whether
  // all of it is the same.
  void store(std::uint32_t address, std::uint32_t value);
  [[nodiscard]] bool memoriesAreEqual();
  // Of the simulator, which has had the same writes.
  [[nodiscard]] std::uint32_t word(std::uint32_t address) const { return memory_.read(address); }

  [[nodiscard]] std::uint64_t steps() const { return steps_; }   // compared so far
  [[nodiscard]] std::uint64_t clocks() const { return clock_; }  // of the RTL
  [[nodiscard]] std::uint64_t traps() const { return traps_; }
  [[nodiscard]] std::uint64_t interrupts() const { return interrupts_; }

 private:
  struct Lines {
    bool timer = false;
    bool external = false;
  };
  // What a clock was, for a few of them back.
  struct Past {
    Lines lines;
    std::uint64_t running = 0;  // clocks counted by mcycle before it
  };

  void clock();
  void drive();
  void setLines(Lines lines);
  void answerDevices();
  void compare();
  void followCounterWrite(const iss::Step& step, std::uint32_t low_before);
  [[nodiscard]] const Past& past(std::uint64_t clocks) const {
    return past_[(clock_ - clocks) % past_.size()];
  }
  [[noreturn]] void fail(const std::string& what, const iss::Step& expected,
                         const iss::Step& got) const;

  RandomStream random_;
  Surroundings surroundings_;
  Devices* devices_ = nullptr;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vcore_bench> rtl_;
  iss::Memory memory_;
  ReplayedBus bus_;
  std::unique_ptr<iss::Processor> iss_;

  std::uint64_t clock_ = 0;
  std::uint64_t running_ = 0;
  std::array<Past, 8> past_{};
  Lines lines_;
  std::uint64_t lines_changed_ = 0;  // clock
  std::uint64_t last_step_ = 0;      // clock
  std::uint64_t last_halt_ = 0;      // clock; a debugger ends WFI
  std::uint64_t counted_ = 0;        // running clocks that the simulator's mcycle has
  std::uint64_t device_due_ = 0;
  std::uint64_t asleep_ = 0;  // clocks in a row
  std::uint64_t steps_ = 0;
  std::uint64_t traps_ = 0;
  std::uint64_t traps_in_a_row_ = 0;
  std::uint64_t interrupts_ = 0;
};

}  // namespace plumbline::hw_test
