// The driver's side of the control processor where there is none, or not what it should be. What
// runs on a processor is tested on the Verilated card.
#include "card/firmware.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "card/driver.h"
#include "tests/card/fake_card.h"

namespace plumbline::card {
namespace {

constexpr std::uint32_t kCoreFeature = 1U << 16U;

ErrorKind kindOfRefusal(FakeCard& card, const std::string& reason) {
  try {
    const Firmware firmware(card);
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
    return error.kind();
  }
  ADD_FAILURE() << "not refused";
  return ErrorKind::kInvalid;
}

TEST(FirmwareDriver, CardWithoutAProcessorIsRefused) {
  FakeCard card;
  EXPECT_FALSE(Driver(card).info().core);
  EXPECT_EQ(kindOfRefusal(card, "no control processor"), ErrorKind::kUnsupported);
}

TEST(FirmwareDriver, ProcessorThatDoesNotAnswerIsAFaultOfTheCard) {
  FakeCard card;
  card.words[regs::global::kFeatures] |= kCoreFeature;
  EXPECT_TRUE(Driver(card).info().core);
  EXPECT_EQ(kindOfRefusal(card, "its block reads 0x00000000"), ErrorKind::kTester);
}

TEST(FirmwareDriver, ClocksAreTimes) {
  FakeCard card;
  card.words[regs::global::kFeatures] |= kCoreFeature;
  card.words[regs::core::kBase + regs::core::kCoreId] = 0x504C5256;
  card.words[regs::core::kBase + regs::core::kClockHz] = 322'265'625;
  const Firmware firmware(card);
  // 102,400 ps are 33 clocks; an hour is 1,160,156,250,000 of them.
  EXPECT_EQ(firmware.timeOf(33), Picoseconds(102'400));
  EXPECT_EQ(firmware.timeOf(1), Picoseconds(3'103));
  EXPECT_EQ(firmware.timeOf(1'160'156'250'000), seconds(3600));
}

// The processor's clock, not the card's: they differ in a kernel.
TEST(FirmwareDriver, ClocksAreThoseOfTheProcessor) {
  FakeCard card;
  card.words[regs::core::kBase + regs::core::kCoreId] = 0x504C5256;
  card.words[regs::core::kBase + regs::core::kClockHz] = 300'000'000;
  const Firmware firmware(card);
  EXPECT_EQ(firmware.timeOf(3), nanoseconds(10));
  EXPECT_EQ(firmware.timeOf(1), Picoseconds(3'333));
  EXPECT_EQ(firmware.timeOf(3'600ULL * 300'000'000), seconds(3600));
}

TEST(FirmwareDriver, AProcessorWithoutAFrequencyIsAFaultOfTheCard) {
  FakeCard card;
  card.words[regs::core::kBase + regs::core::kCoreId] = 0x504C5256;
  EXPECT_EQ(kindOfRefusal(card, "has no frequency"), ErrorKind::kTester);
}

FakeCard cardOfMacClocks(std::uint32_t eights) {
  namespace mac = regs::mac;
  FakeCard card;
  card.words[regs::core::kBase + regs::core::kCoreId] = 0x504C5256;
  card.words[regs::core::kBase + regs::core::kClockHz] = 300'000'000;
  card.words[mac::address(0, mac::kMacId)] = mac::kMacIdValue;
  card.words[mac::address(0, mac::kMacStatus)] = mac::kMacStatusClock.mask();
  card.words[mac::address(0, mac::kMacClockCount)] = eights;
  return card;
}

// 65,536 clocks of 300 MHz are 70,400.6 of 322.265625 MHz, 8,800 times eight; at 275 MHz they are
// 9,600 times eight.
TEST(FirmwareDriver, AProcessorWithAnotherClockThanItStatesIsRefused) {
  for (const std::uint32_t eights : {8'799U, 8'800U, 8'801U, 8'808U}) {
    FakeCard card = cardOfMacClocks(eights);
    EXPECT_EQ(Firmware(card).timeOf(3), nanoseconds(10)) << eights;
  }
  FakeCard slow = cardOfMacClocks(9'600);
  EXPECT_EQ(kindOfRefusal(slow, "runs at 275.0 MHz and not at the 300.0 MHz"),
            ErrorKind::kUnsupported);
  FakeCard fast = cardOfMacClocks(8'780);
  EXPECT_EQ(kindOfRefusal(fast, "wrong by 0.2 %"), ErrorKind::kUnsupported);
  // Without the MAC's clock there is nothing to compare with.
  FakeCard still = cardOfMacClocks(0);
  still.words[regs::mac::address(0, regs::mac::kMacStatus)] = 0;
  EXPECT_EQ(Firmware(still).timeOf(3), nanoseconds(10));
}

// The MAC's clock has just begun: the window of the count is not yet full of it.
TEST(FirmwareDriver, TheProcessorsClockIsMeasuredOverAWholeWindow) {
  class Starting final : public RegisterBus {
   public:
    std::uint32_t read(std::uint32_t offset) override { return card.read(offset); }
    void write(std::uint32_t offset, std::uint32_t value) override { card.write(offset, value); }
    void wait(Picoseconds time) override {
      waited += time;
      const auto count = regs::mac::address(0, regs::mac::kMacClockCount);
      if (waited > microseconds(300)) card.words[count] = 8'800;
    }
    std::vector<CapturedFrame> readCaptured() override { return {}; }
    FakeCard card = cardOfMacClocks(3'000);
    Picoseconds waited;
  };
  Starting bus;
  EXPECT_EQ(Firmware(bus).timeOf(3), nanoseconds(10));
  EXPECT_GT(bus.waited, microseconds(300));
}

}  // namespace
}  // namespace plumbline::card
