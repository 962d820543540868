// MUL, MULH, MULHSU, MULHU in four clocks: partial products of 16 bits in DSPs, then sums of at most
// 32 bits, so that no carry chain is longer. done_o comes four clocks after start_i, with result_o.
// One multiplication at a time; the operands are held until then.
module plumb_core_mul (
  input  wire logic        clk_i,     // clock
  input  wire logic        rst_ni,    // reset, active low
  input  wire logic        start_i,   // begin
  input  wire logic [31:0] a_i,       // first factor
  input  wire logic [31:0] b_i,       // second factor
  input  wire logic [1:0]  funct3_i,  // 0 MUL, 1 MULH, 2 MULHSU, 3 MULHU
  output      logic        done_o,    // result_o is there, for one clock
  output      logic [31:0] result_o   // low or high half of the product
);

  logic signed [16:0] a_low, a_high, b_low, b_high;
  logic signed [33:0] low_low, low_high, high_low, high_high;
  logic signed [33:0] low_low_q, low_high_q, high_low_q, high_high_q;

  // Halves as signed numbers of 17 bits: the upper one by the operand's sign.
  assign a_low  = $signed({1'b0, a_i[15:0]});
  assign b_low  = $signed({1'b0, b_i[15:0]});
  assign a_high = $signed({a_i[31] && funct3_i != 2'd3, a_i[31:16]});
  assign b_high = $signed({b_i[31] && !funct3_i[1], b_i[31:16]});

  assign low_low   = a_low * b_low;
  assign low_high  = a_low * b_high;
  assign high_low  = a_high * b_low;
  assign high_high = a_high * b_high;

  // middle = low_high + high_low, in two parts of which the lower one's carry stays with it.
  logic [16:0] middle_low_q;
  logic [17:0] middle_high_q;
  logic [17:0] third_q;      // bits 31:16 of the product, and their carry
  logic [31:0] upper_q;      // bits 63:32, without that carry
  logic [2:0]  stage_q;

  always_ff @(posedge clk_i) begin
    low_low_q   <= low_low;
    low_high_q  <= low_high;
    high_low_q  <= high_low;
    high_high_q <= high_high;

    middle_low_q  <= {1'b0, low_high_q[15:0]} + {1'b0, high_low_q[15:0]};
    middle_high_q <= low_high_q[33:16] + high_low_q[33:16];

    third_q <= {2'b0, low_low_q[31:16]} + {1'b0, middle_low_q};
    upper_q <= high_high_q[31:0] + {{14{middle_high_q[17]}}, middle_high_q};

    result_o <= funct3_i == 2'd0 ? {third_q[15:0], low_low_q[15:0]} : upper_q + 32'(third_q[17:16]);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      stage_q <= '0;
      done_o  <= 1'b0;
    end else begin
      stage_q <= {stage_q[1:0], start_i};
      done_o  <= stage_q[2];
    end
  end

  logic unused_signs;
  assign unused_signs = ^{low_low_q[33:32], high_high_q[33:32]};

endmodule
