#include "sim/compared_card.h"

#include <verilated.h>

#include <cstring>
#include <string>

#ifdef PLUMBLINE_CARD_WHOLE_1
#include "VPlumbCardWhole1.h"
#endif
#ifdef PLUMBLINE_CARD_WHOLE_2
#include "VPlumbCardWhole2.h"
#endif
#ifdef PLUMBLINE_CARD_WHOLE_4
#include "VPlumbCardWhole4.h"
#endif
#ifdef PLUMBLINE_CARD_WHOLE_8
#include "VPlumbCardWhole8.h"
#endif
#include "base/error.h"
#include "sim/simulated_card.h"
#include "sim/verilated_pins.h"

namespace plumbline::sim {
namespace {

// Bytes of a vector pin: port p of an n-byte pin at byte n·p.
template <typename Pin>
std::uint8_t* bytesOf(Pin& pin) {
  return reinterpret_cast<std::uint8_t*>(&pin);
}

template <typename Whole>
class ComparedCard final : public CardModel {
 public:
  explicit ComparedCard(std::uint32_t ports) : card_(ports), whole_(&context_, "card") {
    pins_ = card_.pins();
    whole_axi_ = axiLitePins(whole_);
  }
  ~ComparedCard() override { whole_.final(); }
  ComparedCard(const ComparedCard&) = delete;
  ComparedCard& operator=(const ComparedCard&) = delete;

  void setReset(bool active) override {
    card_.setReset(active);
    reset_ = active;
  }

  // At the edge the whole card still sees the previous values of its pins.
  void rise() override {
    card_.rise();
    whole_.clk_i = 1;
    whole_.eval();
  }

  void fall() override {
    card_.fall();
    copyInputs();
    whole_.clk_i = 0;
    whole_.eval();
    compareBus();
    for (std::uint32_t port = 0; port < pins_.ports.size(); ++port) comparePort(port);
  }

  void openTrace(const std::string& path) override { card_.openTrace(path); }
  void dumpTrace(Picoseconds time) override { card_.dumpTrace(time); }

 private:
  static constexpr std::size_t kDataBytes = 4 * kDataWords;
  static constexpr std::size_t kDescriptorBytes = 4 * kDescriptorWords;

  void copyInputs() {
    whole_.rst_ni = reset_ ? 0 : 1;
    *whole_axi_.awaddr = *pins_.axi.awaddr;
    *whole_axi_.awvalid = *pins_.axi.awvalid;
    *whole_axi_.wdata = *pins_.axi.wdata;
    *whole_axi_.wstrb = *pins_.axi.wstrb;
    *whole_axi_.wvalid = *pins_.axi.wvalid;
    *whole_axi_.bready = *pins_.axi.bready;
    *whole_axi_.araddr = *pins_.axi.araddr;
    *whole_axi_.arvalid = *pins_.axi.arvalid;
    *whole_axi_.rready = *pins_.axi.rready;
    whole_.pps_i = *pins_.pps.in;
    whole_.tx_axis_tready_i = 0;
    whole_.rx_axis_tvalid_i = 0;
    whole_.rx_axis_tlast_i = 0;
    whole_.tx_ctl_ready_i = 0;
    whole_.rx_ctl_valid_i = 0;
    whole_.link_up_i = 0;
    whole_.cap_ready_i = 0;
    for (std::uint32_t i = 0; i < pins_.ports.size(); ++i) {
      const PortPins& port = pins_.ports[i];
      const auto put = [i](auto& pin, std::uint8_t bit) {
        pin = static_cast<std::uint8_t>(pin | bit << i);
      };
      put(whole_.tx_axis_tready_i, *port.tx_ready);
      put(whole_.rx_axis_tvalid_i, *port.rx_valid);
      put(whole_.rx_axis_tlast_i, *port.rx_last);
      put(whole_.tx_ctl_ready_i, *port.tx_set_ready);
      put(whole_.rx_ctl_valid_i, *port.rx_set_valid);
      put(whole_.link_up_i, *port.link_up);
      put(whole_.cap_ready_i, *port.capture_ready);
      std::memcpy(bytesOf(whole_.rx_axis_tdata_i) + kDataBytes * i, port.rx_data, kDataBytes);
      std::memcpy(bytesOf(whole_.rx_axis_tkeep_i) + 8 * i, port.rx_keep, 8);
      std::memcpy(bytesOf(whole_.rx_preamble_i) + 8 * i, port.rx_preamble, 8);
      std::memcpy(bytesOf(whole_.rx_ctl_i) + 8 * i, port.rx_set, 8);
    }
  }

  static void check(bool same, const char* pin) {
    if (!same) {
      throw Error(ErrorKind::kTester, "the simulated card differs from one as it is in hardware",
                  pin);
    }
  }

