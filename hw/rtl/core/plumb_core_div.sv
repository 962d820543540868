// DIV, DIVU, REM, REMU: a bit of the quotient per clock, restoring. done_o comes 34 clocks after
// start_i, with result_o; also for a division by zero, whose result falls out of the same steps: all
// ones, and the dividend as remainder. The overflow -2^31 / -1 does too.
// One division at a time; the operands are held until then.
module plumb_core_div (
  input  wire logic        clk_i,     // clock
  input  wire logic        rst_ni,    // reset, active low
  input  wire logic        start_i,   // begin
  input  wire logic [31:0] a_i,       // dividend
  input  wire logic [31:0] b_i,       // divisor
  input  wire logic [1:0]  funct3_i,  // 0 DIV, 1 DIVU, 2 REM, 3 REMU
  output      logic        done_o,    // result_o is there, for one clock
  output      logic [31:0] result_o   // quotient or remainder
);

  logic [31:0] divisor_q;     // its magnitude
  logic [31:0] remainder_q;
  logic [31:0] quotient_q;    // the dividend's magnitude moves out as quotient bits move in
  logic [5:0]  left_q;        // steps to go
  logic        busy_q, last_q, prepared_q;
  logic        negate_q;      // the result is negative

  logic [31:0] shifted, difference, magnitude;
  logic        fits, carry, a_negative, b_negative;

  // The shifted remainder has 33 bits. With its top bit set it is above any divisor, and the
  // difference fits into 32.
  assign shifted = {remainder_q[30:0], quotient_q[31]};
  assign {carry, difference} = {1'b0, shifted} + {1'b0, ~divisor_q} + 33'd1;
  assign fits = remainder_q[31] || carry;

  assign a_negative = a_i[31] && !funct3_i[0];
  assign b_negative = b_i[31] && !funct3_i[0];
  assign magnitude  = funct3_i[1] ? remainder_q : quotient_q;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      quotient_q  <= (a_i ^ {32{a_negative}}) + 32'(a_negative);
      divisor_q   <= (b_i ^ {32{b_negative}}) + 32'(b_negative);
      remainder_q <= '0;
      // A quotient by zero stays all ones.
      negate_q    <= funct3_i[1] ? a_negative : a_negative ^ b_negative;
    end else if (busy_q) begin
      quotient_q  <= {quotient_q[30:0], fits};
      remainder_q <= fits ? difference : shifted;
    end
    if (prepared_q && divisor_q == '0 && !funct3_i[1]) negate_q <= 1'b0;
    result_o <= (magnitude ^ {32{negate_q}}) + 32'(negate_q);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      left_q     <= '0;
      busy_q     <= 1'b0;
      last_q     <= 1'b0;
      prepared_q <= 1'b0;
      done_o     <= 1'b0;
    end else begin
      prepared_q <= start_i;
      if (start_i) begin
        left_q <= 6'd31;
        busy_q <= 1'b1;
      end else if (busy_q) begin
        left_q <= left_q - 6'd1;
        busy_q <= left_q != '0;
      end
      last_q <= busy_q && left_q == '0;
      done_o <= last_q;
    end
  end

endmodule
