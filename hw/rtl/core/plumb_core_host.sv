// The host's end of the control processor: the register block core (docs/registers.md), behind which
// its program is loaded, and it is halted, stepped and looked into.
//
// Bus as in plumb_port: reg_wen_i or reg_ren_i pulses for one clock, reg_ack_o ends the access four
// clocks later, by when a word of memory has moved; reg_rdata_o is zero in all other clocks.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_core_host #(
  parameter int unsigned MemoryBytes = 98304,   // size of the memory, at most 128 KiB
  parameter int unsigned ClockHz = 322265625,   // of clk_i
  // Follows from the first.
  parameter int unsigned MemoryLog2 = $clog2(MemoryBytes)
) (
  // Clock, reset (active low)
  input  wire logic                  clk_i,
  input  wire logic                  rst_ni,

  // Register bus
  input  wire logic [11:2]           reg_addr_i,    // register
  input  wire logic                  reg_wen_i,     // write it
  input  wire logic                  reg_ren_i,     // read it
  input  wire logic [31:0]           reg_wdata_i,   // what is written
  output      logic                  reg_ack_o,     // the access has ended
  output      logic [31:0]           reg_rdata_o,   // what was read
  output      logic                  busy_o,        // an access, or its work, is under way

  // Processor (plumb_core_cpu)
  output      logic                  core_rst_no,   // reset of processor and devices, active low
  output      logic                  halt_o,        // level: the processor stops, and stays so
  output      logic                  step_o,        // pulse: execute one instruction
  output      logic                  exec_o,        // pulse: execute exec_instr_o
  output      logic [31:0]           exec_instr_o,  // the injected instruction
  output      logic [31:0]           debug_data_o,  // what CSR 0x7B2 reads as
  input  wire logic                  halted_i,      // level: the processor stands still
  input  wire logic                  asleep_i,      // level: it waits for an interrupt
  input  wire logic [31:2]           halted_pc_i,   // where it stands, while halted_i
  input  wire logic                  exec_error_i,  // pulse: it had an exception
  input  wire logic                  debug_we_i,    // pulse: CSR 0x7B2 is written
  input  wire logic [31:0]           debug_data_i,  // with this

  // Memory
  output      logic                  mem_req_o,     // access to the memory, until mem_ack_i
  output      logic                  mem_write_o,   // it writes
  output      logic [MemoryLog2-1:2] mem_addr_o,    // word
  output      logic [31:0]           mem_wdata_o,   // what is written
  input  wire logic                  mem_ack_i,     // done in this clock
  input  wire logic [31:0]           mem_rdata_i,   // word read, a clock after mem_ack_i

  // Mailbox (plumb_core_local)
  output      logic                  mail_put_o,    // to plumb_core_local, as all of these
  output      logic [31:0]           mail_word_o,   // word from the host
  input  wire logic                  mail_full_i,   // level: the last word has not been taken
  input  wire logic                  mail_valid_i,  // level: a word for the host waits
  input  wire logic [31:0]           mail_word_i,   // this word
  output      logic                  mail_take_o    // pulse: the host takes it
);

  localparam int unsigned WordW = plumb_regs_pkg::CoreMemAddressWordW;

  // MEM_ADDRESS has the word's address.
  `PLUMB_PARAMETER(plumb_core_host, MemoryBytes, MemoryBytes >= 16 && MemoryLog2 <= WordW + 2,
                   16 to 2^(bits of MEM_ADDRESS + 2))
  `PLUMB_PARAMETER(plumb_core_host, MemoryLog2, MemoryLog2 == $clog2(MemoryBytes),
                   the logarithm of MemoryBytes)

  `PLUMB_RANGE(plumb_core_host, ClockHz, 1, 2147483647)

  plumb_regs_pkg::core_config_t cfg;
  plumb_regs_pkg::core_pulse_t  pulse;
  plumb_regs_pkg::core_status_t status;
  plumb_regs_pkg::core_update_t update;

  logic [31:0] rdata;
  logic [3:0]  access_q;   // clocks since the access
  logic        read_q;

  plumb_regs_core u_regs (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .reg_addr_i  (reg_addr_i),
    .reg_wen_i   (reg_wen_i),
    .reg_ren_i   (reg_ren_i),
    .reg_wdata_i (reg_wdata_i),
    .reg_rdata_o (rdata),
    .config_o    (cfg),
    .pulse_o     (pulse),
    .status_i    (status),
    .update_i    (update)
  );

  assign reg_ack_o   = access_q[3];
  assign reg_rdata_o = access_q[3] && read_q ? rdata : '0;
  assign busy_o      = reg_wen_i || reg_ren_i || access_q != '0 || mem_req_o;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      access_q <= '0;
      read_q   <= 1'b0;
    end else begin
      access_q <= {access_q[2:0], reg_wen_i || reg_ren_i};
      if (reg_wen_i || reg_ren_i) read_q <= reg_ren_i;
    end
  end

  // ---- Processor ----

  logic error_q;

  assign halt_o       = cfg.control_halt;
  assign step_o       = pulse.command_step && halted_i;
  assign exec_o       = pulse.command_execute && halted_i;
  assign exec_instr_o = cfg.exec_instr;
  assign debug_data_o = cfg.debug_data;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      core_rst_no <= 1'b0;
      error_q     <= 1'b0;
    end else begin
      core_rst_no <= !cfg.control_reset;
      if (exec_error_i) error_q <= 1'b1;
      else if (exec_o)  error_q <= 1'b0;
    end
  end

  // ---- Memory ----

  logic             beyond, write_q, read_done_q;
  logic [WordW-1:0] word;
  logic [31:0]      mem_data_q;

  assign word        = cfg.mem_address_word;
  assign beyond      = word > WordW'(MemoryBytes / 4 - 1);
  assign mem_addr_o  = word[MemoryLog2-3:0];
  assign mem_write_o = write_q && !beyond;
  assign mem_wdata_o = cfg.mem_write;

  // Writing the address or touching the data reads the word there, or behind it.
  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      mem_req_o   <= 1'b0;
      write_q     <= 1'b0;
      read_done_q <= 1'b0;
    end else begin
      read_done_q <= mem_req_o && mem_ack_i && !write_q;
      if (pulse.mem_address_written || pulse.mem_write_written || pulse.mem_read_read) begin
        mem_req_o <= 1'b1;
        write_q   <= pulse.mem_write_written;
      end else if (mem_req_o && mem_ack_i) begin
        // What was written is followed by reading the next word.
        mem_req_o <= write_q;
        write_q   <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (read_done_q) mem_data_q <= beyond ? '0 : mem_rdata_i;
  end

  always_comb begin
    update.mem_address_word = word + WordW'(1);
    update.mem_address_we   = pulse.mem_read_read || (mem_req_o && mem_ack_i && write_q);
    update.debug_data       = debug_data_i;
    update.debug_data_we    = debug_we_i;
  end

  // ---- Mailbox ----

  // A word is taken only if it was there when it was read.
  logic mail_valid_q;
  always_ff @(posedge clk_i) mail_valid_q <= mail_valid_i;

  assign mail_put_o  = pulse.mail_in_written && !mail_full_i;
  assign mail_word_o = cfg.mail_in;
  assign mail_take_o = pulse.mail_out_read && mail_valid_q;

  always_comb begin
    status.memory_bytes          = MemoryBytes;
    status.clock_hz              = ClockHz;
    status.status_halted         = halted_i;
    status.status_asleep         = asleep_i;
    status.status_exec_error     = error_q;
    status.status_mail_in_full   = mail_full_i;
    status.status_mail_out_valid = mail_valid_i;
    status.pc                    = {halted_pc_i, 2'b00};
    status.mem_read              = mem_data_q;
    status.mail_out              = mail_word_i;
  end

endmodule
