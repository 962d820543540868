// Bits of another clock, two registers later. Each bit by itself: several that change together may
// arrive a clock apart.
`include "plumb_simulated.svh"

module plumb_sync #(
  parameter int unsigned  W = 1,
  parameter logic [W-1:0] Reset = '0
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic [W-1:0] d_i,
  output      logic [W-1:0] q_o
);

  (* ASYNC_REG = "TRUE" *) logic [W-1:0] first_q;
  (* ASYNC_REG = "TRUE" *) logic [W-1:0] second_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      second_q <= Reset;
      first_q  <= Reset;
    end else begin
      second_q <= first_q;
      first_q  <= d_i;
    end
  end

  assign q_o = second_q;

endmodule
