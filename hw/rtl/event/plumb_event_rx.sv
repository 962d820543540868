// Received event frames: copies frames of the Precision Time Protocol with their times into four
// slots, for firmware to read.
//
// A frame is known by its first beat: EtherType 0x88F7 (ethernet_i), or UDP to port 319 or 320 over
// IPv4 without options or fragments, or IPv6 without extension headers, untagged (udp_i). It takes a
// slot with its first beat. It is shown when the receiver has found it good (desc_*); a bad one
// frees its slot, at once if no other frame has come meanwhile, else when the frames before it are
// read. desc_valid_i comes once for each frame, in their order, three clocks behind its last beat or
// later, for at most 32 frames at a time that have ended and have no verdict. The first 128 bytes
// are kept.
//
// event_o is high with desc_valid_i, combinational: the frame is an event frame.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_event_rx (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         ethernet_i,
  input  wire logic         udp_i,
  input  wire logic         clear_i,         // pulse: frees all slots, zeroes the counts
  input  wire logic [31:0]  ts_offset_i,     // signed ps from the MAC boundary to the reference point

  // Received beats
  input  wire logic [511:0] rx_tdata_i,      // byte 0 in bits 7:0
  input  wire logic         rx_tvalid_i,
  input  wire logic         rx_tlast_i,
  input  wire logic [63:0]  rx_time_i,       // of the first beat at the MAC; local time [ps]

  // What the receiver finds of each frame
  input  wire logic         desc_valid_i,    // pulse, with the rest of desc_*
  input  wire logic         desc_good_i,     // FCS right, neither runt nor giant
  input  wire logic [15:0]  desc_length_i,   // bytes with FCS
  input  wire logic [63:0]  desc_time_i,     // at the reference point; card time [ps]
  output      logic         event_o,

  // The first frame
  input  wire logic         take_i,          // pulse: frees its slot
  input  wire logic [4:0]   word_i,          // of its bytes
  output      logic [2:0]   level_o,         // frames to be read
  output      logic [31:0]  data_o,          // two clocks behind word_i, like the next three
  output      logic [13:0]  length_o,        // bytes without FCS
  output      logic [63:0]  time_o,          // card time [ps]
  output      logic [63:0]  local_o,         // local time [ps]

  output      logic [31:0]  count_o,         // good event frames
  output      logic [31:0]  lost_o           // those without a slot
);

  localparam int unsigned FcsBytes = 4;

  // ---- Recognition, with the first beat: what it says in parts, put together a clock later ----
  function automatic logic ptp_port(input logic [15:0] bytes);
    ptp_port = {bytes[7:0], bytes[15:8]} == 16'd319 || {bytes[7:0], bytes[15:8]} == 16'd320;
  endfunction

  logic        inside_q, first, first_q, is_event;
  logic        ptp_q, ipv4_q, ipv6_q, port4_q, port6_q;
  logic [15:0] ethertype;

  assign first     = rx_tvalid_i && !inside_q;
  assign ethertype = {rx_tdata_i[8*12+:8], rx_tdata_i[8*13+:8]};
  assign is_event  = ptp_q || (ipv4_q && port4_q) || (ipv6_q && port6_q);

  always_ff @(posedge clk_i) begin
    if (first) begin
      ptp_q   <= ethernet_i && ethertype == 16'h88f7;
      ipv4_q  <= ethertype == 16'h0800 && rx_tdata_i[8*14+:8] == 8'h45 &&
                 rx_tdata_i[8*20+:6] == 6'd0 && rx_tdata_i[8*21+:8] == 8'd0 &&
                 rx_tdata_i[8*23+:8] == 8'd17;
      ipv6_q  <= ethertype == 16'h86dd && rx_tdata_i[8*14+4+:4] == 4'd6 &&
                 rx_tdata_i[8*20+:8] == 8'd17;
      port4_q <= udp_i && ptp_port(rx_tdata_i[8*36+:16]);
      port6_q <= udp_i && ptp_port(rx_tdata_i[8*56+:16]);
    end
  end

  // ---- Slots: a ring. tail_q is where the next event frame goes. ----
  logic [2:0]  head_q, tail_q, judged_q, tail, used;
  logic [3:0]  good_q;              // a slot's frame is good
  logic        room, room_q, allocate;
  logic        one_free_q, two_free_q;      // slots from tail_q on, by where head_q was a clock ago
  logic [1:0]  slot_q, write_slot;
  logic        slot_open_q, beat1_q, write, second;

  // The frame of one clock ago is only now known to be one.
  assign allocate   = first_q && is_event && room_q;
  assign tail       = tail_q + 3'(allocate);
  assign used       = tail - head_q;
  assign room       = allocate ? two_free_q : one_free_q;
  assign second     = rx_tvalid_i && inside_q && beat1_q;
  assign write_slot = first ? tail[1:0] : slot_q;
  assign write      = (first && room && (ethernet_i || udp_i)) || (second && slot_open_q);

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      inside_q    <= 1'b0;
      first_q     <= 1'b0;
      room_q      <= 1'b0;
      one_free_q  <= 1'b1;
      two_free_q  <= 1'b1;
      beat1_q     <= 1'b0;
      slot_open_q <= 1'b0;
      slot_q      <= '0;
    end else begin
      first_q    <= first;
      one_free_q <= used < 3'd4;
      two_free_q <= used < 3'd3;
      if (rx_tvalid_i) begin
        inside_q <= !rx_tlast_i;
        beat1_q  <= first;
      end
      if (first) begin
        room_q      <= room;
        slot_q      <= tail[1:0];
        slot_open_q <= room && (ethernet_i || udp_i);
      end
    end
  end

  (* ram_style = "distributed" *)
  logic [511:0] beats [0:7];
  logic [1:0]   head_slot;
  assign head_slot = head_q[1:0];

  always_ff @(posedge clk_i) begin
    if (write) beats[{write_slot, second}] <= rx_tdata_i;
  end

  // ---- Times and verdicts ----
  logic [63:0] local_q;

  (* ram_style = "distributed" *)
  logic [63:0] locals [0:3];
  (* ram_style = "distributed" *)
  logic [77:0] found [0:3];         // length, card time

  always_ff @(posedge clk_i) begin
    if (first && (ethernet_i || udp_i)) begin
      local_q <= rx_time_i + {{32{ts_offset_i[31]}}, ts_offset_i};
    end
    if (allocate) locals[slot_q] <= local_q;
  end

  // What each frame between its end and its verdict is: an event frame, and whether it has a slot.
  // A frame of one beat ends before it is known. That of the next verdict is read a clock ahead.
  logic [1:0]  kinds [0:31];
  logic [4:0]  end_q, verdict_q, verdict_next;
  logic        ended_q;
  logic        kind_event_q, kind_slot_q, kind_event, kind_slot;
  logic [1:0]  kind_read_q;

  assign verdict_next = verdict_q + 5'(desc_valid_i);

  assign kind_event = first_q ? is_event : kind_event_q;
  assign kind_slot  = first_q ? allocate : kind_slot_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      ended_q      <= 1'b0;
      end_q        <= '0;
      verdict_q    <= '0;
      kind_event_q <= 1'b0;
      kind_slot_q  <= 1'b0;
    end else begin
      ended_q      <= rx_tvalid_i && rx_tlast_i;
      kind_event_q <= kind_event;
      kind_slot_q  <= kind_slot;
      if (ended_q) end_q <= end_q + 5'd1;
      verdict_q    <= verdict_next;
    end
  end

  always_ff @(posedge clk_i) begin
    if (ended_q) kinds[end_q] <= {kind_slot, kind_event};
    kind_read_q <= kinds[verdict_next];
  end

  assign event_o = kind_read_q[0];

  logic verdict, good, passed, revoke;
  assign verdict = desc_valid_i && kind_read_q[1];
  assign good    = desc_valid_i && kind_read_q[0] && desc_good_i;
  // The last frame was not good, and nothing has been received behind it.
  assign revoke  = verdict && !desc_good_i && tail_q == judged_q + 3'd1 && !inside_q &&
                   !rx_tvalid_i && !first_q;
  // The first slot's frame was not good.
  assign passed  = head_q != judged_q && !good_q[head_slot];

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      head_q   <= '0;
      tail_q   <= '0;
      judged_q <= '0;
      good_q   <= '0;
      level_o  <= '0;
      count_o  <= '0;
      lost_o   <= '0;
    end else begin
      tail_q <= revoke ? judged_q : tail;
      if (verdict && !revoke) begin
        judged_q              <= judged_q + 3'd1;
        good_q[judged_q[1:0]] <= desc_good_i;
      end
      if (clear_i) begin
        head_q  <= judged_q + 3'(verdict && !revoke);
        level_o <= '0;
        count_o <= '0;
        lost_o  <= '0;
      end else begin
        if (passed || (take_i && level_o != 3'd0)) head_q <= head_q + 3'd1;
        level_o <= level_o + 3'(verdict && desc_good_i) - 3'(take_i && level_o != 3'd0 && !passed);
        if (good)                  count_o <= count_o + 32'd1;
        if (good && !kind_read_q[1]) lost_o  <= lost_o + 32'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (verdict) found[judged_q[1:0]] <= {desc_length_i[13:0] - 14'(FcsBytes), desc_time_i};
  end

  // ---- Shown ----
  logic [511:0] shown_beat;

  always_comb begin
    `PLUMB_ANY(shown_beat)
    if (level_o != 3'd0) shown_beat = beats[{head_slot, word_i[4]}];
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      data_o   <= '0;
      length_o <= '0;
      time_o   <= '0;
      local_o  <= '0;
    end else if (level_o != 3'd0) begin
      data_o   <= shown_beat[32*word_i[3:0]+:32];
      {length_o, time_o} <= found[head_slot];
      local_o  <= locals[head_slot];
    end
  end

  logic unused_length;
  assign unused_length = ^desc_length_i[15:14];

  `PLUMB_ASSERT(KindIsRead, desc_valid_i |-> $past(end_q) != verdict_q)
  `PLUMB_ASSERT(VerdictsFit, ended_q |-> end_q + 5'd1 != verdict_q)
  `PLUMB_ASSERT(SlotsFit, used <= 3'd4)

endmodule
