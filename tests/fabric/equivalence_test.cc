// The windowed core, on any number of threads, does exactly what the core that goes from instant to
// instant does: the same records at the same picosecond, the same deliveries, the same counters.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/fabric/harness.h"
#include "tests/fabric/random_scenario.h"

namespace plumbline::fabric::testing {
namespace {

constexpr std::uint64_t kShards = 20;
constexpr std::uint64_t kScenariosEach = 120;

class Equivalence : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Equivalence, WindowedCoreIsTheReferenceCore) {
  for (std::uint64_t i = 0; i < kScenariosEach; ++i) {
    const std::uint64_t seed = GetParam() * kScenariosEach + i;
    SCOPED_TRACE("scenario " + std::to_string(seed));
    const Scenario scenario = randomScenario(seed);
    const Outcome reference = runScenario(scenario, {.core = Core::kReference});
    ASSERT_EQ(difference(reference, runScenario(scenario, {.core = Core::kWindowed})), "");
  }
}

TEST_P(Equivalence, ThreadsAndStepsMakeNoDifference) {
  for (std::uint64_t i = 0; i < kScenariosEach; i += 6) {
    const std::uint64_t seed = GetParam() * kScenariosEach + i;
    SCOPED_TRACE("scenario " + std::to_string(seed));
    const Scenario scenario = randomScenario(seed);
    const Outcome one = runScenario(scenario, {});
    const unsigned threads = 2 + static_cast<unsigned>(i / 6 % 3);
    ASSERT_EQ(difference(one, runScenario(scenario, {.threads = threads, .share_always = true})),
              "")
        << threads << " threads";
    ASSERT_EQ(difference(one, runScenario(scenario, {}, 7)), "") << "in steps";
  }
}

// Where nobody observes departures switches take a shorter way.
TEST_P(Equivalence, WhoObservesMakesNoDifference) {
  for (std::uint64_t i = 0; i < kScenariosEach; ++i) {
    const std::uint64_t seed = GetParam() * kScenariosEach + i;
    SCOPED_TRACE("scenario " + std::to_string(seed));
    const Scenario scenario = randomScenario(seed);
    Outcome all = runScenario(scenario, {});
    std::erase_if(all.records,
                  [](const Record& record) { return record.kind == RecordKind::kDeparture; });
    const std::uint32_t others = kEveryKind & ~Observer::bit(RecordKind::kDeparture);
    Outcome some = runScenario(scenario, {}, 1, others);
    for (Outcome* outcome : {&all, &some}) {  // departures are counted among a node's records
      for (Record& record : outcome->records) record.sequence = 0;
    }
    ASSERT_EQ(difference(all, some), "");
  }
}

TEST_P(Equivalence, TimersSetAndDueInOneWindowComeInTime) {
  for (std::uint64_t i = 0; i < kScenariosEach; i += 3) {
    const std::uint64_t seed = GetParam() * kScenariosEach + i;
    SCOPED_TRACE("scenario " + std::to_string(seed));
    const Scenario scenario = randomScenarioOfLongLinks(seed);
    const Outcome reference = runScenario(scenario, {.core = Core::kReference});
    ASSERT_EQ(difference(reference, runScenario(scenario, {.core = Core::kWindowed})), "");
  }
}

// Many frames for one host make inputs ask for pauses, and headrooms full, with and without
// departures being observed.
TEST_P(Equivalence, IncastsPauseAtTheSameTimes) {
  for (std::uint64_t i = 0; i < kScenariosEach; ++i) {
    const std::uint64_t seed = GetParam() * kScenariosEach + i;
    SCOPED_TRACE("scenario " + std::to_string(seed));
    const Scenario scenario = randomIncast(seed);
    for (const std::uint32_t interests :
         {kEveryKind, kEveryKind & ~Observer::bit(RecordKind::kDeparture)}) {
      const Outcome reference = runScenario(scenario, {.core = Core::kReference}, 1, interests);
      const Outcome windowed = runScenario(scenario, {.core = Core::kWindowed}, 1, interests);
      ASSERT_EQ(difference(reference, windowed), "");
    }
  }
}

// Groups of which nothing is trimmed, dropped or marked go the shortest way through a switch, amid
// others that do not.
TEST_P(Equivalence, CrowdsGoThroughInTheSameOrder) {
  for (std::uint64_t i = 0; i < kScenariosEach; i += 3) {
    const std::uint64_t seed = GetParam() * kScenariosEach + i;
    SCOPED_TRACE("scenario " + std::to_string(seed));
    const Scenario scenario = randomCrowd(seed);
    const std::uint32_t others = kEveryKind & ~Observer::bit(RecordKind::kDeparture);
    const Outcome reference = runScenario(scenario, {.core = Core::kReference}, 1, others);
    const Outcome windowed = runScenario(scenario, {.core = Core::kWindowed}, 1, others);
    ASSERT_EQ(difference(reference, windowed), "");
  }
}

// Scenarios that once came out differently.
TEST(EquivalenceScenarios, WhatOnceDifferedIsTheSame) {
  for (const std::uint64_t seed :
       {2964, 3057, 3552, 6527, 7024, 7242, 12466, 12837, 12940, 18308, 19151, 21029}) {
    SCOPED_TRACE("scenario " + std::to_string(seed));
    const Scenario scenario = randomScenario(seed);
    const Outcome reference = runScenario(scenario, {.core = Core::kReference});
    EXPECT_EQ(difference(reference, runScenario(scenario, {.core = Core::kWindowed})), "");
  }
}

// The first pause starts the watchdog, whose polls find a stuck queue, and drop what comes behind
// it, before the window ends that the pause began in.
TEST(EquivalenceScenarios, AWatchdogActsInTheWindowOfThePause) {
  constexpr Picoseconds kDelay = microseconds(4);
  Scenario scenario;
  TopologySpec& topology = scenario.spec.topology;
  topology.hosts = 2;
  topology.host_link_delay = kDelay;
  PfcSpec& pfc = scenario.spec.switches.pfc.emplace();
  WatchdogSpec& watchdog = pfc.watchdog.emplace();
  watchdog.poll = watchdog.detection = watchdog.restoration = microseconds(1);
  scenario.hosts.assign(2, Scenario::HostKind::kTester);
  for (int i = 0; i < 30; ++i) {
    scenario.sends.push_back({0, frame(0, 1, 1'024, 3), nanoseconds(100) * i});
  }
  scenario.pauses.push_back({1, 1U << 3, 1U << 3, 0xFFFF, Picoseconds(0)});
  scenario.until = microseconds(40);
  const Outcome reference = runScenario(scenario, {.core = Core::kReference});
  const Outcome windowed = runScenario(scenario, {.core = Core::kWindowed});
  EXPECT_EQ(difference(reference, windowed), "");
  std::set<Picoseconds> drops;
  for (const Record& record : windowed.records) {
    if (record.reason == DropReason::kWatchdog) drops.insert(record.time);
  }
  EXPECT_GT(drops.size(), 10U);  // not all of them at the poll
  EXPECT_LT(*drops.rbegin(), 2 * kDelay);
}

// A pause starts the watchdog, and another one begins right behind it, on an output that has sent
// frames since the window began: the watchdog knows when they were sent.
TEST(EquivalenceScenarios, AWatchdogKnowsWhatHadLeftWhenItsPollsBegan) {
  Scenario scenario;
  TopologySpec& topology = scenario.spec.topology;
  topology.hosts = 4;
  topology.host_link_delay = microseconds(4);
  PfcSpec& pfc = scenario.spec.switches.pfc.emplace();
  WatchdogSpec& watchdog = pfc.watchdog.emplace();
  watchdog.poll = watchdog.detection = watchdog.restoration = microseconds(1);
  scenario.hosts.assign(4, Scenario::HostKind::kTester);
  const Picoseconds slot = frameSlot(Bytes(4'096), topology.link_rate);
  for (int i = 0; i < 20; ++i) scenario.sends.push_back({0, frame(0, 2, 4'096, 3), slot * i});
  scenario.pauses.push_back({1, 1U << 3, 1U << 3, 0xFFFF, microseconds(2)});
  scenario.pauses.push_back({2, 1U << 3, 1U << 3, 0xFFFF, microseconds(2) + nanoseconds(20)});
  scenario.until = microseconds(40);
  const Outcome reference = runScenario(scenario, {.core = Core::kReference});
  EXPECT_EQ(difference(reference, runScenario(scenario, {.core = Core::kWindowed})), "");
  Picoseconds acted = kNever;
  for (const Record& record : reference.records) {
    if (record.kind == RecordKind::kWatchdogOn) acted = std::min(acted, record.time);
  }
  EXPECT_EQ(acted,
            microseconds(8));  // the first poll a detection time behind the pause's effect, at 6 us
}

INSTANTIATE_TEST_SUITE_P(Random, Equivalence, ::testing::Range<std::uint64_t>(0, kShards));

// What the scenarios must have in them all together for the comparison to be worth something.
TEST(EquivalenceScenarios, EverythingHappensInThem) {
  constexpr std::size_t kRecordKinds = 12;
  std::set<RecordKind> kinds;
  std::set<DropReason> reasons;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const Record& record : runScenario(randomScenario(seed), {}).records) {
      kinds.insert(record.kind);
      if (record.kind == RecordKind::kDrop) reasons.insert(record.reason);
    }
  }
  EXPECT_EQ(kinds.size(), kRecordKinds);
  EXPECT_EQ(reasons.size(), std::size_t{kDropReasons});
}

}  // namespace
}  // namespace plumbline::fabric::testing
