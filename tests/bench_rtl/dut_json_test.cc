#include "bench/json/dut_json.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/json.h"
#include "tests/bench_rtl/all_differ.h"

namespace plumbline::bench {
namespace {

using fabric::FabricSpec;
using fabric::TopologyKind;

// These fail to compile when a struct gets a member, as a reminder to add its line below.
[[maybe_unused]] void membersAsOfThisTest(FabricSpec& s) {
  [[maybe_unused]] auto& [a1, a2, a3, a4, a5, a6, a7, a8, a9] = s;
  [[maybe_unused]] auto& [b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15, b16,
                          b17, b18] = s.topology;
  [[maybe_unused]] auto& [c1, c2, c3] = s.topology.graph;
  [[maybe_unused]] auto& [d1, d2, d3, d4] = s.topology.graph.cables[0];
  [[maybe_unused]] auto& [e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13] = s.switches;
  [[maybe_unused]] auto& [f1, f2, f3] = *s.switches.shared_buffer;
  [[maybe_unused]] auto& [g1, g2, g3, g4, g5] = s.switches.ecn[0];
  [[maybe_unused]] auto& [h1, h2, h3, h4, h5, h6, h7, h8] = *s.switches.pfc;
  [[maybe_unused]] auto& [i1, i2, i3, i4] = *s.switches.pfc->watchdog;
  [[maybe_unused]] auto& [j1, j2, j3, j4] = *s.switches.trim;
  [[maybe_unused]] auto& [k1, k2, k3, k4, k5, k6, k7, k8, k9] = *s.switches.cbfc;
  [[maybe_unused]] auto& [q1, q2] = s.switches.cbfc->virtual_channels[0];
  [[maybe_unused]] auto& [l1, l2, l3, l4, l5, l6, l7, l8] = *s.switches.llr;
  [[maybe_unused]] auto& [m1, m2] = s.switches.load_balancing;
  [[maybe_unused]] auto& [n1, n2] = s.bit_errors[0];
  [[maybe_unused]] auto& [o1, o2, o3] = s.failures[0];
  [[maybe_unused]] auto& [p1, p2, p3, p4] = s.storms[0];
}

using Change = void (*)(FabricSpec&);

// Every change must give a different text.
void expectDifferent(const FabricSpec& base, std::initializer_list<Change> changes) {
  expectAllDiffer(base, changes, [](const auto& spec) { return dutToJson(spec).dump(); });
}

FabricSpec ofKind(TopologyKind kind) {
  FabricSpec spec;
  spec.topology.kind = kind;
  return spec;
}

const Change kLink = [](FabricSpec& s) { s.topology.link_rate = gigabitsPerSecond(200); };
const Change kHostDelay = [](FabricSpec& s) { s.topology.host_link_delay += Picoseconds(1); };
const Change kFabricDelay = [](FabricSpec& s) { s.topology.fabric_link_delay += Picoseconds(1); };
const Change kFabricRate = [](FabricSpec& s) { s.topology.fabric_rate = gigabitsPerSecond(400); };
const Change kUplinks = [](FabricSpec& s) { s.topology.uplinks = 2; };
const Change kSpines = [](FabricSpec& s) { s.topology.spines = 3; };
const Change kLeaves = [](FabricSpec& s) { s.topology.leaves = 3; };
const Change kHostsPerLeaf = [](FabricSpec& s) { s.topology.hosts_per_leaf = 3; };

TEST(DutJson, EveryFieldOfEveryTopologyShows) {
  std::set<std::string> kinds;
  for (const auto kind :
       {TopologyKind::kLink, TopologyKind::kSingleSwitch, TopologyKind::kClos2,
        TopologyKind::kClos3, TopologyKind::kRail, TopologyKind::kPools, TopologyKind::kGraph}) {
    EXPECT_TRUE(kinds.insert(dutToJson(ofKind(kind)).dump()).second);
  }
  expectDifferent(ofKind(TopologyKind::kLink), {kLink, kHostDelay});
  expectDifferent(ofKind(TopologyKind::kSingleSwitch),
                  {kLink, kHostDelay, [](FabricSpec& s) { s.topology.hosts = 3; }});
  expectDifferent(ofKind(TopologyKind::kClos2), {kLink, kHostDelay, kFabricDelay, kFabricRate,
                                                 kUplinks, kSpines, kLeaves, kHostsPerLeaf});
  expectDifferent(ofKind(TopologyKind::kClos3),
                  {kLink, kHostDelay, kFabricDelay, kFabricRate, kUplinks, kSpines, kLeaves,
                   kHostsPerLeaf, [](FabricSpec& s) { s.topology.pods = 3; },
                   [](FabricSpec& s) { s.topology.superspines = 4; }});
  expectDifferent(
      ofKind(TopologyKind::kRail),
      {kLink, kHostDelay, kFabricDelay, kFabricRate, kUplinks, kSpines,
       [](FabricSpec& s) { s.topology.servers = 3; }, [](FabricSpec& s) { s.topology.rails = 3; },
       [](FabricSpec& s) { s.topology.servers_per_leaf = 3; }});
  expectDifferent(ofKind(TopologyKind::kPools),
                  {kLink, kHostDelay, kFabricDelay, kFabricRate, kUplinks, kSpines, kHostsPerLeaf,
                   [](FabricSpec& s) { s.topology.prefill_leaves = 2; },
                   [](FabricSpec& s) { s.topology.decode_leaves = 2; }});
  FabricSpec graph = ofKind(TopologyKind::kGraph);
  graph.topology.graph = {{"a", "b"}, {"s"}, {{"a", "s"}, {"b", "s"}}};
  expectDifferent(graph,
                  {[](FabricSpec& s) { s.topology.graph.hosts[0] = "c"; },
                   [](FabricSpec& s) { s.topology.graph.switches[0] = "t"; },
                   [](FabricSpec& s) { s.topology.graph.cables.pop_back(); },
                   [](FabricSpec& s) { s.topology.graph.cables[1].a = "a"; },
                   [](FabricSpec& s) { s.topology.graph.cables[1].b = "a"; },
                   [](FabricSpec& s) { s.topology.graph.cables[1].rate = BitRate(1); },
                   [](FabricSpec& s) { s.topology.graph.cables[1].delay += Picoseconds(1); }});
}

FabricSpec withEverything() {
  FabricSpec spec = ofKind(TopologyKind::kClos2);
  spec.switches.ecn = {{}, {}};
  spec.switches.pfc.emplace().watchdog.emplace();
  spec.switches.trim.emplace();
  spec.switches.cbfc.emplace();
  spec.switches.llr.emplace();
  spec.switches.load_balancing.kind = fabric::LoadBalancingKind::kFlowlet;
  spec.bit_errors = {{"*", 1e-9}};
  spec.failures = {{"leaf0-spine0", milliseconds(1), milliseconds(2)}};
  spec.storms = {{1, 8, milliseconds(1), milliseconds(2)}};
  spec.impairments = {{fabric::ImpairmentKind::kDelay, 1, 7, nanoseconds(5)}};
  return spec;
}

TEST(DutJson, EveryFieldOfTheSwitchShows) {
  using Spec = FabricSpec;
  expectDifferent(
      withEverything(),
      {[](Spec& s) { s.switches.buffer_per_port += Bytes(1); },
       [](Spec& s) { s.switches.shared_buffer.emplace(); },
       [](Spec& s) { s.switches.shared_buffer = {{Bytes(7)}}; },
       [](Spec& s) { s.switches.shared_buffer.emplace().alpha = Fraction::percent(50); },
       [](Spec& s) { s.switches.shared_buffer.emplace().reserve_per_port = Bytes(1); },
       [](Spec& s) { s.switches.latency += Picoseconds(1); },
       [](Spec& s) { s.switches.forwarding = fabric::Forwarding::kCutThrough; },
       [](Spec& s) { s.switches.weights[3] = 1; },
       [](Spec& s) { s.switches.weights[4] = 1; },
       [](Spec& s) { s.switches.dwrr_quantum += Bytes(1); },
       [](Spec& s) { s.switches.voq = true; },
       [](Spec& s) { s.switches.ecn.clear(); },
       [](Spec& s) { s.switches.ecn.pop_back(); },
       [](Spec& s) { s.switches.ecn[1].priorities = 1; },
       [](Spec& s) { s.switches.ecn[1].kmin += Bytes(1); },
       [](Spec& s) { s.switches.ecn[1].kmax += Bytes(1); },
       [](Spec& s) { s.switches.ecn[1].pmax = Fraction::one(); },
       [](Spec& s) { s.switches.ecn[1].at_dequeue = true; },
       [](Spec& s) { s.switches.pfc.reset(); },
       [](Spec& s) { s.switches.pfc->priorities = 1; },
       [](Spec& s) { s.switches.pfc->xoff += Bytes(1); },
       [](Spec& s) { s.switches.pfc->xon += Bytes(1); },
       [](Spec& s) { s.switches.pfc->dynamic_alpha = Fraction(); },
       [](Spec& s) { s.switches.pfc->dynamic_alpha = Fraction::one(); },
       [](Spec& s) { s.switches.pfc->headroom += Bytes(1); },
       [](Spec& s) { s.switches.pfc->quanta = 7; },
       [](Spec& s) { s.switches.pfc->response += Picoseconds(1); },
       [](Spec& s) { s.switches.pfc->watchdog.reset(); },
       [](Spec& s) { s.switches.pfc->watchdog->poll += Picoseconds(1); },
       [](Spec& s) { s.switches.pfc->watchdog->detection += Picoseconds(1); },
       [](Spec& s) { s.switches.pfc->watchdog->restoration += Picoseconds(1); },
       [](Spec& s) { s.switches.pfc->watchdog->action = fabric::WatchdogSpec::Action::kForward; },
       [](Spec& s) { s.switches.trim.reset(); },
       [](Spec& s) { s.switches.trim->threshold += Bytes(1); },
       [](Spec& s) { s.switches.trim->keep += Bytes(1); },
       [](Spec& s) { s.switches.trim->priority = 1; },
       [](Spec& s) { s.switches.trim->limit += Bytes(1); },
       [](Spec& s) { s.switches.cbfc.reset(); },
       [](Spec& s) { s.switches.cbfc->channels = 1; },
       [](Spec& s) { s.switches.cbfc->credits = 1; },
       [](Spec& s) { s.switches.cbfc->virtual_channels.emplace_back(); },
       [](Spec& s) { s.switches.cbfc->virtual_channels.push_back({.credits = 1}); },
       [](Spec& s) { s.switches.cbfc->virtual_channels.push_back({.priorities = 1}); },
       [](Spec& s) { s.switches.cbfc->virtual_channels.resize(2); },
       [](Spec& s) { s.switches.cbfc->credit_size = Bytes(32); },
       [](Spec& s) { s.switches.cbfc->packet_overhead = -1; },
       [](Spec& s) { s.switches.cbfc->update_spacing += Bytes(1); },
       [](Spec& s) { s.switches.cbfc->update_period += Picoseconds(1); },
       [](Spec& s) { s.switches.cbfc->processing += Picoseconds(1); },
       [](Spec& s) { s.switches.cbfc->consumed_period += Picoseconds(1); },
       [](Spec& s) { s.switches.llr.reset(); },
       [](Spec& s) { s.switches.llr->receiver_processing += Picoseconds(1); },
       [](Spec& s) { s.switches.llr->sender_processing += Picoseconds(1); },
       [](Spec& s) { s.switches.llr->replay_timer = microseconds(9); },
       [](Spec& s) { s.switches.llr->replay_timer = microseconds(10); },
       [](Spec& s) { s.switches.llr->max_replays = 0; },
       [](Spec& s) { s.switches.llr->max_replays = 1; },
       [](Spec& s) { s.switches.llr->replay_buffer = Bytes(200'000); },
       [](Spec& s) { s.switches.llr->replay_buffer = Bytes(200'001); },
       [](Spec& s) { s.switches.llr->pcs_lost = microseconds(9); },
       [](Spec& s) { s.switches.llr->pcs_lost = microseconds(10); },
       [](Spec& s) { s.switches.llr->data_age = microseconds(9); },
       [](Spec& s) { s.switches.llr->data_age = microseconds(10); },
       [](Spec& s) { s.switches.llr->init_interval += Picoseconds(1); },
       [](Spec& s) { s.switches.load_balancing.flowlet_gap += Picoseconds(1); }});
}

TEST(DutJson, EveryLoadBalancingShows) {
  using Kind = fabric::LoadBalancingKind;
  std::set<std::string> seen;
  for (const Kind kind : {Kind::kEcmp, Kind::kEcmpQp, Kind::kFlowlet, Kind::kSprayRandom,
                          Kind::kSprayRoundRobin, Kind::kSprayLeastQueue, Kind::kWeighted}) {
    FabricSpec spec;
    spec.switches.load_balancing.kind = kind;
    EXPECT_TRUE(seen.insert(dutToJson(spec).dump()).second);
  }
}

TEST(DutJson, EveryFaultShows) {
  using Spec = FabricSpec;
  expectDifferent(withEverything(),
                  {[](Spec& s) { s.bit_errors.clear(); },
                   [](Spec& s) {
                     s.bit_errors.push_back({"hosts", 1e-9});
                   },
                   [](Spec& s) { s.bit_errors[0].link = "fabric"; },
                   [](Spec& s) { s.bit_errors[0].rate = 2e-9; },
                   [](Spec& s) { s.failures.clear(); },
                   [](Spec& s) { s.failures[0].element = "spine0"; },
                   [](Spec& s) { s.failures[0].down += Picoseconds(1); },
                   [](Spec& s) { *s.failures[0].up += Picoseconds(1); },
                   [](Spec& s) { s.failures[0].up.reset(); },
                   [](Spec& s) { s.convergence += Picoseconds(1); },
                   [](Spec& s) { s.storms.clear(); },
                   [](Spec& s) { s.storms[0].host = 0; },
                   [](Spec& s) { s.storms[0].priorities = 1; },
                   [](Spec& s) { s.storms[0].start += Picoseconds(1); },
                   [](Spec& s) { s.storms[0].duration += Picoseconds(1); },
                   [](Spec& s) { s.impairments.clear(); },
                   [](Spec& s) { s.impairments[0].kind = fabric::ImpairmentKind::kDrop; },
                   [](Spec& s) { s.impairments[0].host = 0; },
                   [](Spec& s) { s.impairments[0].frame = 0; },
                   [](Spec& s) { s.impairments[0].delay += Picoseconds(1); },
                   [](Spec& s) { s.seed = 2; },
                   [](Spec& s) { s.draw = 2; }});
}

// Fields without effect must not make trials differ.
TEST(DutJson, LeavesOutWhatHasNoEffect) {
  const auto same = [](const FabricSpec& base, const Change& change) {
    FabricSpec spec = base;
    change(spec);
    return dutToJson(base).dump() == dutToJson(spec).dump();
  };
  const FabricSpec clos = ofKind(TopologyKind::kClos2);
  EXPECT_TRUE(same(clos, [](FabricSpec& s) { s.topology.fabric_rate = s.topology.link_rate; }));
  EXPECT_TRUE(same(clos, [](FabricSpec& s) { s.topology.rails = 5; }));
  EXPECT_TRUE(same(clos, [](FabricSpec& s) { s.convergence = seconds(1); }));
  EXPECT_TRUE(
      same(clos, [](FabricSpec& s) { s.switches.load_balancing.flowlet_gap = seconds(1); }));
  EXPECT_TRUE(same(ofKind(TopologyKind::kRail), [](FabricSpec& s) { s.topology.leaves = 5; }));
  EXPECT_TRUE(same(ofKind(TopologyKind::kGraph),
                   [](FabricSpec& s) { s.topology.host_link_delay = seconds(1); }));
  FabricSpec shared;
  shared.switches.shared_buffer.emplace();
  EXPECT_TRUE(same(shared, [](FabricSpec& s) { s.switches.buffer_per_port = Bytes(64); }));
}

// The key of results that are stored already must not change.
TEST(DutJson, OfASimpleDeviceHasNotChanged) {
  FabricSpec spec = ofKind(TopologyKind::kClos2);
  spec.topology.leaves = 3;
  spec.switches.forwarding = fabric::Forwarding::kCutThrough;
  spec.impairments.push_back({fabric::ImpairmentKind::kDelay, 1, 7, nanoseconds(5)});
  spec.seed = 9;
  EXPECT_EQ(dutToJson(spec).dump(),
            R"({"impairments":[{"delay_ps":5000,"frame":7,"host":1,"kind":"delay"}],"seed":9,)"
            R"("switch":{"buffer_per_port_bytes":1000000,"forwarding":"cut-through",)"
            R"("latency_ps":600000},"topology":{"fabric_link_delay_ps":250000,)"
            R"("host_link_delay_ps":50000,"hosts_per_leaf":2,"kind":"clos2","leaves":3,)"
            R"("link_bps":100000000000,"spines":2}})");
  spec = ofKind(TopologyKind::kSingleSwitch);
  EXPECT_EQ(dutToJson(spec).dump(),
            R"({"impairments":[],"seed":1,"switch":{"buffer_per_port_bytes":1000000,)"
            R"("forwarding":"store-and-forward","latency_ps":600000},"topology":)"
            R"({"host_link_delay_ps":50000,"hosts":2,"kind":"single-switch",)"
            R"("link_bps":100000000000}})");
  spec = ofKind(TopologyKind::kLink);
  EXPECT_EQ(dutToJson(spec).dump(),
            R"({"impairments":[],"seed":1,"switch":{"buffer_per_port_bytes":1000000,)"
            R"("forwarding":"store-and-forward","latency_ps":600000},"topology":)"
            R"({"host_link_delay_ps":50000,"kind":"link","link_bps":100000000000}})");
}

}  // namespace
}  // namespace plumbline::bench
