// Uncontended latency: simulated, closed form, and written out by hand must be one number.
#include <gtest/gtest.h>

#include <array>

#include "base/error.h"
#include "tests/fabric/traffic.h"

namespace plumbline::fabric::testing {
namespace {

constexpr std::array<std::uint32_t, 7> kLengths = {64, 65, 256, 1024, 1518, 4096, 9216};

// Latency of a lone frame from `from` to `to`.
Picoseconds simulated(const FabricSpec& spec, HostId from, HostId to, std::uint32_t length) {
  const Picoseconds start = nanoseconds(123);
  const Log log = runAll(spec, {{from, packetTo(from, to, length), start}});
  EXPECT_EQ(log.deliveries.size(), 1U);
  if (log.deliveries.empty()) return {};
  EXPECT_EQ(log.deliveries.front().to, to);
  return log.deliveries.front().time - start;
}

TEST(UnloadedLatency, BareLinkIsItsDelay) {
  FabricSpec spec = linkSpec();
  spec.topology.host_link_delay = Picoseconds(51'234);
  for (const std::uint32_t length : kLengths) {
    EXPECT_EQ(simulated(spec, 0, 1, length), Picoseconds(51'234));
    EXPECT_EQ(simulated(spec, 1, 0, length), Picoseconds(51'234));
    EXPECT_EQ(Fabric(spec).unloadedLatency(0, 1, Bytes(length)), Picoseconds(51'234));
  }
}

TEST(UnloadedLatency, HandComputedDefaults) {
  // 2 × 50 ns host links + 600 ns + 1024 × 80 ps; across spines 2 × 250 ns and two switches more.
  EXPECT_EQ(simulated(switchSpec(2), 0, 1, 1024), Picoseconds(100'000 + 600'000 + 81'920));
  EXPECT_EQ(simulated(closSpec(2, 2, 2), 0, 1, 1024), Picoseconds(100'000 + 600'000 + 81'920));
  EXPECT_EQ(simulated(closSpec(2, 2, 2), 0, 2, 1024),
            Picoseconds(100'000 + 500'000 + 3 * (600'000 + 81'920)));
}

TEST(UnloadedLatency, EventsEqualClosedForm) {
  std::vector<FabricSpec> specs = {linkSpec(),        switchSpec(2),     switchSpec(9),
                                   closSpec(1, 1, 2), closSpec(2, 1, 1), closSpec(4, 3, 2)};
  for (FabricSpec& spec : specs) {
    spec.topology.host_link_delay = Picoseconds(43'217);
    spec.topology.fabric_link_delay = Picoseconds(311'001);
    spec.switches.latency = Picoseconds(450'003);
    for (const BitRate rate : {gigabitsPerSecond(10), gigabitsPerSecond(100),
                               gigabitsPerSecond(800), BitRate(3'000'000'001)}) {
      spec.topology.link_rate = rate;
      for (const Forwarding mode : {Forwarding::kStoreAndForward, Forwarding::kCutThrough}) {
        spec.switches.forwarding = mode;
        const Fabric fabric(spec);
        for (const std::uint32_t length : kLengths) {
          for (HostId to = 1; to < spec.hostCount(); ++to) {
            EXPECT_EQ(simulated(spec, 0, to, length), fabric.unloadedLatency(0, to, Bytes(length)));
          }
        }
      }
    }
  }
}

TEST(UnloadedLatency, ModesDifferBySerialisationPerSwitch) {
  for (const std::uint32_t length : kLengths) {
    FabricSpec store = closSpec(2, 2, 2);
    FabricSpec cut = store;
    cut.switches.forwarding = Forwarding::kCutThrough;
    EXPECT_EQ(simulated(store, 0, 1, length) - simulated(cut, 0, 1, length), bytesTime(length));
    EXPECT_EQ(simulated(store, 0, 3, length) - simulated(cut, 0, 3, length),
              bytesTime(3 * std::int64_t{length}));
  }
}

TEST(UnloadedLatency, NoPathToItselfOrStrangers) {
  const Fabric fabric(switchSpec(3));
  EXPECT_THROW((void)fabric.unloadedLatency(1, 1, Bytes(64)), Error);
  EXPECT_THROW((void)fabric.unloadedLatency(0, 3, Bytes(64)), Error);
  EXPECT_THROW((void)fabric.unloadedLatency(3, 0, Bytes(64)), Error);
}

}  // namespace
}  // namespace plumbline::fabric::testing
