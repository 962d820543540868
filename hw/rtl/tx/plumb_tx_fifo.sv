// Output FIFO to the MAC: takes the beats of the pipeline behind it, which cannot stop, and offers
// them with tready.
//
// Latency 3 clocks while the MAC takes everything, a beat every clock. When more than
// 2^BeatsLog2 - Reserve beats are waiting, pause_o (registered) asks the builder to pause; Reserve
// is at least the number of beats that can still come after that.
//
// Departure times and what else is to be known of a frame enter apart (one per frame, before its
// first beat; up to 2^FramesLog2 frames in the whole pipeline) and leave with the first beat of the
// frame.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_tx_fifo #(
  parameter int unsigned BeatsLog2 = 6,
  parameter int unsigned FramesLog2 = 7,
  parameter int unsigned Reserve = 32
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  output logic         pause_o,
  input  logic         departure_valid_i,
  input  logic [63:0]  departure_i,
  input  plumb_tx_pkg::user_t user_i,
  input  logic         beat_valid_i,
  input  logic [511:0] beat_data_i,
  input  logic         beat_first_i,
  input  logic         beat_last_i,
  input  logic [5:0]   beat_last_byte_i,
  output logic [511:0] tx_tdata_o,
  output logic [63:0]  tx_tkeep_o,
  output logic         tx_tvalid_o,
  output logic         tx_tlast_o,
  input  logic         tx_tready_i,
  output logic [63:0]  tx_departure_o,
  output plumb_tx_pkg::user_t tx_user_o,
  output logic         tx_sof_o,
  output logic [6:0]   tx_bytes_o       // of the beat
);

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
