// The virtual receive buffer of a port: how much of each priority a receiver would hold that takes
// every good frame in and empties each priority at a rate of its own.
//
// It counts in cells of 2^cell_log2_i bytes (0 to 11; with 0 and no overhead that is bytes); a
// frame takes ceil((length + overhead) / cell) of them. A frame that exceeds its priority's
// capacity is dropped whole. The drain is in Q16.16 bytes per clock, without remembering idle time:
// what drains while nothing is there is lost. Without enable_i nothing moves.
//
//   clock   0           1                 2                3                      4
//           arrival_i   length+overhead   cells; fits?     taken_o or dropped_o   fill_o
//
// Every priority drains once in eight clocks: freed_o, with freed_priority_o and freed_cells_o.
// Takes an arrival every other clock, as good frames come. clear_i empties the buffer.
`include "plumb_simulated.svh"

module plumb_fc_buffer (
  // Clock and reset (active low)
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            clear_i,             // level: empties the buffer

  // Configuration: levels
  input  logic            enable_i,
  input  logic [3:0]      cell_log2_i,         // a cell has 2^n bytes, n from 0 to 11
  input  logic [7:0]      overhead_i,          // signed bytes per frame beside its length
  input  logic [8*32-1:0] capacity_i,          // cells by priority, 20 bits in 32 each
  input  logic [8*32-1:0] drain_i,             // Q16.16 bytes per clock by priority, 32 bits each

  // A good frame
  input  logic            arrival_i,           // pulse, at most every other clock
  input  logic [2:0]      arrival_priority_i,  // with arrival_i
  input  logic [13:0]     arrival_length_i,    // with arrival_i: bytes with FCS

  // What becomes of it, three clocks later
  output logic            taken_o,             // pulse: it had room
  output logic            dropped_o,           // pulse: it had none
  output logic [2:0]      priority_o,          // with either pulse
  output logic [13:0]     cells_o,             // with either pulse: what the frame takes

  // What drains
  output logic            freed_o,             // pulse, with the next two
  output logic [2:0]      freed_priority_o,
  output logic [19:0]     freed_cells_o,
  output logic [8*20-1:0] fill_o               // 20 bits per priority: cells in use
);

  // Arrivals. The sum is never negative: overheads reach down to -128, frames to 64, and a frame
  // that would take nothing takes nothing.
  logic        arrival1_q, arrival2_q;
  logic [2:0]  priority1_q, priority2_q;
  logic [15:0] bytes, bytes1_q;
  logic [13:0] cells2_q;
  logic [11:0] cell_mask;

  always_comb begin
    cell_mask = '0;
    bytes     = '0;
    if (enable_i) begin
      cell_mask = ~(12'hfff << cell_log2_i);
      bytes     = 16'(arrival_length_i) + {{8{overhead_i[7]}}, overhead_i} + 16'(cell_mask);
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      arrival1_q <= 1'b0;
      arrival2_q <= 1'b0;
    end else begin
      arrival1_q <= arrival_i && enable_i && !clear_i;
      arrival2_q <= arrival1_q && !clear_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (arrival_i) begin
      priority1_q <= arrival_priority_i;
      bytes1_q    <= bytes[15] ? 16'd0 : bytes;
    end
    if (arrival1_q) begin
      priority2_q <= priority1_q;
      cells2_q    <= 14'(bytes1_q >> cell_log2_i);
    end
  end

  logic [8*20-1:0] fill_q;
  logic [20:0]     filled;
  logic            fits;

  always_comb begin
    filled = '0;
    fits   = 1'b0;
    if (arrival2_q) begin
      filled = 21'(plumb_pkg::pick20(fill_q, priority2_q)) + 21'(cells2_q);
      fits   = filled <= 21'(capacity_i[32*priority2_q +: 20]);
    end
  end

  logic unused_capacity;
  assign unused_capacity = ^capacity_i;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      taken_o   <= 1'b0;
      dropped_o <= 1'b0;
    end else begin
      taken_o   <= arrival2_q && fits && !clear_i;
      dropped_o <= arrival2_q && !fits && !clear_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (arrival2_q) begin
      priority_o <= priority2_q;
      cells_o    <= cells2_q;
    end
  end

  // Drain: what is due since the last turn; whole cells of it; as far as they are there. Between
  // that and its taking effect the fill can only grow.
  logic [2:0]      turn_q, due_priority_q, whole_priority_q;
  logic            due_q, whole_q;
  logic [8*28-1:0] rest_q;          // part of a cell, Q12.16 bytes
  logic [35:0]     due_bytes_q;
  logic [27:0]     rest_mask;
  logic [19:0]     whole_cells, whole_cells_q, held;
  logic [35:0]     due_cells;

  assign rest_mask   = {cell_mask, 16'hffff};
  assign due_cells   = !due_q ? '0 : (due_bytes_q >> 16) >> cell_log2_i;
  assign whole_cells = (|due_cells[35:20]) ? '1 : due_cells[19:0];

  always_comb begin
    held = '0;
    if (whole_q) held = plumb_pkg::pick20(fill_q, whole_priority_q);
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      turn_q  <= '0;
      due_q   <= 1'b0;
      whole_q <= 1'b0;
    end else if (enable_i) begin
      turn_q  <= turn_q + 3'd1;
      due_q   <= plumb_pkg::pick20(fill_q, turn_q) != '0;
      whole_q <= due_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      due_priority_q   <= turn_q;
      whole_priority_q <= due_priority_q;
      due_bytes_q      <= 36'(plumb_pkg::pick28(rest_q, turn_q)) +
                          {1'b0, drain_i[32*turn_q +: 32], 3'd0};
      if (due_q) whole_cells_q <= whole_cells;
    end
  end

  // All in one process that an idle buffer leaves at once: it is simulated every clock.
  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      fill_q <= '0;
    end else if (clear_i) begin
      fill_q <= '0;
    end else if (enable_i) begin
      for (int unsigned p = 0; p < 8; p++) begin
        if ((taken_o && priority_o == 3'(p)) || (freed_o && freed_priority_o == 3'(p))) begin
          fill_q[20*p +: 20] <=
              fill_q[20*p +: 20] +
              ((taken_o && priority_o == 3'(p)) ? 20'(cells_o) : 20'd0) -
              ((freed_o && freed_priority_o == 3'(p)) ? freed_cells_o : 20'd0);
        end
      end
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      rest_q <= '0;
    end else if (enable_i) begin
      for (int unsigned p = 0; p < 8; p++) begin
        if (due_priority_q == 3'(p)) begin
          rest_q[28*p +: 28] <= due_q ? due_bytes_q[27:0] & rest_mask : '0;
        end
      end
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) freed_o <= 1'b0;
    else         freed_o <= enable_i && whole_q && whole_cells_q != '0 && held != '0 && !clear_i;
  end

  always_ff @(posedge clk_i) begin
    if (enable_i && whole_q) begin
      freed_priority_o <= whole_priority_q;
      freed_cells_o    <= (whole_cells_q > held) ? held : whole_cells_q;
    end
  end

  assign fill_o = fill_q;

endmodule
