// A Verilated class of the card as a CardModel, whatever its number of ports and whether its
// captures end at its pins or in the host's memory.
#pragma once

#include <verilated.h>
#include <verilated_fst_c.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "sim/card_model.h"

namespace plumbline::sim {

inline constexpr int kTraceDepth = 99;

// A vector pin as words. Verilator keeps one of up to 64 bits, which a card of one port has, as an
// integer: bytes are copied out of and into it as little-endian words.
template <std::size_t Words>
std::uint32_t* words(VlWide<Words>& pin) {
  return pin.data();
}
inline std::uint32_t* words(std::uint64_t& pin) { return reinterpret_cast<std::uint32_t*>(&pin); }

template <typename Verilated>
class VerilatedCard final : public CardModel {
 public:
  VerilatedCard() : model_(&context_, "card") {
    pins_.clk = &model_.clk_i;
    pins_.rst_n = &model_.rst_ni;
    pins_.axi = {.awaddr = &model_.s_axil_awaddr_i,
                 .awvalid = &model_.s_axil_awvalid_i,
                 .awready = &model_.s_axil_awready_o,
                 .wdata = &model_.s_axil_wdata_i,
                 .wstrb = &model_.s_axil_wstrb_i,
                 .wvalid = &model_.s_axil_wvalid_i,
                 .wready = &model_.s_axil_wready_o,
                 .bresp = &model_.s_axil_bresp_o,
                 .bvalid = &model_.s_axil_bvalid_o,
                 .bready = &model_.s_axil_bready_i,
                 .araddr = &model_.s_axil_araddr_i,
                 .arvalid = &model_.s_axil_arvalid_i,
                 .arready = &model_.s_axil_arready_o,
                 .rdata = &model_.s_axil_rdata_o,
                 .rresp = &model_.s_axil_rresp_o,
                 .rvalid = &model_.s_axil_rvalid_o,
                 .rready = &model_.s_axil_rready_i};
    pins_.tx_data = words(model_.tx_axis_tdata_o);
    pins_.tx_keep = words(model_.tx_axis_tkeep_o);
    pins_.tx_valid = &model_.tx_axis_tvalid_o;
    pins_.tx_last = &model_.tx_axis_tlast_o;
    pins_.tx_ready = &model_.tx_axis_tready_i;
    pins_.tx_preamble = words(model_.tx_preamble_o);
    pins_.rx_data = words(model_.rx_axis_tdata_i);
    pins_.rx_keep = words(model_.rx_axis_tkeep_i);
    pins_.rx_valid = &model_.rx_axis_tvalid_i;
    pins_.rx_last = &model_.rx_axis_tlast_i;
    pins_.rx_preamble = words(model_.rx_preamble_i);
    pins_.tx_set_valid = &model_.tx_ctl_valid_o;
    pins_.tx_set = words(model_.tx_ctl_o);
    pins_.tx_set_ready = &model_.tx_ctl_ready_i;
    pins_.rx_set_valid = &model_.rx_ctl_valid_i;
    pins_.rx_set = words(model_.rx_ctl_i);
    pins_.link_up = &model_.link_up_i;
    if constexpr (requires { model_.cap_ready_i; }) {
      pins_.capture = {.received = {.data = words(model_.cap_rx_tdata_o),
                                    .keep = words(model_.cap_rx_tkeep_o),
                                    .valid = &model_.cap_rx_tvalid_o,
                                    .last = &model_.cap_rx_tlast_o,
                                    .descriptor_valid = &model_.cap_rx_desc_valid_o,
                                    .descriptor = words(model_.cap_rx_desc_o)},
                       .sent = {.data = words(model_.cap_tx_tdata_o),
                                .keep = words(model_.cap_tx_tkeep_o),
                                .valid = &model_.cap_tx_tvalid_o,
                                .last = &model_.cap_tx_tlast_o,
                                .descriptor_valid = &model_.cap_tx_desc_valid_o,
                                .descriptor = words(model_.cap_tx_desc_o)},
                       .ready = &model_.cap_ready_i};
    } else {
      pins_.memory = {.write = {.awaddr = &model_.m_axi_awaddr_o,
                                .awlen = &model_.m_axi_awlen_o,
                                .awsize = &model_.m_axi_awsize_o,
                                .awburst = &model_.m_axi_awburst_o,
                                .awvalid = &model_.m_axi_awvalid_o,
                                .awready = &model_.m_axi_awready_i,
                                .wdata = words(model_.m_axi_wdata_o),
                                .wstrb = &model_.m_axi_wstrb_o,
                                .wlast = &model_.m_axi_wlast_o,
                                .wvalid = &model_.m_axi_wvalid_o,
                                .wready = &model_.m_axi_wready_i,
                                .bresp = &model_.m_axi_bresp_i,
                                .bvalid = &model_.m_axi_bvalid_i,
                                .bready = &model_.m_axi_bready_o},
                      .read = {.araddr = &model_.m_axi_araddr_o,
                               .arlen = &model_.m_axi_arlen_o,
                               .arsize = &model_.m_axi_arsize_o,
                               .arburst = &model_.m_axi_arburst_o,
                               .arvalid = &model_.m_axi_arvalid_o,
                               .arready = &model_.m_axi_arready_i,
                               .rdata = words(model_.m_axi_rdata_i),
                               .rresp = &model_.m_axi_rresp_i,
                               .rlast = &model_.m_axi_rlast_i,
                               .rvalid = &model_.m_axi_rvalid_i,
                               .rready = &model_.m_axi_rready_o}};
    }
  }

  ~VerilatedCard() override {
    trace_.close();
    model_.final();
  }

  void eval() override { model_.eval(); }

  [[nodiscard]] Verilated& model() { return model_; }

  void openTrace(const std::string& path) override {
    context_.traceEverOn(true);
    model_.trace(&trace_, kTraceDepth);
    trace_.open(path.c_str());
    if (!trace_.isOpen()) {
      throw Error(ErrorKind::kTester, "the waveform file cannot be written", path);
    }
  }

  void dumpTrace(Picoseconds time) override {
    trace_.dump(static_cast<std::uint64_t>(time.count()));
  }

 private:
  VerilatedContext context_;
  Verilated model_;
  VerilatedFstC trace_;
};

}  // namespace plumbline::sim
