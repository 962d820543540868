// CRC-32 (IEEE 802.3, reflected) over a frame arriving as 512-bit beats.
//
// Takes a beat every clock, frames of one beat in consecutive clocks included, and bubbles
// anywhere. crc_valid_o pulses once per frame, exactly plumb_crc32_pkg::Crc32Latency = 7 clocks
// after the cycle of its last beat; crc_o is the register then, without final complement. A frame
// that is cut off by another first_i gives no result and leaves no trace.
//
// The register starts at zero, so the user XORs the wanted initial value into the first four
// covered bytes, and may zero whatever lies before them: zero bytes leave a zero register alone.
// For the same reason a last beat of n bytes is moved to the end of the beat before it enters the
// matrix, and only the register carried over from earlier beats has to be advanced by n instead
// of 64 bytes, which is done behind the loop by the base-4 digits of n.
//
//   cycle   0      1        2        3       4            5       6       7
//   data    in     moved    moved    halves  state loop   fold    fold    fold
//                  words    bytes    (XOR)   (64 bytes)   0..3    4..12   16..48 = crc_o
`include "plumb_simulated.svh"

module plumb_crc32 (
  // Clock and reset (active low)
  input  logic         clk_i,
  input  logic         rst_ni,

  // Beats
  input  logic         valid_i,      // a beat, with the next four
  input  logic         first_i,      // of its frame
  input  logic         last_i,       // of its frame
  input  logic [511:0] data_i,       // byte 0 in bits 7:0
  input  logic [6:0]   bytes_i,      // valid bytes of a last beat, 1 to 64, from byte 0; else 64

  // Result
  output logic         crc_valid_o,  // pulse, Crc32Latency clocks after a last beat
  output logic [31:0]  crc_o         // with crc_valid_o, until the next: register without
                                     // complement
);

  // Control. From stage 4 on only the end of a frame travels on.
  logic s1_valid_q, s2_valid_q, s3_valid_q;
  logic s1_first_q, s2_first_q, s3_first_q;
  logic s1_last_q, s2_last_q, s3_last_q;
  logic s4_end_q, s5_end_q, s6_end_q, s7_end_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      s1_valid_q <= 1'b0;
      s2_valid_q <= 1'b0;
      s3_valid_q <= 1'b0;
      s4_end_q   <= 1'b0;
      s5_end_q   <= 1'b0;
      s6_end_q   <= 1'b0;
      s7_end_q   <= 1'b0;
    end else begin
      s1_valid_q <= valid_i;
      s2_valid_q <= s1_valid_q;
      s3_valid_q <= s2_valid_q;
      s4_end_q   <= s3_valid_q && s3_last_q;
      s5_end_q   <= s4_end_q;
      s6_end_q   <= s5_end_q;
      s7_end_q   <= s6_end_q;
    end
  end

  // Stages 1 to 3: what a beat contributes.
  logic [5:0]  s1_bytes_q, s2_bytes_q, s3_bytes_q;
  logic [31:0] s3_beat;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      s1_first_q <= first_i;
      s1_last_q  <= last_i;
      s1_bytes_q <= bytes_i[5:0];
    end
    if (s1_valid_q) begin
      s2_first_q <= s1_first_q;
      s2_last_q  <= s1_last_q;
      s2_bytes_q <= s1_bytes_q;
    end
    if (s2_valid_q) begin
      s3_first_q <= s2_first_q;
      s3_last_q  <= s2_last_q;
      s3_bytes_q <= s2_bytes_q;
    end
  end

`ifdef PLUMB_CRC_IN_C
  // In simulation C++ says it at once: four bytes wait for stage 3, not sixty-four.
  logic [31:0] s1_beat_q, s2_beat_q, s3_beat_q;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      s1_beat_q <= plumb_crc32_pkg::plumb_crc32_beat(
        data_i[63:0], data_i[127:64], data_i[191:128], data_i[255:192],
        data_i[319:256], data_i[383:320], data_i[447:384], data_i[511:448],
        last_i ? 32'(bytes_i) : 32'd64);
    end
    if (s1_valid_q) s2_beat_q <= s1_beat_q;
    if (s2_valid_q) s3_beat_q <= s2_beat_q;
  end

  assign s3_beat = s3_beat_q;
