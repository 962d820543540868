#include "sim/simulated_card.h"

#include "VPlumbCardCommon.h"
#include "VPlumbCardPort.h"
#include "base/error.h"
#include "sim/verilated_pins.h"

namespace plumbline::sim {
namespace {

PortPins pinsOf(VPlumbCardPort& port) {
  return {.tx_data = port.tx_tdata_o.data(),
          .tx_keep = &port.tx_tkeep_o,
          .tx_valid = &port.tx_tvalid_o,
          .tx_last = &port.tx_tlast_o,
          .tx_ready = &port.tx_tready_i,
          .tx_preamble = &port.tx_preamble_o,
          .rx_data = port.rx_tdata_i.data(),
          .rx_keep = &port.rx_tkeep_i,
          .rx_valid = &port.rx_tvalid_i,
          .rx_last = &port.rx_tlast_i,
          .rx_preamble = &port.rx_preamble_i,
          .tx_set_valid = &port.tx_ctl_valid_o,
          .tx_set = &port.tx_ctl_o,
          .tx_set_ready = &port.tx_ctl_ready_i,
          .rx_set_valid = &port.rx_ctl_valid_i,
          .rx_set = &port.rx_ctl_i,
          .link_up = &port.link_up_i,
          .received = {.data = port.cap_rx_tdata_o.data(),
                       .keep = &port.cap_rx_tkeep_o,
                       .valid = &port.cap_rx_tvalid_o,
                       .last = &port.cap_rx_tlast_o,
                       .descriptor_valid = &port.cap_rx_desc_valid_o,
                       .descriptor = port.cap_rx_desc_o.data()},
          .sent = {.data = port.cap_tx_tdata_o.data(),
                   .keep = &port.cap_tx_tkeep_o,
                   .valid = &port.cap_tx_tvalid_o,
                   .last = &port.cap_tx_tlast_o,
                   .descriptor_valid = &port.cap_tx_desc_valid_o,
                   .descriptor = port.cap_tx_desc_o.data()},
          .capture_ready = &port.cap_ready_i};
}

}  // namespace

void Waveform::open(const std::string& path) {
  file_.open(path.c_str());
  if (!file_.isOpen()) {
    throw Error(ErrorKind::kTester, "the waveform file cannot be written", path);
  }
}

SimulatedCard::SimulatedCard(std::uint32_t ports)
    : common_(std::make_unique<VPlumbCardCommon>(&context_, "common")) {
  common_->ports_i = static_cast<std::uint8_t>(ports);
  pins_.axi = axiLitePins(*common_);
  pins_.pps = {.in = &common_->pps_i, .out = &common_->pps_o};
  for (std::uint32_t port = 0; port < ports; ++port) {
    const std::string name = "port" + std::to_string(port);
    ports_.push_back(std::make_unique<VPlumbCardPort>(&context_, name.c_str()));
    pins_.ports.push_back(pinsOf(*ports_.back()));
  }
}

SimulatedCard::~SimulatedCard() {
  waveform_.close();
  common_->final();
  for (const auto& port : ports_) port->final();
}

void SimulatedCard::setReset(bool active) {
  const std::uint8_t level = active ? 0 : 1;
  common_->rst_ni = level;
  for (const auto& port : ports_) port->rst_ni = level;
}

void SimulatedCard::rise() {
  common_->clk_i = 1;
  common_->eval();
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    VPlumbCardPort& port = *ports_[i];
    port.now_i = common_->now_o;
    port.offset_i = common_->offset_o;
    port.running_i = common_->running_o;
    port.start_time_i = common_->start_time_o;
    port.reg_addr_i = common_->reg_addr_o;
    port.reg_event_i = common_->reg_event_o;
    port.reg_wen_i = static_cast<std::uint8_t>((common_->port_wen_o >> i) & 1U);
    port.reg_ren_i = static_cast<std::uint8_t>((common_->port_ren_o >> i) & 1U);
    port.reg_wdata_i = common_->reg_wdata_o;
    port.clk_i = 1;
    port.clk_bus_i = common_->clk_bus_o;
    port.eval();
  }
}

void SimulatedCard::fall() {
  std::uint32_t acknowledged = 0;
  std::uint32_t busy = 0;
  std::uint32_t events = 0;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    VPlumbCardPort& port = *ports_[i];
    port.clk_i = 0;
    port.clk_bus_i = 0;
    port.eval();
    acknowledged |= static_cast<std::uint32_t>(port.reg_ack_o) << i;
    busy |= static_cast<std::uint32_t>(port.bus_busy_o) << i;
    events |= static_cast<std::uint32_t>(port.event_waits_o) << i;
    common_->port_rdata_i[i] = port.reg_rdata_o;
  }
  common_->port_ack_i = static_cast<std::uint8_t>(acknowledged);
  common_->port_bus_busy_i = static_cast<std::uint8_t>(busy);
  common_->port_event_i = static_cast<std::uint8_t>(events);
  common_->clk_i = 0;
  common_->eval();
}

void SimulatedCard::addTo(Waveform& waveform) {
  waveform.add(*common_);
  for (const auto& port : ports_) waveform.add(*port);
}

void SimulatedCard::openTrace(const std::string& path) {
  context_.traceEverOn(true);
  addTo(waveform_);
  waveform_.open(path);
}

}  // namespace plumbline::sim
