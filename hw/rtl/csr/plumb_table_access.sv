// Moves one row between TBL_DATA and a table: turns TBL_CMD into one access of the table bus.
//
// Tables 0 to 3 and 6 to 8 are plumb_tx's, 4 and 5 plumb_rx's; each answers within 300 clocks.
// Answered here, in one clock: a write to a table that is read only, or while running (nothing is
// written), and a read of a table that does not exist (zeros). busy_o is high from the clock of the
// command until the row has moved; the port's bus makes accesses to TBL_ADDR, TBL_CMD and TBL_DATA
// wait for it, so that config values are steady meanwhile.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_table_access (
  // Clock, reset (active low), run control
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         running_i,       // level: a schedule runs, tables are not written

  // Registers
  input  wire logic         write_i,         // pulse: write the row (TBL_CMD)
  input  wire logic         read_i,          // pulse: read it
  input  wire logic [3:0]   table_i,         // number of the table (plumb_pkg::Table...)
  output      logic         busy_o,          // level: the row has not moved yet
  output      logic         data_we_o,       // pulse: TBL_DATA takes data_o
  output      logic [511:0] data_o,          // row that was read

  // Table bus, to plumb_tx and plumb_rx
  output      logic         tbl_req_o,       // pulse: one access
  output      logic         tbl_we_o,        // 1: write, 0: read
  input  wire logic         tx_tbl_ack_i,    // pulse: access done
  input  wire logic [511:0] tx_tbl_rdata_i,  // row that was read, with the acknowledge
  input  wire logic         rx_tbl_ack_i,    // pulse: access done
  input  wire logic [511:0] rx_tbl_rdata_i   // row that was read, with the acknowledge
);

  logic wait_q;

  logic of_tx, of_rx, may_write;
  assign of_tx = table_i <= plumb_pkg::TableTxState ||
                 (table_i >= plumb_pkg::TableGap && table_i <= plumb_pkg::TablePattern);
  assign of_rx = table_i == plumb_pkg::TableRxFlow || table_i == plumb_pkg::TableGroup;
  assign may_write = of_tx && table_i != plumb_pkg::TableTxState && !running_i;

  logic ack;
  assign ack = wait_q && (of_tx ? tx_tbl_ack_i : rx_tbl_ack_i);

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      wait_q <= 1'b0;
      tbl_req_o <= 1'b0;
      tbl_we_o <= 1'b0;
    end else begin
      tbl_req_o <= 1'b0;
      if (!wait_q && (write_i ? may_write : read_i && (of_tx || of_rx))) begin
        wait_q <= 1'b1;
        tbl_req_o <= 1'b1;
        tbl_we_o <= write_i;
      end else if (ack) begin
        wait_q <= 1'b0;
      end
    end
  end

  logic nowhere;
  assign nowhere = read_i && !write_i && !of_tx && !of_rx;
  assign busy_o = wait_q || write_i || read_i;
  assign data_we_o = (ack && !tbl_we_o) || nowhere;
  assign data_o = nowhere ? '0 : of_tx ? tx_tbl_rdata_i : rx_tbl_rdata_i;

  `PLUMB_ASSERT(NoCommandWhileBusy, wait_q |-> !write_i && !read_i)
  `PLUMB_ASSERT(TableSteady, wait_q |-> $stable(table_i))

endmodule
