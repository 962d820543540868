// Damage and storms on the Verilated card, against their commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/wire.h"
#include "tests/bench_rtl/rtl_trials.h"

namespace plumbline::bench {
namespace {

using ::testing::IsEmpty;

TrialSpec damageTrial(const card::DamageRule& rule,
                      card::DamageDirection direction = card::DamageDirection::kSent) {
  TrialSpec spec = bareLinkTrial();
  spec.damage = {{direction == card::DamageDirection::kSent ? 0U : 1U, direction, rule}};
  return spec;
}

// Every tenth of the first 900 frames; 50 us at 80 % are 940 of 53.2 ns.
card::DamageRule everyTenth(card::DamageKind kind) {
  return {.kind = kind, .match = card::DamageMatch::kFlow, .last = 899, .step = 10};
}
constexpr std::uint64_t kStruck = 90;
constexpr std::uint64_t kFrames = 940;

TEST(RtlDamage, OfFramesSentIsFoundAtTheOtherEnd) {
  TrialResult bits = runOnCard(damageTrial(everyTenth(card::DamageKind::kBits)));
  ASSERT_THAT(bits.faults, IsEmpty());
  EXPECT_EQ(bits.streams[0].sent_frames, kFrames);
  EXPECT_EQ(bits.streams[0].lost, kStruck);
  EXPECT_EQ(bits.ports[1].fcs_errors, kStruck);
  ASSERT_TRUE(bits.ports[0].damage_sent);
  EXPECT_FALSE(bits.ports[1].damage_received || bits.ports[1].damage_sent);
  EXPECT_EQ(bits.ports[0].damage_sent->counters.bits, kStruck);
  EXPECT_EQ(bits.ports[0].damage_sent->counters.frames, kStruck);
  // The log has the damaged frames and their departures: on the stream's grid, to a clock.
  const std::vector<card::DamageEvent>& log = bits.ports[0].damage_sent->log;
  ASSERT_EQ(log.size(), kStruck);
  for (std::size_t i = 0; i < log.size(); ++i) {
    EXPECT_EQ(log[i].kind, card::DamageKind::kBits);
    EXPECT_EQ(log[i].number, 10 * i);
    const Picoseconds due(static_cast<std::int64_t>(10 * i) * 53'200);
    const Picoseconds late = log[i].time - due;
    EXPECT_GE(late, nanoseconds(99));  // the MAC's way to the port
    EXPECT_LE(late, nanoseconds(102) + sim::kClockPeriodMax);
  }

  const TrialResult icrc = runOnCard(damageTrial(everyTenth(card::DamageKind::kIcrc)));
  ASSERT_THAT(icrc.faults, IsEmpty());
  EXPECT_EQ(icrc.streams[0].lost, 0U);
  EXPECT_EQ(icrc.streams[0].bad_icrc, kStruck);
  EXPECT_EQ(icrc.ports[1].icrc_errors, kStruck);
  EXPECT_EQ(icrc.ports[1].fcs_errors, 0U);

  card::DamageRule cut = everyTenth(card::DamageKind::kTruncate);
  cut.bytes = 40;
  const TrialResult runts = runOnCard(damageTrial(cut));
  ASSERT_THAT(runts.faults, IsEmpty());
  EXPECT_EQ(runts.ports[1].runts, kStruck);
  EXPECT_EQ(runts.ports[1].fcs_errors, 0U);
  EXPECT_EQ(runts.streams[0].lost, kStruck);

  const TrialResult dropped = runOnCard(damageTrial(everyTenth(card::DamageKind::kDrop)));
  ASSERT_THAT(dropped.faults, IsEmpty());
  EXPECT_EQ(dropped.streams[0].lost, kStruck);
  EXPECT_EQ(dropped.ports[1].rx_frames, kFrames - kStruck);
  EXPECT_EQ(dropped.ports[1].fcs_errors + dropped.ports[1].runts, 0U);
}

TEST(RtlDamage, OfFramesReceivedIsFoundThere) {
  card::DamageRule bits = everyTenth(card::DamageKind::kBits);
  bits.match = card::DamageMatch::kAny;
  const TrialResult seen = runOnCard(damageTrial(bits, card::DamageDirection::kReceived));
  ASSERT_THAT(seen.faults, IsEmpty());
  ASSERT_TRUE(seen.ports[1].damage_received);
  EXPECT_EQ(seen.ports[1].damage_received->counters.bits, kStruck);
  EXPECT_EQ(seen.ports[1].fcs_errors, kStruck);
  EXPECT_EQ(seen.streams[0].lost, kStruck);

  bits.kind = card::DamageKind::kDrop;
  const TrialResult dropped = runOnCard(damageTrial(bits, card::DamageDirection::kReceived));
  ASSERT_THAT(dropped.faults, IsEmpty());
  EXPECT_EQ(dropped.streams[0].lost, kStruck);
}

TEST(RtlDamage, IsStoppedByASwitch) {
  TrialSpec spec = damageTrial(everyTenth(card::DamageKind::kFcs));
  spec.dut.topology.kind = fabric::TopologyKind::kSingleSwitch;
  spec.dut.topology.hosts = 2;
  const TrialResult seen = runOnCard(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_EQ(seen.ports[0].dut_discarded, kStruck);
  EXPECT_EQ(seen.ports[1].fcs_errors, 0U);
  EXPECT_EQ(seen.streams[0].lost, kStruck);
}

TEST(RtlDamage, FramesThatAreTooLongAreGiants) {
  TrialSpec spec = bareLinkTrial();
  spec.streams = {streamToHost1(9300, Fraction::percent(80))};
  const TrialResult seen = runOnCard(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_GT(seen.streams[0].sent_frames, 50U);
  EXPECT_EQ(seen.ports[1].giants, seen.streams[0].sent_frames);
  EXPECT_EQ(seen.streams[0].received_frames, 0U);
}

// Random errors: as many frames bad at the receiver as damaged, and the same errors for a seed.
TEST(RtlDamage, AtRandomIsCountedAndRepeats) {
  TrialSpec spec = bareLinkTrial();
  spec.damage = {{0, card::DamageDirection::kSent, card::BitErrors{1e-4, 5}}};
  const TrialResult seen = runOnCard(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  const DamageOutcome& outcome = *seen.ports[0].damage_sent;
  // 940 frames of 4096 bits: 385 wrong bits on average.
  EXPECT_NEAR(static_cast<double>(outcome.counters.random_bits), 385, 5 * 19.6);
  EXPECT_EQ(seen.ports[1].fcs_errors, outcome.counters.random_frames);
  EXPECT_EQ(seen.streams[0].lost, outcome.counters.random_frames);
  EXPECT_EQ(outcome.log.size(), outcome.counters.random_bits);
  for (const card::DamageEvent& event : outcome.log) EXPECT_LT(event.position, 512U * 8);

  const TrialResult again = runOnCard(spec);
  EXPECT_EQ(again.ports[0].damage_sent->log, outcome.log);
  std::get<card::BitErrors>(spec.damage[0].what).seed = 6;
  EXPECT_NE(runOnCard(spec).ports[0].damage_sent->log, outcome.log);
}

TEST(RtlDamage, AtRandomIsThatOfTheHostsOwnComputation) {
  TrialSpec spec = bareLinkTrial();
  const card::BitErrors errors{1e-4, 5};
  spec.damage = {{0, card::DamageDirection::kSent, errors}};
  const TrialResult seen = runOnCard(spec);
  // Frames of 512 bytes are eight whole blocks of the source's row of bits.
  card::BitErrorSource source(card::bitErrorSetting(errors));
  for (const card::DamageEvent& event : seen.ports[0].damage_sent->log) {
    const std::uint64_t position = source.nextPosition();
    EXPECT_EQ(event.number, position / 4096);
    EXPECT_EQ(event.position, position % 4096);
  }
}

TrialSpec stormTrial(std::uint16_t quanta, std::uint32_t frames, Picoseconds period) {
  TrialSpec spec = bareLinkTrial();
  spec.streams = {streamToHost1(512, Fraction::percent(40)),
                  streamToHost1(512, Fraction::percent(40))};
  spec.streams[1].format.priority = 0;
  spec.streams[1].format.dscp = 0;
  spec.storms = {{1, {.priorities = 1U << 3, .quanta = quanta}, frames, period, microseconds(5)}};
  spec.obey_pfc = 0xFF;
  spec.duration = microseconds(100);
  return spec;
}

// 1000 quanta are 5.12 us; the period is a multiple of the period of the card's clock phases.
TEST(RtlStorm, PausesExactlyAsLongAsItSays) {
  const TrialResult seen = runOnCard(stormTrial(1000, 7, Picoseconds(10'240'000)));
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_EQ(seen.ports[1].priority[3].tx_xoff, 7U);
  EXPECT_EQ(seen.ports[0].priority[3].rx_xoff, 7U);
  EXPECT_EQ(seen.ports[0].priority[3].paused, 7 * Picoseconds(5'120'000));
  EXPECT_EQ(seen.ports[0].priority[0].paused, Picoseconds());
  EXPECT_EQ(seen.lost(), 0U);
  // The other priority is not affected; of the paused one 36 % of the slots are given up.
  EXPECT_EQ(seen.streams[1].sent_frames, 940U);
  const std::uint64_t missing = 940 - seen.streams[0].sent_frames;
  EXPECT_NEAR(static_cast<double>(missing), 940 * 0.3584, 8);
  EXPECT_LE(missing, seen.ports[0].tx_given_up);
  // The log of both ends: a beginning and an end for each, as far apart as the pause.
  for (const std::uint32_t port : {0U, 1U}) {
    const std::vector<card::PauseEvent>& log = seen.ports[port].pauses;
    ASSERT_EQ(log.size(), 14U) << port;
    for (std::size_t i = 0; i < log.size(); i += 2) {
      EXPECT_EQ(log[i].sent, port == 1);
      EXPECT_EQ(log[i].starts, 8U);
      EXPECT_EQ(log[i + 1].ends, 8U);
      EXPECT_LE(std::abs((log[i + 1].time - log[i].time).count() - 5'120'000),
                sim::kClockPeriodMax.count());
    }
    EXPECT_EQ(seen.ports[port].pauses_unlogged, 0U);
  }
}

// Frames of the storm go between those of streams at 80 % of line rate, which leave when they
// should.
TEST(RtlStorm, ItsPortCanSendStreamsAsWell) {
  TrialSpec spec = stormTrial(1000, 70, Picoseconds(1'024'000));
  for (const std::int64_t length : {512, 1024}) {
    StreamSpec back = streamToHost1(length, Fraction::percent(40));
    back.from = 1;
    back.to = 0;
    spec.streams.push_back(back);
  }
  const TrialResult seen = runOnCard(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_EQ(seen.ports[1].priority[3].tx_xoff, 70U);
  EXPECT_EQ(seen.ports[0].priority[3].rx_xoff, 70U);
  const Picoseconds paused(69 * 1'024'000 + 5'120'000);
  EXPECT_LE(std::abs((seen.ports[0].priority[3].paused - paused).count()),
            frameSlot(Bytes(1024), gigabitsPerSecond(100)).count());
  EXPECT_EQ(seen.streams[2].sent_frames, 940U);
  EXPECT_EQ(seen.streams[2].received_frames, 940U);
  EXPECT_EQ(seen.streams[3].received_frames, seen.streams[3].sent_frames);
  EXPECT_EQ(seen.lost(), 0U);
}

TEST(RtlStorm, RefreshedIsOnePause) {
  const TrialResult seen = runOnCard(stormTrial(1000, 20, Picoseconds(2'560'000)));
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_EQ(seen.ports[0].priority[3].paused, Picoseconds(19 * 2'560'000 + 5'120'000));
  EXPECT_EQ(seen.ports[0].pauses.size(), 2U);
}

TEST(RtlStorm, FramesCanWaitForItsEnd) {
  TrialSpec spec = stormTrial(1000, 7, Picoseconds(10'240'000));
  spec.paused_frames_wait = true;
  const TrialResult seen = runOnCard(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_EQ(seen.streams[0].sent_frames, 940U);
  EXPECT_EQ(seen.streams[0].received_frames, 940U);
  EXPECT_EQ(seen.ports[0].tx_given_up, 0U);
  EXPECT_GE(seen.ports[0].tx_waited, 7U);
}

TEST(RtlStorm, NobodyNeedObeyIt) {
  TrialSpec spec = stormTrial(1000, 7, Picoseconds(10'240'000));
  spec.obey_pfc = 0;
  const TrialResult seen = runOnCard(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_EQ(seen.ports[0].priority[3].rx_xoff, 7U);
  EXPECT_EQ(seen.streams[0].sent_frames, 940U);
}

TEST(RtlStorm, PauseFramesCanBeLostOrBroken) {
  TrialSpec spec = stormTrial(1000, 7, Picoseconds(10'240'000));
  spec.damage = {{1, card::DamageDirection::kSent,
                  card::DamageRule{.kind = card::DamageKind::kDrop,
                                   .match = card::DamageMatch::kControl,
                                   .first = 1,
                                   .last = 2}},
                 {1, card::DamageDirection::kSent,
                  card::DamageRule{.kind = card::DamageKind::kBits,
                                   .match = card::DamageMatch::kControl,
                                   .first = 4,
                                   .last = 4}}};
  const TrialResult seen = runOnCard(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_EQ(seen.ports[0].priority[3].rx_xoff, 4U);
  EXPECT_EQ(seen.ports[0].fcs_errors, 1U);
  EXPECT_EQ(seen.ports[0].priority[3].paused, 4 * Picoseconds(5'120'000));
}

}  // namespace
}  // namespace plumbline::bench
