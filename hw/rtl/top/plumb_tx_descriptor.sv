// Descriptor of each sent frame for the capture tap: departure time and length.
//
// Watches the beats that cross to the MAC. The descriptor follows the last beat by three clocks.
module plumb_tx_descriptor (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        beat_i,          // a beat crosses to the MAC in this clock
  input  wire logic        sof_i,
  input  wire logic        tlast_i,
  input  wire logic [63:0] tkeep_i,
  input  wire logic [63:0] departure_i,     // valid with the first beat
  output      logic        desc_valid_o,
  output      logic [63:0] desc_timestamp_o,
  output      logic [15:0] desc_length_o
);

  // Stage 1: what the last beat ends.
  logic [9:0]  beats_q;    // full beats before the last one
  logic [63:0] keep_q;
  logic [63:0] departure_q;
  logic        last_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beats_q <= '0;
      keep_q <= '0;
      departure_q <= '0;
      last_q <= 1'b0;
    end else begin
      last_q <= beat_i && tlast_i;
      if (beat_i) begin
        beats_q <= sof_i ? '0 : beats_q + 10'd1;
        keep_q <= tkeep_i;
        if (sof_i) departure_q <= departure_i;
      end
    end
  end

  // Number of bytes of a contiguous tkeep: where its ones end.
  function automatic logic [6:0] keep_bytes(input logic [63:0] keep);
    keep_bytes = keep[63] ? 7'd64 : 7'd0;
    for (int unsigned i = 0; i < 63; i++) begin
      if (keep[i] && !keep[i+1]) keep_bytes = keep_bytes | 7'(i + 1);
    end
  endfunction

  // Stages 2 and 3: bytes of the last beat, and the sum.
  logic [6:0]  bytes_q;
  logic [9:0]  beats2_q;
  logic [63:0] departure2_q;
  logic        last2_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bytes_q <= '0;
      beats2_q <= '0;
      departure2_q <= '0;
      last2_q <= 1'b0;
      desc_valid_o <= 1'b0;
      desc_timestamp_o <= '0;
      desc_length_o <= '0;
    end else begin
      bytes_q <= keep_bytes(keep_q);
      beats2_q <= beats_q;
      departure2_q <= departure_q;
      last2_q <= last_q;
      desc_valid_o <= last2_q;
      desc_timestamp_o <= departure2_q;
      desc_length_o <= {beats2_q, 6'b0} + 16'(bytes_q);
    end
  end

endmodule
