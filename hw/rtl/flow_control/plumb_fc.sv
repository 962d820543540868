// Flow control of a port (docs/card.md, "Flow control"): what it sends to the other end (PFC by
// software, storm or virtual receive buffer; CBFC credits), the CBFC limits that it obeys (received
// PFC is in plumb_rx), and the log of all pauses.
//
//   received frames ─► classify ─► virtual buffer ─► watermark ─► frames ─► gate (plumb_tx)
//                          │            └─► CBFC receiver ─► CF_Update      ▲
//                          └─ CC_Update ─────────┘      storm, software ────┤
//   CF_Update ─► CBFC sender ─► limits for the gate ─► CC_Update ───────────┘
//
// The virtual channels of CBFC are the eight priorities. Everything is at rest while config is
// zero. clear_i zeroes counters, log and buffer.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_fc #(
  parameter int unsigned TraceLog2 = 10,
  parameter bit          WithCbfc = 1'b1
) (
  // Clock and reset (active low)
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [63:0]      offset_i,                // ps to add to the times in the log
  input  logic             clear_i,                 // level: zeroes counters, log and buffer
  input  logic [31:0]      byte_time_ps_i,          // ps per byte on the wire, for pause times

  // Configuration: levels. Masks have one bit per priority; quanta are pause times, 64 bytes each.
  input  logic [7:0]       cfg_watermark_i,         // mask: PFC by the fill of the virtual buffer
  input  logic [7:0]       cfg_cbfc_tx_i,           // mask: frames need credit of the other end
  input  logic [7:0]       cfg_cbfc_rx_i,           // mask: the other end gets credit
  input  logic             cfg_trace_i,             // pauses are logged
  input  logic             cfg_dscp_i,              // priority by DSCP, else by the 802.1Q tag
  input  logic [2:0]       cfg_default_priority_i,  // of frames that have neither
  input  logic [47:0]      cfg_source_i,            // MAC address, first byte in bits 47:40
  input  logic [7:0]       cfg_send_mask_i,         // of the frame of send_i
  input  logic [15:0]      cfg_send_quanta_i,       // of the frame of send_i
  input  logic [7:0]       cfg_storm_mask_i,
  input  logic [15:0]      cfg_storm_quanta_i,
  input  logic [31:0]      cfg_storm_count_i,       // frames, 0: endless
  input  logic [31:0]      cfg_storm_period_i,      // ps between two frames
  input  logic [63:0]      cfg_storm_time_i,        // of the first one, local time in ps; 0: at once
  input  logic [15:0]      cfg_watermark_quanta_i,
  input  logic [31:0]      cfg_refresh_i,           // clocks until an XOFF is repeated
  input  logic [3:0]       cfg_cell_log2_i,         // a cell has 2^n bytes, n from 0 to 11
  input  logic [7:0]       cfg_overhead_i,          // signed bytes per frame beside its length

  // By priority, 32 bits each as in the registers; cells and credits in the lower 20
  input  logic [8*32-1:0]  cfg_capacity_i,          // cells that the virtual buffer has
  input  logic [8*32-1:0]  cfg_xoff_i,              // cells from which on XOFF is sent
  input  logic [8*32-1:0]  cfg_xon_i,               // cells down to which XON is sent
  input  logic [8*32-1:0]  cfg_drain_i,             // Q16.16 bytes per clock
  input  logic [8*32-1:0]  cfg_credits_i,           // credits that may be in use at the other end

  // Times of CBFC
  input  logic [31:0]      cfg_cf_min_i,            // clocks between two CF_Updates at least
  input  logic [31:0]      cfg_cf_max_i,            // clocks until all are sent again, 0: never
  input  logic [31:0]      cfg_cc_period_i,         // clocks between two CC_Updates, 0: none

  // Commands: pulses
  input  logic             send_i,                  // send one PFC frame
  input  logic             storm_start_i,
  input  logic             storm_stop_i,
  input  logic             cbfc_reset_i,            // zero all totals and credits in use
  input  logic             trace_pop_i,             // take the oldest entry out of the log

  // The receiver: its input, its descriptors, its pauses
  input  logic [511:0]     rx_tdata_i,              // byte 0 in bits 7:0
  input  logic             rx_tvalid_i,
  input  logic             rx_tlast_i,
  input  logic             desc_valid_i,            // pulse, in frame order, with the next two
  input  logic [15:0]      desc_length_i,           // bytes with FCS
  input  logic             desc_fcs_ok_i,
  input  logic [7:0]       rx_start_i,              // mask: pauses that begin
  input  logic [7:0]       rx_end_i,                // mask: pauses that are over
  input  logic [63:0]      rx_event_time_i,         // of either, card time in ps

  // The sender: control frames and credits
  output logic             control_valid_o,         // level: a control frame waits
  input  logic             control_ready_i,         // taken in this clock
  output logic [479:0]     control_data_o,          // in that clock only; no FCS, byte 0 in 7:0
  input  logic [63:0]      control_crossing_time_i,  // earliest card time at the MAC if taken now,
                                                    // ps
  input  logic [13:0]      root_length_i,           // bytes with FCS of the frame that may go next
  input  logic [2:0]       root_priority_i,         // priority of that frame
  input  logic             sent_i,                  // pulse: root_* of one clock ago was sent
  output logic [8*14-1:0]  credit_o,                // 14 bits per priority: longest frame, bytes
  output logic [7:0]       credit_busy_o,           // level, bit each: credit_o not valid yet

  // Ordered sets between frames; D0 in bits 7:0
  output logic             cf_valid_o,              // level: a set waits
  output logic [63:0]      cf_data_o,               // a CF_Update
  input  logic             cf_ready_i,              // taken in this clock
  input  logic             rx_ctl_valid_i,          // pulse: a set of any kind was received
  input  logic [63:0]      rx_ctl_i,

  // State and events
  output logic             send_busy_o,             // level: the frame of send_i has not left yet
  output logic             storm_active_o,          // level
  output logic [31:0]      storm_left_o,            // frames still to go, if not endless
  output logic             storm_late_o,            // pulse: the storm was started after its time
  output logic             trace_valid_o,           // level: the log has an entry
  output logic [80:0]      trace_entry_o,           // oldest: {time in ps, sent, ends, starts}
  output logic [TraceLog2:0] trace_level_o,         // entries in the log
  output logic             trace_lost_o,            // pulse: an entry found no room
  output logic             credit_error_o,          // pulse: totals contradict each other
  output logic [8*20-1:0]  fill_o,                  // 20 bits per priority: cells in use
  output logic [8*20-1:0]  credits_used_o,          // 20 bits per priority: credits in use

  // Counters since reset or clear_i
  output logic [8*64-1:0]  cnt_tx_xoff_o,           // XOFF sent, 64 bits per priority
  output logic [8*64-1:0]  cnt_tx_xon_o,            // XON (time 0) sent, 64 bits per priority
  output logic [63:0]      cnt_dropped_o,           // frames without room in the buffer
  output logic [63:0]      cnt_recovered_o,         // credits of frames that were lost on the way
  output logic [63:0]      cnt_cf_sent_o,           // CF_Updates sent
  output logic [63:0]      cnt_cf_received_o,       // CF_Updates received
  output logic [63:0]      cnt_cc_sent_o,           // CC_Updates sent
  output logic [63:0]      cnt_cc_received_o,       // CC_Updates received
  output logic [63:0]      cnt_trace_lost_o         // log entries that found no room
);

  `PLUMB_RANGE(plumb_fc, TraceLog2, 1, 30)

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
    .crossing_time_i (control_crossing_time_i),
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
  logic [8*64-1:0] unused_pause_end_time, unused_paused_ps;

  plumb_pfc_timers u_sent_pauses (
    .clk_i           (clk_on),
    .rst_ni          (rst_ni),
    .now_i           (control_crossing_time_i),
    .clear_i         (clear_i),
    .byte_time_ps_i  (byte_time_ps_i),
    .frame_i         (pfc_sent),
    .body_i          (pfc_body),
    .paused_o        (sent_paused),
    .pause_end_time_o (unused_pause_end_time),
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
    .offset_i   (offset_i),
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
