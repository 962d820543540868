// Credit-based flow control, sending side: what the receiver at the other end of the link has room
// for, per virtual channel (= priority), and so the longest frame that may go.
//
// A frame costs ceil((length + overhead) / credit size) credits, which are in use from its sending
// until a CF_Update says that they were freed. It may go if credits in use + cost <= limit, which
// is the same as length + overhead <= room in bytes: limit_o, per channel, all ones if the channel
// is not under credit control.
//
//   clock   t               t + 1          t + 2       t + 3     t + 4      t + 5
//           frame decided   sent_i; cost   used_o      room      in bytes   limit_o
//                                          busy_o ..             .. busy_o
//
// A channel with at least 2^15 bytes of room is never busy: frames that can be decided within five
// clocks need less than that. A channel with less is busy for three clocks behind each of its
// frames. Costs follow configuration a clock later, limits follow it and freed credits within
// 12 clocks.
//
// CF_Update (cf_i with the ordered set): totals of freed credits modulo 2^15, for two channels. The
// difference to the total before comes back; more than is in use is an error (error_o) and clears
// what is in use. A total waits for its turn, one channel a clock while no frame is sent; a newer
// one of the same channel takes its place. So sets may come every clock.
//
// consumed_o are the totals of credits consumed, modulo 2^20, right two clocks behind a decision:
// what CC_Update carries. reset_i puts all totals and credits in use to zero.
`include "plumb_simulated.svh"

module plumb_fc_credit_tx (
  // Clock and reset (active low)
  input  logic            clk_i,
  input  logic            clk_on_i,         // the same clock; may rest while no channel is enabled
  input  logic            rst_ni,
  input  logic            reset_i,          // pulse: zeroes all totals and credits in use

  // Configuration: levels
  input  logic [7:0]      enable_i,         // channels under credit control, one bit each
  input  logic [3:0]      credit_log2_i,    // a credit is 2^n bytes, n from 5 to 11
  input  logic [7:0]      overhead_i,       // signed bytes per frame beside its length
  input  logic [8*32-1:0] credits_i,        // credit limits, 20 bits in 32 each

  // The frame that may go next
  input  logic [13:0]     root_length_i,    // bytes with FCS
  input  logic [2:0]      root_priority_i,  // its channel
  input  logic            sent_i,           // pulse, a clock later: it was sent

  // To the gate
  output logic [8*14-1:0] limit_o,          // 14 bits per channel: longest frame with credit, bytes
  output logic [7:0]      busy_o,           // level, bit per channel: limit_o is not valid yet

  // Ordered sets received
  input  logic            cf_i,             // pulse: a set of any kind
  input  logic [63:0]     cf_data_i,        // with cf_i, D0 in bits 7:0
  output logic            cf_taken_o,       // combinational: it was a CF_Update

  // Observation
  output logic            error_o,          // pulse: more was freed than was in use
  output logic [8*20-1:0] used_o,           // 20 bits per channel: credits in use
  output logic [8*20-1:0] consumed_o        // 20 bits per channel: credits sent, modulo 2^20
);

  // Cost of the root, in case it goes. What configuration adds to its length is summed up before.
  logic        active;             // a level of the configuration: a clock later does
  logic [15:0] rounding_q, bytes;
  logic [15:0] fine_q;             // bytes shifted by the low bits of the credit's size
  logic [14:0] cost;
  logic [2:0]  priority_q;

  always_ff @(posedge clk_on_i `PLUMB_OR_RESET) begin
    if (!rst_ni) active <= 1'b0;
    else         active <= |enable_i;
  end

  assign bytes  = !active ? '0 : 16'(root_length_i) + rounding_q;

  always_ff @(posedge clk_i) begin
    ample_mask_q <= ~(21'h7fff >> credit_log2_i);
    rounding_q   <= {{8{overhead_i[7]}}, overhead_i} + ~(16'hffff << credit_log2_i);
  end

  always_ff @(posedge clk_on_i) begin
    if (active) begin
      fine_q     <= (bytes[15] ? 16'd0 : bytes) >> credit_log2_i[1:0];
      priority_q <= root_priority_i;
    end
  end

  // The root's length comes late: the rest of the shift is for the next clock.
  assign cost = 15'(fine_q >> {credit_log2_i[3:2], 2'b00});

  // Totals that wait to be applied, by channel; the next one stands ready, with its difference to the
  // last one. Both halves of a set may name the same channel; a channel that this card does not have
  // is passed over.
  logic            cf, due_q, take, apply;
  logic [7:0]      first_hit, second_hit, waiting_q, pick;
  logic [8*15-1:0] waiting_total_q;
  logic [2:0]      pick_channel, due_channel_q;
  logic [14:0]     due_total_q, due_freed_q;
  logic [39:0]     halves;

  // One comparison: a chain of conditions would stay one.
  assign cf     = {cf_i, active, cf_data_i[15:0]} == {2'b11, 16'h104b};
  // Channel and total: five and fifteen bits, the last four in the upper half of the third byte.
  assign halves = {cf_data_i[47:40], cf_data_i[55:48], cf_data_i[63:60],
                   cf_data_i[23:16], cf_data_i[31:24], cf_data_i[39:36]};
  assign first_hit  = {8{cf && halves[19:18] == 2'd0}} & (8'd1 << halves[17:15]);
  assign second_hit = {8{cf && halves[39:38] == 2'd0}} & (8'd1 << halves[37:35]);
  assign cf_taken_o = cf;

  logic unused_bits;
  assign unused_bits = ^{cf_data_i[59:56], cf_data_i[35:32], credits_i};

  // The lowest channel that waits.
  always_comb begin
    pick_channel = 3'd7;
    for (int unsigned v = 7; v > 0; v--) begin
      if (waiting_q[v-1]) pick_channel = 3'(v - 1);
    end
  end
  assign pick  = 8'd1 << pick_channel;
  assign apply = due_q && !sent_i;
  assign take  = waiting_q != '0 && (!due_q || apply);

  // The last total is the one that is applied in this clock, if it is of the same channel.
  logic [8*15-1:0] freed_q;           // last totals
  logic [14:0]     next_total, last_total;

  always_comb begin
    next_total = '0;
    last_total = '0;
    if (take) begin
      next_total = plumb_pkg::pick15(waiting_total_q, pick_channel);
      last_total = (apply && due_channel_q == pick_channel && enable_i[pick_channel])
                       ? due_total_q : plumb_pkg::pick15(freed_q, pick_channel);
    end
  end

  always_ff @(posedge clk_on_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      waiting_q <= '0;
      due_q     <= 1'b0;
    end else if (reset_i || !active) begin
      waiting_q <= '0;
      due_q     <= 1'b0;
    end else begin
      waiting_q <= (waiting_q & ~(take ? pick : 8'd0)) | first_hit | second_hit;
      due_q     <= take || (due_q && !apply);
    end
  end

  always_ff @(posedge clk_on_i) begin
    if (cf) begin
      for (int unsigned v = 0; v < 8; v++) begin
        if (second_hit[v])     waiting_total_q[15*v +: 15] <= halves[34:20];
        else if (first_hit[v]) waiting_total_q[15*v +: 15] <= halves[14:0];
      end
    end
    if (take) begin
      due_channel_q <= pick_channel;
      due_total_q   <= next_total;
      due_freed_q   <= next_total - last_total;
    end
  end

  // One channel at a time: a frame that was sent, or freed credits.
  logic [8*20-1:0] used_q, consumed_q;
  // Both are worked out, as sent_i comes late.
  logic [2:0]      channel;
  logic [20:0]     left;              // credits in use without the freed ones, if that is not negative
  logic [19:0]     spent, next_used;

  assign channel = sent_i ? priority_q : due_channel_q;
  assign error_o = apply && left[20];

  always_comb begin
    spent = '0;
    left  = '0;
    if (active) spent = plumb_pkg::pick20(used_q, priority_q) + 20'(cost);
    if (due_q)  left  = 21'(plumb_pkg::pick20(used_q, due_channel_q)) - 21'(due_freed_q);
    if (sent_i) next_used = spent;
    else        next_used = left[20] ? 20'd0 : left[19:0];
  end

  always_ff @(posedge clk_on_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      used_q     <= '0;
      consumed_q <= '0;
      freed_q    <= '0;
    end else if (reset_i) begin
      used_q     <= '0;
      consumed_q <= '0;
      freed_q    <= '0;
    end else if (active && (sent_i || apply)) begin
      for (int unsigned v = 0; v < 8; v++) begin
        if (channel == 3'(v) && enable_i[v]) begin
          used_q[20*v +: 20] <= next_used;
          if (sent_i) consumed_q[20*v +: 20] <= consumed_q[20*v +: 20] + 20'(cost);
          else        freed_q[15*v +: 15]    <= due_total_q;
        end
      end
    end
  end

  // Limits: of the channel that has changed, or of one after the other. Room beyond 2^15 bytes is
  // treated as 2^15.
  logic        changed_q;
  logic [2:0]  changed_channel_q, turn_q, look, look_q, bytes_look_q;
  logic [20:0] room_q, ample_mask_q;   // the mask: bits that make room for 2^15 bytes or more
  logic [14:0] room_bytes;        // low bits
  logic [15:0] room_bytes_q;      // at most 2^15
  logic [16:0] payable;
  logic [19:0] look_credits, look_used;

  assign look = changed_q ? changed_channel_q : turn_q;

  always_comb begin
    look_credits = '0;
    look_used    = '0;
    room_bytes   = '0;
    payable      = '0;
    if (active) begin
      look_credits = credits_i[32*look +: 20];
      look_used    = plumb_pkg::pick20(used_q, look);
      room_bytes   = 15'(room_q) << credit_log2_i;
      payable      = {1'b0, room_bytes_q} - {{9{overhead_i[7]}}, overhead_i};
    end
  end

  // The channel's own change is looked at in the clock after it, another's turn comes in between.
  always_ff @(posedge clk_on_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      changed_q <= 1'b0;
      turn_q    <= '0;
    end else if (active) begin
      changed_q <= sent_i || apply;
      turn_q    <= turn_q + 3'd1;
    end
  end

  always_ff @(posedge clk_on_i) begin
    if (active) begin
      changed_channel_q <= channel;
      look_q            <= look;
      bytes_look_q      <= look_q;
      room_bytes_q      <= (|(room_q & ample_mask_q)) ? 16'h8000 : {1'b0, room_bytes};
      room_q            <= (look_credits > look_used) ? 21'(look_credits - look_used) : '0;
    end
  end

  logic [7:0]      ample_q, busy1_q, busy2_q, busy3_q, spend;
  logic [8*14-1:0] limit_q;

  assign spend = (active && sent_i) ? (8'd1 << priority_q) & enable_i & ~ample_q : '0;

  always_ff @(posedge clk_on_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      ample_q <= '0;
      busy1_q <= '0;
      busy2_q <= '0;
      busy3_q <= '0;
      limit_q <= '1;
    end else if (!active) begin
      ample_q <= '0;
      busy1_q <= '0;
      busy2_q <= '0;
      busy3_q <= '0;
      limit_q <= '1;
    end else begin
      busy1_q <= spend;
      busy2_q <= busy1_q;
      busy3_q <= busy2_q;
      for (int unsigned v = 0; v < 8; v++) begin
        if (bytes_look_q == 3'(v)) begin
          ample_q[v]          <= enable_i[v] && room_bytes_q[15];
          limit_q[14*v +: 14] <= !enable_i[v]       ? '1 :
                                 payable[16]        ? '0 :
                                 (|payable[15:14])  ? '1 : payable[13:0];
        end
      end
    end
  end

  assign limit_o    = limit_q;
  assign busy_o     = busy1_q | busy2_q | busy3_q;
  assign used_o     = used_q;
  assign consumed_o = consumed_q;

endmodule
