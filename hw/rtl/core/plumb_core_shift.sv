// SLL, SRL, SRA in two clocks: result_o belongs to the operands of the clock before, which are held.
// A shifter to the right; for the left its input and output are reversed.
module plumb_core_shift (
  input  wire logic        clk_i,    // clock
  input  wire logic [31:0] a_i,      // what is shifted
  input  wire logic [4:0]  by_i,     // by how many places
  input  wire logic        right_i,  // to the right
  input  wire logic        sign_i,   // copies of the sign move in
  output      logic [31:0] result_o  // a clock later
);

  logic [31:0] in, few_q, many;
  logic        fill;

  assign fill = sign_i && a_i[31];

  // By 0 to 3 places, then by four times 0 to 7.
  always_comb begin
    for (int unsigned i = 0; i < 32; i++) in[i] = right_i ? a_i[i] : a_i[31-i];
  end
  always_ff @(posedge clk_i) begin
    few_q <= 32'($signed({fill, in}) >>> by_i[1:0]);
  end
  always_comb begin
    many = 32'($signed({fill, few_q}) >>> {by_i[4:2], 2'b00});
    for (int unsigned i = 0; i < 32; i++) result_o[i] = right_i ? many[i] : many[31-i];
  end

endmodule
