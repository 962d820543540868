// Gaps of the flows that have no constant period: drawn from an exponential distribution, or taken
// from a list in memory. A gap is the time from one frame's due time to the next.
//
// Making a gap takes longer than the two clocks that the schedule has for a frame. So the next nine
// gaps of a flow are kept ready: the first with the flow's state in the scheduler, eight in the
// flow's lanes here. When the scheduler uses up a gap it takes the following one out of a lane, in
// turn (take_i; gap_o a clock later), and the lane is filled again: 10 clocks after take_i, and it
// is needed 16 clocks after it at the earliest. Before a run prime_i, which comes when the schedule
// entry of a flow is written, fills them all: first_valid_o gives the first gap. Priming takes 30
// clocks (two for a flow without such gaps) and has no effect on a flow that has begun. busy_o is
// high while gaps are being made, from one clock behind prime_i and two behind take_i.
//
// Exponential (mode 1): a state of 64 bits per flow begins with gap_seed; each draw uses it as it
// is, and then steps it (xorshift: x ^= x << 13; x ^= x >> 7; x ^= x << 17). With z the leading
// zeros of bits 63:32 (0 to 32), i bits 31:26 and f bits 25:10,
//
//   e   = (z + 1) ln 2 - ln_at(i) - ((ln_at(i+1) - ln_at(i)) f >> 16)        Q5.24
//   gap = gap_mean (e >> 4) >> 20                                             Q48.16 ps
//
// which is -ln of a number that is uniform in (0, 1], the logarithm interpolated between 65 points:
// its mean is 1 within 2e-5, its distribution function right within 4e-5, and gaps above 22.8 times
// the mean (a share of 1e-10) are not drawn. A gap is never negative.
//
// List (mode 2): gap_count entries from gap_base on (modulo 4096), each used gap_repeat times, then
// from the first again.
//
// clear_we_i zeroes a flow: no such gaps, nothing drawn. Rows may be accessed while no gap is being
// made; their data is there one clock after the read.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_tx_gaps #(
  parameter int unsigned FlowsLog2 = 8
) (
  // Clock and reset (active low)
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // Before a run: a flow's first nine gaps
  input  logic                 prime_i,        // pulse: fill the lanes of this flow
  input  logic [FlowsLog2-1:0] prime_flow_i,   // with prime_i
  output logic                 busy_o,         // level: gaps are being made
  output logic                 first_valid_o,  // pulse: the flow's first gap is there
  output logic [FlowsLog2-1:0] first_flow_o,   // with first_valid_o
  output logic [63:0]          first_gap_o,    // with first_valid_o; Q48.16 ps

  // In a run: a gap out of a lane
  input  logic                 take_i,         // pulse, at most every other clock; refills the lane
  input  logic [FlowsLog2-1:0] take_flow_i,    // with take_i
  input  logic [2:0]           take_lane_i,    // with take_i; the flow's lanes in turn
  output logic [63:0]          gap_o,          // one clock after take_i; Q48.16 ps

  // Rows of the pattern table (config) and of the list of gaps; the sweep
  input  logic                 config_we_i,    // pulse: write the pattern table
  input  logic                 config_re_i,    // pulse: read it
  input  logic                 list_we_i,      // pulse: write the list of gaps
  input  logic                 list_re_i,      // pulse: read it
  input  logic [11:0]          row_i,          // flow, or entry of the list
  input  logic [511:0]         row_wdata_i,    // with a write, as in the register map
  output logic [351:0]         config_row_o,   // fields kept here, others zero; one clock later
  output logic [63:0]          list_row_o,     // gap, Q48.16 ps; one clock after list_re_i
  input  logic                 clear_we_i,     // level during a sweep: zero this flow
  input  logic [FlowsLog2-1:0] clear_row_i     // flow that is zeroed
);

  `PLUMB_RANGE(plumb_tx_gaps, FlowsLog2, 1, 12)

  localparam int unsigned Flows = 2**FlowsLog2;
  localparam int unsigned ConfigW = 2 + 13 + 12 + 16 + 59 + 64;
  localparam int unsigned StateW = 1 + 12 + 16 + 64;
  localparam int unsigned Stages = 10;

  // Flows with constant periods ask for none.
  logic clk_on;

  plumb_clock_gate u_on (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .busy_i (prime_i || take_i || busy_o || config_we_i || config_re_i || list_we_i ||
             list_re_i || clear_we_i || valid_q[1]),
    .clk_o  (clk_on)
  );

  // ---- Requests: the lane just emptied, or nine in a row to prime a flow ----
  typedef enum logic [1:0] {PrIdle, PrLook, PrFill} prime_e;

  prime_e               prime_q;
  logic [4:0]           step_q;         // half of it counts the gaps
  logic [FlowsLog2-1:0] prime_flow_q;
  logic                 prime_request, needs_gaps;
  logic [1:0]           mode;
  logic                 begun;

  assign needs_gaps    = (mode == 2'd1 || mode == 2'd2) && !begun;
  assign prime_request = prime_q == PrFill && !step_q[0];

  always_ff @(posedge clk_on `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      prime_q <= PrIdle;
      step_q  <= '0;
    end else if (prime_i) begin
      prime_q <= PrLook;
    end else if (prime_q == PrLook) begin
      prime_q <= needs_gaps ? PrFill : PrIdle;
      step_q  <= '0;
    end else if (prime_q == PrFill) begin
      prime_q <= (step_q == 5'd16) ? PrIdle : PrFill;
      step_q  <= step_q + 5'd1;
    end
  end

  always_ff @(posedge clk_on) begin
    if (prime_i) prime_flow_q <= prime_flow_i;
  end

  // ---- The gaps' way: stage s works in clock s behind take_i ----
  logic [Stages:1]         valid_q, first_q;
  localparam int unsigned LaneW = FlowsLog2 + 3;
  logic [Stages*LaneW-1:0] lane_q;        // a flow's lane; stage 1 in the lowest bits
  logic [FlowsLog2-1:0]    flow1, flow2;
  logic                    moving;
  logic                    later_q;       // in any stage behind the first

  assign moving = take_i || prime_request || valid_q[1] || later_q;
  assign flow1  = lane_q[3 +: FlowsLog2];
  assign flow2  = lane_q[LaneW+3 +: FlowsLog2];

  always_ff @(posedge clk_on `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      valid_q <= '0;
      later_q <= 1'b0;
      busy_o  <= 1'b0;
    end else begin
      // One register: whether tables may be accessed depends on it, late in a clock.
      busy_o <= prime_i || prime_q != PrIdle || (|valid_q[Stages-1:1]);
      if (moving) begin
        valid_q <= {valid_q[Stages-1:1], take_i || prime_request};
        later_q <= |valid_q[Stages-1:1];
      end
    end
  end

  always_ff @(posedge clk_on) begin
    if (moving) begin
      first_q <= {first_q[Stages-1:1], prime_request && step_q == 5'd0};
      lane_q  <= {lane_q[(Stages-1)*LaneW-1:0],
                  take_i ? {take_flow_i, take_lane_i} : {prime_flow_q, step_q[3:1] - 3'd1}};
    end
  end

  // Stage 1: rows are read.
  (* ram_style = "block" *)
  logic [ConfigW-1:0]   config_mem [0:Flows-1];
  (* ram_style = "block" *)
  logic [StateW-1:0]    state_mem [0:Flows-1];
  logic [ConfigW-1:0]   config2_q;
  logic [StateW-1:0]    state2_q, next_state;
  logic [FlowsLog2-1:0] config_row, read_row;
  logic                 state_we;

  assign config_row = clear_we_i ? clear_row_i : row_i[FlowsLog2-1:0];
  assign read_row   = config_re_i ? row_i[FlowsLog2-1:0] : prime_i ? prime_flow_i : flow1;
  assign state_we   = clear_we_i || valid_q[2];

  always_ff @(posedge clk_on) begin
    if (config_we_i || clear_we_i) begin
      config_mem[config_row] <= clear_we_i ? '0 :
          {row_wdata_i[plumb_regs_pkg::PatternGapModeLsb +: 2],
           row_wdata_i[plumb_regs_pkg::PatternGapCountLsb +: 13],
           row_wdata_i[plumb_regs_pkg::PatternGapBaseLsb +: 12],
           row_wdata_i[plumb_regs_pkg::PatternGapRepeatLsb +: 16],
           row_wdata_i[plumb_regs_pkg::PatternGapMeanLsb +: 59],
           row_wdata_i[plumb_regs_pkg::PatternGapSeedLsb +: 64]};
    end
    if (valid_q[1] || prime_i || config_re_i) config2_q <= config_mem[read_row];
  end

  always_ff @(posedge clk_on) begin
    if (state_we) state_mem[clear_we_i ? clear_row_i : flow2] <= clear_we_i ? '0 : next_state;
    if (valid_q[1] || prime_i) state2_q <= state_mem[read_row];
  end

  // Stage 2: the state steps.
  logic [12:0] gap_count;
  logic [11:0] gap_base, position;
  logic [15:0] gap_repeat, repeated;
  logic [58:0] gap_mean;
  logic [63:0] gap_seed, random, stored_random;
  logic [63:0] x1, x2, x3;
  logic        repeat_over, list_over;
  assign {mode, gap_count, gap_base, gap_repeat, gap_mean, gap_seed} = config2_q;
  assign {begun, position, repeated, stored_random} = state2_q;

  always_comb begin
    config_row_o = '0;
    config_row_o[plumb_regs_pkg::PatternGapModeLsb +: 2]    = mode;
    config_row_o[plumb_regs_pkg::PatternGapCountLsb +: 13]  = gap_count;
    config_row_o[plumb_regs_pkg::PatternGapBaseLsb +: 12]   = gap_base;
    config_row_o[plumb_regs_pkg::PatternGapRepeatLsb +: 16] = gap_repeat;
    config_row_o[plumb_regs_pkg::PatternGapMeanLsb +: 59]   = gap_mean;
    config_row_o[plumb_regs_pkg::PatternGapSeedLsb +: 64]   = gap_seed;
  end

  // A count of zero counts as one.
  assign repeat_over = 17'(repeated) + 17'd1 >= 17'(gap_repeat);
  assign list_over   = 13'(position) + 13'd1 >= gap_count;
  assign random      = begun ? stored_random : gap_seed;
  assign x1          = random ^ (random << 13);
  assign x2          = x1 ^ (x1 >> 7);
  assign x3          = x2 ^ (x2 << 17);
  assign next_state  = {1'b1,
                        !repeat_over ? position : list_over ? 12'd0 : position + 12'd1,
                        repeat_over ? 16'd0 : repeated + 16'd1,
                        x3};

  logic [53:0] random3_q;
  logic [6:0]  point3_q;    // the logarithm's second point
  logic [11:0] entry3_q, entry4_q, entry5_q, entry6_q, entry7_q;
  logic        listed3_q, listed4_q, listed5_q, listed6_q, listed7_q, listed8_q, listed9_q;
  logic [58:0] mean3_q, mean4_q, mean5_q, mean6_q, mean7_q;

  always_ff @(posedge clk_on) begin
    if (valid_q[2]) begin
      random3_q <= random[63:10];
      point3_q  <= 7'(random[31:26]) + 7'd1;
      entry3_q  <= gap_base + position;
      listed3_q <= mode == 2'd2;
      mean3_q   <= gap_mean;
    end
    if (valid_q[3]) {listed4_q, entry4_q, mean4_q} <= {listed3_q, entry3_q, mean3_q};
    if (valid_q[4]) {listed5_q, entry5_q, mean5_q} <= {listed4_q, entry4_q, mean4_q};
    if (valid_q[5]) {listed6_q, entry6_q, mean6_q} <= {listed5_q, entry5_q, mean5_q};
    if (valid_q[6]) {listed7_q, entry7_q, mean7_q} <= {listed6_q, entry6_q, mean6_q};
    if (valid_q[7]) listed8_q <= listed7_q;
  end

  // Stage 3: leading zeros of each four bits, the first four first; the logarithm's two points.
  logic [7:0]  none, none4_q;
  logic [15:0] zeros, zeros4_q;       // 0 to 3, where there are not four
  logic [23:0] ln4_q, ln_next, rise4_q;
  logic [15:0] fraction4_q;

  always_comb begin
    none    = '0;
    zeros   = '0;
    ln_next = '0;
    if (valid_q[3]) begin
      for (int unsigned n = 0; n < 8; n++) begin
        none[n] = random3_q[53-4*n -: 4] == 4'd0;
        unique casez (random3_q[53-4*n -: 4])
          4'b1???: zeros[2*n +: 2] = 2'd0;
          4'b01??: zeros[2*n +: 2] = 2'd1;
          4'b001?: zeros[2*n +: 2] = 2'd2;
          default: zeros[2*n +: 2] = 2'd3;
        endcase
      end
      ln_next = plumb_tx_ln_pkg::ln_at(point3_q);
    end
  end

  always_ff @(posedge clk_on) begin
    if (valid_q[3]) begin
      none4_q     <= none;
      zeros4_q    <= zeros;
      ln4_q       <= plumb_tx_ln_pkg::ln_at(7'(random3_q[21:16]));
      rise4_q     <= ln_next - plumb_tx_ln_pkg::ln_at(7'(random3_q[21:16]));
      fraction4_q <= random3_q[15:0];
    end
  end

  // Stage 4: leading zeros in all; the way from the first point to the second.
  logic [5:0]  leading, leading5_q;
  logic [33:0] way, way5_q;
  logic [23:0] ln5_q;

  always_comb begin
    unique casez (none4_q)
      8'b???????0: leading = {4'd0, zeros4_q[1:0]};
      8'b??????01: leading = {4'd1, zeros4_q[3:2]};
      8'b?????011: leading = {4'd2, zeros4_q[5:4]};
      8'b????0111: leading = {4'd3, zeros4_q[7:6]};
      8'b???01111: leading = {4'd4, zeros4_q[9:8]};
      8'b??011111: leading = {4'd5, zeros4_q[11:10]};
      8'b?0111111: leading = {4'd6, zeros4_q[13:12]};
      8'b01111111: leading = {4'd7, zeros4_q[15:14]};
      default:     leading = 6'd32;
    endcase
  end

  // No two points are 2^18 apart.
  assign way = 34'(rise4_q[17:0]) * 34'(fraction4_q);

  always_ff @(posedge clk_on) begin
    if (valid_q[4]) begin
      leading5_q <= leading + 6'd1;
      way5_q     <= way;
      ln5_q      <= ln4_q;
    end
  end

  // Stages 5 and 6: the exponential variate.
  logic [28:0] powers6_q, mantissa6_q, variate;
  logic [24:0] variate7_q;

  always_ff @(posedge clk_on) begin
    if (valid_q[5]) begin
      powers6_q   <= plumb_tx_ln_pkg::ln_power(leading5_q);
      mantissa6_q <= 29'(ln5_q) + 29'(way5_q[33:16]);
    end
    if (valid_q[6]) variate7_q <= variate[28:4];
  end

  assign variate = powers6_q - mantissa6_q;

  // Stages 7 to 9: times the mean, 17 bits of it at a time; or the list's entry.
  (* ram_style = "block" *)
  logic [63:0] list_mem [0:4095];
  logic [63:0] list8_q, list9_q, gap10_q;
  logic [41:0] part0_8_q, part1_8_q, part2_8_q;
  logic [32:0] part3_8_q;
  logic [83:0] low9_q, high9_q, product;

  always_ff @(posedge clk_on) begin
    if (valid_q[7]) begin
      part0_8_q <= 42'(mean7_q[16:0]) * 42'(variate7_q);
      part1_8_q <= 42'(mean7_q[33:17]) * 42'(variate7_q);
      part2_8_q <= 42'(mean7_q[50:34]) * 42'(variate7_q);
      part3_8_q <= 33'(mean7_q[58:51]) * 33'(variate7_q);
    end
  end

  always_ff @(posedge clk_on) begin
    if (list_we_i) list_mem[row_i] <= row_wdata_i[63:0];
    if (valid_q[7] || list_re_i) list8_q <= list_mem[list_re_i ? row_i : entry7_q];
  end

  assign list_row_o = list8_q;
  assign product    = high9_q + low9_q;

  always_ff @(posedge clk_on) begin
    if (valid_q[8]) begin
      high9_q   <= {part3_8_q, 51'd0} + {8'd0, part2_8_q, 34'd0};
      low9_q    <= {25'd0, part1_8_q, 17'd0} + {42'd0, part0_8_q};
      listed9_q <= listed8_q;
      list9_q   <= list8_q;
    end
    if (valid_q[9]) gap10_q <= listed9_q ? list9_q : product[83:20];
  end

  // Stage 10: into the lane.
  (* ram_style = "block" *)
  logic [63:0] lanes [0:8*Flows-1];
  logic [63:0] gap_q;

  always_ff @(posedge clk_on) begin
    if (valid_q[Stages] && !first_q[Stages]) lanes[lane_q[(Stages-1)*LaneW +: LaneW]] <= gap10_q;
    if (take_i) gap_q <= lanes[{take_flow_i, take_lane_i}];
  end

  assign gap_o         = gap_q;
  assign first_valid_o = valid_q[Stages] && first_q[Stages];
  assign first_flow_o  = lane_q[(Stages-1)*LaneW+3 +: FlowsLog2];
  assign first_gap_o   = gap10_q;

  logic unused_bits;
  assign unused_bits = ^{rise4_q[23:18], way5_q[15:0], variate[3:0], product[19:0], row_wdata_i};

  `PLUMB_ASSERT(EveryOtherClock, take_i |=> !take_i)
  `PLUMB_ASSERT(NothingTakenWhilePriming, prime_q != PrIdle || prime_i |-> !take_i)
  `PLUMB_ASSERT(BusyWhileGapsAreMade, prime_q != PrIdle || later_q |-> busy_o)
  `PLUMB_ASSERT(RowsWhileIdle,
                (config_we_i || config_re_i || list_we_i || list_re_i || clear_we_i) |->
                !busy_o && !valid_q[1])

endmodule
