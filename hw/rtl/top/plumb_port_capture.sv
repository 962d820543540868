// The capture of a port: frames as they are received, behind damage and link-level retry, and frames
// as they are sent. Capture streams: see plumb_capture_tap.
`include "plumb_simulated.svh"

module plumb_port_capture (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         enable_rx_i,
  input  wire logic         enable_tx_i,
  input  wire logic         clear_i,       // pulse: dropped_o becomes zero
  input  wire logic [63:0]  offset_i,      // card time - local time [ps]

  // Received frames, and what the receiver found of them
  input  wire logic [511:0] rx_tdata_i,
  input  wire logic [63:0]  rx_tkeep_i,
  input  wire logic         rx_tvalid_i,
  input  wire logic         rx_tlast_i,
  input  wire logic         rx_desc_valid_i,
  input  wire logic [63:0]  rx_timestamp_i,  // [ps]
  input  wire logic [15:0]  rx_length_i,     // [bytes]
  input  wire logic         rx_fcs_ok_i,
  input  wire logic         rx_icrc_checked_i,
  input  wire logic         rx_icrc_ok_i,

  // Sent frames, as the MAC takes them
  input  wire logic [511:0] tx_tdata_i,
  input  wire logic [63:0]  tx_tkeep_i,
  input  wire logic         tx_tvalid_i,
  input  wire logic         tx_tlast_i,
  input  wire logic         tx_tready_i,
  input  wire logic         tx_sof_i,        // first beat of a frame
  input  wire logic [63:0]  tx_departure_i,  // of its first bit, local time [ps]

  // Capture of received frames: AXI4-Stream, and a descriptor per frame
  output      logic [511:0] cap_rx_tdata_o,
  output      logic [63:0]  cap_rx_tkeep_o,
  output      logic         cap_rx_tvalid_o,
  output      logic         cap_rx_tlast_o,
  output      logic         cap_rx_desc_valid_o,  // pulse
  output      logic [95:0]  cap_rx_desc_o,        // with cap_rx_desc_valid_o

  // Capture of sent frames
  output      logic [511:0] cap_tx_tdata_o,
  output      logic [63:0]  cap_tx_tkeep_o,
  output      logic         cap_tx_tvalid_o,
  output      logic         cap_tx_tlast_o,
  output      logic         cap_tx_desc_valid_o,  // pulse
  output      logic [95:0]  cap_tx_desc_o,        // with cap_tx_desc_valid_o
  input  wire logic         cap_ready_i,          // level, of both directions

  // Frames that were not captured for lack of room: pulses, and their number
  output      logic         rx_dropped_o,
  output      logic         tx_dropped_o,
  output      logic [63:0]  dropped_o
);

  logic        tx_beat, tx_desc_valid;
  logic [63:0] tx_timestamp;
  logic [15:0] tx_length;

  plumb_capture_tap #(
    .Sent(1'b0)
  ) u_capture_rx (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .enable_i           (enable_rx_i),
    .beat_i             (rx_tvalid_i),
    .tdata_i            (rx_tdata_i),
    .tkeep_i            (rx_tkeep_i),
    .tlast_i            (rx_tlast_i),
    .desc_valid_i       (rx_desc_valid_i),
    .desc_timestamp_i   (rx_timestamp_i),
    .desc_length_i      (rx_length_i),
    .desc_fcs_ok_i      (rx_fcs_ok_i),
    .desc_icrc_checked_i(rx_icrc_checked_i),
    .desc_icrc_ok_i     (rx_icrc_ok_i),
    .cap_tdata_o        (cap_rx_tdata_o),
    .cap_tkeep_o        (cap_rx_tkeep_o),
    .cap_tvalid_o       (cap_rx_tvalid_o),
    .cap_tlast_o        (cap_rx_tlast_o),
    .cap_ready_i        (cap_ready_i),
    .cap_desc_valid_o   (cap_rx_desc_valid_o),
    .cap_desc_o         (cap_rx_desc_o),
    .dropped_o          (rx_dropped_o)
  );

  assign tx_beat = tx_tvalid_i && tx_tready_i;

  plumb_tx_descriptor u_tx_descriptor (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .offset_i        (offset_i),
    .beat_i          (tx_beat),
    .sof_i           (tx_sof_i),
    .tlast_i         (tx_tlast_i),
    .tkeep_i         (tx_tkeep_i),
    .departure_i     (tx_departure_i),
    .desc_valid_o    (tx_desc_valid),
    .desc_timestamp_o(tx_timestamp),
    .desc_length_o   (tx_length)
  );

  // The card computes FCS and ICRC itself: there is nothing to check in what it sends. The
  // descriptor says nothing of damage done on purpose, which the log of damage has.
  plumb_capture_tap #(
    .Sent(1'b1)
  ) u_capture_tx (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .enable_i           (enable_tx_i),
    .beat_i             (tx_beat),
    .tdata_i            (tx_tdata_i),
    .tkeep_i            (tx_tkeep_i),
    .tlast_i            (tx_tlast_i),
    .desc_valid_i       (tx_desc_valid),
    .desc_timestamp_i   (tx_timestamp),
    .desc_length_i      (tx_length),
    .desc_fcs_ok_i      (1'b1),
    .desc_icrc_checked_i(1'b0),
    .desc_icrc_ok_i     (1'b0),
    .cap_tdata_o        (cap_tx_tdata_o),
    .cap_tkeep_o        (cap_tx_tkeep_o),
    .cap_tvalid_o       (cap_tx_tvalid_o),
    .cap_tlast_o        (cap_tx_tlast_o),
    .cap_ready_i        (cap_ready_i),
    .cap_desc_valid_o   (cap_tx_desc_valid_o),
    .cap_desc_o         (cap_tx_desc_o),
    .dropped_o          (tx_dropped_o)
  );

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      dropped_o <= '0;
    end else if (clear_i) begin
      dropped_o <= '0;
    end else begin
      dropped_o <= dropped_o + 64'(rx_dropped_o) + 64'(tx_dropped_o);
    end
  end

endmodule
