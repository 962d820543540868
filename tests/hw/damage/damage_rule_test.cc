// Rules: what they strike, where, and what is counted and logged, in both directions.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/hw/damage/damage_bench.h"
#include "wire/crc.h"

namespace plumbline::test {
namespace {

using card::bitErrorSetting;
using card::DamageDirection;
using card::DamageKind;
using card::DamageMatch;
using card::DamageRule;

constexpr std::uint64_t kClocks = 4;  // from way in to way out

void expectSameFrames(const std::vector<DamageFrame>& got, const std::vector<DamageFrame>& want,
                      bool sent) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].bytes.size(), want[i].bytes.size()) << "frame " << i;
    const auto [a, b] =
        std::mismatch(got[i].bytes.begin(), got[i].bytes.end(), want[i].bytes.begin());
    ASSERT_TRUE(a == got[i].bytes.end())
        << "frame " << i << ", byte " << a - got[i].bytes.begin() << " of " << got[i].bytes.size();
    ASSERT_EQ(got[i].stamp, want[i].stamp) << "frame " << i;
    ASSERT_EQ(got[i].preamble, want[i].preamble) << "frame " << i;
    if (sent) {
      ASSERT_TRUE(got[i] == want[i]) << "what travels beside frame " << i;
    }
  }
}

void expectSameLog(const std::vector<card::DamageEvent>& got,
                   const std::vector<card::DamageEvent>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i], want[i]) << "event " << i << ": kind " << static_cast<int>(got[i].kind)
                               << " at " << got[i].position << " of frame " << got[i].number
                               << ", expected kind " << static_cast<int>(want[i].kind) << " at "
                               << want[i].position << " of " << want[i].number;
  }
}

void expectSameCounters(const card::DamageCounters& got, const card::DamageCounters& want) {
  EXPECT_EQ(got.bits, want.bits);
  EXPECT_EQ(got.fcs, want.fcs);
  EXPECT_EQ(got.icrc, want.icrc);
  EXPECT_EQ(got.truncated, want.truncated);
  EXPECT_EQ(got.dropped, want.dropped);
  EXPECT_EQ(got.random_frames, want.random_frames);
  EXPECT_EQ(got.random_bits, want.random_bits);
  EXPECT_EQ(got.frames, want.frames);
  EXPECT_EQ(got.log_overflow, 0U);
}

void compare(const DamageBench& bench, const DamageReference& reference,
             DamageDirection direction) {
  expectSameFrames(bench.out, reference.out, direction == DamageDirection::kSent);
  expectSameLog(bench.log, reference.log);
  expectSameCounters(bench.counters, reference.counters);
  for (std::uint32_t slot = 0; slot < card::kDamageSlots; ++slot) {
    EXPECT_EQ(bench.strikes(slot), reference.strikes[slot]) << "slot " << slot;
  }
  EXPECT_EQ(bench.late, 0U);
}

// Frames of all sizes, boundaries often; four flows, and some MAC control frames.
class FrameSource {
 public:
  FrameSource(std::uint64_t seed, bool sent) : random_(seed, "damage frames"), sent_(sent) {}

  DamageFrame next() {
    const std::uint64_t dice = random_.below(10);
    std::uint32_t length = 64;
    if (dice < 4) {
      length = static_cast<std::uint32_t>(64 * (1 + random_.below(6)) + random_.below(9)) - 4;
      length = std::max(length, 64U);
    } else if (dice < 9) {
      length = static_cast<std::uint32_t>(64 + random_.below(400));
    } else {
      length = static_cast<std::uint32_t>(64 + random_.below(9153));
    }
    // What the wire brings may be of any length.
    if (!sent_ && random_.below(8) == 0) length = static_cast<std::uint32_t>(1 + random_.below(80));
    DamageFrame frame = makeDamageFrame(random_, length);
    frame.flow = static_cast<std::uint32_t>(random_.below(4)) * 1365;
    if (random_.below(8) == 0 && length >= 14) {
      frame.bytes[12] = 0x88;
      frame.bytes[13] = 0x08;
      frame.bytes.resize(std::max<std::size_t>(length, 14 + wire::kFcsSize) - wire::kFcsSize);
      wire::appendFcs(frame.bytes);
      frame.own_control = random_.below(2) != 0;
    }
    if (sent_) frame.number = frame.own_control ? 0 : numbers_[frame.flow / 1365]++;
    return frame;
  }

