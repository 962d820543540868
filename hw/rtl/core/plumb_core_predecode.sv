// First half of decoding, in the clock in which an instruction leaves the memory: combinational, two
// levels deep. It tells major opcodes and the instructions that are one word.
module plumb_core_predecode (
  input  wire logic [31:0]                instr_i,  // the instruction
  output      plumb_core_pkg::predecode_t pre_o     // what plumb_core_decode goes by
);

  logic [4:0] opcode;
  logic       wide;    // an instruction of 32 bits

  assign opcode = instr_i[6:2];
  assign wide   = instr_i[1:0] == 2'b11;

  always_comb begin
    pre_o.op_load   = wide && opcode == plumb_core_pkg::OpcodeLoad;
    pre_o.op_misc   = wide && opcode == plumb_core_pkg::OpcodeMiscMem;
    pre_o.op_imm    = wide && opcode == plumb_core_pkg::OpcodeOpImm;
    pre_o.op_auipc  = wide && opcode == plumb_core_pkg::OpcodeAuipc;
    pre_o.op_store  = wide && opcode == plumb_core_pkg::OpcodeStore;
    pre_o.op_op     = wide && opcode == plumb_core_pkg::OpcodeOp;
    pre_o.op_lui    = wide && opcode == plumb_core_pkg::OpcodeLui;
    pre_o.op_branch = wide && opcode == plumb_core_pkg::OpcodeBranch;
    pre_o.op_jalr   = wide && opcode == plumb_core_pkg::OpcodeJalr;
    pre_o.op_jal    = wide && opcode == plumb_core_pkg::OpcodeJal;
    pre_o.op_system = wide && opcode == plumb_core_pkg::OpcodeSystem;
    pre_o.f7_zero   = instr_i[31:25] == 7'h00;
    pre_o.f7_alt    = instr_i[31:25] == 7'h20;
    pre_o.f7_mul    = instr_i[31:25] == 7'h01;
    pre_o.ecall     = instr_i == 32'h0000_0073;
    pre_o.ebreak    = instr_i == 32'h0010_0073;
    pre_o.mret      = instr_i == 32'h3020_0073;
    pre_o.wfi       = instr_i == 32'h1050_0073;
  end

endmodule
