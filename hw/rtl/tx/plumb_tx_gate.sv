// The gate: decides in which clock the earliest frame leaves, and at what time it does.
//
// Looks at the root of the schedule whenever open_i says that there is a steady one. The frame
// whose decision falls in clock n is on the MAC outputs, first beat, in clock n + PopToMac and so
// crosses at edge n + PopToMac + 1. With X the time of that edge:
//
//   a frame goes when   X >= due or wire_free >= due,   and   X + period > wire_free,
//   and departs at      max(X, wire_free), which sets wire_free = departure + length + 20 bytes.
//
// So a frame that finds the wire free waits for the first edge at or after its due time; one that
// has to wait for the wire is there when it becomes free, so that back-to-back departures follow
// each other by exact byte times, from the first on, although the edges do not. Card time and due
// times are compared as Q64.16; wire_free is whole picoseconds like card time. As card time has no
// fraction, X + 102400/33 > wire_free is the same as X + 3103 >= wire_free, and never misses an
// edge.
//
// A frame is blocked while its priority is paused or has no credit for its length. A blocked frame
// that is due is given up (skip_o), whatever the wire does; or, with wait_i, it is postponed
// (postpone_o): the root goes back into the schedule with a later due time. That is the end of the
// pause (pause_end_time_i), to the clock, or an earlier turn to check again, because the pause may
// be lifted or credit may arrive; there is one such turn every RetryClocks for all postponed flows
// together. Either way the flows behind it are free to go.
//
// A control frame (control_i) goes before everything scheduled as soon as the wire is free, whether
// a schedule runs or not, and holds its time on the wire like any other frame.
//
// go_o, skip_o and postpone_o (valid with go_o) and control_o are combinational; frame_o or
// control_frame_o with departure_o follows a clock later. Never two decisions in consecutive clocks
// (open_i is low behind one), and none before the builder has taken all beats of the frame before.
// What is late: departure - scheduled > late_threshold_ps_i is counted and pulses late_o three
// clocks after the decision; nothing is dropped or moved because of it.
//
// shift_valid_i: the wire is free shift_ps_i later than the model says (plumb_tx_slip). Taken in a clock
// without a decision, behind which there is none for a clock.
//
// Byte times up to 2^24 - 1 ps are modelled. clear_i zeroes counters and the wire model.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_tx_gate #(
  parameter int unsigned PopToMac = 40
) (
  // Clock, reset (active low), card time
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic [63:0]     now_i,                 // ps, of the edge that begins the clock
  input  logic [63:0]     start_time_i,          // epoch of all due times, card time in ps

  // Calibration, static during a run
  input  logic [31:0]     byte_time_ps_i,        // ps per byte on the wire; bits 23:0 are used
  input  logic [31:0]     late_threshold_ps_i,   // ps after its due time that make a frame late
  input  logic            clear_i,               // pulse: zeroes counters and wire model

  // What blocks frames; word p belongs to priority p
  input  logic [7:0]      paused_i,              // level, one bit per priority
  input  logic [8*64-1:0] pause_end_time_i,      // 64 bits each: end of pause, card time in ps
  input  logic [8*14-1:0] credit_i,              // 14 bits each: longest frame with credit, bytes
  input  logic [7:0]      credit_busy_i,         // level: credit_i is being worked out, decide
                                                 // nothing
  input  logic            wait_i,                // level: a blocked frame waits, else is given up

  // The root of the schedule
  input  logic            open_i,                // level: the root is valid and may be decided on
  input  logic            hold_i,                // level: the builder cannot take a frame
  input  logic            llr_hold_i,            // level: no scheduled frame may go (LLR)
  input  logic [79:0]     due_i,                 // due time from the epoch, Q64.16 ps
  input  logic [63:0]     scheduled_i,           // due_i before it was first postponed, in whole ps
  input  logic            postponed_i,           // the root has been postponed before
  input  logic [13:0]     length_i,              // bytes with FCS
  input  logic [2:0]      priority_i,            // priority of the frame

  // The decision on the root, combinational
  output logic            go_o,                  // the root is replaced: sent, given up or
                                                 // postponed
  output logic            skip_o,                // with go_o: given up, not sent
  output logic            postpone_o,            // with go_o: to be looked at again at the time
                                                 // below
  output logic [79:0]     postponed_due_o,       // new due time from the epoch, Q64.16 ps
  output logic            frame_o,               // pulse, one clock behind: the root was sent

  // The control frame that waits
  input  logic            control_i,             // level: a control frame waits
  input  logic [6:0]      control_extra_i,       // its bytes beyond 64, with FCS
  output logic            control_o,             // combinational: taken in this clock
  output logic            control_frame_o,       // pulse, one clock behind: it was taken
  output logic [63:0]     crossing_time_o,       // X: card time at the MAC if decided now, ps

  // Displaced frames (plumb_tx_slip): the wire is taken for so much longer
  input  logic            shift_valid_i,         // level until shift_taken_o
  input  logic [63:0]     shift_ps_i,            // ps
  output logic            shift_taken_o,         // pulse
  output logic [63:0]     wire_free_o,           // card time at which the wire is free, ps

  // Result, counters since reset or clear_i, events
  output logic [63:0]     departure_o,           // with frame_o or control_frame_o; card time in ps
  output logic            late_o,                // pulse: a frame was late
  output logic [63:0]     cnt_late_o,            // frames later than the threshold
  output logic [63:0]     cnt_late_max_ps_o,     // largest lateness, ps, rounded up
  output logic [63:0]     cnt_pfc_skipped_o,     // slots given up because of a pause
  output logic [63:0]     cnt_credit_skipped_o,  // slots given up for lack of credit
  output logic [63:0]     cnt_waited_o           // frames postponed, each counted once
);

  `PLUMB_PARAMETER(plumb_tx_gate, PopToMac, PopToMac < 2**15, less than 2^15: LeadPs has 32 bits)

  // X is kept in registers, which makes it one clock old: now_i of clock n - 1 plus PopToMac + 2
  // periods is the time of edge n + PopToMac + 1.
  localparam int unsigned PeriodPs = plumb_pkg::ClockPeriodNum / plumb_pkg::ClockPeriodDen;
  localparam int unsigned LeadPs =
      (PopToMac + 2) * plumb_pkg::ClockPeriodNum / plumb_pkg::ClockPeriodDen;
  localparam int unsigned RetryClocks = 32;
  localparam int unsigned RetryPs =
      RetryClocks * plumb_pkg::ClockPeriodNum / plumb_pkg::ClockPeriodDen;

  logic [63:0] rel_offset_q;    // lead - epoch
  logic [63:0] crossing_q;      // X
  logic [63:0] crossing_next_q;  // X + period
  logic [63:0] crossing_rel_q;  // X from the epoch, negative before it

  always_ff @(posedge clk_i) begin
    rel_offset_q    <= 64'(LeadPs) - start_time_i;
    crossing_q      <= now_i + 64'(LeadPs);
    crossing_next_q <= now_i + 64'(LeadPs) + 64'(PeriodPs);
    crossing_rel_q  <= now_i + rel_offset_q;
  end

  // Beats of the frame before that the builder still has to take.
  logic [7:0] beats_q;
  logic [7:0] more_beats;
  assign more_beats = 8'((length_i - 14'd1) >> 6);

  // The decision.
  logic [63:0] wire_free_q;
  logic [63:0] wire_free_rel_q;  // the same from the epoch, negative before it
  logic        due, due_on_busy_wire, wire_free, paused, blocked, unknown, send;
  logic        may_leave, may_send;
  logic        control_q, stable_q, shifted_q;

  assign due              = !crossing_rel_q[63] && {crossing_rel_q, 16'd0} >= due_i;
  assign due_on_busy_wire = !wire_free_rel_q[63] && {wire_free_rel_q, 16'd0} >= due_i;
  assign wire_free        = crossing_next_q >= wire_free_q && beats_q == 8'd0 && !hold_i &&
                            !shifted_q;
  assign paused           = paused_i[priority_i];

  // Without a root to decide on none of it is needed, and a simulation passes it over.
  always_comb begin
    blocked   = 1'b0;
    unknown   = 1'b0;
    may_leave = 1'b0;
    may_send  = 1'b0;
    if (open_i) begin
      blocked   = paused || length_i > plumb_pkg::pick14(credit_i, priority_i);
      unknown   = credit_busy_i[priority_i] && !paused;
      may_leave = !unknown && blocked && (!wait_i || stable_q);
      may_send  = !unknown && !blocked && !llr_hold_i && wire_free && !control_i && !control_q;
    end
  end

  // A blocked root goes when it is due and never otherwise, so these need not wait for its time.
  assign skip_o           = may_leave && !wait_i;
  assign postpone_o       = may_leave && wait_i;
  assign send             = may_send && (due || due_on_busy_wire);
  assign go_o             = (due && (may_leave || may_send)) || (due_on_busy_wire && may_send);
  assign control_o        = control_i && wire_free && !frame_q && !control_q;
  assign crossing_time_o  = crossing_q;

  logic        frame_q, skipped_q, no_credit_q, waited_q;
  logic [63:0] departure_q, departure_rel_q, slot_ps_q, control_slot_ps_q, due_ps_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      frame_q     <= 1'b0;
      control_q   <= 1'b0;
      skipped_q   <= 1'b0;
      no_credit_q <= 1'b0;
      waited_q    <= 1'b0;
      stable_q    <= 1'b0;
      beats_q     <= '0;
    end else begin
      frame_q     <= send;
      control_q   <= control_o;
      skipped_q   <= go_o && skip_o && paused;
      no_credit_q <= go_o && skip_o && !paused;
      waited_q    <= go_o && postpone_o && !postponed_i;
      stable_q    <= open_i;   // low behind a decision
      if (send)                  beats_q <= more_beats;
      else if (control_o)        beats_q <= (8'(control_extra_i) + 8'd63) >> 6;
      else if (beats_q != 8'd0)  beats_q <= beats_q - 8'd1;
    end
  end

  // When a postponed root is looked at again. paused_i falls in the clock of pause_end_time_i; the
  // decision of one clock later is the earliest that sees it, and a clock may take 3104 ps.
  logic [63:0] end_offset_q, end_rel_q, turn_rel_q, next_turn_rel_q;
  logic        at_end;

  assign at_end = paused && end_rel_q > crossing_rel_q && end_rel_q < next_turn_rel_q;
  assign postponed_due_o = {at_end ? end_rel_q : next_turn_rel_q, 16'd0};

  always_ff @(posedge clk_i) begin
    end_offset_q <= 64'(LeadPs) + 64'(PeriodPs) + 64'd1 - start_time_i;
    if (wait_i) begin
      end_rel_q       <= pause_end_time_i[64*priority_i +: 64] + end_offset_q;
      next_turn_rel_q <= 64'(RetryPs) +
                         ((turn_rel_q > crossing_rel_q) ? turn_rel_q : crossing_rel_q);
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni)                     turn_rel_q <= '0;
    else if (crossing_rel_q[63])        turn_rel_q <= '0;
    else if (go_o && postpone_o && !at_end)
                                     turn_rel_q <= next_turn_rel_q;
  end

  // What a frame takes of the wire, in ps. Both times are worked out before it is known which of
  // them is wanted: behind the decision there is no time left to multiply.
  localparam logic [14:0] ControlSlotBytes = 15'(plumb_pkg::MinFrameBytes) +
                                             15'(plumb_pkg::WireOverheadBytes);
  // As wide as they can be, so that each product is one DSP and not a sum of several.
  logic [14:0] slot_bytes, control_slot_bytes;
  logic [23:0] byte_ps;
  logic [63:0] slot_ps;
  logic        unused_byte_time;
  assign slot_bytes         = 15'(length_i) + 15'(plumb_pkg::WireOverheadBytes);
  assign control_slot_bytes = ControlSlotBytes + 15'(control_extra_i);
  assign byte_ps            = byte_time_ps_i[23:0];
  assign slot_ps            = control_q ? control_slot_ps_q : slot_ps_q;
  assign unused_byte_time   = ^byte_time_ps_i[31:24];

  always_ff @(posedge clk_i) begin
    control_slot_ps_q <= 64'(39'(control_slot_bytes) * 39'(byte_ps));
    if (open_i) slot_ps_q <= 64'(39'(slot_bytes) * 39'(byte_ps));
    if (send || control_o) begin
      departure_q     <= (crossing_q >= wire_free_q) ? crossing_q : wire_free_q;
      departure_rel_q <= (crossing_q >= wire_free_q) ? crossing_rel_q : wire_free_rel_q;
      due_ps_q        <= scheduled_i;
    end
  end

  assign frame_o         = frame_q;
  assign control_frame_o = control_q;
  assign departure_o     = departure_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni)                    wire_free_q <= '0;
    else if (clear_i)               wire_free_q <= '0;
    else if (frame_q || control_q)  wire_free_q <= departure_q + slot_ps;
    else if (shift_taken_o)         wire_free_q <= wire_free_q + shift_ps_i;
  end

  // While a shift waits for its clock decisions go on; the one in which it is taken has none, and in
  // the one behind it wire_free_rel_q follows.
  assign shift_taken_o = shift_valid_i && !send && !control_o && !frame_q && !control_q;
  assign wire_free_o   = wire_free_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) shifted_q <= 1'b0;
    else         shifted_q <= shift_taken_o;
  end

  // Without a frame it follows the epoch, which the next run may set anew.
  always_ff @(posedge clk_i) begin
    wire_free_rel_q <= (frame_q || control_q) ? departure_rel_q + slot_ps
                                              : wire_free_q - start_time_i;
  end

  // Lateness. Whole picoseconds decide exactly: the fraction of the due time only lowers it by less
  // than one. The maximum counts a begun picosecond as a whole one.
  logic        frame1_q, frame2_q, late_q;
  logic [63:0] since_epoch_q, due1_ps_q, lateness_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      frame1_q <= 1'b0;
      frame2_q <= 1'b0;
      late_q   <= 1'b0;
    end else begin
      frame1_q <= frame_q;
      frame2_q <= frame1_q;
      late_q   <= 1'b0;
      if (frame2_q) late_q <= lateness_q > 64'(late_threshold_ps_i);
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

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      cnt_late_o           <= '0;
      cnt_late_max_ps_o    <= '0;
      cnt_pfc_skipped_o    <= '0;
      cnt_credit_skipped_o <= '0;
      cnt_waited_o         <= '0;
    end else if (clear_i) begin
      cnt_late_o           <= '0;
      cnt_late_max_ps_o    <= '0;
      cnt_pfc_skipped_o    <= '0;
      cnt_credit_skipped_o <= '0;
      cnt_waited_o         <= '0;
    end else begin
      if (late_q)      cnt_late_o           <= cnt_late_o + 64'd1;
      if (skipped_q)   cnt_pfc_skipped_o    <= cnt_pfc_skipped_o + 64'd1;
      if (no_credit_q) cnt_credit_skipped_o <= cnt_credit_skipped_o + 64'd1;
      if (waited_q)    cnt_waited_o         <= cnt_waited_o + 64'd1;
      if (frame2_q && lateness_q > cnt_late_max_ps_o) cnt_late_max_ps_o <= lateness_q;
    end
  end

  `PLUMB_ASSERT(NeverConsecutive, go_o |=> !go_o)
  `PLUMB_ASSERT(NeverTwoFrames, send || control_o |=> !send && !control_o)
  `PLUMB_ASSERT(NeverEarly, frame_q |-> !departure_rel_q[63] && departure_rel_q >= due_ps_q)

endmodule
