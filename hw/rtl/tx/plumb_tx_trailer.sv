// Computes a CRC-32 over each frame and writes it into the frame's beats; used for ICRC and FCS.
//
// Latency plumb_crc32_pkg::Crc32Latency + 2 clocks, a beat every clock; bubbles anywhere stay where
// they are.
//
// What the CRC covers is given beside the beats (crc_*), as it is not always what is sent; the
// initial value is part of it (plumb_crc32). The complement of the register goes into the
// four bytes from insert_at_i of the beat with insert_i and, where they reach beyond it, the next
// one; they must be zero. That beat is the one that ends what is covered, or the next.
//
// The beats wait in a ring of memory. What ends the coverage of a frame comes out of the ring in
// the clock in which that frame's CRC is in its register, where it stays till the next frame's.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_tx_trailer #(
  parameter int unsigned SideW = 1    // bits that travel with each beat
) (
  // Clock and reset (active low)
  input  logic             clk_i,
  input  logic             rst_ni,

  // Beats, and where the check sequence goes
  input  logic             beat_valid_i,  // a beat, with the next four
  input  logic [511:0]     beat_data_i,   // byte 0 in bits 7:0; zero where the CRC goes
  input  logic [SideW-1:0] beat_side_i,   // passed on with the beat
  input  logic             insert_i,      // the CRC begins in this beat
  input  logic [5:0]       insert_at_i,   // at this byte of it

  // What the CRC covers, in the clock of the beat
  input  logic             crc_valid_i,   // some bytes of the beat are covered
  input  logic             crc_first_i,   // first beat that is covered
  input  logic             crc_last_i,    // last beat that is covered
  input  logic [511:0]     crc_data_i,    // the bytes as they are covered
  input  logic [6:0]       crc_bytes_i,   // covered bytes of a last beat, 1 to 64

  // Beats with the CRC
  output logic             beat_valid_o,  // a beat, with the next two
  output logic [511:0]     beat_data_o,
  output logic [SideW-1:0] beat_side_o    // beat_side_i of that beat
);

  `PLUMB_PARAMETER(plumb_tx_trailer, SideW, SideW >= 1, at least 1)

  localparam int unsigned Delay = plumb_crc32_pkg::Crc32Latency + 1;  // to the ring's output
  localparam int unsigned RingLog2 = $clog2(Delay);
  localparam int unsigned RingW = SideW + 1 + 6 + 512;

  logic        crc_valid;
  logic [31:0] crc, crc_q;

  plumb_crc32 u_crc (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .valid_i     (crc_valid_i),
    .first_i     (crc_first_i),
    .last_i      (crc_last_i),
    .data_i      (crc_data_i),
    .bytes_i     (crc_bytes_i),
    .crc_valid_o (crc_valid),
    .crc_o       (crc)
  );

  always_ff @(posedge clk_i) begin
    if (crc_valid) crc_q <= ~crc;
  end

  // The ring: written at write_q, read Delay - 1 clocks later into its output register.
  (* ram_style = "block" *)
  logic [RingW-1:0]    ring [0:2**RingLog2-1];
  logic [RingLog2-1:0] write_q, read;
  logic [Delay-1:0]    valid_q;
  logic [RingW-1:0]    out_q;

  assign read = write_q - RingLog2'(Delay - 1);

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      write_q <= '0;
      valid_q <= '0;
    end else begin
      write_q <= write_q + RingLog2'(1);
      valid_q <= {valid_q[Delay-2:0], beat_valid_i};
    end
  end

  always_ff @(posedge clk_i) begin
    if (beat_valid_i)     ring[write_q] <= {beat_side_i, insert_i, insert_at_i, beat_data_i};
    if (valid_q[Delay-2]) out_q <= ring[read];
  end

  // Insertion. Byte p + i of the frame gets byte i of the CRC: with the CRC rotated by p modulo 4
  // and repeated all along the beat, only a mask has to be moved.
  logic [SideW-1:0] out_side;
  logic             insert;
  logic [5:0]       insert_at;
  logic [511:0]     out_data;
  assign {out_side, insert, insert_at, out_data} = out_q;

  logic [31:0]  rotated;
  logic [23:0]  reach_q;      // mask of what reaches into the next beat
  logic [535:0] mask;

  always_comb begin
    `PLUMB_ANY(rotated)
    `PLUMB_ANY(mask)
    if (valid_q[Delay-1] && insert) begin
      unique case (insert_at[1:0])
        2'd1:    rotated = {crc_q[23:0], crc_q[31:24]};
        2'd2:    rotated = {crc_q[15:0], crc_q[31:16]};
        2'd3:    rotated = {crc_q[7:0], crc_q[31:8]};
        default: rotated = crc_q;
      endcase
      mask = 536'(32'hffff_ffff) << {insert_at, 3'd0};
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      beat_valid_o <= 1'b0;
      reach_q      <= '0;
    end else begin
      beat_valid_o <= valid_q[Delay-1];
      if (valid_q[Delay-1]) reach_q <= insert ? mask[535:512] : 24'd0;
    end
  end

  logic [23:0] reach_crc_q, reach;
  assign reach = reach_crc_q & reach_q;

  always_ff @(posedge clk_i) begin
    if (valid_q[Delay-1]) begin
      beat_side_o <= out_side;
      if (insert) reach_crc_q <= rotated[23:0];
      if (insert)                beat_data_o <= out_data | ({16{rotated}} & mask[511:0]);
      else if (reach_q != 24'd0) beat_data_o <= out_data | 512'(reach);
      else                       beat_data_o <= out_data;
    end
  end

  `PLUMB_ASSERT(InsertOnce, valid_q[Delay-1] && reach_q != 24'd0 |-> !insert)

endmodule
