// The control processor as a part of the card: what it reaches over the register bus, how it shares
// the bus with the host, and that the card's departures do not depend on it. Its programs are words
// put together here; firmware has tests of its own.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"
#include "card/control_core.h"
#include "card/registers.h"
#include "sim/iss/csr_file.h"
#include "tests/hw/core/assembler.h"
#include "tests/hw/test_card.h"

namespace plumbline::hw_test {
namespace {

namespace global = card::regs::global;
namespace port_regs = card::regs::port;
using rv::Word;

constexpr Word kMemory = 0x10000;    // upper 20 bits of the processor's memory
constexpr Word kCardPage = 0x80000;  // of the card's registers
constexpr Word kPortPage = 0x80001;  // of the registers of port 0
constexpr Word kResults = 0x400;     // where programs leave what they found
constexpr Word kTakeLock = global::kBusLockTake.mask();
constexpr Word kReleaseLock = global::kBusLockRelease.mask();

// Registers of the programs.
enum : Word { kCard = 1, kPort = 2, kStore = 3, kValue = 5, kCounter = 10 };

std::vector<Word> begin() {
  return {rv::lui(kCard, kCardPage), rv::lui(kPort, kPortPage), rv::lui(kStore, kMemory),
          rv::addi(kStore, kStore, kResults)};
}

void writeGlobal(std::vector<Word>& program, std::uint32_t offset, Word value) {
  program.push_back(rv::addi(kValue, 0, static_cast<std::int32_t>(value)));
  program.push_back(rv::sw(kValue, kCard, static_cast<std::int32_t>(offset)));
}

// Jumps back to `target`, an index into the program.
void jumpBack(std::vector<Word>& program, std::size_t target) {
  program.push_back(rv::jal(
      0, 4 * (static_cast<std::int32_t>(target) - static_cast<std::int32_t>(program.size()))));
}

// Counts its rounds in word `word` of the results.
void countRound(std::vector<Word>& program, std::int32_t word) {
  program.push_back(rv::addi(kCounter, kCounter, 1));
  program.push_back(rv::sw(kCounter, kStore, 4 * word));
}

void runProgram(card::ControlCore& core, const std::vector<Word>& program) {
  core.reset();
  core.write(0, program);
  core.write(kResults, std::vector<Word>(64));
  core.run();
}

Word resultOf(card::ControlCore& core, Word word) {
  return core.read(kResults + 4 * word, 1).front();
}

TEST(CardCore, IsAdvertisedAndHalted) {
  sim::CardSim sim({.ports = 1});
  EXPECT_EQ(global::kFeaturesCore.get(sim.read(global::kFeatures)), 1u);
  card::ControlCore core(sim);
  EXPECT_EQ(core.memoryBytes(), 98'304u);
  EXPECT_EQ(core.state(), card::CoreState::kHalted);
  core.reset();
  EXPECT_EQ(core.state(), card::CoreState::kReset);
}

TEST(CardCore, MemoryIsWrittenAndRead) {
  sim::CardSim sim({.ports = 1});
  card::ControlCore core(sim);
  std::vector<Word> words(300);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<Word>(i * 0x9E3779B9U);
  core.write(65'536 - 400, words);  // over the border of its two memories
  EXPECT_EQ(core.read(65'536 - 400, 300), words);
  core.write(98'300, std::vector<Word>{7});
  EXPECT_EQ(core.read(98'300, 1), std::vector<Word>{7});
  EXPECT_THROW((void)core.read(98'300, 2), Error);
  EXPECT_THROW((void)core.read(98'308, 0), Error);
  EXPECT_THROW((void)core.read(2, 1), Error);
}

TEST(CardCore, ReachesTheCardsRegisters) {
  sim::CardSim sim({.ports = 1});
  card::ControlCore core(sim);
  std::vector<Word> program = begin();
  program.push_back(rv::lw(6, kCard, global::kId));
  program.push_back(rv::sw(6, kStore, 0));
  writeGlobal(program, global::kScratch, 1234);
  program.push_back(rv::lw(6, kPort, port_regs::kLateThresholdPs));
  program.push_back(rv::sw(6, kStore, 4));
  program.push_back(rv::kWfi);
  jumpBack(program, program.size() - 1);
  runProgram(core, program);
  sim.wait(microseconds(1));
  EXPECT_EQ(core.state(), card::CoreState::kAsleep);
  EXPECT_EQ(resultOf(core, 0), global::kIdValue);
  EXPECT_EQ(resultOf(core, 1), 10'000u);  // the register map's value after reset
  EXPECT_EQ(sim.read(global::kScratch), 1234u);
}

// Each access that the card refuses ends in an access fault, whose handler notes cause and address.
TEST(CardCore, RefusedAccessesAreFaults) {
  sim::CardSim sim({.ports = 1});
  card::ControlCore core(sim);
  const std::vector<std::pair<std::vector<Word>, std::pair<Word, Word>>> refused = {
      // The processor's own block.
      {{rv::lui(6, kCardPage + 9), rv::lw(7, 6, 0x18)}, {iss::kLoadFault, 0x80009018}},
      {{rv::lui(6, kCardPage + 9), rv::sw(7, 6, 0x10)}, {iss::kStoreFault, 0x80009010}},
      // Behind the register map.
      {{rv::lui(6, kCardPage + 16), rv::lw(7, 6, 0)}, {iss::kLoadFault, 0x80010000}},
      // Less than a word.
      {{rv::sb(7, kCard, global::kScratch)}, {iss::kStoreFault, 0x8000002C}},
      {{rv::sh(7, kCard, global::kScratch)}, {iss::kStoreFault, 0x8000002C}},
  };
  sim.write(global::kScratch, 77);
  for (const auto& [access, fault] : refused) {
    std::vector<Word> program = begin();
    program.push_back(rv::auipc(6, 0));
    program.push_back(rv::addi(6, 6, static_cast<std::int32_t>(4 * (4 + access.size()))));
    program.push_back(rv::csrrw(0, iss::kMtvec, 6));
    program.insert(program.end(), access.begin(), access.end());
    program.push_back(rv::jal(0, 0));
    // The handler.
    program.push_back(rv::csrrs(8, iss::kMcause, 0));
    program.push_back(rv::sw(8, kStore, 0));
    program.push_back(rv::csrrs(8, iss::kMtval, 0));
    program.push_back(rv::sw(8, kStore, 4));
    program.push_back(rv::jal(0, 0));
    runProgram(core, program);
    sim.wait(microseconds(1));
    EXPECT_EQ(resultOf(core, 0), fault.first) << std::hex << fault.second;
    EXPECT_EQ(resultOf(core, 1), fault.second);
  }
  EXPECT_EQ(sim.read(global::kScratch), 77u);
  // The host is refused nothing of that.
  EXPECT_EQ(core.state(), card::CoreState::kRunning);
}

// Both masters use the bus as fast as they can: every access of either is right, and both get on.
TEST(CardCore, HostAndProcessorTakeTurns) {
  sim::CardSim sim({.ports = 1});
  card::ControlCore core(sim);
  std::vector<Word> program = begin();
  const std::size_t loop = program.size();
  program.push_back(rv::addi(kCounter, kCounter, 1));
  program.push_back(rv::sw(kCounter, kCard, global::kScratch));
  program.push_back(rv::lw(6, kCard, global::kScratch));
  program.push_back(rv::beq(6, kCounter, 8));
  program.push_back(rv::sw(kCounter, kStore, 4));  // a value that it has not written
  program.push_back(rv::sw(kCounter, kStore, 0));
  jumpBack(program, loop);
  runProgram(core, program);
  const std::uint64_t before = sim.cycles();
  for (std::uint32_t i = 0; i < 2000; ++i) {
    sim.write(global::kStartTimeLo, i * 0x9E3779B9U);
    ASSERT_EQ(sim.read(global::kStartTimeLo), i * 0x9E3779B9U);
    ASSERT_EQ(sim.read(global::kId), global::kIdValue);
  }
  const std::uint64_t clocks = sim.cycles() - before;
  EXPECT_LT(clocks, 6000u * 24);  // an access by itself takes up to 12
  EXPECT_EQ(resultOf(core, 1), 0u);
  const std::uint64_t rounds = resultOf(core, 0);
  EXPECT_GT(rounds, clocks / 100);
  EXPECT_GE(sim.read(global::kScratch), rounds);
}

// Reads a row of the schedule over and over, and leaves TBL_ADDR and TBL_DATA as they were.
std::vector<Word> tableReader(bool locks) {
  constexpr Word kScheduleTable = 2;
  std::vector<Word> program = begin();
  program.push_back(rv::lui(7, kScheduleTable << 4));
  program.push_back(rv::addi(7, 7, 3));
  const std::size_t loop = program.size();
  if (locks) writeGlobal(program, global::kBusLock, kTakeLock);
  const auto each_word = [&](const auto& access) {
    for (std::int32_t word = 0; word < 16; ++word) access(4 * word);
  };
  each_word([&](std::int32_t at) {
    program.push_back(rv::lw(6, kPort, port_regs::kTblData + at));
    program.push_back(rv::sw(6, kStore, at));
  });
  program.push_back(rv::lw(9, kPort, port_regs::kTblAddr));
  program.push_back(rv::sw(7, kPort, port_regs::kTblAddr));
  program.push_back(rv::addi(8, 0, port_regs::kTblCmdRead.mask()));
  program.push_back(rv::sw(8, kPort, port_regs::kTblCmd));
  program.push_back(rv::lw(8, kPort, port_regs::kTblData));
  each_word([&](std::int32_t at) {
    program.push_back(rv::lw(6, kStore, at));
    program.push_back(rv::sw(6, kPort, port_regs::kTblData + at));
  });
  program.push_back(rv::sw(9, kPort, port_regs::kTblAddr));
  if (locks) writeGlobal(program, global::kBusLock, kReleaseLock);
  countRound(program, 16);
  jumpBack(program, loop);
  return program;
}

std::vector<card::FlowConfig> someFlows() {
  std::vector<card::FlowConfig> flows;
  for (std::uint32_t i = 0; i < 12; ++i) {
    flows.push_back(makeFlow(udpStream(0, 64 + 100 * i), i));
    setConstantRate(flows.back(), Fraction::percent(5), 20, nanoseconds(i));
  }
  return flows;
}

// The host writes tables and reads them back, as the driver always does, while the processor reads
// one: harmless under the lock, and not without it.
TEST(CardCore, LockedTableAccessIsNotSeenByTheHost) {
  TestCard card(2);
  card::ControlCore core(card.sim);
  runProgram(core, tableReader(true));
  for (int round = 0; round < 4; ++round) {
    card.driver.reset();
    ASSERT_NO_THROW(card.driver.loadFlows(0, someFlows()));
  }
  EXPECT_GT(resultOf(core, 16), 40u);
  EXPECT_EQ(global::kStickyLockExpired.get(card.sim.read(global::kSticky)), 0u);

  runProgram(core, tableReader(false));
  card.driver.reset();
  EXPECT_THROW(card.driver.loadFlows(0, someFlows()), Error);
}

// A program that takes the lock and never gives it back holds the host up for a bounded time.
TEST(CardCore, LockOfTheProcessorExpires) {
  sim::CardSim sim({.ports = 1});
  card::ControlCore core(sim);
  std::vector<Word> program = begin();
  // The host sees when it is taken by the mailbox, and has time for the access that waits.
  program.push_back(rv::lui(6, 0x40000));
  program.push_back(rv::sw(6, 6, 0x1C));
  for (int i = 0; i < 60; ++i) program.push_back(rv::kNop);
  writeGlobal(program, global::kBusLock, kTakeLock);
  program.push_back(rv::jal(0, 0));
  runProgram(core, program);
  while (!core.receive()) {
  }
  sim.wait(nanoseconds(600));
  const std::uint64_t before = sim.cycles();
  EXPECT_EQ(sim.read(global::kId), global::kIdValue);
  const std::uint64_t clocks = sim.cycles() - before;
  EXPECT_GT(clocks, 1500u);
  EXPECT_LT(clocks, 2047u + 20);
  EXPECT_EQ(global::kStickyLockExpired.get(sim.read(global::kSticky)), 1u);
  EXPECT_EQ(sim.read(global::kBusLockStatus), 0u);
}

TEST(CardCore, LockOfTheHostKeepsTheProcessorOff) {
  sim::CardSim sim({.ports = 1});
  card::ControlCore core(sim);
  std::vector<Word> program = begin();
  const std::size_t loop = program.size();
  program.push_back(rv::addi(kCounter, kCounter, 1));
  program.push_back(rv::sw(kCounter, kCard, global::kScratch));
  jumpBack(program, loop);
  runProgram(core, program);
  sim.wait(microseconds(1));
  sim.write(global::kBusLock, kTakeLock);
  EXPECT_EQ(sim.read(global::kBusLockStatus), global::kBusLockStatusLocked.mask());
  const std::uint32_t count = sim.read(global::kScratch);
  EXPECT_GT(count, 0u);
  sim.wait(microseconds(20));
  EXPECT_EQ(sim.read(global::kScratch), count);
  sim.write(global::kBusLock, kReleaseLock);
  sim.wait(microseconds(1));
  EXPECT_GT(sim.read(global::kScratch), count + 5);
  // Not for ever: 65,535 clocks are 203 us.
  sim.write(global::kBusLock, kTakeLock);
  const std::uint32_t then = sim.read(global::kScratch);
  sim.wait(microseconds(203));
  EXPECT_EQ(sim.read(global::kScratch), then);
  sim.wait(microseconds(1));
  EXPECT_GT(sim.read(global::kScratch), then);
}

// Times of all frames, with a processor that works as hard as it can or none. The card is armed for
// the same time of its clock in both cases; such a processor holds the host up.
std::vector<std::int64_t> departures(bool busy) {
  std::vector<std::int64_t> seen;
  TestCard card(2);
  card.wire.observe = [&](const WireFrame& frame, const wire::DecodedFrame&) {
    seen.push_back(frame.first_bit.count());
  };
  if (busy) {
    card::ControlCore core(card.sim);
    runProgram(core, tableReader(true));
  }
  for (std::uint32_t port = 0; port < 2; ++port) card.driver.loadFlows(port, someFlows());
  card.driver.arm(milliseconds(4));
  card.finish();
  seen.push_back(static_cast<std::int64_t>(card.driver.latency(1, 0).sumLow()));
  card.expectNoFaults();
  return seen;
}

TEST(CardCore, DeparturesDoNotDependOnTheProcessor) {
  const std::vector<std::int64_t> alone = departures(false);
  EXPECT_EQ(alone.size(), 2u * 12 * 20 + 1);
  EXPECT_EQ(departures(true), alone);
}

}  // namespace
}  // namespace plumbline::hw_test
