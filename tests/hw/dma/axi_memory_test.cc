// The model of the host's memory: it gives back what it was given, and refuses a master that breaks
// the protocol.
#include "sim/axi_memory.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace plumbline::sim {
namespace {

constexpr std::uint64_t kAddress = 0x10'0000'0000;
constexpr std::uint8_t kSize64 = 6;
constexpr std::uint8_t kIncr = 1;

// The pins of a master that does as it is told.
struct Master {
  std::uint64_t awaddr = 0, araddr = 0, wstrb = ~0ULL;
  std::uint8_t awlen = 0, awsize = kSize64, awburst = kIncr, awvalid = 0, awready = 0;
  std::array<std::uint32_t, 16> wdata{}, rdata{};
  std::uint8_t wlast = 0, wvalid = 0, wready = 0, bresp = 0, bvalid = 0, bready = 1;
  std::uint8_t arlen = 0, arsize = kSize64, arburst = kIncr, arvalid = 0, arready = 0;
  std::uint8_t rresp = 0, rlast = 0, rvalid = 0, rready = 1;

  AxiWritePins writePins() {
    return {&awaddr, &awlen, &awsize, &awburst, &awvalid, &awready, wdata.data(),
            &wstrb,  &wlast, &wvalid, &wready,  &bresp,   &bvalid,  &bready};
  }
  AxiReadPins readPins() {
    return {&araddr,      &arlen, &arsize, &arburst, &arvalid, &arready,
            rdata.data(), &rresp, &rlast,  &rvalid,  &rready};
  }
};

class AxiMemory : public testing::Test {
 protected:
  AxiMemory() { memory_.map(kAddress, bytes_); }

  void offerAddress(std::uint64_t address, std::uint8_t beats) {
    pins_.awaddr = address;
    pins_.awlen = static_cast<std::uint8_t>(beats - 1);
    pins_.awvalid = 1;
  }
  void offerBeat(std::uint32_t value, bool last) {
    pins_.wdata.fill(value);
    pins_.wlast = last ? 1 : 0;
    pins_.wvalid = 1;
  }
  void clockWrite() {
    slave_.sample();
    slave_.drive();
  }
  // Offers address and a beat of a burst of one, and waits for the answer.
  std::uint8_t writeOne(std::uint64_t address, std::uint32_t value) {
    offerAddress(address, 1);
    offerBeat(value, true);
    clockWrite();
    pins_.awvalid = pins_.wvalid = 0;
    while (pins_.bvalid == 0) clockWrite();
    const std::uint8_t response = pins_.bresp;
    clockWrite();
    return response;
  }
  // What the slave says about the clock to come.
  std::string refusal() {
    try {
      slave_.sample();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kTester);
      EXPECT_FALSE(error.where().empty());
      EXPECT_FALSE(error.remedy().empty());
      return error.what();
    }
    return "";
  }

  std::vector<std::uint8_t> bytes_ = std::vector<std::uint8_t>(16384, 0xEE);
  DeviceMemory memory_;
  Master pins_;
  AxiWriteSlave slave_{pins_.writePins(), memory_};
};

TEST_F(AxiMemory, KeepsABurstAtItsAddressFromItsAnswerOn) {
  slave_.drive();
  slave_.holdAnswers(true);
  offerBeat(7, false);  // data before their address
  clockWrite();
  offerBeat(8, true);
  offerAddress(kAddress + 128, 2);
  clockWrite();
  pins_.awvalid = pins_.wvalid = 0;
  for (int i = 0; i < 10; ++i) clockWrite();
  EXPECT_EQ(bytes_[128], 0xEE) << "not acknowledged";
  EXPECT_EQ(slave_.underWay(), 1U);
  slave_.holdAnswers(false);
  clockWrite();
  EXPECT_EQ(pins_.bvalid, 1);
  EXPECT_EQ(pins_.bresp, 0);
  clockWrite();
  EXPECT_EQ(pins_.bvalid, 0);
  EXPECT_EQ(slave_.answered(), 1U);
  EXPECT_EQ(bytes_[127], 0xEE);
  EXPECT_EQ(bytes_[128], 7);
  EXPECT_EQ(bytes_[192], 8);
  EXPECT_EQ(bytes_[256], 0xEE);
}

TEST_F(AxiMemory, AnswersWithErrorsWhereItFailsAndWhereNothingIs) {
  slave_.drive();
  memory_.fail(kAddress + 64, 64);
  EXPECT_EQ(writeOne(kAddress, 1), 0);
  EXPECT_EQ(writeOne(kAddress + 64, 2), 2);
  EXPECT_EQ(writeOne(kAddress + bytes_.size(), 3), 3);
  EXPECT_EQ(writeOne(kAddress - 64, 3), 3);
  EXPECT_EQ(bytes_[0], 1);
  EXPECT_EQ(bytes_[64], 0xEE);
}

