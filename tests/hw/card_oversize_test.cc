// Frames that are too long, by the million: in both directions at line rate, each one byte longer
// than a receiver takes, between frames that are as short as it takes them. The long form sends a
// million in all.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "joined_card.h"
#include "sim/wire.h"
#include "test_card.h"
#include "tests/hw/long_run.h"
#include "wire/crc.h"

namespace plumbline::hw_test {
namespace {

TEST(CardOversize, EveryOneIsCountedAndNothingElse) {
  const std::uint32_t each = longRun() ? 500'000 : 150;
  TestCard card(2);
  struct Seen {
    std::uint64_t giants = 0;
    std::uint64_t others = 0;
    std::uint64_t bad = 0;
  };
  std::array<Seen, 2> seen;
  card.wire.expect_whole = false;
  card.wire.forward = [&](const WireFrame& frame) {
    Seen& from = seen[frame.port];
    from.bad += wire::fcsOk(*frame.bytes) ? 0 : 1;
    ++(frame.bytes->size() > 9216 ? from.giants : from.others);
    card.wire.pass(frame);
  };
  for (std::uint32_t port = 0; port < 2; ++port) {
    std::vector<card::FlowConfig> flows{makeFlow(udpStream(port, 64), 0),
                                        makeFlow(udpStream(port, 64), 1)};
    flows[0].length = 9217;
    const Picoseconds slot = frameSlot(Bytes(9217), sim::kLineRate);
    setConstantRate(flows[0], Fraction::one(), each);
    setConstantRate(flows[1], Fraction::one(), each, slot);
    for (card::FlowConfig& flow : flows) {
      flow.period = card::FinePeriod::fromPicoseconds(slot + frameSlot(Bytes(64), sim::kLineRate));
    }
    card.driver.loadFlows(port, flows);
  }
  card.start();
  card.finish();
  card.expectNoFaults();
  for (std::uint32_t port = 0; port < 2; ++port) {
    SCOPED_TRACE(testing::Message() << "port " << port);
    EXPECT_EQ(seen[port].giants, each);
    EXPECT_EQ(seen[port].others, each);
    EXPECT_EQ(seen[port].bad, 0U);
    const card::PortCounters counters = card.driver.counters(TestWire::otherEnd(port));
    EXPECT_EQ(counters.rx_giants, each);
    EXPECT_EQ(counters.rx_frames, 2 * std::uint64_t{each});
    EXPECT_EQ(counters.rx_fcs_errors + counters.rx_runts + counters.rx_icrc_errors, 0U);
    const card::RxFlow good = card.driver.rxFlow(TestWire::otherEnd(port), 1);
    EXPECT_EQ(good.frames, each);
    EXPECT_EQ(good.lost, 0U);
    EXPECT_EQ(card.driver.rxFlow(TestWire::otherEnd(port), 0).frames, 0U);
  }
}

}  // namespace
}  // namespace plumbline::hw_test
