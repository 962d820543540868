// The sender's window: which frames are outstanding, and what ACK and NACK do to it.
//
// start_i empties the window and sets the next sequence number. frame_end_i (one clock) adds the
// frame next_seq_o, whose entry is written into the table in the same clock. A message (ack_i or
// nack_i with msg_seq_i, the last good frame) that names an outstanding frame or the last
// acknowledged one takes effect a clock later: all frames up to it leave the window (progress_o),
// and a NACK asks for a replay (replay_o). Any other message is an error and does nothing.
//
//   clock   0 message, entry looked up   1 window moves, pulses   2.. age of the now oldest frame
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_llr_window #(
  parameter int unsigned BeatsLog2 = 12,
  parameter int unsigned FramesLog2 = 12
) (
  // Clock and reset (active low)
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               enable_i,             // level: without it nothing changes

  // Beginning
  input  logic               start_i,              // pulse: empty the window
  input  logic [19:0]        start_seq_i,          // with start_i: number of the next frame
  input  logic [BeatsLog2:0] head_i,               // where in the ring the next beat will be stored

  // Messages of the peer
  input  logic               ack_i,                // pulse
  input  logic               nack_i,               // pulse
  input  logic [19:0]        msg_seq_i,            // with either: its last good frame

  // Frames sent
  input  logic               frame_end_i,          // pulse: a frame is stored in full
  input  logic [31:0]        frame_bytes_i,        // bytes sent up to its end, modulo 2^32
  input  logic [31:0]        frame_began_i,        // clock in which it began, modulo 2^32
  input  logic [31:0]        tick_i,               // count of clocks, modulo 2^32
  input  logic [31:0]        data_age_i,           // clocks after which a frame is too old, 0:
                                                   // never
  input  logic [19:0]        max_frames_i,         // frames that may be outstanding

  // Table of frames (plumb_llr_store); data one clock after the look
  output logic               look_o,               // pulse
  output logic [19:0]        look_seq_o,           // number of the frame
  input  logic [BeatsLog2:0] look_end_i,           // position in the ring behind the frame
  input  logic [31:0]        look_bytes_i,         // bytes sent up to its end, modulo 2^32
  input  logic [31:0]        look_began_i,         // clock in which it began, modulo 2^32

  // The window
  output logic [19:0]        next_seq_o,           // number of the next frame
  output logic [19:0]        oldest_seq_o,         // the oldest outstanding frame, or next_seq_o
  output logic [BeatsLog2:0] tail_o,               // where in the ring it begins
  output logic [19:0]        outstanding_o,        // frames
  output logic               full_o,               // level: no more frames, by max_frames_i or the
                                                   // table
  output logic [31:0]        outstanding_bytes_o,  // bytes of the outstanding frames

  // What a message does, one clock later
  output logic               progress_o,           // pulse: frames were acknowledged
  output logic               replay_o,             // pulse: a NACK asks for a replay
  output logic               seq_error_o,          // pulse: it names no frame of the window
  output logic               too_old_o             // level: the oldest frame is older than
                                                   // data_age_i
);

  `PLUMB_RANGE(plumb_llr_window, BeatsLog2, 1, 30)
  `PLUMB_RANGE(plumb_llr_window, FramesLog2, 1, 19)

  logic [19:0]        next_q, oldest_q, next_d, oldest_d, outstanding_q;
  logic [19:0]        acked_q;         // the frame before the oldest one
  logic [BeatsLog2:0] tail_q;
  logic [31:0]        sent_bytes_q, acked_bytes_q, bytes_q;

  // Clock 0.
  logic        message;
  logic [19:0] through;
  assign message = ack_i || nack_i;
  assign through = msg_seq_i - acked_q;

  // Clock 1.
  logic        known_q, moves_q, error_q, nack_q;
  logic [19:0] last_q;       // the last good frame
  logic [19:0] after_q;      // the one behind it
  assign progress_o  = moves_q;
  assign replay_o    = known_q && nack_q;
  assign seq_error_o = error_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      known_q <= 1'b0;
      moves_q <= 1'b0;
      error_q <= 1'b0;
    end else if (enable_i) begin
      known_q <= message && !start_i && through <= outstanding_q;
      moves_q <= message && !start_i && through <= outstanding_q &&
                 msg_seq_i != acked_q;
      error_q <= message && !start_i && through > outstanding_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (message) begin
      nack_q  <= nack_i;
      last_q  <= msg_seq_i;
      after_q <= msg_seq_i + 20'd1;
    end
  end

  // frame_end_i comes late in the clock: both cases are worked out before it.
  logic [19:0] next_more, outstanding_same, outstanding_more, outstanding_d;
  assign next_more        = next_q + 20'd1;
  assign outstanding_same = next_q - (moves_q ? after_q : oldest_q);
  assign outstanding_more = outstanding_same + 20'd1;

  always_comb begin
    next_d        = frame_end_i ? next_more : next_q;
    oldest_d      = moves_q ? after_q : oldest_q;
    outstanding_d = frame_end_i ? outstanding_more : outstanding_same;
    if (start_i) begin
      next_d        = start_seq_i;
      oldest_d      = start_seq_i;
      outstanding_d = '0;
    end
  end

  localparam logic [19:0] TableFrames = 20'(2**FramesLog2 - 1);
  logic [19:0] limit_q;
  logic        full_q;
  assign full_o = full_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      limit_q <= '0;
      full_q  <= 1'b1;
    end else if (enable_i) begin
      limit_q <= (max_frames_i < TableFrames) ? max_frames_i : TableFrames;
      full_q  <= frame_end_i ? outstanding_more >= limit_q : outstanding_same >= limit_q;
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      next_q        <= '0;
      oldest_q      <= '0;
      acked_q       <= '1;
      outstanding_q <= '0;
      tail_q        <= '0;
      sent_bytes_q  <= '0;
      acked_bytes_q <= '0;
      bytes_q       <= '0;
    end else if (enable_i) begin
      next_q        <= next_d;
      oldest_q      <= oldest_d;
      if (start_i)      acked_q <= start_seq_i - 20'd1;
      else if (moves_q) acked_q <= last_q;
      outstanding_q <= outstanding_d;
      bytes_q       <= sent_bytes_q - acked_bytes_q;
      if (frame_end_i) sent_bytes_q <= frame_bytes_i;
      if (start_i) begin
        tail_q        <= head_i;
        acked_bytes_q <= sent_bytes_q;
      end else if (moves_q) begin
        tail_q        <= look_end_i;
        acked_bytes_q <= look_bytes_i;
      end
    end
  end

  assign next_seq_o          = next_q;
  assign oldest_seq_o        = oldest_q;
  assign tail_o              = tail_q;
  assign outstanding_o       = outstanding_q;
  assign outstanding_bytes_o = bytes_q;

  // Age of the oldest frame: from its entry when the window has moved, else when it ends first.
  logic        age_look_q, age_load_q, age_look;
  logic [31:0] began_q;
  assign age_look   = age_look_q && !message && outstanding_q != 20'd0;
  assign look_o     = message || age_look;
  assign look_seq_o = message ? msg_seq_i : oldest_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      age_look_q <= 1'b0;
      age_load_q <= 1'b0;
      too_old_o  <= 1'b0;
      began_q    <= '0;
    end else if (enable_i) begin
      age_look_q <= moves_q || (age_look_q && message);
      age_load_q <= age_look;
      if (age_load_q)                                     began_q <= look_began_i;
      else if (frame_end_i && outstanding_q == 20'd0)     began_q <= frame_began_i;
      too_old_o  <= !start_i && data_age_i != 32'd0 && outstanding_q != 20'd0 && !moves_q &&
                    !age_look_q && !age_load_q && tick_i - began_q >= data_age_i;
    end
  end

endmodule
