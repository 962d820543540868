// Replay buffer of a port: the beats of frames that are not acknowledged yet, one after the other
// in a ring, and a table with what has to be known of each frame, by the low bits of its sequence
// number.
//
// write_i stores a beat; with write_last_i it ends the frame write_seq_i, whose entry is written in
// the same clock. read_i fetches the beat at read_pointer_i and, with read_first_i, what travels
// with the frame read_seq_i; look_i fetches where the frame look_seq_i ends and how old it is. All
// come a clock later and stay until the next of their kind.
`include "plumb_assert.svh"

module plumb_llr_store #(
  parameter int unsigned BeatsLog2 = 12,
  parameter int unsigned FramesLog2 = 12
) (
  input  logic                             clk_i,           // rising edge

  // A beat to be kept; _user_, _bytes_ and _began_ count with the frame's last one
  input  logic                             write_i,         // pulse, with the rest of write_*
  input  logic                             write_last_i,    // last beat of its frame
  input  logic [BeatsLog2:0]               write_pointer_i,  // where in the ring
  input  logic [FramesLog2-1:0]            write_seq_i,     // low bits of the frame's number
  input  logic [511:0]                     write_data_i,    // byte 0 in bits 7:0
  input  logic [5:0]                       write_last_byte_i,  // number of its last byte: 63 but at
                                                               // the end
  input  logic [plumb_tx_pkg::UserW-1:0]   write_user_i,    // what follows the frame to the MAC, a
                                                            // user_t
  input  logic [31:0]                      write_bytes_i,   // bytes sent up to the frame's end,
                                                            // modulo 2^32
  input  logic [31:0]                      write_began_i,   // clock in which it began, modulo 2^32

  // A beat to be replayed, one clock later
  input  logic                             read_i,          // pulse: read a beat
  input  logic                             read_first_i,    // with read_i: and what follows its
                                                            // frame
  input  logic [BeatsLog2-1:0]             read_pointer_i,  // where in the ring
  input  logic [FramesLog2-1:0]            read_seq_i,      // low bits of the frame's number
  output logic [511:0]                     read_data_o,
  output logic                             read_last_o,     // last beat of its frame
  output logic [5:0]                       read_last_byte_o,  // number of the beat's last byte
  output logic [plumb_tx_pkg::UserW-1:0]   read_user_o,     // of the frame of the last read_first_i

  // A frame to be looked up, one clock later
  input  logic                             look_i,          // pulse
  input  logic [FramesLog2-1:0]            look_seq_i,      // low bits of its number
  output logic [BeatsLog2:0]               look_end_o,      // position in the ring behind the frame
  output logic [31:0]                      look_bytes_o,    // write_bytes_i of the frame
  output logic [31:0]                      look_began_o     // write_began_i of the frame
);

  `PLUMB_RANGE(plumb_llr_store, BeatsLog2, 1, 30)
  `PLUMB_RANGE(plumb_llr_store, FramesLog2, 1, 30)

  localparam int unsigned BeatW = 512 + 1 + 6;
  localparam int unsigned EntryW = BeatsLog2 + 1 + 32 + 32;

  (* ram_style = "ultra" *)
  logic [BeatW-1:0]                 beats [0:2**BeatsLog2-1];
  (* ram_style = "block" *)
  logic [plumb_tx_pkg::UserW-1:0]   users [0:2**FramesLog2-1];
  (* ram_style = "block" *)
  logic [EntryW-1:0]                entries [0:2**FramesLog2-1];
  logic [BeatW-1:0]                 beat_q;
  logic [plumb_tx_pkg::UserW-1:0]   user_q;
  logic [EntryW-1:0]                entry_q;
  logic [BeatsLog2:0]               frame_end;

  assign frame_end = write_pointer_i + (BeatsLog2+1)'(1);

  always_ff @(posedge clk_i) begin
    if (write_i) begin
      beats[write_pointer_i[BeatsLog2-1:0]] <= {write_last_i, write_last_byte_i, write_data_i};
    end
    if (read_i) beat_q <= beats[read_pointer_i];
  end

  always_ff @(posedge clk_i) begin
    if (write_i && write_last_i) begin
      users[write_seq_i]   <= write_user_i;
      entries[write_seq_i] <= {frame_end, write_bytes_i, write_began_i};
    end
    if (read_i && read_first_i) user_q <= users[read_seq_i];
    if (look_i) entry_q <= entries[look_seq_i];
  end

  assign {read_last_o, read_last_byte_o, read_data_o} = beat_q;
  assign read_user_o = user_q;
  assign {look_end_o, look_bytes_o, look_began_o} = entry_q;

endmodule
