// Counters of link-level retry: 48 bits. Events are counted two clocks later, frames given up one
// clock later. What happens while clear_i is high is not counted.
`include "plumb_simulated.svh"

module plumb_llr_counters (
  // Clock and reset (active low)
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic                                 clear_i,    // level: holds all counters at zero

  // What happens in this clock, and what has happened so far
  input  logic [plumb_llr_pkg::Counters-1:0]   events_i,   // a pulse per counter
  input  logic                                 flush_i,    // pulse, with flushed_i
  input  logic [19:0]                          flushed_i,  // frames that are given up
  output logic [48*plumb_llr_pkg::Counters-1:0] counts_o,  // 48 bits each; counter i counts
                                                           // events_i[i]
  output logic [47:0]                          flushed_o   // sum of flushed_i
);

  // The events are known late in their clock.
  logic [plumb_llr_pkg::Counters-1:0] events_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) events_q <= '0;
    else         events_q <= clear_i ? '0 : events_i;
  end

  // Most clocks have nothing to count.
  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      counts_o <= '0;
    end else if (clear_i) begin
      counts_o <= '0;
    end else if (events_q != '0) begin
      for (int unsigned i = 0; i < plumb_llr_pkg::Counters; i++) begin
        counts_o[48*i+:48] <= counts_o[48*i+:48] + 48'(events_q[i]);
      end
    end
  end

  // The sum does not wait for flush_i, which is known late too.
  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni)      flushed_o <= '0;
    else if (clear_i) flushed_o <= '0;
    else if (flush_i) flushed_o <= flushed_o + 48'(flushed_i);
  end

endmodule
