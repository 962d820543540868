// Takes the 18 bytes of the test tag out of the stream, also when they lie in two beats; for MAC
// control frames takes bytes 16 to 33 instead, which are the classes and times of PFC.
//
// body_o is right one clock after the beat with the last of the bytes and holds until the next
// frame's. Whether the frame was long enough to have them is for the reader to check.
module plumb_rx_tag (
  input  logic         clk_i,          // rising edge

  // Beats from plumb_rx_parse_transport
  input  logic         valid_i,        // a beat, with all that follows
  input  logic         first_i,        // of its frame
  input  logic [10:0]  index_i,        // number of the beat in its frame
  input  logic [511:0] data_i,         // byte 0 in bits 7:0
  input  logic         mac_control_i,  // the frame is MAC control
  input  logic [5:0]   tag_word_i,     // the tag is at 4·tag_word_i + 2; right in the beat that has
                                       // it
  output logic [143:0] body_o          // first byte in bits 7:0
);

  // The beat turned so that the tag's first byte comes first: what lies in this beat and what lies
  // in the next one both end up in their place, so that the second beat only has to fill in.
  logic [655:0] turned;
  logic [143:0] window;
  logic         here;
  logic         behind;
  logic [143:0] in_first;   // bytes of the tag that lie in its first beat

  assign turned = {data_i[143:0], data_i};
  assign window = turned[{1'b0, tag_word_i[3:0], 5'd16} +: 144];
  assign here   = index_i == {9'd0, tag_word_i[5:4]};
  assign behind = index_i == {9'd0, tag_word_i[5:4]} + 11'd1;

  always_comb begin
    unique case (tag_word_i[3:0])
      4'd12:   in_first = {{4{8'h00}}, {14{8'hff}}};
      4'd13:   in_first = {{8{8'h00}}, {10{8'hff}}};
      4'd14:   in_first = {{12{8'h00}}, {6{8'hff}}};
      4'd15:   in_first = {{16{8'h00}}, {2{8'hff}}};
      default: in_first = {18{8'hff}};
    endcase
  end

  logic [143:0] body_q;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      if (mac_control_i) begin
        if (first_i) body_q <= data_i[16*8+:144];
      end else if (here) begin
        body_q <= window;
      end else if (behind) begin
        body_q <= (body_q & in_first) | (window & ~in_first);
      end
    end
  end

  assign body_o = body_q;

endmodule
