// The simulated card itself: its clock, its register bus, its edges.
#include "sim/card_sim.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "base/error.h"
#include "card/registers.h"
#include "sim/card_model.h"
#include "test_card.h"

namespace plumbline::hw_test {
namespace {

namespace global = card::regs::global;

TEST(CardSim, EdgesAreOnTheExactGrid) {
  EXPECT_EQ(sim::edgeTime(0), Picoseconds(0));
  EXPECT_EQ(sim::edgeTime(1), Picoseconds(3103));
  EXPECT_EQ(sim::edgeTime(33), Picoseconds(102'400));
  EXPECT_EQ(sim::edgeTime(33'000'000'000), Picoseconds(102'400'000'000'000));
}

TEST(CardSim, CardTimeIsSimulatedTime) {
  sim::CardSim sim({});
  EXPECT_EQ(sim.now(), Picoseconds(0));
  for (std::int64_t i = 0; i < 50; ++i) {
    const Picoseconds before = sim.now();
    sim.write(global::kControl, global::kControlLatchTime.of(1));
    const Picoseconds after = sim.now();
    const std::uint64_t latched =
        sim.read(global::kTimeLo) | std::uint64_t{sim.read(global::kTimeHi)} << 32;
    EXPECT_GE(latched, static_cast<std::uint64_t>(before.count()));
    EXPECT_LE(latched, static_cast<std::uint64_t>(after.count()));
    // A card time is always that of an edge.
    const auto edge = static_cast<std::int64_t>((latched * 33 + 102'399) / 102'400);
    EXPECT_EQ(sim::edgeTime(edge).count(), static_cast<std::int64_t>(latched));
    sim.wait(Picoseconds(1'000'003 * i));
  }
}

TEST(CardSim, RunsToTheFirstEdgeAtOrAfter) {
  sim::CardSim sim({});
  sim.runUntil(Picoseconds(102'400));
  EXPECT_EQ(sim.cycles(), 33U);
  sim.runUntil(Picoseconds(102'401));
  EXPECT_EQ(sim.cycles(), 34U);
  sim.runUntil(Picoseconds(0));
  EXPECT_EQ(sim.cycles(), 34U);
  sim.wait(Picoseconds(1));
  EXPECT_EQ(sim.cycles(), 35U);
}

TEST(CardSim, RegistersAnswerInAFewClocks) {
  sim::CardSim sim({});
  EXPECT_EQ(sim.read(global::kId), global::kIdValue);
  const std::uint64_t before = sim.cycles();
  for (std::uint32_t i = 0; i < 100; ++i) {
    sim.write(global::kScratch, i * 0x9E3779B9U);
    ASSERT_EQ(sim.read(global::kScratch), i * 0x9E3779B9U);
  }
  EXPECT_LT(sim.cycles() - before, 200U * 12);
}

TEST(CardSim, RefusesWhatCannotBe) {
  EXPECT_THROW(sim::CardSim({.ports = 0}), Error);
  EXPECT_THROW(sim::CardSim({.ports = sim::kMaxCardPorts + 1}), Error);
  EXPECT_THROW(sim::CardSim({.trace_fst = "/nonexistent/directory/trace.fst"}), Error);
  sim::CardSim sim({});
  EXPECT_THROW(sim.read(2), Error);
  EXPECT_THROW(sim.write(0x10000, 0), Error);
  EXPECT_THROW((void)sim.wireStats(2), Error);
  const auto frame = std::make_shared<const std::vector<std::uint8_t>>(64);
  sim.wait(microseconds(1));
  EXPECT_THROW(sim.deliver(2, frame, sim.now()), Error);
  EXPECT_THROW(sim.deliver(0, frame, sim.now() - Picoseconds(1)), Error);
  EXPECT_NO_THROW(sim.deliver(0, frame, sim.now()));
}

TEST(CardSim, PeerHearsOfEveryEdgeBeforeIt) {
  struct Listener final : sim::PortPeer {
    void onFrameFromCard(std::uint32_t, sim::FrameBytes, Picoseconds) override {}
    void advanceTo(Picoseconds now) override { times.push_back(now); }
    std::vector<Picoseconds> times;
  } listener;
  sim::CardSim sim({});
  sim.connect(&listener);
  sim.runUntil(sim::edgeTime(100));
  sim.connect(nullptr);
  sim.runUntil(sim::edgeTime(120));
  ASSERT_EQ(listener.times.size(), 100U);
  for (std::size_t i = 0; i < listener.times.size(); ++i) {
    EXPECT_EQ(listener.times[i], sim::edgeTime(static_cast<std::int64_t>(i) + 1));
  }
}

// What a run leaves behind: true times of all frames and the receiver's counters.
std::vector<std::int64_t> runOnce(std::uint32_t ports) {
  std::vector<std::int64_t> seen;
  TestCard card(ports);
  card.wire.observe = [&](const WireFrame& frame, const wire::DecodedFrame&) {
    seen.push_back(frame.first_bit.count());
  };
  for (std::uint32_t port = 0; port < ports; ++port) {
    std::vector<card::FlowConfig> flows;
    for (std::uint32_t i = 0; i < 5; ++i) {
      flows.push_back(makeFlow(udpStream(port, 64 + 100 * i), i));
      setConstantRate(flows.back(), Fraction::percent(20), 300, nanoseconds(i));
    }
    card.driver.loadFlows(port, flows);
  }
  card.start();
  card.finish();
  for (std::uint32_t port = 0; port < ports; ++port) {
    seen.push_back(static_cast<std::int64_t>(card.driver.latency(port, 0).sumLow()));
  }
  seen.push_back(card.sim.now().count());
  return seen;
}

// Cards share nothing: several of them, on threads, do what one does.
TEST(CardSim, CardsOnThreadsAreIndependentAndRepeatable) {
  const std::vector<std::int64_t> two = runOnce(2);
  EXPECT_GT(two.size(), 3000U);
  std::vector<std::vector<std::int64_t>> results(3);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < results.size(); ++i) {
      threads.emplace_back([&results, i] { results[i] = runOnce(i == 2 ? 4 : 2); });
    }
  }
  EXPECT_EQ(results[0], two);
  EXPECT_EQ(results[1], two);
  EXPECT_GT(results[2].size(), two.size());
}

TEST(CardSim, WritesAWaveformOnRequest) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "plumbline_card_sim_test.fst";
  std::filesystem::remove(path);
  {
    sim::CardSim sim({.ports = 2, .trace_fst = path.string()});
    sim.read(global::kId);
    sim.wait(microseconds(1));
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file.good());
  // An FST file begins with its header block, type 0, 329 bytes long.
  std::array<char, 9> head{};
  file.read(head.data(), head.size());
  EXPECT_EQ(head[0], 0);
  EXPECT_EQ(head[7], 1);
  EXPECT_EQ(static_cast<unsigned char>(head[8]), 73);
  EXPECT_GT(std::filesystem::file_size(path), 2000U);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace plumbline::hw_test
