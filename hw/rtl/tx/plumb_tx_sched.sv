// The scheduler of a port: heap, flow contexts and gate; says which flow sends a frame when.
//
// A frame leaves, or is given up or postponed because its priority is blocked, in two clocks:
//
//   clock   t                           t+1                              t+2
//   root    decision (go), next due     replaced in the heap, state of   next decision
//           time and state computed     the flow written
//
// Two clocks are too short to look anything up, so the three flows at the top of the heap (the root
// and its children) have their contexts - schedule configuration and state - in registers. When a
// flow moves up to a child's place, its context is fetched in the clock in which the move is known
// and is there in the next, when it may be needed at the earliest.
//
// The next due time is due + period within a burst and burst start + burst interval behind it,
// always from the scheduled times, never from actual ones. Of a flow whose gaps are drawn or listed
// (plumb_tx_gaps) the next gap stands for the period; none is used up between two bursts. A frame
// given up to a pause moves the due time on by one period (or gap) and is not counted; the start of
// the burst stays what it was, and the burst is sent in full. (So the period of a flow must not be
// zero even if its bursts are of one frame.) A postponed frame keeps its scheduled time in the
// flow's state, and only its place in the heap moves; what follows is due as if it had not waited.
// A flow that has sent everything gets an invalid entry.
//
// A flow with a list of queue pairs sends in turns, by frames or by messages (interleave), each
// queue pair's message first, middle and last frames in order: frame_entry_o is the entry of the
// list whose turn it is, frame_slot_o the slot whose template and configuration the frame has. If
// turns are by frames and entries repeat, messages must be of one frame.
//
// While run_i is low the schedule stands still (still_o) and rows may be accessed; from run_i to
// the first decision it takes 6 clocks. Stopping takes effect at once. clear_i empties the schedule
// and zeroes the state of every flow in 2^FlowsLog2 + about 16 clocks (clear_busy_o), also after
// reset.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_tx_sched #(
  parameter int unsigned FlowsLog2 = 8,
  parameter int unsigned PopToMac = 40
) (
  // Clock, reset (active low), card time
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [63:0]          now_i,                 // ps, of the edge that begins the clock
  input  logic [63:0]          start_time_i,          // epoch of all due times, card time in ps
  input  logic                 run_i,                 // level: the schedule runs

  // Calibration, static during a run
  input  logic [31:0]          byte_time_ps_i,        // ps per byte on the wire
  input  logic [31:0]          late_threshold_ps_i,   // ps after its due time that make a frame
                                                      // late

  // What blocks frames (plumb_tx_gate); word p belongs to priority p
  input  logic [7:0]           paused_i,              // level, one bit per priority
  input  logic [8*64-1:0]      pause_end_time_i,      // 64 bits each: end of pause, card time in ps
  input  logic [8*14-1:0]      credit_i,              // 14 bits each: longest frame with credit,
                                                      // bytes
  input  logic [7:0]           credit_busy_i,         // level, one bit each: credit_i not valid yet
  input  logic                 wait_i,                // level: a blocked frame waits, else is given
                                                      // up

  // The control frame that waits
  input  logic                 control_i,             // level: a control frame waits
  input  logic [6:0]           control_extra_i,       // its bytes beyond 64, with FCS
  output logic                 control_o,             // combinational: taken in this clock
  output logic                 control_frame_o,       // pulse, one clock behind: it was taken
  output logic [63:0]          crossing_time_o,       // card time at the MAC if decided now, ps

  // The earliest frame, for the credits
  output logic [13:0]          root_length_o,         // bytes with FCS; combinational
  output logic [2:0]           root_priority_o,       // priority of that frame

  // The builder and link-level retry
  input  logic                 hold_i,                // level: the builder cannot take a frame
  input  logic                 llr_hold_i,            // level: no scheduled frame may go (LLR)
  input  logic                 clear_i,               // pulse: empty the schedule, zero all state
  input  logic                 builder_busy_i,        // level: a flow's counters are not written
                                                      // yet
  output logic                 clear_busy_o,          // level, from clear_i to the end of the sweep
  output logic                 clear_row_we_o,        // level in a sweep: zero this flow elsewhere
  output logic [FlowsLog2-1:0] clear_row_o,           // flow that is zeroed
  output logic                 pending_o,             // level: some flow has frames to send

  // A frame leaves
  output logic                 frame_o,               // pulse, with all frame_* below
  output logic [FlowsLog2-1:0] frame_flow_o,          // the flow
  output logic [FlowsLog2-1:0] frame_slot_o,          // slot of its template and configuration
  output logic                 frame_listed_o,        // the flow has a queue pair list
  output logic [11:0]          frame_entry_o,         // entry of that list, if listed
  output logic [13:0]          frame_length_o,        // bytes with FCS
  output logic [63:0]          frame_sequence_o,      // frame number of the flow, from 0
  output logic [63:0]          frame_departure_o,     // card time in ps; also with control_frame_o

  // Displaced frames, as in plumb_tx_gate
  input  logic                 shift_valid_i,         // level until shift_taken_o
  input  logic [63:0]          shift_ps_i,            // ps
  output logic                 shift_taken_o,         // pulse
  output logic [63:0]          wire_free_o,           // card time at which the wire is free, ps

  // Rows. Entries: schedule table; config: flow table; pattern and gap tables; all only while
  // still_o. State: any time that state_free_o is high. Data one clock after the read, entries two.
  output logic                 still_o,               // level: rows may be accessed
  input  logic                 entry_we_i,            // pulse: write the schedule; primes gaps
  input  logic                 entry_re_i,            // pulse: read it
  input  logic                 config_we_i,           // pulse: write the flow table
  input  logic                 config_re_i,           // pulse: read it
  input  logic                 pattern_we_i,          // pulse: write the pattern table
  input  logic                 pattern_re_i,          // pulse: read it
  input  logic                 gap_we_i,              // pulse: write the list of gaps
  input  logic                 gap_re_i,              // pulse: read it
  output logic                 state_free_o,          // level: state_re_i is possible
  input  logic                 state_re_i,            // pulse: read a flow's state
  input  logic [FlowsLog2-1:0] row_i,                 // flow, or position in the heap
  input  logic [11:0]          gap_row_i,             // entry of the list of gaps
  input  logic [511:0]         row_wdata_i,           // with a write, as in the register map
  output logic [511:0]         entry_row_o,           // zero if the entry is invalid
  output logic [511:0]         config_row_o,          // fields kept here, others zero
  output logic [351:0]         pattern_row_o,         // fields kept here, others zero
  output logic [63:0]          gap_row_o,             // Q48.16 ps
  output logic [511:0]         state_row_o,           // frame number, bursts, frames of the burst

  // Counters since reset or clear_i, and events
  output logic                 late_o,                // pulse: a frame was late
  output logic [63:0]          cnt_late_o,            // frames later than the threshold
  output logic [63:0]          cnt_late_max_ps_o,     // largest lateness, ps
  output logic [63:0]          cnt_pfc_skipped_o,     // slots given up because of a pause
  output logic [63:0]          cnt_credit_skipped_o,  // slots given up for lack of credit
  output logic [63:0]          cnt_waited_o           // frames that waited for pause or credit
);

  `PLUMB_RANGE(plumb_tx_sched, FlowsLog2, 3, 12)
  `PLUMB_PARAMETER(plumb_tx_sched, PopToMac, PopToMac < 2**15, less than 2^15)

  localparam int unsigned Flows = 2**FlowsLog2;
  localparam int unsigned EntryW = 81 + FlowsLog2;

  // ---- Life cycle ----
  typedef enum logic [2:0] {
    StClear, StStill, StLoadRoot, StLoadLeft, StLoadRight, StLoadEnd, StRun
  } state_e;

  state_e               state_q;
  logic                 clear_pending_q;
  logic [FlowsLog2-1:0] sweep_q;
  logic                 heap_busy, gaps_busy, go, skip, postpone, go_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      state_q         <= StClear;
      clear_pending_q <= 1'b0;
      sweep_q         <= '0;
    end else begin
      if (clear_i)                                 clear_pending_q <= 1'b1;
      else if (state_q == StClear && sweep_q == 0) clear_pending_q <= 1'b0;

      unique case (state_q)
        StClear: begin
          sweep_q <= sweep_q + FlowsLog2'(1);
          if (&sweep_q) state_q <= StStill;
        end
        StStill: begin
          if (clear_pending_q) begin
            if (!builder_busy_i && !gaps_busy) state_q <= StClear;
          end else if (run_i && !gaps_busy) begin
            state_q <= StLoadRoot;
          end
        end
        StLoadRoot:  state_q <= StLoadLeft;
        StLoadLeft:  state_q <= StLoadRight;
        StLoadRight: state_q <= StLoadEnd;
        StLoadEnd:   state_q <= StRun;
        StRun: if ((!run_i || clear_pending_q) && !go_q && !heap_busy) state_q <= StStill;
        default: state_q <= StStill;
      endcase
    end
  end

  logic clearing;
  assign clearing       = state_q == StClear;
  assign clear_busy_o   = clearing || clear_pending_q;
  assign clear_row_we_o = clearing;
  assign clear_row_o    = sweep_q;
  assign still_o        = state_q == StStill && !clear_pending_q && !gaps_busy;

  // ---- Heap ----
  logic [EntryW-1:0]    root, next_entry_q, entry_row, entry_wdata;
  logic                 take_left, take_right, refill, refill_right;
  logic [FlowsLog2-1:0] left_flow, right_flow, refill_flow;

  plumb_tx_heap #(
    .FlowsLog2 (FlowsLog2)
  ) u_heap (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .replace_i      (go_q),
    .entry_i        (next_entry_q),
    .root_o         (root),
    .left_flow_o    (left_flow),
    .right_flow_o   (right_flow),
    .take_left_o    (take_left),
    .take_right_o   (take_right),
    .refill_o       (refill),
    .refill_right_o (refill_right),
    .refill_flow_o  (refill_flow),
    .busy_o         (heap_busy),
    .tbl_we_i       (entry_we_i),
    .tbl_re_i       (entry_re_i),
    .tbl_row_i      (row_i),
    .tbl_entry_i    (entry_wdata),
    .tbl_entry_o    (entry_row),
    .sweep_i        (clearing),
    .sweep_quad_i   (sweep_q[FlowsLog2-3:0])
  );

  logic                 root_valid;
  logic [79:0]          root_due;
  logic [FlowsLog2-1:0] root_flow;
  assign root_valid = !root[EntryW-1];
  assign root_due   = root[FlowsLog2 +: 80];
  assign root_flow  = root[FlowsLog2-1:0];
  assign pending_o  = root_valid || go_q;

  // Rows of the tables are put together while they are written or, when they have been read, asked
  // for: an unused value costs nothing in hardware and much in a simulation. An entry comes through
  // all levels of the heap, and has a register behind them.
  logic              row_read_q, entry_read_q, entry_ready_q;
  logic [EntryW-1:0] entry_row_q;

  always_ff @(posedge clk_i) begin
    row_read_q    <= config_re_i || pattern_re_i || state_re_i;
    entry_read_q  <= entry_re_i;
    entry_ready_q <= entry_read_q;
    if (entry_read_q) entry_row_q <= entry_row;
  end

  always_comb begin
    `PLUMB_ANY(entry_wdata)
    if (entry_we_i) begin
      entry_wdata = {!row_wdata_i[plumb_regs_pkg::ScheduleValidLsb], row_wdata_i[79:0],
                     row_wdata_i[plumb_regs_pkg::ScheduleFlowLsb +: FlowsLog2]};
    end
    `PLUMB_ANY(entry_row_o)
    if (entry_ready_q) begin
      entry_row_o = '0;
      entry_row_o[79:0] = entry_row_q[FlowsLog2 +: 80];
      entry_row_o[plumb_regs_pkg::ScheduleFlowLsb +: FlowsLog2] = entry_row_q[FlowsLog2-1:0];
      entry_row_o[plumb_regs_pkg::ScheduleValidLsb] = !entry_row_q[EntryW-1];
      if (entry_row_q[EntryW-1]) entry_row_o = '0;
    end
  end

  // ---- Contexts ----
  localparam int unsigned PatternW = plumb_tx_pkg::SchedPatternW;
  localparam int unsigned PlainW = plumb_tx_pkg::SchedConfigW - PatternW;
  (* ram_style = "block" *)
  logic [PlainW-1:0]                     config_mem [0:Flows-1];
  (* ram_style = "block" *)
  logic [PatternW-1:0]                   pattern_mem [0:Flows-1];
  (* ram_style = "block" *)
  logic [plumb_tx_pkg::SchedStateW-1:0]  state_mem [0:Flows-1];
  logic [PlainW-1:0]           plain_read_q, config_wdata;
  logic [PatternW-1:0]         pattern_read_q, pattern_wdata;
  plumb_tx_pkg::sched_config_t config_read;
  plumb_tx_pkg::sched_state_t  state_read_q;
  plumb_tx_pkg::sched_config_t root_config_q, left_config_q, right_config_q;
  plumb_tx_pkg::sched_state_t  root_state_q, left_state_q, right_state_q;
  plumb_tx_pkg::sched_state_t  next_state, next_state_q, written_state, first_state;

  // Rows are read for the engine, or else for the table bus.
  logic                 config_fetch, state_read;
  logic [FlowsLog2-1:0] read_row, next_flow_q;

  always_comb begin
    config_fetch = 1'b1;
    unique case (state_q)
      StLoadRoot:  read_row = root_flow;
      StLoadLeft:  read_row = left_flow;
      StLoadRight: read_row = right_flow;
      default: begin
        read_row     = refill ? refill_flow : row_i;
        config_fetch = refill || config_re_i || pattern_re_i;
      end
    endcase
  end

  assign state_free_o = !refill && (state_q == StRun || still_o);
  assign state_read   = config_fetch || state_re_i;

  assign config_wdata = {row_wdata_i[plumb_regs_pkg::FlowLengthLsb +: 14],
                         row_wdata_i[plumb_regs_pkg::FlowPriorityLsb +: 3],
                         row_wdata_i[plumb_regs_pkg::FlowPeriodLsb +: 64],
                         row_wdata_i[plumb_regs_pkg::FlowBurstLenLsb +: 25],
                         row_wdata_i[plumb_regs_pkg::FlowBurstCountLsb +: 32],
                         row_wdata_i[plumb_regs_pkg::FlowBurstIntervalLsb +: 64]};

  assign pattern_wdata = {row_wdata_i[plumb_regs_pkg::PatternGapModeLsb] ^
                            row_wdata_i[plumb_regs_pkg::PatternGapModeLsb+1],  // 1 or 2
                          row_wdata_i[plumb_regs_pkg::PatternInterleaveLsb],
                          row_wdata_i[plumb_regs_pkg::PatternListCountLsb +: 13],
                          row_wdata_i[plumb_regs_pkg::PatternListBaseLsb +: 12],
                          row_wdata_i[plumb_regs_pkg::PatternMessageFramesLsb +: 16],
                          row_wdata_i[plumb_regs_pkg::PatternMiddleLengthLsb +: 14],
                          row_wdata_i[plumb_regs_pkg::PatternLastLengthLsb +: 14]};

  always_ff @(posedge clk_i) begin
    if (config_we_i)  config_mem[row_i] <= config_wdata;
    if (config_fetch) plain_read_q <= config_mem[read_row];
  end

  always_ff @(posedge clk_i) begin
    if (pattern_we_i || clearing) begin
      pattern_mem[clearing ? sweep_q : row_i] <= clearing ? '0 : pattern_wdata;
    end
    if (config_fetch) pattern_read_q <= pattern_mem[read_row];
  end

  assign config_read = {plain_read_q, pattern_read_q};

  // Written: what a decision leaves, the sweep's zeros, and before a run a flow's first gap.
  logic                 state_we, first_gap_valid, take_q;
  logic [FlowsLog2-1:0] state_wrow, first_gap_flow;
  logic [63:0]          first_gap, gap;
  assign state_we   = go_q || clearing || first_gap_valid;
  assign state_wrow = clearing ? sweep_q : first_gap_valid ? first_gap_flow : next_flow_q;

  always_comb begin
    written_state = next_state_q;
    if (take_q) written_state.gap = gap;
    first_state = '0;
    if (first_gap_valid) first_state.gap = first_gap;
  end

  always_ff @(posedge clk_i) begin
    if (state_we)   state_mem[state_wrow] <= go_q ? written_state : first_state;
    if (state_read) state_read_q <= state_mem[read_row];
  end

  // A row read for the bus in the clock of its write must see it; the engine never reads then.
  plumb_tx_pkg::sched_state_t  written_q, state_row;
  logic                        collided_q;

  always_ff @(posedge clk_i) begin
    if (state_re_i) begin
      collided_q <= go_q && next_flow_q == row_i;
      written_q  <= written_state;
    end
  end

  always_comb begin
    `PLUMB_ANY(state_row)
    if (row_read_q) state_row = collided_q ? written_q : state_read_q;
  end

  logic [351:0] gaps_row;

  logic unused_in_row;
  assign unused_in_row = ^{state_row.burst_start, state_row.started, state_row.scheduled,
                           state_row.postponed, state_row.turn, state_row.position,
                           state_row.part, state_row.lane, state_row.gap};

  always_comb begin
    `PLUMB_ANY(config_row_o)
    `PLUMB_ANY(pattern_row_o)
    `PLUMB_ANY(state_row_o)
    if (row_read_q) begin
      config_row_o = '0;
      config_row_o[plumb_regs_pkg::FlowPeriodLsb +: 64]        = config_read.period;
      config_row_o[plumb_regs_pkg::FlowBurstLenLsb +: 25]      = config_read.burst_len;
      config_row_o[plumb_regs_pkg::FlowBurstCountLsb +: 32]    = config_read.burst_count;
      config_row_o[plumb_regs_pkg::FlowBurstIntervalLsb +: 64] = config_read.burst_interval;
      pattern_row_o = gaps_row;
      pattern_row_o[plumb_regs_pkg::PatternInterleaveLsb]          = config_read.interleave;
      pattern_row_o[plumb_regs_pkg::PatternListCountLsb +: 13]     = config_read.list_count;
      pattern_row_o[plumb_regs_pkg::PatternListBaseLsb +: 12]      = config_read.list_base;
      pattern_row_o[plumb_regs_pkg::PatternMessageFramesLsb +: 16] = config_read.message_frames;
      pattern_row_o[plumb_regs_pkg::PatternMiddleLengthLsb +: 14]  = config_read.middle_length;
      pattern_row_o[plumb_regs_pkg::PatternLastLengthLsb +: 14]    = config_read.last_length;
      state_row_o = '0;
      state_row_o[63:0]   = state_row.sequence_number;
      state_row_o[95:64]  = state_row.bursts;
      state_row_o[120:96] = state_row.in_burst;
    end
  end

  // Contexts of the root's children; what was fetched for one is in the read registers for one
  // clock.
  logic left_fresh_q, right_fresh_q;
  plumb_tx_pkg::sched_config_t left_config, right_config;
  plumb_tx_pkg::sched_state_t  left_state, right_state;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      left_fresh_q  <= 1'b0;
      right_fresh_q <= 1'b0;
    end else begin
      left_fresh_q  <= (refill && !refill_right) || state_q == StLoadLeft;
      right_fresh_q <= (refill && refill_right) || state_q == StLoadRight;
    end
  end

  assign left_config  = left_fresh_q ? config_read : left_config_q;
  assign left_state   = left_fresh_q ? state_read_q : left_state_q;
  assign right_config = right_fresh_q ? config_read : right_config_q;
  assign right_state  = right_fresh_q ? state_read_q : right_state_q;

  always_ff @(posedge clk_i) begin
    if (left_fresh_q) begin
      left_config_q <= config_read;
      left_state_q  <= state_read_q;
    end
    if (right_fresh_q) begin
      right_config_q <= config_read;
      right_state_q  <= state_read_q;
    end
    if (state_q == StLoadLeft) begin  // behind the read of the root's row
      root_config_q <= config_read;
      root_state_q  <= state_read_q;
    end else if (go_q) begin
      if (take_left) begin
        root_config_q <= left_config;
        root_state_q  <= left_state;
      end else if (take_right) begin
        root_config_q <= right_config;
        root_state_q  <= right_state;
      end else begin
        root_state_q <= written_state;
      end
    end
  end

  // ---- The root's next entry and state, should it go now ----
  logic [79:0] scheduled, burst_start, next_due, postponed_due;
  logic        burst_ends, flow_ends;

  assign scheduled   = root_state_q.postponed ? root_state_q.scheduled : root_due;
  assign burst_start = root_state_q.started ? root_state_q.burst_start : scheduled;
  assign burst_ends  = root_config_q.burst_len != 25'd0 &&
                       plumb_pkg::is_next(32'(root_state_q.in_burst),
                                          32'(root_config_q.burst_len));
  assign flow_ends   = burst_ends && root_config_q.burst_count != 32'd0 &&
                       plumb_pkg::is_next(root_state_q.bursts, root_config_q.burst_count);

  logic        listed, messages, message_ends, last_turn, turn_over, position_over, take;
  logic [63:0] gap_now;

  assign listed        = root_config_q.list_count != 13'd0;
  assign messages      = listed && root_config_q.message_frames[15:1] != 15'd0;
  assign message_ends  = !messages || root_state_q.part == plumb_tx_pkg::PartLast;
  assign last_turn     = 13'(root_state_q.turn) + 13'd1 >= root_config_q.list_count;
  assign turn_over     = root_config_q.interleave || message_ends;
  assign position_over = messages && (!root_config_q.interleave || last_turn);
  assign gap_now       = root_config_q.gap_drawn ? root_state_q.gap : root_config_q.period;
  assign take          = go && root_config_q.gap_drawn && !postpone && (skip || !burst_ends);

  always_comb begin
    `PLUMB_ANY(next_state)
    `PLUMB_ANY(next_due)
    if (go) begin
      next_state             = root_state_q;
      next_state.burst_start = burst_start;
      next_state.started     = 1'b1;
      next_state.scheduled   = scheduled;
      next_state.postponed   = postpone;
      if (take) next_state.lane = root_state_q.lane + 3'd1;
      next_due = scheduled + 80'(gap_now);
      if (postpone) begin
        next_due = postponed_due;
      end else if (!skip) begin
        if (listed && turn_over) next_state.turn = last_turn ? 12'd0 : root_state_q.turn + 12'd1;
        if (position_over) begin
          next_state.position = message_ends ? 16'd0 : root_state_q.position + 16'd1;
          if (message_ends) begin
            next_state.part = plumb_tx_pkg::PartFirst;
          end else if (root_state_q.position + 16'd2 == root_config_q.message_frames) begin
            next_state.part = plumb_tx_pkg::PartLast;
          end else begin
            next_state.part = plumb_tx_pkg::PartMiddle;
          end
        end
        next_state.sequence_number = root_state_q.sequence_number + 64'd1;
        if (burst_ends) begin
          next_due            = burst_start + 80'(root_config_q.burst_interval);
          next_state.started  = 1'b0;
          next_state.in_burst = '0;
          next_state.bursts   = root_state_q.bursts + 32'd1;
        end else if (root_config_q.burst_len != 25'd0) begin
          next_state.in_burst = root_state_q.in_burst + 25'd1;
        end
      end
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      go_q   <= 1'b0;
      take_q <= 1'b0;
    end else begin
      go_q   <= go;
      take_q <= take;
    end
  end

  logic [13:0] root_length;

  always_comb begin
    unique case (root_state_q.part)
      plumb_tx_pkg::PartMiddle: root_length = root_config_q.middle_length;
      plumb_tx_pkg::PartLast:   root_length = root_config_q.last_length;
      default:                  root_length = root_config_q.length;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (go) begin
      next_entry_q     <= {!skip && !postpone && flow_ends, next_due, root_flow};
      next_state_q     <= next_state;
      next_flow_q      <= root_flow;
      frame_length_o   <= root_length;
      frame_slot_o     <= root_flow + FlowsLog2'(root_state_q.part);
      frame_listed_o   <= listed;
      frame_entry_o    <= root_config_q.list_base + root_state_q.turn;
      frame_sequence_o <= root_state_q.sequence_number;
    end
  end

  assign frame_flow_o    = next_flow_q;
  assign root_length_o   = root_length;
  assign root_priority_o = root_config_q.pfc_priority;

  // ---- Gaps ----
  plumb_tx_gaps #(
    .FlowsLog2 (FlowsLog2)
  ) u_gaps (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .prime_i       (entry_we_i && row_wdata_i[plumb_regs_pkg::ScheduleValidLsb]),
    .prime_flow_i  (row_wdata_i[plumb_regs_pkg::ScheduleFlowLsb +: FlowsLog2]),
    .busy_o        (gaps_busy),
    .first_valid_o (first_gap_valid),
    .first_flow_o  (first_gap_flow),
    .first_gap_o   (first_gap),
    .take_i        (take),
    .take_flow_i   (root_flow),
    .take_lane_i   (root_state_q.lane),
    .gap_o         (gap),
    .config_we_i   (pattern_we_i),
    .config_re_i   (pattern_re_i),
    .list_we_i     (gap_we_i),
    .list_re_i     (gap_re_i),
    .row_i         (gap_row_i),
    .row_wdata_i   (row_wdata_i),
    .config_row_o  (gaps_row),
    .list_row_o    (gap_row_o),
    .clear_we_i    (clearing),
    .clear_row_i   (sweep_q)
  );

  // ---- Gate ----
  logic open;
  assign open = state_q == StRun && run_i && !clear_pending_q && !go_q && root_valid;

  plumb_tx_gate #(
    .PopToMac (PopToMac)
  ) u_gate (
    .clk_i               (clk_i),
    .rst_ni              (rst_ni),
    .now_i               (now_i),
    .start_time_i        (start_time_i),
    .byte_time_ps_i      (byte_time_ps_i),
    .late_threshold_ps_i (late_threshold_ps_i),
    .clear_i             (clear_i),
    .paused_i            (paused_i),
    .pause_end_time_i    (pause_end_time_i),
    .credit_i            (credit_i),
    .credit_busy_i       (credit_busy_i),
    .wait_i              (wait_i),
    .open_i              (open),
    .hold_i              (hold_i),
    .llr_hold_i          (llr_hold_i),
    .due_i               (root_due),
    .scheduled_i         (scheduled[79:16]),
    .postponed_i         (root_state_q.postponed),
    .length_i            (root_length),
    .priority_i          (root_config_q.pfc_priority),
    .go_o                (go),
    .skip_o              (skip),
    .postpone_o          (postpone),
    .postponed_due_o     (postponed_due),
    .frame_o             (frame_o),
    .control_i           (control_i),
    .control_extra_i     (control_extra_i),
    .control_o           (control_o),
    .control_frame_o     (control_frame_o),
    .crossing_time_o     (crossing_time_o),
    .departure_o         (frame_departure_o),
    .shift_valid_i       (shift_valid_i),
    .shift_ps_i          (shift_ps_i),
    .shift_taken_o       (shift_taken_o),
    .wire_free_o         (wire_free_o),
    .late_o              (late_o),
    .cnt_late_o          (cnt_late_o),
    .cnt_late_max_ps_o   (cnt_late_max_ps_o),
    .cnt_pfc_skipped_o   (cnt_pfc_skipped_o),
    .cnt_credit_skipped_o(cnt_credit_skipped_o),
    .cnt_waited_o        (cnt_waited_o)
  );

  `PLUMB_ASSERT(NoReadOfARowBeingWritten, go_q && refill |-> 1'b0)
  `PLUMB_ASSERT(RowsWhileStill,
                (entry_we_i || entry_re_i || config_we_i || config_re_i || pattern_we_i ||
                 pattern_re_i || gap_we_i || gap_re_i) |-> still_o)

endmodule
