// Event frames of a port: block event of the register map, received frames and the one to be sent
// (docs/card.md, Event frames).
//
// clk_bus_i is clk_i for the registers, and may rest while there is no access (plumb_clock_gate). The
// bus: reg_wen_i or reg_ren_i pulses for one clock, reg_ack_o follows two clocks later, with data in
// reg_rdata_o, which is zero in all other clocks.
`include "plumb_simulated.svh"

module plumb_event (
  input  wire logic         clk_i,
  input  wire logic         clk_bus_i,
  input  wire logic         rst_ni,
  input  wire logic [63:0]  now_i,              // local time of the edge that begins the clock [ps]
  input  wire logic [63:0]  offset_i,           // card time - local time [ps]
  input  wire logic [31:0]  tx_ts_offset_i,     // signed ps, from the MAC to the reference point
  input  wire logic [31:0]  rx_ts_offset_i,

  // Register bus
  input  wire logic [11:2]  reg_addr_i,
  input  wire logic         reg_wen_i,
  input  wire logic         reg_ren_i,
  input  wire logic [31:0]  reg_wdata_i,
  output      logic         reg_ack_o,
  output      logic [31:0]  reg_rdata_o,

  // Received frames (plumb_event_rx)
  input  wire logic [511:0] rx_tdata_i,
  input  wire logic         rx_tvalid_i,
  input  wire logic         rx_tlast_i,
  input  wire logic [63:0]  rx_time_i,
  input  wire logic         desc_valid_i,
  input  wire logic         desc_good_i,
  input  wire logic [15:0]  desc_length_i,
  input  wire logic [63:0]  desc_time_i,
  output      logic         rx_event_o,
  output      logic         rx_waits_o,         // level: a received frame waits

  // The frame to be sent (plumb_event_tx)
  output      logic         tx_valid_o,
  input  wire logic         tx_ready_i,
  output      logic [13:0]  tx_length_o,
  input  wire logic [1:0]   tx_beat_i,
  output      logic [511:0] tx_beat_data_o,
  input  wire logic         tx_taken_i,
  input  wire logic [63:0]  tx_taken_departure_i,
  input  wire logic         tx_stalled_i,
  input  wire logic         tx_first_i,
  input  wire logic [63:0]  tx_departure_i
);

  plumb_regs_pkg::event_config_t cfg;
  plumb_regs_pkg::event_pulse_t  pulse;
  plumb_regs_pkg::event_status_t status;
  logic [31:0]                   rdata;
  logic                          access_q, read_q;

  plumb_regs_event u_regs (
    .clk_i      (clk_bus_i),
    .rst_ni     (rst_ni),
    .reg_addr_i (reg_addr_i[8:2]),
    .reg_wen_i  (reg_wen_i),
    .reg_ren_i  (reg_ren_i),
    .reg_wdata_i(reg_wdata_i),
    .reg_rdata_o(rdata),
    .config_o   (cfg),
    .pulse_o    (pulse),
    .status_i   (status)
  );

  always_ff @(posedge clk_bus_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      access_q    <= 1'b0;
      read_q      <= 1'b0;
      reg_ack_o   <= 1'b0;
      reg_rdata_o <= '0;
    end else begin
      access_q    <= reg_wen_i || reg_ren_i;
      read_q      <= reg_ren_i;
      reg_ack_o   <= access_q;
      reg_rdata_o <= read_q ? rdata : '0;
    end
  end

  // Which word the next access to the data is for.
  logic [4:0] rx_word_q, tx_word_q;

  always_ff @(posedge clk_bus_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      rx_word_q <= '0;
      tx_word_q <= '0;
    end else begin
      if (pulse.event_command_rx_take || pulse.event_command_rx_rewind ||
          pulse.event_command_rx_clear) rx_word_q <= '0;
      else if (pulse.event_rx_data_read) rx_word_q <= rx_word_q + 5'd1;
      if (pulse.event_command_tx_rewind || pulse.event_tx_send_written) tx_word_q <= '0;
      else if (pulse.event_tx_data_written) tx_word_q <= tx_word_q + 5'd1;
    end
  end

  logic        tx_busy, tx_lost;
  logic [2:0]  rx_level;
  logic [13:0] rx_length;
  logic [31:0] rx_data, rx_count, rx_lost, tx_sent;
  logic [63:0] rx_time, rx_local, tx_time, tx_local;

  assign rx_waits_o = rx_level != 3'd0;

  // At rest without frames, received or to be sent.
  logic clk_on;

  plumb_clock_gate u_on (
    .clk_i (clk_i),
    .rst_ni(rst_ni),
    .busy_i(rx_tvalid_i || desc_valid_i || tx_busy || (|pulse)),
    .clk_o (clk_on)
  );

  plumb_event_rx u_rx (
    .clk_i        (clk_on),
    .rst_ni       (rst_ni),
    .ethernet_i   (cfg.event_control_rx_ethernet),
    .udp_i        (cfg.event_control_rx_udp),
    .clear_i      (pulse.event_command_rx_clear),
    .ts_offset_i  (rx_ts_offset_i),
    .rx_tdata_i   (rx_tdata_i),
    .rx_tvalid_i  (rx_tvalid_i),
    .rx_tlast_i   (rx_tlast_i),
    .rx_time_i    (rx_time_i),
    .desc_valid_i (desc_valid_i),
    .desc_good_i  (desc_good_i),
    .desc_length_i(desc_length_i),
    .desc_time_i  (desc_time_i),
    .event_o      (rx_event_o),
    .take_i       (pulse.event_command_rx_take),
    .word_i       (rx_word_q),
    .level_o      (rx_level),
    .data_o       (rx_data),
    .length_o     (rx_length),
    .time_o       (rx_time),
    .local_o      (rx_local),
    .count_o      (rx_count),
    .lost_o       (rx_lost)
  );

  plumb_event_tx u_tx (
    .clk_i            (clk_on),
    .rst_ni           (rst_ni),
    .now_i            (now_i),
    .offset_i         (offset_i),
    .ts_offset_i      (tx_ts_offset_i),
    .word_we_i        (pulse.event_tx_data_written),
    .word_i           (tx_word_q),
    .data_i           (cfg.event_tx_data),
    .send_i           (pulse.event_tx_send_written),
    .bytes_i          (cfg.event_tx_send_bytes),
    .valid_o          (tx_valid_o),
    .ready_i          (tx_ready_i),
    .length_o         (tx_length_o),
    .beat_i           (tx_beat_i),
    .beat_data_o      (tx_beat_data_o),
    .taken_i          (tx_taken_i),
    .taken_departure_i(tx_taken_departure_i),
    .stalled_i        (tx_stalled_i),
    .first_i          (tx_first_i),
    .departure_i      (tx_departure_i),
    .busy_o           (tx_busy),
    .lost_o           (tx_lost),
    .sent_o           (tx_sent),
    .time_o           (tx_time),
    .local_o          (tx_local)
  );

  always_comb begin
    `PLUMB_ANY(status)
    if (reg_ren_i) begin
      status.event_status_rx_level = rx_level;
      // A request of the clock before counts as busy already.
      status.event_status_tx_busy = tx_busy || pulse.event_tx_send_written;
      status.event_status_tx_lost = tx_lost;
      status.event_rx_length_bytes = rx_length;
      status.event_rx_data = rx_data;
      {status.event_rx_time_hi, status.event_rx_time_lo} = rx_time;
      {status.event_rx_local_hi, status.event_rx_local_lo} = rx_local;
      status.event_rx_count = rx_count;
      status.event_rx_lost = rx_lost;
      status.event_tx_sent = tx_sent;
      {status.event_tx_time_hi, status.event_tx_time_lo} = tx_time;
      {status.event_tx_local_hi, status.event_tx_local_lo} = tx_local;
    end
  end

  logic unused_address;
  assign unused_address = ^reg_addr_i[11:9];

endmodule
