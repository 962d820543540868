// Builds the beats of frames out of template and payload, one per clock.
//
// Frames wait in a small queue and are built without gaps. A first beat leaves (beat_valid_o) 4
// clocks after frame_valid_i if the frame finds the builder free, which the gate arranges. pause_i
// stops at the input of the pipeline: two more beats may come out. From a pause until everything
// waiting has been built hold_o keeps the gate from sending more, so that the latency is the fixed
// one again for whatever is sent then; frames decided before the gate saw it (at most 8) wait
// in the queue.
//
//   clock    0              1                 2               3           4
//            frame_valid_i  queue -> frame    beat numbers,   template    beat_o, with payload
//                                             template read               from pay_off on
//
// The payload is incrementing octets from 0 at pay_off; bytes before it are the template's, and
// beats behind the template (256 bytes) are payload only. With a beat come the places of the check
// sequences in it, and with the first beat of each frame the frame's fields (frame_o, steady till
// the next first beat).
//
// The bytes of a control frame come from its requester (control_we_i, before or with its
// frame_valid_i) and wait in the order of the frames; at most 16 of them. Those of an event frame
// (timed) stay outside and are asked for by beats.
//
// Template rows may be accessed while rows_free_o is high and no frame of a flow comes; tbl_rdata_o
// follows tbl_re_i by one clock.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_tx_builder #(
  parameter int unsigned FlowsLog2 = 8
) (
  // Clock and reset (active low)
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // Flow of beats
  input  logic                 pause_i,         // level, from the output FIFO: build no beats
  output logic                 hold_o,          // level, to the gate: decide on no frame
  output logic                 rows_free_o,     // level: no frame of a flow waits here

  // Control frames' bytes
  input  logic                 control_we_i,    // pulse: a control frame was taken by the gate
  input  logic [479:0]         control_data_i,  // frame without FCS, byte 0 in bits 7:0
  output logic [1:0]           timed_beat_o,    // beat of an event frame
  input  logic [511:0]         timed_data_i,    // that beat, combinational

  // Frames to build
  input  logic                 frame_valid_i,   // pulse, at most every other clock
  input  plumb_tx_pkg::frame_t frame_i,         // fields of the frame

  // Beats, to plumb_tx_modify
  output logic                 beat_valid_o,    // a beat; the next three ports describe it
  output logic [511:0]         beat_data_o,     // byte 0 in bits 7:0
  output plumb_tx_pkg::beat_t  beat_o,          // place in the frame, places of tag and checks
  output plumb_tx_pkg::frame_t frame_o,         // fields of the frame that the beat is of

  // Templates: four rows of 64 bytes per slot
  input  logic                 tbl_we_i,        // pulse: write
  input  logic                 tbl_re_i,        // pulse: read
  input  logic [FlowsLog2+1:0] tbl_row_i,       // slot and beat of the template
  input  logic [511:0]         tbl_wdata_i,     // byte 0 in bits 7:0
  output logic [511:0]         tbl_rdata_o      // one clock after tbl_re_i
);

  `PLUMB_RANGE(plumb_tx_builder, FlowsLog2, 1, 12)

  // ---- Queue and the frame being built ----
  (* ram_style = "distributed" *)
  logic [plumb_tx_pkg::FrameW-1:0] queue [0:7];
  logic [3:0]                      head_q, tail_q;
  logic                            waiting, load, step, last;
  logic                            valid0_q;
  logic [7:0]                      beat0_q;
  plumb_tx_pkg::frame_t            frame0_q;
  logic [13:0]                     icrc_at_q, icrc_end_q, fcs_at_q, fcs_end_q, last_byte_q;
  plumb_tx_pkg::frame_t            queue_head;

  assign waiting    = head_q != tail_q;
  assign queue_head = queue[head_q[2:0]];
  assign step       = valid0_q && !pause_i;
  assign load       = waiting && (!valid0_q || (step && last));

  always_ff @(posedge clk_i) begin
    if (frame_valid_i) queue[tail_q[2:0]] <= frame_i;
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      head_q   <= '0;
      tail_q   <= '0;
      valid0_q <= 1'b0;
    end else begin
      if (frame_valid_i) tail_q <= tail_q + 4'd1;
      if (load)          head_q <= head_q + 4'd1;
      valid0_q <= load || (valid0_q && !(step && last));
    end
  end

  always_ff @(posedge clk_i) begin
    if (load) begin
      frame0_q   <= queue_head;
      beat0_q    <= '0;
      icrc_end_q <= queue_head.length - 14'd9;
      icrc_at_q  <= queue_head.length - 14'd8;
      fcs_end_q  <= queue_head.length - 14'd5;
      fcs_at_q   <= queue_head.length - 14'd4;
      last_byte_q <= queue_head.length - 14'd1;
    end else if (step) begin
      beat0_q    <= beat0_q + 8'd1;
    end
  end

  logic       held_q, empty;
  logic [3:0] flow_frames_q;   // in the queue or being read
  assign empty = !frame_valid_i && !waiting && !valid0_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      held_q        <= 1'b0;
      flow_frames_q <= '0;
    end else begin
      held_q        <= pause_i || (held_q && !empty);
      flow_frames_q <= flow_frames_q + 4'(frame_valid_i && !frame_i.control)
                                     - 4'(step && last && !frame0_q.control);
    end
  end

  assign hold_o      = held_q;
  assign rows_free_o = flow_frames_q == 4'd0;

  // ---- Clock 2: numbers of this beat; template read ----
  logic                from_template;
  plumb_tx_pkg::beat_t beat;

  assign last          = beat0_q == last_byte_q[13:6];
  assign from_template = beat0_q < 8'd4;

  always_comb begin
    `PLUMB_ANY(beat)
    if (step) begin
      beat.first        = beat0_q == 8'd0;
      beat.second       = beat0_q == 8'd1;
      beat.last         = last;
      beat.last_byte    = last ? last_byte_q[5:0] : 6'd63;
      beat.vlan         = frame0_q.vlan;
      beat.ipv6         = frame0_q.ipv6;
      beat.tag_low      = frame0_q.tag_en && beat0_q == 8'(frame0_q.tag_off[7:6]);
      beat.tag_high     = frame0_q.tag_en && beat0_q == 8'(frame0_q.tag_off[7:6]) + 8'd1;
      beat.pay_here     = beat0_q == 8'(frame0_q.pay_off[8:6]);
      beat.pay_all      = beat0_q > 8'(frame0_q.pay_off[8:6]) || !from_template;
      beat.icrc_en      = frame0_q.icrc;
      beat.icrc_covered = frame0_q.icrc && beat0_q <= icrc_end_q[13:6];
      beat.icrc_ends    = frame0_q.icrc && beat0_q == icrc_end_q[13:6];
      beat.icrc_here    = frame0_q.icrc && beat0_q == icrc_at_q[13:6];
      beat.icrc_at      = icrc_at_q[5:0];
      beat.fcs_covered  = beat0_q <= fcs_end_q[13:6];
      beat.fcs_ends     = beat0_q == fcs_end_q[13:6];
      beat.fcs_here     = beat0_q == fcs_at_q[13:6];
      beat.fcs_at       = fcs_at_q[5:0];
    end
  end

  logic unused_low_bits;
  assign unused_low_bits = ^{icrc_end_q[5:0], fcs_end_q[5:0]};

  (* ram_style = "block" *)
  logic [511:0]         template_mem [0:4*2**FlowsLog2-1];
  logic [511:0]         template1_q;
  logic                 template_read;
  logic [FlowsLog2+1:0] template_row;

  assign template_read = step && from_template && !frame0_q.control;
  assign template_row  = template_read ? {frame0_q.slot[FlowsLog2-1:0], beat0_q[1:0]} : tbl_row_i;

  always_ff @(posedge clk_i) begin
    if (tbl_we_i) template_mem[tbl_row_i] <= tbl_wdata_i;
    if (template_read || tbl_re_i) template1_q <= template_mem[template_row];
  end

  assign tbl_rdata_o = template1_q;

  // Bytes of the control frames.
  (* ram_style = "distributed" *)
  logic [479:0] control_mem [0:15];
  logic [511:0] control1_q;
  logic [3:0]   control_write_q, control_read_q;
  logic         control_read;

  assign control_read = step && frame0_q.control && !frame0_q.timed;
  assign timed_beat_o = beat0_q[1:0];

  always_ff @(posedge clk_i) begin
    if (control_we_i) control_mem[control_write_q] <= control_data_i;
    if (control_read) control1_q <= {32'd0, control_mem[control_read_q]};
    else if (step && frame0_q.timed) control1_q <= timed_data_i;
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      control_write_q <= '0;
      control_read_q  <= '0;
    end else begin
      if (control_we_i) control_write_q <= control_write_q + 4'd1;
      if (control_read) control_read_q  <= control_read_q + 4'd1;
    end
  end

  // ---- Clock 3: payload merged behind the template ----
  logic                 valid1_q;
  plumb_tx_pkg::beat_t  beat1_q;
  plumb_tx_pkg::frame_t frame1_q;
  logic [5:0]           pay_byte1_q;
  logic [7:0]           pay_value1_q;   // of byte 0 of the beat

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      valid1_q     <= 1'b0;
      beat_valid_o <= 1'b0;
    end else begin
      valid1_q     <= step;
      beat_valid_o <= valid1_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (step) begin
      beat1_q      <= beat;
      pay_byte1_q  <= frame0_q.pay_off[5:0];
      pay_value1_q <= {beat0_q[1:0], 6'd0} - frame0_q.pay_off[7:0];
      if (beat.first) frame1_q <= frame0_q;
    end
  end

  // Eight octets per word are counted up side by side: the low seven bits of each are added, where
  // no carry can leave the octet, and the top bits joined by XOR.
  localparam logic [63:0] Low7 = 64'h7f7f7f7f7f7f7f7f;
  localparam logic [63:0] Count = 64'h0706050403020100;
  localparam logic [63:0] Eights = 64'h0808080808080808;

  logic [511:0] payload;
  logic [63:0]  value;

  always_comb begin
    `PLUMB_ANY(payload)
    `PLUMB_ANY(value)
    if (valid1_q && (beat1_q.pay_here || beat1_q.pay_all)) begin
      value = {8{pay_value1_q}};
      for (int unsigned w = 0; w < 8; w++) begin
        payload[64*w +: 64] = ((value & Low7) + (Count + 64'(w) * Eights)) ^ (value & ~Low7);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid1_q) begin
      beat_o <= beat1_q;
      if (beat1_q.first) frame_o <= frame1_q;
      if (frame1_q.control)       beat_data_o <= control1_q;
      else if (beat1_q.pay_all)   beat_data_o <= payload;
      else if (!beat1_q.pay_here) beat_data_o <= template1_q;
      else beat_data_o <= template1_q ^ ((template1_q ^ payload) &
                                         ({512{1'b1}} << {pay_byte1_q, 3'd0}));
    end
  end

  `PLUMB_ASSERT(QueueFits, frame_valid_i |-> tail_q != (head_q ^ 4'd8))
  `PLUMB_ASSERT(RowsWhileIdle, (tbl_we_i || tbl_re_i) |->
                !template_read && flow_frames_q == 4'd0 && !(frame_valid_i && !frame_i.control))

endmodule
