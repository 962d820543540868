// Asks for PFC frames at fixed times: a storm of count_i frames (0: endless), one every period_i
// ps, the first at time_i (0: at once). Times are local times.
//
// The times are an absolute grid. want_o rises in the clock from which on a frame that is taken
// crosses the MAC boundary at its time or, as clock edges fall, up to one clock later;
// crossing_time_i is that crossing time (plumb_tx). When the wire is busy the frame waits for it,
// and those behind it catch up, one every four clocks at most. A storm whose time is past when it
// is started begins at once, which late_o (one clock) tells.
`include "plumb_simulated.svh"

module plumb_fc_storm (
  // Clock and reset (active low)
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [63:0] crossing_time_i,  // earliest time at the MAC if taken now, ps

  // Commands
  input  logic        start_i,   // pulse, with the next three
  input  logic        stop_i,    // pulse
  input  logic [63:0] time_i,    // of the first frame, signed ps; 0: at once
  input  logic [31:0] period_i,  // ps between two frames
  input  logic [31:0] count_i,   // frames, 0: endless

  // Frames
  output logic        want_o,    // level: a frame is wanted
  input  logic        taken_i,   // pulse: it is taken

  // Observation
  output logic        active_o,  // level: frames are still to go
  output logic [31:0] left_o,    // frames still to go, if not endless
  output logic        late_o     // pulse: it was started after its time
);

  // crossing_time_i of the next clock is at least this much later.
  localparam int unsigned StepPs = plumb_pkg::ClockPeriodNum / plumb_pkg::ClockPeriodDen;

  logic        active_q, endless_q, want_q;
  logic [31:0] left_q;
  logic [63:0] due_q;            // a step before the next frame's time
  logic [63:0] first_due;

  // The sign of a difference: local time is below zero for a card time below the offset.
  logic past, reached;
  assign first_due = time_i - 64'(StepPs);
  assign past      = signed'(first_due - crossing_time_i) < 64'sd0;
  assign reached   = signed'(crossing_time_i - due_q) >= 64'sd0;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      active_q  <= 1'b0;
      endless_q <= 1'b0;
      want_q    <= 1'b0;
      left_q    <= '0;
      late_o    <= 1'b0;
    end else begin
      late_o <= start_i && time_i != '0 && past;
      if (start_i) begin
        active_q  <= 1'b1;
        endless_q <= count_i == '0;
        left_q    <= count_i;
        want_q    <= 1'b0;
      end else if (stop_i) begin
        active_q <= 1'b0;
        want_q   <= 1'b0;
      end else if (taken_i) begin
        active_q <= endless_q || left_q != 32'd1;
        left_q   <= left_q - 32'd1;
        want_q   <= 1'b0;
      end else if (active_q && !want_q) begin
        want_q   <= reached;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      due_q <= (time_i == '0 || past) ? crossing_time_i : first_due;
    end else if (taken_i) begin
      due_q <= due_q + 64'(period_i);
    end
  end

  assign want_o   = want_q;
  assign active_o = active_q;
  assign left_o   = left_q;

endmodule
