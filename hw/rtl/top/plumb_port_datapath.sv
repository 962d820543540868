// The datapath of a port: sender, link-level retry, damage, receiver, flow control and capture,
// and what the port's registers show of them.
//
//   plumb_tx -> plumb_port_llr -> plumb_damage_port -> MAC
//   plumb_rx <- plumb_port_llr <- plumb_damage_port <- MAC
//
// Pins and capture streams: see plumb_port.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_port_datapath #(
  parameter int unsigned FlowsLog2 = 8,
  parameter int unsigned RowsLog2 = 12,
  parameter int unsigned GroupsLog2 = 4,
  parameter bit          WithCbfc = 1'b1,
  parameter bit          WithLlr = 1'b1
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic [63:0]  now_i,         // local time of this clock [ps]
  input  wire logic [63:0]  offset_i,      // card time - local time [ps]
  input  wire logic         running_i,     // the card's schedule runs
  input  wire logic [63:0]  start_time_i,  // its common start, local time [ps]

  // Registers
  input  wire plumb_regs_pkg::port_config_t   config_i,
  input  wire plumb_regs_pkg::port_pulse_t    pulse_i,
  input  wire logic                           reading_i,     // status_o is used
  output      plumb_regs_pkg::port_status_t   status_o,
  output      plumb_regs_pkg::port_fault_t    fault_o,
  output      plumb_regs_pkg::port_counters_t counters_o,    // in the clock of a snapshot
  input  wire logic                           table_busy_i,
  input  wire logic [47:0]                    hist_count_i,  // the cell that was read last

  // Event frames (plumb_event): what is received, and the frame to be sent
  output      logic [511:0] event_rx_tdata_o,
  output      logic         event_rx_tvalid_o,
  output      logic         event_rx_tlast_o,
  output      logic [63:0]  event_rx_time_o,
  output      logic         event_desc_valid_o,
  output      logic         event_desc_good_o,
  output      logic [15:0]  event_desc_length_o,
  output      logic [63:0]  event_desc_time_o,
  input  wire logic         event_desc_event_i,
  input  wire logic         event_valid_i,
  output      logic         event_ready_o,
  input  wire logic [13:0]  event_length_i,
  output      logic [1:0]   event_beat_o,
  input  wire logic [511:0] event_data_i,
  output      logic         event_taken_o,
  output      logic [63:0]  event_taken_departure_o,
  output      logic         event_stalled_o,
  output      logic         event_first_o,
  output      logic [63:0]  event_departure_o,

  // Tables of sender and receiver: request until the acknowledge
  input  wire logic         tbl_req_i,
  input  wire logic         tbl_we_i,
  output      logic         tx_tbl_ack_o,
  output      logic [511:0] tx_tbl_rdata_o,
  output      logic         rx_tbl_ack_o,
  output      logic [511:0] rx_tbl_rdata_o,

  // Histogram cells: request until the acknowledge
  input  wire logic         hist_req_i,
  output      logic         hist_ack_o,
  output      logic [47:0]  hist_data_o,

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

  `PLUMB_RANGE(plumb_port_datapath, FlowsLog2, 3, 10)
  `PLUMB_RANGE(plumb_port_datapath, RowsLog2, 1, 12)
  `PLUMB_RANGE(plumb_port_datapath, GroupsLog2, 1, 5)

  // ---- Sender ----

  logic [7:0]  paused;
  logic        tx_clear_busy, tx_active, tx_late, tx_stall;
  // What plumb_tx sends, before damage.
  logic [511:0]        whole_tdata;
  logic [63:0]         whole_tkeep, whole_departure;
  logic                whole_tvalid, whole_tlast, whole_tready, whole_sof;
  plumb_tx_pkg::user_t whole_user;
  logic [63:0] cnt_tx_frames, cnt_tx_bytes, cnt_tx_late, cnt_tx_late_max_ps, cnt_tx_pfc_skipped;
  logic [63:0] cnt_tx_stall_clocks, cnt_tx_credit_skipped, cnt_tx_waited;
  logic [63:0] cnt_tx_displaced, cnt_tx_displaced_max_ps;
  // Between sender and flow control.
  logic [511:0] pause_end_time;
  logic [111:0] credit;
  logic [7:0]   credit_busy;
  logic [13:0]  root_length;
  logic [2:0]   root_priority;
  logic         sent, control_valid, control_ready, tx_control_ready;
  logic [479:0] control_data;
  logic [63:0]  control_crossing_time;

  // Behind the link-level retry; what follows may hold frames up.
  logic [511:0]        llr_tdata;
  logic [63:0]         llr_tkeep, llr_departure, llr_ctl, taken_ctl;
  logic [55:0]         llr_preamble, taken_preamble;
  logic                llr_tvalid, llr_tlast, llr_tready, llr_ctl_valid, llr_ctl_ready;
  logic                taken_ctl_valid, tx_empty, llr_hold, llr_blocked;
  plumb_tx_pkg::user_t llr_user;

  plumb_tx #(
    .FlowsLog2 (FlowsLog2),
    .PathClocks(plumb_damage_pkg::Clocks)
  ) u_tx (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .now_i              (now_i),
    .offset_i           (offset_i),
    .running_i          (running_i),
    .start_time_i       (start_time_i),
    .tx_enable_i        (config_i.port_control_tx_enable),
    .clear_i            (pulse_i.port_command_clear_tx),
    .clear_busy_o       (tx_clear_busy),
    .active_o           (tx_active),
    .llr_hold_i         (llr_hold),
    .blocked_i          (llr_blocked),
    .empty_o            (tx_empty),
    .byte_time_ps_i     (config_i.byte_time_ps),
    .ts_offset_i        (config_i.tx_ts_offset),
    .late_threshold_ps_i(config_i.late_threshold_ps),
    .paused_i           (paused & config_i.port_control_pfc_react),
    .pause_end_time_i   (pause_end_time),
    .credit_i           (credit),
    .credit_busy_i      (credit_busy),
    .wait_i             (config_i.fc_control_wait),
    .root_length_o      (root_length),
    .root_priority_o    (root_priority),
    .sent_o             (sent),
    .control_valid_i    (control_valid || event_valid_i),
    .control_ready_o    (tx_control_ready),
    .control_data_i     (control_data),
    .control_timed_i    (!control_valid),
    .timed_length_i     (event_length_i),
    .timed_beat_o       (event_beat_o),
    .timed_data_i       (event_data_i),
    .control_crossing_time_o (control_crossing_time),
    .tbl_req_i          (tbl_req_i),
    .tbl_we_i           (tbl_we_i),
    .tbl_table_i        (config_i.tbl_addr_table),
    .tbl_row_i          (config_i.tbl_addr_row),
    .tbl_wdata_i        (config_i.tbl_data),
    .tbl_ack_o          (tx_tbl_ack_o),
    .tbl_rdata_o        (tx_tbl_rdata_o),
    .tx_tdata_o         (whole_tdata),
    .tx_tkeep_o         (whole_tkeep),
    .tx_tvalid_o        (whole_tvalid),
    .tx_tlast_o         (whole_tlast),
    .tx_tready_i        (whole_tready),
    .tx_departure_o     (whole_departure),
    .tx_user_o          (whole_user),
    .tx_sof_o           (whole_sof),
    .cnt_frames_o       (cnt_tx_frames),
    .cnt_bytes_o        (cnt_tx_bytes),
    .cnt_late_o         (cnt_tx_late),
    .cnt_late_max_ps_o  (cnt_tx_late_max_ps),
    .cnt_pfc_skipped_o  (cnt_tx_pfc_skipped),
    .cnt_credit_skipped_o(cnt_tx_credit_skipped),
    .cnt_waited_o       (cnt_tx_waited),
    .cnt_stall_clocks_o (cnt_tx_stall_clocks),
    .mac_first_i        (tx_tvalid_o && tx_tready_i && tx_sof),
    .mac_departure_i    (tx_departure),
    .retry_i            (config_i.llr_control_tx_enable),
    .cnt_displaced_o    (cnt_tx_displaced),
    .cnt_displaced_max_ps_o(cnt_tx_displaced_max_ps),
    .late_o             (tx_late),
    .stall_o            (tx_stall)
  );

  // An event frame waits behind the frames of flow control.
  assign control_ready = tx_control_ready && control_valid;
  assign event_ready_o = tx_control_ready && !control_valid;

  // ---- Damage ----

  plumb_damage_pkg::rule_t  damage_rule;
  plumb_damage_pkg::event_t damage_event;
  logic                     damage_ready, damage_event_valid, damage_sent_late;
  logic                     damage_received_late, tx_sof;
  logic [31:0]              damage_strikes;
  logic [63:0]              tx_departure;
  logic [511:0]             taken_tdata;       // what is received, behind the damage
  logic [63:0]              taken_tkeep, taken_time;
  logic                     taken_tvalid, taken_tlast;
  logic [64*11-1:0]         cnt_damage_sent;
  logic [64*9-1:0]          cnt_damage_received;

  always_comb begin
    `PLUMB_ANY(damage_rule)
    if (pulse_i.dmg_command_load_rule) begin
      damage_rule.kind   = config_i.dmg_rule_kind;
      damage_rule.match  = config_i.dmg_rule_match;
      damage_rule.flow   = config_i.dmg_rule_flow;
      damage_rule.first  = config_i.dmg_first;
      damage_rule.last   = config_i.dmg_last;
      damage_rule.step   = config_i.dmg_step;
      damage_rule.times  = config_i.dmg_times;
      damage_rule.offset = config_i.dmg_offset_bit;
      damage_rule.param  = config_i.dmg_param;
    end
  end

  plumb_damage_port u_damage (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .now_i            (now_i),
    .offset_i         (offset_i),
    .clear_sent_i     (pulse_i.port_command_clear_tx),
    .clear_received_i (pulse_i.port_command_clear_rx),
    .select_received_i(config_i.dmg_select_received),
    .select_slot_i    (config_i.dmg_select_slot),
    .load_rule_i      (pulse_i.dmg_command_load_rule),
    .rule_i           (damage_rule),
    .strikes_o        (damage_strikes),
    .load_random_i    (pulse_i.dmg_command_load_random),
    .random_on_i      (config_i.dmg_random_enable),
    .random_seed_i    (config_i.dmg_seed),
    .random_scale_i   (config_i.dmg_scale),
    .random_shift_i   (config_i.dmg_random_shift),
    .random_ready_o   (damage_ready),
    .sent_late_o      (damage_sent_late),
    .received_late_o  (damage_received_late),
    .log_valid_o      (damage_event_valid),
    .log_event_o      (damage_event),
    .log_pop_i        (pulse_i.dmg_log_time_hi_read),
    .tx_tdata_i       (llr_tdata),
    .tx_tkeep_i       (llr_tkeep),
    .tx_tvalid_i      (llr_tvalid),
    .tx_tlast_i       (llr_tlast),
    .tx_tready_o      (llr_tready),
    .tx_user_i        (llr_user),
    .tx_departure_i   (llr_departure),
    .tx_preamble_i    (llr_preamble),
    .tx_tdata_o       (tx_tdata_o),
    .tx_tkeep_o       (tx_tkeep_o),
    .tx_tvalid_o      (tx_tvalid_o),
    .tx_tlast_o       (tx_tlast_o),
    .tx_sof_o         (tx_sof),
    .tx_tready_i      (tx_tready_i),
    .tx_departure_o   (tx_departure),
    .tx_preamble_o    (tx_preamble_o),
    .rx_tdata_i       (rx_tdata_i),
    .rx_tkeep_i       (rx_tkeep_i),
    .rx_tvalid_i      (rx_tvalid_i),
    .rx_tlast_i       (rx_tlast_i),
    .rx_preamble_i    (rx_preamble_i),
    .rx_tdata_o       (taken_tdata),
    .rx_tkeep_o       (taken_tkeep),
    .rx_tvalid_o      (taken_tvalid),
    .rx_tlast_o       (taken_tlast),
    .rx_time_o        (taken_time),
    .rx_preamble_o    (taken_preamble),
    .tx_ctl_valid_i   (llr_ctl_valid),
    .tx_ctl_i         (llr_ctl),
    .tx_ctl_ready_o   (llr_ctl_ready),
    .tx_ctl_valid_o   (tx_ctl_valid_o),
    .tx_ctl_o         (tx_ctl_o),
    .tx_ctl_ready_i   (tx_ctl_ready_i),
    .rx_ctl_valid_i   (rx_ctl_valid_i),
    .rx_ctl_i         (rx_ctl_i),
    .rx_ctl_valid_o   (taken_ctl_valid),
    .rx_ctl_o         (taken_ctl),
    .cnt_sent_o       (cnt_damage_sent),
    .cnt_received_o   (cnt_damage_received)
  );

  // ---- Link-level retry ----

  logic [511:0] in_tdata;
  logic [63:0]  in_tkeep, in_time;
  logic         in_tvalid, in_tlast;
  logic         cf_valid, cf_ready;
  logic [63:0]  cf_data;
  logic         link_up_q, llr_clear_busy, retry_row, retry_cell;
  logic         retry_group_ack, retry_hist_ack;
  logic [2:0]   llr_tx_state;
  logic [1:0]   llr_rx_state;
  logic [19:0]  llr_outstanding;
  logic [47:0]  retry_hist_data, cnt_llr_flushed;
  logic [48*plumb_llr_pkg::Counters-1:0]  cnt_llr;
  logic [plumb_rx_pkg::GroupW-1:0]        retry_group;

  localparam int unsigned LlrBeatsLog2 = 12;
  localparam int unsigned LlrFramesLog2 = 12;

  plumb_llr_pkg::config_t llr_config;

  // While all of it is off there is nothing to configure, and to simulate.
  always_comb begin
    llr_config = '0;
    if (config_i.llr_control_tx_enable || config_i.llr_control_rx_enable ||
        llr_tx_state != plumb_llr_pkg::TxOff || llr_rx_state != plumb_llr_pkg::RxOff) begin
      llr_config.tx_enable = config_i.llr_control_tx_enable;
      llr_config.rx_enable = config_i.llr_control_rx_enable;
      llr_config.re_init_on_flush = config_i.llr_control_re_init_on_flush;
      llr_config.nack_once = config_i.llr_control_nack_once;
      llr_config.init_action = config_i.llr_control_init_action;
      llr_config.flush_action = config_i.llr_control_flush_action;
      llr_config.mac_control_eligible = config_i.llr_control_mac_control_eligible;
      llr_config.init_data_low_first = config_i.llr_control_init_data_low_first;
      llr_config.init_seq = config_i.llr_init_seq;
      llr_config.init_data = config_i.llr_init_data_data;
      llr_config.init_interval = config_i.llr_init_data_interval;
      llr_config.max_frames = config_i.llr_max_frames_frames;
      llr_config.max_bytes = config_i.llr_max_bytes;
      llr_config.replay_timer = config_i.llr_replay_timer;
      llr_config.replay_count_max = config_i.llr_replay_count_max;
      llr_config.pcs_lost = config_i.llr_pcs_lost;
      llr_config.data_age = config_i.llr_data_age;
      llr_config.ack_spacing = config_i.llr_ack_spacing_clocks;
      llr_config.byte_time_ps = config_i.byte_time_ps;
    end
  end

  plumb_port_llr #(
    .WithLlr   (WithLlr),
    .BeatsLog2 (LlrBeatsLog2),
    .FramesLog2(LlrFramesLog2)
  ) u_llr (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .now_i             (now_i),
    .config_i          (llr_config),
    .ts_offset_i       (config_i.tx_ts_offset),
    .re_init_i         (pulse_i.llr_command_re_init),
    .clear_i           (pulse_i.port_command_clear_rx),
    .clear_busy_o      (llr_clear_busy),
    .link_up_i         (link_up_i),
    .link_up_o         (link_up_q),
    .tx_tdata_i        (whole_tdata),
    .tx_tkeep_i        (whole_tkeep),
    .tx_tvalid_i       (whole_tvalid),
    .tx_tlast_i        (whole_tlast),
    .tx_tready_o       (whole_tready),
    .tx_user_i         (whole_user),
    .tx_departure_i    (whole_departure),
    .tx_empty_i        (tx_empty),
    .tx_sof_i          (whole_sof),
    .tx_hold_o         (llr_hold),
    .tx_blocked_o      (llr_blocked),
    .mac_tx_tdata_o    (llr_tdata),
    .mac_tx_tkeep_o    (llr_tkeep),
    .mac_tx_tvalid_o   (llr_tvalid),
    .mac_tx_tlast_o    (llr_tlast),
    .mac_tx_tready_i   (llr_tready),
    .mac_tx_preamble_o (llr_preamble),
    .mac_tx_user_o     (llr_user),
    .mac_tx_departure_o(llr_departure),
    .mac_rx_tdata_i    (taken_tdata),
    .mac_rx_tkeep_i    (taken_tkeep),
    .mac_rx_tvalid_i   (taken_tvalid),
    .mac_rx_tlast_i    (taken_tlast),
    .mac_rx_preamble_i (taken_preamble),
    .mac_rx_time_i     (taken_time),
    .rx_tdata_o        (in_tdata),
    .rx_tkeep_o        (in_tkeep),
    .rx_tvalid_o       (in_tvalid),
    .rx_tlast_o        (in_tlast),
    .rx_time_o         (in_time),
    .cf_valid_i        (cf_valid),
    .cf_data_i         (cf_data),
    .cf_ready_o        (cf_ready),
    .tx_ctl_valid_o    (llr_ctl_valid),
    .tx_ctl_o          (llr_ctl),
    .tx_ctl_ready_i    (llr_ctl_ready),
    .rx_ctl_valid_i    (taken_ctl_valid),
    .rx_ctl_i          (taken_ctl),
    .tbl_req_i         (tbl_req_i),
    .tbl_we_i          (tbl_we_i),
    .tbl_table_i       (config_i.tbl_addr_table),
    .tbl_row_i         (config_i.tbl_addr_row),
    .group_row_o       (retry_row),
    .group_ack_o       (retry_group_ack),
    .group_o           (retry_group),
    .hist_req_i        (hist_req_i),
    .hist_retry_i      (config_i.hist_addr_retry),
    .hist_group_i      (config_i.hist_addr_group),
    .hist_bucket_i     (config_i.hist_addr_bucket),
    .hist_cell_o       (retry_cell),
    .hist_ack_o        (retry_hist_ack),
    .hist_data_o       (retry_hist_data),
    .tx_state_o        (llr_tx_state),
    .rx_state_o        (llr_rx_state),
    .outstanding_o     (llr_outstanding),
    .counts_o          (cnt_llr),
    .flushed_o         (cnt_llr_flushed)
  );

  // ---- Receiver ----

  logic         group_tbl_ack, rx_hist_ack;
  logic [511:0] group_tbl_rdata;
  logic [47:0]  rx_hist_data;
  logic         rx_clear_busy, rx_desc_valid, rx_fcs_ok, rx_icrc_checked, rx_icrc_ok;
  logic         rx_event_overflow;
  logic [7:0]   pause_start, pause_end;
  logic [63:0]  pause_time;
  logic [63:0]  rx_timestamp;
  logic [15:0]  rx_length;
  logic [63:0]  cnt_rx_frames, cnt_rx_bytes, cnt_rx_fcs_errors, cnt_rx_icrc_errors, cnt_rx_runts;
  logic [63:0]  cnt_rx_giants, cnt_rx_untagged, cnt_rx_unparsed, cnt_rx_latency_negative;
  logic [63:0]  cnt_rx_event_overflow, cnt_rx_pause_frames, cnt_rx_mac_control_other;
  logic [63:0]  cnt_rx_bad_row, cnt_rx_trimmed, cnt_rx_trimmed_bare;
  logic [511:0] cnt_rx_xoff, cnt_rx_xon, cnt_paused_ps;

  plumb_rx #(
    .RowsLog2  (RowsLog2),
    .GroupsLog2(GroupsLog2)
  ) u_rx (
    .clk_i                  (clk_i),
    .rst_ni                 (rst_ni),
    .now_i                  (now_i),
    .clear_i                (pulse_i.port_command_clear_rx),
    .clear_busy_o           (rx_clear_busy),
    .byte_time_ps_i         (config_i.byte_time_ps),
    .ts_offset_i            (config_i.rx_ts_offset),
    .offset_i               (offset_i),
    .wide_rows_i            (config_i.rx_tracking_wide_rows),
    .trim_dscp_en_i         (config_i.rx_tracking_trim_by_dscp),
    .trim_dscp_i            (config_i.rx_tracking_trim_dscp),
    .trim_length_i          (config_i.rx_tracking_trim_by_length),
    .tbl_req_i              (tbl_req_i && (tbl_we_i || !retry_row)),
    .tbl_we_i               (tbl_we_i),
    .tbl_table_i            (config_i.tbl_addr_table),
    .tbl_row_i              (config_i.tbl_addr_row),
    .tbl_wdata_i            (config_i.tbl_data),
    .tbl_ack_o              (group_tbl_ack),
    .tbl_rdata_o            (group_tbl_rdata),
    .hist_req_i             (hist_req_i && !retry_cell),
    .hist_group_i           (config_i.hist_addr_group),
    .hist_bucket_i          (config_i.hist_addr_bucket),
    .hist_ack_o             (rx_hist_ack),
    .hist_data_o            (rx_hist_data),
    .rx_tdata_i             (in_tdata),
    .rx_tkeep_i             (in_tkeep),
    .rx_tvalid_i            (in_tvalid),
    .rx_tlast_i             (in_tlast),
    .rx_time_i              (in_time),
    .paused_o               (paused),
    .pause_end_time_o       (pause_end_time),
    .pause_start_o          (pause_start),
    .pause_end_o            (pause_end),
    .pause_time_o           (pause_time),
    .desc_valid_o           (rx_desc_valid),
    .desc_timestamp_o       (rx_timestamp),
    .desc_length_o          (rx_length),
    .desc_fcs_ok_o          (rx_fcs_ok),
    .desc_icrc_checked_o    (rx_icrc_checked),
    .desc_icrc_ok_o         (rx_icrc_ok),
    .desc_good_o            (event_desc_good_o),
    .desc_event_i           (event_desc_event_i),
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
    .cnt_trimmed_o          (cnt_rx_trimmed),
    .cnt_trimmed_bare_o     (cnt_rx_trimmed_bare),
    .cnt_xoff_o             (cnt_rx_xoff),
    .cnt_xon_o              (cnt_rx_xon),
    .cnt_paused_ps_o        (cnt_paused_ps),
    .event_overflow_o       (rx_event_overflow)
  );

  assign rx_tbl_ack_o   = group_tbl_ack || retry_group_ack;
  assign rx_tbl_rdata_o = retry_group_ack ? 512'(retry_group) : group_tbl_rdata;
  assign hist_ack_o     = rx_hist_ack || retry_hist_ack;
  assign hist_data_o    = retry_cell ? retry_hist_data : rx_hist_data;

  // ---- Flow control ----

  logic         send_busy, storm_active, storm_late, trace_valid, trace_lost, credit_error;
  logic [31:0]  storm_left;
  logic [80:0]  trace_entry;
  logic [10:0]  trace_level;
  logic [159:0] buffer_fill, credits_used;
  logic [511:0] cnt_tx_xoff, cnt_tx_xon;
  logic [63:0]  cnt_buffer_dropped, cnt_recovered, cnt_cf_sent, cnt_cf_received, cnt_cc_sent;
  logic [63:0]  cnt_cc_received, cnt_trace_lost;

  // STORM_TIME is card time, a storm goes by local time. Zero stays zero.
  logic        storm_at_once_q;
  logic [63:0] storm_time_q;

  always_ff @(posedge clk_i) begin
    storm_at_once_q <= {config_i.storm_time_hi, config_i.storm_time_lo} == '0;
    storm_time_q    <= storm_at_once_q ? '0
                       : {config_i.storm_time_hi, config_i.storm_time_lo} - offset_i;
  end

  plumb_fc #(
    .WithCbfc(WithCbfc)
  ) u_fc (
    .clk_i                 (clk_i),
    .rst_ni                (rst_ni),
    .offset_i              (offset_i),
    .clear_i               (pulse_i.port_command_clear_rx || rx_clear_busy),
    .byte_time_ps_i        (config_i.byte_time_ps),
    .cfg_watermark_i       (config_i.fc_control_watermark),
    .cfg_cbfc_tx_i         (config_i.fc_control_cbfc_tx),
    .cfg_cbfc_rx_i         (config_i.fc_control_cbfc_rx),
    .cfg_trace_i           (config_i.fc_control_trace),
    .cfg_dscp_i            (config_i.fc_control_dscp),
    .cfg_default_priority_i(config_i.fc_control_default_priority),
    .cfg_source_i          ({config_i.fc_source_hi_address, config_i.fc_source_lo}),
    .cfg_send_mask_i       (config_i.pfc_send_mask),
    .cfg_send_quanta_i     (config_i.pfc_send_quanta),
    .cfg_storm_mask_i      (config_i.storm_pfc_mask),
    .cfg_storm_quanta_i    (config_i.storm_pfc_quanta),
    .cfg_storm_count_i     (config_i.storm_count),
    .cfg_storm_period_i    (config_i.storm_period_ps),
    .cfg_storm_time_i      (storm_time_q),
    .cfg_watermark_quanta_i(config_i.rx_buffer_quanta),
    .cfg_refresh_i         (config_i.pfc_refresh),
    .cfg_cell_log2_i       (config_i.rx_buffer_cell_log2),
    .cfg_overhead_i        (config_i.rx_buffer_overhead),
    .cfg_capacity_i        (config_i.buffer_capacity),
    .cfg_xoff_i            (config_i.buffer_xoff),
    .cfg_xon_i             (config_i.buffer_xon),
    .cfg_drain_i           (config_i.buffer_drain),
    .cfg_credits_i         (config_i.credit_limit),
    .cfg_cf_min_i          (config_i.cf_min),
    .cfg_cf_max_i          (config_i.cf_max),
    .cfg_cc_period_i       (config_i.cc_period),
    .send_i                (pulse_i.pfc_send_written),
    .storm_start_i         (pulse_i.fc_command_storm_start),
    .storm_stop_i          (pulse_i.fc_command_storm_stop),
    .cbfc_reset_i          (pulse_i.fc_command_cbfc_reset),
    .trace_pop_i           (pulse_i.pause_event_read),
    .rx_tdata_i            (in_tdata),
    .rx_tvalid_i           (in_tvalid),
    .rx_tlast_i            (in_tlast),
    .desc_valid_i          (rx_desc_valid),
    .desc_length_i         (rx_length),
    .desc_fcs_ok_i         (rx_fcs_ok),
    .rx_start_i            (pause_start),
    .rx_end_i              (pause_end),
    .rx_event_time_i       (pause_time),
    .control_valid_o       (control_valid),
    .control_ready_i       (control_ready),
    .control_data_o        (control_data),
    .control_crossing_time_i (control_crossing_time),
    .root_length_i         (root_length),
    .root_priority_i       (root_priority),
    .sent_i                (sent),
    .credit_o              (credit),
    .credit_busy_o         (credit_busy),
    .cf_valid_o            (cf_valid),
    .cf_data_o             (cf_data),
    .cf_ready_i            (cf_ready),
    .rx_ctl_valid_i        (taken_ctl_valid),
    .rx_ctl_i              (taken_ctl),
    .send_busy_o           (send_busy),
    .storm_active_o        (storm_active),
    .storm_left_o          (storm_left),
    .storm_late_o          (storm_late),
    .trace_valid_o         (trace_valid),
    .trace_entry_o         (trace_entry),
    .trace_level_o         (trace_level),
    .trace_lost_o          (trace_lost),
    .credit_error_o        (credit_error),
    .fill_o                (buffer_fill),
    .credits_used_o        (credits_used),
    .cnt_tx_xoff_o         (cnt_tx_xoff),
    .cnt_tx_xon_o          (cnt_tx_xon),
    .cnt_dropped_o         (cnt_buffer_dropped),
    .cnt_recovered_o       (cnt_recovered),
    .cnt_cf_sent_o         (cnt_cf_sent),
    .cnt_cf_received_o     (cnt_cf_received),
    .cnt_cc_sent_o         (cnt_cc_sent),
    .cnt_cc_received_o     (cnt_cc_received),
    .cnt_trace_lost_o      (cnt_trace_lost)
  );

  // ---- Capture ----

  logic        rx_dropped, tx_dropped;
  logic [63:0] capture_dropped;

  plumb_port_capture u_capture (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .enable_rx_i        (config_i.port_control_capture_rx),
    .enable_tx_i        (config_i.port_control_capture_tx),
    .clear_i            (pulse_i.port_command_clear_rx),
    .offset_i           (offset_i),
    .rx_tdata_i         (in_tdata),
    .rx_tkeep_i         (in_tkeep),
    .rx_tvalid_i        (in_tvalid),
    .rx_tlast_i         (in_tlast),
    .rx_desc_valid_i    (rx_desc_valid),
    .rx_timestamp_i     (rx_timestamp),
    .rx_length_i        (rx_length),
    .rx_fcs_ok_i        (rx_fcs_ok),
    .rx_icrc_checked_i  (rx_icrc_checked),
    .rx_icrc_ok_i       (rx_icrc_ok),
    .tx_tdata_i         (tx_tdata_o),
    .tx_tkeep_i         (tx_tkeep_o),
    .tx_tvalid_i        (tx_tvalid_o),
    .tx_tlast_i         (tx_tlast_o),
    .tx_tready_i        (tx_tready_i),
    .tx_sof_i           (tx_sof),
    .tx_departure_i     (tx_departure),
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
    .cap_ready_i        (cap_ready_i),
    .rx_dropped_o       (rx_dropped),
    .tx_dropped_o       (tx_dropped),
    .dropped_o          (capture_dropped)
  );

  // ---- Event frames ----

  assign event_rx_tdata_o        = in_tdata;
  assign event_rx_tvalid_o       = in_tvalid;
  assign event_rx_tlast_o        = in_tlast;
  assign event_rx_time_o         = in_time;
  assign event_desc_valid_o      = rx_desc_valid;
  assign event_desc_length_o     = rx_length;
  assign event_desc_time_o       = rx_timestamp;
  assign event_taken_o           = llr_tvalid && llr_tready && llr_user.timed;
  assign event_taken_departure_o = llr_departure;
  assign event_stalled_o         = tx_tvalid_o && !tx_tready_i;
  assign event_first_o           = tx_tvalid_o && tx_tready_i && tx_sof;
  assign event_departure_o       = tx_departure;

  // ---- What the registers show ----

  // Put together when looked at only, status_o by a read and counters_o by a snapshot: both are wide,
  // and simulated every clock.
  always_comb begin
    `PLUMB_ANY(status_o)
    if (reading_i) begin
      // The command itself counts as busy: the blocks see it in this clock.
      status_o.port_status_clear_busy = tx_clear_busy || rx_clear_busy || llr_clear_busy ||
                                      pulse_i.port_command_clear_tx || pulse_i.port_command_clear_rx;
      status_o.port_status_tx_active = tx_active;
      status_o.port_status_paused = paused;
      status_o.tbl_status_busy = table_busy_i;
      status_o.dmg_status_random_ready = damage_ready;
      status_o.dmg_strikes = damage_strikes;
      status_o.dmg_log_event_flow = damage_event.flow;
      status_o.dmg_log_event_slot = damage_event.slot;
      status_o.dmg_log_event_kind = damage_event.kind;
      status_o.dmg_log_event_subject = damage_event.subject;
      status_o.dmg_log_event_valid = damage_event_valid;
      status_o.dmg_log_number = damage_event.number;
      status_o.dmg_log_position = 32'(damage_event.position);
      status_o.dmg_log_time_lo = damage_event.stamp[31:0];
      status_o.dmg_log_time_hi = damage_event.stamp[63:32];
      status_o.fc_status_storm_active = storm_active;
      status_o.fc_status_send_busy = send_busy;
      status_o.fc_status_trace_level = trace_level;
      status_o.storm_left = storm_left;
      status_o.pause_time_lo = trace_entry[48:17];
      status_o.pause_time_hi = trace_entry[80:49];
      status_o.pause_event_starts = trace_entry[7:0];
      status_o.pause_event_ends = trace_entry[15:8];
      status_o.pause_event_sent = trace_entry[16];
      status_o.pause_event_valid = trace_valid;
      for (int unsigned p = 0; p < 8; p++) begin
        status_o.buffer_fill[32*p+:32] = 32'(buffer_fill[20*p+:20]);
        status_o.credits_used[32*p+:32] = 32'(credits_used[20*p+:20]);
      end
      status_o.llr_status_tx_state = llr_tx_state;
      status_o.llr_status_rx_state = llr_rx_state;
      status_o.llr_status_link_up = link_up_q;
      status_o.llr_status_outstanding = llr_outstanding;
      status_o.llr_capacity_beats_log2 = WithLlr ? 5'(LlrBeatsLog2) : 5'd0;
      status_o.llr_capacity_frames_log2 = WithLlr ? 5'(LlrFramesLog2) : 5'd0;
      status_o.hist_lo = hist_count_i[31:0];
      status_o.hist_hi = {16'b0, hist_count_i[47:32]};
    end
  end

  always_comb begin
    fault_o.fc_sticky_storm_late = storm_late;
    fault_o.fc_sticky_trace_lost = trace_lost;
    fault_o.fc_sticky_credit_error = credit_error;
    fault_o.dmg_sticky_sent_late = damage_sent_late;
    fault_o.dmg_sticky_received_late = damage_received_late;
    fault_o.port_sticky_tx_late = tx_late;
    fault_o.port_sticky_tx_stall = tx_stall;
    fault_o.port_sticky_rx_event_overflow = rx_event_overflow;
    fault_o.port_sticky_capture_overflow = rx_dropped || tx_dropped;
  end

  always_comb begin
    `PLUMB_ANY(counters_o)
    if (pulse_i.port_command_snapshot) begin
      counters_o.tx_frames = cnt_tx_frames;
      counters_o.tx_bytes = cnt_tx_bytes;
      counters_o.tx_late = cnt_tx_late;
      counters_o.tx_late_max_ps = cnt_tx_late_max_ps;
      counters_o.tx_pfc_skipped = cnt_tx_pfc_skipped;
      counters_o.tx_stall_clocks = cnt_tx_stall_clocks;
      counters_o.tx_displaced = cnt_tx_displaced;
      counters_o.tx_displaced_max_ps = cnt_tx_displaced_max_ps;
      counters_o.rx_frames = cnt_rx_frames;
      counters_o.rx_bytes = cnt_rx_bytes;
      counters_o.rx_fcs_errors = cnt_rx_fcs_errors;
      counters_o.rx_icrc_errors = cnt_rx_icrc_errors;
      counters_o.rx_runts = cnt_rx_runts;
      counters_o.rx_giants = cnt_rx_giants;
      counters_o.rx_untagged = cnt_rx_untagged;
      counters_o.rx_unparsed = cnt_rx_unparsed;
      counters_o.rx_latency_negative = cnt_rx_latency_negative;
      counters_o.rx_event_overflow = cnt_rx_event_overflow;
      counters_o.rx_pause_frames = cnt_rx_pause_frames;
      counters_o.rx_mac_control_other = cnt_rx_mac_control_other;
      counters_o.rx_bad_row = cnt_rx_bad_row;
      counters_o.rx_trimmed = cnt_rx_trimmed;
      counters_o.rx_trimmed_bare = cnt_rx_trimmed_bare;
      counters_o.capture_dropped = capture_dropped;
      counters_o.pause_events_lost = cnt_trace_lost;
      counters_o.tx_xoff = cnt_tx_xoff;
      counters_o.tx_xon = cnt_tx_xon;
      counters_o.tx_credit_skipped = cnt_tx_credit_skipped;
      counters_o.tx_waited = cnt_tx_waited;
      counters_o.rx_buffer_dropped = cnt_buffer_dropped;
      counters_o.credits_recovered = cnt_recovered;
      counters_o.cf_sent = cnt_cf_sent;
      counters_o.cf_received = cnt_cf_received;
      counters_o.cc_sent = cnt_cc_sent;
      counters_o.cc_received = cnt_cc_received;
      counters_o.llr_tx_init = 64'(cnt_llr[48*0+:48]);
      counters_o.llr_tx_echo = 64'(cnt_llr[48*1+:48]);
      counters_o.llr_tx_ack = 64'(cnt_llr[48*2+:48]);
      counters_o.llr_tx_nack = 64'(cnt_llr[48*3+:48]);
      counters_o.llr_rx_init = 64'(cnt_llr[48*4+:48]);
      counters_o.llr_rx_echo = 64'(cnt_llr[48*5+:48]);
      counters_o.llr_rx_ack = 64'(cnt_llr[48*6+:48]);
      counters_o.llr_rx_nack = 64'(cnt_llr[48*7+:48]);
      counters_o.llr_rx_ctl_bad = 64'(cnt_llr[48*8+:48]);
      counters_o.llr_rx_ok = 64'(cnt_llr[48*9+:48]);
      counters_o.llr_rx_poisoned = 64'(cnt_llr[48*10+:48]);
      counters_o.llr_rx_bad = 64'(cnt_llr[48*11+:48]);
      counters_o.llr_expected_good = 64'(cnt_llr[48*12+:48]);
      counters_o.llr_expected_poisoned = 64'(cnt_llr[48*13+:48]);
      counters_o.llr_expected_bad = 64'(cnt_llr[48*14+:48]);
      counters_o.llr_missing_seq = 64'(cnt_llr[48*15+:48]);
      counters_o.llr_duplicate_seq = 64'(cnt_llr[48*16+:48]);
      counters_o.llr_rx_replay = 64'(cnt_llr[48*17+:48]);
      counters_o.llr_rx_discarded = 64'(cnt_llr[48*18+:48]);
      counters_o.llr_seq_error = 64'(cnt_llr[48*19+:48]);
      counters_o.llr_tx_discarded = 64'(cnt_llr[48*20+:48]);
      counters_o.llr_tx_ok = 64'(cnt_llr[48*21+:48]);
      counters_o.llr_tx_poisoned = 64'(cnt_llr[48*22+:48]);
      counters_o.llr_tx_replay = 64'(cnt_llr[48*23+:48]);
      counters_o.llr_tx_replay_frames = 64'(cnt_llr[48*24+:48]);
      counters_o.llr_delayed = 64'(cnt_llr[48*25+:48]);
      counters_o.llr_flushed = 64'(cnt_llr_flushed);
      counters_o.rx_xoff = cnt_rx_xoff;
      counters_o.rx_xon = cnt_rx_xon;
      counters_o.paused_ps = cnt_paused_ps;
      {counters_o.tx_dmg_sets_dropped, counters_o.tx_dmg_sets_damaged, counters_o.tx_dmg_log_overflow,
       counters_o.tx_dmg_frames, counters_o.tx_dmg_random_bits, counters_o.tx_dmg_random_frames,
       counters_o.tx_dmg_dropped, counters_o.tx_dmg_truncated, counters_o.tx_dmg_icrc,
       counters_o.tx_dmg_fcs, counters_o.tx_dmg_bits} = cnt_damage_sent;
      {counters_o.rx_dmg_sets_dropped, counters_o.rx_dmg_sets_damaged, counters_o.rx_dmg_log_overflow,
       counters_o.rx_dmg_frames, counters_o.rx_dmg_random_bits, counters_o.rx_dmg_random_frames,
       counters_o.rx_dmg_dropped, counters_o.rx_dmg_truncated, counters_o.rx_dmg_bits} =
          cnt_damage_received;
    end
  end

endmodule
