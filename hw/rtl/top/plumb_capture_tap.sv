// Copies whole frames of one stream to the capture stream of the port, a descriptor with each.
//
// enable_i is looked at with a frame's first beat and holds for that frame. The copy leaves one
// clock later as AXI4-Stream: a beat stays until cap_ready_i takes it. The source is never held up:
// a beat that finds the register still full is lost, and with it the rest of its frame, which
// counts once as dropped_o. Of a frame that was cut so, the part already there is closed by a beat
// with tlast and no bytes (tkeep zero), and its descriptor says truncated; a frame that lost its
// first beat leaves no trace but the count.
//
// Descriptors of the source come one per frame, in order, any time after the frame's last beat; up
// to 2^FramesLog2 - 1 frames may be waiting for theirs. Those of frames with at least one captured
// beat go on to cap_desc_o one clock later, for exactly one clock; there is no ready.
//
//   cap_desc_o  63:0   timestamp in ps of card time
//               79:64  length in bytes, FCS included (of the frame, also when truncated)
//               80     FCS right
//               81     an ICRC was expected in this frame
//               82     ICRC right (when expected)
//               83     truncated: capture was too slow
//               84     sent by the card, else received
//               95:85  zero
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_capture_tap #(
  parameter bit Sent = 1'b0,
  parameter int unsigned FramesLog2 = 5
) (
  // Clock and reset (active low)
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         enable_i,             // level, looked at with a frame's first beat

  // The source
  input  wire logic         beat_i,               // a beat crosses in this clock, with the next
                                                  // three
  input  wire logic [511:0] tdata_i,              // byte 0 in bits 7:0
  input  wire logic [63:0]  tkeep_i,              // per byte; all ones but in a last beat
  input  wire logic         tlast_i,

  // Its descriptors
  input  wire logic         desc_valid_i,         // pulse, in frame order
  input  wire logic [63:0]  desc_timestamp_i,     // at the reference point, card time in ps
  input  wire logic [15:0]  desc_length_i,        // bytes with FCS
  input  wire logic         desc_fcs_ok_i,
  input  wire logic         desc_icrc_checked_i,  // the frame has to have an ICRC
  input  wire logic         desc_icrc_ok_i,       // with desc_icrc_checked_i: it is right

  // The copy: AXI4-Stream, and its descriptors
  output      logic [511:0] cap_tdata_o,
  output      logic [63:0]  cap_tkeep_o,          // zero in a closing beat
  output      logic         cap_tvalid_o,
  output      logic         cap_tlast_o,
  input  wire logic         cap_ready_i,
  output      logic         cap_desc_valid_o,     // pulse, without ready
  output      logic [95:0]  cap_desc_o,           // with cap_desc_valid_o
  output      logic         dropped_o             // pulse: a frame was not captured, or not in full
);

  `PLUMB_RANGE(plumb_capture_tap, FramesLog2, 1, 30)

  // State of the frame that is passing.
  logic inside_q;      // its first beat has passed
  logic capture_q;     // it is being captured
  logic copied_q;      // some of its beats were copied
  logic lost_q;        // some of its beats were lost
  logic close_q;       // a closing beat is owed to the capture stream

  logic wanted, free, copied, lost, copy, lose, first_loss;
  assign wanted = beat_i && (inside_q ? capture_q : enable_i);
  assign copied = inside_q && copied_q;
  assign lost = inside_q && lost_q;
  assign free = !cap_tvalid_o || cap_ready_i;

  always_comb begin
    copy = 1'b0;
    lose = 1'b0;
    first_loss = 1'b0;
    if (wanted) begin
      copy = free && !close_q && !lost;
      lose = !copy;
      first_loss = lose && !lost;
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      capture_q <= 1'b0;
      copied_q <= 1'b0;
      lost_q <= 1'b0;
      close_q <= 1'b0;
      dropped_o <= 1'b0;
      cap_tvalid_o <= 1'b0;
    end else begin
      if (beat_i) begin
        inside_q <= !tlast_i;
        if (!inside_q) capture_q <= enable_i;
        copied_q <= copied || copy;
        lost_q <= lost || lose;
      end
      close_q <= (first_loss && copied) || (close_q && !free);
      dropped_o <= first_loss;
      if (free) cap_tvalid_o <= copy || close_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (free && (copy || close_q)) begin
      cap_tdata_o <= tdata_i;
      cap_tkeep_o <= close_q ? '0 : tkeep_i;
      cap_tlast_o <= close_q || tlast_i;
    end
  end

  // What became of each frame waits here for the frame's descriptor.
  logic [1:0] fate_q [0:2**FramesLog2-1];  // {truncated, some of it copied}
  logic [FramesLog2-1:0] ended_q, described_q;
  logic [1:0] fate;
  assign fate = fate_q[described_q];

  always_ff @(posedge clk_i) begin
    if (beat_i && tlast_i) fate_q[ended_q] <= {lost || lose, copied || copy};
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      ended_q <= '0;
      described_q <= '0;
      cap_desc_valid_o <= 1'b0;
    end else begin
      if (beat_i && tlast_i) ended_q <= ended_q + FramesLog2'(1);
      if (desc_valid_i) described_q <= described_q + FramesLog2'(1);
      cap_desc_valid_o <= desc_valid_i && fate[0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (desc_valid_i) begin
      cap_desc_o <= {11'b0, Sent, fate[1], desc_icrc_ok_i, desc_icrc_checked_i, desc_fcs_ok_i,
                     desc_length_i, desc_timestamp_i};
    end
  end

  `PLUMB_ASSERT(DescriptorAfterFrame, desc_valid_i |-> ended_q != described_q)
  `PLUMB_ASSERT(NotTooManyWaiting,
                beat_i && tlast_i && !desc_valid_i |-> ended_q + FramesLog2'(1) != described_q)
  `PLUMB_ASSERT(BeatHeld, cap_tvalid_o && !cap_ready_i |=> cap_tvalid_o && $stable(cap_tdata_o) &&
                $stable(cap_tkeep_o) && $stable(cap_tlast_o))

endmodule
