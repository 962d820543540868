// The processor beside its memory, for tests: the memory is filled and read through load_*, while the
// processor is halted. Records as single pins.
module core_bench (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,

  input  wire logic         load_en_i,      // access to the memory
  input  wire logic         load_we_i,      // write
  input  wire logic [31:2]  load_addr_i,    // from the start of the memory
  input  wire logic [31:0]  load_wdata_i,
  output      logic [31:0]  load_rdata_o,

  output      logic         bus_req_o,
  output      logic         bus_write_o,
  output      logic [31:0]  bus_addr_o,
  output      logic [3:0]   bus_strobe_o,
  output      logic [31:0]  bus_wdata_o,
  input  wire logic         bus_ack_i,
  input  wire logic         bus_error_i,
  input  wire logic [31:0]  bus_rdata_i,

  input  wire logic         timer_irq_i,
  input  wire logic         ext_irq_i,
  output      logic         asleep_o,

  input  wire logic         halt_i,
  output      logic         halted_o,
  output      logic [31:0]  halted_pc_o,
  input  wire logic         step_i,
  input  wire logic         exec_i,
  input  wire logic [31:0]  exec_instr_i,
  output      logic         exec_error_o,
  input  wire logic [31:0]  debug_data_i,
  output      logic         debug_we_o,
  output      logic [31:0]  debug_data_o,

  output      logic         valid_o,
  output      logic         injected_o,
  output      logic         running_o,
  output      logic         trap_o,
  output      logic         irq_o,
  output      logic         store_o,
  output      logic [31:0]  pc_o,
  output      logic [31:0]  instr_o,
  output      logic [4:0]   rd_o,
  output      logic [31:0]  value_o,
  output      logic [31:0]  address_o,
  output      logic [31:0]  wdata_o,
  output      logic [3:0]   strobe_o,
  output      logic [3:0]   cause_o,
  output      logic [31:0]  tval_o
);

  logic        fetch_en, mem_en;
  logic [31:2] fetch_addr, mem_addr;
  logic [31:0] fetch_rdata, mem_wdata;
  logic [3:0]  mem_we;
  plumb_core_pkg::trace_t trace;

  plumb_core_cpu u_cpu (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .fetch_en_o    (fetch_en),
    .fetch_addr_o  (fetch_addr),
    .fetch_rdata_i (fetch_rdata),
    .mem_en_o      (mem_en),
    .mem_we_o      (mem_we),
    .mem_addr_o    (mem_addr),
    .mem_wdata_o   (mem_wdata),
    .mem_rdata_i   (load_rdata_o),
    .bus_req_o     (bus_req_o),
    .bus_write_o   (bus_write_o),
    .bus_addr_o    (bus_addr_o[31:2]),
    .bus_strobe_o  (bus_strobe_o),
    .bus_wdata_o   (bus_wdata_o),
    .bus_ack_i     (bus_ack_i),
    .bus_error_i   (bus_error_i),
    .bus_rdata_i   (bus_rdata_i),
    .timer_irq_i   (timer_irq_i),
    .ext_irq_i     (ext_irq_i),
    .asleep_o      (asleep_o),
    .halt_i        (halt_i),
    .halted_o      (halted_o),
    .halted_pc_o   (halted_pc_o[31:2]),
    .step_i        (step_i),
    .exec_i        (exec_i),
    .exec_instr_i  (exec_instr_i),
    .exec_error_o  (exec_error_o),
    .debug_data_i  (debug_data_i),
    .debug_we_o    (debug_we_o),
    .debug_data_o  (debug_data_o),
    .trace_o       (trace)
  );
  assign bus_addr_o[1:0]  = 2'b00;
  assign halted_pc_o[1:0] = 2'b00;

  plumb_core_ram u_ram (
    .clk_i     (clk_i),
    .a_en_i    (fetch_en),
    .a_addr_i  (fetch_addr),
    .a_rdata_o (fetch_rdata),
    .b_en_i    (load_en_i || mem_en),
    .b_we_i    (load_en_i ? {4{load_we_i}} : mem_we),
    .b_addr_i  (load_en_i ? load_addr_i : mem_addr),
    .b_wdata_i (load_en_i ? load_wdata_i : mem_wdata),
    .b_rdata_o (load_rdata_o)
  );

  assign valid_o    = trace.valid;
  assign injected_o = trace.injected;
  assign running_o  = trace.running;
  assign trap_o     = trace.trap;
  assign irq_o      = trace.irq;
  assign store_o    = trace.store;
  assign pc_o       = trace.pc;
  assign instr_o    = trace.instr;
  assign rd_o       = trace.rd;
  assign value_o    = trace.value;
  assign address_o  = trace.address;
  assign wdata_o    = trace.wdata;
  assign strobe_o   = trace.strobe;
  assign cause_o    = trace.cause;
  assign tval_o     = trace.tval;

endmodule
