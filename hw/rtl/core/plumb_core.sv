// The control processor with its memory, timer, mailbox and the host's registers (docs/core.md).
//
//   0x1000_0000  memory, CodeBytes + DataBytes; the program begins at its start
//   0x4000_0000  plumb_core_local, up to 0x7FFF_FFFF
//   0x8000_0000  the card's registers: the bus port below
//
// After reset the processor is halted until the host lets it go.
//
// Halted, asleep or in reset all of it rests but the timer (plumb_clock_gate): a simulated card pays
// for a processor that works.
`include "plumb_assert.svh"

module plumb_core #(
  parameter int unsigned CodeBytes = 65536,  // a power of two
  parameter int unsigned DataBytes = 32768,  // a power of two, at most CodeBytes
  parameter int unsigned ClockHz = 322265625 // frequency of clk_i, for firmware and host
) (
  // Clock, reset (active low)
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // Host: the register block core, as plumb_core_host has it.
  input  wire logic [11:2] reg_addr_i,    // register
  input  wire logic        reg_wen_i,     // write it
  input  wire logic        reg_ren_i,     // read it
  input  wire logic [31:0] reg_wdata_i,   // what is written
  output      logic        reg_ack_o,     // the access has ended
  output      logic [31:0] reg_rdata_o,   // what was read; zero in all other clocks

  // The card's registers, as plumb_core_cpu has its bus.
  output      logic        bus_req_o,     // access, held until bus_ack_i
  output      logic        bus_write_o,   // it writes
  output      logic [30:2] bus_addr_o,    // word, from 0x8000_0000
  output      logic [3:0]  bus_strobe_o,  // lanes written
  output      logic [31:0] bus_wdata_o,   // what is written
  input  wire logic        bus_ack_i,     // the access has ended
  input  wire logic        bus_error_i,   // it was refused
  input  wire logic [31:0] bus_rdata_i,   // what was read

  input  wire logic [31:8] irq_i,         // levels of interrupts from the card
  output      logic        asleep_o       // the processor waits for an interrupt
);

  `PLUMB_PARAMETER(plumb_core, CodeBytes,
                   (CodeBytes & (CodeBytes - 1)) == 0 && CodeBytes >= DataBytes,
                   powers of two from DataBytes on)
  `PLUMB_PARAMETER(plumb_core, DataBytes, (DataBytes & (DataBytes - 1)) == 0 && DataBytes >= 16,
                   powers of two from 16 on)

  `PLUMB_RANGE(plumb_core, ClockHz, 1, 2147483647)

  localparam int unsigned MemoryBytes = CodeBytes + DataBytes;
  localparam int unsigned MemoryLog2  = $clog2(MemoryBytes);

  logic        clk_core, core_rst_n, host_busy;
  logic        fetch_en, mem_en, cpu_req, to_card, local_ack, local_error;
  logic        timer_irq, ext_irq, irq_wanted, halt, halted, step, exec, exec_error, debug_we;
  logic        host_req, host_write, host_ack;
  logic        mail_put, mail_full, mail_valid, mail_take;
  logic [3:0]  mem_we;
  logic [31:2] fetch_addr, mem_addr, cpu_addr, halted_pc;
  logic [31:0] fetch_rdata, mem_wdata, mem_rdata, local_rdata, exec_instr, host_data, core_data;
  logic [31:0] host_wdata, mail_in, mail_out;
  logic [MemoryLog2-1:2]  host_addr;
  plumb_core_pkg::trace_t trace;

  plumb_clock_gate u_gate (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .busy_i (host_busy || !(asleep_o || halted) || timer_irq || ext_irq || irq_wanted),
    .clk_o  (clk_core)
  );

  plumb_core_cpu #(
    .MemoryBytes (MemoryBytes)
  ) u_cpu (
    .clk_i         (clk_core),
    .rst_ni        (core_rst_n),
    .fetch_en_o    (fetch_en),
    .fetch_addr_o  (fetch_addr),
    .fetch_rdata_i (fetch_rdata),
    .mem_en_o      (mem_en),
    .mem_we_o      (mem_we),
    .mem_addr_o    (mem_addr),
    .mem_wdata_o   (mem_wdata),
    .mem_rdata_i   (mem_rdata),
    .bus_req_o     (cpu_req),
    .bus_write_o   (bus_write_o),
    .bus_addr_o    (cpu_addr),
    .bus_strobe_o  (bus_strobe_o),
    .bus_wdata_o   (bus_wdata_o),
    .bus_ack_i     (to_card ? bus_ack_i && bus_req_o : local_ack),
    .bus_error_i   (to_card ? bus_error_i : local_error),
    .bus_rdata_i   (to_card ? bus_rdata_i : local_rdata),
    .timer_irq_i   (timer_irq),
    .ext_irq_i     (ext_irq),
    .asleep_o      (asleep_o),
    .halt_i        (halt),
    .halted_o      (halted),
    .halted_pc_o   (halted_pc),
    .step_i        (step),
    .exec_i        (exec),
    .exec_instr_i  (exec_instr),
    .exec_error_o  (exec_error),
    .debug_data_i  (host_data),
    .debug_we_o    (debug_we),
    .debug_data_o  (core_data),
    .trace_o       (trace)
  );

  // The card's registers from 0x8000_0000 on, else our own devices.
  assign to_card    = cpu_addr[31];
  assign bus_req_o  = cpu_req && to_card;
  assign bus_addr_o = cpu_addr[30:2];

  // The host has the memory whenever the processor does not load or store.
  assign host_ack = host_req && !mem_en;

  plumb_core_ram #(
    .CodeBytes (CodeBytes),
    .DataBytes (DataBytes)
  ) u_ram (
    .clk_i     (clk_core),
    .a_en_i    (fetch_en),
    .a_addr_i  (fetch_addr),
    .a_rdata_o (fetch_rdata),
    .b_en_i    (mem_en || host_req),
    .b_we_i    (mem_en ? mem_we : {4{host_write}}),
    .b_addr_i  (mem_en ? mem_addr : {{(32-MemoryLog2){1'b0}}, host_addr}),
    .b_wdata_i (mem_en ? mem_wdata : host_wdata),
    .b_rdata_o (mem_rdata)
  );

  plumb_core_local #(
    .ClockHz (ClockHz)
  ) u_local (
    .clk_i        (clk_core),
    .clk_timer_i  (clk_i),
    .rst_ni       (core_rst_n),
    .req_i        (cpu_req && !to_card),
    .write_i      (bus_write_o),
    .addr_i       (cpu_addr[29:2]),
    .strobe_i     (bus_strobe_o),
    .wdata_i      (bus_wdata_o),
    .ack_o        (local_ack),
    .error_o      (local_error),
    .rdata_o      (local_rdata),
    .irq_i        (irq_i),
    .timer_irq_o  (timer_irq),
    .ext_irq_o    (ext_irq),
    .irq_wanted_o (irq_wanted),
    .mail_put_i   (mail_put),
    .mail_word_i  (mail_in),
    .mail_full_o  (mail_full),
    .mail_valid_o (mail_valid),
    .mail_word_o  (mail_out),
    .mail_take_i  (mail_take)
  );

  plumb_core_host #(
    .MemoryBytes (MemoryBytes),
    .ClockHz     (ClockHz)
  ) u_host (
    .clk_i        (clk_core),
    .rst_ni       (rst_ni),
    .reg_addr_i   (reg_addr_i),
    .reg_wen_i    (reg_wen_i),
    .reg_ren_i    (reg_ren_i),
    .reg_wdata_i  (reg_wdata_i),
    .reg_ack_o    (reg_ack_o),
    .reg_rdata_o  (reg_rdata_o),
    .busy_o       (host_busy),
    .core_rst_no  (core_rst_n),
    .halt_o       (halt),
    .step_o       (step),
    .exec_o       (exec),
    .exec_instr_o (exec_instr),
    .debug_data_o (host_data),
    .halted_i     (halted),
    .asleep_i     (asleep_o),
    .halted_pc_i  (halted_pc),
    .exec_error_i (exec_error),
    .debug_we_i   (debug_we),
    .debug_data_i (core_data),
    .mem_req_o    (host_req),
    .mem_write_o  (host_write),
    .mem_addr_o   (host_addr),
    .mem_wdata_o  (host_wdata),
    .mem_ack_i    (host_ack),
    .mem_rdata_i  (mem_rdata),
    .mail_put_o   (mail_put),
    .mail_word_o  (mail_in),
    .mail_full_i  (mail_full),
    .mail_valid_i (mail_valid),
    .mail_word_i  (mail_out),
    .mail_take_o  (mail_take)
  );

  logic unused_trace;
  assign unused_trace = ^trace;

endmodule
