// Output FIFO to the MAC: takes the beats of the pipeline, which cannot stop, and offers them
// with tready.
//
// Latency 3 clocks while the MAC takes everything, a beat every clock. When more than
// 2^BeatsLog2 - Reserve beats are waiting, pause_o (registered) asks the builder to pause; Reserve
// is at least the number of beats that can still come after that.
//
// Departure time and user record of a frame enter separately, before its first beat (up to
// 2^FramesLog2 frames in the whole pipeline), and leave with its first beat.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_tx_fifo #(
  parameter int unsigned BeatsLog2 = 6,
  parameter int unsigned FramesLog2 = 7,
  parameter int unsigned Reserve = 32
) (
  // Clock and reset (active low)
  input  logic         clk_i,
  input  logic         rst_ni,
  output logic         pause_o,            // level, to the builder: too few beats are free

  // Of each frame, before its first beat
  input  logic         departure_valid_i,  // pulse, with the next two
  input  logic [63:0]  departure_i,        // at the reference point, card time in ps
  input  plumb_tx_pkg::user_t user_i,      // what follows the frame to the MAC

  // Beats, without a way to refuse one
  input  logic         beat_valid_i,       // a beat, with the next four
  input  logic [511:0] beat_data_i,        // byte 0 in bits 7:0
  input  logic         beat_first_i,       // of its frame
  input  logic         beat_last_i,        // of its frame
  input  logic [5:0]   beat_last_byte_i,   // number of its last byte: 63 but at the end

  // To the MAC: AXI4-Stream
  output logic [511:0] tx_tdata_o,         // byte 0 in bits 7:0
  output logic [63:0]  tx_tkeep_o,         // per byte; all ones but in a last beat
  output logic         tx_tvalid_o,
  output logic         tx_tlast_o,
  input  logic         tx_tready_i,
  output logic [63:0]  tx_departure_o,     // with tx_sof_o, then held; card time in ps
  output plumb_tx_pkg::user_t tx_user_o,   // with tx_sof_o, then held
  output logic         tx_sof_o,           // the beat is a frame's first
  output logic [6:0]   tx_bytes_o          // bytes in the beat, 1 to 64
);

  `PLUMB_RANGE(plumb_tx_fifo, BeatsLog2, 1, 30)
  `PLUMB_RANGE(plumb_tx_fifo, FramesLog2, 1, 30)
  `PLUMB_PARAMETER(plumb_tx_fifo, Reserve, Reserve < 2**BeatsLog2, fewer than 2^BeatsLog2 beats)

  localparam int unsigned WordW = 512 + 1 + 1 + 6;

  (* ram_style = "block" *)
  logic [WordW-1:0]   mem [0:2**BeatsLog2-1];
  logic [BeatsLog2:0] write_q, read_q, level;
  logic               read, fetched_q, move;
  logic [WordW-1:0]   word_q;

  // Memory -> its output register -> the MAC's register; each moves on when the next is free.
  assign level = write_q - read_q;
  assign move  = fetched_q && (!tx_tvalid_o || tx_tready_i);
  assign read  = level != '0 && (!fetched_q || move);

  always_ff @(posedge clk_i) begin
    if (beat_valid_i) begin
      mem[write_q[BeatsLog2-1:0]] <= {beat_first_i, beat_last_i, beat_last_byte_i, beat_data_i};
    end
    if (read) word_q <= mem[read_q[BeatsLog2-1:0]];
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      write_q     <= '0;
      read_q      <= '0;
      fetched_q   <= 1'b0;
      tx_tvalid_o <= 1'b0;
      pause_o     <= 1'b0;
    end else begin
      if (beat_valid_i) write_q <= write_q + (BeatsLog2+1)'(1);
      if (read)         read_q  <= read_q + (BeatsLog2+1)'(1);
      fetched_q   <= read || (fetched_q && !move);
      tx_tvalid_o <= move || (tx_tvalid_o && !tx_tready_i);
      pause_o     <= level > (BeatsLog2+1)'(2**BeatsLog2 - Reserve);
    end
  end

  // Departure times and the rest.
  localparam int unsigned FrameW = plumb_tx_pkg::UserW + 64;

  (* ram_style = "distributed" *)
  logic [FrameW-1:0]   departures [0:2**FramesLog2-1];
  logic [FramesLog2:0] departure_write_q, departure_read_q;
  logic                first, last;
  logic [5:0]          last_byte;
  assign {first, last, last_byte} = word_q[WordW-1:512];

  always_ff @(posedge clk_i) begin
    if (departure_valid_i) departures[departure_write_q[FramesLog2-1:0]] <= {user_i, departure_i};
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      departure_write_q <= '0;
      departure_read_q  <= '0;
    end else begin
      if (departure_valid_i) departure_write_q <= departure_write_q + (FramesLog2+1)'(1);
      if (move && first)     departure_read_q  <= departure_read_q + (FramesLog2+1)'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (move) begin
      tx_tdata_o <= word_q[511:0];
      tx_tkeep_o <= {64{1'b1}} >> (6'd63 - last_byte);
      tx_tlast_o <= last;
      tx_sof_o   <= first;
      tx_bytes_o <= 7'(last_byte) + 7'd1;
      if (first) {tx_user_o, tx_departure_o} <= departures[departure_read_q[FramesLog2-1:0]];
    end
  end

  logic [FramesLog2:0] frames;
  assign frames = departure_write_q - departure_read_q;
  `PLUMB_ASSERT(BeatsFit, beat_valid_i |-> level < (BeatsLog2+1)'(2**BeatsLog2))
  `PLUMB_ASSERT(DeparturesFit, departure_valid_i |-> frames < (FramesLog2+1)'(2**FramesLog2))
  `PLUMB_ASSERT(DepartureBefore, move && first |-> frames != '0)
  `PLUMB_ASSERT(Held, tx_tvalid_o && !tx_tready_i |=> tx_tvalid_o && $stable(tx_tdata_o) &&
                $stable(tx_tkeep_o) && $stable(tx_tlast_o))

endmodule
