// Constants and records of the control processor (docs/core.md).
package plumb_core_pkg;

  // Major opcodes, bits 6:2 of an instruction.
  localparam logic [4:0] OpcodeLoad    = 5'b00000;
  localparam logic [4:0] OpcodeMiscMem = 5'b00011;
  localparam logic [4:0] OpcodeOpImm   = 5'b00100;
  localparam logic [4:0] OpcodeAuipc   = 5'b00101;
  localparam logic [4:0] OpcodeStore   = 5'b01000;
  localparam logic [4:0] OpcodeOp      = 5'b01100;
  localparam logic [4:0] OpcodeLui     = 5'b01101;
  localparam logic [4:0] OpcodeBranch  = 5'b11000;
  localparam logic [4:0] OpcodeJalr    = 5'b11001;
  localparam logic [4:0] OpcodeJal     = 5'b11011;
  localparam logic [4:0] OpcodeSystem  = 5'b11100;

  // Exception codes, mcause 3:0.
  localparam logic [3:0] CauseInstrMisaligned = 4'd0;
  localparam logic [3:0] CauseInstrFault      = 4'd1;
  localparam logic [3:0] CauseIllegal         = 4'd2;
  localparam logic [3:0] CauseBreakpoint      = 4'd3;
  localparam logic [3:0] CauseLoadMisaligned  = 4'd4;
  localparam logic [3:0] CauseLoadFault       = 4'd5;
  localparam logic [3:0] CauseStoreMisaligned = 4'd6;
  localparam logic [3:0] CauseStoreFault      = 4'd7;
  localparam logic [3:0] CauseTimer           = 4'd7;   // with the interrupt bit
  localparam logic [3:0] CauseEcall           = 4'd11;
  localparam logic [3:0] CauseExternal        = 4'd11;  // with the interrupt bit

  // First half of decoding: major opcodes, values of funct7, instructions that are one word.
  typedef struct packed {
    logic op_load;
    logic op_misc;
    logic op_imm;
    logic op_auipc;
    logic op_store;
    logic op_op;
    logic op_lui;
    logic op_branch;
    logic op_jalr;
    logic op_jal;
    logic op_system;
    logic f7_zero;
    logic f7_alt;
    logic f7_mul;
    logic ecall;
    logic ebreak;
    logic mret;
    logic wfi;
  } predecode_t;
  localparam int unsigned PredecodeW = 18;

  // What an instruction is to the control of the processor: at most one is set. None is for the ALU,
  // FENCE too, which writes nothing.
  typedef struct packed {
    logic late;     // shift or SLT: the result comes a clock later
    logic branch;
    logic jal;
    logic jalr;
    logic load;
    logic store;
    logic mul;
    logic div;
    logic csr;
    logic ecall;
    logic ebreak;
    logic mret;
    logic wfi;
    logic illegal;
  } class_t;
  localparam int unsigned ClassW = 14;

  // What a retired instruction, a trap or an injected instruction did: for tests and proofs. Valid
  // for one clock; not connected in hardware.
  typedef struct packed {
    logic        valid;
    logic        injected;   // by the debugger
    logic [31:0] pc;
    logic [31:0] instr;      // 0 for an interrupt, or a fetch that failed
    logic [4:0]  rd;         // register written, 0 for none
    logic [31:0] value;      // written to it
    logic        store;
    logic [31:0] address;    // of the store, a multiple of four
    logic [31:0] wdata;
    logic [3:0]  strobe;
    logic        trap;       // had no other effect
    logic        irq;        // of traps: an interrupt
    logic [3:0]  cause;
    logic [31:0] tval;
    logic        running;    // in this clock mcycle counts (whether or not valid)
  } trace_t;
  localparam int unsigned TraceW = 213;

endpackage
