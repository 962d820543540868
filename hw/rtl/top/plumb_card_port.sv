// A port of the card behind what sets its pins: MAC and the card's common part (plumb_port_pins).
//
// Pins as in plumb_port. Cards that are simulated are put together from a model of this module for
// each port and one of plumb_card_common (docs/simulation-speed.md).
`include "plumb_assert.svh"

module plumb_card_port #(
  parameter int unsigned FlowsLog2 = 8,
  parameter int unsigned RowsLog2 = 12,
  parameter int unsigned GroupsLog2 = 4
) (
  input  wire logic         clk_i,
  input  wire logic         clk_bus_i,
  input  wire logic         rst_ni,
  input  wire logic [63:0]  now_i,
  input  wire logic [63:0]  offset_i,
  input  wire logic         running_i,
  input  wire logic [63:0]  start_time_i,

  input  wire logic [11:2]  reg_addr_i,
  input  wire logic         reg_event_i,
  input  wire logic         reg_wen_i,
  input  wire logic         reg_ren_i,
  input  wire logic [31:0]  reg_wdata_i,
  output      logic         reg_ack_o,
  output      logic [31:0]  reg_rdata_o,
  output      logic         bus_busy_o,
  output      logic         event_waits_o,

  output      logic [511:0] tx_tdata_o,
  output      logic [63:0]  tx_tkeep_o,
  output      logic         tx_tvalid_o,
  output      logic         tx_tlast_o,
  input  wire logic         tx_tready_i,
  output      logic [55:0]  tx_preamble_o,

  input  wire logic [511:0] rx_tdata_i,
  input  wire logic [63:0]  rx_tkeep_i,
  input  wire logic         rx_tvalid_i,
  input  wire logic         rx_tlast_i,
  input  wire logic [55:0]  rx_preamble_i,

  output      logic         tx_ctl_valid_o,
  output      logic [63:0]  tx_ctl_o,
  input  wire logic         tx_ctl_ready_i,
  input  wire logic         rx_ctl_valid_i,
  input  wire logic [63:0]  rx_ctl_i,
  input  wire logic         link_up_i,

  output      logic [511:0] cap_rx_tdata_o,
  output      logic [63:0]  cap_rx_tkeep_o,
  output      logic         cap_rx_tvalid_o,
  output      logic         cap_rx_tlast_o,
  output      logic         cap_rx_desc_valid_o,
  output      logic [95:0]  cap_rx_desc_o,
  output      logic [511:0] cap_tx_tdata_o,
  output      logic [63:0]  cap_tx_tkeep_o,
  output      logic         cap_tx_tvalid_o,
  output      logic         cap_tx_tlast_o,
  output      logic         cap_tx_desc_valid_o,
  output      logic [95:0]  cap_tx_desc_o,
  input  wire logic         cap_ready_i
);

  `PLUMB_RANGE(plumb_card_port, FlowsLog2, 3, 10)
  `PLUMB_RANGE(plumb_card_port, RowsLog2, 1, 12)
  `PLUMB_RANGE(plumb_card_port, GroupsLog2, 1, 5)

  logic [63:0]  now, offset, start_time, rx_tkeep, rx_ctl;
  logic [31:0]  reg_wdata;
  logic [11:2]  reg_addr;
  logic [511:0] rx_tdata;
  logic [55:0]  rx_preamble;
  logic         running, reg_event, reg_wen, reg_ren, rx_tvalid, rx_tlast, rx_ctl_valid;
  logic         tx_tready, tx_ctl_ready, link_up;

  plumb_port_pins u_pins (
    .clk_i         (clk_i),
    .now_i          (now_i),
    .offset_i       (offset_i),
    .running_i      (running_i),
    .start_time_i   (start_time_i),
    .reg_addr_i     (reg_addr_i),
    .reg_event_i    (reg_event_i),
    .reg_wen_i      (reg_wen_i),
    .reg_ren_i      (reg_ren_i),
    .reg_wdata_i    (reg_wdata_i),
    .rx_tdata_i     (rx_tdata_i),
    .rx_tkeep_i     (rx_tkeep_i),
    .rx_tvalid_i    (rx_tvalid_i),
    .rx_tlast_i     (rx_tlast_i),
    .rx_preamble_i  (rx_preamble_i),
    .rx_ctl_valid_i (rx_ctl_valid_i),
    .rx_ctl_i       (rx_ctl_i),
    .tx_tready_i    (tx_tready_i),
    .tx_ctl_ready_i (tx_ctl_ready_i),
    .link_up_i      (link_up_i),
    .now_o          (now),
    .offset_o       (offset),
    .running_o      (running),
    .start_time_o   (start_time),
    .reg_addr_o     (reg_addr),
    .reg_event_o    (reg_event),
    .reg_wen_o      (reg_wen),
    .reg_ren_o      (reg_ren),
    .reg_wdata_o    (reg_wdata),
    .rx_tdata_o     (rx_tdata),
    .rx_tkeep_o     (rx_tkeep),
    .rx_tvalid_o    (rx_tvalid),
    .rx_tlast_o     (rx_tlast),
    .rx_preamble_o  (rx_preamble),
    .rx_ctl_valid_o (rx_ctl_valid),
    .rx_ctl_o       (rx_ctl),
    .tx_tready_o    (tx_tready),
    .tx_ctl_ready_o (tx_ctl_ready),
    .link_up_o      (link_up)
  );

  plumb_port #(
    .FlowsLog2 (FlowsLog2),
    .RowsLog2  (RowsLog2),
    .GroupsLog2(GroupsLog2)
  ) u_port (
    .clk_i              (clk_i),
    .clk_bus_i          (clk_bus_i),
    .rst_ni             (rst_ni),
    .now_i              (now),
    .offset_i           (offset),
    .running_i          (running),
    .start_time_i       (start_time),
    .reg_addr_i         (reg_addr),
    .reg_event_i        (reg_event),
    .reg_wen_i          (reg_wen),
    .reg_ren_i          (reg_ren),
    .reg_wdata_i        (reg_wdata),
    .reg_ack_o          (reg_ack_o),
    .reg_rdata_o        (reg_rdata_o),
    .bus_busy_o         (bus_busy_o),
    .event_waits_o      (event_waits_o),
    .tx_tdata_o         (tx_tdata_o),
    .tx_tkeep_o         (tx_tkeep_o),
    .tx_tvalid_o        (tx_tvalid_o),
    .tx_tlast_o         (tx_tlast_o),
    .tx_tready_i        (tx_tready),
    .tx_preamble_o      (tx_preamble_o),
    .rx_tdata_i         (rx_tdata),
    .rx_tkeep_i         (rx_tkeep),
    .rx_tvalid_i        (rx_tvalid),
    .rx_tlast_i         (rx_tlast),
    .rx_preamble_i      (rx_preamble),
    .tx_ctl_valid_o     (tx_ctl_valid_o),
    .tx_ctl_o           (tx_ctl_o),
    .tx_ctl_ready_i     (tx_ctl_ready),
    .rx_ctl_valid_i     (rx_ctl_valid),
    .rx_ctl_i           (rx_ctl),
    .link_up_i          (link_up),
    .cap_rx_tdata_o     (cap_rx_tdata_o),
    .cap_rx_tkeep_o     (cap_rx_tkeep_o),
    .cap_rx_tvalid_o    (cap_rx_tvalid_o),
    .cap_rx_tlast_o     (cap_rx_tlast_o),
    .cap_rx_desc_valid_o(cap_rx_desc_valid_o),
    .cap_rx_desc_o      (cap_rx_desc_o),
    .cap_tx_tdata_o     (cap_tx_tdata_o),
    .cap_tx_tkeep_o     (cap_tx_tkeep_o),
    .cap_tx_tvalid_o    (cap_tx_tvalid_o),
    .cap_tx_tlast_o     (cap_tx_tlast_o),
    .cap_tx_desc_valid_o(cap_tx_desc_valid_o),
    .cap_tx_desc_o      (cap_tx_desc_o),
    .cap_ready_i        (cap_ready_i)
  );

endmodule
