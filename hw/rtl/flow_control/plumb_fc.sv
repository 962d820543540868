// Flow control of a port (docs/card.md, "Flow control"): what it makes the other end do (PFC of
// software, storm and virtual receive buffer, CBFC credits), what the other end makes it do (CBFC
// limits for the gate; PFC is plumb_rx's), and the log of all pauses.
//
//   received frames ─► classify ─► virtual buffer ─► watermark ─► frames ─► gate (plumb_tx)
//                          │            └─► CBFC receiver ─► CF_Update      ▲
//                          └─ CC_Update ─────────┘      storm, software ────┤
//   CF_Update ─► CBFC sender ─► limits for the gate ─► CC_Update ───────────┘
//
// The virtual channels of CBFC are the eight priorities. Everything is at rest while config is
// zero. cfg_* are levels, *_i pulses where named so. clear_i zeroes counters, log and buffer.
`include "plumb_simulated.svh"

module plumb_fc #(
  parameter int unsigned TraceLog2 = 10,
  parameter bit          WithCbfc = 1'b1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  input  logic [31:0]      byte_time_ps_i,
  // Configuration.
  input  logic [7:0]       cfg_watermark_i,        // per priority
  input  logic [7:0]       cfg_cbfc_tx_i,
  input  logic [7:0]       cfg_cbfc_rx_i,
  input  logic             cfg_trace_i,
  input  logic             cfg_dscp_i,
  input  logic [2:0]       cfg_default_priority_i,
  input  logic [47:0]      cfg_source_i,
  input  logic [7:0]       cfg_send_mask_i,
  input  logic [15:0]      cfg_send_quanta_i,
  input  logic [7:0]       cfg_storm_mask_i,
  input  logic [15:0]      cfg_storm_quanta_i,
  input  logic [31:0]      cfg_storm_count_i,
  input  logic [31:0]      cfg_storm_period_i,
  input  logic [63:0]      cfg_storm_time_i,
  input  logic [15:0]      cfg_watermark_quanta_i,
  input  logic [31:0]      cfg_refresh_i,
  input  logic [3:0]       cfg_cell_log2_i,
  input  logic [7:0]       cfg_overhead_i,
  // Values of 20 bits as their registers have them, each in 32.
  input  logic [8*32-1:0]  cfg_capacity_i,
  input  logic [8*32-1:0]  cfg_xoff_i,
  input  logic [8*32-1:0]  cfg_xon_i,
  input  logic [8*32-1:0]  cfg_drain_i,
  input  logic [8*32-1:0]  cfg_credits_i,  // the same
  input  logic [31:0]      cfg_cf_min_i,
  input  logic [31:0]      cfg_cf_max_i,
  input  logic [31:0]      cfg_cc_period_i,        // 0: none
  // Commands, one clock.
  input  logic             send_i,
  input  logic             storm_start_i,
  input  logic             storm_stop_i,
  input  logic             cbfc_reset_i,
  input  logic             trace_pop_i,
  // Receiver: its input, its descriptors, its pauses.
  input  logic [511:0]     rx_tdata_i,
  input  logic             rx_tvalid_i,
  input  logic             rx_tlast_i,
  input  logic             desc_valid_i,
  input  logic [15:0]      desc_length_i,
  input  logic             desc_fcs_ok_i,
  input  logic [7:0]       rx_start_i,
  input  logic [7:0]       rx_end_i,
  input  logic [63:0]      rx_event_time_i,
  // Sender.
  output logic             control_valid_o,
  input  logic             control_ready_i,
  output logic [479:0]     control_data_o,
  input  logic [63:0]      control_cross_i,
  input  logic [13:0]      root_length_i,
  input  logic [2:0]       root_priority_i,
  input  logic             sent_i,
  output logic [8*14-1:0]  credit_o,
  output logic [7:0]       credit_busy_o,
  // Ordered sets between frames.
  output logic             cf_valid_o,
  output logic [63:0]      cf_data_o,
  input  logic             cf_ready_i,
  input  logic             rx_ctl_valid_i,
  input  logic [63:0]      rx_ctl_i,
  // State.
  output logic             send_busy_o,
  output logic             storm_active_o,
  output logic [31:0]      storm_left_o,
  output logic             storm_late_o,
  output logic             trace_valid_o,
  output logic [80:0]      trace_entry_o,          // time, sent, ends, starts
  output logic [TraceLog2:0] trace_level_o,
  output logic             trace_lost_o,
  output logic             credit_error_o,
  output logic [8*20-1:0]  fill_o,
  output logic [8*20-1:0]  credits_used_o,
  output logic [8*64-1:0]  cnt_tx_xoff_o,
  output logic [8*64-1:0]  cnt_tx_xon_o,
  output logic [63:0]      cnt_dropped_o,
  output logic [63:0]      cnt_recovered_o,
  output logic [63:0]      cnt_cf_sent_o,
  output logic [63:0]      cnt_cf_received_o,
  output logic [63:0]      cnt_cc_sent_o,
  output logic [63:0]      cnt_cc_received_o,
  output logic [63:0]      cnt_trace_lost_o
);

  // ---- At rest ----
  // All but the reading of what comes in, until there is something to send, to count or to watch.
  logic       clk_on, cc_update, cf_received;
  logic [7:0] want_xoff, want_xon, sent_paused;

  plumb_clock_gate u_on (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .busy_i ((|cfg_watermark_i) || (|cfg_cbfc_tx_i) || (|cfg_cbfc_rx_i) || cfg_trace_i ||
             cbfc_reset_i || clear_i || trace_pop_i || (|want_xoff) || (|want_xon) ||
             send_i || send_busy_o || storm_start_i || storm_active_o || (|sent_paused) ||
             cc_update || cf_received),
    .clk_o  (clk_on)
  );

  // ---- Received frames ----
  logic         arrival;
  logic [2:0]   arrival_priority;
  logic [13:0]  arrival_length;
  logic [159:0] cc_counts;

  plumb_fc_classify u_classify (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .dscp_i             (cfg_dscp_i),
    .default_priority_i (cfg_default_priority_i),
    .rx_tdata_i         (rx_tdata_i),
    .rx_tvalid_i        (rx_tvalid_i),
    .rx_tlast_i         (rx_tlast_i),
    .desc_valid_i       (desc_valid_i),
    .desc_length_i      (desc_length_i),
    .desc_fcs_ok_i      (desc_fcs_ok_i),
    .arrival_o          (arrival),
    .arrival_priority_o (arrival_priority),
    .arrival_length_o   (arrival_length),
    .cc_update_o        (cc_update),
    .cc_counts_o        (cc_counts)
  );

  logic        taken, dropped, freed;
  logic [2:0]  buffer_priority, freed_priority;
  logic [13:0] cells;
  logic [19:0] freed_cells;

  plumb_fc_buffer u_buffer (
    .clk_i              (clk_on),
    .rst_ni             (rst_ni),
    .clear_i            (clear_i),
    .enable_i           ((|cfg_watermark_i) || (|cfg_cbfc_rx_i)),
    .cell_log2_i        (cfg_cell_log2_i),
    .overhead_i         (cfg_overhead_i),
    .capacity_i         (cfg_capacity_i),
    .drain_i            (cfg_drain_i),
    .arrival_i          (arrival),
    .arrival_priority_i (arrival_priority),
    .arrival_length_i   (arrival_length),
    .taken_o            (taken),
    .dropped_o          (dropped),
    .priority_o         (buffer_priority),
    .cells_o            (cells),
    .freed_o            (freed),
    .freed_priority_o   (freed_priority),
    .freed_cells_o      (freed_cells),
    .fill_o             (fill_o)
  );

  // ---- PFC towards the other end ----
  logic         watermark_sent, storm, storm_taken, pfc_sent, cc_sent;
  logic [7:0]   watermark_mask;
  logic [135:0] pfc_body;
  logic [159:0] credits_consumed;

  plumb_fc_watermark u_watermark (
    .clk_i            (clk_on),
    .rst_ni           (rst_ni),
    .enable_i         (cfg_watermark_i),
    .xoff_i           (cfg_xoff_i),
    .xon_i            (cfg_xon_i),
    .refresh_i        (cfg_refresh_i),
    .fill_i           (fill_o),
    .taken_i          (taken),
    .taken_priority_i (buffer_priority),
    .sent_i           (watermark_sent),
    .sent_mask_i      (watermark_mask),
    .want_xoff_o      (want_xoff),
    .want_xon_o       (want_xon)
  );

  plumb_fc_storm u_storm (
    .clk_i    (clk_on),
    .rst_ni   (rst_ni),
    .cross_i  (control_cross_i),
    .start_i  (storm_start_i),
    .stop_i   (storm_stop_i),
    .time_i   (cfg_storm_time_i),
    .period_i (cfg_storm_period_i),
    .count_i  (cfg_storm_count_i),
    .want_o   (storm),
    .taken_i  (storm_taken),
    .active_o (storm_active_o),
    .left_o   (storm_left_o),
    .late_o   (storm_late_o)
  );

  plumb_fc_frames u_frames (
    .clk_i              (clk_on),
    .rst_ni             (rst_ni),
    .source_i           (cfg_source_i),
    .want_xoff_i        (want_xoff),
    .want_xon_i         (want_xon),
    .watermark_quanta_i (cfg_watermark_quanta_i),
    .watermark_sent_o   (watermark_sent),
    .watermark_mask_o   (watermark_mask),
    .software_i         (send_i),
    .software_busy_o    (send_busy_o),
    .software_mask_i    (cfg_send_mask_i),
    .software_quanta_i  (cfg_send_quanta_i),
    .storm_i            (storm),
    .storm_taken_o      (storm_taken),
    .storm_mask_i       (cfg_storm_mask_i),
    .storm_quanta_i     (cfg_storm_quanta_i),
    .cc_enable_i        ((|cfg_cbfc_tx_i) && cfg_cc_period_i != '0),
    .cc_period_i        (cfg_cc_period_i),
    .cc_counts_i        (credits_consumed),
    .cc_taken_o         (cc_sent),
    .control_valid_o    (control_valid_o),
    .control_ready_i    (control_ready_i),
    .control_data_o     (control_data_o),
    .pfc_o              (pfc_sent),
    .pfc_body_o         (pfc_body)
  );

  // The pauses that the port has sent, on the time scale of its departures.
  logic [7:0]      tx_start, tx_end;
  logic [63:0]     tx_event_time;
  logic [8*64-1:0] unused_until, unused_paused_ps;

  plumb_pfc_timers u_sent_pauses (
    .clk_i           (clk_on),
    .rst_ni          (rst_ni),
    .now_i           (control_cross_i),
    .clear_i         (clear_i),
    .byte_time_ps_i  (byte_time_ps_i),
    .frame_i         (pfc_sent),
    .body_i          (pfc_body),
    .paused_o        (sent_paused),
    .until_o         (unused_until),
    .start_o         (tx_start),
    .end_o           (tx_end),
    .event_time_o    (tx_event_time),
    .cnt_xoff_o      (cnt_tx_xoff_o),
    .cnt_xon_o       (cnt_tx_xon_o),
    .cnt_paused_ps_o (unused_paused_ps)
  );

  plumb_fc_trace #(
    .DepthLog2 (TraceLog2)
  ) u_trace (
    .clk_i      (clk_on),
    .rst_ni     (rst_ni),
    .clear_i    (clear_i),
    .enable_i   (cfg_trace_i),
    .rx_start_i (rx_start_i),
    .rx_end_i   (rx_end_i),
    .rx_time_i  (rx_event_time_i),
    .tx_start_i (tx_start),
    .tx_end_i   (tx_end),
    .tx_time_i  (tx_event_time),
    .valid_o    (trace_valid_o),
    .entry_o    (trace_entry_o),
    .pop_i      (trace_pop_i),
    .level_o    (trace_level_o),
    .lost_o     (trace_lost_o)
  );

  // ---- CBFC ----
  logic        tx_error, rx_error, recovered;
  logic [19:0] recovered_credits;

  if (WithCbfc) begin : gen_cbfc
    logic [8*20-1:0] unused_consumed, unused_freed;

    plumb_fc_credit_tx u_credit_tx (
      .clk_i           (clk_i),
      .clk_on_i        (clk_on),
      .rst_ni          (rst_ni),
      .reset_i         (cbfc_reset_i),
      .enable_i        (cfg_cbfc_tx_i),
      .credit_log2_i   (cfg_cell_log2_i),
      .overhead_i      (cfg_overhead_i),
      .credits_i       (cfg_credits_i),
      .root_length_i   (root_length_i),
      .root_priority_i (root_priority_i),
      .sent_i          (sent_i),
      .limit_o         (credit_o),
      .busy_o          (credit_busy_o),
      .cf_i            (rx_ctl_valid_i),
      .cf_data_i       (rx_ctl_i),
      .cf_taken_o      (cf_received),
      .error_o         (tx_error),
      .used_o          (credits_used_o),
      .consumed_o      (credits_consumed)
    );

    plumb_fc_credit_rx u_credit_rx (
      .clk_i               (clk_on),
      .rst_ni              (rst_ni),
      .reset_i             (cbfc_reset_i),
      .enable_i            (cfg_cbfc_rx_i),
      .min_i               (cfg_cf_min_i),
      .max_i               (cfg_cf_max_i),
      .taken_i             (taken),
      .dropped_i           (dropped),
      .priority_i          (buffer_priority),
      .cells_i             (cells),
      .freed_i             (freed),
      .freed_priority_i    (freed_priority),
      .freed_cells_i       (freed_cells),
      .cc_update_i         (cc_update),
      .cc_counts_i         (cc_counts),
      .cf_valid_o          (cf_valid_o),
      .cf_data_o           (cf_data_o),
      .cf_ready_i          (cf_ready_i),
      .recovered_o         (recovered),
      .recovered_credits_o (recovered_credits),
      .error_o             (rx_error),
      .consumed_o          (unused_consumed),
      .freed_o             (unused_freed)
    );
  end else begin : gen_no_cbfc
    assign credit_o          = '1;
    assign credit_busy_o     = '0;
    assign cf_received       = 1'b0;
    assign tx_error          = 1'b0;
    assign credits_used_o    = '0;
    assign credits_consumed  = '0;
    assign cf_valid_o        = 1'b0;
    assign cf_data_o         = '0;
    assign recovered         = 1'b0;
    assign recovered_credits = '0;
    assign rx_error          = 1'b0;

    logic unused_cbfc;
    assign unused_cbfc = ^{cbfc_reset_i, cfg_credits_i, cfg_cf_min_i, cfg_cf_max_i, root_length_i,
                           root_priority_i, sent_i, cf_ready_i, rx_ctl_valid_i, rx_ctl_i, freed,
                           freed_priority, freed_cells, cc_counts, cells};
  end

  assign credit_error_o = tx_error || rx_error;

  // ---- Counters ----
  logic cf_sent;
  assign cf_sent = cf_valid_o && cf_ready_i;

  always_ff @(posedge clk_on `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      cnt_dropped_o     <= '0;
      cnt_recovered_o   <= '0;
      cnt_cf_sent_o     <= '0;
      cnt_cf_received_o <= '0;
      cnt_cc_sent_o     <= '0;
      cnt_cc_received_o <= '0;
      cnt_trace_lost_o  <= '0;
    end else if (clear_i) begin
      cnt_dropped_o     <= '0;
      cnt_recovered_o   <= '0;
      cnt_cf_sent_o     <= '0;
      cnt_cf_received_o <= '0;
      cnt_cc_sent_o     <= '0;
      cnt_cc_received_o <= '0;
      cnt_trace_lost_o  <= '0;
    end else begin
      if (dropped)       cnt_dropped_o     <= cnt_dropped_o + 64'd1;
      if (recovered)     cnt_recovered_o   <= cnt_recovered_o + 64'(recovered_credits);
      if (cf_sent)       cnt_cf_sent_o     <= cnt_cf_sent_o + 64'd1;
      if (cf_received)   cnt_cf_received_o   <= cnt_cf_received_o + 64'd1;
      if (cc_sent)       cnt_cc_sent_o     <= cnt_cc_sent_o + 64'd1;
      if (cc_update)     cnt_cc_received_o <= cnt_cc_received_o + 64'd1;
      if (trace_lost_o)  cnt_trace_lost_o    <= cnt_trace_lost_o + 64'd1;
    end
  end

endmodule
