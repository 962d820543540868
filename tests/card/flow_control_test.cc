// The driver's register writes for flow control, register by register.
#include "card/flow_control.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>

#include "base/error.h"
#include "card/driver.h"
#include "tests/card/fake_card.h"

namespace plumbline::card {
namespace {

namespace port_regs = regs::port;

class CardFlowControl : public testing::Test {
 protected:
  std::uint32_t& word(std::uint32_t offset) { return card_.words[port_regs::address(1, offset)]; }

  static void expectError(ErrorKind kind, const std::function<void()>& action) {
    try {
      action();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
    }
  }

  FakeCard card_;
  Driver driver_{card_};
  FlowControl flow_control_ = driver_.flowControl(1);
};

TEST_F(CardFlowControl, SourceAddressAndFrames) {
  flow_control_.setSource({0x02, 0x11, 0x22, 0x33, 0x44, 0x55});
  EXPECT_EQ(word(port_regs::kFcSourceHi), 0x0211U);
  EXPECT_EQ(word(port_regs::kFcSourceLo), 0x22334455U);
  flow_control_.send({.priorities = 0x81, .quanta = 0x1234});
  EXPECT_EQ(word(port_regs::kPfcSend), 0x12340081U);
  word(port_regs::kFcStatus) = port_regs::kFcStatusSendBusy.of(1);
  expectError(ErrorKind::kTester, [&] { flow_control_.send({.priorities = 1}); });
}

TEST_F(CardFlowControl, Storm) {
  PfcStorm storm{.frame = {.priorities = 0x08, .quanta = 0xFFFF},
                 .frames = 1'000'000,
                 .period = nanoseconds(100),
                 .start = Picoseconds(0x1'2345'6789)};
  flow_control_.startStorm(storm);
  EXPECT_EQ(word(port_regs::kStormPfc), 0xFFFF0008U);
  EXPECT_EQ(word(port_regs::kStormCount), 1'000'000U);
  EXPECT_EQ(word(port_regs::kStormPeriodPs), 100'000U);
  EXPECT_EQ(word(port_regs::kStormTimeLo), 0x23456789U);
  EXPECT_EQ(word(port_regs::kStormTimeHi), 1U);
  // The command comes last.
  EXPECT_EQ(card_.writes.back(), (std::pair<std::uint32_t, std::uint32_t>{
                                     port_regs::address(1, port_regs::kFcCommand), 1}));
  storm.start.reset();
  flow_control_.startStorm(storm);
  EXPECT_EQ(word(port_regs::kStormTimeLo), 0U);
  EXPECT_EQ(word(port_regs::kStormTimeHi), 0U);
  flow_control_.stopStorm();
  EXPECT_EQ(card_.writes.back().second, 2U);
  word(port_regs::kFcStatus) = port_regs::kFcStatusStormActive.of(1);
  word(port_regs::kStormLeft) = 77;
  EXPECT_TRUE(flow_control_.stormActive());
  EXPECT_EQ(flow_control_.stormLeft(), 77U);

  storm.period = Picoseconds(12'412);  // four clocks are 12412 and 4/33 ps
  expectError(ErrorKind::kUsage, [&] { flow_control_.startStorm(storm); });
  storm.period = Picoseconds(12'413);
  flow_control_.startStorm(storm);
  storm.period = milliseconds(5);
  expectError(ErrorKind::kUsage, [&] { flow_control_.startStorm(storm); });
}

TEST_F(CardFlowControl, Buffer) {
  flow_control_.setWait(true);
  flow_control_.setPauseLog(true);
  VirtualBuffer buffer;
  buffer.cell_bytes = 256;
  buffer.overhead_bytes = -4;
  buffer.by_dscp = true;
  buffer.default_priority = 5;
  buffer.quanta = 0x4000;
  buffer.refresh = microseconds(10);
  buffer.levels[3] = {
      .capacity = 500, .drain = gigabitsPerSecond(100), .pfc = true, .xoff = 400, .xon = 300};
  flow_control_.setBuffer(buffer);
  EXPECT_EQ(word(port_regs::kRxBuffer), 0x4000FC08U);
  EXPECT_EQ(word(port_regs::kPfcRefresh), 3222U);  // 10 us at 322.265625 MHz
  EXPECT_EQ(word(port_regs::kBufferCapacity + 12), 500U);
  EXPECT_EQ(word(port_regs::kBufferXoff + 12), 400U);
  EXPECT_EQ(word(port_regs::kBufferXon + 12), 300U);
  // 12.5 GB/s for 102400/33 ps are 38.7879 bytes: 2542002.4 / 2^16.
  EXPECT_EQ(word(port_regs::kBufferDrain + 12), 2'542'002U);
  EXPECT_EQ(word(port_regs::kBufferCapacity), kMaxCells);
  EXPECT_EQ(word(port_regs::kBufferDrain), 0U);
  EXPECT_EQ(word(port_regs::kFcControl), 0x00000857U);
  word(port_regs::kBufferFill + 12) = 123;
  EXPECT_EQ(flow_control_.bufferFill(3), 123U);

  const auto refuse = [&](const std::function<void(VirtualBuffer&)>& change) {
    VirtualBuffer wrong = buffer;
    change(wrong);
    expectError(ErrorKind::kUsage, [&] { flow_control_.setBuffer(wrong); });
  };
  refuse([](VirtualBuffer& b) { b.cell_bytes = 96; });
  refuse([](VirtualBuffer& b) { b.cell_bytes = 4096; });
  refuse([](VirtualBuffer& b) { b.cell_bytes = 0; });
  refuse([](VirtualBuffer& b) { b.overhead_bytes = 128; });
  refuse([](VirtualBuffer& b) { b.default_priority = 8; });
  refuse([](VirtualBuffer& b) { b.levels[0].capacity = kMaxCells + 1; });
  refuse([](VirtualBuffer& b) { b.levels[3].xon = 400; });
  refuse([](VirtualBuffer& b) { b.refresh = seconds(20); });
  expectError(ErrorKind::kUsage, [&] { (void)flow_control_.bufferFill(8); });
}

TEST_F(CardFlowControl, Credits) {
  Cbfc cbfc;
  cbfc.credit_limit[0] = 1000;
  cbfc.credit_limit[6] = kMaxCells;
  cbfc.receive = 0x41;
  cbfc.cf_min = nanoseconds(512);
  cbfc.cf_max = microseconds(20);
  cbfc.cc_period = microseconds(256);
  // The buffer's cells are a byte.
  expectError(ErrorKind::kUsage, [&] { flow_control_.setCbfc(cbfc); });
  VirtualBuffer buffer;
  buffer.cell_bytes = 128;
  flow_control_.setBuffer(buffer);
  card_.writes.clear();
  flow_control_.setCbfc(cbfc);
  EXPECT_EQ(word(port_regs::kCreditLimit), 1000U);
  EXPECT_EQ(word(port_regs::kCreditLimit + 4), 0U);
  EXPECT_EQ(word(port_regs::kCreditLimit + 24), kMaxCells);
  EXPECT_EQ(word(port_regs::kCfMin), 165U);
  EXPECT_EQ(word(port_regs::kCfMax), 6445U);
  EXPECT_EQ(word(port_regs::kCcPeriod), 82500U);
  EXPECT_EQ(word(port_regs::kFcControl), 0x41410000U);
  // Off, zeroed, on.
  const std::uint32_t control = port_regs::address(1, port_regs::kFcControl);
  const std::uint32_t command = port_regs::address(1, port_regs::kFcCommand);
  ASSERT_GE(card_.writes.size(), 3U);
  EXPECT_EQ(card_.writes.front(), (std::pair<std::uint32_t, std::uint32_t>{control, 0}));
  EXPECT_EQ(card_.writes[card_.writes.size() - 2],
            (std::pair<std::uint32_t, std::uint32_t>{command, 4}));
  word(port_regs::kCreditsUsed + 24) = 9;
  EXPECT_EQ(flow_control_.creditsUsed(6), 9U);
  cbfc.credit_limit[1] = kMaxCells + 1;
  expectError(ErrorKind::kUsage, [&] { flow_control_.setCbfc(cbfc); });
}

TEST_F(CardFlowControl, EmptyPauseLogAndFaults) {
  EXPECT_TRUE(flow_control_.readPauses().empty());
  // A level without an entry ends the reading.
  word(port_regs::kFcStatus) = port_regs::kFcStatusTraceLevel.of(1);
  EXPECT_TRUE(flow_control_.readPauses().empty());
  word(port_regs::kFcSticky) = port_regs::kFcStickyTraceLost.of(1);
  EXPECT_FALSE(flow_control_.faults().storm_late);
  EXPECT_TRUE(flow_control_.faults().pauses_lost);
  EXPECT_FALSE(flow_control_.faults().credit_error);
}

TEST_F(CardFlowControl, ResetTurnsEverythingOff) {
  flow_control_.setWait(true);
  word(port_regs::kFcSticky) = 7;
  driver_.reset();
  EXPECT_EQ(word(port_regs::kFcControl), 0U);
  EXPECT_EQ(word(port_regs::kFcSticky), 0U);
}

TEST(CardWithoutFlowControl, SaysSo) {
  FakeCard fake;
  fake.words[regs::global::kFeatures] = 0x7;
  Driver driver(fake);
  FlowControl flow_control = driver.flowControl(0);
  EXPECT_THROW(flow_control.send({}), Error);
  EXPECT_THROW(flow_control.startStorm({.frame = {}, .period = microseconds(1)}), Error);
  EXPECT_THROW(flow_control.setWait(true), Error);
  EXPECT_THROW(flow_control.setBuffer({}), Error);
  EXPECT_THROW(flow_control.setPauseLog(true), Error);
  Cbfc cbfc;
  cbfc.receive = 1;
  EXPECT_THROW(flow_control.setCbfc(cbfc), Error);
}

}  // namespace
}  // namespace plumbline::card
