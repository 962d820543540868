#include "tests/hw/tx/tx_bench.h"

#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <ostream>

#include "Vplumb_tx.h"

namespace plumbline::test {
namespace {

constexpr std::size_t kBeatBytes = 64;

// The fields of plumb_tx_pkg::user_t, its last one in the lowest bits.
SentUser userOf(std::uint64_t word) {
  const auto take = [&word](unsigned width) {
    const auto value = static_cast<std::uint32_t>(word & ((1ULL << width) - 1));
    word >>= width;
    return value;
  };
  SentUser user;
  user.length = take(14);
  user.number = take(32);
  user.flow = take(12);
  user.priority = take(3);
  user.icrc = take(1) != 0;
  user.control = take(1) != 0;
  return user;
}

}  // namespace

void PrintTo(const TxCounters& c, std::ostream* out) {
  *out << "frames " << c.frames << " bytes " << c.bytes << " late " << c.late << " late_max_ps "
       << c.late_max_ps << " pfc_skipped " << c.pfc_skipped << " credit_skipped "
       << c.credit_skipped << " waited " << c.waited << " stall_clocks " << c.stall_clocks
       << " displaced " << c.displaced << " displaced_max_ps " << c.displaced_max_ps;
}

void PrintTo(const TxState& s, std::ostream* out) {
  *out << "sequence " << s.sequence << " bursts " << s.bursts << " in_burst " << s.in_burst;
}

TxBench::TxBench()
    : context_(std::make_unique<VerilatedContext>()),
      model_(std::make_unique<Vplumb_tx>(context_.get())) {
  model_->byte_time_ps_i = 80;
  model_->late_threshold_ps_i = 10000;
  model_->start_time_i = 20'000'000;
  model_->tx_enable_i = 1;
  for (std::uint32_t priority = 0; priority < 8; ++priority) setCredit(priority, kUnlimitedCredit);
  model_->rst_ni = 1;
  model_->eval();
  model_->rst_ni = 0;
  clocks(4);
  model_->rst_ni = 1;
  clocks(1);
  while (clearBusy()) clock();
}

TxBench::~TxBench() { model_->final(); }

void TxBench::clock() {
  // The clock between edge_ and the next edge.
  model_->clk_i = 0;
  model_->now_i = now();
  ++edge_;
  model_->tx_tready_i = !ready || ready() ? 1 : 0;
  model_->eval();
  if (holding_) {
    EXPECT_TRUE(model_->tx_tvalid_o);
    EXPECT_EQ(std::memcmp(held_.data(), model_->tx_tdata_o.data(), kBeatBytes), 0);
  }
  takeControlFrame();
  stall_pulses += model_->stall_o;
  late_pulses += model_->late_o;
  holding_ = model_->tx_tvalid_o != 0 && model_->tx_tready_i == 0;
  if (holding_) std::memcpy(held_.data(), model_->tx_tdata_o.data(), kBeatBytes);
  if (model_->tx_tvalid_o != 0 && model_->tx_tready_i != 0) {
    EXPECT_EQ(model_->tx_sof_o, inside_ ? 0 : 1);
    if (!inside_) {
      frame_ = {};
      frame_.departure = model_->tx_departure_o;
      frame_.user = userOf(model_->tx_user_o);
      frame_.first_edge = edge_;
      frame_.crossing = edgeTime(edge_);
    }
    const std::uint64_t keep = model_->tx_tkeep_o;
    const bool last = model_->tx_tlast_o != 0;
    const auto bytes = static_cast<std::uint32_t>(std::popcount(keep));
    EXPECT_EQ(keep, last ? ~0ULL >> (64 - bytes) : ~0ULL);
    EXPECT_GT(bytes, 0U);
    frame_.length += bytes;
    if (keep_bytes) {
      const auto* data = reinterpret_cast<const std::uint8_t*>(model_->tx_tdata_o.data());
      frame_.bytes.insert(frame_.bytes.end(), data, data + bytes);
    }
    inside_ = !last;
    if (last) {
      frame_.last_edge = edge_;
      if (on_frame) {
        on_frame(frame_);
      } else {
        sent.push_back(std::move(frame_));
      }
    }
  }
  // The MAC is right behind the outputs.
  model_->mac_first_i =
      model_->tx_tvalid_o != 0 && model_->tx_tready_i != 0 && model_->tx_sof_o != 0 ? 1 : 0;
  model_->mac_departure_i = model_->tx_departure_o;
  model_->clk_i = 1;
  model_->eval();
  if (control_sent_) {
    control_.pop_front();
    offerControl();
  }
}

void TxBench::skipTo(std::uint64_t edge) {
  ASSERT_GE(edge, edge_);
  edge_ = edge;
}

void TxBench::clocks(std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) clock();
}

void TxBench::runUntilIdle(std::uint64_t limit) {
  for (std::uint64_t i = 0; i < limit; ++i) {
    if (!active()) return;
    clock();
  }
  ADD_FAILURE() << "still active after " << limit << " clocks";
}

std::uint64_t TxBench::access(std::uint32_t table, std::uint32_t row, bool write, Row& data) {
  model_->tbl_req_i = 1;
  model_->tbl_we_i = write ? 1 : 0;
  model_->tbl_table_i = table;
  model_->tbl_row_i = row;
  std::copy(data.begin(), data.end(), model_->tbl_wdata_i.data());
  clock();
  model_->tbl_req_i = 0;
  for (std::uint64_t n = 1; n <= 300; ++n) {
    if (model_->tbl_ack_o != 0) {
      if (!write) std::copy_n(model_->tbl_rdata_o.data(), data.size(), data.begin());
      clock();
      EXPECT_EQ(model_->tbl_ack_o, 0);
      return n;
    }
    clock();
  }
  ADD_FAILURE() << "table " << table << " row " << row << ": no acknowledge in 300 clocks";
  return 0;
}

