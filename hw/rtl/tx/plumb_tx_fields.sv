// Turns "flow f sends now" into everything that is particular to this frame: the fields which
// hardware overwrites in the flow's template, and the counters per flow behind them.
//
// Latency 4 clocks from pop_valid_i to frame_valid_o, a frame every other clock, also of the same
// flow. The counters are read with the pop and written three clocks later; busy_o is high until
// then. A frame that comes before its flow's last write is in the memory takes it from the register
// it was written from.
//
//   clock   0            1              2              3               4
//           pop, read    rows there     fields, next   counters        frame_o
//                                       counters       written, sum
//
// The flow table may be read for the table bus (config_re_i, row in config_row_o one clock later)
// and written only while no frame is in here.
`include "plumb_assert.svh"

module plumb_tx_fields #(
  parameter int unsigned FlowsLog2 = 8
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [31:0]          ts_offset_i,      // signed ps
  input  logic                 pop_valid_i,
  input  logic [FlowsLog2-1:0] pop_flow_i,
  input  logic [13:0]          pop_length_i,
  input  logic [63:0]          pop_sequence_i,
  input  logic [63:0]          pop_departure_i,
  output logic                 busy_o,
  output logic                 frame_valid_o,
  output plumb_tx_pkg::frame_t frame_o,
  output logic [63:0]          departure_o,      // at the reference point, in full
  // Flow table and sweep of the counters.
  input  logic                 config_we_i,
  input  logic                 config_re_i,
  input  logic [FlowsLog2-1:0] config_row_i,
  input  logic [511:0]         config_wdata_i,
  output logic [511:0]         config_row_o,     // only the fields kept here
  input  logic                 clear_we_i,
  input  logic [FlowsLog2-1:0] clear_row_i
);

  localparam int unsigned Flows = 2**FlowsLog2;
  localparam int unsigned ConfigW = plumb_regs_pkg::FlowCsumBaseLsb + plumb_regs_pkg::FlowCsumBaseW;
  localparam int unsigned CountersW = 12 + 24 + 16 + 16;

  // Clock 0: read.
  (* ram_style = "block" *)
  logic [ConfigW-1:0]   config_mem [0:Flows-1];
  (* ram_style = "block" *)
  logic [CountersW-1:0] counters_mem [0:Flows-1];
  logic [ConfigW-1:0]   config1_q;
  logic [CountersW-1:0] counters1_q;

  always_ff @(posedge clk_i) begin
    if (config_we_i) config_mem[config_row_i] <= config_wdata_i[ConfigW-1:0];
    if (pop_valid_i || config_re_i) begin
      config1_q <= config_mem[pop_valid_i ? pop_flow_i : config_row_i];
    end
  end

  assign config_row_o = 512'(config1_q);

  logic                 write3;
  logic [FlowsLog2-1:0] flow3_q;
  logic [CountersW-1:0] counters3_q;

  always_ff @(posedge clk_i) begin
    if (clear_we_i || write3) begin
      counters_mem[clear_we_i ? clear_row_i : flow3_q] <= clear_we_i ? '0 : counters3_q;
    end
    if (pop_valid_i) counters1_q <= counters_mem[pop_flow_i];
  end

  // Clock 1: rows are there; the last written counters may be newer than the memory's.
  logic                 valid1_q, valid2_q, valid3_q, valid4_q;
  logic                 written_q;   // flow3_q and counters3_q hold a flow's newest counters
  logic [FlowsLog2-1:0] flow1_q, flow2_q;
  logic [13:0]          length1_q, length2_q, length3_q;
  logic [63:0]          sequence1_q, sequence2_q, sequence3_q;
  logic [63:0]          departure1_q, departure2_q, departure3_q;
  logic [ConfigW-1:0]   config2_q;
  logic [CountersW-1:0] counters2_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid1_q  <= 1'b0;
      valid2_q  <= 1'b0;
      valid3_q  <= 1'b0;
      valid4_q  <= 1'b0;
      written_q <= 1'b0;
    end else begin
      valid1_q <= pop_valid_i;
      valid2_q <= valid1_q;
      valid3_q <= valid2_q;
      valid4_q <= valid3_q;
      if (clear_we_i)     written_q <= 1'b0;
      else if (valid2_q)  written_q <= 1'b1;
    end
  end

  assign busy_o = pop_valid_i || valid1_q || valid2_q || valid3_q;

  always_ff @(posedge clk_i) begin
    if (pop_valid_i) begin
      flow1_q      <= pop_flow_i;
      length1_q    <= pop_length_i;
      sequence1_q  <= pop_sequence_i;
      departure1_q <= pop_departure_i;
    end
    if (valid1_q) begin
      flow2_q      <= flow1_q;
      length2_q    <= length1_q;
      sequence2_q  <= sequence1_q;
      departure2_q <= departure1_q + {{32{ts_offset_i[31]}}, ts_offset_i};
      config2_q    <= config1_q;
      counters2_q  <= (written_q && flow3_q == flow1_q) ? counters3_q : counters1_q;
    end
  end

  // Clock 2: fields and next counters.
  logic [11:0] qp_index;
  logic [23:0] rounds;
  logic [15:0] sport_index, addr_index;
  assign {qp_index, rounds, sport_index, addr_index} = counters2_q;

  logic       roce, uet, psn_en, ipv6;
  logic [1:0] sport_mode, addr_mode;
  assign roce       = config2_q[plumb_regs_pkg::FlowRoceLsb];
  assign uet        = config2_q[plumb_regs_pkg::FlowUetLsb];
  assign psn_en     = config2_q[plumb_regs_pkg::FlowPsnEnLsb];
  assign ipv6       = config2_q[plumb_regs_pkg::FlowIpv6Lsb];
  assign sport_mode = config2_q[plumb_regs_pkg::FlowSportModeLsb +: 2];
  assign addr_mode  = config2_q[plumb_regs_pkg::FlowAddrModeLsb +: 2];

  // A count of zero is as good as one.
  logic [16:0] next_qp, next_sport, next_addr;
  logic        qp_wraps, sport_wraps, addr_wraps;
  assign next_qp     = 17'(qp_index) + 17'd1;
  assign next_sport  = 17'(sport_index) + 17'd1;
  assign next_addr   = 17'(addr_index) + 17'd1;
  assign qp_wraps    = next_qp >= 17'(config2_q[plumb_regs_pkg::FlowQpCountLsb +: 13]);
  assign sport_wraps = next_sport >= config2_q[plumb_regs_pkg::FlowSportCountLsb +: 17];
  assign addr_wraps  = next_addr >= config2_q[plumb_regs_pkg::FlowAddrCountLsb +: 17];

  logic [ConfigW-1:0] config3_q;
  logic [23:0]        qp3_q;
  logic [31:0]        psn3_q;
  logic [15:0]        sport3_q, addr3_q;
  logic               psn24_3_q, psn32_3_q, sport_en3_q, csum_en3_q;

  always_ff @(posedge clk_i) begin
    if (valid2_q) begin
      flow3_q      <= flow2_q;
      length3_q    <= length2_q;
      sequence3_q  <= sequence2_q;
      departure3_q <= departure2_q;
      config3_q    <= config2_q;
      counters3_q  <= {qp_wraps ? 12'd0 : next_qp[11:0],
                       qp_wraps ? rounds + 24'd1 : rounds,
                       sport_wraps ? 16'd0 : next_sport[15:0],
                       addr_wraps ? 16'd0 : next_addr[15:0]};
      qp3_q        <= config2_q[plumb_regs_pkg::FlowQpBaseLsb +: 24] + 24'(qp_index);
      psn3_q       <= config2_q[plumb_regs_pkg::FlowPsnBaseLsb +: 32] +
                      (uet ? sequence2_q[31:0] : 32'(rounds));
      sport3_q     <= config2_q[plumb_regs_pkg::FlowSportBaseLsb +: 16] +
                      ((sport_mode == 2'd1) ? 16'(qp_index) : sport_index);
      addr3_q      <= config2_q[plumb_regs_pkg::FlowAddrBaseLsb +: 16] + addr_index;
      psn24_3_q    <= psn_en && roce;
      psn32_3_q    <= psn_en && uet && !roce;
      sport_en3_q  <= sport_mode == 2'd1 || sport_mode == 2'd2;
      csum_en3_q   <= (addr_mode == 2'd1 || addr_mode == 2'd2) && !ipv6;
    end
  end

  // Clock 3: counters are written; the header sum is folded.
  assign write3 = valid3_q;

  logic [16:0] sum;
  logic [15:0] folded;
  assign sum    = 17'(config3_q[plumb_regs_pkg::FlowCsumBaseLsb +: 16]) + 17'(addr3_q);
  assign folded = sum[15:0] + 16'(sum[16]);

  plumb_tx_pkg::frame_t frame_q;
  logic [63:0]          departure_q;

  always_ff @(posedge clk_i) begin
    if (valid3_q) begin
      frame_q.flow            <= 12'(flow3_q);
      frame_q.length          <= length3_q;
      frame_q.tag_off         <= config3_q[plumb_regs_pkg::FlowTagOffLsb +: 8];
      frame_q.pay_off         <= config3_q[plumb_regs_pkg::FlowPayOffLsb +: 9];
      frame_q.tag_en          <= config3_q[plumb_regs_pkg::FlowTagEnLsb];
      frame_q.icrc            <= config3_q[plumb_regs_pkg::FlowIcrcLsb];
      frame_q.vlan            <= config3_q[plumb_regs_pkg::FlowVlanLsb];
      frame_q.ipv6            <= config3_q[plumb_regs_pkg::FlowIpv6Lsb];
      frame_q.sport_en        <= sport_en3_q;
      frame_q.qp_en           <= config3_q[plumb_regs_pkg::FlowQpEnLsb];
      frame_q.psn24_en        <= psn24_3_q;
      frame_q.psn32_en        <= psn32_3_q;
      frame_q.csum_en         <= csum_en3_q;
      frame_q.addr_mode       <= config3_q[plumb_regs_pkg::FlowAddrModeLsb +: 2];
      frame_q.qp              <= qp3_q;
      frame_q.psn             <= psn3_q;
      frame_q.sport           <= sport3_q;
      frame_q.addr            <= addr3_q;
      frame_q.csum            <= ~folded;
      frame_q.tag_id          <= config3_q[plumb_regs_pkg::FlowTagIdLsb +: 16];
      frame_q.sequence_number <= sequence3_q;
      frame_q.departure       <= departure3_q[47:0];
      departure_q             <= departure3_q;
    end
  end

  assign frame_valid_o = valid4_q;
  assign frame_o       = frame_q;
  assign departure_o   = departure_q;

  logic unused_config;
  assign unused_config = ^{config3_q, config_wdata_i[511:ConfigW]};

  `PLUMB_ASSERT(EveryOtherClock, pop_valid_i |=> !pop_valid_i)
  `PLUMB_ASSERT(RowsWhileIdle, (config_we_i || config_re_i || clear_we_i) |-> !busy_o)

endmodule
