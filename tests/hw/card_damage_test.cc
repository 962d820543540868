// Damage and its accounting: what one port injects, the other must detect, or docs/errors.md must
// say why it cannot. The wire between them judges every frame by itself, with the host's CRC.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "card/damage_control.h"
#include "test_card.h"
#include "tests/hw/long_run.h"
#include "wire/crc.h"
#include "wire/flow_control.h"

namespace plumbline::hw_test {
namespace {

using card::BitErrors;
using card::DamageCounters;
using card::DamageEvent;
using card::DamageKind;
using card::DamageMatch;
using card::DamageRule;

// What the wire saw of the frames of one port.
struct Judged {
  std::uint64_t frames = 0;
  std::uint64_t good = 0;  // right FCS and a length that is allowed
  std::uint64_t bad_fcs = 0;
  std::uint64_t bad_icrc = 0;  // with right FCS
  std::uint64_t runts = 0;
  std::uint64_t giants = 0;
};

// Judges what passes from port 0 to port 1, and lets it pass.
class Judge {
 public:
  explicit Judge(TestCard& card) : card_(card) {
    card.wire.expect_whole = false;
    card.wire.forward = [this](const WireFrame& frame) {
      judge(frame);
      card_.wire.pass(frame);
    };
  }
  Judged seen;

 private:
  void judge(const WireFrame& frame) {
    const std::vector<std::uint8_t>& bytes = *frame.bytes;
    ++seen.frames;
    if (bytes.size() < 64) {
      ++seen.runts;
    } else if (bytes.size() > 9216) {
      ++seen.giants;
    } else if (!wire::fcsOk(bytes)) {
      ++seen.bad_fcs;
    } else {
      ++seen.good;
      const wire::DecodedFrame decoded = wire::decodeFrame(bytes);
      if (decoded.icrc && !decoded.icrc->ok()) ++seen.bad_icrc;
    }
  }

