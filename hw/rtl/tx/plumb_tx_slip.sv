// Departures when the MAC does not take a beat (it may pause around the alignment markers of its
// lanes): counts frames that cross to the MAC late, and corrects the gate's model of the wire for
// frames that are still to be decided on.
//
// A frame's first beat crosses the MAC boundary at its departure, or up to a clock before it if the
// wire is busy. One that crosses later is displaced: its tag has the departure that was meant, since
// the tag was written long before, and so have those of the frames right behind it that were
// decided on already. Each is counted. The first of them tells the gate, once (shift_*), that its
// wire is free so much later. Frames decided on from then on have their true departure. While the
// MAC takes every beat this block has no influence.
//
// Frames decided on after a shift are known by their departure: horizon, the time from which on the
// wire was free after it. Three clocks from crossing to shift_valid_o, which stays until
// shift_taken_i. Link-level retry makes frames wait, and counts them itself (quiet_i).
`include "plumb_simulated.svh"

module plumb_tx_slip (
  // Clock, reset (active low), card time
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,                // pulse: zeroes counters
  input  logic [63:0] now_i,                  // ps, of the edge that begins the clock
  input  logic [31:0] ts_offset_i,            // ps from the MAC boundary to the reference point
  input  logic        quiet_i,                // level: no frame counts as displaced

  // Frames at the MAC boundary
  input  logic        first_i,                // pulse: the first beat of a frame crosses
  input  logic [63:0] departure_i,            // with first_i: card time in its tag, ps

  // To the gate
  output logic        shift_valid_o,          // level until shift_taken_i
  output logic [63:0] shift_ps_o,             // ps
  input  logic        shift_taken_i,          // pulse
  input  logic [63:0] wire_free_i,            // ps, with the shift that was taken in the clock before

  // Counters since reset or clear_i
  output logic [63:0] cnt_displaced_o,        // frames
  output logic [63:0] cnt_displaced_max_ps_o  // largest displacement, ps
);

  // Card time has no fraction: a departure may be a picosecond early, and a clock one longer.
  localparam logic [63:0] Tolerance = 64'd2;
  localparam int unsigned PeriodPs = plumb_pkg::ClockPeriodNum / plumb_pkg::ClockPeriodDen;

  logic        first1_q, first2_q, taken_q, settling_q, decided_before_q, displaced;
  logic [63:0] raw1_q, cross1_q, excess2_q, horizon_q;

  assign displaced = first2_q && !excess2_q[63] && excess2_q > Tolerance;

  always_ff @(posedge clk_i) begin
    raw1_q           <= departure_i - {{32{ts_offset_i[31]}}, ts_offset_i};
    cross1_q         <= now_i + 64'(PeriodPs);
    excess2_q        <= cross1_q - raw1_q;
    decided_before_q <= raw1_q < horizon_q;
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      first1_q               <= 1'b0;
      first2_q               <= 1'b0;
      taken_q                <= 1'b0;
      settling_q             <= 1'b0;
      horizon_q              <= '0;
      shift_valid_o          <= 1'b0;
      shift_ps_o             <= '0;
      cnt_displaced_o        <= '0;
      cnt_displaced_max_ps_o <= '0;
    end else begin
      first1_q <= first_i && !quiet_i;
      first2_q <= first1_q;
      taken_q  <= shift_valid_o && shift_taken_i;
      settling_q <= taken_q;  // decided_before_q knows the new horizon a clock later
      if (taken_q) horizon_q <= wire_free_i;
      if (shift_taken_i) begin
        shift_valid_o <= 1'b0;
      end else if (displaced && !decided_before_q && !shift_valid_o && !taken_q &&
                   !settling_q) begin
        shift_valid_o <= 1'b1;
        shift_ps_o    <= excess2_q;
      end
      if (clear_i) begin
        horizon_q              <= '0;
        cnt_displaced_o        <= '0;
        cnt_displaced_max_ps_o <= '0;
      end else if (displaced) begin
        cnt_displaced_o <= cnt_displaced_o + 64'd1;
        if (excess2_q > cnt_displaced_max_ps_o) cnt_displaced_max_ps_o <= excess2_q;
      end
    end
  end

endmodule
