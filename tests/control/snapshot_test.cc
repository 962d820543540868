// An observer's values of a trial against the bench's results of the same trial: the one counts
// events as they happen, the other reads the fabric's own counters at the end. And that observing
// changes nothing.
#include "bench/trial/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/json.h"
#include "bench/sim/sim_bench.h"
#include "bench/trial/trial.h"
#include "control/live_watcher.h"

namespace plumbline::control {
namespace {

using bench::TrialResult;
using bench::TrialSnapshot;
using bench::TrialSpec;

// Takes a snapshot at every call.
class Onlooker final : public bench::TrialObserver {
 public:
  bool due() override { return true; }
  void onSnapshot(const TrialSnapshot& snapshot) override { seen.push_back(snapshot); }
  std::vector<TrialSnapshot> seen;
};

// Four senders into one port of a switch with ECN and PFC, streams.
TrialSpec incast() {
  TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kSingleSwitch;
  spec.dut.topology.hosts = 5;
  spec.dut.switches.shared_buffer.emplace();
  spec.dut.switches.ecn.push_back({.kmin = Bytes(20'000), .kmax = Bytes(80'000)});
  spec.dut.switches.pfc.emplace();
  spec.dut.switches.pfc->xoff = Bytes(60'000);
  spec.dut.switches.pfc->xon = Bytes(30'000);
  for (std::uint32_t from = 1; from < 5; ++from) {
    bench::StreamSpec stream;
    stream.name = "s" + std::to_string(from);
    stream.from = from;
    stream.to = 0;
    stream.frame = Bytes(1'024);
    stream.load = bench::ConstantLoad{Fraction::percent(40)};
    spec.streams.push_back(stream);
  }
  spec.duration = microseconds(400);
  spec.drain = microseconds(200);
  return spec;
}

// The same fabric with messages over RoCEv2.
TrialSpec messages() {
  TrialSpec spec = incast();
  spec.streams.clear();
  spec.duration = Picoseconds();
  workload::JobSpec job;
  job.name = "incast";
  job.placement.ranks = 5;
  workload::MessageProgram program;
  program.pattern = workload::Pattern::kIncast;
  program.bytes = 400'000;
  program.messages = 1;
  job.program = program;
  spec.workload.emplace();
  spec.workload->jobs = {job};
  return spec;
}

std::string reproducible(const TrialResult& result) {
  nlohmann::json json = nlohmann::json::parse(result.toJson());
  json.erase("wall_seconds");
  json.at("fabric").erase("peak_rss_bytes");
  return json.dump();
}

TrialResult watched(const TrialSpec& spec, Onlooker& onlooker, unsigned threads = 1) {
  bench::SimBench bench({.line_rate = gigabitsPerSecond(100), .threads = threads});
  bench::TrialHooks hooks;
  hooks.observer = &onlooker;
  return bench.run(spec, hooks);
}

TEST(TrialSnapshot, LookingChangesNothing) {
  for (const TrialSpec& spec : {incast(), messages()}) {
    Onlooker onlooker;
    const std::string seen = reproducible(watched(spec, onlooker));
    bench::SimBench bench({.line_rate = gigabitsPerSecond(100)});
    EXPECT_EQ(reproducible(bench.run(spec, {})), seen);
    Onlooker threaded;
    EXPECT_EQ(reproducible(watched(spec, threaded, 2)), seen);
    EXPECT_GE(onlooker.seen.size(), 3u);
  }
}

TEST(TrialSnapshot, TheLastOneAgreesWithTheResult) {
  Onlooker onlooker;
  const TrialResult result = watched(incast(), onlooker);
  const TrialSnapshot& last = onlooker.seen.back();
  EXPECT_TRUE(last.ended);
  EXPECT_EQ(last.time, result.fabric->sim_end);

  std::map<std::string, bench::LinkSnapshot> links;
  for (const auto& link : last.links) links[link.name] = link;
  std::size_t with_data = 0;
  for (const bench::LinkLoad& load : result.fabric->links) {
    if (load.packets + load.dropped == 0) continue;  // PAUSE frames alone
    ++with_data;
    const bench::LinkSnapshot& link = links[load.name];
    EXPECT_EQ(link.packets, load.packets) << load.name;
    EXPECT_EQ(link.bytes, load.bytes) << load.name;
    EXPECT_EQ(link.dropped, load.dropped) << load.name;
    EXPECT_EQ(link.marked, load.marked) << load.name;
    EXPECT_EQ(link.rate, load.rate) << load.name;
  }
  EXPECT_EQ(last.links.size(), with_data);
  ASSERT_EQ(last.flows.size(), result.streams.size());
  for (std::size_t i = 0; i < last.flows.size(); ++i) {
    EXPECT_EQ(last.flows[i].name, result.streams[i].name);
    EXPECT_EQ(last.flows[i].sent_frames, result.streams[i].sent_frames);
    EXPECT_EQ(last.flows[i].received_frames, result.streams[i].received_frames);
    EXPECT_EQ(last.flows[i].ce, result.streams[i].ce);
  }
  ASSERT_TRUE(last.latency.has_value());
  EXPECT_EQ(last.latency->count(), result.latency.at(0).histogram.count());
  EXPECT_EQ(last.latency->quantile(0.99), result.latency.at(0).histogram.quantile(0.99));
  const fabric::LinkCounters& total = result.fabric->total;
  EXPECT_GT(total.marked, 0u);
  EXPECT_EQ(last.congestion.marked, total.marked);
  EXPECT_EQ(last.congestion.ce_received, result.fabric->endpoints.ce_received);
}

TEST(TrialSnapshot, PausesAddUpToWhatThePortsCounted) {
  Onlooker onlooker;
  const TrialResult result = watched(incast(), onlooker);
  Picoseconds ended;
  std::uint64_t spans = 0;
  for (const TrialSnapshot& snapshot : onlooker.seen) {
    for (const bench::PauseSnapshot& pause : snapshot.pauses) {
      EXPECT_LT(pause.span.from, pause.span.until + Picoseconds(1));
      if (pause.open && !snapshot.ended) continue;  // comes again
      ended += pause.span.until - pause.span.from;
      ++spans;
    }
  }
  Picoseconds counted;
  for (const Picoseconds paused : result.fabric->total.paused) counted += paused;
  EXPECT_GT(spans, 10u);
  EXPECT_EQ(ended, counted);
}

TEST(TrialSnapshot, TotalsOnlyGrowAndQueuesAreSeen) {
  Onlooker onlooker;
  const TrialResult result = watched(incast(), onlooker);
  std::uint64_t received = 0;
  std::uint64_t deepest = 0;
  Picoseconds time;
  for (const TrialSnapshot& snapshot : onlooker.seen) {
    EXPECT_GE(snapshot.time, time);
    time = snapshot.time;
    std::uint64_t now = 0;
    for (const auto& flow : snapshot.flows) now += flow.received_bytes;
    EXPECT_GE(now, received);
    received = now;
    for (const auto& link : snapshot.links) {
      EXPECT_LE(link.queue_bytes, link.max_queue_bytes);
      deepest = std::max(deepest, link.max_queue_bytes);
    }
  }
  // A departure reports the queue that it leaves: the deepest queue minus one frame.
  std::uint64_t deepest_counted = 0;
  for (const auto& link : result.fabric->links) {
    deepest_counted = std::max(deepest_counted, link.max_queue_bytes);
  }
  EXPECT_LE(deepest, deepest_counted);
  EXPECT_GE(deepest + 2'048, deepest_counted);
}

// Every interval is one instant: a port never sends faster than its line rate, and received frames
// were sent before.
TEST(TrialSnapshot, IsOfOneInstant) {
  for (const TrialSpec& spec : {incast(), messages()}) {
    Onlooker onlooker;
    watched(spec, onlooker);
    std::optional<TrialSnapshot> previous;
    double busiest = 0;
    for (const TrialSnapshot& snapshot : onlooker.seen) {
      const LiveInterval live = intervalOf(snapshot, previous);
      std::uint64_t sent = 0;
      std::uint64_t received = 0;
      for (const LivePort& port : live.ports) {
        EXPECT_LE(port.tx_bps, 100e9 * (1 + 1e-9)) << port.name << " at " << live.trial.time_ps;
        EXPECT_LE(port.rx_bps, 100e9 * (1 + 1e-9)) << port.name << " at " << live.trial.time_ps;
        sent += port.tx_frames;
        received += port.rx_frames;
      }
      EXPECT_LE(received, sent);
      for (const LiveLink& link : live.links) {
        EXPECT_LE(link.utilisation, 1 + 1e-9) << link.name << " at " << live.trial.time_ps;
        busiest = std::max(busiest, link.utilisation);
      }
      previous = snapshot;
    }
    EXPECT_NEAR(busiest, 1, 1e-6);  // the incast's receiver
  }
}

// The marks that receivers saw, flow by flow and over the intervals, are those of the result.
TEST(TrialSnapshot, CeOfFlowsAddsUpToTheResult) {
  std::vector<TrialSpec> specs = {incast(), messages(), messages()};
  specs[2].transport = transport::UetSpec{};
  for (const TrialSpec& spec : specs) {
    Onlooker onlooker;
    const TrialResult result = watched(spec, onlooker);
    std::uint64_t before = 0;
    std::uint64_t summed = 0;
    bool early = false;  // some were seen while the trial ran
    for (const TrialSnapshot& snapshot : onlooker.seen) {
      const LiveInterval live = intervalOf(snapshot, std::nullopt);
      std::uint64_t of_flows = 0;
      for (const LiveFlow& flow : live.flows) of_flows += flow.ce.value();
      EXPECT_EQ(of_flows, live.congestion.ce_received);
      summed += of_flows - before;
      before = of_flows;
      early = early || (!snapshot.ended && of_flows > 0);
    }
    EXPECT_TRUE(early);
    EXPECT_GT(summed, 0u);
    EXPECT_EQ(summed, result.fabric->endpoints.ce_received);
  }
}

TEST(TrialSnapshot, MessagesAreFlowsWithPayload) {
  Onlooker onlooker;
  const TrialResult result = watched(messages(), onlooker);
  const TrialSnapshot& last = onlooker.seen.back();
  EXPECT_EQ(last.flow_count, last.flows.size());
  std::uint64_t payload = 0;
  for (const auto& flow : last.flows) {
    EXPECT_EQ(flow.to, 0u);
    payload += flow.received_bytes;
  }
  EXPECT_EQ(payload, result.fabric->jobs.at(0).bytes_arrived);
  EXPECT_EQ(payload, 4u * 400'000u);
  EXPECT_EQ(last.congestion.cnp_sent, result.fabric->endpoints.cnp_sent);
  EXPECT_EQ(last.latency->count(), result.fabric->endpoints.latency.count());
}

// A stored trial has no snapshots: those from its result must be the same.
TEST(TrialSnapshot, OfAResultIsLikeTheLastOne) {
  Onlooker onlooker;
  const TrialSpec spec = incast();
  const TrialResult result = watched(spec, onlooker);
  const TrialSnapshot made = snapshotOf(spec, TrialResult::fromJson(result.toJson()));
  const TrialSnapshot& last = onlooker.seen.back();
  EXPECT_TRUE(made.ended);
  ASSERT_EQ(made.flows.size(), last.flows.size());
  EXPECT_EQ(made.flows[2].received_bytes, last.flows[2].received_bytes);
  EXPECT_EQ(made.latency->count(), last.latency->count());
  EXPECT_EQ(made.congestion.marked, last.congestion.marked);
  EXPECT_EQ(made.links.size(), last.links.size());
}

}  // namespace
}  // namespace plumbline::control