TEST_F(AxiMemory, GivesBurstsInOrder) {
  for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = static_cast<std::uint8_t>(i / 64);
  memory_.fail(kAddress + 66 * kAxiBeatBytes, kAxiBeatBytes);
  AxiReadSlave reader(pins_.readPins(), memory_,
                      {.data_sixteenths = 8, .min_latency = 3, .max_latency = 20});
  reader.drive();
  std::vector<std::uint32_t> got;
  std::vector<std::uint8_t> responses;
  const std::vector<std::pair<std::uint64_t, std::uint8_t>> bursts = {
      {0, 64}, {65 * kAxiBeatBytes, 2}, {0, 1}};
  std::size_t asked = 0;
  std::size_t lasts = 0;
  for (int clock = 0; clock < 1000; ++clock) {
    pins_.arvalid = asked < bursts.size() ? 1 : 0;
    if (pins_.arvalid != 0) {
      pins_.araddr = kAddress + bursts[asked].first;
      pins_.arlen = static_cast<std::uint8_t>(bursts[asked].second - 1);
    }
    pins_.rready = clock % 3 == 0 ? 0 : 1;
    const bool taken = pins_.arvalid != 0 && pins_.arready != 0;
    if (pins_.rvalid != 0 && pins_.rready != 0) {
      got.push_back(pins_.rdata[0] & 0xFF);
      responses.push_back(pins_.rresp);
      lasts += pins_.rlast;
    }
    reader.sample();
    reader.drive();
    asked += taken ? 1 : 0;
  }
  ASSERT_EQ(got.size(), 67U);
  EXPECT_EQ(reader.beatsGiven(), 67U);
  EXPECT_EQ(lasts, 3U);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(got[i], i);
  EXPECT_EQ(got[64], 65U);
  EXPECT_EQ(responses[64], 0);
  EXPECT_EQ(responses[65], 2);
  EXPECT_EQ(got[66], 0U);
}

TEST_F(AxiMemory, RefusesBurstsThatAreNotAllowed) {
  slave_.drive();
  offerAddress(kAddress + 4096 - 64, 2);
  EXPECT_NE(refusal().find("across 4 KiB"), std::string::npos);
  offerAddress(kAddress + 4, 1);
  EXPECT_NE(refusal().find("half a beat"), std::string::npos);
  offerAddress(kAddress, 65);
  EXPECT_NE(refusal().find("too long"), std::string::npos);
  offerAddress(kAddress, 1);
  pins_.awsize = 5;
  EXPECT_NE(refusal().find("kind of burst"), std::string::npos);
  pins_.awsize = kSize64;
  EXPECT_EQ(refusal(), "");
}

TEST_F(AxiMemory, RefusesAMisplacedLastBeat) {
  slave_.drive();
  offerAddress(kAddress, 3);
  offerBeat(1, false);
  clockWrite();
  pins_.awvalid = 0;
  offerBeat(2, true);
  EXPECT_NE(refusal().find("of 3 beats with number 2"), std::string::npos);
}

TEST_F(AxiMemory, RefusesABurstWithoutEnd) {
  slave_.drive();
  std::string said;
  for (int i = 0; i < 65 && said.empty(); ++i) {
    offerBeat(1, false);
    said = refusal();
    slave_.drive();
  }
  EXPECT_NE(said.find("never ends"), std::string::npos);
}

TEST_F(AxiMemory, RefusesBytesLeftOut) {
  slave_.drive();
  pins_.wstrb = 0xFF;
  offerBeat(1, true);
  EXPECT_NE(refusal().find("leaves out"), std::string::npos);
}

TEST_F(AxiMemory, RefusesWhatChangesBeforeItIsTaken) {
  // Nothing is ready before the first drive().
  offerAddress(kAddress, 1);
  offerBeat(1, true);
  EXPECT_EQ(refusal(), "");
  pins_.awaddr += 64;
  EXPECT_NE(refusal().find("changed an address"), std::string::npos);
  pins_.awaddr -= 64;
  pins_.wdata[3] = 9;
  EXPECT_NE(refusal().find("changed a beat"), std::string::npos);
  pins_.wvalid = 0;
  EXPECT_NE(refusal().find("withdrew a beat"), std::string::npos);
  pins_.awvalid = 0;
  EXPECT_NE(refusal().find("withdrew an address"), std::string::npos);
}

TEST_F(AxiMemory, BuffersLieBesideEachOther) {
  std::vector<std::uint8_t> more(128);
  EXPECT_THROW(memory_.map(kAddress + 64, more), Error);
  EXPECT_THROW(memory_.map(kAddress - 64, more), Error);
  EXPECT_THROW(memory_.map(kAddress + bytes_.size() + 1, more), Error);
  memory_.map(kAddress + bytes_.size(), more);
  EXPECT_EQ(memory_.find(kAddress + bytes_.size() + 64).bytes, more.data() + 64);
}

}  // namespace
}  // namespace plumbline::sim
