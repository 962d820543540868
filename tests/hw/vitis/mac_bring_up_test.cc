// The sequence that brings a link up, over the registers as hardware has them (plumb_mac_regs
// behind plumb_axil_bridge) and a model of the MAC: whatever happens to the link on the way, it
// ends up, or down with the reason that the conditions at the end have.
#include <Vmac_bench.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>

#include "card/mac_link.h"
#include "sim/mac_status_model.h"
#include "tests/regs/mac_status.h"

namespace plumbline {
namespace {

using card::MacFec;
using card::MacReason;
using card::MacState;
using sim::MacConditions;
namespace pins = rtl::mac_status;

// A microsecond is a hundred clocks of the register bus.
constexpr std::int64_t kBusPeriod = 10'000;  // [ps]
constexpr std::int64_t kMacPeriod = 9'310;
constexpr card::MacTiming kTiming{1, 2, 10, 25, 4};
constexpr int kMostLocalClocks = 12;
constexpr int kMostClocks = 255 + 12;  // mac_bench.sv

// The bench's register bus, and the time that passes with it.
class LinkBench {
 public:
  explicit LinkBench(std::uint32_t seed) : model(seed) {
    bench_->rst_ni = 0;
    clocks(3);
    bench_->rst_ni = 1;
    clocks(20);
  }

  sim::MacStatusModel model;
  int slowest_local = 0;
  int slowest = 0;

  [[nodiscard]] Picoseconds now() const { return Picoseconds(now_); }
  void wait(int us) { clocks(100 * us); }
  [[nodiscard]] bool linkUp() const { return bench_->link_up_o != 0; }

  std::uint32_t read(std::uint32_t offset) {
    auto& s = *bench_;
    s.s_axil_araddr_i = static_cast<std::uint16_t>(offset);
    s.s_axil_arvalid_i = 1;
    int taken = 0;
    for (; taken < 2 * kMostClocks; ++taken) {
      const bool accepted = s.s_axil_arvalid_i != 0 && s.s_axil_arready_o != 0;
      if (s.s_axil_rvalid_o != 0) break;
      clocks(1);
      if (accepted) s.s_axil_arvalid_i = 0;
    }
    EXPECT_NE(s.s_axil_rvalid_o, 0) << "no answer";
    response = s.s_axil_rresp_o;
    const std::uint32_t value = s.s_axil_rdata_o;
    clocks(1);
    note(offset, taken);
    return value;
  }
  void write(std::uint32_t offset, std::uint32_t value) {
    auto& s = *bench_;
    s.s_axil_awaddr_i = static_cast<std::uint16_t>(offset);
    s.s_axil_wdata_i = value;
    s.s_axil_awvalid_i = s.s_axil_wvalid_i = 1;
    int taken = 0;
    for (; taken < 2 * kMostClocks; ++taken) {
      const bool accepted = s.s_axil_awvalid_i != 0 && s.s_axil_awready_o != 0;
      if (s.s_axil_bvalid_o != 0) break;
      clocks(1);
      if (accepted) s.s_axil_awvalid_i = s.s_axil_wvalid_i = 0;
    }
    EXPECT_NE(s.s_axil_bvalid_o, 0) << "no answer";
    response = s.s_axil_bresp_o;
    clocks(1);
    note(offset, taken);
  }
  std::uint8_t response = 0;

 private:
  void note(std::uint32_t offset, int taken) {
    const bool local = offset >> 12 == 0xB;
    int& max = local ? slowest_local : slowest;
    max = std::max(max, taken);
  }

  void clocks(int count) {
    for (int i = 0; i < count; ++i) {
      const std::int64_t edge = now_ + kBusPeriod;
      play();
      while (next_mac_ < edge) {
        if (model.clockRuns(Picoseconds(next_mac_))) {
          bench_->mac_clk_i = 1;
          bench_->eval();
          bench_->mac_clk_i = 0;
          bench_->eval();
        }
        next_mac_ += kMacPeriod;
      }
      now_ = edge;
      bench_->clk_i = 1;
      bench_->eval();
      bench_->clk_i = 0;
      bench_->eval();
    }
  }

