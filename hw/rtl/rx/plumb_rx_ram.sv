// Memory with one write and one read port. The read data come one clock after re_i and stay until
// the next read. Reading a word in the clock in which it is written gives the old one.
module plumb_rx_ram #(
  parameter int unsigned Width = 64,
  parameter int unsigned Depth = 512,
  parameter int unsigned AddrW = 9
) (
  input  logic             clk_i,
  input  logic             we_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i,
  input  logic             re_i,
  input  logic [AddrW-1:0] raddr_i,
  output logic [Width-1:0] rdata_o
);

  logic [Width-1:0] mem [0:Depth-1];
  logic [Width-1:0] rdata_q;

  always_ff @(posedge clk_i) begin
    if (re_i) rdata_q <= mem[raddr_i];
    if (we_i) mem[waddr_i] <= wdata_i;
  end

  assign rdata_o = rdata_q;

endmodule
