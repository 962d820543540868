// Brings together what the parser found at the end of a frame and the verdict of the checksums
// some clocks later, and says what the frame is.
//
// end_i is the last beat behind plumb_rx_parse_transport; body_i is right one clock later, and
// fcs_valid_i comes CheckDelay clocks later. All outputs are registered and come one clock after
// fcs_valid_i, in frame order, up to one per clock.
//
// A frame is one of: runt, giant, FCS error, good. Only a good one is looked into: it is a MAC
// control frame, or not understood, or untagged, or tagged. A trimmed one has no ICRC any more; it
// is tagged if its IP packet still holds the whole tag. Else it counts as bare, and neither as
// untagged nor as not understood.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_rx_verdict #(
  parameter int unsigned RowsLog2 = 12,
  parameter int unsigned GroupsLog2 = 4,
  parameter int unsigned CheckDelay = 7
) (
  // Clock and reset (active low)
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // Tracking, static during a run
  input  logic                 wide_rows_i,      // tag id: group 4, row 12 bits; else 5, 11
  input  logic                 trim_dscp_en_i,   // trimmed: has this DSCP
  input  logic [5:0]           trim_dscp_i,
  input  logic                 trim_length_i,    // trimmed: UDP is longer than IP holds

  // The parser's findings, with the last beat of a frame; positions are bytes from its start
  input  logic                 end_i,            // pulse: a last beat
  input  logic [63:0]          stamp_i,          // at the reference point, card time in ps
  input  logic [31:0]          length_i,         // bytes with FCS
  input  logic                 mac_control_i,    // any MAC control frame
  input  logic                 pfc_i,            // MAC control: PFC
  input  logic                 pause_i,          // MAC control: 802.3x PAUSE
  input  logic                 roce_i,           // UDP to the port of RoCEv2
  input  logic                 ce_i,             // ECN = CE
  input  logic [16:0]          ip_end_i,         // position just behind the IP packet
  input  logic                 known_i,          // the transport header is of a known kind
  input  logic                 udp_i,            // IP and UDP were understood
  input  logic [5:0]           dscp_i,
  input  logic [16:0]          udp_end_i,        // position behind what UDP says it carries
  input  logic [7:0]           udp_data_i,       // position of the first byte behind UDP
  input  logic [7:0]           tag_off_i,        // position of the test tag
  input  logic [143:0]         body_i,           // one clock after end_i: tag, or classes and times
                                                 // of PFC

  // The checks' verdict on the frame, CheckDelay clocks after its end_i
  input  logic                 fcs_valid_i,      // pulse, with the next two
  input  logic                 fcs_ok_i,
  input  logic                 icrc_ok_i,        // of RoCE frames only

  // What the frame is; pulses with frame_o
  output logic                 frame_o,          // a frame of any kind; the next three belong to it
  output logic [63:0]          stamp_o,          // at the reference point, card time in ps
  output logic [31:0]          length_o,         // bytes with FCS
  output logic                 fcs_ok_o,
  output logic                 runt_o,           // below 64 bytes
  output logic                 giant_o,          // above 9216 bytes
  output logic                 fcs_error_o,      // of legal length
  output logic                 icrc_checked_o,   // good frame that must have an ICRC
  output logic                 icrc_ok_o,        // and it is right
  output logic                 pfc_o,            // good: PFC
  output logic                 pause_o,          // good: 802.3x PAUSE
  output logic                 control_other_o,  // good: other MAC control
  output logic                 unparsed_o,       // good, not understood
  output logic                 untagged_o,       // good and understood, without a test tag
  output logic                 trimmed_o,        // good and trimmed, with tag or without
  output logic                 bare_o,           // trimmed, and the tag is gone
  output logic                 bad_row_o,        // tag of a row or group that is not there
  output logic                 event_o,          // tagged, for an existing row and group
  output plumb_rx_pkg::event_t event_data_o,     // with event_o
  output logic [135:0]         pfc_body_o        // with pfc_o: classes (low byte), times, as on the
                                                 // wire
);

  `PLUMB_RANGE(plumb_rx_verdict, RowsLog2, 1, 12)
  `PLUMB_RANGE(plumb_rx_verdict, GroupsLog2, 1, 5)
  `PLUMB_RANGE(plumb_rx_verdict, CheckDelay, 3, 16)

  localparam logic [8:0] FcsBytes = 9'd4;
  localparam logic [8:0] IcrcBytes = 9'd4;
  localparam logic [8:0] BthBytes = 9'd12;

  // Clock after the last beat: the record of the frame.
  logic        push_q;
  logic [63:0] stamp_q;
  logic [31:0] length_q;
  logic        mac_control_q;
  logic        pfc_q;
  logic        pause_q;
  logic        roce_q;
  logic        ce_q;
  logic [16:0] ip_end_q;
  logic        known_q;
  logic        udp_q;
  logic [5:0]  dscp_q;
  logic [16:0] udp_end_q;
  // Lengths that a frame (fcs) or an IP packet (ip) must have at least to hold its headers, and
  // the tag behind them. They are summed up here: the next clock compares them.
  logic [8:0]  headers_fcs_q;
  logic [8:0]  headers_ip_q;
  logic [8:0]  tag_fcs_q;
  logic [8:0]  tag_ip_q;
  logic [8:0]  udp_fcs_q;
  logic [8:0]  roce_ip_q;
  logic [17:0] ip_fcs_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) push_q <= 1'b0;
    else         push_q <= end_i;
  end

  always_ff @(posedge clk_i) begin
    if (end_i) begin
      stamp_q       <= stamp_i;
      length_q      <= length_i;
      mac_control_q <= mac_control_i;
      pfc_q         <= pfc_i;
      pause_q       <= pause_i;
      roce_q        <= roce_i;
      ce_q          <= ce_i;
      ip_end_q      <= ip_end_i;
      known_q       <= known_i;
      udp_q         <= udp_i;
      dscp_q        <= dscp_i;
      udp_end_q     <= udp_end_i;
      headers_fcs_q <= {1'b0, tag_off_i} + FcsBytes;
      headers_ip_q  <= {1'b0, tag_off_i} + (roce_i ? IcrcBytes : 9'd0);
      tag_fcs_q     <= {1'b0, tag_off_i} + 9'(plumb_pkg::TagBytes) + FcsBytes;
      tag_ip_q      <= {1'b0, tag_off_i} + 9'(plumb_pkg::TagBytes);
      udp_fcs_q     <= {1'b0, udp_data_i} + FcsBytes;
      // A BTH and an ICRC are the least that a RoCE packet holds.
      roce_ip_q     <= {1'b0, udp_data_i} + BthBytes + IcrcBytes;
      ip_fcs_q      <= {1'b0, ip_end_i} + 18'(FcsBytes);
    end
  end

  // Whether frame and IP packet are as long as that.
  logic                  headers_fit;
  logic                  tag_fits;
  logic                  icrc_room;
  logic                  udp_fits;
  logic                  trimmed;
  logic                  tag_left;     // by the switch that trimmed
  plumb_rx_pkg::record_t record;

  always_comb begin
    `PLUMB_ANY(trimmed)
    `PLUMB_ANY(tag_left)
    `PLUMB_ANY(headers_fit)
    `PLUMB_ANY(tag_fits)
    `PLUMB_ANY(udp_fits)
    `PLUMB_ANY(icrc_room)
    if (push_q) begin
      trimmed     = udp_q && ((trim_dscp_en_i && (dscp_q == trim_dscp_i)) ||
                              (trim_length_i && (udp_end_q > ip_end_q)));
      tag_left    = 17'(tag_ip_q) <= ip_end_q;
      headers_fit = 32'(headers_fcs_q) <= length_q && 17'(headers_ip_q) <= ip_end_q;
      tag_fits    = 32'(tag_fcs_q) <= length_q;
      udp_fits    = 32'(udp_fcs_q) <= length_q;
      icrc_room   = 17'(roce_ip_q) <= ip_end_q;
    end
  end

  assign record.stamp       = stamp_q;
  assign record.length      = length_q;
  assign record.body        = body_i;
  assign record.understood  = known_q && headers_fit;
  assign record.has_tag     = known_q && tag_fits && (trimmed ? tag_left : headers_fit) &&
                              ({body_i[7:0], body_i[15:8]} == plumb_pkg::TagMagic);
  assign record.icrc        = roce_q && udp_fits && icrc_room && !trimmed;
  assign record.icrc_fits   = 32'(ip_fcs_q) <= length_q;
  assign record.ce          = ce_q;
  assign record.trimmed     = trimmed;
  assign record.mac_control = mac_control_q;
  assign record.pfc         = pfc_q;
  assign record.pause       = pause_q;
  assign record.runt        = length_q < plumb_pkg::MinFrameBytes;
  assign record.giant       = length_q > plumb_pkg::MaxFrameBytes;

  // Records wait in a ring; there are never more than CheckDelay of them.
  logic [3:0]                       write_q;
  logic [3:0]                       read_q;
  logic [CheckDelay-1:1]            end_q;     // [k]: the last beat was k clocks ago
  logic                             fetch;
  logic [plumb_rx_pkg::RecordW-1:0] stored;
  plumb_rx_pkg::record_t            rec;

  assign fetch = end_q[CheckDelay-1];
  assign rec   = stored;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      write_q <= 4'd0;
      read_q  <= 4'd0;
      end_q   <= '0;
    end else begin
      end_q <= {end_q[CheckDelay-2:1], end_i};
      if (push_q) write_q <= write_q + 4'd1;
      if (fetch)  read_q  <= read_q + 4'd1;
    end
  end

  plumb_rx_ram #(
    .Width (plumb_rx_pkg::RecordW),
    .Depth (16),
    .AddrW (4)
  ) u_records (
    .clk_i   (clk_i),
    .we_i    (push_q),
    .waddr_i (write_q),
    .wdata_i (record),
    .re_i    (fetch),
    .raddr_i (read_q),
    .rdata_o (stored)
  );

  // What the frame is. The tag is big-endian: magic, id, sequence, departure.
  logic [15:0] id;
  logic [4:0]  group;
  logic [11:0] row;
  logic [63:0] sequence_number;
  logic [47:0] departure;
  logic        good;
  logic        fcs_ok;
  logic        in_range;
  logic        has_tag;

  assign id              = {rec.body[23:16], rec.body[31:24]};
  assign sequence_number = {rec.body[39:32], rec.body[47:40], rec.body[55:48], rec.body[63:56],
                            rec.body[71:64], rec.body[79:72], rec.body[87:80], rec.body[95:88]};
  assign departure       = {rec.body[103:96], rec.body[111:104], rec.body[119:112],
                            rec.body[127:120], rec.body[135:128], rec.body[143:136]};
  // Nothing shorter than a byte and its FCS can have a good one.
  assign fcs_ok          = fcs_ok_i && (rec.length > 32'(FcsBytes));
  assign good            = fcs_ok && !rec.runt && !rec.giant;
  assign group           = wide_rows_i ? {1'b0, id[15:12]} : id[15:11];
  assign row             = wide_rows_i ? id[11:0] : {1'b0, id[10:0]};
  assign in_range        = ((row >> RowsLog2) == 12'd0) && ((group >> GroupsLog2) == 5'd0);
  assign has_tag         = good && !rec.mac_control && rec.has_tag;

  logic                 frame_q;
  logic [63:0]          out_stamp_q;
  logic [31:0]          out_length_q;
  logic                 fcs_ok_q;
  logic                 runt_q;
  logic                 giant_q;
  logic                 fcs_error_q;
  logic                 icrc_checked_q;
  logic                 icrc_ok_q;
  logic                 out_pfc_q;
  logic                 out_pause_q;
  logic                 control_other_q;
  logic                 unparsed_q;
  logic                 untagged_q;
  logic                 trimmed_q;
  logic                 bare_q;
  logic                 bad_row_q;
  logic                 event_q;
  plumb_rx_pkg::event_t event_data_q;
  logic [135:0]         pfc_body_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      frame_q         <= 1'b0;
      runt_q          <= 1'b0;
      giant_q         <= 1'b0;
      fcs_error_q     <= 1'b0;
      icrc_checked_q  <= 1'b0;
      icrc_ok_q       <= 1'b0;
      out_pfc_q           <= 1'b0;
      out_pause_q         <= 1'b0;
      control_other_q <= 1'b0;
      unparsed_q      <= 1'b0;
      untagged_q      <= 1'b0;
      trimmed_q       <= 1'b0;
      bare_q          <= 1'b0;
      bad_row_q       <= 1'b0;
      event_q         <= 1'b0;
    end else begin
      frame_q         <= fcs_valid_i;
      runt_q          <= 1'b0;
      giant_q         <= 1'b0;
      fcs_error_q     <= 1'b0;
      icrc_checked_q  <= 1'b0;
      icrc_ok_q       <= 1'b0;
      out_pfc_q       <= 1'b0;
      out_pause_q     <= 1'b0;
      control_other_q <= 1'b0;
      unparsed_q      <= 1'b0;
      untagged_q      <= 1'b0;
      trimmed_q       <= 1'b0;
      bare_q          <= 1'b0;
      bad_row_q       <= 1'b0;
      event_q         <= 1'b0;
      if (fcs_valid_i) begin
        runt_q          <= rec.runt;
        giant_q         <= rec.giant;
        fcs_error_q     <= !rec.runt && !rec.giant && !fcs_ok;
        icrc_checked_q  <= good && rec.icrc;
        icrc_ok_q       <= good && rec.icrc && rec.icrc_fits && icrc_ok_i;
        out_pfc_q       <= good && rec.pfc;
        out_pause_q     <= good && rec.pause;
        control_other_q <= good && rec.mac_control && !rec.pfc && !rec.pause;
        unparsed_q      <= good && !rec.mac_control && !rec.trimmed && !rec.understood;
        untagged_q      <= good && !rec.mac_control && !rec.trimmed && rec.understood &&
                           !rec.has_tag;
        trimmed_q       <= good && rec.trimmed;
        bare_q          <= good && rec.trimmed && !rec.has_tag;
        bad_row_q       <= has_tag && !in_range;
        event_q         <= has_tag && in_range;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (fcs_valid_i) begin
      out_stamp_q               <= rec.stamp;
      out_length_q              <= rec.length;
      fcs_ok_q              <= fcs_ok;
      pfc_body_q            <= rec.body[143:8];
      event_data_q.latency  <= rec.stamp[47:0] - departure;
      event_data_q.seq <= sequence_number;
      event_data_q.group    <= group;
      event_data_q.row      <= row;
      event_data_q.trimmed  <= rec.trimmed;
      event_data_q.length   <= rec.length[13:0];
      event_data_q.ce       <= rec.ce;
      event_data_q.bad_icrc <= rec.icrc && !(rec.icrc_fits && icrc_ok_i);
    end
  end

  assign frame_o         = frame_q;
  assign stamp_o         = out_stamp_q;
  assign length_o        = out_length_q;
  assign fcs_ok_o        = fcs_ok_q;
  assign runt_o          = runt_q;
  assign giant_o         = giant_q;
  assign fcs_error_o     = fcs_error_q;
  assign icrc_checked_o  = icrc_checked_q;
  assign icrc_ok_o       = icrc_ok_q;
  assign pfc_o           = out_pfc_q;
  assign pause_o         = out_pause_q;
  assign control_other_o = control_other_q;
  assign unparsed_o      = unparsed_q;
  assign untagged_o      = untagged_q;
  assign trimmed_o       = trimmed_q;
  assign bare_o          = bare_q;
  assign bad_row_o       = bad_row_q;
  assign event_o         = event_q;
  assign event_data_o    = event_data_q;
  assign pfc_body_o      = pfc_body_q;

  // The record is there exactly when its verdict is.
  logic fetched_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) fetched_q <= 1'b0;
    else         fetched_q <= fetch;
  end

  `PLUMB_ASSERT(VerdictMeetsRecord, fcs_valid_i == fetched_q)

endmodule
