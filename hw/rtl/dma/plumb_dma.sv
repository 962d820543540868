// The card's path to the host's memory: capture writer and register loader behind one AXI4 master
// of 512 bits (plumb_dma_write_mux), their registers (block dma), and the host's register bus on
// its way to the card.
//
//   s_axil_*  the host's; m_axil_* the card's (plumb_dma_router)
//   cap_*     the card's capture streams (plumb_card)
//   m_axi_*   64-bit addresses; bursts of type INCR of at most 64 beats that cross no 4 KiB; one
//             transaction ID, so no pins for it; all bytes of a beat are written. Answers are taken
//             at once.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_dma #(
  parameter int unsigned Ports = 1
) (
  // Clock and reset (active low)
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,

  // AXI4-Lite slave for the host: channels AW, W, B, AR, R
  input  wire logic [15:0]          s_axil_awaddr_i,      // offset in bytes
  input  wire logic                 s_axil_awvalid_i,
  output      logic                 s_axil_awready_o,
  input  wire logic [31:0]          s_axil_wdata_i,
  input  wire logic [3:0]           s_axil_wstrb_i,       // one bit per byte
  input  wire logic                 s_axil_wvalid_i,
  output      logic                 s_axil_wready_o,
  output      logic [1:0]           s_axil_bresp_o,       // 0: good
  output      logic                 s_axil_bvalid_o,
  input  wire logic                 s_axil_bready_i,
  input  wire logic [15:0]          s_axil_araddr_i,      // offset in bytes
  input  wire logic                 s_axil_arvalid_i,
  output      logic                 s_axil_arready_o,
  output      logic [31:0]          s_axil_rdata_o,
  output      logic [1:0]           s_axil_rresp_o,       // 0: good
  output      logic                 s_axil_rvalid_o,
  input  wire logic                 s_axil_rready_i,

  // AXI4-Lite master for the card, the same channels
  output      logic [15:0]          m_axil_awaddr_o,
  output      logic                 m_axil_awvalid_o,
  input  wire logic                 m_axil_awready_i,
  output      logic [31:0]          m_axil_wdata_o,
  output      logic [3:0]           m_axil_wstrb_o,
  output      logic                 m_axil_wvalid_o,
  input  wire logic                 m_axil_wready_i,
  input  wire logic [1:0]           m_axil_bresp_i,
  input  wire logic                 m_axil_bvalid_i,
  output      logic                 m_axil_bready_o,
  output      logic [15:0]          m_axil_araddr_o,
  output      logic                 m_axil_arvalid_o,
  input  wire logic                 m_axil_arready_i,
  input  wire logic [31:0]          m_axil_rdata_i,
  input  wire logic [1:0]           m_axil_rresp_i,
  input  wire logic                 m_axil_rvalid_i,
  output      logic                 m_axil_rready_o,

  // Capture streams (plumb_capture_tap), port 0 in the lowest bits: received frames
  input  wire logic [Ports*512-1:0] cap_rx_tdata_i,
  input  wire logic [Ports*64-1:0]  cap_rx_tkeep_i,
  input  wire logic [Ports-1:0]     cap_rx_tvalid_i,
  input  wire logic [Ports-1:0]     cap_rx_tlast_i,
  input  wire logic [Ports-1:0]     cap_rx_desc_valid_i,  // pulse
  input  wire logic [Ports*96-1:0]  cap_rx_desc_i,        // with cap_rx_desc_valid_i

  // The same of sent frames
  input  wire logic [Ports*512-1:0] cap_tx_tdata_i,
  input  wire logic [Ports*64-1:0]  cap_tx_tkeep_i,
  input  wire logic [Ports-1:0]     cap_tx_tvalid_i,
  input  wire logic [Ports-1:0]     cap_tx_tlast_i,
  input  wire logic [Ports-1:0]     cap_tx_desc_valid_i,  // pulse
  input  wire logic [Ports*96-1:0]  cap_tx_desc_i,        // with cap_tx_desc_valid_i
  output      logic [Ports-1:0]     cap_ready_o,          // level, one bit per port, of both
                                                          // directions

  // AXI4 master for the host's memory: write addresses
  output      logic [63:0]          m_axi_awaddr_o,       // in bytes, a multiple of 64
  output      logic [7:0]           m_axi_awlen_o,        // beats of the burst less one
  output      logic [2:0]           m_axi_awsize_o,       // 6: 64 bytes a beat
  output      logic [1:0]           m_axi_awburst_o,      // 1: INCR
  output      logic                 m_axi_awvalid_o,
  input  wire logic                 m_axi_awready_i,

  // Write data
  output      logic [511:0]         m_axi_wdata_o,        // byte 0 in bits 7:0
  output      logic [63:0]          m_axi_wstrb_o,        // all ones
  output      logic                 m_axi_wlast_o,
  output      logic                 m_axi_wvalid_o,
  input  wire logic                 m_axi_wready_i,

  // Write answers
  input  wire logic [1:0]           m_axi_bresp_i,        // 0: good
  input  wire logic                 m_axi_bvalid_i,
  output      logic                 m_axi_bready_o,       // always high

  // Read addresses
  output      logic [63:0]          m_axi_araddr_o,       // in bytes, a multiple of 64
  output      logic [7:0]           m_axi_arlen_o,        // beats of the burst less one
  output      logic [2:0]           m_axi_arsize_o,       // 6: 64 bytes a beat
  output      logic [1:0]           m_axi_arburst_o,      // 1: INCR
  output      logic                 m_axi_arvalid_o,
  input  wire logic                 m_axi_arready_i,

  // Read data
  input  wire logic [511:0]         m_axi_rdata_i,        // byte 0 in bits 7:0
  input  wire logic [1:0]           m_axi_rresp_i,        // 0: good
  input  wire logic                 m_axi_rlast_i,        // not used
  input  wire logic                 m_axi_rvalid_i,
  output      logic                 m_axi_rready_o        // always high
);

  `PLUMB_RANGE(plumb_dma, Ports, 1, 128)

  // ---- The bus ----

  logic        load_access, load_read, load_ack, load_refused;
  logic [15:0] load_offset, access_address;
  logic [31:0] load_value, load_answer, access_value;
  logic [3:0]  access_strobes;
  logic        access_ready;

  logic        own_awvalid, own_awready, own_wvalid, own_wready, own_bvalid;
  logic        own_arvalid, own_arready, own_rvalid;
  logic [1:0]  own_bresp, own_rresp;
  logic [31:0] own_rdata;

  plumb_dma_router u_router (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .s_axil_awaddr_i (s_axil_awaddr_i),
    .s_axil_awvalid_i(s_axil_awvalid_i),
    .s_axil_awready_o(s_axil_awready_o),
    .s_axil_wdata_i  (s_axil_wdata_i),
    .s_axil_wstrb_i  (s_axil_wstrb_i),
    .s_axil_wvalid_i (s_axil_wvalid_i),
    .s_axil_wready_o (s_axil_wready_o),
    .s_axil_bresp_o  (s_axil_bresp_o),
    .s_axil_bvalid_o (s_axil_bvalid_o),
    .s_axil_bready_i (s_axil_bready_i),
    .s_axil_araddr_i (s_axil_araddr_i),
    .s_axil_arvalid_i(s_axil_arvalid_i),
    .s_axil_arready_o(s_axil_arready_o),
    .s_axil_rdata_o  (s_axil_rdata_o),
    .s_axil_rresp_o  (s_axil_rresp_o),
    .s_axil_rvalid_o (s_axil_rvalid_o),
    .s_axil_rready_i (s_axil_rready_i),
    .load_access_i   (load_access),
    .load_read_i     (load_read),
    .load_offset_i   (load_offset),
    .load_value_i    (load_value),
    .load_ack_o      (load_ack),
    .load_refused_o  (load_refused),
    .load_answer_o   (load_answer),
    .m_axil_addr_o   (access_address),
    .m_axil_wdata_o  (access_value),
    .m_axil_wstrb_o  (access_strobes),
    .m_axil_ready_o  (access_ready),
    .card_awvalid_o  (m_axil_awvalid_o),
    .card_awready_i  (m_axil_awready_i),
    .card_wvalid_o   (m_axil_wvalid_o),
    .card_wready_i   (m_axil_wready_i),
    .card_bresp_i    (m_axil_bresp_i),
    .card_bvalid_i   (m_axil_bvalid_i),
    .card_arvalid_o  (m_axil_arvalid_o),
    .card_arready_i  (m_axil_arready_i),
    .card_rdata_i    (m_axil_rdata_i),
    .card_rresp_i    (m_axil_rresp_i),
    .card_rvalid_i   (m_axil_rvalid_i),
    .dma_awvalid_o   (own_awvalid),
    .dma_awready_i   (own_awready),
    .dma_wvalid_o    (own_wvalid),
    .dma_wready_i    (own_wready),
    .dma_bresp_i     (own_bresp),
    .dma_bvalid_i    (own_bvalid),
    .dma_arvalid_o   (own_arvalid),
    .dma_arready_i   (own_arready),
    .dma_rdata_i     (own_rdata),
    .dma_rresp_i     (own_rresp),
    .dma_rvalid_i    (own_rvalid)
  );

  assign m_axil_awaddr_o = access_address;
  assign m_axil_araddr_o = access_address;
  assign m_axil_wdata_o  = access_value;
  assign m_axil_wstrb_o  = access_strobes;
  assign m_axil_bready_o = access_ready;
  assign m_axil_rready_o = access_ready;

  // ---- Registers ----

  logic [15:2] reg_addr;
  logic [31:0] reg_wdata, reg_rdata;
  logic        reg_wen, reg_ren, reg_ack_q, unused_block;

  assign unused_block = ^reg_addr[15:12];

  plumb_axil u_axil (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .s_axil_awaddr_i (access_address),
    .s_axil_awvalid_i(own_awvalid),
    .s_axil_awready_o(own_awready),
    .s_axil_wdata_i  (access_value),
    .s_axil_wstrb_i  (access_strobes),
    .s_axil_wvalid_i (own_wvalid),
    .s_axil_wready_o (own_wready),
    .s_axil_bresp_o  (own_bresp),
    .s_axil_bvalid_o (own_bvalid),
    .s_axil_bready_i (access_ready),
    .s_axil_araddr_i (access_address),
    .s_axil_arvalid_i(own_arvalid),
    .s_axil_arready_o(own_arready),
    .s_axil_rdata_o  (own_rdata),
    .s_axil_rresp_o  (own_rresp),
    .s_axil_rvalid_o (own_rvalid),
    .s_axil_rready_i (access_ready),
    .reg_addr_o      (reg_addr),
    .reg_wen_o       (reg_wen),
    .reg_ren_o       (reg_ren),
    .reg_wdata_o     (reg_wdata),
    .reg_ack_i       (reg_ack_q),
    .reg_rdata_i     (reg_rdata)
  );

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) reg_ack_q <= 1'b0;
    else         reg_ack_q <= reg_wen || reg_ren;
  end

  plumb_regs_pkg::dma_config_t cfg;
  plumb_regs_pkg::dma_pulse_t  pulse;
  plumb_regs_pkg::dma_status_t status;
  plumb_regs_pkg::dma_fault_t  fault;
  plumb_regs_pkg::dma_update_t update;

  plumb_regs_dma u_regs (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .reg_addr_i (reg_addr[11:2]),
    .reg_wen_i  (reg_wen),
    .reg_ren_i  (reg_ren),
    .reg_wdata_i(reg_wdata),
    .reg_rdata_o(reg_rdata),
    .config_o   (cfg),
    .pulse_o    (pulse),
    .status_i   (status),
    .fault_i    (fault),
    .update_i   (update)
  );

  logic [57:0] written;
  logic [31:0] written_hi_q, written_hi_latched_q;
  logic        started, load_busy, load_error, write_error, mismatch;
  logic [20:0] load_done;

  // The pulse of a read comes a clock after the value that was read.
  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      written_hi_q         <= '0;
      written_hi_latched_q <= '0;
    end else begin
      written_hi_q <= written[57:26];
      if (pulse.capture_written_lo_read) written_hi_latched_q <= written_hi_q;
    end
  end

  always_comb begin
    status.capture_written_lo = {written[25:0], 6'b0};
    status.capture_written_hi = written_hi_latched_q;
    status.load_status_busy = load_busy;
    status.load_status_error = load_error;
    status.load_done = 32'(load_done);
    fault.capture_sticky_write_error = write_error;
    fault.capture_sticky_mismatch = mismatch;
    update.capture_read_lo = '0;
    update.capture_read_lo_we = started;
    update.capture_read_hi = '0;
    update.capture_read_hi_we = started;
  end

  // Of whole 4 KiB, of 64 bytes; the high half of CAPTURE_READ only serves the host, as the ring is
  // much smaller.
  logic unused_config;
  assign unused_config = ^{cfg.capture_address_lo[11:0], cfg.capture_size[31],
                           cfg.capture_size[11:0], cfg.capture_read_lo[5:0], cfg.capture_read_hi};

  // ---- Captures ----

  logic [63:0]  capture_awaddr, answer_awaddr;
  logic [7:0]   capture_awlen;
  logic [511:0] capture_wdata, answer_wdata;
  logic         capture_awvalid, capture_awready, capture_wlast, capture_wvalid, capture_wready;
  logic         capture_bvalid, unused_bready;
  logic         answer_awvalid, answer_awready, answer_wvalid, answer_wready, answer_bvalid;

  plumb_capture_writer #(
    .Ports(Ports)
  ) u_writer (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .enable_i           (cfg.capture_control_enable),
    .address_i          ({cfg.capture_address_hi, cfg.capture_address_lo[31:12]}),
    .size_i             (cfg.capture_size[30:12]),
    .started_o          (started),
    .read_valid_i       (pulse.capture_read_lo_written),
    .read_i             (cfg.capture_read_lo[31:6]),
    .written_o          (written),
    .write_error_o      (write_error),
    .mismatch_o         (mismatch),
    .cap_rx_tdata_i     (cap_rx_tdata_i),
    .cap_rx_tkeep_i     (cap_rx_tkeep_i),
    .cap_rx_tvalid_i    (cap_rx_tvalid_i),
    .cap_rx_tlast_i     (cap_rx_tlast_i),
    .cap_rx_desc_valid_i(cap_rx_desc_valid_i),
    .cap_rx_desc_i      (cap_rx_desc_i),
    .cap_tx_tdata_i     (cap_tx_tdata_i),
    .cap_tx_tkeep_i     (cap_tx_tkeep_i),
    .cap_tx_tvalid_i    (cap_tx_tvalid_i),
    .cap_tx_tlast_i     (cap_tx_tlast_i),
    .cap_tx_desc_valid_i(cap_tx_desc_valid_i),
    .cap_tx_desc_i      (cap_tx_desc_i),
    .cap_ready_o        (cap_ready_o),
    .m_axi_awaddr_o     (capture_awaddr),
    .m_axi_awlen_o      (capture_awlen),
    .m_axi_awvalid_o    (capture_awvalid),
    .m_axi_awready_i    (capture_awready),
    .m_axi_wdata_o      (capture_wdata),
    .m_axi_wlast_o      (capture_wlast),
    .m_axi_wvalid_o     (capture_wvalid),
    .m_axi_wready_i     (capture_wready),
    .m_axi_bresp_i      (m_axi_bresp_i),
    .m_axi_bvalid_i     (capture_bvalid),
    .m_axi_bready_o     (unused_bready)
  );

  plumb_dma_write_mux u_writes (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .a_awaddr_i     (capture_awaddr),
    .a_awlen_i      (capture_awlen),
    .a_awvalid_i    (capture_awvalid),
    .a_awready_o    (capture_awready),
    .a_wdata_i      (capture_wdata),
    .a_wlast_i      (capture_wlast),
    .a_wvalid_i     (capture_wvalid),
    .a_wready_o     (capture_wready),
    .a_bvalid_o     (capture_bvalid),
    .b_awaddr_i     (answer_awaddr),
    .b_awvalid_i    (answer_awvalid),
    .b_awready_o    (answer_awready),
    .b_wdata_i      (answer_wdata),
    .b_wvalid_i     (answer_wvalid),
    .b_wready_o     (answer_wready),
    .b_bvalid_o     (answer_bvalid),
    .m_axi_awaddr_o (m_axi_awaddr_o),
    .m_axi_awlen_o  (m_axi_awlen_o),
    .m_axi_awvalid_o(m_axi_awvalid_o),
    .m_axi_awready_i(m_axi_awready_i),
    .m_axi_wdata_o  (m_axi_wdata_o),
    .m_axi_wlast_o  (m_axi_wlast_o),
    .m_axi_wvalid_o (m_axi_wvalid_o),
    .m_axi_wready_i (m_axi_wready_i),
    .m_axi_bvalid_i (m_axi_bvalid_i),
    .m_axi_bready_o (m_axi_bready_o)
  );

  // 64 bytes a beat, type INCR.
  assign m_axi_awsize_o  = 3'd6;
  assign m_axi_awburst_o = 2'b01;
  assign m_axi_arsize_o  = 3'd6;
  assign m_axi_arburst_o = 2'b01;
  assign m_axi_wstrb_o   = '1;

  // ---- Lists of register accesses ----

  plumb_register_loader u_loader (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .start_i        (pulse.load_control_start),
    .address_i      ({cfg.load_address_hi, cfg.load_address_lo}),
    .answers_i      ({cfg.load_answers_hi, cfg.load_answers_lo}),
    .count_i        (cfg.load_count),
    .busy_o         (load_busy),
    .error_o        (load_error),
    .done_o         (load_done),
    .access_o       (load_access),
    .read_o         (load_read),
    .offset_o       (load_offset),
    .value_o        (load_value),
    .ack_i          (load_ack),
    .refused_i      (load_refused),
    .answer_i       (load_answer),
    .m_axi_araddr_o (m_axi_araddr_o),
    .m_axi_arlen_o  (m_axi_arlen_o),
    .m_axi_arvalid_o(m_axi_arvalid_o),
    .m_axi_arready_i(m_axi_arready_i),
    .m_axi_rdata_i  (m_axi_rdata_i),
    .m_axi_rresp_i  (m_axi_rresp_i),
    .m_axi_rvalid_i (m_axi_rvalid_i),
    .m_axi_rready_o (m_axi_rready_o),
    .m_axi_awaddr_o (answer_awaddr),
    .m_axi_awvalid_o(answer_awvalid),
    .m_axi_awready_i(answer_awready),
    .m_axi_wdata_o  (answer_wdata),
    .m_axi_wvalid_o (answer_wvalid),
    .m_axi_wready_i (answer_wready),
    .m_axi_bresp_i  (m_axi_bresp_i),
    .m_axi_bvalid_i (answer_bvalid)
  );

  // Bursts are as long as they were asked for.
  logic unused_last;
  assign unused_last = m_axi_rlast_i;

endmodule
