// A reset for another clock: it begins at once, also without that clock, and ends with its third
// edge after rst_ni.
module plumb_reset_sync (
  input  wire logic clk_i,
  input  wire logic rst_ni,
  output      logic rst_no
);

  (* ASYNC_REG = "TRUE" *) logic [2:0] stage_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stage_q <= '0;
    else         stage_q <= {stage_q[1:0], 1'b1};
  end

  assign rst_no = stage_q[2];

endmodule
