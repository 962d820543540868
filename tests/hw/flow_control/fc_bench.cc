#include "tests/hw/flow_control/fc_bench.h"

#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <cstring>

#include "Vplumb_fc.h"
#include "wire/crc.h"
#include "wire/frame.h"

namespace plumbline::test {

FcBench::FcBench()
    : context_(std::make_unique<VerilatedContext>()),
      model_(std::make_unique<Vplumb_fc>(context_.get())) {
  model_->byte_time_ps_i = 80;
  model_->cfg_cell_log2_i = 0;
  for (std::uint32_t p = 0; p < 8; ++p) setField(model_->cfg_capacity_i, 32, p, 0xFFFFF);
  model_->rst_ni = 1;
  model_->eval();
  model_->rst_ni = 0;
  clocks(4);
  model_->rst_ni = 1;
  clocks(20);
  control.clear();
}

FcBench::~FcBench() { model_->final(); }

void FcBench::clock() {
  model_->clk_i = 0;
  model_->control_crossing_time_i = cross();
  ++clock_;
  model_->rx_tvalid_i = beats_.empty() ? 0 : 1;
  if (!beats_.empty()) {
    const Beat beat = beats_.front();
    beats_.pop_front();
    std::memcpy(model_->rx_tdata_i.data(), beat.data.data(), beat.data.size());
    model_->rx_tlast_i = beat.last ? 1 : 0;
    if (beat.last) verdicts_.push_back({clock_ + kVerdictClocks, beat.length, beat.good});
  }
  model_->desc_valid_i = 0;
  if (!verdicts_.empty() && verdicts_.front().clock == clock_) {
    model_->desc_valid_i = 1;
    model_->desc_length_i = verdicts_.front().length;
    model_->desc_fcs_ok_i = verdicts_.front().good ? 1 : 0;
    verdicts_.pop_front();
  }
  model_->rx_ctl_valid_i = sets_in_.empty() ? 0 : 1;
  if (!sets_in_.empty()) {
    model_->rx_ctl_i = sets_in_.front();
    sets_in_.pop_front();
  }
  model_->cf_ready_i = !ordered_set_ready || ordered_set_ready() ? 1 : 0;
  const bool free = clock_ >= wire_busy_ && (!wire_free || wire_free());
  model_->control_ready_i = 0;
  model_->eval();
  if (free && model_->control_valid_o != 0) {
    model_->control_ready_i = 1;
    model_->eval();
    ControlFrame frame;
    const auto* data = reinterpret_cast<const std::uint8_t*>(model_->control_data_o.data());
    frame.bytes.assign(data, data + 60);
    frame.cross = model_->control_crossing_time_i;
    frame.clock = clock_;
    control.push_back(std::move(frame));
    wire_busy_ = clock_ + frame_clocks;
  }
  if (model_->cf_valid_o != 0 && model_->cf_ready_i != 0) ordered_sets.push_back(model_->cf_data_o);
  storm_late_pulses += model_->storm_late_o;
  credit_errors += model_->credit_error_o;
  model_->clk_i = 1;
  model_->eval();
}

void FcBench::clocks(std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) clock();
}

void FcBench::receive(const wire::Buffer& frame, bool good) {
  for (std::size_t at = 0; at < frame.size(); at += 64) {
    Beat beat;
    const std::size_t bytes = std::min<std::size_t>(64, frame.size() - at);
    std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(at), bytes, beat.data.begin());
    beat.last = at + bytes == frame.size();
    beat.length = static_cast<std::uint16_t>(frame.size());
    beat.good = good;
    beats_.push_back(beat);
  }
}

void FcBench::receivedPause(std::uint8_t starts, std::uint8_t ends) {
  model_->rx_start_i = starts;
  model_->rx_end_i = ends;
  model_->rx_event_time_i = now();
  clock();
  model_->rx_start_i = 0;
  model_->rx_end_i = 0;
}

void FcBench::pulse(std::uint8_t& pin) {
  pin = 1;
  clock();
  pin = 0;
}

TraceEntry FcBench::popTrace() {
  clocks(3);
  EXPECT_EQ(model_->trace_valid_o, 1);
  TraceEntry entry;
  entry.starts = static_cast<std::uint8_t>(field(model_->trace_entry_o, 8, 0));
  entry.ends = static_cast<std::uint8_t>(field(model_->trace_entry_o, 8, 1));
  entry.sent = (model_->trace_entry_o[0] >> 16 & 1U) != 0;
  entry.time = static_cast<std::uint64_t>(model_->trace_entry_o[0]) >> 17 |
               static_cast<std::uint64_t>(model_->trace_entry_o[1]) << 15 |
               static_cast<std::uint64_t>(model_->trace_entry_o[2]) << 47;
  pulse(model_->trace_pop_i);
  return entry;
}

wire::Buffer taggedFrame(std::uint32_t priority, std::uint32_t length) {
  wire::Buffer frame(length, 0);
  frame[12] = 0x81;
  frame[14] = static_cast<std::uint8_t>(priority << 5 | 0x03);
  frame[16] = 0x08;
  frame[18] = 0x45;
  frame[19] = 0xFF;  // a DSCP that says otherwise
  return frame;
}

wire::Buffer ipFrame(std::uint32_t dscp, bool ipv6, std::uint32_t length) {
  wire::Buffer frame(length, 0);
  frame[12] = ipv6 ? 0x86 : 0x08;
  frame[13] = ipv6 ? 0xDD : 0x00;
  frame[14] = ipv6 ? static_cast<std::uint8_t>(0x60 | dscp >> 2) : 0x45;
  frame[15] = ipv6 ? static_cast<std::uint8_t>((dscp & 3) << 6 | 0x15)
                   : static_cast<std::uint8_t>(dscp << 2 | 1);
  return frame;
}

}  // namespace plumbline::test
