// Work that simulated cards leave out for speed (docs/simulation-speed.md). No output differs.
//
//   always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
//     if (!rst_ni) ...
//
// is a process with an asynchronous reset. Where PLUMB_SYNC_RESETS is defined registers take their
// reset with the clock: there are half as many events to ask for in every clock. A simulated card is
// clocked in reset.
//
//   always_comb begin
//     `PLUMB_ANY(value)
//     if (used) value = ...
//
// says that value may be anything unless it is used. Where PLUMB_ANY_KEEPS is defined it keeps what
// it was, which needs no work: a wide 'x is a zero that is written in every clock.
`ifndef PLUMB_SIMULATED_SVH
`define PLUMB_SIMULATED_SVH

`ifdef PLUMB_SYNC_RESETS
`define PLUMB_OR_RESET
`else
`define PLUMB_OR_RESET or negedge rst_ni
`endif

`ifdef PLUMB_ANY_KEEPS
`define PLUMB_ANY(Value)
`else
`define PLUMB_ANY(Value) Value = 'x;
`endif

`endif
