// The bench on tester cards whose DMA accesses memory: the Verilated card with its memory
// interface, behind a register bus. Its captures must equal those of the simulated bench.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "base/error.h"
#include "bench/card/fpga_bench.h"
#include "bench/trial/calibration.h"
#include "card/built_in_firmware.h"
#include "card/card_dma.h"
#include "card/firmware.h"
#include "sim/bare_link.h"
#include "sim/card_sim.h"
#include "sim/host_card.h"
#include "tests/bench_rtl/rtl_trials.h"
#include "tests/bench_rtl/untimed_frame.h"
#include "tests/hw/shared_memory.h"

namespace plumbline::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Picoseconds kDmaCable = nanoseconds(800);

// Features of the DMA that a bus uses.
enum class Use { kAll, kNoLists };

// A card with memory, a cable between its two ports.
class MemoryBus final : public card::RegisterBus {
 public:
  explicit MemoryBus(Use use) : lists_(use == Use::kAll) {}

  std::uint32_t read(std::uint32_t offset) override {
    ++reads;
    return sim_.read(offset);
  }
  void write(std::uint32_t offset, std::uint32_t value) override {
    ++writes;
    sim_.write(offset, value);
  }
  std::vector<std::uint32_t> accessAll(std::span<const card::RegisterAccess> all) override {
    return lists_ ? dma_.accessAll(all) : RegisterBus::accessAll(all);
  }
  void wait(Picoseconds duration) override { sim_.wait(duration); }
  void startCapture() override { dma_.startCapture(); }
  void stopCapture() override { dma_.stopCapture(); }
  std::vector<card::CapturedFrame> readCaptured() override { return dma_.readCaptured(); }

  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  [[nodiscard]] std::uint64_t cycles() const { return sim_.cycles(); }

  // From now on the memory answers with errors.
  void failMemory() { memory_.fail(); }

 private:
  bool lists_;
  hw_test::SharedMemory memory_;
  sim::CardSim sim_{{}, sim::makeHostCardModel(), memory_.memory()};
  sim::BareLink cable_{sim_, 0, 1, kDmaCable};
  card::CardDma dma_{*this, [this](std::size_t bytes) { return memory_.buffer(bytes); }};
};

// The bench with one such card, and the card's bus.
struct MemoryBench {
  explicit MemoryBench(Use use = Use::kAll) {
    auto made = std::make_unique<MemoryBus>(use);
    bus = made.get();
    std::vector<OpenCard> cards;
    cards.push_back({std::move(made), "slot 0"});
    FpgaSpec spec;
    spec.tx_delay = kTxOffset;
    spec.rx_delay = -kRxOffset;
    bench = std::make_unique<FpgaBench>(spec, std::move(cards));
  }
  MemoryBus* bus;
  std::unique_ptr<FpgaBench> bench;
};

TrialSpec cableTrial() {
  TrialSpec spec = bareLinkTrial();
  spec.dut.topology.host_link_delay = kDmaCable;
  spec.streams.push_back(streamToHost1(1001, Fraction::percent(30)));
  spec.streams[1].name = "back";
  spec.streams[1].from = 1;
  spec.streams[1].to = 0;
  spec.streams[1].start = nanoseconds(77);
  return spec;
}

struct CapturedTrial {
  TrialResult result;
  std::vector<UntimedFrame> frames;
};

CapturedTrial captureOn(Bench& bench, TrialSpec spec, std::uint32_t port) {
  CapturedTrial captured;
  std::vector<card::CapturedFrame> frames;
  TrialHooks hooks;
  hooks.captured = [&](const card::CapturedFrame& frame) { frames.push_back(frame); };
  spec.capture_port = port;
  captured.result = bench.run(spec, hooks);
  captured.frames = untimed(frames);
  return captured;
}

TEST(FpgaDma, CapturesWhatTheSimulatedBenchCaptures) {
  MemoryBench card;
  // A second trial begins with an empty ring.
  for (const std::uint32_t port : {1U, 0U}) {
    const CapturedTrial seen = captureOn(*card.bench, cableTrial(), port);
    const CapturedTrial expected = captureOn(sharedCard(), cableTrial(), port);
    EXPECT_THAT(seen.result.faults, IsEmpty());
    ASSERT_GT(expected.frames.size(), 900U);
    ASSERT_EQ(seen.frames.size(), expected.frames.size());
    for (std::size_t i = 0; i < seen.frames.size(); ++i) {
      ASSERT_TRUE(seen.frames[i].intact) << i;
      ASSERT_EQ(seen.frames[i], expected.frames[i]) << i;
    }
    EXPECT_EQ(seen.result.streams[0].received_frames, expected.result.streams[0].received_frames);
    EXPECT_EQ(seen.result.latency.at(0).histogram.sumLow(),
              expected.result.latency.at(0).histogram.sumLow());
  }
}

