// Log of the starts and ends of pauses, for a timeline: 2^DepthLog2 entries, read one by one.
//
// An entry is {time, kind, end mask, start mask}: the priorities that became paused and those that
// are no longer, all at one time; kind is 1 for pauses that this port has sent. Entries are in the
// order of recording: sent ones carry the time of departure, which lies ahead of their place. A
// sent event waits a clock for a received one; what finds no room is counted by lost_o, once per
// event.
//
// valid_o: entry_o is the oldest one; pop_i takes it away, the next is there two clocks later.
// clear_i empties the log.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_fc_trace #(
  parameter int unsigned DepthLog2 = 10,
  localparam int unsigned EntryW = 64 + 1 + 8 + 8
) (
  // Clock and reset (active low)
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,     // level: empties the log
  input  logic               enable_i,    // level: events are logged
  input  logic [63:0]        offset_i,    // ps to add to their times

  // Received pauses; masks have one bit per priority
  input  logic [7:0]         rx_start_i,  // mask: pauses that begin
  input  logic [7:0]         rx_end_i,    // mask: pauses that are over
  input  logic [63:0]        rx_time_i,   // with either, card time in ps

  // Sent pauses, likewise
  input  logic [7:0]         tx_start_i,
  input  logic [7:0]         tx_end_i,
  input  logic [63:0]        tx_time_i,

  // Reading
  output logic               valid_o,     // level: entry_o is the oldest entry
  output logic [EntryW-1:0]  entry_o,     // {time, sent, ends mask, starts mask}
  input  logic               pop_i,       // pulse, with valid_o: take it away
  output logic [DepthLog2:0] level_o,     // entries in the log
  output logic               lost_o       // pulse: an event found no room
);

  `PLUMB_RANGE(plumb_fc_trace, DepthLog2, 1, 30)

  logic              rx_event, tx_event, held_q, take_held;
  logic [EntryW-1:0] rx_entry, tx_entry, held_entry_q;

  assign rx_event  = enable_i && ((|rx_start_i) || (|rx_end_i));
  assign tx_event  = enable_i && ((|tx_start_i) || (|tx_end_i));
  assign rx_entry  = {rx_time_i, 1'b0, rx_end_i, rx_start_i};
  assign tx_entry  = {tx_time_i, 1'b1, tx_end_i, tx_start_i};
  assign take_held = held_q && !rx_event;

  // The sent event waits here.
  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni)       held_q <= 1'b0;
    else if (clear_i)  held_q <= 1'b0;
    else               held_q <= tx_event || (held_q && !take_held);
  end

  always_ff @(posedge clk_i) begin
    if (tx_event) held_entry_q <= tx_entry;
  end

  (* ram_style = "block" *)
  logic [EntryW-1:0]  mem [0:2**DepthLog2-1];
  logic [DepthLog2:0] write_q, read_q;
  logic               push, full, fetch, fetched_q;
  logic [EntryW-1:0]  entry_q, pushed;

  assign full  = (write_q - read_q) == {1'b1, DepthLog2'(0)};
  assign push  = (rx_event || take_held) && !full;
  // The entry in the output register still counts as in the log.
  assign fetch = write_q != read_q && !fetched_q;

  always_comb begin
    `PLUMB_ANY(pushed)
    if (push) begin
      pushed = rx_event ? rx_entry : held_entry_q;
      pushed[EntryW-1-:64] = (rx_event ? rx_time_i : held_entry_q[EntryW-1-:64]) + offset_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push)  mem[write_q[DepthLog2-1:0]] <= pushed;
    if (fetch) entry_q <= mem[read_q[DepthLog2-1:0]];
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      write_q   <= '0;
      read_q    <= '0;
      fetched_q <= 1'b0;
      lost_o    <= 1'b0;
    end else if (clear_i) begin
      write_q   <= '0;
      read_q    <= '0;
      fetched_q <= 1'b0;
      lost_o    <= 1'b0;
    end else begin
      if (push) write_q <= write_q + (DepthLog2+1)'(1);
      if (pop_i && fetched_q) read_q <= read_q + (DepthLog2+1)'(1);
      fetched_q <= fetch || (fetched_q && !pop_i);
      lost_o    <= ((rx_event || take_held) && full) || (tx_event && held_q && !take_held);
    end
  end

  assign valid_o = fetched_q;
  assign entry_o = entry_q;
  assign level_o = write_q - read_q;

  `PLUMB_ASSERT(LevelFits, level_o <= (DepthLog2+1)'(2**DepthLog2))

endmodule
