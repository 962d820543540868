// Link-level retry through the driver: the resulting registers, and the returned values.
#include "card/link_retry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "card/driver.h"
#include "tests/card/fake_card.h"

namespace plumbline::card {
namespace {

// The registers by number, as docs/registers.md has them.
constexpr std::uint32_t kPort1 = 0x2000;
constexpr std::uint32_t kControl = kPort1 + 0x500;

TEST(LinkRetry, ConfigurationIsWrittenInClocks) {
  FakeCard card;
  Driver driver(card);
  LlrConfig config;
  config.mac_control_eligible = true;
  config.init_data_low_first = true;
  config.init_action = LlrAction::kBestEffort;
  config.flush_action = LlrAction::kBlock;
  config.init_seq = 0xABCDE;
  config.init_data = 0x1234;
  config.init_interval = microseconds(1);
  config.max_frames = 1000;
  config.max_bytes = 65536;
  config.replay_timer = microseconds(10);
  config.replay_count_max = 7;
  config.pcs_lost = milliseconds(1);
  config.data_age = nanoseconds(100);
  driver.linkRetry(1).configure(config);
  // 1 us is 322.27 clocks, 10 us 3222.66, 1 ms 322265.63, 100 ns 32.23, 2048 byte times 52.8.
  EXPECT_EQ(card.words[kControl], 0x0000061FU);
  EXPECT_EQ(card.words[kPort1 + 0x510], 0xABCDEU);
  EXPECT_EQ(card.words[kPort1 + 0x514], 323U << 16 | 0x1234U);
  EXPECT_EQ(card.words[kPort1 + 0x518], 1000U);
  EXPECT_EQ(card.words[kPort1 + 0x51C], 65536U);
  EXPECT_EQ(card.words[kPort1 + 0x520], 7U << 24 | 3223U);
  EXPECT_EQ(card.words[kPort1 + 0x524], 322266U);
  EXPECT_EQ(card.words[kPort1 + 0x528], 33U);
  EXPECT_EQ(card.words[kPort1 + 0x52C], 53U);
  // It is switched on when all other registers are set.
  EXPECT_EQ(card.writes.back().first, kControl);
  driver.linkRetry(1).disable();
  EXPECT_EQ(card.words[kControl], 0U);
}

TEST(LinkRetry, RefusesWhatTheCardCannotHold) {
  FakeCard card;
  Driver driver(card);
  LinkRetry retry = driver.linkRetry(0);
  const auto refused = [&](auto change) {
    LlrConfig config;
    change(config);
    const std::size_t writes = card.writes.size();
    EXPECT_THROW(retry.configure(config), Error);
    EXPECT_EQ(card.writes.size(), writes);  // nothing half done
  };
  refused([](LlrConfig& c) { c.init_seq = 1U << 20; });
  refused([](LlrConfig& c) { c.max_frames = (1U << 19) + 1; });
  refused([](LlrConfig& c) { c.replay_count_max = 256; });
  refused([](LlrConfig& c) { c.replay_timer = milliseconds(60); });
  refused([](LlrConfig& c) { c.init_interval = milliseconds(1); });
  refused([](LlrConfig& c) { c.pcs_lost = Picoseconds(-1); });
  refused([](LlrConfig& c) { c.data_age = seconds(20); });
  refused([](LlrConfig& c) { c.ack_spacing = Bytes(3'000'000); });
}

TEST(LinkRetry, StateAndCountersComeBack) {
  FakeCard card;
  Driver driver(card);
  card.words[kPort1 + 0x508] = 0x00012373;  // outstanding 0x123, up, NACK sent, replay
  const LlrStatus status = driver.linkRetry(1).status();
  EXPECT_EQ(status.tx, LlrTxState::kReplay);
  EXPECT_EQ(status.rx, LlrRxState::kNackSent);
  EXPECT_TRUE(status.link_up);
  EXPECT_EQ(status.outstanding, 0x123U);
  for (std::uint32_t i = 0; i < 27; ++i) {
    card.counters[kPort1 + 0x580 + 8 * i] = (std::uint64_t{i} << 33) + i + 1;
  }
  const LlrCounters counters = driver.linkRetry(1).counters();
  EXPECT_EQ(counters.tx_init, 1U);
  EXPECT_EQ(counters.rx_nack, (7ULL << 33) + 8);
  EXPECT_EQ(counters.rx_bad, (11ULL << 33) + 12);
  EXPECT_EQ(counters.tx_replay, (23ULL << 33) + 24);
  EXPECT_EQ(counters.flushed, (26ULL << 33) + 27);
}

TEST(LinkRetry, CommandAndReset) {
  FakeCard card;
  Driver driver(card);
  driver.linkRetry(1).reInit();
  EXPECT_EQ(card.writes.back(), std::make_pair(kPort1 + 0x504, 1U));
  card.words[kControl] = 3;
  driver.reset();
  EXPECT_EQ(card.words[kControl], 0U);
}

TEST(LinkRetry, LatencyOfRetriesIsReadFromItsOwnGroups) {
  FakeCard card;
  Driver driver(card);
  // Two retries of missing frames of 100 ps and 200 ps: row 0x8001, cells with bit 21.
  regs::TableRow row{};
  regs::group_table::kCount.set(row, 2);
  regs::group_table::kMinimum.set(row, 100);
  regs::group_table::kMaximum.set(row, 200);
  regs::group_table::kSum.set(row, 300);
  card.rows[{0, regs::group_table::kNumber, 0x8001}] = row;
  const std::uint32_t group = 1U << 5 | 1U;  // the bits above the bucket in HIST_ADDR
  card.cells[{0, group, 100}] = 1;
  card.cells[{0, group, 200}] = 1;
  const stats::Histogram missing = driver.retryLatency(0, RetryCause::kMissing);
  EXPECT_EQ(missing.count(), 2U);
  EXPECT_EQ(driver.retryLatency(0, RetryCause::kDamaged).count(), 0U);
}

TEST(LinkRetry, ACardWithoutItSaysSo) {
  FakeCard card;
  card.words[regs::global::kFeatures] &= ~0x10U;
  Driver driver(card);
  EXPECT_THROW(static_cast<void>(driver.linkRetry(0)), Error);
  EXPECT_THROW(static_cast<void>(driver.retryLatency(0, RetryCause::kDamaged)), Error);
  driver.reset();
  EXPECT_EQ(std::count_if(card.writes.begin(), card.writes.end(),
                          [](const auto& write) { return write.first % 0x1000 == 0x500; }),
            0);
}

}  // namespace
}  // namespace plumbline::card