`else
  // The valid bytes of a last beat move up against the end of the beat, in two steps. Only the low
  // six bits of the count matter: 64 is no shift, like 0. Then each half by its matrix.
  logic [511:0] s1_data_q, s2_data_q;
  logic [5:0]   in_shift;
  logic [1:0]   s1_shift_q;
  logic [31:0]  s3_half0_q, s3_half1_q;

  logic unused_bytes;
  assign unused_bytes = bytes_i[6];

  // What a last beat lacks. A bit of a negated number is inverted if a bit below it is set; a carry
  // chain would be one level more.
  always_comb begin
    in_shift = '0;
    if (last_i) begin
      in_shift[0] = bytes_i[0];
      for (int unsigned b = 1; b < 6; b++) begin
        in_shift[b] = bytes_i[b] != |(bytes_i[5:0] & ~(6'h3f << b));
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      s1_shift_q <= in_shift[1:0];
      s1_data_q  <= (in_shift[5:2] == 4'd0) ? data_i : data_i << {in_shift[5:2], 5'd0};
    end
    if (s1_valid_q) begin
      s2_data_q  <= (s1_shift_q == 2'd0) ? s1_data_q : s1_data_q << {s1_shift_q, 3'd0};
    end
    if (s2_valid_q) begin
      s3_half0_q <= plumb_crc32_pkg::half0(s2_data_q[63:0], s2_data_q[127:64],
                                           s2_data_q[191:128], s2_data_q[255:192]);
      s3_half1_q <= plumb_crc32_pkg::half1(s2_data_q[319:256], s2_data_q[383:320],
                                           s2_data_q[447:384], s2_data_q[511:448]);
    end
  end

  assign s3_beat = s3_half0_q ^ s3_half1_q;
`endif

  // Stage 4: the loop, one matrix deep. A frame's last beat leaves it with the register of the
  // beats before, advanced already when the beat is full, and its own contribution apart.
  logic [31:0] state_q;
  logic [31:0] beat;
  logic [31:0] carried;
  logic [31:0] advanced;
  logic [31:0] s4_fold_q, s4_beat_q;
  logic [5:0]  s4_bytes_q;

  always_comb begin
    beat     = '0;
    carried  = '0;
    advanced = '0;
    if (s3_valid_q) begin
      beat = s3_beat;
      if (!s3_first_q) begin
        carried  = state_q;
        advanced = plumb_crc32_pkg::step64(state_q);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (s3_valid_q) begin
      state_q    <= advanced ^ beat;
      s4_beat_q  <= beat;
      s4_bytes_q <= s3_bytes_q;
      s4_fold_q  <= (s3_bytes_q == 6'd0) ? advanced : carried;
    end
  end

  // Stages 5 to 7: the register of the beats before advances by the bytes of the last beat.
  logic [31:0] s5_fold, s6_fold, s7_fold;
  logic [31:0] s5_fold_q, s5_beat_q, s6_fold_q, s6_beat_q, crc_q;
  logic [5:2]  s5_bytes_q;
  logic [5:4]  s6_bytes_q;

  always_comb begin
    s5_fold = s4_fold_q;
    s6_fold = s5_fold_q;
    s7_fold = s6_fold_q;
    if (s4_end_q) begin
      unique case (s4_bytes_q[1:0])
        2'd1:    s5_fold = plumb_crc32_pkg::step1(s4_fold_q);
        2'd2:    s5_fold = plumb_crc32_pkg::step2(s4_fold_q);
        2'd3:    s5_fold = plumb_crc32_pkg::step3(s4_fold_q);
        default: s5_fold = s4_fold_q;
      endcase
    end
    if (s5_end_q) begin
      unique case (s5_bytes_q[3:2])
        2'd1:    s6_fold = plumb_crc32_pkg::step4(s5_fold_q);
        2'd2:    s6_fold = plumb_crc32_pkg::step8(s5_fold_q);
        2'd3:    s6_fold = plumb_crc32_pkg::step12(s5_fold_q);
        default: s6_fold = s5_fold_q;
      endcase
    end
    if (s6_end_q) begin
      unique case (s6_bytes_q[5:4])
        2'd1:    s7_fold = plumb_crc32_pkg::step16(s6_fold_q);
        2'd2:    s7_fold = plumb_crc32_pkg::step32(s6_fold_q);
        2'd3:    s7_fold = plumb_crc32_pkg::step48(s6_fold_q);
        default: s7_fold = s6_fold_q;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (s4_end_q) begin
      s5_fold_q  <= s5_fold;
      s5_beat_q  <= s4_beat_q;
      s5_bytes_q <= s4_bytes_q[5:2];
    end
    if (s5_end_q) begin
      s6_fold_q  <= s6_fold;
      s6_beat_q  <= s5_beat_q;
      s6_bytes_q <= s5_bytes_q[5:4];
    end
    if (s6_end_q) crc_q <= s7_fold ^ s6_beat_q;
  end

  assign crc_valid_o = s7_end_q;
  assign crc_o       = crc_q;

endmodule
