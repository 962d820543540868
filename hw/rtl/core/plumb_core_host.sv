// The host's end of the control processor: registers to load its program, halt, step and look into
// it, and the mailbox. Same bus as the card's register blocks: a write takes effect with the clock of
// reg_wen_i, reg_rdata_o holds the value of the clock with reg_ren_i from the next one on. Four
// clocks lie between accesses to MemData and MemAddress; others may follow at once.
//
//   0x10 Control      read/write  bit 0: halt (1 after reset); bit 1: reset of processor and devices
//   0x14 Command      write       bit 0: step; bit 1: execute ExecInstr. Only while halted
//   0x18 Status       read        bit 0: halted; 1: asleep; 2: the last injected instruction had an
//                                 exception; 3: a word to the processor waits; 4: one from it does
//   0x1C Pc           read        where it is halted
//   0x20 ExecInstr    read/write  instruction to inject
//   0x24 DebugData    read/write  what CSR 0x7B2 reads as; an injected write to that CSR lands here
//   0x28 MemAddress   read/write  offset in memory [bytes, a multiple of 4]; writing it reads the word
//   0x2C MemData      read/write  that word; each access goes on to the next one. Works while the
//                                 processor runs. Behind the end of the memory words read as zero
//                                 and are not written
//   0x30 MailIn       write       word for the processor; ignored while the last one waits
//   0x34 MailOut      read        word from the processor; reading takes it
//
// Offsets without a register read as zero and ignore writes.
module plumb_core_host #(
  parameter int unsigned MemoryBytes = 98304,   // size of the memory
  // Follows from it.
  parameter int unsigned MemoryLog2 = $clog2(MemoryBytes)
) (
  input  wire logic                  clk_i,
  input  wire logic                  rst_ni,

  input  wire logic [11:2]           reg_addr_i,      // register
  input  wire logic                  reg_wen_i,       // write it
  input  wire logic                  reg_ren_i,       // read it
  input  wire logic [31:0]           reg_wdata_i,     // what is written
  output      logic [31:0]           reg_rdata_o,     // what was read last

  output      logic                  core_rst_no,     // reset of the processor and its devices
  output      logic                  halt_o,          // to plumb_core_cpu, as all of these
  output      logic                  step_o,
  output      logic                  exec_o,
  output      logic [31:0]           exec_instr_o,
  output      logic [31:0]           debug_data_o,
  input  wire logic                  halted_i,
  input  wire logic                  asleep_i,
  input  wire logic [31:2]           halted_pc_i,
  input  wire logic                  exec_error_i,
  input  wire logic                  debug_we_i,
  input  wire logic [31:0]           debug_data_i,

  output      logic                  mem_req_o,       // access to the memory, until mem_ack_i
  output      logic                  mem_write_o,     // it writes
  output      logic [MemoryLog2-1:2] mem_addr_o,      // word
  output      logic [31:0]           mem_wdata_o,     // what is written
  input  wire logic                  mem_ack_i,       // done in this clock
  input  wire logic [31:0]           mem_rdata_i,     // word read, a clock after mem_ack_i

  output      logic                  mail_put_o,      // to plumb_core_local, as all of these
  output      logic [31:0]           mail_word_o,
  input  wire logic                  mail_full_i,
  input  wire logic                  mail_valid_i,
  input  wire logic [31:0]           mail_word_i,
  output      logic                  mail_take_o
);

  logic [11:0] address;
  logic        error_q, reset_q, read_done_q, touches_data, beyond, write_q;
  logic [31:0] mem_data_q;

  assign address      = {reg_addr_i, 2'b00};
  assign beyond       = mem_addr_o > (MemoryLog2-2)'(MemoryBytes / 4 - 1);
  assign mem_write_o  = write_q && !beyond;
  assign touches_data = (reg_wen_i || reg_ren_i) && address == 12'h02C;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      halt_o      <= 1'b1;
      reset_q     <= 1'b0;
      core_rst_no <= 1'b0;
      step_o      <= 1'b0;
      exec_o      <= 1'b0;
      error_q     <= 1'b0;
      mem_req_o   <= 1'b0;
      write_q     <= 1'b0;
      read_done_q <= 1'b0;
      mail_put_o  <= 1'b0;
      mail_take_o <= 1'b0;
    end else begin
      core_rst_no <= !reset_q;
      step_o      <= reg_wen_i && address == 12'h014 && reg_wdata_i[0] && halted_i;
      exec_o      <= reg_wen_i && address == 12'h014 && reg_wdata_i[1] && halted_i;
      mail_put_o  <= reg_wen_i && address == 12'h030 && !mail_full_i;
      mail_take_o <= reg_ren_i && address == 12'h034 && mail_valid_i;
      if (reg_wen_i && address == 12'h010) {reset_q, halt_o} <= reg_wdata_i[1:0];
      if (exec_error_i)                    error_q <= 1'b1;
      else if (exec_o)                     error_q <= 1'b0;

      // Writing the address or touching the data reads the word there, or behind it.
      read_done_q <= mem_req_o && mem_ack_i && !write_q;
      if (touches_data || (reg_wen_i && address == 12'h028)) begin
        mem_req_o   <= 1'b1;
        write_q     <= reg_wen_i && address == 12'h02C;
      end else if (mem_req_o && mem_ack_i) begin
        // What was written is followed by reading the next word.
        mem_req_o   <= write_q;
        write_q     <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (reg_wen_i && address == 12'h028)      mem_addr_o <= reg_wdata_i[MemoryLog2-1:2];
    else if ((reg_ren_i && address == 12'h02C) || (mem_req_o && mem_ack_i && write_q)) begin
      mem_addr_o <= mem_addr_o + (MemoryLog2-2)'(1);
    end
    if (reg_wen_i && address == 12'h02C) mem_wdata_o  <= reg_wdata_i;
    if (read_done_q)                     mem_data_q   <= beyond ? '0 : mem_rdata_i;
    if (reg_wen_i && address == 12'h020) exec_instr_o <= reg_wdata_i;
    if (reg_wen_i && address == 12'h030) mail_word_o  <= reg_wdata_i;
    if (debug_we_i)                           debug_data_o <= debug_data_i;
    else if (reg_wen_i && address == 12'h024) debug_data_o <= reg_wdata_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      reg_rdata_o <= '0;
    end else if (reg_ren_i) begin
      unique case (address)
        12'h010: reg_rdata_o <= {30'b0, reset_q, halt_o};
        12'h018: reg_rdata_o <= {27'b0, mail_valid_i, mail_full_i, error_q, asleep_i, halted_i};
        12'h01C: reg_rdata_o <= {halted_pc_i, 2'b00};
        12'h020: reg_rdata_o <= exec_instr_o;
        12'h024: reg_rdata_o <= debug_data_o;
        12'h028: reg_rdata_o <= {{(32-MemoryLog2){1'b0}}, mem_addr_o, 2'b00};
        12'h02C: reg_rdata_o <= mem_data_q;
        12'h034: reg_rdata_o <= mail_word_i;
        default: reg_rdata_o <= '0;
      endcase
    end
  end

endmodule
