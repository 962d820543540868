// The 32 registers, in distributed RAM: two reads without a clock, one write. A write shows in the
// next clock. Register 0 stays the zero that it begins with, whatever is written, before the first reset
// too. Reset leaves the others as they are.
module plumb_core_regfile (
  input  wire logic        clk_i,    // clock
  input  wire logic        we_i,     // write value_i to rd_i
  input  wire logic [4:0]  rd_i,     // register written
  input  wire logic [31:0] value_i,  // what is written
  input  wire logic [4:0]  rs1_i,    // first register read
  input  wire logic [4:0]  rs2_i,    // second register read
  output      logic [31:0] a_o,      // value of rs1_i
  output      logic [31:0] b_o       // value of rs2_i
);

  (* ram_style = "distributed" *) logic [31:0] regs [0:31];

  initial begin
    for (int unsigned i = 0; i < 32; i++) regs[i] = '0;
  end

  always_ff @(posedge clk_i) begin
    if (we_i && rd_i != 5'd0) regs[rd_i] <= value_i;
  end

  assign a_o = regs[rs1_i];
  assign b_o = regs[rs2_i];

endmodule
