// Makes the Verilated classes, one per number of ports, look the same (card_model.h).
#include <verilated.h>
#include <verilated_fst_c.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>

#ifdef PLUMBLINE_CARD_SIM_1
#include "VPlumbCard1.h"
#endif
#ifdef PLUMBLINE_CARD_SIM_2
#include "VPlumbCard2.h"
#endif
#ifdef PLUMBLINE_CARD_SIM_4
#include "VPlumbCard4.h"
#endif
#ifdef PLUMBLINE_CARD_SIM_8
#include "VPlumbCard8.h"
#endif
#ifdef PLUMBLINE_CARD_SIM_COMPARE
#include "VPlumbCardUngated2.h"
#include "VPlumbCardUngated4.h"
#ifdef PLUMBLINE_CARD_SIM_1
#include "VPlumbCardUngated1.h"
#endif
#ifdef PLUMBLINE_CARD_SIM_8
#include "VPlumbCardUngated8.h"
#endif
#else
class VPlumbCardUngated1;
class VPlumbCardUngated2;
class VPlumbCardUngated4;
class VPlumbCardUngated8;
#endif
#include "base/error.h"
#include "sim/card_model.h"

namespace plumbline::sim {
namespace {

constexpr int kTraceDepth = 99;

// A vector pin as words. Verilator keeps one of up to 64 bits, which a card of one port has, as an
// integer: bytes are copied out of and into it as little-endian words.
template <std::size_t Words>
std::uint32_t* words(VlWide<Words>& pin) {
  return pin.data();
}
#ifdef PLUMBLINE_CARD_SIM_1
std::uint32_t* words(std::uint64_t& pin) { return reinterpret_cast<std::uint32_t*>(&pin); }
#endif

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
    pins_.captured_rx = {.data = words(model_.cap_rx_tdata_o),
                         .keep = words(model_.cap_rx_tkeep_o),
                         .valid = &model_.cap_rx_tvalid_o,
                         .last = &model_.cap_rx_tlast_o,
                         .descriptor_valid = &model_.cap_rx_desc_valid_o,
                         .descriptor = words(model_.cap_rx_desc_o)};
    pins_.captured_tx = {.data = words(model_.cap_tx_tdata_o),
                         .keep = words(model_.cap_tx_tkeep_o),
                         .valid = &model_.cap_tx_tvalid_o,
                         .last = &model_.cap_tx_tlast_o,
                         .descriptor_valid = &model_.cap_tx_desc_valid_o,
                         .descriptor = words(model_.cap_tx_desc_o)};
    pins_.capture_ready = &model_.cap_ready_i;
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

#ifdef PLUMBLINE_CARD_SIM_COMPARE

template <typename Card>
auto inputsOf(Card& card) {
  return std::tie(
      card.clk_i, card.rst_ni, card.s_axil_awaddr_i, card.s_axil_awvalid_i, card.s_axil_wdata_i,
      card.s_axil_wstrb_i, card.s_axil_wvalid_i, card.s_axil_bready_i, card.s_axil_araddr_i,
      card.s_axil_arvalid_i, card.s_axil_rready_i, card.tx_axis_tready_i, card.rx_axis_tdata_i,
      card.rx_axis_tkeep_i, card.rx_axis_tvalid_i, card.rx_axis_tlast_i, card.rx_preamble_i,
      card.tx_ctl_ready_i, card.rx_ctl_valid_i, card.rx_ctl_i, card.link_up_i, card.cap_ready_i);
}

template <typename Card>
auto outputsOf(Card& card) {
  return std::tie(
      card.s_axil_awready_o, card.s_axil_wready_o, card.s_axil_bresp_o, card.s_axil_bvalid_o,
      card.s_axil_arready_o, card.s_axil_rdata_o, card.s_axil_rresp_o, card.s_axil_rvalid_o,
      card.tx_axis_tdata_o, card.tx_axis_tkeep_o, card.tx_axis_tvalid_o, card.tx_axis_tlast_o,
      card.tx_preamble_o, card.tx_ctl_valid_o, card.tx_ctl_o, card.cap_rx_tdata_o,
      card.cap_rx_tkeep_o, card.cap_rx_tvalid_o, card.cap_rx_tlast_o, card.cap_rx_desc_valid_o,
      card.cap_rx_desc_o, card.cap_tx_tdata_o, card.cap_tx_tkeep_o, card.cap_tx_tvalid_o,
      card.cap_tx_tlast_o, card.cap_tx_desc_valid_o, card.cap_tx_desc_o);
}

// A card with clock gates beside one without (hw/rtl/pkg/plumb_clock_gate.sv). Every output must be
// the same after every eval(), which throws Error(kTester) otherwise.
template <typename Gated, typename Ungated>
class ComparedCard final : public CardModel {
 public:
  ComparedCard() { pins_ = gated_.pins(); }

  void eval() override {
    inputsOf(ungated_.model()) = inputsOf(gated_.model());
    gated_.eval();
    ungated_.eval();
    std::apply(
        [&](const auto&... gated) {
          std::apply([&](const auto&... ungated) { (check(gated, ungated), ...); },
                     outputsOf(ungated_.model()));
        },
        outputsOf(gated_.model()));
  }

  void openTrace(const std::string& path) override { gated_.openTrace(path); }
  void dumpTrace(Picoseconds time) override { gated_.dumpTrace(time); }

 private:
  template <typename Pin>
  static void check(const Pin& gated, const Pin& ungated) {
    if (std::memcmp(&gated, &ungated, sizeof(Pin)) != 0) {
      throw Error(ErrorKind::kTester, "the simulated card differs from one without clock gates");
    }
  }

  VerilatedCard<Gated> gated_;
  VerilatedCard<Ungated> ungated_;
};

template <typename Gated, typename Ungated>
using Model = ComparedCard<Gated, Ungated>;

#else

template <typename Gated, typename /*Ungated*/>
using Model = VerilatedCard<Gated>;

#endif

}  // namespace

std::unique_ptr<CardModel> makeCardModel(std::uint32_t ports) {
  switch (ports) {
#ifdef PLUMBLINE_CARD_SIM_1
    case 1:
      return std::make_unique<Model<VPlumbCard1, VPlumbCardUngated1>>();
#endif
#ifdef PLUMBLINE_CARD_SIM_2
    case 2:
      return std::make_unique<Model<VPlumbCard2, VPlumbCardUngated2>>();
#endif
#ifdef PLUMBLINE_CARD_SIM_4
    case 4:
      return std::make_unique<Model<VPlumbCard4, VPlumbCardUngated4>>();
#endif
#ifdef PLUMBLINE_CARD_SIM_8
    case 8:
      return std::make_unique<Model<VPlumbCard8, VPlumbCardUngated8>>();
#endif
    default:
      throw Error(ErrorKind::kUnsupported,
                  "no simulated card with " + std::to_string(ports) + " ports was built", {},
                  "2 or 4 ports; 1 or 8 in a build with PLUMBLINE_CARD_SIM_1 or _8");
  }
}

}  // namespace plumbline::sim
