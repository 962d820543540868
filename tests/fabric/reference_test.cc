// The fabric against the naive reference simulator: every delivery and loss, to the picosecond.
#include "tests/fabric/reference.h"

#include <gtest/gtest.h>

namespace plumbline::fabric::testing {
namespace {

struct ReferenceCase {
  const char* name;
  FabricSpec spec;
  std::uint32_t load_percent;
  std::int64_t buffer_bytes;
  Forwarding forwarding;
};

class FabricAgainstReference : public ::testing::TestWithParam<ReferenceCase> {};

TEST_P(FabricAgainstReference, SameDeliveriesAndLosses) {
  FabricSpec spec = GetParam().spec;
  spec.switches.buffer_per_port = Bytes(GetParam().buffer_bytes);
  spec.switches.forwarding = GetParam().forwarding;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto traffic = randomTraffic(spec.hostCount(), 600, GetParam().load_percent, seed);
    const Log expected = referenceRun(spec, traffic);
    const Log actual = runAll(spec, traffic);
    ASSERT_EQ(expected.deliveries.size() + expected.losses.size(), traffic.size());
    ASSERT_EQ(actual.losses.size(), expected.losses.size());
    EXPECT_EQ(actual, expected) << "seed " << seed;
    // The case is only worth something if queues build up, and small buffers overflow.
    if (GetParam().buffer_bytes < 20'000) {
      EXPECT_GT(expected.losses.size(), 20U);
      EXPECT_GT(expected.deliveries.size(), traffic.size() / 10);
    }
  }
}

constexpr auto kStore = Forwarding::kStoreAndForward;
constexpr auto kCut = Forwarding::kCutThrough;

INSTANTIATE_TEST_SUITE_P(
    Switches, FabricAgainstReference,
    ::testing::Values(ReferenceCase{"StoreRelaxed", switchSpec(4), 40, 1'000'000, kStore},
                      ReferenceCase{"StoreFull", switchSpec(6), 100, 1'000'000, kStore},
                      ReferenceCase{"StoreSmallBuffer", switchSpec(6), 95, 12'000, kStore},
                      ReferenceCase{"CutRelaxed", switchSpec(4), 40, 1'000'000, kCut},
                      ReferenceCase{"CutFull", switchSpec(6), 100, 1'000'000, kCut},
                      ReferenceCase{"CutSmallBuffer", switchSpec(6), 95, 12'000, kCut},
                      ReferenceCase{"ClosStore", closSpec(3, 1, 2), 60, 1'000'000, kStore},
                      ReferenceCase{"ClosStoreSmallBuffer", closSpec(3, 1, 3), 80, 12'000, kStore},
                      ReferenceCase{"ClosCut", closSpec(3, 1, 2), 60, 1'000'000, kCut},
                      ReferenceCase{"ClosCutSmallBuffer", closSpec(3, 1, 3), 80, 12'000, kCut}),
    [](const auto& info) { return info.param.name; });

// Frames that become ready at the very same instant from all sides: only the order by link decides
// which ones fit.
TEST(FabricAgainstReferenceTies, SimultaneousArrivals) {
  for (const Forwarding forwarding : {kStore, kCut}) {
    FabricSpec spec = closSpec(2, 1, 4);
    spec.switches.forwarding = forwarding;
    spec.switches.buffer_per_port = Bytes(1000);
    std::vector<Sending> traffic;
    for (std::int64_t round = 0; round < 50; ++round) {
      for (HostId from = 0; from < 8; ++from) {
        const HostId to = (from + 1 + static_cast<HostId>(round % 7)) % 8;
        traffic.push_back(
            {from, packetTo(from, to, 256, traffic.size()), bytesTime(round * (256 + 20))});
        traffic.back().packet.destination = round % 2 == 0 ? to : (from == 5 ? 4 : 5);
      }
    }
    const Log expected = referenceRun(spec, traffic);
    EXPECT_EQ(runAll(spec, traffic), expected);
    EXPECT_GT(expected.losses.size(), 20U);
  }
}

}  // namespace
}  // namespace plumbline::fabric::testing
