// The common start: makes the schedulers of all ports live together.
//
// arm_i takes start_time_i, a card time. The epoch is the local time at which card time will be that:
// start_time_i - offset_i, which it follows until it is used. The schedulers are made live (running_o)
// 8 microseconds ahead of it, so that their pipelines are filled when the first frame is due; from
// then on it stays. They hold each frame until its time themselves. If less than 1 microsecond is left when arming, the first frames may
// leave late: late_start_o pulses. stop_i ends it at once and wins over arm_i; arm_i while armed or
// running starts anew.
//
//        now:   ... epoch - 8 us          epoch
//   armed_o   ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\_______________________
//   running_o _______________/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾ until stop_i
//
// Latency: running_o rises at most four clocks after arm_i or after its time; late_start_o two
// clocks after arm_i.
`include "plumb_simulated.svh"

module plumb_start (
  // Clock, reset (active low), card time
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [63:0] now_i,         // local time of the edge that begins the clock, ps
  input  wire logic [63:0] offset_i,      // card time - local time, 8 us ahead, ps

  // Commands
  input  wire logic        arm_i,         // pulse: takes start_time_i as the epoch
  input  wire logic        stop_i,        // pulse: ends it at once
  input  wire logic [63:0] start_time_i,  // card time of the start, ps

  // To all ports
  output      logic [63:0] epoch_o,       // epoch of all schedules, local time in ps
  output      logic        armed_o,       // level: waits for the epoch
  output      logic        running_o,     // level: schedulers are live
  output      logic        late_start_o   // pulse: less than 1 us was left
);

  localparam logic [63:0] LeadPs = 64'd8_000_000;
  localparam logic [63:0] LateLeadPs = 64'd1_000_000;

  // Sum and comparison each have a clock of their own. The comparison is the sign of a difference:
  // a small epoch does not wrap, and one below zero, of a card time below the offset, is long past.
  logic [63:0] now_lead_q, now_late_q;
  logic        live_q;      // the time for running has come
  logic [1:0]  arming_q;    // one clock after arm_i in bit 0: the epoch is there; bit 1: live_q too

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      now_lead_q <= '0;
      now_late_q <= '0;
      live_q <= 1'b0;
      arming_q <= '0;
      late_start_o <= 1'b0;
    end else begin
      now_lead_q <= now_i + LeadPs;
      now_late_q <= now_i + LateLeadPs;
      live_q <= signed'(now_lead_q - epoch_o) >= 64'sd0;
      arming_q <= {arming_q[0], arm_i && !stop_i};
      late_start_o <= arming_q[0] && signed'(epoch_o - now_late_q) < 64'sd0;
    end
  end

  logic [63:0] start_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      start_q <= '0;
      epoch_o <= '0;
      armed_o <= 1'b0;
      running_o <= 1'b0;
    end else if (stop_i) begin
      armed_o <= 1'b0;
      running_o <= 1'b0;
    end else if (arm_i) begin
      start_q <= start_time_i;
      epoch_o <= start_time_i - offset_i;
      armed_o <= 1'b1;
      running_o <= 1'b0;
    end else if (armed_o && arming_q == 2'b00 && live_q) begin
      armed_o <= 1'b0;
      running_o <= 1'b1;
    end else if (armed_o) begin
      epoch_o <= start_q - offset_i;
    end
  end

endmodule
