// The packed kernel as the host sees it over its register bus, and as MACs and memory see it at its
// pins: which port is which, what crosses between the clocks, and what is left without them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "bench/trial/calibration.h"
#include "card/driver.h"
#include "card/mac.h"
#include "card/mac_link.h"
#include "card/registers.h"
#include "sim/wire.h"
#include "tests/benchmarks/stream_flows.h"
#include "tests/hw/kernel/kernel_bench.h"
#include "tests/hw/long_run.h"
#include "tests/regs/clocked.h"
#include "wire/frame.h"

namespace plumbline::hw_test {
namespace {

namespace regs = card::regs;
using card::MacReason;
using card::MacState;

constexpr std::uint32_t kPorts = KernelBench::kPorts;
constexpr std::uint8_t kOkay = 0;
constexpr std::uint8_t kSlaveError = 2;
// Of ap_clk: docs/hardware.md, "Register bridge".
constexpr std::int64_t kBridgeBound = 8'199;
constexpr std::int64_t kAtOnce = 40;
// The models' delays are microseconds.
constexpr card::MacTiming kFastTiming{1, 2, 10, 25, 4};

std::vector<card::MacLink> bringUp(KernelBench& kernel) {
  const std::vector<card::MacPort> ports{{&kernel, 0}, {&kernel, 1}};
  return card::bringUpMacs(ports, card::MacFec::kOn, kFastTiming);
}
void expectBothUp(KernelBench& kernel) {
  for (const card::MacLink& link : bringUp(kernel)) {
    EXPECT_EQ(link.state, MacState::kUp) << card::describe(link.reason);
    EXPECT_TRUE(link.rs_fec);
  }
}
bool cardSeesLink(KernelBench& kernel, std::uint32_t port) {
  return regs::port::kLlrStatusLinkUp.get(
             kernel.read(regs::port::address(port, regs::port::kLlrStatus))) != 0;
}
std::uint32_t macStatus(KernelBench& kernel, std::uint32_t port) {
  return kernel.read(regs::mac::address(port, regs::mac::kMacStatus));
}

// ---- Registers ----

TEST(KernelRegisters, TheHostReadsWhatTheKernelIsBuiltWith) {
  KernelBench kernel;
  EXPECT_EQ(kernel.read(regs::global::kId), 0x504C554DU);
  EXPECT_EQ(kernel.read(regs::global::kVersion), regs::global::kVersionValue);
  EXPECT_EQ(kernel.read(regs::global::kMapHash), regs::global::kMapHashValue);
  EXPECT_EQ(kernel.read(0x9000), 0x504C5256U);
  EXPECT_EQ(kernel.read(0x9008), 300'000'000U);
  for (const std::uint32_t base : {0xB000U, 0xB200U}) EXPECT_EQ(kernel.read(base), 0x504C4D43U);
  for (std::uint32_t base = 0xB400; base < 0xC000; base += 0x200) EXPECT_EQ(kernel.read(base), 0U);

  // All but LLR (bit 4) and CBFC (bit 6), which need ordered sets.
  EXPECT_EQ(kernel.read(regs::global::kFeatures), 0x1'07AFU);
  const card::CardInfo info = card::Driver(kernel).info();
  EXPECT_EQ(info.ports, 2U);
  EXPECT_EQ(info.flows, 256U);
  EXPECT_EQ(info.data_bytes, 64U);
  EXPECT_EQ(info.clock_period_num, 102'400U);
  EXPECT_EQ(info.clock_period_den, 33U);
  EXPECT_TRUE(info.dma);
  EXPECT_TRUE(info.macs);
  EXPECT_FALSE(info.llr);
  EXPECT_FALSE(info.cbfc);
}

TEST(KernelRegisters, EachPortHasItsOwn) {
  KernelBench kernel;
  const std::uint32_t offset = regs::port::kLateThresholdPs;
  for (std::uint32_t port = 0; port < kPorts; ++port) {
    kernel.write(regs::port::address(port, offset), 1'000 + port);
  }
  for (std::uint32_t port = 0; port < kPorts; ++port) {
    EXPECT_EQ(kernel.read(regs::port::address(port, offset)), 1'000 + port);
  }
}

// What the pins of a MAC tell it, in the order of `kOrders`.
struct Order {
  std::uint32_t offset;
  std::uint32_t mask;
  std::uint64_t (*pins)(Vplumb_kernel&);
  std::uint32_t width;  // of one port
  std::uint64_t set;    // when the register's bit is
};
constexpr std::uint32_t kControl = regs::mac::kMacControl;
constexpr std::uint32_t kReset = regs::mac::kMacReset;
const Order kOrders[] = {
    {kControl, 1U << 0U, [](Vplumb_kernel& k) { return std::uint64_t{k.ctl_tx_enable}; }, 1, 1},
    {kControl, 1U << 1U, [](Vplumb_kernel& k) { return std::uint64_t{k.ctl_rx_enable}; }, 1, 1},
    {kControl, 1U << 3U, [](Vplumb_kernel& k) { return std::uint64_t{k.ctl_tx_send_rfi}; }, 1, 1},
    {kControl, 1U << 4U, [](Vplumb_kernel& k) { return std::uint64_t{k.ctl_tx_send_lfi}; }, 1, 1},
    {kControl, 1U << 5U, [](Vplumb_kernel& k) { return std::uint64_t{k.ctl_tx_send_idle}; }, 1, 1},
    {kControl, 1U << 6U, [](Vplumb_kernel& k) { return std::uint64_t{k.ctl_rx_force_resync}; }, 1,
     1},
    {kControl, 1U << 7U, [](Vplumb_kernel& k) { return std::uint64_t{k.gt_loopback_in}; }, 12,
     0b010'010'010'010},
    {kControl, 1U << 8U, [](Vplumb_kernel& k) { return std::uint64_t{k.ctl_tx_rsfec_enable}; }, 1,
     1},
    {kControl, 1U << 9U, [](Vplumb_kernel& k) { return std::uint64_t{k.ctl_rx_rsfec_enable}; }, 1,
     1},
    {kControl, 1U << 10U,
     [](Vplumb_kernel& k) { return std::uint64_t{k.ctl_rx_rsfec_enable_correction}; }, 1, 1},
    {kControl, 1U << 11U,
     [](Vplumb_kernel& k) { return std::uint64_t{k.ctl_rx_rsfec_enable_indication}; }, 1, 1},
    {kReset, 1U << 0U, [](Vplumb_kernel& k) { return std::uint64_t{k.sys_reset}; }, 1, 1},
    {kReset, 1U << 1U, [](Vplumb_kernel& k) { return std::uint64_t{k.core_tx_reset}; }, 1, 1},
    {kReset, 1U << 2U, [](Vplumb_kernel& k) { return std::uint64_t{k.core_rx_reset}; }, 1, 1},
    {kReset, 1U << 3U, [](Vplumb_kernel& k) { return std::uint64_t{k.gtwiz_reset_tx_datapath}; }, 1,
     1},
    {kReset, 1U << 4U, [](Vplumb_kernel& k) { return std::uint64_t{k.gtwiz_reset_rx_datapath}; }, 1,
     1},
};

TEST(KernelRegisters, EachBitOfAMacMovesItsPinOfThatPortAlone) {
  KernelBench kernel;
  // Nothing but what is written moves a pin: no `follow`.
  for (std::uint32_t port = 0; port < kPorts; ++port) {
    kernel.write(regs::mac::address(port, kControl), 0);
  }
  for (std::uint32_t port = 0; port < kPorts; ++port) {
    for (std::size_t one = 0; one < std::size(kOrders); ++one) {
      kernel.write(regs::mac::address(port, kOrders[one].offset), kOrders[one].mask);
      kernel.wait(nanoseconds(200));
      for (std::size_t other = 0; other < std::size(kOrders); ++other) {
        const Order& order = kOrders[other];
        const std::uint64_t expected = other == one ? order.set << order.width * port : 0;
        EXPECT_EQ(order.pins(kernel.pins()), expected)
            << "port " << port << ", order " << one << ", pin of " << other;
      }
      kernel.write(regs::mac::address(port, kOrders[one].offset), 0);
      kernel.wait(microseconds(4));  // a clock that was stopped comes back
    }
  }
}

// ---- Links ----

TEST(KernelLinks, BothComeUpAndAPulledCableTakesOneDown) {
  KernelBench kernel;
  expectBothUp(kernel);
  for (std::uint32_t pulled = 0; pulled < kPorts; ++pulled) {
    SCOPED_TRACE(pulled);
    const std::uint32_t other = 1 - pulled;
    sim::MacConditions conditions;
    conditions.dead_lanes = 1U << (3 + 5 * pulled);
    kernel.setConditions(pulled, conditions);
    kernel.wait(microseconds(15));
    EXPECT_EQ(kernel.read(regs::mac::address(pulled, regs::mac::kMacLanes)) & 0xF'FFFFU,
              0xF'FFFFU & ~conditions.dead_lanes);
    EXPECT_EQ(kernel.read(regs::mac::address(other, regs::mac::kMacLanes)) & 0xF'FFFFU, 0xF'FFFFU);
    EXPECT_EQ(regs::mac::kMacStatusAligned.get(macStatus(kernel, pulled)), 0U);
    EXPECT_EQ(regs::mac::kMacStatusSendsRfi.get(macStatus(kernel, pulled)), 1U);
    EXPECT_EQ(regs::mac::kMacStatusAligned.get(macStatus(kernel, other)), 1U);
    EXPECT_EQ(regs::mac::kMacStatusSendsFrames.get(macStatus(kernel, other)), 1U);
    EXPECT_FALSE(cardSeesLink(kernel, pulled));
    EXPECT_TRUE(cardSeesLink(kernel, other));
    EXPECT_EQ(card::Mac(kernel, pulled).link().reason, MacReason::kLanesMissing);
    EXPECT_EQ(card::Mac(kernel, other).link().state, MacState::kUp);
    kernel.setConditions(pulled, {});
    kernel.wait(microseconds(20));
    EXPECT_TRUE(cardSeesLink(kernel, pulled));
  }
}

// 65,536 clocks of 300 MHz are 8,800 times eight of 322.265625 MHz.
TEST(KernelLinks, TheClocksAreCounted) {
  KernelOptions options;
  options.second_clock_ppm = 10'000;
  KernelBench kernel(options);
  kernel.wait(microseconds(450));  // two windows
  const auto count = [&](std::uint32_t port) {
    return kernel.read(regs::mac::address(port, regs::mac::kMacClockCount));
  };
  EXPECT_NEAR(count(0), 8'800, 1);
  EXPECT_NEAR(count(1), 8'800 * 0.99, 1);
}

// Each pin that a MAC counts on is held for a number of its clocks that no other one has.
TEST(KernelLinks, EveryCounterIsThatOfItsPinAndPort) {
  KernelBench kernel;
  expectBothUp(kernel);
  std::array<std::uint32_t, kPorts> clock{};
  std::array<card::MacCounters, kPorts> before{};
  for (std::uint32_t port = 0; port < kPorts; ++port) {
    before[port] = card::Mac(kernel, port).takeCounters();
  }
  kernel.before_mac_edge = [&](std::uint32_t port) {
    Vplumb_kernel& k = kernel.pins();
    const std::uint32_t now = clock[port]++;
    const auto held = [&](std::uint32_t clocks) { return now < clocks + 50 * port ? 1U : 0U; };
    rtl::setBits(k.stat_rx_rsfec_cw_inc, port, 1, held(1));
    rtl::setBits(k.stat_rx_rsfec_corrected_cw_inc, port, 1, held(2));
    rtl::setBits(k.stat_rx_rsfec_uncorrected_cw_inc, port, 1, held(3));
    rtl::setBits(k.stat_rx_bad_code, 3 * port, 3, 5 * held(4));
    rtl::setBits(k.tx_unfout, port, 1, held(5));
    rtl::setBits(k.tx_ovfout, port, 1, held(6));
    for (std::uint32_t lane = 0; lane < 20; ++lane) {
      rtl::setBits(k.stat_rx_bip_err, 20 * port + lane, 1, held(10 + lane));
    }
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
      rtl::setBits(k.stat_rx_rsfec_err_count_inc, 12 * port + 3 * lane, 3, 3 * held(31 + lane));
    }
  };
  kernel.wait(microseconds(1));
  for (std::uint32_t port = 0; port < kPorts; ++port) {
    SCOPED_TRACE(port);
    const card::MacCounters is = card::Mac(kernel, port).counters();
    const std::uint64_t more = 50 * port;
    EXPECT_EQ(is.fec_codewords, 1 + more);
    EXPECT_EQ(is.fec_corrected, 2 + more);
    EXPECT_EQ(is.fec_uncorrected, 3 + more);
    EXPECT_EQ(is.bad_codes, 5 * (4 + more));
    EXPECT_EQ(is.tx_underflows, 5 + more);
    EXPECT_EQ(is.tx_overflows, 6 + more);
    for (std::uint32_t lane = 0; lane < 20; ++lane) {
      EXPECT_EQ(is.bip_errors[lane], 10 + lane + more) << "lane " << lane;
    }
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
      EXPECT_EQ(is.fec_symbol_errors[lane], 3 * (31 + lane + more)) << "lane " << lane;
    }
    EXPECT_EQ(is.rx_fifo_overflows, 0U);
    EXPECT_EQ(before[port].rx_fifo_overflows, 0U);
  }
}

// ---- Frames ----

constexpr std::array<std::uint32_t, 3> kLengths{64, 1'500, 9'216};
// One length after the other, so that no frame waits for the wire: each is stamped at its edge.
constexpr std::array<std::int64_t, kLengths.size()> kRates{10, 50, 50};  // [%]
constexpr std::array<Picoseconds, kLengths.size()> kDue{Picoseconds{}, microseconds(6),
                                                        microseconds(16)};
using Counts = std::array<std::array<std::uint32_t, kLengths.size()>, kPorts>;  // frames sent
constexpr Counts kCounts{{{60, 31, 12}, {47, 23, 9}}};

// Empties the card and loads `counts` frames of each length at each port, towards the other.
void loadStreams(card::Driver& driver, const Counts& counts) {
  driver.reset();
  for (std::uint32_t port = 0; port < kPorts; ++port) {
    driver.setTiming(port, {.byte_time = sim::kByteTime,
                            .tx_offset = bench::kTxOffset,
                            .rx_offset = bench::kRxOffset});
    std::vector<card::FlowConfig> flows;
    for (std::uint32_t kind = 0; kind < kLengths.size(); ++kind) {
      if (counts[port][kind] == 0) continue;
      flows.push_back(makeFlow(udpStream(port, kLengths[kind]), kind, kind));
      setConstantRate(flows.back(), Fraction::percent(kRates[kind]), counts[port][kind],
                      kDue[kind]);
    }
    driver.loadFlows(port, flows);
  }
}

void runStreams(KernelBench& kernel, card::Driver& driver) {
  driver.arm(driver.earliestStart());
  const Picoseconds limit = kernel.now() + milliseconds(2);
  while (driver.sending() && kernel.now() < limit) kernel.wait(microseconds(5));
  kernel.wait(microseconds(5));
  EXPECT_FALSE(driver.lateStart());
}

std::uint64_t framesOf(const Counts& counts, std::uint32_t port) {
  return counts[port][0] + counts[port][1] + counts[port][2];
}

// Everything came once, whole, at the other port, in the rows of its length.
void expectCounted(KernelBench& kernel, card::Driver& driver, const Counts& counts) {
  for (std::uint32_t port = 0; port < kPorts; ++port) {
    SCOPED_TRACE(port);
    const std::uint32_t from = 1 - port;
    const card::PortCounters is = driver.counters(port);
    EXPECT_EQ(is.tx_frames, framesOf(counts, port));
    EXPECT_EQ(is.rx_frames, framesOf(counts, from));
    EXPECT_EQ(is.rx_fcs_errors, 0U);
    EXPECT_EQ(is.rx_untagged, 0U);
    EXPECT_EQ(is.rx_runts + is.rx_giants + is.rx_unparsed, 0U);
    EXPECT_EQ(kernel.underruns(port), 0U) << "the MAC ran dry inside a frame";
    for (std::uint32_t kind = 0; kind < kLengths.size(); ++kind) {
      const card::RxFlow flow = driver.rxFlow(port, kind);
      EXPECT_EQ(flow.frames, counts[from][kind]);
      EXPECT_EQ(flow.bytes, std::uint64_t{counts[from][kind]} * kLengths[kind]);
      EXPECT_EQ(flow.lost + flow.duplicate + flow.out_of_order, 0U);
    }
  }
}

// What the MACs took, by the encoder's own reading.
void expectWhole(const KernelBench& kernel, const Counts& counts) {
  for (std::uint32_t port = 0; port < kPorts; ++port) {
    ASSERT_EQ(kernel.sent[port].size(), framesOf(counts, port));
    EXPECT_EQ(kernel.other_preambles[port], 0);
    for (const sim::FrameBytes& frame : kernel.sent[port]) {
      const wire::DecodedFrame decoded = wire::decodeFrame(*frame);
      ASSERT_TRUE(decoded.ok() && decoded.fcs && decoded.fcs->ok()) << describe(decoded);
    }
  }
}

// Beside the cable: a clock of the shim on the way out and five on the way in; of port 1 the FIFO
// adds 3 to 6 clocks on the way out and 3 to 5 on the way in (tests/regs/mac_cross_test.cc). The
// calibration is the mean of what edge and column add: it is off by half a clock and half a column.
constexpr std::int64_t kClock = sim::kClockPeriodMax.count();
constexpr std::int64_t kColumn = 640;
constexpr std::int64_t kRounding = 4;
constexpr std::int64_t kShimClocks = 6;
constexpr std::int64_t kOff = (kClock + kColumn) / 2 + kRounding;

// `wander`: by how much the phase of the clocks moves the FIFO's delay during the run [ps].
void expectLatencies(card::Driver& driver, const Counts& counts, std::int64_t wander) {
  for (std::uint32_t port = 0; port < kPorts; ++port) {
    std::optional<std::int64_t> least;
    std::int64_t most = 0;
    for (std::uint32_t group = 0; group < kLengths.size(); ++group) {
      if (counts[1 - port][group] == 0) continue;
      const stats::Histogram latency = driver.latency(port, group);
      ASSERT_EQ(latency.count(), counts[1 - port][group]);
      const auto low = static_cast<std::int64_t>(latency.minimum());
      const auto high = static_cast<std::int64_t>(latency.maximum());
      least = std::min(least.value_or(low), low);
      most = std::max(most, high);
    }
    const std::int64_t fixed = KernelBench::kCableDelay.count() + kShimClocks * kClock;
    const std::int64_t most_crossing = (port == 0 ? 6 : 5) * kClock;
    EXPECT_GE(*least, fixed + 3 * kClock - kOff) << "port " << port;
    EXPECT_LE(most, fixed + most_crossing + kOff) << "port " << port;
    EXPECT_LE(most - *least, kClock + kColumn + kRounding + wander) << "port " << port;
  }
}

// Streams both ways with the links up: nothing lost or changed, and the latencies as computed.
void expectCross(KernelBench& kernel, const Counts& counts, std::int64_t wander = 0) {
  card::Driver driver(kernel);
  loadStreams(driver, counts);
  for (auto& frames : kernel.sent) frames.clear();
  runStreams(kernel, driver);
  expectCounted(kernel, driver, counts);
  expectWhole(kernel, counts);
  expectLatencies(driver, counts, wander);
}

TEST(KernelFrames, CrossBothWaysWithOneLatencyAtAnyPhase) {
  const std::vector<std::int64_t> phases =
      longRun() ? std::vector<std::int64_t>{1, 400, 900, 1'500, 2'100, 2'600, 3'100}
                : std::vector<std::int64_t>{1, 1'500};
  for (const std::int64_t phase : phases) {
    SCOPED_TRACE(phase);
    KernelOptions options;
    options.second_clock_phase = Picoseconds(phase);
    KernelBench kernel(options);
    expectBothUp(kernel);
    expectCross(kernel, kCounts);
  }
}

// The MACs take a beat only when there is room for it, and their clocks are 200 ppm apart.
TEST(KernelFrames, CrossWhileTheMacsWithholdReady) {
  for (const std::int64_t ppm : {200, -200}) {
    SCOPED_TRACE(ppm);
    KernelOptions options;
    options.second_clock_ppm = ppm;
    options.mac_fifo_bytes = 256;
    KernelBench kernel(options);
    expectBothUp(kernel);
    expectCross(kernel, kCounts, kClock);
    for (std::uint32_t port = 0; port < kPorts; ++port) EXPECT_GT(kernel.withheld[port], 100);
    for (std::uint32_t port = 0; port < kPorts; ++port) {
      EXPECT_EQ(card::Mac(kernel, port).counters().rx_fifo_overflows, 0U);
    }
  }
}

TEST(KernelFrames, AFrameThatAMacFlagsIsDamagedAtThatPort) {
  KernelBench kernel;
  expectBothUp(kernel);
  card::Driver driver(kernel);
  constexpr Counts kFew{{{0, 2, 0}, {0, 5, 0}}};
  for (std::uint32_t port = 0; port < kPorts; ++port) {
    loadStreams(driver, kFew);
    kernel.flag_next[port] = true;
    runStreams(kernel, driver);
    EXPECT_EQ(driver.counters(port).rx_fcs_errors, 1U);
    EXPECT_EQ(driver.counters(1 - port).rx_fcs_errors, 0U);
    EXPECT_EQ(driver.counters(port).rx_frames, kFew[1 - port][1]);
  }
}

// ---- Memory ----

TEST(KernelMemory, CapturesArriveWholeAndListsAreCarriedOut) {
  KernelBench kernel;
  expectBothUp(kernel);
  kernel.useMemory();
  card::Driver driver(kernel);
  constexpr Counts kFew{{{1, 1, 1}, {2, 0, 0}}};
  loadStreams(driver, kFew);
  EXPECT_GT(kernel.memoryBeatsRead(), 0U) << "the flows were loaded by single accesses";
  driver.setCapture(1, true, true);
  runStreams(kernel, driver);
  const std::vector<card::CapturedFrame> captured = kernel.readCaptured();
  EXPECT_GT(kernel.memoryWrites(), 0U);
  for (const bool sent : {true, false}) {
    std::size_t next = 0;
    const std::vector<sim::FrameBytes>& at_mac = kernel.sent[sent ? 1 : 0];
    for (const card::CapturedFrame& frame : captured) {
      EXPECT_EQ(frame.port, 1U);
      if (frame.sent != sent) continue;
      ASSERT_LT(next, at_mac.size());
      EXPECT_EQ(frame.bytes, *at_mac[next++]);
      EXPECT_TRUE(frame.fcs_ok);
    }
    EXPECT_EQ(next, at_mac.size());
  }
  driver.setCapture(1, false, false);
  expectCounted(kernel, driver, kFew);
}

// ---- Clocks that stop ----

void setClock(KernelBench& kernel, std::uint32_t port, bool runs) {
  sim::MacConditions conditions;
  conditions.reference_clock = runs;
  kernel.setConditions(port, conditions);
}

// The processor's registers and those of the MACs, which need no clock of a MAC.
void expectControlAnswers(KernelBench& kernel) {
  for (const std::uint32_t offset : {0x9000U, 0xB000U, 0xB200U}) {
    const KernelBench::Answer answer = kernel.tryRead(offset);
    EXPECT_EQ(answer.response, kOkay);
    EXPECT_EQ(answer.value, offset == 0x9000 ? 0x504C5256U : 0x504C4D43U);
    EXPECT_LE(answer.clocks, kAtOnce);
  }
}

void expectWorks(KernelBench& kernel) { expectCross(kernel, {{{5, 3, 2}, {4, 2, 1}}}); }

TEST(KernelClocks, WithoutThatOfPort1EverythingElseAnswers) {
  KernelBench kernel;
  expectBothUp(kernel);
  {
    card::Driver driver(kernel);
    loadStreams(driver, kCounts);
    driver.arm(driver.earliestStart());
  }
  // The longest frames are under way, both ways.
  const Picoseconds limit = kernel.now() + microseconds(100);
  while (kernel.sent[1].size() < framesOf(kCounts, 1) - 4 && kernel.now() < limit) {
    kernel.wait(nanoseconds(100));
  }
  EXPECT_LT(kernel.sent[0].size(), framesOf(kCounts, 0));
  setClock(kernel, 1, false);
  kernel.wait(microseconds(60));
  expectControlAnswers(kernel);
  EXPECT_EQ(regs::mac::kMacStatusClock.get(macStatus(kernel, 0)), 1U);
  EXPECT_EQ(regs::mac::kMacStatusClock.get(macStatus(kernel, 1)), 0U);
  EXPECT_EQ(regs::mac::kMacStatusCardClock.get(macStatus(kernel, 1)), 1U);
  EXPECT_EQ(kernel.read(regs::global::kId), regs::global::kIdValue);
  for (std::uint32_t port = 0; port < kPorts; ++port) {
    EXPECT_EQ(cardSeesLink(kernel, port), port == 0);
  }
  setClock(kernel, 1, true);
  kernel.wait(microseconds(5));
  expectBothUp(kernel);
  kernel.wait(microseconds(60));  // what was loaded is sent
  expectWorks(kernel);
}

TEST(KernelClocks, WithoutAnyTheCardAnswersWithAnErrorInTime) {
  KernelBench kernel;
  expectBothUp(kernel);
  kernel.write(regs::global::kScratch, 0x1234'5678);
  for (std::uint32_t port = 0; port < kPorts; ++port) setClock(kernel, port, false);
  const KernelBench::Answer first = kernel.tryRead(regs::global::kScratch);
  EXPECT_EQ(first.response, kSlaveError);
  EXPECT_LE(first.clocks, kBridgeBound);
  EXPECT_GT(first.clocks, kAtOnce) << "the first access has to find it out";
  for (const std::uint32_t offset : {regs::global::kId, regs::port::address(1, 0)}) {
    const KernelBench::Answer read = kernel.tryRead(offset);
    const KernelBench::Answer write = kernel.tryWrite(regs::global::kScratch, 1);
    for (const KernelBench::Answer& one : {read, write}) {
      EXPECT_EQ(one.response, kSlaveError);
      EXPECT_LE(one.clocks, kAtOnce);
    }
  }
  expectControlAnswers(kernel);
  for (std::uint32_t port = 0; port < kPorts; ++port) {
    EXPECT_EQ(regs::mac::kMacStatusClock.get(macStatus(kernel, port)), 0U);
    EXPECT_EQ(regs::mac::kMacStatusCardClock.get(macStatus(kernel, port)), 0U);
    setClock(kernel, port, true);
  }
  kernel.wait(microseconds(5));
  EXPECT_EQ(kernel.read(regs::global::kScratch), 0x1234'5678U) << "a stopped clock is no reset";
  expectBothUp(kernel);
  expectWorks(kernel);
}

// MAC_RESET.sys of port 0 stops the card's clock and resets the card; that of port 1 does neither.
TEST(KernelClocks, ResettingTheFirstMacResetsTheCard) {
  KernelBench kernel;
  expectBothUp(kernel);
  expectWorks(kernel);
  for (const std::uint32_t port : {1U, 0U}) {
    kernel.write(regs::global::kScratch, 7);
    kernel.write(regs::mac::address(port, kReset), regs::mac::kMacResetSys.mask());
    kernel.wait(microseconds(2));
    EXPECT_EQ(kernel.tryRead(regs::global::kScratch).response, port == 0 ? kSlaveError : kOkay);
    kernel.write(regs::mac::address(port, kReset), 0);
    kernel.wait(microseconds(5));
    EXPECT_EQ(kernel.read(regs::global::kScratch), port == 0 ? 0U : 7U);
  }
  expectBothUp(kernel);
  expectWorks(kernel);
}

}  // namespace
}  // namespace plumbline::hw_test
