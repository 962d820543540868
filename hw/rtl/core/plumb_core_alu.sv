// Sums and bitwise operations of OP and OP-IMM, and comparisons: combinational. Comparisons have
// outputs of their own, because what they decide is decided a clock later.
module plumb_core_alu (
  input  wire logic [31:0] a_i,       // first operand
  input  wire logic [31:0] b_i,       // second operand
  input  wire logic [2:0]  funct3_i,  // which operation, as instructions have it
  input  wire logic        add_i,     // add, whatever funct3_i says
  input  wire logic        sub_i,     // subtract instead of adding
  output      logic [31:0] result_o,  // of the operation
  output      logic        less_o,    // what SLT or SLTU gives
  output      logic        taken_o    // a branch with this funct3_i is taken
);

  logic [31:0] sum, bitwise;
  logic        equal, less, is_signed;

  assign sum = a_i + (b_i ^ {32{sub_i}}) + 32'(sub_i);

  // SLT, SLTU; BLT, BGE, BLTU, BGEU.
  assign is_signed = funct3_i[2] ? !funct3_i[1] : !funct3_i[0];
  assign equal     = a_i == b_i;
  assign less      = {a_i[31] ^ is_signed, a_i[30:0]} < {b_i[31] ^ is_signed, b_i[30:0]};
  assign less_o    = less;
  assign taken_o   = (funct3_i[2] ? less : equal) ^ funct3_i[0];

  always_comb begin
    unique case (funct3_i[1:0])
      2'b00:   bitwise = a_i ^ b_i;
      2'b10:   bitwise = a_i | b_i;
      default: bitwise = a_i & b_i;
    endcase
  end

  always_comb begin
    if (add_i || !funct3_i[2]) result_o = sum;
    else                       result_o = bitwise;
  end

endmodule
