// Builds the MAC control frames of a port and decides which one goes next: PFC of the virtual
// buffer, PFC asked for by software, the storm's, CC_Update; in this order.
//
// control_data_o is there in the clock of control_ready_i only, in which the sender takes it: what
// it says of credits is therefore true at its place among the frames. pfc_o with pfc_body_o follows
// a PFC frame by one clock (classes and times as on the wire), cc_taken_o a CC_Update likewise.
//
// software_i asks for one frame of software_mask_i and software_quanta_i; until it has left
// (software_busy_o) they must not change.
`include "plumb_simulated.svh"

module plumb_fc_frames (
  // Clock and reset (active low)
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [47:0]  source_i,            // MAC address of the frames, first byte in bits 47:40

  // PFC of the virtual buffer; masks have one bit per priority, quanta are 64 byte times
  input  logic [7:0]   want_xoff_i,         // mask, level: XOFF is wanted
  input  logic [7:0]   want_xon_i,          // mask, level: XON is wanted
  input  logic [15:0]  watermark_quanta_i,  // of an XOFF
  output logic         watermark_sent_o,    // combinational: both masks go in this clock
  output logic [7:0]   watermark_mask_o,    // with watermark_sent_o: their union

  // PFC asked for by software
  input  logic         software_i,          // pulse
  output logic         software_busy_o,     // level, until it has left
  input  logic [7:0]   software_mask_i,     // steady while software_busy_o
  input  logic [15:0]  software_quanta_i,   // steady while software_busy_o

  // PFC of the storm
  input  logic         storm_i,             // level: a frame is wanted
  output logic         storm_taken_o,       // combinational, for one clock
  input  logic [7:0]   storm_mask_i,
  input  logic [15:0]  storm_quanta_i,

  // CC_Update
  input  logic         cc_enable_i,         // level
  input  logic [31:0]  cc_period_i,         // clocks between two
  input  logic [159:0] cc_counts_i,         // credits sent, 20 bits per channel
  output logic         cc_taken_o,          // pulse, one clock after it was taken

  // To the sender
  output logic         control_valid_o,     // level: a control frame waits
  input  logic         control_ready_i,     // taken in this clock
  output logic [479:0] control_data_o,      // in that clock only; no FCS, byte 0 in 7:0
  output logic         pfc_o,               // pulse, one clock after a PFC frame was taken
  output logic [135:0] pfc_body_o           // with pfc_o: classes (low byte), times, as on the wire
);

  // Asked for by software; CC_Update when its period is over.
  logic        software_q, cc_q;
  logic [31:0] clocks_q;
  logic        watermark, software_taken, cc_taken, pfc_taken;
  logic [7:0]  mask, off;
  logic [15:0] quanta;

  assign watermark       = (|want_xoff_i) || (|want_xon_i);
  assign control_valid_o = watermark || software_q || storm_i || cc_q;

  always_comb begin
    watermark_sent_o = 1'b0;
    software_taken   = 1'b0;
    storm_taken_o    = 1'b0;
    cc_taken         = 1'b0;
    if (control_ready_i) begin
      if (watermark)        watermark_sent_o = 1'b1;
      else if (software_q)  software_taken   = 1'b1;
      else if (storm_i)     storm_taken_o    = 1'b1;
      else                  cc_taken         = cc_q;
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      software_q <= 1'b0;
      cc_q       <= 1'b0;
      clocks_q   <= '0;
    end else begin
      software_q <= software_i || (software_q && !software_taken);
      if (!cc_enable_i) begin
        cc_q     <= 1'b0;
        clocks_q <= '0;
      end else if (clocks_q >= cc_period_i) begin
        cc_q     <= 1'b1;
        clocks_q <= 32'd1;
      end else begin
        cc_q     <= cc_q && !cc_taken;
        clocks_q <= clocks_q + 32'd1;
      end
    end
  end

  assign software_busy_o  = software_q;
  assign watermark_mask_o = want_xoff_i | want_xon_i;

  // PFC: opcode, classes, eight times. Byte 0 of the frame is in the lowest bits, so what is
  // big-endian on the wire is swapped here.
  logic [135:0] pfc_body;
  logic [159:0] cc_packed;
  logic         is_pfc;

  assign is_pfc = watermark || software_q || storm_i;

  always_comb begin
    mask   = storm_mask_i;
    off    = storm_mask_i;
    quanta = storm_quanta_i;
    if (watermark) begin
      mask   = watermark_mask_o;
      off    = want_xoff_i;
      quanta = watermark_quanta_i;
    end else if (software_q) begin
      mask   = software_mask_i;
      off    = software_mask_i;
      quanta = software_quanta_i;
    end
    pfc_body  = '0;
    cc_packed = '0;
    if (control_ready_i && is_pfc) begin
      pfc_body[7:0] = mask;
      for (int unsigned p = 0; p < 8; p++) begin
        pfc_body[8+16*p +: 16] = (mask[p] && off[p]) ? {quanta[7:0], quanta[15:8]} : 16'd0;
      end
    end
    if (control_ready_i && !is_pfc) begin
      for (int unsigned k = 0; k < 4; k++) begin
        cc_packed[40*k +: 40] = {cc_counts_i[40*k+20 +: 8], cc_counts_i[40*k+28 +: 8],
                                 cc_counts_i[40*k +: 4], cc_counts_i[40*k+36 +: 4],
                                 cc_counts_i[40*k+4 +: 8], cc_counts_i[40*k+12 +: 8]};
      end
    end
  end

  always_comb begin
    `PLUMB_ANY(control_data_o)
    if (control_ready_i) begin
      control_data_o = '0;
      control_data_o[47:0]   = 48'h010000c28001;
      control_data_o[95:48]  = {source_i[7:0], source_i[15:8], source_i[23:16], source_i[31:24],
                                source_i[39:32], source_i[47:40]};
      control_data_o[111:96] = 16'h0888;
      if (is_pfc) begin
        control_data_o[127:112] = 16'h0101;
        control_data_o[271:136] = pfc_body;
      end else begin
        control_data_o[159:112] = 48'h01cb7afafeff;
        control_data_o[319:160] = cc_packed;
      end
    end
  end

  assign pfc_taken = control_ready_i && is_pfc;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      pfc_o      <= 1'b0;
      cc_taken_o <= 1'b0;
    end else begin
      pfc_o      <= pfc_taken;
      cc_taken_o <= cc_taken;
    end
  end

  always_ff @(posedge clk_i) begin
    if (pfc_taken) pfc_body_o <= pfc_body;
  end

endmodule
