// The control processor without its memory: RV32IM with Zicsr, machine mode (docs/core.md).
//
// Three stages: fetch (the memory reads), decode (registers are read), execute. One instruction is
// in decode or execute at a time; the next one is fetched meanwhile, as if none jumped. There is
// nothing to forward but the last result, nothing to flush, and no path through two stages.
//
//   clock        0     1     2     3     4     5
//   fetch     |  i        | i+1       | i+2
//   decode                |  i  |     | i+1 |
//   execute                     |  i  |     | i+1 |
//
// The clocks of an instruction, from its decode to the decode of the next one: ALU and FENCE 2;
// shift and SLT 3; branch 3, when taken 5; JAL, JALR 5; MRET 4; load 4; store 5; CSR 4; multiplication 6;
// division 36. A device load takes 5 and a store 4 beside the clocks of the
// bus. An exception found in execute leads to the decode of the handler 5 clocks after its own.
//
// A store to memory is followed by a fresh fetch, so that code may write code.
//
// WFI: asleep_o rises, and nothing in here changes but what interrupts pend until one that is enabled
// in mie does, or the debugger halts. mcycle stands still meanwhile.
//
// The debugger holds halt_i: the processor stops before the next instruction, halted_o. It begins so
// after reset if halt_i is high. Then step_i executes one instruction (or enters one trap), and exec_i
// the instruction exec_instr_i, as if it lay at the place where the processor stands, though the
// place only changes if it jumps. It has a CSR of its own there, 0x7B2, by which values go in
// (debug_data_i) and out (debug_we_o). An injected instruction with an exception does nothing but
// raise exec_error_o for a clock; it counts in no counter, and WFI does not wait.
//
// The bus: request and its fields are held until ack_i, which says with error_i how it ended. It must
// come, whatever the state of the device: the bridges see to that.
`include "plumb_assert.svh"

module plumb_core_cpu #(
  parameter logic [31:0] MemoryBase  = 32'h1000_0000,  // where memory and program begin
  parameter int unsigned MemoryBytes = 98304,          // size of the memory
  parameter logic [31:0] BusBase     = 32'h4000_0000   // all from here on are devices
) (
  // Clock, reset (active low)
  input  wire logic         clk_i,
  input  wire logic         rst_ni,

  // Memory: answers in the next clock and holds its answer. Addresses from its start.
  output      logic         fetch_en_o,        // read an instruction
  output      logic [31:2]  fetch_addr_o,      // its place
  input  wire logic [31:0]  fetch_rdata_i,     // it
  output      logic         mem_en_o,          // load or store
  output      logic [3:0]   mem_we_o,          // lanes to write, 0 for a load
  output      logic [31:2]  mem_addr_o,        // place of the word
  output      logic [31:0]  mem_wdata_o,       // bytes in their lanes
  input  wire logic [31:0]  mem_rdata_i,       // the word

  // Devices.
  output      logic         bus_req_o,         // access, held until ack_i
  output      logic         bus_write_o,       // it writes
  output      logic [31:2]  bus_addr_o,        // address of the word
  output      logic [3:0]   bus_strobe_o,      // lanes to write
  output      logic [31:0]  bus_wdata_o,       // bytes in their lanes
  input  wire logic         bus_ack_i,         // the access has ended
  input  wire logic         bus_error_i,       // it was refused: access fault
  input  wire logic [31:0]  bus_rdata_i,       // the word read

  // Interrupts
  input  wire logic         timer_irq_i,       // level of the timer's interrupt
  input  wire logic         ext_irq_i,         // level of the external interrupt
  output      logic         asleep_o,          // waits for an interrupt

  // Debugger.
  input  wire logic         halt_i,            // stop, and stay so
  output      logic         halted_o,          // stands still
  output      logic [31:2]  halted_pc_o,       // where, while halted_o
  input  wire logic         step_i,            // while halted: execute one
  input  wire logic         exec_i,            // while halted: execute exec_instr_i
  input  wire logic [31:0]  exec_instr_i,      // held until halted_o is high again
  output      logic         exec_error_o,      // the injected instruction had an exception
  input  wire logic [31:0]  debug_data_i,      // what CSR 0x7B2 reads as
  output      logic         debug_we_o,        // it is written
  output      logic [31:0]  debug_data_o,      // with this

  output      plumb_core_pkg::trace_t trace_o  // what instructions do, for tests
);

  localparam int unsigned MemoryLog2 = $clog2(MemoryBytes);

  `PLUMB_PARAMETER(plumb_core_cpu, MemoryBytes,
                   MemoryBytes % 4 == 0 && MemoryBytes >= 16 && MemoryLog2 <= 28,
                   16 to 2^28 in steps of 4)
  `PLUMB_PARAMETER(plumb_core_cpu, MemoryBase, MemoryBase[MemoryLog2-1:0] == '0,
                   multiples of the power of two that holds MemoryBytes)
  `PLUMB_PARAMETER(plumb_core_cpu, BusBase,
                   BusBase != 32'd0 && (BusBase & (BusBase - 32'd1)) == 32'd0 &&
                     MemoryBase < BusBase && MemoryBytes <= BusBase - MemoryBase,
                   powers of two behind the memory)

  // One bit a state: each condition is one of them, not a comparison.
  localparam int unsigned StHalt     = 0;   // the debugger has it
  localparam int unsigned StSleep    = 1;   // WFI
  localparam int unsigned StFetch    = 2;   // the memory is read at fetch_q
  localparam int unsigned StFetched  = 3;   // the instruction leaves it
  localparam int unsigned StDecode   = 4;   // registers are read, and the next instruction
  localparam int unsigned StExecute  = 5;
  localparam int unsigned StLate     = 6;   // result of a shift or SLT is there
  localparam int unsigned StJump     = 7;   // target, and whether a branch is taken, are there
  localparam int unsigned StMem      = 8;   // load or store: the address is there
  localparam int unsigned StLoad     = 9;   // what was loaded is there
  localparam int unsigned StBus      = 10;  // a device is asked
  localparam int unsigned StCsr      = 11;  // the new value of a CSR is made
  localparam int unsigned StCsrWrite = 12;  // and written
  localparam int unsigned StMul      = 13;
  localparam int unsigned StDiv      = 14;
  localparam int unsigned StTrap     = 15;
  localparam int unsigned StateW     = 16;

  logic [StateW-1:0] state_q, state_d;

  // ---- Fetch ----

  logic [31:2] pc_q;        // of the instruction in decode or execute
  logic [31:2] fetch_q;     // the one behind it; the next one to fetch
  logic [31:2] fetch_next;
  logic        fetch_ok_q;  // the last fetch was within memory
  logic        injected_q;  // the instruction comes from the debugger

  function automatic logic in_memory(input logic [31:2] address);
    in_memory = address[31:MemoryLog2] == MemoryBase[31:MemoryLog2] &&
                address[MemoryLog2-1:2] <= (MemoryLog2-2)'(MemoryBytes / 4 - 1);
  endfunction

  assign fetch_next   = fetch_q + 30'd1;
  assign fetch_en_o   = (state_q[StFetch] || state_q[StDecode]) && !injected_q;
  assign fetch_addr_o = {{(32-MemoryLog2){1'b0}}, fetch_q[MemoryLog2-1:2]};

  // ---- Decode ----

  // The next instruction is taken from the memory in the clocks between two decodes.
  logic [31:0]                fetched, next_q, instr_q, imm, imm_q;
  plumb_core_pkg::predecode_t pre, pre_q;
  plumb_core_pkg::class_t cls, cls_q;
  logic                   rd_used, a_zero, a_pc, b_imm, alu_add, alu_alt;
  logic                   alu_add_q, alu_alt_q;
  logic [4:0]             rd_q;
  logic                   wb_q;          // result_q goes into rd_q
  logic [31:0]            result_q, reg_a, reg_b, a_q, b_q;
  logic                   forward_a, forward_b;

  assign fetched = injected_q ? exec_instr_i : fetch_rdata_i;

  plumb_core_predecode u_predecode (
    .instr_i (fetched),
    .pre_o   (pre)
  );

  always_ff @(posedge clk_i) begin
    if (!state_q[StDecode]) begin
      next_q <= fetched;
      pre_q <= pre;
    end
  end

  plumb_core_decode u_decode (
    .instr_i   (next_q[31:7]),
    .pre_i     (pre_q),
    .class_o   (cls),
    .rd_used_o (rd_used),
    .a_zero_o  (a_zero),
    .a_pc_o    (a_pc),
    .b_imm_o   (b_imm),
    .alu_add_o (alu_add),
    .alu_alt_o (alu_alt),
    .imm_o     (imm)
  );

  plumb_core_regfile u_regs (
    .clk_i   (clk_i),
    .we_i    (wb_q),
    .rd_i    (rd_q),
    .value_i (result_q),
    .rs1_i   (next_q[19:15]),
    .rs2_i   (next_q[24:20]),
    .a_o     (reg_a),
    .b_o     (reg_b)
  );

  assign forward_a = wb_q && rd_q == next_q[19:15];
  assign forward_b = wb_q && rd_q == next_q[24:20];

  always_ff @(posedge clk_i) begin
    if (state_q[StDecode]) begin
      instr_q   <= next_q;
      cls_q     <= cls;
      imm_q     <= imm;
      alu_add_q <= alu_add;
      alu_alt_q <= alu_alt;
      rd_q      <= rd_used ? next_q[11:7] : 5'd0;
      if (a_zero)         a_q <= '0;
      else if (a_pc)      a_q <= {pc_q, 2'b00};
      else if (forward_a) a_q <= result_q;
      else                a_q <= reg_a;
      if (b_imm)          b_q <= imm;
      else if (forward_b) b_q <= result_q;
      else                b_q <= reg_b;
    end
  end

  // ---- Execute ----

  logic [31:0] alu_result, target, addr_q, csr_rdata, shift_result, mul_result, div_result;
  logic        less, less_q, taken, taken_q, jumps, csr_writes, csr_bad, csr_exists, csr_fixed;
  logic        mul_done, div_done, start;

  plumb_core_alu u_alu (
    .a_i      (a_q),
    .b_i      (b_q),
    .funct3_i (instr_q[14:12]),
    .add_i    (alu_add_q),
    .sub_i    (alu_alt_q),
    .result_o (alu_result),
    .less_o   (less),
    .taken_o  (taken)
  );

  plumb_core_shift u_shift (
    .clk_i    (clk_i),
    .a_i      (a_q),
    .by_i     (b_q[4:0]),
    .right_i  (instr_q[14]),
    .sign_i   (alu_alt_q),
    .result_o (shift_result)
  );

  // Address of loads, stores and JALR, or target of branches and JAL.
  assign target = ((cls_q.branch || cls_q.jal) ? {pc_q, 2'b00} : a_q) + imm_q;
  assign jumps  = cls_q.jal || cls_q.jalr || taken_q;
  assign start  = state_q[StExecute];

  plumb_core_mul u_mul (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .start_i  (start && cls_q.mul),
    .a_i      (a_q),
    .b_i      (b_q),
    .funct3_i (instr_q[13:12]),
    .done_o   (mul_done),
    .result_o (mul_result)
  );

  plumb_core_div u_div (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .start_i  (start && cls_q.div),
    .a_i      (a_q),
    .b_i      (b_q),
    .funct3_i (instr_q[13:12]),
    .done_o   (div_done),
    .result_o (div_result)
  );

  assign csr_writes = instr_q[13:12] == 2'b01 || instr_q[19:15] != 5'd0;
  assign csr_bad    = !csr_exists || (csr_fixed && csr_writes);

  // ---- Loads and stores ----

  logic        is_word, is_half, misaligned, addr_in_memory, addr_on_bus, loads_bus_q;
  logic [3:0]  strobe;
  logic [31:0] store_data, bus_rdata_q, loaded_word, loaded;
  logic [15:0] loaded_half;
  logic [7:0]  loaded_byte;
  logic        bus_ack_q, bus_error_q;

  assign is_word        = instr_q[13];
  assign is_half        = instr_q[12];
  assign misaligned     = (is_word && addr_q[1:0] != 2'b00) || (is_half && addr_q[0]);
  assign addr_in_memory = in_memory(addr_q[31:2]);
  assign addr_on_bus    = (addr_q & ~(BusBase - 32'd1)) != '0;

  always_comb begin
    if (is_word) begin
      strobe     = 4'b1111;
      store_data = b_q;
    end else if (is_half) begin
      strobe     = addr_q[1] ? 4'b1100 : 4'b0011;
      store_data = addr_q[1] ? {b_q[15:0], 16'b0} : {16'b0, b_q[15:0]};
    end else begin
      strobe     = 4'b0001 << addr_q[1:0];
      store_data = {24'b0, b_q[7:0]} << {addr_q[1:0], 3'b000};
    end
  end

  assign mem_en_o    = state_q[StMem] && addr_in_memory && !misaligned;
  assign mem_we_o    = cls_q.store ? strobe : 4'b0000;
  assign mem_addr_o  = {{(32-MemoryLog2){1'b0}}, addr_q[MemoryLog2-1:2]};
  assign mem_wdata_o = store_data;

  assign bus_req_o    = state_q[StBus] && !bus_ack_q;
  assign bus_write_o  = cls_q.store;
  assign bus_addr_o   = addr_q[31:2];
  assign bus_strobe_o = cls_q.store ? strobe : 4'b0000;
  assign bus_wdata_o  = store_data;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      bus_ack_q <= 1'b0;
    end else begin
      bus_ack_q <= bus_req_o && bus_ack_i;
    end
    bus_error_q <= bus_error_i;
    if (bus_req_o) bus_rdata_q <= bus_rdata_i;
    if (start) begin
      addr_q  <= target;
      taken_q <= cls_q.branch && taken;
      less_q  <= less;
    end
    loads_bus_q <= state_q[StBus];
  end

  assign loaded_word = loads_bus_q ? bus_rdata_q : mem_rdata_i;
  assign loaded_half = addr_q[1] ? loaded_word[31:16] : loaded_word[15:0];
  assign loaded_byte = addr_q[0] ? loaded_half[15:8] : loaded_half[7:0];
  always_comb begin
    if (is_word)      loaded = loaded_word;
    else if (is_half) loaded = {{16{loaded_half[15] && !instr_q[14]}}, loaded_half};
    else              loaded = {{24{loaded_byte[7] && !instr_q[14]}}, loaded_byte};
  end

  // ---- CSRs ----

  logic [31:0] csr_operand, csr_wdata_q;
  logic        trap, mret, irq, irq_ext, wake;
  logic [31:2] mtvec, mepc;
  logic        trap_irq_q;
  logic [3:0]  trap_cause_q;
  logic [31:0] trap_value_q;

  assign csr_operand = instr_q[14] ? {27'b0, instr_q[19:15]} : a_q;
  always_ff @(posedge clk_i) begin
    unique case (instr_q[13:12])
      2'b10:   csr_wdata_q <= result_q | csr_operand;
      2'b11:   csr_wdata_q <= result_q & ~csr_operand;
      default: csr_wdata_q <= csr_operand;
    endcase
  end

  plumb_core_csr u_csr (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .select_i      (state_q[StDecode]),
    .number_i      (next_q[31:20]),
    .exists_o      (csr_exists),
    .fixed_o       (csr_fixed),
    .rdata_o       (csr_rdata),
    .write_i       (state_q[StCsrWrite] && csr_writes),
    .wdata_i       (csr_wdata_q),
    .trap_i        (trap),
    .trap_irq_i    (trap_irq_q),
    .trap_cause_i  (trap_cause_q),
    .trap_value_i  (trap_value_q),
    .trap_pc_i     (pc_q),
    .mret_i        (mret),
    .mtvec_o       (mtvec),
    .mepc_o        (mepc),
    .timer_irq_i   (timer_irq_i),
    .ext_irq_i     (ext_irq_i),
    .irq_o         (irq),
    .irq_ext_o     (irq_ext),
    .wake_o        (wake),
    .count_clock_i (trace_o.running),
    .count_instr_i (done && !injected_q),
    .debug_i       (injected_q),
    .debug_data_i  (debug_data_i),
    .debug_we_o    (debug_we_o),
    .debug_data_o  (debug_data_o)
  );

  // ---- Control ----

  logic       fails_decode;          // an interrupt, or nothing was fetched
  logic       fails_execute;         // an exception, if in execute
  logic       stepping_q;            // one instruction, then halt
  logic       halts;

  assign halts        = halt_i && !stepping_q && !injected_q;
  assign fails_decode = state_q[StDecode] && !halts && !injected_q && (irq || !fetch_ok_q);
  assign trap         = state_q[StTrap] && !injected_q;
  assign mret         = state_q[StExecute] && cls_q.mret;

  // Exceptions that are found in execute.
  assign fails_execute = cls_q.illegal || cls_q.ecall || cls_q.ebreak || (cls_q.csr && csr_bad);

  always_ff @(posedge clk_i) begin
    if (state_q[StDecode]) begin
      trap_irq_q   <= irq;
      trap_cause_q <= !irq    ? plumb_core_pkg::CauseInstrFault :
                      irq_ext ? plumb_core_pkg::CauseExternal : plumb_core_pkg::CauseTimer;
      trap_value_q <= irq ? '0 : {pc_q, 2'b00};
    end else if (state_q[StExecute]) begin
      trap_irq_q   <= 1'b0;
      trap_cause_q <= cls_q.ecall  ? plumb_core_pkg::CauseEcall :
                      cls_q.ebreak ? plumb_core_pkg::CauseBreakpoint :
                                     plumb_core_pkg::CauseIllegal;
      trap_value_q <= cls_q.ecall  ? '0 :
                      cls_q.ebreak ? {pc_q, 2'b00} : instr_q;
    end else if (state_q[StMem] || state_q[StBus]) begin
      if (state_q[StMem] && misaligned) begin
        trap_cause_q <= cls_q.store ? plumb_core_pkg::CauseStoreMisaligned
                                    : plumb_core_pkg::CauseLoadMisaligned;
      end else begin
        trap_cause_q <= cls_q.store ? plumb_core_pkg::CauseStoreFault
                                    : plumb_core_pkg::CauseLoadFault;
      end
      trap_value_q <= addr_q;
    end else if (state_q[StJump]) begin
      trap_cause_q <= plumb_core_pkg::CauseInstrMisaligned;
      trap_value_q <= {addr_q[31:1], 1'b0};
    end
  end

  // What an instruction in execute goes on with.
  logic to_mem, to_jump, ends, mem_refused, bus_ends;
  assign to_mem      = cls_q.load || cls_q.store;
  assign to_jump     = cls_q.branch || cls_q.jal || cls_q.jalr;
  assign ends        = !(to_mem || to_jump || cls_q.mul || cls_q.div || cls_q.csr || cls_q.late);
  assign mem_refused = misaligned || !(addr_in_memory || addr_on_bus);
  assign bus_ends    = bus_ack_q && !bus_error_q;

  // Of each state, the conditions to enter it.
  logic done;        // an instruction ends
  logic next;        // and the one behind it is decoded
  logic to_fetch;    // and another one is fetched
  logic executes;    // an instruction is executed without an exception
  assign executes = state_q[StExecute] && !fails_execute;
  assign next     = (executes && ends && !cls_q.mret && !cls_q.wfi) ||
                    (state_q[StJump] && !jumps) || state_q[StLate] || state_q[StLoad] ||
                    state_q[StCsrWrite] || mul_done || div_done ||
                    (state_q[StBus] && bus_ends && cls_q.store);
  assign to_fetch = (executes && cls_q.mret) || (state_q[StJump] && jumps && !addr_q[1]) ||
                    (mem_en_o && cls_q.store);
  assign done     = next || to_fetch || (executes && cls_q.wfi);

  always_comb begin
    state_d = '0;
    state_d[StHalt]     = (state_q[StHalt] && halt_i && !step_i && !exec_i) ||
                          (state_q[StDecode] && halts) ||
                          (injected_q && (done || state_q[StTrap]));
    state_d[StSleep]    = (executes && cls_q.wfi && !injected_q) ||
                          (state_q[StSleep] && !wake && !halt_i);
    state_d[StFetch]    = (state_q[StHalt] && !exec_i && (!halt_i || step_i)) ||
                          (state_q[StSleep] && (wake || halt_i)) ||
                          (!injected_q && (to_fetch || state_q[StTrap]));
    state_d[StFetched]  = state_q[StFetch] || (state_q[StHalt] && exec_i);
    state_d[StDecode]   = state_q[StFetched] || (next && !injected_q);
    state_d[StExecute]  = state_q[StDecode] && !halts && !fails_decode;
    state_d[StLate]    = executes && cls_q.late;
    state_d[StJump]     = executes && to_jump;
    state_d[StMem]      = executes && to_mem;
    state_d[StLoad]     = (mem_en_o && cls_q.load) || (state_q[StBus] && bus_ends && cls_q.load);
    state_d[StBus]      = (state_q[StMem] && !misaligned && addr_on_bus) ||
                          (state_q[StBus] && !bus_ack_q);
    state_d[StCsr]      = executes && cls_q.csr;
    state_d[StCsrWrite] = state_q[StCsr];
    state_d[StMul]      = (executes && cls_q.mul) || (state_q[StMul] && !mul_done);
    state_d[StDiv]      = (executes && cls_q.div) || (state_q[StDiv] && !div_done);
    state_d[StTrap]     = fails_decode || (state_q[StExecute] && fails_execute) ||
                          (state_q[StJump] && jumps && addr_q[1]) ||
                          (state_q[StMem] && mem_refused) ||
                          (state_q[StBus] && bus_ack_q && bus_error_q);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q      <= StateW'(1) << StHalt;
      pc_q         <= MemoryBase[31:2];
      fetch_q      <= MemoryBase[31:2];
      fetch_ok_q   <= 1'b0;
      injected_q   <= 1'b0;
      stepping_q   <= 1'b0;
      wb_q         <= 1'b0;
      exec_error_o <= 1'b0;
    end else begin
      state_q <= state_d;
      wb_q    <= done && rd_q != 5'd0;

      if (state_q[StFetch] || state_q[StDecode]) fetch_ok_q <= in_memory(fetch_q);

      // The place: pc_q and, one further, fetch_q in decode and execute; fetch_q alone elsewhere.
      if (state_q[StFetch] || (state_q[StHalt] && exec_i) || (next && !injected_q)) begin
        pc_q    <= fetch_q;
        fetch_q <= fetch_next;
      end else if (trap) begin
        fetch_q <= mtvec;
      end else if (mret) begin
        fetch_q <= mepc;
      end else if (state_q[StJump] && jumps && !addr_q[1]) begin
        fetch_q <= addr_q[31:2];
      end else if ((state_q[StDecode] && halts) || (injected_q && state_d[StHalt])) begin
        fetch_q <= pc_q;
      end

      if (state_q[StHalt])           injected_q <= exec_i;
      else if (state_d[StHalt])      injected_q <= 1'b0;
      if (state_q[StHalt])           stepping_q <= step_i && !exec_i;
      else if (state_q[StDecode])    stepping_q <= 1'b0;
      exec_error_o <= injected_q && state_q[StTrap];
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (1'b1)
      state_q[StExecute]: begin
        if (cls_q.csr)                    result_q <= csr_rdata;
        else if (cls_q.jal || cls_q.jalr) result_q <= {fetch_q, 2'b00};
        else                              result_q <= alu_result;
      end
      state_q[StLate]: result_q <= instr_q[12] && !instr_q[13] ? shift_result : {31'b0, less_q};
      state_q[StLoad]: result_q <= loaded;
      state_q[StMul]: result_q <= mul_result;
      state_q[StDiv]: result_q <= div_result;
      default: ;
    endcase
  end

  assign asleep_o    = state_q[StSleep];
  assign halted_o    = state_q[StHalt];
  assign halted_pc_o = fetch_q;

  // ---- Trace ----

  // A clock after an instruction has ended all that it did is still in registers.
  logic        trace_valid_q, trace_injected_q, trace_trap_q, trace_fetched_q;
  logic [31:2] trace_pc_q;

  always_ff @(posedge clk_i) begin
    trace_valid_q    <= rst_ni && (done || state_q[StTrap]);
    trace_injected_q <= injected_q;
    trace_trap_q     <= state_q[StTrap];
    trace_pc_q       <= pc_q;
    if (state_q[StDecode]) trace_fetched_q <= !fails_decode;
  end

  always_comb begin
    trace_o.valid     = trace_valid_q;
    trace_o.injected  = trace_injected_q;
    trace_o.pc        = {trace_pc_q, 2'b00};
    trace_o.instr     = trace_fetched_q ? instr_q : '0;
    trace_o.rd        = wb_q ? rd_q : 5'd0;
    trace_o.value     = wb_q ? result_q : '0;
    trace_o.store     = trace_fetched_q && cls_q.store && !trace_trap_q;
    trace_o.address   = {addr_q[31:2], 2'b00};
    trace_o.wdata     = store_data;
    trace_o.strobe    = strobe;
    trace_o.trap      = trace_trap_q;
    trace_o.irq       = trap_irq_q;
    trace_o.cause     = trap_cause_q;
    trace_o.tval      = trap_value_q;
    trace_o.running   = !state_q[StHalt] && !state_q[StSleep] && !injected_q;
  end

  `PLUMB_ASSERT(AckDue, bus_ack_i |-> bus_req_o)
  `PLUMB_ASSERT(RequestHeld, bus_req_o && !bus_ack_i |=> bus_req_o && $stable(bus_addr_o) &&
                $stable(bus_write_o) && $stable(bus_strobe_o))
  `PLUMB_ASSERT(AsleepAtRest, asleep_o && $past(asleep_o) |-> $stable(pc_q) && $stable(result_q) &&
                $stable(fetch_q) && $stable(instr_q) && $stable(a_q) && $stable(b_q))

endmodule
