// Assertions that exist only for Verilator; for every other tool the macros are empty.
//
//   `PLUMB_ASSERT(Name, Property)   at every clock edge out of reset, Property must hold
//   `PLUMB_COVER(Name, Property)    counts how often Property held (with coverage enabled)
//
// Both use clk_i and rst_ni of the module. Property may be any concurrent property that Verilator
// knows: a boolean, a |-> b, a |=> b, with $past, $rose, $stable.
`ifndef PLUMB_ASSERT_SVH
`define PLUMB_ASSERT_SVH

`ifdef VERILATOR
`define PLUMB_ASSERT(Name, Property) \
  Name : assert property (@(posedge clk_i) disable iff (!rst_ni) (Property)) \
    else $error("%m: assertion failed");
`define PLUMB_COVER(Name, Property) \
  Name : cover property (@(posedge clk_i) disable iff (!rst_ni) (Property));
`else
`define PLUMB_ASSERT(Name, Property)
`define PLUMB_COVER(Name, Property)
`endif

`endif
