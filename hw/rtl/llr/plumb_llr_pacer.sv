// How far the line is behind what LLR has sent to the MAC.
//
// The backlog in ps: each beat adds the line time of its bytes, a frame's last beat also that of
// preamble and gap; each clock takes off its own length, exactly (102400/33 ps). A beat is added
// Lag clocks after it was sent, and free_o allows for that: of what had been sent by then, the line
// has less than 4096 ps left now. A sender that starts frames only while free_o is high does not
// fill the MAC (by more than the frames of the last Lag clocks), and never holds up frames that the
// gate has paced, which go less than a clock before the line is free.
`include "plumb_simulated.svh"

module plumb_llr_pacer (
  // Clock and reset (active low)
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        enable_i,        // level: beats are counted and time passes
  input  logic [31:0] byte_time_ps_i,  // ps per byte on the wire; bits 15:0 are used

  // Beats that the MAC takes
  input  logic        beat_i,          // a beat, with the next two
  input  logic        last_i,          // of its frame
  input  logic [6:0]  bytes_i,         // bytes in it, 1 to 64
  output logic        free_o           // level: the line has less than 4096 ps left to send
);

  localparam int unsigned Lag = 3;
  localparam int unsigned PeriodPs = plumb_pkg::ClockPeriodNum / plumb_pkg::ClockPeriodDen;
  // Clocks of every ClockPeriodDen that are a picosecond longer.
  localparam int unsigned Longer = plumb_pkg::ClockPeriodNum % plumb_pkg::ClockPeriodDen;
  // What is left is kept as its distance from the limit, so that free_o is its sign.
  localparam logic signed [31:0] Empty = -32'(4096 + Lag * PeriodPs);

  logic        unused_byte_time;
  assign unused_byte_time = ^byte_time_ps_i[31:16];

  // Byte times up to 65 ns, 2^31 ps to send at most: a MAC does not take more.
  logic        cost1_q, cost2_q;
  logic [6:0]  bytes_q;
  logic        last_q;
  logic [22:0] bytes, cost, cost_q;
  logic signed [31:0] over_q, paid, left;
  logic [5:0]  phase_q;

  assign paid  = (phase_q < 6'(Longer)) ? 32'(PeriodPs + 1) : 32'(PeriodPs);
  assign bytes = 23'(bytes_q) + (last_q ? 23'(plumb_pkg::WireOverheadBytes) : 23'd0);
  assign cost  = bytes * 23'(byte_time_ps_i[15:0]);
  assign left  = (over_q > Empty + paid) ? over_q - paid : Empty;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      cost1_q <= 1'b0;
      cost2_q <= 1'b0;
      over_q  <= Empty;
      phase_q <= '0;
    end else if (enable_i) begin
      cost1_q <= beat_i;
      cost2_q <= cost1_q;
      over_q  <= cost2_q ? left + 32'(cost_q) : left;
      phase_q <= (phase_q == 6'(plumb_pkg::ClockPeriodDen - 1)) ? 6'd0 : phase_q + 6'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (beat_i) begin
      bytes_q <= bytes_i;
      last_q  <= last_i;
    end
    if (cost1_q) begin
      cost_q <= cost;
    end
  end

  assign free_o = over_q[31];

endmodule
