// Sender of link-level retry (docs/card.md, "Link-level retry"): numbers eligible frames in the
// preamble, keeps them until they are acknowledged, and sends them again from the first one that
// the peer has not got.
//
// While off, the stream passes through wires: no clock is added. It does so in every other state
// too: a frame that may start crosses in the clock in which the sender offers it, and is stored on
// its way. What may start:
//
//   state     eligible frame                                  other frame
//   Off       yes                                             yes
//   Init      by init_action: consumed, not yet, or yes       when the line is free
//   Advance   when window, buffer and line have room for it   when the line is free
//   Replay    not yet                                         between two replayed frames
//   Flush     by flush_action                                 when the line is free
//
// Frames of flows are eligible, and the card's MAC control frames if mac_control_eligible says so;
// event frames (s_user_i.timed) never are.
//
// A frame that has been offered to the MAC is finished whatever happens; all changes of state wait
// for that. In Init an INIT message is asked for every init_interval clocks until a matching ECHO
// comes and the last INIT has its place on the line. A replay starts with a NACK, or when nothing
// has been acknowledged for replay_timer clocks; more than replay_count_max of them without
// progress, a link that is down for pcs_lost clocks and a frame older than data_age lead to Flush,
// which gives up all outstanding frames. While the link is down no frame starts and the replay
// timer is at zero.
//
// hold_o asks the gate to let no frame go: while frames cannot start, and then until all that have
// been decided on before have left. Those that had to wait, and those that piled up behind them,
// are counted (delayed): the departure time in their tag is that of their schedule. For them and
// for replayed frames m_departure_o says when they cross, PathClocks behind these outputs, to a
// clock; the line may have room for them up to four clocks later.
//
// Limits: a frame starts while fewer than max_frames frames and max_bytes bytes are outstanding (so
// the frame in hand may exceed the bytes), and the buffer has room for a frame of the largest size.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_llr_tx #(
  parameter int unsigned BeatsLog2 = 12,
  parameter int unsigned FramesLog2 = 12,
  parameter int unsigned PathClocks = 0
) (
  // Clock, reset (active low), card time
  input  logic                            clk_i,
  input  logic                            clk_on_i,       // the same clock; may rest while LLR is
                                                          // off
  input  logic                            rst_ni,
  input  logic [63:0]                     now_i,          // ps, of the edge that begins the clock
  input  logic [31:0]                     ts_offset_i,    // signed ps from MAC to reference point

  // Control
  input  plumb_llr_pkg::config_t          config_i,       // levels; times in clocks
  input  logic                            re_init_i,      // pulse: flush, then begin again
  input  logic                            link_up_i,      // level: the link is up

  // Frames of the card: AXI4-Stream with FCS
  input  logic [511:0]                    s_tdata_i,      // byte 0 in bits 7:0
  input  logic [63:0]                     s_tkeep_i,      // per byte; all ones but in a last beat
  input  logic                            s_tvalid_i,
  input  logic                            s_tlast_i,
  output logic                            s_tready_o,     // combinational
  input  logic                            s_sof_i,        // the beat is a frame's first
  input  plumb_tx_pkg::user_t             s_user_i,       // flow, number, kind; steady in a frame
  input  logic                            s_poisoned_i,   // FCS complemented; steady in a frame
  input  logic [63:0]                     s_departure_i,  // steady through a frame; card time in ps
  input  logic                            s_empty_i,      // level: no frame between gate and here
  output logic                            hold_o,         // level, to the gate: let no frame go
  output logic                            blocked_o,      // combinational: frame must not start now

  // To the MAC, replayed frames included
  output logic [511:0]                    m_tdata_o,
  output logic [63:0]                     m_tkeep_o,
  output logic                            m_tvalid_o,
  output logic                            m_tlast_o,
  input  logic                            m_tready_i,
  output logic                            m_sof_o,        // the beat is a frame's first
  output logic [55:0]                     m_preamble_o,   // with the first beat: D1 to D7, D1
                                                          // lowest
  output plumb_tx_pkg::user_t             m_user_o,       // flow, number and kind
  output logic [63:0]                     m_departure_o,  // at the reference point, card time in ps
  output logic                            m_replay_o,     // the beat is of a replayed frame

  // Messages
  input  logic                            ack_i,          // pulse: an ACK came
  input  logic                            nack_i,         // pulse: a NACK came
  input  logic [19:0]                     msg_seq_i,      // with either: the peer's last good frame
  input  logic                            echo_i,         // pulse: an ECHO to our INIT came
  output logic                            init_o,         // level: send an INIT
  input  logic                            init_taken_i,   // pulse: the INIT goes
  input  logic                            quiet_i,        // level: every set sent has its place

  // Observation
  output logic [2:0]                      state_o,        // plumb_llr_pkg::Tx...
  output logic [19:0]                     outstanding_o,  // frames sent and not acknowledged
  output plumb_llr_pkg::tx_events_t       events_o,       // a pulse per counter
  output logic                            flush_o         // pulse: outstanding frames are given up
);

  `PLUMB_RANGE(plumb_llr_tx, BeatsLog2, 9, 30)
  `PLUMB_RANGE(plumb_llr_tx, FramesLog2, 1, 19)
  `PLUMB_PARAMETER(plumb_llr_tx, PathClocks,
                   PathClocks < 2**20,
                   less than 2^20: CrossPs has 32 bits)

  localparam int unsigned MaxBeats = (plumb_pkg::MaxFrameBytes + 63) / 64;
  // A largest frame that starts now and one of the same clock whose beats are not counted yet.
  localparam int unsigned RoomBeats = 2**BeatsLog2 - MaxBeats - 2;
  localparam int unsigned PeriodPs = plumb_pkg::ClockPeriodNum / plumb_pkg::ClockPeriodDen;
  localparam int unsigned CrossPs = (2 + PathClocks) * PeriodPs;

  // The receiver's part of the configuration.
  logic        unused_config;
  assign unused_config = ^config_i;

  logic [2:0]  state_q;
  logic        seq_error;
  logic        own, advance, replay, filter;
  logic [1:0]  action;
  logic        replay_wanted_q, flush_wanted_q, re_init_q, echo_q;
  logic        line_free;
  logic        replaying_q, replay_first_q, replay_free, replay_begin, replay_done;

  assign own     = state_q != plumb_llr_pkg::TxOff;
  assign advance = state_q == plumb_llr_pkg::TxAdvance;
  assign replay  = state_q == plumb_llr_pkg::TxReplay;
  assign filter  = state_q == plumb_llr_pkg::TxInit || state_q == plumb_llr_pkg::TxFlush;
  assign state_o = state_q;

  // ---- The frame in hand ----

  logic inside_q, store_q, drop_q, waited_q;
  logic eligible, room, head, may_number, may_start, pass, store, drop, beat, midway, starts;
  logic control_may, discard, number, may_pass, crosses;

  assign head = s_tvalid_i && !inside_q;

  // The table above, as one sum: the rest of the clock is needed for what follows from it.
  // While off none of it is needed: a simulation passes it over, here and below.
  always_comb begin
    action      = '0;
    eligible    = 1'b0;
    may_number  = 1'b0;
    control_may = 1'b0;
    discard     = 1'b0;
    number      = 1'b0;
    may_pass    = 1'b1;
    may_start   = 1'b1;
    blocked_o   = 1'b0;
    if (own) begin
      action      = (state_q == plumb_llr_pkg::TxInit) ? config_i.init_action
                                                       : config_i.flush_action;
      // The time of an event frame is that of one crossing: it is never sent again.
      eligible    = !s_user_i.control || (config_i.mac_control_eligible && !s_user_i.timed);
      may_number  = config_i.tx_enable && link_up_i && !replay_wanted_q && !flush_wanted_q;
      control_may = !eligible && line_free && !replaying_q;
      discard     = filter && eligible && action == plumb_llr_pkg::ActionDiscard;
      number      = advance && eligible && line_free && room && may_number;
      may_pass    = control_may || discard ||
                    (filter && eligible && line_free &&
                     action == plumb_llr_pkg::ActionBestEffort);
      may_start   = number || may_pass;
      blocked_o   = head && !may_start;
    end
  end

  assign starts = head && may_start;
  assign pass   = inside_q || may_start;
  assign store  = inside_q ? store_q : eligible && advance;
  assign drop   = inside_q ? drop_q : discard;
  assign crosses    = drop || (m_tready_i && !replaying_q);   // a beat that passes
  assign s_tready_o = pass && crosses;
  assign beat       = s_tvalid_i && s_tready_o;
  assign midway     = inside_q ? !(s_tvalid_i && crosses && s_tlast_i)
                               : starts && !(crosses && s_tlast_i);

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      store_q  <= 1'b0;
      drop_q   <= 1'b0;
      waited_q <= 1'b0;
    end else begin
      inside_q <= midway;
      if (starts) begin
        store_q <= store;
        drop_q  <= drop;
      end
      // Holds through the frame that has waited, and those that come right behind it: they have
      // piled up, and may start when they come, as the line is taken for free a little early.
      if (head)                          waited_q <= own && (!may_start || waited_q);
      else if (!s_tvalid_i && !inside_q) waited_q <= 1'b0;
    end
  end

  // ---- Window and buffer ----

  logic                 stored, stored_last, start;
  logic [BeatsLog2:0]   head_q, tail, used;
  logic [19:0]          next_seq, oldest_seq, outstanding, look_seq;
  logic [31:0]          outstanding_bytes, total_q, total, tick_q, began_q;
  logic                 look, progress, nacked, too_old;
  logic [BeatsLog2:0]   look_end;
  logic [31:0]          look_bytes, look_began;
  logic [6:0]           bytes;
  logic                 unused_look_seq;
  logic                 bytes_room_q, full;

  // The same as beat && store, without what other frames need.
  always_comb begin
    stored = 1'b0;
    bytes  = '0;
    total  = '0;
    if (own) begin
      stored = s_tvalid_i && m_tready_i && !replaying_q && (inside_q ? store_q : number);
      bytes  = plumb_pkg::kept_bytes(s_tkeep_i);
      total  = total_q + (s_tlast_i ? 32'(bytes) : 32'd64);
    end
  end

  assign stored_last = stored && s_tlast_i;
  assign used        = head_q - tail;
  assign room        = !full && bytes_room_q;
  assign outstanding_o   = (advance || replay) ? outstanding : 20'd0;
  assign unused_look_seq = ^look_seq;

  always_ff @(posedge clk_on_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      head_q       <= '0;
      total_q      <= '0;
      tick_q       <= '0;
      began_q      <= '0;
      bytes_room_q <= 1'b0;
    end else if (own) begin
      tick_q       <= tick_q + 32'd1;
      bytes_room_q <= outstanding_bytes < config_i.max_bytes &&
                      used <= (BeatsLog2+1)'(RoomBeats);
      if (stored) begin
        head_q  <= head_q + (BeatsLog2+1)'(1);
        total_q <= total;
      end
      if (starts) began_q <= tick_q;
    end
  end

  plumb_llr_window #(
    .BeatsLog2  (BeatsLog2),
    .FramesLog2 (FramesLog2)
  ) u_window (
    .clk_i               (clk_on_i),
    .rst_ni              (rst_ni),
    .enable_i            (own || start),
    .start_i             (start),
    .start_seq_i         (config_i.init_seq),
    .head_i              (head_q),
    .ack_i               (ack_i && (advance || replay)),
    .nack_i              (nack_i && (advance || replay)),
    .msg_seq_i           (msg_seq_i),
    .frame_end_i         (stored_last),
    .frame_bytes_i       (total),
    .frame_began_i       (inside_q ? began_q : tick_q),
    .tick_i              (tick_q),
    .data_age_i          (config_i.data_age),
    .max_frames_i        (config_i.max_frames),
    .look_o              (look),
    .look_seq_o          (look_seq),
    .look_end_i          (look_end),
    .look_bytes_i        (look_bytes),
    .look_began_i        (look_began),
    .next_seq_o          (next_seq),
    .oldest_seq_o        (oldest_seq),
    .tail_o              (tail),
    .outstanding_o       (outstanding),
    .full_o              (full),
    .outstanding_bytes_o (outstanding_bytes),
    .progress_o          (progress),
    .replay_o            (nacked),
    .seq_error_o         (seq_error),
    .too_old_o           (too_old)
  );

  // ---- Replay ----

  logic [BeatsLog2:0]              replay_pointer_q, replay_pointer;
  logic [19:0]                     replay_seq_q, replay_seq;
  logic [19:0]                     replay_left_q;   // frames that have not begun yet
  logic                            behind;
  logic                            replay_last, replay_step, replay_end, replay_read;
  logic [5:0]                      replay_last_byte;
  logic [511:0]                    replay_data;
  logic [plumb_tx_pkg::UserW-1:0]  replay_user;

  // What has been acknowledged meanwhile is not sent again.
  assign behind       = 1'(20'(replay_seq_q - oldest_seq) >> 19);
  assign replay_step  = replaying_q && m_tready_i;
  assign replay_free  = !replaying_q || replay_end;
  assign replay_done  = !replaying_q && !behind && replay_left_q == 20'd0;
  always_comb begin
    replay_begin = 1'b0;
    replay_read  = 1'b0;
    if (own) begin
      replay_begin = replay && replay_free && line_free && may_number && !behind &&
                     !inside_q && !(head && !eligible) && replay_left_q != 20'd0;
      replay_read  = replay_begin || (replay_step && !replay_last);
    end
  end
  assign replay_end     = replay_step && replay_last;
  assign replay_seq     = replay_end ? replay_seq_q + 20'd1 : replay_seq_q;
  assign replay_pointer = replay_pointer_q + (BeatsLog2+1)'(replay_step);

  plumb_llr_store #(
    .BeatsLog2  (BeatsLog2),
    .FramesLog2 (FramesLog2)
  ) u_store (
    .clk_i             (clk_on_i),
    .write_i           (stored),
    .write_last_i      (s_tlast_i),
    .write_pointer_i   (head_q),
    .write_seq_i       (next_seq[FramesLog2-1:0]),
    .write_data_i      (s_tdata_i),
    .write_last_byte_i (6'(bytes - 7'd1)),
    .write_user_i      (s_user_i),
    .write_bytes_i     (total),
    .write_began_i     (inside_q ? began_q : tick_q),
    .read_i            (replay_read),
    .read_first_i      (replay_begin),
    .read_pointer_i    (replay_pointer[BeatsLog2-1:0]),
    .read_seq_i        (replay_seq[FramesLog2-1:0]),
    .read_data_o       (replay_data),
    .read_last_o       (replay_last),
    .read_last_byte_o  (replay_last_byte),
    .read_user_o       (replay_user),
    .look_i            (look),
    .look_seq_i        (look_seq[FramesLog2-1:0]),
    .look_end_o        (look_end),
    .look_bytes_o      (look_bytes),
    .look_began_o      (look_began)
  );

  // ---- States ----

  logic       pause, idle, restart, exhausted;
  logic [7:0] replays_q;
  logic       leave;      // outstanding frames are given up

  // No frame in hand, and what came of the last one is known. In Advance and Replay this is asked
  // for only while a replay, a flush or the end of LLR is wanted, or a replay has nothing left to
  // send: no eligible frame starts then.
  always_comb begin
    pause     = 1'b0;
    idle      = 1'b0;    // the other states
    restart   = 1'b0;
    exhausted = 1'b0;
    start     = 1'b0;
    leave     = 1'b0;
    if (own || config_i.tx_enable) begin
      pause     = !inside_q && !(head && control_may) && replay_free;
      idle      = !inside_q && !(head && may_pass) && replay_free;
      restart   = pause && replay_wanted_q && (advance || replay) && !flush_wanted_q &&
                  config_i.tx_enable && outstanding != 20'd0;
      exhausted = replays_q == config_i.replay_count_max && !(&replays_q);
      start     = idle && config_i.tx_enable &&
                  (state_q == plumb_llr_pkg::TxOff ||
                   (state_q == plumb_llr_pkg::TxFlush && link_up_i &&
                    (config_i.re_init_on_flush || re_init_q)));
      leave     = pause && (advance || replay) &&
                  (!config_i.tx_enable || flush_wanted_q || (restart && exhausted));
    end
  end

  assign flush_o = leave;

  logic [23:0] idle_q;       // clocks without progress
  logic [31:0] down_q;       // clocks without link
  logic        expired, lost;
  assign expired = config_i.replay_timer != 24'd0 && idle_q >= config_i.replay_timer;
  assign lost    = config_i.pcs_lost != 32'd0 && down_q >= config_i.pcs_lost;

  always_ff @(posedge clk_on_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      state_q          <= plumb_llr_pkg::TxOff;
      replay_wanted_q  <= 1'b0;
      flush_wanted_q   <= 1'b0;
      re_init_q        <= 1'b0;
      echo_q           <= 1'b0;
      replays_q        <= '0;
      replay_seq_q     <= '0;
      replay_pointer_q <= '0;
      replay_left_q    <= '0;
      replaying_q      <= 1'b0;
      replay_first_q   <= 1'b0;
      idle_q           <= '0;
      down_q           <= '0;
    end else if (own || config_i.tx_enable) begin
      unique case (state_q)
        plumb_llr_pkg::TxOff: begin
          if (start) state_q <= plumb_llr_pkg::TxInit;
        end
        plumb_llr_pkg::TxInit: begin
          if (idle && !config_i.tx_enable)     state_q <= plumb_llr_pkg::TxOff;
          else if (idle && echo_q && quiet_i)  state_q <= plumb_llr_pkg::TxAdvance;
        end
        plumb_llr_pkg::TxFlush: begin
          if (idle && !config_i.tx_enable) state_q <= plumb_llr_pkg::TxOff;
          else if (start)                  state_q <= plumb_llr_pkg::TxInit;
        end
        default: begin
          if (leave && !config_i.tx_enable)        state_q <= plumb_llr_pkg::TxOff;
          else if (leave)                          state_q <= plumb_llr_pkg::TxFlush;
          else if (restart)                        state_q <= plumb_llr_pkg::TxReplay;
          else if (replay && replay_done && pause) state_q <= plumb_llr_pkg::TxAdvance;
        end
      endcase

      if (!advance && !replay)       replay_wanted_q <= 1'b0;
      else if (nacked || expired)    replay_wanted_q <= 1'b1;
      else if (pause)                replay_wanted_q <= 1'b0;

      if (!advance && !replay)       flush_wanted_q <= 1'b0;
      else if (too_old || re_init_i || lost)
                                     flush_wanted_q <= 1'b1;

      if (re_init_i)                 re_init_q <= 1'b1;
      else if (start)                re_init_q <= 1'b0;

      if (state_q != plumb_llr_pkg::TxInit) echo_q <= 1'b0;
      else if (echo_i)               echo_q <= 1'b1;

      if (start || progress)         replays_q <= '0;
      else if (restart)              replays_q <= replays_q + 8'(!(&replays_q));

      // Where the replay is: at the oldest frame whenever it starts, and never behind it.
      if (restart || (behind && replay_free)) begin
        replay_seq_q     <= oldest_seq;
        replay_pointer_q <= tail;
        replay_left_q    <= outstanding;
      end else begin
        replay_seq_q     <= replay_seq;
        replay_pointer_q <= replay_pointer;
        if (replay_begin) replay_left_q <= replay_left_q - 20'd1;
      end
      replaying_q <= replay_begin || !replay_free;
      if (replay_begin)     replay_first_q <= 1'b1;
      else if (replay_step) replay_first_q <= 1'b0;

      if (!advance || !link_up_i || outstanding == 20'd0 || progress || expired) idle_q <= '0;
      else                           idle_q <= idle_q + 24'd1;

      if (link_up_i)                 down_q <= '0;
      else if (!(&down_q))           down_q <= down_q + 32'd1;
    end
  end

  // ---- INIT messages ----

  logic [15:0] init_wait_q;
  assign init_o = state_q == plumb_llr_pkg::TxInit && !echo_q && init_wait_q == 16'd0;

  always_ff @(posedge clk_on_i `PLUMB_OR_RESET) begin
    if (!rst_ni)                                    init_wait_q <= '0;
    else if (state_q != plumb_llr_pkg::TxInit)      init_wait_q <= '0;
    else if (init_taken_i)                          init_wait_q <= config_i.init_interval;
    else if (init_wait_q != 16'd0)                  init_wait_q <= init_wait_q - 16'd1;
  end

  // ---- To the MAC ----

  logic        m_beat;
  logic [63:0] crossing_q;   // when a beat of this clock crosses, calibrated
  logic        draining_q;

  assign m_tvalid_o    = replaying_q || (s_tvalid_i && pass && !drop);
  assign m_tdata_o     = replaying_q ? replay_data : s_tdata_i;
  assign m_tkeep_o     = replaying_q ? {64{1'b1}} >> (6'd63 - replay_last_byte) : s_tkeep_i;
  assign m_tlast_o     = replaying_q ? replay_last : s_tlast_i;
  assign m_user_o      = replaying_q ? replay_user : s_user_i;
  assign m_departure_o = (replaying_q || waited_q) ? crossing_q : s_departure_i;
  assign m_replay_o    = replaying_q;
  assign m_sof_o       = replaying_q ? replay_first_q : s_sof_i;
  assign m_beat        = m_tvalid_o && m_tready_i;

  logic [19:0] m_seq;
  assign m_seq = replaying_q ? replay_seq_q : next_seq;
  assign m_preamble_o = (replaying_q || store) ?
      {plumb_llr_pkg::PreambleTail, m_seq[7:0], m_seq[15:8], m_seq[19:16],
       plumb_llr_pkg::EligibleMark} :
      plumb_llr_pkg::OrdinaryPreamble;

  always_ff @(posedge clk_on_i) begin
    if (own) begin
      crossing_q <= now_i + 64'(CrossPs) +
                 {{32{ts_offset_i[31]}}, ts_offset_i};
    end
  end

  plumb_llr_pacer u_pacer (
    .clk_i          (clk_on_i),
    .rst_ni         (rst_ni),
    .enable_i       (own),
    .byte_time_ps_i (config_i.byte_time_ps),
    .beat_i         (own && m_beat),
    .last_i         (m_tlast_o),
    .bytes_i        (replaying_q ? 7'(replay_last_byte) + 7'd1 : bytes),
    .free_o         (line_free)
  );

  always_ff @(posedge clk_on_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      draining_q <= 1'b0;
      hold_o     <= 1'b0;
    end else begin
      draining_q <= own && (blocked_o || (draining_q && !(s_empty_i && line_free)));
      hold_o     <= own && (draining_q || blocked_o || replay || replay_wanted_q ||
                            (advance && (!room || !link_up_i)) ||
                            (filter && action == plumb_llr_pkg::ActionBlock));
    end
  end

  // ---- Events ----

  // In the order of tx_events_t.
  always_comb begin
    events_o = '0;
    if (own) begin
      events_o = {waited_q && beat && s_tlast_i && !drop,  // delayed
                  replay_end,                              // replayed_frame
                  restart && !exhausted,                   // replay
                  stored_last && s_poisoned_i,             // poisoned
                  stored_last && !s_poisoned_i,            // ok
                  drop && beat && s_tlast_i,               // discarded
                  seq_error};
    end
  end

  `PLUMB_ASSERT(Held, m_tvalid_o && !m_tready_i |=>
                m_tvalid_o && $stable(m_tdata_o) && $stable(m_preamble_o))
  `PLUMB_ASSERT(OneSource, !(replaying_q && inside_q && !drop_q))
  `PLUMB_ASSERT(BufferFits, used <= (BeatsLog2+1)'(2**BeatsLog2))

endmodule
