// The sequence that brings a link up, over the registers as hardware has them (plumb_mac_regs
// behind plumb_axil_bridge) and a model of the MAC: whatever happens to the link on the way, it
// ends up, or down with the reason that the conditions at the end have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>

#include "tests/hw/vitis/link_bench.h"

namespace plumbline::hw_test {
namespace {

using Link = card::MacBringUp<LinkBench>;

TEST(MacBringUp, EndsUpOrDownWithTheRightReasonWhateverHappens) {
  int up = 0;
  int slowest_local = 0;
  int slowest = 0;
  for (std::uint32_t seed = 0; seed < 1'000; ++seed) {
    std::mt19937 random(seed);
    LinkBench bench(seed);
    constexpr MacFec kPolicies[] = {MacFec::kEither, MacFec::kOn, MacFec::kOff};
    const MacFec fec = kPolicies[std::min<std::size_t>(random() % 4, 2)];
    Link link(bench, 0, fec, kTiming);
    MacConditions now = drawConditions(random);
    bench.model.setConditions(now, bench.now());
    for (std::uint32_t changes = random() % 5; changes > 0; --changes) {
      for (std::uint32_t us = random() % 40; us > 0; --us) {
        link.poll();
        bench.wait(1);
        if (random() % 20 == 0) {
          bench.write(0x30, us);  // the card behind the bridge, be it dead or alive
          bench.read(0x30);
        }
      }
      if (random() % 3 == 0) {
        bench.model.loseAlignment(bench.now());
      } else {
        now = drawConditions(random);
        bench.model.setConditions(now, bench.now());
      }
    }
    // What was under way ends within an attempt, and two more settle it.
    for (int us = 0; us < 180; ++us) {
      link.poll();
      bench.wait(1);
    }
    const MacReason expected = expectedReason(now, fec);
    if (expected == MacReason::kNone) {
      ++up;
      ASSERT_EQ(link.state(), MacState::kUp)
          << "seed " << seed << ": " << card::describe(link.reason());
      ASSERT_TRUE(bench.linkUp()) << "seed " << seed;
      ASSERT_EQ(link.rsFec(), now.peer_rs_fec);
      bench.write(0x30, seed);
      ASSERT_EQ(bench.response, 0);
      ASSERT_EQ(bench.read(0x30), seed);
    } else {
      ASSERT_EQ(link.state(), MacState::kDown) << "seed " << seed;
      ASSERT_EQ(link.reason(), expected) << "seed " << seed << ": " << card::describe(link.reason())
                                         << ", not " << card::describe(expected);
      ASSERT_FALSE(bench.linkUp()) << "seed " << seed;
    }
    slowest_local = std::max(slowest_local, bench.slowest_local);
    slowest = std::max(slowest, bench.slowest);
  }
  EXPECT_GT(up, 200);
  EXPECT_LT(up, 800);
  EXPECT_LE(slowest_local, kMaxLocalClocks);
  EXPECT_LE(slowest, kMaxClocks);
  EXPECT_GT(slowest, 200) << "no access has met a dead clock";
}

TEST(MacBringUp, ALinkThatIsLostComesBackWithoutAResetOfTheCard) {
  LinkBench bench(5);
  Link link(bench, 0, MacFec::kEither, kTiming);
  const auto run = [&](int us) {
    for (int i = 0; i < us; ++i) {
      link.poll();
      bench.wait(1);
    }
  };
  run(100);
  ASSERT_EQ(link.state(), MacState::kUp);
  EXPECT_EQ(link.losses(), 0U);
  bench.write(0x30, 0x1234'5678);
  for (std::uint32_t times = 1; times <= 3; ++times) {
    bench.model.loseAlignment(bench.now());
    run(2);
    EXPECT_EQ(link.state(), MacState::kWorking);
    EXPECT_FALSE(bench.linkUp());
    EXPECT_EQ(link.losses(), times);
    run(60);
    EXPECT_EQ(link.state(), MacState::kUp);
  }
  // A cable that is out for long: the MAC's receiver is reset again and again, the card is not.
  MacConditions pulled;
  pulled.signal = false;
  bench.model.setConditions(pulled, bench.now());
  run(200);
  EXPECT_EQ(link.state(), MacState::kDown);
  EXPECT_EQ(link.reason(), MacReason::kNoSignal);
  EXPECT_EQ(bench.read(0x30), 0x1234'5678U);
}

// Without the block (another card, a port too many) it reads as zero.
TEST(MacBringUp, SaysSoWhenThereAreNoRegisters) {
  struct Empty {
    std::uint32_t read(std::uint32_t) { return 0; }
    void write(std::uint32_t, std::uint32_t) { ADD_FAILURE() << "written to"; }
  } bus;
  card::MacBringUp<Empty> link(bus, 3, MacFec::kOn);
  link.poll();
  EXPECT_EQ(link.state(), MacState::kDown);
  EXPECT_EQ(link.reason(), MacReason::kNoRegisters);
}

}  // namespace
}  // namespace plumbline::hw_test
