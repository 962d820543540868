// The RTL of the control processor against the instruction-set simulator on random programs.
#include "tests/hw/core/lockstep.h"

#include <gtest/gtest.h>

#include <chrono>
#include <iostream>

#include "tests/hw/long_run.h"

namespace plumbline::hw_test {
namespace {

// Executes random programs of `options` until so many instructions are compared.
void compareRandom(std::uint64_t seed, const Surroundings& surroundings,
                   const ProgramOptions& options, std::uint64_t instructions) {
  Lockstep lockstep(seed, surroundings);
  RandomStream random(seed, "core/programs");
  const auto begin = std::chrono::steady_clock::now();
  while (lockstep.steps() < instructions) {
    ASSERT_NO_THROW(lockstep.run(randomProgram(random, options), 3000));
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::cout << lockstep.steps() << " instructions, " << lockstep.traps() << " traps, "
            << lockstep.interrupts() << " of them interrupts, "
            << static_cast<double>(lockstep.clocks()) / static_cast<double>(lockstep.steps())
            << " clocks an instruction, " << static_cast<double>(lockstep.steps()) / seconds.count()
            << " instructions/s\n";
}

std::uint64_t share(std::uint64_t in_full) { return longRun() ? in_full : in_full / 25; }

TEST(CoreLockstepTest, EverythingAtRandom) {
  compareRandom(1, {}, {.machine = true}, share(60'000'000));
}

TEST(CoreLockstepTest, ArithmeticUndisturbed) {
  compareRandom(2, {.interrupts = 0, .halts = 0}, {}, share(20'000'000));
}

TEST(CoreLockstepTest, InterruptsAllTheTime) {
  compareRandom(3, {.interrupts = 12, .halts = 40}, {.machine = true}, share(20'000'000));
}

}  // namespace
}  // namespace plumbline::hw_test
