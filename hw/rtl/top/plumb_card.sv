// The tester card between its register bus and its MACs (docs/card.md).
//
// Everything of port p lies in bits n*p+n-1 : n*p of a vector that has n bits per port.
//
//   s_axil_*     register access (docs/registers.md), one at a time; see plumb_axil
//   tx_axis_*    to the MACs, tready honoured; one frame after the other, FCS included
//   rx_axis_*    from the MACs, taken in every clock; FCS included
//   *_preamble_* with the first beat of a frame: its preamble without the first byte, D1 in bits 7:0
//                and the SFD in bits 55:48; bits 63:56 mean nothing
//   tx_ctl_*     control ordered sets to the MACs, D0 in bits 7:0, to be put between frames; ready
//                while every set taken has its place on the line
//   rx_ctl_*     those received, one clock each
//   link_up_i    the MAC has a link
//   core_*       with CoreOutside: accesses of the control processor, as plumb_card_common has them
//   event_waits_o  a received event frame waits at the port: an interrupt of the processor
//   pps_i, pps_o pulse per second, in and out (plumb_time); pps_i in any clock
//   cap_rx_*     copies of received frames, cap_tx_* of sent ones, as PORT_CONTROL asks for;
//                AXI4-Stream with a common cap_ready_i per port. A descriptor of 96 bits per
//                frame, in the order of the frames, one clock with cap_*_desc_valid_o, usually
//                after the frame's last beat, before it if cap_ready_i has held that up:
//                  63:0 timestamp [ps of card time], 79:64 length with FCS, 80 FCS right, 81 ICRC
//                  expected, 82 ICRC right, 83 truncated, 84 sent by the card, 95:85 zero.
//                If cap_ready_i comes too late frames are lost whole or closed by an empty beat
//                (plumb_capture_tap), counted in CAPTURE_DROPPED and shown in PORT_STICKY.
//
// OrderedSets: the MACs carry control ordered sets. Without them FEATURES has neither link-level retry
// nor CBFC, which cannot run then.
`include "plumb_assert.svh"

module plumb_card #(
  parameter int unsigned Ports = 2,
  parameter int unsigned DataW = 512,
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

  output      logic [Ports*DataW-1:0] tx_axis_tdata_o,
  output      logic [Ports*64-1:0]    tx_axis_tkeep_o,
  output      logic [Ports-1:0]       tx_axis_tvalid_o,
  output      logic [Ports-1:0]       tx_axis_tlast_o,
  input  wire logic [Ports-1:0]       tx_axis_tready_i,
  output      logic [Ports*64-1:0]    tx_preamble_o,

  input  wire logic [Ports*DataW-1:0] rx_axis_tdata_i,
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

  output      logic [Ports*DataW-1:0] cap_rx_tdata_o,
  output      logic [Ports*64-1:0]    cap_rx_tkeep_o,
  output      logic [Ports-1:0]       cap_rx_tvalid_o,
  output      logic [Ports-1:0]       cap_rx_tlast_o,
  output      logic [Ports-1:0]       cap_rx_desc_valid_o,
  output      logic [Ports*96-1:0]    cap_rx_desc_o,
  output      logic [Ports*DataW-1:0] cap_tx_tdata_o,
  output      logic [Ports*64-1:0]    cap_tx_tkeep_o,
  output      logic [Ports-1:0]       cap_tx_tvalid_o,
  output      logic [Ports-1:0]       cap_tx_tlast_o,
  output      logic [Ports-1:0]       cap_tx_desc_valid_o,
  output      logic [Ports*96-1:0]    cap_tx_desc_o,
  input  wire logic [Ports-1:0]       cap_ready_i,

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

  `PLUMB_RANGE(plumb_card, Ports, 1, plumb_regs_pkg::PortCount)
  `PLUMB_RANGE(plumb_card, FlowsLog2, 3, 10)
  `PLUMB_RANGE(plumb_card, RowsLog2, 1, 12)
  `PLUMB_RANGE(plumb_card, GroupsLog2, 1, 5)
  `PLUMB_PARAMETER(plumb_card, DataW, DataW == plumb_pkg::DataW, 512)

  logic                clk_bus, running, reg_event;
  logic [63:0]         now, offset, start_time;
  logic [11:2]         reg_addr;
  logic [31:0]         reg_wdata;
  logic [Ports-1:0]    port_wen, port_ren, port_ack, port_bus_busy;
  logic [Ports*32-1:0] port_rdata;

  plumb_card_common #(
    .Ports     (Ports),
    .FlowsLog2 (FlowsLog2),
    .RowsLog2  (RowsLog2),
    .GroupsLog2(GroupsLog2),
    .OrderedSets(OrderedSets),
    .CoreOutside(CoreOutside)
  ) u_common (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .ports_i         (4'(Ports)),
    .s_axil_awaddr_i (s_axil_awaddr_i),
    .s_axil_awvalid_i(s_axil_awvalid_i),
    .s_axil_awready_o(s_axil_awready_o),
    .s_axil_wdata_i  (s_axil_wdata_i),
    .s_axil_wstrb_i  (s_axil_wstrb_i),
    .s_axil_wvalid_i (s_axil_wvalid_i),
    .s_axil_wready_o (s_axil_wready_o),
    .s_axil_bresp_o  (s_axil_bresp_o),
    .s_axil_bvalid_o (s_axil_bvalid_o),
    .s_axil_bready_i (s_axil_bready_i),
    .s_axil_araddr_i (s_axil_araddr_i),
    .s_axil_arvalid_i(s_axil_arvalid_i),
    .s_axil_arready_o(s_axil_arready_o),
    .s_axil_rdata_o  (s_axil_rdata_o),
    .s_axil_rresp_o  (s_axil_rresp_o),
    .s_axil_rvalid_o (s_axil_rvalid_o),
    .s_axil_rready_i (s_axil_rready_i),
    .clk_bus_o       (clk_bus),
    .now_o           (now),
    .offset_o        (offset),
    .running_o       (running),
    .start_time_o    (start_time),
    .reg_addr_o      (reg_addr),
    .reg_event_o     (reg_event),
    .reg_wdata_o     (reg_wdata),
    .port_wen_o      (port_wen),
    .port_ren_o      (port_ren),
    .port_ack_i      (port_ack),
    .port_rdata_i    (port_rdata),
    .port_bus_busy_i (port_bus_busy),
    .port_event_i    (event_waits_o),
    .core_req_i       (core_req_i),
    .core_write_i     (core_write_i),
    .core_addr_i      (core_addr_i),
    .core_wdata_i     (core_wdata_i),
    .core_ack_o       (core_ack_o),
    .core_error_o     (core_error_o),
    .core_rdata_o     (core_rdata_o),
    .pps_i           (pps_i),
    .pps_o           (pps_o)
  );

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    logic unused_preamble;
    assign tx_preamble_o[64*p+56+:8] = '0;
    assign unused_preamble = ^rx_preamble_i[64*p+56+:8];

    plumb_card_port #(
      .FlowsLog2 (FlowsLog2),
      .RowsLog2  (RowsLog2),
      .GroupsLog2(GroupsLog2)
    ) u_port (
      .clk_i              (clk_i),
      .clk_bus_i          (clk_bus),
      .rst_ni             (rst_ni),
      .now_i              (now),
      .offset_i           (offset),
      .running_i          (running),
      .start_time_i       (start_time),
      .reg_addr_i         (reg_addr),
      .reg_event_i        (reg_event),
      .reg_wen_i          (port_wen[p]),
      .reg_ren_i          (port_ren[p]),
      .reg_wdata_i        (reg_wdata),
      .reg_ack_o          (port_ack[p]),
      .reg_rdata_o        (port_rdata[32*p+:32]),
      .bus_busy_o         (port_bus_busy[p]),
      .event_waits_o      (event_waits_o[p]),
      .tx_tdata_o         (tx_axis_tdata_o[DataW*p+:DataW]),
      .tx_tkeep_o         (tx_axis_tkeep_o[64*p+:64]),
      .tx_tvalid_o        (tx_axis_tvalid_o[p]),
      .tx_tlast_o         (tx_axis_tlast_o[p]),
      .tx_tready_i        (tx_axis_tready_i[p]),
      .tx_preamble_o      (tx_preamble_o[64*p+:56]),
      .rx_tdata_i         (rx_axis_tdata_i[DataW*p+:DataW]),
      .rx_tkeep_i         (rx_axis_tkeep_i[64*p+:64]),
      .rx_tvalid_i        (rx_axis_tvalid_i[p]),
      .rx_tlast_i         (rx_axis_tlast_i[p]),
      .rx_preamble_i      (rx_preamble_i[64*p+:56]),
      .tx_ctl_valid_o     (tx_ctl_valid_o[p]),
      .tx_ctl_o           (tx_ctl_o[64*p+:64]),
      .tx_ctl_ready_i     (tx_ctl_ready_i[p]),
      .rx_ctl_valid_i     (rx_ctl_valid_i[p]),
      .rx_ctl_i           (rx_ctl_i[64*p+:64]),
      .link_up_i          (link_up_i[p]),
      .cap_rx_tdata_o     (cap_rx_tdata_o[DataW*p+:DataW]),
      .cap_rx_tkeep_o     (cap_rx_tkeep_o[64*p+:64]),
      .cap_rx_tvalid_o    (cap_rx_tvalid_o[p]),
      .cap_rx_tlast_o     (cap_rx_tlast_o[p]),
      .cap_rx_desc_valid_o(cap_rx_desc_valid_o[p]),
      .cap_rx_desc_o      (cap_rx_desc_o[96*p+:96]),
      .cap_tx_tdata_o     (cap_tx_tdata_o[DataW*p+:DataW]),
      .cap_tx_tkeep_o     (cap_tx_tkeep_o[64*p+:64]),
      .cap_tx_tvalid_o    (cap_tx_tvalid_o[p]),
      .cap_tx_tlast_o     (cap_tx_tlast_o[p]),
      .cap_tx_desc_valid_o(cap_tx_desc_valid_o[p]),
      .cap_tx_desc_o      (cap_tx_desc_o[96*p+:96]),
      .cap_ready_i        (cap_ready_i[p])
    );
  end

endmodule
