// One MAC's registers behind the register bridge, as plumb_kernel has them; on the other side of the
// bridge one register in place of the card. The MAC's clock is the card's.
module mac_bench (
  input  wire logic                    clk_i,
  input  wire logic                    rst_ni,
  input  wire logic [15:0]             s_axil_awaddr_i,
  input  wire logic                    s_axil_awvalid_i,
  output      logic                    s_axil_awready_o,
  input  wire logic [31:0]             s_axil_wdata_i,
  input  wire logic                    s_axil_wvalid_i,
  output      logic                    s_axil_wready_o,
  output      logic [1:0]              s_axil_bresp_o,
  output      logic                    s_axil_bvalid_o,
  input  wire logic [15:0]             s_axil_araddr_i,
  input  wire logic                    s_axil_arvalid_i,
  output      logic                    s_axil_arready_o,
  output      logic [31:0]             s_axil_rdata_o,
  output      logic [1:0]              s_axil_rresp_o,
  output      logic                    s_axil_rvalid_o,
  input  wire logic                    mac_clk_i,
  input  wire plumb_mac_pkg::status_t  status_i,
  output      plumb_mac_pkg::control_t control_o,
  output      logic                    link_up_o
);

  logic [15:0] awaddr, araddr;
  logic [31:0] wdata, rdata, local_wdata, local_rdata, scratch_q, reg_wdata;
  logic [3:0]  wstrb;
  logic [1:0]  bresp, rresp;
  logic [15:2] reg_addr;
  logic [15:2] local_addr;
  logic        awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
  logic        local_wen, local_ren, local_ack_q, reachable, lost, card_rst_n, reg_wen, reg_ren, reg_ack_q;

  plumb_reset_sync u_reset (
    .clk_i  (mac_clk_i),
    .rst_ni (rst_ni && !control_o.sys_reset && !control_o.gt_tx_reset),
    .rst_no (card_rst_n)
  );

  plumb_axil_bridge #(
    .TimeoutClocks (255)
  ) u_bridge (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .s_axil_awaddr_i  (s_axil_awaddr_i),
    .s_axil_awvalid_i (s_axil_awvalid_i),
    .s_axil_awready_o (s_axil_awready_o),
    .s_axil_wdata_i   (s_axil_wdata_i),
    .s_axil_wstrb_i   (4'b1111),
    .s_axil_wvalid_i  (s_axil_wvalid_i),
    .s_axil_wready_o  (s_axil_wready_o),
    .s_axil_bresp_o   (s_axil_bresp_o),
    .s_axil_bvalid_o  (s_axil_bvalid_o),
    .s_axil_bready_i  (1'b1),
    .s_axil_araddr_i  (s_axil_araddr_i),
    .s_axil_arvalid_i (s_axil_arvalid_i),
    .s_axil_arready_o (s_axil_arready_o),
    .s_axil_rdata_o   (s_axil_rdata_o),
    .s_axil_rresp_o   (s_axil_rresp_o),
    .s_axil_rvalid_o  (s_axil_rvalid_o),
    .s_axil_rready_i  (1'b1),
    .local_addr_o     (local_addr),
    .local_wen_o      (local_wen),
    .local_ren_o      (local_ren),
    .local_wdata_o    (local_wdata),
    .local_ack_i      (local_ack_q),
    .local_rdata_i    (local_rdata),
    .reachable_o      (reachable),
    .lost_o           (lost),
    .m_clk_i          (mac_clk_i),
    .m_rst_ni         (card_rst_n),
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

  plumb_axil u_card (
    .clk_i            (mac_clk_i),
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
    .reg_addr_o       (reg_addr),
    .reg_wen_o        (reg_wen),
    .reg_ren_o        (reg_ren),
    .reg_wdata_o      (reg_wdata),
    .reg_ack_i        (reg_ack_q),
    .reg_rdata_i      (scratch_q)
  );

  always_ff @(posedge mac_clk_i or negedge card_rst_n) begin
    if (!card_rst_n) begin
      reg_ack_q <= 1'b0;
      scratch_q <= '0;
    end else begin
      reg_ack_q <= reg_wen || reg_ren;
      if (reg_wen) scratch_q <= reg_wdata;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) local_ack_q <= 1'b0;
    else         local_ack_q <= local_wen || local_ren;
  end

  logic unused_changed;

  plumb_mac_regs u_mac (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .reg_addr_i       (local_addr[8:2]),
    .reg_wen_i        (local_wen),
    .reg_ren_i        (local_ren),
    .reg_wdata_i      (local_wdata),
    .reg_rdata_o      (local_rdata),
    .card_reachable_i (reachable),
    .card_lost_i      (lost),
    .mac_clk_i        (mac_clk_i),
    .status_i         (status_i),
    .control_o        (control_o),
    .link_up_o        (link_up_o),
    .changed_o        (unused_changed)
  );

  logic unused;
  assign unused = ^{reg_addr, local_addr[15:9]};

endmodule
