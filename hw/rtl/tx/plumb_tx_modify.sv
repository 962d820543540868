// Writes the per-frame parts into each beat: header fields and test tag. Clears the bytes of the
// check sequences, and prepares the beat for the ICRC.
//
// Latency 3 clocks, a beat every clock.
//
//   clock   0               1              2                    3
//           beat_i,         tag moved      test tag in,         beat_o,
//           header fields                  end cleared          icrc_data_o
//
// Where the header fields are depends only on 802.1Q tag and IP version (docs/card.md, "Builder"):
// all are in the first beat but QP, PSN and PDC numbers behind IPv6, and none lies across two
// beats. The test tag may be anywhere in the first 256 bytes, also across two beats.
//
// icrc_data_o is the beat as the ICRC covers it (InfiniBand, annex A17): all before the IP header
// zero, fields that routers may change all ones, and the register's initial value XORed into the
// first four bytes of the IP header. It is combinational behind registers, and zero for beats not
// covered.
`include "plumb_simulated.svh"

module plumb_tx_modify (
  // Clock and reset (active low)
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // Beats from the builder
  input  logic                 beat_valid_i,  // a beat, with the next three
  input  logic [511:0]         beat_data_i,   // byte 0 in bits 7:0
  input  plumb_tx_pkg::beat_t  beat_i,        // place in the frame, places of tag and checks
  input  plumb_tx_pkg::frame_t frame_i,       // fields of the frame that the beat is of

  // Beats, three clocks later
  output logic                 beat_valid_o,  // a beat, with the next three
  output logic [511:0]         beat_data_o,   // complete but for the check sequences
  output plumb_tx_pkg::beat_t  beat_o,        // beat_i of that beat
  output logic [511:0]         icrc_data_o    // the beat as the ICRC covers it, else zero
);

  logic                valid1_q, valid2_q;
  plumb_tx_pkg::beat_t beat1_q, beat2_q;
  logic [511:0]        data1_q, data2_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      valid1_q     <= 1'b0;
      valid2_q     <= 1'b0;
      beat_valid_o <= 1'b0;
    end else begin
      valid1_q     <= beat_valid_i;
      valid2_q     <= valid1_q;
      beat_valid_o <= valid2_q;
    end
  end

  // ---- Clock 0: header fields ----
  // Network byte order: the first byte of a field is its most significant.
  logic [15:0] sport, addr, csum;
  logic [23:0] qp, psn24;
  logic [31:0] psn32, pdc;

  // Placed as in an untagged frame, and moved by four bytes behind an 802.1Q tag. UDP begins at
  // byte 34 of an IPv4 frame and 54 of an IPv6 frame.
  logic [511:0] field, mask, fields, masks;

  always_comb begin
    `PLUMB_ANY(sport)
    `PLUMB_ANY(addr)
    `PLUMB_ANY(csum)
    `PLUMB_ANY(qp)
    `PLUMB_ANY(psn24)
    `PLUMB_ANY(psn32)
    `PLUMB_ANY(pdc)
    `PLUMB_ANY(field)
    `PLUMB_ANY(mask)
    `PLUMB_ANY(fields)
    `PLUMB_ANY(masks)
    if (beat_valid_i && (beat_i.first || beat_i.second)) begin
      sport = {frame_i.sport[7:0], frame_i.sport[15:8]};
      addr  = {frame_i.addr[7:0], frame_i.addr[15:8]};
      csum  = {frame_i.csum[7:0], frame_i.csum[15:8]};
      qp    = {frame_i.qp[7:0], frame_i.qp[15:8], frame_i.qp[23:16]};
      psn24 = {frame_i.psn[7:0], frame_i.psn[15:8], frame_i.psn[23:16]};
      psn32 = {psn24, frame_i.psn[31:24]};
      pdc   = {qp, frame_i.qp[31:24]};
      field = '0;
      mask  = '0;
      if (!beat_i.ipv6 && beat_i.first) begin
        field[8*24 +: 16] = csum;
        mask[8*24 +: 16]  = {16{frame_i.csum_en}};
        field[8*28 +: 16] = addr;
        mask[8*28 +: 16]  = {16{frame_i.addr_mode == 2'd1}};
        field[8*32 +: 16] = addr;
        mask[8*32 +: 16]  = {16{frame_i.addr_mode == 2'd2}};
        field[8*34 +: 16] = sport;
        mask[8*34 +: 16]  = {16{frame_i.sport_en}};
        field[8*46 +: 32] = {qp, psn32[7:0]};
        mask[8*46 +: 8]   = {8{frame_i.psn32_en}};
        mask[8*47 +: 24]  = {24{frame_i.psn32_en || frame_i.qp_en}};
        if (frame_i.psn32_en) field[8*46 +: 32] = psn32;
        field[8*50 +: 32] = frame_i.pdc_en ? pdc : {psn24, 8'd0};
        mask[8*50 +: 8]   = {8{frame_i.pdc_en}};
        mask[8*51 +: 24]  = {24{frame_i.psn24_en || frame_i.pdc_en}};
      end
      if (beat_i.ipv6 && beat_i.first) begin
        field[8*36 +: 16] = addr;
        mask[8*36 +: 16]  = {16{frame_i.addr_mode == 2'd1}};
        field[8*52 +: 16] = addr;
        mask[8*52 +: 16]  = {16{frame_i.addr_mode == 2'd2}};
        field[8*54 +: 16] = sport;
        mask[8*54 +: 16]  = {16{frame_i.sport_en}};
      end
      if (beat_i.ipv6 && beat_i.second) begin
        field[8*2 +: 32] = {qp, psn32[7:0]};
        mask[8*2 +: 8]   = {8{frame_i.psn32_en}};
        mask[8*3 +: 24]  = {24{frame_i.psn32_en || frame_i.qp_en}};
        if (frame_i.psn32_en) field[8*2 +: 32] = psn32;
        field[8*6 +: 32] = frame_i.pdc_en ? pdc : {psn24, 8'd0};
        mask[8*6 +: 8]   = {8{frame_i.pdc_en}};
        mask[8*7 +: 24]  = {24{frame_i.psn24_en || frame_i.pdc_en}};
      end
      fields = beat_i.vlan ? {field[479:0], 32'd0} : field;
      masks  = beat_i.vlan ? {mask[479:0], 32'd0} : mask;
    end
  end

  always_ff @(posedge clk_i) begin
    if (beat_valid_i) begin
      beat1_q <= beat_i;
      if (beat_i.first || beat_i.second) data1_q <= beat_data_i ^ ((beat_data_i ^ fields) & masks);
      else                               data1_q <= beat_data_i;
    end
  end

  // The test tag is moved to its place in the same two clocks: by bytes within 8, then by 8.
  logic [143:0] tag;
  logic [199:0] tag1_q, tag_mask1_q;   // moved by up to 7 bytes
  logic [647:0] tag2_q, tag_mask2_q;   // and by up to 56 more
  logic [2:0]   tag_shift1_q;

  always_comb begin
    `PLUMB_ANY(tag)
    if (beat_valid_i && beat_i.first) begin
      tag = '0;
      tag[8*0 +: 16] = {plumb_pkg::TagMagic[7:0], plumb_pkg::TagMagic[15:8]};
      tag[8*2 +: 16] = {frame_i.tag_id[7:0], frame_i.tag_id[15:8]};
      for (int unsigned i = 0; i < 8; i++) begin
        tag[8*(4+i) +: 8] = frame_i.sequence_number[8*(7-i) +: 8];
      end
      for (int unsigned i = 0; i < 6; i++) begin
        tag[8*(12+i) +: 8] = frame_i.departure[8*(5-i) +: 8];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (beat_valid_i && beat_i.first) begin
      tag1_q       <= 200'(tag) << {frame_i.tag_off[2:0], 3'd0};
      tag_mask1_q  <= 200'({144{1'b1}}) << {frame_i.tag_off[2:0], 3'd0};
      tag_shift1_q <= frame_i.tag_off[5:3];
    end
    if (valid1_q && beat1_q.first) begin
      tag2_q      <= 648'(tag1_q) << {tag_shift1_q, 6'd0};
      tag_mask2_q <= 648'(tag_mask1_q) << {tag_shift1_q, 6'd0};
    end
    if (valid1_q) begin
      beat2_q <= beat1_q;
      data2_q <= data1_q;
    end
  end

  // ---- Clock 2: test tag; the end of the frame ----
  logic       cut_here, cut_all;
  logic [5:0] cut_at;
  assign cut_here = beat2_q.icrc_en ? beat2_q.icrc_here : beat2_q.fcs_here;
  assign cut_at   = beat2_q.icrc_en ? beat2_q.icrc_at : beat2_q.fcs_at;
  assign cut_all  = !cut_here && !(beat2_q.icrc_en ? beat2_q.icrc_covered : beat2_q.fcs_covered);

  logic [511:0] with_tag;

  always_comb begin
    with_tag = data2_q;
    if (valid2_q && beat2_q.tag_low) begin
      with_tag = data2_q ^ ((data2_q ^ tag2_q[511:0]) & tag_mask2_q[511:0]);
    end else if (valid2_q && beat2_q.tag_high) begin
      with_tag = data2_q ^ ((data2_q ^ 512'(tag2_q[647:512])) & 512'(tag_mask2_q[647:512]));
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid2_q) begin
      beat_o <= beat2_q;
      if (cut_all)       beat_data_o <= '0;
      else if (cut_here) beat_data_o <= with_tag & ~({512{1'b1}} << {cut_at, 3'd0});
      else               beat_data_o <= with_tag;
    end
  end

  // ---- Clock 3: as the ICRC covers it ----
  // Bytes of all ones, from the start of an untagged frame: IPv4 type of service, time to live,
  // header checksum; IPv6 traffic class, flow label, hop limit; UDP checksum; BTH byte 4.
  localparam logic [1023:0] Ones4 = (1024'hff << 8*15) | (1024'hff << 8*22) | (1024'hffff << 8*24) |
                                    (1024'hffff << 8*40) | (1024'hff << 8*46);
  localparam logic [1023:0] Ones6 = (1024'hffffff0f << 8*14) | (1024'hff << 8*21) |
                                    (1024'hffff << 8*60) | (1024'hff << 8*66);
  localparam logic [1023:0] VlanOnes4 = Ones4 << 32;
  localparam logic [1023:0] VlanOnes6 = Ones6 << 32;

  always_comb begin
    icrc_data_o = '0;
    if (beat_valid_o && beat_o.icrc_covered) begin
      icrc_data_o = beat_data_o;
      if (beat_o.first) begin
        if (beat_o.vlan) begin
          icrc_data_o = icrc_data_o | (beat_o.ipv6 ? VlanOnes6[511:0] : VlanOnes4[511:0]);
          icrc_data_o[8*18-1:0] = '0;
          icrc_data_o[8*18 +: 32] = icrc_data_o[8*18 +: 32] ^ plumb_crc32_pkg::IcrcInit;
        end else begin
          icrc_data_o = icrc_data_o | (beat_o.ipv6 ? Ones6[511:0] : Ones4[511:0]);
          icrc_data_o[8*14-1:0] = '0;
          icrc_data_o[8*14 +: 32] = icrc_data_o[8*14 +: 32] ^ plumb_crc32_pkg::IcrcInit;
        end
      end else if (beat_o.second) begin
        if (beat_o.vlan) begin
          icrc_data_o = icrc_data_o | (beat_o.ipv6 ? VlanOnes6[1023:512] : VlanOnes4[1023:512]);
        end else begin
          icrc_data_o = icrc_data_o | (beat_o.ipv6 ? Ones6[1023:512] : Ones4[1023:512]);
        end
      end
    end
  end

  logic unused_bits;
  assign unused_bits = ^{beat_i, frame_i, beat_o};

endmodule
