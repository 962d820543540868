// The transmit path of a port (docs/card.md, "TX"): frames at their exact times, complete with test
// tag, ICRC and FCS, on AXI4-Stream to the MAC.
//
//   scheduler (heap, gate) -> fields -> builder -> modify -> ICRC -> FCS -> output FIFO -> MAC
//
// Throughput: a frame every two clocks, a beat every clock. The first beat of a frame is at the MAC
// exactly PopToMac clocks after the scheduler's decision, as long as the MAC takes every beat; the
// gate's arithmetic relies on it. PathClocks of these lie between these outputs and the MAC. Frames
// later than their due time are counted (plumb_tx_gate). Clocks in which the MAC does not take a
// beat are counted too (cnt_stall_clocks_o, stall_o in each such clock): no frame is lost then, but
// frames on their way may cross later than their tags say. Each that does is counted, and what is
// decided on behind them has its true departure again (plumb_tx_slip). Beats that wait for
// link-level retry (blocked_i) do not count as that.
//
// A schedule runs while running_i and tx_enable_i are high. When either falls it stops at once;
// frames already decided on are sent in full. After reset and clear_i the tables are swept
// (clear_busy_o, about 2^FlowsLog2 clocks).
//
// now_i of a clock is the time of the edge it begins with; a beat visible in a clock crosses at the
// edge it ends with.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_tx #(
  parameter int unsigned FlowsLog2 = 8,
  parameter int unsigned PathClocks = 0
) (
  // Clock, reset (active low), card time
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [63:0]  now_i,                 // ps, of the edge that begins the clock
  input  logic [63:0]  offset_i,              // ps to add to the departure in a test tag

  // Run control
  input  logic         running_i,             // level: schedules live, from 8 us before start
  input  logic [63:0]  start_time_i,          // epoch of all due times, card time in ps
  input  logic         tx_enable_i,           // level: this port takes part (PORT_CONTROL)
  input  logic         clear_i,               // pulse: empties schedule, flow state, counters
  output logic         clear_busy_o,          // level, until the sweep has ended
  output logic         active_o,              // level: frames to send or on their way

  // Link-level retry
  input  logic         llr_hold_i,            // level: no scheduled frame may go (LLR)
  input  logic         blocked_i,             // level: LLR holds the beat at the outputs
  output logic         empty_o,               // level: no frame of a flow inside

  // Calibration, static during a run
  input  logic [31:0]  byte_time_ps_i,        // ps per byte on the wire
  input  logic [31:0]  ts_offset_i,           // signed ps from MAC boundary to reference point
  input  logic [31:0]  late_threshold_ps_i,   // ps after its due time that make a frame late

  // Flow control: what blocks frames, by priority, and what a blocked frame does (plumb_tx_gate).
  // Word p of a vector belongs to priority p.
  input  logic [7:0]   paused_i,              // level, one bit per priority
  input  logic [8*64-1:0] pause_end_time_i,   // 64 bits each: end of pause, card time in ps
  input  logic [8*14-1:0] credit_i,           // 14 bits each: longest frame with credit, bytes
  input  logic [7:0]   credit_busy_i,         // level, one bit each: credit_i not valid yet
  input  logic         wait_i,                // level: a blocked frame waits, else is given up
  output logic [13:0]  root_length_o,         // bytes with FCS of the earliest frame
  output logic [2:0]   root_priority_o,       // priority of that frame
  output logic         sent_o,                // pulse: root_* of one clock ago was sent

  // Control frames (PFC, CC_Update): taken in a clock with valid and ready
  input  logic         control_valid_i,       // level: a control frame waits
  output logic         control_ready_o,       // combinational: taken in this clock
  input  logic [479:0] control_data_i,        // frame without FCS, byte 0 in bits 7:0
  output logic [63:0]  control_crossing_time_o,  // earliest card time at the MAC if taken now, ps

  // Event frames: control frames of any length up to 132 whose bytes are outside
  input  logic         control_timed_i,       // level: the control frame that waits is one
  input  logic [13:0]  timed_length_i,        // bytes with FCS, 64 to 132
  output logic [1:0]   timed_beat_o,          // beat to be built
  input  logic [511:0] timed_data_i,          // combinational, that beat; byte 0 in bits 7:0

  // Table bus: one access at a time, from the request to the acknowledge
  input  logic         tbl_req_i,             // pulse, with the four signals below
  input  logic         tbl_we_i,              // 1: write, 0: read
  input  logic [3:0]   tbl_table_i,           // number of the table (plumb_pkg::Table...)
  input  logic [15:0]  tbl_row_i,
  input  logic [511:0] tbl_wdata_i,           // row to be written
  output logic         tbl_ack_o,             // pulse: access done
  output logic [511:0] tbl_rdata_o,           // row that was read, with tbl_ack_o

  // To the MAC or what lies before it: AXI4-Stream, frames with FCS
  output logic [511:0] tx_tdata_o,            // byte 0 in bits 7:0
  output logic [63:0]  tx_tkeep_o,            // per byte; all ones but in a last beat
  output logic         tx_tvalid_o,
  output logic         tx_tlast_o,
  input  logic         tx_tready_i,
  output logic [63:0]  tx_departure_o,        // at the reference point, card time in ps
  output plumb_tx_pkg::user_t tx_user_o,      // flow, number and kind of the frame
  output logic         tx_sof_o,              // the beat is a frame's first

  // At the MAC, PathClocks behind these outputs
  input  logic         mac_first_i,           // pulse: the first beat of a frame crosses
  input  logic [63:0]  mac_departure_i,       // with mac_first_i: that frame's tx_departure_o
  input  logic         retry_i,               // level: link-level retry is on, frames may wait there

  // Counters since reset or clear_i, and events
  output logic [63:0]  cnt_frames_o,          // frames, control frames included
  output logic [63:0]  cnt_bytes_o,           // bytes, FCS included
  output logic [63:0]  cnt_late_o,            // frames later than the threshold
  output logic [63:0]  cnt_late_max_ps_o,     // largest lateness, ps
  output logic [63:0]  cnt_pfc_skipped_o,     // slots given up because of a pause
  output logic [63:0]  cnt_credit_skipped_o,  // slots given up for lack of credit
  output logic [63:0]  cnt_waited_o,          // frames that waited for pause or credit
  output logic [63:0]  cnt_stall_clocks_o,    // clocks in which stall_o was high
  output logic [63:0]  cnt_displaced_o,       // frames that crossed later than their tag says
  output logic [63:0]  cnt_displaced_max_ps_o,  // largest such displacement, ps
  output logic         late_o,                // pulse: a frame was late
  output logic         stall_o                // level: the MAC does not take the beat
);

  // Bounded by the heap below and by the 12 bits of a template's row above.
  `PLUMB_RANGE(plumb_tx, FlowsLog2, 3, 10)
  `PLUMB_PARAMETER(plumb_tx, PathClocks, PathClocks < 2**14, less than 2^14)

  // Latencies of the stages, as their headers say.
  localparam int unsigned ScheduleClocks = 1;
  localparam int unsigned FieldsClocks = 4;
  localparam int unsigned BuilderClocks = 4;
  localparam int unsigned ModifyClocks = 3;
  localparam int unsigned TrailerClocks = plumb_crc32_pkg::Crc32Latency + 2;
  localparam int unsigned FifoClocks = 3;
  localparam int unsigned PopToMac = ScheduleClocks + FieldsClocks + BuilderClocks + ModifyClocks +
                                     2 * TrailerClocks + FifoClocks + PathClocks;
  // Beats between the builder's input and the FIFO, and the clocks that pause needs to act.
  localparam int unsigned FifoReserve = BuilderClocks + ModifyClocks + 2 * TrailerClocks + 2;

  // Decisions.
  logic                 frame, control_frame, still, pending, hold, rows_free, fields_busy, run_q;
  logic                 clear_row_we, state_free;
  logic                 entry_we, entry_re, config_we, config_re, state_re;
  logic                 gap_we, gap_re, qp_we, qp_re, pattern_we, pattern_re, frame_listed;
  logic [FlowsLog2-1:0] frame_flow, frame_slot, clear_row;
  logic [11:0]          frame_entry;
  logic [13:0]          frame_length;
  logic [63:0]          frame_sequence, frame_departure;
  logic [11:0]          row;
  logic [511:0]         wdata, entry_row, sched_config_row, state_row;
  logic [351:0]         sched_pattern_row;
  logic [63:0]          gap_row, shift_ps, wire_free;
  logic                 shift_valid, shift_taken;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) run_q <= 1'b0;
    else         run_q <= running_i && tx_enable_i;
  end

  // A control frame has 64 bytes.
  logic       timed_q;
  logic [6:0] control_extra;
  assign control_extra = control_timed_i ? 7'(timed_length_i - 14'(plumb_pkg::MinFrameBytes)) : 7'd0;

  always_ff @(posedge clk_i) begin
    if (control_ready_o) timed_q <= control_timed_i;
  end

  plumb_tx_sched #(
    .FlowsLog2 (FlowsLog2),
    .PopToMac  (PopToMac)
  ) u_sched (
    .clk_i               (clk_i),
    .rst_ni              (rst_ni),
    .now_i               (now_i),
    .start_time_i        (start_time_i),
    .run_i               (run_q),
    .byte_time_ps_i      (byte_time_ps_i),
    .late_threshold_ps_i (late_threshold_ps_i),
    .paused_i            (paused_i),
    .pause_end_time_i    (pause_end_time_i),
    .credit_i            (credit_i),
    .credit_busy_i       (credit_busy_i),
    .wait_i              (wait_i),
    .control_i           (control_valid_i),
    .control_extra_i     (control_extra),
    .control_o           (control_ready_o),
    .control_frame_o     (control_frame),
    .crossing_time_o     (control_crossing_time_o),
    .root_length_o       (root_length_o),
    .root_priority_o     (root_priority_o),
    .hold_i              (hold),
    .llr_hold_i          (llr_hold_i),
    .clear_i             (clear_i),
    .builder_busy_i      (fields_busy),
    .clear_busy_o        (clear_busy_o),
    .clear_row_we_o      (clear_row_we),
    .clear_row_o         (clear_row),
    .pending_o           (pending),
    .frame_o             (frame),
    .frame_flow_o        (frame_flow),
    .frame_slot_o        (frame_slot),
    .frame_listed_o      (frame_listed),
    .frame_entry_o       (frame_entry),
    .frame_length_o      (frame_length),
    .frame_sequence_o    (frame_sequence),
    .frame_departure_o   (frame_departure),
    .shift_valid_i       (shift_valid),
    .shift_ps_i          (shift_ps),
    .shift_taken_o       (shift_taken),
    .wire_free_o         (wire_free),
    .still_o             (still),
    .entry_we_i          (entry_we),
    .entry_re_i          (entry_re),
    .config_we_i         (config_we),
    .config_re_i         (config_re),
    .pattern_we_i        (pattern_we),
    .pattern_re_i        (pattern_re),
    .gap_we_i            (gap_we),
    .gap_re_i            (gap_re),
    .state_free_o        (state_free),
    .state_re_i          (state_re),
    .row_i               (row[FlowsLog2-1:0]),
    .gap_row_i           (row),
    .row_wdata_i         (wdata),
    .entry_row_o         (entry_row),
    .config_row_o        (sched_config_row),
    .pattern_row_o       (sched_pattern_row),
    .gap_row_o           (gap_row),
    .state_row_o         (state_row),
    .late_o              (late_o),
    .cnt_late_o          (cnt_late_o),
    .cnt_late_max_ps_o   (cnt_late_max_ps_o),
    .cnt_pfc_skipped_o   (cnt_pfc_skipped_o),
    .cnt_credit_skipped_o(cnt_credit_skipped_o),
    .cnt_waited_o        (cnt_waited_o)
  );

  assign sent_o = frame;

  plumb_tx_slip u_slip (
    .clk_i                  (clk_i),
    .rst_ni                 (rst_ni),
    .clear_i                (clear_i),
    .now_i                  (now_i),
    .ts_offset_i            (ts_offset_i),
    .quiet_i                (retry_i),
    .first_i                (mac_first_i),
    .departure_i            (mac_departure_i),
    .shift_valid_o          (shift_valid),
    .shift_ps_o             (shift_ps),
    .shift_taken_i          (shift_taken),
    .wire_free_i            (wire_free),
    .cnt_displaced_o        (cnt_displaced_o),
    .cnt_displaced_max_ps_o (cnt_displaced_max_ps_o)
  );

  // Frames to be built.
  logic                 build;
  plumb_tx_pkg::frame_t build_frame;
  plumb_tx_pkg::user_t  build_user;
  logic [63:0]          departure;
  logic [511:0]         fields_config_row;
  logic [351:0]         fields_pattern_row;
  logic [143:0]         qp_row;

  plumb_tx_fields #(
    .FlowsLog2 (FlowsLog2)
  ) u_fields (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .ts_offset_i     (ts_offset_i),
    .offset_i        (offset_i),
    .pop_control_i   (control_frame),
    .pop_timed_i     (timed_q),
    .timed_length_i  (timed_length_i),
    .pop_valid_i     (frame),
    .pop_flow_i      (frame_flow),
    .pop_slot_i      (frame_slot),
    .pop_listed_i    (frame_listed),
    .pop_entry_i     (frame_entry),
    .pop_length_i    (frame_length),
    .pop_sequence_i  (frame_sequence),
    .pop_departure_i (frame_departure),
    .busy_o          (fields_busy),
    .frame_valid_o   (build),
    .frame_o         (build_frame),
    .departure_o     (departure),
    .user_o          (build_user),
    .config_we_i     (config_we),
    .config_re_i     (config_re),
    .pattern_we_i    (pattern_we),
    .pattern_re_i    (pattern_re),
    .qp_we_i         (qp_we),
    .qp_re_i         (qp_re),
    .row_i           (row),
    .wdata_i         (wdata),
    .config_row_o    (fields_config_row),
    .pattern_row_o   (fields_pattern_row),
    .qp_row_o        (qp_row),
    .clear_we_i      (clear_row_we),
    .clear_row_i     (clear_row)
  );

  // Beats.
  logic                 pause, built, modified, with_icrc, complete, template_we, template_re;
  logic [511:0]         built_data, modified_data, icrc_data, with_icrc_data, complete_data;
  logic [511:0]         template_row;
  plumb_tx_pkg::beat_t  built_beat, modified_beat, with_icrc_beat, complete_beat;
  plumb_tx_pkg::frame_t built_frame;

  plumb_tx_builder #(
    .FlowsLog2 (FlowsLog2)
  ) u_builder (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .pause_i       (pause),
    .hold_o        (hold),
    .rows_free_o   (rows_free),
    .control_we_i  (control_ready_o && !control_timed_i),
    .control_data_i(control_data_i),
    .timed_beat_o  (timed_beat_o),
    .timed_data_i  (timed_data_i),
    .frame_valid_i (build),
    .frame_i       (build_frame),
    .beat_valid_o  (built),
    .beat_data_o   (built_data),
    .beat_o        (built_beat),
    .frame_o       (built_frame),
    .tbl_we_i      (template_we),
    .tbl_re_i      (template_re),
    .tbl_row_i     (row[FlowsLog2+1:0]),
    .tbl_wdata_i   (wdata),
    .tbl_rdata_o   (template_row)
  );

  plumb_tx_modify u_modify (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .beat_valid_i (built),
    .beat_data_i  (built_data),
    .beat_i       (built_beat),
    .frame_i      (built_frame),
    .beat_valid_o (modified),
    .beat_data_o  (modified_data),
    .beat_o       (modified_beat),
    .icrc_data_o  (icrc_data)
  );

  plumb_tx_trailer #(
    .SideW (plumb_tx_pkg::BeatW)
  ) u_icrc (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .beat_valid_i (modified),
    .beat_data_i  (modified_data),
    .beat_side_i  (modified_beat),
    .insert_i     (modified_beat.icrc_here),
    .insert_at_i  (modified_beat.icrc_at),
    .crc_valid_i  (modified && modified_beat.icrc_covered),
    .crc_first_i  (modified_beat.first),
    .crc_last_i   (modified_beat.icrc_ends),
    .crc_data_i   (icrc_data),
    .crc_bytes_i  ({modified_beat.icrc_at == 6'd0, modified_beat.icrc_at}),
    .beat_valid_o (with_icrc),
    .beat_data_o  (with_icrc_data),
    .beat_side_o  (with_icrc_beat)
  );

  logic [511:0] fcs_data;

  always_comb begin
    fcs_data = with_icrc_data;
    if (with_icrc_beat.first) fcs_data[31:0] = with_icrc_data[31:0] ^ plumb_crc32_pkg::FcsInit;
  end

  plumb_tx_trailer #(
    .SideW (plumb_tx_pkg::BeatW)
  ) u_fcs (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .beat_valid_i (with_icrc),
    .beat_data_i  (with_icrc_data),
    .beat_side_i  (with_icrc_beat),
    .insert_i     (with_icrc_beat.fcs_here),
    .insert_at_i  (with_icrc_beat.fcs_at),
    .crc_valid_i  (with_icrc && with_icrc_beat.fcs_covered),
    .crc_first_i  (with_icrc_beat.first),
    .crc_last_i   (with_icrc_beat.fcs_ends),
    .crc_data_i   (fcs_data),
    .crc_bytes_i  ({with_icrc_beat.fcs_at == 6'd0, with_icrc_beat.fcs_at}),
    .beat_valid_o (complete),
    .beat_data_o  (complete_data),
    .beat_side_o  (complete_beat)
  );

  logic [6:0] tx_bytes;

  plumb_tx_fifo #(
    .BeatsLog2  (6),
    .FramesLog2 (7),
    .Reserve    (FifoReserve)
  ) u_fifo (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .pause_o           (pause),
    .departure_valid_i (build),
    .departure_i       (departure),
    .user_i            (build_user),
    .beat_valid_i      (complete),
    .beat_data_i       (complete_data),
    .beat_first_i      (complete_beat.first),
    .beat_last_i       (complete_beat.last),
    .beat_last_byte_i  (complete_beat.last_byte),
    .tx_tdata_o        (tx_tdata_o),
    .tx_tkeep_o        (tx_tkeep_o),
    .tx_tvalid_o       (tx_tvalid_o),
    .tx_tlast_o        (tx_tlast_o),
    .tx_tready_i       (tx_tready_i),
    .tx_departure_o    (tx_departure_o),
    .tx_user_o         (tx_user_o),
    .tx_sof_o          (tx_sof_o),
    .tx_bytes_o        (tx_bytes)
  );

  logic unused_side;
  assign unused_side = ^{with_icrc_beat, complete_beat};

  // Frames that were decided on are built, a clock behind: none comes while the scheduler is still.
  logic built_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) built_q <= 1'b1;
    else         built_q <= !fields_busy && rows_free;
  end

  plumb_tx_tables #(
    .FlowsLog2 (FlowsLog2)
  ) u_tables (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .tbl_req_i      (tbl_req_i),
    .tbl_we_i       (tbl_we_i),
    .tbl_table_i    (tbl_table_i),
    .tbl_row_i      (tbl_row_i),
    .tbl_wdata_i    (tbl_wdata_i),
    .tbl_ack_o      (tbl_ack_o),
    .tbl_rdata_o    (tbl_rdata_o),
    .still_i        (still && built_q),
    .state_free_i   (state_free),
    .qp_free_i      (!frame),
    .template_we_o  (template_we),
    .template_re_o  (template_re),
    .config_we_o    (config_we),
    .config_re_o    (config_re),
    .entry_we_o     (entry_we),
    .entry_re_o     (entry_re),
    .state_re_o     (state_re),
    .gap_we_o       (gap_we),
    .gap_re_o       (gap_re),
    .qp_we_o        (qp_we),
    .qp_re_o        (qp_re),
    .pattern_we_o   (pattern_we),
    .pattern_re_o   (pattern_re),
    .row_o          (row),
    .wdata_o        (wdata),
    .template_row_i (template_row),
    .config_row_i   (sched_config_row | fields_config_row),
    .entry_row_i    (entry_row),
    .state_row_i    (state_row),
    .gap_row_i      (gap_row),
    .qp_row_i       (qp_row),
    .pattern_row_i  (sched_pattern_row | fields_pattern_row)
  );

  // Counters, at the MAC boundary. 9216-byte frames at a 64-byte grid and 144 beats in the FIFO and
  // pipeline bound the frames on their way to less than 2^8.
  logic       beat_out, frame_out, flow_out;
  logic [7:0] frames_inside_q;
  assign beat_out  = tx_tvalid_o && tx_tready_i;
  assign frame_out = beat_out && tx_tlast_o;
  // A control frame is no part of what the schedule still has to send.
  assign flow_out  = frame_out && !tx_user_o.control;
  assign stall_o   = tx_tvalid_o && !tx_tready_i && !blocked_i;
  assign empty_o   = frames_inside_q == 8'd0;
  assign active_o  = pending || !empty_o;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) frames_inside_q <= '0;
    else         frames_inside_q <= frames_inside_q + 8'(frame) - 8'(flow_out);
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      cnt_frames_o       <= '0;
      cnt_bytes_o        <= '0;
      cnt_stall_clocks_o <= '0;
    end else if (clear_i) begin
      cnt_frames_o       <= '0;
      cnt_bytes_o        <= '0;
      cnt_stall_clocks_o <= '0;
    end else begin
      if (frame_out) cnt_frames_o       <= cnt_frames_o + 64'd1;
      if (beat_out)  cnt_bytes_o        <= cnt_bytes_o + 64'(tx_bytes);
      if (stall_o)   cnt_stall_clocks_o <= cnt_stall_clocks_o + 64'd1;
    end
  end

  `PLUMB_ASSERT(FramesInside, !(&frames_inside_q))

endmodule
