// What every instruction of the control processor does, as plain expressions, proved for all
// programs, operands, devices, interrupts and debuggers (hw/formal/run; docs/core.md says how).
//
// The proof is by induction. `invariant` says what holds of the processor's registers in every clock
// after its first reset. Class 0 proves it: in any state at all that has it, every next clock has it
// too. The other classes start from any such state, and prove after Window clocks, if an instruction
// of the class retires in the last of them, that all it did is what the expressions below say.
//
// Two registers are watched, any two (core_stand_ins.sv). An instruction is held against its
// expression if those that it reads are these two; since the two are any, so are the instructions.
//
// Assumed: the memory answers in the next clock and holds its answer. A device acknowledges only
// requests. The debugger holds the instruction that it injects.
module core_properties #(
  parameter int unsigned Window = 3   // clocks from the first state to the one that is judged
) (
  input  wire logic        clk_i,
  output      logic [18:0] fault_o,   // a fault, by class
  output      logic [18:0] found_o    // something of the class, whatever it does
);

  localparam int unsigned IndexW = 15;   // words of the memory: 2^15 hold its 96 KiB

  // ---- The processor and what surrounds it ----

  (* anyseq *) logic [31:0] fetch_rdata_any, mem_rdata_any, bus_rdata, exec_instr_any, debug_rdata;
  (* anyseq *) logic        bus_ack_any, bus_error, timer_irq, ext_irq, halt, step, exec, rst_n;

  logic        fetch_en, mem_en, bus_req, bus_write, asleep, halted, exec_error, debug_we;
  logic [31:2] fetch_addr, mem_addr, bus_addr, halted_pc;
  logic [3:0]  mem_we, bus_strobe;
  logic [31:0] mem_wdata, bus_wdata, debug_wdata, fetch_rdata, mem_rdata, exec_instr;
  plumb_core_pkg::trace_t trace;

  logic        fetch_new_q, mem_new_q, injected;
  logic [31:0] fetch_held_q, mem_held_q, exec_held_q;
  assign fetch_rdata = fetch_new_q ? fetch_rdata_any : fetch_held_q;
  assign mem_rdata   = mem_new_q ? mem_rdata_any : mem_held_q;
  assign exec_instr  = injected ? exec_held_q : exec_instr_any;
  always_ff @(posedge clk_i) begin
    fetch_new_q  <= fetch_en;
    mem_new_q    <= mem_en;
    fetch_held_q <= fetch_rdata;
    mem_held_q   <= mem_rdata;
    exec_held_q  <= exec_instr;
  end

  plumb_core_cpu u_cpu (
    .clk_i         (clk_i),
    .rst_ni        (rst_n),
    .fetch_en_o    (fetch_en),
    .fetch_addr_o  (fetch_addr),
    .fetch_rdata_i (fetch_rdata),
    .mem_en_o      (mem_en),
    .mem_we_o      (mem_we),
    .mem_addr_o    (mem_addr),
    .mem_wdata_o   (mem_wdata),
    .mem_rdata_i   (mem_rdata),
    .bus_req_o     (bus_req),
    .bus_write_o   (bus_write),
    .bus_addr_o    (bus_addr),
    .bus_strobe_o  (bus_strobe),
    .bus_wdata_o   (bus_wdata),
    .bus_ack_i     (bus_ack_any && bus_req),
    .bus_error_i   (bus_error),
    .bus_rdata_i   (bus_rdata),
    .timer_irq_i   (timer_irq),
    .ext_irq_i     (ext_irq),
    .asleep_o      (asleep),
    .halt_i        (halt),
    .halted_o      (halted),
    .halted_pc_o   (halted_pc),
    .step_i        (step),
    .exec_i        (exec),
    .exec_instr_i  (exec_instr),
    .exec_error_o  (exec_error),
    .debug_data_i  (debug_rdata),
    .debug_we_o    (debug_we),
    .debug_data_o  (debug_wdata),
    .trace_o       (trace)
  );

  // Registers within the processor, by the names that they have when it is flattened.
  (* hierconn *) wire [15:0] \u_cpu.state_q ;
  (* hierconn *) wire [31:2] \u_cpu.pc_q ;
  (* hierconn *) wire [31:2] \u_cpu.fetch_q ;
  (* hierconn *) wire        \u_cpu.fetch_ok_q ;
  (* hierconn *) wire        \u_cpu.injected_q ;
  (* hierconn *) wire        \u_cpu.wb_q ;
  (* hierconn *) wire        \u_cpu.trace_fetched_q ;
  (* hierconn *) wire        \u_cpu.alu_add_q ;
  (* hierconn *) wire        \u_cpu.alu_alt_q ;
  (* hierconn *) wire        \u_cpu.taken ;
  (* hierconn *) wire        \u_cpu.taken_q ;
  (* hierconn *) wire        \u_cpu.less ;
  (* hierconn *) wire        \u_cpu.less_q ;
  (* hierconn *) wire        \u_cpu.bus_ack_q ;
  (* hierconn *) wire        \u_cpu.misaligned ;
  (* hierconn *) wire        \u_cpu.addr_on_bus ;
  (* hierconn *) wire [31:0] \u_cpu.target ;
  (* hierconn *) wire [31:0] \u_cpu.next_q ;
  (* hierconn *) wire [31:0] \u_cpu.instr_q ;
  (* hierconn *) wire [31:0] \u_cpu.imm_q ;
  (* hierconn *) wire [31:0] \u_cpu.a_q ;
  (* hierconn *) wire [31:0] \u_cpu.b_q ;
  (* hierconn *) wire [31:0] \u_cpu.addr_q ;
  (* hierconn *) wire [31:0] \u_cpu.mul_result ;
  (* hierconn *) wire [31:0] \u_cpu.div_result ;
  (* hierconn *) wire [4:0]  \u_cpu.rd_q ;
  (* hierconn *) wire [plumb_core_pkg::ClassW-1:0]     \u_cpu.cls_q ;
  (* hierconn *) wire [plumb_core_pkg::PredecodeW-1:0] \u_cpu.pre_q ;
  (* hierconn *) wire        \u_cpu.u_mul.busy_q ;
  (* hierconn *) wire        \u_cpu.u_div.busy_q ;
  (* hierconn *) wire [4:0]  \u_cpu.u_regs.watched_a ;
  (* hierconn *) wire [4:0]  \u_cpu.u_regs.watched_b ;
  (* hierconn *) wire [31:0] \u_cpu.u_regs.value_a_q ;
  (* hierconn *) wire [31:0] \u_cpu.u_regs.value_b_q ;
  (* hierconn *) wire [14:0] \u_cpu.u_csr.sel_q ;
  (* hierconn *) wire        \u_cpu.u_csr.zero_q ;
  (* hierconn *) wire        \u_cpu.u_csr.fixed_q ;
  (* hierconn *) wire        \u_cpu.u_csr.mie_q ;
  (* hierconn *) wire        \u_cpu.u_csr.mpie_q ;
  (* hierconn *) wire        \u_cpu.u_csr.timer_en_q ;
  (* hierconn *) wire        \u_cpu.u_csr.ext_en_q ;
  (* hierconn *) wire        \u_cpu.u_csr.timer_pend_q ;
  (* hierconn *) wire        \u_cpu.u_csr.ext_pend_q ;
  (* hierconn *) wire [31:2] \u_cpu.u_csr.mtvec_q ;
  (* hierconn *) wire [31:2] \u_cpu.u_csr.mepc_q ;
  (* hierconn *) wire [31:0] \u_cpu.u_csr.mscratch_q ;
  (* hierconn *) wire [31:0] \u_cpu.u_csr.mtval_q ;
  (* hierconn *) wire [4:0]  \u_cpu.u_csr.mcause_q ;
  (* hierconn *) wire [63:0] \u_cpu.u_csr.mcycle ;
  (* hierconn *) wire [63:0] \u_cpu.u_csr.minstret ;
  (* hierconn *) wire        \u_cpu.u_csr.retired_q ;
  (* hierconn *) wire        \u_cpu.u_csr.u_mcycle.ones_q ;
  (* hierconn *) wire        \u_cpu.u_csr.u_minstret.ones_q ;

  logic halt_s, sleep_s, fetch_s, fetched_s, decode_s, execute_s, late_s, jump_s, mem_s, load_s, bus_s;
  logic csr_s, csr_write_s, mul_s, div_s, trap_s;
  assign {trap_s, div_s, mul_s, csr_write_s, csr_s, bus_s, load_s, mem_s, jump_s, late_s, execute_s,
          decode_s, fetched_s, fetch_s, sleep_s, halt_s} = \u_cpu.state_q ;
  assign injected = \u_cpu.injected_q ;

  plumb_core_pkg::class_t cls;
  assign cls = \u_cpu.cls_q ;

  // The CSRs that instructions and traps change.
  typedef struct packed {
    logic        mie, mpie, timer_en, ext_en;
    logic [31:2] mtvec, mepc;
    logic [31:0] mscratch, mtval;
    logic [4:0]  mcause;
    logic [63:0] mcycle, minstret;
  } csrs_t;
  csrs_t csrs, seen;
  assign csrs.mie      = \u_cpu.u_csr.mie_q ;
  assign csrs.mpie     = \u_cpu.u_csr.mpie_q ;
  assign csrs.timer_en = \u_cpu.u_csr.timer_en_q ;
  assign csrs.ext_en   = \u_cpu.u_csr.ext_en_q ;
  assign csrs.mtvec    = \u_cpu.u_csr.mtvec_q ;
  assign csrs.mepc     = \u_cpu.u_csr.mepc_q ;
  assign csrs.mscratch = \u_cpu.u_csr.mscratch_q ;
  assign csrs.mtval    = \u_cpu.u_csr.mtval_q ;
  assign csrs.mcause   = \u_cpu.u_csr.mcause_q ;
  assign csrs.mcycle   = \u_cpu.u_csr.mcycle ;
  assign csrs.minstret = \u_cpu.u_csr.minstret ;
  // minstret counts an instruction in the clock after it ended.
  always_comb begin
    seen          = csrs;
    seen.minstret = csrs.minstret + 64'(\u_cpu.u_csr.retired_q );
  end

  // Where the processor stands: what it fetches next, or the instruction that it is at.
  logic [31:2] place;
  assign place = halt_s || sleep_s || fetch_s ? \u_cpu.fetch_q : \u_cpu.pc_q ;

  // ---- The state as instructions have left it ----

  logic        started_q;      // there has been a reset
  logic [4:0]  watched_a, watched_b;
  logic [31:0] value_a_q, value_b_q, a, b;
  logic [31:2] place_q;
  csrs_t       csrs_q;
  assign watched_a = \u_cpu.u_regs.watched_a ;
  assign watched_b = \u_cpu.u_regs.watched_b ;
  assign a = watched_a == 5'd0 ? '0 : value_a_q;
  assign b = watched_b == 5'd0 ? '0 : watched_b == watched_a ? value_a_q : value_b_q;

  // What is read in the clock of execute, and how the last access went.
  logic [31:0] debug_read_q, loaded_q, product_q, quotient_q;
  logic [63:0] mcycle_read_q, minstret_read_q;
  logic        timer_read_q, ext_read_q;   // pending
  logic        timer_due_q, ext_due_q;     // pending, in the clock of decode
  logic        debug_we_q;
  logic [31:0] debug_wdata_q;

  // Accesses since the last instruction: how many (2 for more than one), and the last one.
  typedef struct packed {
    logic        bus, write, refused;
    logic [29:0] address;
    logic [3:0]  strobe;
    logic [31:0] wdata;
  } access_t;
  logic [1:0] accesses_q;
  access_t    access_q;

  always_ff @(posedge clk_i) begin
    started_q <= started_q || !rst_n;

    if (!rst_n) begin
      value_a_q <= \u_cpu.wb_q && \u_cpu.rd_q == watched_a ? trace.value : \u_cpu.u_regs.value_a_q ;
      value_b_q <= \u_cpu.wb_q && \u_cpu.rd_q == watched_b ? trace.value : \u_cpu.u_regs.value_b_q ;
      place_q   <= 30'(32'h1000_0000 >> 2);
      csrs_q    <= '0;
    end else begin
      csrs_q.mcycle <= csrs_q.mcycle + 64'(trace.running);
      if (trace.valid) begin
        if (trace.rd != 5'd0 && trace.rd == watched_a) value_a_q <= trace.value;
        if (trace.rd != 5'd0 && trace.rd == watched_b) value_b_q <= trace.value;
        place_q         <= place;
        csrs_q        <= seen;
        csrs_q.mcycle <= seen.mcycle + 64'(trace.running);
      end
    end

    if (execute_s) begin
      debug_read_q    <= debug_rdata;
      mcycle_read_q   <= csrs.mcycle;
      minstret_read_q <= csrs.minstret;
      timer_read_q    <= \u_cpu.u_csr.timer_pend_q ;
      ext_read_q      <= \u_cpu.u_csr.ext_pend_q ;
    end
    if (decode_s) begin
      timer_due_q <= \u_cpu.u_csr.timer_pend_q ;
      ext_due_q   <= \u_cpu.u_csr.ext_pend_q ;
    end
    if (mul_s) product_q <= \u_cpu.mul_result ;
    if (div_s) quotient_q <= \u_cpu.div_result ;
    debug_we_q    <= debug_we;
    debug_wdata_q <= debug_wdata;

    if (mem_new_q) loaded_q <= mem_rdata_any;
    if (!rst_n || trace.valid)                accesses_q <= 2'd0;
    else if (mem_en && bus_req)               accesses_q <= 2'd2;
    else if (mem_en || (bus_req && bus_ack_any)) accesses_q <= accesses_q == 2'd0 ? 2'd1 : 2'd2;
    if (mem_en) begin
      access_q <= {1'b0, mem_we != 4'd0, 1'b0, mem_addr, mem_we, mem_wdata};
    end
    if (bus_req && bus_ack_any) begin
      access_q <= {1'b1, bus_write, bus_error, bus_addr, bus_strobe, bus_wdata};
      loaded_q <= bus_rdata;
    end
  end

  // One word of the memory, any: what was last read of it, and whether it was written since.
  (* anyconst *) logic [IndexW-1:0] word_index;
  logic [IndexW-1:0] fetched_index_q;
  logic [31:0]       word_q;
  logic              stale_q;
  always_ff @(posedge clk_i) begin
    if (fetch_en) fetched_index_q <= fetch_addr[IndexW+1:2];
    if (fetch_new_q && fetched_index_q == word_index) word_q <= fetch_rdata_any;
    if (mem_en && mem_we != 4'd0 && mem_addr[IndexW+1:2] == word_index) stale_q <= 1'b1;
    else if (fetch_en && fetch_addr[IndexW+1:2] == word_index) stale_q <= 1'b0;
  end

  // ---- What the instruction should do ----

  logic [31:0] i, imm_i, imm_s, imm_b, imm_j, imm_u, pc, operand, address;
  logic [6:0]  opcode, f7;
  logic [2:0]  f3;
  logic [4:0]  shamt;
  logic        reads_a, reads_b, sources;

  assign i       = trace.instr;
  assign pc      = trace.pc;
  assign opcode  = i[6:0];
  assign f3      = i[14:12];
  assign f7      = i[31:25];
  assign imm_i   = {{20{i[31]}}, i[31:20]};
  assign imm_s   = {{20{i[31]}}, i[31:25], i[11:7]};
  assign imm_b   = {{20{i[31]}}, i[7], i[30:25], i[11:8], 1'b0};
  assign imm_j   = {{12{i[31]}}, i[19:12], i[20], i[30:21], 1'b0};
  assign imm_u   = {i[31:12], 12'b0};
  assign operand = opcode == 7'h33 ? b : imm_i;
  assign shamt   = operand[4:0];
  assign address = a + (opcode == 7'h23 ? imm_s : imm_i);

  // The registers that it reads are the two that are watched.
  assign reads_a = opcode == 7'h67 || opcode == 7'h63 || opcode == 7'h03 || opcode == 7'h23 ||
                   opcode == 7'h13 || opcode == 7'h33 || (opcode == 7'h73 && !f3[2]);
  assign reads_b = opcode == 7'h63 || opcode == 7'h23 || opcode == 7'h33;
  assign sources = (!reads_a || i[19:15] == watched_a) && (!reads_b || i[24:20] == watched_b);

  logic is_op, is_op_imm, is_muldiv, is_branch, is_load, is_store, is_jalr, is_fence, is_csr;
  assign is_op     = opcode == 7'h33 && (f7 == 7'h00 || (f7 == 7'h20 && (f3 == 3'd0 || f3 == 3'd5)));
  assign is_op_imm = opcode == 7'h13 && (f3 != 3'd1 || f7 == 7'h00) &&
                     (f3 != 3'd5 || f7 == 7'h00 || f7 == 7'h20);
  assign is_muldiv = opcode == 7'h33 && f7 == 7'h01;
  assign is_branch = opcode == 7'h63 && f3 != 3'd2 && f3 != 3'd3;
  assign is_load   = opcode == 7'h03 && f3 != 3'd3 && f3 != 3'd6 && f3 != 3'd7;
  assign is_store  = opcode == 7'h23 && f3 < 3'd3;
  assign is_jalr   = opcode == 7'h67 && f3 == 3'd0;
  assign is_fence  = opcode == 7'h0F && f3 == 3'd0;
  assign is_csr    = opcode == 7'h73 && f3[1:0] != 2'd0;

  logic [31:0] arithmetic, shifted_signed;   // by itself: an unsigned operand beside it makes it unsigned
  assign shifted_signed = $signed(a) >>> shamt;
  always_comb begin
    case (f3)
      3'd0:    arithmetic = opcode == 7'h33 && i[30] ? a - operand : a + operand;
      3'd1:    arithmetic = a << shamt;
      3'd2:    arithmetic = {31'b0, $signed(a) < $signed(operand)};
      3'd3:    arithmetic = {31'b0, a < operand};
      3'd4:    arithmetic = a ^ operand;
      3'd5:    arithmetic = i[30] ? shifted_signed : a >> shamt;
      3'd6:    arithmetic = a | operand;
      default: arithmetic = a & operand;
    endcase
  end

  logic taken;
  always_comb begin
    case (f3)
      3'd0:    taken = a == b;
      3'd1:    taken = a != b;
      3'd4:    taken = $signed(a) < $signed(b);
      3'd5:    taken = $signed(a) >= $signed(b);
      3'd6:    taken = a < b;
      default: taken = a >= b;
    endcase
  end

  logic [31:0] shifted_word, load_value;
  assign shifted_word = loaded_q >> {address[1:0], 3'b000};
  always_comb begin
    case (f3)
      3'd0:    load_value = {{24{shifted_word[7]}}, shifted_word[7:0]};
      3'd1:    load_value = {{16{shifted_word[15]}}, shifted_word[15:0]};
      3'd4:    load_value = {24'b0, shifted_word[7:0]};
      3'd5:    load_value = {16'b0, shifted_word[15:0]};
      default: load_value = loaded_q;
    endcase
  end

  function automatic logic in_memory(input logic [31:0] at);
    in_memory = at >= 32'h1000_0000 && at < 32'h1001_8000;
  endfunction

  logic misaligned, on_bus;
  assign misaligned = (f3[1:0] == 2'd1 && address[0]) || (f3[1:0] == 2'd2 && address[1:0] != 2'd0);
  assign on_bus     = address >= 32'h4000_0000;

  // CSRs: whether there is one, what it reads as. Some are always zero.
  function automatic logic csr_is_zero(input logic [11:0] of);
    csr_is_zero = of == 12'h310 || of == 12'hF11 || of == 12'hF12 || of == 12'hF14 || of == 12'hF15 ||
                  (of >= 12'hB03 && of <= 12'hB1F) || (of >= 12'hB83 && of <= 12'hB9F) ||
                  (of >= 12'h323 && of <= 12'h33F);
  endfunction
  logic [11:0] number;
  logic        csr_exists, csr_writes;
  logic [31:0] csr_value, csr_operand, csr_new;
  assign number      = i[31:20];
  assign csr_operand = f3[2] ? {27'b0, i[19:15]} : a;
  assign csr_writes  = f3[1:0] == 2'd1 || i[19:15] != 5'd0;
  always_comb begin
    csr_exists = 1'b1;
    csr_value  = '0;
    case (number)
      12'h300: csr_value = {24'h18, csrs_q.mpie, 3'b0, csrs_q.mie, 3'b0};
      12'h301: csr_value = 32'h4000_1100;
      12'h304: csr_value = {20'b0, csrs_q.ext_en, 3'b0, csrs_q.timer_en, 7'b0};
      12'h305: csr_value = {csrs_q.mtvec, 2'b00};
      12'h340: csr_value = csrs_q.mscratch;
      12'h341: csr_value = {csrs_q.mepc, 2'b00};
      12'h342: csr_value = {csrs_q.mcause[4], 27'b0, csrs_q.mcause[3:0]};
      12'h343: csr_value = csrs_q.mtval;
      12'h344: csr_value = {20'b0, ext_read_q, 3'b0, timer_read_q, 7'b0};
      12'hB00: csr_value = mcycle_read_q[31:0];
      12'hB80: csr_value = mcycle_read_q[63:32];
      12'hB02: csr_value = minstret_read_q[31:0];
      12'hB82: csr_value = minstret_read_q[63:32];
      12'hF13: csr_value = 32'd1;
      12'h7B2: begin
        csr_value  = debug_read_q;
        csr_exists = trace.injected;
      end
      default: csr_exists = csr_is_zero(number);
    endcase
    case (f3[1:0])
      2'd1:    csr_new = csr_operand;
      2'd2:    csr_new = csr_value | csr_operand;
      default: csr_new = csr_value & ~csr_operand;
    endcase
  end

  // All that it does.
  logic        x_trap, x_access;
  logic [3:0]  x_cause;
  logic [31:0] x_tval, x_value, x_next;
  logic [4:0]  x_rd;
  access_t     x_asked;
  always_comb begin
    x_trap   = 1'b0;
    x_cause  = 4'd2;
    x_tval   = i;
    x_rd     = i[11:7];
    x_value  = '0;
    x_next   = trace.injected ? pc : pc + 32'd4;
    x_access = 1'b0;
    x_asked.bus     = on_bus;
    x_asked.write   = is_store;
    x_asked.refused = on_bus && access_q.refused;
    x_asked.address = on_bus ? address[31:2] : {15'b0, address[16:2]};
    x_asked.strobe  = !is_store ? 4'd0 : (f3 == 3'd0 ? 4'b0001 : f3 == 3'd1 ? 4'b0011 : 4'b1111) <<
                                         address[1:0];
    x_asked.wdata   = (f3 == 3'd0 ? {24'b0, b[7:0]} : f3 == 3'd1 ? {16'b0, b[15:0]} : b) <<
                      {address[1:0], 3'b000};

    if (opcode == 7'h37)      x_value = imm_u;
    else if (opcode == 7'h17) x_value = pc + imm_u;
    else if (is_fence)        x_rd = 5'd0;
    else if (is_op || is_op_imm) x_value = arithmetic;
    else if (is_muldiv)       x_value = f3[2] ? quotient_q : product_q;
    else if (opcode == 7'h6F || is_jalr || is_branch) begin
      x_value = pc + 32'd4;
      if (is_branch)       x_rd = 5'd0;
      if (opcode == 7'h6F) x_next = pc + imm_j;
      else if (is_jalr)    x_next = (a + imm_i) & ~32'd1;
      else if (taken)      x_next = pc + imm_b;
      x_trap  = x_next[1];
      x_cause = 4'd0;
      x_tval  = x_next;
    end else if (is_load || is_store) begin
      x_value = load_value;
      if (is_store) x_rd = 5'd0;
      x_access = !misaligned && (in_memory(address) || on_bus);
      x_trap   = !x_access || (on_bus && access_q.refused);
      x_cause  = is_store ? (misaligned ? 4'd6 : 4'd7) : (misaligned ? 4'd4 : 4'd5);
      x_tval   = address;
    end else if (is_csr) begin
      x_value = csr_value;
      x_trap  = !csr_exists || (number[11:10] == 2'b11 && csr_writes);
    end else if (i == 32'h0000_0073 || i == 32'h0010_0073) begin
      x_trap  = 1'b1;
      x_cause = i[20] ? 4'd3 : 4'd11;
      x_tval  = i[20] ? pc : 32'b0;
    end else if (i == 32'h3020_0073) begin
      x_rd   = 5'd0;
      x_next = {csrs_q.mepc, 2'b00};
    end else if (i == 32'h1050_0073) begin
      x_rd = 5'd0;
    end else begin
      x_trap = 1'b1;
    end
    if (x_trap) begin
      x_rd   = 5'd0;
      x_next = trace.injected ? pc : {csrs_q.mtvec, 2'b00};
    end
  end

  // The CSRs after it, or after an interrupt or a fetch that failed.
  logic  is_instruction;
  csrs_t after;
  assign is_instruction = trace.valid && !(trace.trap && (trace.irq || trace.cause == 4'd1));
  always_comb begin
    after = csrs_q;
    if (!trace.trap && !trace.injected) after.minstret = csrs_q.minstret + 64'd1;
    if (trace.trap) begin
      if (!trace.injected) begin
        after.mpie   = csrs_q.mie;
        after.mie    = 1'b0;
        after.mepc   = pc[31:2];
        after.mcause = {trace.irq, trace.cause};
        after.mtval  = trace.tval;
      end
    end else if (i == 32'h3020_0073) begin
      after.mie  = csrs_q.mpie;
      after.mpie = 1'b1;
    end else if (is_csr && csr_writes) begin
      case (number)
        12'h300: {after.mpie, after.mie} = {csr_new[7], csr_new[3]};
        12'h304: {after.ext_en, after.timer_en} = {csr_new[11], csr_new[7]};
        12'h305: after.mtvec = csr_new[31:2];
        12'h340: after.mscratch = csr_new;
        12'h341: after.mepc = csr_new[31:2];
        12'h342: after.mcause = {csr_new[31], csr_new[3:0]};
        12'h343: after.mtval = csr_new;
        12'hB00: after.mcycle[31:0] = csr_new;
        12'hB80: after.mcycle[63:32] = csr_new;
        12'hB02: after.minstret = {csrs_q.minstret[63:32], csr_new};
        12'hB82: after.minstret = {csr_new, csrs_q.minstret[31:0]};
        default: ;
      endcase
    end
  end

  // ---- What it did ----

  logic [31:0] lanes;
  assign lanes = {{8{x_asked.strobe[3]}}, {8{x_asked.strobe[2]}}, {8{x_asked.strobe[1]}},
                  {8{x_asked.strobe[0]}}};

  logic registers_ok, trap_ok, access_ok, csrs_ok, ok;
  assign registers_ok = trace.rd == x_rd && trace.value == (x_rd == 5'd0 ? 32'b0 : x_value);
  assign trap_ok      = trace.trap == x_trap && exec_error == (x_trap && trace.injected) &&
                        (!x_trap || (!trace.irq && trace.cause == x_cause && trace.tval == x_tval));
  assign access_ok    = accesses_q == 2'(x_access) &&
                        (!x_access || (access_q.bus == x_asked.bus && access_q.write == x_asked.write &&
                                       access_q.address == x_asked.address &&
                                       access_q.strobe == x_asked.strobe &&
                                       (access_q.wdata & lanes) == (x_asked.wdata & lanes))) &&
                        trace.store == (is_store && !x_trap) &&
                        (!trace.store || (trace.address == {address[31:2], 2'b00} &&
                                          trace.strobe == x_asked.strobe &&
                                          trace.wdata == x_asked.wdata));
  assign csrs_ok = seen == after && debug_we_q == (is_csr && !x_trap && csr_writes && number == 12'h7B2) &&
                   (!debug_we_q || debug_wdata_q == csr_new);
  assign ok      = registers_ok && trap_ok && access_ok && csrs_ok && place == x_next[31:2] &&
                   asleep == (i == 32'h1050_0073 && !trace.injected);

  // A trap that is no instruction's, and the interrupts that were due when it was decoded.
  logic trap_state_ok, ext_due, timer_due;
  assign trap_state_ok = trace.trap && trace.rd == 5'd0 && !trace.store && accesses_q == 2'd0 &&
                         seen == after && !debug_we_q && !asleep && !exec_error &&
                         place == csrs_q.mtvec;
  assign ext_due       = csrs_q.mie && csrs_q.ext_en && ext_due_q;
  assign timer_due     = csrs_q.mie && csrs_q.timer_en && timer_due_q;

  // A request that has not been acknowledged a clock ago.
  logic        waits_q;
  logic [34:0] waiting_q;
  logic [31:0] waiting_wdata_q;
  always_ff @(posedge clk_i) begin
    waits_q         <= rst_n && bus_req && !bus_ack_any;
    waiting_q       <= {bus_write, bus_addr, bus_strobe};
    waiting_wdata_q <= bus_wdata;
  end

  // Of each class: an instruction of it retires, and all it did is what it should have done.
  localparam int unsigned Classes = 19;
  logic [Classes-1:0] mine, holds;
  logic               plain;
  assign plain = is_instruction && sources;
  always_comb begin
    mine      = '0;
    holds     = {Classes{ok}};
    mine[1]   = plain && (opcode == 7'h37 || opcode == 7'h17 || is_fence);
    mine[2]   = plain && (is_op || is_op_imm) && f3 == 3'd0;
    mine[3]   = plain && (is_op || is_op_imm) && (f3 == 3'd1 || f3 == 3'd5);
    mine[4]   = plain && (is_op || is_op_imm) && f3[2:1] == 2'b01;
    mine[5]   = plain && (is_op || is_op_imm) && (f3 == 3'd4 || f3[2:1] == 2'b11);
    mine[6]   = plain && is_branch;
    mine[7]   = plain && opcode == 7'h6F;
    mine[8]   = plain && is_jalr;
    mine[9]   = plain && is_load;
    mine[10]  = plain && is_store;
    mine[11]  = plain && is_muldiv && !f3[2];
    mine[12]  = plain && is_muldiv && f3[2];
    mine[13]  = plain && is_csr;
    mine[14]  = plain && (i == 32'h3020_0073 || i == 32'h1050_0073);   // MRET, WFI
    // ECALL, EBREAK, and all that is no instruction.
    mine[15]  = plain && !(|mine[14:1]);
    // Interrupts, none of which is ignored, and fetches from where no memory is.
    mine[16]  = trace.valid && !trace.injected && (ext_due || timer_due || !is_instruction);
    holds[16] = trap_state_ok && trace.irq == (ext_due || timer_due) &&
                (trace.irq ? trace.cause == (ext_due ? 4'd11 : 4'd7) && trace.tval == 32'b0
                           : trace.tval == pc && !in_memory(pc));
    // Each comes from where the one before it led, and is the word that the memory gave there, after
    // the last store to it; or the one that the debugger injects.
    mine[17]  = trace.valid;
    holds[17] = pc == {place_q, 2'b00} &&
                (!is_instruction ? i == 32'b0 :
                 trace.injected  ? i == exec_held_q :
                                   in_memory(pc) && (pc[IndexW+1:2] != word_index || i == word_q));
    // Requests to devices are held until they are acknowledged.
    mine[18]  = waits_q;
    holds[18] = bus_req && {bus_write, bus_addr, bus_strobe} == waiting_q &&
                (bus_wdata == waiting_wdata_q);
  end

  // ---- What holds in every clock ----

  logic [31:2] pc_now, fetch_now;
  logic [31:0] instr, next_instr;
  logic        flight, held;   // an instruction is executed; it, or one that ended, is in instr
  assign pc_now     = \u_cpu.pc_q ;
  assign fetch_now  = \u_cpu.fetch_q ;
  assign instr      = \u_cpu.instr_q ;
  assign next_instr = \u_cpu.next_q ;
  assign flight     = execute_s || late_s || jump_s || mem_s || load_s || bus_s || csr_s ||
                      csr_write_s || mul_s || div_s;
  assign held       = flight || trap_s || trace.valid;

  // The processor's own decoder, for the instruction that is held: that its registers agree with it
  // is the invariant, that it decodes rightly is what the other classes prove.
  plumb_core_pkg::predecode_t pre_next, pre_held;
  plumb_core_pkg::class_t     cls_held;
  logic        rd_used, a_zero, a_pc, b_imm, alu_add, alu_alt;
  logic [31:0] imm;
  plumb_core_predecode u_pre_next (.instr_i(next_instr), .pre_o(pre_next));
  plumb_core_predecode u_pre_held (.instr_i(instr), .pre_o(pre_held));
  plumb_core_decode u_decode_held (
    .instr_i   (instr[31:7]),
    .pre_i     (pre_held),
    .class_o   (cls_held),
    .rd_used_o (rd_used),
    .a_zero_o  (a_zero),
    .a_pc_o    (a_pc),
    .b_imm_o   (b_imm),
    .alu_add_o (alu_add),
    .alu_alt_o (alu_alt),
    .imm_o     (imm)
  );

  logic [11:0] n;
  logic [14:0] selected;
  assign n        = instr[31:20];
  assign selected = {n == 12'h300, n == 12'h301, n == 12'h304, n == 12'h305, n == 12'h340,
                     n == 12'h341, n == 12'h342, n == 12'h343, n == 12'h344, n == 12'hB00,
                     n == 12'hB80, n == 12'hB02, n == 12'hB82, n == 12'hF13,
                     n == 12'h7B2 && injected};

  logic control, decoded, operands, results, unchanged, accessed, fetches, invariant;
  always_comb begin
    // One state at a time, with the class of instruction that leads to it.
    control = \u_cpu.state_q != '0 && (\u_cpu.state_q & (\u_cpu.state_q - 16'd1)) == '0 &&
              (!trace.valid || halt_s || sleep_s || fetch_s || decode_s) &&
              (!(halt_s || sleep_s || fetch_s) || !injected) &&
              \u_cpu.wb_q == (trace.valid && !trace.trap && \u_cpu.rd_q != 5'd0) &&
              (!late_s || cls.late) && (!jump_s || cls.branch || cls.jal || cls.jalr) &&
              (!(mem_s || bus_s) || cls.load || cls.store) && (!load_s || cls.load) &&
              (!(csr_s || csr_write_s) || cls.csr) && (!mul_s || cls.mul) && (!div_s || cls.div) &&
              \u_cpu.u_mul.busy_q == mul_s && \u_cpu.u_div.busy_q == div_s &&
              (!flight || \u_cpu.trace_fetched_q ) &&
              (!flight || execute_s || !trace.irq) &&
              (!flight || injected || !(ext_due || timer_due)) && (!\u_cpu.bus_ack_q || bus_s) &&
              (!bus_s || (\u_cpu.addr_on_bus && !\u_cpu.misaligned ));

    // What is decoded is of the instruction that is held.
    decoded = (!decode_s || \u_cpu.pre_q == pre_next) &&
              (!held || (\u_cpu.cls_q == cls_held && \u_cpu.imm_q == imm &&
                         \u_cpu.alu_add_q == alu_add && \u_cpu.alu_alt_q == alu_alt &&
                         \u_cpu.rd_q == (rd_used ? instr[11:7] : 5'd0))) &&
              (!flight || (\u_cpu.u_csr.sel_q == selected && \u_cpu.u_csr.zero_q == csr_is_zero(n) &&
                           \u_cpu.u_csr.fixed_q == (n[11:10] == 2'b11)));

    // So are the operands.
    operands = (watched_a == 5'd0 || value_a_q == \u_cpu.u_regs.value_a_q ) &&
               (watched_b == 5'd0 || value_b_q == \u_cpu.u_regs.value_b_q ) &&
               (!flight || (a_zero ? \u_cpu.a_q == '0 : a_pc ? \u_cpu.a_q == {pc_now, 2'b00} :
                            instr[19:15] != watched_a || \u_cpu.a_q == a)) &&
               (!flight || (b_imm ? \u_cpu.b_q == imm :
                            instr[24:20] != watched_b || \u_cpu.b_q == b));

    // What was made of them is, too.
    results = (!(jump_s || mem_s || load_s || bus_s) || \u_cpu.addr_q == \u_cpu.target ) &&
              (!jump_s || \u_cpu.taken_q == (cls.branch && \u_cpu.taken )) &&
              (!late_s || \u_cpu.less_q == \u_cpu.less ) &&
              \u_cpu.u_csr.u_mcycle.ones_q == &csrs.mcycle[31:0] &&
              \u_cpu.u_csr.u_minstret.ones_q == &csrs.minstret[31:0];

    // Nothing changes but by instructions and traps; the next instruction is behind this one.
    unchanged = (trace.valid || (place == place_q && csrs == csrs_q && !\u_cpu.u_csr.retired_q )) &&
                (!(fetched_s || decode_s || flight) || fetch_now == pc_now + 30'd1);

    accessed = bus_s  ? accesses_q == 2'(\u_cpu.bus_ack_q ) :
               load_s ? accesses_q == 2'd1 : trace.valid || trap_s || accesses_q == 2'd0;

    // What is fetched is the word where the processor stands, or the one behind it.
    fetches = injected ? (!decode_s || next_instr == exec_held_q) &&
                         (!(flight || trap_s) || instr == exec_held_q)
                       : (!fetched_s || word_comes(pc_now)) &&
                         (!decode_s || (!fetch_new_q && word_is(pc_now, next_instr))) &&
                         (!execute_s || word_comes(fetch_now)) &&
                         (!flight || execute_s || (!fetch_new_q && word_is(fetch_now, fetch_held_q))) &&
                         (!flight || (in_memory({pc_now, 2'b00}) &&
                                      (pc_now[IndexW+1:2] != word_index || instr == word_q))) &&
                         (!(fetched_s || decode_s) ||
                          \u_cpu.fetch_ok_q == in_memory({pc_now, 2'b00})) &&
                         (!flight || \u_cpu.fetch_ok_q == in_memory({fetch_now, 2'b00}));

    invariant = !started_q ||
                (control && decoded && operands && results && unchanged && accessed && fetches);
  end

  // If this place is the watched word: the memory answers with it now; this is it. Not stale, either.
  function automatic logic word_comes(input logic [31:2] at);
    word_comes = fetch_new_q && fetched_index_q == at[IndexW+1:2] &&
                 (at[IndexW+1:2] != word_index || !stale_q);
  endfunction
  function automatic logic word_is(input logic [31:2] at, input logic [31:0] word);
    word_is = at[IndexW+1:2] != word_index || (word == word_q && !stale_q);
  endfunction

  // ---- What is searched for ----

  // From any state that has the invariant: one without it a clock later (bit 0), or a fault of each
  // class after Window clocks. `found_o` is for seeing that each class occurs at all.
  logic [2:0] age_q = 3'd0;
  logic       good_q = 1'b1;
  logic       reset_q = 1'b0;
  logic       judged;
  assign judged = age_q != 3'(Window) ? reset_q : good_q && invariant && started_q;
  always_ff @(posedge clk_i) begin
    if (age_q != 3'(Window)) age_q <= age_q + 3'd1;
    good_q  <= good_q && invariant;
    reset_q <= reset_q || !rst_n;
  end
  always_comb begin
    fault_o    = {Classes{judged}} & mine & ~holds;
    found_o    = {Classes{reset_q}} & mine;
    fault_o[0] = good_q && !invariant && age_q == 3'd1;
    found_o[0] = reset_q && invariant && trace.valid;
  end

endmodule
