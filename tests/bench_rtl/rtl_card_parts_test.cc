// Damage, storms, departures, queue pairs and UET on the Verilated card, against what was commanded
// and against frames decoded on their way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "bench/rtl_bench.h"
#include "sim/wire.h"
#include "wire/frame.h"

namespace plumbline::bench {
namespace {

using ::testing::IsEmpty;

RtlBench& sharedBench() {
  static RtlBench bench;
  return bench;
}

StreamSpec streamOf(std::int64_t frame, Fraction rate) {
  StreamSpec stream;
  stream.name = "s";
  stream.to = 1;
  stream.frame = Bytes(frame);
  stream.load = ConstantLoad{rate};
  return stream;
}

TrialSpec linkTrial() {
  TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kLink;
  spec.dut.topology.host_link_delay = nanoseconds(500);
  spec.streams = {streamOf(512, Fraction::percent(80))};
  spec.duration = microseconds(50);
  return spec;
}

TrialSpec damageTrial(const card::DamageRule& rule,
                      card::DamageDirection direction = card::DamageDirection::kSent) {
  TrialSpec spec = linkTrial();
  spec.damage = {{direction == card::DamageDirection::kSent ? 0U : 1U, direction, rule}};
  return spec;
}

TrialResult run(const TrialSpec& spec) { return sharedBench().run(spec, {}); }

// Every tenth of the first 900 frames; 50 us at 80 % are 940 of 53.2 ns.
card::DamageRule everyTenth(card::DamageKind kind) {
  return {.kind = kind, .match = card::DamageMatch::kFlow, .last = 899, .step = 10};
}
constexpr std::uint64_t kStruck = 90;
constexpr std::uint64_t kFrames = 940;

TEST(RtlDamage, OfFramesSentIsFoundAtTheOtherEnd) {
  TrialResult bits = run(damageTrial(everyTenth(card::DamageKind::kBits)));
  ASSERT_THAT(bits.faults, IsEmpty());
  EXPECT_EQ(bits.streams[0].sent_frames, kFrames);
  EXPECT_EQ(bits.streams[0].lost, kStruck);
  EXPECT_EQ(bits.ports[1].fcs_errors, kStruck);
  ASSERT_TRUE(bits.ports[0].damage_sent);
  EXPECT_FALSE(bits.ports[1].damage_received || bits.ports[1].damage_sent);
  EXPECT_EQ(bits.ports[0].damage_sent->counters.bits, kStruck);
  EXPECT_EQ(bits.ports[0].damage_sent->counters.frames, kStruck);
  // The log says which ones, and when they left: on the stream's grid, to a clock.
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

  const TrialResult icrc = run(damageTrial(everyTenth(card::DamageKind::kIcrc)));
  ASSERT_THAT(icrc.faults, IsEmpty());
  EXPECT_EQ(icrc.streams[0].lost, 0U);
  EXPECT_EQ(icrc.streams[0].bad_icrc, kStruck);
  EXPECT_EQ(icrc.ports[1].icrc_errors, kStruck);
  EXPECT_EQ(icrc.ports[1].fcs_errors, 0U);

  card::DamageRule cut = everyTenth(card::DamageKind::kTruncate);
  cut.bytes = 40;
  const TrialResult runts = run(damageTrial(cut));
  ASSERT_THAT(runts.faults, IsEmpty());
  EXPECT_EQ(runts.ports[1].runts, kStruck);
  EXPECT_EQ(runts.ports[1].fcs_errors, 0U);
  EXPECT_EQ(runts.streams[0].lost, kStruck);

  const TrialResult dropped = run(damageTrial(everyTenth(card::DamageKind::kDrop)));
  ASSERT_THAT(dropped.faults, IsEmpty());
  EXPECT_EQ(dropped.streams[0].lost, kStruck);
  EXPECT_EQ(dropped.ports[1].rx_frames, kFrames - kStruck);
  EXPECT_EQ(dropped.ports[1].fcs_errors + dropped.ports[1].runts, 0U);
}

TEST(RtlDamage, OfFramesReceivedIsFoundThere) {
  card::DamageRule bits = everyTenth(card::DamageKind::kBits);
  bits.match = card::DamageMatch::kAny;
  const TrialResult seen = run(damageTrial(bits, card::DamageDirection::kReceived));
  ASSERT_THAT(seen.faults, IsEmpty());
  ASSERT_TRUE(seen.ports[1].damage_received);
  EXPECT_EQ(seen.ports[1].damage_received->counters.bits, kStruck);
  EXPECT_EQ(seen.ports[1].fcs_errors, kStruck);
  EXPECT_EQ(seen.streams[0].lost, kStruck);

  bits.kind = card::DamageKind::kDrop;
  const TrialResult dropped = run(damageTrial(bits, card::DamageDirection::kReceived));
  ASSERT_THAT(dropped.faults, IsEmpty());
  EXPECT_EQ(dropped.streams[0].lost, kStruck);
}

TEST(RtlDamage, IsStoppedByASwitch) {
  TrialSpec spec = damageTrial(everyTenth(card::DamageKind::kFcs));
  spec.dut.topology.kind = fabric::TopologyKind::kSingleSwitch;
  spec.dut.topology.hosts = 2;
  const TrialResult seen = run(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_EQ(seen.ports[0].dut_discarded, kStruck);
  EXPECT_EQ(seen.ports[1].fcs_errors, 0U);
  EXPECT_EQ(seen.streams[0].lost, kStruck);
}

TEST(RtlDamage, FramesThatAreTooLongAreGiants) {
  TrialSpec spec = linkTrial();
  spec.streams = {streamOf(9300, Fraction::percent(80))};
  const TrialResult seen = run(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_GT(seen.streams[0].sent_frames, 50U);
  EXPECT_EQ(seen.ports[1].giants, seen.streams[0].sent_frames);
  EXPECT_EQ(seen.streams[0].received_frames, 0U);
}

// Random errors: as many frames bad at the receiver as damaged, and the same errors for a seed.
TEST(RtlDamage, AtRandomIsCountedAndRepeats) {
  TrialSpec spec = linkTrial();
  spec.damage = {{0, card::DamageDirection::kSent, card::BitErrors{1e-4, 5}}};
  const TrialResult seen = run(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  const DamageOutcome& outcome = *seen.ports[0].damage_sent;
  // 940 frames of 4096 bits: 385 wrong bits on average.
  EXPECT_NEAR(static_cast<double>(outcome.counters.random_bits), 385, 5 * 19.6);
  EXPECT_EQ(seen.ports[1].fcs_errors, outcome.counters.random_frames);
  EXPECT_EQ(seen.streams[0].lost, outcome.counters.random_frames);
  EXPECT_EQ(outcome.log.size(), outcome.counters.random_bits);
  for (const card::DamageEvent& event : outcome.log) EXPECT_LT(event.position, 512U * 8);

  const TrialResult again = run(spec);
  EXPECT_EQ(again.ports[0].damage_sent->log, outcome.log);
  std::get<card::BitErrors>(spec.damage[0].what).seed = 6;
  EXPECT_NE(run(spec).ports[0].damage_sent->log, outcome.log);
}

TEST(RtlDamage, AtRandomIsThatOfTheHostsOwnComputation) {
  TrialSpec spec = linkTrial();
  const card::BitErrors errors{1e-4, 5};
  spec.damage = {{0, card::DamageDirection::kSent, errors}};
  const TrialResult seen = run(spec);
  // Frames of 512 bytes are eight whole blocks of the source's row of bits.
  card::BitErrorSource source(card::bitErrorSetting(errors));
  for (const card::DamageEvent& event : seen.ports[0].damage_sent->log) {
    const std::uint64_t position = source.nextPosition();
    EXPECT_EQ(event.number, position / 4096);
    EXPECT_EQ(event.position, position % 4096);
  }
}

TrialSpec stormTrial(std::uint16_t quanta, std::uint32_t frames, Picoseconds period) {
  TrialSpec spec = linkTrial();
  spec.streams = {streamOf(512, Fraction::percent(40)), streamOf(512, Fraction::percent(40))};
  spec.streams[1].format.priority = 0;
  spec.streams[1].format.dscp = 0;
  spec.storms = {{1, {.priorities = 1U << 3, .quanta = quanta}, frames, period, microseconds(5)}};
  spec.obey_pfc = 0xFF;
  spec.duration = microseconds(100);
  return spec;
}

// 1000 quanta are 5.12 us; the period is a multiple of what the card's clock repeats on.
TEST(RtlStorm, PausesExactlyAsLongAsItSays) {
  const TrialResult seen = run(stormTrial(1000, 7, Picoseconds(102'400 * 100)));
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_EQ(seen.ports[1].priority[3].tx_xoff, 7U);
  EXPECT_EQ(seen.ports[0].priority[3].rx_xoff, 7U);
  EXPECT_EQ(seen.ports[0].priority[3].paused, Picoseconds(7 * 1000 * 5120));
  EXPECT_EQ(seen.ports[0].priority[0].paused, Picoseconds());
  EXPECT_EQ(seen.lost(), 0U);
  // The other priority does not notice; of the paused one 36 % of the slots are given up.
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

TEST(RtlStorm, RefreshedIsOnePause) {
  const TrialResult seen = run(stormTrial(1000, 20, Picoseconds(102'400 * 25)));
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_EQ(seen.ports[0].priority[3].paused, Picoseconds(19 * 2'560'000 + 5'120'000));
  EXPECT_EQ(seen.ports[0].pauses.size(), 2U);
}

TEST(RtlStorm, FramesCanWaitForItsEnd) {
  TrialSpec spec = stormTrial(1000, 7, Picoseconds(102'400 * 100));
  spec.paused_frames_wait = true;
  const TrialResult seen = run(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_EQ(seen.streams[0].sent_frames, 940U);
  EXPECT_EQ(seen.streams[0].received_frames, 940U);
  EXPECT_EQ(seen.ports[0].tx_given_up, 0U);
  EXPECT_GE(seen.ports[0].tx_waited, 7U);
}

TEST(RtlStorm, NobodyNeedObeyIt) {
  TrialSpec spec = stormTrial(1000, 7, Picoseconds(102'400 * 100));
  spec.obey_pfc = 0;
  const TrialResult seen = run(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_EQ(seen.ports[0].priority[3].rx_xoff, 7U);
  EXPECT_EQ(seen.streams[0].sent_frames, 940U);
}

TEST(RtlStorm, PauseFramesCanBeLostOrBroken) {
  TrialSpec spec = stormTrial(1000, 7, Picoseconds(102'400 * 100));
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
  const TrialResult seen = run(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_EQ(seen.ports[0].priority[3].rx_xoff, 4U);
  EXPECT_EQ(seen.ports[0].fcs_errors, 1U);
  EXPECT_EQ(seen.ports[0].priority[3].paused, Picoseconds(4 * 1000 * 5120));
}

// Three ports to one, each some nanoseconds behind the one before, on no grid of the clock.
TEST(RtlDepartures, AreThoseCommandedToTheClock) {
  TrialSpec spec;
  spec.dut.topology.hosts = 4;
  spec.departures = 12;
  const Picoseconds interval(1'234'567);
  for (std::uint32_t i = 1; i < 4; ++i) {
    StreamSpec stream = streamOf(256, Fraction::one());
    stream.from = i;
    stream.to = 0;
    stream.start = nanoseconds(1000 + 10 * (i - 1));
    stream.load = BurstLoad{.frames = 4, .bursts = 3, .interval = interval};
    spec.streams.push_back(stream);
  }
  spec.duration = microseconds(10);
  const TrialResult seen = run(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<Picoseconds>& departures = seen.streams[i].departures;
    ASSERT_EQ(departures.size(), 12U);
    for (std::size_t burst = 0; burst < 3; ++burst) {
      const Picoseconds due = spec.streams[i].start + interval * static_cast<std::int64_t>(burst);
      EXPECT_GE(departures[4 * burst], due);
      EXPECT_LE(departures[4 * burst], due + sim::kClockPeriodMax);
      // Back to back: 276 byte times of 80 ps.
      EXPECT_EQ(departures[4 * burst + 1] - departures[4 * burst], Picoseconds(276 * 80));
    }
  }
  spec.departures = 5;
  EXPECT_EQ(run(spec).streams[2].departures.size(), 5U);
  spec.departures = 0;
  EXPECT_THAT(run(spec).streams[2].departures, IsEmpty());
}

std::vector<Picoseconds> gapsOf(const TrialResult& result) {
  std::vector<Picoseconds> gaps;
  const std::vector<Picoseconds>& departures = result.streams[0].departures;
  for (std::size_t i = 1; i < departures.size(); ++i) {
    gaps.push_back(departures[i] - departures[i - 1]);
  }
  return gaps;
}

TEST(RtlGaps, ListedOnesAreKeptToTheClock) {
  TrialSpec spec = linkTrial();
  spec.departures = 1000;
  spec.duration = microseconds(20);
  const std::vector<Picoseconds> listed{Picoseconds(100'001), Picoseconds(50'000),
                                        Picoseconds(333'333)};
  spec.streams[0].gaps = ListedGaps{listed, 2};
  const TrialResult seen = run(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  ASSERT_GT(seen.streams[0].departures.size(), 100U);
  EXPECT_EQ(seen.streams[0].departures.size(), seen.streams[0].received_frames);
  Picoseconds due;
  for (std::size_t i = 0; i < seen.streams[0].departures.size(); ++i) {
    EXPECT_GE(seen.streams[0].departures[i], due) << i;
    EXPECT_LE(seen.streams[0].departures[i], due + sim::kClockPeriodMax) << i;
    due += listed[i / 2 % 3];
  }
}

TEST(RtlGaps, DrawnOnesArePoisson) {
  TrialSpec spec = linkTrial();
  spec.departures = 100'000;
  spec.duration = microseconds(400);
  spec.streams[0].frame = Bytes(98);
  spec.streams[0].load = ConstantLoad{Fraction::percent(5)};
  spec.streams[0].gaps = DrawnGaps{3};
  const TrialResult seen = run(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  const std::vector<Picoseconds> gaps = gapsOf(seen);
  ASSERT_EQ(gaps.size() + 1, seen.streams[0].sent_frames);
  ASSERT_GT(gaps.size(), 2000U);
  // The mean is 118 byte times over 5 %; mean and standard deviation are the same.
  const double mean = 118 * 80 / 0.05;
  double sum = 0;
  double below = 0;
  for (const Picoseconds gap : gaps) {
    sum += static_cast<double>(gap.count());
    if (static_cast<double>(gap.count()) < mean) ++below;
  }
  const auto count = static_cast<double>(gaps.size());
  EXPECT_NEAR(sum / count, mean, 5 * mean / std::sqrt(count));
  EXPECT_NEAR(below / count, 1 - std::exp(-1), 5 * 0.483 / std::sqrt(count));
  EXPECT_EQ(gapsOf(run(spec)), gaps);
  spec.streams[0].gaps = DrawnGaps{4};
  EXPECT_NE(gapsOf(run(spec)), gaps);
}

// What a capture at the sender saw.
struct Captured {
  std::map<std::uint32_t, std::vector<std::uint32_t>> psns;    // by queue pair or context
  std::map<std::uint32_t, std::vector<std::uint8_t>> opcodes;  // by queue pair
  std::set<std::uint16_t> ports;
  std::vector<std::uint32_t> order;
};

TrialResult runCaptured(TrialSpec spec, Captured& captured) {
  spec.capture_port = 0;
  TrialHooks hooks;
  hooks.captured = [&captured](const card::CapturedFrame& frame) {
    if (!frame.sent) return;
    const wire::DecodedFrame decoded = wire::decodeFrame(frame.bytes);
    ASSERT_TRUE(decoded.ok());
    captured.ports.insert(decoded.udp->source_port);
    if (decoded.roce() != nullptr) {
      const wire::Bth& bth = decoded.roce()->bth;
      captured.psns[bth.dest_qp].push_back(bth.psn);
      captured.opcodes[bth.dest_qp].push_back(bth.opcode);
      captured.order.push_back(bth.dest_qp);
    } else {
      const auto& request = std::get<wire::PdsRequest>(decoded.uet()->pds);
      captured.psns[request.spdcid].push_back(request.psn);
    }
  };
  return sharedBench().run(spec, hooks);
}

void expectContinuous(const Captured& captured) {
  for (const auto& [pair, psns] : captured.psns) {
    for (std::size_t i = 0; i < psns.size(); ++i) ASSERT_EQ(psns[i], i) << pair;
  }
}

TEST(RtlQueuePairs, EachHasItsPsnsItsShareAndItsCounts) {
  TrialSpec spec = linkTrial();
  spec.streams[0].frame = Bytes(254);
  spec.streams[0].format.qps = 300;
  spec.streams[0].queue_pairs = QueuePairSpec{{}, 1, true};
  Captured captured;
  const TrialResult seen = runCaptured(spec, captured);
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_EQ(captured.psns.size(), 300U);
  EXPECT_EQ(captured.ports.size(), 300U);
  expectContinuous(captured);
  const std::vector<QueuePairResult>& pairs = seen.streams[0].queue_pairs;
  ASSERT_EQ(pairs.size(), 300U);
  std::uint64_t all = 0;
  std::size_t number = 0;
  for (const auto& [pair, psns] : captured.psns) {
    EXPECT_EQ(pairs[number].sent, psns.size());
    EXPECT_EQ(pairs[number].received, psns.size());
    EXPECT_EQ(pairs[number].lost + pairs[number].duplicate + pairs[number].out_of_order, 0U);
    all += pairs[number++].received;
  }
  EXPECT_EQ(all, seen.streams[0].sent_frames);
  EXPECT_EQ(seen.streams[0].received_frames, all);
}

TEST(RtlQueuePairs, TurnsAreThoseOfTheWeights) {
  TrialSpec spec = linkTrial();
  spec.streams[0].frame = Bytes(254);
  spec.streams[0].format.qps = 3;
  spec.streams[0].queue_pairs = QueuePairSpec{{3, 2, 1}, 1, true};
  Captured captured;
  const TrialResult seen = runCaptured(spec, captured);
  ASSERT_THAT(seen.faults, IsEmpty());
  ASSERT_GT(captured.order.size(), 600U);
  for (std::size_t round = 0; round < 100; ++round) {
    std::map<std::uint32_t, int> turns;
    for (std::size_t i = 0; i < 6; ++i) ++turns[captured.order[6 * round + i]];
    EXPECT_EQ(turns[0x100], 3);
    EXPECT_EQ(turns[0x101], 2);
    EXPECT_EQ(turns[0x102], 1);
  }
  expectContinuous(captured);
}

TEST(RtlQueuePairs, MessagesAreWhole) {
  TrialSpec spec = linkTrial();
  spec.streams[0].frame = Bytes(254);
  spec.streams[0].format.qps = 5;
  spec.streams[0].queue_pairs = QueuePairSpec{{}, 4, true};
  Captured captured;
  const TrialResult seen = runCaptured(spec, captured);
  ASSERT_THAT(seen.faults, IsEmpty());
  expectContinuous(captured);
  constexpr std::uint8_t kOpcodes[] = {0x06, 0x07, 0x07, 0x08};
  for (const auto& [pair, opcodes] : captured.opcodes) {
    for (std::size_t i = 0; i < opcodes.size(); ++i) ASSERT_EQ(opcodes[i], kOpcodes[i % 4]);
  }
  EXPECT_EQ(seen.lost(), 0U);
  EXPECT_EQ(seen.ports[1].icrc_errors, 0U);
}

// One source port for all queue pairs: only a fabric that looks into the BTH tells them apart.
TEST(RtlQueuePairs, SpreadByTheBthWhereTheFabricLooksAtIt) {
  for (const bool bth : {false, true}) {
    TrialSpec spec = linkTrial();
    spec.dut.topology.kind = fabric::TopologyKind::kClos2;
    spec.dut.topology.leaves = 2;
    spec.dut.topology.spines = 4;
    spec.dut.topology.hosts_per_leaf = 1;
    spec.dut.switches.load_balancing.kind =
        bth ? fabric::LoadBalancingKind::kEcmpQp : fabric::LoadBalancingKind::kEcmp;
    spec.streams[0].format.qps = 64;
    spec.streams[0].format.entropy = Entropy::kFixed;
    spec.streams[0].queue_pairs = QueuePairSpec{{}, 1, true};
    const TrialResult seen = run(spec);
    ASSERT_THAT(seen.faults, IsEmpty());
    EXPECT_EQ(seen.lost(), 0U);
    // leaf0's ports to the spines, in the order of the fabric's counters.
    std::size_t used = 0;
    for (const DutPort& port : seen.dut) {
      if (port.name.rfind("leaf0", 0) == 0 && port.packets > 0) ++used;
    }
    EXPECT_EQ(used, bth ? 4U : 1U);
  }
}

TEST(RtlUet, ContextsAndEntropyAreTheirOwn) {
  TrialSpec spec = linkTrial();
  spec.streams[0].format.transport = Transport::kUetRud;
  spec.streams[0].format.qps = 7;
  spec.streams[0].queue_pairs = QueuePairSpec{{}, 1, true};
  const std::map<Entropy, std::size_t> ports{{Entropy::kPerQueuePair, 7},
                                             {Entropy::kFixed, 1},
                                             {Entropy::kRoundRobin, 32},
                                             {Entropy::kRandom, 32}};
  for (const auto& [entropy, expected] : ports) {
    spec.streams[0].format.entropy = entropy;
    spec.streams[0].format.entropy_values = 32;
    Captured captured;
    const TrialResult seen = runCaptured(spec, captured);
    ASSERT_THAT(seen.faults, IsEmpty());
    EXPECT_EQ(captured.ports.size(), expected);
    EXPECT_EQ(captured.psns.size(), 7U);
    expectContinuous(captured);
    ASSERT_EQ(seen.streams[0].queue_pairs.size(), 7U);
    for (const QueuePairResult& pair : seen.streams[0].queue_pairs) {
      EXPECT_EQ(pair.received, pair.sent);
      EXPECT_EQ(pair.lost + pair.out_of_order, 0U);
    }
    EXPECT_EQ(seen.ports[1].untagged, 0U);
  }
}

TEST(RtlUet, EveryServiceArrives) {
  for (const Transport transport :
       {Transport::kUetRud, Transport::kUetRod, Transport::kUetRudi, Transport::kUetUud}) {
    TrialSpec spec = linkTrial();
    spec.streams[0].format.transport = transport;
    spec.duration = microseconds(10);
    const TrialResult seen = run(spec);
    ASSERT_THAT(seen.faults, IsEmpty());
    EXPECT_EQ(seen.streams[0].received_frames, 188U) << static_cast<int>(transport);
    EXPECT_EQ(seen.ports[1].untagged + seen.ports[1].icrc_errors, 0U);
  }
}

// Entropy per packet over four paths of unequal queues: what overtakes is counted, nothing is lost.
TEST(RtlUet, SprayedPacketsAreReorderedNotLost) {
  TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kClos2;
  spec.dut.topology.leaves = 2;
  spec.dut.topology.spines = 4;
  spec.dut.topology.hosts_per_leaf = 2;
  spec.duration = microseconds(50);
  for (const std::uint32_t from : {0U, 1U}) {
    StreamSpec stream = streamOf(254, Fraction::percent(90));
    stream.from = from;
    stream.to = 2 + from;
    stream.format.transport = Transport::kUetRud;
    stream.format.entropy = Entropy::kRandom;
    stream.format.entropy_values = 64;
    stream.queue_pairs = QueuePairSpec{{}, 1, true};
    spec.streams.push_back(stream);
  }
  const TrialResult seen = run(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_EQ(seen.lost(), 0U);
  EXPECT_GT(seen.streams[0].out_of_order, 0U);
  EXPECT_GT(seen.streams[0].reorder_depth, 0U);
  EXPECT_EQ(seen.streams[0].reorder_depth, seen.streams[0].queue_pairs[0].reorder_depth);
  EXPECT_EQ(seen.streams[0].out_of_order, seen.streams[0].queue_pairs[0].out_of_order);
}

}  // namespace
}  // namespace plumbline::bench
