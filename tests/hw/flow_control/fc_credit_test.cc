// CBFC: the sender's accounting against the definition, the receiver's totals, and both in a loop
// over a link that loses frames.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>

#include "Vplumb_fc.h"
#include "base/random.h"
#include "tests/hw/flow_control/fc_bench.h"
#include "wire/frame.h"

namespace plumbline::test {
namespace {

constexpr std::uint32_t kTotalMask = 0x7FFF;

struct CfUpdate {
  std::array<std::uint32_t, 2> channel{};
  std::array<std::uint32_t, 2> total{};
};

// The ordered set byte by byte: channel and total[14:12], total[11:4], total[3:0].
std::uint64_t encode(const CfUpdate& update) {
  std::array<std::uint8_t, 8> bytes{0x4B, 0x10};
  for (std::size_t half = 0; half < 2; ++half) {
    bytes[2 + 3 * half] =
        static_cast<std::uint8_t>(update.channel[half] << 3 | update.total[half] >> 12);
    bytes[3 + 3 * half] = static_cast<std::uint8_t>(update.total[half] >> 4);
    bytes[4 + 3 * half] = static_cast<std::uint8_t>(update.total[half] << 4);
  }
  bytes[4] |= 0x6;
  std::uint64_t set = 0;
  for (std::size_t i = 0; i < 8; ++i) set |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  return set;
}

CfUpdate decode(std::uint64_t set) {
  const auto byte = [set](unsigned i) { return static_cast<std::uint32_t>(set >> (8 * i) & 0xFF); };
  EXPECT_EQ(byte(0), 0x4BU);
  EXPECT_EQ(byte(1), 0x10U);
  EXPECT_EQ(byte(4) & 0xF, 0x6U);
  EXPECT_EQ(byte(7) & 0xF, 0U);
  CfUpdate update;
  for (unsigned half = 0; half < 2; ++half) {
    const unsigned at = 2 + 3 * half;
    update.channel[half] = byte(at) >> 3;
    update.total[half] = (byte(at) & 7) << 12 | byte(at + 1) << 4 | byte(at + 2) >> 4;
  }
  return update;
}

struct CreditRules {
  std::uint32_t log2 = 7;
  std::int32_t overhead = 0;

