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

}  // namespace
}  // namespace plumbline::card
