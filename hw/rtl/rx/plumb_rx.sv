// Receiver of one port (docs/card.md, "RX"): timestamp, FCS and ICRC check, parser, test tag, flow
// table, latency groups, PFC.
//
//   framer ─► parse_net ─┬─► parse_transport ─► tag ─► verdict ─┬─► event FIFO ─► flow table
//                        └─► check (FCS, ICRC) ──────────┘      │                 └─► latency
//                                                               └─► PFC, counters, descriptors
//
// Takes a beat every clock, and frames of one beat every clock until the event FIFO (512) is full;
// events leave it every two clocks, faster than 64-byte frames at 100 Gb/s come. Descriptors come
// DescLatency = 11 clocks after the cycle of a frame's last beat, for every frame in order.
// cnt_frames_o and cnt_bytes_o count every frame. Each is a runt, a giant, an FCS error or good,
// and only good ones have any other effect.
//
// clear_i zeroes tables, groups, histograms and counters; until clear_busy_o falls nothing is
// counted, so that everything counts from the same clock on. PFC timers keep running. The same
// clearing follows reset. Table and histogram reads take the clocks that events leave free and do
// not delay them; writes to tables 4 and 5 are acknowledged and do nothing.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_rx #(
  parameter int unsigned RowsLog2 = 12,
  parameter int unsigned GroupsLog2 = 4
) (
  // Clock, reset (active low), card time
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic [63:0]     now_i,                    // ps, of the edge that begins the clock
  input  logic            clear_i,                  // pulse: zeroes tables, histograms and counters
  output logic            clear_busy_o,             // level, until the sweep has ended

  // Calibration and tracking, static during a run
  input  logic [31:0]     byte_time_ps_i,           // ps per byte on the wire, for pause times
  input  logic [31:0]     ts_offset_i,              // signed ps from MAC to reference point
  input  logic [63:0]     offset_i,                 // signed ps from local to card time
  input  logic            wide_rows_i,              // tag id: group 4, row 12 bits; else 5, 11
  input  logic            trim_dscp_en_i,           // trimmed: has this DSCP
  input  logic [5:0]      trim_dscp_i,
  input  logic            trim_length_i,            // trimmed: UDP is longer than IP holds

  // Table bus, tables 4 and 5: one access at a time, from the request to the acknowledge
  input  logic            tbl_req_i,                // pulse, with the four signals below
  input  logic            tbl_we_i,                 // 1: write (acknowledged, no effect), 0: read
  input  logic [3:0]      tbl_table_i,              // number of the table (plumb_pkg::Table...)
  input  logic [15:0]     tbl_row_i,
  input  logic [511:0]    tbl_wdata_i,              // not used
  output logic            tbl_ack_o,                // pulse: access done
  output logic [511:0]    tbl_rdata_o,              // row that was read, with tbl_ack_o

  // Latency histogram: one cell at a time
  input  logic            hist_req_i,               // pulse, with the next two
  input  logic [4:0]      hist_group_i,
  input  logic [15:0]     hist_bucket_i,
  output logic            hist_ack_o,               // pulse
  output logic [47:0]     hist_data_o,              // frames in the cell, with hist_ack_o

  // From link-level retry: AXI4-Stream without tready, frames with FCS
  input  logic [511:0]    rx_tdata_i,               // byte 0 in bits 7:0
  input  logic [63:0]     rx_tkeep_i,               // per byte; all ones but in a last beat
  input  logic            rx_tvalid_i,
  input  logic            rx_tlast_i,
  input  logic [63:0]     rx_time_i,                // of the first beat at the MAC; card time, ps

  // Pauses that this port obeys (plumb_pfc_timers); word p belongs to priority p
  output logic [7:0]      paused_o,                 // level, one bit per priority
  output logic [8*64-1:0] pause_end_time_o,         // 64 bits each: end of pause, card time, ps
  output logic [7:0]      pause_start_o,            // pulse, one bit per priority: a pause begins
  output logic [7:0]      pause_end_o,              // pulse, one bit per priority: a pause is over
  output logic [63:0]     pause_time_o,             // of either pulse, card time in ps

  // Descriptor of each frame, for capture and flow control
  output logic            desc_valid_o,             // pulse, with the rest of desc_*
  output logic [63:0]     desc_timestamp_o,         // at the reference point, card time in ps
  output logic [15:0]     desc_length_o,            // bytes with FCS; saturates
  output logic            desc_fcs_ok_o,
  output logic            desc_icrc_checked_o,      // good frame that must have an ICRC
  output logic            desc_icrc_ok_o,           // with desc_icrc_checked_o: the ICRC is right
  output logic            desc_good_o,              // FCS right, neither runt nor giant
  input  logic            desc_event_i,             // an event frame: neither untagged nor unparsed

  // Counters of frames since reset or clear_i
  output logic [63:0]     cnt_frames_o,             // all frames
  output logic [63:0]     cnt_bytes_o,              // bytes of all frames, FCS included
  output logic [63:0]     cnt_fcs_errors_o,
  output logic [63:0]     cnt_icrc_errors_o,
  output logic [63:0]     cnt_runts_o,              // below 64 bytes
  output logic [63:0]     cnt_giants_o,             // above 9216 bytes
  output logic [63:0]     cnt_untagged_o,           // understood, without a test tag
  output logic [63:0]     cnt_unparsed_o,           // not understood
  output logic [63:0]     cnt_latency_negative_o,   // received before they departed
  output logic [63:0]     cnt_event_overflow_o,     // tagged frames that found the event FIFO full
  output logic [63:0]     cnt_pause_frames_o,       // 802.3x PAUSE
  output logic [63:0]     cnt_mac_control_other_o,  // MAC control, neither PFC nor PAUSE
  output logic [63:0]     cnt_bad_row_o,            // tag of a row or group that is not there
  output logic [63:0]     cnt_trimmed_o,            // trimmed, with tag or without
  output logic [63:0]     cnt_trimmed_bare_o,       // trimmed, without a tag
  output logic [8*64-1:0] cnt_xoff_o,               // XOFF received, 64 bits per priority
  output logic [8*64-1:0] cnt_xon_o,                // XON (time 0) received, 64 bits per priority
  output logic [8*64-1:0] cnt_paused_ps_o,          // ps in pause, 64 bits per priority
  output logic            event_overflow_o          // pulse: a tagged frame found the FIFO full
);

  // A test tag has 12 bits for the row at most, and 5 for the group.
  `PLUMB_RANGE(plumb_rx, RowsLog2, 1, 12)
  `PLUMB_RANGE(plumb_rx, GroupsLog2, 1, 5)

  // Stream and parser.
  logic                s1_valid;
  plumb_rx_pkg::beat_t s1_beat;
  logic [511:0]        s1_data;
  logic                s2_valid;
  plumb_rx_pkg::beat_t s2_beat;
  logic [511:0]        s2_data;
  plumb_rx_pkg::net_t  s2_net;
  logic                s3_valid;
  plumb_rx_pkg::beat_t s3_beat;
  logic [511:0]        s3_data;
  plumb_rx_pkg::net_t  s3_net;
  logic                s3_known;
  logic [7:0]          s3_udp_data;
  logic [5:0]          s3_dscp;
  logic [16:0]         s3_udp_end;
  logic [7:0]          s3_tag_off;
  logic [143:0]        tag_body;

  plumb_rx_framer u_framer (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .ts_offset_i (ts_offset_i),
    .offset_i    (offset_i),
    .rx_tdata_i  (rx_tdata_i),
    .rx_tkeep_i  (rx_tkeep_i),
    .rx_tvalid_i (rx_tvalid_i),
    .rx_tlast_i  (rx_tlast_i),
    .rx_time_i   (rx_time_i),
    .valid_o     (s1_valid),
    .beat_o      (s1_beat),
    .data_o      (s1_data)
  );

  plumb_rx_parse_net u_parse_net (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (s1_valid),
    .beat_i  (s1_beat),
    .data_i  (s1_data),
    .valid_o (s2_valid),
    .beat_o  (s2_beat),
    .data_o  (s2_data),
    .net_o   (s2_net)
  );

  plumb_rx_parse_transport u_parse_transport (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .valid_i    (s2_valid),
    .beat_i     (s2_beat),
    .data_i     (s2_data),
    .net_i      (s2_net),
    .valid_o    (s3_valid),
    .beat_o     (s3_beat),
    .data_o     (s3_data),
    .net_o      (s3_net),
    .known_o    (s3_known),
    .udp_data_o (s3_udp_data),
    .dscp_o     (s3_dscp),
    .udp_end_o  (s3_udp_end),
    .tag_off_o  (s3_tag_off)
  );

  plumb_rx_tag u_tag (
    .clk_i         (clk_i),
    .valid_i       (s3_valid),
    .first_i       (s3_beat.first),
    .index_i       (s3_beat.index),
    .data_i        (s3_data),
    .mac_control_i (s3_net.mac_control),
    .tag_word_i    (s3_tag_off[7:2]),
    .body_o        (tag_body)
  );

  // What only earlier stages use.
  logic unused_s3;
  assign unused_s3 = ^{s3_beat.bytes, s3_net.kind, s3_net.vlan, s3_net.ipv6, s3_net.uet};

  // Checksums and verdict.
  logic                 check_valid;
  logic                 check_fcs_ok;
  logic                 check_icrc_ok;
  logic                 frame;
  logic [31:0]          frame_length;
  logic                 runt;
  logic                 giant;
  logic                 fcs_error;
  logic                 icrc_checked;
  logic                 icrc_ok;
  logic                 pfc;
  logic                 pause;
  logic                 control_other;
  logic                 unparsed;
  logic                 untagged;
  logic                 trimmed;
  logic                 bare;
  logic                 bad_row;
  logic                 event_push;
  plumb_rx_pkg::event_t event_in;
  logic [135:0]         pfc_body;

  plumb_rx_check u_check (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .valid_i   (s2_valid),
    .first_i   (s2_beat.first),
    .last_i    (s2_beat.last),
    .index_i   (s2_beat.index),
    .bytes_i   (s2_beat.bytes),
    .data_i    (s2_data),
    .roce_i    (s2_net.roce),
    .vlan_i    (s2_net.vlan),
    .ipv6_i    (s2_net.ipv6),
    .ip_end_i  (s2_net.ip_end),
    .valid_o   (check_valid),
    .fcs_ok_o  (check_fcs_ok),
    .icrc_ok_o (check_icrc_ok)
  );

  plumb_rx_verdict #(
    .RowsLog2   (RowsLog2),
    .GroupsLog2 (GroupsLog2),
    .CheckDelay (plumb_crc32_pkg::Crc32Latency)
  ) u_verdict (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .wide_rows_i     (wide_rows_i),
    .trim_dscp_en_i  (trim_dscp_en_i),
    .trim_dscp_i     (trim_dscp_i),
    .trim_length_i   (trim_length_i),
    .end_i           (s3_valid && s3_beat.last),
    .stamp_i         (s3_beat.stamp),
    .length_i        (s3_beat.length),
    .mac_control_i   (s3_net.mac_control),
    .pfc_i           (s3_net.pfc),
    .pause_i         (s3_net.pause),
    .roce_i          (s3_net.roce),
    .ce_i            (s3_net.ce),
    .ip_end_i        (s3_net.ip_end),
    .known_i         (s3_known),
    .udp_i           (s3_net.udp),
    .dscp_i          (s3_dscp),
    .udp_end_i       (s3_udp_end),
    .udp_data_i      (s3_udp_data),
    .tag_off_i       (s3_tag_off),
    .body_i          (tag_body),
    .fcs_valid_i     (check_valid),
    .fcs_ok_i        (check_fcs_ok),
    .icrc_ok_i       (check_icrc_ok),
    .frame_o         (frame),
    .stamp_o         (desc_timestamp_o),
    .length_o        (frame_length),
    .fcs_ok_o        (desc_fcs_ok_o),
    .runt_o          (runt),
    .giant_o         (giant),
    .fcs_error_o     (fcs_error),
    .icrc_checked_o  (icrc_checked),
    .icrc_ok_o       (icrc_ok),
    .pfc_o           (pfc),
    .pause_o         (pause),
    .control_other_o (control_other),
    .unparsed_o      (unparsed),
    .untagged_o      (untagged),
    .trimmed_o       (trimmed),
    .bare_o          (bare),
    .bad_row_o       (bad_row),
    .event_o         (event_push),
    .event_data_o    (event_in),
    .pfc_body_o      (pfc_body)
  );

  assign desc_valid_o        = frame;
  assign desc_length_o       = (|frame_length[31:16]) ? 16'hffff : frame_length[15:0];
  assign desc_icrc_checked_o = icrc_checked;
  assign desc_icrc_ok_o      = icrc_ok;
  assign desc_good_o         = desc_fcs_ok_o && !runt && !giant;

  // Nothing counts from clear_i until the slowest table is clear.
  logic flow_busy;
  logic latency_busy;
  logic clearing;

  assign clear_busy_o = flow_busy || latency_busy;
  assign clearing     = clear_i || flow_busy || latency_busy;

  // Tables.
  logic                 event_valid;
  logic                 event_pop;
  plumb_rx_pkg::event_t event_out;
  logic                 counted;
  logic [4:0]           counted_group;
  logic [47:0]          counted_latency;
  logic                 latency_negative;
  logic                 flow_ack;
  logic                 group_ack;
  logic [plumb_rx_pkg::RowTableW-1:0] flow_row;
  logic [plumb_rx_pkg::GroupW-1:0]    group_row;

  plumb_rx_event_fifo u_events (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .clear_i    (clearing),
    .push_i     (event_push),
    .event_i    (event_in),
    .overflow_o (event_overflow_o),
    .valid_o    (event_valid),
    .pop_i      (event_pop),
    .event_o    (event_out)
  );

  plumb_rx_flow_table #(
    .RowsLog2 (RowsLog2)
  ) u_flow_table (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .clear_i       (clear_i),
    .busy_o        (flow_busy),
    .event_valid_i (event_valid),
    .pop_o         (event_pop),
    .event_i       (event_out),
    .counted_o     (counted),
    .group_o       (counted_group),
    .latency_o     (counted_latency),
    .read_i        (tbl_req_i && !tbl_we_i && (tbl_table_i == plumb_pkg::TableRxFlow)),
    .read_row_i    (tbl_row_i),
    .ack_o         (flow_ack),
    .row_o         (flow_row)
  );

  plumb_rx_latency #(
    .GroupsLog2 (GroupsLog2)
  ) u_latency (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .clear_i          (clear_i),
    .busy_o           (latency_busy),
    .valid_i          (counted),
    .group_i          (counted_group),
    .latency_i        (counted_latency),
    .negative_o       (latency_negative),
    .group_read_i     (tbl_req_i && !tbl_we_i && (tbl_table_i == plumb_pkg::TableGroup)),
    .group_read_row_i (tbl_row_i),
    .group_ack_o      (group_ack),
    .group_o          (group_row),
    .hist_req_i       (hist_req_i),
    .hist_group_i     (hist_group_i),
    .hist_bucket_i    (hist_bucket_i),
    .hist_ack_o       (hist_ack_o),
    .hist_data_o      (hist_data_o)
  );

  logic write_ack_q;
  logic unused_wdata;

  assign unused_wdata = ^tbl_wdata_i;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      write_ack_q <= 1'b0;
    end else begin
      write_ack_q <= tbl_req_i && tbl_we_i && ((tbl_table_i == plumb_pkg::TableRxFlow) ||
                                               (tbl_table_i == plumb_pkg::TableGroup));
    end
  end

  assign tbl_ack_o   = flow_ack || group_ack || write_ack_q;
  assign tbl_rdata_o = flow_ack  ? 512'(flow_row) :
                       group_ack ? 512'(group_row) : 512'd0;

  // Port.
  plumb_pfc_timers u_pfc (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .now_i           (now_i),
    .clear_i         (clearing),
    .byte_time_ps_i  (byte_time_ps_i),
    .frame_i         (pfc),
    .body_i          (pfc_body),
    .paused_o        (paused_o),
    .pause_end_time_o (pause_end_time_o),
    .start_o         (pause_start_o),
    .end_o           (pause_end_o),
    .event_time_o    (pause_time_o),
    .cnt_xoff_o      (cnt_xoff_o),
    .cnt_xon_o       (cnt_xon_o),
    .cnt_paused_ps_o (cnt_paused_ps_o)
  );

  plumb_rx_counters u_counters (
    .clk_i                   (clk_i),
    .rst_ni                  (rst_ni),
    .clear_i                 (clearing),
    .frame_i                 (frame),
    .length_i                (frame_length),
    .fcs_error_i             (fcs_error),
    .icrc_error_i            (icrc_checked && !icrc_ok),
    .runt_i                  (runt),
    .giant_i                 (giant),
    .untagged_i              (untagged && !desc_event_i),
    .unparsed_i              (unparsed && !desc_event_i),
    .latency_negative_i      (latency_negative),
    .event_overflow_i        (event_overflow_o),
    .pause_i                 (pause),
    .control_other_i         (control_other),
    .bad_row_i               (bad_row),
    .trimmed_i               (trimmed),
    .bare_i                  (bare),
    .cnt_frames_o            (cnt_frames_o),
    .cnt_bytes_o             (cnt_bytes_o),
    .cnt_fcs_errors_o        (cnt_fcs_errors_o),
    .cnt_icrc_errors_o       (cnt_icrc_errors_o),
    .cnt_runts_o             (cnt_runts_o),
    .cnt_giants_o            (cnt_giants_o),
    .cnt_untagged_o          (cnt_untagged_o),
    .cnt_unparsed_o          (cnt_unparsed_o),
    .cnt_latency_negative_o  (cnt_latency_negative_o),
    .cnt_event_overflow_o    (cnt_event_overflow_o),
    .cnt_pause_frames_o      (cnt_pause_frames_o),
    .cnt_mac_control_other_o (cnt_mac_control_other_o),
    .cnt_bad_row_o           (cnt_bad_row_o),
    .cnt_trimmed_o           (cnt_trimmed_o),
    .cnt_trimmed_bare_o      (cnt_trimmed_bare_o)
  );

endmodule
