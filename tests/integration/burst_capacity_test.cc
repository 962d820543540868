// The burst capacity of an incast on the Verilated card against arithmetic from the buffer alone.
//
// N senders begin together and send C frames of length L each, one per slot. A frame counts in the
// queue from its admission until its last bit has left. The queue is busy from the first frame on,
// so when the last N frames are admitted, C - 1 slots after the first, C - 1 frames have left: a
// frame's last bit leaves 20 byte times before the next slot begins. N C - (C - 1) frames must fit:
//   (N - 1) C + 1 <= floor(B / L), so C = floor((floor(B / L) - 1) / (N - 1)).
// When the senders begin at phases up to D < slot apart, the last one's frame finds one more frame
// gone if D is at least the frame's duration; then C = floor(floor(B / L) / (N - 1)).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/card/rtl_bench.h"
#include "suite/training/training.h"
#include "tests/integration/direct_runner.h"

namespace plumbline {
namespace {

using ::testing::IsEmpty;

bench::TrialSpec incast(std::uint32_t senders, Bytes frame, Bytes buffer, std::uint32_t length) {
  bench::TrialSpec spec;
  spec.dut.topology.hosts = 4;
  spec.dut.switches.buffer_per_port = buffer;
  spec.drain = milliseconds(1);
  for (std::uint32_t i = 0; i < senders; ++i) {
    bench::StreamSpec stream;
    stream.name = std::to_string(i);
    stream.from = i + 1;
    stream.to = 0;
    stream.frame = frame;
    stream.load = bench::BurstLoad{.frames = length};
    spec.streams.push_back(stream);
  }
  return spec;
}

struct Case {
  std::uint32_t senders;
  std::int64_t frame;
  std::int64_t buffer;
};

class IncastCapacity : public ::testing::TestWithParam<Case> {};

TEST_P(IncastCapacity, IsThatOfTheBuffer) {
  const std::uint32_t senders = GetParam().senders;
  const std::int64_t frame = GetParam().frame;
  const std::int64_t buffer = GetParam().buffer;
  const auto capacity = static_cast<std::uint32_t>((buffer / frame - 1) / (senders - 1));
  bench::RtlBench bench;
  const auto run = [&](std::uint32_t length) {
    return bench.run(incast(senders, Bytes(frame), Bytes(buffer), length), {});
  };
  const bench::TrialResult fits = run(capacity);
  ASSERT_THAT(fits.faults, IsEmpty());
  EXPECT_EQ(fits.lost(), 0U);
  EXPECT_EQ(fits.ports[0].rx_frames, std::uint64_t{capacity} * senders);
  EXPECT_EQ(fits.dut[0].max_queue, Bytes(frame) * ((senders - 1) * std::int64_t{capacity} + 1));
  const bench::TrialResult overflows = run(capacity + 1);
  ASSERT_THAT(overflows.faults, IsEmpty());
  // senders - 1 more frames than room was left for.
  const std::int64_t over = (senders - 1) * (std::int64_t{capacity} + 1) + 1 - buffer / frame;
  EXPECT_EQ(overflows.lost(), static_cast<std::uint64_t>(over));
}

INSTANTIATE_TEST_SUITE_P(TwoAndThreeToOne, IncastCapacity,
                         ::testing::Values(Case{2, 1102, 100'000}, Case{3, 1102, 100'000},
                                           Case{2, 142, 30'000}, Case{3, 142, 30'001},
                                           Case{2, 4174, 200'000}, Case{3, 4174, 208'700}),
                         [](const auto& info) {
                           return std::to_string(info.param.senders) + "To1With" +
                                  std::to_string(info.param.frame) + "ByteFrames";
                         });

TEST(BurstProcedure, FindsTheCapacityOfTheBuffer) {
  scenario::Scenario scenario;
  scenario.topology.hosts = 4;
  scenario.switches.buffer_per_port = Bytes(50'000);
  scenario.traffic.message_sizes = {{Bytes(256), Bytes(1024)}};
  scenario.parameters.incast_ratios = {{1, 2, 3}};
  scenario.parameters.max_burst = 400;
  const results::TestResult result = suite::runOnCard(suite::burstProcedure(), scenario);
  EXPECT_TRUE(result.valid);
  for (const std::int64_t size : {256, 1024}) {
    const std::int64_t room = 50'000 / (size + 78);
    for (const std::int64_t ratio : {2, 3}) {
      const auto& burst = suite::kpiOf(
          result, "burst_frames", std::to_string(size) + " B, " + std::to_string(ratio) + ":1");
      // Phases are drawn per repetition; the mean lies between the two cases of the arithmetic.
      const std::int64_t min = (room - 1) / (ratio - 1);
      const std::int64_t max = room / (ratio - 1);
      EXPECT_GE(burst.value, static_cast<double>(min)) << size << " " << ratio;
      EXPECT_LE(burst.value, static_cast<double>(max)) << size << " " << ratio;
    }
    EXPECT_EQ(suite::kpiOf(result, "burst_frames", std::to_string(size) + " B, 1:1").value, 400);
  }
}

}  // namespace
}  // namespace plumbline
