// Makes the Verilated classes, one per number of ports, look the same (card_model.h).
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
#include "sim/verilated_model.h"

namespace plumbline::sim {
namespace {

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

// A card as it is simulated, with clock gates, early pins and what else only simulations have,
// beside one as it is in hardware (docs/simulation-speed.md). Every output must be the same at the
// end of every clock; eval() throws Error(kTester) otherwise.
template <typename Gated, typename Ungated>
class ComparedCard final : public CardModel {
 public:
  ComparedCard() { pins_ = gated_.pins(); }

  void eval() override {
    gated_.eval();
    if (gated_.model().clk_i != 0) {
      // At the edge the other card still sees what its pins were before.
      ungated_.model().clk_i = 1;
      ungated_.eval();
      return;
    }
    inputsOf(ungated_.model()) = inputsOf(gated_.model());
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
      throw Error(ErrorKind::kTester, "the simulated card differs from one as it is in hardware");
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