  [[nodiscard]] std::uint32_t cost(std::uint32_t length) const {
    const std::uint32_t size = 1U << log2;
    return (length + static_cast<std::uint32_t>(overhead) + size - 1) / size;
  }
};

class FcCredits : public testing::TestWithParam<CreditRules> {};

// Frames of random length on random channels, decided two or more clocks apart as the gate does,
// and freed at random, until both counters have wrapped many times.
TEST_P(FcCredits, NoFrameBeyondTheLimitAndNoneHeldWithoutNeed) {
  const CreditRules rules = GetParam();
  FcBench bench;
  auto& pins = bench.pins();
  pins.cfg_cell_log2_i = rules.log2;
  pins.cfg_overhead_i = static_cast<std::uint8_t>(rules.overhead);
  pins.cfg_cbfc_tx_i = 0x7F;  // channel 7 is free
  RandomStream random(11, "credits");
  std::array<std::uint32_t, 8> limit{};
  for (std::uint32_t v = 0; v < 8; ++v) {
    // From a little more than one frame to a lot.
    limit[v] = v == 0   ? rules.cost(9216)
               : v == 6 ? 0xFFFFF
                        : rules.cost(9216) + static_cast<std::uint32_t>(random.below(1U << 2 * v));
    FcBench::setField(pins.cfg_credits_i, 32, v, limit[v]);
  }
  bench.clocks(20);
  std::array<std::uint32_t, 8> used{};
  std::array<std::uint32_t, 8> freed{};
  std::uint64_t sent = 0;
  std::uint64_t refused = 0;
  std::uint32_t since_change = 0;
  for (int i = 0; i < 300'000; ++i) {
    const auto priority = static_cast<std::uint32_t>(random.below(8));
    const auto length = static_cast<std::uint32_t>(random.below(3) == 0 ? 64 + random.below(9153)
                                                                        : 64 + random.below(200));
    pins.root_length_i = length;
    pins.root_priority_i = priority;
    const bool busy = (pins.credit_busy_o >> priority & 1U) != 0;
    const std::uint64_t allowed = FcBench::field(pins.credit_o, 14, priority);
    const bool fits = used[priority] + rules.cost(length) <= limit[priority] || priority == 7;
    const bool goes = !busy && length <= allowed;
    if (goes) {
      ASSERT_TRUE(fits) << "frame " << i << " channel " << priority;
    } else {
      // Held only while something has changed lately.
      ASSERT_FALSE(fits && since_change > 14) << "frame " << i << " channel " << priority;
      ++refused;
    }
    bench.clock();
    pins.sent_i = goes ? 1 : 0;
    bench.clock();
    pins.sent_i = 0;
    since_change += 2;
    if (goes) {
      ++sent;
      since_change = 0;
      if (priority != 7) used[priority] += rules.cost(length);
    }
    // Decisions need not follow each other at once.
    if (random.below(4) == 0) {
      const std::uint64_t idle = random.below(20);
      bench.clocks(idle);
      since_change += static_cast<std::uint32_t>(idle);
    }
    if (random.below(8) == 0) {
      CfUpdate update;
      for (std::size_t half = 0; half < 2; ++half) {
        const auto v = static_cast<std::uint32_t>(random.below(7));
        if (half == 1 && random.below(4) == 0) {
          update.channel[1] = update.channel[0];
          update.total[1] = update.total[0];
          continue;
        }
        const std::uint32_t max = std::min(used[v], kTotalMask);
        const auto now = static_cast<std::uint32_t>(random.below(max + 1));
        used[v] -= now;
        freed[v] = (freed[v] + now) & kTotalMask;
        update.channel[half] = v;
        update.total[half] = freed[v];
      }
      if (update.channel[0] == update.channel[1]) update.total[0] = update.total[1];
      bench.receiveOrderedSet(encode(update));
      bench.clocks(6);
      since_change = 0;
    }
  }
  bench.clocks(8);
  for (std::uint32_t v = 0; v < 7; ++v) {
    EXPECT_EQ(FcBench::field(pins.credits_used_o, 20, v), used[v]) << v;
  }
  EXPECT_GT(sent, 100'000U);
  EXPECT_GT(refused, 100U);
  EXPECT_EQ(bench.credit_errors, 0U);
}

INSTANTIATE_TEST_SUITE_P(Sizes, FcCredits,
                         testing::Values(CreditRules{5, 0}, CreditRules{7, 20}, CreditRules{8, -16},
                                         CreditRules{11, 127}));

TEST(FcCreditSender, MoreFreedThanUsedIsAnError) {
  FcBench bench;
  auto& pins = bench.pins();
  pins.cfg_cell_log2_i = 7;
  pins.cfg_cbfc_tx_i = 0x01;
  FcBench::setField(pins.cfg_credits_i, 32, 0, 100);
  bench.clock();  // CBFC is on
  bench.receiveOrderedSet(encode({{0, 0}, {3, 3}}));
  bench.clocks(10);
  EXPECT_EQ(bench.credit_errors, 1U);
  EXPECT_EQ(FcBench::field(pins.credits_used_o, 20, 0), 0U);
  // Channels that are not there, and other ordered sets, change nothing.
  bench.receiveOrderedSet(encode({{8, 24}, {9, 9}}));
  bench.clocks(6);
  bench.receiveOrderedSet(encode({{0, 0}, {9, 9}}) ^ 0x1000);
  bench.clocks(6);
  EXPECT_EQ(bench.credit_errors, 1U);
  EXPECT_EQ(pins.cnt_cf_received_o, 2U);
}

// Nobody says how close together a peer may put its ordered sets.
TEST(FcCreditSender, UpdatesOfConsecutiveClocksAreAllApplied) {
  FcBench bench;
  auto& pins = bench.pins();
  pins.cfg_cell_log2_i = 7;
  pins.cfg_cbfc_tx_i = 0xFF;
  for (std::uint32_t v = 0; v < 8; ++v) FcBench::setField(pins.cfg_credits_i, 32, v, 1000);
  bench.clocks(20);
  pins.root_length_i = 1280;  // 10 credits
  const auto send = [&](std::uint32_t channel) {
    pins.root_priority_i = channel;
    bench.clock();
    pins.sent_i = 1;
    bench.clock();
    pins.sent_i = 0;
  };
  for (std::uint32_t v = 0; v < 8; ++v) {
    send(v);
    send(v);
  }
  bench.clocks(10);
  // Six sets, one a clock, while frames go on: all channels, two of them twice.
  for (const CfUpdate& update :
       {CfUpdate{{7, 6}, {17, 16}}, CfUpdate{{5, 4}, {15, 14}}, CfUpdate{{7, 6}, {18, 18}},
        CfUpdate{{3, 2}, {13, 12}}, CfUpdate{{1, 0}, {11, 10}}, CfUpdate{{3, 3}, {19, 19}}}) {
    bench.receiveOrderedSet(encode(update));
  }
  for (std::uint32_t i = 0; i < 8; ++i) send(0);
  bench.clocks(20);
  const std::array<std::uint32_t, 8> freed{10, 11, 12, 19, 14, 15, 18, 18};
  for (std::uint32_t v = 0; v < 8; ++v) {
    const std::uint32_t consumed = v == 0 ? 100 : 20;
    EXPECT_EQ(FcBench::field(pins.credits_used_o, 20, v), consumed - freed[v]) << v;
  }
  EXPECT_EQ(pins.cnt_cf_received_o, 6U);
  EXPECT_EQ(bench.credit_errors, 0U);
}

TEST(FcCreditReceiver, SpacingOfUpdatesAndTheirRepetition) {
  FcBench bench;
  auto& pins = bench.pins();
  pins.cfg_cell_log2_i = 7;
  pins.cfg_cbfc_rx_i = 0x05;
  pins.cfg_cf_min_i = 100;
  pins.cfg_cf_max_i = 1000;
  for (const std::uint32_t v : {0U, 2U}) FcBench::setField(pins.cfg_drain_i, 32, v, 64ULL << 16);
  for (int i = 0; i < 10; ++i) bench.receive(taggedFrame(2, 1024));
  bench.clocks(990);
  // 80 credits on channel 2 in about 180 clocks: the first update, and one with the rest.
  ASSERT_GE(bench.ordered_sets.size(), 2U);
  ASSERT_LE(bench.ordered_sets.size(), 3U);
  CfUpdate update = decode(bench.ordered_sets.back());
  EXPECT_EQ(update.channel, (std::array<std::uint32_t, 2>{2, 2}));  // one channel is named twice
  EXPECT_EQ(update.total, (std::array<std::uint32_t, 2>{80, 80}));
  // All channels again when 1000 clocks have passed.
  bench.ordered_sets.clear();
  bench.clocks(1000);
  ASSERT_EQ(bench.ordered_sets.size(), 1U);
  update = decode(bench.ordered_sets.back());
  std::sort(update.channel.begin(), update.channel.end());
  std::sort(update.total.begin(), update.total.end());
  EXPECT_EQ(update.channel, (std::array<std::uint32_t, 2>{0, 2}));
  EXPECT_EQ(update.total, (std::array<std::uint32_t, 2>{0, 80}));
}

struct Link {
  std::uint32_t loss_percent = 0;       // of frames
  std::uint32_t lost_sets_percent = 0;  // of CF_Updates
};
class FcCreditLoop : public testing::TestWithParam<Link> {};

// Sender and receiver of one port joined by a link: credits equal to the buffer's size, so that it
// never overflows; in the end every credit is back, lost frames' ones through CC_Update.
TEST_P(FcCreditLoop, CreditsComeBackAndTheBufferNeverOverflows) {
  const CreditRules rules{7, 20};
  FcBench bench;
  auto& pins = bench.pins();
  pins.cfg_cell_log2_i = rules.log2;
  pins.cfg_overhead_i = static_cast<std::uint8_t>(rules.overhead);
  pins.cfg_cbfc_tx_i = 0xFF;
  pins.cfg_cbfc_rx_i = 0xFF;
  pins.cfg_cf_min_i = 40;
  pins.cfg_cf_max_i = 3000;
  pins.cfg_cc_period_i = 2000;
  for (std::uint32_t v = 0; v < 8; ++v) {
    FcBench::setField(pins.cfg_credits_i, 32, v, 300);
    FcBench::setField(pins.cfg_capacity_i, 32, v, 300);
    FcBench::setField(pins.cfg_drain_i, 32, v, (3ULL + v) << 16);
  }
  bench.clocks(20);
  bench.frame_clocks = 3;
  RandomStream random(13, "loop");
  const std::uint32_t loss = GetParam().loss_percent;
  std::uint64_t lost_credits = 0;
  std::uint64_t sent = 0;
  std::uint64_t wire_busy = 0;
  std::size_t controls = 0;
  std::size_t sets = 0;
  struct Flight {
    std::uint64_t clock = 0;
    wire::Buffer frame;
    bool good = true;
  };
  std::deque<Flight> flights;
  struct SetFlight {
    std::uint64_t clock = 0;
    std::uint64_t set = 0;
  };
  std::deque<SetFlight> set_flights;
  constexpr std::uint64_t kDelay = 300;
  bench.wire_free = [&] { return bench.clockNumber() >= wire_busy; };

  const auto carry = [&] {
    const std::uint64_t now = bench.clockNumber();
    for (; controls < bench.control.size(); ++controls) {
      wire::Buffer frame = bench.control[controls].bytes;
      frame.resize(64, 0);
      flights.push_back({now + kDelay, std::move(frame), random.below(100) >= loss});
    }
    for (; sets < bench.ordered_sets.size(); ++sets) {
      if (random.below(100) < GetParam().lost_sets_percent) continue;
      set_flights.push_back({now + kDelay, bench.ordered_sets[sets]});
    }
    while (!flights.empty() && flights.front().clock <= now) {
      bench.receive(flights.front().frame, flights.front().good);
      flights.pop_front();
    }
    while (!set_flights.empty() && set_flights.front().clock <= now) {
      bench.receiveOrderedSet(set_flights.front().set);
      set_flights.pop_front();
    }
  };

  for (int i = 0; i < 400'000; ++i) {
    carry();
    const auto priority = static_cast<std::uint32_t>(random.below(8));
    const auto length = static_cast<std::uint32_t>(64 + random.below(1500));
    pins.root_length_i = length;
    pins.root_priority_i = priority;
    const bool goes = bench.clockNumber() >= wire_busy && pins.control_valid_o == 0 &&
                      (pins.credit_busy_o >> priority & 1U) == 0 &&
                      length <= FcBench::field(pins.credit_o, 14, priority);
    if (goes) {
      const std::uint64_t beats = std::max<std::uint64_t>(3, (length + 63) / 64);
      wire_busy = bench.clockNumber() + beats;
      const bool good = random.below(100) >= loss;
      if (!good) lost_credits += rules.cost(length);
      // Behind control frames that were taken in this very clock nothing overtakes.
      flights.push_back({bench.clockNumber() + kDelay, taggedFrame(priority, length), good});
      ++sent;
    }
    bench.clock();
    pins.sent_i = goes ? 1 : 0;
    if (goes) {
      carry();
      bench.clock();
      pins.sent_i = 0;
    }
  }
  // Nothing more is sent; the last totals go round until no loss hides any.
  for (int i = 0; i < 60'000; ++i) {
    carry();
    bench.clock();
  }
  EXPECT_GT(sent, 2'000U);
  EXPECT_EQ(pins.cnt_dropped_o, 0U);
  EXPECT_EQ(bench.credit_errors, 0U);
  EXPECT_EQ(pins.cnt_recovered_o, lost_credits);
  for (std::uint32_t v = 0; v < 8; ++v) {
    EXPECT_EQ(FcBench::field(pins.credits_used_o, 20, v), 0U) << v;
    EXPECT_EQ(FcBench::field(pins.fill_o, 20, v), 0U) << v;
  }
  EXPECT_EQ(pins.cnt_cf_sent_o, bench.ordered_sets.size());
  EXPECT_EQ(pins.cnt_cc_sent_o, bench.control.size());
}

INSTANTIATE_TEST_SUITE_P(Links, FcCreditLoop,
                         testing::Values(Link{0, 0}, Link{5, 0}, Link{0, 20}, Link{10, 20}));

// A sender that does not keep to its credits is found out.
TEST(FcCreditReceiver, OverSubscriptionIsCountedAndLeaksNothing) {
  FcBench bench;
  auto& pins = bench.pins();
  pins.cfg_cell_log2_i = 7;
  pins.cfg_cbfc_rx_i = 0x02;
  pins.cfg_cf_min_i = 10;
  FcBench::setField(pins.cfg_capacity_i, 32, 1, 20);
  FcBench::setField(pins.cfg_drain_i, 32, 1, 1ULL << 16);
  for (int i = 0; i < 4; ++i) bench.receive(taggedFrame(1, 1024));  // 8 credits each
  bench.clocks(100);
  EXPECT_EQ(pins.cnt_dropped_o, 2U);
  bench.clocks(4000);
  ASSERT_FALSE(bench.ordered_sets.empty());
  EXPECT_EQ(decode(bench.ordered_sets.back()).total[0], 32U);  // all freed, the dropped ones too
  EXPECT_EQ(FcBench::field(pins.fill_o, 20, 1), 0U);
}

}  // namespace
}  // namespace plumbline::test
