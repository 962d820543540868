// Times of the edges of a pulse-per-second input.
//
// An edge counts if the input then stays at its new level for debounce_i clocks, and has been at the
// other for as many. Its times are those of the clock edge that first sampled the new level; they and
// count_o change when it counts.
`include "plumb_simulated.svh"

module plumb_pps_in (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        enable_i,
  input  wire logic        falling_i,        // falling edges count, else rising ones
  input  wire logic [7:0]  debounce_i,       // clocks; 0 is 1
  input  wire logic [63:0] now_i,            // local time of the edge that begins the clock [ps]
  input  wire logic [63:0] offset_i,         // card time - local time [ps]
  input  wire logic        pps_i,            // any clock
  output      logic [31:0] count_o,
  output      logic [63:0] local_o,          // of the last edge that counted [ps]
  output      logic [63:0] time_o            // the same as card time [ps]
);

  // What is seen in this clock was sampled a clock before the edge that begins it.
  localparam int unsigned PeriodPs = plumb_pkg::ClockPeriodNum / plumb_pkg::ClockPeriodDen;

  logic pin;

  plumb_sync u_sync (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .d_i    (pps_i),
    .q_o    (pin)
  );

  logic        level_q;      // the level that counts
  logic        before_q;     // the pin a clock ago
  logic        done_q;       // debounce_i clocks at a new level
  logic [7:0]  same_q;       // clocks at the present level
  logic        counts_q;
  logic [63:0] local_q, time_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      level_q  <= 1'b0;
      before_q <= 1'b0;
      done_q   <= 1'b0;
      same_q   <= '0;
      counts_q <= 1'b0;
      count_o  <= '0;
    end else if (enable_i) begin
      before_q <= pin;
      if (pin != before_q)        same_q <= 8'd1;
      else if (same_q != 8'd255)  same_q <= same_q + 8'd1;
      done_q   <= before_q != level_q && same_q >= ((debounce_i == 8'd0) ? 8'd1 : debounce_i) &&
                  !done_q;
      counts_q <= done_q && level_q == falling_i;
      if (done_q)   level_q <= !level_q;
      if (counts_q) count_o <= count_o + 32'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (enable_i && pin != before_q && pin != level_q && !done_q) begin
      local_q <= now_i - 64'(PeriodPs);
      time_q  <= now_i + offset_i;
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      local_o <= '0;
      time_o  <= '0;
    end else if (enable_i && counts_q) begin
      local_o <= local_q;
      time_o  <= time_q - 64'(PeriodPs);
    end
  end

endmodule
