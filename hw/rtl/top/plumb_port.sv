// One port of the card: its registers, sender, receiver and capture.
//
// Register bus: reg_wen_i or reg_ren_i pulses for one clock with address and data, reg_ack_o ends
// the access; reg_rdata_o is zero in all other clocks, so that the card can simply OR its blocks.
// An access takes three clocks. Longer, because they wait: TBL_ADDR, TBL_CMD and TBL_DATA while a
// table command is at work (at most 300 clocks), and HIST_ADDR, HIST_LO and HIST_HI while a cell is
// being fetched.
//
// Capture streams: see plumb_capture_tap. cap_ready_i is common to both directions of the port.
`include "plumb_assert.svh"

module plumb_port #(
  parameter int unsigned FlowsLog2 = 8,
  parameter int unsigned RowsLog2 = 11,
  parameter int unsigned GroupsLog2 = 4
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic [63:0]  now_i,
  input  wire logic         running_i,
  input  wire logic [63:0]  start_time_i,

  input  wire logic [11:2]  reg_addr_i,
  input  wire logic         reg_wen_i,
  input  wire logic         reg_ren_i,
  input  wire logic [31:0]  reg_wdata_i,
  output      logic         reg_ack_o,
  output      logic [31:0]  reg_rdata_o,

  output      logic [511:0] tx_tdata_o,
  output      logic [63:0]  tx_tkeep_o,
  output      logic         tx_tvalid_o,
  output      logic         tx_tlast_o,
  input  wire logic         tx_tready_i,

  input  wire logic [511:0] rx_tdata_i,
  input  wire logic [63:0]  rx_tkeep_i,
  input  wire logic         rx_tvalid_i,
  input  wire logic         rx_tlast_i,

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

  plumb_regs_pkg::port_config_t   cfg;
  plumb_regs_pkg::port_pulse_t    pulse;
  plumb_regs_pkg::port_status_t   status;
  plumb_regs_pkg::port_fault_t    fault;
  plumb_regs_pkg::port_update_t   update;
  plumb_regs_pkg::port_counters_t counters;

  // ---- Register bus: an access is held here until what it touches is at rest. ----

  logic [11:2] addr_q;
  logic [31:0] wdata_q;
  logic        write_q, read_q, ack_q, ack_read_q;
  logic        table_busy, hist_busy, table_address, hist_address, go;
  logic [11:0] address;
  logic [31:0] rdata;

  assign address = {addr_q, 2'b00};
  assign table_address =
      address == plumb_regs_pkg::PortTblAddrOffset ||
      address == plumb_regs_pkg::PortTblCmdOffset ||
      address[11:6] == 6'(plumb_regs_pkg::PortTblDataOffset >> 6);
  assign hist_address =
      address == plumb_regs_pkg::PortHistAddrOffset ||
      address == plumb_regs_pkg::PortHistLoOffset ||
      address == plumb_regs_pkg::PortHistHiOffset;
  assign go = (write_q || read_q) && !(table_address && table_busy) &&
              !(hist_address && hist_busy);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      addr_q <= '0;
      wdata_q <= '0;
      write_q <= 1'b0;
      read_q <= 1'b0;
      ack_q <= 1'b0;
      ack_read_q <= 1'b0;
      reg_ack_o <= 1'b0;
      reg_rdata_o <= '0;
    end else begin
      if (reg_wen_i || reg_ren_i) begin
        addr_q <= reg_addr_i;
        wdata_q <= reg_wdata_i;
        write_q <= reg_wen_i;
        read_q <= reg_ren_i;
      end else if (go) begin
        write_q <= 1'b0;
        read_q <= 1'b0;
      end
      ack_q <= go;
      ack_read_q <= go && read_q;
      reg_ack_o <= ack_q;
      reg_rdata_o <= ack_read_q ? rdata : '0;
    end
  end

  plumb_regs_port u_regs (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .reg_addr_i (addr_q),
    .reg_wen_i  (go && write_q),
    .reg_ren_i  (go && read_q),
    .reg_wdata_i(wdata_q),
    .reg_rdata_o(rdata),
    .config_o   (cfg),
    .pulse_o    (pulse),
    .status_i   (status),
    .fault_i    (fault),
    .update_i   (update),
    .counters_i (counters)
  );

  // ---- Tables and histogram ----

  logic         tbl_req, tbl_we, tx_tbl_ack, rx_tbl_ack, tbl_data_we;
  logic [511:0] tx_tbl_rdata, rx_tbl_rdata, tbl_data;

  plumb_table_access u_table_access (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .running_i     (running_i),
    .write_i       (pulse.tbl_cmd_write),
    .read_i        (pulse.tbl_cmd_read),
    .table_i       (cfg.tbl_addr_table),
    .busy_o        (table_busy),
    .data_we_o     (tbl_data_we),
    .data_o        (tbl_data),
    .tbl_req_o     (tbl_req),
    .tbl_we_o      (tbl_we),
    .tx_tbl_ack_i  (tx_tbl_ack),
    .tx_tbl_rdata_i(tx_tbl_rdata),
    .rx_tbl_ack_i  (rx_tbl_ack),
    .rx_tbl_rdata_i(rx_tbl_rdata)
  );

  logic        hist_req, hist_ack, bucket_we;
  logic [15:0] bucket;
  logic [47:0] hist_data, hist_count;

  plumb_hist_reader u_hist_reader (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .load_i     (pulse.hist_addr_written),
    .next_i     (pulse.hist_hi_read),
    .bucket_i   (cfg.hist_addr_bucket),
    .bucket_we_o(bucket_we),
    .bucket_o   (bucket),
    .busy_o     (hist_busy),
    .count_o    (hist_count),
    .hist_req_o (hist_req),
    .hist_ack_i (hist_ack),
    .hist_data_i(hist_data)
  );

  always_comb begin
    update.tbl_data_we = tbl_data_we;
    update.tbl_data = tbl_data;
    update.hist_addr_we = bucket_we;
    update.hist_addr_bucket = bucket;
    update.hist_addr_group = cfg.hist_addr_group;
  end

  // ---- Sender ----

  logic [7:0]  paused;
  logic        tx_clear_busy, tx_active, tx_late, tx_stall, tx_sof;
  logic [63:0] tx_departure;
  logic [63:0] cnt_tx_frames, cnt_tx_bytes, cnt_tx_late, cnt_tx_late_max_ps, cnt_tx_pfc_skipped;
  logic [63:0] cnt_tx_stall_clocks;

  plumb_tx #(
    .FlowsLog2(FlowsLog2)
  ) u_tx (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .now_i              (now_i),
    .running_i          (running_i),
    .start_time_i       (start_time_i),
    .tx_enable_i        (cfg.port_control_tx_enable),
    .clear_i            (pulse.port_command_clear_tx),
    .clear_busy_o       (tx_clear_busy),
    .active_o           (tx_active),
    .byte_time_ps_i     (cfg.byte_time_ps),
    .ts_offset_i        (cfg.tx_ts_offset),
    .late_threshold_ps_i(cfg.late_threshold_ps),
    .paused_i           (paused & cfg.port_control_pfc_react),
    .tbl_req_i          (tbl_req),
    .tbl_we_i           (tbl_we),
    .tbl_table_i        (cfg.tbl_addr_table),
    .tbl_row_i          (cfg.tbl_addr_row),
    .tbl_wdata_i        (cfg.tbl_data),
    .tbl_ack_o          (tx_tbl_ack),
    .tbl_rdata_o        (tx_tbl_rdata),
    .tx_tdata_o         (tx_tdata_o),
    .tx_tkeep_o         (tx_tkeep_o),
    .tx_tvalid_o        (tx_tvalid_o),
    .tx_tlast_o         (tx_tlast_o),
    .tx_tready_i        (tx_tready_i),
    .tx_departure_o     (tx_departure),
    .tx_sof_o           (tx_sof),
    .cnt_frames_o       (cnt_tx_frames),
    .cnt_bytes_o        (cnt_tx_bytes),
    .cnt_late_o         (cnt_tx_late),
    .cnt_late_max_ps_o  (cnt_tx_late_max_ps),
    .cnt_pfc_skipped_o  (cnt_tx_pfc_skipped),
    .cnt_stall_clocks_o (cnt_tx_stall_clocks),
    .late_o             (tx_late),
    .stall_o            (tx_stall)
  );

  // ---- Receiver ----

  logic         rx_clear_busy, rx_desc_valid, rx_fcs_ok, rx_icrc_checked, rx_icrc_ok;
  logic         rx_event_overflow;
  logic [63:0]  rx_timestamp;
  logic [15:0]  rx_length;
  logic [63:0]  cnt_rx_frames, cnt_rx_bytes, cnt_rx_fcs_errors, cnt_rx_icrc_errors, cnt_rx_runts;
  logic [63:0]  cnt_rx_giants, cnt_rx_untagged, cnt_rx_unparsed, cnt_rx_latency_negative;
  logic [63:0]  cnt_rx_event_overflow, cnt_rx_pause_frames, cnt_rx_mac_control_other;
  logic [63:0]  cnt_rx_bad_row;
  logic [511:0] cnt_rx_xoff, cnt_rx_xon, cnt_paused_ps;

  plumb_rx #(
    .RowsLog2  (RowsLog2),
    .GroupsLog2(GroupsLog2)
  ) u_rx (
    .clk_i                  (clk_i),
    .rst_ni                 (rst_ni),
    .now_i                  (now_i),
    .clear_i                (pulse.port_command_clear_rx),
    .clear_busy_o           (rx_clear_busy),
    .byte_time_ps_i         (cfg.byte_time_ps),
    .ts_offset_i            (cfg.rx_ts_offset),
    .tbl_req_i              (tbl_req),
    .tbl_we_i               (tbl_we),
    .tbl_table_i            (cfg.tbl_addr_table),
    .tbl_row_i              (cfg.tbl_addr_row),
    .tbl_wdata_i            (cfg.tbl_data),
    .tbl_ack_o              (rx_tbl_ack),
    .tbl_rdata_o            (rx_tbl_rdata),
    .hist_req_i             (hist_req),
    .hist_group_i           (cfg.hist_addr_group),
    .hist_bucket_i          (cfg.hist_addr_bucket),
    .hist_ack_o             (hist_ack),
    .hist_data_o            (hist_data),
    .rx_tdata_i             (rx_tdata_i),
    .rx_tkeep_i             (rx_tkeep_i),
    .rx_tvalid_i            (rx_tvalid_i),
    .rx_tlast_i             (rx_tlast_i),
    .paused_o               (paused),
    .desc_valid_o           (rx_desc_valid),
    .desc_timestamp_o       (rx_timestamp),
    .desc_length_o          (rx_length),
    .desc_fcs_ok_o          (rx_fcs_ok),
    .desc_icrc_checked_o    (rx_icrc_checked),
    .desc_icrc_ok_o         (rx_icrc_ok),
    .cnt_frames_o           (cnt_rx_frames),
    .cnt_bytes_o            (cnt_rx_bytes),
    .cnt_fcs_errors_o       (cnt_rx_fcs_errors),
    .cnt_icrc_errors_o      (cnt_rx_icrc_errors),
    .cnt_runts_o            (cnt_rx_runts),
    .cnt_giants_o           (cnt_rx_giants),
    .cnt_untagged_o         (cnt_rx_untagged),
    .cnt_unparsed_o         (cnt_rx_unparsed),
    .cnt_latency_negative_o (cnt_rx_latency_negative),
    .cnt_event_overflow_o   (cnt_rx_event_overflow),
    .cnt_pause_frames_o     (cnt_rx_pause_frames),
    .cnt_mac_control_other_o(cnt_rx_mac_control_other),
    .cnt_bad_row_o          (cnt_rx_bad_row),
    .cnt_xoff_o             (cnt_rx_xoff),
    .cnt_xon_o              (cnt_rx_xon),
    .cnt_paused_ps_o        (cnt_paused_ps),
    .event_overflow_o       (rx_event_overflow)
  );

  // ---- Capture ----

  logic        rx_dropped, tx_dropped, tx_beat, tx_desc_valid;
  logic [63:0] tx_timestamp;
  logic [15:0] tx_length;
  logic [63:0] capture_dropped_q;

  plumb_capture_tap #(
    .Sent(1'b0)
  ) u_capture_rx (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .enable_i           (cfg.port_control_capture_rx),
    .beat_i             (rx_tvalid_i),
    .tdata_i            (rx_tdata_i),
    .tkeep_i            (rx_tkeep_i),
    .tlast_i            (rx_tlast_i),
    .desc_valid_i       (rx_desc_valid),
    .desc_timestamp_i   (rx_timestamp),
    .desc_length_i      (rx_length),
    .desc_fcs_ok_i      (rx_fcs_ok),
    .desc_icrc_checked_i(rx_icrc_checked),
    .desc_icrc_ok_i     (rx_icrc_ok),
    .cap_tdata_o        (cap_rx_tdata_o),
    .cap_tkeep_o        (cap_rx_tkeep_o),
    .cap_tvalid_o       (cap_rx_tvalid_o),
    .cap_tlast_o        (cap_rx_tlast_o),
    .cap_ready_i        (cap_ready_i),
    .cap_desc_valid_o   (cap_rx_desc_valid_o),
    .cap_desc_o         (cap_rx_desc_o),
    .dropped_o          (rx_dropped)
  );

  assign tx_beat = tx_tvalid_o && tx_tready_i;

  plumb_tx_descriptor u_tx_descriptor (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .beat_i          (tx_beat),
    .sof_i           (tx_sof),
    .tlast_i         (tx_tlast_o),
    .tkeep_i         (tx_tkeep_o),
    .departure_i     (tx_departure),
    .desc_valid_o    (tx_desc_valid),
    .desc_timestamp_o(tx_timestamp),
    .desc_length_o   (tx_length)
  );

  // The card computes FCS and ICRC itself: there is nothing to check in what it sends.
  plumb_capture_tap #(
    .Sent(1'b1)
  ) u_capture_tx (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .enable_i           (cfg.port_control_capture_tx),
    .beat_i             (tx_beat),
    .tdata_i            (tx_tdata_o),
    .tkeep_i            (tx_tkeep_o),
    .tlast_i            (tx_tlast_o),
    .desc_valid_i       (tx_desc_valid),
    .desc_timestamp_i   (tx_timestamp),
    .desc_length_i      (tx_length),
    .desc_fcs_ok_i      (1'b1),
    .desc_icrc_checked_i(1'b0),
    .desc_icrc_ok_i     (1'b0),
    .cap_tdata_o        (cap_tx_tdata_o),
    .cap_tkeep_o        (cap_tx_tkeep_o),
    .cap_tvalid_o       (cap_tx_tvalid_o),
    .cap_tlast_o        (cap_tx_tlast_o),
    .cap_ready_i        (cap_ready_i),
    .cap_desc_valid_o   (cap_tx_desc_valid_o),
    .cap_desc_o         (cap_tx_desc_o),
    .dropped_o          (tx_dropped)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      capture_dropped_q <= '0;
    end else if (pulse.port_command_clear_rx) begin
      capture_dropped_q <= '0;
    end else begin
      capture_dropped_q <= capture_dropped_q + 64'(rx_dropped) + 64'(tx_dropped);
    end
  end

  // ---- What the registers show ----

  always_comb begin
    // The command itself counts as busy: the blocks see it in this clock.
    status.port_status_clear_busy = tx_clear_busy || rx_clear_busy ||
                                    pulse.port_command_clear_tx || pulse.port_command_clear_rx;
    status.port_status_tx_active = tx_active;
    status.port_status_paused = paused;
    status.tbl_status_busy = table_busy;
    status.hist_lo = hist_count[31:0];
    status.hist_hi = {16'b0, hist_count[47:32]};

    fault.port_sticky_tx_late = tx_late;
    fault.port_sticky_tx_stall = tx_stall;
    fault.port_sticky_rx_event_overflow = rx_event_overflow;
    fault.port_sticky_capture_overflow = rx_dropped || tx_dropped;

    counters.tx_frames = cnt_tx_frames;
    counters.tx_bytes = cnt_tx_bytes;
    counters.tx_late = cnt_tx_late;
    counters.tx_late_max_ps = cnt_tx_late_max_ps;
    counters.tx_pfc_skipped = cnt_tx_pfc_skipped;
    counters.tx_stall_clocks = cnt_tx_stall_clocks;
    counters.rx_frames = cnt_rx_frames;
    counters.rx_bytes = cnt_rx_bytes;
    counters.rx_fcs_errors = cnt_rx_fcs_errors;
    counters.rx_icrc_errors = cnt_rx_icrc_errors;
    counters.rx_runts = cnt_rx_runts;
    counters.rx_giants = cnt_rx_giants;
    counters.rx_untagged = cnt_rx_untagged;
    counters.rx_unparsed = cnt_rx_unparsed;
    counters.rx_latency_negative = cnt_rx_latency_negative;
    counters.rx_event_overflow = cnt_rx_event_overflow;
    counters.rx_pause_frames = cnt_rx_pause_frames;
    counters.rx_mac_control_other = cnt_rx_mac_control_other;
    counters.rx_bad_row = cnt_rx_bad_row;
    counters.capture_dropped = capture_dropped_q;
    counters.rx_xoff = cnt_rx_xoff;
    counters.rx_xon = cnt_rx_xon;
    counters.paused_ps = cnt_paused_ps;
  end

  `PLUMB_ASSERT(OneAccess, reg_wen_i || reg_ren_i |-> !write_q && !read_q)

endmodule
