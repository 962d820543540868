// One port of the card: its registers, sender, receiver and capture.
//
// Register bus: reg_wen_i or reg_ren_i pulses for one clock with address and data, reg_ack_o ends
// the access; reg_rdata_o is zero in all other clocks, so that the card can simply OR its blocks.
// An access takes three clocks. Longer, because they wait: TBL_ADDR, TBL_CMD and TBL_DATA while a
// table command is at work (at most 300 clocks), and HIST_ADDR, HIST_LO and HIST_HI while a cell is
// being fetched.
//
// clk_bus_i is clk_i for the registers and what serves them. It may rest (plumb_clock_gate) while
// bus_busy_o is low and no access comes.
//
// Capture streams: see plumb_capture_tap. cap_ready_i is common to both directions of the port.
`include "plumb_assert.svh"

module plumb_port #(
  parameter int unsigned FlowsLog2 = 8,
  parameter int unsigned RowsLog2 = 12,
  parameter int unsigned GroupsLog2 = 4,
  parameter bit          WithCbfc = 1'b1,
  parameter bit          WithLlr = 1'b1
) (
  // Clocks, reset (active low), card time
  input  wire logic         clk_i,
  input  wire logic         clk_bus_i,            // the same clock; may rest, see above
  input  wire logic         rst_ni,
  input  wire logic [63:0]  now_i,                // local time of the edge that begins the clock, ps
  input  wire logic [63:0]  offset_i,             // card time - local time, ps

  // The run
  input  wire logic         running_i,            // level: schedules live, from 8 us before start
  input  wire logic [63:0]  start_time_i,         // epoch of all due times, local time in ps

  // Register bus
  input  wire logic [11:2]  reg_addr_i,           // word in the port's block, with either pulse
  input  wire logic         reg_event_i,          // with either pulse: of block event
  input  wire logic         reg_wen_i,            // pulse: write
  input  wire logic         reg_ren_i,            // pulse: read
  input  wire logic [31:0]  reg_wdata_i,          // with reg_wen_i
  output      logic         reg_ack_o,            // pulse: the access is done
  output      logic [31:0]  reg_rdata_o,          // with the acknowledge of a read, else zero
  output      logic         bus_busy_o,           // level: clk_bus_i has to run
  output      logic         event_waits_o,        // level: a received event frame waits

  // To the MAC: AXI4-Stream, frames with FCS
  output      logic [511:0] tx_tdata_o,           // byte 0 in bits 7:0
  output      logic [63:0]  tx_tkeep_o,           // per byte; all ones but in a last beat
  output      logic         tx_tvalid_o,
  output      logic         tx_tlast_o,
  input  wire logic         tx_tready_i,
  output      logic [55:0]  tx_preamble_o,        // with the first beat: D1 to D7, D1 lowest

  // From the MAC: AXI4-Stream without tready
  input  wire logic [511:0] rx_tdata_i,
  input  wire logic [63:0]  rx_tkeep_i,
  input  wire logic         rx_tvalid_i,
  input  wire logic         rx_tlast_i,
  input  wire logic [55:0]  rx_preamble_i,        // with the first beat: D1 to D7, D1 lowest

  // Control ordered sets, D0 in bits 7:0; the link
  output      logic         tx_ctl_valid_o,       // level: a set waits
  output      logic [63:0]  tx_ctl_o,
  input  wire logic         tx_ctl_ready_i,       // every set taken has its place on the line
  input  wire logic         rx_ctl_valid_i,       // pulse: a set was received
  input  wire logic [63:0]  rx_ctl_i,
  input  wire logic         link_up_i,            // level: the link is up

  // Capture of received frames: AXI4-Stream, and a descriptor per frame
  output      logic [511:0] cap_rx_tdata_o,
  output      logic [63:0]  cap_rx_tkeep_o,
  output      logic         cap_rx_tvalid_o,
  output      logic         cap_rx_tlast_o,
  output      logic         cap_rx_desc_valid_o,  // pulse
  output      logic [95:0]  cap_rx_desc_o,        // with cap_rx_desc_valid_o

  // Capture of sent frames
  output      logic [511:0] cap_tx_tdata_o,
  output      logic [63:0]  cap_tx_tkeep_o,
  output      logic         cap_tx_tvalid_o,
  output      logic         cap_tx_tlast_o,
  output      logic         cap_tx_desc_valid_o,  // pulse
  output      logic [95:0]  cap_tx_desc_o,        // with cap_tx_desc_valid_o
  input  wire logic         cap_ready_i           // level, of both directions
);

  `PLUMB_RANGE(plumb_port, FlowsLog2, 3, 10)
  `PLUMB_RANGE(plumb_port, RowsLog2, 1, 12)
  `PLUMB_RANGE(plumb_port, GroupsLog2, 1, 5)

  plumb_regs_pkg::port_config_t   cfg;
  plumb_regs_pkg::port_pulse_t    pulse;
  plumb_regs_pkg::port_status_t   status;
  plumb_regs_pkg::port_fault_t    fault;
  plumb_regs_pkg::port_counters_t counters;

  logic         reading, table_busy, tbl_req, tbl_we, tx_tbl_ack, rx_tbl_ack, hist_req, hist_ack;
  logic [511:0] tx_tbl_rdata, rx_tbl_rdata;
  logic [47:0]  hist_data, hist_count;

  logic         control_ack, event_ack;
  logic [31:0]  control_rdata, event_rdata;
  assign reg_ack_o   = control_ack || event_ack;
  assign reg_rdata_o = control_rdata | event_rdata;

  plumb_port_control u_control (
    .clk_i         (clk_bus_i),
    .rst_ni        (rst_ni),
    .running_i     (running_i),
    .reg_addr_i    (reg_addr_i),
    .reg_wen_i     (reg_wen_i && !reg_event_i),
    .reg_ren_i     (reg_ren_i && !reg_event_i),
    .reg_wdata_i   (reg_wdata_i),
    .reg_ack_o     (control_ack),
    .reg_rdata_o   (control_rdata),
    .busy_o        (bus_busy_o),
    .config_o      (cfg),
    .pulse_o       (pulse),
    .reading_o     (reading),
    .status_i      (status),
    .fault_i       (fault),
    .counters_i    (counters),
    .table_busy_o  (table_busy),
    .hist_count_o  (hist_count),
    .tbl_req_o     (tbl_req),
    .tbl_we_o      (tbl_we),
    .tx_tbl_ack_i  (tx_tbl_ack),
    .tx_tbl_rdata_i(tx_tbl_rdata),
    .rx_tbl_ack_i  (rx_tbl_ack),
    .rx_tbl_rdata_i(rx_tbl_rdata),
    .hist_req_o    (hist_req),
    .hist_ack_i    (hist_ack),
    .hist_data_i   (hist_data)
  );

  logic         event_rx_tvalid, event_rx_tlast, event_desc_valid, event_desc_good, rx_event;
  logic         event_valid, event_ready, event_taken, event_stalled, event_first;
  logic [1:0]   event_beat;
  logic [13:0]  event_length;
  logic [15:0]  event_desc_length;
  logic [63:0]  event_rx_time, event_desc_time, event_taken_departure, event_departure;
  logic [511:0] event_rx_tdata, event_data;

  plumb_event u_event (
    .clk_i               (clk_i),
    .clk_bus_i           (clk_bus_i),
    .rst_ni              (rst_ni),
    .now_i               (now_i),
    .offset_i            (offset_i),
    .tx_ts_offset_i      (cfg.tx_ts_offset),
    .rx_ts_offset_i      (cfg.rx_ts_offset),
    .reg_addr_i          (reg_addr_i),
    .reg_wen_i           (reg_wen_i && reg_event_i),
    .reg_ren_i           (reg_ren_i && reg_event_i),
    .reg_wdata_i         (reg_wdata_i),
    .reg_ack_o           (event_ack),
    .reg_rdata_o         (event_rdata),
    .rx_tdata_i          (event_rx_tdata),
    .rx_tvalid_i         (event_rx_tvalid),
    .rx_tlast_i          (event_rx_tlast),
    .rx_time_i           (event_rx_time),
    .desc_valid_i        (event_desc_valid),
    .desc_good_i         (event_desc_good),
    .desc_length_i       (event_desc_length),
    .desc_time_i         (event_desc_time),
    .rx_event_o          (rx_event),
    .rx_waits_o          (event_waits_o),
    .tx_valid_o          (event_valid),
    .tx_ready_i          (event_ready),
    .tx_length_o         (event_length),
    .tx_beat_i           (event_beat),
    .tx_beat_data_o      (event_data),
    .tx_taken_i          (event_taken),
    .tx_taken_departure_i(event_taken_departure),
    .tx_stalled_i        (event_stalled),
    .tx_first_i          (event_first),
    .tx_departure_i      (event_departure)
  );

  plumb_port_datapath #(
    .FlowsLog2 (FlowsLog2),
    .RowsLog2  (RowsLog2),
    .GroupsLog2(GroupsLog2),
    .WithCbfc  (WithCbfc),
    .WithLlr   (WithLlr)
  ) u_datapath (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .now_i              (now_i),
    .offset_i           (offset_i),
    .running_i          (running_i),
    .start_time_i       (start_time_i),
    .config_i           (cfg),
    .pulse_i            (pulse),
    .reading_i          (reading),
    .status_o           (status),
    .fault_o            (fault),
    .counters_o         (counters),
    .event_rx_tdata_o   (event_rx_tdata),
    .event_rx_tvalid_o  (event_rx_tvalid),
    .event_rx_tlast_o   (event_rx_tlast),
    .event_rx_time_o    (event_rx_time),
    .event_desc_valid_o (event_desc_valid),
    .event_desc_good_o  (event_desc_good),
    .event_desc_length_o(event_desc_length),
    .event_desc_time_o  (event_desc_time),
    .event_desc_event_i (rx_event),
    .event_valid_i      (event_valid),
    .event_ready_o      (event_ready),
    .event_length_i     (event_length),
    .event_beat_o       (event_beat),
    .event_data_i       (event_data),
    .event_taken_o      (event_taken),
    .event_taken_departure_o(event_taken_departure),
    .event_stalled_o    (event_stalled),
    .event_first_o      (event_first),
    .event_departure_o  (event_departure),
    .table_busy_i       (table_busy),
    .hist_count_i       (hist_count),
    .tbl_req_i          (tbl_req),
    .tbl_we_i           (tbl_we),
    .tx_tbl_ack_o       (tx_tbl_ack),
    .tx_tbl_rdata_o     (tx_tbl_rdata),
    .rx_tbl_ack_o       (rx_tbl_ack),
    .rx_tbl_rdata_o     (rx_tbl_rdata),
    .hist_req_i         (hist_req),
    .hist_ack_o         (hist_ack),
    .hist_data_o        (hist_data),
    .tx_tdata_o         (tx_tdata_o),
    .tx_tkeep_o         (tx_tkeep_o),
    .tx_tvalid_o        (tx_tvalid_o),
    .tx_tlast_o         (tx_tlast_o),
    .tx_tready_i        (tx_tready_i),
    .tx_preamble_o      (tx_preamble_o),
    .rx_tdata_i         (rx_tdata_i),
    .rx_tkeep_i         (rx_tkeep_i),
    .rx_tvalid_i        (rx_tvalid_i),
    .rx_tlast_i         (rx_tlast_i),
    .rx_preamble_i      (rx_preamble_i),
    .tx_ctl_valid_o     (tx_ctl_valid_o),
    .tx_ctl_o           (tx_ctl_o),
    .tx_ctl_ready_i     (tx_ctl_ready_i),
    .rx_ctl_valid_i     (rx_ctl_valid_i),
    .rx_ctl_i           (rx_ctl_i),
    .link_up_i          (link_up_i),
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
