// Control, status and counters of a MAC: what it says on its clock against what the registers show
// on theirs, with sums of our own.
#include <Vplumb_mac_counters.h>
#include <Vplumb_mac_regs.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "card/registers.h"
#include "tests/regs/clocked.h"
#include "tests/regs/mac_status.h"

namespace plumbline {
namespace {

namespace mac = card::regs::mac;
namespace pins = rtl::mac_status;

// One MAC's registers between two clocks.
class MacBench {
 public:
  explicit MacBench(std::int64_t bus_period_ps = 3'333, std::int64_t mac_period_ps = 3'103)
      : bus_period_(bus_period_ps), mac_period_(mac_period_ps), next_mac_(mac_period_ps / 3) {
    regs_->rst_ni = 0;
    regs_->eval();
    run(2);
    regs_->rst_ni = 1;
    regs_->eval();
    run(40);
  }

  bool clock_runs = true;
  std::uint64_t mac_clocks = 0;
  std::uint64_t bus_clocks = 0;

  void set(rtl::MacStatusField field, std::uint64_t value) {
    rtl::setStatus(regs_->status_i, field, value);
    regs_->eval();
  }
  Vplumb_mac_regs& operator*() { return *regs_; }

  void run(int bus_clocks_to_run) {
    for (int i = 0; i < bus_clocks_to_run; ++i) busClock();
  }
  // One clock of the MAC, then events are over.
  void macEvent() {
    const std::uint64_t before = mac_clocks;
    while (mac_clocks == before) busClock();
  }

  std::uint32_t read(std::uint32_t offset) {
    regs_->reg_addr_i = offset / 4;
    regs_->reg_ren_i = 1;
    busClock();
    regs_->reg_ren_i = 0;
    regs_->eval();
    return regs_->reg_rdata_o;
  }
  void write(std::uint32_t offset, std::uint32_t value) {
    regs_->reg_addr_i = offset / 4;
    regs_->reg_wdata_i = value;
    regs_->reg_wen_i = 1;
    busClock();
    regs_->reg_wen_i = 0;
    regs_->eval();
  }
  std::uint32_t get(card::regs::Field field) { return field.get(read(field.offset)); }
  // A command to the counters, until it is done.
  bool command(std::uint32_t what) {
    write(mac::kMacCommand, what);
    for (int i = 0; i < 100; ++i) {
      if (get(mac::kMacCountersBusy) == 0) return true;
      run(4);
    }
    return false;
  }

 private:
  void busClock() {
    const std::int64_t edge = now_ + bus_period_;
    while (next_mac_ < edge) {
      next_mac_ += mac_period_;
      if (!clock_runs) continue;
      ++mac_clocks;
      regs_->mac_clk_i = 1;
      regs_->eval();
      regs_->mac_clk_i = 0;
      regs_->eval();
      if (after_edge) after_edge();
    }
    now_ = edge;
    ++bus_clocks;
    regs_->clk_i = 1;
    regs_->eval();
    regs_->clk_i = 0;
    regs_->eval();
  }

  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  std::unique_ptr<Vplumb_mac_regs> regs_ = std::make_unique<Vplumb_mac_regs>(context_.get());
  std::int64_t bus_period_;
  std::int64_t mac_period_;
  std::int64_t next_mac_;
  std::int64_t now_ = 0;

