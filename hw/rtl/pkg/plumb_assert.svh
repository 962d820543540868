// Checks: of a module's parameters, for every tool, and assertions, which only Verilator sees.
//
//   `PLUMB_RANGE(Module, Name, Low, High)           parameter Name of this module is Low to High
//   `PLUMB_PARAMETER(Module, Name, Rule, Allowed)   Rule holds; Allowed says in words what it asks
//   `PLUMB_ASSERT(Name, Property)   at every clock edge out of reset, Property must hold
//   `PLUMB_COVER(Name, Property)    counts how often Property held (with coverage enabled)
//
// The first two stand behind the ports of a module with parameters, one for each. A wrong value
// ends elaboration: "plumb_tx_sched: FlowsLog2 is 13, allowed 3 to 12". Low is 1 or more, as tools
// warn of unsigned < 0; Allowed has no comma and no quotation mark. Yosys prints %0d for the value,
// and nothing of the text of a $fatal.
//
// The others use clk_i and rst_ni of the module. Property may be any concurrent property that is
// known to Verilator: a boolean, a |-> b, a |=> b, with $past, $rose, $stable.
`ifndef PLUMB_ASSERT_SVH
`define PLUMB_ASSERT_SVH

`define PLUMB_RANGE(Module, Name, Low, High) \
  if (Name < (Low) || Name > (High)) begin : gen_bad_``Name \
    $error(`"Module: Name is %0d, allowed Low to High`", Name); \
  end
`define PLUMB_PARAMETER(Module, Name, Rule, Allowed) \
  if (!(Rule)) begin : gen_bad_``Name \
    $error(`"Module: Name is %0d, allowed Allowed`", Name); \
  end

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
