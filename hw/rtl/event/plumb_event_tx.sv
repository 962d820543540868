// An event frame to be sent: its bytes, and the time at which it leaves.
//
// send_i asks the gate for the frame (valid_o until ready_i), like other control frames of the card;
// the builder reads the bytes by beats. The frame is known again behind the link-level retry
// (taken_*), PathClocks or more before the MAC, by its user_t; from there on by its departure, which
// no two frames share.
//
// time_o and local_o are its departure at the reference point: that of the model of the wire, or, if
// the frame crosses to the MAC later than that, the time of the crossing (plumb_tx_slip counts it as
// displaced). sent_o counts with them, four clocks behind the crossing, and busy_o falls. A frame that
// has not crossed after 2^16 clocks in which the MAC took what it was offered is lost.
`include "plumb_simulated.svh"

module plumb_event_tx (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic [63:0]  now_i,              // local time of the edge that begins the clock [ps]
  input  wire logic [63:0]  offset_i,           // card time - local time [ps]
  input  wire logic [31:0]  ts_offset_i,        // signed ps from the MAC boundary to the reference
                                                // point
  // Firmware
  input  wire logic         word_we_i,          // pulse: write a word
  input  wire logic [4:0]   word_i,             // which
  input  wire logic [31:0]  data_i,
  input  wire logic         send_i,             // pulse; ignored while busy_o
  input  wire logic [7:0]   bytes_i,            // with send_i: length without FCS, 60 to 128

  // To the gate, and to the builder
  output      logic         valid_o,            // level until ready_i
  input  wire logic         ready_i,
  output      logic [13:0]  length_o,           // bytes with FCS
  input  wire logic [1:0]   beat_i,             // beat of the frame
  output      logic [511:0] beat_data_o,        // combinational, byte 0 in bits 7:0

  // Frames behind the link-level retry
  input  wire logic         taken_i,            // level: a beat of a frame with user_t.timed crosses
  input  wire logic [63:0]  taken_departure_i,  // of that frame; local time at the reference point

  // Frames at the MAC
  input  wire logic         stalled_i,          // level: the MAC does not take what it is offered
  input  wire logic         first_i,            // pulse: the first beat of a frame crosses
  input  wire logic [63:0]  departure_i,        // with first_i: its departure

  output      logic         busy_o,
  output      logic         lost_o,             // level: the last frame was lost
  output      logic [31:0]  sent_o,
  output      logic [63:0]  time_o,             // card time [ps]
  output      logic [63:0]  local_o             // local time [ps]
);

  localparam logic [7:0] LeastBytes = 8'(plumb_pkg::MinFrameBytes - 4);
  localparam logic [7:0] MostBytes = 8'd128;
  // As in plumb_tx_slip: card time has no fraction.
  localparam logic [63:0] Tolerance = 64'd2;
  localparam int unsigned PeriodPs = plumb_pkg::ClockPeriodNum / plumb_pkg::ClockPeriodDen;

  // ---- Bytes: a word is written, a beat is read ----
  (* ram_style = "distributed" *)
  logic [511:0] beats [0:1];

  always_ff @(posedge clk_i) begin
    if (word_we_i) begin
      for (int unsigned w = 0; w < 16; w++) begin
        if (word_i[3:0] == 4'(w)) beats[word_i[4]][32*w+:32] <= data_i;
      end
    end
  end

  always_comb begin
    `PLUMB_ANY(beat_data_o)
    if (busy_o) beat_data_o = beats[beat_i[0]];
  end

  logic unused_beat;
  assign unused_beat = beat_i[1];   // the third beat has the FCS alone

  // ---- From the request to the crossing ----
  logic        known_q, match, crossed1_q, crossed2_q, crossed3_q;
  logic [63:0] expected_q, raw_q, cross_q, excess_q, reference_q;
  logic [16:0] patience_q;

  logic [7:0] bytes;
  assign bytes = (bytes_i < LeastBytes) ? LeastBytes : (bytes_i > MostBytes) ? MostBytes : bytes_i;

  assign match = busy_o && known_q && first_i && departure_i == expected_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      valid_o    <= 1'b0;
      busy_o     <= 1'b0;
      lost_o     <= 1'b0;
      length_o   <= '0;
      known_q    <= 1'b0;
      crossed1_q <= 1'b0;
      crossed2_q <= 1'b0;
      crossed3_q <= 1'b0;
      patience_q <= '0;
      sent_o     <= '0;
    end else begin
      crossed1_q <= match && !crossed1_q && !crossed2_q && !crossed3_q;
      crossed2_q <= crossed1_q;
      crossed3_q <= crossed2_q;
      if (send_i && !busy_o) begin
        valid_o    <= 1'b1;
        busy_o     <= 1'b1;
        lost_o     <= 1'b0;
        known_q    <= 1'b0;
        patience_q <= '0;
        length_o   <= 14'd4 + 14'(bytes);
      end else if (busy_o) begin
        if (ready_i) valid_o <= 1'b0;
        if (taken_i) known_q <= 1'b1;
        if (!stalled_i) patience_q <= patience_q + 17'd1;
        if (crossed3_q) begin
          busy_o <= 1'b0;
          sent_o <= sent_o + 32'd1;
        end else if (patience_q[16] && !valid_o && !match && !crossed1_q && !crossed2_q) begin
          busy_o <= 1'b0;
          lost_o <= 1'b1;
        end
      end
    end
  end

  logic [63:0] ts_offset, reference_d, cross_reference_q;
  assign ts_offset   = {{32{ts_offset_i[31]}}, ts_offset_i};
  assign reference_d = (!excess_q[63] && excess_q > Tolerance) ? cross_reference_q : expected_q;

  always_ff @(posedge clk_i) begin
    if (taken_i && !known_q) expected_q <= taken_departure_i;
    if (known_q) raw_q <= expected_q - ts_offset;
    if (match) cross_q <= now_i + 64'(PeriodPs);
    if (crossed1_q) begin
      excess_q          <= cross_q - raw_q;
      cross_reference_q <= cross_q + ts_offset;
    end
    if (crossed2_q) reference_q <= reference_d;
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      time_o  <= '0;
      local_o <= '0;
    end else if (crossed3_q) begin
      time_o  <= reference_q + offset_i;
      local_o <= reference_q;
    end
  end

endmodule
