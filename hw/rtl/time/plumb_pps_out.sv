// A pulse at every whole second of card time.
//
// pps_o rises with the first clock edge that is not before the second (to two ps), and stays for
// width_i clocks. What the next second is follows the card time by itself: after a jump it is
// searched, a second per four clocks (12 ns), without pulses. A second that a step of more than 16 ns
// leaves out has no pulse; one that a step goes back over has a second one.
`include "plumb_simulated.svh"

module plumb_pps_out (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        enable_i,
  input  wire logic [27:0] width_i,          // clocks; 0 is 1
  input  wire logic [63:0] now_i,            // local time of the edge that begins the clock [ps]
  input  wire logic [63:0] offset_i,         // card time - local time [ps]
  output      logic        pps_o,
  output      logic [31:0] count_o           // pulses
);

  localparam logic [63:0] SecondPs = 64'd1_000_000_000_000;
  // From now_i to pps_o there are three clocks.
  localparam int unsigned LeadPs = 3 * plumb_pkg::ClockPeriodNum / plumb_pkg::ClockPeriodDen;
  // A second that lies further back was jumped over: 2^14 ps, five clocks.
  localparam int unsigned NearLog2 = 14;

  logic [63:0] card_q, next_q, over, under_q;
  logic        passed, passed_q, near_q, before_q, pulse;
  logic        unused_over;
  logic [1:0]  settle_q;         // clocks until the comparisons know next_q
  logic [27:0] left_q;

  // next_q is LeadPs ahead of the second.
  always_comb begin
    `PLUMB_ANY(passed)
    `PLUMB_ANY(over)
    if (enable_i) begin
      passed = card_q >= next_q;
      over   = card_q - next_q;
    end
  end

  assign unused_over = ^over[NearLog2-1:0];

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      card_q              <= now_i + offset_i;
      passed_q            <= passed;
      near_q              <= over[63:NearLog2] == '0;
      before_q            <= next_q < card_q;
      under_q             <= next_q - card_q;
    end
  end

  assign pulse = enable_i && settle_q == 2'd0 && passed_q && near_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      next_q   <= SecondPs - 64'(LeadPs);
      settle_q <= 2'd3;
      pps_o    <= 1'b0;
      left_q   <= '0;
      count_o  <= '0;
    end else if (!enable_i) begin
      settle_q <= 2'd3;
      pps_o    <= 1'b0;
    end else begin
      if (settle_q != 2'd0) begin
        settle_q <= settle_q - 2'd1;
      end else if (passed_q) begin
        next_q   <= next_q + SecondPs;
        settle_q <= 2'd3;
      end else if (!before_q && under_q > SecondPs) begin
        next_q   <= next_q - SecondPs;
        settle_q <= 2'd3;
      end
      if (pulse) begin
        pps_o   <= 1'b1;
        left_q  <= (width_i == '0) ? 28'd1 : width_i;
        count_o <= count_o + 32'd1;
      end else if (left_q == 28'd1) begin
        pps_o   <= 1'b0;
        left_q  <= '0;
      end else if (left_q != '0) begin
        left_q  <= left_q - 28'd1;
      end
    end
  end

endmodule
