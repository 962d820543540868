// Link-level retry of a port: sender and receiver, their messages, counters, and the histogram of
// retry latency (docs/card.md, "Link-level retry"). The control ordered sets of CBFC go to the
// MAC through here too.
//
//   sender of the port ──► plumb_llr_tx ──► MAC ──► plumb_llr_rx ──► receiver of the port
//                              ▲   │ INIT    ▲ │        │   ▲ INIT
//                  ACK, NACK, ECHO └─► plumb_llr_ctl ◄──┘ ACK, NACK
//
// PathClocks is what lies between mac_tx_* and the MAC.
//
// Both directions are wires while off (config_i), and are switched between frames.
//
// Retry latencies are kept as plumb_rx_latency keeps those of frames: group 0 for retries of
// damaged frames, group 1 for those of frames that were missing. clear_i zeroes them and the
// counters.
`include "plumb_assert.svh"

module plumb_llr #(
  parameter int unsigned BeatsLog2 = 12,
  parameter int unsigned FramesLog2 = 12,
  parameter int unsigned PathClocks = 0
) (
  // Clock, reset (active low), card time
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  logic [63:0]                            now_i,     // ps, of the edge that begins the clock
  input  logic [31:0]                            ts_offset_i,  // signed ps from MAC to reference
                                                               // point

  // Control
  input  plumb_llr_pkg::config_t                 config_i,  // levels; times in clocks
  input  logic                                   re_init_i,  // pulse: flush, then begin again
  input  logic                                   clear_i,   // pulse: zeroes counters and retry
                                                            // histogram
  output logic                                   clear_busy_o,  // level, until the sweep has ended
  input  logic                                   link_up_i,  // level: the link is up

  // Frames from the sender of the port: AXI4-Stream with FCS
  input  logic [511:0]                           tx_tdata_i,  // byte 0 in bits 7:0
  input  logic [63:0]                            tx_tkeep_i,  // per byte; all ones but in a last
                                                              // beat
  input  logic                                   tx_tvalid_i,
  input  logic                                   tx_tlast_i,
  output logic                                   tx_tready_o,  // combinational
  input  plumb_tx_pkg::user_t                    tx_user_i,  // flow, number, kind; steady in a
                                                             // frame
  input  logic                                   tx_poisoned_i,  // FCS complemented; steady in a
                                                                 // frame
  input  logic [63:0]                            tx_departure_i,  // steady through a frame; card
                                                                  // time in ps
  input  logic                                   tx_empty_i,  // level: no frame between gate and
                                                              // here
  input  logic                                   tx_sof_i,  // the beat is a frame's first
  output logic                                   tx_hold_o,  // level, to the gate: let no frame go
  output logic                                   tx_blocked_o,  // combinational: frame must not
                                                                // start now

  // The same and replayed frames, to the MAC
  output logic [511:0]                           mac_tx_tdata_o,
  output logic [63:0]                            mac_tx_tkeep_o,
  output logic                                   mac_tx_tvalid_o,
  output logic                                   mac_tx_tlast_o,
  input  logic                                   mac_tx_tready_i,
  output logic                                   mac_tx_sof_o,  // the beat is a frame's first
  output logic [55:0]                            mac_tx_preamble_o,  // with the first beat: D1 to
                                                                     // D7, D1 lowest
  output plumb_tx_pkg::user_t                    mac_tx_user_o,  // flow, number and kind
  output logic [63:0]                            mac_tx_departure_o,  // at the reference point,
                                                                      // card time in ps
  output logic                                   mac_tx_replay_o,  // the beat is of a replayed
                                                                   // frame

  // Frames from the MAC: AXI4-Stream without tready
  input  logic [511:0]                           mac_rx_tdata_i,
  input  logic [63:0]                            mac_rx_tkeep_i,
  input  logic                                   mac_rx_tvalid_i,
  input  logic                                   mac_rx_tlast_i,
  input  logic [55:0]                            mac_rx_preamble_i,  // with the first beat: D1 to
                                                                     // D7, D1 lowest
  input  logic [63:0]                            mac_rx_time_i,  // of the first beat at the MAC,
                                                                 // card time in ps

  // Those that are passed on, to the receiver of the port
  output logic [511:0]                           rx_tdata_o,
  output logic [63:0]                            rx_tkeep_o,
  output logic                                   rx_tvalid_o,
  output logic                                   rx_tlast_o,
  output logic [63:0]                            rx_time_o,  // mac_rx_time_i of the frame's first
                                                             // beat

  // Control ordered sets, D0 in bits 7:0; cf_* are those of CBFC
  input  logic                                   cf_valid_i,  // level: a set waits
  input  logic [63:0]                            cf_data_i,
  output logic                                   cf_ready_o,  // combinational: taken in this clock
  output logic                                   tx_ctl_valid_o,  // level, until it is taken
  output logic [63:0]                            tx_ctl_o,
  input  logic                                   tx_ctl_ready_i,  // every set taken has its place
                                                                  // on the line
  input  logic                                   rx_ctl_valid_i,  // pulse: a set was received
  input  logic [63:0]                            rx_ctl_i,

  // Groups and histogram of retry latency, see plumb_rx_latency
  input  logic                                   group_read_i,  // pulse
  input  logic [15:0]                            group_row_i,  // 0: damaged frames, 1: missing
                                                               // frames
  output logic                                   group_ack_o,  // pulse
  output logic [plumb_rx_pkg::GroupW-1:0]        group_o,   // with group_ack_o: a group_t
  input  logic                                   hist_req_i,  // pulse
  input  logic [4:0]                             hist_group_i,  // with hist_req_i, as group_row_i
  input  logic [15:0]                            hist_bucket_i,  // with hist_req_i
  output logic                                   hist_ack_o,  // pulse
  output logic [47:0]                            hist_data_o,  // retries in the cell, with
                                                               // hist_ack_o

  // Observation
  output logic [2:0]                             tx_state_o,  // plumb_llr_pkg::Tx...
  output logic [1:0]                             rx_state_o,  // plumb_llr_pkg::Rx...
  output logic [19:0]                            outstanding_o,  // frames sent and not acknowledged
  output logic [48*plumb_llr_pkg::Counters-1:0]  counts_o,  // 48 bits each, in the order of the
                                                            // events' structs
  output logic [47:0]                            flushed_o  // frames given up since reset or
                                                            // clear_i
);

  `PLUMB_RANGE(plumb_llr, BeatsLog2, 9, 30)
  `PLUMB_RANGE(plumb_llr, FramesLog2, 1, 19)
  `PLUMB_PARAMETER(plumb_llr, PathClocks, PathClocks < 2**20, less than 2^20)

  logic        ack, nack, echo, init, send_init, init_taken, quiet, flush;
  logic        send_ack, send_nack, ack_taken, nack_taken;
  logic [19:0] msg_seq, last_good;
  plumb_llr_pkg::tx_events_t  tx_events;
  plumb_llr_pkg::rx_events_t  rx_events;
  plumb_llr_pkg::ctl_events_t ctl_events;

  // Off, nothing changes but what follows the frames and ordered sets that pass, and counters that
  // are cleared or read.
  logic clk_on, rx_on;

  plumb_clock_gate u_on (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .busy_i (config_i.tx_enable || config_i.rx_enable || clear_i || clear_busy_o ||
             tx_state_o != plumb_llr_pkg::TxOff || rx_state_o != plumb_llr_pkg::RxOff || rx_on ||
             group_read_i || hist_req_i || cf_valid_i || tx_ctl_valid_o || rx_ctl_valid_i ||
             {tx_events, rx_events, ctl_events} != '0),
    .clk_o  (clk_on)
  );

  plumb_llr_tx #(
    .BeatsLog2  (BeatsLog2),
    .FramesLog2 (FramesLog2),
    .PathClocks (PathClocks)
  ) u_tx (
    .clk_i         (clk_i),
    .clk_on_i      (clk_on),
    .rst_ni        (rst_ni),
    .now_i         (now_i),
    .ts_offset_i   (ts_offset_i),
    .config_i      (config_i),
    .re_init_i     (re_init_i),
    .link_up_i     (link_up_i),
    .s_tdata_i     (tx_tdata_i),
    .s_tkeep_i     (tx_tkeep_i),
    .s_tvalid_i    (tx_tvalid_i),
    .s_tlast_i     (tx_tlast_i),
    .s_tready_o    (tx_tready_o),
    .s_sof_i       (tx_sof_i),
    .s_user_i      (tx_user_i),
    .s_poisoned_i  (tx_poisoned_i),
    .s_departure_i (tx_departure_i),
    .s_empty_i     (tx_empty_i),
    .hold_o        (tx_hold_o),
    .blocked_o     (tx_blocked_o),
    .m_tdata_o     (mac_tx_tdata_o),
    .m_tkeep_o     (mac_tx_tkeep_o),
    .m_tvalid_o    (mac_tx_tvalid_o),
    .m_tlast_o     (mac_tx_tlast_o),
    .m_tready_i    (mac_tx_tready_i),
    .m_sof_o       (mac_tx_sof_o),
    .m_preamble_o  (mac_tx_preamble_o),
    .m_user_o      (mac_tx_user_o),
    .m_departure_o (mac_tx_departure_o),
    .m_replay_o    (mac_tx_replay_o),
    .ack_i         (ack),
    .nack_i        (nack),
    .msg_seq_i     (msg_seq),
    .echo_i        (echo),
    .init_o        (send_init),
    .init_taken_i  (init_taken),
    .quiet_i       (quiet),
    .state_o       (tx_state_o),
    .outstanding_o (outstanding_o),
    .events_o      (tx_events),
    .flush_o       (flush)
  );

  logic        retry, retry_gap;
  logic [47:0] retry_ps;

  plumb_llr_rx u_rx (
    .clk_i        (clk_i),
    .clk_on_i     (clk_on),
    .rst_ni       (rst_ni),
    .now_i        (now_i[47:0]),
    .enable_i     (config_i.rx_enable),
    .ack_spacing_i(config_i.ack_spacing),
    .nack_once_i  (config_i.nack_once),
    .s_tdata_i    (mac_rx_tdata_i),
    .s_tkeep_i    (mac_rx_tkeep_i),
    .s_tvalid_i   (mac_rx_tvalid_i),
    .s_tlast_i    (mac_rx_tlast_i),
    .s_preamble_i (mac_rx_preamble_i),
    .s_time_i     (mac_rx_time_i),
    .m_tdata_o    (rx_tdata_o),
    .m_tkeep_o    (rx_tkeep_o),
    .m_tvalid_o   (rx_tvalid_o),
    .m_tlast_o    (rx_tlast_o),
    .m_time_o     (rx_time_o),
    .init_i       (init),
    .init_seq_i   (msg_seq),
    .ack_o        (send_ack),
    .nack_o       (send_nack),
    .last_good_o  (last_good),
    .ack_taken_i  (ack_taken),
    .nack_taken_i (nack_taken),
    .on_o         (rx_on),
    .state_o      (rx_state_o),
    .events_o     (rx_events),
    .retry_o      (retry),
    .retry_gap_o  (retry_gap),
    .retry_ps_o   (retry_ps)
  );

  plumb_llr_ctl u_ctl (
    .clk_i          (clk_on),
    .rst_ni         (rst_ni),
    .tx_enable_i    (config_i.tx_enable),
    .rx_enable_i    (config_i.rx_enable),
    .init_seq_i     (config_i.init_seq),
    .init_data_i    (config_i.init_data),
    .low_first_i    (config_i.init_data_low_first),
    .init_i         (send_init),
    .init_taken_o   (init_taken),
    .quiet_o        (quiet),
    .ack_o          (ack),
    .nack_o         (nack),
    .seq_o          (msg_seq),
    .echo_o         (echo),
    .send_ack_i     (send_ack),
    .send_nack_i    (send_nack),
    .last_good_i    (last_good),
    .ack_taken_o    (ack_taken),
    .nack_taken_o   (nack_taken),
    .init_o         (init),
    .cf_valid_i     (cf_valid_i),
    .cf_data_i      (cf_data_i),
    .cf_ready_o     (cf_ready_o),
    .tx_ctl_valid_o (tx_ctl_valid_o),
    .tx_ctl_o       (tx_ctl_o),
    .tx_ctl_ready_i (tx_ctl_ready_i),
    .rx_ctl_valid_i (rx_ctl_valid_i),
    .rx_ctl_i       (rx_ctl_i),
    .events_o       (ctl_events)
  );

  plumb_llr_counters u_counters (
    .clk_i     (clk_on),
    .rst_ni    (rst_ni),
    .clear_i   (clear_i || clear_busy_o),
    .events_i  ({tx_events, rx_events, ctl_events}),
    .flush_i   (flush),
    .flushed_i (outstanding_o),
    .counts_o  (counts_o),
    .flushed_o (flushed_o)
  );

  // A retry takes less than the 2^47 ps that would count as negative.
  logic unused_negative;

  plumb_rx_latency #(
    .GroupsLog2 (1)
  ) u_retry (
    .clk_i            (clk_on),
    .rst_ni           (rst_ni),
    .clear_i          (clear_i),
    .busy_o           (clear_busy_o),
    .valid_i          (retry),
    .group_i          ({4'd0, retry_gap}),
    .latency_i        (retry_ps),
    .negative_o       (unused_negative),
    .group_read_i     (group_read_i),
    .group_read_row_i (group_row_i),
    .group_ack_o      (group_ack_o),
    .group_o          (group_o),
    .hist_req_i       (hist_req_i),
    .hist_group_i     (hist_group_i),
    .hist_bucket_i    (hist_bucket_i),
    .hist_ack_o       (hist_ack_o),
    .hist_data_o      (hist_data_o)
  );

endmodule
