// Impossible fabrics are refused by name of the field, with what is allowed.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "base/error.h"
#include "fabric/spec/fabric_spec.h"
#include "tests/fabric/graphs.h"

namespace plumbline::fabric::testing {
namespace {

FabricSpec fabricOf(const TopologySpec& topology) {
  FabricSpec spec;
  spec.topology = topology;
  return spec;
}

TopologySpec oneSwitch(std::uint32_t hosts) {
  TopologySpec spec;
  spec.hosts = hosts;
  return spec;
}

TopologySpec bareLink() {
  TopologySpec spec;
  spec.kind = TopologyKind::kLink;
  return spec;
}

TopologySpec smallGraph() {
  TopologySpec spec;
  spec.kind = TopologyKind::kGraph;
  spec.graph.hosts = {"gpu0", "gpu1"};
  spec.graph.switches = {"tor", "core"};
  spec.graph.cables = {{"gpu0", "tor"}, {"core", "gpu1"}, {"tor", "core"}};
  return spec;
}

using Change = std::function<void(FabricSpec&)>;

// Expects Error(kUsage) at `field` for the spec that `change` makes of a good one.
void expectRefused(FabricSpec spec, const Change& change, const std::string& field) {
  EXPECT_NO_THROW(validate(spec));
  change(spec);
  try {
    validate(spec);
    ADD_FAILURE() << "accepted a bad " << field;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.where(), field) << error.what();
    EXPECT_EQ(error.remedy().rfind("allowed: ", 0), 0U) << error.remedy();
  }
}

void expectAccepted(FabricSpec spec, const Change& change) {
  change(spec);
  EXPECT_NO_THROW(validate(spec));
}

TEST(Spec, DefaultsAreValid) { EXPECT_NO_THROW(validate(FabricSpec{})); }

TEST(Spec, HostCounts) {
  EXPECT_EQ(bareLink().hostCount(), 2U);
  EXPECT_EQ(oneSwitch(7).hostCount(), 7U);
  EXPECT_EQ(clos2(8, 16, 16).hostCount(), 128U);
  EXPECT_EQ(clos3(4, 8, 2, 2, 16).hostCount(), 512U);
  EXPECT_EQ(rail(128, 8, 32, 4).hostCount(), 1024U);
  EXPECT_EQ(pools(2, 3, 4, 8).hostCount(), 40U);
  EXPECT_EQ(smallGraph().hostCount(), 2U);
  // Impossible sizes must not wrap round to possible ones.
  constexpr std::uint32_t kMax = 0xFFFFFFFF;
  EXPECT_EQ(clos2(kMax, 1, kMax).hostCount(), kMax);
  EXPECT_EQ(clos3(1U << 16, 1U << 16, 1, 1, 1U << 31).hostCount(), kMax);
  EXPECT_EQ(rail(1U << 31, 1U << 31, 1, 1).hostCount(), kMax);
  EXPECT_EQ(pools(kMax, kMax, 1, kMax).hostCount(), kMax);
}

TEST(Spec, FabricRateDefaultsToTheHostsRate) {
  TopologySpec spec = clos2(2, 2, 2);
  spec.link_rate = gigabitsPerSecond(200);
  EXPECT_EQ(spec.fabricRate(), gigabitsPerSecond(200));
  spec.fabric_rate = gigabitsPerSecond(800);
  EXPECT_EQ(spec.fabricRate(), gigabitsPerSecond(800));
}

TEST(Spec, SingleSwitchAndClos2) {
  const FabricSpec single = fabricOf(oneSwitch(2));
  const FabricSpec clos = fabricOf(clos2(2, 2, 2));
  for (const std::uint32_t hosts : {0U, 1U, 8193U}) {
    expectRefused(
        single, [&](auto& s) { s.topology.hosts = hosts; }, "topology.hosts");
  }
  expectAccepted(single, [](auto& s) { s.topology.hosts = 8192; });
  expectRefused(
      clos, [](auto& s) { s.topology.leaves = 0; }, "topology.leaves");
  expectRefused(
      clos, [](auto& s) { s.topology.spines = 0; }, "topology.spines");
  expectRefused(
      clos, [](auto& s) { s.topology.spines = 1025; }, "topology.spines");
  expectRefused(
      clos, [](auto& s) { s.topology.hosts_per_leaf = 0; }, "topology.hosts_per_leaf");
  expectRefused(
      fabricOf(clos2(2, 2, 1)), [](auto& s) { s.topology.leaves = 1; },
      "topology.leaves * topology.hosts_per_leaf");
  expectRefused(
      fabricOf(clos2(128, 2, 64)), [](auto& s) { s.topology.leaves = 129; },
      "topology.leaves * topology.hosts_per_leaf");
  expectRefused(
      clos, [](auto& s) { s.topology.uplinks = 0; }, "topology.uplinks");
  expectRefused(
      clos, [](auto& s) { s.topology.uplinks = 257; }, "topology.uplinks");
  expectRefused(
      fabricOf(clos2(512, 512, 1)), [](auto& s) { s.topology.uplinks = 9; }, "topology.uplinks");
  expectRefused(
      single, [](auto& s) { s.topology.kind = static_cast<TopologyKind>(99); }, "topology.kind");
}

TEST(Spec, Clos3) {
  const FabricSpec spec = fabricOf(clos3(2, 2, 2, 4, 2));
  expectRefused(
      spec, [](auto& s) { s.topology.pods = 0; }, "topology.pods");
  expectRefused(
      spec, [](auto& s) { s.topology.leaves = 0; }, "topology.leaves");
  expectRefused(
      spec, [](auto& s) { s.topology.spines = 0; }, "topology.spines");
  expectRefused(
      spec, [](auto& s) { s.topology.superspines = 0; }, "topology.superspines");
  expectRefused(
      spec, [](auto& s) { s.topology.superspines = 3; }, "topology.superspines");
  expectRefused(
      spec, [](auto& s) { s.topology.pods = 513; }, "topology.pods * topology.leaves");
  expectRefused(
      fabricOf(clos3(2, 1, 512, 512, 2)), [](auto& s) { s.topology.pods = 3; },
      "topology.pods * topology.spines");
  expectRefused(
      spec, [](auto& s) { s.topology.hosts_per_leaf = 2049; },
      "topology.pods * topology.leaves * topology.hosts_per_leaf");
}

TEST(Spec, RailAndPools) {
  const FabricSpec rails = fabricOf(rail(4, 8, 2, 2));
  expectRefused(
      rails, [](auto& s) { s.topology.servers = 0; }, "topology.servers");
  expectRefused(
      rails, [](auto& s) { s.topology.rails = 0; }, "topology.rails");
  expectRefused(
      rails, [](auto& s) { s.topology.servers_per_leaf = 0; }, "topology.servers_per_leaf");
  expectRefused(
      rails, [](auto& s) { s.topology.spines = 0; }, "topology.spines");
  expectRefused(
      rails, [](auto& s) { s.topology.servers = 1025; }, "topology.servers * topology.rails");
  expectRefused(
      fabricOf(rail(128, 8, 1, 1)), [](auto& s) { s.topology.servers = 129; },
      "topology.rails * ceil(topology.servers / topology.servers_per_leaf)");
  const FabricSpec pooled = fabricOf(pools(1, 1, 1, 1));
  expectRefused(
      pooled, [](auto& s) { s.topology.prefill_leaves = 0; }, "topology.prefill_leaves");
  expectRefused(
      pooled, [](auto& s) { s.topology.decode_leaves = 0; }, "topology.decode_leaves");
  expectRefused(
      pooled, [](auto& s) { s.topology.decode_leaves = 1024; },
      "topology.prefill_leaves + topology.decode_leaves");
  expectRefused(
      pooled, [](auto& s) { s.topology.hosts_per_leaf = 4097; },
      "(topology.prefill_leaves + topology.decode_leaves) * topology.hosts_per_leaf");
}

TEST(Spec, DelaysAndRates) {
  for (const TopologySpec& topology : {bareLink(), oneSwitch(2), clos2(2, 2, 2),
                                       clos3(2, 2, 2, 2, 2), rail(2, 2, 2, 2), pools(1, 1, 1, 1)}) {
    const FabricSpec spec = fabricOf(topology);
    expectRefused(
        spec, [](auto& s) { s.topology.host_link_delay = Picoseconds(0); },
        "topology.host_link_delay");
    expectRefused(
        spec, [](auto& s) { s.topology.host_link_delay = Picoseconds(-1); },
        "topology.host_link_delay");
    expectRefused(
        spec, [](auto& s) { s.topology.link_rate = BitRate(0); }, "topology.link_rate");
    expectRefused(
        spec, [](auto& s) { s.topology.link_rate = BitRate(8'000'000'000'001); },
        "topology.link_rate");
    if (topology.kind == TopologyKind::kLink || topology.kind == TopologyKind::kSingleSwitch) {
      // What the topology does not have does not matter.
      expectAccepted(spec, [](auto& s) { s.topology.fabric_link_delay = Picoseconds(0); });
      continue;
    }
    expectRefused(
        spec, [](auto& s) { s.topology.fabric_link_delay = seconds(1) + Picoseconds(1); },
        "topology.fabric_link_delay");
    expectRefused(
        spec, [](auto& s) { s.topology.fabric_rate = BitRate(999'999); }, "topology.fabric_rate");
  }
}

TEST(Spec, Graph) {
  const FabricSpec spec = fabricOf(smallGraph());
  const auto refused = [&](const std::function<void(GraphSpec&)>& change,
                           const std::string& field) {
    expectRefused(
        spec, [&](FabricSpec& s) { change(s.topology.graph); }, "topology.graph." + field);
  };
  refused([](auto& g) { g.hosts.pop_back(); }, "hosts");
  refused([](auto& g) { g.switches.clear(); }, "switches");
  refused([](auto& g) { g.cables.clear(); }, "cables");
  refused([](auto& g) { g.switches[1] = "gpu0"; }, "switches[1]");
  for (const char* bad : {"", "a-b", "a#1", "a b", "ü"}) {
    refused([&](auto& g) { g.hosts[1] = bad; }, "hosts[1]");
  }
  refused([](auto& g) { g.hosts[0] = std::string(65, 'x'); }, "hosts[0]");
  refused([](auto& g) { g.cables[2].b = "cor"; }, "cables[2].b");
  refused([](auto& g) { g.cables[0].a = "gpu7"; }, "cables[0].a");
  refused([](auto& g) { g.cables[2].b = "tor"; }, "cables[2].b");
  refused([](auto& g) { g.cables[0].b = "gpu1"; }, "cables[0].b");
  refused([](auto& g) { g.cables[1].rate = BitRate(0); }, "cables[1].rate");
  refused([](auto& g) { g.cables[1].delay = Picoseconds(0); }, "cables[1].delay");
  refused([](auto& g) { g.cables.push_back(g.cables[0]); }, "cables");   // a second for gpu0
  refused([](auto& g) { g.cables.erase(g.cables.begin()); }, "cables");  // none for gpu0
  refused([](auto& g) { g.cables.pop_back(); }, "cables");               // two islands
  refused([](auto& g) { g.switches.emplace_back("spare"); }, "cables");  // cabled to nothing
  expectAccepted(spec, [](auto& s) {  // parallel cables, other rates
    s.topology.graph.cables.push_back({"core", "tor", gigabitsPerSecond(800), nanoseconds(1)});
  });
  try {
    FabricSpec wrong = spec;
    wrong.topology.graph.cables[2].b = "cor";
    validate(wrong);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(error.remedy().find("near: "), std::string::npos);
    EXPECT_NE(error.remedy().find("core"), std::string::npos);
  }
}

TEST(Spec, Switches) {
  const FabricSpec spec = fabricOf(oneSwitch(2));
  for (const std::int64_t bytes :
       {std::int64_t{63}, std::int64_t{-1}, (std::int64_t{1} << 40) + 1}) {
    expectRefused(
        spec, [&](auto& s) { s.switches.buffer_per_port = Bytes(bytes); },
        "switches.buffer_per_port");
  }
  expectRefused(
      spec, [](auto& s) { s.switches.latency = Picoseconds(0); }, "switches.latency");
  expectRefused(
      spec, [](auto& s) { s.switches.forwarding = static_cast<Forwarding>(7); },
      "switches.forwarding");
  expectRefused(
      spec, [](auto& s) { s.switches.dwrr_quantum = Bytes(63); }, "switches.dwrr_quantum");
  expectAccepted(spec, [](auto& s) { s.switches.weights = {0, 1, 65535, 0, 0, 7, 0, 0}; });
  expectRefused(
      spec, [](auto& s) { s.switches.load_balancing.kind = static_cast<LoadBalancingKind>(7); },
      "switches.load_balancing.kind");
  expectRefused(
      spec,
      [](auto& s) {
        s.switches.load_balancing = {LoadBalancingKind::kFlowlet, Picoseconds(0)};
      },
      "switches.load_balancing.flowlet_gap");
  expectAccepted(spec, [](auto& s) { s.switches.load_balancing.flowlet_gap = Picoseconds(0); });
}

// The largest switch has 4 ports: 2 hosts and 2 spines, or 4 leaves.
TEST(Spec, SharedBufferHoldsReservesAndHeadrooms) {
  FabricSpec spec = fabricOf(clos2(4, 2, 2));
  spec.switches.shared_buffer.emplace();
  spec.switches.shared_buffer->reserve_per_port = Bytes(1'000);
  spec.switches.pfc.emplace();
  spec.switches.pfc->priorities = 0x18;
  spec.switches.pfc->headroom = Bytes(10'000);
  constexpr std::int64_t kNeeded = 84'000;  // 4 * (1,000 + 2 * 10,000)
  expectAccepted(spec, [](auto& s) { s.switches.shared_buffer->total = Bytes(kNeeded + 64); });
  expectRefused(
      spec, [](auto& s) { s.switches.shared_buffer->total = Bytes(kNeeded + 63); },
      "switches.shared_buffer.total");
  expectRefused(
      spec, [](auto& s) { s.switches.pfc->headroom = Bytes(std::int64_t{1} << 40); },
      "switches.shared_buffer.total");
  expectAccepted(spec, [](auto& s) {
    s.switches.pfc.reset();
    s.switches.shared_buffer->total = Bytes(4'064);
  });
  expectRefused(
      spec, [](auto& s) { s.switches.shared_buffer->alpha = Fraction(); },
      "switches.shared_buffer.alpha");
  expectRefused(
      spec, [](auto& s) { s.switches.shared_buffer->alpha = Fraction::percent(102'401); },
      "switches.shared_buffer.alpha");
  expectRefused(
      spec, [](auto& s) { s.switches.shared_buffer->reserve_per_port = Bytes(-1); },
      "switches.shared_buffer.reserve_per_port");
}

TEST(Spec, Ecn) {
  FabricSpec spec = fabricOf(oneSwitch(2));
  spec.switches.ecn.resize(2);
  expectAccepted(spec, [](auto& s) { s.switches.ecn[1].kmin = s.switches.ecn[1].kmax; });
  expectRefused(
      spec, [](auto& s) { s.switches.ecn[1].kmin = Bytes(400'001); }, "switches.ecn[1].kmax");
  expectRefused(
      spec, [](auto& s) { s.switches.ecn[0].kmin = Bytes(-1); }, "switches.ecn[0].kmin");
  expectRefused(
      spec, [](auto& s) { s.switches.ecn[0].pmax = Fraction::percent(101); },
      "switches.ecn[0].pmax");
  expectRefused(
      spec, [](auto& s) { s.switches.ecn[0].pmax = Fraction::percent(-1); },
      "switches.ecn[0].pmax");
  expectRefused(
      spec, [](auto& s) { s.switches.ecn[0].priorities = 0; }, "switches.ecn[0].priorities");
}

TEST(Spec, Pfc) {
  FabricSpec spec = fabricOf(oneSwitch(2));
  spec.switches.pfc.emplace().watchdog.emplace();
  const auto refused = [&](const std::function<void(PfcSpec&)>& change, const std::string& field) {
    expectRefused(
        spec, [&](FabricSpec& s) { change(*s.switches.pfc); }, "switches.pfc." + field);
  };
  refused([](auto& p) { p.priorities = 0; }, "priorities");
  refused([](auto& p) { p.xoff = Bytes(0); }, "xoff");
  refused([](auto& p) { p.xon = p.xoff + Bytes(1); }, "xon");
  refused([](auto& p) { p.xon = Bytes(-1); }, "xon");
  expectAccepted(spec, [](auto& s) { s.switches.pfc->xon = s.switches.pfc->xoff; });
  refused([](auto& p) { p.headroom = Bytes(-1); }, "headroom");
  refused([](auto& p) { p.quanta = 0; }, "quanta");
  refused([](auto& p) { p.response = Picoseconds(-1); }, "response");
  refused([](auto& p) { p.response = milliseconds(1) + Picoseconds(1); }, "response");
  refused([](auto& p) { p.dynamic_alpha = Fraction::one(); }, "dynamic_alpha");
  expectAccepted(spec, [](auto& s) {
    s.switches.pfc->dynamic_alpha = Fraction::one();
    s.switches.shared_buffer.emplace();
  });
  spec.switches.shared_buffer.emplace();
  refused([](auto& p) { p.dynamic_alpha = Fraction(); }, "dynamic_alpha");
  refused([](auto& p) { p.watchdog->poll = Picoseconds(0); }, "watchdog.poll");
  refused([](auto& p) { p.watchdog->detection = milliseconds(99); }, "watchdog.detection");
  refused([](auto& p) { p.watchdog->restoration = milliseconds(99); }, "watchdog.restoration");
  refused([](auto& p) { p.watchdog->detection = seconds(101); }, "watchdog.detection");
  refused([](auto& p) { p.watchdog->action = static_cast<WatchdogSpec::Action>(2); },
          "watchdog.action");
}

TEST(Spec, TrimAndItsPriority) {
  FabricSpec spec = fabricOf(oneSwitch(2));
  spec.switches.trim.emplace();
  expectAccepted(spec, [](auto& s) { s.switches.trim->keep = Bytes(60); });
  expectRefused(
      spec, [](auto& s) { s.switches.trim->keep = Bytes(59); }, "switches.trim.keep");
  expectRefused(
      spec, [](auto& s) { s.switches.trim->keep = Bytes(9'217); }, "switches.trim.keep");
  expectRefused(
      spec, [](auto& s) { s.switches.trim->threshold = Bytes(-1); }, "switches.trim.threshold");
  expectRefused(
      spec, [](auto& s) { s.switches.trim->limit = Bytes(63); }, "switches.trim.limit");
  expectRefused(
      spec, [](auto& s) { s.switches.trim->priority = 8; }, "switches.trim.priority");
  expectRefused(
      spec, [](auto& s) { s.switches.pfc.emplace().priorities = 1 << 5; },
      "switches.trim.priority");
  expectRefused(
      spec, [](auto& s) { s.switches.cbfc.emplace().channels = 1 << 5; }, "switches.trim.priority");
}

TEST(Spec, CbfcAndLlr) {
  FabricSpec spec = fabricOf(oneSwitch(2));
  spec.switches.cbfc.emplace();
  spec.switches.llr.emplace();
  const auto refused = [&](const std::function<void(CbfcSpec&)>& change, const std::string& field) {
    expectRefused(
        spec, [&](FabricSpec& s) { change(*s.switches.cbfc); }, "switches.cbfc." + field);
  };
  refused([](auto& c) { c.channels = 0; }, "channels");
  expectRefused(
      spec, [](auto& s) { s.switches.pfc.emplace().priorities = 0x08; }, "switches.cbfc.channels");
  expectAccepted(spec, [](auto& s) { s.switches.pfc.emplace().priorities = 0xF7; });
  refused([](auto& c) { c.credits = 0; }, "credits");
  refused([](auto& c) { c.credits = 1 << 20; }, "credits");
  using Channels = std::vector<VirtualChannelSpec>;
  const auto refusedChannels = [&](const Channels& channels, const std::string& field) {
    refused(
        [&](auto& c) {
          c.channels = 0x3C;
          c.virtual_channels = channels;
        },
        "virtual_channels" + field);
  };
  refusedChannels({{.priorities = 0}}, "[0].priorities");
  refusedChannels({{.priorities = 0x0C}, {.priorities = 0x40}}, "[1].priorities");
  refusedChannels({{.priorities = 0x0C}, {.priorities = 0x18}}, "[1].priorities");
  refusedChannels({{.priorities = 0x0C, .credits = 0}}, "[0].credits");
  refusedChannels({{.priorities = 0x0C, .credits = 1 << 20}}, "[0].credits");
  expectAccepted(spec, [](auto& s) {
    s.switches.cbfc->channels = 0x3C;
    s.switches.cbfc->virtual_channels = {{.priorities = 0x30, .credits = 1}, {.priorities = 0x04}};
  });
  // Two credits of 32 B for a frame of 64 B, three with 1 B more.
  const auto limited = [](std::uint32_t credits, std::int32_t overhead) {
    return [=](CbfcSpec& c) {
      c.credit_size = Bytes(32);
      c.packet_overhead = overhead;
      c.credits = credits;
    };
  };
  refused(limited(1, 0), "credits");
  refused(limited(2, 1), "credits");
  expectAccepted(spec, [&](auto& s) { limited(2, 0)(*s.switches.cbfc); });
  expectAccepted(spec, [&](auto& s) {  // the common limit is nobody's
    limited(1, 0)(*s.switches.cbfc);
    s.switches.cbfc->virtual_channels = {{.priorities = s.switches.cbfc->channels}};
  });
  refused(
      [&](auto& c) {
        limited(2, 0)(c);
        c.virtual_channels = {{.priorities = c.channels, .credits = 1}};
      },
      "virtual_channels[0].credits");
  for (const std::int64_t size : {0, 16, 33, 96, 4096, -32}) {
    refused([&](auto& c) { c.credit_size = Bytes(size); }, "credit_size");
  }
  for (const std::int64_t size : {32, 2048}) {
    expectAccepted(spec, [&](auto& s) { s.switches.cbfc->credit_size = Bytes(size); });
  }
  refused([](auto& c) { c.packet_overhead = -17; }, "packet_overhead");
  refused([](auto& c) { c.packet_overhead = 128; }, "packet_overhead");
  refused([](auto& c) { c.update_spacing = Bytes(0); }, "update_spacing");
  refused([](auto& c) { c.update_period = Picoseconds(0); }, "update_period");
  refused([](auto& c) { c.processing = Picoseconds(-1); }, "processing");
  refused([](auto& c) { c.consumed_period = Picoseconds(-1); }, "consumed_period");
  refused([](auto& c) { c.consumed_period = Picoseconds(999'999); }, "consumed_period");
  refused([](auto& c) { c.consumed_period = milliseconds(251); }, "consumed_period");
  for (const Picoseconds period : {Picoseconds(0), microseconds(1), milliseconds(250)}) {
    expectAccepted(spec, [&](auto& s) { s.switches.cbfc->consumed_period = period; });
  }
  expectRefused(
      spec, [](auto& s) { s.switches.llr->receiver_processing = Picoseconds(-1); },
      "switches.llr.receiver_processing");
  expectRefused(
      spec, [](auto& s) { s.switches.llr->sender_processing = milliseconds(2); },
      "switches.llr.sender_processing");
  expectRefused(
      spec, [](auto& s) { s.switches.llr->max_replays = 255; }, "switches.llr.max_replays");
  expectAccepted(spec, [](auto& s) { s.switches.llr->max_replays = 254; });
  for (const Picoseconds wait : {Picoseconds(0), seconds(1) + Picoseconds(1)}) {
    expectRefused(
        spec, [&](auto& s) { s.switches.llr->pcs_lost = wait; }, "switches.llr.pcs_lost");
  }
  expectAccepted(spec, [](auto& s) { s.switches.llr->pcs_lost = seconds(1); });
  for (const Picoseconds age : {Picoseconds(0), seconds(1) + Picoseconds(1)}) {
    expectRefused(
        spec, [&](auto& s) { s.switches.llr->data_age = age; }, "switches.llr.data_age");
  }
  expectAccepted(spec, [](auto& s) { s.switches.llr->data_age = Picoseconds(1); });
  for (const Picoseconds interval : {Picoseconds(999), seconds(1) + Picoseconds(1)}) {
    expectRefused(
        spec, [&](auto& s) { s.switches.llr->init_interval = interval; },
        "switches.llr.init_interval");
  }
  expectAccepted(spec, [](auto& s) { s.switches.llr->init_interval = nanoseconds(1); });
  // The retry of a frame of 9,216 bytes, and what the link carries meanwhile.
  const Link link{.rate = spec.topology.link_rate, .delay = spec.topology.host_link_delay};
  const Picoseconds retry =
      2 * link.delay + nanoseconds(50 + 50) + serializationTime(Bytes(9'216), link.rate);
  expectRefused(
      spec, [&](auto& s) { s.switches.llr->replay_timer = retry; }, "switches.llr.replay_timer");
  expectAccepted(spec, [&](auto& s) { s.switches.llr->replay_timer = retry + Picoseconds(1); });
  const auto carried = static_cast<std::int64_t>(
      std::ceil(retry.toSeconds() * static_cast<double>(link.rate.bitsPerSecond()) / 8));
  expectRefused(
      spec, [&](auto& s) { s.switches.llr->replay_buffer = Bytes(carried - 1); },
      "switches.llr.replay_buffer");
  expectAccepted(spec, [&](auto& s) { s.switches.llr->replay_buffer = Bytes(carried); });
}

TEST(Spec, Impairments) {
  FabricSpec spec = fabricOf(oneSwitch(2));
  spec.impairments = {{ImpairmentKind::kDrop, 1, 5, {}},
                      {ImpairmentKind::kDelay, 0, 5, seconds(1)}};
  expectRefused(
      spec, [](auto& s) { s.impairments[0].host = 2; }, "impairments[0].host");
  expectRefused(
      spec, [](auto& s) { s.impairments[1].delay = Picoseconds(0); }, "impairments[1].delay");
  expectRefused(
      spec, [](auto& s) { s.impairments[1].host = 1; }, "impairments[1].frame");
  expectRefused(
      spec, [](auto& s) { s.impairments[0].kind = static_cast<ImpairmentKind>(3); },
      "impairments[0].kind");
}

TEST(Spec, BitErrors) {
  FabricSpec spec = fabricOf(clos2(2, 2, 2));
  spec.bit_errors = {{"*", 1e-3}, {"leaf0-spine1", 0}, {"hosts", 1e-9}, {"fabric", 1e-12}};
  expectRefused(
      spec, [](auto& s) { s.bit_errors[1].link = "leaf0-spine2"; }, "bit_errors[1].link");
  expectRefused(
      spec, [](auto& s) { s.bit_errors[1].link = "leaf0"; }, "bit_errors[1].link");
  for (const double rate : {-1e-12, 1.1e-3, double{NAN}, double{INFINITY}}) {
    expectRefused(
        spec, [&](auto& s) { s.bit_errors[3].rate = rate; }, "bit_errors[3].rate");
  }
}

TEST(Spec, Failures) {
  FabricSpec spec = fabricOf(clos2(2, 2, 2));
  spec.failures = {{"leaf0-spine1", microseconds(1), microseconds(2)},
                   {"spine1-leaf0", microseconds(2), microseconds(3)},  // the same cable, touching
                   {"spine1", microseconds(1), microseconds(9)},        // another element
                   {"host0-leaf0", microseconds(1), {}}};
  expectRefused(
      spec, [](auto& s) { s.failures[2].element = "spine2"; }, "failures[2].element");
  expectRefused(
      spec, [](auto& s) { s.failures[2].element = "host1"; }, "failures[2].element");
  expectRefused(
      spec, [](auto& s) { s.failures[0].element = "leaf0-leaf1"; }, "failures[0].element");
  expectRefused(
      spec, [](auto& s) { s.failures[0].down = Picoseconds(-1); }, "failures[0].down");
  expectRefused(
      spec, [](auto& s) { s.failures[2].up = s.failures[2].down; }, "failures[2].up");
  expectRefused(
      spec, [](auto& s) { s.failures[0].up = microseconds(2) + Picoseconds(1); },
      "failures[1].down");
  expectRefused(
      spec, [](auto& s) { s.failures[0].up = {}; }, "failures[1].down");
  expectRefused(
      spec, [](auto& s) { s.failures[1].down = microseconds(1); }, "failures[1].down");
  expectRefused(
      spec, [](auto& s) { s.convergence = Picoseconds(-1); }, "convergence");
}

TEST(Spec, Storms) {
  FabricSpec spec = fabricOf(oneSwitch(2));
  spec.storms = {{1, 0x08, Picoseconds(0), microseconds(5)}};
  expectRefused(
      spec, [](auto& s) { s.storms[0].host = 2; }, "storms[0].host");
  expectRefused(
      spec, [](auto& s) { s.storms[0].priorities = 0; }, "storms[0].priorities");
  expectRefused(
      spec, [](auto& s) { s.storms[0].start = Picoseconds(-1); }, "storms[0].start");
  expectRefused(
      spec, [](auto& s) { s.storms[0].duration = Picoseconds(0); }, "storms[0].duration");
}

}  // namespace
}  // namespace plumbline::fabric::testing
