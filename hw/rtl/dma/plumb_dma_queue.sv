// A short first-in first-out queue in distributed RAM. What is pushed shows at head_o one clock
// later. No push while full_o, no pop while !valid_o.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_dma_queue #(
  parameter int unsigned Width = 8,
  parameter int unsigned DepthLog2 = 2
) (
  // Clock and reset (active low)
  input  wire logic             clk_i,
  input  wire logic             rst_ni,

  // In
  input  wire logic             push_i,   // pulse
  input  wire logic [Width-1:0] entry_i,  // with push_i
  output      logic             full_o,   // level: no push

  // Out
  output      logic             valid_o,  // level: there is a head
  output      logic [Width-1:0] head_o,   // the oldest entry
  input  wire logic             pop_i     // pulse: take it out
);

  `PLUMB_PARAMETER(plumb_dma_queue, Width, Width >= 1, at least 1)
  `PLUMB_RANGE(plumb_dma_queue, DepthLog2, 1, 30)

  (* ram_style = "distributed" *)
  logic [Width-1:0]   entries [0:2**DepthLog2-1];
  logic [DepthLog2:0] write_q, read_q, level;

  assign level   = write_q - read_q;
  assign full_o  = level[DepthLog2];
  assign valid_o = write_q != read_q;
  assign head_o  = entries[read_q[DepthLog2-1:0]];

  always_ff @(posedge clk_i) begin
    if (push_i) entries[write_q[DepthLog2-1:0]] <= entry_i;
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else begin
      if (push_i) write_q <= write_q + (DepthLog2+1)'(1);
      if (pop_i)  read_q  <= read_q + (DepthLog2+1)'(1);
    end
  end

  `PLUMB_ASSERT(NotOverfull, push_i |-> !full_o)
  `PLUMB_ASSERT(NotFromEmpty, pop_i |-> valid_o)

endmodule
