// All damage of a port: frames and control ordered sets, sent and received, behind one set of
// registers.
//
// Sent frames take plumb_tx's Clocks = 4 clocks through here, always (PathClocks of plumb_tx);
// ordered sets none. Received ones: see plumb_damage. select_received_i and select_slot_i say which
// rule, random source and log the other register pins mean; slot 4 is the rule of ordered sets.
// Times in the log are departures of sent frames, and otherwise card time at the MAC boundary.
module plumb_damage_port (
  // Clock, reset (active low), card time
  input  wire logic                     clk_i,
  input  wire logic                     rst_ni,
  input  wire logic [63:0]              now_i,              // ps, of the edge that begins the clock
  input  wire logic [63:0]              offset_i,           // ps to add to the times in the log
  input  wire logic                     clear_sent_i,       // pulse: begins what was sent anew
  input  wire logic                     clear_received_i,   // pulse: begins what was received anew

  // Registers: rules and random errors
  input  wire logic                     select_received_i,  // level: received direction, else sent
  input  wire logic [2:0]               select_slot_i,      // level: slot of a rule; 4: the rule of
                                                            // ordered sets
  input  wire logic                     load_rule_i,        // pulse: load rule_i into the selected
                                                            // slot
  input  wire plumb_damage_pkg::rule_t  rule_i,             // with load_rule_i
  output      logic [31:0]              strikes_o,          // of the selected slot
  input  wire logic                     load_random_i,      // pulse: end, and begin anew if
                                                            // random_on_i
  input  wire logic                     random_on_i,        // with load_random_i
  input  wire logic [127:0]             random_seed_i,      // steady after load_random_i, like the
                                                            // next two
  input  wire logic [31:0]              random_scale_i,
  input  wire logic [5:0]               random_shift_i,
  output      logic                     random_ready_o,     // level, of the selected direction
  output      logic                     sent_late_o,        // pulse: a beat passed without its
                                                            // errors
  output      logic                     received_late_o,    // the same of the other direction
  output      logic                     log_valid_o,        // level, of the selected direction:
                                                            // there is an event
  output      plumb_damage_pkg::event_t log_event_o,        // the oldest one
  input  wire logic                     log_pop_i,          // pulse, with log_valid_o: take it out

  // Sent frames in: AXI4-Stream
  input  wire logic [511:0]             tx_tdata_i,         // byte 0 in bits 7:0
  input  wire logic [63:0]              tx_tkeep_i,         // per byte; all ones but in a last beat
  input  wire logic                     tx_tvalid_i,
  input  wire logic                     tx_tlast_i,
  output      logic                     tx_tready_o,        // combinational
  input  wire plumb_tx_pkg::user_t      tx_user_i,          // with the first beat: flow, number and
                                                            // kind
  input  wire logic [63:0]              tx_departure_i,     // with the first beat; card time in ps
  input  wire logic [55:0]              tx_preamble_i,      // with the first beat: D1 to D7, D1
                                                            // lowest

  // Sent frames out, to the MAC
  output      logic [511:0]             tx_tdata_o,
  output      logic [63:0]              tx_tkeep_o,
  output      logic                     tx_tvalid_o,
  output      logic                     tx_tlast_o,
  output      logic                     tx_sof_o,           // the beat is a frame's first
  input  wire logic                     tx_tready_i,
  output      logic [63:0]              tx_departure_o,     // of the frame; steady until the next
                                                            // one
  output      logic [55:0]              tx_preamble_o,      // of the frame; steady until the next
                                                            // one

  // Received frames in, from the MAC: AXI4-Stream without tready
  input  wire logic [511:0]             rx_tdata_i,
  input  wire logic [63:0]              rx_tkeep_i,
  input  wire logic                     rx_tvalid_i,
  input  wire logic                     rx_tlast_i,
  input  wire logic [55:0]              rx_preamble_i,      // with the first beat: D1 to D7, D1
                                                            // lowest

  // Received frames out
  output      logic [511:0]             rx_tdata_o,
  output      logic [63:0]              rx_tkeep_o,
  output      logic                     rx_tvalid_o,
  output      logic                     rx_tlast_o,
  output      logic [63:0]              rx_time_o,          // of the first beat at the MAC, card
                                                            // time in ps
  output      logic [55:0]              rx_preamble_o,      // with the first beat

  // Control ordered sets, sent; D0 in bits 7:0
  input  wire logic                     tx_ctl_valid_i,
  input  wire logic [63:0]              tx_ctl_i,
  output      logic                     tx_ctl_ready_o,     // combinational
  output      logic                     tx_ctl_valid_o,
  output      logic [63:0]              tx_ctl_o,
  input  wire logic                     tx_ctl_ready_i,

  // Control ordered sets, received
  input  wire logic                     rx_ctl_valid_i,     // pulse
  input  wire logic [63:0]              rx_ctl_i,
  output      logic                     rx_ctl_valid_o,     // the same, unless it is dropped
  output      logic [63:0]              rx_ctl_o,

  // Counters, 64 bits each, in the order of the register map
  output      logic [64*11-1:0]         cnt_sent_o,         // since reset or clear_sent_i
  output      logic [64*9-1:0]          cnt_received_o      // since reset or clear_received_i
);

  localparam logic [2:0] OrderedSetSlot = 3'd4;

  logic                     of_sets;
  logic                     sent_ready, received_ready, sent_log_valid, received_log_valid;
  plumb_damage_pkg::event_t sent_event, received_event;
  logic [127:0]             sent_strikes, received_strikes, strikes;
  logic [31:0]              sent_set_strikes, received_set_strikes;

  assign of_sets        = select_slot_i == OrderedSetSlot;
  assign random_ready_o = select_received_i ? received_ready : sent_ready;
  assign log_valid_o    = select_received_i ? received_log_valid : sent_log_valid;
  assign log_event_o    = select_received_i ? received_event : sent_event;
  assign strikes        = select_received_i ? received_strikes : sent_strikes;
  assign strikes_o      = !of_sets ? strikes[32*select_slot_i[1:0]+:32] :
                          select_received_i ? received_set_strikes : sent_set_strikes;

  // Which part a load is for.
  logic sent_load, sent_set_load, sent_random_load;
  logic received_load, received_set_load, received_random_load;

  always_comb begin
    sent_load            = 1'b0;
    sent_set_load        = 1'b0;
    sent_random_load     = 1'b0;
    received_load        = 1'b0;
    received_set_load    = 1'b0;
    received_random_load = 1'b0;
    if (load_rule_i || load_random_i) begin
      sent_load            = load_rule_i && !select_received_i && !of_sets;
      sent_set_load        = load_rule_i && !select_received_i && of_sets;
      sent_random_load     = load_random_i && !select_received_i;
      received_load        = load_rule_i && select_received_i && !of_sets;
      received_set_load    = load_rule_i && select_received_i && of_sets;
      received_random_load = load_random_i && select_received_i;
    end
  end

  // Without a rule and random errors nothing but numbers and the way through changes.
  logic       clk_used;
  logic [3:0] busy;

  plumb_clock_gate u_used (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .busy_i (busy != '0),
    .clk_o  (clk_used)
  );

  // ---- Sent ----
  logic                     sent_set_valid, sent_set_damaged, sent_set_dropped;
  plumb_damage_pkg::event_t sent_set;
  logic [7:0]               sent_kind;
  logic                     sent_damaged, sent_random, sent_bit, sent_overflow;
  plumb_tx_pkg::user_t      sent_user;

  plumb_damage #(
    .Sent (1'b1)
  ) u_sent (
    .clk_i          (clk_i),
    .clk_used_i     (clk_used),
    .busy_o         (busy[0]),
    .rst_ni         (rst_ni),
    .clear_i        (clear_sent_i),
    .rule_load_i    (sent_load),
    .rule_slot_i    (select_slot_i[1:0]),
    .rule_i         (rule_i),
    .strikes_o      (sent_strikes),
    .random_load_i  (sent_random_load),
    .random_on_i    (random_on_i),
    .random_seed_i  (random_seed_i),
    .random_scale_i (random_scale_i),
    .random_shift_i (random_shift_i),
    .random_ready_o (sent_ready),
    .random_late_o  (sent_late_o),
    .s_tdata_i      (tx_tdata_i),
    .s_tkeep_i      (tx_tkeep_i),
    .s_tvalid_i     (tx_tvalid_i),
    .s_tlast_i      (tx_tlast_i),
    .s_tready_o     (tx_tready_o),
    .s_user_i       (tx_user_i),
    .s_stamp_i      (tx_departure_i),
    .offset_i       (offset_i),
    .s_preamble_i   (tx_preamble_i),
    .m_tdata_o      (tx_tdata_o),
    .m_tkeep_o      (tx_tkeep_o),
    .m_tvalid_o     (tx_tvalid_o),
    .m_tlast_o      (tx_tlast_o),
    .m_sof_o        (tx_sof_o),
    .m_tready_i     (tx_tready_i),
    .m_user_o       (sent_user),
    .m_stamp_o      (tx_departure_o),
    .m_preamble_o   (tx_preamble_o),
    .set_valid_i    (sent_set_valid),
    .set_i          (sent_set),
    .log_valid_o    (sent_log_valid),
    .log_event_o    (sent_event),
    .log_pop_i      (log_pop_i && !select_received_i),
    .inc_kind_o     (sent_kind),
    .inc_damaged_o  (sent_damaged),
    .inc_random_o   (sent_random),
    .inc_bit_o      (sent_bit),
    .inc_overflow_o (sent_overflow)
  );

  plumb_damage_ctl u_sent_sets (
    .clk_i         (clk_used),
    .busy_o        (busy[2]),
    .rst_ni        (rst_ni),
    .clear_i       (clear_sent_i),
    .load_i        (sent_set_load),
    .rule_i        (rule_i),
    .strikes_o     (sent_set_strikes),
    .now_i         (now_i),
    .s_valid_i     (tx_ctl_valid_i),
    .s_data_i      (tx_ctl_i),
    .s_ready_o     (tx_ctl_ready_o),
    .m_valid_o     (tx_ctl_valid_o),
    .m_data_o      (tx_ctl_o),
    .m_ready_i     (tx_ctl_ready_i),
    .event_valid_o (sent_set_valid),
    .event_o       (sent_set),
    .inc_damaged_o (sent_set_damaged),
    .inc_dropped_o (sent_set_dropped)
  );

  plumb_damage_counters u_sent_counters (
    .clk_i      (clk_used),
    .rst_ni     (rst_ni),
    .clear_i    (clear_sent_i),
    .inc_i      ({sent_set_dropped, sent_set_damaged, sent_overflow, sent_damaged, sent_bit,
                  sent_random, sent_kind[5:1]}),
    .counters_o (cnt_sent_o)
  );

  // ---- Received ----
  logic                     received_set_valid, received_set_damaged, received_set_dropped;
  plumb_damage_pkg::event_t received_set;
  logic [7:0]               received_kind;
  logic                     received_damaged, received_random, received_bit, received_overflow;
  logic                     received_taken, received_sof, received_set_taken;
  plumb_tx_pkg::user_t      received_user;

  plumb_damage #(
    .Sent (1'b0)
  ) u_received (
    .clk_i          (clk_i),
    .clk_used_i     (clk_used),
    .busy_o         (busy[1]),
    .rst_ni         (rst_ni),
    .clear_i        (clear_received_i),
    .rule_load_i    (received_load),
    .rule_slot_i    (select_slot_i[1:0]),
    .rule_i         (rule_i),
    .strikes_o      (received_strikes),
    .random_load_i  (received_random_load),
    .random_on_i    (random_on_i),
    .random_seed_i  (random_seed_i),
    .random_scale_i (random_scale_i),
    .random_shift_i (random_shift_i),
    .random_ready_o (received_ready),
    .random_late_o  (received_late_o),
    .s_tdata_i      (rx_tdata_i),
    .s_tkeep_i      (rx_tkeep_i),
    .s_tvalid_i     (rx_tvalid_i),
    .s_tlast_i      (rx_tlast_i),
    .s_tready_o     (received_taken),
    .s_user_i       ('0),
    .s_stamp_i      (now_i),
    .offset_i       (offset_i),
    .s_preamble_i   (rx_preamble_i),
    .m_tdata_o      (rx_tdata_o),
    .m_tkeep_o      (rx_tkeep_o),
    .m_tvalid_o     (rx_tvalid_o),
    .m_tlast_o      (rx_tlast_o),
    .m_sof_o        (received_sof),
    .m_tready_i     (1'b1),
    .m_user_o       (received_user),
    .m_stamp_o      (rx_time_o),
    .m_preamble_o   (rx_preamble_o),
    .set_valid_i    (received_set_valid),
    .set_i          (received_set),
    .log_valid_o    (received_log_valid),
    .log_event_o    (received_event),
    .log_pop_i      (log_pop_i && select_received_i),
    .inc_kind_o     (received_kind),
    .inc_damaged_o  (received_damaged),
    .inc_random_o   (received_random),
    .inc_bit_o      (received_bit),
    .inc_overflow_o (received_overflow)
  );

  plumb_damage_ctl u_received_sets (
    .clk_i         (clk_used),
    .busy_o        (busy[3]),
    .rst_ni        (rst_ni),
    .clear_i       (clear_received_i),
    .load_i        (received_set_load),
    .rule_i        (rule_i),
    .strikes_o     (received_set_strikes),
    .now_i         (now_i),
    .s_valid_i     (rx_ctl_valid_i),
    .s_data_i      (rx_ctl_i),
    .s_ready_o     (received_set_taken),
    .m_valid_o     (rx_ctl_valid_o),
    .m_data_o      (rx_ctl_o),
    .m_ready_i     (1'b1),
    .event_valid_o (received_set_valid),
    .event_o       (received_set),
    .inc_damaged_o (received_set_damaged),
    .inc_dropped_o (received_set_dropped)
  );

  plumb_damage_counters #(
    .Counters (9)
  ) u_received_counters (
    .clk_i      (clk_used),
    .rst_ni     (rst_ni),
    .clear_i    (clear_received_i),
    .inc_i      ({received_set_dropped, received_set_damaged, received_overflow, received_damaged,
                  received_bit, received_random, received_kind[5:4], received_kind[1]}),
    .counters_o (cnt_received_o)
  );

  logic unused_outputs;
  assign unused_outputs = ^{sent_kind, received_kind, sent_user, received_user, received_taken,
                            received_sof, received_set_taken};

endmodule
