// The instruction-set simulator against qemu-riscv32 on random programs: registers and memory are
// the same at the end. Skipped where qemu-user is not installed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/random.h"
#include "sim/iss/processor.h"
#include "tests/hw/core/random_program.h"
#include "tests/hw/long_run.h"

namespace plumbline::hw_test {
namespace {

using rv::Word;

constexpr Word kMemoryBytes = 0x9000;
constexpr Word kRegisterArea = 0x10008000 - 256;  // below the data

// Refuses everything: these programs stay in their memory.
class NoDevices : public iss::Bus {
  std::optional<Word> read(Word) override { return std::nullopt; }
  bool write(Word, Word, Word) override { return false; }
};

// Stores all registers, then writes the whole memory to the standard output and ends, by calls of
// Linux (write is 64, exit 93).
void appendEnd(std::vector<Word>& program) {
  program.push_back(rv::addi(30, 30, -2048));
  for (Word reg = 1; reg < 32; ++reg) {
    program.push_back(rv::sw(reg, 30, static_cast<std::int32_t>(4 * reg) - 256));
  }
  program.insert(program.end(), {rv::addi(17, 0, 64), rv::addi(10, 0, 1),
                                 rv::lui(11, kProgramBase >> 12), rv::lui(12, kMemoryBytes >> 12),
                                 rv::kEcall, rv::addi(17, 0, 93), rv::addi(10, 0, 0), rv::kEcall});
}

// A static program of one segment (ELF: 32 bits, little endian, EM_RISCV).
std::string elf(const iss::Memory& memory, Word words) {
  constexpr Word kHeaders = 0x1000;  // the segment begins on a page
  std::array<Word, 21> h{0x464C457F,
                         0x00010101,
                         0,
                         0,
                         2 | 243u << 16,
                         1,
                         kProgramBase,
                         52,
                         0,
                         0,
                         52 | 32u << 16,
                         1 | 40u << 16,
                         0,
                         1,
                         kHeaders,
                         kProgramBase,
                         kProgramBase,
                         4 * words,
                         4 * words,
                         7,
                         0x1000};
  std::string file(kHeaders + 4 * words, '\0');
  std::memcpy(file.data(), h.data(), sizeof h);
  for (Word i = 0; i < words; ++i) {
    const Word word = memory.read(kProgramBase + 4 * i);
    std::memcpy(&file[kHeaders + 4 * i], &word, 4);
  }
  return file;
}

std::string output(const std::string& command) {
  std::string text;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 65536> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), n);
  }
  pclose(pipe);
  return text;
}

TEST(IssQemuTest, RandomProgramsEndAlike) {
  if (std::system("qemu-riscv32 --version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "qemu-riscv32 (package qemu-user) is not installed";
  }
  const auto file =
      std::filesystem::temp_directory_path() / ("plumbline-iss-" + std::to_string(getpid()));
  const int programs = longRun() ? 1000 : 20;
  for (int i = 0; i < programs; ++i) {
    SCOPED_TRACE(testing::Message() << "program " << i);
    RandomStream random(static_cast<std::uint64_t>(i), "iss/qemu");
    auto program = randomProgram(random, {.instructions = 1000, .rounds = 3});
    appendEnd(program);
    iss::Memory memory(kProgramBase, kMemoryBytes);
    for (Word& word : memory.words()) word = static_cast<Word>(random.next());
    std::copy(program.begin(), program.end(), memory.words().begin());
    {
      std::ofstream out(file, std::ios::binary);
      out << elf(memory, kMemoryBytes / 4);
    }
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);

    NoDevices bus;
    iss::Processor cpu(memory, bus, kProgramBase, 0x40000000);
    iss::Step step;
    int steps = 0;
    do {
      step = cpu.step();
      ASSERT_LT(++steps, 100'000);
    } while (!step.trap);
    ASSERT_EQ(step.trap->cause, iss::kEnvironmentCall);

    const std::string other = output("qemu-riscv32 " + file.string());
    ASSERT_EQ(other.size(), kMemoryBytes);
    for (Word address = kProgramBase; address < kProgramBase + kMemoryBytes; address += 4) {
      Word word = 0;
      std::memcpy(&word, &other[address - kProgramBase], 4);
      ASSERT_EQ(word, memory.read(address))
          << std::hex << address << (address < kProgramData ? ", register x" : ", data ")
          << std::dec << (address - kRegisterArea) / 4;
    }
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace plumbline::hw_test
