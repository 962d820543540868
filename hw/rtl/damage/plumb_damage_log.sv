// The log of everything that was damaged: takes one entry per damaged beat, puts the random errors
// of the beat one by one behind its rule, and keeps the events for the host.
//
// An entry every clock for bursts (32 wait; room_o falls when four are left), an event per clock on
// average. Events that find the memory full are dropped and give a pulse of overflow_o, as does an
// entry that finds no room; random errors are counted in any case (bits_o, a pulse each).
//
// event_o is the oldest event while valid_o is high; three clocks after pop_i the next one is there.
// settled_o: nothing waits before the memory. clear_i empties the memory.
//
// An event of ordered sets (set_*) is taken within two clocks of its pulse.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_damage_log #(
  parameter int unsigned DepthLog2 = 10
) (
  // Clock and reset (active low)
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     clear_i,      // pulse: empties the memory
  input  logic [63:0]              offset_i,     // ps to add to the time of an event

  // Damaged beats
  input  logic                     hit_valid_i,  // pulse, with hit_i
  input  plumb_damage_pkg::hit_t   hit_i,        // what damaged the beat, and whose beat it is
  output logic                     room_o,       // level: at least four more entries find room
  output logic                     settled_o,    // level: nothing waits before the memory

  // Positions of random errors, from plumb_damage_random
  input  logic                     pos_valid_i,  // level: there is one
  input  logic [8:0]               pos_i,        // bit in the beat
  input  logic                     pos_last_i,   // the last one of its beat
  output logic                     pos_pop_o,    // pulse: take the next

  // Ordered sets
  input  logic                     set_valid_i,  // pulse
  input  plumb_damage_pkg::event_t set_i,        // with set_valid_i

  // Host
  output logic                     valid_o,      // level: event_o is the oldest event
  output plumb_damage_pkg::event_t event_o,
  input  logic                     pop_i,        // pulse, with valid_o: take it out
  output logic                     overflow_o,   // pulse: an event found no room
  output logic                     bits_o        // pulse: a random error inside its frame
);

  `PLUMB_RANGE(plumb_damage_log, DepthLog2, 1, 30)

  localparam int unsigned WaitLog2 = 5;

  // ---- Entries that wait ----
  (* ram_style = "distributed" *)
  logic [plumb_damage_pkg::HitW-1:0] waiting [0:2**WaitLog2-1];
  logic [WaitLog2:0]                 write_q, read_q, level;
  logic                              accept, refuse, waits, take, busy_q, room_q;

  assign level     = write_q - read_q;
  assign waits     = write_q != read_q;   // need not wait for the difference
  assign accept    = hit_valid_i && !level[WaitLog2];
  assign refuse    = hit_valid_i && level[WaitLog2];
  assign room_o    = room_q;
  assign settled_o = !waits && !busy_q;

  always_ff @(posedge clk_i) begin
    if (accept) waiting[write_q[WaitLog2-1:0]] <= hit_i;
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      room_q  <= 1'b0;
    end else begin
      if (accept) write_q <= write_q + (WaitLog2+1)'(1);
      if (take)   read_q  <= read_q + (WaitLog2+1)'(1);
      room_q <= level < (WaitLog2+1)'(2**WaitLog2 - 4);
    end
  end

  // ---- The entry in hand: its rule first, then its random errors ----
  plumb_damage_pkg::hit_t   head, hit_q;
  logic                     rule_q, random_q, done, emit, emit_rule, emit_random;
  logic                     set_q;
  plumb_damage_pkg::event_t set_event_q, event_d, event_q;
  logic                     event_valid_q, event_random_q, told, bits_q;
  logic [63:0]              event_keep_q;

  assign head        = take ? waiting[read_q[WaitLog2-1:0]] : 'x;
  assign emit_rule   = busy_q && rule_q && !set_q;
  assign emit_random = busy_q && !rule_q && random_q && pos_valid_i && !set_q;
  assign pos_pop_o   = emit_random;
  assign done        = (emit_rule && !random_q) || (emit_random && pos_last_i);
  assign take        = waits && (!busy_q || done);
  assign emit        = set_q || emit_rule || emit_random;
  // A random error behind the end of the frame hit nothing.
  assign told        = event_valid_q && (!event_random_q || event_keep_q[event_q.position[8:3]]);

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      busy_q        <= 1'b0;
      rule_q        <= 1'b0;
      random_q      <= 1'b0;
      set_q         <= 1'b0;
      event_valid_q <= 1'b0;
      bits_q        <= 1'b0;
    end else begin
      busy_q <= take || (busy_q && !done);
      set_q  <= set_valid_i;
      if (take) begin
        rule_q   <= head.ruled;
        random_q <= head.random;
      end else if (emit_rule) begin
        rule_q   <= 1'b0;
      end
      event_valid_q <= emit;
      bits_q        <= event_random_q && told;
    end
  end

  always_comb begin
    `PLUMB_ANY(event_d)
    if (emit) begin
      event_d.kind     = emit_rule ? hit_q.kind : plumb_damage_pkg::KindRandom;
      event_d.slot     = emit_rule ? hit_q.slot : 3'd0;
      event_d.subject  = hit_q.subject;
      event_d.flow     = hit_q.flow;
      event_d.number   = hit_q.number;
      event_d.position = emit_rule ? hit_q.position : {hit_q.beat, pos_i};
      event_d.stamp    = hit_q.stamp;
    end
  end

  always_ff @(posedge clk_i) begin
    if (set_valid_i) set_event_q <= set_i;
    if (take)        hit_q <= head;
    if (emit) begin
      event_q        <= set_q ? set_event_q : event_d;
      event_random_q <= !set_q && emit_random;
      event_keep_q   <= hit_q.keep;
    end
  end

  assign bits_o = bits_q;

  logic unused_hit;
  assign unused_hit = ^hit_q;

  // ---- Events for the host ----
  plumb_damage_pkg::event_t stored;

  always_comb begin
    `PLUMB_ANY(stored)
    if (store) begin
      stored       = event_q;
      stored.stamp = event_q.stamp + offset_i;
    end
  end

  logic [DepthLog2:0] event_write_q, event_read_q, event_level;
  logic               full, store, fetch, fetched_q;

  assign event_level = event_write_q - event_read_q;
  assign full        = event_level[DepthLog2];
  assign store       = told && !full;
  assign fetch       = event_level != '0 && !fetched_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      event_write_q <= '0;
      event_read_q  <= '0;
      fetched_q     <= 1'b0;
      valid_o       <= 1'b0;
      overflow_o    <= 1'b0;
    end else begin
      overflow_o <= (told && full) || refuse;
      if (clear_i) begin
        event_write_q <= '0;
        event_read_q  <= '0;
        fetched_q     <= 1'b0;
        valid_o       <= 1'b0;
      end else begin
        if (store) event_write_q <= event_write_q + (DepthLog2+1)'(1);
        if (fetch) event_read_q  <= event_read_q + (DepthLog2+1)'(1);
        fetched_q <= fetch || (fetched_q && !pop_i);
        valid_o   <= fetched_q && !pop_i;
      end
    end
  end

  plumb_rx_ram #(
    .Width (plumb_damage_pkg::EventW),
    .Depth (2**DepthLog2),
    .AddrW (DepthLog2)
  ) u_events (
    .clk_i   (clk_i),
    .we_i    (store && !clear_i),
    .waddr_i (event_write_q[DepthLog2-1:0]),
    .wdata_i (stored),
    .re_i    (fetch),
    .raddr_i (event_read_q[DepthLog2-1:0]),
    .rdata_o (event_o)
  );

  `PLUMB_ASSERT(RandomHasPositions, busy_q && !rule_q && random_q |-> pos_valid_i)
  `PLUMB_ASSERT(RandomFits, refuse |-> !hit_i.random)
  `PLUMB_ASSERT(SomethingHit, hit_valid_i |-> hit_i.ruled || hit_i.random)

endmodule
