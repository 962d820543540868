// Pause state of the eight priorities of one direction, from its PFC frames: the pauses that were
// received, or those that the port has sent.
//
// A frame with time > 0 for an enabled priority (XOFF) pauses it for time · 64 byte times from the
// clock after frame_i, exact in ps of card time; time 0 (XON) ends the pause; a new XOFF replaces
// what is left. paused_o follows that, at its beginning and at its end, two clocks late: it is high
// until the first clock whose second-last card time is at or after pause_end_time_o.
// cnt_paused_ps_o counts the same intervals in ps, not the clocks of paused_o: an XOFF that runs
// out counts its time exactly. Setting the card time does not disturb running pauses.
//
// start_o and end_o say, as paused_o changes, which priorities became paused by it and which
// are no longer, and event_time_o when: the time of a frame's effect, or of the first clock edge at
// or after the end of a pause that ran out.
//
// Takes a frame every clock. clear_i holds the counters at zero and leaves the pauses alone.
`include "plumb_simulated.svh"

module plumb_pfc_timers (
  // Clock, reset (active low), card time
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic [63:0]     now_i,           // ps; of sent pauses the time scale of departures
  input  logic            clear_i,         // level: holds the counters at zero
  input  logic [31:0]     byte_time_ps_i,  // ps per byte on the wire

  // A PFC frame
  input  logic            frame_i,         // pulse, in any clock
  input  logic [135:0]    body_i,          // with frame_i: classes (low byte), times, as on the
                                           // wire

  // Pauses; masks have one bit per priority
  output logic [7:0]      paused_o,        // level, mask
  output logic [8*64-1:0] pause_end_time_o,  // 64 bits per priority: end of the last XOFF, card time
                                           // in ps
  output logic [7:0]      start_o,         // mask, with the change of paused_o: pauses that begin
  output logic [7:0]      end_o,           // mask, with the change of paused_o: pauses that are
                                           // over
  output logic [63:0]     event_time_o,    // of either, card time in ps

  // Counters since reset or clear_i, 64 bits per priority
  output logic [8*64-1:0] cnt_xoff_o,      // XOFF: time above 0
  output logic [8*64-1:0] cnt_xon_o,       // XON: time 0
  output logic [8*64-1:0] cnt_paused_ps_o  // ps in pause
);

  localparam int unsigned LeftW = 54;        // 65535 quanta of 64 bytes of 2^32 - 1 ps
  localparam logic [12:0] UsualStep = 13'(plumb_pkg::ClockPeriodNum / plumb_pkg::ClockPeriodDen);

  // Card time that passed between two clocks. A jump is not the passing of time.
  logic [63:0] last_now_q;
  logic [63:0] step;
  logic [12:0] step_q;

  assign step = now_i - last_now_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      last_now_q <= '0;
      step_q     <= UsualStep;
    end else begin
      last_now_q <= now_i;
      step_q     <= (|step[63:13]) ? UsualStep : step[12:0];
    end
  end

  // The product takes two clocks.
  logic [1:0] load_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) load_q <= 2'b00;
    else         load_q <= {load_q[0], frame_i};
  end

  // Nothing moves while there is neither a pause nor a frame. All priorities are in common processes
  // for the same reason: they are simulated every clock.
  logic               moves;
  logic [7:0]         starts, ends, load, xoff, expires;
  logic [7:0]         enable1_q, enable2_q, lasts2_q, paused_q;
  logic [8*48-1:0]    product1_q, product2_q;
  logic [8*LeftW-1:0] left_q;      // of the pauses, in ps

  assign moves = (|paused_q) || load_q[1];

  always_comb begin
    starts  = '0;
    ends    = '0;
    load    = '0;
    xoff    = '0;
    expires = '0;
    if (moves) begin
      load = {8{load_q[1]}} & enable2_q;
      xoff = load & lasts2_q;
      for (int unsigned p = 0; p < 8; p++) begin
        expires[p] = left_q[LeftW*p +: LeftW] <= LeftW'(step_q);
      end
      starts = xoff & ~paused_q;
      ends   = paused_q & ((load & ~xoff) | (~load & expires));
    end
  end

  always_ff @(posedge clk_i) begin
    if (frame_i) begin
      enable1_q <= body_i[7:0];
      for (int unsigned p = 0; p < 8; p++) begin
        product1_q[48*p +: 48] <= 48'({body_i[16*p+8 +: 8], body_i[16*p+16 +: 8]}) *
                                  48'(byte_time_ps_i);
      end
    end
    if (load_q[0]) begin
      enable2_q  <= enable1_q;
      product2_q <= product1_q;
      for (int unsigned p = 0; p < 8; p++) lasts2_q[p] <= product1_q[48*p +: 48] != 48'd0;
    end
  end

  // Assigned as a whole: a simulation copies in every clock what is assigned in parts.
  logic [8*LeftW-1:0] left;
  logic [8*64-1:0]    cnt_xoff, cnt_xon, cnt_paused_ps;
  logic [12:0]        passed;      // of a pause that is not loaded anew, in this clock

  always_comb begin
    `PLUMB_ANY(left)
    `PLUMB_ANY(cnt_xoff)
    `PLUMB_ANY(cnt_xon)
    `PLUMB_ANY(cnt_paused_ps)
    `PLUMB_ANY(passed)
    if (moves) begin
      for (int unsigned p = 0; p < 8; p++) begin
        passed = paused_q[p] ? step_q : 13'd0;
        left[LeftW*p +: LeftW] = load[p] ? {product2_q[48*p +: 48], 6'd0}
                                         : left_q[LeftW*p +: LeftW] - LeftW'(passed);
        cnt_xoff[64*p +: 64]   = cnt_xoff_o[64*p +: 64] + 64'(xoff[p]);
        cnt_xon[64*p +: 64]    = cnt_xon_o[64*p +: 64] + 64'(load[p] && !xoff[p]);
        cnt_paused_ps[64*p +: 64] = cnt_paused_ps_o[64*p +: 64] +
            (expires[p] && paused_q[p] ? 64'(left_q[LeftW*p +: LeftW]) : 64'(passed));
      end
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      left_q   <= '0;
      paused_q <= '0;
    end else if (moves) begin
      paused_q <= (paused_q & ~ends) | starts;
      left_q   <= left;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_q[1]) begin
      for (int unsigned p = 0; p < 8; p++) begin
        if (load[p]) begin
          pause_end_time_o[64*p +: 64] <= last_now_q + 64'({product2_q[48*p +: 48], 6'd0});
        end
      end
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      cnt_xoff_o      <= '0;
      cnt_xon_o       <= '0;
      cnt_paused_ps_o <= '0;
    end else if (clear_i) begin
      cnt_xoff_o      <= '0;
      cnt_xon_o       <= '0;
      cnt_paused_ps_o <= '0;
    end else if (moves) begin
      cnt_xoff_o      <= cnt_xoff;
      cnt_xon_o       <= cnt_xon;
      cnt_paused_ps_o <= cnt_paused_ps;
    end
  end

  assign paused_o = paused_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      start_o <= '0;
      end_o   <= '0;
    end else begin
      start_o <= starts;
      end_o   <= ends;
    end
  end

  always_ff @(posedge clk_i) begin
    event_time_o <= last_now_q;
  end

endmodule