 private:
  RandomStream random_;
  bool sent_;
  std::array<std::uint32_t, 4> numbers_{};
};

DamageRule randomRule(RandomStream& random, bool sent) {
  DamageRule rule;
  constexpr std::array<DamageKind, 5> kKinds{DamageKind::kBits, DamageKind::kTruncate,
                                             DamageKind::kDrop, DamageKind::kFcs,
                                             DamageKind::kIcrc};
  rule.kind = kKinds[random.below(sent ? 5 : 3)];
  constexpr std::array<DamageMatch, 3> kMatches{DamageMatch::kAny, DamageMatch::kControl,
                                                DamageMatch::kFlow};
  rule.match = kMatches[random.below(sent ? 3 : 2)];
  if (rule.match == DamageMatch::kFlow) {
    rule.flow = static_cast<std::uint32_t>(random.below(4)) * 1365;
  }
  rule.first = static_cast<std::uint32_t>(random.below(60));
  if (random.below(2) == 0) rule.last = rule.first + static_cast<std::uint32_t>(random.below(100));
  rule.step = static_cast<std::uint32_t>(1 + random.below(8));
  rule.times = static_cast<std::uint32_t>(random.below(2) * random.below(30));
  rule.offset = static_cast<std::uint32_t>(random.below(random.below(2) == 0 ? 1100 : 9000));
  rule.bits = static_cast<std::uint32_t>(1 + random.below(random.below(2) == 0 ? 12 : 2000));
  rule.mask = static_cast<std::uint32_t>(random.next()) | 1U << random.below(32);
  rule.bytes = static_cast<std::uint32_t>(1 + random.below(random.below(2) == 0 ? 200 : 2000));
  return rule;
}

class DamageRules : public testing::TestWithParam<std::tuple<DamageDirection, int>> {};

