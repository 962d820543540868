// The clock of a part that mostly is at rest, so that a simulation can pass it over then.
//
// busy_i says that something in the part may change with the next edge. The clock runs while it is
// high, for Linger clocks after it has fallen, by when whatever was under way has come to rest, and
// in reset. Behind a gate everything must be as if the clock always ran: a part whose busy_i has
// been low for so long must not change anything that is read outside it. A simulation can compare a
// card with gates with one without (docs/simulation-speed.md).
//
// Only a simulation of the whole card has gates (PLUMB_CLOCK_GATES). In hardware this is a wire.
`include "plumb_simulated.svh"

module plumb_clock_gate (
  // Clock and reset (active low)
  input  logic clk_i,
  input  logic rst_ni,
  input  logic busy_i,  // level: something may change with the next edge
  output logic clk_o    // clk_i, or at rest
);

`ifdef PLUMB_CLOCK_GATES
  localparam logic [5:0] Linger = 6'd63;

  logic [5:0] left_q;
  logic       open;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni)             left_q <= Linger;
    else if (busy_i)         left_q <= Linger;
    else if (left_q != 6'd0) left_q <= left_q - 6'd1;
  end

  // Decided while the clock is low, so that it never changes in the middle of a pulse.
  always_latch begin
    if (!clk_i) open = busy_i || left_q != 6'd0 || !rst_ni;
  end

  assign clk_o = clk_i && open;
`else
  assign clk_o = clk_i;

  logic unused_inputs;
  assign unused_inputs = ^{rst_ni, busy_i};
`endif

endmodule
