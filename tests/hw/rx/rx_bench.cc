#include "tests/hw/rx/rx_bench.h"

#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <cstring>
#include <ostream>

#include "Vplumb_rx.h"

namespace plumbline::test {
namespace {

constexpr std::size_t kBeatBytes = 64;
constexpr std::uint32_t kTableFlow = 4;
constexpr std::uint32_t kTableGroup = 5;

// Bits [high:low] of a row, at most 64.
std::uint64_t bits(const std::array<std::uint32_t, 16>& words, std::uint32_t high,
                   std::uint32_t low) {
  std::uint64_t value = 0;
  for (std::uint32_t bit = high + 1; bit-- > low;) {
    value = value << 1 | (words[bit / 32] >> (bit % 32) & 1U);
  }
  return value;
}

}  // namespace

void PrintTo(const FlowRow& row, std::ostream* out) {
  *out << "frames " << row.frames << " bytes " << row.bytes << " lost " << row.lost << " duplicate "
       << row.duplicate << " out_of_order " << row.out_of_order << " stale " << row.stale << " ce "
       << row.ce << " bad_icrc " << row.bad_icrc << " next_sequence " << row.next_sequence
       << " trimmed " << row.trimmed << " reorder_depth " << row.reorder_depth;
}

void PrintTo(const GroupRow& row, std::ostream* out) {
  *out << "count " << row.count << " minimum " << row.minimum << " maximum " << row.maximum
       << " sum " << static_cast<std::uint64_t>(row.sum >> 64) << "·2^64+"
       << static_cast<std::uint64_t>(row.sum);
}

void PrintTo(const PortCounters& c, std::ostream* out) {
  *out << "frames " << c.frames << " bytes " << c.bytes << " fcs_errors " << c.fcs_errors
       << " icrc_errors " << c.icrc_errors << " runts " << c.runts << " giants " << c.giants
       << " untagged " << c.untagged << " unparsed " << c.unparsed << " latency_negative "
       << c.latency_negative << " event_overflow " << c.event_overflow << " pause_frames "
       << c.pause_frames << " mac_control_other " << c.mac_control_other << " bad_row " << c.bad_row
       << " trimmed " << c.trimmed << " trimmed_bare " << c.trimmed_bare;
}

void PrintTo(const PriorityCounters& c, std::ostream* out) {
  *out << "xoff " << c.xoff << " xon " << c.xon << " paused_ps " << c.paused_ps;
}

FlowRow decodeFlowRow(const std::array<std::uint32_t, 16>& words) {
  return {.frames = bits(words, 47, 0),
          .bytes = bits(words, 103, 48),
          .lost = bits(words, 151, 104),
          .duplicate = bits(words, 191, 152),
          .out_of_order = bits(words, 231, 192),
          .stale = bits(words, 263, 232),
          .ce = bits(words, 303, 264),
          .bad_icrc = bits(words, 343, 304),
          .next_sequence = bits(words, 407, 344),
          .trimmed = bits(words, 447, 408),
          .reorder_depth = bits(words, 454, 448)};
}

GroupRow decodeGroupRow(const std::array<std::uint32_t, 16>& words) {
  return {
      .count = bits(words, 47, 0),
      .minimum = bits(words, 95, 48),
      .maximum = bits(words, 143, 96),
      .sum = static_cast<unsigned __int128>(bits(words, 239, 208)) << 64 | bits(words, 207, 144)};
}

RxBench::RxBench()
    : context_(std::make_unique<VerilatedContext>()),
      model_(std::make_unique<Vplumb_rx>(context_.get())),
      garbage_(1, "rx/garbage") {
  model_->clk_i = 0;
  model_->rst_ni = 0;
  model_->clear_i = 0;
  model_->byte_time_ps_i = 80;
  model_->ts_offset_i = 0;
  model_->wide_rows_i = 0;
  model_->trim_dscp_en_i = 0;
  model_->trim_dscp_i = 0;
  model_->trim_length_i = 0;
  model_->tbl_req_i = 0;
  model_->hist_req_i = 0;
  model_->rx_tvalid_i = 0;
  idle(2);
  model_->rst_ni = 1;
  while (clearBusy()) {
    clock();
  }
}

RxBench::~RxBench() { model_->final(); }

void RxBench::jumpTo(std::uint64_t time) { time_base_ = time - cycle_ * 102400 / 33; }

void RxBench::setTimestampOffset(std::int32_t ps) {
  model_->ts_offset_i = static_cast<std::uint32_t>(ps);
  idle(1);  // the sum of what is added to a timestamp is a register
}

void RxBench::setByteTime(std::uint32_t ps) { model_->byte_time_ps_i = ps; }

void RxBench::setWideRows(bool wide) { model_->wide_rows_i = wide; }

void RxBench::setTrimming(std::optional<std::uint8_t> dscp, bool by_length) {
  model_->trim_dscp_en_i = dscp.has_value();
  model_->trim_dscp_i = dscp.value_or(0);
  model_->trim_length_i = by_length;
}

void RxBench::garbage() {
  for (std::size_t word = 0; word < kBeatBytes / 4; ++word) {
    model_->rx_tdata_i[word] = static_cast<std::uint32_t>(garbage_.next());
  }
}

void RxBench::beat(wire::ByteView frame, std::size_t at) {
  const std::size_t size = std::min(kBeatBytes, frame.size() - at);
  if (size < kBeatBytes) {
    garbage();  // what lies behind the end of the frame must not matter
  }
  std::memcpy(&model_->rx_tdata_i[0], frame.data() + at, size);
  model_->rx_tkeep_i = ~std::uint64_t{0} >> (kBeatBytes - size);
  model_->rx_tlast_i = at + size == frame.size();
  model_->rx_tvalid_i = 1;
  clock();
  model_->rx_tvalid_i = 0;
}

std::uint64_t RxBench::send(wire::ByteView frame) {
  for (std::size_t at = 0; at < frame.size(); at += kBeatBytes) {
    beat(frame, at);
  }
  return cycle_ - 1;
}

std::uint64_t RxBench::send(wire::ByteView frame, RandomStream& random, std::uint64_t bubbles) {
  for (std::size_t at = 0; at < frame.size(); at += kBeatBytes) {
    while (at != 0 && random.below(16) < bubbles) {
      garbage();
      model_->rx_tlast_i = random.below(2) != 0;
      clock();
    }
    beat(frame, at);
  }
  return cycle_ - 1;
}

void RxBench::idle(std::uint64_t clocks) {
  for (std::uint64_t i = 0; i < clocks; ++i) {
    clock();
  }
}

void RxBench::settle() {
  // Descriptor, queue of 512 events at two clocks each, tables, PFC.
  idle(kDescriptorLatency + std::uint64_t{2} * 512 + 24);
}

void RxBench::pulseClear() {
  model_->clear_i = 1;
  clock();
  model_->clear_i = 0;
}

bool RxBench::clearBusy() {
  model_->eval();
  return model_->clear_busy_o != 0;
}

void RxBench::clear() {
  pulseClear();
  while (clearBusy()) {
    clock();
  }
}

void RxBench::requestTable(std::uint32_t table, std::uint32_t row, bool write) {
  model_->tbl_req_i = 1;
  model_->tbl_we_i = write;
  model_->tbl_table_i = static_cast<std::uint8_t>(table);
  model_->tbl_row_i = static_cast<std::uint16_t>(row);
  for (std::size_t word = 0; word < 16; ++word) {
    model_->tbl_wdata_i[word] = 0xDEADBEEF;
  }
  request_cycle_ = cycle_;
}

void RxBench::requestHistogram(std::uint32_t group, std::uint32_t bucket) {
  model_->hist_req_i = 1;
  model_->hist_group_i = static_cast<std::uint8_t>(group);
  model_->hist_bucket_i = static_cast<std::uint16_t>(bucket);
}

TableAnswer RxBench::table(std::uint32_t table, std::uint32_t row, bool write) {
  answers.clear();
  requestTable(table, row, write);
  for (int i = 0; i < 300 && answers.empty(); ++i) {
    clock();
  }
  if (answers.empty()) {
    ADD_FAILURE() << "no answer from table " << table;
    return {};
  }
  const TableAnswer answer = answers.front();
  answers.clear();
  return answer;
}

FlowRow RxBench::flowRow(std::uint32_t row) { return decodeFlowRow(table(kTableFlow, row).words); }

GroupRow RxBench::groupRow(std::uint32_t row) {
  return decodeGroupRow(table(kTableGroup, row).words);
}

std::uint64_t RxBench::histogramCell(std::uint32_t group, std::uint32_t bucket) {
  histogram_answers.clear();
  requestHistogram(group, bucket);
  for (int i = 0; i < 300 && histogram_answers.empty(); ++i) {
    clock();
  }
  if (histogram_answers.empty()) {
    ADD_FAILURE() << "no answer for bucket " << bucket;
    return 0;
  }
  const std::uint64_t count = histogram_answers.front();
  histogram_answers.clear();
  return count;
}

PortCounters RxBench::counters() {
  model_->eval();
  return {.frames = model_->cnt_frames_o,
          .bytes = model_->cnt_bytes_o,
          .fcs_errors = model_->cnt_fcs_errors_o,
          .icrc_errors = model_->cnt_icrc_errors_o,
          .runts = model_->cnt_runts_o,
          .giants = model_->cnt_giants_o,
          .untagged = model_->cnt_untagged_o,
          .unparsed = model_->cnt_unparsed_o,
          .latency_negative = model_->cnt_latency_negative_o,
          .event_overflow = model_->cnt_event_overflow_o,
          .pause_frames = model_->cnt_pause_frames_o,
          .mac_control_other = model_->cnt_mac_control_other_o,
          .bad_row = model_->cnt_bad_row_o,
          .trimmed = model_->cnt_trimmed_o,
          .trimmed_bare = model_->cnt_trimmed_bare_o};
}

PriorityCounters RxBench::priority(std::uint32_t priority) {
  model_->eval();
  const auto pick = [priority](const auto& words) {
    return static_cast<std::uint64_t>(words[2 * priority + 1]) << 32 | words[2 * priority];
  };
  return {.xoff = pick(model_->cnt_xoff_o),
          .xon = pick(model_->cnt_xon_o),
          .paused_ps = pick(model_->cnt_paused_ps_o)};
}

std::uint8_t RxBench::paused() {
  model_->eval();
  return model_->paused_o;
}

void RxBench::clock() {
  model_->now_i = now();
  model_->rx_time_i = now();
  model_->eval();
  if (model_->desc_valid_o != 0) {
    descriptors.push_back({.cycle = cycle_,
                           .timestamp = model_->desc_timestamp_o,
                           .length = model_->desc_length_o,
                           .fcs_ok = model_->desc_fcs_ok_o != 0,
                           .icrc_checked = model_->desc_icrc_checked_o != 0,
                           .icrc_ok = model_->desc_icrc_ok_o != 0});
  }
  if (model_->tbl_ack_o != 0) {
    TableAnswer answer{.requested = request_cycle_, .answered = cycle_};
    for (std::size_t word = 0; word < 16; ++word) {
      answer.words[word] = model_->tbl_rdata_o[word];
    }
    answers.push_back(answer);
  }
  if (model_->hist_ack_o != 0) {
    histogram_answers.push_back(model_->hist_data_o);
  }
  if (model_->event_overflow_o != 0) {
    ++overflow_pulses;
  }
  paused_log.push_back(model_->paused_o);

  model_->clk_i = 1;
  model_->eval();
  model_->clk_i = 0;
  model_->tbl_req_i = 0;
  model_->hist_req_i = 0;
  ++cycle_;
}

}  // namespace plumbline::test
