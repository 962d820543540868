#include "sim/host_card.h"

#include <cstring>
#include <string>

#include "VPlumbDma2.h"
#include "sim/simulated_card.h"
#include "sim/verilated_pins.h"

namespace plumbline::sim {
namespace {

constexpr std::uint32_t kPorts = 2;

// A simulated card and plumb_dma, wired as in plumb_card_host. All wires between them come from
// registers, or from the DMA's inputs alone.
class HostCard final : public CardModel {
 public:
  HostCard() : card_(kPorts), dma_(&card_.context(), "dma") {
    pins_.axi = axiLitePins(dma_);
    pins_.pps = card_.pins().pps;
    pins_.ports = card_.pins().ports;
    pins_.memory = {.write = {.awaddr = &dma_.m_axi_awaddr_o,
                              .awlen = &dma_.m_axi_awlen_o,
                              .awsize = &dma_.m_axi_awsize_o,
                              .awburst = &dma_.m_axi_awburst_o,
                              .awvalid = &dma_.m_axi_awvalid_o,
                              .awready = &dma_.m_axi_awready_i,
                              .wdata = dma_.m_axi_wdata_o.data(),
                              .wstrb = &dma_.m_axi_wstrb_o,
                              .wlast = &dma_.m_axi_wlast_o,
                              .wvalid = &dma_.m_axi_wvalid_o,
                              .wready = &dma_.m_axi_wready_i,
                              .bresp = &dma_.m_axi_bresp_i,
                              .bvalid = &dma_.m_axi_bvalid_i,
                              .bready = &dma_.m_axi_bready_o},
                    .read = {.araddr = &dma_.m_axi_araddr_o,
                             .arlen = &dma_.m_axi_arlen_o,
                             .arsize = &dma_.m_axi_arsize_o,
                             .arburst = &dma_.m_axi_arburst_o,
                             .arvalid = &dma_.m_axi_arvalid_o,
                             .arready = &dma_.m_axi_arready_i,
                             .rdata = dma_.m_axi_rdata_i.data(),
                             .rresp = &dma_.m_axi_rresp_i,
                             .rlast = &dma_.m_axi_rlast_i,
                             .rvalid = &dma_.m_axi_rvalid_i,
                             .rready = &dma_.m_axi_rready_o}};
  }
  ~HostCard() override {
    waveform_.close();
    dma_.final();
  }
  HostCard(const HostCard&) = delete;
  HostCard& operator=(const HostCard&) = delete;

  void setReset(bool active) override {
    card_.setReset(active);
    dma_.rst_ni = active ? 0 : 1;
  }

  void rise() override {
    card_.rise();
    dma_.clk_i = 1;
    dma_.eval();
  }

  void fall() override {
    copyFromCard();
    dma_.clk_i = 0;
    dma_.eval();
    copyToCard();
    card_.fall();
  }

  void openTrace(const std::string& path) override {
    card_.context().traceEverOn(true);
    card_.addTo(waveform_);
    waveform_.add(dma_);
    waveform_.open(path);
  }
  void dumpTrace(Picoseconds time) override { waveform_.dump(time); }

 private:
  void copyFromCard() {
    const AxiLitePins& card = card_.pins().axi;
    dma_.m_axil_awready_i = *card.awready;
    dma_.m_axil_wready_i = *card.wready;
    dma_.m_axil_bresp_i = *card.bresp;
    dma_.m_axil_bvalid_i = *card.bvalid;
    dma_.m_axil_arready_i = *card.arready;
    dma_.m_axil_rdata_i = *card.rdata;
    dma_.m_axil_rresp_i = *card.rresp;
    dma_.m_axil_rvalid_i = *card.rvalid;
    const auto& ports = card_.pins().ports;
    copyStreams(ports[0].received, ports[1].received,
                {.data = dma_.cap_rx_tdata_i.data(),
                 .keep = dma_.cap_rx_tkeep_i.data(),
                 .valid = &dma_.cap_rx_tvalid_i,
                 .last = &dma_.cap_rx_tlast_i,
                 .descriptor_valid = &dma_.cap_rx_desc_valid_i,
                 .descriptor = dma_.cap_rx_desc_i.data()});
    copyStreams(ports[0].sent, ports[1].sent,
                {.data = dma_.cap_tx_tdata_i.data(),
                 .keep = dma_.cap_tx_tkeep_i.data(),
                 .valid = &dma_.cap_tx_tvalid_i,
                 .last = &dma_.cap_tx_tlast_i,
                 .descriptor_valid = &dma_.cap_tx_desc_valid_i,
                 .descriptor = dma_.cap_tx_desc_i.data()});
  }

  // One direction's capture pins of the DMA: those of port p after those of port p - 1.
  struct Joined {
    std::uint32_t* data;
    std::uint32_t* keep;
    std::uint8_t* valid;
    std::uint8_t* last;
    std::uint8_t* descriptor_valid;
    std::uint32_t* descriptor;
  };

  static void copyStreams(const CapturePins& first, const CapturePins& second, const Joined& to) {
    const auto joined = [](const std::uint8_t* low, const std::uint8_t* high) {
      return static_cast<std::uint8_t>(*low | *high << 1U);
    };
    *to.valid = joined(first.valid, second.valid);
    *to.last = joined(first.last, second.last);
    *to.descriptor_valid = joined(first.descriptor_valid, second.descriptor_valid);
    std::uint32_t port = 0;
    for (const CapturePins* from : {&first, &second}) {
      std::memcpy(to.data + kDataWords * port, from->data, 4 * kDataWords);
      std::memcpy(to.keep + std::size_t{2} * port, from->keep, 8);
      std::memcpy(to.descriptor + kDescriptorWords * port, from->descriptor, 4 * kDescriptorWords);
      ++port;
    }
  }

  void copyToCard() {
    const AxiLitePins& card = card_.pins().axi;
    *card.awaddr = dma_.m_axil_awaddr_o;
    *card.awvalid = dma_.m_axil_awvalid_o;
    *card.wdata = dma_.m_axil_wdata_o;
    *card.wstrb = dma_.m_axil_wstrb_o;
    *card.wvalid = dma_.m_axil_wvalid_o;
    *card.bready = dma_.m_axil_bready_o;
    *card.araddr = dma_.m_axil_araddr_o;
    *card.arvalid = dma_.m_axil_arvalid_o;
    *card.rready = dma_.m_axil_rready_o;
    for (std::uint32_t port = 0; port < kPorts; ++port) {
      *card_.pins().ports[port].capture_ready =
          static_cast<std::uint8_t>((dma_.cap_ready_o >> port) & 1U);
    }
  }

  SimulatedCard card_;
  VPlumbDma2 dma_;
  Waveform waveform_;
};

}  // namespace

std::unique_ptr<CardModel> makeHostCardModel() { return std::make_unique<HostCard>(); }

}  // namespace plumbline::sim