// Any rules together, over any frames, with and without random errors, and a MAC that stalls.
TEST_P(DamageRules, AsTold) {
  const auto [direction, seed] = GetParam();
  const bool sent = direction == DamageDirection::kSent;
  RandomStream random(static_cast<std::uint64_t>(seed), "damage rules");
  DamageBench bench(direction);
  DamageReference reference(direction);
  const std::uint64_t gaps = random.below(3) * 30;
  const std::uint64_t stalls = random.below(3) * 30;
  bench.offer = [&] { return random.below(100) >= gaps; };
  bench.ready = [&] { return random.below(100) >= stalls; };
  for (std::uint32_t slot = 0; slot < card::kDamageSlots; ++slot) {
    if (slot < 3 && random.below(4) == 0) continue;
    DamageRule rule = randomRule(random, sent);
    // One that is sure to strike.
    if (slot == 3) rule = {.kind = DamageKind::kBits, .step = 50, .offset = 511, .bits = 2};
    bench.setRule(slot, rule);
    reference.setRule(slot, rule);
  }
  if (random.below(2) == 0) {
    const auto setting = bitErrorSetting({.ratio = 3e-5, .seed = random.next()});
    bench.setRandom(setting);
    reference.setRandom(setting);
  }
  FrameSource source(static_cast<std::uint64_t>(seed), sent);
  std::vector<DamageFrame> frames;
  frames.reserve(400);
  for (int i = 0; i < 400; ++i) frames.push_back(source.next());
  bench.run(frames);
  for (const DamageFrame& frame : frames) reference.pass(frame);
  compare(bench, reference, direction);
  EXPECT_GT(reference.counters.frames, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, DamageRules,
                         testing::Combine(testing::Values(DamageDirection::kSent,
                                                          DamageDirection::kReceived),
                                          testing::Range(0, 40)));

// With nothing told the frames pass as they are, in a fixed time when sent, at once when received.
TEST(Damage, NothingTold) {
  for (const DamageDirection direction : {DamageDirection::kSent, DamageDirection::kReceived}) {
    const bool sent = direction == DamageDirection::kSent;
    DamageBench bench(direction);
    RandomStream random(1, "bubbles");
    bench.offer = [&] { return random.below(4) != 0; };
    FrameSource source(7, sent);
    std::vector<DamageFrame> frames;
    frames.reserve(300);
    for (int i = 0; i < 300; ++i) frames.push_back(source.next());
    bench.run(frames);
    expectSameFrames(bench.out, frames, sent);
    for (const std::uint64_t clocks : bench.latency) EXPECT_EQ(clocks, sent ? kClocks : 0);
    EXPECT_EQ(bench.counters, card::DamageCounters{});
    EXPECT_TRUE(bench.log.empty());
  }
}

// Receiving, rules that come and go under traffic lose and reorder nothing.
TEST(Damage, ReceivingChangesOverBetweenFrames) {
  DamageBench bench(DamageDirection::kReceived);
  RandomStream random(2, "bubbles");
  FrameSource source(8, false);
  std::vector<DamageFrame> frames;
  frames.reserve(3000);
  for (int i = 0; i < 3000; ++i) frames.push_back(source.next());
  std::size_t fed = 0;
  // A rule that never strikes, on and off.
  const DamageRule never{.kind = DamageKind::kDrop, .first = 0xFFFFFFFF};
  std::uint64_t clock = 0;
  bench.offer = [&] {
    ++clock;
    // Now and then a pause in which the stages run empty.
    return clock % 1000 > 10 && random.below(100) < 61;
  };
  while (fed < frames.size()) {
    bench.setRule(0, fed % 2 == 0 ? never : DamageRule{});
    const std::size_t count = std::min<std::size_t>(1 + random.below(5), frames.size() - fed);
    const std::vector<DamageFrame> some(frames.begin() + static_cast<std::ptrdiff_t>(fed),
                                        frames.begin() + static_cast<std::ptrdiff_t>(fed + count));
    bench.feed(some);
    fed += count;
  }
  bench.run({});
  expectSameFrames(bench.out, frames, false);
  EXPECT_EQ(std::count(bench.latency.begin(), bench.latency.end(), 0U) +
                std::count(bench.latency.begin(), bench.latency.end(), kClocks),
            static_cast<std::ptrdiff_t>(frames.size()));
  EXPECT_GT(std::count(bench.latency.begin(), bench.latency.end(), 0U), 100);
  EXPECT_GT(std::count(bench.latency.begin(), bench.latency.end(), kClocks), 100);
}

// Check sequences at every alignment: what is flipped, and that the FCS stays right for the ICRC.
TEST(Damage, CheckSequencesOfEveryLength) {
  for (const DamageKind kind : {DamageKind::kFcs, DamageKind::kIcrc}) {
    DamageBench bench(DamageDirection::kSent);
    RandomStream random(3, "check sequences");
    const DamageRule rule{.kind = kind, .mask = 0x80000001};
    bench.setRule(2, rule);
    std::vector<DamageFrame> frames;
    for (std::uint32_t length = 64; length <= 9216; length += length < 400 ? 1 : 63) {
      frames.push_back(makeDamageFrame(random, length));
      frames.back().icrc = true;
    }
    bench.run(frames);
    ASSERT_EQ(bench.out.size(), frames.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const wire::Buffer& now = bench.out[i].bytes;
      const wire::Buffer& then = frames[i].bytes;
      ASSERT_EQ(now.size(), then.size());
      EXPECT_EQ(wire::fcsOk(now), kind == DamageKind::kIcrc) << "length " << now.size();
      const std::size_t at = now.size() - (kind == DamageKind::kFcs ? 4 : 8);
      EXPECT_TRUE(
          std::equal(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(at), then.begin()));
      EXPECT_EQ(now[at] ^ then[at], 0x01);
      EXPECT_EQ(now[at + 1] ^ then[at + 1], 0);
      EXPECT_EQ(now[at + 2] ^ then[at + 2], 0);
      EXPECT_EQ(now[at + 3] ^ then[at + 3], 0x80);
    }
    EXPECT_EQ(kind == DamageKind::kFcs ? bench.counters.fcs : bench.counters.icrc, frames.size());
  }
}

// A frame cut at each of its bytes, at beat boundaries above all.
TEST(Damage, CutAnywhere) {
  for (const DamageDirection direction : {DamageDirection::kSent, DamageDirection::kReceived}) {
    for (const std::uint32_t length : {128U, 129U, 192U}) {
      DamageBench bench(direction);
      DamageReference reference(direction);
      RandomStream random(4, "cuts");
      for (std::uint32_t bytes = 1; bytes <= length; ++bytes) {
        const DamageRule rule{.kind = DamageKind::kTruncate, .bytes = bytes};
        bench.setRule(0, rule);
        reference.setRule(0, rule);
        const std::vector<DamageFrame> frames{makeDamageFrame(random, length),
                                              makeDamageFrame(random, 64)};
        bench.run(frames);
        for (const DamageFrame& frame : frames) reference.pass(frame);
      }
      compare(bench, reference, direction);
      // All but the last, which is as long as the frame; and of the second ones those below 64.
      EXPECT_EQ(bench.counters.truncated, length - 1 + 63);
    }
  }
}

// A frame that has been struck is spared when it comes again, as a retransmission does.
TEST(Damage, NumbersThatComeAgainAreSpared) {
  DamageBench bench(DamageDirection::kSent);
  RandomStream random(5, "again");
  bench.setRule(0, {.kind = DamageKind::kFcs,
                    .match = DamageMatch::kFlow,
                    .flow = 5,
                    .first = 3,
                    .last = 20,
                    .step = 4,
                    .mask = 1});
  std::vector<DamageFrame> frames;
  for (const std::uint32_t number :
       {0U, 1U, 2U, 3U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 7U, 11U, 22U, 23U}) {
    frames.push_back(makeDamageFrame(random, 100));
    frames.back().flow = 5;
    frames.back().number = number;
  }
  bench.run(frames);
  std::vector<std::uint32_t> struck;
  for (const card::DamageEvent& event : bench.log) struck.push_back(event.number);
  EXPECT_EQ(struck, (std::vector<std::uint32_t>{3, 7, 11}));
}

// Numbers at the end of their 32 bits: the rule ends there and does not begin again.
TEST(Damage, NumbersEnd) {
  DamageBench bench(DamageDirection::kSent);
  RandomStream random(6, "end");
  bench.setRule(0, {.kind = DamageKind::kFcs, .match = DamageMatch::kFlow, .first = 0xFFFFFFFE});
  std::vector<DamageFrame> frames;
  for (const std::uint32_t number : {0xFFFFFFFDU, 0xFFFFFFFEU, 0xFFFFFFFFU, 0U, 1U, 0xFFFFFFFFU}) {
    frames.push_back(makeDamageFrame(random, 64));
    frames.back().number = number;
  }
  bench.run(frames);
  EXPECT_EQ(bench.log.size(), 2U);
  EXPECT_EQ(bench.strikes(0), 2U);
}

// Clearing begins numbers and rules anew and forgets the log.
TEST(Damage, ClearBeginsAnew) {
  DamageBench bench(DamageDirection::kReceived);
  RandomStream random(7, "clear");
  bench.read_log = [] { return false; };
  bench.setRule(1, {.kind = DamageKind::kBits, .first = 1, .times = 1});
  const std::vector<DamageFrame> frames(4, makeDamageFrame(random, 80));
  bench.run(frames);
  EXPECT_EQ(bench.strikes(1), 1U);
  bench.clear();
  EXPECT_EQ(bench.strikes(1), 0U);
  bench.read_log = nullptr;
  bench.clocks(20);
  EXPECT_TRUE(bench.log.empty());
  bench.run(frames);
  ASSERT_EQ(bench.log.size(), 1U);
  EXPECT_EQ(bench.log[0].number, 1U);
  EXPECT_EQ(bench.counters.bits, 2U);
}

// A log that nobody reads keeps its first 1024 events and counts the rest.
TEST(Damage, FullLog) {
  DamageBench bench(DamageDirection::kSent);
  RandomStream random(8, "full log");
  bench.read_log = [] { return false; };
  bench.setRule(0, {.kind = DamageKind::kFcs});
  const DamageFrame frame = makeDamageFrame(random, 64);
  std::vector<DamageFrame> frames(1500, frame);
  for (std::uint32_t i = 0; i < frames.size(); ++i) frames[i].number = i;
  bench.run(frames);
  bench.read_log = nullptr;
  bench.clocks(8000);
  ASSERT_GE(bench.log.size(), 1024U);
  EXPECT_EQ(bench.log.size() + bench.counters.log_overflow, 1500U);
  EXPECT_EQ(bench.counters.fcs, 1500U);
  for (std::uint32_t i = 0; i < bench.log.size(); ++i) ASSERT_EQ(bench.log[i].number, i);
}

}  // namespace
}  // namespace plumbline::test
