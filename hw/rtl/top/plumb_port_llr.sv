// Link-level retry between the sender, the damage and the receiver of a port, and the access to its
// groups and histogram cells. Without it (WithLlr) frames and ordered sets pass unchanged.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_port_llr #(
  parameter bit          WithLlr = 1'b1,
  parameter int unsigned BeatsLog2 = 12,   // beats of the replay buffer
  parameter int unsigned FramesLog2 = 12   // frames that it holds
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic [63:0]  now_i,         // card time of this clock [ps]
  input  wire plumb_llr_pkg::config_t config_i,
  input  wire logic [31:0]  ts_offset_i,   // from the MAC boundary to the reference point [ps]
  input  wire logic         re_init_i,     // pulse: begin again with INIT
  input  wire logic         clear_i,       // pulse: zeroes counters, groups and histogram cells
  output      logic         clear_busy_o,
  input  wire logic         link_up_i,     // pin of the card
  output      logic         link_up_o,     // the same, registered

  // From the sender: frames, and the departure of their first bit [ps]
  input  wire logic [511:0] tx_tdata_i,
  input  wire logic [63:0]  tx_tkeep_i,
  input  wire logic         tx_tvalid_i,
  input  wire logic         tx_tlast_i,
  output      logic         tx_tready_o,
  input  wire plumb_tx_pkg::user_t tx_user_i,
  input  wire logic [63:0]  tx_departure_i,
  input  wire logic         tx_empty_i,    // no frame is under way in the sender
  input  wire logic         tx_sof_i,      // first beat of a frame
  output      logic         tx_hold_o,     // see plumb_llr
  output      logic         tx_blocked_o,  // see plumb_llr

  // To the MAC, before the damage
  output      logic [511:0] mac_tx_tdata_o,
  output      logic [63:0]  mac_tx_tkeep_o,
  output      logic         mac_tx_tvalid_o,
  output      logic         mac_tx_tlast_o,
  input  wire logic         mac_tx_tready_i,
  output      logic [55:0]  mac_tx_preamble_o,
  output      plumb_tx_pkg::user_t mac_tx_user_o,
  output      logic [63:0]  mac_tx_departure_o,

  // From the MAC, behind the damage; time of the first bit [ps]
  input  wire logic [511:0] mac_rx_tdata_i,
  input  wire logic [63:0]  mac_rx_tkeep_i,
  input  wire logic         mac_rx_tvalid_i,
  input  wire logic         mac_rx_tlast_i,
  input  wire logic [55:0]  mac_rx_preamble_i,
  input  wire logic [63:0]  mac_rx_time_i,

  // To the receiver: frames that are good and in order
  output      logic [511:0] rx_tdata_o,
  output      logic [63:0]  rx_tkeep_o,
  output      logic         rx_tvalid_o,
  output      logic         rx_tlast_o,
  output      logic [63:0]  rx_time_o,

  // Ordered sets: of credits from flow control, and all of them to and from the MAC
  input  wire logic         cf_valid_i,
  input  wire logic [63:0]  cf_data_i,
  output      logic         cf_ready_o,
  output      logic         tx_ctl_valid_o,
  output      logic [63:0]  tx_ctl_o,
  input  wire logic         tx_ctl_ready_i,
  input  wire logic         rx_ctl_valid_i,
  input  wire logic [63:0]  rx_ctl_i,

  // Groups and histogram cells of retries, reached as those of latency are
  input  wire logic         tbl_req_i,
  input  wire logic         tbl_we_i,
  input  wire logic [3:0]   tbl_table_i,
  input  wire logic [15:0]  tbl_row_i,
  output      logic         group_row_o,   // the row of the table access is a group of retries
  output      logic         group_ack_o,
  output      logic [plumb_rx_pkg::GroupW-1:0] group_o,
  input  wire logic         hist_req_i,
  input  wire logic         hist_retry_i,
  input  wire logic [4:0]   hist_group_i,
  input  wire logic [15:0]  hist_bucket_i,
  output      logic         hist_cell_o,   // the cell is one of retries
  output      logic         hist_ack_o,
  output      logic [47:0]  hist_data_o,

  // State and counters
  output      logic [2:0]   tx_state_o,
  output      logic [1:0]   rx_state_o,
  output      logic [19:0]  outstanding_o,
  output      logic [48*plumb_llr_pkg::Counters-1:0] counts_o,
  output      logic [47:0]  flushed_o
);

  `PLUMB_RANGE(plumb_port_llr, BeatsLog2, 9, 30)
  `PLUMB_RANGE(plumb_port_llr, FramesLog2, 1, 19)

  // Registered: what hangs on a pin of the card is simulated several times a clock.
  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) link_up_o <= 1'b0;
    else         link_up_o <= link_up_i;
  end

  logic mac_sof, mac_replay;

  // Groups and histogram cells of retries are reached as those of latency are.
  assign group_row_o = WithLlr && tbl_table_i == plumb_pkg::TableGroup && tbl_row_i[15];
  assign hist_cell_o = WithLlr && hist_retry_i;

  if (WithLlr) begin : gen_llr
    logic unused_mac;

    plumb_llr #(
      .BeatsLog2 (BeatsLog2),
      .FramesLog2(FramesLog2),
      .PathClocks(plumb_damage_pkg::Clocks)
    ) u_llr (
      .clk_i             (clk_i),
      .rst_ni            (rst_ni),
      .now_i             (now_i),
      .ts_offset_i       (ts_offset_i),
      .config_i          (config_i),
      .re_init_i         (re_init_i),
      .clear_i           (clear_i),
      .clear_busy_o      (clear_busy_o),
      .link_up_i         (link_up_o),
      .tx_tdata_i        (tx_tdata_i),
      .tx_tkeep_i        (tx_tkeep_i),
      .tx_tvalid_i       (tx_tvalid_i),
      .tx_tlast_i        (tx_tlast_i),
      .tx_tready_o       (tx_tready_o),
      .tx_user_i         (tx_user_i),
      .tx_poisoned_i     (1'b0),
      .tx_departure_i    (tx_departure_i),
      .tx_empty_i        (tx_empty_i),
      .tx_sof_i          (tx_sof_i),
      .tx_hold_o         (tx_hold_o),
      .tx_blocked_o      (tx_blocked_o),
      .mac_tx_tdata_o    (mac_tx_tdata_o),
      .mac_tx_tkeep_o    (mac_tx_tkeep_o),
      .mac_tx_tvalid_o   (mac_tx_tvalid_o),
      .mac_tx_tlast_o    (mac_tx_tlast_o),
      .mac_tx_tready_i   (mac_tx_tready_i),
      .mac_tx_sof_o      (mac_sof),
      .mac_tx_preamble_o (mac_tx_preamble_o),
      .mac_tx_user_o     (mac_tx_user_o),
      .mac_tx_departure_o(mac_tx_departure_o),
      .mac_tx_replay_o   (mac_replay),
      .mac_rx_tdata_i    (mac_rx_tdata_i),
      .mac_rx_tkeep_i    (mac_rx_tkeep_i),
      .mac_rx_tvalid_i   (mac_rx_tvalid_i),
      .mac_rx_tlast_i    (mac_rx_tlast_i),
      .mac_rx_preamble_i (mac_rx_preamble_i),
      .mac_rx_time_i     (mac_rx_time_i),
      .rx_tdata_o        (rx_tdata_o),
      .rx_tkeep_o        (rx_tkeep_o),
      .rx_tvalid_o       (rx_tvalid_o),
      .rx_tlast_o        (rx_tlast_o),
      .rx_time_o         (rx_time_o),
      .cf_valid_i        (cf_valid_i),
      .cf_data_i         (cf_data_i),
      .cf_ready_o        (cf_ready_o),
      .tx_ctl_valid_o    (tx_ctl_valid_o),
      .tx_ctl_o          (tx_ctl_o),
      .tx_ctl_ready_i    (tx_ctl_ready_i),
      .rx_ctl_valid_i    (rx_ctl_valid_i),
      .rx_ctl_i          (rx_ctl_i),
      .group_read_i      (tbl_req_i && !tbl_we_i && group_row_o),
      .group_row_i       ({1'b0, tbl_row_i[14:0]}),
      .group_ack_o       (group_ack_o),
      .group_o           (group_o),
      .hist_req_i        (hist_req_i && hist_cell_o),
      .hist_group_i      (hist_group_i),
      .hist_bucket_i     (hist_bucket_i),
      .hist_ack_o        (hist_ack_o),
      .hist_data_o       (hist_data_o),
      .tx_state_o        (tx_state_o),
      .rx_state_o        (rx_state_o),
      .outstanding_o     (outstanding_o),
      .counts_o          (counts_o),
      .flushed_o         (flushed_o)
    );

    assign unused_mac = ^{mac_sof, mac_replay};
  end else begin : gen_no_llr
    assign mac_tx_tdata_o     = tx_tdata_i;
    assign mac_tx_tkeep_o     = tx_tkeep_i;
    assign mac_tx_tvalid_o    = tx_tvalid_i;
    assign mac_tx_tlast_o     = tx_tlast_i;
    assign tx_tready_o        = mac_tx_tready_i;
    assign mac_tx_preamble_o  = plumb_llr_pkg::OrdinaryPreamble;
    assign mac_sof            = tx_sof_i;
    assign mac_tx_departure_o = tx_departure_i;
    assign mac_tx_user_o      = tx_user_i;
    assign mac_replay         = 1'b0;
    assign tx_hold_o          = 1'b0;
    assign tx_blocked_o       = 1'b0;
    assign clear_busy_o       = 1'b0;
    assign rx_tdata_o         = mac_rx_tdata_i;
    assign rx_tkeep_o         = mac_rx_tkeep_i;
    assign rx_tvalid_o        = mac_rx_tvalid_i;
    assign rx_tlast_o         = mac_rx_tlast_i;
    assign rx_time_o          = mac_rx_time_i;
    assign tx_ctl_valid_o     = cf_valid_i;
    assign tx_ctl_o           = cf_data_i;
    assign cf_ready_o         = tx_ctl_ready_i;
    assign group_ack_o        = 1'b0;
    assign group_o            = '0;
    assign hist_ack_o         = 1'b0;
    assign hist_data_o        = '0;
    assign tx_state_o         = '0;
    assign rx_state_o         = '0;
    assign outstanding_o      = '0;
    assign counts_o           = '0;
    assign flushed_o          = '0;

    logic unused_llr;
    assign unused_llr = ^{mac_rx_preamble_i, tx_empty_i, mac_sof, mac_replay, config_i,
                          re_init_i};
  end

endmodule
