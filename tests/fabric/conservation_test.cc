// Nothing is created and nothing vanishes: every packet sent is delivered once, at its
// destination, or reported as dropped.
#include <gtest/gtest.h>

#include <map>

#include "tests/fabric/traffic.h"

namespace plumbline::fabric::testing {
namespace {

struct ConservationCase {
  const char* name;
  FabricSpec spec;
  std::int64_t buffer_bytes;
};

class Conservation : public ::testing::TestWithParam<ConservationCase> {};

TEST_P(Conservation, EveryPacketEndsExactlyOnce) {
  FabricSpec spec = GetParam().spec;
  spec.switches.buffer_per_port = Bytes(GetParam().buffer_bytes);
  for (const Forwarding mode : {Forwarding::kStoreAndForward, Forwarding::kCutThrough}) {
    spec.switches.forwarding = mode;
    for (const std::uint32_t load : {30U, 100U}) {
      const auto traffic = randomTraffic(spec.hostCount(), 400, load, 77);
      Fabric fabric(spec);
      const Log log = runAll(fabric, traffic);

      std::vector<int> ends(traffic.size(), 0);
      std::uint64_t bytes_out = 0;
      for (const Delivery& one : log.deliveries) {
        ++ends.at(one.cookie);
        bytes_out += one.length;
        EXPECT_EQ(one.to, traffic[one.cookie].packet.destination);
        EXPECT_EQ(one.length, traffic[one.cookie].packet.length);
      }
      std::uint64_t bytes_lost = 0;
      for (const Loss& one : log.losses) {
        ++ends.at(one.cookie);
        bytes_lost += one.length;
        EXPECT_EQ(one.reason, DropReason::kBufferFull);
      }
      std::uint64_t bytes_in = 0;
      for (std::size_t i = 0; i < traffic.size(); ++i) {
        bytes_in += traffic[i].packet.length;
        EXPECT_EQ(ends[i], 1) << "packet " << i;
      }
      EXPECT_EQ(bytes_in, bytes_out + bytes_lost);
      if (GetParam().buffer_bytes < 50'000 && load == 100) {
        EXPECT_GT(log.losses.size(), 0U);
      }

      std::uint64_t counted_drops = 0;
      for (const PortCounters& port : fabric.counters()) {
        counted_drops += port.dropped();
        EXPECT_LE(port.max_queue_bytes, static_cast<std::uint64_t>(GetParam().buffer_bytes));
      }
      EXPECT_EQ(counted_drops, log.losses.size());
    }
  }
}

TEST_P(Conservation, FlowsStayInOrder) {
  FabricSpec spec = GetParam().spec;
  spec.switches.buffer_per_port = Bytes(GetParam().buffer_bytes);
  const auto traffic = randomTraffic(spec.hostCount(), 400, 90, 5);
  const Log log = runAll(spec, traffic);
  std::map<std::pair<HostId, HostId>, std::uint64_t> last;
  Picoseconds previous;
  for (const Delivery& one : log.deliveries) {
    EXPECT_GE(one.time, previous);  // observers are called in time order
    previous = one.time;
    const auto flow = std::make_pair(traffic[one.cookie].from, one.to);
    const auto seen = last.find(flow);
    if (seen != last.end()) {
      EXPECT_GT(one.cookie, seen->second);
    }
    last[flow] = one.cookie;
  }
}

TEST_P(Conservation, DeliveriesNeverOverlapOnTheWire) {
  const auto traffic = randomTraffic(GetParam().spec.hostCount(), 400, 100, 9);
  const Log log = runAll(GetParam().spec, traffic);
  std::map<HostId, Picoseconds> free;
  for (const Delivery& one : log.deliveries) {
    EXPECT_GE(one.time, free[one.to]);
    free[one.to] = one.time + bytesTime(one.length + 20);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Topologies, Conservation,
    ::testing::Values(ConservationCase{"Link", linkSpec(), 1'000'000},
                      ConservationCase{"Pair", switchSpec(2), 1'000'000},
                      ConservationCase{"Switch", switchSpec(16), 1'000'000},
                      ConservationCase{"SwitchSmallBuffer", switchSpec(16), 20'000},
                      ConservationCase{"OneLeaf", closSpec(1, 2, 8), 40'000},
                      ConservationCase{"Clos", closSpec(4, 4, 4), 1'000'000},
                      ConservationCase{"ClosSmallBuffer", closSpec(4, 2, 4), 20'000},
                      ConservationCase{"ClosUneven", closSpec(3, 5, 2), 30'000}),
    [](const auto& info) { return info.param.name; });

// Work conservation: the receiver's wire is idle only when no frame for it is ready. On one switch
// the time a frame is ready follows from when it was sent.
TEST(WorkConservation, WireNeverIdlesWhileAFrameIsReady) {
  const FabricSpec spec = switchSpec(8);
  const auto traffic = randomTraffic(8, 2000, 100, 3);
  const Log log = runAll(spec, traffic);
  ASSERT_EQ(log.losses.size(), 0U);
  std::map<HostId, Picoseconds> free;
  std::size_t waited = 0;
  for (const Delivery& one : log.deliveries) {
    const Picoseconds ready = traffic[one.cookie].first_bit + nanoseconds(50 + 600) +
                              bytesTime(one.length) + nanoseconds(50);
    const Picoseconds expected = std::max(ready, free[one.to]);
    EXPECT_EQ(one.time, expected);
    if (expected != ready) ++waited;
    free[one.to] = expected + bytesTime(one.length + 20);
  }
  EXPECT_GT(waited, 1000U);
}

}  // namespace
}  // namespace plumbline::fabric::testing
