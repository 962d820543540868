// Descriptor of each sent frame for the capture tap: departure time and length.
//
// Watches the beats that cross to the MAC. The descriptor follows the last beat by three clocks.
`include "plumb_simulated.svh"

module plumb_tx_descriptor (
  // Clock and reset (active low)
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  input  wire logic [63:0] offset_i,          // card time - local time, ps

  // Sent beats
  input  wire logic        beat_i,            // a beat crosses to the MAC in this clock, with the
                                              // next four
  input  wire logic        sof_i,             // first beat of its frame
  input  wire logic        tlast_i,
  input  wire logic [63:0] tkeep_i,           // per byte; all ones but in a last beat
  input  wire logic [63:0] departure_i,       // with the first beat: local time in ps

  // Descriptor
  output      logic        desc_valid_o,      // pulse, with the next two
  output      logic [63:0] desc_timestamp_o,  // departure, card time in ps
  output      logic [15:0] desc_length_o      // bytes with FCS
);

  // Stage 1: what the last beat ends.
  logic [9:0]  beats_q;    // full beats before the last one
  logic [63:0] keep_q;
  logic [63:0] departure_q;
  logic        last_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
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

  // Stages 2 and 3: bytes of the last beat, and the sum.
  logic [6:0]  bytes_q;
  logic [9:0]  beats2_q;
  logic [63:0] departure2_q;
  logic        last2_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      bytes_q <= '0;
      beats2_q <= '0;
      departure2_q <= '0;
      last2_q <= 1'b0;
      desc_valid_o <= 1'b0;
      desc_timestamp_o <= '0;
      desc_length_o <= '0;
    end else begin
      last2_q <= last_q;
      if (last_q) begin
        bytes_q <= plumb_pkg::kept_bytes(keep_q);
        beats2_q <= beats_q;
        departure2_q <= departure_q;
      end
      desc_valid_o <= last2_q;
      if (last2_q) begin
        desc_timestamp_o <= departure2_q + offset_i;
        desc_length_o <= {beats2_q, 6'b0} + 16'(bytes_q);
      end
    end
  end

endmodule
