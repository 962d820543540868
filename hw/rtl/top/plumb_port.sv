// One port of the card: its registers, sender, receiver and capture.
//
// Register bus: reg_wen_i or reg_ren_i pulses for one clock with address and data, reg_ack_o ends
// the access; reg_rdata_o is zero in all other clocks, so that the card can simply OR its blocks.
// An access takes three clocks. Longer, because they wait: TBL_ADDR, TBL_CMD and TBL_DATA while a
// table command is at work (at most 300 clocks), and HIST_ADDR, HIST_LO and HIST_HI while a cell is
// being fetched.
//
// clk_bus_i is clk_i for all that only changes by an access or when something went wrong; it may
// rest (plumb_clock_gate) but while bus_busy_o is high, or an access comes.
//
// Capture streams: see plumb_capture_tap. cap_ready_i is common to both directions of the port.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_port #(
  parameter int unsigned FlowsLog2 = 8,
  parameter int unsigned RowsLog2 = 12,
  parameter int unsigned GroupsLog2 = 4,
  parameter bit          WithCbfc = 1'b1,
  parameter bit          WithLlr = 1'b1
) (
  input  wire logic         clk_i,
  input  wire logic         clk_bus_i,
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
  output      logic         bus_busy_o,

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

  always_comb begin
    table_address = 1'b0;
    hist_address  = 1'b0;
    go            = 1'b0;
    if (write_q || read_q) begin
      table_address = address == plumb_regs_pkg::PortTblAddrOffset ||
                      address == plumb_regs_pkg::PortTblCmdOffset ||
                      address[11:6] == 6'(plumb_regs_pkg::PortTblDataOffset >> 6);
      hist_address  = address == plumb_regs_pkg::PortHistAddrOffset ||
                      address == plumb_regs_pkg::PortHistLoOffset ||
                      address == plumb_regs_pkg::PortHistHiOffset;
      go            = !(table_address && table_busy) && !(hist_address && hist_busy);
    end
  end

  always_ff @(posedge clk_bus_i `PLUMB_OR_RESET) begin
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
    .clk_i      (clk_bus_i),
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
    .clk_i         (clk_bus_i),
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
    .clk_i      (clk_bus_i),
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
    // What is not written need not be put together.
    `PLUMB_ANY(update)
    update.tbl_data_we = tbl_data_we;
    update.hist_addr_we = bucket_we;
    if (tbl_data_we) update.tbl_data = tbl_data;
    if (bucket_we) begin
      update.hist_addr_bucket = bucket;
      update.hist_addr_group = cfg.hist_addr_group;
      update.hist_addr_retry = cfg.hist_addr_retry;
    end
  end

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
  logic [511:0] pause_until;
  logic [111:0] credit;
  logic [7:0]   credit_busy;
  logic [13:0]  root_length;
  logic [2:0]   root_priority;
  logic         sent, control_valid, control_ready;
  logic [479:0] control_data;
  logic [63:0]  control_cross;

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
    .running_i          (running_i),
    .start_time_i       (start_time_i),
    .tx_enable_i        (cfg.port_control_tx_enable),
    .clear_i            (pulse.port_command_clear_tx),
    .clear_busy_o       (tx_clear_busy),
    .active_o           (tx_active),
    .closed_i           (llr_hold),
    .blocked_i          (llr_blocked),
    .empty_o            (tx_empty),
    .byte_time_ps_i     (cfg.byte_time_ps),
    .ts_offset_i        (cfg.tx_ts_offset),
    .late_threshold_ps_i(cfg.late_threshold_ps),
    .paused_i           (paused & cfg.port_control_pfc_react),
    .until_i            (pause_until),
    .credit_i           (credit),
    .credit_busy_i      (credit_busy),
    .wait_i             (cfg.fc_control_wait),
    .root_length_o      (root_length),
    .root_priority_o    (root_priority),
    .sent_o             (sent),
    .control_valid_i    (control_valid),
    .control_ready_o    (control_ready),
    .control_data_i     (control_data),
    .control_cross_o    (control_cross),
    .tbl_req_i          (tbl_req),
    .tbl_we_i           (tbl_we),
    .tbl_table_i        (cfg.tbl_addr_table),
    .tbl_row_i          (cfg.tbl_addr_row),
    .tbl_wdata_i        (cfg.tbl_data),
    .tbl_ack_o          (tx_tbl_ack),
    .tbl_rdata_o        (tx_tbl_rdata),
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
    .mac_first_i        (tx_beat && tx_sof),
    .mac_departure_i    (tx_departure),
    .retry_i            (cfg.llr_control_tx_enable),
    .cnt_displaced_o    (cnt_tx_displaced),
    .cnt_displaced_max_ps_o(cnt_tx_displaced_max_ps),
    .late_o             (tx_late),
    .stall_o            (tx_stall)
  );

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
    if (pulse.dmg_command_load_rule) begin
      damage_rule.kind   = cfg.dmg_rule_kind;
      damage_rule.match  = cfg.dmg_rule_match;
      damage_rule.flow   = cfg.dmg_rule_flow;
      damage_rule.first  = cfg.dmg_first;
      damage_rule.last   = cfg.dmg_last;
      damage_rule.step   = cfg.dmg_step;
      damage_rule.times  = cfg.dmg_times;
      damage_rule.offset = cfg.dmg_offset_bit;
      damage_rule.param  = cfg.dmg_param;
    end
  end

  plumb_damage_port u_damage (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .now_i            (now_i),
    .clear_sent_i     (pulse.port_command_clear_tx),
    .clear_received_i (pulse.port_command_clear_rx),
    .select_received_i(cfg.dmg_select_received),
    .select_slot_i    (cfg.dmg_select_slot),
    .load_rule_i      (pulse.dmg_command_load_rule),
    .rule_i           (damage_rule),
    .strikes_o        (damage_strikes),
    .load_random_i    (pulse.dmg_command_load_random),
    .random_on_i      (cfg.dmg_random_enable),
    .random_seed_i    (cfg.dmg_seed),
    .random_scale_i   (cfg.dmg_scale),
    .random_shift_i   (cfg.dmg_random_shift),
    .random_ready_o   (damage_ready),
    .sent_late_o      (damage_sent_late),
    .received_late_o  (damage_received_late),
    .log_valid_o      (damage_event_valid),
    .log_event_o      (damage_event),
    .log_pop_i        (pulse.dmg_log_time_hi_read),
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

  // Registered: what hangs on a pin of the card is simulated several times a clock.
  logic link_up_q;
  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) link_up_q <= 1'b0;
    else         link_up_q <= link_up_i;
  end

  logic [511:0] in_tdata;
  logic [63:0]  in_tkeep, in_time;
  logic         in_tvalid, in_tlast;
  logic         cf_valid, cf_ready;
  logic [63:0]  cf_data;
  logic         mac_sof, llr_clear_busy, retry_row, retry_cell;
  logic         retry_group_ack, retry_hist_ack;
  logic [2:0]   llr_tx_state;
  logic [1:0]   llr_rx_state;
  logic [19:0]  llr_outstanding;
  logic [47:0]  retry_hist_data, cnt_llr_flushed;
  logic [48*plumb_llr_pkg::Counters-1:0]  cnt_llr;
  logic [plumb_rx_pkg::GroupW-1:0]        retry_group;

  localparam int unsigned LlrBeatsLog2 = 12;
  localparam int unsigned LlrFramesLog2 = 12;

  // Groups and histogram cells of retries are reached as those of latency are.
  assign retry_row  = WithLlr && cfg.tbl_addr_table == plumb_pkg::TableGroup &&
                      cfg.tbl_addr_row[15];
  assign retry_cell = WithLlr && cfg.hist_addr_retry;

  plumb_llr_pkg::config_t llr_config;
  logic                   mac_replay;

  // While all of it is off there is nothing to configure, and to simulate.
  always_comb begin
    llr_config = '0;
    if (cfg.llr_control_tx_enable || cfg.llr_control_rx_enable ||
        llr_tx_state != plumb_llr_pkg::TxOff || llr_rx_state != plumb_llr_pkg::RxOff) begin
      llr_config.tx_enable = cfg.llr_control_tx_enable;
      llr_config.rx_enable = cfg.llr_control_rx_enable;
      llr_config.re_init_on_flush = cfg.llr_control_re_init_on_flush;
      llr_config.nack_once = cfg.llr_control_nack_once;
      llr_config.init_action = cfg.llr_control_init_action;
      llr_config.flush_action = cfg.llr_control_flush_action;
      llr_config.mac_control_eligible = cfg.llr_control_mac_control_eligible;
      llr_config.init_data_low_first = cfg.llr_control_init_data_low_first;
      llr_config.init_seq = cfg.llr_init_seq;
      llr_config.init_data = cfg.llr_init_data_data;
      llr_config.init_interval = cfg.llr_init_data_interval;
      llr_config.max_frames = cfg.llr_max_frames_frames;
      llr_config.max_bytes = cfg.llr_max_bytes;
      llr_config.replay_timer = cfg.llr_replay_timer;
      llr_config.replay_count_max = cfg.llr_replay_count_max;
      llr_config.pcs_lost = cfg.llr_pcs_lost;
      llr_config.data_age = cfg.llr_data_age;
      llr_config.ack_spacing = cfg.llr_ack_spacing_clocks;
      llr_config.byte_time_ps = cfg.byte_time_ps;
    end
  end

  if (WithLlr) begin : gen_llr
    logic unused_mac;

    plumb_llr #(
      .BeatsLog2 (LlrBeatsLog2),
      .FramesLog2(LlrFramesLog2),
      .PathClocks(plumb_damage_pkg::Clocks)
    ) u_llr (
      .clk_i             (clk_i),
      .rst_ni            (rst_ni),
      .now_i             (now_i),
      .ts_offset_i       (cfg.tx_ts_offset),
      .config_i          (llr_config),
      .re_init_i         (pulse.llr_command_re_init),
      .clear_i           (pulse.port_command_clear_rx),
      .clear_busy_o      (llr_clear_busy),
      .link_up_i         (link_up_q),
      .tx_tdata_i        (whole_tdata),
      .tx_tkeep_i        (whole_tkeep),
      .tx_tvalid_i       (whole_tvalid),
      .tx_tlast_i        (whole_tlast),
      .tx_tready_o       (whole_tready),
      .tx_user_i         (whole_user),
      .tx_poisoned_i     (1'b0),
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
      .mac_tx_sof_o      (mac_sof),
      .mac_tx_preamble_o (llr_preamble),
      .mac_tx_user_o     (llr_user),
      .mac_tx_departure_o(llr_departure),
      .mac_tx_replay_o   (mac_replay),
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
      .group_read_i      (tbl_req && !tbl_we && retry_row),
      .group_row_i       ({1'b0, cfg.tbl_addr_row[14:0]}),
      .group_ack_o       (retry_group_ack),
      .group_o           (retry_group),
      .hist_req_i        (hist_req && retry_cell),
      .hist_group_i      (cfg.hist_addr_group),
      .hist_bucket_i     (cfg.hist_addr_bucket),
      .hist_ack_o        (retry_hist_ack),
      .hist_data_o       (retry_hist_data),
      .tx_state_o        (llr_tx_state),
      .rx_state_o        (llr_rx_state),
      .outstanding_o     (llr_outstanding),
      .counts_o          (cnt_llr),
      .flushed_o         (cnt_llr_flushed)
    );

    assign unused_mac = ^{mac_sof, mac_replay};
  end else begin : gen_no_llr
    assign llr_tdata       = whole_tdata;
    assign llr_tkeep       = whole_tkeep;
    assign llr_tvalid      = whole_tvalid;
    assign llr_tlast       = whole_tlast;
    assign whole_tready    = llr_tready;
    assign llr_preamble    = plumb_llr_pkg::OrdinaryPreamble;
    assign mac_sof         = whole_sof;
    assign llr_departure   = whole_departure;
    assign llr_user        = whole_user;
    assign mac_replay      = 1'b0;
    assign llr_hold        = 1'b0;
    assign llr_blocked     = 1'b0;
    assign llr_clear_busy  = 1'b0;
    assign in_tdata        = taken_tdata;
    assign in_tkeep        = taken_tkeep;
    assign in_tvalid       = taken_tvalid;
    assign in_tlast        = taken_tlast;
    assign in_time         = taken_time;
    assign llr_ctl_valid   = cf_valid;
    assign llr_ctl         = cf_data;
    assign cf_ready        = llr_ctl_ready;
    assign retry_group_ack = 1'b0;
    assign retry_group     = '0;
    assign retry_hist_ack  = 1'b0;
    assign retry_hist_data = '0;
    assign llr_tx_state    = '0;
    assign llr_rx_state    = '0;
    assign llr_outstanding = '0;
    assign cnt_llr         = '0;
    assign cnt_llr_flushed = '0;

    logic unused_llr;
    assign unused_llr = ^{taken_preamble, tx_empty, mac_sof, mac_replay, llr_config,
                          pulse.llr_command_re_init};
  end

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
    .clear_i                (pulse.port_command_clear_rx),
    .clear_busy_o           (rx_clear_busy),
    .byte_time_ps_i         (cfg.byte_time_ps),
    .ts_offset_i            (cfg.rx_ts_offset),
    .wide_rows_i            (cfg.rx_tracking_wide_rows),
    .trim_dscp_en_i         (cfg.rx_tracking_trim_by_dscp),
    .trim_dscp_i            (cfg.rx_tracking_trim_dscp),
    .trim_length_i          (cfg.rx_tracking_trim_by_length),
    .tbl_req_i              (tbl_req && (tbl_we || !retry_row)),
    .tbl_we_i               (tbl_we),
    .tbl_table_i            (cfg.tbl_addr_table),
    .tbl_row_i              (cfg.tbl_addr_row),
    .tbl_wdata_i            (cfg.tbl_data),
    .tbl_ack_o              (group_tbl_ack),
    .tbl_rdata_o            (group_tbl_rdata),
    .hist_req_i             (hist_req && !retry_cell),
    .hist_group_i           (cfg.hist_addr_group),
    .hist_bucket_i          (cfg.hist_addr_bucket),
    .hist_ack_o             (rx_hist_ack),
    .hist_data_o            (rx_hist_data),
    .rx_tdata_i             (in_tdata),
    .rx_tkeep_i             (in_tkeep),
    .rx_tvalid_i            (in_tvalid),
    .rx_tlast_i             (in_tlast),
    .rx_time_i              (in_time),
    .paused_o               (paused),
    .until_o                (pause_until),
    .pause_start_o          (pause_start),
    .pause_end_o            (pause_end),
    .pause_time_o           (pause_time),
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
    .cnt_trimmed_o          (cnt_rx_trimmed),
    .cnt_trimmed_bare_o     (cnt_rx_trimmed_bare),
    .cnt_xoff_o             (cnt_rx_xoff),
    .cnt_xon_o              (cnt_rx_xon),
    .cnt_paused_ps_o        (cnt_paused_ps),
    .event_overflow_o       (rx_event_overflow)
  );

  assign rx_tbl_ack   = group_tbl_ack || retry_group_ack;
  assign rx_tbl_rdata = retry_group_ack ? 512'(retry_group) : group_tbl_rdata;
  assign hist_ack     = rx_hist_ack || retry_hist_ack;
  assign hist_data    = retry_cell ? retry_hist_data : rx_hist_data;

  // ---- Flow control ----

  logic         send_busy, storm_active, storm_late, trace_valid, trace_lost, credit_error;
  logic [31:0]  storm_left;
  logic [80:0]  trace_entry;
  logic [10:0]  trace_level;
  logic [159:0] buffer_fill, credits_used;
  logic [511:0] cnt_tx_xoff, cnt_tx_xon;
  logic [63:0]  cnt_buffer_dropped, cnt_recovered, cnt_cf_sent, cnt_cf_received, cnt_cc_sent;
  logic [63:0]  cnt_cc_received, cnt_trace_lost;

  plumb_fc #(
    .WithCbfc(WithCbfc)
  ) u_fc (
    .clk_i                 (clk_i),
    .rst_ni                (rst_ni),
    .clear_i               (pulse.port_command_clear_rx || rx_clear_busy),
    .byte_time_ps_i        (cfg.byte_time_ps),
    .cfg_watermark_i       (cfg.fc_control_watermark),
    .cfg_cbfc_tx_i         (cfg.fc_control_cbfc_tx),
    .cfg_cbfc_rx_i         (cfg.fc_control_cbfc_rx),
    .cfg_trace_i           (cfg.fc_control_trace),
    .cfg_dscp_i            (cfg.fc_control_dscp),
    .cfg_default_priority_i(cfg.fc_control_default_priority),
    .cfg_source_i          ({cfg.fc_source_hi_address, cfg.fc_source_lo}),
    .cfg_send_mask_i       (cfg.pfc_send_mask),
    .cfg_send_quanta_i     (cfg.pfc_send_quanta),
    .cfg_storm_mask_i      (cfg.storm_pfc_mask),
    .cfg_storm_quanta_i    (cfg.storm_pfc_quanta),
    .cfg_storm_count_i     (cfg.storm_count),
    .cfg_storm_period_i    (cfg.storm_period_ps),
    .cfg_storm_time_i      ({cfg.storm_time_hi, cfg.storm_time_lo}),
    .cfg_watermark_quanta_i(cfg.rx_buffer_quanta),
    .cfg_refresh_i         (cfg.pfc_refresh),
    .cfg_cell_log2_i       (cfg.rx_buffer_cell_log2),
    .cfg_overhead_i        (cfg.rx_buffer_overhead),
    .cfg_capacity_i        (cfg.buffer_capacity),
    .cfg_xoff_i            (cfg.buffer_xoff),
    .cfg_xon_i             (cfg.buffer_xon),
    .cfg_drain_i           (cfg.buffer_drain),
    .cfg_credits_i         (cfg.credit_limit),
    .cfg_cf_min_i          (cfg.cf_min),
    .cfg_cf_max_i          (cfg.cf_max),
    .cfg_cc_period_i       (cfg.cc_period),
    .send_i                (pulse.pfc_send_written),
    .storm_start_i         (pulse.fc_command_storm_start),
    .storm_stop_i          (pulse.fc_command_storm_stop),
    .cbfc_reset_i          (pulse.fc_command_cbfc_reset),
    .trace_pop_i           (pulse.pause_event_read),
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
    .control_cross_i       (control_cross),
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
    .beat_i             (in_tvalid),
    .tdata_i            (in_tdata),
    .tkeep_i            (in_tkeep),
    .tlast_i            (in_tlast),
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

  // The card computes FCS and ICRC itself: there is nothing to check in what it sends. The
  // descriptor says nothing of damage done on purpose, which the log of damage has.
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

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      capture_dropped_q <= '0;
    end else if (pulse.port_command_clear_rx) begin
      capture_dropped_q <= '0;
    end else begin
      capture_dropped_q <= capture_dropped_q + 64'(rx_dropped) + 64'(tx_dropped);
    end
  end

  // ---- What the registers show ----

  // Put together when looked at only, status by a read and counters by a snapshot: both are wide,
  // and simulated every clock.
  always_comb begin
    `PLUMB_ANY(status)
    if (read_q) begin
      // The command itself counts as busy: the blocks see it in this clock.
      status.port_status_clear_busy = tx_clear_busy || rx_clear_busy || llr_clear_busy ||
                                      pulse.port_command_clear_tx || pulse.port_command_clear_rx;
      status.port_status_tx_active = tx_active;
      status.port_status_paused = paused;
      status.tbl_status_busy = table_busy;
      status.dmg_status_random_ready = damage_ready;
      status.dmg_strikes = damage_strikes;
      status.dmg_log_event_flow = damage_event.flow;
      status.dmg_log_event_slot = damage_event.slot;
      status.dmg_log_event_kind = damage_event.kind;
      status.dmg_log_event_subject = damage_event.subject;
      status.dmg_log_event_valid = damage_event_valid;
      status.dmg_log_number = damage_event.number;
      status.dmg_log_position = 32'(damage_event.position);
      status.dmg_log_time_lo = damage_event.stamp[31:0];
      status.dmg_log_time_hi = damage_event.stamp[63:32];
      status.fc_status_storm_active = storm_active;
      status.fc_status_send_busy = send_busy;
      status.fc_status_trace_level = trace_level;
      status.storm_left = storm_left;
      status.pause_time_lo = trace_entry[48:17];
      status.pause_time_hi = trace_entry[80:49];
      status.pause_event_starts = trace_entry[7:0];
      status.pause_event_ends = trace_entry[15:8];
      status.pause_event_sent = trace_entry[16];
      status.pause_event_valid = trace_valid;
      for (int unsigned p = 0; p < 8; p++) begin
        status.buffer_fill[32*p+:32] = 32'(buffer_fill[20*p+:20]);
        status.credits_used[32*p+:32] = 32'(credits_used[20*p+:20]);
      end
      status.llr_status_tx_state = llr_tx_state;
      status.llr_status_rx_state = llr_rx_state;
      status.llr_status_link_up = link_up_q;
      status.llr_status_outstanding = llr_outstanding;
      status.llr_capacity_beats_log2 = WithLlr ? 5'(LlrBeatsLog2) : 5'd0;
      status.llr_capacity_frames_log2 = WithLlr ? 5'(LlrFramesLog2) : 5'd0;
      status.hist_lo = hist_count[31:0];
      status.hist_hi = {16'b0, hist_count[47:32]};
    end
  end

  // Faults are kept by the registers.
  assign bus_busy_o = write_q || read_q || table_busy || hist_busy || (|fault);

  always_comb begin
    fault.fc_sticky_storm_late = storm_late;
    fault.fc_sticky_trace_lost = trace_lost;
    fault.fc_sticky_credit_error = credit_error;
    fault.dmg_sticky_sent_late = damage_sent_late;
    fault.dmg_sticky_received_late = damage_received_late;
    fault.port_sticky_tx_late = tx_late;
    fault.port_sticky_tx_stall = tx_stall;
    fault.port_sticky_rx_event_overflow = rx_event_overflow;
    fault.port_sticky_capture_overflow = rx_dropped || tx_dropped;
  end

  always_comb begin
    `PLUMB_ANY(counters)
    if (pulse.port_command_snapshot) begin
      counters.tx_frames = cnt_tx_frames;
      counters.tx_bytes = cnt_tx_bytes;
      counters.tx_late = cnt_tx_late;
      counters.tx_late_max_ps = cnt_tx_late_max_ps;
      counters.tx_pfc_skipped = cnt_tx_pfc_skipped;
      counters.tx_stall_clocks = cnt_tx_stall_clocks;
      counters.tx_displaced = cnt_tx_displaced;
      counters.tx_displaced_max_ps = cnt_tx_displaced_max_ps;
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
      counters.rx_trimmed = cnt_rx_trimmed;
      counters.rx_trimmed_bare = cnt_rx_trimmed_bare;
      counters.capture_dropped = capture_dropped_q;
      counters.pause_events_lost = cnt_trace_lost;
      counters.tx_xoff = cnt_tx_xoff;
      counters.tx_xon = cnt_tx_xon;
      counters.tx_credit_skipped = cnt_tx_credit_skipped;
      counters.tx_waited = cnt_tx_waited;
      counters.rx_buffer_dropped = cnt_buffer_dropped;
      counters.credits_recovered = cnt_recovered;
      counters.cf_sent = cnt_cf_sent;
      counters.cf_received = cnt_cf_received;
      counters.cc_sent = cnt_cc_sent;
      counters.cc_received = cnt_cc_received;
      counters.llr_tx_init = 64'(cnt_llr[48*0+:48]);
      counters.llr_tx_echo = 64'(cnt_llr[48*1+:48]);
      counters.llr_tx_ack = 64'(cnt_llr[48*2+:48]);
      counters.llr_tx_nack = 64'(cnt_llr[48*3+:48]);
      counters.llr_rx_init = 64'(cnt_llr[48*4+:48]);
      counters.llr_rx_echo = 64'(cnt_llr[48*5+:48]);
      counters.llr_rx_ack = 64'(cnt_llr[48*6+:48]);
      counters.llr_rx_nack = 64'(cnt_llr[48*7+:48]);
      counters.llr_rx_ctl_bad = 64'(cnt_llr[48*8+:48]);
      counters.llr_rx_ok = 64'(cnt_llr[48*9+:48]);
      counters.llr_rx_poisoned = 64'(cnt_llr[48*10+:48]);
      counters.llr_rx_bad = 64'(cnt_llr[48*11+:48]);
      counters.llr_expected_good = 64'(cnt_llr[48*12+:48]);
      counters.llr_expected_poisoned = 64'(cnt_llr[48*13+:48]);
      counters.llr_expected_bad = 64'(cnt_llr[48*14+:48]);
      counters.llr_missing_seq = 64'(cnt_llr[48*15+:48]);
      counters.llr_duplicate_seq = 64'(cnt_llr[48*16+:48]);
      counters.llr_rx_replay = 64'(cnt_llr[48*17+:48]);
      counters.llr_rx_discarded = 64'(cnt_llr[48*18+:48]);
      counters.llr_seq_error = 64'(cnt_llr[48*19+:48]);
      counters.llr_tx_discarded = 64'(cnt_llr[48*20+:48]);
      counters.llr_tx_ok = 64'(cnt_llr[48*21+:48]);
      counters.llr_tx_poisoned = 64'(cnt_llr[48*22+:48]);
      counters.llr_tx_replay = 64'(cnt_llr[48*23+:48]);
      counters.llr_tx_replay_frames = 64'(cnt_llr[48*24+:48]);
      counters.llr_delayed = 64'(cnt_llr[48*25+:48]);
      counters.llr_flushed = 64'(cnt_llr_flushed);
      counters.rx_xoff = cnt_rx_xoff;
      counters.rx_xon = cnt_rx_xon;
      counters.paused_ps = cnt_paused_ps;
      {counters.tx_dmg_sets_dropped, counters.tx_dmg_sets_damaged, counters.tx_dmg_log_overflow,
       counters.tx_dmg_frames, counters.tx_dmg_random_bits, counters.tx_dmg_random_frames,
       counters.tx_dmg_dropped, counters.tx_dmg_truncated, counters.tx_dmg_icrc,
       counters.tx_dmg_fcs, counters.tx_dmg_bits} = cnt_damage_sent;
      {counters.rx_dmg_sets_dropped, counters.rx_dmg_sets_damaged, counters.rx_dmg_log_overflow,
       counters.rx_dmg_frames, counters.rx_dmg_random_bits, counters.rx_dmg_random_frames,
       counters.rx_dmg_dropped, counters.rx_dmg_truncated, counters.rx_dmg_bits} =
          cnt_damage_received;
    end
  end

  `PLUMB_ASSERT(OneAccess, reg_wen_i || reg_ren_i |-> !write_q && !read_q)

endmodule
