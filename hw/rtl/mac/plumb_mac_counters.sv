// The half of a MAC's registers that runs on its clock: what the MAC sends by what it receives, and
// the counters. The other half is plumb_mac_regs, with which it exchanges
//
//   wish_i      what MAC_CONTROL says; levels of the other clock, taken one by one
//   request_i   changes with each command of the counters, acknowledge_o follows it when the
//               command has been carried out; snapshot_i and clear_i are still meanwhile. Both
//               together:
//               latched, then zeroed, at one edge.
//   wide_o, narrow_o   the latched counters; they change only with a command
//   pulse_o     changes every eight clocks
//
// A counter that would pass its highest value stays there.
//
// Sending by what is received (IEEE 802.3 81.3.4): with a fault of one's own, remote fault
// indication; while the other end says that it has one, idle; else frames. link_up_o: frames pass
// in both directions.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_mac_counters #(
  parameter int unsigned WideW = 48,    // bits of the counters of codewords, at most 48
  parameter int unsigned NarrowW = 32   // and of the others, at most 32
) (
  input  wire logic                                clk_i,
  input  wire logic                                rst_ni,
  input  wire plumb_mac_pkg::status_t              status_i,
  input  wire logic [plumb_mac_pkg::WishW-1:0]     wish_i,
  output      logic                                tx_enable_o,
  output      logic                                send_rfi_o,
  output      logic                                send_lfi_o,
  output      logic                                send_idle_o,
  output      logic                                rx_enable_o,
  output      logic                                force_resync_o,
  output      logic                                link_up_o,
  output      logic                                pulse_o,
  input  wire logic                                request_i,
  input  wire logic                                snapshot_i,
  input  wire logic                                clear_i,
  output      logic                                acknowledge_o,
  output      logic [plumb_mac_pkg::Wide*48-1:0]   wide_o,
  output      logic [plumb_mac_pkg::Narrow*32-1:0] narrow_o
);

  `PLUMB_RANGE(plumb_mac_counters, WideW, 1, 48)
  `PLUMB_RANGE(plumb_mac_counters, NarrowW, 1, 32)

  // ---- What is sent ----

  plumb_mac_pkg::wish_t wish;
  logic  fault;

  plumb_sync #(.W(plumb_mac_pkg::WishW)) u_wish (
    .clk_i (clk_i), .rst_ni (rst_ni), .d_i (wish_i), .q_o (wish)
  );

  assign fault = !status_i.aligned || status_i.local_fault;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tx_enable_o    <= 1'b0;
      send_rfi_o     <= 1'b1;
      send_lfi_o     <= 1'b0;
      send_idle_o    <= 1'b0;
      rx_enable_o    <= 1'b0;
      force_resync_o <= 1'b0;
      link_up_o      <= 1'b0;
    end else begin
      tx_enable_o    <= wish.tx_enable && !(wish.follow && fault);
      send_rfi_o     <= wish.send_rfi || (wish.follow && fault);
      send_lfi_o     <= wish.send_lfi;
      send_idle_o    <= wish.send_idle || (wish.follow && !fault && status_i.remote_fault);
      rx_enable_o    <= wish.rx_enable;
      force_resync_o <= wish.force_resync;
      link_up_o      <= tx_enable_o && !send_idle_o && !fault && !status_i.remote_fault;
    end
  end

  // ---- Counters ----

  logic [plumb_mac_pkg::Narrow*3-1:0] step, step_q;
  logic [plumb_mac_pkg::Wide-1:0]     wide_step_q;
  logic                aligned_q, hi_ber_q, local_q, remote_q;

  always_comb begin
    step = '0;
    step[3*plumb_mac_pkg::SymbolErrors+:12] = status_i.rsfec_err_count;
    for (int unsigned n = 0; n < 20; n++) begin
      step[3*(plumb_mac_pkg::BipErrors+n)] = status_i.bip_err[n];
    end
    step[3*plumb_mac_pkg::BadCodes+:3]      = status_i.bad_code;
    step[3*plumb_mac_pkg::AlignmentLosses]  = aligned_q && !status_i.aligned;
    step[3*plumb_mac_pkg::HiBerEvents]      = !hi_ber_q && status_i.hi_ber;
    step[3*plumb_mac_pkg::LocalFaults]      = !local_q && status_i.local_fault;
    step[3*plumb_mac_pkg::RemoteFaults]     = !remote_q && status_i.remote_fault;
    step[3*plumb_mac_pkg::TxUnderflows]     = status_i.tx_underflow;
    step[3*plumb_mac_pkg::TxOverflows]      = status_i.tx_overflow;
    step[3*plumb_mac_pkg::RxFifoOverflows]  = status_i.rx_fifo_overflow;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q      <= '0;
      wide_step_q <= '0;
      {aligned_q, hi_ber_q, local_q, remote_q} <= '0;
    end else begin
      step_q      <= step;
      wide_step_q <= {status_i.rsfec_uncorrected, status_i.rsfec_corrected, status_i.rsfec_cw};
      {aligned_q, hi_ber_q, local_q, remote_q} <=
          {status_i.aligned, status_i.hi_ber, status_i.local_fault, status_i.remote_fault};
    end
  end

  logic [plumb_mac_pkg::Wide*48-1:0]   wide_now;
  logic [plumb_mac_pkg::Narrow*32-1:0] narrow_now;
  logic                 request, command;

  plumb_sync u_request (.clk_i (clk_i), .rst_ni (rst_ni), .d_i (request_i), .q_o (request));
  assign command = request != acknowledge_o;

  for (genvar n = 0; n < plumb_mac_pkg::Wide; n++) begin : gen_wide
    logic [WideW-1:0] count_q;
    logic [WideW:0]   sum;
    assign sum = {1'b0, count_q} + (WideW+1)'(wide_step_q[n]);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)                 count_q <= '0;
      else if (command && clear_i) count_q <= WideW'(wide_step_q[n]);
      else                         count_q <= sum[WideW] ? '1 : sum[WideW-1:0];
    end
    assign wide_now[48*n+:48] = 48'(count_q);
  end

  for (genvar n = 0; n < plumb_mac_pkg::Narrow; n++) begin : gen_narrow
    logic [NarrowW-1:0] count_q;
    logic [NarrowW:0]   sum;
    assign sum = {1'b0, count_q} + (NarrowW+1)'(step_q[3*n+:3]);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)                 count_q <= '0;
      else if (command && clear_i) count_q <= NarrowW'(step_q[3*n+:3]);
      else                         count_q <= sum[NarrowW] ? '1 : sum[NarrowW-1:0];
    end
    assign narrow_now[32*n+:32] = 32'(count_q);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      acknowledge_o <= 1'b0;
      wide_o        <= '0;
      narrow_o      <= '0;
    end else if (command) begin
      acknowledge_o <= request;
      if (snapshot_i) begin
        wide_o   <= wide_now;
        narrow_o <= narrow_now;
      end
    end
  end

  // ---- Sign of life ----

  logic [3:0] clocks_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) clocks_q <= '0;
    else         clocks_q <= clocks_q + 4'd1;
  end

  assign pulse_o = clocks_q[3];

  logic unused_status;
  assign unused_status = ^{status_i.power_good, status_i.tx_reset, status_i.rx_reset,
                           status_i.rx_status, status_i.synced, status_i.block_lock,
                           status_i.internal_local_fault, status_i.received_local_fault,
                           status_i.tx_local_fault, status_i.rsfec_am_lock, status_i.rsfec_hi_ser,
                           status_i.rsfec_aligned, status_i.rsfec_mapping};

endmodule
