// What an instruction asks for: combinational, from the instruction and what plumb_core_predecode
// has told a clock before. Strict: whatever is no instruction of RV32IM, Zicsr or machine mode is
// illegal; that a CSR exists is plumb_core_csr's affair. FENCE is an ALU operation that writes
// nothing, since all accesses are made in order; FENCE.I is illegal.
module plumb_core_decode (
  input  wire logic [31:7]                instr_i,   // the instruction, without its opcode
  input  wire plumb_core_pkg::predecode_t pre_i,     // plumb_core_predecode of it
  output      plumb_core_pkg::class_t     class_o,   // what it is
  output      logic                       rd_used_o, // it writes register instr_i[11:7], if not 0
  output      logic                       a_zero_o,  // first operand is 0 (LUI),
  output      logic                       a_pc_o,    // or the place (AUIPC); else register rs1
  output      logic                       b_imm_o,   // second operand is imm_o; else register rs2
  output      logic                       alu_add_o, // the ALU adds, whatever funct3 says
  output      logic                       alu_alt_o, // subtraction or arithmetic shift
  output      logic [31:0]                imm_o      // immediate, sign extended
);

  logic [2:0] funct3;
  logic       shifts, alt_allowed, op_ok, imm_ok, branch_ok, load_ok, store_ok, upper, alu;
  logic       system_ok;

  assign funct3      = instr_i[14:12];
  assign shifts      = funct3[1:0] == 2'b01;
  assign alt_allowed = funct3 == 3'd0 || funct3 == 3'd5;
  assign op_ok       = pre_i.f7_zero || (pre_i.f7_alt && alt_allowed);
  assign imm_ok      = !shifts || pre_i.f7_zero || (pre_i.f7_alt && funct3[2]);
  assign branch_ok   = funct3[2:1] != 2'b01;
  assign load_ok     = funct3[1:0] != 2'b11 && funct3 != 3'd6;
  assign store_ok    = !funct3[2] && funct3[1:0] != 2'b11;
  assign system_ok   = pre_i.ecall || pre_i.ebreak || pre_i.mret || pre_i.wfi;
  assign upper       = pre_i.op_lui || pre_i.op_auipc;

  always_comb begin
    alu             = upper || (pre_i.op_imm && imm_ok) || (pre_i.op_op && op_ok) ||
                      (pre_i.op_misc && funct3 == 3'd0);
    class_o.late    = ((pre_i.op_imm && imm_ok) || (pre_i.op_op && op_ok)) &&
                      (shifts || funct3[2:1] == 2'b01);
    class_o.branch  = pre_i.op_branch && branch_ok;
    class_o.jal     = pre_i.op_jal;
    class_o.jalr    = pre_i.op_jalr && funct3 == 3'd0;
    class_o.load    = pre_i.op_load && load_ok;
    class_o.store   = pre_i.op_store && store_ok;
    class_o.mul     = pre_i.op_op && pre_i.f7_mul && !funct3[2];
    class_o.div     = pre_i.op_op && pre_i.f7_mul && funct3[2];
    class_o.csr     = pre_i.op_system && funct3[1:0] != 2'b00;
    class_o.ecall   = pre_i.ecall;
    class_o.ebreak  = pre_i.ebreak;
    class_o.mret    = pre_i.mret;
    class_o.wfi     = pre_i.wfi;
    class_o.illegal = !(alu || pre_i.op_jal || class_o.branch || class_o.jalr || class_o.load ||
                        class_o.store || (pre_i.op_op && pre_i.f7_mul) || class_o.csr || system_ok);
  end

  assign rd_used_o = !(pre_i.op_branch || pre_i.op_store || pre_i.op_misc);
  assign a_zero_o  = pre_i.op_lui;
  assign a_pc_o    = pre_i.op_auipc;
  assign b_imm_o   = pre_i.op_imm || upper;
  assign alu_add_o = upper;
  assign alu_alt_o = instr_i[30] && (pre_i.op_op || (pre_i.op_imm && funct3 == 3'd5));

  // Bits by themselves: those of most kinds lie in the same places.
  logic kind_i;
  assign kind_i = !(pre_i.op_store || pre_i.op_branch || pre_i.op_jal || upper);
  always_comb begin
    imm_o[31]    = instr_i[31];
    imm_o[30:20] = upper ? instr_i[30:20] : {11{instr_i[31]}};
    imm_o[19:12] = upper || pre_i.op_jal ? instr_i[19:12] : {8{instr_i[31]}};
    imm_o[11]    = upper           ? 1'b0 :
                   pre_i.op_branch ? instr_i[7] :
                   pre_i.op_jal    ? instr_i[20] : instr_i[31];
    imm_o[10:5]  = upper ? 6'b0 : instr_i[30:25];
    imm_o[4:1]   = upper                              ? 4'b0 :
                   pre_i.op_store || pre_i.op_branch  ? instr_i[11:8] : instr_i[24:21];
    imm_o[0]     = (kind_i && instr_i[20]) || (pre_i.op_store && instr_i[7]);
  end

endmodule
