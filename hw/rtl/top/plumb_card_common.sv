// What the ports of a card have in common: its register bus, global registers, time and start, and
// the control processor. CoreOutside: this stands elsewhere, on a clock of its own (plumb_control); its
// accesses arrive at core_*, those of block core at nothing.
//
// Two blocks of registers per port: port_wen_o[p] or port_ren_o[p] pulses for an access of port p, with
// reg_addr_o and reg_wdata_o; reg_event_o then says that it is of the port's block event. port_ack_i[p] ends it, port_rdata_i is zero in all other clocks. The
// rest of the address space answers with zero.
//
// ports_i is the number of ports that the card has, at most Ports; constant. Ports above it are tied
// to zero.
//
// clk_bus_o is the clock of all that only changes by an access, by a start, or when something went
// wrong. It may rest (plumb_clock_gate) while port_bus_busy_i is low and there is no access. All other
// outputs are registers.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_card_common #(
  parameter int unsigned Ports = plumb_regs_pkg::PortCount,
  parameter int unsigned FlowsLog2 = 8,
  parameter int unsigned RowsLog2 = 12,
  parameter int unsigned GroupsLog2 = 4,
  parameter bit          WithCore = 1'b1,       // the control processor, here
  parameter bit          CoreOutside = 1'b0,    // it stands elsewhere
  parameter bit          OrderedSets = 1'b1     // MACs carry control ordered sets: LLR, CBFC offered
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire logic [3:0]          ports_i,           // number of ports of this card

  // Register access, one at a time (plumb_axil).
  input  wire logic [15:0]         s_axil_awaddr_i,
  input  wire logic                s_axil_awvalid_i,
  output      logic                s_axil_awready_o,
  input  wire logic [31:0]         s_axil_wdata_i,
  input  wire logic [3:0]          s_axil_wstrb_i,
  input  wire logic                s_axil_wvalid_i,
  output      logic                s_axil_wready_o,
  output      logic [1:0]          s_axil_bresp_o,
  output      logic                s_axil_bvalid_o,
  input  wire logic                s_axil_bready_i,
  input  wire logic [15:0]         s_axil_araddr_i,
  input  wire logic                s_axil_arvalid_i,
  output      logic                s_axil_arready_o,
  output      logic [31:0]         s_axil_rdata_o,
  output      logic [1:0]          s_axil_rresp_o,
  output      logic                s_axil_rvalid_o,
  input  wire logic                s_axil_rready_i,

  // To all ports.
  output      logic                clk_bus_o,         // clock of registers and what is behind them
  output      logic [63:0]         now_o,             // local time [ps]
  output      logic [63:0]         offset_o,          // card time - local time [ps]
  output      logic                running_o,         // schedulers are live
  output      logic [63:0]         start_time_o,      // epoch of the schedules, local time [ps]
  output      logic [11:2]         reg_addr_o,        // word address within a block
  output      logic                reg_event_o,       // of block event, else of block port
  output      logic [31:0]         reg_wdata_o,

  // One bit, or 32, per port.
  output      logic [Ports-1:0]    port_wen_o,
  output      logic [Ports-1:0]    port_ren_o,
  input  wire logic [Ports-1:0]    port_ack_i,
  input  wire logic [Ports*32-1:0] port_rdata_i,
  input  wire logic [Ports-1:0]    port_bus_busy_i,
  input  wire logic [Ports-1:0]    port_event_i,      // level: a received event frame waits

  // With CoreOutside: accesses of the control processor, which has port_event_i from elsewhere.
  input  wire logic                core_req_i,        // level until core_ack_o: access
  input  wire logic                core_write_i,      // 1: write, 0: read
  input  wire logic [15:2]         core_addr_i,       // word address
  input  wire logic [31:0]         core_wdata_i,      // word to be written
  output      logic                core_ack_o,        // pulse: the access has ended
  output      logic                core_error_o,      // with core_ack_o: it was refused
  output      logic [31:0]         core_rdata_o,      // with core_ack_o: word that was read

  // Pulse per second.
  input  wire logic                pps_i,             // any clock
  output      logic                pps_o
);

  // What the register map, the ports and the test tag have room for.
  `PLUMB_RANGE(plumb_card_common, Ports, 1, plumb_regs_pkg::PortCount)
  `PLUMB_RANGE(plumb_card_common, FlowsLog2, 3, 10)
  `PLUMB_RANGE(plumb_card_common, RowsLog2, 1, 12)
  `PLUMB_RANGE(plumb_card_common, GroupsLog2, 1, 5)

  // ---- Register bus ----

  logic [15:2] host_addr, reg_addr;
  logic [31:0] host_wdata, reg_rdata, core_rdata, core_bus_wdata;
  logic        host_wen, host_ren, host_ack, reg_wen, reg_ren, reg_ack, arbiter_busy;
  logic        armed, locked, locked_by_core, lock_expired;
  logic        core_ack, core_bus_req, core_bus_write, core_bus_ack, core_bus_error;
  logic [30:2] core_bus_addr;
  logic [3:0]  core_bus_strobe;

  plumb_clock_gate u_bus (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .busy_i (s_axil_awvalid_i || s_axil_wvalid_i || s_axil_arvalid_i || !s_axil_awready_o ||
             !s_axil_wready_o || !s_axil_arready_o || armed || arbiter_busy ||
             (|port_bus_busy_i)),
    .clk_o  (clk_bus_o)
  );

  plumb_axil u_axil (
    .clk_i           (clk_bus_o),
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
    .reg_addr_o      (host_addr),
    .reg_wen_o       (host_wen),
    .reg_ren_o       (host_ren),
    .reg_wdata_o     (host_wdata),
    .reg_ack_i       (host_ack),
    .reg_rdata_i     (reg_rdata)
  );

  plumb_regs_pkg::global_config_t cfg;
  plumb_regs_pkg::global_pulse_t  pulse;
  plumb_regs_pkg::global_status_t status;
  plumb_regs_pkg::global_fault_t  fault;

  plumb_register_arbiter u_arbiter (
    .clk_i            (clk_bus_o),
    .rst_ni           (rst_ni),
    .host_addr_i      (host_addr),
    .host_wen_i       (host_wen),
    .host_ren_i       (host_ren),
    .host_wdata_i     (host_wdata),
    .host_ack_o       (host_ack),
    .core_req_i       (core_bus_req),
    .core_write_i     (core_bus_write),
    .core_addr_i      (core_bus_addr),
    .core_strobe_i    (core_bus_strobe),
    .core_wdata_i     (core_bus_wdata),
    .core_ack_o       (core_bus_ack),
    .core_error_o     (core_bus_error),
    .lock_take_i      (pulse.bus_lock_take),
    .lock_release_i   (pulse.bus_lock_release),
    .locked_o         (locked),
    .locked_by_core_o (locked_by_core),
    .lock_expired_o   (lock_expired),
    .busy_o           (arbiter_busy),
    .reg_addr_o       (reg_addr),
    .reg_wen_o        (reg_wen),
    .reg_ren_o        (reg_ren),
    .reg_wdata_o      (reg_wdata_o),
    .reg_ack_i        (reg_ack)
  );

  // Block 0 is global, block p + 1 port p, block 9 the control processor's, block 12 time, and block 13
  // has the event frames of all ports; the rest of the address space answers with zero.
  localparam logic [3:0] CoreBlock  = plumb_regs_pkg::CoreBase[15:12];
  localparam logic [3:0] TimeBlock  = plumb_regs_pkg::TimeBase[15:12];
  localparam logic [3:0] EventBlock = plumb_regs_pkg::EventBase[15:12];

  logic [3:0]          block, event_port;
  logic                to_core, to_time, to_event, time_ack;
  logic [31:0]         time_rdata;
  logic                global_ack_q, global_read_q, nowhere_ack_q;
  logic [31:0]         global_rdata;

  assign block   = reg_addr[15:12];
  assign to_core = WithCore && !CoreOutside && block == CoreBlock;
  assign to_time = block == TimeBlock;

  // Nine bits address a word in the block of a port; three are the port's number.
  assign event_port = {1'b0, reg_addr[11:9]};
  assign to_event   = block == EventBlock && event_port < ports_i;

  always_ff @(posedge clk_bus_o `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      global_ack_q <= 1'b0;
      global_read_q <= 1'b0;
      nowhere_ack_q <= 1'b0;
    end else begin
      global_ack_q <= (reg_wen || reg_ren) && block == 4'd0;
      global_read_q <= reg_ren && block == 4'd0;
      nowhere_ack_q <= (reg_wen || reg_ren) && block > ports_i && !to_core && !to_time && !to_event;
    end
  end

  assign reg_ack = global_ack_q || nowhere_ack_q || core_ack || time_ack || port_ack_i != '0;
  always_comb begin
    reg_rdata = (global_read_q ? global_rdata : '0) | core_rdata | time_rdata;
    for (int unsigned p = 0; p < Ports; p++) reg_rdata = reg_rdata | port_rdata_i[32*p+:32];
  end

  assign reg_event_o = to_event;
  assign reg_addr_o  = to_event ? {3'b0, reg_addr[8:2]} : reg_addr[11:2];
  always_comb begin
    for (int unsigned p = 0; p < Ports; p++) begin
      port_wen_o[p] = reg_wen && (block == 4'(p + 1) || (to_event && event_port == 4'(p)));
      port_ren_o[p] = reg_ren && (block == 4'(p + 1) || (to_event && event_port == 4'(p)));
    end
  end

  // ---- Control processor ----

  assign core_ack_o   = CoreOutside && core_bus_ack;
  assign core_error_o = core_bus_error;
  assign core_rdata_o = reg_rdata;

  if (CoreOutside) begin : gen_core_outside
    logic unused_event;
    assign unused_event    = ^port_event_i;
    assign core_ack        = 1'b0;
    assign core_rdata      = '0;
    assign core_bus_req    = core_req_i;
    assign core_bus_write  = core_write_i;
    assign core_bus_addr   = {15'b0, core_addr_i};
    assign core_bus_strobe = 4'b1111;
    assign core_bus_wdata  = core_wdata_i;
  end else if (WithCore) begin : gen_core
    logic unused_outside, unused_asleep;
    assign unused_outside = ^{core_req_i, core_write_i, core_addr_i, core_wdata_i};

    plumb_core #(
      .ClockHz (plumb_pkg::ClockHz)
    ) u_core (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .reg_addr_i   (reg_addr[11:2]),
      .reg_wen_i    (reg_wen && to_core),
      .reg_ren_i    (reg_ren && to_core),
      .reg_wdata_i  (reg_wdata_o),
      .reg_ack_o    (core_ack),
      .reg_rdata_o  (core_rdata),
      .bus_req_o    (core_bus_req),
      .bus_write_o  (core_bus_write),
      .bus_addr_o   (core_bus_addr),
      .bus_strobe_o (core_bus_strobe),
      .bus_wdata_o  (core_bus_wdata),
      .bus_ack_i    (core_bus_ack),
      .bus_error_i  (core_bus_error),
      .bus_rdata_i  (reg_rdata),
      .irq_i        ({16'b0, 8'(port_event_i)}),
      .asleep_o     (unused_asleep)
    );
  end else begin : gen_no_core
    logic unused_bus, unused_outside;
    assign unused_outside  = ^{core_req_i, core_write_i, core_addr_i, core_wdata_i, port_event_i};
    assign core_ack        = 1'b0;
    assign core_rdata      = '0;
    assign core_bus_req    = 1'b0;
    assign core_bus_write  = 1'b0;
    assign core_bus_addr   = '0;
    assign core_bus_strobe = '0;
    assign core_bus_wdata  = '0;
    assign unused_bus      = core_bus_ack || core_bus_error;
  end

  // ---- Global registers, card time, common start ----

  plumb_regs_global u_regs (
    .clk_i      (clk_bus_o),
    .rst_ni     (rst_ni),
    .reg_addr_i (reg_addr[11:2]),
    .reg_wen_i  (reg_wen && block == 4'd0),
    .reg_ren_i  (reg_ren && block == 4'd0),
    .reg_wdata_i(reg_wdata_o),
    .reg_rdata_o(global_rdata),
    .config_o   (cfg),
    .pulse_o    (pulse),
    .status_i   (status),
    .fault_i    (fault)
  );

  logic [63:0] latched, ahead;
  logic        late_start;

  plumb_card_time u_card_time (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .set_i     (pulse.control_set_time),
    .set_time_i({cfg.set_time_hi, cfg.set_time_lo}),
    .offset_i  (offset_o),
    .latch_i   (pulse.control_latch_time),
    .latched_o (latched),
    .now_o     (now_o)
  );

  plumb_time u_time (
    .clk_i      (clk_i),
    .clk_bus_i  (clk_bus_o),
    .rst_ni     (rst_ni),
    .now_i      (now_o),
    .set_i      (pulse.control_set_time),
    .reg_addr_i (reg_addr[11:2]),
    .reg_wen_i  (reg_wen && to_time),
    .reg_ren_i  (reg_ren && to_time),
    .reg_wdata_i(reg_wdata_o),
    .reg_ack_o  (time_ack),
    .reg_rdata_o(time_rdata),
    .pps_i      (pps_i),
    .pps_o      (pps_o),
    .offset_o   (offset_o),
    .ahead_o    (ahead)
  );

  plumb_start u_start (
    .clk_i       (clk_bus_o),
    .rst_ni      (rst_ni),
    .now_i       (now_o),
    .offset_i    (ahead),
    .arm_i       (pulse.control_arm),
    .stop_i      (pulse.control_stop),
    .start_time_i({cfg.start_time_hi, cfg.start_time_lo}),
    .epoch_o     (start_time_o),
    .armed_o     (armed),
    .running_o   (running_o),
    .late_start_o(late_start)
  );

  // Put together when looked at only.
  always_comb begin
    `PLUMB_ANY(status)
    if (reg_ren) begin
      status.capability_ports = ports_i;
      status.capability_data_bytes = 8'(plumb_pkg::DataW / 8);
      status.capability_flows_log2 = 4'(FlowsLog2);
      status.capability_rows_log2 = 4'(RowsLog2);
      status.capability_groups_log2 = 4'(GroupsLog2);
      status.features_icrc = 1'b1;
      status.features_pfc_react = 1'b1;
      status.features_capture = 1'b1;
      status.features_damage = 1'b1;
      status.features_llr = OrderedSets;
      status.features_rx_tracking = 1'b1;
      status.features_pfc_send = 1'b1;
      status.features_cbfc = OrderedSets;
      status.features_patterns = 1'b1;
      status.features_messages = 1'b1;
      status.features_time = 1'b1;
      status.features_core = WithCore || CoreOutside;
      status.clock_period_num = plumb_pkg::ClockPeriodNum;
      status.clock_period_den = plumb_pkg::ClockPeriodDen;
      status.status_armed = armed;
      status.status_running = running_o;
      status.time_lo = latched[31:0];
      status.time_hi = latched[63:32];
      status.bus_lock_status_locked = locked;
      status.bus_lock_status_by_core = locked && locked_by_core;
    end
  end

  assign fault.sticky_late_start = late_start;
  assign fault.sticky_lock_expired = lock_expired;

endmodule
