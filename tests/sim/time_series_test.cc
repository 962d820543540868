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

TrialResult runTrial(const TrialSpec& spec, unsigned threads = 1) {
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
  const TrialResult recorded = runTrial(spec);
  expectAddsUp(recorded, what);
  const nlohmann::json shared = withoutLooking(runTrial(spec, 2));
  spec.series.reset();
  const nlohmann::json alone = withoutLooking(runTrial(spec));
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
  const TrialResult result = runTrial(spec);
  expectAddsUp(result, "eight");
  const TimeSeries& series = *result.fabric->series;
  EXPECT_LE(series.sent_bytes.size(), 8U);
  EXPECT_GE(series.sent_bytes.size(), 4U);
  EXPECT_GT(series.interval, bench::SeriesRecorder::kFirstInterval);
}

TEST(TimeSeries, ComesBackFromItsText) {
  TrialSpec spec = congested();
  spec.dut.switches.pfc.emplace();
  const TrialResult result = runTrial(spec);
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

}  // namespace
}  // namespace plumbline::sim::testing
