// Memory with one write and one read port. The read data come one clock after re_i and stay until
// the next read. Reading a word in the clock in which it is written gives the old one.
`include "plumb_assert.svh"

module plumb_rx_ram #(
  parameter int unsigned Width = 64,
  parameter int unsigned Depth = 512,
  parameter int unsigned AddrW = 9
) (
  input  logic             clk_i,    // rising edge

  // Write port
  input  logic             we_i,     // pulse, with the next two
  input  logic [AddrW-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i,

  // Read port
  input  logic             re_i,     // pulse, with raddr_i
  input  logic [AddrW-1:0] raddr_i,
  output logic [Width-1:0] rdata_o   // one clock after re_i, until the next one
);

  `PLUMB_PARAMETER(plumb_rx_ram, Width, Width >= 1, at least 1)
  `PLUMB_RANGE(plumb_rx_ram, AddrW, 1, 30)
  `PLUMB_PARAMETER(plumb_rx_ram, Depth, Depth >= 1 && Depth <= 2**AddrW, 1 to 2^AddrW)

  logic [Width-1:0] mem [0:Depth-1];
  logic [Width-1:0] rdata_q;

  always_ff @(posedge clk_i) begin
    if (re_i) rdata_q <= mem[raddr_i];
    if (we_i) mem[waddr_i] <= wdata_i;
  end

  assign rdata_o = rdata_q;

endmodule
