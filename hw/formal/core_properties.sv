// What every instruction of the control processor does, as plain expressions, for bounded model
// checking (hw/formal/run). Memory, devices, interrupts and the debugger's data may be anything; the
// processor is let go after reset and not halted.
//
// Two registers are watched, any two: Watched{A,B}. Their values follow from what instructions are
// seen to write. Whenever an instruction whose sources are these two retires, all that it does must
// be what the expressions below say. Since the two are any, so are the instructions.
//
// CLASS selects the instructions of a run, which is one property at a time: the solver then sees one
// expression. The arithmetic of multiplication and division is not here (random tests have it).
module core_properties #(
  parameter int unsigned Class = 0
) (
  input wire logic clk_i
);

  // Anything, every clock.
  (* anyseq *) logic [31:0] fetch_rdata_any;
  (* anyseq *) logic [31:0] mem_rdata_any;
  (* anyseq *) logic [31:0] bus_rdata;
  (* anyseq *) logic        bus_ack_any, bus_error, timer_irq, ext_irq;
  (* anyconst *) logic [4:0] watched_a;
  (* anyconst *) logic [4:0] watched_b;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic        fetch_en, mem_en, bus_req, bus_write, asleep, halted, exec_error, debug_we;
  logic [31:2] fetch_addr, mem_addr, bus_addr, halted_pc;
  logic [3:0]  mem_we, bus_strobe;
  logic [31:0] mem_wdata, bus_wdata, debug_data, fetch_rdata, mem_rdata;
  plumb_core_pkg::trace_t trace;

  // The memory holds its answers.
  logic        fetch_new_q, mem_new_q;
  logic [31:0] fetch_held_q, mem_held_q;
  assign fetch_rdata = fetch_new_q ? fetch_rdata_any : fetch_held_q;
  assign mem_rdata   = mem_new_q ? mem_rdata_any : mem_held_q;
  always_ff @(posedge clk_i) begin
    fetch_new_q  <= fetch_en;
    mem_new_q    <= mem_en;
    fetch_held_q <= fetch_rdata;
    mem_held_q   <= mem_rdata;
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
    .halt_i        (1'b0),
    .halted_o      (halted),
    .halted_pc_o   (halted_pc),
    .step_i        (1'b0),
    .exec_i        (1'b0),
    .exec_instr_i  (32'b0),
    .exec_error_o  (exec_error),
    .debug_data_i  (32'b0),
    .debug_we_o    (debug_we),
    .debug_data_o  (debug_data),
    .trace_o       (trace)
  );

  // ---- What is known ----

  // The watched registers, once they have been written, and where the next instruction lies.
  logic        known_a_q = 1'b0, known_b_q = 1'b0, known_pc_q = 1'b0;
  logic [31:0] a_q, b_q, pc_q;
  logic [31:0] a, b;
  assign a = watched_a == 5'd0 ? '0 : a_q;
  assign b = watched_b == 5'd0 ? '0 : b_q;

  // The word that the last load has brought, and how the last device access ended.
  logic [31:0] loaded_q;
  logic        load_new_q, refused_q;
  always_ff @(posedge clk_i) begin
    load_new_q <= mem_en;
    if (load_new_q) loaded_q <= mem_rdata_any;
    if (bus_req && bus_ack_any) begin
      loaded_q  <= bus_rdata;
      refused_q <= bus_error;
    end
  end

  // ---- What the instruction should do ----

  logic [31:0] i, imm_i, imm_s, imm_b, imm_j, imm_u, next, operand, address;
  logic [4:0]  shamt;
  logic [2:0]  f3;
  logic        sources, mine;

  assign i     = trace.instr;
  assign f3    = i[14:12];
  assign imm_i = {{20{i[31]}}, i[31:20]};
  assign imm_s = {{20{i[31]}}, i[31:25], i[11:7]};
  assign imm_b = {{20{i[31]}}, i[7], i[30:25], i[11:8], 1'b0};
  assign imm_j = {{12{i[31]}}, i[19:12], i[20], i[30:21], 1'b0};
  assign imm_u = {i[31:12], 12'b0};
  assign next  = trace.pc + 32'd4;

  assign sources = i[19:15] == watched_a && i[24:20] == watched_b &&
                   (watched_a == 5'd0 || known_a_q) && (watched_b == 5'd0 || known_b_q);

  logic        is_op, is_op_imm;
  assign is_op     = i[6:0] == 7'h33 && (i[31:25] == 7'h00 ||
                                         (i[31:25] == 7'h20 && (f3 == 3'd0 || f3 == 3'd5)));
  assign is_op_imm = i[6:0] == 7'h13 && (f3 != 3'd1 || i[31:25] == 7'h00) &&
                     (f3 != 3'd5 || i[31:25] == 7'h00 || i[31:25] == 7'h20);
  assign operand   = is_op ? b : imm_i;
  assign shamt     = operand[4:0];
  assign address   = a + (i[6:0] == 7'h23 ? imm_s : imm_i);

  logic [31:0] arithmetic, load_value, shifted_word;
  always_comb begin
    case (f3)
      3'd0:    arithmetic = is_op && i[30] ? a - operand : a + operand;
      3'd1:    arithmetic = a << shamt;
      3'd2:    arithmetic = {31'b0, $signed(a) < $signed(operand)};
      3'd3:    arithmetic = {31'b0, a < operand};
      3'd4:    arithmetic = a ^ operand;
      3'd5:    arithmetic = i[30] ? $signed(a) >>> shamt : a >> shamt;
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

  logic misaligned, in_memory, on_bus;
  assign misaligned = (f3[1:0] == 2'd1 && address[0]) || (f3[1:0] == 2'd2 && address[1:0] != 2'd0);
  assign in_memory  = address >= 32'h1000_0000 && address < 32'h1001_8000;
  assign on_bus     = address >= 32'h4000_0000;

  // An instruction retires that is of no interest to others.
  logic plain;
  assign plain = trace.valid && !trace.trap;

  logic [31:0] expected_pc_q;    // of the next instruction, if it is not an interrupt
  logic [31:0] after;
  always_comb begin
    after = next;
    if (i[6:0] == 7'h6F)                after = trace.pc + imm_j;
    if (i[6:0] == 7'h67)                after = (a + imm_i) & ~32'd1;
    if (i[6:0] == 7'h63 && taken)       after = trace.pc + imm_b;
  end

  // Where control goes is known from trace alone but for JALR and branches, which need their
  // sources, and MRET and traps, which need CSRs: those are class 9.
  logic follows;
  assign follows = plain && i != 32'h3020_0073 &&
                   ((i[6:0] != 7'h67 && i[6:0] != 7'h63) || sources);

  always_ff @(posedge clk_i) begin
    if (rst_n && trace.valid) begin
      if (plain && trace.rd != 5'd0 && trace.rd == watched_a) begin
        known_a_q <= 1'b1;
        a_q       <= trace.value;
      end
      if (plain && trace.rd != 5'd0 && trace.rd == watched_b) begin
        known_b_q <= 1'b1;
        b_q       <= trace.value;
      end
      known_pc_q <= follows;
      pc_q       <= after;
    end
  end

  // An instruction that writes register rd with `value`, and stores nothing.
  function automatic logic writes(input logic [4:0] rd, input logic [31:0] value);
    writes = trace.rd == rd && trace.value == (rd == 5'd0 ? 32'b0 : value) && !trace.store;
  endfunction
  function automatic logic traps(input logic [3:0] cause, input logic [31:0] value);
    traps = trace.trap && !trace.irq && trace.cause == cause && trace.tval == value &&
            trace.rd == 5'd0 && !trace.store;
  endfunction

  logic ok, jumps, target_bad;
  assign jumps      = i[6:0] == 7'h6F || i[6:0] == 7'h67 || (i[6:0] == 7'h63 && taken);
  assign target_bad = jumps && after[1];

  always_comb begin
    mine = 1'b0;
    ok   = 1'b1;
    case (Class)
      // LUI, AUIPC, FENCE, JAL
      0: begin
        mine = i[6:0] == 7'h37 || i[6:0] == 7'h17 || (i[6:0] == 7'h0F && f3 == 3'd0) ||
               i[6:0] == 7'h6F;
        if (i[6:0] == 7'h37)      ok = !trace.trap && writes(i[11:7], imm_u);
        else if (i[6:0] == 7'h17) ok = !trace.trap && writes(i[11:7], trace.pc + imm_u);
        else if (i[6:0] == 7'h0F) ok = !trace.trap && writes(5'd0, 32'b0);
        else if (target_bad)      ok = traps(4'd0, after);
        else                      ok = !trace.trap && writes(i[11:7], next);
      end
      // OP and OP-IMM by funct3: 1 sums, 2 shifts, 3 comparisons, 4 bits
      1, 2, 3, 4: begin
        mine = (is_op || is_op_imm) &&
               (Class == 1 ? f3 == 3'd0 : Class == 2 ? f3 == 3'd1 || f3 == 3'd5 :
                Class == 3 ? f3 == 3'd2 || f3 == 3'd3 : f3 == 3'd4 || f3[2:1] == 2'b11);
        ok   = !trace.trap && writes(i[11:7], arithmetic);
      end
      // Branches
      5: begin
        mine = i[6:0] == 7'h63 && f3 != 3'd2 && f3 != 3'd3;
        ok   = target_bad ? traps(4'd0, after) : !trace.trap && writes(5'd0, 32'b0);
      end
      // JALR
      6: begin
        mine = i[6:0] == 7'h67 && f3 == 3'd0;
        ok   = target_bad ? traps(4'd0, after) : !trace.trap && writes(i[11:7], next);
      end
      // Loads
      7: begin
        mine = i[6:0] == 7'h03 && f3 != 3'd3 && f3 != 3'd6 && f3 != 3'd7;
        if (misaligned)                 ok = traps(4'd4, address);
        else if (!in_memory && !on_bus) ok = traps(4'd5, address);
        else if (on_bus && refused_q)   ok = traps(4'd5, address);
        else                            ok = !trace.trap && writes(i[11:7], load_value);
      end
      // Stores
      8: begin
        mine = i[6:0] == 7'h23 && f3 < 3'd3;
        if (misaligned)                 ok = traps(4'd6, address);
        else if (!in_memory && !on_bus) ok = traps(4'd7, address);
        else if (on_bus && refused_q)   ok = traps(4'd7, address);
        else begin
          ok = !trace.trap && trace.store && trace.rd == 5'd0 &&
               trace.address == {address[31:2], 2'b00} &&
               trace.strobe == ((f3 == 3'd0 ? 4'b0001 : f3 == 3'd1 ? 4'b0011 : 4'b1111) <<
                                address[1:0]) &&
               trace.wdata == ((f3 == 3'd0 ? {24'b0, b[7:0]} : f3 == 3'd1 ? {16'b0, b[15:0]} : b)
                               << {address[1:0], 3'b000});
        end
      end
      // ECALL, EBREAK, WFI, and what is no instruction
      9: begin
        mine = i == 32'h73 || i == 32'h0010_0073 || i == 32'h1050_0073 || i[1:0] != 2'b11 ||
               (i[6:0] == 7'h33 && !is_op && i[31:25] != 7'h01) ||
               (i[6:0] == 7'h13 && !is_op_imm) || (i[6:0] == 7'h63 && f3[2:1] == 2'b01) ||
               (i[6:0] == 7'h03 && (f3[1:0] == 2'd3 || f3 == 3'd6)) ||
               (i[6:0] == 7'h23 && f3 > 3'd2) || (i[6:0] == 7'h67 && f3 != 3'd0) ||
               (i[6:0] == 7'h0F && f3 != 3'd0) ||
               (i[6:0] != 7'h33 && i[6:0] != 7'h13 && i[6:0] != 7'h63 && i[6:0] != 7'h03 &&
                i[6:0] != 7'h23 && i[6:0] != 7'h67 && i[6:0] != 7'h0F && i[6:0] != 7'h73 &&
                i[6:0] != 7'h37 && i[6:0] != 7'h17 && i[6:0] != 7'h6F);
        if (i == 32'h73)              ok = traps(4'd11, 32'b0);
        else if (i == 32'h0010_0073)  ok = traps(4'd3, trace.pc);
        else if (i == 32'h1050_0073)  ok = !trace.trap && writes(5'd0, 32'b0);
        else                          ok = traps(4'd2, i);
      end
      // Any instruction comes from the place that the one before has led to.
      10: begin
        mine = known_pc_q;
        ok   = trace.pc == pc_q;
      end
      // CSRRW to mscratch reads what was written to it before; other CSRs do not disturb it.
      default: begin
        mine = i[6:0] == 7'h73 && f3[1:0] != 2'd0 && i[31:20] == 12'h340 && known_scratch_q;
        ok   = !trace.trap && writes(i[11:7], scratch_q);
      end
    endcase
  end

  logic        known_scratch_q = 1'b0;
  logic [31:0] scratch_q, csr_operand;
  assign csr_operand = f3[2] ? {27'b0, i[19:15]} : a;
  always_ff @(posedge clk_i) begin
    if (rst_n && plain && i[6:0] == 7'h73 && f3[1:0] != 2'd0 && i[31:20] == 12'h340) begin
      if (f3[1:0] == 2'd1) begin
        known_scratch_q <= f3[2] || (i[19:15] == watched_a && (watched_a == 5'd0 || known_a_q));
        scratch_q       <= csr_operand;
      end else if (i[19:15] != 5'd0) begin
        known_scratch_q <= known_scratch_q && (f3[2] || (i[19:15] == watched_a && known_a_q));
        scratch_q       <= f3[0] ? scratch_q & ~csr_operand : scratch_q | csr_operand;
      end
    end
  end

  // An interrupt, or a fetch that failed, is no instruction (word 0 is of class 9 otherwise).
  logic is_instruction, needs_sources;
  assign is_instruction = trace.valid && !(trace.trap && (trace.irq || trace.cause == 4'd1));
  assign needs_sources  = Class != 0 && Class < 9;

  always_ff @(posedge clk_i) begin
    if (rst_n && mine && (Class == 10 ? trace.valid
                                      : is_instruction && (sources || !needs_sources))) begin
      assert (ok);
    end
`ifdef COVER
    if (rst_n && mine && is_instruction && (sources || !needs_sources)) cover (ok);
`endif
  end

endmodule
