// Link-level retry of a port: sender and receiver, their messages, counters, and the histogram of
// retry latency (docs/card.md, "Link-level retry"). The control ordered sets of others go to and
// from the MAC through here too.
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
module plumb_llr #(
  parameter int unsigned BeatsLog2 = 12,
  parameter int unsigned FramesLog2 = 12,
  parameter int unsigned PathClocks = 0
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  logic [63:0]                            now_i,
  input  logic [31:0]                            ts_offset_i,
  input  plumb_llr_pkg::config_t                 config_i,
  input  logic                                   re_init_i,
  input  logic                                   clear_i,
  output logic                                   clear_busy_o,
  input  logic                                   link_up_i,
  // Frames from the sender of the port, to the MAC.
  input  logic [511:0]                           tx_tdata_i,
  input  logic [63:0]                            tx_tkeep_i,
  input  logic                                   tx_tvalid_i,
  input  logic                                   tx_tlast_i,
  output logic                                   tx_tready_o,
  input  plumb_tx_pkg::user_t                    tx_user_i,
  input  logic                                   tx_poisoned_i,
  input  logic [63:0]                            tx_departure_i,
  input  logic                                   tx_empty_i,
  input  logic                                   tx_sof_i,
  output logic                                   tx_hold_o,
  output logic                                   tx_blocked_o,
  output logic [511:0]                           mac_tx_tdata_o,
  output logic [63:0]                            mac_tx_tkeep_o,
  output logic                                   mac_tx_tvalid_o,
  output logic                                   mac_tx_tlast_o,
  input  logic                                   mac_tx_tready_i,
  output logic                                   mac_tx_sof_o,
  output logic [55:0]                            mac_tx_preamble_o,
  output plumb_tx_pkg::user_t                    mac_tx_user_o,
  output logic [63:0]                            mac_tx_departure_o,
  output logic                                   mac_tx_replay_o,
  // Frames from the MAC, to the receiver of the port.
  input  logic [511:0]                           mac_rx_tdata_i,
  input  logic [63:0]                            mac_rx_tkeep_i,
  input  logic                                   mac_rx_tvalid_i,
  input  logic                                   mac_rx_tlast_i,
  input  logic [55:0]                            mac_rx_preamble_i,
  input  logic [63:0]                            mac_rx_time_i,
  output logic [511:0]                           rx_tdata_o,
  output logic [63:0]                            rx_tkeep_o,
  output logic                                   rx_tvalid_o,
  output logic                                   rx_tlast_o,
  output logic [63:0]                            rx_time_o,
  // Control ordered sets; cf_* are those of others.
  input  logic                                   cf_valid_i,
  input  logic [63:0]                            cf_data_i,
  output logic                                   cf_ready_o,
  output logic                                   tx_ctl_valid_o,
  output logic [63:0]                            tx_ctl_o,
  input  logic                                   tx_ctl_ready_i,
  input  logic                                   rx_ctl_valid_i,
  input  logic [63:0]                            rx_ctl_i,
  // Retry histogram, see plumb_rx_latency.
  input  logic                                   group_read_i,
  input  logic [15:0]                            group_row_i,
  output logic                                   group_ack_o,
  output logic [plumb_rx_pkg::GroupW-1:0]        group_o,
  input  logic                                   hist_req_i,
  input  logic [4:0]                             hist_group_i,
  input  logic [15:0]                            hist_bucket_i,
  output logic                                   hist_ack_o,
  output logic [47:0]                            hist_data_o,
  // Observation.
  output logic [2:0]                             tx_state_o,
  output logic [1:0]                             rx_state_o,
  output logic [19:0]                            outstanding_o,
  output logic [48*plumb_llr_pkg::Counters-1:0]  counts_o,
  output logic [47:0]                            flushed_o
);

  logic        ack, nack, echo, init, send_init, init_taken, quiet;
  logic        send_ack, send_nack, ack_taken, nack_taken;
  logic [19:0] msg_seq, last_good, flushed;
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
    .flushed_o     (flushed)
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
    .flushed_i (flushed),
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
