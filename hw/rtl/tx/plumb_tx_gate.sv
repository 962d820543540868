// The gate: decides in which clock the earliest frame leaves, and at what time it does.
//
// Looks at the root of the schedule whenever open_i says that there is a steady one. The frame
// whose decision falls in clock n is on the MAC outputs, first beat, in clock n + PopToMac and so
// crosses at edge n + PopToMac + 1. With X the time of that edge:
//
//   a frame goes when   X >= due or wire_free >= due,   and   X + period > wire_free,
//   and departs at      max(X, wire_free),, which sets wire_free = departure + length + 20 bytes.
//
// So a frame that finds the wire free waits for the first edge at or after its due time; one that
// has to wait for the wire is there when it becomes free, so that back-to-back departures follow
// each other by exact byte times, from the first on, although the edges do not. Card time and due
// times are compared as Q64.16; wire_free is whole picoseconds like card time. As card time has no
// fraction, X + 102400/33 > wire_free is the same as X + 3103 >= wire_free, and never misses an
// edge.
//
// A frame of a paused priority is given up as soon as it is due (skip_o), whatever the wire does.
//
// go_o and skip_o are combinational; frame_o with departure_o follows a clock later. Never two
// decisions in consecutive clocks (open_i is low behind one), and none before the builder has taken
// all beats of the frame before. What is late: departure - due > late_threshold_ps_i is counted and
// pulses late_o three clocks after the decision; nothing is dropped or moved because of it.
//
// Byte times up to 2^24 - 1 ps are modelled. clear_i zeroes counters and the wire model.
`include "plumb_assert.svh"

module plumb_tx_gate #(
  parameter int unsigned PopToMac = 40
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [63:0] now_i,
  input  logic [63:0] start_time_i,
  input  logic [31:0] byte_time_ps_i,
  input  logic [31:0] late_threshold_ps_i,
  input  logic [7:0]  paused_i,
  input  logic        clear_i,
  // The root of the schedule.
  input  logic        open_i,
  input  logic        hold_i,        // the builder cannot take a frame
  input  logic [79:0] due_i,
  input  logic [13:0] length_i,
  input  logic [2:0]  priority_i,
  output logic        go_o,          // the root is replaced ...
  output logic        skip_o,        // ... because it is given up, not sent
  output logic        frame_o,
  output logic [63:0] departure_o,
  output logic        late_o,
  output logic [63:0] cnt_late_o,
  output logic [63:0] cnt_late_max_ps_o,
  output logic [63:0] cnt_pfc_skipped_o
);

  // X is kept in registers, which makes it one clock old: now_i of clock n - 1 plus PopToMac + 2
  // periods is the time of edge n + PopToMac + 1.
  localparam int unsigned PeriodPs = plumb_pkg::ClockPeriodNum / plumb_pkg::ClockPeriodDen;
  localparam int unsigned LeadPs =
      (PopToMac + 2) * plumb_pkg::ClockPeriodNum / plumb_pkg::ClockPeriodDen;

  logic [63:0] rel_offset_q;    // lead - epoch
  logic [63:0] cross_q;         // X
  logic [63:0] cross_next_q;    // X + period
  logic [63:0] cross_rel_q;     // X from the epoch, negative before it

  always_ff @(posedge clk_i) begin
    rel_offset_q <= 64'(LeadPs) - start_time_i;
    cross_q      <= now_i + 64'(LeadPs);
    cross_next_q <= now_i + 64'(LeadPs) + 64'(PeriodPs);
    cross_rel_q  <= now_i + rel_offset_q;
  end

  // Beats of the frame before that the builder still has to take.
  logic [7:0] beats_q;
  logic [7:0] more_beats;
  assign more_beats = 8'((length_i - 14'd1) >> 6);

  // The decision.
  logic [63:0] wire_free_q;
  logic [63:0] wire_free_rel_q;  // the same from the epoch, negative before it
  logic        due, due_on_busy_wire, wire_free, paused;

  assign due              = !cross_rel_q[63] && {cross_rel_q, 16'd0} >= due_i;
  assign due_on_busy_wire = !wire_free_rel_q[63] && {wire_free_rel_q, 16'd0} >= due_i;
  assign wire_free        = cross_next_q >= wire_free_q && beats_q == 8'd0 && !hold_i;
  assign paused           = paused_i[priority_i];
  assign skip_o           = open_i && paused && due;
  assign go_o             = skip_o || (open_i && !paused && wire_free && (due || due_on_busy_wire));

  logic        frame_q, skipped_q;
  logic [63:0] departure_q, departure_rel_q, slot_ps_q, due_ps_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      frame_q   <= 1'b0;
      skipped_q <= 1'b0;
      beats_q   <= '0;
    end else begin
      frame_q   <= go_o && !skip_o;
      skipped_q <= skip_o;
      if (go_o && !skip_o)       beats_q <= more_beats;
      else if (beats_q != 8'd0)  beats_q <= beats_q - 8'd1;
    end
  end

  logic [37:0] slot_bytes, byte_ps;
  logic        unused_byte_time;
  assign slot_bytes       = 38'(length_i) + 38'(plumb_pkg::WireOverheadBytes);
  assign byte_ps          = 38'(byte_time_ps_i[23:0]);
  assign unused_byte_time = ^byte_time_ps_i[31:24];

  always_ff @(posedge clk_i) begin
    if (go_o) begin
      departure_q     <= (cross_q >= wire_free_q) ? cross_q : wire_free_q;
      departure_rel_q <= (cross_q >= wire_free_q) ? cross_rel_q : wire_free_rel_q;
      slot_ps_q       <= 64'(slot_bytes * byte_ps);
      due_ps_q        <= due_i[79:16];
    end
  end

  assign frame_o     = frame_q;
  assign departure_o = departure_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)       wire_free_q <= '0;
    else if (clear_i)  wire_free_q <= '0;
    else if (frame_q)  wire_free_q <= departure_q + slot_ps_q;
  end

  // Without a frame it follows the epoch, which the next run may set anew.
  always_ff @(posedge clk_i) begin
    wire_free_rel_q <= frame_q ? departure_rel_q + slot_ps_q : wire_free_q - start_time_i;
  end

  // Lateness. Whole picoseconds decide exactly: the fraction of the due time only lowers it by less
  // than one. The maximum counts a begun picosecond as a whole one.
  logic        frame1_q, frame2_q, late_q;
  logic [63:0] since_epoch_q, due1_ps_q, lateness_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      frame1_q <= 1'b0;
      frame2_q <= 1'b0;
      late_q   <= 1'b0;
    end else begin
      frame1_q <= frame_q;
      frame2_q <= frame1_q;
      late_q   <= frame2_q && lateness_q > 64'(late_threshold_ps_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (frame_q) begin
      since_epoch_q <= departure_rel_q;
      due1_ps_q     <= due_ps_q;
    end
    if (frame1_q) lateness_q <= since_epoch_q - due1_ps_q;
  end

  assign late_o = late_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cnt_late_o        <= '0;
      cnt_late_max_ps_o <= '0;
      cnt_pfc_skipped_o <= '0;
    end else if (clear_i) begin
      cnt_late_o        <= '0;
      cnt_late_max_ps_o <= '0;
      cnt_pfc_skipped_o <= '0;
    end else begin
      if (late_q)    cnt_late_o        <= cnt_late_o + 64'd1;
      if (skipped_q) cnt_pfc_skipped_o <= cnt_pfc_skipped_o + 64'd1;
      if (frame2_q && lateness_q > cnt_late_max_ps_o) cnt_late_max_ps_o <= lateness_q;
    end
  end

  `PLUMB_ASSERT(NeverConsecutive, go_o |=> !go_o)
  `PLUMB_ASSERT(NeverEarly, frame_q |-> !departure_rel_q[63] && departure_rel_q >= due_ps_q)

endmodule
