// A counter of 64 bits of which halves are written. No carry chain is longer than 32 bits: whether
// the low half is about to wrap is known a clock ahead. A write comes after what is counted in its
// clock: the half that is written takes the value, the other one counts.
module plumb_core_counter (
  input  wire logic        clk_i,      // clock
  input  wire logic        rst_ni,     // reset, active low
  input  wire logic        count_i,    // count one
  input  wire logic        we_low_i,   // write wdata_i to bits 31:0
  input  wire logic        we_high_i,  // write wdata_i to bits 63:32
  input  wire logic [31:0] wdata_i,    // what is written
  output      logic [63:0] value_o     // the count
);

  logic [31:0] low_q, high_q, low_next, low_d;
  logic        ones_q;  // the low half is all ones

  assign low_next = low_q + 32'd1;
  assign low_d    = we_low_i ? wdata_i : count_i ? low_next : low_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      low_q  <= '0;
      high_q <= '0;
      ones_q <= 1'b0;
    end else begin
      low_q  <= low_d;
      ones_q <= &low_d;
      if (we_high_i)                           high_q <= wdata_i;
      else if (count_i && ones_q) high_q <= high_q + 32'd1;
    end
  end

  assign value_o = {high_q, low_q};

endmodule
