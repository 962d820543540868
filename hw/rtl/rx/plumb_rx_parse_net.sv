// Reads Ethernet, one 802.1Q tag, IPv4 or IPv6 and UDP from the first beat, or recognises a MAC
// control frame. All of that lies in the first 64 bytes.
//
// One clock, a beat every clock; net_o changes with the first beat of a frame and holds until the
// next one's. Not understood (udp = 0): other EtherTypes, IPv4 with options or any fragment, IPv6
// with extension headers, other protocols than UDP.
module plumb_rx_parse_net (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                valid_i,
  input  plumb_rx_pkg::beat_t beat_i,
  input  logic [511:0]        data_i,
  output logic                valid_o,
  output plumb_rx_pkg::beat_t beat_o,
  output logic [511:0]        data_o,
  output plumb_rx_pkg::net_t  net_o
);

  // The number in two bytes of the wire.
  function automatic logic [15:0] be16(input logic [15:0] bytes);
    be16 = {bytes[7:0], bytes[15:8]};
  endfunction

  logic [15:0]  outer_type;
  logic [15:0]  ethertype;
  logic         vlan;
  logic         control_address;
  logic [399:0] ip;              // from the IP header on
  logic         ipv4_ok;
  logic         ipv6_ok;
  logic         ipv6;
  logic [15:0]  dest_port;
  logic [15:0]  control_opcode;
  logic [16:0]  ip_length;

  assign outer_type      = be16(data_i[8*12+:16]);
  assign vlan            = outer_type == 16'h8100;
  assign ethertype       = vlan ? be16(data_i[8*16+:16]) : outer_type;
  assign ip              = vlan ? {32'd0, data_i[511:144]} : data_i[511:112];
  assign ipv6            = ethertype == 16'h86dd;
  assign control_address = data_i[47:0] == 48'h01_00_00_c2_80_01;
  assign control_opcode  = be16(data_i[8*14+:16]);

  // Version 4 with five words of header; neither offset nor more fragments; UDP.
  assign ipv4_ok = (ethertype == 16'h0800) && (ip[7:0] == 8'h45) &&
                   (ip[53:48] == 6'd0) && (ip[63:56] == 8'd0) && (ip[79:72] == 8'd17);
  assign ipv6_ok = ipv6 && (ip[7:4] == 4'd6) && (ip[55:48] == 8'd17);

  assign dest_port = ipv6 ? be16(ip[8*42+:16]) : be16(ip[8*22+:16]);
  assign ip_length = ipv6 ? {1'b0, be16(ip[8*4+:16])} + 17'd40
                          : {1'b0, be16(ip[8*2+:16])};

  logic unused_ip;
  assign unused_ip = ^ip;

  logic                valid_q;
  plumb_rx_pkg::beat_t beat_q;
  plumb_rx_pkg::net_t  net_q;
  logic [511:0]        data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else         valid_q <= valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      beat_q <= beat_i;
      data_q <= data_i;
    end
    if (valid_i && beat_i.first) begin
      net_q.kind        <= ipv6 ? {ip[8*48+:8], ip[8*49+7]} : {ip[8*28+:8], ip[8*29+7]};
      net_q.ip_end      <= ip_length + (vlan ? 17'd18 : 17'd14);
      net_q.udp         <= ipv4_ok || ipv6_ok;
      net_q.vlan        <= vlan;
      net_q.ipv6        <= ipv6;
      net_q.roce        <= (ipv4_ok || ipv6_ok) && (dest_port == plumb_pkg::UdpPortRoce);
      net_q.uet         <= (ipv4_ok || ipv6_ok) && (dest_port == plumb_pkg::UdpPortUet);
      // Bits 1:0 of the IPv4 ToS, bits 1:0 of the traffic class that IPv6 has at bit 4.
      net_q.ce          <= ipv6 ? (ip[13:12] == 2'b11) : (ip[9:8] == 2'b11);
      net_q.mac_control <= outer_type == 16'h8808;
      net_q.pfc         <= (outer_type == 16'h8808) && control_address &&
                           (control_opcode == 16'h0101);
      net_q.pause       <= (outer_type == 16'h8808) && (control_opcode == 16'h0001);
    end
  end

  assign valid_o = valid_q;
  assign beat_o  = beat_q;
  assign data_o  = data_q;
  assign net_o   = net_q;

endmodule
