// What becomes of exact departures when the MAC does not take a beat (it may pause around the
// alignment markers of its lanes): how late frames begin to cross to it, and the gate's model of
// the wire put right for those that are still to be decided on.
//
// A frame's first beat crosses the MAC boundary at its departure, or up to a clock before it if the
// wire is busy. One that crosses later is displaced: its tag says the departure that was meant,
// since the tag was written long before, and so are those of the frames right behind it that were
// decided on already. Each is counted. The gate is told of the first of them, once (shift_*): its
// wire is free so much later. What it decides on from then on has the departure that comes true.
// While the MAC takes every beat nothing here has any influence.
//
// Frames decided on after a shift are known by their departure: horizon, the time from which on the
// wire was free after it. Three clocks from crossing to shift_valid_o; it stays until
// shift_taken_i.
// quiet_i: link-level retry makes frames wait, and counts them itself.
`include "plumb_simulated.svh"

module plumb_tx_slip (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,
  input  logic [63:0] now_i,
  input  logic [31:0] ts_offset_i,
  input  logic        quiet_i,
  input  logic        first_i,          // the first beat of a frame crosses the MAC boundary
  input  logic [63:0] departure_i,      // as in its tag
  output logic        shift_valid_o,
  output logic [63:0] shift_ps_o,
  input  logic        shift_taken_i,
  input  logic [63:0] wire_free_i,      // the gate's, with the shift that was taken in the clock before
  output logic [63:0] cnt_displaced_o,
  output logic [63:0] cnt_displaced_max_ps_o
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
