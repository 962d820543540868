// The kernel's control side as hardware has it (control_card.sv), with models of its two MACs, as a
// register bus whose time passes with its accesses.
#pragma once

#include <Vcontrol_card.h>
#include <Vcontrol_card_fast.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.h"
#include "card/register_bus.h"
#include "card/registers.h"
#include "sim/axi_lite_master.h"
#include "sim/mac_status_model.h"
#include "sim/verilated_pins.h"
#include "tests/hw/vitis/mac_pins.h"

namespace plumbline::hw_test {

// `Rtl`: control_card, whose processor is told of `ClockHz` (CMakeLists.txt).
template <typename Rtl, std::int64_t ClockHz>
class ControlCardOf final : public card::RegisterBus {
 public:
  static constexpr Picoseconds kPeriod{seconds(1).count() / ClockHz};

  // The second MAC's clock is half a part in a thousand faster than the first one's.
  ControlCardOf() {
    rtl_->rst_ni = 0;
    clocks(4);
    rtl_->rst_ni = 1;
    clocks(100);
  }

  std::array<sim::MacStatusModel, 2> macs{sim::MacStatusModel(1), sim::MacStatusModel(2)};
  int refused = 0;         // accesses
  bool only_core = false;  // an access of another block is a mistake
  int lock_clocks = 0;     // of the card, the longest that BUS_LOCK was held
  int locks_expired = 0;

  void setEventWaits(std::uint32_t ports) {
    rtl_->event_waits_i = static_cast<std::uint8_t>(ports);
  }
  [[nodiscard]] Picoseconds now() const { return now_; }
  [[nodiscard]] bool reachable() const { return rtl_->reachable_o != 0; }

  std::uint32_t read(std::uint32_t offset) override {
    axi_.startRead(static_cast<std::uint16_t>(offset));
    finish(offset);
    return axi_.value();
  }
  void write(std::uint32_t offset, std::uint32_t value) override {
    axi_.startWrite(static_cast<std::uint16_t>(offset), value);
    finish(offset);
  }
  void wait(Picoseconds duration) override {
    clocks(static_cast<int>((duration.count() + kPeriod.count() - 1) / kPeriod.count()));
  }
  std::vector<card::CapturedFrame> readCaptured() override { return {}; }

 private:
  struct Mac {
    Picoseconds period;
    Picoseconds next;
  };

  void finish(std::uint32_t offset) {
    namespace core = card::regs::core;
    if (only_core) {
      EXPECT_EQ(offset & ~(core::kSize - 1), core::kBase) << std::hex << offset;
    }
    constexpr int kMostClocks = 10'000;
    for (int clock = 0; axi_.busy() && clock < kMostClocks; ++clock) clocks(1);
    EXPECT_FALSE(axi_.busy()) << "no answer";
    if (axi_.response() == 0) return;
    ++refused;
    throw Error(ErrorKind::kTester, "the register bus has refused an access");
  }

  void clocks(int count) {
    for (int i = 0; i < count; ++i) {
      const Picoseconds edge = now_ + kPeriod;
      macClocks(0, edge);
      macClocks(1, edge);
      now_ = edge;
      axi_.sample();
      rtl_->clk_i = 1;
      rtl_->eval();
      axi_.drive();
      rtl_->clk_i = 0;
      rtl_->eval();
      playMac(macs[0], rtl_->control0_o, rtl_->status0_i, now_);
      playMac(macs[1], rtl_->control1_o, rtl_->status1_i, now_);
    }
  }

  void macClocks(std::size_t mac, Picoseconds edge) {
    for (; times_[mac].next < edge; times_[mac].next += times_[mac].period) {
      if (!macs[mac].clockRuns(times_[mac].next)) continue;
      auto& pin = mac == 0 ? rtl_->mac0_clk_i : rtl_->mac1_clk_i;
      pin = 1;
      rtl_->eval();
      pin = 0;
      rtl_->eval();
      if (mac == 0) watchLock();
    }
  }

  void watchLock() {
    held_ = rtl_->locked_o != 0 ? held_ + 1 : 0;
    lock_clocks = std::max(lock_clocks, held_);
    locks_expired += rtl_->lock_expired_o;
  }

  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  std::unique_ptr<Rtl> rtl_ = std::make_unique<Rtl>(context_.get());
  sim::AxiLiteMaster axi_{sim::axiLitePins(*rtl_)};
  Picoseconds now_{};
  // The ratio to kPeriod is that of 322.265625 to 300 MHz.
  static constexpr Picoseconds kMacPeriod{kPeriod.count() * 30'000 / 32'227};
  std::array<Mac, 2> times_{
      {{kMacPeriod, kMacPeriod / 3}, {kMacPeriod - kMacPeriod / 2'000, kMacPeriod / 2}}};
  int held_ = 0;
};

using ControlCard = ControlCardOf<Vcontrol_card, 25'000'000>;
using FastControlCard = ControlCardOf<Vcontrol_card_fast, 300'000'000>;

}  // namespace plumbline::hw_test
