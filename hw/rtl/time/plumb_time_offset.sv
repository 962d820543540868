// The offset of the card's time from its oscillator's: card time = local time + offset_o.
//
// Kept as 64 bits of ps and 32 bits of fraction. Every clock adds the rate, and one step of a slew
// if there is one; step_i adds any number of ps at once. All additions are exact: n clocks at a rate
// r add n * r. A change of rate_i or a step shows three clocks after it came, the first part of a
// slew six.
//
// Card time never goes back by rate and slew: a clock has 3103 ps or more, of which the rate takes
// 128 at most and a step of the slew 1023.
//
// ahead_o is what the offset will be LeadPs later if the rate stays and no slew is under way, to two
// ps: a time in the near future becomes a local time with it. It follows a change of the rate within
// 30 clocks.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_time_offset #(
  parameter int unsigned LeadPs = 8_000_000
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        clear_i,           // pulse: the offset becomes zero, a slew ends

  // Rate
  input  wire logic [39:0] rate_i,            // signed, 2^-32 ps per clock

  // Step
  input  wire logic        step_i,            // pulse
  input  wire logic [63:0] step_ps_i,         // with step_i: signed ps

  // Slew
  input  wire logic        slew_i,            // pulse: replaces what is left
  input  wire logic [31:0] slew_ps_i,         // with slew_i: signed ps
  input  wire logic [9:0]  limit_ps_i,        // ps at a time, at most
  input  wire logic [15:0] interval_i,        // clocks from one time to the next; 0 is 1
  output      logic [31:0] left_o,            // signed ps that are left

  output      logic [63:0] offset_o,          // signed ps, rounded down
  output      logic [31:0] fraction_o,        // 2^-32 ps, to be added
  output      logic [63:0] ahead_o            // signed ps
);

  // Rounded to the nearest.
  localparam int unsigned Half = plumb_pkg::ClockPeriodNum / 2;
  localparam int unsigned LeadClocks =
      (LeadPs * plumb_pkg::ClockPeriodDen + Half) / plumb_pkg::ClockPeriodNum;

  `PLUMB_PARAMETER(plumb_time_offset, LeadPs, LeadPs < 12000000, below 12 us)

  // ---- Slew: sign and magnitude of what is left ----
  logic        load_q, load_minus_q;         // a clock behind the request
  logic [31:0] load_left_q;
  logic        minus_q, big_q, tick_q, every_q;
  logic [31:0] left_q;
  logic [15:0] wait_q, last_q;
  logic [9:0]  part, part_q;
  logic        part_minus_q;

  // big_q is a clock old: at least 2048 then is more than any part now.
  assign part = (big_q || left_q[10:0] > {1'b0, limit_ps_i}) ? limit_ps_i : left_q[9:0];

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      load_q       <= 1'b0;
      load_minus_q <= 1'b0;
      load_left_q  <= '0;
      minus_q      <= 1'b0;
      big_q        <= 1'b0;
      left_q       <= '0;
      every_q      <= 1'b1;
      last_q       <= '0;
      tick_q       <= 1'b1;
      wait_q       <= '0;
      part_q       <= '0;
      part_minus_q <= 1'b0;
    end else begin
      load_q       <= slew_i || clear_i;
      load_minus_q <= slew_ps_i[31];
      load_left_q  <= clear_i ? '0 : slew_ps_i[31] ? 32'd0 - slew_ps_i : slew_ps_i;
      every_q      <= interval_i <= 16'd1;
      last_q       <= interval_i - 16'd1;
      // From the end of an interval on there are last_q clocks to the next.
      tick_q       <= load_q || (tick_q ? every_q : wait_q == 16'd1);
      wait_q       <= tick_q ? last_q : wait_q - 16'd1;
      big_q        <= load_q ? |load_left_q[31:11] : |left_q[31:11];
      part_q       <= (tick_q && !load_q) ? part : '0;
      part_minus_q <= minus_q;
      if (load_q) begin
        minus_q <= load_minus_q;
        left_q  <= load_left_q;
      end else if (tick_q) begin
        left_q  <= left_q - 32'(part);
      end
      if (clear_i) begin
        left_q <= '0;
        big_q  <= 1'b0;
        part_q <= '0;
      end
    end
  end

  assign left_o = minus_q ? 32'd0 - left_q : left_q;

  // ---- Offset: fraction and what is added to the whole, then the whole ----
  logic        carry_q, clear_q;
  logic [11:0] small_d, small_q;     // whole ps of rate and slew, signed
  logic [31:0] fraction_q, fraction2_q;
  logic [63:0] whole_q, add_q, step_q;

  assign small_d = part_minus_q ? {{4{rate_i[39]}}, rate_i[39:32]} - 12'(part_q)
                                : {{4{rate_i[39]}}, rate_i[39:32]} + 12'(part_q);

  // A clock ahead of the fraction: the whole parts and a step, which meet in add_q.
  logic [31:0] rate_fraction_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      small_q         <= '0;
      step_q          <= '0;
      rate_fraction_q <= '0;
      carry_q         <= 1'b0;
      clear_q         <= 1'b0;
      fraction_q      <= '0;
      add_q           <= '0;
      fraction2_q     <= '0;
      whole_q         <= '0;
    end else begin
      small_q         <= small_d;
      step_q          <= step_i ? step_ps_i : '0;
      rate_fraction_q <= rate_i[31:0];
      clear_q         <= clear_i;
      {carry_q, fraction_q} <= {1'b0, fraction_q} + {1'b0, rate_fraction_q};
      add_q       <= step_q + {{52{small_q[11]}}, small_q};
      fraction2_q <= fraction_q;
      whole_q     <= whole_q + add_q + 64'(carry_q);
      if (clear_i || clear_q) begin
        small_q         <= '0;
        step_q          <= '0;
        rate_fraction_q <= '0;
        carry_q         <= 1'b0;
        fraction_q      <= '0;
        add_q           <= '0;
        fraction2_q     <= '0;
        whole_q         <= '0;
      end
    end
  end

  assign offset_o   = whole_q;
  assign fraction_o = fraction2_q;

  // ---- Ahead: the rate times LeadClocks, a bit of the factor after the other ----
  logic [11:0] factor_q;
  logic [39:0] addend_q, sum_q;      // 2^-20 ps
  logic [19:0] product_q;            // ps
  logic [27:0] coarse_q;
  logic [63:0] ahead_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      factor_q  <= '0;
      coarse_q  <= '0;
      addend_q  <= '0;
      sum_q     <= '0;
      product_q <= '0;
      ahead_q   <= '0;
    end else begin
      ahead_q <= whole_q + {{44{product_q[19]}}, product_q};
      if (factor_q != 12'd0) begin
        factor_q <= factor_q >> 1;
        addend_q <= addend_q << 1;
        if (factor_q[0]) sum_q <= sum_q + addend_q;
      end else begin
        product_q <= sum_q[39:20];
        if (coarse_q != rate_i[39:12]) begin
          coarse_q <= rate_i[39:12];
          factor_q <= 12'(LeadClocks);
          addend_q <= {{12{rate_i[39]}}, rate_i[39:12]};
          sum_q    <= '0;
        end
      end
    end
  end

  assign ahead_o = ahead_q;

endmodule
