// Pause state of the eight priorities of one direction, from its PFC frames: the pauses that were
// received, or those that the port has sent.
//
// A frame with time > 0 for an enabled priority (XOFF) pauses it for time · 64 byte times from the
// clock after frame_i, exact in ps of card time; time 0 (XON) ends the pause; a new XOFF replaces
// what is left. paused_o follows that, at its beginning and at its end, two clocks late: it is high
// until the first clock whose second-last card time is at or after until_o.
// cnt_paused_ps_o counts the same intervals in ps, not the clocks of paused_o: an XOFF that runs
// out counts its time exactly. Setting the card time does not disturb running pauses.
//
// start_o and end_o say, as paused_o changes, which priorities became paused by it and which
// are no longer, and event_time_o when: the time of a frame's effect, or of the first clock edge at
// or after the end of a pause that ran out.
//
// Takes a frame every clock. clear_i holds the counters at zero and leaves the pauses alone.
module plumb_pfc_timers (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic [63:0]     now_i,
  input  logic            clear_i,
  input  logic [31:0]     byte_time_ps_i,
  input  logic            frame_i,
  input  logic [135:0]    body_i,      // classes (low byte of the vector), times: as on the wire
  output logic [7:0]      paused_o,
  output logic [8*64-1:0] until_o,     // when the last XOFF runs out, in card time
  output logic [7:0]      start_o,
  output logic [7:0]      end_o,
  output logic [63:0]     event_time_o,
  output logic [8*64-1:0] cnt_xoff_o,
  output logic [8*64-1:0] cnt_xon_o,
  output logic [8*64-1:0] cnt_paused_ps_o
);

  localparam int unsigned LeftW = 54;        // 65535 quanta of 64 bytes of 2^32 - 1 ps
  localparam logic [12:0] UsualStep = 13'(plumb_pkg::ClockPeriodNum / plumb_pkg::ClockPeriodDen);

  // Card time that passed between two clocks. A jump is not the passing of time.
  logic [63:0] last_now_q;
  logic [63:0] step;
  logic [12:0] step_q;

  assign step = now_i - last_now_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_now_q <= '0;
      step_q     <= UsualStep;
    end else begin
      last_now_q <= now_i;
      step_q     <= (|step[63:13]) ? UsualStep : step[12:0];
    end
  end

  // The product takes two clocks.
  logic [1:0] load_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) load_q <= 2'b00;
    else         load_q <= {load_q[0], frame_i};
  end

  // Nothing moves while there is neither a pause nor a frame.
  logic [7:0] starts, ends;
  logic       moves;

  assign moves = (|paused_o) || load_q[1];

  for (genvar p = 0; p < 8; p++) begin : gen_priority
    logic [15:0]      quanta;
    logic             enable1_q;
    logic             enable2_q;
    logic [47:0]      product1_q;
    logic [47:0]      product2_q;
    logic             lasts2_q;    // product2_q is not zero
    logic             load;
    logic             xoff;
    logic [LeftW-1:0] left_q;      // of the pause, in ps
    logic             paused_q;
    logic             expires;
    logic [63:0]      until_q;
    logic [63:0]      xoff_q;
    logic [63:0]      xon_q;
    logic [63:0]      paused_ps_q;

    assign quanta  = {body_i[16*p+8+:8], body_i[16*p+16+:8]};
    assign load    = moves && load_q[1] && enable2_q;
    assign xoff    = load && lasts2_q;
    assign expires = moves && left_q <= LeftW'(step_q);

    assign starts[p] = xoff && !paused_q;
    assign ends[p]   = paused_q && (load ? !xoff : expires);

    always_ff @(posedge clk_i) begin
      if (frame_i) begin
        enable1_q  <= body_i[p];
        product1_q <= 48'(quanta) * 48'(byte_time_ps_i);
      end
      if (load_q[0]) begin
        enable2_q  <= enable1_q;
        product2_q <= product1_q;
        lasts2_q   <= product1_q != 48'd0;
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        left_q   <= '0;
        paused_q <= 1'b0;
      end else if (moves && load) begin
        left_q   <= {product2_q, 6'd0};
        paused_q <= xoff;
      end else if (moves && paused_q) begin
        left_q   <= left_q - LeftW'(step_q);
        paused_q <= !expires;
      end
    end

    always_ff @(posedge clk_i) begin
      if (moves && load) until_q <= last_now_q + 64'({product2_q, 6'd0});
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        xoff_q      <= '0;
        xon_q       <= '0;
        paused_ps_q <= '0;
      end else if (clear_i) begin
        xoff_q      <= '0;
        xon_q       <= '0;
        paused_ps_q <= '0;
      end else if (moves) begin
        if (xoff)          xoff_q      <= xoff_q + 64'd1;
        if (load && !xoff) xon_q       <= xon_q + 64'd1;
        if (paused_q)      paused_ps_q <= paused_ps_q + (expires ? 64'(left_q) : 64'(step_q));
      end
    end

    assign paused_o[p]               = paused_q;
    assign until_o[64*p+:64]         = until_q;
    assign cnt_xoff_o[64*p+:64]      = xoff_q;
    assign cnt_xon_o[64*p+:64]       = xon_q;
    assign cnt_paused_ps_o[64*p+:64] = paused_ps_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_o <= '0;
      end_o   <= '0;
    end else begin
      start_o <= starts;
      end_o   <= ends;
    end
  end

  always_ff @(posedge clk_i) begin
    event_time_o <= last_now_q;
  end

endmodule
