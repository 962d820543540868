// Decides for every priority of the virtual receive buffer whether the sender is to be paused: XOFF
// at xoff_i cells or more, XON at xon_i cells or fewer, XOFF again every refresh_i clocks while it
// lasts. A priority that is disabled while paused gets an XON.
//
// A priority is looked at once in eight clocks, and in the clock after a frame was taken
// into it (taken_i); want_*_o follow two clocks later and stay until the PFC frame that carries
// them goes (sent_i with its mask sent_mask_i).
`include "plumb_simulated.svh"

module plumb_fc_watermark (
  // Clock and reset (active low)
  input  logic            clk_i,
  input  logic            rst_ni,

  // Configuration: levels
  input  logic [7:0]      enable_i,          // one bit per priority
  input  logic [8*32-1:0] xoff_i,            // cells by priority, 20 bits in 32 each
  input  logic [8*32-1:0] xon_i,             // cells by priority, 20 bits in 32 each
  input  logic [31:0]     refresh_i,         // clocks until an XOFF is repeated

  // The virtual receive buffer
  input  logic [8*20-1:0] fill_i,            // 20 bits per priority: cells in use
  input  logic            taken_i,           // pulse: a frame was taken in
  input  logic [2:0]      taken_priority_i,  // with taken_i

  // PFC; masks have one bit per priority
  input  logic            sent_i,            // pulse: a frame with what was wanted goes
  input  logic [7:0]      sent_mask_i,       // with sent_i: priorities in it
  output logic [7:0]      want_xoff_o,       // mask, level: XOFF is wanted
  output logic [7:0]      want_xon_o         // mask, level: XON is wanted
);

  logic            over_q, under_q, refresh_q, active, enabled_q;
  logic [2:0]      turn_q, look, look_q;
  logic [31:0]     clock_q;
  logic [8*32-1:0] sent_at_q;    // clock of the last XOFF
  logic [31:0]     age;
  logic [19:0]     look_fill;
  logic [7:0]      off_q, want_xoff_q, want_xon_q;

  assign active = enabled_q || (|off_q);

  // A level of the configuration: a clock later does.
  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) enabled_q <= 1'b0;
    else         enabled_q <= |enable_i;
  end

  always_comb begin
    age       = '0;
    look_fill = '0;
    if (active) begin
      age       = clock_q - sent_at_q[32*look +: 32];
      look_fill = plumb_pkg::pick20(fill_i, look);
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      clock_q   <= '0;
      turn_q    <= '0;
      over_q    <= 1'b0;
      under_q   <= 1'b0;
      refresh_q <= 1'b0;
      look      <= '0;
      look_q    <= '0;
    end else if (active) begin
      clock_q   <= clock_q + 32'd1;
      turn_q    <= turn_q + 3'd1;
      look      <= taken_i ? taken_priority_i : turn_q + 3'd1;
      over_q    <= look_fill >= xoff_i[32*look +: 20];
      under_q   <= look_fill <= xon_i[32*look +: 20];
      refresh_q <= age >= refresh_i;
      look_q    <= look;
    end
  end

  // The verdict on look_q. XON wins over XOFF should both thresholds be met.
  logic on, off, again;
  assign off   = active && enable_i[look_q] && !off_q[look_q] && over_q && !under_q;
  assign on    = active && off_q[look_q] && (under_q || !enable_i[look_q]);
  assign again = active && off_q[look_q] && !on && refresh_q;

  logic [7:0] mine, sent, starts, stops, repeats;
  assign sent    = sent_i ? sent_mask_i : '0;
  assign mine    = 8'd1 << look_q;
  assign starts  = off ? mine : '0;
  assign stops   = on ? mine : '0;
  assign repeats = again ? mine : '0;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      off_q       <= '0;
      want_xoff_q <= '0;
      want_xon_q  <= '0;
    end else if (active) begin
      off_q       <= (off_q | starts) & ~stops;
      want_xoff_q <= starts | repeats | (want_xoff_q & ~sent & ~stops);
      want_xon_q  <= stops | (want_xon_q & ~sent & ~starts);
    end else begin
      want_xon_q  <= want_xon_q & ~sent;
    end
  end

  always_ff @(posedge clk_i) begin
    if (off || again) begin
      for (int unsigned p = 0; p < 8; p++) begin
        if (mine[p]) sent_at_q[32*p +: 32] <= clock_q;
      end
    end
  end

  assign want_xoff_o = want_xoff_q;
  assign want_xon_o  = want_xon_q;

endmodule
