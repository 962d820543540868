// The kernel's control side with the registers of two MACs, as plumb_kernel has them, and in place of
// the card its register bus (plumb_axil, plumb_register_arbiter with BUS_LOCK) in front of words of
// memory. The first MAC's clock is the card's.
module control_card #(
  parameter int unsigned ClockHz = 300000000,
  parameter int unsigned CoreTimeoutClocks = 131071
) (
  input  wire logic                    clk_i,
  input  wire logic                    rst_ni,
  input  wire logic [15:0]             s_axil_awaddr_i,
  input  wire logic                    s_axil_awvalid_i,
  output      logic                    s_axil_awready_o,
  input  wire logic [31:0]             s_axil_wdata_i,
  input  wire logic [3:0]              s_axil_wstrb_i,
  input  wire logic                    s_axil_wvalid_i,
  output      logic                    s_axil_wready_o,
  output      logic [1:0]              s_axil_bresp_o,
  output      logic                    s_axil_bvalid_o,
  input  wire logic                    s_axil_bready_i,
  input  wire logic [15:0]             s_axil_araddr_i,
  input  wire logic                    s_axil_arvalid_i,
  output      logic                    s_axil_arready_o,
  output      logic [31:0]             s_axil_rdata_o,
  output      logic [1:0]              s_axil_rresp_o,
  output      logic                    s_axil_rvalid_o,
  input  wire logic                    s_axil_rready_i,
  input  wire logic                    mac0_clk_i,
  input  wire logic                    mac1_clk_i,
  input  wire plumb_mac_pkg::status_t  status0_i,
  input  wire plumb_mac_pkg::status_t  status1_i,
  output      plumb_mac_pkg::control_t control0_o,
  output      plumb_mac_pkg::control_t control1_o,
  input  wire logic [7:0]              event_waits_i,     // on the card's clock
  output      logic                    reachable_o,
  output      logic                    locked_o,          // BUS_LOCK, on the card's clock
  output      logic                    lock_expired_o
);

  logic [15:0] awaddr, araddr;
  logic [31:0] wdata, rdata, mac_wdata, core_wdata, host_wdata, reg_wdata, rdata_q;
  logic [63:0] mac_rdata;
  logic [3:0]  wstrb;
  logic [1:0]  bresp, rresp;
  logic [11:2] mac_addr;
  logic [15:2] core_addr, host_addr, reg_addr, access_addr_q;
  logic        awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
  logic        mac_wen, mac_ren, lost, card_rst_n;
  logic        core_req, core_write, core_ack, core_error;
  logic        host_wen, host_ren, host_ack, reg_wen, reg_ren;
  logic [2:0]  mac_read_q;
  logic [1:0]  changed;

  plumb_reset_sync u_reset (
    .clk_i  (mac0_clk_i),
    .rst_ni (rst_ni && !control0_o.sys_reset && !control0_o.gt_tx_reset),
    .rst_no (card_rst_n)
  );

  plumb_control #(
    .ClockHz           (ClockHz),
    .CoreTimeoutClocks (CoreTimeoutClocks)
  ) u_control (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .s_axil_awaddr_i  (s_axil_awaddr_i),
    .s_axil_awvalid_i (s_axil_awvalid_i),
    .s_axil_awready_o (s_axil_awready_o),
    .s_axil_wdata_i   (s_axil_wdata_i),
    .s_axil_wstrb_i   (s_axil_wstrb_i),
    .s_axil_wvalid_i  (s_axil_wvalid_i),
    .s_axil_wready_o  (s_axil_wready_o),
    .s_axil_bresp_o   (s_axil_bresp_o),
    .s_axil_bvalid_o  (s_axil_bvalid_o),
    .s_axil_bready_i  (s_axil_bready_i),
    .s_axil_araddr_i  (s_axil_araddr_i),
    .s_axil_arvalid_i (s_axil_arvalid_i),
    .s_axil_arready_o (s_axil_arready_o),
    .s_axil_rdata_o   (s_axil_rdata_o),
    .s_axil_rresp_o   (s_axil_rresp_o),
    .s_axil_rvalid_o  (s_axil_rvalid_o),
    .s_axil_rready_i  (s_axil_rready_i),
    .mac_addr_o       (mac_addr),
    .mac_wen_o        (mac_wen),
    .mac_ren_o        (mac_ren),
    .mac_wdata_o      (mac_wdata),
    .mac_rdata_i      (mac_read_q == 3'd0 ? mac_rdata[31:0] : mac_read_q == 3'd1 ? mac_rdata[63:32] : '0),
    .mac_changed_i    ({6'b0, changed}),
    .event_waits_i    (event_waits_i),
    .reachable_o      (reachable_o),
    .lost_o           (lost),
    .m_clk_i          (mac0_clk_i),
    .m_rst_ni         (card_rst_n),
    .core_req_o       (core_req),
    .core_write_o     (core_write),
    .core_addr_o      (core_addr),
    .core_wdata_o     (core_wdata),
    .core_ack_i       (core_ack),
    .core_error_i     (core_error),
    .core_rdata_i     (rdata_q),
    .m_axil_awaddr_o  (awaddr),
    .m_axil_awvalid_o (awvalid),
    .m_axil_awready_i (awready),
    .m_axil_wdata_o   (wdata),
    .m_axil_wstrb_o   (wstrb),
    .m_axil_wvalid_o  (wvalid),
    .m_axil_wready_i  (wready),
    .m_axil_bresp_i   (bresp),
    .m_axil_bvalid_i  (bvalid),
    .m_axil_bready_o  (bready),
    .m_axil_araddr_o  (araddr),
    .m_axil_arvalid_o (arvalid),
    .m_axil_arready_i (arready),
    .m_axil_rdata_i   (rdata),
    .m_axil_rresp_i   (rresp),
    .m_axil_rvalid_i  (rvalid),
    .m_axil_rready_o  (rready)
  );

  // ---- The MACs ----

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)      mac_read_q <= '0;
    else if (mac_ren) mac_read_q <= mac_addr[11:9];
  end

  for (genvar p = 0; p < 2; p++) begin : gen_mac
    plumb_mac_pkg::control_t control;
    logic                    unused_link_up;

    plumb_mac_regs u_mac (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .reg_addr_i       (mac_addr[8:2]),
      .reg_wen_i        (mac_wen && mac_addr[11:9] == 3'(p)),
      .reg_ren_i        (mac_ren && mac_addr[11:9] == 3'(p)),
      .reg_wdata_i      (mac_wdata),
      .reg_rdata_o      (mac_rdata[32*p+:32]),
      .card_reachable_i (reachable_o),
      .card_lost_i      (lost),
      .mac_clk_i        (p == 0 ? mac0_clk_i : mac1_clk_i),
      .status_i         (p == 0 ? status0_i : status1_i),
      .control_o        (control),
      .link_up_o        (unused_link_up),
      .changed_o        (changed[p])
    );
    if (p == 0) begin : gen_first
      assign control0_o = control;
    end else begin : gen_second
      assign control1_o = control;
    end
  end

  // ---- The card ----

  plumb_axil u_axil (
    .clk_i            (mac0_clk_i),
    .rst_ni           (card_rst_n),
    .s_axil_awaddr_i  (awaddr),
    .s_axil_awvalid_i (awvalid),
    .s_axil_awready_o (awready),
    .s_axil_wdata_i   (wdata),
    .s_axil_wstrb_i   (wstrb),
    .s_axil_wvalid_i  (wvalid),
    .s_axil_wready_o  (wready),
    .s_axil_bresp_o   (bresp),
    .s_axil_bvalid_o  (bvalid),
    .s_axil_bready_i  (bready),
    .s_axil_araddr_i  (araddr),
    .s_axil_arvalid_i (arvalid),
    .s_axil_arready_o (arready),
    .s_axil_rdata_o   (rdata),
    .s_axil_rresp_o   (rresp),
    .s_axil_rvalid_o  (rvalid),
    .s_axil_rready_i  (rready),
    .reg_addr_o       (host_addr),
    .reg_wen_o        (host_wen),
    .reg_ren_o        (host_ren),
    .reg_wdata_o      (host_wdata),
    .reg_ack_i        (host_ack),
    .reg_rdata_i      (rdata_q)
  );

  // An access is answered as late as one of a port.
  localparam int unsigned AnswerClocks = 4;

  logic [AnswerClocks-1:0] access_q;
  logic                    take_q, release_q;
  logic [31:0]             words_q [16384];
  logic [1:0]              unused;

  plumb_register_arbiter u_arbiter (
    .clk_i            (mac0_clk_i),
    .rst_ni           (card_rst_n),
    .host_addr_i      (host_addr),
    .host_wen_i       (host_wen),
    .host_ren_i       (host_ren),
    .host_wdata_i     (host_wdata),
    .host_ack_o       (host_ack),
    .core_req_i       (core_req),
    .core_write_i     (core_write),
    .core_addr_i      ({15'b0, core_addr}),
    .core_strobe_i    (4'b1111),
    .core_wdata_i     (core_wdata),
    .core_ack_o       (core_ack),
    .core_error_o     (core_error),
    .lock_take_i      (take_q),
    .lock_release_i   (release_q),
    .locked_o         (locked_o),
    .locked_by_core_o (unused[0]),
    .lock_expired_o   (lock_expired_o),
    .busy_o           (unused[1]),
    .reg_addr_o       (reg_addr),
    .reg_wen_o        (reg_wen),
    .reg_ren_o        (reg_ren),
    .reg_wdata_o      (reg_wdata),
    .reg_ack_i        (access_q[AnswerClocks-1])
  );

  localparam logic [15:0] BusLock = plumb_regs_pkg::GlobalBase + 16'(plumb_regs_pkg::GlobalBusLockOffset);

  always_ff @(posedge mac0_clk_i or negedge card_rst_n) begin
    if (!card_rst_n) begin
      access_q  <= '0;
      take_q    <= 1'b0;
      release_q <= 1'b0;
    end else begin
      access_q  <= {access_q[AnswerClocks-2:0], reg_wen || reg_ren};
      take_q    <= reg_wen && {reg_addr, 2'b00} == BusLock && reg_wdata[0];
      release_q <= reg_wen && {reg_addr, 2'b00} == BusLock && reg_wdata[1];
    end
  end

  // The words stay in the card's reset, so that what a test puts there is found behind it.
  always_ff @(posedge mac0_clk_i) begin
    if (reg_wen) words_q[reg_addr] <= reg_wdata;
    if (reg_ren) access_addr_q <= reg_addr;
    rdata_q <= {access_addr_q, 2'b00} == 16'(plumb_regs_pkg::GlobalCapabilityOffset) ? 32'd2 :
               words_q[access_addr_q];
  end

endmodule
