// The registers of one MAC between the register bus and the MAC's pins, which have their names here,
// numbered ones side by side.
module plumb_kernel_mac (
  input  wire logic        ap_clk,
  input  wire logic        ap_rst_n,
  input  wire logic [8:2]  reg_addr_i,
  input  wire logic        reg_wen_i,
  input  wire logic        reg_ren_i,
  input  wire logic [31:0] reg_wdata_i,
  output      logic [31:0] reg_rdata_o,
  input  wire logic        card_reachable_i,
  input  wire logic        card_lost_i,
  output      logic        link_up_o,       // to be synchronised
  output      logic        changed_o,       // level: the link has changed
  output      logic        stopped_o,       // the MAC's clock is stopped on purpose
  input  wire logic        rx_overflow_i,   // of plumb_mac_cross

  input  wire logic        gt_txusrclk2,
  input  wire logic [3:0]  gt_powergoodout,
  input  wire logic        usr_tx_reset,
  input  wire logic        usr_rx_reset,
  input  wire logic        stat_rx_aligned,
  input  wire logic        stat_rx_status,
  input  wire logic [19:0] stat_rx_synced,
  input  wire logic [19:0] stat_rx_block_lock,
  input  wire logic        stat_rx_hi_ber,
  input  wire logic        stat_rx_local_fault,
  input  wire logic        stat_rx_internal_local_fault,
  input  wire logic        stat_rx_received_local_fault,
  input  wire logic        stat_rx_remote_fault,
  input  wire logic        stat_tx_local_fault,
  input  wire logic        tx_unfout,
  input  wire logic        tx_ovfout,
  input  wire logic [2:0]  stat_rx_bad_code,
  input  wire logic [19:0] stat_rx_bip_err,
  input  wire logic [3:0]  stat_rx_rsfec_am_lock,
  input  wire logic        stat_rx_rsfec_cw_inc,
  input  wire logic        stat_rx_rsfec_corrected_cw_inc,
  input  wire logic        stat_rx_rsfec_uncorrected_cw_inc,
  input  wire logic [11:0] stat_rx_rsfec_err_count_inc,
  input  wire logic        stat_rx_rsfec_hi_ser,
  input  wire logic        stat_rx_rsfec_lane_alignment_status,
  input  wire logic [7:0]  stat_rx_rsfec_lane_mapping,
  output      logic        ctl_tx_enable,
  output      logic        ctl_tx_send_rfi,
  output      logic        ctl_tx_send_lfi,
  output      logic        ctl_tx_send_idle,
  output      logic        ctl_rx_enable,
  output      logic        ctl_rx_force_resync,
  output      logic        ctl_tx_rsfec_enable,
  output      logic        ctl_rx_rsfec_enable,
  output      logic        ctl_rx_rsfec_enable_correction,
  output      logic        ctl_rx_rsfec_enable_indication,
  output      logic        core_tx_reset,
  output      logic        core_rx_reset,
  output      logic        gtwiz_reset_tx_datapath,
  output      logic        gtwiz_reset_rx_datapath,
  output      logic        sys_reset,
  output      logic [11:0] gt_loopback_in
);

  plumb_mac_pkg::status_t  status;
  plumb_mac_pkg::control_t control;

  assign status.power_good           = gt_powergoodout;
  assign status.tx_reset             = usr_tx_reset;
  assign status.rx_reset             = usr_rx_reset;
  assign status.aligned              = stat_rx_aligned;
  assign status.rx_status            = stat_rx_status;
  assign status.synced               = stat_rx_synced;
  assign status.block_lock           = stat_rx_block_lock;
  assign status.hi_ber               = stat_rx_hi_ber;
  assign status.local_fault          = stat_rx_local_fault;
  assign status.internal_local_fault = stat_rx_internal_local_fault;
  assign status.received_local_fault = stat_rx_received_local_fault;
  assign status.remote_fault         = stat_rx_remote_fault;
  assign status.tx_local_fault       = stat_tx_local_fault;
  assign status.tx_underflow         = tx_unfout;
  assign status.tx_overflow          = tx_ovfout;
  assign status.bad_code             = stat_rx_bad_code;
  assign status.bip_err              = stat_rx_bip_err;
  assign status.rsfec_am_lock        = stat_rx_rsfec_am_lock;
  assign status.rsfec_cw             = stat_rx_rsfec_cw_inc;
  assign status.rsfec_corrected      = stat_rx_rsfec_corrected_cw_inc;
  assign status.rsfec_uncorrected    = stat_rx_rsfec_uncorrected_cw_inc;
  assign status.rsfec_err_count      = stat_rx_rsfec_err_count_inc;
  assign status.rsfec_hi_ser         = stat_rx_rsfec_hi_ser;
  assign status.rsfec_aligned        = stat_rx_rsfec_lane_alignment_status;
  assign status.rsfec_mapping        = stat_rx_rsfec_lane_mapping;
  assign status.rx_fifo_overflow     = rx_overflow_i;

  assign ctl_tx_enable                  = control.tx_enable;
  assign ctl_tx_send_rfi                = control.tx_send_rfi;
  assign ctl_tx_send_lfi                = control.tx_send_lfi;
  assign ctl_tx_send_idle               = control.tx_send_idle;
  assign ctl_rx_enable                  = control.rx_enable;
  assign ctl_rx_force_resync            = control.rx_force_resync;
  assign ctl_tx_rsfec_enable            = control.tx_rsfec_enable;
  assign ctl_rx_rsfec_enable            = control.rx_rsfec_enable;
  assign ctl_rx_rsfec_enable_correction = control.rsfec_correction;
  assign ctl_rx_rsfec_enable_indication = control.rsfec_indication;
  assign core_tx_reset                  = control.core_tx_reset;
  assign core_rx_reset                  = control.core_rx_reset;
  assign gtwiz_reset_tx_datapath        = control.gt_tx_reset;
  assign gtwiz_reset_rx_datapath        = control.gt_rx_reset;
  assign sys_reset                      = control.sys_reset || !ap_rst_n;
  assign gt_loopback_in                 = {4{1'b0, control.loopback, 1'b0}};
  assign stopped_o                      = control.sys_reset || control.gt_tx_reset;

  plumb_mac_regs u_regs (
    .clk_i            (ap_clk),
    .rst_ni           (ap_rst_n),
    .reg_addr_i       (reg_addr_i),
    .reg_wen_i        (reg_wen_i),
    .reg_ren_i        (reg_ren_i),
    .reg_wdata_i      (reg_wdata_i),
    .reg_rdata_o      (reg_rdata_o),
    .card_reachable_i (card_reachable_i),
    .card_lost_i      (card_lost_i),
    .mac_clk_i        (gt_txusrclk2),
    .status_i         (status),
    .control_o        (control),
    .link_up_o        (link_up_o),
    .changed_o        (changed_o)
  );

endmodule
