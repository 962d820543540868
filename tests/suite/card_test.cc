// The tests of the card itself: their computed values, and that they detect errors.
#include "suite/card/card.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "card/rate.h"
#include "fabric/engine/fabric.h"
#include "tests/suite/scripted_card.h"

namespace plumbline::suite {
namespace {

using bench::TrialResult;
using bench::TrialSpec;
using ::testing::HasSubstr;

// A receiver that finds all damage in the right counter, except for `missed` frames.
TrialResult damaged(const TrialSpec& spec, std::uint64_t missed) {
  TrialResult result = nothingWrong(spec);
  const bool pauses = !spec.storms.empty();  // which go against the stream
  bench::PortResult& receiver = result.ports[pauses ? 0 : 1];
  bench::StreamResult& stream = result.streams[0];
  if (spec.damage.empty()) {
    receiver.giants = 1000 - missed;
    return result;
  }
  const bench::DamageSpec& damage = spec.damage.front();
  bench::DamageOutcome outcome;
  outcome.counters.frames = 50;
  if (const auto* errors = std::get_if<card::BitErrors>(&damage.what)) {
    outcome.counters.random_bits = static_cast<std::uint64_t>(
        errors->ratio * static_cast<double>(result.ports[0].tx_bytes) * 8);
    receiver.fcs_errors = 50 - missed;
  } else {
    const auto& rule = std::get<card::DamageRule>(damage.what);
    const std::uint64_t found = 50 - missed;
    switch (rule.kind) {
      case card::DamageKind::kIcrc:
        stream.bad_icrc = found;
        break;
      case card::DamageKind::kDrop:
        if (rule.match != card::DamageMatch::kControl) stream.lost = found;
        break;
      case card::DamageKind::kTruncate:
        (rule.bytes < 64 ? receiver.runts : receiver.fcs_errors) = found;
        break;
      default:
        receiver.fcs_errors = found;
    }
  }
  auto& port = result.ports[damage.host];
  (damage.direction == card::DamageDirection::kSent ? port.damage_sent : port.damage_received) =
      outcome;
  return result;
}

TEST(BitErrors, AllFoundIsNothingUnexplained) {
  Scripted runner([](const TrialSpec& spec) { return damaged(spec, 0); });
  const scenario::Scenario scenario = onALink();
  const results::TestResult result = bitErrorProcedure().run({scenario, aCard()}, runner);
  checkWellFormed(result);
  EXPECT_TRUE(result.valid);
  std::size_t points = 0;
  for (const results::Kpi& kpi : result.kpis) {
    if (kpi.name != "unexplained_errors") continue;
    EXPECT_EQ(kpi.quantity.value, 0) << kpi.point;
    EXPECT_EQ(kpi.quantity.observed, ObservationPoint::kTester);
    ++points;
  }
  EXPECT_EQ(points, 13U + 3);  // all kinds, three ratios
  EXPECT_EQ(kpi(result, "injected_errors", "PAUSE, dropped").value, 50);
  EXPECT_EQ(kpi(result, "error_ratio_sigma", "random, 0.001 per bit").value, 0);
  EXPECT_THAT(result.summary, HasSubstr("; 0 of them are neither"));
}

TEST(BitErrors, WhatWasMissedIsUnexplained) {
  Scripted runner([](const TrialSpec& spec) { return damaged(spec, 2); });
  const scenario::Scenario scenario = onALink();
  const results::TestResult result = bitErrorProcedure().run({scenario, aCard()}, runner);
  for (const results::Kpi& kpi : result.kpis) {
    if (kpi.name != "unexplained_errors") continue;
    EXPECT_EQ(kpi.quantity.value, kpi.point == "PAUSE, dropped" ? 0 : 2) << kpi.point;
  }
}

TEST(BitErrors, ASwitchThatDiscardsHasDetected) {
  Scripted runner([](const TrialSpec& spec) {
    TrialResult result = damaged(spec, 0);
    if (result.ports[1].fcs_errors > 0 && result.ports[0].damage_sent) {
      std::swap(result.ports[1].fcs_errors, result.ports[0].dut_discarded);
    }
    return result;
  });
  const scenario::Scenario scenario = onALink();
  const results::TestResult result = bitErrorProcedure().run({scenario, aCard()}, runner);
  EXPECT_EQ(kpi(result, "unexplained_errors", "one bit").value, 0);
}

TEST(BitErrors, LeaveTheLastFramesWhole) {
  Scripted runner([](const TrialSpec& spec) { return damaged(spec, 0); });
  scenario::Scenario scenario = onALink();
  scenario.parameters.card.damage = {{"drop", "pfc-drop"}};
  scenario.parameters.card.damage_every = 3;
  (void)bitErrorProcedure().run({scenario, aCard()}, runner);
  const TrialSpec& spec = runner.asked.at(0);
  const auto& rule = std::get<card::DamageRule>(spec.damage.at(0).what);
  const std::uint64_t frames = card::framesWithin(
      spec.duration, card::framePeriod(Bytes(512), gigabitsPerSecond(100), Fraction::percent(80)));
  EXPECT_EQ(rule.last + 20, frames);
  EXPECT_EQ(rule.step, 3U);
  // As many PAUSE frames as fit into the trial.
  const bench::PfcStormSpec& storm = runner.asked.at(1).storms.at(0);
  EXPECT_LE(storm.period * storm.frames, spec.duration);
}

TEST(BitErrors, AnIcrcIsOnlyInRoce) {
  Scripted runner([](const TrialSpec& spec) { return damaged(spec, 0); });
  scenario::Scenario scenario = onALink();
  scenario.traffic.format.transport = bench::Transport::kUdp;
  const Plan all = bitErrorProcedure().plan({scenario, aCard()});
  EXPECT_TRUE(all.refusals.empty());
  EXPECT_EQ(all.points.size(), 12U + 3);
  scenario.parameters.card.damage = {{"icrc"}};
  EXPECT_THAT(bitErrorProcedure().plan({scenario, aCard()}).refusals.at(0), HasSubstr("ICRC"));
}

TEST(CardTests, NeedACard) {
  const scenario::Scenario scenario = onALink();
  for (const Procedure* test :
       {&bitErrorProcedure(), &pfcStormProcedure(), &llrRetryProcedure(), &queuePairProcedure()}) {
    const Plan plan = test->plan({scenario, someBench()});
    ASSERT_FALSE(plan.refusals.empty()) << test->id();
    EXPECT_THAT(plan.refusals.front(), HasSubstr("needs a tester card"));
  }
  for (const Procedure* test :
       {&bitErrorProcedure(), &pfcStormProcedure(), &llrRetryProcedure(), &queuePairProcedure()}) {
    EXPECT_TRUE(test->plan({scenario, aCard()}).refusals.empty()) << test->id();
    EXPECT_FALSE(test->onHosts());
  }
}

// Every trial counts once, including the card's overhead; a simulated DUT is known to be empty long
// before the drain is over.
TEST(CardTests, ArePlannedInTheCardsTime) {
  const scenario::Scenario scenario = onALink();
  bench::Capabilities card = aCard();
  card.trial_overhead = microseconds(75);
  for (const bool simulated : {true, false}) {
    card.simulated_dut = simulated;
    const Plan plan = bitErrorProcedure().plan({scenario, card});
    ASSERT_EQ(plan.trials_expected, plan.samples.size());
    Picoseconds time;
    for (const PlannedTrial& trial : plan.samples) {
      time += trial.spec.duration + microseconds(75);
      if (!simulated) time += trial.spec.drain;
    }
    EXPECT_EQ(plan.simulated_time, time);
  }
}

TEST(PfcStorm, ComparesPausesWithWhatWasCommanded) {
  // Quanta of 512 bit times at 100 Gb/s are 5.12 ns each; the pause is too long by 4 ns.
  Scripted runner([](const TrialSpec& spec) {
    TrialResult result = nothingWrong(spec);
    const bench::PfcStormSpec& storm = spec.storms.at(0);
    const Picoseconds pause(std::int64_t{storm.frame.quanta} * 5120);
    Picoseconds all;
    for (std::uint32_t i = 0; i < storm.frames; ++i) {
      all += i + 1 < storm.frames ? std::min(pause, storm.period) : pause;
    }
    result.ports[0].priority[3].paused = all + nanoseconds(4);
    result.ports[0].pauses = {{microseconds(1), false, 8, 0}, {microseconds(3), false, 0, 8}};
    return result;
  });
  scenario::Scenario scenario = onALink();
  scenario.parameters.card.quanta = {{1, 1000}};
  scenario.parameters.card.storm_frames = 10;
  const results::TestResult result = pfcStormProcedure().run({scenario, aCard()}, runner);
  checkWellFormed(result);
  for (const char* manner : {"apart", "refreshed", "flood"}) {
    for (const char* quanta : {"1 quanta, ", "1000 quanta, "}) {
      EXPECT_NEAR(kpi(result, "pause_error_ns", std::string(quanta) + manner).value, 4, 1e-9);
      EXPECT_EQ(kpi(result, "lost_frames", std::string(quanta) + manner).value, 0);
    }
  }
  ASSERT_EQ(result.timelines.size(), 6U);
  ASSERT_EQ(result.timelines[0].lanes.size(), 1U);
  EXPECT_EQ(result.timelines[0].lanes[0].name, "host0 received, priority 3");
  EXPECT_EQ(result.timelines[0].lanes[0].spans.at(0).until, 3);
}

TEST(PfcStorm, SaysNothingOfAPauseThatASwitchMakes) {
  Scripted runner(nothingWrong);
  scenario::Scenario scenario = onALink();
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 2;
  scenario.parameters.card.quanta = {{10}};
  const results::TestResult result = pfcStormProcedure().run({scenario, aCard()}, runner);
  checkWellFormed(result);
  for (const results::Kpi& kpi : result.kpis) EXPECT_NE(kpi.name, "pause_error_ns");
}

// A tester whose bursts leave as commanded, sender i later by `late[i]`.
TrialResult bursts(const TrialSpec& spec, const std::vector<Picoseconds>& late) {
  TrialResult result = nothingWrong(spec);
  for (std::size_t i = 0; i < spec.streams.size(); ++i) {
    const auto& load = std::get<bench::BurstLoad>(spec.streams[i].load);
    for (std::uint32_t burst = 0; burst < load.bursts; ++burst) {
      for (std::uint32_t frame = 0; frame < load.frames; ++frame) {
        result.streams[i].departures.push_back(spec.streams[i].start + late.at(i) +
                                               load.interval * std::int64_t{burst} +
                                               nanoseconds(100) * std::int64_t{frame});
      }
    }
  }
  return result;
}

scenario::Scenario threeToOne() {
  scenario::Scenario scenario = someScenario();
  scenario.parameters.incast_ratios = {{3}};
  scenario.parameters.card.stagger = {{nanoseconds(10)}};
  return scenario;
}

TEST(IncastPhase, ComparesDeparturesWithCommands) {
  Scripted runner([](const TrialSpec& spec) {
    return bursts(spec, {Picoseconds(500), Picoseconds(2500), Picoseconds(1000)});
  });
  const scenario::Scenario scenario = threeToOne();
  const results::TestResult result = incastPhaseProcedure().run({scenario, aCard()}, runner);
  checkWellFormed(result);
  EXPECT_DOUBLE_EQ(kpi(result, "phase_error_ns", "3 senders, 10 ns apart").value, 2.5);
  EXPECT_DOUBLE_EQ(kpi(result, "phase_spread_ns", "3 senders, 10 ns apart").value, 2);
  const TrialSpec& spec = runner.asked.at(0);
  EXPECT_EQ(spec.streams.at(2).start - spec.streams.at(1).start, nanoseconds(10));
  EXPECT_EQ(spec.streams.at(2).to, 0U);
}

TEST(IncastPhase, AMissingBurstIsNoFigure) {
  Scripted runner([](const TrialSpec& spec) {
    TrialResult result = bursts(spec, std::vector<Picoseconds>(3));
    result.streams[1].departures.clear();
    return result;
  });
  const scenario::Scenario scenario = threeToOne();
  const results::TestResult result = incastPhaseProcedure().run({scenario, aCard()}, runner);
  for (const results::Kpi& kpi : result.kpis) EXPECT_NE(kpi.name, "phase_error_ns");
}

TEST(IncastPhase, ALateStartIsNotHidden) {
  Scripted runner([](const TrialSpec& spec) {
    TrialResult result = bursts(spec, std::vector<Picoseconds>(3));
    result.faults = {"the common start was armed too late"};
    return result;
  });
  const scenario::Scenario scenario = threeToOne();
  const results::TestResult result = incastPhaseProcedure().run({scenario, aCard()}, runner);
  EXPECT_FALSE(result.valid);
  EXPECT_TRUE(result.kpis.empty());
  EXPECT_THAT(anomalies(result), HasSubstr("armed too late"));
}

TEST(IncastPhase, BackgroundLoadIsNoSender) {
  Scripted runner([](const TrialSpec& spec) {
    TrialResult result = nothingWrong(spec);
    TrialSpec senders = spec;
    senders.streams.resize(2);
    const TrialResult seen = bursts(senders, {Picoseconds(0), Picoseconds(1000)});
    for (std::size_t i = 0; i < 2; ++i) result.streams[i] = seen.streams[i];
    return result;
  });
  scenario::Scenario scenario = threeToOne();
  scenario.parameters.incast_ratios = {{2}};
  scenario.parameters.card.background = Fraction::percent(30);
  const results::TestResult result = incastPhaseProcedure().run({scenario, aCard()}, runner);
  EXPECT_DOUBLE_EQ(kpi(result, "phase_spread_ns", "2 senders, 10 ns apart").value, 1);
  const bench::StreamSpec& background = runner.asked.at(0).streams.at(2);
  EXPECT_EQ(background.from, 3U);
  EXPECT_TRUE(std::holds_alternative<bench::DrawnGaps>(background.gaps.value()));
  scenario.parameters.incast_ratios = {{3}};
  EXPECT_THAT(incastPhaseProcedure().plan({scenario, aCard()}).refusals.at(0),
              HasSubstr("3 senders and two other ports"));
}

TEST(IncastPhase, BackgroundCanBeAListOfGaps) {
  scenario::Scenario scenario = threeToOne();
  scenario.parameters.incast_ratios = {{2}};
  const std::vector<Picoseconds> gaps{nanoseconds(200), nanoseconds(900)};
  scenario.parameters.card.background_gaps = gaps;
  const Plan plan = incastPhaseProcedure().plan({scenario, aCard()});
  ASSERT_TRUE(plan.refusals.empty()) << plan.refusals.front();
  const bench::StreamSpec& background = plan.samples.at(0).spec.streams.at(2);
  EXPECT_EQ(background.from, 3U);
  EXPECT_EQ(std::get<bench::ListedGaps>(background.gaps.value()).gaps, gaps);
  scenario.parameters.card.background = Fraction::percent(30);
  EXPECT_THAT(incastPhaseProcedure().plan({scenario, aCard()}).refusals.at(0),
              HasSubstr("not both"));
}

TEST(IncastPhase, NeedsPortsForAllSenders) {
  scenario::Scenario scenario = threeToOne();
  scenario.topology.hosts = 16;
  scenario.parameters.incast_ratios = {{4}};
  EXPECT_THAT(incastPhaseProcedure().plan({scenario, aCard()}).refusals.at(0),
              HasSubstr("4 senders and a receiver"));
}

TEST(QueuePairs, SharesAreThoseOfTheWeights) {
  Scripted runner([](const TrialSpec& spec) {
    TrialResult result = nothingWrong(spec);
    result.streams[0].queue_pairs.resize(2);
    // 80 : 20 instead of 75 : 25, and one frame of the second pair is missing.
    result.streams[0].queue_pairs[0].sent = result.streams[0].queue_pairs[0].received = 800;
    result.streams[0].queue_pairs[1].sent = 200;
    result.streams[0].queue_pairs[1].received = 199;
    result.streams[0].queue_pairs[1].lost = result.streams[0].lost = 1;
    return result;
  });
  scenario::Scenario scenario = onALink();
  scenario.traffic.qps = {{2}};
  scenario.parameters.card.entropy = {{"fixed"}};
  scenario.parameters.card.weights = {{3, 1}};
  scenario.parameters.balancing = {{"ecmp"}};
  const results::TestResult result = queuePairProcedure().run({scenario, aCard()}, runner);
  checkWellFormed(result);
  EXPECT_NEAR(kpi(result, "share_error_percent", "2 QPs, fixed, ECMP").value, 5, 1e-9);
  EXPECT_EQ(kpi(result, "lost_frames", "2 QPs, fixed, ECMP").value, 1);
  EXPECT_EQ(quantity(table(result, "spreading").rows.at(0).at(7)).value, 1);  // whole pairs
  EXPECT_EQ(runner.asked.at(0).streams.at(0).format.entropy, bench::Entropy::kFixed);
  // A bare link has no uplinks to spread over.
  for (const results::Kpi& kpi : result.kpis) EXPECT_NE(kpi.name, "link_mmr");
}

TEST(Entropy, UplinksAreThoseOfTheSendersSwitch) {
  // leaf0's ports: to host 0, then to four spines. Everything on one of them, or evenly.
  for (const bool even : {false, true}) {
    Scripted runner([even](const TrialSpec& spec) {
      TrialResult result = nothingWrong(spec);
      const fabric::Fabric fabric(spec.dut);
      for (const fabric::PortCounters& port : fabric.counters()) {
        bench::DutPort seen;
        const fabric::Topology& topology = fabric.topology();
        const std::string link = topology.nodes()[topology.links()[port.link].from].name + "-" +
                                 topology.nodes()[topology.links()[port.link].to].name;
        if (link == "leaf0-spine2" || (even && link.rfind("leaf0-spine", 0) == 0)) {
          seen.packets = 100;
        }
        if (link == "leaf0-host0" || link == "spine1-leaf1") seen.packets = 5000;
        result.dut.push_back(seen);
      }
      return result;
    });
    scenario::Scenario scenario = someScenario();
    scenario.topology.kind = fabric::TopologyKind::kClos2;
    scenario.topology.leaves = 2;
    scenario.topology.spines = 4;
    scenario.topology.hosts_per_leaf = 1;
    scenario.traffic.message_sizes.reset();
    scenario.traffic.qps = {{4}};
    scenario.parameters.card.entropy = {{"random"}};
    const results::TestResult result = entropyProcedure().run({scenario, aCard()}, runner);
    checkWellFormed(result);
    const results::Quantity& mmr = kpi(result, "link_mmr", "4 PDCs, random, ECMP");
    EXPECT_EQ(mmr.value, even ? 1 : 4);
    EXPECT_EQ(mmr.observed, ObservationPoint::kModelled);
    EXPECT_EQ(runner.asked.at(0).streams.at(0).format.transport, bench::Transport::kUetRud);
    EXPECT_EQ(runner.asked.at(0).streams.at(0).format.entropy_values, 64U);
  }
}

}  // namespace
}  // namespace plumbline::suite
