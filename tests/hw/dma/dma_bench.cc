#include "dma_bench.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "card/registers.h"

namespace plumbline::hw_test {
namespace {

namespace dma = card::regs::dma;

constexpr std::uint64_t kPatience = 100'000;  // clocks for one access

sim::AxiWritePins memoryWritePins(Vplumb_dma& model) {
  return {.awaddr = &model.m_axi_awaddr_o,
          .awlen = &model.m_axi_awlen_o,
          .awsize = &model.m_axi_awsize_o,
          .awburst = &model.m_axi_awburst_o,
          .awvalid = &model.m_axi_awvalid_o,
          .awready = &model.m_axi_awready_i,
          .wdata = model.m_axi_wdata_o.data(),
          .wstrb = &model.m_axi_wstrb_o,
          .wlast = &model.m_axi_wlast_o,
          .wvalid = &model.m_axi_wvalid_o,
          .wready = &model.m_axi_wready_i,
          .bresp = &model.m_axi_bresp_i,
          .bvalid = &model.m_axi_bvalid_i,
          .bready = &model.m_axi_bready_o};
}

sim::AxiReadPins memoryReadPins(Vplumb_dma& model) {
  return {.araddr = &model.m_axi_araddr_o,
          .arlen = &model.m_axi_arlen_o,
          .arsize = &model.m_axi_arsize_o,
          .arburst = &model.m_axi_arburst_o,
          .arvalid = &model.m_axi_arvalid_o,
          .arready = &model.m_axi_arready_i,
          .rdata = model.m_axi_rdata_i.data(),
          .rresp = &model.m_axi_rresp_i,
          .rlast = &model.m_axi_rlast_i,
          .rvalid = &model.m_axi_rvalid_i,
          .rready = &model.m_axi_rready_o};
}

sim::AxiLitePins hostPins(Vplumb_dma& model) {
  return {.awaddr = &model.s_axil_awaddr_i,
          .awvalid = &model.s_axil_awvalid_i,
          .awready = &model.s_axil_awready_o,
          .wdata = &model.s_axil_wdata_i,
          .wstrb = &model.s_axil_wstrb_i,
          .wvalid = &model.s_axil_wvalid_i,
          .wready = &model.s_axil_wready_o,
          .bresp = &model.s_axil_bresp_o,
          .bvalid = &model.s_axil_bvalid_o,
          .bready = &model.s_axil_bready_i,
          .araddr = &model.s_axil_araddr_i,
          .arvalid = &model.s_axil_arvalid_i,
          .arready = &model.s_axil_arready_o,
          .rdata = &model.s_axil_rdata_o,
          .rresp = &model.s_axil_rresp_o,
          .rvalid = &model.s_axil_rvalid_o,
          .rready = &model.s_axil_rready_i};
}

CardBusPins cardPins(Vplumb_dma& model) {
  return {.awaddr = &model.m_axil_awaddr_o,
          .awvalid = &model.m_axil_awvalid_o,
          .awready = &model.m_axil_awready_i,
          .wdata = &model.m_axil_wdata_o,
          .wstrb = &model.m_axil_wstrb_o,
          .wvalid = &model.m_axil_wvalid_o,
          .wready = &model.m_axil_wready_i,
          .bresp = &model.m_axil_bresp_i,
          .bvalid = &model.m_axil_bvalid_i,
          .bready = &model.m_axil_bready_o,
          .araddr = &model.m_axil_araddr_o,
          .arvalid = &model.m_axil_arvalid_o,
          .arready = &model.m_axil_arready_i,
          .rdata = &model.m_axil_rdata_i,
          .rresp = &model.m_axil_rresp_i,
          .rvalid = &model.m_axil_rvalid_i,
          .rready = &model.m_axil_rready_o};
}

}  // namespace

void RegisterSlave::sample() {
  if (*pins_.awvalid != 0 && *pins_.awready != 0) {
    have_address_ = true;
    address_ = *pins_.awaddr;
  }
  if (*pins_.wvalid != 0 && *pins_.wready != 0) {
    have_data_ = true;
    value_ = *pins_.wdata;
    if (*pins_.wstrb != 0xF) throw std::runtime_error("a write of less than four bytes");
  }
  if (*pins_.arvalid != 0 && *pins_.arready != 0) {
    have_read_ = true;
    address_ = *pins_.araddr;
  }
  if (have_read_ && (have_address_ || have_data_)) {
    throw std::runtime_error("two accesses at a time");
  }
  if (*pins_.bvalid != 0 && *pins_.bready != 0) have_address_ = have_data_ = answered_ = false;
  if (*pins_.rvalid != 0 && *pins_.rready != 0) have_read_ = answered_ = false;
}

void RegisterSlave::drive() {
  ++clock_;
  const bool busy = have_read_ || (have_address_ && have_data_);
  if (!busy) due_ = clock_ + 1 + random_.below(slowest_);
  if (busy && !answered_ && clock_ >= due_) {
    answered_ = true;
    const bool refused = std::find(refused_.begin(), refused_.end(), address_) != refused_.end();
    *pins_.bresp = *pins_.rresp = refused ? 2 : 0;
    if (have_read_) {
      *pins_.rdata = values_[address_];
    } else if (!refused) {
      values_[address_] = value_;
      writes_.push_back({address_, value_});
    }
  }
  *pins_.bvalid = answered_ && !have_read_ ? 1 : 0;
  *pins_.rvalid = answered_ && have_read_ ? 1 : 0;
  *pins_.awready = !have_address_ && random_.below(2) == 0 ? 1 : 0;
  *pins_.wready = !have_data_ && random_.below(2) == 0 ? 1 : 0;
  *pins_.arready = !have_read_ && random_.below(2) == 0 ? 1 : 0;
}

DmaBench::DmaBench(const sim::AxiTiming& timing, std::uint64_t seed, std::uint64_t memory_bytes)
    : context_(std::make_unique<VerilatedContext>()),
      model_(std::make_unique<Vplumb_dma>(context_.get())),
      bytes_(memory_bytes, 0xEE),
      writer_(memoryWritePins(*model_), buffers_, timing),
      reader_(memoryReadPins(*model_), buffers_, timing),
      host_(hostPins(*model_)),
      card_(cardPins(*model_), seed) {
  buffers_.map(kMemoryAddress, bytes_);
  model_->clk_i = 0;
  model_->rst_ni = 0;
  model_->cap_rx_tvalid_i = 0;
  model_->cap_rx_desc_valid_i = 0;
  model_->cap_tx_tvalid_i = 0;
  model_->cap_tx_desc_valid_i = 0;
  model_->m_axi_bvalid_i = 0;
  model_->m_axi_rvalid_i = 0;
  model_->m_axil_bvalid_i = 0;
  model_->m_axil_rvalid_i = 0;
  host_.drive();
  for (int i = 0; i < 3; ++i) {
    model_->clk_i = 1;
    model_->eval();
    model_->clk_i = 0;
    model_->eval();
  }
  model_->rst_ni = 1;
  model_->eval();
}

void DmaBench::clock() {
  model_->eval();
  host_.sample();
  card_.sample();
  writer_.sample();
  reader_.sample();
  model_->clk_i = 1;
  model_->eval();
  model_->clk_i = 0;
  model_->eval();
  ++clock_;
  host_.drive();
  card_.drive();
  writer_.drive();
  reader_.drive();
}

void DmaBench::access() {
  for (std::uint64_t i = 0; host_.busy(); ++i) {
    if (i == kPatience) throw std::runtime_error("an access was not answered");
    clock();
  }
}

std::uint32_t DmaBench::read(std::uint32_t offset) {
  host_.startRead(static_cast<std::uint16_t>(offset));
  host_.drive();
  access();
  return host_.value();
}

void DmaBench::write(std::uint32_t offset, std::uint32_t value) {
  host_.startWrite(static_cast<std::uint16_t>(offset), value);
  host_.drive();
  access();
}

void DmaBench::placeList(std::uint64_t address, const std::vector<RegisterWrite>& list) {
  std::uint8_t* at = bytes_.data() + (address - kMemoryAddress);
  std::memcpy(at, list.data(), list.size() * sizeof(RegisterWrite));
  // To the end of its last 64 bytes: entries that would show.
  for (std::size_t i = list.size(); i % 8 != 0; ++i) {
    const RegisterWrite never{0xBAC, 0xBAD};
    std::memcpy(at + i * sizeof never, &never, sizeof never);
  }
}

void DmaBench::startList(std::uint64_t address, std::uint32_t count, std::uint64_t answers) {
  write(dma::kBase + dma::kLoadAddressLo, static_cast<std::uint32_t>(address));
  write(dma::kBase + dma::kLoadAddressHi, static_cast<std::uint32_t>(address >> 32));
  write(dma::kBase + dma::kLoadAnswersLo, static_cast<std::uint32_t>(answers));
  write(dma::kBase + dma::kLoadAnswersHi, static_cast<std::uint32_t>(answers >> 32));
  write(dma::kBase + dma::kLoadCount, count);
  write(dma::kBase + dma::kLoadControl, dma::kLoadControlStart.of(1));
}

std::uint32_t DmaBench::finishList() {
  for (std::uint64_t i = 0; i < kPatience; ++i) {
    const std::uint32_t status = read(dma::kBase + dma::kLoadStatus);
    if (dma::kLoadStatusBusy.get(status) == 0) return status;
    for (int n = 0; n < 200; ++n) clock();
  }
  throw std::runtime_error("a list did not end");
}

void DmaBench::capture(const std::vector<std::uint8_t>& bytes, bool sent) {
  auto& data = sent ? model_->cap_tx_tdata_i : model_->cap_rx_tdata_i;
  auto& keep = sent ? model_->cap_tx_tkeep_i : model_->cap_rx_tkeep_i;
  auto& valid = sent ? model_->cap_tx_tvalid_i : model_->cap_rx_tvalid_i;
  auto& last = sent ? model_->cap_tx_tlast_i : model_->cap_rx_tlast_i;
  for (std::size_t at = 0; at < bytes.size(); at += 64) {
    const std::size_t size = std::min<std::size_t>(64, bytes.size() - at);
    std::memcpy(data.data(), bytes.data() + at, size);
    keep = size == 64 ? ~0ULL : (1ULL << size) - 1;
    valid = 1;
    last = at + size == bytes.size() ? 1 : 0;
    while (model_->cap_ready_o == 0) clock();
    clock();
  }
  valid = 0;
  auto& descriptor = sent ? model_->cap_tx_desc_i : model_->cap_rx_desc_i;
  descriptor[0] = 0x1234'5678;
  descriptor[1] = 0x9;
  descriptor[2] = static_cast<std::uint32_t>(bytes.size()) | 1U << 16 | (sent ? 1U << 20 : 0U);
  (sent ? model_->cap_tx_desc_valid_i : model_->cap_rx_desc_valid_i) = 1;
  clock();
  (sent ? model_->cap_tx_desc_valid_i : model_->cap_rx_desc_valid_i) = 0;
}

}  // namespace plumbline::hw_test
