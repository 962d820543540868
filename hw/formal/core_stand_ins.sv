// What stands in for parts of the processor in the proofs of core_properties.sv. Each does anything
// that the part may do, and more; that the part does no more than this is proved by hw/formal/run too
// (core_parts.sv).

// Registers: two of them, any two, hold what is written to them. The others read as anything.
module plumb_core_regfile (
  input  wire logic        clk_i,
  input  wire logic        we_i,
  input  wire logic [4:0]  rd_i,
  input  wire logic [31:0] value_i,
  input  wire logic [4:0]  rs1_i,
  input  wire logic [4:0]  rs2_i,
  output      logic [31:0] a_o,
  output      logic [31:0] b_o
);

  (* anyconst *) logic [4:0] watched_a;
  (* anyconst *) logic [4:0] watched_b;
  (* anyseq *) logic [31:0] any_a, any_b;
  logic [31:0] value_a_q, value_b_q;

  always_ff @(posedge clk_i) begin
    if (we_i && rd_i == watched_a) value_a_q <= value_i;
    if (we_i && rd_i == watched_b) value_b_q <= value_i;
  end

  assign a_o = rs1_i == 5'd0 ? '0 : rs1_i == watched_a ? value_a_q :
               rs1_i == watched_b ? value_b_q : any_a;
  assign b_o = rs2_i == 5'd0 ? '0 : rs2_i == watched_a ? value_a_q :
               rs2_i == watched_b ? value_b_q : any_b;

endmodule

// A multiplication ends at any time after it began, with any result.
module plumb_core_mul (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        start_i,
  input  wire logic [31:0] a_i,
  input  wire logic [31:0] b_i,
  input  wire logic [1:0]  funct3_i,
  output      logic        done_o,
  output      logic [31:0] result_o
);

  (* anyseq *) logic        done_any;
  (* anyseq *) logic [31:0] result_any;
  logic busy_q;
  always_ff @(posedge clk_i) busy_q <= rst_ni && (start_i || (busy_q && !done_o));
  assign done_o   = busy_q && done_any;
  assign result_o = result_any;

endmodule

// A division likewise.
module plumb_core_div (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        start_i,
  input  wire logic [31:0] a_i,
  input  wire logic [31:0] b_i,
  input  wire logic [1:0]  funct3_i,
  output      logic        done_o,
  output      logic [31:0] result_o
);

  (* anyseq *) logic        done_any;
  (* anyseq *) logic [31:0] result_any;
  logic busy_q;
  always_ff @(posedge clk_i) busy_q <= rst_ni && (start_i || (busy_q && !done_o));
  assign done_o   = busy_q && done_any;
  assign result_o = result_any;

endmodule
