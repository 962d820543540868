// The parts of the processor that core_stand_ins.sv stands in for: each does only what its stand-in
// may do too, and multiplications and divisions end in the clock in which they should.
module core_parts (
  input  wire logic       clk_i,
  output      logic [2:0] fault_o   // registers, multiplication, division
);

  (* anyseq *) logic rst_n;
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= started_q || !rst_n;

  // A register, any one, reads as what was written to it last; register 0 as 0. Reading changes
  // nothing, so it may as well be read in every clock.
  (* anyconst *) logic [4:0] watched;
  (* anyseq *) logic        we;
  (* anyseq *) logic [4:0]  rd;
  (* anyseq *) logic [31:0] value;
  logic [31:0] value_q = '0;
  logic [31:0] read_a, read_b;
  always_ff @(posedge clk_i) begin
    if (we && rd == watched && watched != 5'd0) value_q <= value;
  end
  plumb_core_regfile u_regs (
    .clk_i   (clk_i),
    .we_i    (we),
    .rd_i    (rd),
    .value_i (value),
    .rs1_i   (watched),
    .rs2_i   (watched),
    .a_o     (read_a),
    .b_o     (read_b)
  );
  assign fault_o[0] = read_a != value_q || read_b != value_q;

  // Operations are begun while none goes on, which core_properties.sv proves of the processor.
  (* anyseq *) logic [1:0]  funct3;
  (* anyseq *) logic [31:0] a, b;
  (* anyseq *) logic        mul_begins, div_begins;
  logic        mul_busy_q, div_busy_q, mul_done, div_done;
  logic [2:0]  mul_clocks_q;   // since it began
  logic [5:0]  div_clocks_q;
  logic [31:0] product, quotient;
  always_ff @(posedge clk_i) begin
    mul_busy_q   <= rst_n && ((mul_begins && !mul_busy_q) || (mul_busy_q && !mul_done));
    div_busy_q   <= rst_n && ((div_begins && !div_busy_q) || (div_busy_q && !div_done));
    mul_clocks_q <= mul_busy_q ? mul_clocks_q + 3'd1 : 3'd1;
    div_clocks_q <= div_busy_q ? div_clocks_q + 6'd1 : 6'd1;
  end
  plumb_core_mul u_mul (
    .clk_i    (clk_i),
    .rst_ni   (rst_n),
    .start_i  (mul_begins && !mul_busy_q),
    .a_i      (a),
    .b_i      (b),
    .funct3_i (funct3),
    .done_o   (mul_done),
    .result_o (product)
  );
  plumb_core_div u_div (
    .clk_i    (clk_i),
    .rst_ni   (rst_n),
    .start_i  (div_begins && !div_busy_q),
    .a_i      (a),
    .b_i      (b),
    .funct3_i (funct3),
    .done_o   (div_done),
    .result_o (quotient)
  );
  assign fault_o[1] = started_q && mul_done != (mul_busy_q && mul_clocks_q == 3'd4);
  assign fault_o[2] = started_q && div_done != (div_busy_q && div_clocks_q == 6'd34);

endmodule
