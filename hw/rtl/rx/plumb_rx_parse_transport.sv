// Finds the place of the test tag behind the transport headers: RoCEv2 by the BTH opcode, UET by
// PDS type and next header, other UDP directly behind UDP.
//
// One clock, a beat every clock; net_o is passed on, tag_off_o and known_o are right from the beat
// that holds the first transport bytes on (the first, or the second with 802.1Q and IPv6) and hold
// until the next frame.
`include "plumb_simulated.svh"

module plumb_rx_parse_transport (
  // Clock and reset (active low)
  input  logic                clk_i,
  input  logic                rst_ni,

  // Beats from plumb_rx_parse_net
  input  logic                valid_i,     // a beat, with the next three
  input  plumb_rx_pkg::beat_t beat_i,      // place in the frame, length, timestamp
  input  logic [511:0]        data_i,      // byte 0 in bits 7:0
  input  plumb_rx_pkg::net_t  net_i,       // of the beat's frame

  // The same one clock later
  output logic                valid_o,     // a beat, with the next three
  output plumb_rx_pkg::beat_t beat_o,
  output logic [511:0]        data_o,
  output plumb_rx_pkg::net_t  net_o,

  // Of the frame; positions are bytes from its start
  output logic                known_o,     // the transport header is of a known kind
  output logic [7:0]          udp_data_o,  // position of the first byte behind UDP
  output logic [5:0]          dscp_o,      // of the IP header
  output logic [16:0]         udp_end_o,   // position behind what UDP says it carries
  output logic [7:0]          tag_off_o    // position of the test tag: 2 modulo 4
);

  localparam logic [4:0] PdsControl = 5'd11;

  logic        second_beat;   // the first transport bytes are in the second beat
  logic [8:0]  kind;          // BTH opcode in 8:1; PDS type in 8:4, next header in 3:0
  logic [7:0]  roce;
  logic [7:0]  pds;
  logic [7:0]  ses;
  logic        known;
  logic [6:0]  header;
  logic [7:0]  udp_data;
  logic [15:0] udp_length;    // as the UDP header says; only from a first beat, like the DSCP
  logic [5:0]  dscp;

  assign second_beat = net_i.vlan && net_i.ipv6;
  assign kind        = net_i.kind;

  // Without a beat the values are not used, and a simulation skips them: so no functions here, as a
  // simulator evaluates those in every clock.
  always_comb begin
    `PLUMB_ANY(roce)
    `PLUMB_ANY(pds)
    `PLUMB_ANY(ses)
    `PLUMB_ANY(known)
    `PLUMB_ANY(header)
    `PLUMB_ANY(udp_data)
    `PLUMB_ANY(udp_length)
    `PLUMB_ANY(dscp)
    if (valid_i) begin
      // Bytes of BTH and extension headers by opcode; bit 7 when the opcode is known.
      unique case (kind[8:1])
        // SEND First, Middle, Last, Only; WRITE Middle, Last; READ response Middle (RC, UC).
        8'h00, 8'h01, 8'h02, 8'h04, 8'h07, 8'h08, 8'h0e,
        8'h20, 8'h21, 8'h22, 8'h24, 8'h27, 8'h28: roce = {1'b1, 7'd12};
        // One word: immediate data, AETH or IETH.
        8'h03, 8'h05, 8'h09, 8'h0d, 8'h0f, 8'h10, 8'h11, 8'h16, 8'h17,
        8'h23, 8'h25, 8'h29:                      roce = {1'b1, 7'd16};
        8'h64:                                    roce = {1'b1, 7'd20};  // DETH
        8'h12, 8'h65:                             roce = {1'b1, 7'd24};  // AETH+8, DETH+Imm
        8'h06, 8'h0a, 8'h0c, 8'h26, 8'h2a:        roce = {1'b1, 7'd28};  // RETH
        8'h81:                                    roce = {1'b1, 7'd28};  // CNP
        8'h0b, 8'h2b:                             roce = {1'b1, 7'd32};  // RETH, immediate
        8'h13, 8'h14:                             roce = {1'b1, 7'd40};  // AtomicETH
        default:                                  roce = 8'd0;
      endcase
      // Bytes of the PDS header by type; bit 7 when the type is known.
      unique case (kind[8:4])
        5'd6:                       pds = {1'b1, 7'd4};
        5'd4, 5'd5:                 pds = {1'b1, 7'd8};
        5'd2, 5'd3, 5'd7:           pds = {1'b1, 7'd12};
        5'd10, 5'd11, 5'd13, 5'd14: pds = {1'b1, 7'd16};
        5'd8, 5'd12:                pds = {1'b1, 7'd32};
        5'd9:                       pds = {1'b1, 7'd40};
        default:                    pds = 8'd0;
      endcase
      // Bytes of the SES header by the next header field; bit 7 when it is known.
      unique case (kind[3:0])
        4'd0:       ses = {1'b1, 7'd0};
        4'd1, 4'd5: ses = {1'b1, 7'd20};
        4'd2:       ses = {1'b1, 7'd32};
        4'd3:       ses = {1'b1, 7'd44};
        4'd4, 4'd6: ses = {1'b1, 7'd12};
        default:    ses = 8'd0;
      endcase
      // A control packet has its kind where others have the next header.
      if (kind[8:4] == PdsControl) ses = 8'h80;
      known    = net_i.udp && (net_i.roce ? roce[7] : net_i.uet ? (pds[7] && ses[7]) : 1'b1);
      header   = net_i.roce ? roce[6:0] : net_i.uet ? pds[6:0] + ses[6:0] : 7'd0;
      udp_data = net_i.ipv6 ? (net_i.vlan ? 8'd66 : 8'd62) : (net_i.vlan ? 8'd46 : 8'd42);
      unique case ({net_i.vlan, net_i.ipv6})
        2'b00: begin
          udp_length = {data_i[8*38+:8], data_i[8*39+:8]};
          dscp       = data_i[8*15+2+:6];
        end
        2'b01: begin
          udp_length = {data_i[8*58+:8], data_i[8*59+:8]};
          dscp       = {data_i[8*14+:4], data_i[8*15+6+:2]};
        end
        2'b10: begin
          udp_length = {data_i[8*42+:8], data_i[8*43+:8]};
          dscp       = data_i[8*19+2+:6];
        end
        default: begin
          udp_length = {data_i[8*62+:8], data_i[8*63+:8]};
          dscp       = {data_i[8*18+:4], data_i[8*19+6+:2]};
        end
      endcase
    end
  end

  logic                valid_q;
  plumb_rx_pkg::beat_t beat_q;
  plumb_rx_pkg::net_t  net_q;
  logic [511:0]        data_q;
  logic                known_q;
  logic [7:0]          udp_data_q;
  logic [16:0]         udp_end_q;
  logic [5:0]          dscp_q;
  logic [7:0]          tag_off_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) valid_q <= 1'b0;
    else         valid_q <= valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      beat_q <= beat_i;
      data_q <= data_i;
      if (beat_i.first) begin
        net_q      <= net_i;
        udp_data_q <= udp_data;
        udp_end_q  <= {1'b0, udp_length} + {9'd0, udp_data - 8'd8};
        dscp_q     <= dscp;
        known_q    <= known && !second_beat;
        tag_off_q  <= udp_data + {1'b0, header};
      end else if (second_beat && (beat_i.index == 11'd1)) begin
        known_q    <= known;
        tag_off_q  <= udp_data + {1'b0, header};
      end
    end
  end

  assign valid_o    = valid_q;
  assign beat_o     = beat_q;
  assign data_o     = data_q;
  assign net_o      = net_q;
  assign known_o    = known_q;
  assign udp_data_o = udp_data_q;
  assign udp_end_o  = udp_end_q;
  assign dscp_o     = dscp_q;
  assign tag_off_o  = tag_off_q;

endmodule
