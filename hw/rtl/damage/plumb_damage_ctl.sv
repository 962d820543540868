// Damages or drops control ordered sets on their way: one rule of the kinds KindBits and KindDrop.
//
// Combinational from s_* to m_*. The rule looks at the ordered sets of one message type (byte D1
// equal to the low byte of its flow; all types without MatchFlow), and strikes by their count like
// plumb_damage_rule. KindBits inverts bits [offset, offset + param) of the 64.
//
// event_valid_o pulses a clock after an ordered set was struck, and inc_damaged_o or inc_dropped_o
// with it. Its clock may rest (plumb_clock_gate) unless busy_o is high.
`include "plumb_simulated.svh"

module plumb_damage_ctl (
  // Clock and reset (active low)
  input  wire logic                     clk_i,          // may rest while busy_o is low
  output      logic                     busy_o,         // level: clk_i has to run
  input  wire logic                     rst_ni,
  input  wire logic                     clear_i,        // pulse: begins the rule anew

  // The rule
  input  wire logic                     load_i,         // pulse: take rule_i
  input  wire plumb_damage_pkg::rule_t  rule_i,
  output      logic [31:0]              strikes_o,      // strikes since load or clear
  input  wire logic [63:0]              now_i,          // card time in ps, for the event

  // Ordered sets in and out; D0 in bits 7:0
  input  wire logic                     s_valid_i,
  input  wire logic [63:0]              s_data_i,
  output      logic                     s_ready_o,      // combinational
  output      logic                     m_valid_o,
  output      logic [63:0]              m_data_o,
  input  wire logic                     m_ready_i,

  // What was struck, one clock later
  output      logic                     event_valid_o,  // pulse
  output      plumb_damage_pkg::event_t event_o,        // with event_valid_o
  output      logic                     inc_damaged_o,  // pulse: bits were inverted
  output      logic                     inc_dropped_o   // pulse: the set was dropped
);

  plumb_damage_pkg::rule_t rule_q;
  logic [31:0]             number_q;     // of the next one of its type
  logic [31:0]             left_q;       // how many of them pass before the next one to be struck
  logic [63:0]             mask_q;
  logic [31:0]             again_q;      // strikes that may still come; 0: any number
  logic                    due_q;        // none
  logic                    last_q;       // the next one is the last that may be struck
  logic                    spent_q, able_q, wanted, hit, drop, pass;

  // A run of ones: none for an offset behind the end.
  function automatic logic [63:0] run(input logic [16:0] from, input logic [16:0] count);
    run = (from > 17'd63) ? 64'd0 :
          (count > 17'd63) ? {64{1'b1}} << from[5:0] :
                             ~({64{1'b1}} << count[5:0]) << from[5:0];
  endfunction

  always_comb begin
    wanted = 1'b0;
    if (able_q) begin
      wanted = rule_q.match != plumb_damage_pkg::MatchFlow ||
               s_data_i[15:8] == rule_q.flow[7:0];
    end
  end

  assign busy_o = able_q || load_i;

  assign hit     = wanted && due_q && !spent_q;
  assign drop    = hit && rule_q.kind == plumb_damage_pkg::KindDrop;
  assign pass    = s_valid_i && s_ready_o;

  assign m_valid_o = s_valid_i && !drop;
  assign m_data_o  = hit ? s_data_i ^ mask_q : s_data_i;
  assign s_ready_o = m_ready_i || drop;

  logic unused_rule;
  assign unused_rule = ^rule_q;

  // A step of 0 counts as 1.
  logic step_one;
  assign step_one = rule_q.step[31:1] == 31'd0;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      rule_q    <= '0;
      mask_q    <= '0;
      number_q  <= '0;
      left_q    <= '0;
      due_q     <= 1'b0;
      last_q    <= 1'b0;
      again_q   <= '0;
      able_q    <= 1'b0;
      spent_q   <= 1'b0;
      strikes_o <= '0;
    end else if (load_i) begin
      rule_q    <= rule_i;
      able_q    <= rule_i.kind == plumb_damage_pkg::KindBits ||
                   rule_i.kind == plumb_damage_pkg::KindDrop;
      mask_q    <= run(rule_i.offset, rule_i.param[16:0]);
      number_q  <= '0;
      left_q    <= rule_i.first;
      due_q     <= rule_i.first == 32'd0;
      last_q    <= rule_i.last == 32'd0;
      again_q   <= rule_i.times;
      spent_q   <= 1'b0;
      strikes_o <= '0;
    end else if (clear_i) begin
      number_q  <= '0;
      left_q    <= rule_q.first;
      due_q     <= rule_q.first == 32'd0;
      last_q    <= rule_q.last == 32'd0;
      again_q   <= rule_q.times;
      spent_q   <= 1'b0;
      strikes_o <= '0;
    end else if (pass) begin
      if (wanted) begin
        number_q <= number_q + 32'd1;
        left_q   <= due_q ? rule_q.step - 32'd1 : left_q - 32'd1;
        due_q    <= due_q ? step_one : left_q == 32'd1;
        last_q   <= plumb_pkg::is_next(number_q, rule_q.last);
        if (last_q) spent_q <= 1'b1;
      end
      if (hit) begin
        strikes_o <= strikes_o + 32'd1;
        if (again_q == 32'd1) spent_q <= 1'b1;
        if (again_q != 32'd0) again_q <= again_q - 32'd1;
      end
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      event_valid_o <= 1'b0;
      inc_damaged_o <= 1'b0;
      inc_dropped_o <= 1'b0;
    end else begin
      event_valid_o <= pass && hit;
      inc_damaged_o <= pass && hit && !drop;
      inc_dropped_o <= pass && drop;
    end
  end

  always_ff @(posedge clk_i) begin
    if (pass && hit) begin
      event_o.kind     <= rule_q.kind;
      event_o.slot     <= 3'd4;
      event_o.subject  <= plumb_damage_pkg::SubjectOrderedSet;
      event_o.flow     <= {4'd0, s_data_i[15:8]};
      event_o.number   <= number_q;
      event_o.position <= drop ? 19'd0 : 19'(rule_q.offset);
      event_o.stamp    <= now_i;
    end
  end

endmodule
