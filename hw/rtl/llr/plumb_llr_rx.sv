// Receiver of link-level retry (docs/card.md, "Link-level retry"): passes on eligible frames once
// each and in order, and asks for what is missing.
//
// While off, the stream passes through wires. While on, frames are stored until their FCS has been
// checked (plumb_llr_rx_buffer) and leave with the time at which they came: the first beat of a
// frame 11 clocks after its last one, if those before it are out by then.
//
//   frame                               what happens to it
//   ordinary preamble                   passed on, good or bad
//   expected number, FCS good           passed on; the next number is expected
//   expected number, FCS poisoned       the same (FCS the complement of the right one)
//   later number                        dropped: some are missing
//   earlier number                      dropped: a duplicate; an ACK is due
//   FCS bad, too long, or preamble
//   neither ordinary nor eligible       dropped: damaged
//
// A missing or damaged frame makes the receiver ask for one NACK; until the expected frame has
// come, further ones are only counted. When that frame itself comes damaged, another NACK is asked
// for. An ACK is asked for when frames have come since the last one, and ack_spacing_i clocks have
// passed since the last ACK or NACK.
//
// An INIT of the peer (init_i) sets the number that is expected. It acts DelayInit clocks later, so
// that the frames before it have had their verdict, even those that took the longer way through the
// damage blocks of either end; before the first INIT eligible frames are dropped.
//
// retry_o reports how long each retry took, from the last beat of the frame that showed the fault
// to the last beat of the good copy, both as they come here, in ps of card time; retry_gap_o says
// that the fault was a missing frame, not a damaged one.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_llr_rx (
  // Clock, reset (active low), card time
  input  logic                      clk_i,
  input  logic                      clk_on_i,       // the same clock; may rest while LLR is off
  input  logic                      rst_ni,
  input  logic [47:0]               now_i,          // ps, of the edge that begins the clock

  // Configuration
  input  logic                      enable_i,       // level; switches between frames
  input  logic [15:0]               ack_spacing_i,  // clocks between an ACK or NACK and the next
                                                    // ACK
  input  logic                      nack_once_i,    // level: no further NACK for the frame of the
                                                    // last one

  // Frames from the MAC: AXI4-Stream without tready
  input  logic [511:0]              s_tdata_i,      // byte 0 in bits 7:0
  input  logic [63:0]               s_tkeep_i,      // per byte; all ones but in a last beat
  input  logic                      s_tvalid_i,
  input  logic                      s_tlast_i,
  input  logic [55:0]               s_preamble_i,   // with the first beat: D1 to D7, D1 lowest
  input  logic [63:0]               s_time_i,       // of the first beat at the MAC, card time in ps

  // Those that are passed on, to the receiver of the port
  output logic [511:0]              m_tdata_o,
  output logic [63:0]               m_tkeep_o,
  output logic                      m_tvalid_o,
  output logic                      m_tlast_o,
  output logic [63:0]               m_time_o,       // s_time_i of the frame's first beat

  // Messages
  input  logic                      init_i,         // pulse: an INIT came
  input  logic [19:0]               init_seq_i,     // with init_i: number that is expected next
  output logic                      ack_o,          // level: send an ACK
  output logic                      nack_o,         // level: send a NACK
  output logic [19:0]               last_good_o,    // number for either: the last frame received in
                                                    // order
  input  logic                      ack_taken_i,    // pulse: the ACK goes
  input  logic                      nack_taken_i,   // pulse: the NACK goes

  // Observation
  output logic                      on_o,           // level: frames are stored, not passed through
                                                    // wires
  output logic [1:0]                state_o,        // plumb_llr_pkg::Rx...
  output plumb_llr_pkg::rx_events_t events_o,       // a pulse per counter
  output logic                      retry_o,        // pulse: a retry has ended, with the next two
  output logic                      retry_gap_o,    // 1: the frame was missing, 0: damaged
  output logic [47:0]               retry_ps_o      // how long the retry took, ps
);

  localparam int unsigned BeatsLog2 = 9;
  localparam int unsigned DelayInit = 24;
  localparam int unsigned RecordW = 64 + 48 + (BeatsLog2 + 1) + 1 + 1 + 1 + 20;

  // ---- On and off between frames ----

  logic inside_q, midway, on_q, empty, valid_q, switches;
  assign midway = (inside_q || s_tvalid_i) && !(s_tvalid_i && s_tlast_i);

  always_comb begin
    switches = 1'b0;
    if (enable_i || on_q) begin
      switches = enable_i != on_q && !midway &&
                 (!on_q || (empty && !s_tvalid_i && !valid_q));
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      on_q     <= 1'b0;
    end else begin
      if (s_tvalid_i) inside_q <= midway;
      if (switches)   on_q     <= enable_i;
    end
  end

  // ---- Clock 1: the frame as it comes ----

  logic         first_q, last_q, ordinary_q, eligible_q;
  logic [511:0] data_q;
  logic [6:0]   bytes_q;
  logic [5:0]   last_byte_q;   // bytes_q - 1, from tkeep by itself: the checksum's shift is the
                               // complement, and would else wait for the difference
  logic [63:0]  stamp_q;
  logic [47:0]  time_q;
  logic [19:0]  seq_q;
  logic         frame;

  always_ff @(posedge clk_on_i `PLUMB_OR_RESET) begin
    if (!rst_ni) valid_q <= 1'b0;
    else         valid_q <= on_q && s_tvalid_i;
  end

  always_ff @(posedge clk_on_i) begin
    if (on_q && s_tvalid_i) begin
      first_q <= !inside_q;
      last_q  <= s_tlast_i;
      data_q  <= s_tdata_i;
      bytes_q <= s_tlast_i ? plumb_pkg::kept_bytes(s_tkeep_i) : 7'd64;
      last_byte_q <= s_tlast_i ? 6'(plumb_pkg::kept_bytes({1'b0, s_tkeep_i[63:1]})) : 6'd63;
      time_q  <= now_i;
      if (!inside_q) begin
        stamp_q    <= s_time_i;
        ordinary_q <= s_preamble_i == plumb_llr_pkg::OrdinaryPreamble;
        eligible_q <= s_preamble_i[55:24] == plumb_llr_pkg::PreambleTail &&
                      s_preamble_i[3:0] == plumb_llr_pkg::EligibleMark;
        seq_q      <= {s_preamble_i[7:4], s_preamble_i[15:8], s_preamble_i[23:16]};
      end
    end
  end

  assign frame = valid_q && last_q;

  // ---- FCS ----

  logic        crc_valid;
  logic [31:0] crc;

  plumb_crc32 u_fcs (
    .clk_i       (clk_on_i),
    .rst_ni      (rst_ni),
    .valid_i     (valid_q),
    .first_i     (first_q),
    .last_i      (last_q),
    .data_i      (first_q ? {data_q[511:32], data_q[31:0] ^ plumb_crc32_pkg::FcsInit} : data_q),
    .bytes_i     (bytes_q),
    .crc_valid_o (crc_valid),
    .crc_o       (crc)
  );

  // What is known of a frame waits for its checksum.
  logic [BeatsLog2:0] frame_end;
  logic               too_long;
  (* ram_style = "distributed" *)
  logic [RecordW-1:0] records [0:15];
  logic [3:0]         record_write_q, record_read_q;
  logic [RecordW-1:0] record_q;
  logic               checked_q, good_q, poisoned_q;

  always_ff @(posedge clk_on_i) begin
    if (frame) begin
      records[record_write_q] <= {stamp_q, time_q, frame_end, too_long, ordinary_q, eligible_q,
                                  seq_q};
    end
    if (crc_valid) begin
      record_q   <= records[record_read_q];
      good_q     <= crc == plumb_crc32_pkg::Crc32Residue;
      poisoned_q <= crc == plumb_llr_pkg::PoisonResidue;
    end
  end

  always_ff @(posedge clk_on_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      record_write_q <= '0;
      record_read_q  <= '0;
      checked_q      <= 1'b0;
    end else begin
      if (frame)     record_write_q <= record_write_q + 4'd1;
      if (crc_valid) record_read_q  <= record_read_q + 4'd1;
      checked_q <= crc_valid;
    end
  end

  // ---- Verdict ----

  logic [63:0]        stamp;
  logic [47:0]        came;
  logic [BeatsLog2:0] its_end;
  logic               its_long, ordinary, eligible;
  logic [19:0]        seq;
  assign {stamp, came, its_end, its_long, ordinary, eligible, seq} = checked_q ? record_q : '0;

  logic [1:0]  state_q;
  logic [19:0] expected_q;
  logic        judged, usable, same, below, is_expected, is_ahead, is_behind;
  logic        accept, missing, damaged, again;

  // A preamble that is neither has no number to go by. That it is the expected one need not wait
  // for the difference.
  assign below       = 1'(20'(seq - expected_q) >> 19);
  assign same        = seq == expected_q;
  assign judged      = checked_q && !ordinary && state_q != plumb_llr_pkg::RxOff;
  assign usable      = eligible && !its_long && (good_q || poisoned_q);
  assign is_expected = eligible && same;
  assign is_behind   = eligible && below;
  assign is_ahead    = eligible && !below && !same;
  assign accept      = judged && usable && is_expected;
  assign missing     = judged && is_ahead && state_q == plumb_llr_pkg::RxSendAcks;
  assign damaged     = judged && !usable && !is_behind && state_q == plumb_llr_pkg::RxSendAcks;
  assign again       = judged && !usable && is_expected && state_q == plumb_llr_pkg::RxNackSent &&
                       !nack_once_i;

  logic        init_now, ack_due_q;
  logic [4:0]  init_wait_q;
  logic [19:0] init_seq_q;
  logic [15:0] spacing_q;
  logic [47:0] fault_q;
  logic        gap_q;

  assign init_now = init_wait_q == 5'd1;

  always_ff @(posedge clk_on_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      state_q     <= plumb_llr_pkg::RxOff;
      expected_q  <= '0;
      ack_due_q   <= 1'b0;
      init_wait_q <= '0;
      spacing_q   <= '0;
    end else if (on_q || enable_i) begin
      if (init_i)                   init_wait_q <= 5'(DelayInit);
      else if (init_wait_q != 5'd0) init_wait_q <= init_wait_q - 5'd1;

      if (!on_q || !enable_i)               state_q <= plumb_llr_pkg::RxOff;
      else if (init_now || accept)          state_q <= plumb_llr_pkg::RxSendAcks;
      else if (missing || damaged || again) state_q <= plumb_llr_pkg::RxSendNack;
      else if (nack_taken_i && state_q == plumb_llr_pkg::RxSendNack)
                                                                state_q <= plumb_llr_pkg::RxNackSent;

      if (init_now)    expected_q <= init_seq_q;
      else if (accept) expected_q <= expected_q + 20'd1;

      if (init_now || state_q == plumb_llr_pkg::RxOff) ack_due_q <= 1'b0;
      else if (accept || (judged && is_behind))        ack_due_q <= 1'b1;
      else if (ack_taken_i || nack_taken_i)            ack_due_q <= 1'b0;

      if (ack_taken_i || nack_taken_i) spacing_q <= ack_spacing_i;
      else if (spacing_q != 16'd0)     spacing_q <= spacing_q - 16'd1;
    end
  end

  always_ff @(posedge clk_on_i) begin
    if (init_i) init_seq_q <= init_seq_i;
    if (missing || damaged) begin
      fault_q <= came;
      gap_q   <= !damaged;
    end
  end

  assign on_o        = on_q;
  assign state_o     = state_q;
  assign last_good_o = expected_q - 20'd1;
  assign ack_o       = state_q == plumb_llr_pkg::RxSendAcks && ack_due_q && spacing_q == 16'd0;
  assign nack_o      = state_q == plumb_llr_pkg::RxSendNack;

  always_ff @(posedge clk_on_i `PLUMB_OR_RESET) begin
    if (!rst_ni) retry_o <= 1'b0;
    else         retry_o <= accept && state_q != plumb_llr_pkg::RxSendAcks && !init_now;
  end

  always_ff @(posedge clk_on_i) begin
    if (accept) begin
      retry_ps_o  <= came - fault_q;
      retry_gap_o <= gap_q;
    end
  end

  // In the order of rx_events_t.
  always_comb begin
    events_o = '0;
    if (checked_q) begin
      events_o = {!ordinary && !accept && usable && !is_behind && !missing,  // discarded
                  accept && state_q != plumb_llr_pkg::RxSendAcks,            // replay
                  judged && is_behind,                                       // duplicate_seq
                  missing,                                                   // missing_seq
                  judged && !usable && is_expected,                          // expected_bad
                  accept && poisoned_q,                                      // expected_poisoned
                  accept && good_q,                                          // expected_good
                  judged && !usable,                                         // bad
                  judged && usable && poisoned_q,                            // poisoned
                  judged && usable && good_q};                               // ok
    end
  end

  // ---- Buffer and way out ----

  logic [511:0] held_data;
  logic [63:0]  held_keep, held_stamp;
  logic         held_valid, held_last;

  plumb_llr_rx_buffer #(
    .BeatsLog2 (BeatsLog2)
  ) u_buffer (
    .clk_i           (clk_on_i),
    .rst_ni          (rst_ni),
    .beat_i          (valid_q),
    .last_i          (last_q),
    .last_byte_i     (last_byte_q),
    .data_i          (data_q),
    .end_o           (frame_end),
    .long_o          (too_long),
    .verdict_i       (checked_q),
    .keep_i          (ordinary || accept),
    .verdict_end_i   (its_end),
    .verdict_stamp_i (stamp),
    .tvalid_o        (held_valid),
    .tlast_o         (held_last),
    .tkeep_o         (held_keep),
    .tdata_o         (held_data),
    .stamp_o         (held_stamp),
    .empty_o         (empty)
  );

  assign m_tvalid_o  = on_q ? held_valid : s_tvalid_i;
  assign m_tlast_o   = on_q ? held_last : s_tlast_i;
  assign m_tkeep_o   = on_q ? held_keep : s_tkeep_i;
  assign m_tdata_o   = on_q ? held_data : s_tdata_i;
  assign m_time_o    = on_q ? held_stamp : s_time_i;

  `PLUMB_ASSERT(OneMessage, !(ack_o && nack_o))

endmodule
