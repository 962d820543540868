// Random gaps between bit errors: how many bits stay good before the next bad one.
//
// A gap is floor(ln u / ln(1 - p)) for u uniform in (0, 1], which makes the errors of independent
// bits. In fixed point, with e = -log2 u in units of 2^-26:
//
//   r            64 bits of xoroshiro128+, u = r / 2^64
//   e            = (leading zeros + 1) - log2(the rest), by 256 pieces of a straight line
//   gap          = floor((e - 1) * scale / 2^shift)
//
// The host chooses scale (2^31 to 2^32 - 1) and shift such that scale / 2^shift = ln 2 / -ln(1 - p)
// per unit of e. The pieces lie below the curve by 9.2e-7 on average, which lowers the realised
// bit error ratio by 6.4e-7 of itself; all else is below 5e-8.
//
// While enable_i is high a gap is ready in every clock (valid_o) from 12 clocks after load_i on;
// with enable_i low everything stands still. load_i takes the state of the generator, which must
// not be zero, and forgets what was under way.
`include "plumb_simulated.svh"

module plumb_damage_gap (
  // Clock and reset (active low)
  input  logic         clk_i,
  input  logic         rst_ni,

  // Configuration
  input  logic         load_i,    // pulse: take the seed, forget what was under way
  input  logic [127:0] seed_i,    // with load_i: state of the generator, not zero
  input  logic [31:0]  scale_i,   // steady: 2^31 to 2^32 - 1
  input  logic [5:0]   shift_i,   // steady

  // Gaps
  input  logic         enable_i,  // level: the next gap; low: everything stands still
  output logic         valid_o,   // level: gap_o is a gap
  output logic [55:0]  gap_o      // good bits before the next bad one
);

  localparam int unsigned Stages = 11;

  // ---- Generator ----
  logic [63:0] s0_q, s1_q, mixed;
  assign mixed = s0_q ^ s1_q;

  logic [Stages-1:0] valid_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      s0_q    <= 64'd1;
      s1_q    <= '0;
      valid_q <= '0;
    end else if (load_i) begin
      {s1_q, s0_q} <= seed_i;
      valid_q      <= '0;
    end else if (enable_i) begin
      s0_q    <= {s0_q[39:0], s0_q[63:40]} ^ mixed ^ {mixed[47:0], 16'd0};
      s1_q    <= {mixed[26:0], mixed[63:27]};
      valid_q <= {valid_q[Stages-2:0], 1'b1};
    end
  end

  // ---- Leading zeros go, five binary steps and one ----
  logic [63:0] r1_q, r2_q;
  logic [2:0]  zeros2_q;
  logic [63:0] by32, by16, by8, by4, by2, by1;
  logic [2:0]  high, low;
  logic [7:1]  zero;       // byte of r1_q

  // Whether a byte is zero is told where it stands: a step then only has to choose among them,
  // and need not wait for the bits that the step before has moved.
  always_comb begin
    for (int unsigned i = 1; i < 8; i++) zero[i] = r1_q[8*i +: 8] == 8'd0;
    high[2] = &zero[7:4];
    by32    = high[2] ? {r1_q[31:0], 32'd0} : r1_q;
    high[1] = high[2] ? &zero[3:2] : &zero[7:6];
    by16    = high[1] ? {by32[47:0], 16'd0} : by32;
    high[0] = high[2] ? (high[1] ? zero[1] : zero[3]) : (high[1] ? zero[5] : zero[7]);
    by8     = high[0] ? {by16[55:0], 8'd0} : by16;
    low[2]  = r2_q[63:60] == 4'd0;
    by4     = low[2] ? {r2_q[59:0], 4'd0} : r2_q;
    low[1]  = by4[63:62] == 2'd0;
    by2     = low[1] ? {by4[61:0], 2'd0} : by4;
    low[0]  = !by2[63];
    by1     = low[0] ? {by2[62:0], 1'd0} : by2;
  end

  // ---- Logarithm of what is behind the leading one: point, slope, sum ----
  logic [5:0]  zeros3_q, zeros4_q, zeros5_q;
  logic [25:0] rest3_q;
  logic [17:0] rest4_q;
  logic [44:0] point4_q;
  logic [25:0] base5_q;
  logic [36:0] rise5_q;
  logic [31:0] e6_q;
  logic [25:0] log2;

  assign log2 = base5_q + 26'(rise5_q[36:18]);

  // ---- Product and shift ----
  logic [31:0] low7_q, mid7_q, mid7b_q, high7_q;
  logic [63:0] product8_q;
  logic [63:0] shifted9_q, shifted10_q;
  logic [55:0] gap11_q;

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      r1_q     <= s0_q + s1_q;
      r2_q     <= by8;
      zeros2_q <= high;
      zeros3_q <= {zeros2_q, low};
      rest3_q  <= by1[62:37];

      point4_q <= plumb_damage_log2_pkg::point(rest3_q[25:18]);
      rest4_q  <= rest3_q[17:0];
      zeros4_q <= zeros3_q;
      base5_q  <= point4_q[25:0];
      rise5_q  <= point4_q[44:26] * rest4_q;
      zeros5_q <= zeros4_q;
      // (zeros + 1) - log2, less one unit: never negative, never 2^32.
      e6_q     <= {zeros5_q, 26'h3ffffff} - {6'd0, log2};

      low7_q      <= e6_q[15:0] * scale_i[15:0];
      mid7_q      <= e6_q[15:0] * scale_i[31:16];
      mid7b_q     <= e6_q[31:16] * scale_i[15:0];
      high7_q     <= e6_q[31:16] * scale_i[31:16];
      product8_q  <= {high7_q, low7_q} + 64'({33'(mid7_q) + 33'(mid7b_q), 16'd0});
      shifted9_q  <= product8_q >> {shift_i[5:4], 4'd0};
      shifted10_q <= shifted9_q >> {shift_i[3:2], 2'd0};
      gap11_q     <= 56'(shifted10_q >> shift_i[1:0]);
    end
  end

  logic unused_bits;
  assign unused_bits = ^{by1[36:0], by1[63], rise5_q[17:0]};

  assign valid_o = valid_q[Stages-1];
  assign gap_o   = gap11_q;

endmodule
