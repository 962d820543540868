// Reads Ethernet, one 802.1Q tag, IPv4 or IPv6 and UDP from the first beat, or recognises a MAC
// control frame. All of that lies in the first 64 bytes, but for the kind of a transport header
// behind 802.1Q and IPv6: that comes with the second beat.
//
// One clock, a beat every clock; net_o changes with the first beat of a frame and holds until the
// next one's. Not understood (udp = 0): other EtherTypes, IPv4 with options or any fragment, IPv6
// with extension headers, other protocols than UDP.
`include "plumb_simulated.svh"

module plumb_rx_parse_net (
  // Clock and reset (active low)
  input  logic                clk_i,
  input  logic                rst_ni,

  // Beats from plumb_rx_framer
  input  logic                valid_i,  // a beat, with the next two
  input  plumb_rx_pkg::beat_t beat_i,   // place in the frame, length, timestamp
  input  logic [511:0]        data_i,   // byte 0 in bits 7:0

  // The same one clock later, with what the headers say
  output logic                valid_o,  // a beat, with the next three
  output plumb_rx_pkg::beat_t beat_o,
  output logic [511:0]        data_o,
  output plumb_rx_pkg::net_t  net_o     // of the beat's frame
);

  // The number in two bytes of the wire.
  function automatic logic [15:0] be16(input logic [15:0] bytes);
    be16 = {bytes[7:0], bytes[15:8]};
  endfunction

  // {UDP, to the RoCE port, to the UET port} of what lies behind an EtherType: from the IP header its
  // first byte, bytes 6 and 7 and byte 9, and the destination port of either version. Version 4 with
  // five words of header; neither offset nor more fragments; UDP.
  function automatic logic [2:0] udp_kind(input logic [15:0] ethertype, input logic [7:0] version,
                                          input logic [15:0] bytes6, input logic [7:0] byte9,
                                          input logic [15:0] port4, input logic [15:0] port6);
    logic ipv4_ok, ipv6_ok;
    ipv4_ok  = ethertype == 16'h0800 && version == 8'h45 && bytes6[5:0] == 6'd0 &&
               bytes6[15:8] == 8'd0 && byte9 == 8'd17;
    ipv6_ok  = ethertype == 16'h86dd && version[7:4] == 4'd6 && bytes6[7:0] == 8'd17;
    udp_kind = {ipv4_ok || ipv6_ok,
                (ipv4_ok && port4 == plumb_pkg::UdpPortRoce) ||
                (ipv6_ok && port6 == plumb_pkg::UdpPortRoce),
                (ipv4_ok && port4 == plumb_pkg::UdpPortUet) ||
                (ipv6_ok && port6 == plumb_pkg::UdpPortUet)};
  endfunction

  logic [15:0]  outer_type;
  logic [15:0]  inner_type;      // behind an 802.1Q tag
  logic [15:0]  ethertype;
  logic         vlan;
  logic         control_address;
  logic         ipv6;
  logic [15:0]  control_opcode;
  logic [15:0]  length4, length6;   // in the IP header of either version
  logic [16:0]  ip_length;

  // Only of a first beat: in other clocks a simulation need not look.
  always_comb begin
    `PLUMB_ANY(outer_type)
    `PLUMB_ANY(vlan)
    `PLUMB_ANY(inner_type)
    `PLUMB_ANY(ethertype)
    `PLUMB_ANY(ipv6)
    `PLUMB_ANY(control_address)
    `PLUMB_ANY(control_opcode)
    `PLUMB_ANY(length4)
    `PLUMB_ANY(length6)
    `PLUMB_ANY(ip_length)
    if (valid_i && beat_i.first) begin
      outer_type      = be16(data_i[8*12+:16]);
      vlan            = outer_type == 16'h8100;
      inner_type      = be16(data_i[8*16+:16]);
      ethertype       = vlan ? inner_type : outer_type;
      ipv6            = ethertype == 16'h86dd;
      control_address = data_i[47:0] == 48'h01_00_00_c2_80_01;
      control_opcode  = be16(data_i[8*14+:16]);
      length4         = be16(vlan ? data_i[8*20+:16] : data_i[8*16+:16]);
      length6         = be16(vlan ? data_i[8*22+:16] : data_i[8*18+:16]);
      ip_length       = ipv6 ? {1'b0, length6} + 17'd40 : {1'b0, length4};
    end
  end

  logic                valid_q;
  plumb_rx_pkg::beat_t beat_q;
  plumb_rx_pkg::net_t  net_q;
  logic [511:0]        data_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) valid_q <= 1'b0;
    else         valid_q <= valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      beat_q <= beat_i;
      data_q <= data_i;
    end
    if (valid_i && beat_i.first) begin
      // Behind 802.1Q and IPv6 it follows with the second beat.
      net_q.kind        <= ipv6 ? (vlan ? 9'd0 : {data_i[8*62+:8], data_i[8*63+7]})
                                : (vlan ? {data_i[8*46+:8], data_i[8*47+7]}
                                        : {data_i[8*42+:8], data_i[8*43+7]});
      net_q.ip_end      <= ip_length + (vlan ? 17'd18 : 17'd14);
      // Both places are looked at before it is known which one counts: the tag is known late.
      {net_q.udp, net_q.roce, net_q.uet} <=
          vlan ? udp_kind(inner_type, data_i[8*18+:8], data_i[8*24+:16], data_i[8*27+:8],
                          be16(data_i[8*40+:16]), be16(data_i[8*60+:16]))
               : udp_kind(outer_type, data_i[8*14+:8], data_i[8*20+:16], data_i[8*23+:8],
                          be16(data_i[8*36+:16]), be16(data_i[8*56+:16]));
      net_q.vlan        <= vlan;
      net_q.ipv6        <= ipv6;
      // Bits 1:0 of the IPv4 ToS, bits 1:0 of the traffic class that IPv6 has at bit 4.
      net_q.ce          <= ipv6 ? (vlan ? &data_i[8*19+4+:2] : &data_i[8*15+4+:2])
                                : (vlan ? &data_i[8*19+:2] : &data_i[8*15+:2]);
      net_q.mac_control <= outer_type == 16'h8808;
      net_q.pfc         <= (outer_type == 16'h8808) && control_address &&
                           (control_opcode == 16'h0101);
      net_q.pause       <= (outer_type == 16'h8808) && (control_opcode == 16'h0001);
    end
    if (valid_i && beat_i.index == 11'd1 && net_q.vlan && net_q.ipv6) begin
      net_q.kind        <= {data_i[8*2+:8], data_i[8*3+7]};
    end
  end

  assign valid_o = valid_q;
  assign beat_o  = beat_q;
  assign data_o  = data_q;
  assign net_o   = net_q;

endmodule
