// Pins that several Verilated classes have under the same names.
#pragma once

#include "sim/card_model.h"

namespace plumbline::sim {

// The register port of `model`: its pins s_axil_*.
template <typename Verilated>
AxiLitePins axiLitePins(Verilated& model) {
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

}  // namespace plumbline::sim
