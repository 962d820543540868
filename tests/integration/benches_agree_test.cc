// One trial on two benches: the Verilated card and simulated hosts in front of the same fabric.
#include <gtest/gtest.h>

#include <string>

#include "bench/card/rtl_bench.h"
#include "bench/sim/sim_bench.h"
#include "sim/card_sim.h"

namespace plumbline::bench {
namespace {

StreamSpec stream(std::uint32_t from, std::uint32_t to, Bytes frame) {
  StreamSpec spec;
  spec.name = "from " + std::to_string(from);
  spec.from = from;
  spec.to = to;
  spec.frame = frame;
  return spec;
}

struct Pair {
  TrialResult rtl;
  TrialResult sim;
};

Pair runBoth(const TrialSpec& spec) {
  RtlBench rtl{RtlBenchOptions{}};
  SimBench model{SimBenchOptions{}};
  return {rtl.run(spec, {}), model.run(spec, {})};
}

void expectSameCounts(const Pair& both) {
  EXPECT_TRUE(both.rtl.valid()) << both.rtl.faults.front();
  EXPECT_TRUE(both.sim.valid()) << both.sim.faults.front();
  ASSERT_EQ(both.rtl.streams.size(), both.sim.streams.size());
  for (std::size_t i = 0; i < both.rtl.streams.size(); ++i) {
    const StreamResult& rtl = both.rtl.streams[i];
    const StreamResult& sim = both.sim.streams[i];
    EXPECT_EQ(rtl.name, sim.name);
    EXPECT_EQ(rtl.sent_frames, sim.sent_frames) << rtl.name;
    EXPECT_EQ(rtl.received_frames, sim.received_frames) << rtl.name;
    EXPECT_EQ(rtl.lost, sim.lost) << rtl.name;
    EXPECT_EQ(rtl.duplicate, sim.duplicate) << rtl.name;
  }
}

// Latency of a stream without contention: within one clock of the card in every figure.
TEST(BenchesAgree, OnUncontendedLatency) {
  for (const std::int64_t frame : {98, 1024, 4096}) {
    TrialSpec spec;
    spec.dut.topology.hosts = 2;
    spec.streams = {stream(0, 1, Bytes(frame))};
    spec.streams[0].load = ConstantLoad{Fraction::percent(37)};
    spec.duration = microseconds(60);
    const Pair both = runBoth(spec);
    expectSameCounts(both);
    ASSERT_EQ(both.rtl.latency.size(), 1U);
    ASSERT_EQ(both.sim.latency.size(), 1U);
    const auto near = [&](double a, double b) {
      EXPECT_NEAR(a, b, static_cast<double>(sim::kClockPeriodMax.count())) << frame << " bytes";
    };
    const stats::Histogram& rtl = both.rtl.latency[0].histogram;
    const stats::Histogram& model = both.sim.latency[0].histogram;
    near(static_cast<double>(rtl.minimum()), static_cast<double>(model.minimum()));
    near(static_cast<double>(rtl.maximum()), static_cast<double>(model.maximum()));
    near(rtl.mean(), model.mean());
  }
}

// Two bursts meet in front of one output with a small buffer: the same frames are lost, and the
// queue has the same depth.
TEST(BenchesAgree, OnLossInAnIncast) {
  TrialSpec spec;
  spec.dut.topology.hosts = 3;
  spec.dut.switches.buffer_per_port = Bytes(20'000);
  spec.streams = {stream(0, 2, Bytes(1000)), stream(1, 2, Bytes(1000))};
  for (StreamSpec& one : spec.streams) one.load = BurstLoad{.frames = 100, .extra_gap = Bytes(0)};
  // Half a slot apart, so that no tie is for the clock to decide.
  spec.streams[1].start = nanoseconds(40);
  spec.duration = microseconds(30);
  const Pair both = runBoth(spec);
  expectSameCounts(both);
  EXPECT_GT(both.rtl.lost(), 0U);
  ASSERT_EQ(both.rtl.dut.size(), both.sim.dut.size());
  for (std::size_t i = 0; i < both.rtl.dut.size(); ++i) {
    EXPECT_EQ(both.rtl.dut[i].name, both.sim.dut[i].name);
    EXPECT_EQ(both.rtl.dut[i].packets, both.sim.dut[i].packets);
    EXPECT_EQ(both.rtl.dut[i].drops, both.sim.dut[i].drops);
    EXPECT_EQ(both.rtl.dut[i].max_queue, both.sim.dut[i].max_queue);
  }
  // Every frame waits alike, within a clock.
  EXPECT_NEAR(both.rtl.latency[0].histogram.mean(), both.sim.latency[0].histogram.mean(),
              static_cast<double>(sim::kClockPeriodMax.count()));
}

}  // namespace
}  // namespace plumbline::bench
