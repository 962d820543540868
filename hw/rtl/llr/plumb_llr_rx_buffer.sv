// Holds every received frame until its verdict is known: store and forward.
//
// Takes a beat every clock. A verdict comes for every frame in order, 8 clocks after its last beat
// (plumb_llr_rx); a frame that is kept leaves at a beat every clock, its first one two clocks
// after the verdict at the earliest, with the time at which it came (stamp_o); a frame that is not
// kept is skipped in one clock. Behind a frame of one beat comes a clock without, so that frames
// begin every two clocks at most, as on the line. As frames leave no slower than they come,
// 2^BeatsLog2 beats are enough for the largest frame, what comes while its verdict is awaited, and
// the frame before. Of a frame longer than LongestBeats only these are kept, enough for the
// receiver to see that it is too long; long_o says so in the clock of its last beat.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_llr_rx_buffer #(
  parameter int unsigned BeatsLog2 = 9
) (
  // Clock and reset (active low)
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // Beats in
  input  logic                 beat_i,           // a beat, with the next three
  input  logic                 last_i,           // of its frame
  input  logic [5:0]           last_byte_i,      // number of its last byte: 63 but at the end
  input  logic [511:0]         data_i,           // byte 0 in bits 7:0
  output logic [BeatsLog2:0]   end_o,            // with a last beat: position behind the frame
  output logic                 long_o,           // with a last beat: the frame is too long

  // Verdict on the oldest frame without one
  input  logic                 verdict_i,        // pulse, with the next three
  input  logic                 keep_i,           // 1: pass the frame on, 0: drop it
  input  logic [BeatsLog2:0]   verdict_end_i,    // end_o of the frame
  input  logic [63:0]          verdict_stamp_i,  // when its first beat came, card time in ps

  // Frames out: AXI4-Stream without tready
  output logic                 tvalid_o,
  output logic                 tlast_o,
  output logic [63:0]          tkeep_o,
  output logic [511:0]         tdata_o,
  output logic [63:0]          stamp_o,          // verdict_stamp_i of the frame, with each beat
  output logic                 empty_o           // level: nothing here
);

  `PLUMB_RANGE(plumb_llr_rx_buffer, BeatsLog2, 9, 30)

  // More than the 144 beats of a frame of 9216 bytes.
  localparam int unsigned LongestBeats = 146;
  localparam int unsigned BeatW = 512 + 1 + 6;
  localparam int unsigned FrameW = 1 + (BeatsLog2 + 1) + 64;

  // Beats in.
  (* ram_style = "block" *)
  logic [BeatW-1:0]   beats [0:2**BeatsLog2-1];
  logic [BeatsLog2:0] write_q;
  logic [7:0]         count_q;
  logic               full, write, last;

  assign full   = count_q == 8'(LongestBeats);
  assign last   = last_i || count_q == 8'(LongestBeats - 1);
  assign write  = beat_i && !full;
  assign end_o  = full ? write_q : write_q + (BeatsLog2+1)'(1);
  assign long_o = full;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      write_q <= '0;
      count_q <= '0;
    end else if (beat_i) begin
      write_q <= end_o;
      if (last_i)     count_q <= '0;
      else if (!full) count_q <= count_q + 8'd1;
    end
  end

  // Frames whose verdict is known.
  (* ram_style = "distributed" *)
  logic [FrameW-1:0]  frames [0:2**BeatsLog2-1];
  logic [BeatsLog2:0] frame_write_q, frame_read_q;
  logic               frame_keep, pending, skip, read, read_last, inside_q, rest_q;
  logic [BeatsLog2:0] frame_end, read_q;
  logic [63:0]        frame_stamp;

  always_ff @(posedge clk_i) begin
    if (verdict_i) begin
      frames[frame_write_q[BeatsLog2-1:0]] <= {keep_i, verdict_end_i, verdict_stamp_i};
    end
  end

  assign {frame_keep, frame_end, frame_stamp} = frames[frame_read_q[BeatsLog2-1:0]];
  assign pending   = frame_write_q != frame_read_q;
  assign skip      = pending && !frame_keep;
  assign read      = pending && frame_keep && !rest_q;
  assign read_last = read_q + (BeatsLog2+1)'(1) == frame_end;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      frame_write_q <= '0;
      frame_read_q  <= '0;
      read_q        <= '0;
      tvalid_o      <= 1'b0;
      inside_q      <= 1'b0;
      rest_q        <= 1'b0;
    end else begin
      if (verdict_i)                   frame_write_q <= frame_write_q + (BeatsLog2+1)'(1);
      if (skip || (read && read_last)) frame_read_q  <= frame_read_q + (BeatsLog2+1)'(1);
      if (skip)                        read_q        <= frame_end;
      else if (read)                   read_q        <= read_q + (BeatsLog2+1)'(1);
      tvalid_o <= read;
      inside_q <= read && !read_last;
      rest_q   <= read && read_last && !inside_q;
    end
  end

  logic [BeatW-1:0] beat_q;
  logic [5:0]       last_byte;

  always_ff @(posedge clk_i) begin
    if (write) beats[write_q[BeatsLog2-1:0]] <= {last, last_byte_i, data_i};
    if (read) begin
      beat_q  <= beats[read_q[BeatsLog2-1:0]];
      stamp_o <= frame_stamp;
    end
  end

  assign {tlast_o, last_byte, tdata_o} = beat_q;
  assign tkeep_o = tlast_o ? {64{1'b1}} >> (6'd63 - last_byte) : {64{1'b1}};
  assign empty_o = write_q == read_q && !tvalid_o && count_q == 8'd0;

  logic [BeatsLog2:0] held;
  assign held = write_q - read_q;
  `PLUMB_ASSERT(BeatsFit, write |-> held < (BeatsLog2+1)'(2**BeatsLog2))
  `PLUMB_ASSERT(VerdictBehind, verdict_i && !keep_i |-> verdict_end_i != read_q)

endmodule
