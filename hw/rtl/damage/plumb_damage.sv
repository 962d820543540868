// Damages frames on purpose: by four rules, and by random bit errors. Used in both directions
// of a port, behind the FCS of what is sent and before everything that looks at what is received.
//
// Sent: Clocks clocks from s_* to m_*, always, a beat every clock; a MAC that does not take a beat
// stops the whole of it. Received (Sent = 0): no clocks at all while no rule is loaded and no
// random errors are on, Clocks otherwise; it changes over between frames. m_stamp_o, m_user_o and
// m_preamble_o are those that came with the frame's first beat; they stay until the next one's.
//
// One rule strikes a frame at most, the lowest slot that applies; random errors come on top:
//
//   KindBits      bits [offset, offset + param) of the frame are inverted, as far as it reaches
//   KindFcs       the bits of param in the FCS, bit 0 the first on the wire
//   KindIcrc      the same in the ICRC, the last four bytes before the FCS; the FCS is corrected
//                 by what these bits contribute to it: a right FCS stays right
//   KindTruncate  param bytes of the frame remain; a frame that is not longer stays whole
//   KindDrop      the frame vanishes
//
// The length of a received frame is not known while it passes: KindFcs and KindIcrc are for
// sent frames only. Frames are numbered in any case, but a rule for received frames needs
// four clocks after it was loaded to see them. What is struck but reaches behind the frame's end,
// or does not shorten it, counts as a strike of its rule and as nothing else.
//
// clk_used_i is clk_i for what is at work only while damage is: it may rest (plumb_clock_gate)
// unless busy_o is high.
//
// Counters are pulses, at most one each per clock, all of the same frame in the same clock:
// inc_damaged_o once per frame that left damaged or vanished, inc_random_o once per frame with
// random errors, inc_kind_o per frame and kind of rule; inc_bit_o per random error.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_damage #(
  parameter bit Sent = 1'b1
) (
  // Clock and reset (active low)
  input  wire logic                    clk_i,
  input  wire logic                    clk_used_i,      // the same clock; may rest while busy_o is
                                                        // low
  output      logic                    busy_o,          // level: clk_used_i has to run
  input  wire logic                    rst_ni,
  input  wire logic                    clear_i,         // pulse: begins numbers, strikes and log
                                                        // anew

  // Rules
  input  wire logic                    rule_load_i,     // pulse, with the next two
  input  wire logic [1:0]              rule_slot_i,
  input  wire plumb_damage_pkg::rule_t rule_i,
  output      logic [127:0]            strikes_o,       // 32 bits per slot: strikes since load or
                                                        // clear

  // Random errors (plumb_damage_random)
  input  wire logic                    random_load_i,   // pulse: end, and begin anew if random_on_i
  input  wire logic                    random_on_i,     // with random_load_i
  input  wire logic [127:0]            random_seed_i,   // steady after random_load_i, like the next
                                                        // two
  input  wire logic [31:0]             random_scale_i,
  input  wire logic [5:0]              random_shift_i,
  output      logic                    random_ready_o,  // level: errors are made from the next
                                                        // frame on
  output      logic                    random_late_o,   // pulse: a beat passed without its errors

  // Frames in: AXI4-Stream
  input  wire logic [511:0]            s_tdata_i,       // byte 0 in bits 7:0
  input  wire logic [63:0]             s_tkeep_i,       // per byte; all ones but in a last beat
  input  wire logic                    s_tvalid_i,
  input  wire logic                    s_tlast_i,
  output      logic                    s_tready_o,      // combinational
  input  wire plumb_tx_pkg::user_t     s_user_i,        // with the first beat; zero for received
                                                        // frames
  input  wire logic [63:0]             s_stamp_i,       // departure, or time at the MAC; ps
  input  wire logic [55:0]             s_preamble_i,    // with the first beat: D1 to D7, D1 lowest

  // Frames out
  output      logic [511:0]            m_tdata_o,
  output      logic [63:0]             m_tkeep_o,
  output      logic                    m_tvalid_o,
  output      logic                    m_tlast_o,
  output      logic                    m_sof_o,         // the beat is a frame's first
  input  wire logic                    m_tready_i,
  output      plumb_tx_pkg::user_t     m_user_o,
  output      logic [63:0]             m_stamp_o,
  output      logic [55:0]             m_preamble_o,

  // Events of ordered sets, for the log
  input  wire logic [63:0]             offset_i,        // ps to add to the times in the log
  input  wire logic                    set_valid_i,     // pulse
  input  wire plumb_damage_pkg::event_t set_i,          // with set_valid_i

  // Log
  output      logic                    log_valid_o,     // level: log_event_o is the oldest event
  output      plumb_damage_pkg::event_t log_event_o,
  input  wire logic                    log_pop_i,       // pulse, with log_valid_o: take it out

  // Counters: pulses
  output      logic [7:0]              inc_kind_o,      // bit k: a rule of kind k damaged a frame
  output      logic                    inc_damaged_o,   // a frame left damaged or vanished
  output      logic                    inc_random_o,    // a frame has random errors
  output      logic                    inc_bit_o,       // a random error
  output      logic                    inc_overflow_o   // an event found the log full
);

  localparam int unsigned Slots = 4;
  localparam int unsigned SideW = plumb_tx_pkg::UserW + 64 + 56;
  localparam logic [15:0] MacControlType = 16'h0888;   // bytes 12 and 13, the first in bits 7:0

  logic        enable;               // everything moves
  logic        path_q;               // frames go through the stages
  logic        valid1_q, valid2_q, valid3_q, out_valid_q;
  logic        inside_q;             // the next beat at s_* continues a frame
  logic        take;
  logic [3:0]  rule_active;

  assign enable = !out_valid_q || m_tready_i;
  assign take   = s_tvalid_i && enable;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni)   inside_q <= 1'b0;
    else if (take) inside_q <= !s_tlast_i;
  end

  // ---- Numbers ----
  logic        begin0, control0;
  logic [31:0] any_number_q, control_number_q;

  assign begin0   = take && !inside_q;
  assign control0 = s_tdata_i[111:96] == MacControlType && s_tkeep_i[13];

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      any_number_q     <= '0;
      control_number_q <= '0;
    end else if (clear_i) begin
      any_number_q     <= '0;
      control_number_q <= '0;
    end else if (begin0) begin
      any_number_q     <= any_number_q + 32'd1;
      control_number_q <= control_number_q + 32'(control0);
    end
  end

  // ---- At rest ----
  // Until there is a rule or a random source only frames are counted, and clk_used_i may rest.
  // Received ones do not even pass through the stages.
  logic used_q, clk_stage;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      used_q <= 1'b0;
    end else if (rule_load_i || random_load_i) begin
      used_q <= used_q || (rule_load_i && rule_i.kind != plumb_damage_pkg::KindNone) ||
                (random_load_i && random_on_i);
    end
  end

  assign busy_o = used_q || rule_load_i || random_load_i || clear_i || set_valid_i || log_pop_i;

  // ---- Stage 1: the beat ----
  logic                first1_q, last1_q, control1_q;
  logic [511:0]        data1_q;
  logic [63:0]         keep1_q;
  plumb_tx_pkg::user_t user1_q;
  logic [63:0]         stamp1_q;
  logic [55:0]         preamble1_q;
  logic [31:0]         number1_q;

  always_ff @(posedge clk_stage) begin
    if (take && path_q) begin
      data1_q  <= s_tdata_i;
      keep1_q  <= s_tkeep_i;
      last1_q  <= s_tlast_i;
      first1_q <= !inside_q;
      if (!inside_q) begin
        user1_q     <= s_user_i;
        stamp1_q    <= s_stamp_i;
        preamble1_q <= s_preamble_i;
        control1_q  <= control0;
        number1_q   <= control0 ? control_number_q : Sent ? s_user_i.number : any_number_q;
      end
    end
  end

  // ---- Rules ----
  logic                       begin1;
  logic [Slots-1:0]           eligible, strike;
  logic [plumb_damage_pkg::ActionW*Slots-1:0] actions;

  assign begin1   = valid1_q && first1_q && enable;
  // The lowest one that wants the frame.
  assign strike   = !used_q ? '0 :
                    {eligible[3] && eligible[2:0] == 3'd0, eligible[2] && eligible[1:0] == 2'd0,
                     eligible[1] && !eligible[0], eligible[0]} & {4{begin1}};

  for (genvar s = 0; s < Slots; s++) begin : gen_rule
    plumb_damage_pkg::action_t action;

    plumb_damage_rule #(
      .Sent (Sent)
    ) u_rule (
      .clk_i            (clk_used_i),
      .rst_ni           (rst_ni),
      .clear_i          (clear_i),
      .load_i           (rule_load_i && rule_slot_i == 2'(s)),
      .rule_i           (rule_i),
      .frame_i          (begin0 && path_q),
      .user_i           (s_user_i),
      .control_i        (control0),
      .any_number_i     (any_number_q),
      .control_number_i (control_number_q),
      .eligible_o       (eligible[s]),
      .strike_i         (strike[s]),
      .action_o         (action),
      .active_o         (rule_active[s]),
      .strikes_o        (strikes_o[32*s+:32])
    );

    assign actions[plumb_damage_pkg::ActionW*s+:plumb_damage_pkg::ActionW] = action;
  end

  // ---- Stage 2: what is to be done to the frame ----
  plumb_damage_pkg::action_t chosen, action2_q;
  logic [1:0]                slot;

  assign slot   = eligible[0] ? 2'd0 : eligible[1] ? 2'd1 : eligible[2] ? 2'd2 : 2'd3;
  assign chosen = actions[plumb_damage_pkg::ActionW*slot+:plumb_damage_pkg::ActionW];

  logic                first2_q, last2_q, control2_q;
  logic [511:0]        data2_q;
  logic [63:0]         keep2_q;
  plumb_tx_pkg::user_t user2_q;
  logic [63:0]         stamp2_q;
  logic [55:0]         preamble2_q;
  logic [31:0]         number2_q;
  logic [9:0]          beat2_q;
  logic                struck2_q;
  logic [1:0]          slot2_q;
  logic [13:0]         last_byte2_q;         // of those that remain

  always_ff @(posedge clk_stage) begin
    if (valid1_q && enable) begin
      data2_q  <= data1_q;
      keep2_q  <= keep1_q;
      last2_q  <= last1_q;
      first2_q <= first1_q;
      beat2_q  <= first1_q ? 10'd0 : beat2_q + 10'(!(&beat2_q));
      if (first1_q) begin
        user2_q     <= user1_q;
        stamp2_q    <= stamp1_q;
        preamble2_q <= preamble1_q;
        control2_q  <= control1_q;
        number2_q   <= number1_q;
        struck2_q   <= strike != 4'd0;
      end
      if (strike != 4'd0) begin
        action2_q    <= chosen;
        slot2_q      <= slot;
        last_byte2_q <= chosen.bytes - 14'd1;
      end
    end
  end

  // ---- Stage 3: where in this beat ----
  logic         flips, cuts, drops, begins, start_here, cut_here, cut, dead_q, leaves, probed;
  logic         room, random_hit, random_take, flips_here;
  logic [9:0]   low, high;
  logic [63:0]  keep, pattern;
  logic [511:0] random_mask;

  // The pattern is repeated along the beat: turned so that it begins at the first byte.
  always_comb begin
    `PLUMB_ANY(pattern)
    if (flips) begin
      unique case (action2_q.start[5:3])
        3'd1:    pattern = {action2_q.pattern[55:0], action2_q.pattern[63:56]};
        3'd2:    pattern = {action2_q.pattern[47:0], action2_q.pattern[63:48]};
        3'd3:    pattern = {action2_q.pattern[39:0], action2_q.pattern[63:40]};
        3'd4:    pattern = {action2_q.pattern[31:0], action2_q.pattern[63:32]};
        3'd5:    pattern = {action2_q.pattern[23:0], action2_q.pattern[63:24]};
        3'd6:    pattern = {action2_q.pattern[15:0], action2_q.pattern[63:16]};
        3'd7:    pattern = {action2_q.pattern[7:0], action2_q.pattern[63:8]};
        default: pattern = action2_q.pattern;
      endcase
    end
  end

  // One condition for all of it: a simulation passes over frames that no rule strikes.
  always_comb begin
    flips      = 1'b0;
    cuts       = 1'b0;
    drops      = 1'b0;
    start_here = 1'b0;
    low        = '0;
    high       = '0;
    flips_here = 1'b0;
    probed     = 1'b0;
    cut_here   = 1'b0;
    cut        = 1'b0;
    keep       = keep2_q;
    begins     = 1'b0;
    if (struck2_q) begin
      flips      = action2_q.kind == plumb_damage_pkg::KindBits ||
                   action2_q.kind == plumb_damage_pkg::KindFcs ||
                   action2_q.kind == plumb_damage_pkg::KindIcrc;
      cuts       = action2_q.kind == plumb_damage_pkg::KindTruncate;
      drops      = action2_q.kind == plumb_damage_pkg::KindDrop;
      start_here = flips && 10'(action2_q.start[17:9]) == beat2_q;
      low        = (10'(action2_q.start[17:9]) < beat2_q) ? 10'd0 :
                   start_here ? {1'b0, action2_q.start[8:0]} : 10'd512;
      high       = (10'(action2_q.stop[17:9]) < beat2_q) ? 10'd0 :
                   (10'(action2_q.stop[17:9]) == beat2_q) ? {1'b0, action2_q.stop[8:0]} : 10'd512;
      // low < high, from what these are made of: it need not wait for them.
      flips_here = flips && 10'(action2_q.start[17:9]) <= beat2_q &&
                   (10'(action2_q.stop[17:9]) > beat2_q ||
                    (10'(action2_q.stop[17:9]) == beat2_q &&
                     (start_here ? action2_q.start[8:0] < action2_q.stop[8:0]
                                 : action2_q.stop[8:0] != 9'd0)));
      probed     = keep2_q[action2_q.probe];
      cut_here   = cuts && 10'(last_byte2_q[13:6]) == beat2_q;
      cut        = cut_here && (!last2_q || (action2_q.bytes[5:0] != 6'd0 && probed));
      if (cut_here) keep = keep2_q & ({64{1'b1}} >> (6'd63 - last_byte2_q[5:0]));
      begins     = (start_here && probed) || cut || (drops && first2_q);
    end
  end

  assign leaves = valid2_q && !drops && !(dead_q && !first2_q);

  assign random_take = leaves && enable && room;

  plumb_damage_pkg::hit_t hit_q;
  logic                   first3_q, last3_q, flip3_q, leaves3_q, begins3_q, random3_q;
  logic [511:0]           data3_q, mask3_q;
  logic [63:0]            keep3_q, pattern3_q;
  logic [9:0]             low3_q, high3_q;
  logic [SideW-1:0]       side3_q;

  always_ff @(posedge clk_stage) begin
    if (valid2_q && enable) begin
      data3_q    <= data2_q;
      keep3_q    <= keep;
      last3_q    <= last2_q || cut;
      first3_q   <= first2_q;
      flip3_q    <= flips_here;
      if (flips) begin
        low3_q     <= low;
        high3_q    <= high;
        pattern3_q <= pattern;
      end
      if (random_take && random_hit) begin
        for (int unsigned i = 0; i < 64; i++) begin
          mask3_q[8*i+:8] <= random_mask[8*i+:8] & {8{keep[i]}};
        end
      end
      if (first2_q) side3_q <= {user2_q, stamp2_q, preamble2_q};
      if (struck2_q || random_hit) begin
        hit_q.ruled    <= begins;
        hit_q.kind     <= action2_q.kind;
        hit_q.slot     <= 3'(slot2_q);
        hit_q.position <= drops ? 19'd0 : flips ? {1'b0, action2_q.start} : 19'(action2_q.bytes);
        hit_q.random   <= random_take && random_hit;
        hit_q.keep     <= keep;
        hit_q.beat     <= beat2_q;
        hit_q.subject  <= control2_q ? plumb_damage_pkg::SubjectControl :
                                       plumb_damage_pkg::SubjectFrame;
        hit_q.flow     <= Sent ? user2_q.flow : 12'd0;
        hit_q.number   <= number2_q;
        hit_q.stamp    <= stamp2_q;
      end
    end
  end

  always_ff @(posedge clk_stage `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      valid1_q  <= 1'b0;
      valid2_q  <= 1'b0;
      valid3_q  <= 1'b0;
      leaves3_q <= 1'b0;
    end else if (enable) begin
      valid1_q  <= s_tvalid_i && path_q;
      valid2_q  <= valid1_q;
      valid3_q  <= valid2_q;
      leaves3_q <= leaves;
    end
  end

  // Zero until something has been struck, like all that is behind it.
  always_ff @(posedge clk_used_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      begins3_q <= 1'b0;
      random3_q <= 1'b0;
      dead_q    <= 1'b0;
    end else if (enable) begin
      begins3_q <= valid2_q && begins;
      random3_q <= random_take && random_hit;
      if (valid2_q) dead_q <= (cut || (dead_q && !first2_q)) && !last2_q;
    end
  end

  // ---- Stage 4: the beat leaves ----
  logic [511:0]     range, out_data_q;
  logic [63:0]      out_keep_q;
  logic             out_last_q, out_first_q;
  logic [SideW-1:0] out_side_q;

  always_comb begin
    `PLUMB_ANY(range)
    if (flip3_q && leaves3_q) range = ({512{1'b1}} << low3_q) & ~({512{1'b1}} << high3_q);
  end

  always_ff @(posedge clk_stage `PLUMB_OR_RESET) begin
    if (!rst_ni)     out_valid_q <= 1'b0;
    else if (enable) out_valid_q <= leaves3_q;
  end

  always_ff @(posedge clk_stage) begin
    if (leaves3_q && enable) begin
      if (flip3_q && random3_q) out_data_q <= data3_q ^ (range & {8{pattern3_q}}) ^ mask3_q;
      else if (flip3_q)         out_data_q <= data3_q ^ (range & {8{pattern3_q}});
      else if (random3_q)       out_data_q <= data3_q ^ mask3_q;
      else                      out_data_q <= data3_q;
      out_keep_q  <= keep3_q;
      out_last_q  <= last3_q;
      out_first_q <= first3_q;
      if (first3_q) out_side_q <= side3_q;
    end
  end

  // ---- Counters and log ----
  // Beside stage 4: what the beat that went there was.
  logic       told_q, begun_q, ruled_q, random_q;
  logic [2:0] kind_q;
  logic       damaged_before_q, random_before_q, damaged, randomly;

  always_ff @(posedge clk_used_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      told_q   <= 1'b0;
      begun_q  <= 1'b0;
      ruled_q  <= 1'b0;
      random_q <= 1'b0;
    end else begin
      told_q   <= valid3_q && enable;
      begun_q  <= first3_q;
      ruled_q  <= begins3_q && enable;
      random_q <= 1'b0;
      if (random3_q) random_q <= mask3_q != '0;
    end
  end

  assign damaged  = told_q && (ruled_q || random_q);
  assign randomly = told_q && random_q;

  always_ff @(posedge clk_used_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      kind_q           <= plumb_damage_pkg::KindNone;
      damaged_before_q <= 1'b0;
      random_before_q  <= 1'b0;
      inc_kind_o       <= '0;
      inc_damaged_o    <= 1'b0;
      inc_random_o     <= 1'b0;
    end else begin
      kind_q <= hit_q.kind;
      if (told_q) begin
        damaged_before_q <= damaged || (damaged_before_q && !begun_q);
        random_before_q  <= randomly || (random_before_q && !begun_q);
      end
      inc_kind_o    <= (told_q && ruled_q) ? 8'd1 << kind_q : 8'd0;
      inc_damaged_o <= damaged && (begun_q || !damaged_before_q);
      inc_random_o  <= randomly && (begun_q || !random_before_q);
    end
  end

  logic       settled, source_ready, pos_valid, pos_last, pos_pop;
  logic [8:0] pos;

  plumb_damage_random u_random (
    .clk_i       (clk_used_i),
    .rst_ni      (rst_ni),
    .load_i      (random_load_i),
    .on_i        (random_on_i),
    .seed_i      (random_seed_i),
    .scale_i     (random_scale_i),
    .shift_i     (random_shift_i),
    .settled_i   (settled && !random3_q),
    .ready_o     (source_ready),
    .late_o      (random_late_o),
    .take_i      (random_take),
    .hit_o       (random_hit),
    .mask_o      (random_mask),
    .pos_valid_o (pos_valid),
    .pos_o       (pos),
    .pos_last_o  (pos_last),
    .pos_pop_i   (pos_pop)
  );

  plumb_damage_log u_log (
    .clk_i       (clk_used_i),
    .rst_ni      (rst_ni),
    .clear_i     (clear_i),
    .offset_i    (offset_i),
    .hit_valid_i ((begins3_q || random3_q) && enable),
    .hit_i       (hit_q),
    .room_o      (room),
    .settled_o   (settled),
    .pos_valid_i (pos_valid),
    .pos_i       (pos),
    .pos_last_i  (pos_last),
    .pos_pop_o   (pos_pop),
    .set_valid_i (set_valid_i),
    .set_i       (set_i),
    .valid_o     (log_valid_o),
    .event_o     (log_event_o),
    .pop_i       (log_pop_i),
    .overflow_o  (inc_overflow_o),
    .bits_o      (inc_bit_o)
  );

  // ---- Way in and out ----
  assign s_tready_o     = enable;
  assign random_ready_o = source_ready && path_q;

  if (Sent) begin : gen_sent
    assign clk_stage    = clk_i;
    assign path_q       = 1'b1;
    assign m_tvalid_o   = out_valid_q;
    assign m_tdata_o    = out_data_q;
    assign m_tkeep_o    = out_keep_q;
    assign m_tlast_o    = out_last_q;
    assign m_sof_o      = out_first_q;
    assign {m_user_o, m_stamp_o, m_preamble_o} = out_side_q;

    logic unused_active;
    assign unused_active = ^rule_active;
  end else begin : gen_received
    // Over to the stages between two frames; back when they are empty besides.
    logic wanted_q, between, empty, past_q;

    assign between = s_tvalid_i ? s_tlast_i : !inside_q;
    assign empty   = !valid1_q && !valid2_q && !valid3_q && !out_valid_q;
    assign path_q  = past_q;
    assign clk_stage = clk_used_i;

    always_ff @(posedge clk_stage `PLUMB_OR_RESET) begin
      if (!rst_ni) begin
        wanted_q <= 1'b0;
        past_q   <= 1'b0;
      end else begin
        wanted_q <= source_ready || rule_active != 4'd0;
        if (wanted_q && between)                              past_q <= 1'b1;
        else if (!wanted_q && between && empty && !s_tvalid_i) past_q <= 1'b0;
      end
    end

    assign m_tvalid_o   = past_q ? out_valid_q : s_tvalid_i;
    assign m_tdata_o    = past_q ? out_data_q : s_tdata_i;
    assign m_tkeep_o    = past_q ? out_keep_q : s_tkeep_i;
    assign m_tlast_o    = past_q ? out_last_q : s_tlast_i;
    assign m_sof_o      = past_q ? out_first_q : !inside_q;
    assign {m_user_o, m_stamp_o, m_preamble_o} =
        past_q ? out_side_q : {s_user_i, s_stamp_i, s_preamble_i};
  end

  `PLUMB_ASSERT(FirstBeatsFirst, s_tvalid_i && enable && path_q |-> s_tkeep_i[0])

endmodule
