// Retries of the fabric's hops, each against the closed form of its own link.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "bench/sim/sim_bench.h"
#include "stats/binomial.h"

namespace plumbline::bench {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr Bytes kHopTestFrame{1024};
constexpr Picoseconds kTaken{81'920};  // by it on a line of 100 Gb/s
constexpr double kRatio = 1e-5;        // 7.9 % of the frames

// Two leaves and a spine, cables of lengths of their own; the leaves' uplinks are faster.
TrialSpec chosenHops() {
  fabric::GraphSpec graph;
  graph.hosts = {"a", "b"};
  graph.switches = {"leaf0", "leaf1", "spine0"};
  const auto cable = [&](const char* a, const char* b, std::int64_t gigabits, std::int64_t ns) {
    graph.cables.push_back({a, b, gigabitsPerSecond(gigabits), nanoseconds(ns)});
  };
  cable("a", "leaf0", 100, 300);
  cable("leaf0", "spine0", 400, 700);
  cable("spine0", "leaf1", 400, 1100);
  cable("leaf1", "b", 100, 450);
  TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kGraph;
  spec.dut.topology.graph = graph;
  spec.dut.topology.link_rate = gigabitsPerSecond(100);
  spec.dut.switches.llr = fabric::LlrSpec{nanoseconds(50), nanoseconds(70)};
  spec.dut.switches.buffer_per_port = Bytes(100'000'000);
  spec.dut.bit_errors = {{"*", kRatio}};
  StreamSpec stream;
  stream.name = "a to b";
  stream.from = 0;
  stream.to = 1;
  stream.frame = kHopTestFrame;
  spec.streams.push_back(stream);
  return spec;
}

TrialSpec with(TrialSpec spec, Fraction load, Picoseconds duration) {
  spec.streams.front().load = ConstantLoad{load};
  spec.duration = duration;
  spec.drain = milliseconds(5);
  return spec;
}

// Under load no errors on the sender's own link, where a retry would make its next frames late.
TrialSpec underLoad(Picoseconds duration) {
  TrialSpec spec = with(chosenHops(), Fraction::percent(20), duration);
  spec.dut.bit_errors = {{"fabric", kRatio}, {"leaf1-b", kRatio}};
  return spec;
}

std::map<std::string, HopRetries> hopsIn(const TrialResult& result) {
  std::map<std::string, HopRetries> hops;
  for (const LinkLoad& link : result.fabric->links) {
    if (link.retries) hops.emplace(link.name, *link.retries);
  }
  return hops;
}

TrialResult runOnHosts(const TrialSpec& spec) {
  TrialResult result = SimBench({.line_rate = gigabitsPerSecond(100)}).run(spec, {});
  EXPECT_THAT(result.faults, IsEmpty());
  return result;
}

void expectNothingAbove(const TrialResult& result) {
  const StreamResult& stream = result.streams.at(0);
  EXPECT_EQ(stream.received_frames, stream.sent_frames);
  EXPECT_EQ(stream.lost + stream.duplicate + stream.out_of_order, 0U);
}

// There and back, 120 ns of processing, and the frame, which is four times shorter between the
// switches.
const std::map<std::string, Picoseconds>& closedForms() {
  static const std::map<std::string, Picoseconds> forms{
      {"a-leaf0", nanoseconds(2 * 300 + 120) + kTaken},
      {"leaf0-spine0", nanoseconds(2 * 700 + 120) + kTaken / 4},
      {"spine0-leaf1", nanoseconds(2 * 1100 + 120) + kTaken / 4},
      {"leaf1-b", nanoseconds(2 * 450 + 120) + kTaken}};
  return forms;
}

// One replay at most: a frame that is damaged twice is given up, and an INIT follows it, which is
// itself damaged one time in a thousand and then sent again.
TEST(HopRetries, AnInitFollowsEveryFrameThatIsGivenUp) {
  TrialSpec spec = with(chosenHops(), Fraction::percent(1), milliseconds(60));
  spec.dut.switches.llr->max_replays = 1;
  const TrialResult result = runOnHosts(spec);
  const fabric::LinkCounters& total = result.fabric->total;
  const std::uint64_t given_up =
      total.drops[static_cast<std::size_t>(fabric::DropReason::kReplays)];
  EXPECT_GT(given_up, 50U);
  EXPECT_GE(total.inits, given_up);
  EXPECT_LE(total.inits, given_up + 5);
  EXPECT_EQ(FabricResult::fromJson(result.fabric->toJson()).total.inits, total.inits);
}

// Frames 30 us apart: a retry is over before the next frame, however often its copy is damaged. The
// way back has no errors: every NACK and ACK arrives.
TEST(HopRetries, AloneTakeTheClosedFormToThePicosecond) {
  const Fraction load = Fraction::partsPerTrillion(83'520 * Fraction::kOne / 30'000'000);
  TrialSpec spec = with(chosenHops(), load, milliseconds(60));
  spec.dut.bit_errors.clear();
  for (const auto& [name, form] : closedForms()) spec.dut.bit_errors.push_back({name, kRatio});
  const TrialResult result = runOnHosts(spec);
  expectNothingAbove(result);
  const auto hops = hopsIn(result);
  ASSERT_EQ(hops.size(), closedForms().size());
  for (const auto& [name, hop] : hops) {
    SCOPED_TRACE(name);
    const auto form = static_cast<std::uint64_t>(closedForms().at(name).count());
    EXPECT_GT(hop.retries, 50U);
    EXPECT_EQ(hop.latency.count(), hop.retries);
    EXPECT_EQ(hop.computed.min, closedForms().at(name));
    EXPECT_EQ(hop.computed.max, closedForms().at(name));
    EXPECT_EQ(hop.latency.minimum(), form);
    EXPECT_EQ(hop.latency.quantile(0.5) / form, 1U);
    EXPECT_EQ(hop.latency.maximum() % form, 0U);
    // All attempts together take the same multiple of one attempt: each ends with a NACK or
    // successfully.
    EXPECT_EQ(hop.latency.sumHigh(), 0U);
    EXPECT_EQ(hop.latency.sumLow(), hop.nacks * form);
    // No frame follows a damaged frame.
    EXPECT_EQ(hop.damaged, hop.nacks);
    EXPECT_EQ(hop.replayed, hop.nacks);
    EXPECT_EQ(hop.replayed_bytes, hop.nacks * 1024);
  }
}

// Each frame's first attempt fails independently, whatever is repeated around it: the number of
// retries is binomial.
TEST(HopRetries, AreAsManyAsTheErrorsMake) {
  const TrialResult result = runOnHosts(underLoad(milliseconds(10)));
  expectNothingAbove(result);
  const auto sent = static_cast<double>(result.streams.at(0).sent_frames);
  EXPECT_GT(sent, 20'000);
  const double struck = 1 - std::pow(1 - kRatio, 8.0 * 1024);
  const stats::Interval range = stats::binomialRange(sent, struck, 0.99);
  const auto hops = hopsIn(result);
  ASSERT_EQ(hops.size(), 3U);
  for (const auto& [name, hop] : hops) {
    SCOPED_TRACE(name);
    EXPECT_EQ(hop.bit_error_rate, kRatio);
    EXPECT_GE(static_cast<double>(hop.retries), range.low);
    EXPECT_LE(static_cast<double>(hop.retries), range.high);
    EXPECT_GE(hop.nacks, hop.retries);
    EXPECT_GE(hop.damaged, hop.nacks);
    EXPECT_GT(hop.replayed, hop.nacks);
    // At least the time on a free line, and the shortest at most a frame more.
    EXPECT_GE(hop.latency.minimum(), static_cast<std::uint64_t>(hop.computed.min.count()));
    EXPECT_LE(hop.latency.minimum(),
              static_cast<std::uint64_t>((hop.computed.max + Picoseconds(83'520)).count()));
  }
}

// Sums of all links are those of the hops.
TEST(HopRetries, AddUpToTheTotal) {
  const TrialResult result = runOnHosts(underLoad(milliseconds(2)));
  HopRetries all;
  for (const auto& [name, hop] : hopsIn(result)) {
    all.damaged += hop.damaged;
    all.retries += hop.retries;
    all.replayed += hop.replayed;
    all.latency.merge(hop.latency);
  }
  const fabric::LinkCounters& total = result.fabric->total;
  EXPECT_EQ(total.damaged, all.damaged);
  EXPECT_EQ(total.retries, all.retries);
  EXPECT_EQ(total.replayed, all.replayed);
  EXPECT_EQ(total.retry_max.count(), static_cast<std::int64_t>(all.latency.maximum()));
  EXPECT_EQ(total.retry_total.count(), static_cast<std::int64_t>(all.latency.sumLow()));
  EXPECT_EQ(TrialResult::fromJson(result.toJson()).toJson(), result.toJson());
}

// Errors of the way back destroy NACKs: those retries are counted, and timed apart.
TEST(HopRetries, WaitForTheTimerWhereNacksAreLost) {
  TrialSpec spec = underLoad(milliseconds(2));
  spec.dut.bit_errors = {{"leaf1-b", 1e-5}, {"b-leaf1", 1e-3}};
  spec.dut.switches.llr->replay_timer = microseconds(10);
  const TrialResult result = runOnHosts(spec);
  expectNothingAbove(result);
  const HopRetries hop = hopsIn(result).at("leaf1-b");
  EXPECT_GT(hop.nacks_lost, 5U);
  EXPECT_GT(hop.timed_latency.count(), 5U);
  EXPECT_LE(hop.timed_latency.count(), hop.nacks_lost);
  EXPECT_EQ(hop.latency.count() + hop.timed_latency.count(), hop.retries);
  EXPECT_GE(hop.timed_latency.minimum(), 10'000'000U);
  EXPECT_LT(hop.latency.quantile(0.5), 10'000'000U);
  EXPECT_EQ(result.fabric->total.nacks_lost, hop.nacks_lost);
  EXPECT_EQ(TrialResult::fromJson(result.toJson()).toJson(), result.toJson());
}

TEST(HopRetries, AreOfTheLinksThatHaveErrors) {
  TrialSpec spec = underLoad(microseconds(200));
  spec.dut.bit_errors = {{"spine0-leaf1", 1e-6}, {"leaf1-b", 1e-5}};
  const auto hops = hopsIn(runOnHosts(spec));
  std::vector<std::string> names;
  names.reserve(hops.size());
  for (const auto& [name, hop] : hops) names.push_back(name);
  EXPECT_THAT(names, UnorderedElementsAre("spine0-leaf1", "leaf1-b"));
  EXPECT_EQ(hops.at("leaf1-b").bit_error_rate, 1e-5);
}

TEST(HopRetries, WithoutRetryThereAreNone) {
  TrialSpec spec = underLoad(microseconds(200));
  spec.dut.switches.llr.reset();
  const TrialResult lossy = runOnHosts(spec);
  EXPECT_THAT(hopsIn(lossy), IsEmpty());
  EXPECT_GT(lossy.lost(), 0U);
  spec.dut.switches.llr.emplace();
  spec.dut.bit_errors.clear();
  EXPECT_THAT(hopsIn(runOnHosts(spec)), IsEmpty());
}

}  // namespace
}  // namespace plumbline::bench
