// Counters of a receiving port: 64 bits, one clock behind the pulses, zero while clear_i. A pulse
// other than latency_negative_i and event_overflow_i is about a frame and comes with frame_i.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_rx_counters (
  // Clock and reset (active low)
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,                  // level: holds all counters at zero

  // Events: a pulse each
  input  logic        frame_i,                  // a frame of any kind
  input  logic [31:0] length_i,                 // its bytes with FCS, with frame_i
  input  logic        fcs_error_i,
  input  logic        icrc_error_i,
  input  logic        runt_i,                   // below 64 bytes
  input  logic        giant_i,                  // above 9216 bytes
  input  logic        untagged_i,               // understood, without a test tag
  input  logic        unparsed_i,               // not understood
  input  logic        latency_negative_i,       // received before it departed
  input  logic        event_overflow_i,         // a tagged frame found the event FIFO full
  input  logic        pause_i,                  // 802.3x PAUSE
  input  logic        control_other_i,          // MAC control, neither PFC nor PAUSE
  input  logic        bad_row_i,                // tag of a row or group that is not there
  input  logic        trimmed_i,                // trimmed, with tag or without
  input  logic        bare_i,                   // trimmed, without a tag

  // Counts of these, cnt_bytes_o the sum of length_i
  output logic [63:0] cnt_frames_o,
  output logic [63:0] cnt_bytes_o,
  output logic [63:0] cnt_fcs_errors_o,
  output logic [63:0] cnt_icrc_errors_o,
  output logic [63:0] cnt_runts_o,
  output logic [63:0] cnt_giants_o,
  output logic [63:0] cnt_untagged_o,
  output logic [63:0] cnt_unparsed_o,
  output logic [63:0] cnt_latency_negative_o,
  output logic [63:0] cnt_event_overflow_o,
  output logic [63:0] cnt_pause_frames_o,
  output logic [63:0] cnt_mac_control_other_o,
  output logic [63:0] cnt_bad_row_o,
  output logic [63:0] cnt_trimmed_o,
  output logic [63:0] cnt_trimmed_bare_o
);

  localparam int unsigned Count = 14;

  logic [Count-1:0]    pulses;
  logic [Count*64-1:0] counts_q;
  logic [63:0]         bytes_q;

  // Assigned as a whole: a simulation copies in every clock what is assigned in parts.
  logic [Count*64-1:0] next;
  logic                any;

  assign any = frame_i || latency_negative_i || event_overflow_i;

  always_comb begin
    `PLUMB_ANY(pulses)
    `PLUMB_ANY(next)
    if (any) begin
      pulses = {bare_i, trimmed_i, bad_row_i, control_other_i, pause_i, event_overflow_i,
                latency_negative_i, unparsed_i, untagged_i, giant_i, runt_i, icrc_error_i,
                fcs_error_i, frame_i};
      for (int unsigned i = 0; i < Count; i++) begin
        next[64*i+:64] = counts_q[64*i+:64] + 64'(pulses[i]);
      end
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      counts_q <= '0;
      bytes_q  <= '0;
    end else if (clear_i) begin
      counts_q <= '0;
      bytes_q  <= '0;
    end else if (any) begin
      counts_q <= next;
      if (frame_i) bytes_q <= bytes_q + {32'd0, length_i};
    end
  end

  assign cnt_bytes_o = bytes_q;
  assign {cnt_trimmed_bare_o, cnt_trimmed_o, cnt_bad_row_o, cnt_mac_control_other_o,
          cnt_pause_frames_o, cnt_event_overflow_o, cnt_latency_negative_o, cnt_unparsed_o,
          cnt_untagged_o, cnt_giants_o, cnt_runts_o, cnt_icrc_errors_o, cnt_fcs_errors_o,
          cnt_frames_o} = counts_q;

  `PLUMB_ASSERT(PulsesWithFrames, (bare_i || trimmed_i || bad_row_i || control_other_i || pause_i ||
                                   unparsed_i || untagged_i || giant_i || runt_i ||
                                   icrc_error_i || fcs_error_i) |-> frame_i)

endmodule