  // The MAC: takes what it is told and says how it is.
  void play() {
    const std::uint32_t told = bench_->control_o;  // control_t from its lowest bit
    const auto bit = [&](int n) { return (told >> n & 1) != 0; };
    model.order({bit(4), bit(3), bit(2), bit(1), bit(0), bit(11), bit(8), bit(10)}, now());
    const sim::MacLevels is = model.levels(now());
    auto& status = bench_->status_i;
    rtl::setStatus(status, pins::kPowerGood, is.power_good);
    rtl::setStatus(status, pins::kTxReset, is.tx_reset ? 1 : 0);
    rtl::setStatus(status, pins::kRxReset, is.rx_reset ? 1 : 0);
    rtl::setStatus(status, pins::kBlockLock, is.block_lock);
    rtl::setStatus(status, pins::kSynced, is.synced);
    rtl::setStatus(status, pins::kAligned, is.aligned ? 1 : 0);
    rtl::setStatus(status, pins::kRxStatus, is.rx_status ? 1 : 0);
    rtl::setStatus(status, pins::kHiBer, is.hi_ber ? 1 : 0);
    rtl::setStatus(status, pins::kLocalFault, is.local_fault ? 1 : 0);
    rtl::setStatus(status, pins::kInternalLocalFault, is.internal_local_fault ? 1 : 0);
    rtl::setStatus(status, pins::kReceivedLocalFault, is.received_local_fault ? 1 : 0);
    rtl::setStatus(status, pins::kRemoteFault, is.remote_fault ? 1 : 0);
    bench_->eval();
  }

  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  std::unique_ptr<Vmac_bench> bench_ = std::make_unique<Vmac_bench>(context_.get());
  std::int64_t now_ = 0;
  std::int64_t next_mac_ = 4'000;
};

using Link = card::MacBringUp<LinkBench, card::CardMacMap>;

// What a link ends as, from the conditions alone.
MacReason expectedReason(const MacConditions& now, MacFec fec) {
  if (!now.power) return MacReason::kNoPower;
  if (!now.reference_clock) return MacReason::kNoClock;
  const bool agreed = fec == MacFec::kEither || now.peer_rs_fec == (fec == MacFec::kOn);
  if (!now.signal || !agreed || now.dead_lanes == 0xFFFFF) return MacReason::kNoSignal;
  if (now.dead_lanes != 0) return MacReason::kLanesMissing;
  if (now.no_markers) return MacReason::kMarkersMissing;
  if (now.skewed) return MacReason::kNotAligned;
  if (now.high_error_ratio) return MacReason::kHighErrorRatio;
  if (now.received_fault) return MacReason::kLocalFault;
  if (now.deaf_peer) return MacReason::kRemoteFault;
  return MacReason::kNone;
}

MacConditions drawConditions(std::mt19937& random) {
  MacConditions drawn;
  drawn.peer_rs_fec = random() % 2 == 0;
  switch (random() % 16) {
    case 0:
      drawn.reference_clock = false;
      break;
    case 1:
      drawn.power = false;
      break;
    case 2:
      drawn.signal = false;
      break;
    case 3:
      drawn.dead_lanes = 1U << random() % 20;
      break;
    case 4:
      drawn.dead_lanes = random() & 0xFFFFF;
      break;
    case 5:
      drawn.no_markers = true;
      break;
    case 6:
      drawn.skewed = true;
      break;
    case 7:
      drawn.high_error_ratio = true;
      break;
    case 8:
      drawn.received_fault = true;
      break;
    case 9:
      drawn.deaf_peer = true;
      break;
    default:
      break;
  }
  return drawn;
}

TEST(MacBringUp, EndsUpOrDownWithTheRightReasonWhateverHappens) {
  int up = 0;
  int slowest_local = 0;
  int slowest = 0;
  for (std::uint32_t seed = 0; seed < 1'000; ++seed) {
    std::mt19937 random(seed);
    LinkBench bench(seed);
    constexpr MacFec kPolicies[] = {MacFec::kEither, MacFec::kOn, MacFec::kOff};
    const MacFec fec = kPolicies[std::min<std::size_t>(random() % 4, 2)];
    Link link(bench, 0, fec, kTiming);
    MacConditions now = drawConditions(random);
    bench.model.setConditions(now, bench.now());
    for (std::uint32_t changes = random() % 5; changes > 0; --changes) {
      for (std::uint32_t us = random() % 40; us > 0; --us) {
        link.poll();
        bench.wait(1);
        if (random() % 20 == 0) {
          bench.write(0x30, us);  // the card behind the bridge, be it dead or alive
          bench.read(0x30);
        }
      }
      if (random() % 3 == 0) {
        bench.model.loseAlignment(bench.now());
      } else {
        now = drawConditions(random);
        bench.model.setConditions(now, bench.now());
      }
    }
    // What was under way ends within an attempt, and two more settle it.
    for (int us = 0; us < 180; ++us) {
      link.poll();
      bench.wait(1);
    }
    const MacReason expected = expectedReason(now, fec);
    if (expected == MacReason::kNone) {
      ++up;
      ASSERT_EQ(link.state(), MacState::kUp) << "seed " << seed << ": " << describe(link.reason());
      ASSERT_TRUE(bench.linkUp()) << "seed " << seed;
      ASSERT_EQ(link.rsFec(), now.peer_rs_fec);
      bench.write(0x30, seed);
      ASSERT_EQ(bench.response, 0);
      ASSERT_EQ(bench.read(0x30), seed);
    } else {
      ASSERT_EQ(link.state(), MacState::kDown) << "seed " << seed;
      ASSERT_EQ(link.reason(), expected)
          << "seed " << seed << ": " << describe(link.reason()) << ", not " << describe(expected);
      ASSERT_FALSE(bench.linkUp()) << "seed " << seed;
    }
    slowest_local = std::max(slowest_local, bench.slowest_local);
    slowest = std::max(slowest, bench.slowest);
  }
  EXPECT_GT(up, 200);
  EXPECT_LT(up, 800);
  EXPECT_LE(slowest_local, kMostLocalClocks);
  EXPECT_LE(slowest, kMostClocks);
  EXPECT_GT(slowest, 200) << "no access has met a dead clock";
}

TEST(MacBringUp, ALinkThatIsLostComesBackWithoutAResetOfTheCard) {
  LinkBench bench(5);
  Link link(bench, 0, MacFec::kEither, kTiming);
  const auto run = [&](int us) {
    for (int i = 0; i < us; ++i) {
      link.poll();
      bench.wait(1);
    }
  };
  run(100);
  ASSERT_EQ(link.state(), MacState::kUp);
  EXPECT_EQ(link.losses(), 0U);
  bench.write(0x30, 0x1234'5678);
  for (std::uint32_t times = 1; times <= 3; ++times) {
    bench.model.loseAlignment(bench.now());
    run(2);
    EXPECT_EQ(link.state(), MacState::kWorking);
    EXPECT_FALSE(bench.linkUp());
    EXPECT_EQ(link.losses(), times);
    run(60);
    EXPECT_EQ(link.state(), MacState::kUp);
  }
  // A cable that is out for long: the MAC's receiver is reset again and again, the card is not.
  MacConditions pulled;
  pulled.signal = false;
  bench.model.setConditions(pulled, bench.now());
  run(200);
  EXPECT_EQ(link.state(), MacState::kDown);
  EXPECT_EQ(link.reason(), MacReason::kNoSignal);
  EXPECT_EQ(bench.read(0x30), 0x1234'5678U);
}

// Without the block (another card, a port too many) it reads as zero.
TEST(MacBringUp, SaysSoWhenThereAreNoRegisters) {
  struct Empty {
    std::uint32_t read(std::uint32_t) { return 0; }
    void write(std::uint32_t, std::uint32_t) { ADD_FAILURE() << "written to"; }
  } bus;
  card::MacBringUp<Empty, card::CardMacMap> link(bus, 3, MacFec::kOn);
  link.poll();
  EXPECT_EQ(link.state(), MacState::kDown);
  EXPECT_EQ(link.reason(), MacReason::kNoRegisters);
}

}  // namespace
}  // namespace plumbline
