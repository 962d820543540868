// Random programs for holding one implementation of RV32IM with Zicsr against another.
//
// A program lies at the start of the memory and works on the registers x1 to x27 and on 4 KiB of
// data. x28 and x29 are used within short sequences, x30 points into the middle of the data, x31
// counts the rounds of the whole body. Operands are often those at which arithmetic has its
// corners.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "tests/hw/core/assembler.h"

namespace plumbline::hw_test {

inline constexpr rv::Word kProgramBase = 0x10000000;
inline constexpr rv::Word kProgramData = 0x10008000;  // 4 KiB
inline constexpr rv::Word kProgramDataMiddle = kProgramData + 2048;

struct ProgramOptions {
  unsigned instructions = 300;  // of the body, about
  unsigned rounds = 3;          // how often it is executed
  // Also what only machine mode has or ends in a trap: CSRs, system instructions, bad and device
  // accesses, wild jumps, any words, code that overwrites itself. Such a program may go anywhere
  // and never end. Without it, it ends behind its last word.
  bool machine = false;
};

std::vector<rv::Word> randomProgram(RandomStream& random, const ProgramOptions& options);

}  // namespace plumbline::hw_test