 public:
  std::function<void()> after_edge;  // what the MAC says in its next clock
};

constexpr std::uint32_t kSnapshot = mac::kMacCommandSnapshot.of(1);
constexpr std::uint32_t kSnapshotAndClear = kSnapshot | mac::kMacCommandClear.of(1);

// A row of registers, with the pin that is counted there and the most that it says in a clock.
struct Counted {
  std::uint32_t offset;
  rtl::MacStatusField pin;
  std::uint32_t max;
};

std::vector<Counted> countedPins() {
  std::vector<Counted> all = {
      {mac::kFecCodewordsLo, pins::kRsfecCodeword, 1},
      {mac::kFecCorrectedLo, pins::kRsfecCorrected, 1},
      {mac::kFecUncorrectedLo, pins::kRsfecUncorrected, 1},
      {mac::kBadCodes, pins::kBadCode, 7},
      {mac::kTxUnderflows, pins::kTxUnderflow, 1},
      {mac::kTxOverflows, pins::kTxOverflow, 1},
      {mac::kRxFifoOverflows, pins::kRxFifoOverflow, 1},
  };
  for (std::uint32_t lane = 0; lane < 4; ++lane) {
    all.push_back({mac::kFecSymbolErrors + 4 * lane, {pins::kRsfecErrCount.lsb + 3 * lane, 3}, 7});
  }
  for (std::uint32_t lane = 0; lane < 20; ++lane) {
    all.push_back({mac::kBipErrors + 4 * lane, {pins::kBipErr.lsb + lane, 1}, 1});
  }
  return all;
}

TEST(MacRegs, CountsEveryEventOnceWhateverTheClocks) {
  constexpr std::array<std::array<std::int64_t, 2>, 4> kPeriods{
      {{3'333, 3'103}, {10'000, 3'103}, {1'000, 9'000}, {3'103, 3'103}}};
  for (const auto& [bus_period, mac_period] : kPeriods) {
    MacBench bench(bus_period, mac_period);
    std::mt19937 random(7);
    const std::vector<Counted> counted = countedPins();
    std::vector<std::uint64_t> sums(counted.size());
    std::vector<std::uint64_t> read(counted.size());
    std::vector<std::uint32_t> said(counted.size());
    bool events = true;
    bench.after_edge = [&] {
      for (std::size_t i = 0; i < counted.size(); ++i) {
        sums[i] += said[i];  // the edge before took what was said before
        said[i] = events ? static_cast<std::uint32_t>(random()) % (counted[i].max + 1) : 0;
        rtl::setStatus((*bench).status_i, counted[i].pin, said[i]);
      }
      (*bench).eval();
    };
    // Latched and zeroed again and again, while events go on: nothing is lost or counted twice.
    for (int round = 0; round < 20; ++round) {
      bench.run(static_cast<int>(random() % 200));
      events = round < 18;
      ASSERT_TRUE(bench.command(kSnapshotAndClear));
      for (std::size_t i = 0; i < counted.size(); ++i) read[i] += bench.read(counted[i].offset);
    }
    for (std::size_t i = 0; i < counted.size(); ++i) {
      EXPECT_EQ(read[i], sums[i]) << "offset " << counted[i].offset;
      EXPECT_GT(sums[i], 100U);
    }
  }
}

TEST(MacRegs, CountsHowOftenAStateBegins) {
  MacBench bench;
  for (const auto& [offset, pin] :
       {std::pair{mac::kHiBerEvents, pins::kHiBer}, std::pair{mac::kLocalFaults, pins::kLocalFault},
        std::pair{mac::kRemoteFaults, pins::kRemoteFault},
        std::pair{mac::kAlignmentLosses, pins::kAligned}}) {
    for (int times = 0; times < 5; ++times) {
      bench.set(pin, 1);
      bench.run(20);
      bench.set(pin, 0);
      bench.run(20);
    }
    ASSERT_TRUE(bench.command(kSnapshot));
    EXPECT_EQ(bench.read(offset), 5U);
  }
  EXPECT_EQ(bench.get(mac::kMacStickyAlignmentLost), 1U);
  bench.write(mac::kMacSticky, mac::kMacStickyAlignmentLost.of(1));
  EXPECT_EQ(bench.get(mac::kMacStickyAlignmentLost), 0U);
}

TEST(MacRegs, ShowsEachLevel) {
  MacBench bench;
  for (const auto& [field, pin] :
       {std::pair{mac::kMacStatusTxReset, pins::kTxReset},
        std::pair{mac::kMacStatusRxReset, pins::kRxReset},
        std::pair{mac::kMacStatusBlockLock, pins::kBlockLock},
        std::pair{mac::kMacStatusSynced, pins::kSynced},
        std::pair{mac::kMacStatusAligned, pins::kAligned},
        std::pair{mac::kMacStatusRxStatus, pins::kRxStatus},
        std::pair{mac::kMacStatusHiBer, pins::kHiBer},
        std::pair{mac::kMacStatusLocalFault, pins::kLocalFault},
        std::pair{mac::kMacStatusInternalFault, pins::kInternalLocalFault},
        std::pair{mac::kMacStatusReceivedFault, pins::kReceivedLocalFault},
        std::pair{mac::kMacStatusRemoteFault, pins::kRemoteFault},
        std::pair{mac::kMacStatusRsfecAligned, pins::kRsfecAligned},
        std::pair{mac::kMacStatusRsfecHiSer, pins::kRsfecHiSer},
        std::pair{mac::kMacStatusTxFault, pins::kTxLocalFault},
        std::pair{mac::kMacStatusPowerGood, pins::kPowerGood}}) {
    const std::uint32_t others = bench.read(mac::kMacStatus) & ~field.mask() & 0xFFFF;
    const std::uint64_t all = (std::uint64_t{1} << pin.width) - 1;
    EXPECT_EQ(bench.get(field), 0U);
    bench.set(pin, all);
    bench.run(20);
    EXPECT_EQ(bench.get(field), 1U);
    EXPECT_EQ(bench.read(mac::kMacStatus) & ~field.mask() & 0xFFFF, others);
    if (pin.width > 1) {  // all lanes are meant
      bench.set(pin, all & ~std::uint64_t{1});
      bench.run(20);
      EXPECT_EQ(bench.get(field), 0U);
    }
    bench.set(pin, 0);
    bench.run(20);
  }
  bench.set(pins::kBlockLock, 0xA5F0C);
  bench.set(pins::kSynced, 0x5A0F3);
  bench.set(pins::kRsfecLock, 0x9);
  bench.set(pins::kRsfecMapping, 0xE4);
  bench.run(20);
  EXPECT_EQ(bench.get(mac::kMacLanesBlockLock), 0xA5F0CU);
  EXPECT_EQ(bench.get(mac::kMacSyncedLanes), 0x5A0F3U);
  EXPECT_EQ(bench.get(mac::kMacLanesRsfecLock), 0x9U);
  EXPECT_EQ(bench.get(mac::kMacLanesRsfecMapping), 0xE4U);
}

// IEEE 802.3 81.3.4: local fault -> remote fault indication; remote fault -> idle; else frames.
TEST(MacRegs, SendsByWhatIsReceived) {
  MacBench bench;
  const auto expectSent = [&](bool frames, bool rfi, bool idle) {
    bench.run(20);
    EXPECT_EQ(bench.get(mac::kMacStatusSendsFrames), frames);
    EXPECT_EQ(bench.get(mac::kMacStatusSendsRfi), rfi);
    EXPECT_EQ(bench.get(mac::kMacStatusSendsIdle), idle);
    EXPECT_EQ((*bench).link_up_o != 0, frames && !idle);
  };
  expectSent(false, true, false);  // after reset, nothing received
  bench.set(pins::kAligned, 1);
  expectSent(true, false, false);
  bench.set(pins::kRemoteFault, 1);
  expectSent(true, false, true);
  bench.set(pins::kLocalFault, 1);
  expectSent(false, true, false);
  bench.set(pins::kRemoteFault, 0);
  expectSent(false, true, false);
  bench.set(pins::kLocalFault, 0);
  expectSent(true, false, false);
  bench.write(mac::kMacControl, mac::kMacControlFollow.of(1) | mac::kMacControlRxEnable.of(1));
  bench.run(20);
  EXPECT_EQ(bench.get(mac::kMacStatusSendsFrames), 0U) << "not enabled";
  // Told by the register alone.
  bench.set(pins::kAligned, 0);
  bench.write(mac::kMacControl, mac::kMacControlTxEnable.of(1) | mac::kMacControlSendIdle.of(1));
  bench.run(20);
  EXPECT_EQ(bench.get(mac::kMacStatusSendsFrames), 1U);
  EXPECT_EQ(bench.get(mac::kMacStatusSendsRfi), 0U);
  EXPECT_EQ(bench.get(mac::kMacStatusSendsIdle), 1U);
}

TEST(MacRegs, ADeadClockIsSeenAndBlocksNothing) {
  MacBench bench;
  EXPECT_EQ(bench.get(mac::kMacStatusClock), 1U);
  EXPECT_EQ(bench.get(mac::kMacStickyClockLost), 0U);
  bench.set(pins::kRsfecCodeword, 1);
  bench.run(100);
  bench.set(pins::kRsfecCodeword, 0);
  ASSERT_TRUE(bench.command(kSnapshot));
  const std::uint32_t counted = bench.read(mac::kFecCodewordsLo);
  EXPECT_GT(counted, 90U);

  bench.clock_runs = false;
  const std::uint64_t stopped = bench.bus_clocks;
  while (bench.get(mac::kMacStatusClock) != 0 && bench.bus_clocks < stopped + 1'000) bench.run(1);
  EXPECT_LE(bench.bus_clocks, stopped + 256);
  EXPECT_EQ(bench.get(mac::kMacStickyClockLost), 1U);
  EXPECT_FALSE(bench.command(kSnapshot)) << "there is no clock to latch at";
  EXPECT_EQ(bench.read(mac::kFecCodewordsLo), 0U);
  EXPECT_EQ(bench.read(mac::kMacId), mac::kMacIdValue);

  bench.clock_runs = true;
  bench.run(100);
  EXPECT_EQ(bench.get(mac::kMacStatusClock), 1U);
  EXPECT_EQ(bench.get(mac::kMacCountersBusy), 0U) << "carried out when the clock came back";
  EXPECT_EQ(bench.read(mac::kFecCodewordsLo), counted);
}

// The level stands for what has changed since it was ended, and goes to the processor.
TEST(MacRegs, AChangeOfTheLinkIsALevelUntilItIsSeen) {
  MacBench bench;
  constexpr std::uint32_t kSeen = mac::kMacCommandSeen.of(1);
  const auto changed = [&] {
    const bool level = (*bench).changed_o != 0;
    EXPECT_EQ(bench.get(mac::kMacStatusLinkChanged) != 0, level);
    return level;
  };
  const auto setLink = [&](bool up) {
    bench.set(pins::kAligned, up ? 1 : 0);
    bench.run(20);
  };
  EXPECT_FALSE(changed());
  for (const bool up : {true, false, true}) {
    setLink(up);
    ASSERT_EQ((*bench).link_up_o != 0, up);
    EXPECT_TRUE(changed());
    bench.run(1'000);
    EXPECT_TRUE(changed()) << "it stays";
    bench.write(mac::kMacCommand, kSeen);
    bench.run(4);
    EXPECT_FALSE(changed());
    bench.run(1'000);
    EXPECT_FALSE(changed());
  }
  // Counters' commands do not end it, nor does it take part in theirs.
  setLink(false);
  EXPECT_TRUE(bench.command(kSnapshotAndClear));
  EXPECT_TRUE(changed());
  bench.write(mac::kMacCommand, kSeen);
  EXPECT_EQ(bench.get(mac::kMacCountersBusy), 0U);
  // A clock that stops takes the link with it.
  setLink(true);
  bench.write(mac::kMacCommand, kSeen);
  bench.clock_runs = false;
  bench.run(300);
  EXPECT_TRUE(changed());
  // A change and the command any number of clocks apart: either what is read behind the command
  // shows the change, or it is told of.
  bench.clock_runs = true;
  bench.run(100);
  int told = 0;
  for (int apart = 0; apart < 24; ++apart) {
    setLink(true);
    bench.write(mac::kMacCommand, kSeen);
    bench.run(40);
    ASSERT_FALSE(changed());
    bench.set(pins::kAligned, 0);
    bench.run(apart);
    const bool before = (*bench).changed_o != 0;
    bench.write(mac::kMacCommand, kSeen);
    const bool shown = bench.get(mac::kMacStatusAligned) == 0;
    bench.run(40);
    EXPECT_TRUE(shown || changed()) << apart;
    if (before) {
      EXPECT_FALSE(changed()) << apart;
    }
    told += changed() ? 1 : 0;
  }
  EXPECT_GT(told, 0);
  EXPECT_LT(told, 24);
}

TEST(MacRegs, MeasuresTheClock) {
  for (const std::int64_t period : {3'103, 3'200, 6'206, 30'000}) {
    MacBench bench(3'333, period);
    bench.run(3 * 65'536);
    const double expected = 65'536.0 * 3'333 / static_cast<double>(period) / 8;
    EXPECT_NEAR(bench.get(mac::kMacClockCountEights), expected, 1.0) << period;
  }
}

TEST(MacRegs, ResetsAndLoopbackReachTheMacWithoutItsClock) {
  MacBench bench;
  bench.clock_runs = false;
  bench.write(mac::kMacReset, 0b10101);
  bench.write(mac::kMacControl, mac::kMacControlLoopback.of(1));
  bench.run(2);
  // control_t from its lowest bit: gt_rx, gt_tx, core_rx, core_tx, sys, loopback.
  EXPECT_EQ((*bench).control_o & 0x3F, 0b110000U | 0b00001U | 0b00100U);
  EXPECT_EQ((*bench).control_o >> 2 & 1, 1U);
  bench.write(mac::kMacReset, 0);
  bench.run(2);
  EXPECT_EQ((*bench).control_o & 0x1F, 0U);
}

TEST(MacRegs, RsFecIsOnAfterResetAndFollowsItsBits) {
  MacBench bench;
  // control_t bits 9:6: tx_rsfec, rx_rsfec, correction, indication.
  EXPECT_EQ((*bench).control_o >> 6 & 0xF, 0xFU);
  bench.write(mac::kMacControl, mac::kMacControlRxRsfec.of(1));
  bench.run(20);
  EXPECT_EQ((*bench).control_o >> 6 & 0xF, 0b0100U);
}

// Counters of 10 and 6 bits, so that they can be filled.
TEST(MacCounters, StayAtTheirHighestValue) {
  rtl::Clocked<Vplumb_mac_counters> counters;
  for (int i = 0; i < 10; ++i) counters.tick();
  const auto snapshot = [&](bool clear) {
    counters->snapshot_i = 1;
    counters->clear_i = clear ? 1 : 0;
    counters->request_i = counters->request_i == 0 ? 1 : 0;
    for (int i = 0; i < 6; ++i) counters.tick();
    ASSERT_EQ(counters->acknowledge_o, counters->request_i);
  };
  const auto wide = [&](int n) { return rtl::bitsOf(counters->wide_o, 48 * n, 48); };
  const auto narrow = [&](int n) { return rtl::bitsOf(counters->narrow_o, 32 * n, 32); };
  rtl::setStatus(counters->status_i, pins::kRsfecCodeword, 1);
  rtl::setStatus(counters->status_i, pins::kRsfecErrCount, 0b111'101'011'001);
  std::uint64_t last = 0;
  for (int clocks = 0; clocks < 1'100; clocks += 8) {
    snapshot(false);
    counters.tick();
    counters.tick();
    const std::uint64_t now = wide(0);
    ASSERT_TRUE(now > last || now == 1'023) << "it has wrapped";
    last = now;
  }
  EXPECT_EQ(wide(0), 1'023U);
  EXPECT_EQ(wide(1), 0U);
  for (int lane = 0; lane < 4; ++lane) EXPECT_EQ(narrow(lane), 63U);
  EXPECT_EQ(narrow(4), 0U);
  // Cleared they begin anew.
  rtl::setStatus(counters->status_i, pins::kRsfecCodeword, 0);
  rtl::setStatus(counters->status_i, pins::kRsfecErrCount, 0);
  counters.tick();
  counters.tick();
  snapshot(true);
  EXPECT_EQ(wide(0), 1'023U) << "latched before they are zeroed";
  snapshot(false);
  EXPECT_EQ(wide(0), 0U);
  EXPECT_EQ(narrow(0), 0U);
}

}  // namespace
}  // namespace plumbline
