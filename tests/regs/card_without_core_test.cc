// A card that was built without the control processor: it says so, and its block reads as zero.
#include <Vplumb_card_common_bare.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "base/error.h"
#include "card/control_core.h"
#include "card/registers.h"
#include "sim/axi_lite_master.h"
#include "sim/verilated_pins.h"
#include "tests/regs/clocked.h"

namespace plumbline {
namespace {

namespace regs = card::regs;

// Its register bus, in front of no port.
class BareCard final : public card::RegisterBus {
 public:
  BareCard() : axi_(sim::axiLitePins(*common_.operator->())) {
    common_->ports_i = 1;
    common_.tick();
  }

  std::uint32_t read(std::uint32_t offset) override {
    axi_.startRead(static_cast<std::uint16_t>(offset));
    finish();
    return axi_.value();
  }
  void write(std::uint32_t offset, std::uint32_t value) override {
    axi_.startWrite(static_cast<std::uint16_t>(offset), value);
    finish();
  }
  void wait(Picoseconds /*duration*/) override {}
  std::vector<card::CapturedFrame> readCaptured() override { return {}; }

 private:
  void finish() {
    for (int clock = 0; clock < 100 && axi_.busy(); ++clock) {
      axi_.sample();
      common_->clk_i = 1;
      common_.settle();
      axi_.drive();
      common_->clk_i = 0;
      common_.settle();
    }
    ASSERT_FALSE(axi_.busy());
    EXPECT_EQ(axi_.response(), 0);
  }

  rtl::Clocked<Vplumb_card_common_bare> common_;
  sim::AxiLiteMaster axi_;
};

TEST(CardWithoutCore, SaysSoAndReadsAsZero) {
  BareCard bus;
  EXPECT_EQ(bus.read(regs::global::kId), regs::global::kIdValue);
  const std::uint32_t features = bus.read(regs::global::kFeatures);
  EXPECT_EQ(regs::global::kFeaturesCore.get(features), 0u);
  EXPECT_EQ(regs::global::kFeaturesLlr.get(features), 1u);
  for (const regs::RegisterInfo& info : regs::core::kRegisters) {
    bus.write(regs::core::kBase + info.offset, 0xFFFFFFFF);
    EXPECT_EQ(bus.read(regs::core::kBase + info.offset), 0u) << info.name;
  }
  bus.write(regs::global::kScratch, 7);
  EXPECT_EQ(bus.read(regs::global::kScratch), 7u);
  EXPECT_THROW(card::ControlCore core(bus), Error);
}

}  // namespace
}  // namespace plumbline
