// What controls a card whose clock may stop, on a clock that always runs (clk_i): the host's way to the
// registers, the control processor, and the registers of the MACs before them both.
//
//   block core   the host's end of the processor: here, for the host
//   block mac    here, for both, who take turns (plumb_register_arbiter)
//   all others   those of the card, on m_clk_i: the host's accesses over plumb_axil_bridge to m_axil_*,
//                the processor's over a crossing of its own to core_*, where the card arbitrates between
//                the two, and BUS_LOCK holds
//
// While the card's clock is stopped, or its side in reset, accesses of the card are refused: at once,
// but for one that was under way, which takes TimeoutClocks (host) or CoreTimeoutClocks at most. The
// processor waits longer than the host, as a host with BUS_LOCK may keep it waiting.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_control #(
  parameter int unsigned ClockHz = 300000000,         // frequency of clk_i
  parameter int unsigned TimeoutClocks = 8191,        // of an access of the host to the card
  parameter int unsigned CoreTimeoutClocks = 131071   // of one of the processor
) (
  // Clock, reset (active low)
  input  wire logic        clk_i,             // clock that always runs
  input  wire logic        rst_ni,

  // From the host: AXI4-Lite (plumb_axil_bridge)
  input  wire logic [15:0] s_axil_awaddr_i,
  input  wire logic        s_axil_awvalid_i,
  output      logic        s_axil_awready_o,
  input  wire logic [31:0] s_axil_wdata_i,
  input  wire logic [3:0]  s_axil_wstrb_i,
  input  wire logic        s_axil_wvalid_i,
  output      logic        s_axil_wready_o,
  output      logic [1:0]  s_axil_bresp_o,
  output      logic        s_axil_bvalid_o,
  input  wire logic        s_axil_bready_i,
  input  wire logic [15:0] s_axil_araddr_i,
  input  wire logic        s_axil_arvalid_i,
  output      logic        s_axil_arready_o,
  output      logic [31:0] s_axil_rdata_o,
  output      logic [1:0]  s_axil_rresp_o,
  output      logic        s_axil_rvalid_o,
  input  wire logic        s_axil_rready_i,

  // Registers of block mac, on clk_i
  output      logic [11:2] mac_addr_o,        // word address within the block
  output      logic        mac_wen_o,         // pulse: write
  output      logic        mac_ren_o,         // pulse: read
  output      logic [31:0] mac_wdata_o,       // word to be written
  input  wire logic [31:0] mac_rdata_i,       // word that was read, from the clock behind the pulse on

  // Interrupts of the processor, a bit for each port (plumb_core_local)
  input  wire logic [7:0]  mac_changed_i,     // level on clk_i: MAC_STATUS.link_changed
  input  wire logic [7:0]  event_waits_i,     // level on m_clk_i: a received event frame waits

  // State of the card, on clk_i
  output      logic        reachable_o,       // level: it answers the host
  output      logic        lost_o,            // pulse: it has stopped doing so

  // Clock, reset (active low) of the card
  input  wire logic        m_clk_i,           // may stop
  input  wire logic        m_rst_ni,

  // To the card, on m_clk_i: accesses of the processor
  output      logic        core_req_o,        // level until core_ack_i: access
  output      logic        core_write_o,      // 1: write, 0: read
  output      logic [15:2] core_addr_o,       // word address
  output      logic [31:0] core_wdata_o,      // word to be written
  input  wire logic        core_ack_i,        // pulse: the access has ended
  input  wire logic        core_error_i,      // with core_ack_i: it was refused
  input  wire logic [31:0] core_rdata_i,      // with core_ack_i: word that was read

  // To the card, on m_clk_i: AXI4-Lite of the host
  output      logic [15:0] m_axil_awaddr_o,
  output      logic        m_axil_awvalid_o,
  input  wire logic        m_axil_awready_i,
  output      logic [31:0] m_axil_wdata_o,
  output      logic [3:0]  m_axil_wstrb_o,
  output      logic        m_axil_wvalid_o,
  input  wire logic        m_axil_wready_i,
  input  wire logic [1:0]  m_axil_bresp_i,
  input  wire logic        m_axil_bvalid_i,
  output      logic        m_axil_bready_o,
  output      logic [15:0] m_axil_araddr_o,
  output      logic        m_axil_arvalid_o,
  input  wire logic        m_axil_arready_i,
  input  wire logic [31:0] m_axil_rdata_i,
  input  wire logic [1:0]  m_axil_rresp_i,
  input  wire logic        m_axil_rvalid_i,
  output      logic        m_axil_rready_o
);

  `PLUMB_RANGE(plumb_control, ClockHz, 1, 2147483647)
  `PLUMB_RANGE(plumb_control, TimeoutClocks, 1, 1048575)
  `PLUMB_RANGE(plumb_control, CoreTimeoutClocks, 1, 1048575)

  localparam logic [3:0]  CoreBlock   = plumb_regs_pkg::CoreBase[15:12];
  localparam logic [3:0]  MacBlock    = plumb_regs_pkg::MacBase[15:12];
  localparam logic [15:0] LocalBlocks = (16'b1 << CoreBlock) | (16'b1 << MacBlock);

  // ---- The host ----

  logic [15:2] host_addr, reg_addr;
  logic [31:0] host_wdata, reg_wdata, reg_rdata;
  logic        host_wen, host_ren, host_ack, reg_wen, reg_ren, reg_ack;

  plumb_axil_bridge #(
    .TimeoutClocks (TimeoutClocks),
    .LocalBlocks   (LocalBlocks)
  ) u_bridge (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .s_axil_awaddr_i   (s_axil_awaddr_i),
    .s_axil_awvalid_i  (s_axil_awvalid_i),
    .s_axil_awready_o  (s_axil_awready_o),
    .s_axil_wdata_i    (s_axil_wdata_i),
    .s_axil_wstrb_i    (s_axil_wstrb_i),
    .s_axil_wvalid_i   (s_axil_wvalid_i),
    .s_axil_wready_o   (s_axil_wready_o),
    .s_axil_bresp_o    (s_axil_bresp_o),
    .s_axil_bvalid_o   (s_axil_bvalid_o),
    .s_axil_bready_i   (s_axil_bready_i),
    .s_axil_araddr_i   (s_axil_araddr_i),
    .s_axil_arvalid_i  (s_axil_arvalid_i),
    .s_axil_arready_o  (s_axil_arready_o),
    .s_axil_rdata_o    (s_axil_rdata_o),
    .s_axil_rresp_o    (s_axil_rresp_o),
    .s_axil_rvalid_o   (s_axil_rvalid_o),
    .s_axil_rready_i   (s_axil_rready_i),
    .local_addr_o      (host_addr),
    .local_wen_o       (host_wen),
    .local_ren_o       (host_ren),
    .local_wdata_o     (host_wdata),
    .local_ack_i       (host_ack),
    .local_rdata_i     (reg_rdata),
    .reachable_o       (reachable_o),
    .lost_o            (lost_o),
    .m_clk_i           (m_clk_i),
    .m_rst_ni          (m_rst_ni),
    .m_axil_awaddr_o   (m_axil_awaddr_o),
    .m_axil_awvalid_o  (m_axil_awvalid_o),
    .m_axil_awready_i  (m_axil_awready_i),
    .m_axil_wdata_o    (m_axil_wdata_o),
    .m_axil_wstrb_o    (m_axil_wstrb_o),
    .m_axil_wvalid_o   (m_axil_wvalid_o),
    .m_axil_wready_i   (m_axil_wready_i),
    .m_axil_bresp_i    (m_axil_bresp_i),
    .m_axil_bvalid_i   (m_axil_bvalid_i),
    .m_axil_bready_o   (m_axil_bready_o),
    .m_axil_araddr_o   (m_axil_araddr_o),
    .m_axil_arvalid_o  (m_axil_arvalid_o),
    .m_axil_arready_i  (m_axil_arready_i),
    .m_axil_rdata_i    (m_axil_rdata_i),
    .m_axil_rresp_i    (m_axil_rresp_i),
    .m_axil_rvalid_i   (m_axil_rvalid_i),
    .m_axil_rready_o   (m_axil_rready_o)
  );

  // ---- The processor ----

  logic [7:0] event_waits;

  plumb_sync #(.W(8)) u_event (
    .clk_i (clk_i), .rst_ni (rst_ni), .d_i (event_waits_i), .q_o (event_waits)
  );

  logic        bus_req, bus_write, bus_ack, bus_error, to_card, core_ack;
  logic [30:2] bus_addr;
  logic [3:0]  bus_strobe;
  logic [31:0] bus_wdata, bus_rdata, core_rdata;
  logic        unused_asleep;

  plumb_core #(
    .ClockHz (ClockHz)
  ) u_core (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .reg_addr_i   (reg_addr[11:2]),
    .reg_wen_i    (reg_wen && reg_addr[15:12] == CoreBlock),
    .reg_ren_i    (reg_ren && reg_addr[15:12] == CoreBlock),
    .reg_wdata_i  (reg_wdata),
    .reg_ack_o    (core_ack),
    .reg_rdata_o  (core_rdata),
    .bus_req_o    (bus_req),
    .bus_write_o  (bus_write),
    .bus_addr_o   (bus_addr),
    .bus_strobe_o (bus_strobe),
    .bus_wdata_o  (bus_wdata),
    .bus_ack_i    (bus_ack),
    .bus_error_i  (bus_error),
    .bus_rdata_i  (bus_rdata),
    .irq_i        ({8'b0, mac_changed_i, event_waits}),
    .asleep_o     (unused_asleep)
  );

  // ---- Registers on this clock ----

  logic local_ack, local_error, mac_ack_q, mac_read_q;
  logic unused_lock;
  logic [2:0] unused_state;

  // What the card is not asked for is refused by the arbiter, but for block mac.
  assign to_card = bus_addr[30:16] == '0 && bus_addr[15:12] != MacBlock &&
                   bus_addr[15:12] != CoreBlock && (!bus_write || bus_strobe == 4'b1111);

  plumb_register_arbiter u_arbiter (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .host_addr_i      (host_addr),
    .host_wen_i       (host_wen),
    .host_ren_i       (host_ren),
    .host_wdata_i     (host_wdata),
    .host_ack_o       (host_ack),
    .core_req_i       (bus_req && !to_card),
    .core_write_i     (bus_write),
    .core_addr_i      (bus_addr),
    .core_strobe_i    (bus_strobe),
    .core_wdata_i     (bus_wdata),
    .core_ack_o       (local_ack),
    .core_error_o     (local_error),
    .lock_take_i      (1'b0),
    .lock_release_i   (1'b0),
    .locked_o         (unused_state[0]),
    .locked_by_core_o (unused_state[1]),
    .lock_expired_o   (unused_state[2]),
    .busy_o           (unused_lock),
    .reg_addr_o       (reg_addr),
    .reg_wen_o        (reg_wen),
    .reg_ren_o        (reg_ren),
    .reg_wdata_o      (reg_wdata),
    .reg_ack_i        (reg_ack)
  );

  assign mac_addr_o  = reg_addr[11:2];
  assign mac_wen_o   = reg_wen && reg_addr[15:12] == MacBlock;
  assign mac_ren_o   = reg_ren && reg_addr[15:12] == MacBlock;
  assign mac_wdata_o = reg_wdata;
  assign reg_ack     = core_ack || mac_ack_q;
  assign reg_rdata   = core_rdata | (mac_read_q ? mac_rdata_i : '0);

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      mac_ack_q  <= 1'b0;
      mac_read_q <= 1'b0;
    end else begin
      mac_ack_q  <= mac_wen_o || mac_ren_o;
      mac_read_q <= mac_ren_o;
    end
  end

  // ---- The processor's way to the card ----

  logic        crossed;
  logic [1:0]  crossed_resp, unused_link;
  logic [31:0] crossed_rdata;

  plumb_register_crossing #(
    .TimeoutClocks (CoreTimeoutClocks)
  ) u_core_crossing (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_i       (bus_req && to_card),
    .write_i     (bus_write),
    .addr_i      (bus_addr[15:2]),
    .wdata_i     (bus_wdata),
    .ack_o       (crossed),
    .resp_o      (crossed_resp),
    .rdata_o     (crossed_rdata),
    .reachable_o (unused_link[0]),
    .lost_o      (unused_link[1]),
    .m_clk_i     (m_clk_i),
    .m_rst_ni    (m_rst_ni),
    .m_req_o     (core_req_o),
    .m_write_o   (core_write_o),
    .m_addr_o    (core_addr_o),
    .m_wdata_o   (core_wdata_o),
    .m_ack_i     (core_ack_i),
    .m_resp_i    ({core_error_i, 1'b0}),
    .m_rdata_i   (core_rdata_i)
  );

  assign bus_ack   = to_card ? crossed : local_ack;
  assign bus_error = to_card ? crossed_resp != 2'b00 : local_error;
  assign bus_rdata = to_card ? crossed_rdata : reg_rdata;

endmodule
