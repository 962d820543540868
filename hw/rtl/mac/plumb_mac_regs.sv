// Control, status and counters of one MAC: block `mac` of the register map. The registers run on
// the register bus' clock (clk_i), which never stops; what the MAC says comes over from its clock
// (mac_clk_i). Without that clock all registers still answer, MAC_STATUS.clock is zero, and a
// snapshot stays busy.
//
// MAC_STATUS.clock falls at most 256 clocks of clk_i after the MAC's last edge, and needs that
// clock to be no slower than a 30th of clk_i.
`include "plumb_simulated.svh"

module plumb_mac_regs (
  input  wire logic                    clk_i,
  input  wire logic                    rst_ni,
  input  wire logic [8:2]              reg_addr_i,
  input  wire logic                    reg_wen_i,
  input  wire logic                    reg_ren_i,
  input  wire logic [31:0]             reg_wdata_i,
  output      logic [31:0]             reg_rdata_o,   // as of the generated decoders
  input  wire logic                    card_reachable_i,
  input  wire logic                    card_lost_i,

  input  wire logic                    mac_clk_i,
  input  wire plumb_mac_pkg::status_t  status_i,
  output      plumb_mac_pkg::control_t control_o,
  output      logic                    link_up_o,     // to be synchronised; low without clock
  output      logic                    changed_o      // level: MAC_STATUS.link_changed
);

  plumb_regs_pkg::mac_config_t cfg;
  plumb_regs_pkg::mac_pulse_t  pulse;
  plumb_regs_pkg::mac_status_t status;
  plumb_regs_pkg::mac_fault_t  fault;

  plumb_regs_mac u_regs (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .reg_addr_i  (reg_addr_i),
    .reg_wen_i   (reg_wen_i),
    .reg_ren_i   (reg_ren_i),
    .reg_wdata_i (reg_wdata_i),
    .reg_rdata_o (reg_rdata_o),
    .config_o    (cfg),
    .pulse_o     (pulse),
    .status_i    (status),
    .fault_i     (fault)
  );

  // ---- The MAC's clock ----

  logic                 mac_rst_n, link_up, clock_q, beat, acknowledge, request_q, snapshot_q;
  logic                 clear_q;
  logic [plumb_mac_pkg::Wide*48-1:0]   wide;
  logic [plumb_mac_pkg::Narrow*32-1:0] narrow;
  plumb_mac_pkg::wish_t                wish;

  plumb_reset_sync u_reset (.clk_i (mac_clk_i), .rst_ni (rst_ni), .rst_no (mac_rst_n));

  assign wish.tx_enable        = cfg.mac_control_tx_enable;
  assign wish.rx_enable        = cfg.mac_control_rx_enable;
  assign wish.follow           = cfg.mac_control_follow;
  assign wish.send_rfi         = cfg.mac_control_send_rfi;
  assign wish.send_lfi         = cfg.mac_control_send_lfi;
  assign wish.send_idle        = cfg.mac_control_send_idle;
  assign wish.force_resync     = cfg.mac_control_force_resync;

  plumb_mac_counters u_counters (
    .clk_i          (mac_clk_i),
    .rst_ni         (mac_rst_n),
    .status_i       (status_i),
    .wish_i         (wish),
    .tx_enable_o    (control_o.tx_enable),
    .send_rfi_o     (control_o.tx_send_rfi),
    .send_lfi_o     (control_o.tx_send_lfi),
    .send_idle_o    (control_o.tx_send_idle),
    .rx_enable_o    (control_o.rx_enable),
    .force_resync_o (control_o.rx_force_resync),
    .link_up_o      (link_up),
    .pulse_o        (beat),
    .request_i      (request_q),
    .snapshot_i     (snapshot_q),
    .clear_i        (clear_q),
    .acknowledge_o  (acknowledge),
    .wide_o         (wide),
    .narrow_o       (narrow)
  );

  // Straight from registers, since they have to be there without a clock: resets, loopback, and the
  // FEC settings, which are still while the MAC is in the reset that takes them.
  assign control_o.tx_rsfec_enable  = cfg.mac_control_tx_rsfec;
  assign control_o.rx_rsfec_enable  = cfg.mac_control_rx_rsfec;
  assign control_o.rsfec_correction = cfg.mac_control_rsfec_correction;
  assign control_o.rsfec_indication = cfg.mac_control_rsfec_indication;
  assign control_o.loopback         = cfg.mac_control_loopback;
  assign control_o.sys_reset        = cfg.mac_reset_sys;
  assign control_o.core_tx_reset    = cfg.mac_reset_core_tx;
  assign control_o.core_rx_reset    = cfg.mac_reset_core_rx;
  assign control_o.gt_tx_reset      = cfg.mac_reset_gt_tx;
  assign control_o.gt_rx_reset      = cfg.mac_reset_gt_rx;

  // ---- Levels ----

  localparam int unsigned LevelsW = plumb_mac_pkg::StatusW + 4;
  logic [LevelsW-1:0] levels;
  plumb_mac_pkg::status_t            now;
  logic               sends_frames, sends_rfi, sends_idle, link_level;

  plumb_sync #(.W(LevelsW)) u_levels (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .d_i    ({status_i, control_o.tx_enable, control_o.tx_send_rfi, control_o.tx_send_idle, link_up}),
    .q_o    (levels)
  );
  assign {now, sends_frames, sends_rfi, sends_idle, link_level} = levels;

  // ---- Does the clock run, and how fast ----

  localparam logic [7:0] Patience = 8'd240;
  logic        beat_now, beat_q, edge_seen;
  logic [7:0]  silence_q;
  logic [15:0] window_q;
  logic [16:0] eights_q, count_q;

  plumb_sync u_beat (.clk_i (clk_i), .rst_ni (rst_ni), .d_i (beat), .q_o (beat_now));
  assign edge_seen = beat_now != beat_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      beat_q    <= 1'b0;
      clock_q   <= 1'b0;
      silence_q <= '0;
      window_q  <= '0;
      eights_q  <= '0;
      count_q   <= '0;
    end else begin
      beat_q <= beat_now;
      if (edge_seen)                  clock_q <= 1'b1;
      else if (silence_q == Patience) clock_q <= 1'b0;
      silence_q <= edge_seen ? 8'd0 : silence_q == Patience ? silence_q : silence_q + 8'd1;
      window_q  <= window_q + 16'd1;
      eights_q  <= window_q == '1 ? 17'(edge_seen) : eights_q + 17'(edge_seen);
      if (window_q == '1) count_q <= eights_q;
    end
  end

  // A link without a clock is none, whatever it said last.
  assign link_up_o = link_up && clock_q;

  // ---- Whether the link has changed ----

  logic link_now, link_before_q;

  assign link_now = link_level && clock_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      link_before_q <= 1'b0;
      changed_o     <= 1'b0;
    end else begin
      link_before_q <= link_now;
      if (link_now != link_before_q)   changed_o <= 1'b1;
      else if (pulse.mac_command_seen) changed_o <= 1'b0;
    end
  end

  // ---- Commands to the counters ----

  logic acknowledged, busy, command;

  plumb_sync u_acknowledge (
    .clk_i (clk_i), .rst_ni (rst_ni), .d_i (acknowledge), .q_o (acknowledged)
  );
  assign busy    = request_q != acknowledged;
  assign command = pulse.mac_command_snapshot || pulse.mac_command_clear;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      request_q  <= 1'b0;
      snapshot_q <= 1'b0;
      clear_q    <= 1'b0;
    end else if (command && !busy) begin
      request_q  <= !request_q;
      snapshot_q <= pulse.mac_command_snapshot;
      clear_q    <= pulse.mac_command_clear;
    end
  end

  // ---- Values of the registers ----

  logic [plumb_mac_pkg::Wide*48-1:0]   wide_shown;
  logic [plumb_mac_pkg::Narrow*32-1:0] narrow_shown;

  assign wide_shown   = busy ? '0 : wide;
  assign narrow_shown = busy ? '0 : narrow;

  assign status.mac_status_clock          = clock_q;
  assign status.mac_status_power_good     = &now.power_good;
  assign status.mac_status_tx_reset       = now.tx_reset;
  assign status.mac_status_rx_reset       = now.rx_reset;
  assign status.mac_status_block_lock     = &now.block_lock;
  assign status.mac_status_synced         = &now.synced;
  assign status.mac_status_aligned        = now.aligned;
  assign status.mac_status_rx_status      = now.rx_status;
  assign status.mac_status_hi_ber         = now.hi_ber;
  assign status.mac_status_local_fault    = now.local_fault;
  assign status.mac_status_internal_fault = now.internal_local_fault;
  assign status.mac_status_received_fault = now.received_local_fault;
  assign status.mac_status_remote_fault   = now.remote_fault;
  assign status.mac_status_rsfec_aligned  = now.rsfec_aligned;
  assign status.mac_status_rsfec_hi_ser   = now.rsfec_hi_ser;
  assign status.mac_status_tx_fault       = now.tx_local_fault;
  assign status.mac_status_sends_frames   = sends_frames;
  assign status.mac_status_sends_rfi      = sends_rfi;
  assign status.mac_status_sends_idle     = sends_idle;
  assign status.mac_status_link_changed   = changed_o;
  assign status.mac_status_card_clock     = card_reachable_i;
  assign status.mac_lanes_block_lock      = now.block_lock;
  assign status.mac_lanes_rsfec_lock      = now.rsfec_am_lock;
  assign status.mac_lanes_rsfec_mapping   = now.rsfec_mapping;
  assign status.mac_synced_lanes          = now.synced;
  assign status.mac_counters_busy         = busy || command;
  assign status.mac_clock_count_eights    = count_q;
  assign status.fec_codewords_lo          = wide_shown[31:0];
  assign status.fec_codewords_hi          = 32'(wide_shown[47:32]);
  assign status.fec_corrected_lo          = wide_shown[79:48];
  assign status.fec_corrected_hi          = 32'(wide_shown[95:80]);
  assign status.fec_uncorrected_lo        = wide_shown[127:96];
  assign status.fec_uncorrected_hi        = 32'(wide_shown[143:128]);
  assign status.fec_symbol_errors         = narrow_shown[32*plumb_mac_pkg::SymbolErrors+:4*32];
  assign status.bip_errors                = narrow_shown[32*plumb_mac_pkg::BipErrors+:20*32];
  assign status.bad_codes                 = narrow_shown[32*plumb_mac_pkg::BadCodes+:32];
  assign status.alignment_losses          = narrow_shown[32*plumb_mac_pkg::AlignmentLosses+:32];
  assign status.hi_ber_events             = narrow_shown[32*plumb_mac_pkg::HiBerEvents+:32];
  assign status.local_faults              = narrow_shown[32*plumb_mac_pkg::LocalFaults+:32];
  assign status.remote_faults             = narrow_shown[32*plumb_mac_pkg::RemoteFaults+:32];
  assign status.tx_underflows             = narrow_shown[32*plumb_mac_pkg::TxUnderflows+:32];
  assign status.tx_overflows              = narrow_shown[32*plumb_mac_pkg::TxOverflows+:32];
  assign status.rx_fifo_overflows         = narrow_shown[32*plumb_mac_pkg::RxFifoOverflows+:32];

  // ---- What is kept until cleared ----

  logic clock_before_q, aligned_before_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      clock_before_q   <= 1'b0;
      aligned_before_q <= 1'b0;
    end else begin
      clock_before_q   <= clock_q;
      aligned_before_q <= now.aligned;
    end
  end

  assign fault.mac_sticky_clock_lost      = clock_before_q && !clock_q;
  assign fault.mac_sticky_alignment_lost  = aligned_before_q && !now.aligned;
  assign fault.mac_sticky_card_clock_lost = card_lost_i;

  logic unused_levels;
  assign unused_levels = ^{now.tx_underflow, now.tx_overflow, now.rx_fifo_overflow, now.bad_code,
                           now.bip_err, now.rsfec_cw, now.rsfec_corrected, now.rsfec_uncorrected,
                           now.rsfec_err_count};

endmodule
