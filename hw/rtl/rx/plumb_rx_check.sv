// FCS and ICRC of every frame.
//
// Takes the stream one clock after plumb_rx_parse_net. For every frame valid_o pulses, exactly
// 1 + Crc32Latency = 8 clocks after the cycle of its last beat here, with both verdicts.
// icrc_ok_o means something only for a RoCE frame that is at least as long as its IP length says.
//
// The ICRC lies at the end of the IP packet, which for frames of the tester is right before the
// FCS, but before the padding in short frames of others; so the IP length decides. It covers from
// the IP header on, with the fields that routers may change counted as ones. The CRC runs over the
// ICRC itself too: a good one leaves the same register as a good FCS.
`include "plumb_simulated.svh"

module plumb_rx_check (
  // Clock and reset (active low)
  input  logic         clk_i,
  input  logic         rst_ni,

  // Beats with their frames' headers, from plumb_rx_parse_net
  input  logic         valid_i,   // a beat, with all that follows
  input  logic         first_i,   // of its frame
  input  logic         last_i,    // of its frame
  input  logic [10:0]  index_i,   // number of the beat in its frame
  input  logic [6:0]   bytes_i,   // valid bytes, 64 but in a last beat
  input  logic [511:0] data_i,    // byte 0 in bits 7:0
  input  logic         roce_i,    // the frame is UDP to the port of RoCEv2
  input  logic         vlan_i,    // it has an 802.1Q tag
  input  logic         ipv6_i,    // it is IPv6, else IPv4
  input  logic [16:0]  ip_end_i,  // position just behind the IP packet

  // Verdict on each frame
  output logic         valid_o,   // pulse, with the next two
  output logic         fcs_ok_o,
  output logic         icrc_ok_o
);

  // Ones from byte `first` on, `count` bytes, in a beat.
  function automatic logic [511:0] byte_ones(input int unsigned first, input int unsigned count);
    byte_ones = ~({512{1'b1}} << (8 * count)) << (8 * first);
  endfunction

  // Fields that count as ones, by 802.1Q tag and IP version. IPv4: ToS, TTL, header checksum;
  // IPv6: traffic class, flow label, hop limit; UDP checksum; byte 4 of the BTH.
  function automatic logic [511:0] ipv4_ones(input int unsigned ip);
    ipv4_ones = byte_ones(ip + 1, 1) | byte_ones(ip + 8, 1) | byte_ones(ip + 10, 2) |
                byte_ones(ip + 26, 2) | byte_ones(ip + 32, 1);
  endfunction
  function automatic logic [511:0] ipv6_ones(input int unsigned ip);
    ipv6_ones = (512'h0f << (8 * ip)) | byte_ones(ip + 1, 3) | byte_ones(ip + 7, 1);
  endfunction
  localparam logic [511:0] Ones4 = ipv4_ones(14);
  localparam logic [511:0] Ones4Vlan = ipv4_ones(18);
  localparam logic [511:0] Ones6 = ipv6_ones(14) | byte_ones(60, 2);
  localparam logic [511:0] Ones6Vlan = ipv6_ones(18);
  localparam logic [511:0] Ones6Second = byte_ones(2, 1);
  localparam logic [511:0] Ones6VlanSecond = byte_ones(0, 2) | byte_ones(6, 1);

  // Before the IP header nothing counts.
  localparam logic [511:0] Covered = {512{1'b1}} << (8 * 14);
  localparam logic [511:0] CoveredVlan = {512{1'b1}} << (8 * 18);
  localparam logic [511:0] Init = 512'(plumb_crc32_pkg::IcrcInit) << (8 * 14);
  localparam logic [511:0] InitVlan = 512'(plumb_crc32_pkg::IcrcInit) << (8 * 18);

  logic [511:0] masked;
  logic [16:0]  icrc_last;   // position of the last byte of the ICRC

  assign icrc_last = ip_end_i - 17'd1;

  always_comb begin
    `PLUMB_ANY(masked)
    if (valid_i && roce_i) begin
      masked = data_i;
      if (first_i) begin
        unique case ({vlan_i, ipv6_i})
          2'b00:   masked = ((data_i | Ones4) & Covered) ^ Init;
          2'b01:   masked = ((data_i | Ones6) & Covered) ^ Init;
          2'b10:   masked = ((data_i | Ones4Vlan) & CoveredVlan) ^ InitVlan;
          default: masked = ((data_i | Ones6Vlan) & CoveredVlan) ^ InitVlan;
        endcase
      end else if ((index_i == 11'd1) && ipv6_i) begin
        masked = data_i | (vlan_i ? Ones6VlanSecond : Ones6Second);
      end
    end
  end

  logic         fcs_valid_q;
  logic         first_q;
  logic         last_q;
  logic [6:0]   bytes_q;
  logic [511:0] fcs_data_q;
  logic         icrc_valid_q;
  logic         icrc_last_q;
  logic [6:0]   icrc_bytes_q;
  logic [511:0] icrc_data_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      fcs_valid_q  <= 1'b0;
      icrc_valid_q <= 1'b0;
    end else begin
      fcs_valid_q  <= valid_i;
      icrc_valid_q <= valid_i && roce_i && (index_i <= icrc_last[16:6]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      first_q    <= first_i;
      last_q     <= last_i;
      bytes_q    <= bytes_i;
      fcs_data_q <= first_i ? {data_i[511:32], data_i[31:0] ^ plumb_crc32_pkg::FcsInit}
                                 : data_i;
    end
    if (valid_i && roce_i) begin
      icrc_last_q  <= index_i == icrc_last[16:6];
      icrc_bytes_q <= (index_i == icrc_last[16:6]) ? {1'b0, icrc_last[5:0]} + 7'd1 : 7'd64;
      icrc_data_q  <= masked;
    end
  end

  logic        fcs_crc_valid;
  logic [31:0] fcs_crc;
  logic        icrc_crc_valid;
  logic [31:0] icrc_crc;

  plumb_crc32 u_fcs (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .valid_i     (fcs_valid_q),
    .first_i     (first_q),
    .last_i      (last_q),
    .data_i      (fcs_data_q),
    .bytes_i     (bytes_q),
    .crc_valid_o (fcs_crc_valid),
    .crc_o       (fcs_crc)
  );

  plumb_crc32 u_icrc (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .valid_i     (icrc_valid_q),
    .first_i     (first_q),
    .last_i      (icrc_last_q),
    .data_i      (icrc_data_q),
    .bytes_i     (icrc_bytes_q),
    .crc_valid_o (icrc_crc_valid),
    .crc_o       (icrc_crc)
  );

  // The ICRC ends in the last beat or before, so its verdict is never later than that of the FCS.
  logic icrc_ok;
  logic icrc_ok_q;

  assign icrc_ok = icrc_crc_valid ? (icrc_crc == plumb_crc32_pkg::Crc32Residue) : icrc_ok_q;

  always_ff @(posedge clk_i) begin
    icrc_ok_q <= icrc_ok;
  end

  assign valid_o   = fcs_crc_valid;
  assign fcs_ok_o  = fcs_crc == plumb_crc32_pkg::Crc32Residue;
  assign icrc_ok_o = icrc_ok;

endmodule
