// Holds the captured frames of one stream until they are written: store and forward.
//
// Takes a beat every clock while room_o says so (registered; it may be followed two clocks late).
// Of a frame only the first MaxBeats beats are kept, so that it can never fill the store by itself;
// the rest is taken and forgotten, and info_o says so. A closing beat without bytes ends its frame
// and takes no room. Descriptors (plumb_capture_tap) come one per frame, in order, before the
// frame's end or after it, by up to 31 frames.
//
// A frame that has ended and whose descriptor is there shows as info_valid_o and info_o; take_i
// takes it, the next one shows a clock later. Its beats are then read: data_o holds a beat from the
// clock after read_i on until the next read_i.
//
//   info_o  95:0     the descriptor
//           111:96   bytes of it that are here
//           120:112  beats that these fill
//           121      cut here, at MaxBeats
//
// flush_i forgets all frames that have ended, whether their descriptors have come or not.
// mismatch_o: a frame and its descriptor cannot belong together.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_capture_fifo #(
  parameter bit Sent = 1'b0,
  parameter int unsigned BeatsLog2 = 9,
  parameter int unsigned FramesLog2 = 9,
  parameter int unsigned MaxBeats = 256
) (
  // Clock and reset (active low)
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         flush_i,       // level: forget all frames that have ended

  // Frames and their descriptors
  input  wire logic         beat_i,        // a beat, with the next three
  input  wire logic [511:0] tdata_i,       // byte 0 in bits 7:0
  input  wire logic [63:0]  tkeep_i,       // one bit per byte; zero in a closing beat
  input  wire logic         tlast_i,
  input  wire logic         desc_valid_i,  // pulse, in frame order
  input  wire logic [95:0]  desc_i,        // with desc_valid_i, see plumb_capture_tap
  output      logic         room_o,        // level: beats may come

  // Whole frames
  output      logic         info_valid_o,  // level: info_o is the oldest frame
  output      logic [121:0] info_o,
  input  wire logic         take_i,        // pulse, with info_valid_o: take it
  input  wire logic         read_i,        // pulse: read the next beat of the frame taken
  output      logic [511:0] data_o,        // one clock after read_i; byte 0 in bits 7:0
  output      logic         mismatch_o     // pulse: frame and descriptor do not fit
);

  // Beats and frames that may still come when room_o falls, and frames whose descriptors may come
  // when they have been flushed already.
  localparam int unsigned BeatSlack = 4;
  localparam int unsigned FrameSlack = 64;

  `PLUMB_RANGE(plumb_capture_fifo, BeatsLog2, 3, 30)
  `PLUMB_RANGE(plumb_capture_fifo, FramesLog2, 7, 30)
  `PLUMB_PARAMETER(plumb_capture_fifo, MaxBeats,
                   MaxBeats >= 1 && MaxBeats <= 510 && MaxBeats <= 2**BeatsLog2 - BeatSlack,
                   1 to 510 and to 2^BeatsLog2 - 4)

  // Frames are counted so that one may be behind or ahead of the other.
  localparam int unsigned CountW = FramesLog2 + 2;

  // ---- Stage 1: the beat and its bytes ----

  logic         beat_q, last_q;
  logic [511:0] data_q;
  logic [6:0]   bytes_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) beat_q <= 1'b0;
    else         beat_q <= beat_i;
  end

  always_ff @(posedge clk_i) begin
    if (beat_i) begin
      data_q  <= tdata_i;
      bytes_q <= plumb_pkg::kept_bytes(tkeep_i);
      last_q  <= tlast_i;
    end
  end

  // ---- Stage 2: into the store ----

  (* ram_style = "block" *)
  logic [511:0]       beats [0:2**BeatsLog2-1];
  logic [BeatsLog2:0] write_q, read_q, committed_q, used;
  logic [8:0]         count_q;   // beats kept of the frame that is coming
  logic               cut_q;
  logic               empty, whole, keep;

  assign empty = bytes_q == 7'd0;
  assign whole = count_q == 9'(MaxBeats);
  assign keep  = beat_q && !whole && !empty;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      write_q <= '0;
      count_q <= '0;
      cut_q   <= 1'b0;
    end else begin
      if (keep) write_q <= write_q + (BeatsLog2+1)'(1);
      if (beat_q && last_q) begin
        count_q <= '0;
        cut_q   <= 1'b0;
      end else if (beat_q) begin
        if (keep) count_q <= count_q + 9'd1;
        cut_q <= cut_q || (whole && !empty);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (keep)   beats[write_q[BeatsLog2-1:0]] <= data_q;
    if (read_i) data_o <= beats[read_q[BeatsLog2-1:0]];
  end

  // ---- Stage 3: the frame's end ----

  logic        end_q, end_cut_q;
  logic [15:0] end_bytes_q;
  logic [8:0]  end_beats_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) end_q <= 1'b0;
    else         end_q <= beat_q && last_q;
  end

  always_ff @(posedge clk_i) begin
    end_bytes_q <= {1'b0, count_q, 6'b0} + (keep ? 16'(bytes_q) : 16'd0);
    end_beats_q <= count_q + 9'(keep);
    end_cut_q   <= cut_q || (whole && !empty);
  end

  // Frame n's end and descriptor stand at place n of either memory.
  (* ram_style = "block" *)
  logic [25:0]       ends [0:2**FramesLog2-1];
  (* ram_style = "block" *)
  logic [95:0]       descs [0:2**FramesLog2-1];
  logic [CountW-1:0] ended_q, described_q, taken_q, waiting, described, ahead;
  logic              fetch;

  always_ff @(posedge clk_i) begin
    if (end_q) ends[ended_q[FramesLog2-1:0]] <= {end_cut_q, end_beats_q, end_bytes_q};
    if (desc_valid_i) descs[described_q[FramesLog2-1:0]] <= desc_i;
  end

  // waiting = ended and not fetched, described = the same with descriptor; negative if that of a
  // frame flushed is still to come.
  assign waiting   = ended_q - taken_q;
  assign described = described_q - taken_q;
  assign fetch     = waiting != '0 && described != '0 && !described[CountW-1] &&
                     (!info_valid_o || take_i) && !flush_i;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      ended_q      <= '0;
      described_q  <= '0;
      taken_q      <= '0;
      committed_q  <= '0;
      read_q       <= '0;
      info_valid_o <= 1'b0;
    end else begin
      if (end_q) begin
        ended_q     <= ended_q + CountW'(1);
        committed_q <= committed_q + (BeatsLog2+1)'(end_beats_q);
      end
      if (desc_valid_i) described_q <= described_q + CountW'(1);
      if (flush_i) begin
        taken_q      <= ended_q;
        read_q       <= committed_q;
        info_valid_o <= 1'b0;
      end else begin
        if (fetch)  taken_q <= taken_q + CountW'(1);
        if (read_i) read_q  <= read_q + (BeatsLog2+1)'(1);
        info_valid_o <= fetch || (info_valid_o && !take_i);
      end
    end
  end

  logic [25:0] end_info_q;
  logic [95:0] desc_info_q;

  always_ff @(posedge clk_i) begin
    if (fetch) begin
      end_info_q  <= ends[taken_q[FramesLog2-1:0]];
      desc_info_q <= descs[taken_q[FramesLog2-1:0]];
    end
  end

  assign info_o = {end_info_q[25], end_info_q[24:16], end_info_q[15:0], desc_info_q};

  // ---- Room ----

  assign used = write_q - read_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      room_o <= 1'b1;
    end else begin
      room_o <= used <= (BeatsLog2+1)'(2**BeatsLog2 - BeatSlack) &&
                waiting <= CountW'(2**FramesLog2 - FrameSlack);
    end
  end

  // ---- Do they belong together ----

  // A descriptor may overtake the end of its own frame, which the tap or the stages above may still
  // hold; not those of more.
  logic whole_frame;
  assign ahead       = described_q - ended_q;
  assign whole_frame = !desc_info_q[83] && !end_info_q[25];

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      mismatch_o <= 1'b0;
    end else begin
      mismatch_o <= (!ahead[CountW-1] && ahead > CountW'(4)) ||
                    (info_valid_o && take_i &&
                     (desc_info_q[84] != Sent ||
                      (whole_frame && desc_info_q[79:64] != end_info_q[15:0])));
    end
  end

  `PLUMB_ASSERT(BeatsFit, keep |-> used < (BeatsLog2+1)'(2**BeatsLog2))
  `PLUMB_ASSERT(FramesFit, end_q |-> waiting < CountW'(2**FramesLog2))
  `PLUMB_ASSERT(TakenThere, take_i |-> info_valid_o)
  `PLUMB_ASSERT(ReadThere, read_i |-> read_q != committed_q && !flush_i)

endmodule
