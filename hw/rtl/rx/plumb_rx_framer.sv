// Entry of the receiver: registers the stream, finds frame starts, numbers the beats, counts the
// bytes of the frame and takes its timestamp.
//
// One clock to the outputs, a beat every clock. The timestamp is rx_time_i of the first beat, the
// local time of the cycle in which it was at the MAC boundary, plus ts_offset_i and offset_i.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_rx_framer (
  // Clock and reset (active low)
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [31:0]         ts_offset_i,  // signed ps from MAC to reference point
  input  logic [63:0]         offset_i,     // signed ps from local to card time

  // AXI4-Stream without tready, frames with FCS
  input  logic [511:0]        rx_tdata_i,   // byte 0 in bits 7:0
  input  logic [63:0]         rx_tkeep_i,   // per byte; all ones but in a last beat
  input  logic                rx_tvalid_i,
  input  logic                rx_tlast_i,
  input  logic [63:0]         rx_time_i,    // of the first beat at the MAC; card time, ps

  // Beats, one clock later
  output logic                valid_o,      // a beat, with the next two
  output plumb_rx_pkg::beat_t beat_o,       // place in the frame, length, timestamp
  output logic [511:0]        data_o        // byte 0 in bits 7:0
);

  logic         inside_q;      // the next beat continues a frame
  logic [25:0]  beats_q;       // beats of the frame before the next one, saturating
  logic [25:0]  beats;
  logic [63:0]  stamp;
  logic [63:0]  add_q;         // all that is added to a timestamp

  logic         valid_q;
  logic         first_q;
  logic         last_q;
  logic [6:0]   bytes_q;
  logic [25:0]  index_q;
  logic [63:0]  stamp_q;
  logic [511:0] data_q;

  assign beats = inside_q ? beats_q : 26'd0;
  assign stamp = rx_time_i + add_q;

  always_ff @(posedge clk_i) begin
    add_q <= {{32{ts_offset_i[31]}}, ts_offset_i} + offset_i;
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      valid_q  <= 1'b0;
    end else begin
      valid_q <= rx_tvalid_i;
      if (rx_tvalid_i) inside_q <= !rx_tlast_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rx_tvalid_i) begin
      beats_q <= (&beats) ? beats : beats + 26'd1;
      first_q <= !inside_q;
      last_q  <= rx_tlast_i;
      bytes_q <= rx_tlast_i ? plumb_pkg::kept_bytes(rx_tkeep_i) : 7'd64;
      index_q <= beats;
      data_q  <= rx_tdata_i;
      if (!inside_q) stamp_q <= stamp;
    end
  end

  assign valid_o = valid_q;
  assign data_o  = data_q;

  always_comb begin
    `PLUMB_ANY(beat_o)
    if (valid_q) begin
      beat_o.stamp = stamp_q;
      // Only a saturated count can carry out of 32 bits; it stays one byte below.
      beat_o.length = {index_q, 6'd0} + ((&index_q) ? 32'd63 : {25'd0, bytes_q});
      beat_o.index  = index_q[10:0];
      beat_o.bytes  = bytes_q;
      beat_o.last   = last_q;
      beat_o.first  = first_q;
    end
  end

  `PLUMB_ASSERT(TkeepContiguous, !rx_tvalid_i ||
                (rx_tkeep_i[0] && ((rx_tkeep_i & (rx_tkeep_i + 64'd1)) == 64'd0)))
  `PLUMB_ASSERT(TkeepFullBeforeLast, !rx_tvalid_i || rx_tlast_i || (&rx_tkeep_i))

endmodule
