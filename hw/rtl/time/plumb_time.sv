// Card time between cards: block time of the register map, the offset of the card's time, and the
// pulse per second (docs/card.md, Time between cards).
//
// clk_bus_i is clk_i for the registers, and may rest while there is no access (plumb_clock_gate). The
// bus is that of the generated blocks: data and acknowledge a clock behind the access, reg_rdata_o
// zero in all other clocks.
`include "plumb_simulated.svh"

module plumb_time (
  input  wire logic        clk_i,
  input  wire logic        clk_bus_i,
  input  wire logic        rst_ni,
  input  wire logic [63:0] now_i,        // local time of the edge that begins the clock [ps]
  input  wire logic        set_i,        // pulse: local time is set, the offset becomes zero

  // Register bus
  input  wire logic [11:2] reg_addr_i,
  input  wire logic        reg_wen_i,
  input  wire logic        reg_ren_i,
  input  wire logic [31:0] reg_wdata_i,
  output      logic        reg_ack_o,
  output      logic [31:0] reg_rdata_o,

  // Pulse per second
  input  wire logic        pps_i,        // any clock
  output      logic        pps_o,

  // Card time - local time
  output      logic [63:0] offset_o,     // in this clock [ps]
  output      logic [63:0] ahead_o       // as it will be in 8 us by the present rate [ps]
);

  plumb_regs_pkg::time_config_t cfg;
  plumb_regs_pkg::time_pulse_t  pulse;
  plumb_regs_pkg::time_status_t status;
  logic [31:0]                  rdata;
  logic                         read_q;

  plumb_regs_time u_regs (
    .clk_i      (clk_bus_i),
    .rst_ni     (rst_ni),
    .reg_addr_i (reg_addr_i),
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
      reg_ack_o <= 1'b0;
      read_q    <= 1'b0;
    end else begin
      reg_ack_o <= reg_wen_i || reg_ren_i;
      read_q    <= reg_ren_i;
    end
  end

  assign reg_rdata_o = read_q ? rdata : '0;

  logic [39:0] rate_q;           // as it was when its upper part was written
  logic [31:0] left, fraction;

  always_ff @(posedge clk_bus_i `PLUMB_OR_RESET) begin
    if (!rst_ni)                    rate_q <= '0;
    else if (pulse.rate_hi_written) rate_q <= {cfg.rate_hi_whole, cfg.rate_lo};
  end

  // At rest while the offset stays as it is.
  logic clk_offset;

  plumb_clock_gate u_moving (
    .clk_i (clk_i),
    .rst_ni(rst_ni),
    .busy_i(rate_q != '0 || left != '0 || (|pulse) || set_i),
    .clk_o (clk_offset)
  );

  plumb_time_offset u_offset (
    .clk_i     (clk_offset),
    .rst_ni    (rst_ni),
    .clear_i   (pulse.time_command_clear || set_i),
    .rate_i    (rate_q),
    .step_i    (pulse.step_hi_written),
    .step_ps_i ({cfg.step_hi, cfg.step_lo}),
    .slew_i    (pulse.slew_written),
    .slew_ps_i (cfg.slew),
    .limit_ps_i(cfg.slew_limit_step),
    .interval_i(cfg.slew_limit_interval),
    .left_o    (left),
    .offset_o  (offset_o),
    .fraction_o(fraction),
    .ahead_o   (ahead_o)
  );

  logic [31:0] pps_count, pps_out_count, fraction_q;
  logic [63:0] pps_local, pps_time, card_q, local_q, offset_q;

  plumb_pps_in u_pps_in (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .enable_i  (cfg.pps_control_in_enable),
    .falling_i (cfg.pps_control_in_falling),
    .debounce_i(cfg.pps_control_debounce),
    .now_i     (now_i),
    .offset_i  (offset_o),
    .pps_i     (pps_i),
    .count_o   (pps_count),
    .local_o   (pps_local),
    .time_o    (pps_time)
  );

  plumb_pps_out u_pps_out (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .enable_i (cfg.pps_control_out_enable),
    .width_i  (cfg.pps_width_clocks),
    .now_i    (now_i),
    .offset_i (offset_o),
    .pps_o    (pps_o),
    .count_o  (pps_out_count)
  );

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      card_q     <= '0;
      local_q    <= '0;
      offset_q   <= '0;
      fraction_q <= '0;
    end else if (pulse.time_command_latch) begin
      card_q     <= now_i + offset_o;
      local_q    <= now_i;
      offset_q   <= offset_o;
      fraction_q <= fraction;
    end
  end

  always_comb begin
    `PLUMB_ANY(status)
    if (reg_ren_i) begin
      status.slew_left = left;
      {status.now_hi, status.now_lo} = card_q;
      {status.local_hi, status.local_lo} = local_q;
      {status.offset_hi, status.offset_lo} = offset_q;
      status.offset_fraction = fraction_q;
      status.pps_count = pps_count;
      {status.pps_time_hi, status.pps_time_lo} = pps_time;
      {status.pps_local_hi, status.pps_local_lo} = pps_local;
      status.pps_out_count = pps_out_count;
    end
  end

endmodule