std::uint64_t TxBench::writeRow(std::uint32_t table, std::uint32_t row, const Row& data) {
  Row copy = data;
  return access(table, row, true, copy);
}

std::uint64_t TxBench::readRow(std::uint32_t table, std::uint32_t row, Row& data) {
  return access(table, row, false, data);
}

void TxBench::loadFlow(std::uint32_t flow, const FlowConfig& config) {
  for (std::uint32_t beat = 0; beat < 4; ++beat) {
    writeRow(0, 4 * flow + beat, config.templateRow(beat));
  }
  writeRow(1, flow, config.row());
  if (config.pattern != PatternConfig{}) writeRow(8, flow, config.pattern.row());
}

void TxBench::loadSchedule(std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.due != b.due ? a.due < b.due : a.flow < b.flow;
  });
  std::uint32_t position = 0;
  for (const Entry& entry : entries) {
    Row row{};
    setBits(row, 0, 64, static_cast<std::uint64_t>(entry.due));
    setBits(row, 64, 16, static_cast<std::uint64_t>(entry.due >> 64));
    setBits(row, 80, 12, entry.flow);
    setBits(row, 96, 1, 1);
    writeRow(2, position++, row);
  }
}

TxState TxBench::state(std::uint32_t flow) {
  Row row{};
  readRow(3, flow, row);
  return {.sequence = getBits(row, 0, 64),
          .bursts = getBits(row, 64, 32),
          .in_burst = getBits(row, 96, 25)};
}

void TxBench::setRunning(bool running) { model_->running_i = running ? 1 : 0; }
void TxBench::setEnable(bool enable) { model_->tx_enable_i = enable ? 1 : 0; }
void TxBench::setStartTime(std::uint64_t ps) { model_->start_time_i = ps; }
std::uint64_t TxBench::startTime() const { return model_->start_time_i; }
void TxBench::setByteTime(std::uint32_t ps) { model_->byte_time_ps_i = ps; }
void TxBench::setOffset(std::int32_t ps) { model_->ts_offset_i = static_cast<std::uint32_t>(ps); }
void TxBench::setLateThreshold(std::uint32_t ps) { model_->late_threshold_ps_i = ps; }
void TxBench::setPaused(std::uint32_t mask) { model_->paused_i = static_cast<std::uint8_t>(mask); }
void TxBench::setUntil(std::uint32_t priority, std::uint64_t ps) {
  const std::size_t word = 2 * std::size_t{priority};
  model_->pause_end_time_i[word] = static_cast<std::uint32_t>(ps);
  model_->pause_end_time_i[word + 1] = static_cast<std::uint32_t>(ps >> 32);
}
void TxBench::setCredit(std::uint32_t priority, std::uint32_t bytes) {
  for (std::uint32_t bit = 0; bit < 14; ++bit) {
    const std::uint32_t at = 14 * priority + bit;
    const std::uint32_t mask = 1U << at % 32;
    auto& word = model_->credit_i[at / 32];
    word = (bytes >> bit & 1U) != 0 ? word | mask : word & ~mask;
  }
}
void TxBench::setCreditBusy(std::uint32_t mask) {
  model_->credit_busy_i = static_cast<std::uint8_t>(mask);
}
void TxBench::setWait(bool wait) { model_->wait_i = wait ? 1 : 0; }

void TxBench::requestControl(const std::array<std::uint8_t, 60>& bytes) {
  control_.push_back(bytes);
  offerControl();
}

void TxBench::offerControl() {
  model_->control_valid_i = control_.empty() ? 0 : 1;
  if (!control_.empty()) std::memcpy(model_->control_data_i.data(), control_.front().data(), 60);
}

// Sees the handshake of a clock whose inputs have settled; the next request waits behind its edge.
void TxBench::takeControlFrame() {
  control_sent_ = model_->control_valid_i != 0 && model_->control_ready_o != 0;
}

void TxBench::pulseClear() {
  model_->clear_i = 1;
  clock();
  model_->clear_i = 0;
}

void TxBench::clear() {
  pulseClear();
  EXPECT_TRUE(clearBusy());
  for (int i = 0; i < 400 && clearBusy(); ++i) clock();
  EXPECT_FALSE(clearBusy());
}

TxCounters TxBench::counters() const {
  return {.frames = model_->cnt_frames_o,
          .bytes = model_->cnt_bytes_o,
          .late = model_->cnt_late_o,
          .late_max_ps = model_->cnt_late_max_ps_o,
          .pfc_skipped = model_->cnt_pfc_skipped_o,
          .credit_skipped = model_->cnt_credit_skipped_o,
          .waited = model_->cnt_waited_o,
          .stall_clocks = model_->cnt_stall_clocks_o,
          .displaced = model_->cnt_displaced_o,
          .displaced_max_ps = model_->cnt_displaced_max_ps_o};
}

bool TxBench::active() const { return model_->active_o != 0; }
bool TxBench::clearBusy() const { return model_->clear_busy_o != 0; }

}  // namespace plumbline::test
