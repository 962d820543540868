// The driver on a card behind the Xilinx Runtime: Debian's own runtime in its emulation mode, the
// Verilated card in a process of its own. The same trial on the card in this process must give the
// same result.
#include "card_xrt/xrt_bus.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>

#include "base/error.h"
#include "bench/trial/calibration.h"
#include "card/driver.h"
#include "card/registers.h"
#include "card_xrt/kernel_layout.h"
#include "emulation.h"
#include "sim/bare_link.h"
#include "sim/card_sim.h"
#include "tests/base/error_of.h"
#include "tests/bench_rtl/untimed_frame.h"
#include "wire/addresses.h"
#include "wire/roce.h"
#include "wire/template.h"

namespace plumbline::card_xrt_test {
namespace {

constexpr Picoseconds kDelay = nanoseconds(800);
// Clock edges and columns of the line meet again after this time: a trial that begins on it sees
// the same phases every time.
constexpr Picoseconds kPhaseGrid{sim::kClockPeriodNum};

struct Outcome {
  std::vector<card::PortCounters> ports;
  std::vector<card::RxFlow> flows;
  std::vector<stats::Histogram> latencies;
  std::vector<bench::UntimedFrame> received;  // as captured
};

card::FlowConfig flowFrom(std::uint32_t port, std::uint32_t length, std::uint32_t frames) {
  wire::StreamTemplateSpec stream;
  stream.source_mac = wire::hostMac(port);
  stream.destination_mac = wire::hostMac(port ^ 1U);
  stream.source_ipv4 = wire::hostIpv4(port);
  stream.destination_ipv4 = wire::hostIpv4(port ^ 1U);
  stream.roce_opcode = wire::roce_opcode::kRcWriteOnly;
  stream.dest_qp = 0x100;
  stream.length = length;
  const wire::StreamTemplate made = makeStreamTemplate(stream);
  card::FlowConfig flow;
  flow.head.assign(made.bytes.begin(), made.bytes.end());
  flow.length = length;
  flow.payload_offset = made.pay_off;
  flow.tag_offset = made.tag_off;
  flow.roce = flow.icrc = flow.modify_psn = true;
  flow.period = card::framePeriod(Bytes(length), sim::kLineRate, Fraction::percent(70));
  flow.burst_frames = frames;
  return flow;
}

// Gaps around the flow's period.
card::GapList unevenGaps(card::FinePeriod period, std::uint32_t gaps) {
  card::GapList list;
  for (std::uint32_t i = 0; i < gaps; ++i) {
    list.gaps.push_back(card::FinePeriod::fromRaw(period.raw() / 1024 * (1024 + i * 37 % 100)));
  }
  return list;
}

// One trial with frames in both directions, in one of them with listed gaps, on any bus. Received
// frames are captured.
Outcome trial(card::RegisterBus& bus) {
  constexpr std::uint32_t kFrames = 200;
  card::Driver driver(bus);
  driver.reset();
  for (std::uint32_t port = 0; port < 2; ++port) {
    driver.setTiming(port, {sim::kByteTime, bench::kTxOffset, bench::kRxOffset, nanoseconds(10)});
    driver.setCapture(port, true, false);
    std::vector<card::FlowConfig> flows{flowFrom(port, port == 0 ? 256 : 1000, kFrames)};
    if (port == 0) flows[0].gaps = unevenGaps(flows[0].period, kFrames / 2);
    driver.loadFlows(port, flows);
  }
  Outcome outcome;
  const Picoseconds earliest = driver.earliestStart();
  const Picoseconds start = kPhaseGrid * ((earliest + kPhaseGrid - Picoseconds(1)) / kPhaseGrid);
  driver.arm(start);
  while (driver.sending()) bus.wait(microseconds(2));
  bus.wait(microseconds(20));
  outcome.received = bench::untimed(bus.readCaptured());
  EXPECT_FALSE(driver.lateStart());
  for (std::uint32_t port = 0; port < 2; ++port) {
    outcome.ports.push_back(driver.counters(port));
    outcome.flows.push_back(driver.rxFlow(port, 0));
    outcome.latencies.push_back(driver.latency(port, 0));
  }
  return outcome;
}

double secondsOf(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void expectSame(const stats::Histogram& one, const stats::Histogram& other) {
  EXPECT_EQ(one.minimum(), other.minimum());
  EXPECT_EQ(one.maximum(), other.maximum());
  EXPECT_EQ(one.sumLow(), other.sumLow());
  const std::vector<stats::Histogram::Cell> cells = one.cells();
  const std::vector<stats::Histogram::Cell> others = other.cells();
  ASSERT_EQ(cells.size(), others.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    EXPECT_EQ(cells[i].bucket, others[i].bucket);
    EXPECT_EQ(cells[i].count, others[i].count);
  }
}

class XrtBusTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { emulation_ = std::make_unique<Emulation>(kDelay); }
  static void TearDownTestSuite() {
    bus_.reset();
    emulation_.reset();
  }

  // The one card: the emulation does not open a device a second time in one process.
  static card::XrtBus& bus() {
    if (!bus_) bus_ = std::make_unique<card::XrtBus>(card::XrtOptions{"0", emulation_->xclbin()});
    return *bus_;
  }

  static std::unique_ptr<Emulation> emulation_;
  static std::unique_ptr<card::XrtBus> bus_;
};

std::unique_ptr<Emulation> XrtBusTest::emulation_;
std::unique_ptr<card::XrtBus> XrtBusTest::bus_;

TEST_F(XrtBusTest, WithoutTheRuntimeItSaysWhatToDo) {
  const std::string runtime = std::getenv("XILINX_XRT");
  unsetenv("XILINX_XRT");
  const Error error = errorOf([] { card::XrtBus({"0", emulation_->xclbin()}); });
  setenv("XILINX_XRT", runtime.c_str(), 1);
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_NE(error.remedy().find("setup.sh"), std::string::npos);
}

TEST_F(XrtBusTest, AFileThatIsMissingOrNoXclbinIsRefused) {
  const auto missing = emulation_->directory() / "nothing.xclbin";
  EXPECT_EQ(errorOf([&] { card::XrtBus({"0", missing}); }).kind(), ErrorKind::kUsage);
  std::ofstream(emulation_->directory() / "text.xclbin") << "no container";
  const Error error = errorOf([] { card::XrtBus({"0", emulation_->directory() / "text.xclbin"}); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_NE(error.where().find("text.xclbin"), std::string::npos);
}

TEST_F(XrtBusTest, AnXclbinWithoutTheCardIsRefused) {
  const Error error = errorOf([] { card::XrtBus({"0", emulation_->foreignXclbin()}); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_NE(std::string(error.what()).find("no Plumbline card"), std::string::npos);
}

// In a process of its own, without the emulation, which provides every requested device.
TEST_F(XrtBusTest, ADeviceThatIsNotThereIsRefused) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto open_real_device = [] {
    unsetenv("XCL_EMULATION_MODE");
    const Error error = errorOf([] { card::XrtBus({"7", emulation_->xclbin()}); });
    std::fprintf(stderr, "%s at %s: %s", error.what(), error.where().c_str(),
                 error.remedy().c_str());
    std::exit(error.kind() == ErrorKind::kUnsupported ? 2 : 0);
  };
  EXPECT_EXIT(open_real_device(), testing::ExitedWithCode(2), "no card.*device 7.*xbutil examine");
}

// The emulation ends the whole process when its device dies; an access that the runtime refuses is
// the closest possible test of a card that has gone.
TEST_F(XrtBusTest, AnAccessThatTheRuntimeRefusesNamesTheRegister) {
  const Error error = errorOf([] { bus().read(card::kKernelRange); });
  EXPECT_EQ(error.kind(), ErrorKind::kTester);
  EXPECT_EQ(error.where(), "read of register 0x10000");
}

TEST_F(XrtBusTest, TheSameTrialComesOutTheSame) {
  sim::CardSim here({});
  sim::BareLink cable(here, 0, 1, kDelay);
  const Outcome expected = trial(here);

  const Outcome seen = trial(bus());
  for (std::size_t port = 0; port < 2; ++port) {
    const card::PortCounters& one = seen.ports[port];
    const card::PortCounters& other = expected.ports[port];
    EXPECT_EQ(one.tx_frames, 200U);
    EXPECT_EQ(one.tx_frames, other.tx_frames);
    EXPECT_EQ(one.tx_bytes, other.tx_bytes);
    EXPECT_EQ(one.rx_frames, other.rx_frames);
    EXPECT_EQ(one.rx_bytes, other.rx_bytes);
    EXPECT_EQ(one.rx_icrc_errors, 0U);
    EXPECT_EQ(one.rx_fcs_errors, 0U);
    EXPECT_EQ(one.tx_late_max_ps, other.tx_late_max_ps);
    EXPECT_EQ(seen.flows[port].frames, expected.flows[port].frames);
    EXPECT_EQ(seen.flows[port].lost, 0U);
    expectSame(seen.latencies[port], expected.latencies[port]);
    EXPECT_EQ(seen.latencies[port].count(), 200U);
  }
  ASSERT_EQ(expected.received.size(), 400U);
  ASSERT_EQ(seen.received.size(), 400U);
  for (std::size_t i = 0; i < 400; ++i) {
    EXPECT_TRUE(seen.received[i].intact) << i;
    ASSERT_EQ(seen.received[i], expected.received[i]) << i;
  }

  // How fast registers are read, for the record.
  constexpr int kReads = 2000;
  const double took = secondsOf([] {
    for (int i = 0; i < kReads; ++i) bus().read(card::regs::global::kScratch);
  });
  std::printf("register reads through the emulation: %.0f per second\n", kReads / took);
}

// A card whose lists are not used.
class OneByOne final : public card::RegisterBus {
 public:
  explicit OneByOne(card::RegisterBus& bus) : bus_(bus) {}
  std::uint32_t read(std::uint32_t offset) override { return bus_.read(offset); }
  void write(std::uint32_t offset, std::uint32_t value) override { bus_.write(offset, value); }
  void wait(Picoseconds duration) override { bus_.wait(duration); }
  std::vector<card::CapturedFrame> readCaptured() override { return {}; }

 private:
  card::RegisterBus& bus_;
};

TEST_F(XrtBusTest, TheCountersOf256FlowsComeThroughTheBuffer) {
  constexpr std::uint32_t kFlows = 256;
  static_cast<void>(trial(bus()));
  card::Driver with(bus());
  OneByOne single(bus());
  card::Driver without(single);
  std::vector<card::RxFlow> seen;
  std::vector<card::RxFlow> expected;
  const double listed = secondsOf([&] { seen = with.rxFlows(1, 0, kFlows); });
  const double one_by_one = secondsOf([&] { expected = without.rxFlows(1, 0, kFlows); });
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(seen[0].frames, 200U);
  EXPECT_EQ(with.counters(1), without.counters(1));
  std::printf("counters of %u flows through the emulation: %.3f s one by one, %.3f s in a list\n",
              kFlows, one_by_one, listed);
}

}  // namespace
}  // namespace plumbline::card_xrt_test
