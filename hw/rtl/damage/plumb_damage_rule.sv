// One rule: which frames are to be damaged, and how.
//
// A rule looks at the frames of its match: all, those of one flow, or MAC control frames. It
// strikes a frame whose number is not below the next one wanted and not above `last`, at most
// `times` times. The next one wanted is `first`, and after each strike the number struck plus
// `step`. So a rule with first = last strikes one certain frame, and a frame that is sent again is
// not struck again.
//
// Numbers: of a flow its frame numbers; of MAC control frames and of all frames their count here.
//
// frame_i presents a frame; from the next clock on, until another is presented, eligible_o says
// that the rule applies to it. strike_i says that it is this rule that is carried out. load_i takes
// a rule, load_i and clear_i begin it anew.
`include "plumb_simulated.svh"

module plumb_damage_rule #(
  parameter bit Sent = 1'b1    // lengths and flows are known
) (
  // Clock and reset (active low)
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    clear_i,           // pulse: begins the rule anew

  // The rule
  input  logic                    load_i,            // pulse: take rule_i
  input  plumb_damage_pkg::rule_t rule_i,

  // A frame
  input  logic                    frame_i,           // pulse, with the next four
  input  plumb_tx_pkg::user_t     user_i,            // flow, number and kind; of sent frames only
  input  logic                    control_i,         // a MAC control frame
  input  logic [31:0]             any_number_i,      // number of the frame among all
  input  logic [31:0]             control_number_i,  // number among MAC control frames

  // What the rule says of it, from the next clock on
  output logic                    eligible_o,        // level: the rule wants the frame
  input  logic                    strike_i,          // pulse: it got it
  output plumb_damage_pkg::action_t action_o,        // while eligible_o: what to do to the frame
  output logic                    active_o,          // level: the rule is not KindNone
  output logic [31:0]             strikes_o          // strikes since load or clear
);

  plumb_damage_pkg::rule_t rule_q;
  logic [31:0]             next_q, number, number_q;
  logic [31:0]             again_q;      // strikes that may still come; 0: any number
  logic [32:0]             following;
  logic [63:0]             pattern, pattern_q;
  logic [17:0]             start_q, stop_q;
  logic                    spent_q, wanted, possible, wanted_q;

  // rule_q.kind != KindNone, which is needed in every clock.
  logic active_q;

  assign active_o = active_q;

  // Rules mostly have nothing to do: then nothing is worked out, which simulation would take time
  // for. What is not used is 'x.
  always_comb begin
    wanted   = 1'b0;
    possible = 1'b0;
    `PLUMB_ANY(number)
    if (active_q) begin
      unique case (rule_q.match)
        plumb_damage_pkg::MatchFlow: begin
          wanted = Sent && !user_i.control && user_i.flow == rule_q.flow;
          number  = user_i.number;
        end
        plumb_damage_pkg::MatchControl: begin
          wanted = control_i;
          number  = control_number_i;
        end
        default: begin
          wanted = 1'b1;
          number  = any_number_i;
        end
      endcase
      unique case (rule_q.kind)
        plumb_damage_pkg::KindBits,
        plumb_damage_pkg::KindTruncate,
        plumb_damage_pkg::KindDrop: possible = 1'b1;
        plumb_damage_pkg::KindFcs:  possible = Sent;
        plumb_damage_pkg::KindIcrc: possible = Sent && user_i.icrc;
        default:                    possible = 1'b0;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (frame_i) wanted_q <= wanted && possible;
    if (frame_i && active_q) begin
      number_q <= number;
      unique case (rule_q.kind)
        plumb_damage_pkg::KindFcs: begin
          start_q <= {1'b0, user_i.length - 14'd4, 3'd0};
          stop_q  <= {1'b0, user_i.length, 3'd0};
        end
        plumb_damage_pkg::KindIcrc: begin
          start_q <= {1'b0, user_i.length - 14'd8, 3'd0};
          stop_q  <= {1'b0, user_i.length, 3'd0};
        end
        default: begin
          start_q <= {1'b0, rule_q.offset};
          stop_q  <= {1'b0, rule_q.offset} + {1'b0, rule_q.param[16:0]};
        end
      endcase
    end
  end

  always_comb begin
    `PLUMB_ANY(action_o)
    if (wanted_q) begin
      action_o.kind    = rule_q.kind;
      action_o.start   = start_q;
      action_o.stop    = stop_q;
      action_o.probe   = (rule_q.kind == plumb_damage_pkg::KindTruncate) ? rule_q.param[5:0] :
                                                                           start_q[8:3];
      action_o.bytes   = rule_q.param[13:0];
      action_o.pattern = pattern_q;
    end
  end

  assign eligible_o = wanted_q && !spent_q && number_q >= next_q && number_q <= rule_q.last;

  always_comb begin
    `PLUMB_ANY(pattern)
    if (load_i) begin
      unique case (rule_i.kind)
        plumb_damage_pkg::KindFcs:  pattern = {32'd0, rule_i.param};
        // The register after four more bytes: what these bits do to an FCS right behind them.
        plumb_damage_pkg::KindIcrc: pattern = {plumb_crc32_pkg::step4(rule_i.param), rule_i.param};
        default:                    pattern = '1;
      endcase
    end
  end

  assign following = !wanted_q ? 'x :
      {1'b0, number_q} + ((rule_q.step == 32'd0) ? 33'd1 : {1'b0, rule_q.step});

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      rule_q    <= '0;
      active_q  <= 1'b0;
      pattern_q <= '0;
      next_q    <= '0;
      again_q   <= '0;
      spent_q   <= 1'b0;
      strikes_o <= '0;
    end else if (load_i) begin
      rule_q    <= rule_i;
      active_q  <= rule_i.kind != plumb_damage_pkg::KindNone;
      pattern_q <= pattern;
      next_q    <= rule_i.first;
      again_q   <= rule_i.times;
      spent_q   <= 1'b0;
      strikes_o <= '0;
    end else if (clear_i) begin
      next_q    <= rule_q.first;
      again_q   <= rule_q.times;
      spent_q   <= 1'b0;
      strikes_o <= '0;
    end else if (strike_i) begin
      // Numbers beyond 32 bits do not come.
      next_q    <= following[31:0];
      spent_q   <= following[32] || again_q == 32'd1;
      if (again_q != 32'd0) again_q <= again_q - 32'd1;
      strikes_o <= strikes_o + 32'd1;
    end
  end

  logic unused_user;
  assign unused_user = ^user_i;

endmodule
