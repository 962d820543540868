// The card with its path to the host's memory: what a host sees behind PCIe, between its MACs.
//
//   s_axil_*  register access: the card's, with block dma in addition (docs/registers.md)
//   m_axi_*   the host's memory (plumb_dma)
//   others    as in plumb_card, of which only the capture streams end here
`include "plumb_assert.svh"

module plumb_card_host #(
  parameter int unsigned Ports = 2,
  parameter int unsigned FlowsLog2 = 8,
  parameter int unsigned RowsLog2 = 12,
  parameter int unsigned GroupsLog2 = 4,
  parameter bit          OrderedSets = 1'b1,
  parameter bit          CoreOutside = 1'b0
) (
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,

  input  wire logic [15:0]            s_axil_awaddr_i,
  input  wire logic                   s_axil_awvalid_i,
  output      logic                   s_axil_awready_o,
  input  wire logic [31:0]            s_axil_wdata_i,
  input  wire logic [3:0]             s_axil_wstrb_i,
  input  wire logic                   s_axil_wvalid_i,
  output      logic                   s_axil_wready_o,
  output      logic [1:0]             s_axil_bresp_o,
  output      logic                   s_axil_bvalid_o,
  input  wire logic                   s_axil_bready_i,
  input  wire logic [15:0]            s_axil_araddr_i,
  input  wire logic                   s_axil_arvalid_i,
  output      logic                   s_axil_arready_o,
  output      logic [31:0]            s_axil_rdata_o,
  output      logic [1:0]             s_axil_rresp_o,
  output      logic                   s_axil_rvalid_o,
  input  wire logic                   s_axil_rready_i,

  output      logic [63:0]            m_axi_awaddr_o,
  output      logic [7:0]             m_axi_awlen_o,
  output      logic [2:0]             m_axi_awsize_o,
  output      logic [1:0]             m_axi_awburst_o,
  output      logic                   m_axi_awvalid_o,
  input  wire logic                   m_axi_awready_i,
  output      logic [511:0]           m_axi_wdata_o,
  output      logic [63:0]            m_axi_wstrb_o,
  output      logic                   m_axi_wlast_o,
  output      logic                   m_axi_wvalid_o,
  input  wire logic                   m_axi_wready_i,
  input  wire logic [1:0]             m_axi_bresp_i,
  input  wire logic                   m_axi_bvalid_i,
  output      logic                   m_axi_bready_o,
  output      logic [63:0]            m_axi_araddr_o,
  output      logic [7:0]             m_axi_arlen_o,
  output      logic [2:0]             m_axi_arsize_o,
  output      logic [1:0]             m_axi_arburst_o,
  output      logic                   m_axi_arvalid_o,
  input  wire logic                   m_axi_arready_i,
  input  wire logic [511:0]           m_axi_rdata_i,
  input  wire logic [1:0]             m_axi_rresp_i,
  input  wire logic                   m_axi_rlast_i,
  input  wire logic                   m_axi_rvalid_i,
  output      logic                   m_axi_rready_o,

  output      logic [Ports*512-1:0]   tx_axis_tdata_o,
  output      logic [Ports*64-1:0]    tx_axis_tkeep_o,
  output      logic [Ports-1:0]       tx_axis_tvalid_o,
  output      logic [Ports-1:0]       tx_axis_tlast_o,
  input  wire logic [Ports-1:0]       tx_axis_tready_i,
  output      logic [Ports*64-1:0]    tx_preamble_o,

  input  wire logic [Ports*512-1:0]   rx_axis_tdata_i,
  input  wire logic [Ports*64-1:0]    rx_axis_tkeep_i,
  input  wire logic [Ports-1:0]       rx_axis_tvalid_i,
  input  wire logic [Ports-1:0]       rx_axis_tlast_i,
  input  wire logic [Ports*64-1:0]    rx_preamble_i,

  output      logic [Ports-1:0]       tx_ctl_valid_o,
  output      logic [Ports*64-1:0]    tx_ctl_o,
  input  wire logic [Ports-1:0]       tx_ctl_ready_i,
  input  wire logic [Ports-1:0]       rx_ctl_valid_i,
  input  wire logic [Ports*64-1:0]    rx_ctl_i,
  input  wire logic [Ports-1:0]       link_up_i,

  input  wire logic                   core_req_i,
  input  wire logic                   core_write_i,
  input  wire logic [15:2]            core_addr_i,
  input  wire logic [31:0]            core_wdata_i,
  output      logic                   core_ack_o,
  output      logic                   core_error_o,
  output      logic [31:0]            core_rdata_o,

  output      logic [Ports-1:0]       event_waits_o,

  input  wire logic                   pps_i,
  output      logic                   pps_o
);

  `PLUMB_RANGE(plumb_card_host, Ports, 1, plumb_regs_pkg::PortCount)
  `PLUMB_RANGE(plumb_card_host, FlowsLog2, 3, 10)
  `PLUMB_RANGE(plumb_card_host, RowsLog2, 1, 12)
  `PLUMB_RANGE(plumb_card_host, GroupsLog2, 1, 5)

  // ---- Between DMA and card ----

  logic [15:0]  card_awaddr;
  logic         card_awvalid;
  logic         card_awready;
  logic [31:0]  card_wdata;
  logic [3:0]   card_wstrb;
  logic         card_wvalid;
  logic         card_wready;
  logic [1:0]   card_bresp;
  logic         card_bvalid;
  logic         card_bready;
  logic [15:0]  card_araddr;
  logic         card_arvalid;
  logic         card_arready;
  logic [31:0]  card_rdata;
  logic [1:0]   card_rresp;
  logic         card_rvalid;
  logic         card_rready;
  logic [Ports*512-1:0]   cap_rx_tdata;
  logic [Ports*64-1:0]    cap_rx_tkeep;
  logic [Ports-1:0]       cap_rx_tvalid;
  logic [Ports-1:0]       cap_rx_tlast;
  logic [Ports-1:0]       cap_rx_desc_valid;
  logic [Ports*96-1:0]    cap_rx_desc;
  logic [Ports*512-1:0]   cap_tx_tdata;
  logic [Ports*64-1:0]    cap_tx_tkeep;
  logic [Ports-1:0]       cap_tx_tvalid;
  logic [Ports-1:0]       cap_tx_tlast;
  logic [Ports-1:0]       cap_tx_desc_valid;
  logic [Ports*96-1:0]    cap_tx_desc;
  logic [Ports-1:0]       cap_ready;

  plumb_dma #(
    .Ports(Ports)
  ) u_dma (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .s_axil_awaddr_i    (s_axil_awaddr_i),
    .s_axil_awvalid_i   (s_axil_awvalid_i),
    .s_axil_awready_o   (s_axil_awready_o),
    .s_axil_wdata_i     (s_axil_wdata_i),
    .s_axil_wstrb_i     (s_axil_wstrb_i),
    .s_axil_wvalid_i    (s_axil_wvalid_i),
    .s_axil_wready_o    (s_axil_wready_o),
    .s_axil_bresp_o     (s_axil_bresp_o),
    .s_axil_bvalid_o    (s_axil_bvalid_o),
    .s_axil_bready_i    (s_axil_bready_i),
    .s_axil_araddr_i    (s_axil_araddr_i),
    .s_axil_arvalid_i   (s_axil_arvalid_i),
    .s_axil_arready_o   (s_axil_arready_o),
    .s_axil_rdata_o     (s_axil_rdata_o),
    .s_axil_rresp_o     (s_axil_rresp_o),
    .s_axil_rvalid_o    (s_axil_rvalid_o),
    .s_axil_rready_i    (s_axil_rready_i),
    .m_axil_awaddr_o    (card_awaddr),
    .m_axil_awvalid_o   (card_awvalid),
    .m_axil_awready_i   (card_awready),
    .m_axil_wdata_o     (card_wdata),
    .m_axil_wstrb_o     (card_wstrb),
    .m_axil_wvalid_o    (card_wvalid),
    .m_axil_wready_i    (card_wready),
    .m_axil_bresp_i     (card_bresp),
    .m_axil_bvalid_i    (card_bvalid),
    .m_axil_bready_o    (card_bready),
    .m_axil_araddr_o    (card_araddr),
    .m_axil_arvalid_o   (card_arvalid),
    .m_axil_arready_i   (card_arready),
    .m_axil_rdata_i     (card_rdata),
    .m_axil_rresp_i     (card_rresp),
    .m_axil_rvalid_i    (card_rvalid),
    .m_axil_rready_o    (card_rready),
    .cap_rx_tdata_i     (cap_rx_tdata),
    .cap_rx_tkeep_i     (cap_rx_tkeep),
    .cap_rx_tvalid_i    (cap_rx_tvalid),
    .cap_rx_tlast_i     (cap_rx_tlast),
    .cap_rx_desc_valid_i(cap_rx_desc_valid),
    .cap_rx_desc_i      (cap_rx_desc),
    .cap_tx_tdata_i     (cap_tx_tdata),
    .cap_tx_tkeep_i     (cap_tx_tkeep),
    .cap_tx_tvalid_i    (cap_tx_tvalid),
    .cap_tx_tlast_i     (cap_tx_tlast),
    .cap_tx_desc_valid_i(cap_tx_desc_valid),
    .cap_tx_desc_i      (cap_tx_desc),
    .cap_ready_o        (cap_ready),
    .m_axi_awaddr_o     (m_axi_awaddr_o),
    .m_axi_awlen_o      (m_axi_awlen_o),
    .m_axi_awsize_o     (m_axi_awsize_o),
    .m_axi_awburst_o    (m_axi_awburst_o),
    .m_axi_awvalid_o    (m_axi_awvalid_o),
    .m_axi_awready_i    (m_axi_awready_i),
    .m_axi_wdata_o      (m_axi_wdata_o),
    .m_axi_wstrb_o      (m_axi_wstrb_o),
    .m_axi_wlast_o      (m_axi_wlast_o),
    .m_axi_wvalid_o     (m_axi_wvalid_o),
    .m_axi_wready_i     (m_axi_wready_i),
    .m_axi_bresp_i      (m_axi_bresp_i),
    .m_axi_bvalid_i     (m_axi_bvalid_i),
    .m_axi_bready_o     (m_axi_bready_o),
    .m_axi_araddr_o     (m_axi_araddr_o),
    .m_axi_arlen_o      (m_axi_arlen_o),
    .m_axi_arsize_o     (m_axi_arsize_o),
    .m_axi_arburst_o    (m_axi_arburst_o),
    .m_axi_arvalid_o    (m_axi_arvalid_o),
    .m_axi_arready_i    (m_axi_arready_i),
    .m_axi_rdata_i      (m_axi_rdata_i),
    .m_axi_rresp_i      (m_axi_rresp_i),
    .m_axi_rlast_i      (m_axi_rlast_i),
    .m_axi_rvalid_i     (m_axi_rvalid_i),
    .m_axi_rready_o     (m_axi_rready_o)
  );

  plumb_card #(
    .Ports     (Ports),
    .FlowsLog2 (FlowsLog2),
    .RowsLog2  (RowsLog2),
    .GroupsLog2(GroupsLog2),
    .OrderedSets(OrderedSets),
    .CoreOutside(CoreOutside)
  ) u_card (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .s_axil_awaddr_i    (card_awaddr),
    .s_axil_awvalid_i   (card_awvalid),
    .s_axil_awready_o   (card_awready),
    .s_axil_wdata_i     (card_wdata),
    .s_axil_wstrb_i     (card_wstrb),
    .s_axil_wvalid_i    (card_wvalid),
    .s_axil_wready_o    (card_wready),
    .s_axil_bresp_o     (card_bresp),
    .s_axil_bvalid_o    (card_bvalid),
    .s_axil_bready_i    (card_bready),
    .s_axil_araddr_i    (card_araddr),
    .s_axil_arvalid_i   (card_arvalid),
    .s_axil_arready_o   (card_arready),
    .s_axil_rdata_o     (card_rdata),
    .s_axil_rresp_o     (card_rresp),
    .s_axil_rvalid_o    (card_rvalid),
    .s_axil_rready_i    (card_rready),
    .tx_axis_tdata_o    (tx_axis_tdata_o),
    .tx_axis_tkeep_o    (tx_axis_tkeep_o),
    .tx_axis_tvalid_o   (tx_axis_tvalid_o),
    .tx_axis_tlast_o    (tx_axis_tlast_o),
    .tx_axis_tready_i   (tx_axis_tready_i),
    .tx_preamble_o      (tx_preamble_o),
    .rx_axis_tdata_i    (rx_axis_tdata_i),
    .rx_axis_tkeep_i    (rx_axis_tkeep_i),
    .rx_axis_tvalid_i   (rx_axis_tvalid_i),
    .rx_axis_tlast_i    (rx_axis_tlast_i),
    .rx_preamble_i      (rx_preamble_i),
    .tx_ctl_valid_o     (tx_ctl_valid_o),
    .tx_ctl_o           (tx_ctl_o),
    .tx_ctl_ready_i     (tx_ctl_ready_i),
    .rx_ctl_valid_i     (rx_ctl_valid_i),
    .rx_ctl_i           (rx_ctl_i),
    .link_up_i          (link_up_i),
    .cap_rx_tdata_o     (cap_rx_tdata),
    .cap_rx_tkeep_o     (cap_rx_tkeep),
    .cap_rx_tvalid_o    (cap_rx_tvalid),
    .cap_rx_tlast_o     (cap_rx_tlast),
    .cap_rx_desc_valid_o(cap_rx_desc_valid),
    .cap_rx_desc_o      (cap_rx_desc),
    .cap_tx_tdata_o     (cap_tx_tdata),
    .cap_tx_tkeep_o     (cap_tx_tkeep),
    .cap_tx_tvalid_o    (cap_tx_tvalid),
    .cap_tx_tlast_o     (cap_tx_tlast),
    .cap_tx_desc_valid_o(cap_tx_desc_valid),
    .cap_tx_desc_o      (cap_tx_desc),
    .cap_ready_i        (cap_ready),
    .core_req_i          (core_req_i),
    .core_write_i        (core_write_i),
    .core_addr_i         (core_addr_i),
    .core_wdata_i        (core_wdata_i),
    .core_ack_o          (core_ack_o),
    .core_error_o        (core_error_o),
    .core_rdata_o        (core_rdata_o),
    .event_waits_o      (event_waits_o),
    .pps_i              (pps_i),
    .pps_o              (pps_o)
  );

endmodule
