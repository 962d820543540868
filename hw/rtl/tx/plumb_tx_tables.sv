// Table bus of the transmit path: tables 0 to 3 and 6 to 8 (docs/registers.md).
//
// Most are reached only while the schedule stands still and no flow's frame is built; an access
// waits for that at most MaxWait clocks and is then acknowledged without effect, a read with zeros
// (so it ends while a schedule runs, too). A row of table 3 is read at any time but during a clear,
// one of table 7 at any time, and is consistent. Rows that do not exist read as zero and are not
// written. Acknowledge: 3 clocks after the request if nothing is in the way (4 from schedule and
// queue pair list), 300 at most.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_tx_tables #(
  parameter int unsigned FlowsLog2 = 8
) (
  // Clock and reset (active low)
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // Table bus: one access at a time, from the request to the acknowledge
  input  logic                 tbl_req_i,       // pulse, with the four signals below
  input  logic                 tbl_we_i,        // 1: write, 0: read
  input  logic [3:0]           tbl_table_i,     // number of the table (plumb_pkg::Table...)
  input  logic [15:0]          tbl_row_i,
  input  logic [511:0]         tbl_wdata_i,     // row to be written
  output logic                 tbl_ack_o,       // pulse: access done
  output logic [511:0]         tbl_rdata_o,     // row that was read, with tbl_ack_o

  // Permission from the owners of the memories
  input  logic                 still_i,         // level: rows of all tables may be accessed
  input  logic                 state_free_i,    // level: the state table may be read
  input  logic                 qp_free_i,       // level: the queue pair list may be read

  // To the owners: a pulse each, _we_ writes row_o, _re_ reads it
  output logic                 template_we_o,
  output logic                 template_re_o,
  output logic                 config_we_o,     // flow table, kept in two places
  output logic                 config_re_o,
  output logic                 entry_we_o,      // schedule
  output logic                 entry_re_o,
  output logic                 state_re_o,
  output logic                 gap_we_o,
  output logic                 gap_re_o,
  output logic                 qp_we_o,
  output logic                 qp_re_o,
  output logic                 pattern_we_o,    // pattern table, kept in three places
  output logic                 pattern_re_o,
  output logic [11:0]          row_o,           // with any of the pulses
  output logic [511:0]         wdata_o,         // with a write

  // Rows from the owners, one clock after _re_ (entry_row_i and qp_row_i two)
  input  logic [511:0]         template_row_i,
  input  logic [511:0]         config_row_i,
  input  logic [511:0]         entry_row_i,
  input  logic [511:0]         state_row_i,
  input  logic [63:0]          gap_row_i,
  input  logic [143:0]         qp_row_i,
  input  logic [351:0]         pattern_row_i
);

  // A template's row has FlowsLog2 + 2 bits, row_o 12.
  `PLUMB_RANGE(plumb_tx_tables, FlowsLog2, 1, 10)

  localparam logic [8:0] MaxWait = 9'd290;

  logic         wait_q, read_q, read2_q, ack_q, we_q, exists_q, done_q;
  logic [3:0]   table_q;
  logic [8:0]   clocks_q;
  logic [11:0]  row_q;
  logic [511:0] wdata_q, rdata_q;

  // By the number of the table, which is decoded with the request: not again in every clock.
  logic [plumb_pkg::TablePattern:0] chosen_q, writes, reads;

  logic mine, exists;
  assign mine = tbl_req_i && (tbl_table_i <= plumb_pkg::TableTxState ||
                              (tbl_table_i >= plumb_pkg::TableGap &&
                               tbl_table_i <= plumb_pkg::TablePattern));

  always_comb begin
    unique case (tbl_table_i)
      plumb_pkg::TableTemplate:                   exists = (tbl_row_i >> (FlowsLog2 + 2)) == 16'd0;
      plumb_pkg::TableGap, plumb_pkg::TableQp:    exists = tbl_row_i[15:12] == 4'd0;
      default:                                    exists = (tbl_row_i >> FlowsLog2) == 16'd0;
    endcase
  end

  // One access: wait for permission, do it, collect a read row, acknowledge.
  logic allowed, access, slow;   // slow: its rows come a clock later
  assign slow    = chosen_q[plumb_pkg::TableSchedule] || chosen_q[plumb_pkg::TableQp];

  always_comb begin
    `PLUMB_ANY(allowed)
    if (wait_q) begin
      allowed = still_i;
      if (chosen_q[plumb_pkg::TableTxState])          allowed = state_free_i;
      else if (chosen_q[plumb_pkg::TableQp] && !we_q) allowed = qp_free_i;
    end
  end

  assign access  = wait_q && allowed && exists_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      wait_q   <= 1'b0;
      read_q   <= 1'b0;
      read2_q  <= 1'b0;
      ack_q    <= 1'b0;
      clocks_q <= '0;
    end else begin
      read_q  <= wait_q && (allowed || !exists_q || clocks_q == MaxWait);
      read2_q <= read_q && slow;
      ack_q   <= read_q && !slow || read2_q;
      if (mine) begin
        wait_q   <= 1'b1;
        clocks_q <= '0;
      end else if (wait_q) begin
        clocks_q <= clocks_q + 9'd1;
        if (allowed || !exists_q || clocks_q == MaxWait) wait_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (mine) begin
      we_q     <= tbl_we_i;
      table_q  <= tbl_table_i;
      chosen_q <= (plumb_pkg::TablePattern+1)'(1) << tbl_table_i;
      row_q    <= tbl_row_i[11:0];
      wdata_q  <= tbl_wdata_i;
      exists_q <= exists;
    end
    if (wait_q) done_q <= access && !we_q;
    if (read_q || read2_q) begin
      unique case (table_q)
        plumb_pkg::TableTemplate: rdata_q <= template_row_i;
        plumb_pkg::TableFlow:     rdata_q <= config_row_i;
        plumb_pkg::TableSchedule: rdata_q <= entry_row_i;
        plumb_pkg::TableGap:      rdata_q <= 512'(gap_row_i);
        plumb_pkg::TableQp:       rdata_q <= 512'(qp_row_i);
        plumb_pkg::TablePattern:  rdata_q <= 512'(pattern_row_i);
        default:                  rdata_q <= state_row_i;
      endcase
      if (!done_q) rdata_q <= '0;
    end
  end

  assign writes = (access && we_q) ? chosen_q : '0;
  assign reads  = (access && !we_q) ? chosen_q : '0;

  assign template_we_o = writes[plumb_pkg::TableTemplate];
  assign template_re_o = reads[plumb_pkg::TableTemplate];
  assign config_we_o   = writes[plumb_pkg::TableFlow];
  assign config_re_o   = reads[plumb_pkg::TableFlow];
  assign entry_we_o    = writes[plumb_pkg::TableSchedule];
  assign entry_re_o    = reads[plumb_pkg::TableSchedule];
  assign state_re_o    = reads[plumb_pkg::TableTxState];
  assign gap_we_o      = writes[plumb_pkg::TableGap];
  assign gap_re_o      = reads[plumb_pkg::TableGap];
  assign qp_we_o       = writes[plumb_pkg::TableQp];
  assign qp_re_o       = reads[plumb_pkg::TableQp];
  assign pattern_we_o  = writes[plumb_pkg::TablePattern];
  assign pattern_re_o  = reads[plumb_pkg::TablePattern];

  logic unused_tables;
  assign unused_tables = ^{writes, reads};

  assign row_o   = row_q;
  assign wdata_o = wdata_q;

  assign tbl_ack_o   = ack_q;
  assign tbl_rdata_o = rdata_q;

endmodule
