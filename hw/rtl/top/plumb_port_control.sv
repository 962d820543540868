// The registers of a port, and what their bus waits for: the access to tables and the reading of
// histogram cells.
//
// The bus is that of plumb_port, whose header says what it does. clk_i may rest (plumb_clock_gate)
// but while busy_o is high, or an access comes.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_port_control (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         running_i,    // the card's schedule runs: tables are not written

  // Register bus
  input  wire logic [11:2]  reg_addr_i,
  input  wire logic         reg_wen_i,    // pulse with address and data
  input  wire logic         reg_ren_i,    // pulse with the address
  input  wire logic [31:0]  reg_wdata_i,
  output      logic         reg_ack_o,    // pulse: end of the access
  output      logic [31:0]  reg_rdata_o,  // zero but with the end of a read
  output      logic         busy_o,       // an access, a table command, a cell or a fault is pending

  // Registers
  output      plumb_regs_pkg::port_config_t   config_o,
  output      plumb_regs_pkg::port_pulse_t    pulse_o,
  output      logic                           reading_o,     // status_i is used
  input  wire plumb_regs_pkg::port_status_t   status_i,
  input  wire plumb_regs_pkg::port_fault_t    fault_i,
  input  wire plumb_regs_pkg::port_counters_t counters_i,    // used in the clock of a snapshot
  output      logic                           table_busy_o,
  output      logic [47:0]                    hist_count_o,  // the cell that was read last

  // Tables of sender and receiver: request until the acknowledge
  output      logic         tbl_req_o,
  output      logic         tbl_we_o,
  input  wire logic         tx_tbl_ack_i,
  input  wire logic [511:0] tx_tbl_rdata_i,
  input  wire logic         rx_tbl_ack_i,
  input  wire logic [511:0] rx_tbl_rdata_i,

  // Histogram cells: request until the acknowledge
  output      logic         hist_req_o,
  input  wire logic         hist_ack_i,
  input  wire logic [47:0]  hist_data_i
);

  plumb_regs_pkg::port_update_t update;

  // ---- Register bus: an access is held here until what it touches is at rest. ----

  logic [11:2] addr_q;
  logic [31:0] wdata_q;
  logic        write_q, read_q, ack_q, ack_read_q;
  logic        hist_busy, table_address, hist_address, go;
  logic [11:0] address;
  logic [31:0] rdata;

  assign address = {addr_q, 2'b00};

  always_comb begin
    table_address = 1'b0;
    hist_address  = 1'b0;
    go            = 1'b0;
    if (write_q || read_q) begin
      table_address = address == plumb_regs_pkg::PortTblAddrOffset ||
                      address == plumb_regs_pkg::PortTblCmdOffset ||
                      address[11:6] == 6'(plumb_regs_pkg::PortTblDataOffset >> 6);
      hist_address  = address == plumb_regs_pkg::PortHistAddrOffset ||
                      address == plumb_regs_pkg::PortHistLoOffset ||
                      address == plumb_regs_pkg::PortHistHiOffset;
      go            = !(table_address && table_busy_o) && !(hist_address && hist_busy);
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      addr_q <= '0;
      wdata_q <= '0;
      write_q <= 1'b0;
      read_q <= 1'b0;
      ack_q <= 1'b0;
      ack_read_q <= 1'b0;
      reg_ack_o <= 1'b0;
      reg_rdata_o <= '0;
    end else begin
      if (reg_wen_i || reg_ren_i) begin
        addr_q <= reg_addr_i;
        wdata_q <= reg_wdata_i;
        write_q <= reg_wen_i;
        read_q <= reg_ren_i;
      end else if (go) begin
        write_q <= 1'b0;
        read_q <= 1'b0;
      end
      ack_q <= go;
      ack_read_q <= go && read_q;
      reg_ack_o <= ack_q;
      reg_rdata_o <= ack_read_q ? rdata : '0;
    end
  end

  plumb_regs_port u_regs (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .reg_addr_i (addr_q),
    .reg_wen_i  (go && write_q),
    .reg_ren_i  (go && read_q),
    .reg_wdata_i(wdata_q),
    .reg_rdata_o(rdata),
    .config_o   (config_o),
    .pulse_o    (pulse_o),
    .status_i   (status_i),
    .fault_i    (fault_i),
    .update_i   (update),
    .counters_i (counters_i)
  );

  // ---- Tables and histogram ----

  logic         tbl_data_we;
  logic [511:0] tbl_data;

  plumb_table_access u_table_access (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .running_i     (running_i),
    .write_i       (pulse_o.tbl_cmd_write),
    .read_i        (pulse_o.tbl_cmd_read),
    .table_i       (config_o.tbl_addr_table),
    .busy_o        (table_busy_o),
    .data_we_o     (tbl_data_we),
    .data_o        (tbl_data),
    .tbl_req_o     (tbl_req_o),
    .tbl_we_o      (tbl_we_o),
    .tx_tbl_ack_i  (tx_tbl_ack_i),
    .tx_tbl_rdata_i(tx_tbl_rdata_i),
    .rx_tbl_ack_i  (rx_tbl_ack_i),
    .rx_tbl_rdata_i(rx_tbl_rdata_i)
  );

  logic        bucket_we;
  logic [15:0] bucket;

  plumb_hist_reader u_hist_reader (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .load_i     (pulse_o.hist_addr_written),
    .next_i     (pulse_o.hist_hi_read),
    .bucket_i   (config_o.hist_addr_bucket),
    .bucket_we_o(bucket_we),
    .bucket_o   (bucket),
    .busy_o     (hist_busy),
    .count_o    (hist_count_o),
    .hist_req_o (hist_req_o),
    .hist_ack_i (hist_ack_i),
    .hist_data_i(hist_data_i)
  );

  always_comb begin
    // What is not written need not be put together.
    `PLUMB_ANY(update)
    update.tbl_data_we = tbl_data_we;
    update.hist_addr_we = bucket_we;
    if (tbl_data_we) update.tbl_data = tbl_data;
    if (bucket_we) begin
      update.hist_addr_bucket = bucket;
      update.hist_addr_group = config_o.hist_addr_group;
      update.hist_addr_retry = config_o.hist_addr_retry;
    end
  end

  assign reading_o = read_q;

  // Faults are kept by the registers.
  assign busy_o = write_q || read_q || table_busy_o || hist_busy || (|fault_i);

  `PLUMB_ASSERT(OneAccess, reg_wen_i || reg_ren_i |-> !write_q && !read_q)

endmodule
