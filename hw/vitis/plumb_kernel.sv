// The card as an RTL kernel of Vitis, user-managed (xrt::ip): registers from 0x10 on, 0x00 to 0x0C
// are left to the runtime. One clock, that of the MAC's user side (322.265625 MHz); the register bus
// is brought to it outside, by the block design of package.tcl, which also holds the MAC.
//
// Port p of the card is the MAC whose pins lie in bits n*p+n-1 : n*p of each vector; MACs of more
// ports than one need a common clock. A CMAC has no control ordered sets: what needs them,
// link-level retry and CBFC, cannot run over it. Through m_axi (plumb_dma) captures reach the
// memory that the platform has connected, and lists of register accesses come from there.
module plumb_kernel #(
  parameter int unsigned Ports = 1,
  parameter int unsigned FlowsLog2 = 8
) (
  input  wire logic                 ap_clk,
  input  wire logic                 ap_rst_n,

  input  wire logic [15:0]          s_axi_control_awaddr,
  input  wire logic                 s_axi_control_awvalid,
  output      logic                 s_axi_control_awready,
  input  wire logic [31:0]          s_axi_control_wdata,
  input  wire logic [3:0]           s_axi_control_wstrb,
  input  wire logic                 s_axi_control_wvalid,
  output      logic                 s_axi_control_wready,
  output      logic [1:0]           s_axi_control_bresp,
  output      logic                 s_axi_control_bvalid,
  input  wire logic                 s_axi_control_bready,
  input  wire logic [15:0]          s_axi_control_araddr,
  input  wire logic                 s_axi_control_arvalid,
  output      logic                 s_axi_control_arready,
  output      logic [31:0]          s_axi_control_rdata,
  output      logic [1:0]           s_axi_control_rresp,
  output      logic                 s_axi_control_rvalid,
  input  wire logic                 s_axi_control_rready,

  output      logic [63:0]          m_axi_awaddr,
  output      logic [7:0]           m_axi_awlen,
  output      logic [2:0]           m_axi_awsize,
  output      logic [1:0]           m_axi_awburst,
  output      logic                 m_axi_awvalid,
  input  wire logic                 m_axi_awready,
  output      logic [511:0]         m_axi_wdata,
  output      logic [63:0]          m_axi_wstrb,
  output      logic                 m_axi_wlast,
  output      logic                 m_axi_wvalid,
  input  wire logic                 m_axi_wready,
  input  wire logic [1:0]           m_axi_bresp,
  input  wire logic                 m_axi_bvalid,
  output      logic                 m_axi_bready,
  output      logic [63:0]          m_axi_araddr,
  output      logic [7:0]           m_axi_arlen,
  output      logic [2:0]           m_axi_arsize,
  output      logic [1:0]           m_axi_arburst,
  output      logic                 m_axi_arvalid,
  input  wire logic                 m_axi_arready,
  input  wire logic [511:0]         m_axi_rdata,
  input  wire logic [1:0]           m_axi_rresp,
  input  wire logic                 m_axi_rlast,
  input  wire logic                 m_axi_rvalid,
  output      logic                 m_axi_rready,

  output      logic [Ports*512-1:0] tx_axis_tdata,
  output      logic [Ports*64-1:0]  tx_axis_tkeep,
  output      logic [Ports-1:0]     tx_axis_tvalid,
  output      logic [Ports-1:0]     tx_axis_tlast,
  input  wire logic [Ports-1:0]     tx_axis_tready,
  output      logic [Ports*56-1:0]  tx_preamble,

  input  wire logic [Ports*512-1:0] rx_axis_tdata,
  input  wire logic [Ports*64-1:0]  rx_axis_tkeep,
  input  wire logic [Ports-1:0]     rx_axis_tvalid,
  input  wire logic [Ports-1:0]     rx_axis_tlast,
  input  wire logic [Ports-1:0]     rx_axis_tuser,
  input  wire logic [Ports*56-1:0]  rx_preamble,
  input  wire logic [Ports*64-1:0]  rx_timestamp,
  input  wire logic [Ports*5-1:0]   rx_pcslane,
  input  wire logic [Ports*140-1:0] rx_fill,
  input  wire logic [Ports*100-1:0] rx_pcsl_number,
  input  wire logic [Ports-1:0]     rx_aligned
);

  logic [Ports*512-1:0] card_tx_tdata, card_rx_tdata;
  logic [Ports*64-1:0]  card_tx_tkeep, card_rx_tkeep, card_tx_preamble, card_rx_preamble;
  logic [Ports-1:0]     card_tx_tvalid, card_tx_tlast, card_tx_tready;
  logic [Ports-1:0]     card_rx_tvalid, card_rx_tlast, link_up;

  // The card stamps frames itself, at the edge where their first beat crosses; it has no input yet
  // for a timestamp of the MAC.
  logic [Ports*64-1:0]  unused_timestamp;
  logic                 unused_preamble;

  always_comb begin
    unused_preamble = 1'b0;
    for (int unsigned p = 0; p < Ports; p++) begin
      unused_preamble = unused_preamble ^ (^card_tx_preamble[64*p+56 +: 8]);
    end
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_mac
    plumb_cmac_shim u_shim (
      .clk_i            (ap_clk),
      .rst_ni           (ap_rst_n),
      .s_tdata_i        (card_tx_tdata[512*p +: 512]),
      .s_tkeep_i        (card_tx_tkeep[64*p +: 64]),
      .s_tvalid_i       (card_tx_tvalid[p]),
      .s_tlast_i        (card_tx_tlast[p]),
      .s_tready_o       (card_tx_tready[p]),
      .s_preamble_i     (card_tx_preamble[64*p +: 56]),
      .tx_axis_tdata_o  (tx_axis_tdata[512*p +: 512]),
      .tx_axis_tkeep_o  (tx_axis_tkeep[64*p +: 64]),
      .tx_axis_tvalid_o (tx_axis_tvalid[p]),
      .tx_axis_tlast_o  (tx_axis_tlast[p]),
      .tx_axis_tready_i (tx_axis_tready[p]),
      .tx_preamble_o    (tx_preamble[56*p +: 56]),
      .rx_axis_tdata_i  (rx_axis_tdata[512*p +: 512]),
      .rx_axis_tkeep_i  (rx_axis_tkeep[64*p +: 64]),
      .rx_axis_tvalid_i (rx_axis_tvalid[p]),
      .rx_axis_tlast_i  (rx_axis_tlast[p]),
      .rx_axis_terror_i (rx_axis_tuser[p]),
      .rx_preamble_i    (rx_preamble[56*p +: 56]),
      .rx_timestamp_i   (rx_timestamp[64*p +: 64]),
      .rx_pcslane_i     (rx_pcslane[5*p +: 5]),
      .rx_fill_i        (rx_fill[140*p +: 140]),
      .rx_pcsl_number_i (rx_pcsl_number[100*p +: 100]),
      .rx_aligned_i     (rx_aligned[p]),
      .m_tdata_o        (card_rx_tdata[512*p +: 512]),
      .m_tkeep_o        (card_rx_tkeep[64*p +: 64]),
      .m_tvalid_o       (card_rx_tvalid[p]),
      .m_tlast_o        (card_rx_tlast[p]),
      .m_preamble_o     (card_rx_preamble[64*p +: 56]),
      .m_timestamp_o    (unused_timestamp[64*p +: 64]),
      .link_up_o        (link_up[p])
    );
    assign card_rx_preamble[64*p+56 +: 8] = '0;
  end

  logic [Ports-1:0]     unused_ctl_valid;
  logic [Ports*64-1:0]  unused_ctl;

  plumb_card_host #(
    .Ports     (Ports),
    .FlowsLog2 (FlowsLog2)
  ) u_card (
    .clk_i               (ap_clk),
    .rst_ni              (ap_rst_n),
    .s_axil_awaddr_i     (s_axi_control_awaddr),
    .s_axil_awvalid_i    (s_axi_control_awvalid),
    .s_axil_awready_o    (s_axi_control_awready),
    .s_axil_wdata_i      (s_axi_control_wdata),
    .s_axil_wstrb_i      (s_axi_control_wstrb),
    .s_axil_wvalid_i     (s_axi_control_wvalid),
    .s_axil_wready_o     (s_axi_control_wready),
    .s_axil_bresp_o      (s_axi_control_bresp),
    .s_axil_bvalid_o     (s_axi_control_bvalid),
    .s_axil_bready_i     (s_axi_control_bready),
    .s_axil_araddr_i     (s_axi_control_araddr),
    .s_axil_arvalid_i    (s_axi_control_arvalid),
    .s_axil_arready_o    (s_axi_control_arready),
    .s_axil_rdata_o      (s_axi_control_rdata),
    .s_axil_rresp_o      (s_axi_control_rresp),
    .s_axil_rvalid_o     (s_axi_control_rvalid),
    .s_axil_rready_i     (s_axi_control_rready),
    .m_axi_awaddr_o      (m_axi_awaddr),
    .m_axi_awlen_o       (m_axi_awlen),
    .m_axi_awsize_o      (m_axi_awsize),
    .m_axi_awburst_o     (m_axi_awburst),
    .m_axi_awvalid_o     (m_axi_awvalid),
    .m_axi_awready_i     (m_axi_awready),
    .m_axi_wdata_o       (m_axi_wdata),
    .m_axi_wstrb_o       (m_axi_wstrb),
    .m_axi_wlast_o       (m_axi_wlast),
    .m_axi_wvalid_o      (m_axi_wvalid),
    .m_axi_wready_i      (m_axi_wready),
    .m_axi_bresp_i       (m_axi_bresp),
    .m_axi_bvalid_i      (m_axi_bvalid),
    .m_axi_bready_o      (m_axi_bready),
    .m_axi_araddr_o      (m_axi_araddr),
    .m_axi_arlen_o       (m_axi_arlen),
    .m_axi_arsize_o      (m_axi_arsize),
    .m_axi_arburst_o     (m_axi_arburst),
    .m_axi_arvalid_o     (m_axi_arvalid),
    .m_axi_arready_i     (m_axi_arready),
    .m_axi_rdata_i       (m_axi_rdata),
    .m_axi_rresp_i       (m_axi_rresp),
    .m_axi_rlast_i       (m_axi_rlast),
    .m_axi_rvalid_i      (m_axi_rvalid),
    .m_axi_rready_o      (m_axi_rready),
    .tx_axis_tdata_o     (card_tx_tdata),
    .tx_axis_tkeep_o     (card_tx_tkeep),
    .tx_axis_tvalid_o    (card_tx_tvalid),
    .tx_axis_tlast_o     (card_tx_tlast),
    .tx_axis_tready_i    (card_tx_tready),
    .tx_preamble_o       (card_tx_preamble),
    .rx_axis_tdata_i     (card_rx_tdata),
    .rx_axis_tkeep_i     (card_rx_tkeep),
    .rx_axis_tvalid_i    (card_rx_tvalid),
    .rx_axis_tlast_i     (card_rx_tlast),
    .rx_preamble_i       (card_rx_preamble),
    .tx_ctl_valid_o      (unused_ctl_valid),
    .tx_ctl_o            (unused_ctl),
    .tx_ctl_ready_i      ('0),
    .rx_ctl_valid_i      ('0),
    .rx_ctl_i            ('0),
    .link_up_i           (link_up)
  );

endmodule
