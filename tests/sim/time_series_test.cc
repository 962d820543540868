// Time series of trials: they add up to the trial's counters, and recording them changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/json.h"
#include "bench/sim/series_recorder.h"
#include "bench/sim/sim_bench.h"
#include "tests/sim/stack.h"

namespace plumbline::sim::testing {
namespace {

using bench::TimeSeries;
using bench::TrialResult;

// Fifteen senders to host 0, beside pairs of another job; on four leaves and two spines.
TrialSpec congested() {
  TrialSpec spec;
  spec.dut = leafSpine(4, 2, 4, gigabitsPerSecond(400), microseconds(1));
  spec.dut.switches.shared_buffer.emplace();
  spec.dut.switches.ecn = {
      {.kmin = Bytes(100'000), .kmax = Bytes(400'000), .pmax = Fraction::percent(20)}};
  std::vector<HostId> senders(15);
  std::iota(senders.begin(), senders.end(), 1U);
  spec.workload.emplace().jobs = {messagesTo(0, senders, 300'000, 2)};
  spec.series.emplace();
  return spec;
}

TrialResult runSampled(const TrialSpec& spec, unsigned threads = 1) {
  bench::SimBench bench({.line_rate = gigabitsPerSecond(400), .threads = threads});
  return bench.run(spec, {});
}

// The part of a result that must not depend on observers.
nlohmann::json withoutLooking(const TrialResult& result) {
  nlohmann::json json = nlohmann::json::parse(result.toJson());
  json.erase("wall_seconds");
  json.at("fabric").erase("peak_rss_bytes");
  json.at("fabric").erase("series");
  return json;
}

template <typename T>
T sumOf(const std::vector<T>& values) {
  return std::accumulate(values.begin(), values.end(), T());
}

// `part` is `whole`, or less by no more than `missing`.
void expectUpTo(std::uint64_t part, std::uint64_t whole, std::uint64_t missing, const char* what) {
  EXPECT_LE(part, whole) << what;
  EXPECT_GE(part + missing, whole) << what;
}

void expectAddsUp(const TrialResult& result, const char* what) {
  const bench::FabricResult& fabric = *result.fabric;
  ASSERT_TRUE(fabric.series) << what;
  const TimeSeries& series = *fabric.series;
  const std::size_t count = series.sent_bytes.size();
  EXPECT_EQ(series.end, fabric.sim_end) << what;
  EXPECT_GE(series.interval * static_cast<std::int64_t>(count), series.end) << what;
  EXPECT_LT(series.interval * static_cast<std::int64_t>(count - 1), series.end) << what;
  EXPECT_EQ(sumOf(series.marked), fabric.total.marked) << what;
  EXPECT_EQ(sumOf(series.dropped), fabric.total.dropped()) << what;
  EXPECT_EQ(sumOf(series.pauses), fabric.total.pauses) << what;
  for (std::size_t p = 0; p < 8; ++p) {
    EXPECT_EQ(sumOf(series.paused[p]), fabric.total.paused[p]) << what;
  }
  EXPECT_EQ(*std::max_element(series.max_queue_bytes.begin(), series.max_queue_bytes.end()),
            fabric.total.max_queue_bytes)
      << what;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  for (const bench::LinkLoad& link : fabric.links) {
    if (link.name.starts_with("host")) sent += link.bytes;
    if (link.name.find("-host") != std::string::npos) received += link.bytes;
  }
  // Of a frame that is on a wire at the end, the part that has left.
  constexpr std::uint64_t kFrame = 9'216;
  const std::uint64_t ends = fabric.frames_inside == 0 ? 0 : fabric.links.size();
  expectUpTo(sumOf(series.sent_bytes), sent, ends * kFrame, what);
  expectUpTo(sumOf(series.received_bytes), received, ends * kFrame, what);
  for (const bench::PortSeries& port : series.ports) {
    const auto link = std::find_if(fabric.links.begin(), fabric.links.end(),
                                   [&](const auto& one) { return one.name == port.link; });
    ASSERT_NE(link, fabric.links.end()) << port.link;
    expectUpTo(sumOf(port.bytes), link->bytes, ends > 0 ? kFrame : 0, what);
    EXPECT_EQ(sumOf(port.paused), link->paused) << what << port.link;
    EXPECT_EQ(*std::max_element(port.max_queue_bytes.begin(), port.max_queue_bytes.end()),
              link->max_queue_bytes)
        << what << port.link;
  }
}

void expectUnchanged(TrialSpec spec, const char* what) {
  const TrialResult recorded = runSampled(spec);
  expectAddsUp(recorded, what);
  const nlohmann::json shared = withoutLooking(runSampled(spec, 2));
  spec.series.reset();
  const nlohmann::json alone = withoutLooking(runSampled(spec));
  EXPECT_EQ(withoutLooking(recorded), alone) << what;
  EXPECT_EQ(shared, alone) << what;
}

TEST(TimeSeries, ChangesNothingAndAddsUp) {
  expectUnchanged(congested(), "drops");
  TrialSpec lossless = congested();
  lossless.dut.switches.pfc.emplace();
  expectUnchanged(lossless, "PFC");
  TrialSpec weighted = lossless;
  weighted.dut.switches.weights = {1, 1, 1, 4, 1, 1, 1, 1};
  weighted.dut.switches.voq = true;
  expectUnchanged(weighted, "weights and virtual output queues");
  TrialSpec credits = congested();
  credits.dut.switches.cbfc.emplace();
  expectUnchanged(credits, "credits");
  TrialSpec errors = lossless;
  errors.dut.switches.llr.emplace();
  errors.dut.bit_errors = {{"fabric", 1e-7}};
  expectUnchanged(errors, "bit errors and LLR");
  TrialSpec trimmed = congested();
  trimmed.transport = transport::UetSpec();
  trimmed.dut.switches.trim.emplace();
  expectUnchanged(trimmed, "trimming");
  TrialSpec sprayed = trimmed;
  sprayed.dut.switches.load_balancing.kind = fabric::LoadBalancingKind::kSprayRoundRobin;
  expectUnchanged(sprayed, "spray");
  TrialSpec timed = lossless;
  timed.duration = microseconds(37);
  timed.drain = nanoseconds(123);
  expectUnchanged(timed, "cut off");
}

// Eight intervals of any length are enough for any trial; a peak is never lost.
TEST(TimeSeries, StaysWithinItsIntervals) {
  TrialSpec spec = congested();
  spec.series->intervals = 8;
  const TrialResult result = runSampled(spec);
  expectAddsUp(result, "eight");
  const TimeSeries& series = *result.fabric->series;
  EXPECT_LE(series.sent_bytes.size(), 8U);
  EXPECT_GE(series.sent_bytes.size(), 4U);
  EXPECT_GT(series.interval, bench::SeriesRecorder::kFirstInterval);
}

TEST(TimeSeries, ComesBackFromItsText) {
  TrialSpec spec = congested();
  spec.dut.switches.pfc.emplace();
  const TrialResult result = runSampled(spec);
  const TrialResult back = TrialResult::fromJson(result.toJson());
  ASSERT_TRUE(back.fabric->series);
  EXPECT_EQ(*back.fabric->series, *result.fabric->series);
}

TEST(TimeSeries, IsPartOfWhatIsAskedFor) {
  TrialSpec spec = congested();
  const std::string with = spec.toJson();
  spec.series.reset();
  EXPECT_NE(spec.toJson(), with);
}

// Two flows to two hosts at line rate of 100 Gb/s, both busy between 40 us and 60 us only: the
// busiest interval has the frames of both links, and no more than these links carry.
TEST(PeakRate, IsThatOfTheBusiestInterval) {
  TrialSpec spec;
  spec.dut = oneSwitch(4, gigabitsPerSecond(100), nanoseconds(500));
  transport::RoceSpec roce;
  roce.path_mtu = 4'096;
  spec.transport = roce;
  // 64 frames each, of 4,096 + 62 B, and 16 B more in the first one.
  spec.workload.emplace().jobs = {messagesBetween({{0, 1}}, 64 * 4'096, 3),
                                  messagesBetween({{2, 3}}, 64 * 4'096, 1)};
  spec.workload->jobs[1].name = "other";
  spec.workload->jobs[1].start = microseconds(40);
  spec.peak_interval = microseconds(4);
  const TrialResult result = runSampled(spec);
  ASSERT_TRUE(result.fabric->peak_rate);
  EXPECT_EQ(result.fabric->peak_rate->interval, microseconds(4));
  const double lines = 4e-6 * 2 * 100e9 / 8;
  const auto peak = static_cast<double>(result.fabric->peak_rate->bytes);
  EXPECT_NEAR(peak, lines * 4'158 / 4'178, 2 * 4'178);
  EXPECT_LE(peak, lines + 2 * 4'178);

  spec.workload->jobs.pop_back();
  const auto alone = static_cast<double>(runSampled(spec).fabric->peak_rate->bytes);
  EXPECT_NEAR(alone, lines / 2 * 4'158 / 4'178, 4'178);
  spec.peak_interval = seconds(1);  // all frames of data, and no acknowledgement
  EXPECT_EQ(runSampled(spec).fabric->peak_rate->bytes, 3U * (64 * 4'158 + 16));
  nlohmann::json with = withoutLooking(runSampled(spec));
  with.at("fabric").erase("peak_rate");
  spec.peak_interval.reset();
  EXPECT_EQ(with, withoutLooking(runSampled(spec)));
}

}  // namespace
}  // namespace plumbline::sim::testing
