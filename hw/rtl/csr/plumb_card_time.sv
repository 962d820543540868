// The time of the card's oscillator, its local time: a 64-bit count of picoseconds that is exact for
// ever.
//
// During cycle n (between clock edge n and edge n+1) now_o is the time of edge n, counted from the
// last edge in reset as edge 0: floor(n * PeriodNum / PeriodDen). The fraction is kept as an
// integer remainder, so there is no rounding that could add up.
//
//   set_i    the next cycle's now_o is set_time_i, the remainder starts from zero
//   latch_i  latched_o takes this cycle's card time, now_o + offset_i, from the next cycle on
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_card_time #(
  parameter int unsigned PeriodNum = plumb_pkg::ClockPeriodNum,
  parameter int unsigned PeriodDen = plumb_pkg::ClockPeriodDen
) (
  // Clock, reset (active low)
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // Setting and reading
  input  wire logic        set_i,       // pulse: sets the time
  input  wire logic [63:0] set_time_i,  // new time, ps
  input  wire logic [63:0] offset_i,    // card time - local time, ps
  input  wire logic        latch_i,     // pulse: keeps this clock's card time
  output      logic [63:0] latched_o,   // card time kept last, ps

  // Local time
  output      logic [63:0] now_o        // time of the edge that begins the clock, ps
);

  `PLUMB_PARAMETER(plumb_card_time, PeriodNum, PeriodNum >= PeriodDen,
                   PeriodDen or more: a picosecond per clock)
  `PLUMB_RANGE(plumb_card_time, PeriodDen, 1, 65536)

  // Whole picoseconds per clock, and what is left over in units of 1/PeriodDen ps.
  localparam int unsigned Whole = PeriodNum / PeriodDen;
  localparam int unsigned Left = PeriodNum % PeriodDen;
  localparam int unsigned LeftW = $clog2(2 * PeriodDen);

  logic [LeftW-1:0] remainder_q, sum;
  logic             carry;
  assign sum = remainder_q + LeftW'(Left);
  assign carry = sum >= LeftW'(PeriodDen);

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      now_o <= '0;
      remainder_q <= '0;
    end else if (set_i) begin
      now_o <= set_time_i;
      remainder_q <= '0;
    end else begin
      now_o <= now_o + (carry ? 64'(Whole) + 64'd1 : 64'(Whole));
      remainder_q <= carry ? sum - LeftW'(PeriodDen) : sum;
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      latched_o <= '0;
    end else if (latch_i) begin
      latched_o <= now_o + offset_i;
    end
  end

endmodule
