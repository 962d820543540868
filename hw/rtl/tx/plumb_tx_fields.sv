// Works out the fields of a frame that hardware writes over the flow's template, and keeps the
// counters per flow that they come from.
//
// A frame of a message (plumb_tx_sched) has template and configuration of its slot, and the
// counters of its flow. With a queue pair list, destination QP (or PDC numbers) and PSN are the
// list's (plumb_tx_qps).
//
// Random source ports: a state of 32 bits per flow begins with port_seed; each frame uses its upper
// half, scaled to sport_count, and then steps it (xorshift: x ^= x << 13; x ^= x >> 17;
// x ^= x << 5).
//
// Latency 4 clocks from pop_valid_i to frame_valid_o, a frame every other clock, also of the same
// flow. The counters are read with the pop and written three clocks later. A frame that comes
// before its flow's last write is in the memory takes it from the register it was written from.
//
//   clock   0            1              2              3               4
//           pop, read    rows there     fields, next   counters        frame_o
//                                       counters       written, sum
//
// busy_o is high in the four clocks behind a pop: until the builder counts the frame.
//
// A control frame (pop_control_i) passes beside the flows' fields and counters in the same four
// clocks.
//
// The tables may be read for the table bus (rows one clock later, those of the queue pair list two)
// and written only while no frame is in here.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_tx_fields #(
  parameter int unsigned FlowsLog2 = 8
) (
  // Clock and reset (active low)
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [31:0]          ts_offset_i,      // signed ps from MAC boundary to reference point

  // The gate's decision: a control frame, or a frame of a flow with what the schedule knows of it
  input  logic [63:0]          offset_i,         // ps to add to the departure in a test tag
  input  logic                 pop_control_i,    // pulse: a control frame leaves
  input  logic                 pop_timed_i,      // with pop_control_i: it is an event frame
  input  logic [13:0]          timed_length_i,   // steady: its length, bytes with FCS
  input  logic                 pop_valid_i,      // pulse: a flow's frame leaves
  input  logic [FlowsLog2-1:0] pop_flow_i,       // its flow: counters and options
  input  logic [FlowsLog2-1:0] pop_slot_i,       // its slot: template and configuration
  input  logic                 pop_listed_i,     // the flow has a queue pair list
  input  logic [11:0]          pop_entry_i,      // entry of the queue pair list, if listed
  input  logic [13:0]          pop_length_i,     // bytes with FCS
  input  logic [63:0]          pop_sequence_i,   // frame number of the flow, from 0
  input  logic [63:0]          pop_departure_i,  // at the MAC boundary, card time in ps
  output logic                 busy_o,           // level: an earlier pop is on its way

  // The frame, four clocks later
  output logic                 frame_valid_o,    // pulse, with the next three
  output plumb_tx_pkg::frame_t frame_o,          // all fields that the builder needs
  output logic [63:0]          departure_o,      // at the reference point, card time in ps
  output plumb_tx_pkg::user_t  user_o,           // what follows the frame to the MAC

  // Rows of the flow, pattern and queue pair tables; the sweep
  input  logic                 config_we_i,      // pulse: write the flow table
  input  logic                 config_re_i,      // pulse: read it
  input  logic                 pattern_we_i,     // pulse: write the pattern table
  input  logic                 pattern_re_i,     // pulse: read it
  input  logic                 qp_we_i,          // pulse: write the queue pair list
  input  logic                 qp_re_i,          // pulse: read it
  input  logic [11:0]          row_i,            // with any of the six pulses
  input  logic [511:0]         wdata_i,          // with a write, as in the register map
  output logic [511:0]         config_row_o,     // fields kept here, others zero; one clock later
  output logic [351:0]         pattern_row_o,    // fields kept here, others zero; one clock later
  output logic [143:0]         qp_row_o,         // two clocks after qp_re_i
  input  logic                 clear_we_i,       // level during a sweep: zero this flow
  input  logic [FlowsLog2-1:0] clear_row_i       // flow that is zeroed
);

  `PLUMB_RANGE(plumb_tx_fields, FlowsLog2, 1, 12)

  localparam int unsigned Flows = 2**FlowsLog2;
  localparam int unsigned ConfigW = plumb_regs_pkg::FlowCsumBaseLsb + plumb_regs_pkg::FlowCsumBaseW;
  localparam int unsigned CountersW = 12 + 24 + 1 + 32 + 16;
  localparam int unsigned OptionsW = 1 + 32;

  // Clock 0: read.
  (* ram_style = "block" *)
  logic [ConfigW-1:0]   config_mem [0:Flows-1];
  (* ram_style = "block" *)
  logic [CountersW-1:0] counters_mem [0:Flows-1];
  logic [ConfigW-1:0]   config1_q;
  logic [CountersW-1:0] counters1_q;

  logic [FlowsLog2-1:0] flow_row;
  assign flow_row = row_i[FlowsLog2-1:0];

  always_ff @(posedge clk_i) begin
    if (config_we_i) config_mem[flow_row] <= wdata_i[ConfigW-1:0];
    if (pop_valid_i || config_re_i) begin
      config1_q <= config_mem[pop_valid_i ? pop_slot_i : flow_row];
    end
  end

  assign config_row_o = 512'(config1_q);

  // What the pattern table says of the fields.
  (* ram_style = "block" *)
  logic [OptionsW-1:0] options_mem [0:Flows-1];
  logic [OptionsW-1:0] options1_q;

  always_ff @(posedge clk_i) begin
    if (pattern_we_i || clear_we_i) begin
      options_mem[clear_we_i ? clear_row_i : flow_row] <= clear_we_i ? '0 :
          {wdata_i[plumb_regs_pkg::PatternCountPerQpLsb],
           wdata_i[plumb_regs_pkg::PatternPortSeedLsb +: 32]};
    end
    if (pop_valid_i || pattern_re_i) begin
      options1_q <= options_mem[pop_valid_i ? pop_flow_i : flow_row];
    end
  end

  always_comb begin
    pattern_row_o = '0;
    {pattern_row_o[plumb_regs_pkg::PatternCountPerQpLsb],
     pattern_row_o[plumb_regs_pkg::PatternPortSeedLsb +: 32]} = options1_q;
  end

  // Of a flow with a queue pair list: there in clock 2.
  logic [31:0] pair2, qp_psn2;
  logic [11:0] context2;
  logic [47:0] qp_sent2;

  plumb_tx_qps u_qps (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .pop_valid_i (pop_valid_i && pop_listed_i),
    .pop_entry_i (pop_entry_i),
    .pair_o      (pair2),
    .context_o   (context2),
    .psn_o       (qp_psn2),
    .sent_o      (qp_sent2),
    .tbl_we_i    (qp_we_i),
    .tbl_re_i    (qp_re_i),
    .tbl_row_i   (row_i),
    .tbl_wdata_i (wdata_i),
    .tbl_row_o   (qp_row_o)
  );

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
  logic                 listed1_q, listed2_q;
  logic [FlowsLog2-1:0] flow1_q, flow2_q, slot1_q, slot2_q, slot3_q;
  logic [13:0]          length1_q, length2_q, length3_q;
  logic [63:0]          sequence1_q, sequence2_q, sequence3_q;
  logic [63:0]          departure1_q, departure2_q, departure3_q;
  logic [47:0]          tag_offset_q, tag2_q, tag3_q;
  logic [ConfigW-1:0]   config2_q;
  logic [CountersW-1:0] counters2_q;
  logic [OptionsW-1:0]  options2_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      valid1_q  <= 1'b0;
      valid2_q  <= 1'b0;
      valid3_q  <= 1'b0;
      valid4_q  <= 1'b0;
      busy_o    <= 1'b0;
      written_q <= 1'b0;
    end else begin
      valid1_q <= pop_valid_i;
      valid2_q <= valid1_q;
      valid3_q <= valid2_q;
      valid4_q <= valid3_q;
      busy_o   <= pop_valid_i || valid1_q || valid2_q || valid3_q;
      if (clear_we_i)     written_q <= 1'b0;
      else if (valid2_q)  written_q <= 1'b1;
    end
  end

  // Control frames in clocks 1 to 4.
  logic [3:0] control_q;
  logic [2:0] timed_q;

  always_ff @(posedge clk_i) begin
    timed_q      <= {timed_q[1:0], pop_timed_i};
    tag_offset_q <= {{16{ts_offset_i[31]}}, ts_offset_i} + offset_i[47:0];
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) control_q <= '0;
    else         control_q <= {control_q[2:0], pop_control_i};
  end

  always_ff @(posedge clk_i) begin
    if (pop_valid_i) begin
      flow1_q     <= pop_flow_i;
      slot1_q     <= pop_slot_i;
      listed1_q   <= pop_listed_i;
      length1_q   <= pop_length_i;
      sequence1_q <= pop_sequence_i;
    end
    if (pop_valid_i || pop_control_i) departure1_q <= pop_departure_i;
    if (valid1_q || control_q[0]) begin
      departure2_q <= departure1_q + {{32{ts_offset_i[31]}}, ts_offset_i};
    end
    if (valid2_q || control_q[1]) departure3_q <= departure2_q;
    if (valid1_q) tag2_q <= departure1_q[47:0] + tag_offset_q;
    if (valid2_q) tag3_q <= tag2_q;
    if (valid1_q) begin
      flow2_q     <= flow1_q;
      slot2_q     <= slot1_q;
      listed2_q   <= listed1_q;
      options2_q  <= options1_q;
      length2_q   <= length1_q;
      sequence2_q <= sequence1_q;
      config2_q   <= config1_q;
      counters2_q <= (written_q && flow3_q == flow1_q) ? counters3_q : counters1_q;
    end
  end

  // Clock 2: fields and next counters.
  logic [11:0] qp_index;
  logic [23:0] rounds;
  logic        begun;        // sport_state is one of random ports, not the seed
  logic [31:0] sport_state;  // per-frame counter, or random
  logic [15:0] addr_index;
  logic        count_per_qp;
  logic [31:0] port_seed;
  assign {qp_index, rounds, begun, sport_state, addr_index} = counters2_q;
  assign {count_per_qp, port_seed} = options2_q;

  logic       roce, uet, psn_en, ipv6;
  logic [1:0] sport_mode, addr_mode;
  assign roce       = config2_q[plumb_regs_pkg::FlowRoceLsb];
  assign uet        = config2_q[plumb_regs_pkg::FlowUetLsb];
  assign psn_en     = config2_q[plumb_regs_pkg::FlowPsnEnLsb];
  assign ipv6       = config2_q[plumb_regs_pkg::FlowIpv6Lsb];
  assign sport_mode = config2_q[plumb_regs_pkg::FlowSportModeLsb +: 2];
  assign addr_mode  = config2_q[plumb_regs_pkg::FlowAddrModeLsb +: 2];

  // A count of zero counts as one.
  logic [16:0] next_qp, next_sport, next_addr;
  logic        qp_wraps, sport_wraps, addr_wraps;
  assign next_qp     = 17'(qp_index) + 17'd1;
  assign next_sport  = 17'(sport_state[15:0]) + 17'd1;
  assign next_addr   = 17'(addr_index) + 17'd1;
  assign qp_wraps    = next_qp >= 17'(config2_q[plumb_regs_pkg::FlowQpCountLsb +: 13]);
  assign sport_wraps = next_sport >= config2_q[plumb_regs_pkg::FlowSportCountLsb +: 17];
  assign addr_wraps  = next_addr >= config2_q[plumb_regs_pkg::FlowAddrCountLsb +: 17];

  logic [31:0] random, x1, x2, x3, next_state;
  assign random     = begun ? sport_state : port_seed;
  assign x1         = random ^ (random << 13);
  assign x2         = x1 ^ (x1 >> 17);
  assign x3         = x2 ^ (x2 << 5);
  assign next_state = (sport_mode == 2'd3) ? x3 : sport_wraps ? 32'd0 : 32'(next_sport);

  // By what the source port is beyond sport_base.
  logic [15:0] sport_index;

  always_comb begin
    unique case (sport_mode)
      2'd1:    sport_index = listed2_q ? 16'(context2) : 16'(qp_index);
      2'd3:    sport_index = 16'd0;  // added a clock later
      default: sport_index = sport_state[15:0];
    endcase
  end

  logic [ConfigW-1:0] config3_q;
  logic [31:0]        qp3_q, psn3_q, random3_q, number3_q;
  logic [15:0]        sport3_q, addr3_q, tag_id3_q;
  logic               psn24_3_q, psn32_3_q, qp_en3_q, pdc_en3_q, sport_en3_q, random_en3_q;
  logic               csum_en3_q;
  logic               per_qp, pdc;

  logic [23:0]        counted_qp;

  assign per_qp     = listed2_q && count_per_qp;
  assign pdc        = listed2_q && uet && !roce;
  assign counted_qp = config2_q[plumb_regs_pkg::FlowQpBaseLsb +: 24] + 24'(qp_index);

  always_ff @(posedge clk_i) begin
    if (valid2_q) begin
      flow3_q      <= flow2_q;
      slot3_q      <= slot2_q;
      length3_q    <= length2_q;
      number3_q    <= sequence2_q[31:0];
      sequence3_q  <= per_qp ? 64'(qp_sent2) : sequence2_q;
      tag_id3_q    <= config2_q[plumb_regs_pkg::FlowTagIdLsb +: 16] +
                      (per_qp ? 16'(context2) : 16'd0);
      config3_q    <= config2_q;
      counters3_q  <= {qp_wraps ? 12'd0 : next_qp[11:0],
                       qp_wraps ? rounds + 24'd1 : rounds,
                       1'b1, next_state,
                       addr_wraps ? 16'd0 : next_addr[15:0]};
      qp3_q        <= listed2_q ? pair2 : {8'd0, counted_qp};
      psn3_q       <= listed2_q ? qp_psn2 :
                      config2_q[plumb_regs_pkg::FlowPsnBaseLsb +: 32] +
                      (uet ? sequence2_q[31:0] : 32'(rounds));
      sport3_q     <= config2_q[plumb_regs_pkg::FlowSportBaseLsb +: 16] + sport_index;
      random3_q    <= 32'(random[31:16]) *
                      32'(config2_q[plumb_regs_pkg::FlowSportCountLsb +: 17]);
      addr3_q      <= config2_q[plumb_regs_pkg::FlowAddrBaseLsb +: 16] + addr_index;
      psn24_3_q    <= psn_en && roce;
      psn32_3_q    <= psn_en && uet && !roce;
      qp_en3_q     <= config2_q[plumb_regs_pkg::FlowQpEnLsb] && !pdc;
      pdc_en3_q    <= config2_q[plumb_regs_pkg::FlowQpEnLsb] && pdc;
      sport_en3_q  <= sport_mode != 2'd0;
      random_en3_q <= sport_mode == 2'd3;
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
  logic [2:0]           priority_q;
  logic [FlowsLog2-1:0] flow_q;
  logic [31:0]          number_q;

  always_ff @(posedge clk_i) begin
    if (control_q[2]) begin
      frame_q         <= '0;
      frame_q.control <= 1'b1;
      frame_q.timed   <= timed_q[2];
      frame_q.length  <= timed_q[2] ? timed_length_i : 14'(plumb_pkg::MinFrameBytes);
      frame_q.pay_off <= '1;
      departure_q     <= departure3_q;
      priority_q      <= '0;
      flow_q          <= '0;
      number_q        <= '0;
    end
    if (valid3_q) begin
      frame_q.control         <= 1'b0;
      frame_q.timed           <= 1'b0;
      frame_q.slot            <= 12'(slot3_q);
      frame_q.length          <= length3_q;
      frame_q.tag_off         <= config3_q[plumb_regs_pkg::FlowTagOffLsb +: 8];
      frame_q.pay_off         <= config3_q[plumb_regs_pkg::FlowPayOffLsb +: 9];
      frame_q.tag_en          <= config3_q[plumb_regs_pkg::FlowTagEnLsb];
      frame_q.icrc            <= config3_q[plumb_regs_pkg::FlowIcrcLsb];
      frame_q.vlan            <= config3_q[plumb_regs_pkg::FlowVlanLsb];
      frame_q.ipv6            <= config3_q[plumb_regs_pkg::FlowIpv6Lsb];
      frame_q.sport_en        <= sport_en3_q;
      frame_q.qp_en           <= qp_en3_q;
      frame_q.pdc_en          <= pdc_en3_q;
      frame_q.psn24_en        <= psn24_3_q;
      frame_q.psn32_en        <= psn32_3_q;
      frame_q.csum_en         <= csum_en3_q;
      frame_q.addr_mode       <= config3_q[plumb_regs_pkg::FlowAddrModeLsb +: 2];
      frame_q.qp              <= qp3_q;
      frame_q.psn             <= psn3_q;
      frame_q.sport           <= random_en3_q ? sport3_q + random3_q[31:16] : sport3_q;
      frame_q.addr            <= addr3_q;
      frame_q.csum            <= ~folded;
      frame_q.tag_id          <= tag_id3_q;
      frame_q.sequence_number <= sequence3_q;
      frame_q.departure       <= tag3_q;
      departure_q             <= departure3_q;
      flow_q                  <= flow3_q;
      number_q                <= number3_q;
      priority_q              <= config3_q[plumb_regs_pkg::FlowPriorityLsb +: 3];
    end
  end

  assign frame_valid_o = valid4_q || control_q[3];
  assign frame_o       = frame_q;
  assign departure_o   = departure_q;

  always_comb begin
    user_o.timed        = frame_q.timed;
    user_o.control      = frame_q.control;
    user_o.icrc         = frame_q.icrc;
    user_o.pfc_priority = priority_q;
    user_o.flow         = 12'(flow_q);
    user_o.number       = number_q;
    user_o.length       = frame_q.length;
  end

  logic unused_config;
  assign unused_config = ^{config3_q, wdata_i, random3_q[15:0], offset_i[63:48]};

  `PLUMB_ASSERT(EveryOtherClock, pop_valid_i || pop_control_i |=> !pop_valid_i && !pop_control_i)
  `PLUMB_ASSERT(RowsWhileIdle,
                (config_we_i || config_re_i || pattern_we_i || pattern_re_i || clear_we_i) |->
                !pop_valid_i && !busy_o)

endmodule
