// The card as an RTL kernel of Vitis, user-managed (xrt::ip), with the pins of the MACs that
// package.tcl puts beside it. Registers begin at 0x10; 0x00 to 0x0C are left to the runtime.
//
// Clocks:
//   ap_clk           of the platform, always there, 300 MHz: register bus, control processor
//                    (plumb_control), and the registers of the MACs (plumb_mac_regs, block mac)
//   gt_txusrclk2[0]  the first MAC's (322.265625 MHz): the card, its memory port, and port 0
//   gt_txusrclk2[p]  those of the other MACs, of the same frequency and any phase: a shallow FIFO
//                    (plumb_mac_cross) lies between them and the card
// So all ports count one card time. A register access reaches the card over plumb_control,
// which answers with SLVERR while the first MAC has no clock.
//
// The card is in reset with ap_rst_n, and while the first MAC's clock is stopped on purpose
// (MAC_RESET.sys, MAC_RESET.gt_tx of port 0).
//
// Port p of the card is the MAC whose pins lie in bits n*p+n-1 : n*p of each vector; they have the
// names of the MAC's pins, numbered ones side by side. A CMAC has no control ordered sets: what
// needs them, link-level retry and CBFC, cannot run over it. Through m_axi (plumb_dma) captures
// reach the memory that the platform has connected, and lists of register accesses come from there.
module plumb_kernel #(
  parameter int unsigned Ports = 2,
  parameter int unsigned FlowsLog2 = 8
) (
  input  wire logic                   ap_clk,
  input  wire logic                   ap_rst_n,

  input  wire logic [15:0]            s_axi_control_awaddr,
  input  wire logic                   s_axi_control_awvalid,
  output      logic                   s_axi_control_awready,
  input  wire logic [31:0]            s_axi_control_wdata,
  input  wire logic [3:0]             s_axi_control_wstrb,
  input  wire logic                   s_axi_control_wvalid,
  output      logic                   s_axi_control_wready,
  output      logic [1:0]             s_axi_control_bresp,
  output      logic                   s_axi_control_bvalid,
  input  wire logic                   s_axi_control_bready,
  input  wire logic [15:0]            s_axi_control_araddr,
  input  wire logic                   s_axi_control_arvalid,
  output      logic                   s_axi_control_arready,
  output      logic [31:0]            s_axi_control_rdata,
  output      logic [1:0]             s_axi_control_rresp,
  output      logic                   s_axi_control_rvalid,
  input  wire logic                   s_axi_control_rready,

  output      logic [63:0]            m_axi_awaddr,
  output      logic [7:0]             m_axi_awlen,
  output      logic [2:0]             m_axi_awsize,
  output      logic [1:0]             m_axi_awburst,
  output      logic                   m_axi_awvalid,
  input  wire logic                   m_axi_awready,
  output      logic [511:0]           m_axi_wdata,
  output      logic [63:0]            m_axi_wstrb,
  output      logic                   m_axi_wlast,
  output      logic                   m_axi_wvalid,
  input  wire logic                   m_axi_wready,
  input  wire logic [1:0]             m_axi_bresp,
  input  wire logic                   m_axi_bvalid,
  output      logic                   m_axi_bready,
  output      logic [63:0]            m_axi_araddr,
  output      logic [7:0]             m_axi_arlen,
  output      logic [2:0]             m_axi_arsize,
  output      logic [1:0]             m_axi_arburst,
  output      logic                   m_axi_arvalid,
  input  wire logic                   m_axi_arready,
  input  wire logic [511:0]           m_axi_rdata,
  input  wire logic [1:0]             m_axi_rresp,
  input  wire logic                   m_axi_rlast,
  input  wire logic                   m_axi_rvalid,
  output      logic                   m_axi_rready,

  input  wire logic [Ports-1:0]       gt_txusrclk2,
  input  wire logic [Ports-1:0]       tx_axis_tready,
  input  wire logic [Ports*512-1:0]   rx_axis_tdata,
  input  wire logic [Ports*64-1:0]    rx_axis_tkeep,
  input  wire logic [Ports-1:0]       rx_axis_tvalid,
  input  wire logic [Ports-1:0]       rx_axis_tlast,
  input  wire logic [Ports-1:0]       rx_axis_tuser,
  input  wire logic [Ports*56-1:0]    rx_preambleout,
  input  wire logic [Ports*80-1:0]    rx_ptp_tstamp_out,
  input  wire logic [Ports*5-1:0]     rx_ptp_pcslane_out,
  input  wire logic [Ports*140-1:0]   rx_lane_aligner_fill,
  input  wire logic [Ports*100-1:0]   stat_rx_pcsl_number,
  input  wire logic [Ports*4-1:0]     gt_powergoodout,
  input  wire logic [Ports-1:0]       usr_tx_reset,
  input  wire logic [Ports-1:0]       usr_rx_reset,
  input  wire logic [Ports-1:0]       stat_rx_aligned,
  input  wire logic [Ports-1:0]       stat_rx_status,
  input  wire logic [Ports*20-1:0]    stat_rx_synced,
  input  wire logic [Ports*20-1:0]    stat_rx_block_lock,
  input  wire logic [Ports-1:0]       stat_rx_hi_ber,
  input  wire logic [Ports-1:0]       stat_rx_local_fault,
  input  wire logic [Ports-1:0]       stat_rx_internal_local_fault,
  input  wire logic [Ports-1:0]       stat_rx_received_local_fault,
  input  wire logic [Ports-1:0]       stat_rx_remote_fault,
  input  wire logic [Ports-1:0]       stat_tx_local_fault,
  input  wire logic [Ports-1:0]       tx_unfout,
  input  wire logic [Ports-1:0]       tx_ovfout,
  input  wire logic [Ports*3-1:0]     stat_rx_bad_code,
  input  wire logic [Ports*20-1:0]    stat_rx_bip_err,
  input  wire logic [Ports*4-1:0]     stat_rx_rsfec_am_lock,
  input  wire logic [Ports-1:0]       stat_rx_rsfec_cw_inc,
  input  wire logic [Ports-1:0]       stat_rx_rsfec_corrected_cw_inc,
  input  wire logic [Ports-1:0]       stat_rx_rsfec_uncorrected_cw_inc,
  input  wire logic [Ports*12-1:0]    stat_rx_rsfec_err_count_inc,
  input  wire logic [Ports-1:0]       stat_rx_rsfec_hi_ser,
  input  wire logic [Ports-1:0]       stat_rx_rsfec_lane_alignment_status,
  input  wire logic [Ports*8-1:0]     stat_rx_rsfec_lane_mapping,

  output      logic [Ports*512-1:0]   tx_axis_tdata,
  output      logic [Ports*64-1:0]    tx_axis_tkeep,
  output      logic [Ports-1:0]       tx_axis_tvalid,
  output      logic [Ports-1:0]       tx_axis_tlast,
  output      logic [Ports*56-1:0]    tx_preamblein,
  output      logic [Ports-1:0]       ctl_tx_enable,
  output      logic [Ports-1:0]       ctl_tx_send_rfi,
  output      logic [Ports-1:0]       ctl_tx_send_lfi,
  output      logic [Ports-1:0]       ctl_tx_send_idle,
  output      logic [Ports-1:0]       ctl_rx_enable,
  output      logic [Ports-1:0]       ctl_rx_force_resync,
  output      logic [Ports-1:0]       ctl_tx_rsfec_enable,
  output      logic [Ports-1:0]       ctl_rx_rsfec_enable,
  output      logic [Ports-1:0]       ctl_rx_rsfec_enable_correction,
  output      logic [Ports-1:0]       ctl_rx_rsfec_enable_indication,
  output      logic [Ports-1:0]       core_tx_reset,
  output      logic [Ports-1:0]       core_rx_reset,
  output      logic [Ports-1:0]       gtwiz_reset_tx_datapath,
  output      logic [Ports-1:0]       gtwiz_reset_rx_datapath,
  output      logic [Ports-1:0]       sys_reset,
  output      logic [Ports*12-1:0]    gt_loopback_in
);

  // What package.tcl asks the platform for.
  localparam int unsigned ApClockHz = 300000000;

  // ---- Resets, each on its clock ----

  logic [Ports-1:0]         mac_rst_n, link_up_mac, link_up, overflow, stopped, changed, event_waits;
  logic                     card_clk, card_rst_n;

  assign card_clk   = gt_txusrclk2[0];
  assign card_rst_n = mac_rst_n[0];

  // Only the first MAC's clock is the card's.
  logic unused_stopped;
  assign unused_stopped = ^stopped;

  for (genvar p = 0; p < Ports; p++) begin : gen_reset
    plumb_reset_sync u_reset (
      .clk_i  (gt_txusrclk2[p]),
      .rst_ni (ap_rst_n && !stopped[0]),
      .rst_no (mac_rst_n[p])
    );
  end

  // ---- Control: register bus, processor; the MACs' registers ----

  logic [15:0] card_awaddr, card_araddr;
  logic [31:0] card_wdata, card_rdata, local_wdata, local_rdata;
  logic [3:0]  card_wstrb;
  logic [1:0]  card_bresp, card_rresp;
  logic        card_awvalid, card_awready, card_wvalid, card_wready, card_bvalid, card_bready;
  logic        card_arvalid, card_arready, card_rvalid, card_rready;
  logic [11:2] local_addr;
  logic        local_wen, local_ren, reachable, lost;
  logic        core_req, core_write, core_ack, core_error;
  logic [15:2] core_addr;
  logic [31:0] core_wdata, core_rdata;

  plumb_control #(
    .ClockHz (ApClockHz)
  ) u_control (
    .clk_i            (ap_clk),
    .rst_ni           (ap_rst_n),
    .s_axil_awaddr_i  (s_axi_control_awaddr),
    .s_axil_awvalid_i (s_axi_control_awvalid),
    .s_axil_awready_o (s_axi_control_awready),
    .s_axil_wdata_i   (s_axi_control_wdata),
    .s_axil_wstrb_i   (s_axi_control_wstrb),
    .s_axil_wvalid_i  (s_axi_control_wvalid),
    .s_axil_wready_o  (s_axi_control_wready),
    .s_axil_bresp_o   (s_axi_control_bresp),
    .s_axil_bvalid_o  (s_axi_control_bvalid),
    .s_axil_bready_i  (s_axi_control_bready),
    .s_axil_araddr_i  (s_axi_control_araddr),
    .s_axil_arvalid_i (s_axi_control_arvalid),
    .s_axil_arready_o (s_axi_control_arready),
    .s_axil_rdata_o   (s_axi_control_rdata),
    .s_axil_rresp_o   (s_axi_control_rresp),
    .s_axil_rvalid_o  (s_axi_control_rvalid),
    .s_axil_rready_i  (s_axi_control_rready),
    .mac_addr_o       (local_addr),
    .mac_wen_o        (local_wen),
    .mac_ren_o        (local_ren),
    .mac_wdata_o      (local_wdata),
    .mac_rdata_i      (local_rdata),
    .mac_changed_i    (8'(changed)),
    .event_waits_i    (8'(event_waits)),
    .reachable_o      (reachable),
    .lost_o           (lost),
    .m_clk_i          (card_clk),
    .m_rst_ni         (card_rst_n),
    .core_req_o       (core_req),
    .core_write_o     (core_write),
    .core_addr_o      (core_addr),
    .core_wdata_o     (core_wdata),
    .core_ack_i       (core_ack),
    .core_error_i     (core_error),
    .core_rdata_i     (core_rdata),
    .m_axil_awaddr_o  (card_awaddr),
    .m_axil_awvalid_o (card_awvalid),
    .m_axil_awready_i (card_awready),
    .m_axil_wdata_o   (card_wdata),
    .m_axil_wstrb_o   (card_wstrb),
    .m_axil_wvalid_o  (card_wvalid),
    .m_axil_wready_i  (card_wready),
    .m_axil_bresp_i   (card_bresp),
    .m_axil_bvalid_i  (card_bvalid),
    .m_axil_bready_o  (card_bready),
    .m_axil_araddr_o  (card_araddr),
    .m_axil_arvalid_o (card_arvalid),
    .m_axil_arready_i (card_arready),
    .m_axil_rdata_i   (card_rdata),
    .m_axil_rresp_i   (card_rresp),
    .m_axil_rvalid_i  (card_rvalid),
    .m_axil_rready_o  (card_rready)
  );

  logic [Ports*32-1:0] mac_rdata;
  logic [2:0]          mac_read_q;

  always_ff @(posedge ap_clk or negedge ap_rst_n) begin
    if (!ap_rst_n)      mac_read_q <= '0;
    else if (local_ren) mac_read_q <= local_addr[11:9];
  end

  // A port that the card does not have reads as zero.
  always_comb begin
    local_rdata = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (mac_read_q == 3'(p)) local_rdata = mac_rdata[32*p+:32];
    end
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_regs
    plumb_kernel_mac u_mac (
      .ap_clk           (ap_clk),
      .ap_rst_n         (ap_rst_n),
      .reg_addr_i       (local_addr[8:2]),
      .reg_wen_i        (local_wen && local_addr[11:9] == 3'(p)),
      .reg_ren_i        (local_ren && local_addr[11:9] == 3'(p)),
      .reg_wdata_i      (local_wdata),
      .reg_rdata_o      (mac_rdata[32*p+:32]),
      .card_reachable_i (reachable),
      .card_lost_i      (lost),
      .link_up_o        (link_up_mac[p]),
      .changed_o        (changed[p]),
      .stopped_o        (stopped[p]),
      .rx_overflow_i    (overflow[p]),
      .gt_txusrclk2     (gt_txusrclk2[p]),
      .gt_powergoodout                     (gt_powergoodout[4*p+:4]),
      .usr_tx_reset                        (usr_tx_reset[p]),
      .usr_rx_reset                        (usr_rx_reset[p]),
      .stat_rx_aligned                     (stat_rx_aligned[p]),
      .stat_rx_status                      (stat_rx_status[p]),
      .stat_rx_synced                      (stat_rx_synced[20*p+:20]),
      .stat_rx_block_lock                  (stat_rx_block_lock[20*p+:20]),
      .stat_rx_hi_ber                      (stat_rx_hi_ber[p]),
      .stat_rx_local_fault                 (stat_rx_local_fault[p]),
      .stat_rx_internal_local_fault        (stat_rx_internal_local_fault[p]),
      .stat_rx_received_local_fault        (stat_rx_received_local_fault[p]),
      .stat_rx_remote_fault                (stat_rx_remote_fault[p]),
      .stat_tx_local_fault                 (stat_tx_local_fault[p]),
      .tx_unfout                           (tx_unfout[p]),
      .tx_ovfout                           (tx_ovfout[p]),
      .stat_rx_bad_code                    (stat_rx_bad_code[3*p+:3]),
      .stat_rx_bip_err                     (stat_rx_bip_err[20*p+:20]),
      .stat_rx_rsfec_am_lock               (stat_rx_rsfec_am_lock[4*p+:4]),
      .stat_rx_rsfec_cw_inc                (stat_rx_rsfec_cw_inc[p]),
      .stat_rx_rsfec_corrected_cw_inc      (stat_rx_rsfec_corrected_cw_inc[p]),
      .stat_rx_rsfec_uncorrected_cw_inc    (stat_rx_rsfec_uncorrected_cw_inc[p]),
      .stat_rx_rsfec_err_count_inc         (stat_rx_rsfec_err_count_inc[12*p+:12]),
      .stat_rx_rsfec_hi_ser                (stat_rx_rsfec_hi_ser[p]),
      .stat_rx_rsfec_lane_alignment_status (stat_rx_rsfec_lane_alignment_status[p]),
      .stat_rx_rsfec_lane_mapping          (stat_rx_rsfec_lane_mapping[8*p+:8]),
      .ctl_tx_enable                       (ctl_tx_enable[p]),
      .ctl_tx_send_rfi                     (ctl_tx_send_rfi[p]),
      .ctl_tx_send_lfi                     (ctl_tx_send_lfi[p]),
      .ctl_tx_send_idle                    (ctl_tx_send_idle[p]),
      .ctl_rx_enable                       (ctl_rx_enable[p]),
      .ctl_rx_force_resync                 (ctl_rx_force_resync[p]),
      .ctl_tx_rsfec_enable                 (ctl_tx_rsfec_enable[p]),
      .ctl_rx_rsfec_enable                 (ctl_rx_rsfec_enable[p]),
      .ctl_rx_rsfec_enable_correction      (ctl_rx_rsfec_enable_correction[p]),
      .ctl_rx_rsfec_enable_indication      (ctl_rx_rsfec_enable_indication[p]),
      .core_tx_reset                       (core_tx_reset[p]),
      .core_rx_reset                       (core_rx_reset[p]),
      .gtwiz_reset_tx_datapath             (gtwiz_reset_tx_datapath[p]),
      .gtwiz_reset_rx_datapath             (gtwiz_reset_rx_datapath[p]),
      .sys_reset                           (sys_reset[p]),
      .gt_loopback_in                      (gt_loopback_in[12*p+:12])
    );

    plumb_sync u_link_up (
      .clk_i  (card_clk),
      .rst_ni (card_rst_n),
      .d_i    (link_up_mac[p]),
      .q_o    (link_up[p])
    );
  end

  // ---- Frames: a shim per MAC, and a FIFO to those that have another clock ----

  logic [Ports*512-1:0] card_tx_tdata, card_rx_tdata;
  logic [Ports*64-1:0]  card_tx_tkeep, card_rx_tkeep, card_tx_preamble, card_rx_preamble;
  logic [Ports-1:0]     card_tx_tvalid, card_tx_tlast, card_tx_tready;
  logic [Ports-1:0]     card_rx_tvalid, card_rx_tlast;

  // The card stamps frames itself, at the edge where their first beat crosses; it has no input yet
  // for a timestamp of the MAC.
  logic [Ports*64-1:0]  unused_timestamp;
  logic [Ports-1:0]     unused_preamble, unused_timestamp_high;

  for (genvar p = 0; p < Ports; p++) begin : gen_mac
    logic [511:0] tx_tdata, rx_tdata;
    logic [63:0]  tx_tkeep, rx_tkeep;
    logic [55:0]  tx_preamble, rx_preamble;
    logic         tx_tvalid, tx_tlast, tx_tready, rx_tvalid, rx_tlast;

    plumb_cmac_shim u_shim (
      .clk_i            (gt_txusrclk2[p]),
      .rst_ni           (mac_rst_n[p]),
      .s_tdata_i        (tx_tdata),
      .s_tkeep_i        (tx_tkeep),
      .s_tvalid_i       (tx_tvalid),
      .s_tlast_i        (tx_tlast),
      .s_tready_o       (tx_tready),
      .s_preamble_i     (tx_preamble),
      .tx_axis_tdata_o  (tx_axis_tdata[512*p+:512]),
      .tx_axis_tkeep_o  (tx_axis_tkeep[64*p+:64]),
      .tx_axis_tvalid_o (tx_axis_tvalid[p]),
      .tx_axis_tlast_o  (tx_axis_tlast[p]),
      .tx_axis_tready_i (tx_axis_tready[p]),
      .tx_preamble_o    (tx_preamblein[56*p+:56]),
      .rx_axis_tdata_i  (rx_axis_tdata[512*p+:512]),
      .rx_axis_tkeep_i  (rx_axis_tkeep[64*p+:64]),
      .rx_axis_tvalid_i (rx_axis_tvalid[p]),
      .rx_axis_tlast_i  (rx_axis_tlast[p]),
      .rx_axis_terror_i (rx_axis_tuser[p]),
      .rx_preamble_i    (rx_preambleout[56*p+:56]),
      .rx_timestamp_i   (rx_ptp_tstamp_out[80*p+:64]),
      .rx_pcslane_i     (rx_ptp_pcslane_out[5*p+:5]),
      .rx_fill_i        (rx_lane_aligner_fill[140*p+:140]),
      .rx_pcsl_number_i (stat_rx_pcsl_number[100*p+:100]),
      .m_tdata_o        (rx_tdata),
      .m_tkeep_o        (rx_tkeep),
      .m_tvalid_o       (rx_tvalid),
      .m_tlast_o        (rx_tlast),
      .m_preamble_o     (rx_preamble),
      .m_timestamp_o    (unused_timestamp[64*p+:64])
    );

    if (p == 0) begin : gen_direct
      assign tx_tdata               = card_tx_tdata[511:0];
      assign tx_tkeep               = card_tx_tkeep[63:0];
      assign tx_preamble            = card_tx_preamble[55:0];
      assign tx_tvalid              = card_tx_tvalid[0];
      assign tx_tlast               = card_tx_tlast[0];
      assign card_tx_tready[0]      = tx_tready;
      assign card_rx_tdata[511:0]   = rx_tdata;
      assign card_rx_tkeep[63:0]    = rx_tkeep;
      assign card_rx_preamble[55:0] = rx_preamble;
      assign card_rx_tvalid[0]      = rx_tvalid;
      assign card_rx_tlast[0]       = rx_tlast;
      assign overflow[0]            = 1'b0;
    end else begin : gen_crossed
      plumb_mac_cross u_cross (
        .card_clk_i    (card_clk),
        .card_rst_ni   (card_rst_n),
        .mac_clk_i     (gt_txusrclk2[p]),
        .mac_rst_ni    (mac_rst_n[p]),
        .s_tvalid_i    (card_tx_tvalid[p]),
        .s_tlast_i     (card_tx_tlast[p]),
        .s_beat_i      ({card_tx_preamble[64*p+:56], card_tx_tkeep[64*p+:64],
                         card_tx_tdata[512*p+:512]}),
        .s_tready_o    (card_tx_tready[p]),
        .tx_tvalid_o   (tx_tvalid),
        .tx_tlast_o    (tx_tlast),
        .tx_beat_o     ({tx_preamble, tx_tkeep, tx_tdata}),
        .tx_tready_i   (tx_tready),
        .rx_tvalid_i   (rx_tvalid),
        .rx_tlast_i    (rx_tlast),
        .rx_beat_i     ({rx_preamble, rx_tkeep, rx_tdata}),
        .rx_overflow_o (overflow[p]),
        .m_tvalid_o    (card_rx_tvalid[p]),
        .m_tlast_o     (card_rx_tlast[p]),
        .m_beat_o      ({card_rx_preamble[64*p+:56], card_rx_tkeep[64*p+:64],
                         card_rx_tdata[512*p+:512]})
      );
    end

    assign card_rx_preamble[64*p+56+:8] = '0;
    assign unused_preamble[p]           = ^card_tx_preamble[64*p+56+:8];
    assign unused_timestamp_high[p]     = ^rx_ptp_tstamp_out[80*p+64+:16];
  end

  logic [Ports-1:0]     unused_ctl_valid;
  logic [Ports*64-1:0]  unused_ctl;

  // A kernel of the shell has no pins of its own, and the board's connectors no pulse per second.
  logic unused_pps;

  plumb_card_host #(
    .Ports       (Ports),
    .FlowsLog2   (FlowsLog2),
    .OrderedSets (1'b0),
    .CoreOutside (1'b1)
  ) u_card (
    .clk_i               (card_clk),
    .rst_ni              (card_rst_n),
    .s_axil_awaddr_i     (card_awaddr),
    .s_axil_awvalid_i    (card_awvalid),
    .s_axil_awready_o    (card_awready),
    .s_axil_wdata_i      (card_wdata),
    .s_axil_wstrb_i      (card_wstrb),
    .s_axil_wvalid_i     (card_wvalid),
    .s_axil_wready_o     (card_wready),
    .s_axil_bresp_o      (card_bresp),
    .s_axil_bvalid_o     (card_bvalid),
    .s_axil_bready_i     (card_bready),
    .s_axil_araddr_i     (card_araddr),
    .s_axil_arvalid_i    (card_arvalid),
    .s_axil_arready_o    (card_arready),
    .s_axil_rdata_o      (card_rdata),
    .s_axil_rresp_o      (card_rresp),
    .s_axil_rvalid_o     (card_rvalid),
    .s_axil_rready_i     (card_rready),
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
    .link_up_i           (link_up),
    .core_req_i          (core_req),
    .core_write_i        (core_write),
    .core_addr_i         (core_addr),
    .core_wdata_i        (core_wdata),
    .core_ack_o          (core_ack),
    .core_error_o        (core_error),
    .core_rdata_o        (core_rdata),
    .event_waits_o       (event_waits),
    .pps_i               (1'b0),
    .pps_o               (unused_pps)
  );

endmodule
