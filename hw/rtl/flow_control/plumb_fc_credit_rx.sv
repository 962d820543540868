// Credit-based flow control, receiving side: counts the credits that arriving frames consume and
// those that the virtual receive buffer frees, per channel, and tells the sender in CF_Updates.
//
// A frame's cells are its credits (plumb_fc_buffer with cells of a credit); one that found no room
// counts as overrun and frees its credits at once. A CC_Update says what the sender has consumed:
// what did not arrive of it was lost on the way, counts as recovered and is freed. A total below
// what has arrived is an error (error_o) and is not used. cc_update_i is delayed here by the three
// clocks that the frames before it still need in the buffer; what was lost is freed a
// clock later, before a frame behind it can get there.
//
// A CF_Update leaves for one or two channels when their total has changed and min_i clocks have
// passed since the last one; after max_i clocks (if not zero) all channels' totals are sent again,
// so that a lost one does no lasting harm. A set that names one channel names it twice.
//
// reset_i puts all totals to zero.
`include "plumb_simulated.svh"

module plumb_fc_credit_rx (
  // Clock and reset (active low)
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            reset_i,              // pulse: zeroes all totals

  // Configuration: levels
  input  logic [7:0]      enable_i,             // one bit per channel
  input  logic [31:0]     min_i,                // clocks between two CF_Updates at least
  input  logic [31:0]     max_i,                // clocks until all are sent again, 0: never

  // The virtual receive buffer: arrivals and what drains
  input  logic            taken_i,              // pulse: a frame had room
  input  logic            dropped_i,            // pulse: a frame had none
  input  logic [2:0]      priority_i,           // with either pulse: its channel
  input  logic [13:0]     cells_i,              // with either pulse: its credits
  input  logic            freed_i,              // pulse, with the next two
  input  logic [2:0]      freed_priority_i,     // channel
  input  logic [19:0]     freed_cells_i,        // credits

  // CC_Update received
  input  logic            cc_update_i,          // pulse
  input  logic [159:0]    cc_counts_i,          // three clocks steady: sent, 20 bits per channel

  // CF_Update to be sent
  output logic            cf_valid_o,           // level: a set waits
  output logic [63:0]     cf_data_o,            // the ordered set, D0 in bits 7:0
  input  logic            cf_ready_i,           // taken in this clock

  // Observation
  output logic            recovered_o,          // pulse, one channel after the other
  output logic [19:0]     recovered_credits_o,  // with recovered_o: lost on the way
  output logic            error_o,              // pulse: a CC_Update below what has arrived
  output logic [8*20-1:0] consumed_o,           // 20 bits per channel: credits arrived, modulo 2^20
  output logic [8*20-1:0] freed_o               // 20 bits per channel: credits freed, modulo 2^20
);

  // ---- Totals ----
  logic            cc1_q, cc2_q, cc3_q, cc4_q;
  logic            active;
  logic [8*20-1:0] consumed_q, freed_q, lost_q;
  logic [7:0]      changed, wrong, lost_here, losses_q;

  assign active = |enable_i;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      cc1_q <= 1'b0;
      cc2_q <= 1'b0;
      cc3_q <= 1'b0;
      cc4_q <= 1'b0;
    end else begin
      cc1_q <= cc_update_i && active && !reset_i;
      cc2_q <= cc1_q && !reset_i;
      cc3_q <= cc2_q && !reset_i;
      cc4_q <= cc3_q && !reset_i;
    end
  end

  logic [8*20-1:0] lost;
  logic [7:0]      overruns, frees;

  always_comb begin
    lost      = '0;
    wrong     = '0;
    lost_here = '0;
    if (cc3_q) begin
      for (int unsigned v = 0; v < 8; v++) begin
        lost[20*v +: 20] = cc_counts_i[20*v +: 20] - consumed_q[20*v +: 20];
        wrong[v]         = enable_i[v] && lost[20*v+19];
        lost_here[v]     = enable_i[v] && !lost[20*v+19] && lost[20*v +: 20] != '0;
      end
    end
  end

  assign overruns = dropped_i ? (8'd1 << priority_i) & enable_i : '0;
  assign frees    = freed_i ? (8'd1 << freed_priority_i) & enable_i : '0;
  assign changed  = overruns | frees | (cc4_q ? losses_q : 8'd0);

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      consumed_q <= '0;
      freed_q    <= '0;
    end else if (reset_i) begin
      consumed_q <= '0;
      freed_q    <= '0;
    end else if (active) begin
      for (int unsigned v = 0; v < 8; v++) begin
        if (lost_here[v]) begin
          consumed_q[20*v +: 20] <= cc_counts_i[20*v +: 20];
        end else if ((taken_i || dropped_i) && priority_i == 3'(v) && enable_i[v]) begin
          consumed_q[20*v +: 20] <= consumed_q[20*v +: 20] + 20'(cells_i);
        end
        if (changed[v]) begin
          freed_q[20*v +: 20] <= freed_q[20*v +: 20] +
                                 (overruns[v] ? 20'(cells_i) :
                                  cc4_q ? lost_q[20*v +: 20] : 20'd0) +
                                 (frees[v] ? freed_cells_i : 20'd0);
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (cc3_q) begin
      losses_q <= lost_here;
      for (int unsigned v = 0; v < 8; v++) begin
        lost_q[20*v +: 20] <= lost_here[v] ? lost[20*v +: 20] : 20'd0;
      end
    end
  end

  assign error_o    = |wrong;
  assign consumed_o = consumed_q;
  assign freed_o    = freed_q;

  // What was recovered, one channel a clock.
  logic [3:0] report_q;   // 8: none
  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni)               report_q <= 4'd8;
    else if (cc3_q)            report_q <= 4'd0;
    else if (!report_q[3])     report_q <= report_q + 4'd1;
  end

  always_comb begin
    recovered_credits_o = '0;
    if (!report_q[3]) recovered_credits_o = plumb_pkg::pick20(lost_q, report_q[2:0]);
  end
  assign recovered_o = recovered_credits_o != '0;

  // ---- CF_Updates: wait, look for one or two channels with news, send ----
  typedef enum logic [1:0] { StWait, StLook, StBuild, StSend } state_e;

  state_e      state_q;
  logic [31:0] clocks_q;
  logic [7:0]  news_q, told;
  logic [2:0]  look_q, first_q, second_q;
  logic [3:0]  looked_q;
  logic        found_q, resend;
  logic [14:0] first_total, second_total;

  always_comb begin
    resend = 1'b0;
    if (active) resend = max_i != '0 && clocks_q >= max_i && state_q == StWait;
  end
  assign told   = (state_q == StBuild) ? (8'd1 << first_q) | (8'd1 << second_q) : '0;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      state_q  <= StWait;
      clocks_q <= '0;
      news_q   <= '0;
      look_q   <= '0;
      looked_q <= '0;
      found_q  <= 1'b0;
      first_q  <= '0;
      second_q <= '0;
    end else if (reset_i || !active) begin
      state_q  <= StWait;
      clocks_q <= '0;
      news_q   <= '0;
    end else begin
      // Later news are not lost: they come again when told in the very clock.
      news_q   <= (news_q & ~told) | changed | (resend ? enable_i : '0);
      if (!(&clocks_q)) clocks_q <= clocks_q + 32'd1;
      unique case (state_q)
        StWait: begin
          looked_q <= '0;
          found_q  <= 1'b0;
          if (clocks_q >= min_i && news_q != '0) state_q <= StLook;
        end
        StLook: begin
          look_q   <= look_q + 3'd1;
          looked_q <= looked_q + 4'd1;
          if (news_q[look_q]) begin
            found_q  <= 1'b1;
            second_q <= look_q;
            if (!found_q) first_q <= look_q;
          end
          if ((news_q[look_q] && found_q) || looked_q == 4'd7) state_q <= StBuild;
        end
        StBuild: begin
          clocks_q <= '0;
          state_q  <= StSend;
        end
        StSend: if (cf_ready_i) state_q <= StWait;
        default: state_q <= StWait;
      endcase
    end
  end

  assign first_total  = 15'(plumb_pkg::pick20(freed_q, first_q));
  assign second_total = 15'(plumb_pkg::pick20(freed_q, second_q));

  always_ff @(posedge clk_i) begin
    if (state_q == StBuild) begin
      cf_data_o <= {second_total[3:0], 4'h0, second_total[11:4],
                    2'b00, second_q, second_total[14:12],
                    first_total[3:0], 4'h6, first_total[11:4],
                    2'b00, first_q, first_total[14:12],
                    8'h10, 8'h4b};
    end
  end

  assign cf_valid_o = state_q == StSend;

endmodule
