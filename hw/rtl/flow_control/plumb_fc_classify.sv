// Says of every received frame which priority it belongs to, once its check sequence is known; and
// takes the counters out of CC_Update frames.
//
// A vlan frame belongs to the priority of its 802.1Q tag (PCP), or with dscp_i an IP frame to the
// upper three bits of its DSCP; what has neither belongs to default_priority_i. The beats come from
// the receiver's input, the descriptor from its output some clocks later, in the same order; at
// most 15 frames lie between.
//
// arrival_o: a good frame that is no MAC control frame. cc_update_o: a good CC_Update of the first
// 16 channels, with the counters of the first eight in cc_counts_o (20 bits each, channel 0
// lowest); one that begins before the one before it has been judged is passed over. Both are
// registered, two clocks after the descriptor: the verdict comes late in its clock and has a register
// of its own before anything is decided on it.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_fc_classify (
  // Clock and reset (active low)
  input  logic         clk_i,
  input  logic         rst_ni,

  // Configuration: levels
  input  logic         dscp_i,              // priority by DSCP, else by the 802.1Q tag
  input  logic [2:0]   default_priority_i,  // of frames that have neither

  // The receiver's input
  input  logic [511:0] rx_tdata_i,          // byte 0 in bits 7:0
  input  logic         rx_tvalid_i,
  input  logic         rx_tlast_i,

  // Its verdict on each frame, in the same order
  input  logic         desc_valid_i,        // pulse, with the next two
  input  logic [15:0]  desc_length_i,       // bytes with FCS
  input  logic         desc_fcs_ok_i,

  // What the frame is, two clocks later
  output logic         arrival_o,           // pulse: good, no MAC control
  output logic [2:0]   arrival_priority_o,  // with arrival_o
  output logic [13:0]  arrival_length_o,    // with arrival_o: bytes with FCS
  output logic         cc_update_o,         // pulse: a good CC_Update
  output logic [159:0] cc_counts_o          // with cc_update_o and after: 20 bits per channel
);

  // First beats. Multi-byte fields are big-endian, so their bytes are swapped here.
  logic        inside_q, first, vlan, ipv4, ipv6, mac_control, cc_update;
  logic [15:0] outer_type, inner_type, l3_word;
  logic [2:0]  frame_priority;

  assign first = rx_tvalid_i && !inside_q;
  always_comb begin
    frame_priority = '0;
    outer_type     = '0;
    inner_type     = '0;
    l3_word        = '0;
    vlan           = 1'b0;
    ipv4           = 1'b0;
    ipv6           = 1'b0;
    mac_control    = 1'b0;
    cc_update      = 1'b0;
    if (first) begin
      outer_type  = {rx_tdata_i[103:96], rx_tdata_i[111:104]};
      vlan        = outer_type == 16'h8100;
      inner_type  = vlan ? {rx_tdata_i[135:128], rx_tdata_i[143:136]} : outer_type;
      l3_word     = vlan ? {rx_tdata_i[151:144], rx_tdata_i[159:152]}
                         : {rx_tdata_i[119:112], rx_tdata_i[127:120]};
      ipv4        = inner_type == 16'h0800;
      ipv6        = inner_type == 16'h86dd;
      mac_control = outer_type == 16'h8808;
      // Destination 01-80-C2-00-00-01; opcode FFFE, organisation FA-7A-CB, message 1.
      cc_update   = mac_control && rx_tdata_i[47:0] == 48'h010000c28001 &&
                    rx_tdata_i[159:112] == 48'h01cb7afafeff;
      frame_priority = default_priority_i;
      if (dscp_i && ipv4)        frame_priority = l3_word[7:5];
      else if (dscp_i && ipv6)   frame_priority = l3_word[11:9];
      else if (!dscp_i && vlan)  frame_priority = rx_tdata_i[119:117];
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni)           inside_q <= 1'b0;
    else if (rx_tvalid_i)  inside_q <= !rx_tlast_i;
  end

  logic unused_l3;
  assign unused_l3 = ^{l3_word[15:12], l3_word[8], l3_word[4:0]};

  // Their verdicts come in the same order.
  (* ram_style = "distributed" *)
  logic [4:0]   frames [0:15];
  logic [3:0]   write_q, read_q;
  logic         cc_inside_q, cc_here;
  logic         judged_q, fcs_ok_q, control_q, cc_q;   // the verdict on a frame
  logic [159:0] counts_q;
  logic [2:0]   out_priority;
  logic         out_control, out_cc;

  assign cc_here = first && cc_update && !cc_inside_q;
  assign {out_cc, out_control, out_priority} = frames[read_q];

  always_ff @(posedge clk_i) begin
    if (first) frames[write_q] <= {cc_here, mac_control, frame_priority};
    if (cc_here) begin
      for (int unsigned k = 0; k < 4; k++) begin
        counts_q[40*k +: 20]      <= {rx_tdata_i[160+40*k +: 8], rx_tdata_i[168+40*k +: 8],
                                      rx_tdata_i[180+40*k +: 4]};
        counts_q[40*k+20 +: 20]   <= {rx_tdata_i[176+40*k +: 4], rx_tdata_i[184+40*k +: 8],
                                      rx_tdata_i[192+40*k +: 8]};
      end
    end
  end

  logic [2:0]  priority_q;
  logic [15:0] length_q;
  logic        good;

  // Its length is compared behind the register.
  assign good = fcs_ok_q && length_q >= 16'(plumb_pkg::MinFrameBytes) &&
                length_q <= 16'(plumb_pkg::MaxFrameBytes);

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      write_q     <= '0;
      read_q      <= '0;
      cc_inside_q <= 1'b0;
      judged_q    <= 1'b0;
      arrival_o   <= 1'b0;
      cc_update_o <= 1'b0;
    end else begin
      if (first)        write_q <= write_q + 4'd1;
      if (desc_valid_i) read_q  <= read_q + 4'd1;
      cc_inside_q <= cc_here || (cc_inside_q && !(judged_q && cc_q));
      judged_q    <= desc_valid_i;
      arrival_o   <= judged_q && good && !control_q;
      cc_update_o <= judged_q && good && cc_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (desc_valid_i) begin
      fcs_ok_q   <= desc_fcs_ok_i;
      control_q  <= out_control;
      cc_q       <= out_cc;
      priority_q <= out_priority;
      length_q   <= desc_length_i;
    end
    if (judged_q) begin
      arrival_priority_o <= priority_q;
      arrival_length_o   <= length_q[13:0];
    end
  end

  assign cc_counts_o = counts_q;

  `PLUMB_ASSERT(VerdictOfAFrame, desc_valid_i |-> write_q != read_q)
  `PLUMB_ASSERT(FramesFit, first |-> (write_q + 4'd1) != read_q)

endmodule
