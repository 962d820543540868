#include "tests/hw/kernel/kernel_bench.h"

#include <bit>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "tests/regs/clocked.h"

namespace plumbline::hw_test {
namespace {

constexpr std::uint32_t kPreambleBits = 56;
// How often the MACs' levels follow; much less than their own delays.
constexpr Picoseconds kPlayEvery = nanoseconds(100);
constexpr std::int64_t kPpm = 1'000'000;

sim::AxiLitePins registerPins(Vplumb_kernel& kernel) {
  return {.awaddr = &kernel.s_axi_control_awaddr,
          .awvalid = &kernel.s_axi_control_awvalid,
          .awready = &kernel.s_axi_control_awready,
          .wdata = &kernel.s_axi_control_wdata,
          .wstrb = &kernel.s_axi_control_wstrb,
          .wvalid = &kernel.s_axi_control_wvalid,
          .wready = &kernel.s_axi_control_wready,
          .bresp = &kernel.s_axi_control_bresp,
          .bvalid = &kernel.s_axi_control_bvalid,
          .bready = &kernel.s_axi_control_bready,
          .araddr = &kernel.s_axi_control_araddr,
          .arvalid = &kernel.s_axi_control_arvalid,
          .arready = &kernel.s_axi_control_arready,
          .rdata = &kernel.s_axi_control_rdata,
          .rresp = &kernel.s_axi_control_rresp,
          .rvalid = &kernel.s_axi_control_rvalid,
          .rready = &kernel.s_axi_control_rready};
}

sim::AxiWritePins memoryWritePins(Vplumb_kernel& kernel) {
  return {.awaddr = &kernel.m_axi_awaddr,
          .awlen = &kernel.m_axi_awlen,
          .awsize = &kernel.m_axi_awsize,
          .awburst = &kernel.m_axi_awburst,
          .awvalid = &kernel.m_axi_awvalid,
          .awready = &kernel.m_axi_awready,
          .wdata = kernel.m_axi_wdata.data(),
          .wstrb = &kernel.m_axi_wstrb,
          .wlast = &kernel.m_axi_wlast,
          .wvalid = &kernel.m_axi_wvalid,
          .wready = &kernel.m_axi_wready,
          .bresp = &kernel.m_axi_bresp,
          .bvalid = &kernel.m_axi_bvalid,
          .bready = &kernel.m_axi_bready};
}

sim::AxiReadPins memoryReadPins(Vplumb_kernel& kernel) {
  return {.araddr = &kernel.m_axi_araddr,
          .arlen = &kernel.m_axi_arlen,
          .arsize = &kernel.m_axi_arsize,
          .arburst = &kernel.m_axi_arburst,
          .arvalid = &kernel.m_axi_arvalid,
          .arready = &kernel.m_axi_arready,
          .rdata = kernel.m_axi_rdata.data(),
          .rresp = &kernel.m_axi_rresp,
          .rlast = &kernel.m_axi_rlast,
          .rvalid = &kernel.m_axi_rvalid,
          .rready = &kernel.m_axi_rready};
}

bool bitOf(std::uint8_t pin, std::uint32_t port) { return (pin >> port & 1U) != 0; }
void setBit(std::uint8_t& pin, std::uint32_t port, bool level) {
  pin = static_cast<std::uint8_t>((pin & ~(1U << port)) | (level ? 1U << port : 0U));
}

}  // namespace

KernelBench::KernelBench(const KernelOptions& options)
    : axi_(registerPins(*kernel_)),
      mac_clocks_{
          {{sim::kClockPeriodNum, sim::kClockPeriodDen, Picoseconds(100)},
           {sim::kClockPeriodNum * kPpm, sim::kClockPeriodDen * (kPpm - options.second_clock_ppm),
            Picoseconds(100) + options.second_clock_phase}}} {
  tx_.reserve(kPorts);
  for (std::uint32_t port = 0; port < kPorts; ++port) tx_.emplace_back(options.mac_fifo_bytes);
  memory_write_.emplace(memoryWritePins(*kernel_), memory_.memory());
  memory_read_.emplace(memoryReadPins(*kernel_), memory_.memory());
  kernel_->ap_rst_n = 1;
  kernel_->eval();
  kernel_->ap_rst_n = 0;
  wait(nanoseconds(100));
  kernel_->ap_rst_n = 1;
  wait(microseconds(5));  // the models' clocks begin within 3
}
KernelBench::~KernelBench() { kernel_->final(); }

KernelBench::Answer KernelBench::finish() {
  constexpr std::int64_t kMostClocks = 100'000;
  const std::int64_t from = ap_.edges;
  while (axi_.busy() && ap_.edges < from + kMostClocks) step();
  if (axi_.busy()) throw Error(ErrorKind::kTester, "the kernel's register bus does not answer");
  return {axi_.response(), axi_.value(), ap_.edges - from};
}
KernelBench::Answer KernelBench::tryRead(std::uint32_t offset) {
  axi_.startRead(static_cast<std::uint16_t>(offset));
  return finish();
}
KernelBench::Answer KernelBench::tryWrite(std::uint32_t offset, std::uint32_t value) {
  axi_.startWrite(static_cast<std::uint16_t>(offset), value);
  return finish();
}

std::uint32_t KernelBench::read(std::uint32_t offset) {
  const Answer answer = tryRead(offset);
  if (answer.response == 0) return answer.value;
  throw Error(ErrorKind::kTester, "the kernel has refused a read");
}
void KernelBench::write(std::uint32_t offset, std::uint32_t value) {
  if (tryWrite(offset, value).response == 0) return;
  throw Error(ErrorKind::kTester, "the kernel has refused a write");
}
std::vector<std::uint32_t> KernelBench::accessAll(std::span<const card::RegisterAccess> all) {
  return dma_ ? dma_->accessAll(all) : RegisterBus::accessAll(all);
}
void KernelBench::wait(Picoseconds duration) {
  const Picoseconds end = now_ + duration;
  while (now_ < end) step();
}
void KernelBench::useMemory() {
  dma_.emplace(*this, [this](std::size_t bytes) { return memory_.buffer(bytes); });
}
void KernelBench::stopCapture() {
  if (dma_) dma_->stopCapture();
}

void KernelBench::step() {
  const Picoseconds times[] = {mac_clocks_[0].next(), mac_clocks_[1].next(), ap_.next()};
  const std::uint32_t first = times[1] < times[0] ? 1 : 0;
  if (times[2] < times[first]) {
    now_ = times[2];
    ++ap_.edges;
    apEdge();
  } else {
    now_ = times[first];
    ++mac_clocks_[first].edges;
    macEdge(first);
  }
}

void KernelBench::apEdge() {
  axi_.sample();
  kernel_->ap_clk = 1;
  kernel_->eval();
  axi_.drive();
  if (now_ >= next_play_) {
    next_play_ = now_ + kPlayEvery;
    for (std::uint32_t port = 0; port < kPorts; ++port) playStatus(port);
  }
  kernel_->ap_clk = 0;
  kernel_->eval();
}

void KernelBench::macEdge(std::uint32_t port) {
  if (!macs_[port].clockRuns(now_)) {
    rx_[port] = {};
    inside_frame_[port] = false;
    return;
  }
  if (before_mac_edge) before_mac_edge(port);
  takeSentBeat(port);
  if (port == 0) {
    memory_write_->sample();
    memory_read_->sample();
  }
  setClockPin(port, true);
  driveMac(port);
  if (port == 0) {
    memory_write_->drive();
    memory_read_->drive();
  }
  setClockPin(port, false);
}

void KernelBench::setClockPin(std::uint32_t port, bool level) {
  setBit(kernel_->gt_txusrclk2, port, level);
  kernel_->eval();
}

void KernelBench::takeSentBeat(std::uint32_t port) {
  const Vplumb_kernel& k = *kernel_;
  if (!bitOf(k.tx_axis_tvalid, port)) return;
  if (!bitOf(k.tx_axis_tready, port)) {
    ++withheld[port];
    return;
  }
  std::uint64_t keep = 0;
  std::memcpy(&keep, k.tx_axis_tkeep.data() + std::size_t{2} * port, sizeof keep);
  const auto* data =
      reinterpret_cast<const std::uint8_t*>(k.tx_axis_tdata.data() + std::size_t{16} * port);
  auto done = tx_[port].beat(now_, data, static_cast<std::size_t>(std::popcount(keep)),
                             bitOf(k.tx_axis_tlast, port),
                             rtl::bitsOf(k.tx_preamblein, kPreambleBits * port, kPreambleBits));
  if (!done) return;
  sent[port].push_back(done->frame);
  if (done->preamble != sim::kOrdinaryPreamble) ++other_preambles[port];
  forward(port, std::move(*done));
}

// A MAC sends frames only when it is told nothing else; one that is not aligned receives none.
void KernelBench::forward(std::uint32_t from, sim::MacTxModel::Sent frame) {
  const std::uint32_t to = 1 - from;
  const Vplumb_kernel& k = *kernel_;
  const bool sends = bitOf(k.ctl_tx_enable, from) && !bitOf(k.ctl_tx_send_rfi, from) &&
                     !bitOf(k.ctl_tx_send_lfi, from) && !bitOf(k.ctl_tx_send_idle, from);
  if (!sends || !macs_[to].clockRuns(now_) || !macs_[to].levels(now_).rx_status) return;
  rx_[to].deliver(std::move(frame.frame), frame.first_bit + kCableDelay, frame.preamble);
}

void KernelBench::driveMac(std::uint32_t port) {
  Vplumb_kernel& k = *kernel_;
  setBit(k.tx_axis_tready, port, !bitOf(k.usr_tx_reset, port) && tx_[port].ready(now_));
  const auto beat = rx_[port].next(now_);
  setBit(k.rx_axis_tvalid, port, beat.has_value());
  if (!beat) return;
  const bool flagged = flag_next[port] && beat->last;
  setBit(k.rx_axis_tlast, port, beat->last);
  setBit(k.rx_axis_tuser, port, flagged);
  if (flagged) flag_next[port] = false;
  const std::uint64_t keep = ~std::uint64_t{0} >> (sim::kBeatBytes - beat->bytes);
  std::memcpy(k.rx_axis_tkeep.data() + std::size_t{2} * port, &keep, sizeof keep);
  std::memcpy(k.rx_axis_tdata.data() + std::size_t{16} * port, beat->data, beat->bytes);
  if (!std::exchange(inside_frame_[port], !beat->last)) {
    rtl::setBits(k.rx_preambleout, kPreambleBits * port, kPreambleBits, beat->preamble);
  }
}

void KernelBench::playStatus(std::uint32_t port) {
  Vplumb_kernel& k = *kernel_;
  macs_[port].order({.sys_reset = bitOf(k.sys_reset, port),
                     .core_tx_reset = bitOf(k.core_tx_reset, port),
                     .core_rx_reset = bitOf(k.core_rx_reset, port),
                     .gt_tx_reset = bitOf(k.gtwiz_reset_tx_datapath, port),
                     .gt_rx_reset = bitOf(k.gtwiz_reset_rx_datapath, port),
                     .rx_enable = bitOf(k.ctl_rx_enable, port),
                     .rs_fec = bitOf(k.ctl_rx_rsfec_enable, port),
                     .force_resync = bitOf(k.ctl_rx_force_resync, port)},
                    now_);
  const sim::MacLevels is = macs_[port].levels(now_);
  rtl::setBits(k.gt_powergoodout, 4 * port, 4, is.power_good);
  setBit(k.usr_tx_reset, port, is.tx_reset);
  setBit(k.usr_rx_reset, port, is.rx_reset);
  rtl::setBits(k.stat_rx_block_lock, 20 * port, 20, is.block_lock);
  rtl::setBits(k.stat_rx_synced, 20 * port, 20, is.synced);
  setBit(k.stat_rx_aligned, port, is.aligned);
  setBit(k.stat_rx_status, port, is.rx_status);
  setBit(k.stat_rx_hi_ber, port, is.hi_ber);
  setBit(k.stat_rx_local_fault, port, is.local_fault);
  setBit(k.stat_rx_internal_local_fault, port, is.internal_local_fault);
  setBit(k.stat_rx_received_local_fault, port, is.received_local_fault);
  setBit(k.stat_rx_remote_fault, port, is.remote_fault);
}

}  // namespace plumbline::hw_test
