// The registers of a MAC as hardware has them (plumb_mac_regs behind plumb_axil_bridge) with a
// model of the MAC, on a register bus whose time passes with its accesses; and what a link ends as.
#pragma once

#include <Vmac_bench.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>

#include "card/mac_link.h"
#include "sim/mac_status_model.h"
#include "tests/hw/vitis/mac_pins.h"

namespace plumbline::hw_test {

using card::MacFec;
using card::MacReason;
using card::MacState;
using sim::MacConditions;

// A microsecond is a hundred clocks of the register bus.
inline constexpr std::int64_t kBusPeriod = 10'000;  // [ps]
inline constexpr std::int64_t kMacPeriod = 9'310;
inline constexpr card::MacTiming kTiming{1, 2, 10, 25, 4};
inline constexpr int kMaxLocalClocks = 12;
inline constexpr int kMaxClocks = 255 + 12;  // mac_bench.sv

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
    for (; taken < 2 * kMaxClocks; ++taken) {
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
    for (; taken < 2 * kMaxClocks; ++taken) {
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
    int& most = local ? slowest_local : slowest;
    most = std::max(most, taken);
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

  void play() {
    playMac(model, bench_->control_o, bench_->status_i, now());
    bench_->eval();
  }

  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  std::unique_ptr<Vmac_bench> bench_ = std::make_unique<Vmac_bench>(context_.get());
  std::int64_t now_ = 0;
  std::int64_t next_mac_ = 4'000;
};

// What a link ends as, from the conditions alone.
inline MacReason expectedReason(const MacConditions& now, MacFec fec) {
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

inline MacConditions drawConditions(std::mt19937& random) {
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

}  // namespace plumbline::hw_test