  void compareBus() const {
    const AxiLitePins& one = pins_.axi;
    const AxiLitePins& other = whole_axi_;
    check(*one.awready == *other.awready, "s_axil_awready_o");
    check(*one.wready == *other.wready, "s_axil_wready_o");
    check(*one.bresp == *other.bresp, "s_axil_bresp_o");
    check(*one.bvalid == *other.bvalid, "s_axil_bvalid_o");
    check(*one.arready == *other.arready, "s_axil_arready_o");
    check(*one.rdata == *other.rdata, "s_axil_rdata_o");
    check(*one.rresp == *other.rresp, "s_axil_rresp_o");
    check(*one.rvalid == *other.rvalid, "s_axil_rvalid_o");
    check(*pins_.pps.out == whole_.pps_o, "pps_o");
  }

  void comparePort(std::uint32_t i) {
    const PortPins& port = pins_.ports[i];
    const auto bits = [i](auto& whole, std::uint8_t bit, const char* name) {
      check(((whole >> i) & 1U) == bit, name);
    };
    const auto bytes = [i](auto& whole, const void* part, std::size_t size, const char* name) {
      check(std::memcmp(bytesOf(whole) + size * i, part, size) == 0, name);
    };
    bits(whole_.tx_axis_tvalid_o, *port.tx_valid, "tx_axis_tvalid_o");
    bits(whole_.tx_axis_tlast_o, *port.tx_last, "tx_axis_tlast_o");
    bytes(whole_.tx_axis_tdata_o, port.tx_data, kDataBytes, "tx_axis_tdata_o");
    bytes(whole_.tx_axis_tkeep_o, port.tx_keep, 8, "tx_axis_tkeep_o");
    bytes(whole_.tx_preamble_o, port.tx_preamble, 8, "tx_preamble_o");
    bits(whole_.tx_ctl_valid_o, *port.tx_set_valid, "tx_ctl_valid_o");
    bytes(whole_.tx_ctl_o, port.tx_set, 8, "tx_ctl_o");
    bits(whole_.cap_rx_tvalid_o, *port.received.valid, "cap_rx_tvalid_o");
    bits(whole_.cap_rx_tlast_o, *port.received.last, "cap_rx_tlast_o");
    bytes(whole_.cap_rx_tdata_o, port.received.data, kDataBytes, "cap_rx_tdata_o");
    bytes(whole_.cap_rx_tkeep_o, port.received.keep, 8, "cap_rx_tkeep_o");
    bits(whole_.cap_rx_desc_valid_o, *port.received.descriptor_valid, "cap_rx_desc_valid_o");
    bytes(whole_.cap_rx_desc_o, port.received.descriptor, kDescriptorBytes, "cap_rx_desc_o");
    bits(whole_.cap_tx_tvalid_o, *port.sent.valid, "cap_tx_tvalid_o");
    bits(whole_.cap_tx_tlast_o, *port.sent.last, "cap_tx_tlast_o");
    bytes(whole_.cap_tx_tdata_o, port.sent.data, kDataBytes, "cap_tx_tdata_o");
    bytes(whole_.cap_tx_tkeep_o, port.sent.keep, 8, "cap_tx_tkeep_o");
    bits(whole_.cap_tx_desc_valid_o, *port.sent.descriptor_valid, "cap_tx_desc_valid_o");
    bytes(whole_.cap_tx_desc_o, port.sent.descriptor, kDescriptorBytes, "cap_tx_desc_o");
  }

  SimulatedCard card_;
  VerilatedContext context_;
  Whole whole_;
  AxiLitePins whole_axi_{};
  bool reset_ = true;
};

}  // namespace

std::unique_ptr<CardModel> makeComparedCard(std::uint32_t ports) {
  switch (ports) {
#ifdef PLUMBLINE_CARD_WHOLE_1
    case 1:
      return std::make_unique<ComparedCard<VPlumbCardWhole1>>(ports);
#endif
#ifdef PLUMBLINE_CARD_WHOLE_2
    case 2:
      return std::make_unique<ComparedCard<VPlumbCardWhole2>>(ports);
#endif
#ifdef PLUMBLINE_CARD_WHOLE_4
    case 4:
      return std::make_unique<ComparedCard<VPlumbCardWhole4>>(ports);
#endif
#ifdef PLUMBLINE_CARD_WHOLE_8
    case 8:
      return std::make_unique<ComparedCard<VPlumbCardWhole8>>(ports);
#endif
    default:
      throw Error(ErrorKind::kUnsupported,
                  "plumb_card was not built with " + std::to_string(ports) + " ports", {},
                  "the numbers of ports in PLUMBLINE_CARD_SIM_COMPARE");
  }
}

}  // namespace plumbline::sim
