// What was received of each flow: reads, updates and writes back one row per event.
//
// Takes an event every two clocks at most. An event sees the result of the one before it on the
// same row: in two places a result that is not yet in memory replaces what was read.
//
//   clock   0     1           2         3          4           5        6
//           pop   row read    read out  sequence   new row     write
//                             or newer  or newer
//
// Sequence s against next = highest sequence number received + 1:
//   s >= next                    lost += s - next, next = s + 1, the window moves along
//   s within the last 128        seen before: duplicate; else out of order, lost -= 1
//   older                        stale: late or a duplicate, cannot be told apart
// reorder_depth is the largest distance behind the highest number so far of a frame that was out of
// order. A trimmed frame has arrived, but its latency is not that of a whole one. A stale frame has a
// latency: late frames are the rule among them, and the largest latencies of a flow are theirs.
// Counters wrap at their width; lost of a flow thus stays exact modulo 2^48 whatever arrives.
//
// The row of a table read is a whole one, as of a moment between two events; it is taken in a clock
// in which no event reads. The answer comes at most five clocks after the request. Reset and
// clear_i zero all rows, one per clock; meanwhile (busy_o) no events are taken.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_rx_flow_table #(
  parameter int unsigned RowsLog2 = 12
) (
  // Clock and reset (active low)
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,             // pulse: zeroes all rows
  output logic                 busy_o,              // level, until all rows are zero

  // Events, from the FIFO
  input  logic                 event_valid_i,       // level: there is one
  output logic                 pop_o,               // combinational: it is taken, at most every
                                                    // other clock
  input  plumb_rx_pkg::event_t event_i,             // one clock after pop_o

  // To the latency
  output logic                 counted_o,           // pulse: a frame that is no duplicate and not
                                                    // trimmed
  output logic [4:0]           group_o,             // with counted_o
  output logic [47:0]          latency_o,           // with counted_o: modulo 2^48 ps

  // Row read
  input  logic                 read_i,              // pulse
  input  logic [15:0]          read_row_i,          // with read_i
  output logic                 ack_o,               // pulse, at most five clocks later
  output logic [plumb_rx_pkg::RowTableW-1:0] row_o  // with ack_o; zero for a row that does not
                                                    // exist
);

  `PLUMB_RANGE(plumb_rx_flow_table, RowsLog2, 1, 12)

  localparam int unsigned Rows = 1 << RowsLog2;

  // Sweep of the rows.
  logic                sweep_q;
  logic [RowsLog2-1:0] sweep_row_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      sweep_q     <= 1'b1;
      sweep_row_q <= '0;
    end else if (clear_i) begin
      sweep_q     <= 1'b1;
      sweep_row_q <= '0;
    end else if (sweep_q) begin
      sweep_q     <= !(&sweep_row_q);
      sweep_row_q <= sweep_row_q + 1'b1;
    end
  end

  assign busy_o = sweep_q;

  // Events on their way. [k]: the event that was popped k clocks ago.
  logic [6:1]           valid_q;
  logic                 stop;
  plumb_rx_pkg::event_t e1;
  plumb_rx_pkg::event_t e2_q;
  plumb_rx_pkg::event_t e3_q;
  logic [63:0]          seq4_q;
  logic [RowsLog2-1:0]  row4_q;
  logic [4:0]           group4_q;
  logic [47:0]          latency4_q;
  logic                 trimmed4_q;
  logic [RowsLog2-1:0]  row1;
  logic [RowsLog2-1:0]  row2;
  logic [RowsLog2-1:0]  row3;
  logic [RowsLog2-1:0]  row5_q;   // of the last new row; right in clocks 5 and 6 of an event

  assign stop  = sweep_q || clear_i;
  assign pop_o = event_valid_i && !valid_q[1] && !stop;
  assign e1    = event_i;
  assign row1  = e1.row[RowsLog2-1:0];
  assign row2  = e2_q.row[RowsLog2-1:0];
  assign row3  = e3_q.row[RowsLog2-1:0];

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni)   valid_q <= '0;
    else if (stop) valid_q <= '0;
    else           valid_q <= {valid_q[5:1], pop_o};
  end

  always_ff @(posedge clk_i) begin
    if (valid_q[1]) e2_q <= e1;
    if (valid_q[2]) e3_q <= e2_q;
    if (valid_q[3]) begin
      seq4_q     <= e3_q.seq;
      row4_q     <= row3;
      group4_q   <= e3_q.group;
      latency4_q <= e3_q.latency;
      trimmed4_q <= e3_q.trimmed;
    end
  end

  // Table reads take the free clocks of the read port.
  logic        wanted_q;
  logic [15:0] wanted_row_q;
  logic        serve;
  logic        served_q;
  logic        in_range;

  assign serve    = wanted_q && !valid_q[1];
  assign in_range = (wanted_row_q >> RowsLog2) == 16'd0;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      wanted_q     <= 1'b0;
      wanted_row_q <= '0;
      served_q     <= 1'b0;
    end else begin
      served_q <= serve;
      if (read_i) begin
        wanted_q     <= 1'b1;
        wanted_row_q <= read_row_i;
      end else if (serve) begin
        wanted_q <= 1'b0;
      end
    end
  end

  logic [plumb_rx_pkg::RowW-1:0] stored;
  logic [plumb_rx_pkg::RowW-1:0] new_q;

  plumb_rx_ram #(
    .Width (plumb_rx_pkg::RowW),
    .Depth (Rows),
    .AddrW (RowsLog2)
  ) u_rows (
    .clk_i   (clk_i),
    .we_i    (sweep_q || valid_q[5]),
    .waddr_i (sweep_q ? sweep_row_q : row5_q),
    .wdata_i (sweep_q ? {plumb_rx_pkg::RowW{1'b0}} : new_q),
    .re_i    (valid_q[1] || serve),
    .raddr_i (valid_q[1] ? row1 : wanted_row_q[RowsLog2-1:0]),
    .rdata_o (stored)
  );

  assign ack_o = served_q;
  assign row_o = in_range ? stored[plumb_rx_pkg::RowTableW-1:0] : '0;

  // Clock 2: what was read, or the new row of three or four clocks ago: that was written in or
  // after the clock of the read.
  logic [plumb_rx_pkg::RowW-1:0] row3_q;
  logic                          newer3_q;   // there is a newer one: of the event two clocks before

  always_ff @(posedge clk_i) begin
    if (valid_q[2]) begin
      row3_q   <= ((|valid_q[6:5]) && (row5_q == row2)) ? new_q : stored;
      newer3_q <= valid_q[4] && (row4_q == row2);
    end
  end

  // Clock 3: the row, or the new one of the event two clocks before; the distance of the sequence
  // number; and the counters one further, for the next clock to choose from.
  plumb_rx_pkg::row_t older;
  plumb_rx_pkg::row_t newer;
  plumb_rx_pkg::row_t base;
  plumb_rx_pkg::row_t b4_q;
  logic [64:0]        distance;
  logic               ahead4_q;       // s >= next
  logic [63:0]        distance4_q;    // s - next
  logic [39:0]        duplicate4_q;
  logic [39:0]        out_of_order4_q;
  logic [31:0]        stale4_q;
  logic [47:0]        found4_q;       // lost - 1
  logic [1:0]         older_low;      // of the age in the window of either, if s is behind
  logic [1:0]         newer_low;
  logic [31:0]        seen4_q;        // bits of the window that may be that of s

  function automatic logic [1:0] low_sum(input logic [1:0] a, input logic [1:0] b);
    low_sum = a ^ b ^ {a[0] & b[0], 1'b0};
  endfunction

  assign older = row3_q;
  assign newer = new_q;

  // Without an event the values are not used, and a simulation skips them; so in the next clock.
  always_comb begin
    `PLUMB_ANY(base)
    `PLUMB_ANY(distance)
    `PLUMB_ANY(older_low)
    `PLUMB_ANY(newer_low)
    if (valid_q[3]) begin
      base     = newer3_q ? newer : older;
      distance = {1'b0, e3_q.seq} - {1'b0, base.next_sequence};
      // Two bits of next + ~s, without a carry chain: the window's bits wait for them, and are
      // picked from both rows.
      older_low = low_sum(older.next_sequence[1:0], ~e3_q.seq[1:0]);
      newer_low = low_sum(newer.next_sequence[1:0], ~e3_q.seq[1:0]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_q[3]) begin
      b4_q            <= base;
      ahead4_q        <= !distance[64];
      distance4_q     <= distance[63:0];
      duplicate4_q    <= base.duplicate + 40'd1;
      out_of_order4_q <= base.out_of_order + 40'd1;
      stale4_q        <= base.stale + 32'd1;
      found4_q        <= base.lost - 48'd1;
      for (int unsigned k = 0; k < 32; k++) begin
        seen4_q[k] <= newer3_q ? newer.window[4*k + 32'(newer_low)]
                               : older.window[4*k + 32'(older_low)];
      end
      b4_q.frames     <= base.frames + 48'd1;
      b4_q.bytes      <= base.bytes + {42'd0, e3_q.length};
      b4_q.ce         <= base.ce + {39'd0, e3_q.ce};
      b4_q.trimmed    <= base.trimmed + {39'd0, e3_q.trimmed};
      b4_q.bad_icrc   <= base.bad_icrc + {39'd0, e3_q.bad_icrc};
    end
  end

  // Clock 4: the new row. Behind next, s = next - 1 - age, and so age = ~(s - next).
  logic [6:0]         age;
  logic               recent;         // behind, inside the window
  logic               seen;
  plumb_rx_pkg::row_t fresh;

  always_comb begin
    `PLUMB_ANY(age)
    `PLUMB_ANY(recent)
    `PLUMB_ANY(seen)
    `PLUMB_ANY(fresh)
    if (valid_q[4]) begin
      age    = ~distance4_q[6:0];
      recent = !ahead4_q && (&distance4_q[63:7]);
      seen   = seen4_q[age[6:2]];
      fresh  = b4_q;
      if (ahead4_q) begin
        fresh.next_sequence = seq4_q + 64'd1;
        fresh.lost          = b4_q.lost + distance4_q[47:0];
        if (|distance4_q[63:7]) fresh.window = 128'd1;
        else fresh.window = ({b4_q.window[126:0], 1'b0} << distance4_q[6:0]) | 128'd1;
      end else if (!recent) begin
        fresh.stale = stale4_q;
      end else if (seen) begin
        fresh.duplicate = duplicate4_q;
      end else begin
        fresh.out_of_order = out_of_order4_q;
        fresh.lost         = found4_q;
        if (age > b4_q.reorder_depth) fresh.reorder_depth = age;
      end
      // Marks what has been seen before once more: it need not wait to know that.
      if (recent) fresh.window = b4_q.window | (128'd1 << age);
    end
  end

  logic        counted_q;
  logic [4:0]  group_q;
  logic [47:0] latency_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) counted_q <= 1'b0;
    else         counted_q <= valid_q[4] && !stop && !trimmed4_q && !(recent && seen);
  end

  always_ff @(posedge clk_i) begin
    if (valid_q[4]) begin
      new_q     <= fresh;
      row5_q    <= row4_q;
      group_q   <= group4_q;
      latency_q <= latency4_q;
    end
  end

  assign counted_o = counted_q;
  assign group_o   = group_q;
  assign latency_o = latency_q;

endmodule
