// The tester card between its register bus and its MACs (docs/card.md).
//
// Everything of port p lies in bits n*p+n-1 : n*p of a vector that has n bits per port.
//
//   s_axil_*     register access (docs/registers.md), one at a time; see plumb_axil
//   tx_axis_*    to the MACs, tready honoured; one frame after the other, FCS included
//   rx_axis_*    from the MACs, taken in every clock; FCS included
//   *_preamble_* with the first beat of a frame: its preamble without the first byte, D1 in bits 7:0
//                and the SFD in bits 55:48; bits 63:56 mean nothing
//   tx_ctl_*     control ordered sets to the MACs, D0 in bits 7:0, to be put between frames; ready
//                while every set taken has its place on the line
//   rx_ctl_*     those received, one clock each
//   link_up_i    the MAC has a link
//   cap_rx_*     copies of received frames, cap_tx_* of sent ones, as PORT_CONTROL asks for;
//                AXI4-Stream with a common cap_ready_i per port. A descriptor of 96 bits per
//                frame, in the order of the frames, one clock with cap_*_desc_valid_o, usually
//                after the frame's last beat, before it if cap_ready_i has held that up:
//                  63:0 timestamp [ps of card time], 79:64 length with FCS, 80 FCS right, 81 ICRC
//                  expected, 82 ICRC right, 83 truncated, 84 sent by the card, 95:85 zero.
//                If cap_ready_i comes too late frames are lost whole or closed by an empty beat
//                (plumb_capture_tap), counted in CAPTURE_DROPPED and shown in PORT_STICKY.
`include "plumb_simulated.svh"

module plumb_card #(
  parameter int unsigned Ports = 2,
  parameter int unsigned DataW = 512,
  parameter int unsigned FlowsLog2 = 8,
  parameter int unsigned RowsLog2 = 12,
  parameter int unsigned GroupsLog2 = 4
) (
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,

  input  wire logic [15:0]            s_axil_awaddr_i,
  input  wire logic                   s_axil_awvalid_i,
  output      logic                   s_axil_awready_o,
  input  wire logic [31:0]            s_axil_wdata_i,
  input  wire logic [3:0]             s_axil_wstrb_i,
  input  wire logic                   s_axil_wvalid_i,
  output      logic                   s_axil_wready_o,
  output      logic [1:0]             s_axil_bresp_o,
  output      logic                   s_axil_bvalid_o,
  input  wire logic                   s_axil_bready_i,
  input  wire logic [15:0]            s_axil_araddr_i,
  input  wire logic                   s_axil_arvalid_i,
  output      logic                   s_axil_arready_o,
  output      logic [31:0]            s_axil_rdata_o,
  output      logic [1:0]             s_axil_rresp_o,
  output      logic                   s_axil_rvalid_o,
  input  wire logic                   s_axil_rready_i,

  output      logic [Ports*DataW-1:0] tx_axis_tdata_o,
  output      logic [Ports*64-1:0]    tx_axis_tkeep_o,
  output      logic [Ports-1:0]       tx_axis_tvalid_o,
  output      logic [Ports-1:0]       tx_axis_tlast_o,
  input  wire logic [Ports-1:0]       tx_axis_tready_i,
  output      logic [Ports*64-1:0]    tx_preamble_o,

  input  wire logic [Ports*DataW-1:0] rx_axis_tdata_i,
  input  wire logic [Ports*64-1:0]    rx_axis_tkeep_i,
  input  wire logic [Ports-1:0]       rx_axis_tvalid_i,
  input  wire logic [Ports-1:0]       rx_axis_tlast_i,
  input  wire logic [Ports*64-1:0]    rx_preamble_i,

  output      logic [Ports-1:0]       tx_ctl_valid_o,
  output      logic [Ports*64-1:0]    tx_ctl_o,
  input  wire logic [Ports-1:0]       tx_ctl_ready_i,
  input  wire logic [Ports-1:0]       rx_ctl_valid_i,
  input  wire logic [Ports*64-1:0]    rx_ctl_i,
  input  wire logic [Ports-1:0]       link_up_i,

  output      logic [Ports*DataW-1:0] cap_rx_tdata_o,
  output      logic [Ports*64-1:0]    cap_rx_tkeep_o,
  output      logic [Ports-1:0]       cap_rx_tvalid_o,
  output      logic [Ports-1:0]       cap_rx_tlast_o,
  output      logic [Ports-1:0]       cap_rx_desc_valid_o,
  output      logic [Ports*96-1:0]    cap_rx_desc_o,
  output      logic [Ports*DataW-1:0] cap_tx_tdata_o,
  output      logic [Ports*64-1:0]    cap_tx_tkeep_o,
  output      logic [Ports-1:0]       cap_tx_tvalid_o,
  output      logic [Ports-1:0]       cap_tx_tlast_o,
  output      logic [Ports-1:0]       cap_tx_desc_valid_o,
  output      logic [Ports*96-1:0]    cap_tx_desc_o,
  input  wire logic [Ports-1:0]       cap_ready_i
);

  if (Ports < 1 || Ports > plumb_regs_pkg::PortCount) begin : gen_bad_ports
    $error("plumb_card: Ports must be 1 to 8");
  end
  if (DataW != plumb_pkg::DataW) begin : gen_bad_data_w
    $error("plumb_card: the datapath is 512 bits wide");
  end
  // What the register map and the test tag have room for.
  if (FlowsLog2 > 12 || RowsLog2 > 12 || GroupsLog2 > 5) begin : gen_bad_tables
    $error("plumb_card: at most 4096 flows, 4096 rows and 32 groups");
  end

  // ---- Register bus ----

  logic [15:2] reg_addr;
  logic [31:0] reg_wdata, reg_rdata;
  logic        reg_wen, reg_ren, reg_ack;

  // The clock of all that only changes by an access, by a start, or when something went wrong.
  logic             clk_bus, armed;
  logic [Ports-1:0] port_bus_busy;

  plumb_clock_gate u_bus (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .busy_i (s_axil_awvalid_i || s_axil_wvalid_i || s_axil_arvalid_i || !s_axil_awready_o ||
             !s_axil_wready_o || !s_axil_arready_o || armed || (|port_bus_busy)),
    .clk_o  (clk_bus)
  );

  plumb_axil u_axil (
    .clk_i           (clk_bus),
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
    .reg_addr_o      (reg_addr),
    .reg_wen_o       (reg_wen),
    .reg_ren_o       (reg_ren),
    .reg_wdata_o     (reg_wdata),
    .reg_ack_i       (reg_ack),
    .reg_rdata_i     (reg_rdata)
  );

  // Block 0 is global, block p + 1 port p; the rest of the address space answers with zero.
  logic [3:0]          block;
  logic                global_ack_q, global_read_q, nowhere_ack_q;
  logic [31:0]         global_rdata;
  logic [Ports-1:0]    port_ack;
  logic [Ports*32-1:0] port_rdata;

  assign block = reg_addr[15:12];

  always_ff @(posedge clk_bus `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      global_ack_q <= 1'b0;
      global_read_q <= 1'b0;
      nowhere_ack_q <= 1'b0;
    end else begin
      global_ack_q <= (reg_wen || reg_ren) && block == 4'd0;
      global_read_q <= reg_ren && block == 4'd0;
      nowhere_ack_q <= (reg_wen || reg_ren) && block > 4'(Ports);
    end
  end

  assign reg_ack = global_ack_q || nowhere_ack_q || port_ack != '0;
  always_comb begin
    reg_rdata = global_read_q ? global_rdata : '0;
    for (int unsigned p = 0; p < Ports; p++) reg_rdata = reg_rdata | port_rdata[32*p+:32];
  end

  // ---- Global registers, card time, common start ----

  plumb_regs_pkg::global_config_t cfg;
  plumb_regs_pkg::global_pulse_t  pulse;
  plumb_regs_pkg::global_status_t status;
  plumb_regs_pkg::global_fault_t  fault;

  plumb_regs_global u_regs (
    .clk_i      (clk_bus),
    .rst_ni     (rst_ni),
    .reg_addr_i (reg_addr[11:2]),
    .reg_wen_i  (reg_wen && block == 4'd0),
    .reg_ren_i  (reg_ren && block == 4'd0),
    .reg_wdata_i(reg_wdata),
    .reg_rdata_o(global_rdata),
    .config_o   (cfg),
    .pulse_o    (pulse),
    .status_i   (status),
    .fault_i    (fault)
  );

  logic [63:0] now, latched, epoch;
  logic        running, late_start;

  plumb_card_time u_card_time (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .set_i     (pulse.control_set_time),
    .set_time_i({cfg.set_time_hi, cfg.set_time_lo}),
    .latch_i   (pulse.control_latch_time),
    .latched_o (latched),
    .now_o     (now)
  );

  plumb_start u_start (
    .clk_i       (clk_bus),
    .rst_ni      (rst_ni),
    .now_i       (now),
    .arm_i       (pulse.control_arm),
    .stop_i      (pulse.control_stop),
    .start_time_i({cfg.start_time_hi, cfg.start_time_lo}),
    .epoch_o     (epoch),
    .armed_o     (armed),
    .running_o   (running),
    .late_start_o(late_start)
  );

  // Put together when looked at only.
  always_comb begin
    `PLUMB_ANY(status)
    if (reg_ren) begin
      status.capability_ports = 4'(Ports);
      status.capability_data_bytes = 8'(DataW / 8);
      status.capability_flows_log2 = 4'(FlowsLog2);
      status.capability_rows_log2 = 4'(RowsLog2);
      status.capability_groups_log2 = 4'(GroupsLog2);
      status.features_icrc = 1'b1;
      status.features_pfc_react = 1'b1;
      status.features_capture = 1'b1;
      status.features_damage = 1'b1;
      status.features_llr = 1'b1;
      status.features_rx_tracking = 1'b1;
      status.features_pfc_send = 1'b1;
      status.features_cbfc = 1'b1;
      status.features_patterns = 1'b1;
      status.features_messages = 1'b1;
      status.clock_period_num = plumb_pkg::ClockPeriodNum;
      status.clock_period_den = plumb_pkg::ClockPeriodDen;
      status.status_armed = armed;
      status.status_running = running;
      status.time_lo = latched[31:0];
      status.time_hi = latched[63:32];
    end
  end

  assign fault.sticky_late_start = late_start;

  // ---- Ports ----

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    logic selected, unused_preamble;
    assign selected = block == 4'(p + 1);
    assign tx_preamble_o[64*p+56+:8] = '0;
    assign unused_preamble = ^rx_preamble_i[64*p+56+:8];

    logic [DataW-1:0] rx_tdata;
    logic [63:0]      rx_tkeep, rx_ctl;
    logic [55:0]      rx_preamble;
    logic             rx_tvalid, rx_tlast, rx_ctl_valid;
    logic             tx_tready, tx_ctl_ready, link_up;

    plumb_port_pins u_pins (
      .clk_i         (clk_i),
      .rx_tdata_i    (rx_axis_tdata_i[DataW*p+:DataW]),
      .rx_tkeep_i    (rx_axis_tkeep_i[64*p+:64]),
      .rx_tvalid_i   (rx_axis_tvalid_i[p]),
      .rx_tlast_i    (rx_axis_tlast_i[p]),
      .rx_preamble_i (rx_preamble_i[64*p+:56]),
      .rx_ctl_valid_i(rx_ctl_valid_i[p]),
      .rx_ctl_i      (rx_ctl_i[64*p+:64]),
      .tx_tready_i   (tx_axis_tready_i[p]),
      .tx_ctl_ready_i(tx_ctl_ready_i[p]),
      .link_up_i     (link_up_i[p]),
      .rx_tdata_o    (rx_tdata),
      .rx_tkeep_o    (rx_tkeep),
      .rx_tvalid_o   (rx_tvalid),
      .rx_tlast_o    (rx_tlast),
      .rx_preamble_o (rx_preamble),
      .rx_ctl_valid_o(rx_ctl_valid),
      .rx_ctl_o      (rx_ctl),
      .tx_tready_o   (tx_tready),
      .tx_ctl_ready_o(tx_ctl_ready),
      .link_up_o     (link_up)
    );

    plumb_port #(
      .FlowsLog2 (FlowsLog2),
      .RowsLog2  (RowsLog2),
      .GroupsLog2(GroupsLog2)
    ) u_port (
      .clk_i              (clk_i),
      .clk_bus_i          (clk_bus),
      .rst_ni             (rst_ni),
      .now_i              (now),
      .running_i          (running),
      .start_time_i       (epoch),
      .reg_addr_i         (reg_addr[11:2]),
      .reg_wen_i          (reg_wen && selected),
      .reg_ren_i          (reg_ren && selected),
      .reg_wdata_i        (reg_wdata),
      .reg_ack_o          (port_ack[p]),
      .reg_rdata_o        (port_rdata[32*p+:32]),
      .bus_busy_o         (port_bus_busy[p]),
      .tx_tdata_o         (tx_axis_tdata_o[DataW*p+:DataW]),
      .tx_tkeep_o         (tx_axis_tkeep_o[64*p+:64]),
      .tx_tvalid_o        (tx_axis_tvalid_o[p]),
      .tx_tlast_o         (tx_axis_tlast_o[p]),
      .tx_tready_i        (tx_tready),
      .tx_preamble_o      (tx_preamble_o[64*p+:56]),
      .rx_tdata_i         (rx_tdata),
      .rx_tkeep_i         (rx_tkeep),
      .rx_tvalid_i        (rx_tvalid),
      .rx_tlast_i         (rx_tlast),
      .rx_preamble_i      (rx_preamble),
      .tx_ctl_valid_o     (tx_ctl_valid_o[p]),
      .tx_ctl_o           (tx_ctl_o[64*p+:64]),
      .tx_ctl_ready_i     (tx_ctl_ready),
      .rx_ctl_valid_i     (rx_ctl_valid),
      .rx_ctl_i           (rx_ctl),
      .link_up_i          (link_up),
      .cap_rx_tdata_o     (cap_rx_tdata_o[DataW*p+:DataW]),
      .cap_rx_tkeep_o     (cap_rx_tkeep_o[64*p+:64]),
      .cap_rx_tvalid_o    (cap_rx_tvalid_o[p]),
      .cap_rx_tlast_o     (cap_rx_tlast_o[p]),
      .cap_rx_desc_valid_o(cap_rx_desc_valid_o[p]),
      .cap_rx_desc_o      (cap_rx_desc_o[96*p+:96]),
      .cap_tx_tdata_o     (cap_tx_tdata_o[DataW*p+:DataW]),
      .cap_tx_tkeep_o     (cap_tx_tkeep_o[64*p+:64]),
      .cap_tx_tvalid_o    (cap_tx_tvalid_o[p]),
      .cap_tx_tlast_o     (cap_tx_tlast_o[p]),
      .cap_tx_desc_valid_o(cap_tx_desc_valid_o[p]),
      .cap_tx_desc_o      (cap_tx_desc_o[96*p+:96]),
      .cap_ready_i        (cap_ready_i[p])
    );
  end

endmodule