// The image goes to the processor access by access (in the kernel its block is before the card,
// where lists do not come), and what runs there is not seen in a trial.
TEST(FpgaDma, FirmwareIsLoadedAndDisturbsNoTrial) {
  if (card::builtInFirmware().empty()) GTEST_SKIP() << "built without firmware";
  MemoryBench card;
  card::Firmware firmware(*card.bus);
  const card::FirmwareImage image = card::parseFirmwareImage(card::builtInFirmware(), "built in");
  firmware.load(image);
  firmware.start();
  firmware.armWatchdog(seconds(1));
  const TrialResult seen = card.bench->run(cableTrial(), {});
  const TrialResult expected = runOnCard(cableTrial());
  EXPECT_THAT(seen.faults, IsEmpty());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GT(seen.streams[i].received_frames, 100U);
    EXPECT_EQ(seen.streams[i].received_frames, expected.streams[i].received_frames);
  }
  EXPECT_EQ(seen.latency.at(0).histogram.sumLow(), expected.latency.at(0).histogram.sumLow());
  EXPECT_EQ(firmware.info().state, firmware::kReady);
}

TEST(FpgaDma, DeparturesOfSingleFrames) {
  MemoryBench card;
  EXPECT_TRUE(card.bench->capabilities().departures);
  TrialSpec spec = cableTrial();
  spec.departures = 40;
  const TrialResult seen = card.bench->run(spec, {});
  const TrialResult expected = runOnCard(spec);
  EXPECT_THAT(seen.faults, IsEmpty());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(seen.streams[i].departures.size(), 40U);
    EXPECT_EQ(seen.streams[i].departures, expected.streams[i].departures);
  }
}

// No two neighbours alike; round once and a third.
constexpr std::int64_t kGaps = 300;

TrialSpec listTrial() {
  TrialSpec spec = cableTrial();
  spec.streams.pop_back();
  ListedGaps list;
  for (std::int64_t i = 0; i < kGaps; ++i) {
    list.gaps.push_back(nanoseconds(60) + Picoseconds(i * 7919 % 30011));
  }
  spec.streams[0].gaps = list;
  spec.duration = microseconds(40);
  spec.departures = 400;
  return spec;
}

TEST(FpgaDma, AGapListThroughMemoryIsThatThroughRegisters) {
  MemoryBench listed;
  MemoryBench single(Use::kNoLists);
  const std::uint64_t before = listed.bus->writes;
  const TrialResult through_memory = listed.bench->run(listTrial(), {});
  const std::uint64_t few = listed.bus->writes - before;
  const std::uint64_t before_single = single.bus->writes;
  const TrialResult through_registers = single.bench->run(listTrial(), {});
  const std::uint64_t many = single.bus->writes - before_single;
  EXPECT_THAT(through_memory.faults, IsEmpty());
  ASSERT_EQ(through_memory.streams[0].departures.size(), 400U);
  EXPECT_EQ(through_memory.streams[0].departures, through_registers.streams[0].departures);
  EXPECT_EQ(through_memory.streams[0].departures, runOnCard(listTrial()).streams[0].departures);
  // Each of the rows takes four writes, if not in a list.
  EXPECT_GT(many, few + 4 * kGaps);
}

TEST(FpgaDma, TheCountersOf256FlowsAreOneList) {
  constexpr std::uint32_t kFlows = 256;
  MemoryBench listed;
  MemoryBench single(Use::kNoLists);
  std::vector<std::vector<card::RxFlow>> rows;
  std::vector<card::PortCounters> counters;
  std::vector<std::uint64_t> accesses;
  for (MemoryBench* card : {&listed, &single}) {
    static_cast<void>(card->bench->run(cableTrial(), {}));
    card::Driver driver(*card->bus);
    const std::uint64_t before = card->bus->reads + card->bus->writes;
    const std::uint64_t began = card->bus->cycles();
    rows.push_back(driver.rxFlows(1, 0, kFlows));
    accesses.push_back(card->bus->reads + card->bus->writes - before);
    std::printf("%u flows: %llu accesses of the host, %llu clocks\n", kFlows,
                static_cast<unsigned long long>(accesses.back()),
                static_cast<unsigned long long>(card->bus->cycles() - began));
    counters.push_back(driver.counters(1));
  }
  EXPECT_EQ(rows[0], rows[1]);
  EXPECT_GT(rows[0][0].frames, 400U);
  EXPECT_EQ(counters[0], counters[1]);
  EXPECT_EQ(accesses[1], kFlows * 17U);
  // For handing it over, and for polling its end every 500 ns.
  EXPECT_LT(accesses[0], 60U);
}

TEST(FpgaDma, MemoryThatFailsIsTold) {
  MemoryBench card;
  static_cast<void>(captureOn(*card.bench, cableTrial(), 0));
  card.bus->failMemory();
  try {
    static_cast<void>(captureOn(*card.bench, cableTrial(), 0));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kTester);
    EXPECT_THAT(error.what(), HasSubstr("could not carry out a list of register accesses: 0 of"));
  }
}

}  // namespace
}  // namespace plumbline::bench
