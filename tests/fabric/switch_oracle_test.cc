// The switch against a simulator of its own kind, to the picosecond.
#include "tests/fabric/switch_oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/fabric/harness.h"

namespace plumbline::fabric::testing {
namespace {

struct Setting {
  FabricSpec spec;
  std::vector<OracleFrame> frames;
};

Setting randomSetting(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  Setting setting;
  FabricSpec& spec = setting.spec;
  spec.topology.kind = TopologyKind::kSingleSwitch;
  spec.topology.hosts = static_cast<std::uint32_t>(between(3, 6));
  spec.topology.link_rate = gigabitsPerSecond(between(0, 1) == 0 ? 100 : 400);
  spec.topology.host_link_delay = nanoseconds(between(1, 10) * 40);
  SwitchSpec& s = spec.switches;
  s.latency = nanoseconds(between(1, 6) * 100);
  s.forwarding = between(0, 1) == 0 ? Forwarding::kCutThrough : Forwarding::kStoreAndForward;
  s.buffer_per_port = Bytes(between(4'000, 40'000));
  if (between(0, 1) == 0) {
    for (auto& weight : s.weights) weight = static_cast<std::uint16_t>(between(0, 3));
    s.dwrr_quantum = Bytes(between(64, 2'000));
  }
  EcnSpec step;
  step.priorities = 0x0F;
  step.kmin = step.kmax = Bytes(between(0, 8'000));
  step.at_dequeue = between(0, 1) == 0;
  EcnSpec flat;
  flat.priorities = 0xF0;
  flat.kmin = Bytes(between(0, 3'000));
  flat.kmax = flat.kmin + Bytes(between(1, 6'000));
  flat.pmax = Fraction();
  s.ecn = {step, flat};
  if (seed % 4 != 0) {
    PfcSpec pfc;
    pfc.priorities = static_cast<std::uint8_t>(between(1, 255));
    pfc.xoff = Bytes(between(500, 8'000));
    pfc.xon = Bytes(between(0, pfc.xoff.count()));
    pfc.headroom = Bytes(between(0, 40'000));
    pfc.quanta = static_cast<std::uint16_t>(between(100, 4'000));
    pfc.response = nanoseconds(between(0, 2) * 50);
    s.pfc = pfc;
  }
  for (HostId from = 0; from < spec.topology.hosts; ++from) {
    std::int64_t ready = 0;
    for (int i = 0; i < 150; ++i) {
      if (between(0, 3) == 0) ready += between(0, 900'000);
      OracleFrame one;
      one.from = from;
      one.to = between(0, 1) == 0 ? 0 : static_cast<HostId>(between(0, spec.topology.hosts - 1));
      if (one.to == from) one.to = (from + 1) % spec.topology.hosts;
      one.length = between(0, 1) == 0 ? between(64, 300) : between(64, 9'216);
      one.priority = static_cast<unsigned>(between(0, 7));
      one.ect = between(0, 3) != 0;
      one.ready_ps = ready;
      setting.frames.push_back(one);
    }
  }
  return setting;
}

class SwitchOracle : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(SwitchOracle, SameFateForEveryFrameToThePicosecond) {
  std::uint64_t xoffs = 0;
  std::uint64_t drops = 0;
  std::uint64_t marks = 0;
  for (std::uint64_t i = 0; i < 10; ++i) {
    const Setting setting = randomSetting(GetParam() * 10 + i);
    SCOPED_TRACE(GetParam() * 10 + i);
    ListFabric fabric(setting.spec);
    for (std::size_t k = 0; k < setting.frames.size(); ++k) {
      const OracleFrame& one = setting.frames[k];
      Packet packet = frame(one.from, one.to, static_cast<std::uint32_t>(one.length), one.priority);
      packet.ect = one.ect;
      packet.extra = k;
      fabric.host(one.from).add(packet, Picoseconds(one.ready_ps));
    }
    fabric.drain();
    fabric.expectConserved();

    std::vector<OracleFate> fates(setting.frames.size());
    std::uint64_t asked = 0;
    std::uint64_t released = 0;
    const Topology& topology = fabric->topology();
    for (const Record& record : fabric.log().all()) {
      if (record.kind == RecordKind::kXoff) ++asked;
      if (record.kind == RecordKind::kXon) ++released;
      OracleFate& fate = fates[record.packet.extra];
      if (record.kind == RecordKind::kDrop) fate.drop_ps = record.time.count();
      if (record.kind != RecordKind::kDeparture) continue;
      if (topology.nodes()[record.node].kind == NodeKind::kHost) {
        fate.host_departure_ps = record.time.count();
      } else {
        fate.switch_departure_ps = record.time.count();
        fate.marked = record.packet.ce;
      }
    }
    const OracleResult expected = oracleRun(setting.spec, setting.frames);
    for (std::size_t k = 0; k < fates.size(); ++k) {
      OracleFate fate = expected.fates[k];
      if (fate.drop_ps >= 0) fate.marked = false;
      ASSERT_EQ(fates[k].host_departure_ps, fate.host_departure_ps) << "frame " << k;
      ASSERT_EQ(fates[k].switch_departure_ps, fate.switch_departure_ps) << "frame " << k;
      ASSERT_EQ(fates[k].drop_ps, fate.drop_ps) << "frame " << k;
      ASSERT_EQ(fates[k].marked, fate.marked) << "frame " << k;
      if (fate.drop_ps >= 0) ++drops;
      if (fate.marked) ++marks;
    }
    EXPECT_EQ(asked, expected.xoffs);
    EXPECT_EQ(released, expected.xons);
    xoffs += asked;
  }
  EXPECT_GT(xoffs, 100U);
  EXPECT_GT(drops, 100U);
  EXPECT_GT(marks, 100U);
}

INSTANTIATE_TEST_SUITE_P(Random, SwitchOracle, ::testing::Range<std::uint64_t>(0, 12));

}  // namespace
}  // namespace plumbline::fabric::testing