  TestCard& card_;
};

void expectReceived(TestCard& card, const Judged& seen) {
  const card::PortCounters counters = card.driver.counters(1);
  EXPECT_EQ(counters.rx_frames, seen.frames);
  EXPECT_EQ(counters.rx_fcs_errors, seen.bad_fcs);
  EXPECT_EQ(counters.rx_icrc_errors, seen.bad_icrc);
  EXPECT_EQ(counters.rx_runts, seen.runts);
  EXPECT_EQ(counters.rx_giants, seen.giants);
}

std::vector<card::FlowConfig> fourFlows(std::uint32_t frames, std::uint32_t length) {
  std::vector<card::FlowConfig> flows;
  for (std::uint32_t row = 0; row < 4; ++row) {
    flows.push_back(makeFlow(row % 2 == 0 ? roceStream(0, length) : udpStream(0, length), row));
    setConstantRate(flows.back(), Fraction::percent(20), frames);
  }
  return flows;
}

// Four rules for the four flows, each of a kind, and how often they strike.
struct Told {
  const char* name;
  std::vector<DamageRule> rules;
  std::vector<std::uint32_t> steps;  // every such frame of its flow; of all in the long form
};

constexpr std::uint32_t kRuleLength = 132;

const std::vector<Told>& whatIsTold() {
  constexpr auto kBits = DamageKind::kBits;
  constexpr auto kCut = DamageKind::kTruncate;
  static const std::vector<Told> told{{"Bits",
                                       {{.kind = DamageKind::kFcs, .mask = 0x80000000},
                                        {.kind = kBits, .offset = 400, .bits = 17},
                                        {.kind = DamageKind::kIcrc, .mask = 0x00100000},
                                        {.kind = kBits, .offset = 0, .bits = kRuleLength * 8 - 1}},
                                       {9, 5, 3, 7}},
                                      {"Cuts",
                                       {{.kind = DamageKind::kDrop},
                                        {.kind = kCut, .bytes = 40},
                                        {.kind = kCut, .bytes = 130},
                                        {.kind = kCut, .bytes = 64}},
                                       {8, 4, 6, 5}}};
  return told;
}

class CardDamageRules : public testing::TestWithParam<Told> {};

// One rule of each kind, each for its own flow: every counter of both ends is what the rules say.
// The long form makes a million errors of each.
TEST_P(CardDamageRules, EveryKindIsDetected) {
  const std::uint32_t frames = longRun() ? 1'000'020 : 1000;
  // The last frames stay whole, so that the receiver sees what was lost before them.
  const std::uint32_t last = frames - 21;
  TestCard card(2);
  Judge judge(card);
  card.driver.loadFlows(0, fourFlows(frames, kRuleLength));
  std::vector<std::uint32_t> strikes;
  for (std::uint32_t slot = 0; slot < 4; ++slot) {
    DamageRule rule = GetParam().rules[slot];
    rule.match = DamageMatch::kFlow;
    rule.flow = slot;
    rule.last = last;
    rule.step = longRun() ? 1 : GetParam().steps[slot];
    strikes.push_back(last / rule.step + 1);
    card.driver.damage(0).setRule(kSent, slot, rule);
  }
  card.start();
  card.finish();
  const DamageCounters injected = card.driver.damage(0).counters(kSent);
  const Judged& seen = judge.seen;
  EXPECT_EQ(seen.frames + injected.dropped, 4 * frames);
  std::uint64_t damaged = 0;
  for (std::uint32_t row = 0; row < 4; ++row) {
    SCOPED_TRACE(testing::Message() << "flow " << row);
    const bool arrives = GetParam().rules[row].kind == DamageKind::kIcrc;
    const card::RxFlow flow = card.driver.rxFlow(1, row);
    EXPECT_EQ(flow.lost, arrives ? 0 : strikes[row]);
    EXPECT_EQ(flow.bad_icrc, arrives ? strikes[row] : 0);
    EXPECT_EQ(flow.frames, frames - flow.lost);
    EXPECT_EQ(card.driver.damage(0).strikes(kSent, row), strikes[row]);
    damaged += strikes[row];
  }
  // Injected = detected.
  EXPECT_EQ(injected.frames, damaged);
  EXPECT_EQ(injected.frames,
            injected.bits + injected.fcs + injected.icrc + injected.truncated + injected.dropped);
  EXPECT_EQ(injected.frames, seen.bad_fcs + seen.bad_icrc + seen.runts + injected.dropped);
  expectReceived(card, seen);
  EXPECT_EQ(card.driver.damage(0).readLog(kSent).size(),
            std::min<std::uint64_t>(damaged, card::kDamageLogDepth));
}

INSTANTIATE_TEST_SUITE_P(Kinds, CardDamageRules, testing::ValuesIn(whatIsTold()),
                         [](const auto& instance) { return std::string(instance.param.name); });

// The log says where and when: the frame on the wire departed at that time and differs from what
// the template makes in that bit.
TEST(CardDamage, LogHasFrameBitAndDeparture) {
  TestCard card(2);
  card.wire.expect_whole = false;
  std::map<std::uint64_t, Picoseconds> departures;  // first bit on the wire of damaged frames
  std::uint64_t number = 0;
  card.wire.forward = [&](const WireFrame& frame) {
    if (!wire::fcsOk(*frame.bytes)) departures[number] = frame.first_bit;
    ++number;
    card.wire.pass(frame);
  };
  std::vector<card::FlowConfig> flows{makeFlow(roceStream(0, 300), 0)};
  setConstantRate(flows[0], Fraction::percent(100), 500);
  card.driver.loadFlows(0, flows);
  card.driver.damage(0).setRule(
      kSent, 1, {.kind = DamageKind::kBits, .first = 10, .step = 37, .times = 9, .offset = 1999});
  card.start();
  card.finish();
  const std::vector<DamageEvent> log = card.driver.damage(0).readLog(kSent);
  ASSERT_EQ(log.size(), 9U);
  ASSERT_EQ(departures.size(), 9U);
  auto departure = departures.begin();
  for (std::size_t i = 0; i < log.size(); ++i, ++departure) {
    EXPECT_EQ(log[i].number, 10 + 37 * i);
    EXPECT_EQ(departure->first, 10 + 37 * i);
    EXPECT_EQ(log[i].position, 1999U);
    EXPECT_EQ(log[i].slot, 1U);
    // The MAC starts frames in columns of 8 bytes, and the card's clock is not the line's.
    EXPECT_NEAR(static_cast<double>((log[i].time - departure->second).count()), 0, 4000);
  }
}

// Frames that are too long, with right FCS and in the time that they take: of the largest length
// that there is and of the smallest that is too long, beside others that are not.
TEST(CardDamage, OversizedFramesTakeTheirTimeAndAreGiants) {
  TestCard card(2);
  Judge judge(card);
  std::vector<card::FlowConfig> flows{makeFlow(udpStream(0, 64), 0), makeFlow(udpStream(0, 64), 1),
                                      makeFlow(udpStream(0, 64), 2)};
  flows[1].length = 16383;
  flows[2].length = 9217;
  setConstantRate(flows[0], Fraction::percent(10), 2000);
  setConstantRate(flows[1], Fraction::percent(40), 10);
  setConstantRate(flows[2], Fraction::percent(40), 15);
  card.driver.loadFlows(0, flows);
  card.start();
  card.finish();
  card.expectNoFaults();
  EXPECT_EQ(judge.seen.giants, 25U);
  EXPECT_EQ(judge.seen.good, 2000U);
  expectReceived(card, judge.seen);
  EXPECT_EQ(card.driver.rxFlow(1, 0).frames, 2000U);
  EXPECT_EQ(card.driver.rxFlow(1, 1).frames + card.driver.rxFlow(1, 2).frames, 0U);
}

// MAC control frames are struck apart from the others: damaged or dropped, none of them pauses.
// The long form strikes a million in either way.
TEST(CardDamage, ControlFramesAreStruckByTheirOwnNumbers) {
  const std::uint32_t strikes = longRun() ? 1'000'000 : 25;
  TestCard card(2);
  Judge judge(card);
  card::FlowConfig pfc;
  pfc.head.assign(60, 0);
  std::copy_n(wire::kMacControlAddress.octets.begin(), 6, pfc.head.begin());
  pfc.head[6] = 2;
  pfc.head[12] = 0x88;
  pfc.head[13] = 0x08;
  wire::PfcHeader header;
  header.enabled = 8;
  header.quanta[3] = 100;
  header.encode(
      wire::FixedSpan<wire::PfcHeader::kSize>(pfc.head.data() + 14, wire::PfcHeader::kSize));
  pfc.tagged = false;
  pfc.length = 64;
  pfc.payload_offset = 60;
  setConstantRate(pfc, Fraction::percent(longRun() ? 90 : 5), 4 * strikes);
  std::vector<card::FlowConfig> flows{makeFlow(udpStream(0, 64), 0), pfc};
  setConstantRate(flows[0], Fraction::percent(10), 200);
  card.driver.loadFlows(0, flows);
  auto damage = card.driver.damage(0);
  damage.setRule(kSent, 0, {.kind = DamageKind::kDrop, .match = DamageMatch::kControl, .step = 4});
  damage.setRule(kSent, 1,
                 {.kind = DamageKind::kFcs, .match = DamageMatch::kControl, .first = 1, .step = 4});
  card.start();
  card.finish();
  const DamageCounters injected = damage.counters(kSent);
  EXPECT_EQ(injected.dropped, strikes);
  EXPECT_EQ(injected.fcs, strikes);
  const card::PortCounters received = card.driver.counters(1);
  EXPECT_EQ(received.rx_xoff[3], 2 * strikes);
  EXPECT_EQ(received.rx_fcs_errors, strikes);
  EXPECT_EQ(received.rx_frames, 3 * strikes + 200);
  EXPECT_EQ(card.driver.rxFlow(1, 0).frames, 200U);
  for (const DamageEvent& event : damage.readLog(kSent)) {
    EXPECT_EQ(event.subject, DamageMatch::kControl);
    EXPECT_EQ(event.number % 4, event.kind == DamageKind::kDrop ? 0U : 1U);
  }
}

// Random errors: each one is logged where the host's arithmetic has it, and every damaged frame is
// detected. The long form sends at line rate, where the log keeps the first ones only.
struct RandomErrors {
  double ratio = 0;
  double wanted = 0;  // errors of the long form
};
class CardRandomErrors : public testing::TestWithParam<RandomErrors> {};

TEST_P(CardRandomErrors, InjectedIsDetected) {
  const double ratio = GetParam().ratio;
  const bool every = !longRun();          // error is read out of the log
  constexpr std::uint32_t kLength = 201;  // four beats, the last of nine bytes
  const double frames_of_one = 1 / (ratio * kLength * 8);
  const auto frames = static_cast<std::uint32_t>(every ? std::min(20e3 * frames_of_one, 40e3)
                                                       : 1.05 * GetParam().wanted * frames_of_one);
  TestCard card(2);
  Judge judge(card);
  std::vector<card::FlowConfig> flows{makeFlow(roceStream(0, kLength), 0)};
  // As much as a log that is read over the bus can follow: some three errors per microsecond.
  const std::int64_t followed =
      std::min<std::int64_t>(100, static_cast<std::int64_t>(0.0031 / ratio));
  setConstantRate(flows[0], Fraction::percent(every ? followed : 100), frames);
  card.driver.loadFlows(0, flows);
  auto damage = card.driver.damage(0);
  const BitErrors errors{.ratio = ratio, .seed = 42};
  damage.setBitErrors(kSent, errors);
  std::vector<DamageEvent> log;
  const auto drain = [&] {
    for (std::vector<DamageEvent> some = damage.readLog(kSent); !some.empty();
         some = damage.readLog(kSent)) {
      log.insert(log.end(), some.begin(), some.end());
    }
  };
  card.start();
  card.finish(microseconds(5), microseconds(10), every ? drain : std::function<void()>());
  drain();

  const DamageCounters injected = damage.counters(kSent);
  EXPECT_EQ(log.size() + injected.log_overflow, injected.random_bits);
  EXPECT_TRUE(!every || injected.log_overflow == 0);
  EXPECT_FALSE(damage.bitErrorsLate(kSent));
  // The same errors by the host: blocks of 512 bits, one per beat.
  constexpr std::uint64_t kBeats = (kLength + 63) / 64;
  card::BitErrorSource source(bitErrorSetting(errors));
  std::uint64_t next = 0;
  std::uint64_t damaged = 0;
  std::uint64_t last_frame = ~std::uint64_t{0};
  for (std::uint64_t position = source.nextPosition();
       position < std::uint64_t{frames} * kBeats * 512; position = source.nextPosition()) {
    const std::uint64_t frame = position / (kBeats * 512);
    const std::uint64_t bit = position % (kBeats * 512);
    if (bit >= std::uint64_t{kLength} * 8) continue;
    if (every || next < card::kDamageLogDepth) {
      ASSERT_LT(next, log.size());
      ASSERT_EQ(log[next].kind, DamageKind::kRandom);
      ASSERT_EQ(log[next].number, frame) << "error " << next;
      ASSERT_EQ(log[next].position, bit) << "error " << next;
    }
    ++next;
    damaged += frame != last_frame ? 1 : 0;
    last_frame = frame;
  }
  EXPECT_EQ(next, injected.random_bits);
  EXPECT_EQ(injected.random_frames, damaged);
  EXPECT_EQ(injected.frames, damaged);
  // Injected = detected + undetectable, where of the latter there are none to be expected.
  const card::PortCounters received = card.driver.counters(1);
  const std::uint64_t undetectable = damaged - judge.seen.bad_fcs;
  EXPECT_EQ(undetectable, 0U);
  EXPECT_EQ(received.rx_fcs_errors + undetectable, damaged);
  expectReceived(card, judge.seen);
  EXPECT_EQ(card.driver.rxFlow(1, 0).frames, frames - damaged);
  if (!every) {
    EXPECT_GE(static_cast<double>(injected.random_bits), GetParam().wanted);
  }
}

INSTANTIATE_TEST_SUITE_P(Ratios, CardRandomErrors,
                         testing::Values(RandomErrors{1e-3, 1e6}, RandomErrors{1e-4, 1e6},
                                         RandomErrors{1e-5, 20e3}));

// At the entrance of the receiving port: what the wire brings is whole, and what the rules and the
// random errors there break is found behind them. A million each in the long form.
TEST(CardDamage, EveryKindAtTheEntranceIsDetected) {
  const std::uint32_t strikes = longRun() ? 1'000'000 : 500;
  const std::uint32_t frames = 4 * strikes + 20;
  TestCard card(2);
  std::vector<card::FlowConfig> flows{makeFlow(roceStream(0, 128), 0)};
  setConstantRate(flows[0], Fraction::one(), frames);
  card.driver.loadFlows(0, flows);
  auto damage = card.driver.damage(1);
  const auto strike = [&](std::uint32_t slot, DamageRule rule) {
    rule.first = slot;
    rule.step = 4;  // in turn, so all are struck
    rule.last = 4 * strikes - 1;
    damage.setRule(kReceived, slot, rule);
  };
  strike(0, {.kind = DamageKind::kBits, .offset = 700, .bits = 3});
  strike(1, {.kind = DamageKind::kTruncate, .bytes = 70});
  strike(2, {.kind = DamageKind::kTruncate, .bytes = 30});
  strike(3, {.kind = DamageKind::kDrop});
  card.start();
  card.finish();
  card.expectNoFaults();
  const DamageCounters injected = damage.counters(kReceived);
  EXPECT_EQ(injected.bits, strikes);
  EXPECT_EQ(injected.truncated, 2 * strikes);
  EXPECT_EQ(injected.dropped, strikes);
  const card::PortCounters received = card.driver.counters(1);
  EXPECT_EQ(received.rx_fcs_errors, 2 * strikes);
  EXPECT_EQ(received.rx_runts, strikes);
  EXPECT_EQ(received.rx_frames, 3 * strikes + 20);
  EXPECT_EQ(card.driver.rxFlow(1, 0).lost, 4 * strikes);
  EXPECT_EQ(card.driver.rxFlow(1, 0).frames, 20U);
}

TEST(CardDamage, RandomErrorsAtTheEntranceAreDetected) {
  constexpr double kRatio = 1e-3;
  constexpr std::uint32_t kLength = 201;
  const double wanted = longRun() ? 1e6 : 10e3;
  const auto frames = static_cast<std::uint32_t>(1.05 * wanted / (kRatio * kLength * 8));
  TestCard card(2);
  std::vector<card::FlowConfig> flows{makeFlow(roceStream(0, kLength), 0)};
  setConstantRate(flows[0], Fraction::one(), frames);
  card.driver.loadFlows(0, flows);
  auto damage = card.driver.damage(1);
  damage.setBitErrors(kReceived, BitErrors{.ratio = kRatio, .seed = 17});
  card.start();
  card.finish();
  const DamageCounters injected = damage.counters(kReceived);
  EXPECT_FALSE(damage.bitErrorsLate(kReceived));
  EXPECT_GE(static_cast<double>(injected.random_bits), wanted);
  EXPECT_EQ(card.driver.counters(1).rx_fcs_errors, injected.random_frames);
  EXPECT_EQ(card.driver.rxFlow(1, 0).frames, frames - injected.random_frames);
}

// Ordered sets have no check sequence: a damaged one is found by its marks, a dropped one by
// nobody. They are put on the wire here, as a card sends far fewer.
TEST(CardDamage, OrderedSetsWithBrokenMarksAreCounted) {
  const std::uint32_t strikes = longRun() ? 1'000'000 : 500;
  constexpr sim::OrderedSet kAck = 0x00'00'00'06'00'00'01'4B;
  constexpr Picoseconds kApart = 5 * sim::kClockPeriodMax;
  for (const DamageKind kind : {DamageKind::kBits, DamageKind::kDrop}) {
    TestCard card(2);
    auto damage = card.driver.damage(1);
    // Every other one, in the mark of D4.
    damage.setRule(
        kReceived, 0,
        {.kind = kind, .match = DamageMatch::kOrderedSet, .first = 1, .step = 2, .offset = 33});
    for (std::uint32_t i = 0; i < 2 * strikes; ++i) {
      card.sim.deliverSet(1, kAck, card.sim.now());
      card.sim.wait(kApart);
    }
    card.sim.wait(microseconds(1));
    const DamageCounters injected = damage.counters(kReceived);
    const card::LlrCounters counters = card.driver.linkRetry(1).counters();
    const bool drop = kind == DamageKind::kDrop;
    EXPECT_EQ(injected.sets_damaged, drop ? 0 : strikes);
    EXPECT_EQ(injected.sets_dropped, drop ? strikes : 0);
    EXPECT_EQ(counters.rx_ctl_bad, drop ? 0 : strikes);
    EXPECT_EQ(counters.rx_ack, strikes);
  }
}

// Arrival times do not change when there is damage at the entrance.
TEST(CardDamage, ReceivedFramesKeepTheirTimes) {
  constexpr std::uint32_t kFrames = 3000;
  std::array<stats::Histogram, 2> latency;
  for (const bool on : {false, true}) {
    TestCard card(2);
    std::vector<card::FlowConfig> flows{makeFlow(roceStream(0, 131), 0)};
    setConstantRate(flows[0], Fraction::percent(100), kFrames);
    card.driver.loadFlows(0, flows);
    auto damage = card.driver.damage(1);
    if (on) {
      damage.setRule(kReceived, 0, {.kind = DamageKind::kDrop, .first = 9, .last = 9});
      damage.setRule(kReceived, 1,
                     {.kind = DamageKind::kTruncate, .first = 100, .last = 100, .bytes = 30});
      damage.setRule(
          kReceived, 2,
          {.kind = DamageKind::kBits, .first = 2000, .times = 10, .offset = 700, .bits = 3});
    }
    // At the same time with and without, so that frames and clock edges meet alike.
    card.driver.arm(microseconds(500));
    card.finish();
    card.expectNoFaults();
    const card::PortCounters counters = card.driver.counters(1);
    const DamageCounters injected = damage.counters(kReceived);
    EXPECT_EQ(counters.rx_frames, kFrames - (on ? 1 : 0));
    EXPECT_EQ(counters.rx_fcs_errors, on ? 10U : 0U);
    EXPECT_EQ(counters.rx_runts, on ? 1U : 0U);
    EXPECT_EQ(card.driver.rxFlow(1, 0).lost, on ? 12U : 0U);
    EXPECT_EQ(injected.frames, on ? 12U : 0U);
    EXPECT_EQ(injected.bits, on ? 10U : 0U);
    EXPECT_EQ(injected.truncated, on ? 1U : 0U);
    EXPECT_EQ(injected.dropped, on ? 1U : 0U);
    latency[on ? 1 : 0] = card.driver.latency(1, 0);
    // What happened to a frame is logged with the time at which it was received.
    const std::vector<DamageEvent> log = damage.readLog(kReceived);
    EXPECT_EQ(log.size(), on ? 12U : 0U);
    for (std::size_t i = 1; i < log.size(); ++i) EXPECT_GT(log[i].time, log[i - 1].time);
  }
  EXPECT_EQ(latency[0].minimum(), latency[1].minimum());
  EXPECT_EQ(latency[0].maximum(), latency[1].maximum());
}

}  // namespace
}  // namespace plumbline::hw_test
