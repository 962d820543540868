// The bench over the whole stack: what it runs and refuses, when it ends, and that the same trial
// gives the same result.
#include "bench/sim/sim_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/error.h"
#include "base/json.h"
#include "bench/sim/sim_hosts.h"
#include "tests/sim/stack.h"
#include "transport/roce/roce_spec.h"
#include "transport/uet/uet_spec.h"

namespace plumbline::sim::testing {
namespace {

using bench::SimBench;
using bench::SimBenchOptions;
using bench::TrialResult;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TrialResult run(const TrialSpec& spec, unsigned threads = 1) {
  SimBenchOptions options;
  options.threads = threads;
  return SimBench(options).run(spec, {});
}

// The result as text, without what it cost.
std::string reproducible(const TrialResult& result) {
  nlohmann::json json = nlohmann::json::parse(result.toJson());
  EXPECT_EQ(json.erase("wall_seconds"), 1U);
  EXPECT_EQ(json.at("fabric").erase("peak_rss_bytes"), 1U);
  return json.dump();
}

bench::StreamSpec stream(HostId from, HostId to, std::int64_t percent) {
  bench::StreamSpec stream;
  stream.name = "stream" + std::to_string(from);
  stream.from = from;
  stream.to = to;
  stream.format.qps = 16;
  stream.frame = Bytes(1'024);
  stream.load = bench::ConstantLoad{Fraction::percent(percent)};
  return stream;
}

TrialSpec smallFabric() {
  TrialSpec spec;
  spec.dut = leafSpine(2, 2, 4, gigabitsPerSecond(100), nanoseconds(500));
  return spec;
}

workload::JobSpec ring(std::uint64_t bytes) {
  workload::CollectiveSpec spec;
  spec.bytes = bytes;
  return collective("ring", {0, 4, 1, 5, 2, 6}, spec);
}

// The error of building the trial; empty if there is none.
std::string buildingFault(const TrialSpec& spec) {
  try {
    fabric::Fabric fabric(spec.dut);
    const bench::SimHosts hosts(spec, fabric);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// A stream of one queue pair, 256 B and 20 B between frames at 50 Gb/s: a frame each 44.16 ns. One
// of them is held back by `delay`.
TrialSpec withALateFrame(Picoseconds delay, Picoseconds duration) {
  TrialSpec spec = smallFabric();
  spec.streams = {stream(0, 4, 50)};
  spec.streams[0].frame = Bytes(256);
  spec.streams[0].format.qps = 1;
  spec.dut.impairments = {{fabric::ImpairmentKind::kDelay, 0, 100, delay}};
  spec.duration = duration;
  return spec;
}

// A frame that 226 others overtake is out of order, not lost, and its latency is in the histogram:
// simulated receivers follow sequence numbers further than the card's 128.
TEST(SimBench, FollowsAFrameThatIsLaterThanTheCardsWindow) {
  const TrialResult result = run(withALateFrame(microseconds(10), microseconds(50)));
  ASSERT_THAT(result.faults, IsEmpty());
  const bench::StreamResult& seen = result.streams.at(0);
  EXPECT_EQ(seen.received_frames, seen.sent_frames);
  EXPECT_EQ(seen.lost + seen.stale + seen.duplicate, 0U);
  EXPECT_EQ(seen.out_of_order, 1U);
  const stats::Histogram& latency = result.latency.at(0).histogram;
  EXPECT_EQ(latency.count(), seen.sent_frames);
  EXPECT_NEAR(static_cast<double>(latency.maximum() - latency.minimum()), 10e6, 1e5);
}

// 3 ms are 67,934 frames, more than the receiver's largest window of 65,536: it cannot tell whether
// the frame came before. The frame counts as arrived and has the largest latency.
TEST(SimBench, AFrameThatIsLaterThanEachWindowHasALatency) {
  const TrialResult result = run(withALateFrame(milliseconds(3), milliseconds(4)));
  ASSERT_THAT(result.faults, IsEmpty());
  const bench::StreamResult& seen = result.streams.at(0);
  EXPECT_EQ(seen.received_frames, seen.sent_frames);
  EXPECT_EQ(seen.stale, 1U);
  EXPECT_EQ(seen.lost + seen.duplicate + seen.out_of_order, 0U);
  const stats::Histogram& latency = result.latency.at(0).histogram;
  EXPECT_EQ(latency.count(), seen.sent_frames);
  EXPECT_NEAR(static_cast<double>(latency.maximum() - latency.minimum()), 3e9, 1e5);
}

// The bench reports the same error, word for word, without building anything.
TEST(SimBench, RefusesWhatCannotBeBuilt) {
  TrialSpec good = smallFabric();
  good.workload.emplace().jobs = {ring(100'000)};
  EXPECT_EQ(buildingFault(good), "");
  EXPECT_THAT(SimBench({}).refusals(good), IsEmpty());

  std::vector<TrialSpec> bad(8, good);
  bad[0].dut.failures = {{.element = "leaf7", .down = Picoseconds(0), .up = std::nullopt}};
  bad[1].dut.bit_errors = {{.link = "leaf0-leaf1", .rate = 1e-9}};
  bad[2].dut.topology.host_link_delay = Picoseconds(0);
  bad[3].workload->jobs[0].placement.hosts = {0, 99};
  bad[4].workload->jobs[0].flows = 0;
  bad[5].streams = {stream(0, 99, 10)};
  bad[5].duration = microseconds(10);
  transport::UetSpec uet;
  uet.mtu_payload = 3;
  bad[6].transport = uet;
  transport::RoceSpec roce;
  roce.path_mtu = 3;
  bad[7].transport = roce;
  for (std::size_t i = 0; i < bad.size(); ++i) {
    const std::string fault = buildingFault(bad[i]);
    EXPECT_NE(fault, "") << i;
    EXPECT_THAT(SimBench({}).refusals(bad[i]), ElementsAre(fault)) << i;
  }
}

// Streams beside a ring over UET: everything that draws random numbers, marks or loses frames takes
// part.
TrialSpec busyTrial() {
  TrialSpec spec = smallFabric();
  spec.dut.switches.buffer_per_port = Bytes(100'000);
  spec.dut.switches.trim = fabric::TrimSpec{.threshold = Bytes(50'000), .limit = Bytes(20'000)};
  spec.dut.switches.ecn = {{.kmin = Bytes(5'000), .kmax = Bytes(50'000)}};
  spec.dut.switches.load_balancing.kind = fabric::LoadBalancingKind::kSprayRandom;
  spec.dut.bit_errors = {{"fabric", 1e-7}};
  transport::UetSpec uet;
  uet.base_rtt = microseconds(8);
  spec.transport = uet;
  spec.workload.emplace();
  spec.workload->jobs = {ring(3U << 20)};
  std::get<workload::TrainingProgram>(spec.workload->jobs[0].program).compute_spread =
      microseconds(5);
  spec.streams = {stream(3, 7, 60), stream(7, 3, 60), stream(0, 5, 20)};
  spec.duration = microseconds(2'000);
  return spec;
}

TEST(SimBench, RunsStreamsOnly) {
  TrialSpec spec = smallFabric();
  spec.streams = {stream(0, 4, 50), stream(5, 1, 25)};
  spec.streams[1].group = 3;
  spec.duration = microseconds(50);
  const TrialResult result = run(spec);
  EXPECT_THAT(result.faults, IsEmpty());
  ASSERT_EQ(result.streams.size(), 2U);
  // 83.52 ns / 0.5 apart, as many as are due before 50 us.
  EXPECT_EQ(result.streams[0].sent_frames, 300U);
  EXPECT_EQ(result.streams[0].received_frames, 300U);
  EXPECT_EQ(result.streams[0].received_bytes, 300U * 1'024);
  EXPECT_EQ(result.streams[1].sent_frames, 150U);
  EXPECT_EQ(result.lost(), 0U);
  EXPECT_EQ(result.latency.size(), 2U);
  EXPECT_THAT(result.fabric->jobs, IsEmpty());
  // Each frame crosses four links.
  EXPECT_EQ(result.fabric->packet_hops, 450U * 4);
  EXPECT_EQ(result.fabric->frames_inside, 0U);
}

// The sender of each of the four links reports its consumed credits 20 us after a frame: after
// those at 0, after the first update, and after the second.
TEST(SimBench, CcUpdatesAreFramesOfTheirLinks) {
  TrialSpec spec = smallFabric();
  spec.dut.switches.cbfc = fabric::CbfcSpec{.consumed_period = microseconds(20)};
  spec.streams = {stream(0, 4, 50)};
  spec.streams[0].format.qps = 1;  // so all on one path
  spec.duration = microseconds(50);
  spec.drain = microseconds(40);
  const TrialResult result = run(spec);
  EXPECT_EQ(result.lost(), 0U);
  EXPECT_EQ(result.fabric->total.consumed_updates, 4U * 3);
  EXPECT_EQ(result.fabric->packet_hops, 4U * (300 + 3));
  // A frame takes 20 bytes of preamble and gap as well.
  const double possible_bytes = 12.5e9 * result.fabric->load_end.toSeconds();
  ASSERT_EQ(result.fabric->links.size(), 4U);
  for (const bench::LinkLoad& link : result.fabric->links) {
    EXPECT_NEAR(link.utilisation, (300 * 1'044 + 3 * 84) / possible_bytes, 1e-12) << link.name;
  }
}

const bench::LinkLoad* loadOf(const TrialResult& result, const std::string& name) {
  for (const bench::LinkLoad& link : result.fabric->links) {
    if (link.name == name) return &link;
  }
  return nullptr;
}

// Host 4 repeats its PAUSE after half of 65,535 quanta of 5.12 ns, 167.8 us, and ends it: at 10,
// 177.8, 345.5 and 410 us.
TEST(SimBench, PauseFramesTakePartInUtilisation) {
  TrialSpec spec = smallFabric();
  spec.dut.storms = {{4, 0x08, microseconds(10), microseconds(400)}};
  spec.streams = {stream(0, 5, 10)};
  spec.streams[0].format.qps = 1;
  spec.duration = microseconds(500);
  const TrialResult result = run(spec);
  EXPECT_EQ(result.fabric->total.control, 4U);
  const bench::LinkLoad* pauses = loadOf(result, "host4-leaf1");
  ASSERT_NE(pauses, nullptr);
  EXPECT_EQ(pauses->packets, 0U);
  const double possible_bytes = 12.5e9 * result.fabric->load_end.toSeconds();
  EXPECT_NEAR(pauses->utilisation, 4 * 84 / possible_bytes, 1e-12);
  EXPECT_EQ(loadOf(result, "leaf1-host4"), nullptr);  // nothing ever went there
}

// One frame in a hundred slots (8.4 us), so that retries of 1.2 us each are over before the next
// one: a frame is on the wire once more for each time that it was damaged.
TEST(SimBench, ReplaysTakePartInUtilisation) {
  TrialSpec spec = smallFabric();
  spec.dut.switches.llr = fabric::LlrSpec{};
  spec.dut.bit_errors = {{"leaf1-host4", 2e-5}};
  spec.streams = {stream(0, 4, 1)};
  spec.streams[0].format.qps = 1;
  spec.duration = microseconds(4'000);
  const TrialResult result = run(spec);
  EXPECT_EQ(result.lost(), 0U);
  const std::uint64_t sent = result.streams.at(0).sent_frames;
  const std::uint64_t damaged = result.fabric->total.damaged;
  EXPECT_GT(damaged, sent / 20);
  EXPECT_EQ(result.fabric->total.replayed, damaged);
  const double possible_bytes = 12.5e9 * result.fabric->load_end.toSeconds();
  const bench::LinkLoad* noisy = loadOf(result, "leaf1-host4");
  const bench::LinkLoad* clean = loadOf(result, "host0-leaf0");
  ASSERT_TRUE(noisy != nullptr && clean != nullptr);
  EXPECT_EQ(noisy->packets, sent);
  EXPECT_NEAR(noisy->utilisation, static_cast<double>((sent + damaged) * 1'044) / possible_bytes,
              1e-12);
  EXPECT_NEAR(clean->utilisation, static_cast<double>(sent * 1'044) / possible_bytes, 1e-12);
}

// A UC message is done when its sender has posted the last frame, which is on the wire then, or
// waits: 100 frames of 4,096 B of payload, 4,158 B on links, or 4,174 with a RETH, take 33.4 us.
TEST(SimBench, TheLoadOfUnacknowledgedJobsEndsWithTheLastFrame) {
  for (const bool cut : {false, true}) {
    TrialSpec spec = smallFabric();
    transport::RoceSpec roce;
    roce.service = transport::RoceService::kUc;
    spec.transport = roce;
    spec.workload.emplace();
    spec.workload->jobs = {messagesBetween({{0, 4}}, 409'600, 1)};
    // With a cut the last packets are lost behind the second switch.
    if (cut) spec.dut.failures.push_back({"leaf1-host4", microseconds(30), {}});
    const TrialResult result = run(spec);
    const bench::LinkLoad* first = loadOf(result, "host0-leaf0");
    ASSERT_NE(first, nullptr);
    const double wire = static_cast<double>(first->bytes + 20 * first->packets) * 80e-12;
    EXPECT_GT(wire, 33.4e-6);
    EXPECT_GE(result.fabric->load_end.toSeconds(), wire - 20 * 80e-12) << cut;
    EXPECT_LT(result.fabric->load_end, microseconds(39)) << cut;
    EXPECT_LT(first->utilisation, 1) << cut;
    EXPECT_NEAR(first->utilisation, wire / result.fabric->load_end.toSeconds(), 1e-9) << cut;
  }
}

// RC's timers are pending for a millisecond after the last message. The load ends with the last
// frame: 599 slots of 83.52 ns leave in 100 us, and cross four links of 500 ns.
TEST(SimBench, TheLoadOfStreamsEndsWithTheLastFrame) {
  TrialSpec spec = smallFabric();
  spec.streams = {stream(3, 7, 50)};
  spec.duration = microseconds(100);
  spec.drain = milliseconds(10);
  spec.workload.emplace();
  spec.workload->jobs = {ring(80'000)};
  const TrialResult result = run(spec);
  ASSERT_EQ(result.streams.at(0).received_frames, 599U);
  EXPECT_GT(result.fabric->sim_end, milliseconds(1));
  EXPECT_GT(result.fabric->load_end, microseconds(101));
  EXPECT_LT(result.fabric->load_end, microseconds(105));
  const bench::LinkLoad* first = loadOf(result, "host3-leaf0");
  ASSERT_NE(first, nullptr);
  EXPECT_NEAR(first->utilisation, 599 * 83.52e-9 / result.fabric->load_end.toSeconds(), 1e-9);
}

TEST(SimBench, RunsAWorkloadOnlyUntilItIsFinished) {
  TrialSpec spec = smallFabric();
  spec.workload.emplace();
  spec.workload->jobs = {ring(600'000)};
  const TrialResult result = run(spec);
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.streams, IsEmpty());
  ASSERT_EQ(result.fabric->jobs.size(), 1U);
  const bench::JobOutcome& job = result.fabric->jobs[0];
  EXPECT_TRUE(job.finished);
  // Ten messages of 100,000 bytes per rank.
  EXPECT_EQ(job.messages_completed, 60U);
  EXPECT_EQ(job.bytes_per_rank, 1'000'000U);
  EXPECT_EQ(job.bytes_arrived, 6'000'000U);
  ASSERT_EQ(job.iterations.size(), 1U);
  EXPECT_EQ(job.iterations[0], job.completion);
  EXPECT_GE(result.fabric->sim_end, job.completion);
  EXPECT_LE(result.fabric->sim_end, job.completion + microseconds(100));
}

TEST(SimBench, RunsStreamsBesideAWorkload) {
  TrialSpec spec = smallFabric();
  spec.streams = {stream(3, 7, 50)};
  spec.duration = microseconds(400);
  spec.workload.emplace();
  spec.workload->jobs = {ring(300'000)};
  const TrialResult result = run(spec);
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_TRUE(result.fabric->jobs.at(0).finished);
  EXPECT_EQ(result.streams.at(0).sent_frames, 2'395U);  // 400 us / 167.04 ns, rounded up
  EXPECT_EQ(result.streams.at(0).received_frames, 2'395U);
  EXPECT_EQ(result.fabric->endpoints.payload_received, 2'395U * 1'024 + 6 * 10 * 50'000);
}

TEST(SimBench, TheSameTrialGivesTheSameResultOnAnyThreads) {
  const TrialSpec spec = busyTrial();
  const TrialResult first = run(spec);
  EXPECT_GT(first.fabric->total.trimmed, 0U);
  EXPECT_GT(first.fabric->total.marked, 0U);
  EXPECT_GT(first.fabric->total.dropped(), 0U);
  const std::string text = reproducible(first);
  EXPECT_EQ(reproducible(run(spec)), text);
  for (const unsigned threads : {2U, 3U, 4U}) {
    EXPECT_EQ(reproducible(run(spec, threads)), text) << threads;
  }
}

TEST(SimBench, AnotherSeedGivesAnotherResult) {
  TrialSpec spec = busyTrial();
  const std::string text = reproducible(run(spec));
  spec.dut.seed = 2;
  EXPECT_NE(reproducible(run(spec)), text);
}

TEST(SimBench, ResultsSurviveTheirText) {
  const TrialResult result = run(busyTrial());
  EXPECT_EQ(TrialResult::fromJson(result.toJson()).toJson(), result.toJson());
}

TEST(SimBench, SaysWhatItCannotRun) {
  const SimBench bench{SimBenchOptions{}};
  TrialSpec spec = smallFabric();
  EXPECT_THAT(bench.refusals(spec), ElementsAre(HasSubstr("nothing to do")));
  spec.streams = {stream(0, 1, 50)};
  EXPECT_THAT(bench.refusals(spec), ElementsAre(HasSubstr("duration")));
  spec.duration = microseconds(1);
  EXPECT_THAT(bench.refusals(spec), IsEmpty());
  spec.capture_port = 0;
  EXPECT_THAT(bench.refusals(spec), ElementsAre(HasSubstr("capture")));
  spec.capture_port.reset();
  spec.streams[0].to = 0;
  EXPECT_EQ(bench.refusals(spec).size(), 1U);
  spec.streams[0].to = 99;
  EXPECT_THAT(bench.refusals(spec), ElementsAre(HasSubstr("no host 99")));
  spec.streams.clear();
  spec.workload.emplace();
  spec.workload->jobs = {collective("far", {0, 99}, {})};
  EXPECT_THAT(bench.refusals(spec), ElementsAre(HasSubstr("far")));
  spec.workload->jobs = {ring(1'000)};
  transport::RoceSpec roce;
  roce.path_mtu = 1'000;
  spec.transport = roce;
  EXPECT_EQ(bench.refusals(spec).size(), 1U);
  spec.transport.reset();
  EXPECT_THAT(bench.refusals(spec), IsEmpty());
  spec.dut.topology.host_link_delay = Picoseconds(0);
  EXPECT_EQ(bench.refusals(spec).size(), 1U);
  EXPECT_THROW(run(spec), Error);
}

TEST(SimBench, HasRoomForThousandsOfHosts) {
  constexpr std::uint32_t kHosts = 8192;
  TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kClos2;
  spec.dut.topology.leaves = 128;
  spec.dut.topology.spines = 64;
  spec.dut.topology.hosts_per_leaf = kHosts / 128;
  std::vector<std::pair<workload::Rank, workload::Rank>> pairs;
  for (std::uint32_t i = 0; i < kHosts; ++i) pairs.emplace_back(i, (i + kHosts / 2) % kHosts);
  spec.workload.emplace();
  spec.workload->jobs = {messagesBetween(pairs, 4'096, 1)};
  const TrialResult result = run(spec);
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_EQ(result.fabric->jobs.at(0).messages_completed, kHosts);
}

TEST(SimBench, ADurationEndsAWorkloadThatWouldGoOn) {
  TrialSpec spec = smallFabric();
  spec.workload.emplace();
  spec.workload->jobs = {messagesBetween({{0, 4}}, 100'000, UINT64_MAX)};
  spec.duration = microseconds(300);
  spec.drain = microseconds(40);
  const TrialResult result = run(spec);
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_EQ(result.fabric->sim_end, microseconds(340));
  EXPECT_FALSE(result.fabric->jobs.at(0).finished);
  EXPECT_GT(result.fabric->jobs.at(0).messages_completed, 10U);
  spec.duration = Picoseconds(0);
  EXPECT_THAT(SimBench{SimBenchOptions{}}.refusals(spec), ElementsAre(HasSubstr("without end")));
  std::get<workload::MessageProgram>(spec.workload->jobs[0].program).messages = 1;
  EXPECT_THAT(SimBench{SimBenchOptions{}}.refusals(spec), IsEmpty());
}

// Host 6 is cut off for good while the ring runs.
TrialSpec cutOff(transport::RoceService service) {
  TrialSpec spec = smallFabric();
  spec.workload.emplace();
  spec.workload->jobs = {ring(6U << 20)};
  spec.dut.failures.push_back({"leaf1-host6", microseconds(100), {}});
  transport::RoceSpec roce;
  roce.service = service;
  spec.transport = roce;
  return spec;
}

// Nothing arrives of what RC repeats after each of seven timeouts of 1 ms, but it is on the links.
TEST(SimBench, TheLoadOfStreamsHasRepetitionsInVain) {
  TrialSpec spec = cutOff(transport::RoceService::kRc);
  spec.workload->jobs = {messagesBetween({{0, 6}}, 4U << 20, 1)};
  spec.streams = {stream(3, 7, 50)};
  spec.duration = microseconds(200);
  spec.drain = milliseconds(100);
  const TrialResult result = run(spec);
  EXPECT_EQ(result.fabric->frames_inside, 0U);
  EXPECT_GT(result.fabric->load_end, milliseconds(7));
  const bench::LinkLoad* first = loadOf(result, "host0-leaf0");
  ASSERT_NE(first, nullptr);
  // A byte takes 80 ps at 100 Gb/s; preamble and gap take 20 bytes.
  EXPECT_NEAR(first->utilisation,
              static_cast<double>(first->bytes + 20 * first->packets) * 80e-12 /
                  result.fabric->load_end.toSeconds(),
              1e-9);
}

TEST(SimBench, AWorkloadWhoseMessagesFailIsAFault) {
  const TrialResult result = run(cutOff(transport::RoceService::kRc));
  EXPECT_GT(result.fabric->jobs.at(0).messages_failed, 0U);
  EXPECT_THAT(result.faults, ElementsAre(HasSubstr("stopped before it was finished"),
                                         HasSubstr("messages failed")));
  // Messages of a job that does not wait for completions fail as well, though the job ends.
  TrialSpec messages = cutOff(transport::RoceService::kRc);
  messages.workload->jobs = {messagesBetween({{0, 6}}, 4U << 20, 1)};
  const TrialResult single = run(messages);
  EXPECT_TRUE(single.fabric->jobs.at(0).finished);
  EXPECT_THAT(single.faults, ElementsAre(HasSubstr("1 message failed")));
}

// One message, of which nothing gets through.
TrialSpec standing(const std::function<void(fabric::FabricSpec&)>& change) {
  TrialSpec spec = smallFabric();
  change(spec.dut);
  transport::RoceSpec roce;
  roce.service = transport::RoceService::kUc;
  spec.transport = roce;
  spec.workload.emplace().jobs = {messagesBetween({{0, 6}}, 1U << 20, 1)};
  return spec;
}

TEST(SimBench, AStandstillSaysWhatIsKnownOfItsCause) {
  const auto fault = [](const TrialSpec& spec) {
    const TrialResult result = run(spec);
    return result.faults.empty() ? std::string() : result.faults.front();
  };
  const auto credited = [](const std::function<void(fabric::CbfcSpec&)>& change) {
    return standing([&](fabric::FabricSpec& dut) { change(dut.switches.cbfc.emplace()); });
  };
  EXPECT_THAT(fault(standing([](fabric::FabricSpec& dut) {
                dut.switches.llr.emplace();
                dut.bit_errors = {{"*", 1e-3}};
              })),
              AllOf(HasSubstr("because of bit errors LLR repeats "), HasSubstr(" without success"),
                    Not(HasSubstr("wait for each other"))));
  EXPECT_THAT(fault(credited([](fabric::CbfcSpec& cbfc) { cbfc.credits = 32; })),
              HasSubstr("1 frame waits for credits that no pending event returns"));
  // The credits of lost frames never come back.
  TrialSpec lossy = credited([](fabric::CbfcSpec& cbfc) {
    cbfc.credits = 72;
    cbfc.consumed_period = Picoseconds(0);
  });
  lossy.dut.bit_errors = {{"leaf0-spine0", 3e-5}, {"leaf0-spine1", 3e-5}};
  EXPECT_THAT(fault(lossy), AllOf(HasSubstr("for credits that no pending event returns"),
                                  Not(HasSubstr("wait for each other"))));
}

TEST(SimBench, AWorkloadThatCanNeverFinishIsAFaultAlsoBeforeItsDurationIsOver) {
  TrialSpec spec = cutOff(transport::RoceService::kUc);
  EXPECT_THAT(run(spec).faults, ElementsAre(HasSubstr("stopped before it was finished")));
  spec.duration = seconds(1);
  const TrialResult result = run(spec);
  EXPECT_THAT(result.faults, ElementsAre(HasSubstr("stopped before it was finished")));
  EXPECT_LT(result.fabric->sim_end, milliseconds(10));
}

// Host 6 pauses its leaf for three seconds, and the leaf pauses its senders: RC gives up its
// messages meanwhile, and the ring cannot continue when the frames arrive at last.
TEST(SimBench, AWorkloadThatAStormHasStoppedIsAFaultOnceTheStormIsOver) {
  TrialSpec spec = cutOff(transport::RoceService::kRc);
  spec.dut.failures.clear();
  spec.dut.switches.shared_buffer = fabric::SharedBufferSpec{};
  spec.dut.switches.pfc = fabric::PfcSpec{};
  spec.dut.storms.push_back({6, 0x08, microseconds(100), seconds(3)});
  const TrialResult result = run(spec);
  EXPECT_EQ(result.fabric->frames_inside, 0U);
  EXPECT_FALSE(result.fabric->jobs.at(0).finished);
  EXPECT_THAT(result.faults, ::testing::Contains(HasSubstr("stopped before it was finished")));
  EXPECT_GE(result.fabric->sim_end, seconds(3));
}

}  // namespace
}  // namespace plumbline::sim::testing
